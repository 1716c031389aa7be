//! Games: submitting, correcting, annulling.
