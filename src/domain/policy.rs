//! The policy of a tournament: everything the Laws leave open, declared before the first draw.

use super::{
    derivation::Repeats,
    fault::{Code, Fault},
    number_set::NumberSet,
    position_number::{COUNT, PositionNumber},
    supervision::Supervision,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),* }
    };
}

choice! {
    /// What one position serves.
    Scope {
        /// All boards of a round.
        Round,
        /// One board.
        Board,
    }
}
choice! {
    /// What is mixed into the seed after the commitment is public.
    EntropyKind {
        /// Nothing: grade C.
        Local,
        /// A round of the drand beacon: grade A.
        Drand,
        /// Twenty dice thrown in public: grade B.
        Dice,
    }
}
choice! {
    /// What happens to a release that was missed.
    Overdue {
        /// It waits for the arbiter.
        Hold,
        /// It is sent as soon as the server can.
        Release,
    }
}
choice! {
    /// Kind of time control, which changes only what a game report advises.
    #[derive(Default)]
    TimeControl {
        /// Standard.
        #[default]
        Standard,
        /// Rapid: Appendix A.
        Rapid,
        /// Blitz: Appendix B.
        Blitz,
    }
}
choice! {
    /// A named set of values to begin with.
    Preset {
        /// As the Laws: all 960, repeats allowed, local entropy.
        Laws,
        /// As top events: without 518, no repeats, drand with dice as fallback.
        Championship,
    }
}

/// The policy in force. Its JSON, with this key order, is what the log records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What one draw serves.
    pub scope: Scope,
    /// Rounds in a block that shares a draw.
    pub rounds_per_draw: u16,
    /// Numbers that are never drawn.
    #[schema(value_type = Vec<u16>)]
    pub excluded: NumberSet,
    /// Whether a number may come twice.
    #[schema(value_type = String)]
    pub repeats: Repeats,
    /// What is mixed in after the commitment.
    pub entropy: EntropyKind,
    /// What an attempt after a void may use instead.
    pub entropy_fallback: Vec<EntropyKind>,
    /// Whether a second token must post the same dice.
    pub dice_confirm: bool,
    /// Minutes between release and start of play.
    pub lead_minutes: u16,
    /// Whether the lead may lie outside 10 to 15 minutes.
    pub custom_lead: bool,
    /// Level of supervision, A.4 or A.5.
    #[schema(value_type = String)]
    pub supervision: Supervision,
    /// Kind of time control.
    pub time_control: TimeControl,
    /// Whether scheduling a round orders its draw.
    pub auto_draw: bool,
    /// What happens to a missed release.
    pub overdue: Overdue,
    /// Whether a pool under twice the number of slots was declared.
    pub small_pool: bool,
    /// A practice tournament: every output is stamped, and it never becomes real.
    pub rehearsal: bool,
}

/// Changes to a policy, as they come in a request. Absent fields keep their value.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyPatch {
    /// `round` or `board`.
    scope: Option<Scope>,
    /// 1 to 9; 1 when scope is `board`.
    rounds_per_draw: Option<u16>,
    /// Position numbers that are never drawn.
    excluded: Option<Vec<u16>>,
    /// The other way round: only these may be drawn.
    pool: Option<Vec<u16>>,
    /// `allowed` or `never`.
    #[schema(value_type = Option<String>)]
    repeats: Option<Repeats>,
    /// `local`, `drand` or `dice`.
    entropy: Option<EntropyKind>,
    /// Kinds that an attempt after a void may use.
    entropy_fallback: Option<Vec<EntropyKind>>,
    /// Whether a second token must post the same dice.
    dice_confirm: Option<bool>,
    /// 10 to 15; 0 to 60 with `custom_lead`.
    lead_minutes: Option<u16>,
    /// Declares a lead outside 10 to 15 minutes.
    custom_lead: Option<bool>,
    /// `full` or `basic`.
    #[schema(value_type = Option<String>)]
    supervision: Option<Supervision>,
    /// `standard`, `rapid` or `blitz`.
    time_control: Option<TimeControl>,
    /// Whether scheduling orders the draw.
    auto_draw: Option<bool>,
    /// `hold` or `release`.
    overdue: Option<Overdue>,
    /// Declares a pool under twice the number of slots.
    small_pool: Option<bool>,
    /// A practice tournament.
    rehearsal: Option<bool>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            scope: Scope::Round,
            rounds_per_draw: 1,
            excluded: NumberSet::default(),
            repeats: Repeats::Allowed,
            entropy: EntropyKind::Local,
            entropy_fallback: Vec::new(),
            dice_confirm: true,
            lead_minutes: 15,
            custom_lead: false,
            supervision: Supervision::Full,
            time_control: TimeControl::Standard,
            auto_draw: true,
            overdue: Overdue::Hold,
            small_pool: false,
            rehearsal: false,
        }
    }
}

