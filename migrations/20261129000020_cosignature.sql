-- What witnesses said: each line cosigns the checkpoint over the first `size` entries. Signatures prove themselves, so a
-- lost row only makes a draw look less witnessed than it was.
create table cosignature (
    size integer not null,
    witness text not null,          -- key of the witness
    line text not null,             -- signature line of the note, with the witness's time in it
    primary key (size, witness)
) strict;
