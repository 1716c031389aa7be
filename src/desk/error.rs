//! Failures of store and chance, as faults.

use crate::{
    domain::fault::{Code, Fault},
    entropy::EntropyUnavailable,
    store::StoreError,
};

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let cause = error.to_string();
        match error {
            StoreError::Unavailable(_) => {
                let detail = "the database cannot be used now; whether this change was made is unknown until you ask \
                              again, with the same Idempotency-Key where there is one";
                Self { cause: Some(cause), ..Self::new(Code::Unavailable, detail) }
            }
            StoreError::Inconsistent { .. } | StoreError::Refused(_) => Self::internal(cause),
        }
    }
}

impl From<EntropyUnavailable> for Fault {
    fn from(error: EntropyUnavailable) -> Self {
        Self::internal(error.to_string())
    }
}
