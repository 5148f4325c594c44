//! The course of a run as pictures: a small chart for each column of the metrics.
//!
//! Drawn in the light colours of the pages' palette, which a page turns into those of the reader's theme.

use autodiff_core::report::text;
use plotters::prelude::*;

use super::metrics::Row;
use crate::DemoError;

/// The size of a chart: its texts are legible on a narrow screen without scaling.
const SIZE: (u32, u32) = (360, 250);

/// At most so many steps are drawn: a chart has no more columns of pixels.
const POINTS: usize = 360;

const TEXT: RGBColor = RGBColor(0x52, 0x5c, 0x68);
const RULE: RGBColor = RGBColor(0xc9, 0xd1, 0xd9);
const FIRST: RGBColor = RGBColor(0x0a, 0x5a, 0xa8);
const SECOND: RGBColor = RGBColor(0x9a, 0x5b, 0x00);

/// A chart with what it shows in words.
pub(super) struct Chart {
    pub(super) title: &'static str,
    pub(super) label: String,
    pub(super) svg: String,
}

/// Loss, learning rate, norm of the gradients and speed.
pub(super) fn charts(rows: &[Row]) -> Result<Vec<Chart>, DemoError> {
    let validated = rows
        .iter()
        .filter_map(|row| Some((row.step as f64, row.validation_loss?)));
    let validated: Vec<(f64, f64)> = validated.collect();
    let column = |title, of, marks| Column { title, of, marks };
    let columns = [
        column("Loss", |row| row.loss, validated),
        column("Learning rate", |row| row.learning_rate, Vec::new()),
        column("Norm of the gradients", |row| row.gradient_norm, Vec::new()),
        column("Tokens per second", |row| row.tokens_per_second, Vec::new()),
    ];
    columns.iter().map(|column| column.chart(rows)).collect()
}

/// A column of the metrics, with values of another kind that are marked beside it.
struct Column {
    title: &'static str,
    of: fn(&Row) -> f64,
    marks: Vec<(f64, f64)>,
}

impl Column {
    fn chart(&self, rows: &[Row]) -> Result<Chart, DemoError> {
        let points = rows.iter().map(|row| (row.step as f64, (self.of)(row)));
        let points: Vec<(f64, f64)> = points.collect();
        let svg = drawn(&thinned(&points), &thinned(&self.marks));
        Ok(Chart {
            title: self.title,
            label: described(self.title, &points),
            // Only writing to the text that becomes the page could fail.
            svg: svg.map_err(|error| std::io::Error::other(error.to_string()))?,
        })
    }
}

/// `Loss from 4.5 at step 1 to 2.5 at step 600, between 2.4 and 4.5`.
fn described(title: &str, points: &[(f64, f64)]) -> String {
    let [Some(first), Some(last)] = [points.first(), points.last()] else {
        return format!("{title}: no steps");
    };
    let values = points.iter().map(|point| point.1);
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let [from, to, least, most] =
        [first.1, last.1, least, most].map(|value| text::significant(value, 4));
    format!(
        "{title} from {from} at step {} to {to} at step {}, between {least} and {most}",
        first.0, last.0
    )
}

/// The least and the greatest value of each stretch of steps, so that no peak is lost.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(POINTS / 2);
    let ends = |points: &[(f64, f64)]| {
        let by_value = |left: &&(f64, f64), right: &&(f64, f64)| left.1.total_cmp(&right.1);
        let mut ends: Vec<(f64, f64)> = [
            points.iter().min_by(by_value),
            points.iter().max_by(by_value),
        ]
        .into_iter()
        .flatten()
        .copied()
        .collect();
        ends.sort_by(|left, right| left.0.total_cmp(&right.0));
        ends
    };
    points.chunks(stretch).flat_map(ends).collect()
}

fn drawn(
    points: &[(f64, f64)],
    marks: &[(f64, f64)],
) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let all = || points.iter().chain(marks);
        let (x, y) = (
            range(all().map(|point| point.0), 0.0),
            range(all().map(|point| point.1), 0.08),
        );
        let label = |value: &f64| text::significant(*value, 3);
        let style = ("sans-serif", 12).into_font().color(&TEXT);
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .margin_right(18)
            .x_label_area_size(26)
            .y_label_area_size(52)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(RULE)
            .light_line_style(TRANSPARENT)
            .axis_style(TEXT)
            .label_style(style)
            .x_labels(4)
            .y_labels(5)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .draw()?;
        chart.draw_series(LineSeries::new(
            points.iter().copied(),
            FIRST.stroke_width(2),
        ))?;
        // Told apart by form as well as by colour: marks joined by a dashed line.
        chart.draw_series(DashedLineSeries::new(
            marks.iter().copied(),
            5,
            4,
            SECOND.stroke_width(2),
        ))?;
        let mark = |&point| Circle::new(point, 4, SECOND.filled());
        chart.draw_series(marks.iter().map(mark))?;
        area.present()?;
    }
    Ok(svg)
}

/// From the least to the greatest value, and a little more, so that nothing lies on the edge.
fn range(values: impl Iterator<Item = f64> + Clone, more: f64) -> std::ops::Range<f64> {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let spread = most - least;
    if !spread.is_finite() {
        0.0..1.0
    } else if spread > 0.0 {
        least - more * spread..most + more * spread
    } else {
        let around = least.abs().max(1.0) / 2.0;
        least - around..most + around
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_highest_peak_and_the_lowest_value() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|step| (step as f64, 1.0)).collect();
        points[4321].1 = 9.0;
        points[77].1 = -3.0;
        let thin = thinned(&points);
        assert!(thin.len() <= POINTS, "{}", thin.len());
        assert!(thin.contains(&(4321.0, 9.0)) && thin.contains(&(77.0, -3.0)));
        assert!(thin.is_sorted_by(|left, right| left.0 <= right.0));
    }

    #[test]
    fn equal_values_and_no_values_have_a_range() {
        assert_eq!(range([2.0, 2.0].into_iter(), 0.1), 1.0..3.0);
        assert_eq!(range(std::iter::empty(), 0.1), 0.0..1.0);
    }
}