impl Policy {
    /// The values of a preset.
    pub fn preset(preset: Preset) -> Self {
        match preset {
            Preset::Laws => Self::default(),
            Preset::Championship => Self {
                excluded: NumberSet::from_iter([PositionNumber::CLASSICAL]),
                repeats: Repeats::Never,
                entropy: EntropyKind::Drand,
                entropy_fallback: vec![EntropyKind::Dice],
                ..Self::default()
            },
        }
    }

    /// This policy with changes.
    ///
    /// # Errors
    /// `policy-invalid` for what contradicts the rules or itself, with a pointer below `at`.
    pub fn with(mut self, patch: PolicyPatch, at: &str) -> Result<Self, Fault> {
        if let Some(numbers) = excluded_of(&patch, at)? {
            self.excluded = numbers;
        }
        macro_rules! take {
            ($($field:ident),*) => { $(if let Some(value) = patch.$field { self.$field = value; })* };
        }
        take!(scope, rounds_per_draw, repeats, entropy, entropy_fallback, dice_confirm, lead_minutes, custom_lead);
        take!(supervision, time_control, auto_draw, overdue, small_pool, rehearsal);
        self.check(at).map(|()| self)
    }

    fn check(&self, at: &str) -> Result<(), Fault> {
        let invalid = |field: &str, why: String| Err(Fault::at(Code::PolicyInvalid, format!("{at}/{field}"), why));
        if !(1..=9).contains(&self.rounds_per_draw) {
            return invalid("rounds_per_draw", "a block has 1 to 9 rounds".into());
        }
        if self.scope == Scope::Board && self.rounds_per_draw != 1 {
            return invalid("rounds_per_draw", "with a position for each board a draw serves one round".into());
        }
        if self.allowed() == 0 {
            return invalid("excluded", "all 960 numbers are excluded: nothing could be drawn".into());
        }
        if let Err(why) = check_lead(self.lead_minutes, self.custom_lead) {
            return invalid("lead_minutes", why);
        }
        Ok(())
    }

    /// How many numbers may be drawn at all.
    pub fn allowed(&self) -> usize {
        usize::from(COUNT) - self.excluded.len()
    }

    /// Whether `slots` draws without repeats need to be declared a small pool.
    pub fn pool_is_small_for(&self, slots: usize) -> bool {
        self.repeats == Repeats::Never && !self.small_pool && self.allowed() < 2 * slots
    }
}

/// A lead of 10 to 15 minutes, or 0 to 60 where a custom window is declared.
///
/// # Errors
/// The sentence to answer with.
pub fn check_lead(minutes: u16, custom: bool) -> Result<(), String> {
    match (minutes, custom) {
        (10..=15, _) | (0..=60, true) => Ok(()),
        (0..=60, false) => Err(format!("{minutes} minutes is outside 10 to 15: declare custom_lead to use it")),
        _ => Err(format!("{minutes} minutes is outside 0 to 60")),
    }
}

