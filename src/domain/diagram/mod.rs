//! A start position as a picture: one self-contained SVG, the same for screens and paper.
//!
//! It says in words what it shows. Pieces, and the edge of the board, stand out from the squares by more than 3:1.

mod pieces;

use super::start_position::StartPosition;
use pieces::SHAPES;
use std::fmt::Write;

/// Side of a square.
const SQUARE: usize = 60;
/// Left and upper edge of the board.
const LEFT: usize = 34;
const TOP: usize = 14;
const BOARD: usize = 8 * SQUARE;
const WIDTH: usize = LEFT + BOARD + 14;
/// With number and back rank, and the caption below them.
const HEIGHT: usize = TOP + BOARD + 108;
/// What a caption takes.
const CAPTION: usize = 25;
/// Most letters of the caption that fit under the board.
const FITS: usize = 60;

const INK: &str = "#20252b";
const LIGHT: &str = "#f1ede3";
const DARK: &str = "#9db2bf";
const WHITE: &str = "fill=\"#fff\" color=\"#20252b\"";
const BLACK: &str = "fill=\"#20252b\" color=\"#f4f1ea\"";

/// The board from White's side, as SVG, over number, back rank and `caption`: what the position is for, or nothing.
pub fn svg(start: &StartPosition, caption: &str) -> String {
    let mut svg = String::with_capacity(8 << 10);
    let height = if caption.is_empty() { HEIGHT - CAPTION } else { HEIGHT };
    head(&mut svg, start, height, &title(start, caption));
    shapes(&mut svg);
    board(&mut svg, height);
    captions(&mut svg, start, caption);
    let rank = start.rank().to_ascii_lowercase();
    for (row, letters, colour) in [(0, rank.as_str(), BLACK), (1, PAWNS, BLACK), (6, PAWNS, WHITE), (7, &rank, WHITE)] {
        pieces_on(&mut svg, row, letters, colour);
    }
    svg.push_str("</svg>\n");
    svg
}

const PAWNS: &str = "pppppppp";

/// What screen readers read out, and browsers show on the tab: all in one line.
fn title(start: &StartPosition, caption: &str) -> String {
    let (number, rank) = (start.number(), start.rank());
    if caption.is_empty() {
        format!("Position {number} {rank}")
    } else {
        format!("{caption}: position {number} {rank}")
    }
}

fn head(svg: &mut String, start: &StartPosition, height: usize, title: &str) {
    // Named by number, so that two diagrams in one page keep their own words.
    let number = start.number();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-labelledby=\"d960-t{number} d960-d{number}\">\n\
         <title id=\"d960-t{number}\">{}</title>\n<desc id=\"d960-d{number}\">{}</desc>",
        escaped(title),
        in_words(start),
    );
}

/// The back rank for those who do not see it: `a1 rook, b1 knight, …`.
pub fn in_words(start: &StartPosition) -> String {
    let name = |letter| match letter {
        'K' => "king",
        'Q' => "queen",
        'R' => "rook",
        'B' => "bishop",
        _ => "knight",
    };
    let squares: Vec<_> =
        ('a'..='h').zip(start.rank().chars()).map(|(f, piece)| format!("{f}1 {}", name(piece))).collect();
    format!(
        "White: {}. Black's pieces stand opposite on the eighth rank; pawns on the second and seventh.",
        squares.join(", ")
    )
}

fn shapes(svg: &mut String) {
    svg.push_str("<defs>\n");
    for shape in &SHAPES {
        let _ = writeln!(
            svg,
            "<g id=\"d960-{}\"><path d=\"{}\"/><path d=\"{}\" fill=\"none\" stroke=\"currentColor\"/></g>",
            shape.letter, shape.outline, shape.lines
        );
    }
    svg.push_str("</defs>\n");
}

fn board(svg: &mut String, height: usize) {
    let _ = write!(
        svg,
        "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" \
         fill=\"{LIGHT}\" stroke=\"{INK}\" stroke-width=\"4\"/>\n<path fill=\"{DARK}\" d=\"",
        LEFT - 2,
        TOP - 2,
        BOARD + 4,
        BOARD + 4
    );
    for (row, column) in (0..64).map(|square| (square / 8, square % 8)).filter(|(row, column)| (row + column) % 2 == 1)
    {
        let _ = write!(svg, "M{} {}h{SQUARE}v{SQUARE}h-{SQUARE}z", LEFT + column * SQUARE, TOP + row * SQUARE);
    }
    svg.push_str("\"/>\n");
}

