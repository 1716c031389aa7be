//! A row of a draw with its release and its void, and how it becomes a draw.

use super::{StoreError, row::Column};
use crate::domain::{
    derivation::Terms,
    draw::{Arrived, Draw, Release, Void},
};
use jiff::Timestamp;
use serde::Deserialize;
use sqlx::FromRow;

#[derive(FromRow)]
pub(super) struct Row {
    id: String,
    tournament_id: String,
    round: i64,
    board: i64,
    attempt: i64,
    serves_from: i64,
    ordered_at: i64,
    ordered_by: String,
    sources: String,
    excluded: String,
    repeats: String,
    commitment: String,
    leaf: i64,
    thrown_at: Option<i64>,
    performed_at: Option<i64>,
    export_entry: Option<Vec<u8>>,
    restored_entry: Option<Vec<u8>>,
    arrived_at: Option<i64>,
    lines: Option<String>,
    entropy_leaf: Option<i64>,
    released_at: Option<i64>,
    released_by: Option<String>,
    number: Option<i64>,
    release_secret: Option<String>,
    entropy: Option<String>,
    used: Option<String>,
    seed: Option<String>,
    throws: Option<String>,
    words_used: Option<i64>,
    release_leaf: Option<i64>,
    voided_at: Option<i64>,
    voided_by: Option<String>,
    reason: Option<String>,
    knowable: Option<bool>,
    from_round: Option<i64>,
    after_start: Option<bool>,
    void_secret: Option<String>,
    void_leaf: Option<i64>,
    abandoned: Option<i64>,
}

/// Selects draws with all their columns; what follows says which.
macro_rules! select_draws {
    ($rest:literal) => {
        concat!(
            "select d.id, d.tournament_id, d.round, d.board, d.attempt, d.serves_from, d.ordered_at, d.ordered_by,
                d.sources, d.excluded, d.repeats, d.commitment, d.leaf,
                (select min(p.posted_at) from dice_post p where p.tournament_id = d.tournament_id
                    and p.round = d.serves_from and d.sources like '%dice%' and p.leaf > d.leaf
                    and p.leaf < coalesce(e.leaf, v.leaf, p.leaf + 1)) as thrown_at,
                (select q.performed_at from draw_performed q where q.draw_id = d.id) as performed_at,
                (select l.entry from leaf l where l.idx = (select min(s.idx) from leaf_subject s
                    where s.tournament_id = d.tournament_id and s.round is null and s.kind = 'export'
                    and s.idx < coalesce(r.leaf, v.leaf, s.idx + 1))) as export_entry,
                (select l.entry from leaf l where l.idx = (select max(x.leaf) from succession x
                    where x.skipped > 0 and x.leaf < coalesce(r.leaf, v.leaf, x.leaf + 1)
                    and x.leaf > (select min(s.idx) from leaf_subject s
                        where s.tournament_id = d.tournament_id and s.round is null))) as restored_entry,
                e.arrived_at, e.lines, e.leaf as entropy_leaf, r.released_at, r.released_by, r.number,
                r.secret as release_secret, r.entropy, r.used, r.seed, r.throws, r.words_used, r.leaf as release_leaf,
                v.voided_at, v.voided_by, v.reason, v.knowable, v.from_round, v.after_start,
                v.secret as void_secret, v.leaf as void_leaf,
                (select a.number from draw_abandoned a where a.draw_id = d.id) as abandoned
             from draw d left join draw_entropy e on e.draw_id = d.id left join draw_release r on r.draw_id = d.id
                left join draw_void v on v.draw_id = d.id ",
            $rest
        )
    };
}

impl TryFrom<Row> for Draw {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("draw", name);
        let terms = Terms {
            sources: column("sources").json(&row.sources)?,
            excluded: column("excluded").json(&row.excluded)?,
            repeats: column("repeats").word(row.repeats.clone())?,
        };
        Ok(Self {
            id: column("id").parse(&row.id)?,
            tournament: column("tournament_id").parse(&row.tournament_id)?,
            round: column("round").number(row.round)?,
            board: column("board").number(row.board)?,
            attempt: column("attempt").number(row.attempt)?,
            serves_from: column("serves_from").number(row.serves_from)?,
            ordered_at: column("ordered_at").instant(row.ordered_at)?,
            ordered_by: row.ordered_by.clone(),
            terms,
            commitment: row.commitment.clone(),
            entry: column("leaf").number(row.leaf)?,
            thrown_at: row.thrown_at.map(|at| Column("dice_post", "posted_at").instant(at)).transpose()?,
            performed_at: row
                .performed_at
                .map(|at| Column("draw_performed", "performed_at").instant(at))
                .transpose()?,
            exported_at: at_of(row.export_entry.as_deref())?,
            restored_at: at_of(row.restored_entry.as_deref())?,
            arrived: row.arrived()?,
            release: row.release()?,
            void: row.void()?,
        })
    }
}

/// Of an entry of the log, what it says of its time.
#[derive(Deserialize)]
struct At {
    at: i64,
}

fn at_of(entry: Option<&[u8]>) -> Result<Option<Timestamp>, StoreError> {
    let Some(entry) = entry else { return Ok(None) };
    let At { at } = Column("leaf", "entry").json(&String::from_utf8_lossy(entry))?;
    Column("leaf", "entry").second(at).map(Some)
}

impl Row {
    fn arrived(&self) -> Result<Option<Arrived>, StoreError> {
        let column = |name| Column("draw_entropy", name);
        let (Some(at), Some(lines), Some(entry)) = (self.arrived_at, &self.lines, self.entropy_leaf) else {
            return Ok(None);
        };
        Ok(Some(Arrived {
            at: column("arrived_at").instant(at)?,
            lines: column("lines").json(lines)?,
            entry: column("leaf").number(entry)?,
        }))
    }

    fn release(&self) -> Result<Option<Release>, StoreError> {
        let column = |name| Column("draw_release", name);
        let (Some(at), Some(number), Some(entry), Some(words)) =
            (self.released_at, self.number, self.release_leaf, self.words_used)
        else {
            return Ok(None);
        };
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        Ok(Some(Release {
            at: column("released_at").instant(at)?,
            by: text(&self.released_by),
            number: column("number").number::<u16>(number).and_then(|n| column("number").parse(&n.to_string()))?,
            secret: text(&self.release_secret),
            entropy: column("entropy").json(&text(&self.entropy))?,
            used: column("used").json(&text(&self.used))?,
            seed: text(&self.seed),
            throws: self.throws.clone(),
            words_used: column("words_used").number(words)?,
            entry: column("leaf").number(entry)?,
        }))
    }

    fn void(&self) -> Result<Option<Void>, StoreError> {
        let column = |name| Column("draw_void", name);
        let (Some(at), Some(from_round), Some(entry)) = (self.voided_at, self.from_round, self.void_leaf) else {
            return Ok(None);
        };
        Ok(Some(Void {
            at: column("voided_at").instant(at)?,
            by: self.voided_by.clone().unwrap_or_default(),
            reason: column("reason").word(self.reason.clone().unwrap_or_default())?,
            knowable: self.knowable.unwrap_or_default(),
            from_round: column("from_round").number(from_round)?,
            after_start: self.after_start.unwrap_or_default(),
            secret: self.void_secret.clone().unwrap_or_default(),
            abandoned: self.abandoned.map(|n| Column("draw_abandoned", "number").parse(&n.to_string())).transpose()?,
            entry: column("leaf").number(entry)?,
        }))
    }
}

pub(super) use select_draws;
