//! The format: what is written is read, and nothing else is.

use super::*;
use zeroize::Zeroizing;

/// As little as Argon2 allows: the tests are about the format.
const CHEAP: Costs = Costs { memory: 8, passes: 1, lanes: 1 };

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(Zeroizing::new(text.into())).unwrap()
}

fn key() -> CustodyKey {
    CustodyKey::derive(&passphrase("correct horse battery"), CHEAP, [7; 16]).unwrap()
}

fn open_line(line: &str, text: &str) -> Result<Header, BadCustody> {
    let header: Header = line.parse()?;
    CustodyKey::of(&header, &passphrase(text)).map(|_| header)
}

#[test]
fn the_first_line_has_one_spelling() {
    let header = key().header([9; 19]);
    let line = header.to_string();
    assert!(line.starts_with("draw960-custody/v1 argon2id m=8 t=1 p=1 salt=07070707"), "{line}");
    assert!(line.len() <= LONGEST_LINE && line.ends_with("09\n"), "{line}");
    assert_eq!(line.parse(), Ok(header));
    for (from, to, why) in [
        ("draw960-custody/v1", "draw960-custody/v2", BadCustody::OtherVersion),
        ("draw960-custody/v1", "draw960-custody/v10", BadCustody::OtherVersion),
        ("draw960-custody/v1", "age-encryption.org/v1", BadCustody::NotOne),
        ("argon2id", "argon2i", BadCustody::Header),
        ("m=8", "m=08", BadCustody::Header),
        ("m=8", "m=+8", BadCustody::Header),
        ("m=8", "m=99999999999", BadCustody::Header),
        ("m=8 t=1", "t=1 m=8", BadCustody::Header),
        ("salt=0", "salt=", BadCustody::Header),
        ("\n", "", BadCustody::Header),
        ("\n", " \n", BadCustody::Header),
        ("\n", "\r\n", BadCustody::Header),
        (" t=", "  t=", BadCustody::Header),
    ] {
        assert_eq!(line.replace(from, to).parse::<Header>(), Err(why), "{to:?}");
    }
}

/// A hostile file costs neither gigabytes nor hours: it is refused before anything is tried.
#[test]
fn costs_are_bounded_before_they_are_paid() {
    let line = key().header([9; 19]).to_string();
    let with = |costs: &str| line.replace("m=8 t=1 p=1", costs).parse::<Header>().map(|header| header.costs);
    assert_eq!(with("m=65536 t=3 p=4"), Ok(Costs::RECOMMENDED));
    assert_eq!(with("m=262144 t=16 p=16").map(|costs| costs.memory), Ok(262_144));
    for costs in ["m=262145 t=3 p=4", "m=4294967295 t=3 p=4", "m=65536 t=17 p=4", "m=65536 t=0 p=4", "m=65536 t=3 p=17"]
    {
        assert_eq!(with(costs), Err(BadCustody::Costs), "{costs}");
    }
    for costs in ["m=65536 t=3 p=0", "m=31 t=3 p=4", "m=0 t=1 p=1"] {
        assert_eq!(with(costs), Err(BadCustody::Costs), "{costs}");
    }
    let beyond = Costs { memory: 1 << 30, passes: 1, lanes: 1 };
    assert_eq!(
        CustodyKey::derive(&passphrase("correct horse battery"), beyond, [0; 16]).unwrap_err(),
        BadCustody::Costs
    );
}

#[test]
fn a_passphrase_can_be_typed_again_from_paper() {
    for (text, why) in [
        ("", BadCustody::ShortPassphrase),
        ("elevenchars", BadCustody::ShortPassphrase),
        ("ąčęėįšųūžąč", BadCustody::ShortPassphrase),
        (" twelve chars", BadCustody::OddPassphrase),
        ("twelve chars ", BadCustody::OddPassphrase),
        ("twelve\nchars", BadCustody::OddPassphrase),
        ("twelve chars\n", BadCustody::OddPassphrase),
    ] {
        assert_eq!(Passphrase::new(Zeroizing::new(text.into())).unwrap_err(), why, "{text:?}");
    }
    assert!(passphrase("twelve chars").is(&passphrase("twelve chars")));
    assert!(!passphrase("twelve chars").is(&passphrase("twelve chars!")));
    assert!(!format!("{:?} {:?}", passphrase("twelve chars"), key()).contains("twelve"));
}