fn captions(svg: &mut String, start: &StartPosition, caption: &str) {
    let below = TOP + BOARD;
    let _ = writeln!(
        svg,
        "<g font-family=\"system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif\" fill=\"{INK}\" \
         font-size=\"20\" aria-hidden=\"true\">\n<g text-anchor=\"middle\">"
    );
    for (i, file) in ('a'..='h').enumerate() {
        let middle = i * SQUARE + SQUARE / 2;
        let _ = write!(svg, "<text x=\"{}\" y=\"{}\">{file}</text>", LEFT + middle, below + 25);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{}</text>", LEFT / 2 - 1, TOP + middle + 7, 8 - i);
    }
    let _ = writeln!(
        svg,
        "</g>\n<text x=\"{LEFT}\" y=\"{}\" font-size=\"40\" font-weight=\"700\">{}</text>\n\
         <text x=\"{}\" y=\"{}\" font-size=\"36\" letter-spacing=\"5\" text-anchor=\"end\">{}</text>\n\
         <text x=\"{LEFT}\" y=\"{}\" font-size=\"15\">{}</text>\n</g>",
        below + 68,
        start.number(),
        // The spacing also follows the last letter.
        LEFT + BOARD + 5,
        below + 68,
        start.rank(),
        below + 95,
        escaped(&fitting(caption)),
    );
}

/// A caption that is too long loses its middle: the end says which round it is, and whether it is a rehearsal.
fn fitting(caption: &str) -> String {
    let letters: Vec<char> = caption.chars().collect();
    if letters.len() <= FITS {
        return caption.to_owned();
    }
    let (begin, end) = (&letters[..8], &letters[letters.len() - (FITS - 9)..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

fn pieces_on(svg: &mut String, row: usize, letters: &str, colour: &str) {
    let _ = writeln!(
        svg,
        "<g {colour} stroke=\"{INK}\" stroke-width=\"3.2\" stroke-linejoin=\"round\" stroke-linecap=\"round\">"
    );
    for (column, letter) in letters.chars().enumerate() {
        let (x, y) = (LEFT + column * SQUARE, TOP + row * SQUARE);
        let _ = writeln!(svg, "<use href=\"#d960-{letter}\" transform=\"translate({x} {y}) scale(.6)\"/>");
    }
    svg.push_str("</g>\n");
}

/// Text for XML, where control characters may not stand at all.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::position_number::PositionNumber;

    fn classical() -> StartPosition {
        StartPosition::from_number(PositionNumber::CLASSICAL)
    }

    #[test]
    fn it_says_what_it_shows() {
        let svg = svg(&classical(), "Kaunas Open, round 3");
        assert!(svg.contains("a1 rook, b1 knight, c1 bishop, d1 queen, e1 king, f1 bishop, g1 knight, h1 rook."));
        assert!(svg.contains("role=\"img\"") && svg.contains(">518<") && svg.contains(">RNBQKBNR<"));
        assert!(svg.contains("<title id=\"d960-t518\">Kaunas Open, round 3: position 518 RNBQKBNR</title>"));
        assert!(svg.contains(">Kaunas Open, round 3</text>"));
    }

    #[test]
    fn without_a_caption_nothing_is_said_twice() {
        let svg = svg(&classical(), "");
        assert_eq!((svg.matches("RNBQKBNR").count(), svg.matches(">518<").count()), (2, 1), "title and picture");
        assert!(!svg.contains("Position 518 RNBQKBNR</text>"));
    }

    #[test]
    fn every_diagram_has_32_pieces_of_known_shapes() {
        for number in PositionNumber::all() {
            let svg = svg(&StartPosition::from_number(number), "x");
            assert_eq!(svg.matches("<use ").count(), 32);
            for used in svg.split("href=\"#").skip(1) {
                let (id, _) = used.split_once('"').unwrap();
                assert!(svg.contains(&format!("<g id=\"{id}\">")), "{id}");
            }
        }
    }

    #[test]
    fn a_name_cannot_break_out() {
        let svg = svg(&classical(), "<script>\"&\u{0}\u{7}</script>");
        assert!(svg.contains("&lt;script&gt;&quot;&amp;  &lt;/script&gt;"));
        assert!(!svg.contains("<script"));
    }

    #[test]
    fn a_long_caption_keeps_its_end() {
        let caption = format!("{}, REHEARSAL round 12 board 100", "Ż".repeat(200));
        let shown = fitting(&caption);
        assert_eq!(shown.chars().count(), FITS);
        assert!(shown.ends_with("REHEARSAL round 12 board 100"), "{shown}");
    }
}
