//! `report.html`: the course of a run as a page.

use std::collections::HashSet;

use autodiff_core::report::{Markup, page, text};
use maud::{PreEscaped, html};

use super::charts::{Chart, charts};
use super::metrics::Row;
use crate::DemoError;

/// The file's name in the run's folder.
pub const FILE_NAME: &str = "report.html";
pub(super) const UNFINISHED_NAME: &str = "report.html.unfinished";

/// About so many rows of the metrics stand on the page, evenly spread, and so many with a validation.
const ROWS: usize = 40;

/// The page of a run: `title` names it and `facts` are what it was started with.
///
/// # Errors
/// [`DemoError::Write`] where a chart cannot be drawn.
pub(super) fn training_page(
    title: &str,
    facts: &[(&str, String)],
    rows: &[Row],
) -> Result<String, DemoError> {
    let charts = charts(rows)?;
    let content = html! {
        h1 { (text::plain(title)) }
        p class="lede" { (summary(rows)) }
        dl class="facts" {
            @for (name, value) in facts { div { dt { (name) } dd { (text::plain(value)) } } }
        }
        section aria-labelledby="course" {
            h2 id="course" { "Course of the run" }
            p class="lede" {
                "By step. On the loss, the line is the batch of each step and the round marks on a dashed line are "
                "the validation text."
            }
            div class="charts" { @for chart in &charts { (figure(chart)) } }
        }
        (table(rows))
    };
    Ok(page(title, &content))
}

fn summary(rows: &[Row]) -> String {
    let [Some(first), Some(last)] = [rows.first(), rows.last()] else {
        return "No step yet.".to_owned();
    };
    let loss = |row: &Row| text::significant(row.loss, 4);
    let mut summary = format!(
        "{} steps; loss {} to {}.",
        last.step,
        loss(first),
        loss(last)
    );
    let validated = rows
        .iter()
        .filter_map(|row| Some((row.validation_loss?, row.step)));
    if let Some((best, step)) = validated.min_by(|left, right| left.0.total_cmp(&right.0)) {
        let best = text::significant(best, 4);
        summary.push_str(&format!(" Best validation loss {best}, at step {step}."));
    }
    summary
}

fn figure(chart: &Chart) -> Markup {
    html! {
        figure class="chart" {
            figcaption { (chart.title) }
            div role="img" aria-label=(chart.label) { (PreEscaped(&chart.svg)) }
        }
    }
}

fn table(rows: &[Row]) -> Markup {
    let every = rows.len().div_ceil(ROWS).max(1);
    let validated = rows.iter().filter(|row| row.validation_loss.is_some());
    let validated: Vec<usize> = validated.map(|row| row.step).collect();
    let every_validated = validated.len().div_ceil(ROWS).max(1);
    let validated: HashSet<usize> = validated.into_iter().step_by(every_validated).collect();
    let shown = |(place, row): &(usize, &Row)| {
        place.is_multiple_of(every) || validated.contains(&row.step) || place + 1 == rows.len()
    };
    html! {
        section aria-labelledby="rows" {
            h2 id="rows" { "Steps" }
            p class="lede" {
                @if every > 1 { "One step in " (every) ", and steps with a validation; metrics.csv has all." }
                @else { "Every step, as in metrics.csv." }
            }
            table {
                thead { tr {
                    th scope="col" { "step" } th scope="col" class="n" { "loss" }
                    th scope="col" class="n" { "rate" } th scope="col" class="n" { "norm" }
                    th scope="col" class="n" { "tok/s" }
                } }
                tbody {
                    @for (_, row) in rows.iter().enumerate().filter(shown) {
                        tr {
                            th scope="row" { (row.step) }
                            td class="n" {
                                (text::significant(row.loss, 4))
                                @if let Some(validation) = row.validation_loss {
                                    br; span class="quiet" { "valid. " (text::significant(validation, 4)) }
                                }
                            }
                            td class="n" { (text::significant(row.learning_rate, 3)) }
                            td class="n" { (text::significant(row.gradient_norm, 3)) }
                            td class="n" { (format!("{:.0}", row.tokens_per_second)) }
                        }
                    }
                }
            }
        }
    }
}
