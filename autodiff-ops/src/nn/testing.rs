//! What the tests of this family share.

use crate::prelude::*;

pub(super) use crate::testing::pulled;

/// A tensor of `f64`.
pub(super) fn tensor(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

/// A tensor of numbers in -1..1 without a pattern, different for every `salt`.
pub(super) fn scattered(shape: &[usize], salt: usize) -> Tensor {
    Tensor::from_fn(shape, |place| {
        // The fractional part of a large multiple of a sine.
        let x = (12.9898 * (place + 1) as f64 + 78.233 * (salt + 1) as f64).sin() * 43758.5453;
        2.0 * (x - x.floor()) - 1.0
    })
    .unwrap()
}

/// Asserts that three threads give the bits of one: the result, and the gradients of an upstream of its shape.
#[track_caller]
pub(super) fn assert_same_on_threads<const N: usize>(
    inputs: [Tensor; N],
    upstream: &[usize],
    f: impl Fn([&TensorValue; N]) -> Result<TensorValue> + Sync,
) {
    let upstream = scattered(upstream, 99);
    let outcome = || pulled(inputs.each_ref(), &upstream, &f);
    let (value, gradients) = outcome().unwrap();
    let (shared, shared_gradients) = with_threads(3, outcome).unwrap().unwrap();
    assert!(value.bit_eq(&shared));
    for (place, (own, other)) in gradients.iter().zip(&shared_gradients).enumerate() {
        assert!(own.bit_eq(other), "gradient {place}");
    }
}

/// The gradient that `upstream` gives the only input.
pub(super) fn gradient(
    input: &Tensor,
    upstream: &Tensor,
    f: impl Fn(&TensorValue) -> Result<TensorValue>,
) -> Tensor {
    let (_, [gradient]) = pulled([input], upstream, |[x]| f(x)).unwrap();
    gradient
}

/// Asserts equality to within `tolerance`, relative to the largest element or to 1.
#[track_caller]
pub(super) fn assert_close(actual: &Tensor, expected: &Tensor, tolerance: f64) {
    assert_eq!(actual.shape(), expected.shape());
    let largest = expected
        .as_slice()
        .iter()
        .fold(1.0_f64, |largest, x| largest.max(x.abs()));
    for (place, (x, y)) in actual
        .as_slice()
        .iter()
        .zip(expected.as_slice())
        .enumerate()
    {
        assert!(
            (x - y).abs() <= tolerance * largest,
            "{place}: {x} is not {y}"
        );
    }
}
