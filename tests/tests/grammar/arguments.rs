//! Every type of plain argument, in calls, in cases and in saved contexts.

use autodiff_core::prelude::*;

use crate::{gradient, parameter, reverse};

/// `x` times a number made from every argument.
#[vjp_rule]
#[gradcheck(
    x: [m],
    count = 2 | m,
    offset = -1 | 2,
    doubled = true | false,
    rate = 0.5 | -1.5,
    axes = &[0, m] | &[],
    shifts = &[-1, 1],
    weights = &[0.25, 0.75] | &[1.0],
    mode = "plain" | "half",
)]
pub fn every_argument<T: Element>(
    x: &Tensor<T>,
    count: usize,
    offset: isize,
    doubled: bool,
    rate: f64,
    axes: &[usize],
    shifts: &[isize],
    weights: &[f64],
    mode: &str,
) -> Result<Tensor<T>> {
    /// upstream times the same number
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        count: usize,
        offset: isize,
        doubled: bool,
        rate: f64,
        axes: &[usize],
        shifts: &[isize],
        weights: &[f64],
        mode: &str,
    ) -> Result<Tensor<T>> {
        let factor = factor(count, offset, doubled, rate) + lists(axes, shifts, weights, mode);
        Ok(upstream.map(|u| u * T::from_f64(factor)))
    }
    let factor = factor(count, offset, doubled, rate) + lists(axes, shifts, weights, mode);
    Ok(x.map(|x| x * T::from_f64(factor)))
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn factor(count: usize, offset: isize, doubled: bool, rate: f64) -> f64 {
    let factor = count as f64 + offset as f64 * rate;
    if doubled { 2.0 * factor } else { factor }
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn lists(axes: &[usize], shifts: &[isize], weights: &[f64], mode: &str) -> f64 {
    let axes = axes.iter().sum::<usize>() as f64;
    let shifts = shifts.iter().sum::<isize>() as f64;
    let total = axes + shifts + weights.iter().sum::<f64>();
    if mode == "half" { total / 2.0 } else { total }
}

/// `x` times the arguments that are present.
#[vjp_rule]
#[gradcheck(x: [m], rate = None | Some(0.5), count = Some(2) | None, weights = None | Some(&[0.5, 1.5]), mode = None | Some("half"))]
pub fn optional_arguments<T: Element>(
    x: &Tensor<T>,
    rate: Option<f64>,
    count: Option<usize>,
    weights: Option<&[f64]>,
    mode: Option<&str>,
) -> Result<Tensor<T>> {
    /// upstream times the same number
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        rate: Option<f64>,
        count: Option<usize>,
        weights: Option<&[f64]>,
        mode: Option<&str>,
    ) -> Result<Tensor<T>> {
        optional_arguments(upstream, rate, count, weights, mode)
    }
    let mut factor = rate.unwrap_or(1.0);
    factor *= count.map_or(1.0, |count| if count == 2 { 3.0 } else { 1.0 });
    factor *= weights.map_or(1.0, |weights| weights.iter().sum());
    factor *= mode.map_or(1.0, |mode| if mode == "half" { 0.5 } else { 1.0 });
    Ok(x.map(|x| x * T::from_f64(factor)))
}

#[test]
fn arguments_reach_the_reverse_map_as_they_were_given() -> Result<()> {
    let x = parameter(&[1], &[1.0])?;
    let y = x.every_argument(2, -1, true, 0.5, &[0, 4], &[-1], &[0.25], "half")?;
    // 2 · (2 - 0.5) + (4 - 1 + 0.25) / 2
    assert_eq!(y.value().as_slice(), [4.625]);
    reverse(&y, &[2.0])?;
    assert_eq!(gradient(&x), [9.25]);
    Ok(())
}

#[test]
fn optional_arguments_may_be_absent() -> Result<()> {
    let x = parameter(&[1], &[1.0])?;
    let none = optional_arguments(&x, None, None, None, None)?;
    let all = x.optional_arguments(Some(0.5), Some(2), Some(&[2.0]), Some("half"))?;
    reverse(&none, &[1.0])?;
    reverse(&all, &[10.0])?;
    // 1 + 10 · 0.5 · 3 · 2 · 0.5
    assert_eq!(gradient(&x), [16.0]);
    Ok(())
}

/// The input, and `factor` times the upstream on the way back: an argument that the body does not read.
#[vjp_rule]
#[gradcheck(x: [m], factor = 1.0)]
pub fn passing<T: Element>(x: &Tensor<T>, factor: f64) -> Result<Tensor<T>> {
    /// upstream times the factor
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, factor: f64) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| u * T::from_f64(factor)))
    }
    Ok(x.clone())
}

#[test]
fn an_argument_that_only_a_reverse_map_reads_is_not_called_unused() -> Result<()> {
    // This binary denies warnings, so it is enough that the rule above compiles; its value follows.
    let x = parameter(&[2], &[1.0, -2.0])?;
    reverse(&x.passing(3.0)?, &[1.0, 10.0])?;
    assert_eq!(gradient(&x), [3.0, 30.0]);
    Ok(())
}
