//! Which pairs turn, how far, and back.

use crate::nn::testing::{assert_close, gradient, pulled, scattered, tensor};
use crate::prelude::*;

/// Sines, cosines and two products, each rounded by at most 2^-53.
const ROUNDING: f64 = 1e-15;

#[test]
fn the_first_position_is_not_turned() {
    let x = scattered(&[1, 6], 0);
    assert_eq!(x.rope_half(10000.0, 0).unwrap(), x);
    assert_eq!(x.rope_interleaved(10000.0, 0).unwrap(), x);
}

#[test]
fn pairs_turn_by_position_times_a_power_of_theta() {
    // Position 3 of width 4: angles 3 · 16^0 = 3 and 3 · 16^(-2/4) = 3/4.
    let (a, b) = (3.0_f64, 0.75_f64);
    let turned = |u: f64, w: f64, angle: f64| {
        [
            u * angle.cos() - w * angle.sin(),
            w * angle.cos() + u * angle.sin(),
        ]
    };
    let x = tensor(&[1, 4], &[1.0, 2.0, 3.0, 4.0]);
    let ([p, q], [r, s]) = (turned(1.0, 3.0, a), turned(2.0, 4.0, b));
    assert_close(
        &x.rope_half(16.0, 3).unwrap(),
        &tensor(&[1, 4], &[p, r, q, s]),
        ROUNDING,
    );
    let ([p, q], [r, s]) = (turned(1.0, 2.0, a), turned(3.0, 4.0, b));
    assert_close(
        &x.rope_interleaved(16.0, 3).unwrap(),
        &tensor(&[1, 4], &[p, q, r, s]),
        ROUNDING,
    );
}

#[test]
fn an_offset_is_a_position_further_on() {
    let x = scattered(&[2, 5, 4], 0);
    let tail = x.sliced(&[0, 2, 0], &[2, 5, 4], &[1, 1, 1]).unwrap();
    let whole = x.rope_half(100.0, 0).unwrap();
    let expected = whole.sliced(&[0, 2, 0], &[2, 5, 4], &[1, 1, 1]).unwrap();
    assert_eq!(tail.rope_half(100.0, 2).unwrap(), expected);
}

#[test]
fn upstream_is_turned_back() {
    let x = scattered(&[3, 4], 0);
    let turned = x.rope_half(7.0, 1).unwrap();
    // The contribution of a rotated tensor is the tensor itself.
    assert_close(
        &gradient(&x, &turned, |x| x.rope_half(7.0, 1)),
        &x,
        ROUNDING,
    );
    let turned = x.rope_interleaved(7.0, 1).unwrap();
    assert_close(
        &gradient(&x, &turned, |x| x.rope_interleaved(7.0, 1)),
        &x,
        ROUNDING,
    );
}

#[test]
fn products_of_queries_and_keys_depend_on_distances_only() {
    let (q, k) = (scattered(&[1, 8], 0), scattered(&[1, 8], 1));
    let product = |q_at: usize, k_at: usize| -> f64 {
        let (q, k) = (
            q.rope_half(10.0, q_at).unwrap(),
            k.rope_half(10.0, k_at).unwrap(),
        );
        q.as_slice()
            .iter()
            .zip(k.as_slice())
            .map(|(q, k)| q * k)
            .sum()
    };
    // Angles of up to 1000, rounded by 2^-53 relative.
    assert!((product(5, 2) - product(1003, 1000)).abs() < 1e-12);
}

#[test]
fn odd_widths_and_angles_without_meaning_are_refused() {
    let refusal = |x: &Tensor, theta: f64| x.rope_half(theta, 0).unwrap_err().to_string();
    assert_eq!(
        refusal(&tensor(&[1, 3], &[0.0; 3]), 10.0),
        "rope_half: expected a shape of positions by an even width, got [1, 3]"
    );
    assert_eq!(
        refusal(&tensor(&[2], &[0.0; 2]), 10.0),
        "rope_half: expected a shape of positions by an even width, got [2]"
    );
    for theta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("rope_half: expected a finite theta above 0, got {theta}");
        assert_eq!(refusal(&tensor(&[1, 2], &[0.0; 2]), theta), expected);
    }
}

#[test]
fn empty_extents_stay_empty() {
    let huge = [&[0, 1 << 62][..], &[0, 1, 1 << 41], &[0, 1 << 40, 2]];
    let small = [&[0, 4][..], &[3, 0], &[2, 0, 4], &[0, 3, 2]];
    for shape in small.into_iter().chain(huge) {
        let x = Tensor::<f64>::zeros(shape).unwrap();
        for turned in [TensorValue::rope_half, TensorValue::rope_interleaved] {
            let (y, [contribution]) = pulled([&x], &x, |[x]| turned(x, 10.0, 0)).unwrap();
            assert_eq!((&y, &contribution), (&x, &x));
        }
    }
}
