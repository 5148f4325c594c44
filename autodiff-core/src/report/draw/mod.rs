//! Pictures as SVG: the graph of a pass, its ledger, and gradients over the life of a program.
//!
//! Every picture stands by itself: it brings its style, follows light, dark and forced colours, and tells
//! kinds apart by solid, double and dashed lines as well as by colour.

mod graph;
mod layout;
mod ledger;
mod lifecycle;
mod lines;

use maud::{Markup, PreEscaped, html};
use unicode_width::UnicodeWidthStr;

pub(super) use graph::{DENSE_ABOVE, FULL_UP_TO, Links, edge_label, graph, node_text, title};
pub(super) use ledger::ledger;
pub(super) use lifecycle::lifecycle;

use super::document::Document;
use super::pass::PassRecord;
use super::text;

/// Colours and the style of pictures, which pages bring too.
pub(super) const STYLE: &str = concat!(include_str!("palette.css"), include_str!("picture.css"));

/// The graph of a pass as an SVG file.
pub fn graph_svg(pass: &PassRecord) -> String {
    file(&graph(pass, None))
}

/// The ledger of a pass as an SVG file.
pub fn ledger_svg(pass: &PassRecord) -> String {
    file(&ledger(pass))
}

/// The gradients after each event as an SVG file; `None` where no event has gradients small enough to be drawn
/// element by element.
pub fn lifecycle_svg(document: &Document) -> Option<String> {
    lifecycle(document).map(|picture| file(&picture))
}

/// A picture with its size and what it shows.
pub(super) struct Picture {
    pub(super) width: f64,
    pub(super) height: f64,
    /// What a screen reader says of the whole.
    pub(super) label: String,
    pub(super) content: Markup,
}

/// As a file, which has no text beside it: so the label stands in it.
fn file(picture: &Picture) -> String {
    let [width, height] = [picture.width, picture.height].map(px);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) role="img" {
            title { (picture.label) }
            style { (PreEscaped(STYLE)) }
            rect class="ground" width=(width) height=(height) {}
            (picture.content)
        }
    };
    format!("{}\n", svg.into_string())
}

/// A length with at most one decimal.
pub(super) fn px(length: f64) -> String {
    text::trimmed(&format!("{length:.1}")).to_owned()
}

/// The width of a line in the monospaced font of pictures. A cell of the usual fonts is 0.55 to 0.602 of the
/// font's size; a little more is left.
fn width_of(line: &str, size: f64) -> f64 {
    line.width() as f64 * size * 0.615
}

/// The line, or as much of it as fits into so many cells.
fn shortened(line: &str, cells: usize) -> String {
    if line.width() <= cells {
        return line.to_owned();
    }
    let mut short = String::new();
    for character in line.chars() {
        short.push(character);
        if short.width() + 1 > cells {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shortened_by_cells_not_by_characters() {
        assert_eq!(shortened("multiply", 8), "multiply");
        assert_eq!(shortened("multiply", 5), "mult…");
        assert_eq!(
            shortened("\u{4e2d}\u{6587}\u{5b57}", 5),
            "\u{4e2d}\u{6587}…"
        );
    }
}
