//! Code compiled once for every width of vectors, and the widest one chosen when it runs.
//!
//! Invariant: no result depends on the width. Every element goes through the same operations in the same
//! order, and the compiler never contracts a product and a sum into one rounding.

/// Runs `f` compiled for the widest vectors of the machine.
///
/// What `f` calls is compiled with it only where it is inlined.
///
/// ```
/// use autodiff_core::tensor::vectorized;
///
/// let mut x = [1.0, 2.0, 3.0];
/// vectorized(|| x.iter_mut().for_each(|x| *x *= 2.0));
/// assert_eq!(x, [2.0, 4.0, 6.0]);
/// ```
#[inline(always)]
pub fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    // Without optimisation nothing becomes a vector, and compiling everything three times takes long.
    #[cfg(debug_assertions)]
    return f();
    #[cfg(not(debug_assertions))]
    return pulp::Arch::new().dispatch(f);
}
