//! Exponentials of `-|w|`, from which logistic functions are made.
//!
//! Invariant: no exponential is of a positive number, so nothing overflows, whatever the input.

use autodiff_core::prelude::*;

/// Elements that are computed at a time: they stay in the first-level cache between the steps.
const BLOCK: usize = 256;

/// `f(x, e^(-|w(x)|))` of every element, so that exponentials are taken by the slice.
pub(super) fn with_decay<T: Element>(
    input: &[T],
    output: &mut [T],
    w: impl Fn(T) -> T,
    f: impl Fn(T, T) -> T,
) {
    let mut exponents = [T::zero(); BLOCK];
    for (input, output) in input.chunks(BLOCK).zip(output.chunks_mut(BLOCK)) {
        let exponents = &mut exponents[..input.len()];
        for (place, &x) in exponents.iter_mut().zip(input) {
            let w = w(x);
            // Not `-w.abs()`: at 0, one branch is smooth where the absolute value is not.
            *place = if w > T::zero() { -w } else { w };
        }
        T::exp_slice(exponents, output);
        for (place, &x) in output.iter_mut().zip(input) {
            *place = f(x, *place);
        }
    }
}

/// `upstream · f(x, e^(-|w(x)|))` of every element.
pub(super) fn scaled_with_decay<T: Element>(
    upstream: &Tensor<T>,
    x: &Tensor<T>,
    w: impl Fn(T) -> T + Copy + Sync,
    f: impl Fn(T, T) -> T + Copy + Sync,
) -> Result<Tensor<T>> {
    upstream.zip_slice(x, |upstream, x, output| {
        let inputs = upstream.chunks(BLOCK).zip(x.chunks(BLOCK));
        for ((upstream, x), output) in inputs.zip(output.chunks_mut(BLOCK)) {
            with_decay(x, output, w, f);
            for (place, &u) in output.iter_mut().zip(upstream) {
                *place = u * *place;
            }
        }
    })
}

/// `σ(w)` from `decay = e^(-|w|)`.
pub(super) fn logistic<T: Element>(w: T, decay: T) -> T {
    let larger = T::one() / (T::one() + decay);
    if w > T::zero() {
        larger
    } else {
        decay * larger
    }
}

/// `σ(w) σ(-w)`, the derivative of `σ`, from `decay = e^(-|w|)`.
pub(super) fn logistic_slope<T: Element>(decay: T) -> T {
    let larger = T::one() / (T::one() + decay);
    decay * larger * larger
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_show() {
        let x: Vec<f64> = (0..BLOCK + 3).map(|i| i as f64 / 100.0 - 1.0).collect();
        let mut gates = vec![0.0; x.len()];
        with_decay(&x, &mut gates, |x| x, logistic);
        for (&x, gate) in x.iter().zip(gates) {
            let mut alone = [0.0];
            with_decay(&[x], &mut alone, |x| x, logistic);
            assert_eq!(gate, alone[0]);
        }
    }
}
