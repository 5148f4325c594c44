//! The lines of a graph: their paths, tips and widths.

use std::fmt::Write;

use super::graph::FULL_UP_TO;
use super::px;
use crate::report::pass::{EdgeRecord, PassRecord};

/// Half the width of a line's tip, and its length.
const TIP: (f64, f64) = (4.0, 8.0);

/// How thick lines are: by the magnitude of what they carry, where there are too many to read each.
pub(super) struct LineWidths(Option<(f64, f64)>);

impl LineWidths {
    pub(super) fn new(pass: &PassRecord) -> Self {
        if pass.nodes.len() <= FULL_UP_TO {
            return Self(None);
        }
        let logarithms = pass.edges.iter().filter_map(magnitude);
        let range = logarithms.fold(None, |range: Option<(f64, f64)>, value| {
            let (least, most) = range.unwrap_or((value, value));
            Some((least.min(value), most.max(value)))
        });
        Self(range.filter(|(least, most)| most > least))
    }

    pub(super) fn of(&self, edge: &EdgeRecord) -> Option<String> {
        let ((least, most), magnitude) = self.0.zip(magnitude(edge))?;
        let width = 1.0 + 4.0 * (magnitude - least) / (most - least);
        Some(format!("stroke-width:{}", px(width)))
    }
}

fn magnitude(edge: &EdgeRecord) -> Option<f64> {
    let norm = edge.contribution.statistics?.norm.0;
    Some(norm.log10()).filter(|logarithm| logarithm.is_finite())
}

/// A path that is vertical at every point and straight between two points at one place.
pub(super) fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    let end = points.len().saturating_sub(1);
    for (position, &(x, y)) in points.iter().enumerate() {
        // The tip stands between the line and its box.
        let y = if position == end { y - TIP.1 } else { y };
        // Writing to a string cannot fail.
        let _ = match last {
            None => write!(path, "M{} {}", px(x), px(y)),
            Some((before, _)) if before == x => write!(path, "V{}", px(y)),
            // Not worth a bend.
            Some((before, _)) if (before - x).abs() < 3.0 => write!(path, "L{} {}", px(x), px(y)),
            Some((before, above)) => {
                let middle = px((above + y) / 2.0);
                write!(
                    path,
                    "C{} {middle} {} {middle} {} {}",
                    px(before),
                    px(x),
                    px(x),
                    px(y)
                )
            }
        };
        last = Some((x, y));
    }
    path
}

/// The tip of a line, at its last point.
pub(super) fn tip(points: &[(f64, f64)]) -> String {
    let Some(&(x, y)) = points.last() else {
        return String::new();
    };
    let (half, length) = TIP;
    format!(
        "M{} {}h{}L{} {}z",
        px(x - half),
        px(y - length),
        px(2.0 * half),
        px(x),
        px(y)
    )
}
