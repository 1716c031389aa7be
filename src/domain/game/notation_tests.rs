use super::*;

fn en(word: &str) -> Result<Written, NotAMove> {
    read(word.as_bytes(), &Language::ENGLISH)
}

fn piece(word: &str) -> PieceMove {
    match en(word).unwrap_or_else(|e| panic!("{word}: {e:?}")).said {
        Said::Piece(piece) => piece,
        other => panic!("{word}: {other:?}"),
    }
}

#[test]
fn the_quick_way_and_the_thorough_way_agree() {
    for word in ["e4", "exd5", "e8=Q", "exd8=N+", "Nf3", "Nbd2", "N1f3", "Nbxd2#", "Qxe5+!?", "O-O", "O-O-O+", "Kg1??"]
    {
        let quick = read_canonical(word.as_bytes()).unwrap();
        let thorough = read_liberally(word.as_bytes(), &Language::ENGLISH).unwrap();
        assert_eq!(quick, thorough, "{word}");
    }
}

#[test]
fn castling_in_many_spellings() {
    for word in ["O-O", "0-0", "o-o", "O–O", "О-О", "0-0!?", "0−0+", "O-0"] {
        assert_eq!(en(word).unwrap().said, Said::Castle(CastlingSide::KingSide), "{word}");
    }
    for word in ["O-O-O", "0-0-0#", "o-o-o", "О–О–О"] {
        assert_eq!(en(word).unwrap().said, Said::Castle(CastlingSide::QueenSide), "{word}");
    }
    for word in ["OO", "000", "O-OO-O", "O-O-O-O", "0-0-", "OOO"] {
        assert_eq!(en(word), Err(NotAMove::NearlyCastling), "{word}");
    }
}

#[test]
fn harmless_liberties_are_read_and_remembered() {
    assert_eq!(piece("e8Q").promotion, Some(Role::Queen));
    assert_eq!(piece("hxg8(N)").promotion, Some(Role::Knight));
    assert_eq!(piece("e8=q").promotion, Some(Role::Queen));
    assert!(en("e8Q").unwrap().liberties.has(Liberties::PROMOTION));
    assert_eq!(piece("ed5").file, Some(File::E));
    assert!(piece("N:f3").capture);
    assert_eq!(piece("Ng1-f3"), PieceMove { capture: false, ..piece("Ng1f3") });
    assert_eq!(piece("exd6e.p.").to, Square::D6);
    assert!(en("exd6ep").unwrap().liberties.has(Liberties::EN_PASSANT));
    assert_eq!(piece("Pe4").role, Role::Pawn);
    assert_eq!(en("Qh7++").unwrap().mark, Mark::Double);
    assert_eq!(piece("Nf3=").to, Square::F3);
    let squares = |from, to, promotion| Said::Squares { from, to, promotion };
    assert_eq!(en("e2e4").unwrap().said, squares(Square::E2, Square::E4, None));
    assert_eq!(en("e2-e4").unwrap().said, squares(Square::E2, Square::E4, None));
    assert_eq!(en("e7e8q").unwrap().said, squares(Square::E7, Square::E8, Some(Role::Queen)));
    assert_eq!(en("e7xd8=Q+").unwrap().said, squares(Square::E7, Square::D8, Some(Role::Queen)));
}

#[test]
fn dangerous_liberties_are_refused() {
    for word in [
        "nf3", "Nf", "f", "ed", "xd5", "Nf9", "Ni3", "e4=K", "e8=P", "Nf3=Q", "Nf3x", "-e4", "N-f3-g5", "Nxab6",
        "e4e5e6",
    ] {
        assert!(en(word).is_err(), "{word}: {:?}", en(word));
    }
    assert_eq!(piece("bc4").role, Role::Pawn);
    assert_eq!(en("Z0").unwrap().said, Said::Null);
    assert_eq!(en("--").unwrap().said, Said::Null);
}

#[test]
fn scripts_are_not_mixed() {
    assert_eq!(en("Кf3"), Err(NotAMove::WrongScript('К', 'K')));
    assert_eq!(en("Nс3"), Err(NotAMove::WrongScript('с', 'c')));
    let ru: Language = "ru".parse().unwrap();
    assert_eq!(read("Kf3".as_bytes(), &ru), Err(NotAMove::WrongScript('K', 'К')));
    let Said::Piece(knight) = read("Кf3".as_bytes(), &ru).unwrap().said else { panic!() };
    assert_eq!(knight.role, Role::Knight);
    let Said::Piece(king) = read("Крf2".as_bytes(), &ru).unwrap().said else { panic!() };
    assert_eq!(king.role, Role::King);
    let Said::Piece(pawn) = read("e8Ф".as_bytes(), &ru).unwrap().said else { panic!() };
    assert_eq!(pawn.promotion, Some(Role::Queen));
}

#[test]
fn uci_is_strict() {
    assert!(read_uci(b"e2e4").is_ok());
    assert!(read_uci(b"e7e8Q").is_ok());
    for word in ["e2", "e2e9", "e2-e4", "e7e8k5", "O-O", "e2e4 ", "Ngf3"] {
        assert!(read_uci(word.as_bytes()).is_err(), "{word}");
    }
    assert_eq!(read_uci(b"0000").unwrap().said, Said::Null);
}
