//! Exponentials of `-|w|`, from which logistic functions are made.
//!
//! Invariant: no exponential is of a positive number, so nothing overflows, whatever the input.

use autodiff_core::prelude::*;

/// `e^(-|w|)`.
pub(super) fn decay<T: Element>(w: T) -> T {
    // Not `-w.abs()`: at 0, one branch is smooth where the absolute value is not.
    (if w > T::zero() { -w } else { w }).exp()
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
