//! Documents as pages: one file, no network, complete without scripting.
//!
//! Invariant: whatever comes from a document is escaped by the template; only this module's own style, script
//! and numbers are not.

mod gradients;
mod ledger;
mod memory;
mod nodes;
mod pass;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::document::Document;
use super::draw::{self, Picture, px};
use super::text;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What pages are allowed to load: nothing from anywhere.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// A page of one's own in the style of the others: `content` is the inside of `main`.
pub fn page(title: &str, content: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (text::plain(title)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(draw::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                main id="top" { (content) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// The page of a document: graph, ledger, gradients, memory and refusals.
pub fn document_page(document: &Document) -> String {
    let shown = Shown::of(document);
    let several = document.passes.len() > 1;
    let contents = html! {
        h1 { (text::plain(&document.title)) }
        (gradients::stops(document))
        nav aria-label="On this page" {
            ul {
                @for (number, pass) in document.passes.iter().enumerate() {
                    @let of = if several { format!(" of {}", text::plain(&pass.title)) } else { String::new() };
                    li { a href=(format!("#p{number}-graph")) { "Forward graph" (of) } }
                    @if !pass.edges.is_empty() {
                        li { a href=(format!("#p{number}-ledger")) { "Reverse ledger" (of) } }
                        li { a href=(format!("#p{number}-parameters")) { "Gradients by parameter" (of) } }
                        li { a href=(format!("#p{number}-memory")) { "Saved bytes by operation" (of) } }
                    }
                }
                @if !document.events.is_empty() { li { a href="#life" { "Life of the gradients" } } }
                @if !document.checks.is_empty() { li { a href="#checks" { "Sampled checks" } } }
                @if !document.rejections.is_empty() { li { a href="#rejections" { "Refusals" } } }
            }
        }
        @for (number, pass) in document.passes.iter().enumerate() {
            (pass::sections(document, number, pass, &shown))
        }
        (gradients::life(document, &shown))
        (gradients::checks(document))
        (gradients::rejections(document, &shown))
        footer {
            p {
                "Every number on this page was recorded while the program ran, or is a sum or a difference of such. "
                "Numbers of more than 8 characters are rounded to 5 significant digits here, and tensors are "
                "shortened with “…”; the JSON of the same document has every bit of every recorded number."
            }
        }
    };
    page(&document.title, &contents)
}

/// How many elements of a tensor a page shows.
struct Shown {
    elements: usize,
}

impl Shown {
    /// About so many numbers can be on one page before it is of no use to anyone.
    const NUMBERS: usize = 60_000;
    const MOST: usize = 16;

    fn of(document: &Document) -> Self {
        let tensors: usize = document
            .passes
            .iter()
            .map(|pass| 3 * pass.nodes.len() + 6 * pass.edges.len())
            .sum();
        let share = Self::NUMBERS / tensors.max(1);
        Self {
            elements: share.clamp(1, Self::MOST),
        }
    }
}

/// How a picture stands on a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// Only to be looked at.
    Still,
    /// With lines that lead to the entries of a ledger.
    Linked,
    /// Too large for a screen, too: it scrolls in its frame, and where there is scripting it can be scaled.
    Zoomed,
}

/// A picture on a page. Where it is wider than the page, it scrolls in its frame.
fn figure(id: &str, picture: &Picture, frame: Frame, caption: &Markup) -> Markup {
    let [width, height] = [picture.width, picture.height].map(px);
    let zoomed = frame == Frame::Zoomed;
    html! {
        figure class="picture" id=(id) {
            figcaption { (caption) }
            @if zoomed {
                div class="tools" hidden {
                    button type="button" data-zoom="0.8" { "Smaller" }
                    button type="button" data-zoom="1.25" { "Larger" }
                    button type="button" data-zoom="fit" { "Fit width" }
                    button type="button" data-zoom="1" { "Actual size" }
                }
            }
            div class="stage" {
                div class={ "frame" @if zoomed { " tall" } } tabindex="0" role="group" aria-label=(picture.label) {
                    svg width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) { (picture.content) }
                }
                @if frame != Frame::Still {
                    div class="peek" hidden {
                        p class="quiet" { "Point at a line, or focus it, and its row of the ledger stands here." }
                    }
                }
            }
        }
    }
}
