-- Times are microseconds since 1970-01-01 UTC, written by the application. JSON is text. Hashes and sealed secrets are blobs.

-- The server itself: one row, made at the first start and never changed.
create table server (
    id integer primary key check (id = 1),
    origin text not null,           -- name of the log, part of every draw's bytes
    log_public_key blob not null check (length(log_public_key) = 32),
    log_key_sealed blob not null,   -- Ed25519 seed, sealed with the key file
    created_at integer not null
) strict;

-- The log: exact bytes of every entry, in order. Never updated, never deleted.
create table leaf (
    idx integer primary key,
    entry blob not null,
    leaf_hash blob not null check (length(leaf_hash) = 32) -- SHA-256(00 || entry), RFC 6962
) strict;

create trigger leaf_next before insert on leaf
when new.idx is not (select coalesce(max(idx) + 1, 0) from leaf)
begin select raise(abort, 'the log only grows at its end'); end;
create trigger leaf_no_update before update on leaf
begin select raise(abort, 'the log is append-only'); end;
create trigger leaf_no_delete before delete on leaf
begin select raise(abort, 'the log is append-only'); end;

-- What each entry is about, for finding it again; derived from the leaves.
create table leaf_subject (
    idx integer primary key references leaf (idx),
    tournament_id text,
    kind text not null,
    round integer,
    board integer,
    attempt integer
) strict;
create index leaf_subject_of_round on leaf_subject (tournament_id, round);

create table tournament (
    id text primary key,
    slug text not null unique,      -- unique for ever: a tournament is never deleted
    name text not null,
    time_zone text not null,        -- IANA name
    policy text not null,           -- JSON, the policy in force
    origin text not null,           -- origin of the log at creation, kept for ever
    master_sealed blob not null,    -- master secret, sealed with the key file
    master_commit text not null,
    created_at integer not null,
    ended_at integer,               -- closed or cancelled
    ended_how text check (ended_how in ('closed', 'cancelled'))
) strict;

create trigger tournament_no_delete before delete on tournament
begin select raise(abort, 'tournaments are never deleted'); end;
create trigger tournament_fixed before update on tournament
when new.id is not old.id or new.slug is not old.slug or new.origin is not old.origin
    or new.master_commit is not old.master_commit or new.created_at is not old.created_at
begin select raise(abort, 'what the draws of a tournament rest on is fixed'); end;
create trigger tournament_once before insert on tournament
when exists (select 1 from tournament where id = new.id or slug = new.slug)
begin select raise(abort, 'the slug is taken'); end;

create table round (
    tournament_id text not null references tournament (id),
    number integer not null,
    label text,
    civil_start text,               -- as the arbiter said it, in the tournament's zone; null: postponed without a date
    starts_at integer,
    release_at integer,             -- start minus lead
    scheduled_at integer,           -- when the start was last set: a release brought forward is due from then on
    lead_minutes integer,           -- own lead; null: the policy's
    supervision text,               -- own level; null: the policy's
    time_control text,              -- own kind; null: the policy's
    boards integer,                 -- scope board: how many slots were ordered with the round
    overdue_since integer,          -- set by the release task, cleared by a move, void or release
    started_at integer,             -- the arbiter said that play has begun
    primary key (tournament_id, number)
) strict;

-- One attempt at a draw: the order, with everything its commitment binds. Never updated, never deleted.
create table draw (
    id text primary key,
    tournament_id text not null references tournament (id),
    round integer not null,         -- round, or first round of the block
    board integer not null,         -- 0: all boards
    attempt integer not null,
    serves_from integer not null,   -- first round of the block that this attempt serves
    ordered_at integer not null,
    ordered_by text not null,
    sources text not null,          -- JSON array
    excluded text not null,         -- JSON array
    repeats text not null,
    commitment text not null,
    leaf integer not null references leaf (idx)
) strict;
create unique index draw_slot on draw (tournament_id, round, board, attempt);

create trigger draw_once before insert on draw
when exists (select 1 from draw where id = new.id or (tournament_id = new.tournament_id and round = new.round
    and board = new.board and attempt >= new.attempt))
begin select raise(abort, 'an attempt is ordered once'); end;
create trigger draw_one_live before insert on draw
when exists (select 1 from draw d where d.tournament_id = new.tournament_id and d.round = new.round
    and d.board = new.board and not exists (select 1 from draw_void v where v.draw_id = d.id))
begin select raise(abort, 'a slot has one live draw'); end;
create trigger draw_no_update before update on draw
begin select raise(abort, 'draws are append-only'); end;
create trigger draw_no_delete before delete on draw
begin select raise(abort, 'draws are append-only'); end;

-- The release of a draw: from this row on its position is public, and only from this row on.
create table draw_release (
    draw_id text primary key references draw (id),
    released_at integer not null,
    released_by text not null,
    number integer not null check (number between 0 and 959),
    secret text not null,
    entropy text not null,          -- JSON array of entropy lines
    used text not null,             -- JSON array: numbers skipped because released before
    seed text not null,
    words_used integer not null,
    leaf integer not null references leaf (idx)
) strict;

create trigger draw_release_once before insert on draw_release
when exists (select 1 from draw_release where draw_id = new.draw_id)
    or exists (select 1 from draw_void where draw_id = new.draw_id)
