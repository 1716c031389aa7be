//! What an order draws from: the policy's entropy, its fallback, or a procedure by hand.

use super::{
    Act,
    draws::{Method, NewAttempt, OrderRequest},
};
use crate::domain::{
    beacon::{Beacon, QUICKNET},
    derivation::Source,
    fault::{Code, Fault},
    manual::{NoProcedure, Procedure, procedure},
    policy::EntropyKind,
    schedule::Times,
};

/// What a number is drawn from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Drawn {
    /// What the policy says.
    ByPolicy,
    /// Other entropy than the policy's.
    From(EntropyKind),
    /// Throws by hand.
    ByHand(&'static Procedure),
}

/// What an order draws from.
pub(super) fn drawn(request: &OrderRequest) -> Result<Drawn, Fault> {
    match (request.method, request.entropy, &request.procedure) {
        (Method::Csprng, None, None) => Ok(Drawn::ByPolicy),
        (Method::Csprng, Some(kind), None) => Ok(Drawn::From(kind)),
        (Method::Csprng, _, Some(_)) => Err(Fault::field("/procedure", "a procedure goes with method manual")),
        (Method::Manual, None, Some(name)) => procedure_named(name, "/procedure").map(Drawn::ByHand),
        (Method::Manual, None, None) => Err(Fault::field("/procedure", "name the procedure, such as d6")),
        (Method::Manual, Some(_), _) => Err(Fault::field("/entropy", "a draw by hand takes no other entropy")),
    }
}

/// The procedure of this name.
///
/// # Errors
/// `procedure-refused` for one that favours some positions, `invalid-field` for an unknown one.
pub fn procedure_named(name: &str, at: &str) -> Result<&'static Procedure, Fault> {
    procedure(name).map_err(|why| match why {
        NoProcedure::Refused(_) => Fault::at(Code::ProcedureRefused, at, why.to_string()),
        NoProcedure::Unknown => Fault::field(at, why.to_string()),
    })
}

impl Act<'_> {
    /// Other entropy than the policy's is for attempts after a void, and only what the policy lists.
    pub(super) fn check_fallback(&self, asked: Option<EntropyKind>, attempt: u16) -> Result<(), Fault> {
        let policy = &self.tournament.policy;
        let why = match asked {
            None => return Ok(()),
            Some(kind) if kind == policy.entropy => return Ok(()),
            Some(kind) if !policy.entropy_fallback.contains(&kind) => {
                "the policy of this tournament does not provide for this entropy"
            }
            Some(_) if attempt > 1 => return Ok(()),
            Some(_) => "the policy provides for this entropy only after a void",
        };
        Err(Fault::at(Code::PolicyInvalid, "/entropy", why))
    }

    /// What an attempt's number is drawn from, besides its secret.
    pub(super) fn sources(&self, new: &NewAttempt) -> Result<Vec<Source>, Fault> {
        let kind = match new.from {
            Drawn::ByHand(procedure) => return Ok(vec![Source::Manual { procedure: procedure.name.to_owned() }]),
            Drawn::From(kind) => kind,
            Drawn::ByPolicy => self.tournament.policy.entropy,
        };
        Ok(vec![match kind {
            EntropyKind::Local => Source::None,
            EntropyKind::Dice => Source::Dice,
            EntropyKind::Drand => self.beacon_for(new.times)?,
        }])
    }

    /// The beacon round of a draw ordered now. It fires a minute or more after the order: nobody can know it yet.
    fn beacon_for(&self, times: Times) -> Result<Source, Fault> {
        let (release_at, now) = (times.release_at.as_second(), self.now.as_second());
        let beacon = Beacon { chain: &QUICKNET, round: QUICKNET.round_for(release_at, now) };
        let fires = beacon.fires_at().filter(|_| QUICKNET.fires_after_order(beacon.round, now));
        let fires = fires.ok_or_else(|| Fault::internal("the rule of the beacon gave a round that fires too soon"))?;
        times.check_ready(fires, self.tournament.policy.custom_lead)?;
        Ok(Source::Drand { chain: QUICKNET.hash.to_owned(), round: beacon.round })
    }
}
