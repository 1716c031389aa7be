-- Every void asks for the rounds with games in the log, and every draw for the exports of its tournament: neither may look
-- through all that the log has of it.
create index leaf_subject_of_kind on leaf_subject (tournament_id, kind, round);