begin select raise(abort, 'a draw is released once, and not after a void'); end;
create trigger draw_release_no_update before update on draw_release
begin select raise(abort, 'releases are append-only'); end;
create trigger draw_release_no_delete before delete on draw_release
begin select raise(abort, 'releases are append-only'); end;

-- The void of a draw, before or after its release.
create table draw_void (
    draw_id text primary key references draw (id),
    voided_at integer not null,
    voided_by text not null,
    reason text not null,
    knowable integer not null,      -- whether the outcome could be known by somebody then
    from_round integer not null,    -- first round that the void applies to
    after_start integer not null,   -- whether that round had started: its games stay judged by this draw
    secret text not null,
    leaf integer not null references leaf (idx)
) strict;

create trigger draw_void_once before insert on draw_void
when exists (select 1 from draw_void where draw_id = new.draw_id)
begin select raise(abort, 'a draw is voided once'); end;
create trigger draw_void_no_update before update on draw_void
begin select raise(abort, 'voids are append-only'); end;
create trigger draw_void_no_delete before delete on draw_void
begin select raise(abort, 'voids are append-only'); end;

-- Answers already given to an Idempotency-Key, for as long as the tournament exists.
create table idempotency_key (
    tournament_id text not null references tournament (id),
    key text not null,
    request_hash text not null,     -- path and body
    draw_ids text not null,         -- JSON array: what the request ordered
    primary key (tournament_id, key)
) strict;

create table pairing (
    tournament_id text not null,
    round integer not null,
    board integer not null,
    label text,
    white text not null,            -- JSON: name, fide_id, team
    black text not null,
    primary key (tournament_id, round, board),
    foreign key (tournament_id, round) references round (tournament_id, number)
) strict;

-- Players without an opponent in a round.
create table bye (
    tournament_id text not null,
    round integer not null,
    player text not null,           -- JSON
    foreign key (tournament_id, round) references round (tournament_id, number)
) strict;

-- A submitted record of a game: exact bytes and what was found. Never updated, never deleted.
create table game (
    id text primary key,
    tournament_id text not null references tournament (id),
    round integer not null,
    board integer not null,
    draw_id text not null references draw (id),
    submitted_at integer not null,
    submitted_by text not null,
    media_type text not null,
    language text not null,         -- of its piece letters
    body blob not null,
    body_hash text not null,
    verdict text not null,
    report text not null,           -- JSON
    replaces text references game (id),
    replaces_as text check (replaces_as in ('correction', 'replay')),
    leaf integer not null references leaf (idx)
) strict;
create index game_of_board on game (tournament_id, round, board);

create trigger game_once before insert on game
when exists (select 1 from game where id = new.id)
begin select raise(abort, 'a game is recorded once'); end;
create trigger game_no_update before update on game
begin select raise(abort, 'games are append-only'); end;
create trigger game_no_delete before delete on game
begin select raise(abort, 'games are append-only'); end;

-- An arbiter's decision that a game does not count (Laws 7.2.1 and others).
create table game_annulment (
    game_id text primary key references game (id),
    annulled_at integer not null,
    annulled_by text not null,
    article text not null,
    reason text not null,
    leaf integer not null references leaf (idx)
) strict;

create trigger game_annulment_once before insert on game_annulment
when exists (select 1 from game_annulment where game_id = new.game_id)
begin select raise(abort, 'a game is annulled once'); end;
create trigger game_annulment_no_update before update on game_annulment
begin select raise(abort, 'annulments are append-only'); end;
create trigger game_annulment_no_delete before delete on game_annulment
begin select raise(abort, 'annulments are append-only'); end;

-- An arbiter's decision that a finding stands (Laws A.5.2 and others), with the report as it then is. The record itself
-- is never changed.
create table game_override (
    leaf integer primary key references leaf (idx),
    game_id text not null references game (id),
    decided_at integer not null,
    decided_by text not null,
    ply integer,                    -- half-move of the finding; null: the finding has none
    finding text not null,          -- code of the finding
    article text not null,
    reason text not null,
    position text,                  -- FEN from which play went on, when it is not the position as moved
    verdict text not null,          -- with this and all decisions before it
    report text not null
) strict;
create index game_override_of_game on game_override (game_id);

create trigger game_override_once before insert on game_override
when exists (select 1 from game_override where leaf = new.leaf)
begin select raise(abort, 'a decision is recorded once'); end;
create trigger game_override_no_update before update on game_override
begin select raise(abort, 'decisions are append-only'); end;
create trigger game_override_no_delete before delete on game_override
begin select raise(abort, 'decisions are append-only'); end;

-- Arbiters' free texts, kept off the log and bound to it by a salted hash.
create table note (
    leaf integer primary key references leaf (idx), -- the note entry
    about integer not null references leaf (idx),
    salt text not null,
    text text not null
) strict;

create table token (
    id text primary key,
    tournament_id text references tournament (id), -- null: the operator's
    role text not null,
    label text not null,
    board integer,
    hash blob not null unique check (length(hash) = 32), -- SHA-256 of the token
    created_at integer not null,
    revoked_at integer
) strict;