fn excluded_of(patch: &PolicyPatch, at: &str) -> Result<Option<NumberSet>, Fault> {
    match (&patch.excluded, &patch.pool) {
        (Some(_), Some(_)) => {
            let why = "excluded and pool say the same thing twice: give one";
            Err(Fault::at(Code::PolicyInvalid, format!("{at}/pool"), why))
        }
        (Some(excluded), None) => number_set(excluded, &format!("{at}/excluded")).map(Some),
        (None, Some(pool)) => {
            let pool = number_set(pool, &format!("{at}/pool"))?;
            Ok(Some(PositionNumber::all().filter(|n| !pool.contains(*n)).collect()))
        }
        (None, None) => Ok(None),
    }
}

fn number_set(numbers: &[u16], at: &str) -> Result<NumberSet, Fault> {
    let mut set = NumberSet::default();
    for (i, n) in numbers.iter().enumerate() {
        let number = PositionNumber::try_from(*n)
            .map_err(|why| Fault::at(Code::NotAPositionNumber, format!("{at}/{i}"), why.to_string()))?;
        set.insert(number);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(json: serde_json::Value) -> Result<Policy, Fault> {
        Policy::default().with(serde_json::from_value(json).unwrap(), "/policy")
    }

    #[test]
    fn the_canonical_object_has_a_fixed_key_order() {
        assert_eq!(
            serde_json::to_string(&Policy::default()).unwrap(),
            r#"{"scope":"round","rounds_per_draw":1,"excluded":[],"repeats":"allowed","entropy":"local","entropy_fallback":[],"dice_confirm":true,"lead_minutes":15,"custom_lead":false,"supervision":"full","time_control":"standard","auto_draw":true,"overdue":"hold","small_pool":false,"rehearsal":false}"#
        );
    }

    #[test]
    fn leads() {
        for (lead, custom, fine) in [(10, false, true), (15, false, true), (9, false, false), (16, false, false)]
            .into_iter()
            .chain([(0, true, true), (60, true, true), (61, true, false), (0, false, false)])
        {
            let result = patched(serde_json::json!({"lead_minutes": lead, "custom_lead": custom}));
            assert_eq!(result.is_ok(), fine, "{lead} {custom}");
        }
    }

    #[test]
    fn a_pool_excludes_everything_else() {
        let policy = patched(serde_json::json!({"pool": [3, 959]})).unwrap();
        assert_eq!(policy.allowed(), 2);
        assert!(policy.excluded.contains(PositionNumber::CLASSICAL));
        assert!(patched(serde_json::json!({"pool": []})).is_err());
        assert!(patched(serde_json::json!({"pool": [1], "excluded": [2]})).is_err());
        let fault = patched(serde_json::json!({"excluded": [518, 960]})).unwrap_err();
        assert_eq!((fault.code, fault.fields[0].0.as_str()), (Code::NotAPositionNumber, "/policy/excluded/1"));
    }

    #[test]
    fn every_kind_of_entropy_can_be_declared() {
        let dice =
            patched(serde_json::json!({"entropy": "dice", "entropy_fallback": ["local"], "dice_confirm": false}));
        assert!(dice.is_ok_and(|policy| policy.entropy == EntropyKind::Dice && !policy.dice_confirm));
        let championship = Policy::preset(Preset::Championship).with(PolicyPatch::default(), "/preset");
        assert!(championship.is_ok_and(|policy| policy.entropy == EntropyKind::Drand));
    }

    #[test]
    fn blocks_and_boards_exclude_each_other() {
        assert!(patched(serde_json::json!({"scope": "board", "rounds_per_draw": 2})).is_err());
        assert!(patched(serde_json::json!({"scope": "board"})).is_ok());
    }

    #[test]
    fn small_pools_are_declared() {
        let policy = patched(serde_json::json!({"pool": [1, 2, 3], "repeats": "never"})).unwrap();
        assert!(policy.pool_is_small_for(2) && !policy.pool_is_small_for(1));
        let declared = patched(serde_json::json!({"pool": [1, 2, 3], "repeats": "never", "small_pool": true})).unwrap();
        assert!(!declared.pool_is_small_for(3));
    }
}
