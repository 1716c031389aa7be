use super::*;
use crate::domain::derivation::{EntropyLine, Master, Repeats, Slot, Terms, commitment, number, seed};
use jiff::Timestamp;

fn tournament(n: usize) -> TournamentId {
    TournamentId::new(Timestamp::UNIX_EPOCH, (n as u128).to_be_bytes()[6..].try_into().unwrap())
}

fn position(n: usize) -> PositionNumber {
    PositionNumber::try_from(n as u16).unwrap()
}

fn drawn(tournament: TournamentId, n: usize) -> Drawn {
    Drawn { tournament, number: position(n), skipped: NumberSet::new(), grade: Grade::C, procedure: None }
}

/// Draws of a fair server by the real derivation: so many tournaments of so many rounds.
fn fair(server: u8, tournaments: usize, rounds: u16, excluded: &NumberSet, repeats: Repeats) -> Vec<Drawn> {
    let terms = Terms { sources: vec![Source::None], excluded: excluded.clone(), repeats };
    let mut all = Vec::new();
    for t in 0..tournaments {
        let master = Master::from_bytes(std::array::from_fn(|i| [server, t as u8, 0][i % 3]));
        let mut used = NumberSet::new();
        for round in 1..=rounds {
            let slot = Slot { origin: "draw960.test/0".into(), event: "fair-open".into(), round, board: 0, attempt: 1 };
            let secret = master.slot_secret(&slot);
            let seed = seed(&slot, &terms, &commitment(&slot, &terms, &secret), &[EntropyLine::None], &secret);
            let number = number(&seed, excluded, &used).unwrap().number;
            let skipped = excluded.union(&used);
            all.push(Drawn { number, skipped, ..drawn(tournament(t), 0) });
            if repeats == Repeats::Never {
                used.insert(number);
            }
        }
    }
    all
}

/// A fair server on which `again` draws a second time.
fn rigged(draws: u16, again: impl Fn(&[Drawn], usize) -> bool) -> Vec<Drawn> {
    let (first, second) = (
        fair(7, 1, draws, &NumberSet::new(), Repeats::Allowed),
        fair(8, 1, draws, &NumberSet::new(), Repeats::Allowed),
    );
    let mut all: Vec<Drawn> = Vec::new();
    for (one, other) in first.into_iter().zip(second) {
        let pleases = !again(&all, usize::from(one.number.get()));
        all.push(if pleases { one } else { Drawn { tournament: one.tournament, ..other } });
    }
    all
}

fn figure<'a>(statistics: &'a Statistics, name: &str) -> &'a Figure {
    statistics.figures.iter().find(|figure| figure.name == name).unwrap_or_else(|| panic!("no figure {name}"))
}

#[test]
fn a_few_draws_are_too_little_to_tell() {
    for n in [0, 1, 2, 29] {
        let few: Vec<Drawn> = (0..n).map(|i| drawn(tournament(0), i * 31)).collect();
        let said = statistics(&few);
        assert_eq!(said.verdict, Verdict::TooLittleToTell, "{n}");
        assert!(said.sentence.starts_with("too little to tell"));
        assert_eq!(said.never_drawn, if n == 0 { 0 } else { 960 - n });
    }
    // A club's first pair of equal numbers within its first tournament is no alarm.
    let pair = statistics(&[drawn(tournament(0), 518), drawn(tournament(0), 518)]);
    assert_eq!(pair.verdict, Verdict::TooLittleToTell);
    // Six times the same number is, however few the draws.
    let same = statistics(&vec![drawn(tournament(0), 518); 6]);
    assert_eq!(same.verdict, Verdict::NotExplained);
}

/// Two tournaments, three numbers allowed, the second without repeats: every expectation is a fraction.
#[test]
fn a_small_case_by_hand() {
    let three: NumberSet = (3..960).map(position).collect();
    let (a, b) = (tournament(1), tournament(2));
    let draw = |tournament, n, used: &[usize]| {
        let used: NumberSet = used.iter().copied().map(position).collect();
        Drawn { skipped: three.union(&used), ..drawn(tournament, n) }
    };
    let said = statistics(&[draw(a, 0, &[]), draw(a, 0, &[]), draw(b, 0, &[]), draw(b, 2, &[0])]);
    let repeats = figure(&said, "repeats");
    // 0; then 1/3; then 2/3; then, of the numbers 1 and 2, none.
    assert_eq!((repeats.observed, repeats.expected), (3.0, 1.0 / 3.0 + 2.0 / 3.0));
    let within = figure(&said, "repeats within a tournament");
    assert_eq!((within.observed, within.expected), (1.0, 1.0 / 3.0));
    assert_eq!(said.numbers[..4].iter().map(|n| n.drawn).collect::<Vec<_>>(), [3, 0, 1, 0]);
    let expected: Vec<f64> = said.numbers[..4].iter().map(|n| (n.expected * 6.0).round()).collect();
    assert_eq!(expected, [6.0, 9.0, 9.0, 0.0]);
    // Of three, more than three different ones would be new on the average of such a day: 1, 2/3, 2/3, 1.
    assert_eq!((said.never_drawn, said.never_drawn_expected), (1, 0.0));
    let most = figure(&said, "the most frequent number");
    assert_eq!((most.observed, most.note.as_str()), (3.0, "number 0"));
    assert!(said.figures.iter().all(|figure| !figure.name.starts_with("by ")), "four draws fill no cells");
}

