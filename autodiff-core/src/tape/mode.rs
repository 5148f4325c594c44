//! Whether operations of this thread record history.

use std::cell::Cell;

thread_local! {
    static NO_GRAD_DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Runs `scope` without recording: results are untracked, save nothing and keep no operand alive.
///
/// Scopes nest, end when `scope` panics, and apply to the calling thread only. Released nodes may be
/// read in one.
///
/// ```
/// use autodiff_core::prelude::*;
///
/// # fn main() -> Result<()> {
/// let weight = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 2.0])?)?;
/// let shape = no_grad(|| weight.shape());
/// assert_eq!(shape, [2]);
/// # Ok(())
/// # }
/// ```
pub fn no_grad<R>(scope: impl FnOnce() -> R) -> R {
    at_depth(NO_GRAD_DEPTH.get() + 1, scope)
}

/// Runs `scope` recording, also within [`no_grad`]: what a reverse rule runs again needs a history
/// wherever the pass was asked for.
pub(crate) fn recording<R>(scope: impl FnOnce() -> R) -> R {
    at_depth(0, scope)
}

fn at_depth<R>(depth: usize, scope: impl FnOnce() -> R) -> R {
    struct Leave(usize);

    impl Drop for Leave {
        fn drop(&mut self) {
            NO_GRAD_DEPTH.set(self.0);
        }
    }

    let _leave = Leave(NO_GRAD_DEPTH.replace(depth));
    scope()
}

/// Whether an operation called now records history.
pub(crate) fn is_recording() -> bool {
    NO_GRAD_DEPTH.get() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_nest() {
        no_grad(|| {
            no_grad(|| assert!(!is_recording()));
            assert!(!is_recording());
        });
        assert!(is_recording());
    }

    #[test]
    fn a_panic_ends_the_scope() {
        let outcome =
            std::panic::catch_unwind(|| no_grad(|| std::panic::resume_unwind(Box::new(()))));
        assert!(outcome.is_err());
        assert!(is_recording());
    }

    #[test]
    fn a_scope_is_of_one_thread() {
        no_grad(|| {
            std::thread::scope(|threads| {
                threads.spawn(|| assert!(is_recording()));
            });
        });
    }
}
