//! Whether operations of this thread record history, and whether with it the values.

use crate::tensor::with_mode;

/// Runs `scope` without recording: results are untracked, save nothing and keep no operand alive.
///
/// Scopes nest, end when `scope` panics, and apply to the calling thread only, with what it runs on
/// [`Threads`](crate::Threads). Released nodes may be read in one.
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
    with_mode(|mode| mode.recording = false, scope)
}

/// Runs `scope` recording, also within [`no_grad`]: what a reverse rule runs again needs a history
/// wherever the pass was asked for.
pub(crate) fn recording<R>(scope: impl FnOnce() -> R) -> R {
    with_mode(|mode| mode.recording = true, scope)
}

/// Runs `scope` keeping with every node that it records the node's value.
///
/// Otherwise a graph holds the values that reverse maps have saved, and no others: what stands between
/// operations, and has no handle any more, is let go of. A report on such a graph shows only what it was
/// recorded with; the README has an example.
pub fn keep_values<R>(scope: impl FnOnce() -> R) -> R {
    with_mode(|mode| mode.keeping = true, scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::mode;

    #[test]
    fn scopes_nest() {
        no_grad(|| {
            no_grad(|| assert!(!mode().recording));
            assert!(!mode().recording);
        });
        assert!(mode().recording);
    }

    #[test]
    fn values_are_kept_within_the_scope_only() {
        keep_values(|| keep_values(|| assert!(mode().keeping)));
        assert!(!mode().keeping);
        let outcome =
            std::panic::catch_unwind(|| keep_values(|| std::panic::resume_unwind(Box::new(()))));
        assert!(outcome.is_err() && !mode().keeping);
    }

    #[test]
    fn a_panic_ends_the_scope() {
        let outcome =
            std::panic::catch_unwind(|| no_grad(|| std::panic::resume_unwind(Box::new(()))));
        assert!(outcome.is_err());
        assert!(mode().recording);
    }

    #[test]
    fn a_scope_is_of_one_thread() {
        no_grad(|| {
            std::thread::scope(|threads| {
                threads.spawn(|| assert!(mode().recording));
            });
        });
    }
}