#[test]
fn draws_by_hand_are_counted_and_shown_apart() {
    let by_hand =
        |n, procedure: &str| Drawn { grade: Grade::M, procedure: Some(procedure.into()), ..drawn(tournament(0), n) };
    let said = statistics(&[by_hand(1, "d6"), by_hand(1, "d6"), by_hand(2, "coin10"), drawn(tournament(0), 3)]);
    let line = |procedure: &str, draws, numbers| ByHand { procedure: procedure.into(), draws, numbers };
    assert_eq!(said.by_hand, [line("coin10", 1, 1), line("d6", 2, 1)]);
    assert_eq!(said.grades, BTreeMap::from([("C".into(), 1), ("M".into(), 3)]));
    assert_eq!((said.draws, figure(&said, "repeats").observed), (4, 1.0));
}

/// Servers of every size and policy, with fixed masters, by the real derivation.
#[test]
fn fair_servers_stay_quiet() {
    let classical = NumberSet::from_iter([PositionNumber::CLASSICAL]);
    let pool: NumberSet = (20..960).map(position).collect();
    for server in 0..3 {
        for (tournaments, rounds, excluded, repeats) in [
            (5, 9, &NumberSet::new(), Repeats::Allowed),
            (60, 9, &classical, Repeats::Never),
            (1, 600, &NumberSet::new(), Repeats::Never),
            (40, 11, &pool, Repeats::Never),
            (40, 11, &pool, Repeats::Allowed),
        ] {
            let said = statistics(&fair(server, tournaments, rounds, excluded, repeats));
            assert_eq!(said.verdict, Verdict::AsChance, "{server} {tournaments} {rounds}\n{said}");
        }
    }
    let said = statistics(&fair(9, 2, 2500, &NumberSet::new(), Repeats::Allowed));
    assert_eq!(said.verdict, Verdict::AsChance, "{said}");
    assert!(figure(&said, "every number").note.contains("960 cells"));
}

/// Where numbers must not repeat, that none does is no news; the same numbers without the rule would be.
#[test]
fn the_rule_against_repeats_is_not_suspicious() {
    let never = fair(3, 1, 600, &NumberSet::new(), Repeats::Never);
    let said = statistics(&never);
    assert_eq!(figure(&said, "repeats").share, None, "{said}");
    let without = never.into_iter().map(|draw| Drawn { skipped: NumberSet::new(), ..draw });
    let said = statistics(&without.collect::<Vec<_>>());
    assert_eq!(said.verdict, Verdict::NotExplained, "{said}");
}

#[test]
fn planted_biases_are_told() {
    let worst = |statistics: &Statistics| {
        let share = |figure: &&Figure| figure.share.unwrap_or(1.0);
        statistics.figures.iter().min_by(|a, b| share(a).total_cmp(&share(b))).unwrap().name
    };
    // Repeats drawn again, once.
    let shy = statistics(&rigged(1200, |before, n| before.iter().any(|draw| draw.number == position(n))));
    assert_eq!((shy.verdict, worst(&shy)), (Verdict::NotExplained, "repeats"), "{shy}");
    // Drawn again while the king stands on b1 or g1.
    let king = |n: usize| super::super::start_position::StartPosition::from_number(position(n)).king_file();
    let pleasing = statistics(&rigged(1200, |_, n| [1, 6].contains(&king(n))));
    assert_eq!((pleasing.verdict, worst(&pleasing)), (Verdict::NotExplained, "by the king's square"), "{pleasing}");
    // One number three times as often: two draws more in 240, of 240 numbers.
    let few: NumberSet = (240..960).map(position).collect();
    let mut all = fair(5, 1, 4500, &few, Repeats::Allowed);
    all.iter_mut().step_by(120).for_each(|draw| draw.number = position(118));
    let loved = statistics(&all);
    assert_eq!((loved.verdict, worst(&loved)), (Verdict::NotExplained, "the most frequent number"), "{loved}");
}

#[test]
fn it_fits_a_screen() {
    let mut all = fair(5, 5, 9, &NumberSet::new(), Repeats::Allowed);
    all[0] = Drawn { grade: Grade::M, procedure: Some("d6".into()), ..all[0].clone() };
    insta::assert_snapshot!(statistics(&all), @r"
    45 draws released in 5 tournaments, rehearsals left out
    44 of grade C, 1 of grade M
    by hand with d6: 1 draw, 1 different number

                                            is   average  fair servers as far off or as uneven
    repeats                                  0       1.0  70 of 100              pairs of draws that gave the same number
    repeats within a tournament              0       0.2  100 of 100             pairs of draws that gave the same number
    the most frequent number                 1       1.7  100 of 100             no number came up twice
    by the king's square                   4.5       5.0  48 of 100              chi-square over 6 cells
    numbers never drawn                    915     916.0

    as chance would have it

    Whoever looks again and again, and at several figures, will now and then see something unusual. Statistics prove
    nothing about a single draw: draw960 verify does.
    ");
}
