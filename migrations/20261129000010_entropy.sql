-- Dice as they were posted, right or wrong: the throw belongs to a round and serves all its slots. Never updated, never
-- deleted.
create table dice_post (
    leaf integer primary key references leaf (idx),
    tournament_id text not null references tournament (id),
    round integer not null,
    posted_at integer not null,
    posted_by text not null,
    digits text not null check (length(digits) = 20)
) strict;
create index dice_post_of_round on dice_post (tournament_id, round);

create trigger dice_post_once before insert on dice_post
when exists (select 1 from dice_post where leaf = new.leaf)
begin select raise(abort, 'a post of dice is recorded once'); end;
create trigger dice_post_no_update before update on dice_post
begin select raise(abort, 'posts of dice are append-only'); end;
create trigger dice_post_no_delete before delete on dice_post
begin select raise(abort, 'posts of dice are append-only'); end;

-- What answered the sources of a draw. A draw with other sources than none is ready from this row on.
create table draw_entropy (
    draw_id text primary key references draw (id),
    arrived_at integer not null,
    lines text not null,            -- JSON array of entropy lines
    leaf integer not null references leaf (idx)
) strict;

create trigger draw_entropy_once before insert on draw_entropy
when exists (select 1 from draw_entropy where draw_id = new.draw_id)
    or exists (select 1 from draw_release where draw_id = new.draw_id)
begin select raise(abort, 'entropy arrives once, and not after a release'); end;
create trigger draw_entropy_no_update before update on draw_entropy
begin select raise(abort, 'entropy is append-only'); end;
create trigger draw_entropy_no_delete before delete on draw_entropy
begin select raise(abort, 'entropy is append-only'); end;

-- Throws of draws by hand, sealed with the key file until they are released. Never updated, never deleted.
create table draw_throw (
    draw_id text not null references draw (id),
    seq integer not null,           -- post, from 0
    posted_at integer not null,
    posted_by text not null,
    sealed blob not null,           -- comma list of the throws of this post
    primary key (draw_id, seq)
) strict;

create trigger draw_throw_next before insert on draw_throw
when new.seq is not (select coalesce(max(seq) + 1, 0) from draw_throw where draw_id = new.draw_id)
begin select raise(abort, 'throws are only added'); end;
create trigger draw_throw_no_update before update on draw_throw
begin select raise(abort, 'throws are append-only'); end;
create trigger draw_throw_no_delete before delete on draw_throw
begin select raise(abort, 'throws are append-only'); end;

-- When a draw recorded afterwards was made by hand, the server being down.
create table draw_performed (
    draw_id text primary key references draw (id),
    performed_at integer not null
) strict;

create trigger draw_performed_once before insert on draw_performed
when exists (select 1 from draw_performed where draw_id = new.draw_id)
begin select raise(abort, 'when a draw was made is recorded once'); end;
create trigger draw_performed_no_update before update on draw_performed
begin select raise(abort, 'when a draw was made is append-only'); end;
create trigger draw_performed_no_delete before delete on draw_performed
begin select raise(abort, 'when a draw was made is append-only'); end;

-- What a voided draw would have given, once its beacon is known. Never updated, never deleted.
create table draw_abandoned (
    draw_id text primary key references draw_void (draw_id),
    number integer not null check (number between 0 and 959)
) strict;

create trigger draw_abandoned_once before insert on draw_abandoned
when exists (select 1 from draw_abandoned where draw_id = new.draw_id)
begin select raise(abort, 'an abandoned number is recorded once'); end;
create trigger draw_abandoned_no_update before update on draw_abandoned
begin select raise(abort, 'abandoned numbers are append-only'); end;
create trigger draw_abandoned_no_delete before delete on draw_abandoned
begin select raise(abort, 'abandoned numbers are append-only'); end;

-- What a draw by hand reveals at its release.
alter table draw_release add column throws text;
