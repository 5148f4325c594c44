//! Boxes apart, lines around them, and a bound on how much there is to draw.

use super::*;
use proptest::prelude::*;

const SIZE: Extent = Extent {
    width: 60.0,
    height: 30.0,
};

fn line(from: usize, to: usize) -> Line {
    Line {
        from,
        to,
        entry: 0.0,
    }
}

#[test]
fn a_parameter_stands_just_above_its_use() {
    let lines = [line(0, 1), line(1, 2), line(2, 4), line(3, 4)];
    assert_eq!(layers_of(5, &lines), [0, 1, 2, 2, 3]);
}

#[test]
fn a_chain_is_straight() {
    let layout = layout(&[SIZE; 3], &[line(0, 1), line(1, 2)]);
    let xs: Vec<f64> = layout.corners.iter().map(|corner| corner.0).collect();
    assert_eq!(xs, [GAP; 3]);
}

#[test]
fn lines_of_quadratic_length_run_beside_the_graph() {
    let count = 400;
    let chain = (1..count).map(|node| line(node - 1, node));
    let skips = (2..count).map(|node| line(0, node));
    let layout = layout(&vec![SIZE; count], &chain.chain(skips).collect::<Vec<_>>());
    // Two points for every place that a line takes, and at most five for its ends.
    let points: usize = layout.lines.iter().map(Vec::len).sum();
    let lines = layout.lines.len();
    assert!(
        points <= 2 * LANES_PER_PART * (count + lines) + 5 * lines,
        "{points}"
    );
}

/// A line that leads nowhere later has no points, and does no harm.
#[test]
fn a_line_upward_is_left_out() {
    let layout = layout(&[SIZE; 2], &[line(1, 0), line(0, 7), line(0, 0)]);
    assert!(layout.lines.iter().all(Vec::is_empty));
}

proptest! {
    #[test]
    fn no_box_overlaps_another_and_no_line_runs_through_one(
        count in 2..24_usize,
        pairs in proptest::collection::vec((0..24_usize, 0..24_usize, 40.0..120.0_f64), 1..40),
    ) {
        let boxes: Vec<Extent> = (0..count)
            .map(|node| Extent { width: pairs[node % pairs.len()].2, height: 30.0 })
            .collect();
        let lines: Vec<Line> = pairs
            .iter()
            .map(|&(from, to, _)| line(from % count, to % count))
            .filter(|line| line.from < line.to)
            .collect();
        let layout = layout(&boxes, &lines);
        let areas: Vec<[f64; 4]> = boxes
            .iter()
            .zip(&layout.corners)
            .map(|(size, &(x, y))| [x, y, x + size.width, y + size.height])
            .collect();
        for (first, a) in areas.iter().enumerate() {
            prop_assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= layout.width && a[3] <= layout.height);
            for b in &areas[first + 1..] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                prop_assert!(apart, "{a:?} {b:?}");
            }
        }
        for points in &layout.lines {
            for pair in points.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                for area in &areas {
                    let beside = pair[0].0 <= area[0] || pair[0].0 >= area[2];
                    let apart = pair[1].1 <= area[1] || pair[0].1 >= area[3];
                    prop_assert!(beside || apart, "{pair:?} {area:?}");
                }
            }
        }
    }
}
