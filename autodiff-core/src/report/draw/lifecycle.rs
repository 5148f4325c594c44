//! Gradients after each event: a bar for every element, all to one scale.

use maud::html;

use super::{Picture, px, shortened, width_of};
use crate::report::document::Document;
use crate::report::event::StateRecord;
use crate::report::text;

/// Gradients of up to so many elements are drawn.
const MOST: usize = 12;
const PADDING: f64 = 14.0;
/// The height of the tallest bar.
const TALLEST: f64 = 44.0;
/// What the texts above and below the bars of one event take.
const TEXTS: f64 = 66.0;

/// Draws the events whose gradients are small enough.
pub(in crate::report) fn lifecycle(document: &Document) -> Option<Picture> {
    let events: Vec<(&str, Vec<Bars>)> = document
        .events
        .iter()
        .map(|event| {
            (
                event.title.as_str(),
                event.states.iter().filter_map(Bars::of).collect(),
            )
        })
        .filter(|(_, bars): &(_, Vec<Bars>)| !bars.is_empty())
        .collect();
    if events.is_empty() {
        return None;
    }
    let all = || {
        events
            .iter()
            .flat_map(|(_, bars)| bars)
            .flat_map(|bars| &bars.values)
    };
    let largest = all().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 {
        TALLEST / largest
    } else {
        0.0
    };
    let below = if all().any(|value| *value < 0.0) {
        TALLEST
    } else {
        0.0
    };
    let each = TEXTS + TALLEST + below;
    let widest = events.iter().map(|(title, bars)| {
        let bars: f64 = bars.iter().map(|bars| bars.width() + PADDING).sum();
        bars.max(width_of(&shortened(&text::plain(title), 40), 12.0))
    });
    let width = widest.fold(0.0, f64::max) + 2.0 * PADDING;
    let content = html! {
        @for (number, (title, bars)) in events.iter().enumerate() {
            @let top = PADDING + each * number as f64;
            @let floor = top + 34.0 + TALLEST;
            text class="b" x=(px(PADDING)) y=(px(top + 12.0)) { (shortened(&text::plain(title), 40)) }
            @for (bars, left) in bars.iter().zip(lefts(bars)) {
                path class="thin" d=(format!("M{} {}h{}", px(left), px(floor), px(bars.width()))) {}
                @for (place, value) in bars.values.iter().enumerate() {
                    @let x = left + bars.step * place as f64;
                    @let height = value.abs() * scale;
                    @let y = if *value < 0.0 { floor } else { floor - height };
                    rect class="bar" x=(px(x + 5.0)) y=(px(y)) width=(px(bars.step - 10.0)) height=(px(height)) {}
                    text class="s mid" x=(px(x + bars.step / 2.0)) y=(px(if *value < 0.0 { y + height + 11.0 } else { y - 4.0 })) {
                        (text::significant(*value, 3))
                    }
                }
                text class="s" x=(px(left)) y=(px(floor + below + 15.0)) { (bars.name) }
            }
        }
    };
    Some(Picture {
        width,
        height: each * events.len() as f64 + PADDING,
        label: format!("Gradients after each of {} events", events.len()),
        content,
    })
}

/// The gradient of one value.
struct Bars {
    name: String,
    values: Vec<f64>,
    /// From one bar to the next: wide enough for the numbers.
    step: f64,
}

impl Bars {
    fn of(state: &StateRecord) -> Option<Self> {
        let gradient = state.gradient.as_ref()?;
        let values: Vec<f64> = gradient.values.iter().map(|value| value.0).collect();
        let drawn = gradient.is_whole()
            && values.len() <= MOST
            && values.iter().all(|value| value.is_finite());
        if !drawn || values.is_empty() {
            return None;
        }
        let widest = values
            .iter()
            .map(|value| width_of(&text::significant(*value, 3), 11.0));
        Some(Self {
            name: shortened(&text::plain(&state.name), 16),
            step: widest.fold(20.0, f64::max) + 6.0,
            values,
        })
    }

    fn width(&self) -> f64 {
        (self.step * self.values.len() as f64).max(width_of(&self.name, 11.0))
    }
}

/// Where the bars of each value begin.
fn lefts(bars: &[Bars]) -> Vec<f64> {
    let mut left = PADDING;
    let place = |bars: &Bars| {
        let own = left;
        left += bars.width() + PADDING;
        own
    };
    bars.iter().map(place).collect()
}
