-- Keys of the log that have handed over: what the old key said about its heir. The old private key is kept nowhere.
create table succession (
    leaf integer primary key references leaf (idx), -- the entry that tells of it: `key` or `restored`
    old_key text not null,          -- as people pin it
    note text not null,             -- signed by both
    skipped integer not null        -- restored: attempts up to this number are not used any more; 0 for a change of key
) strict;

create trigger succession_once before insert on succession
when exists (select 1 from succession where leaf >= new.leaf)
begin select raise(abort, 'keys of the log only follow one another'); end;
create trigger succession_no_update before update on succession
begin select raise(abort, 'successions are append-only'); end;
create trigger succession_no_delete before delete on succession
begin select raise(abort, 'successions are append-only'); end;

-- Cosigned checkpoints of a former name of the log: its key cannot sign them again.
create table former_checkpoint (
    size integer primary key,
    note text not null
) strict;

-- Tournaments that a bundle told of and whose master is lost: their slugs stay taken.
create table lost_tournament (
    slug text primary key,
    leaf integer not null references leaf (idx)
) strict;