#[test]
fn a_wrong_passphrase_is_told_from_a_damaged_line() {
    let line = key().header([9; 19]).to_string();
    assert!(open_line(&line, "correct horse battery").is_ok());
    assert_eq!(open_line(&line, "correct horse buttery"), Err(BadCustody::WrongPassphrase));
    // The nonce is no part of the check; the chunks fail then.
    let other = line.replace("nonce=09", "nonce=08");
    let header = open_line(&other, "correct horse battery").unwrap();
    let sealed = Sealer::new(&key(), &key().header([9; 19])).seal(b"chunk", true).unwrap();
    assert_eq!(Opener::new(&key(), &header).open(&sealed, true).unwrap_err(), BadCustody::Damaged(0));
}

/// Line and chunks as another implementation makes them: Python's `cryptography` for Argon2id, HKDF and ChaCha20-Poly1305, and
/// HChaCha20 by hand.
#[test]
fn the_bytes_are_those_of_a_second_opinion() {
    let (header, chunks) = sealed(&[b"first", b"second"]);
    assert_eq!(
        header.to_string(),
        "draw960-custody/v1 argon2id m=8 t=1 p=1 salt=07070707070707070707070707070707 \
         check=c2fa99959e4f3bc66c762637e5572a8b nonce=09090909090909090909090909090909090909\n"
    );
    let hex: Vec<_> = chunks.iter().map(|chunk| crate::domain::hex::encode(chunk)).collect();
    assert_eq!(hex, ["f6dd5000241d0c30bb63d71826bdbe7b78606c8884", "28c6a337c8e4abf19f0ee782dacccedccb4959bad1ec"]);
}

fn sealed(chunks: &[&[u8]]) -> (Header, Vec<Vec<u8>>) {
    let header = key().header([9; 19]);
    let mut sealer = Sealer::new(&key(), &header);
    let last = chunks.len() - 1;
    let sealed = chunks.iter().enumerate().map(|(i, chunk)| sealer.seal(chunk, i == last).unwrap()).collect();
    (header, sealed)
}

fn opened(header: &Header, chunks: &[&Vec<u8>]) -> Result<Vec<u8>, BadCustody> {
    let mut opener = Opener::new(&key(), header);
    let last = chunks.len() - 1;
    let parts: Result<Vec<_>, _> = chunks.iter().enumerate().map(|(i, chunk)| opener.open(chunk, i == last)).collect();
    Ok(parts?.iter().flat_map(|part| part.to_vec()).collect())
}

#[test]
fn chunks_are_read_in_their_order_and_all_of_them() {
    let (header, chunks) = sealed(&[b"first", b"second", b"third"]);
    let [a, b, c] = [&chunks[0], &chunks[1], &chunks[2]];
    assert_eq!(opened(&header, &[a, b, c]).unwrap(), b"firstsecondthird");
    assert_eq!(opened(&header, &[a, b]), Err(BadCustody::Cut(2)));
    assert_eq!(opened(&header, &[a]), Err(BadCustody::Cut(1)));
    assert_eq!(opened(&header, &[b, a, c]), Err(BadCustody::Damaged(0)));
    assert_eq!(opened(&header, &[a, c]), Err(BadCustody::Damaged(1)));
    assert_eq!(opened(&header, &[a, a, c]), Err(BadCustody::Damaged(1)));
    assert_eq!(opened(&header, &[a, b, c, c]), Err(BadCustody::Damaged(2)), "nothing follows the last");
    assert_eq!(opened(&header, &[&Vec::new()]), Err(BadCustody::Damaged(0)));
    let other = key().header([8; 19]);
    assert_eq!(opened(&other, &[a, b, c]), Err(BadCustody::Damaged(0)), "the first line of another file");
}

#[test]
fn the_contents_are_split_where_they_were_joined() {
    let contents = Contents { key: Zeroizing::new([5; 32]), checkpoint: "a\n3\nb\n\n— a c\n".into() };
    let mut bytes = contents.bytes().unwrap();
    bytes.extend_from_slice(b"SQLite format 3");
    assert_eq!(Contents::split(&bytes).unwrap(), (contents.clone(), &b"SQLite format 3"[..]));
    for cut in [0, 31, 32, 35, 36, 40] {
        assert_eq!(Contents::split(&bytes[..cut]).unwrap_err(), BadCustody::Contents, "{cut}");
    }
    let long = Contents { checkpoint: "x".repeat(40_000), ..contents };
    assert_eq!(long.bytes().unwrap_err(), BadCustody::Contents);
}
