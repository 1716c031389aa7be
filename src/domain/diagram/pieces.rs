//! The six shapes, drawn for this program, each in a square of 100 by 100.
//!
//! Outlines take fill and stroke from the group they are used in, and inner lines its text colour, so that one shape
//! serves both colours.

/// A kind of piece: the letter of a FEN, its outline and its inner lines.
pub struct Shape {
    /// Lower-case English letter.
    pub letter: char,
    /// Closed paths.
    pub outline: &'static str,
    /// Lines within.
    pub lines: &'static str,
}

/// All six.
pub const SHAPES: [Shape; 6] = [PAWN, ROOK, KNIGHT, BISHOP, QUEEN, KING];

const PAWN: Shape = Shape {
    letter: 'p',
    outline: "M50 22a13 13 0 0 1 9 22.4h4.5a3.3 3.3 0 0 1 0 6.6H58c1 12 6 18 13 24 4 3 6 6 6 13H23 \
        c0-7 2-10 6-13 7-6 12-12 13-24h-5.5a3.3 3.3 0 0 1 0-6.6H41A13 13 0 0 1 50 22z",
    lines: "M33 77h34",
};

const ROOK: Shape = Shape {
    letter: 'r',
    outline: "M25 20h12v8h8v-8h10v8h8v-8h12v18l-9 8v22l6 7c5 1 8 4 8 8v5H20v-5c0-4 3-7 8-8l6-7V46l-9-8z",
    lines: "M35 46h30M35 68h30",
};

const KNIGHT: Shape = Shape {
    letter: 'n',
    outline: "M52 11c0 4 2 7 5 8 17 6 24 24 24 69H27c0-19 8-27 19-36-5 1-9 3-12 6-3 4-6 7-10 5l-3 1 \
        c-4-1-7-6-6-11 4-8 9-13 11-21 2-7 8-11 15-13 5-2 9-4 11-8z",
    lines: "M38.5 33.5a1 1 0 1 0 2 0a1 1 0 1 0-2 0zM24 56l2-1M61 31c7 9 9.5 22 9 40",
};

const BISHOP: Shape = Shape {
    letter: 'b',
    outline: "M50 9a5.5 5.5 0 0 1 3.7 9.6C64 26 70 36 70 46c0 8-4 13-9 16l3 9c9 1 14 3 17 7 2 3 3 6 3 10H16 \
        c0-4 1-7 3-10 3-4 8-6 17-7l3-9c-5-3-9-8-9-16 0-10 6-20 16.3-27.4A5.5 5.5 0 0 1 50 9z",
    lines: "M50 31v17M41.5 39.5h17M38 62h24M36 71.5h28",
};

const QUEEN: Shape = Shape {
    letter: 'q',
    outline: "M16 37l16 19 0-28 12 25 6-29 6 29 12-25 0 28 16-19-8 33c3 4 4 6 4 10v8H20v-8c0-4 1-6 4-10z \
        M8 32a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0zM26.5 22a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z \
        M44.5 18a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0zM62.5 22a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z \
        M81 32a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z",
    lines: "M26 68q24-7 48 0M24 78q26-4 52 0",
};

const KING: Shape = Shape {
    letter: 'k',
    outline: "M50 48c6-6 7-13 0-21-7 8-6 15 0 21zM46.5 8h7v6.5H60v7h-6.5V29h-7v-7.5H40v-7h6.5zM50 47 \
        c2-7 9-13 19-13 11 0 18 8 18 17 0 8-6 13-11 18 2 3 3 6 3 10v9H21v-9 \
        c0-4 1-7 3-10-5-5-11-10-11-18 0-9 7-17 18-17 10 0 17 6 19 13z",
    lines: "M50 48v17M26 69q24-7 48 0M23 78.5q27-4 54 0",
};
