//! Derivatives by central differences, with an estimate of how far they can be trusted.
//!
//! Invariant: whether a difference is trusted depends on the function alone, never on the derivative
//! it is compared with, so distrust cannot hide a wrong rule. Only `f64` is ever differenced.

/// A derivative along a line, and what is known about its error.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Derivative {
    /// One entry per entry of the function.
    pub(super) values: Vec<f64>,
    /// How far each of them may be off.
    pub(super) uncertainty: f64,
}

/// How much of a tolerance a difference takes up; a difference of nothing takes up nothing.
pub(super) fn part_of_tolerance(difference: f64, tolerance: f64) -> f64 {
    match difference == 0.0 {
        true => 0.0,
        false => difference / tolerance,
    }
}

/// The steps that are tried, relative to the size of the inputs, until one can be trusted.
///
/// The five-point formula errs by `h⁴ f⁽⁵⁾ / 30` and by rounding, `~ε f / h`; both are near 1e-13 at the
/// first step. The smaller steps reach past a kink or the edge of a domain nearby.
const STEPS: [f64; 4] = [
    1.0 / (1_u32 << 10) as f64,
    1.0 / (1_u32 << 13) as f64,
    1.0 / (1_u32 << 17) as f64,
    1.0 / (1_u32 << 21) as f64,
];

/// How much of a difference quotient may be rounding: a quotient of numbers of size `s` errs by a few
/// `ε s / h`; 64 leaves room for what the function itself rounds on the way.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// How far the quotients of two steps may disagree, relative to the largest entry. The error of the
/// smaller step is 16 times less, so what is trusted is right to about 1e-7.
const AGREEMENT: f64 = 1e-6;

/// The derivative of `f` at 0, or none where no step can be trusted.
///
/// `center` is `f(0)`, `magnitude` the size of what `f` moves; `f` gives none where it is undefined.
pub(super) fn derivative(
    center: &[f64],
    magnitude: f64,
    mut f: impl FnMut(f64) -> Option<Vec<f64>>,
) -> Option<Derivative> {
    if center.is_empty() {
        return Some(Derivative {
            values: Vec::new(),
            uncertainty: 0.0,
        });
    }
    STEPS
        .iter()
        .find_map(|step| at_step(center, magnitude, step * magnitude.max(1.0), &mut f))
}

fn at_step(
    center: &[f64],
    magnitude: f64,
    step: f64,
    f: &mut impl FnMut(f64) -> Option<Vec<f64>>,
) -> Option<Derivative> {
    let mut at = |position: f64| f(position).filter(|values| values.len() == center.len());
    let half = [at(-step / 2.0)?, at(step / 2.0)?];
    let one = [at(-step)?, at(step)?];
    let two = [at(-2.0 * step)?, at(2.0 * step)?];
    let size = largest(one.iter().flatten().chain(center)).max(magnitude);
    let rounding = ROUNDING * size / step;
    let coarse = five_point(&one, &two, step);
    let fine = five_point(&half, &one, step / 2.0);
    let scale = largest(&fine);
    let disagreement = largest(difference(&coarse, &fine));
    // Steps that straddle a kink exactly at the centre agree; the jump between the slopes to the right
    // and to the left tells: it halves with the step where the function is smooth, and not where it is
    // not.
    let allowance = AGREEMENT * scale + rounding;
    let [near, middle, far] = [(&half, 0.5), (&one, 1.0), (&two, 2.0)]
        .map(|(sides, steps)| jumps(center, sides, steps * step));
    let halves = |near: f64, far: f64| near <= 0.75 * far + 8.0 * allowance;
    let smooth = near
        .zip(middle)
        .zip(far)
        .all(|((near, middle), far)| halves(near, middle) && halves(middle, far));
    // Written so that a NaN is not trusted.
    let trusted = disagreement <= allowance && smooth;
    trusted.then_some(Derivative {
        values: fine,
        uncertainty: 8.0 * disagreement + rounding,
    })
}

/// `f'(0) ≈ (8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12 h`.
fn five_point(one: &[Vec<f64>; 2], two: &[Vec<f64>; 2], step: f64) -> Vec<f64> {
    difference(&one[1], &one[0])
        .zip(difference(&two[1], &two[0]))
        .map(|(one, two)| (8.0 * one - two) / (12.0 * step))
        .collect()
}

/// How much the slopes to the right and to the left differ.
fn jumps<'a>(
    center: &'a [f64],
    sides: &'a [Vec<f64>; 2],
    step: f64,
) -> impl Iterator<Item = f64> + 'a {
    let [left, right] = sides;
    center
        .iter()
        .zip(left.iter().zip(right))
        .map(move |(center, (left, right))| ((right - center) - (center - left)).abs() / step)
}

fn difference<'a>(minuend: &'a [f64], subtrahend: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    minuend.iter().zip(subtrahend).map(|(a, b)| a - b)
}

/// The largest absolute value; NaN where there is one.
pub(super) fn largest<N: std::borrow::Borrow<f64>>(values: impl IntoIterator<Item = N>) -> f64 {
    values.into_iter().fold(0.0, |largest, value| {
        let size = value.borrow().abs();
        if size > largest || size.is_nan() {
            size
        } else {
            largest
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(f: impl Fn(f64) -> f64) -> Option<Derivative> {
        derivative(&[f(0.0)], 1.0, |t| {
            Some(vec![f(t)]).filter(|y| y[0].is_finite())
        })
    }

    #[test]
    fn a_smooth_function_is_differenced_to_ten_digits() {
        let exponential = slope(|t| (0.7 + t).exp()).unwrap();
        let exact = 0.7_f64.exp();
        // Truncation and rounding are both near 1e-13 at the first step.
        assert!((exponential.values[0] - exact).abs() < 1e-10 * exact);
        assert!(exponential.uncertainty < 1e-9);
    }

    #[test]
    fn a_kink_near_the_centre_is_stepped_over() {
        let relu = slope(|t| (t + 1e-4_f64).max(0.0)).unwrap();
        assert!((relu.values[0] - 1.0).abs() <= relu.uncertainty);
    }

    #[test]
    fn a_kink_at_the_centre_is_not_trusted() {
        assert_eq!(slope(|t| t.max(0.0)), None);
        assert_eq!(slope(|t| 3.0 * t + t.abs()), None);
    }

    #[test]
    fn a_jump_at_the_centre_is_not_trusted() {
        assert_eq!(slope(|t| if t > 0.0 { 1.0 } else { 0.0 }), None);
    }

    #[test]
    fn the_edge_of_a_domain_is_stepped_away_from() {
        let logarithm = slope(|t| (1e-3 + t).ln()).unwrap();
        assert!((logarithm.values[0] - 1e3).abs() <= 1e-6 * 1e3);
        assert_eq!(slope(|t| (t - 1.0).ln()), None);
    }

    #[test]
    fn a_minimum_is_not_taken_for_a_kink() {
        let parabola = slope(|t| t * t).unwrap();
        assert!(parabola.values[0].abs() <= parabola.uncertainty);
    }
}
