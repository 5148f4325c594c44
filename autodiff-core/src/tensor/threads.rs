//! The threads that loops may be split between.
//!
//! Invariant: a thread pool is entered by [`Threads::run`] alone; what runs within it only splits.

use super::mode::{Mode, in_mode, mode, with_mode};
use crate::error::TensorError;

/// Threads for loops over long tensors, started once and used by every [`run`](Self::run).
///
/// Several callers may share them. While one waits for a part of its loop, its thread may run what another one
/// brought: so do not hold a lock over operations within a run that another run may want.
#[derive(Debug)]
pub struct Threads(Option<rayon::ThreadPool>);

impl Threads {
    /// Starts `count` threads; one is the caller's own.
    ///
    /// # Errors
    /// `Threads` for no thread, and where the system refuses to start them.
    pub fn new(count: usize) -> Result<Self, TensorError> {
        let refused = |reason: String| TensorError::Threads { count, reason };
        match count {
            0 => Err(refused("at least one is needed".to_owned())),
            1 => Ok(Self(None)),
            _ => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
                Ok(Self(Some(
                    pool.map_err(|error| refused(error.to_string()))?,
                )))
            }
        }
    }

    /// Runs `f` with its loops split between the threads; the bits of every result are those of one thread.
    ///
    /// With more than one, `f` runs on a thread of the pool; a [`no_grad`](crate::no_grad) or
    /// [`keep_values`](crate::keep_values) around this call holds in it too, and in no other run.
    /// Entering costs some microseconds: it is meant to be done once a pass. What `f` itself hands to rayon may
    /// run in the mode of whatever waits there.
    pub fn run<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.0 else {
            return alone(f);
        };
        let splitting = true;
        let own = Mode {
            splitting,
            ..mode()
        };
        // A thread of another pool goes on with that pool's work while it waits.
        in_mode(Mode::START, || pool.install(|| in_mode(own, f)))
    }
}

/// Runs `f` on [`Threads`] of its own.
///
/// # Errors
/// As for [`Threads::new`].
pub fn with_threads<R: Send>(count: usize, f: impl FnOnce() -> R + Send) -> Result<R, TensorError> {
    Ok(Threads::new(count)?.run(f))
}

/// How many threads the caller may split its work between: one, but within [`Threads::run`].
#[must_use]
pub fn thread_count() -> usize {
    match mode().splitting {
        true => rayon::current_num_threads(),
        false => 1,
    }
}

/// Runs `scope` on this thread alone. What holds a lock must not split its loops: while the thread waited for a
/// part, it might run what wants the same lock.
pub(crate) fn alone<R>(scope: impl FnOnce() -> R) -> R {
    with_mode(|mode| mode.splitting = false, scope)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::tensor::for_ranges;

    /// Long enough to be split.
    const LONG: usize = 1 << 16;

    #[test]
    fn a_mode_goes_along_into_a_run_and_into_every_part() {
        let unusual = Mode {
            recording: false,
            keeping: true,
            splitting: true,
        };
        let threads = Threads::new(2).unwrap();
        let seen = Mutex::new(Vec::new());
        let note = || seen.lock().unwrap().push(mode());
        in_mode(unusual, || {
            threads.run(|| {
                note();
                for_ranges(LONG, 1, |_| note());
                note();
            });
        });
        let seen = seen.into_inner().unwrap();
        assert!(seen.len() > 4);
        assert!(seen.iter().all(|&mode| mode == unusual), "{seen:?}");
        let splitting = true;
        let of_a_run = Mode {
            splitting,
            ..Mode::START
        };
        assert_eq!(threads.run(mode), of_a_run);
    }

    #[test]
    fn a_run_of_one_thread_has_one_within_a_run_of_two_as_well() {
        let within = with_threads(2, || with_threads(1, thread_count));
        assert_eq!(within.unwrap().unwrap(), 1);
    }

    #[test]
    fn in_a_pool_of_somebody_else_a_loop_has_one_part() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        assert_eq!(pool.unwrap().install(thread_count), 1);
    }

    #[test]
    fn alone_a_loop_has_one_part() {
        let parts = Mutex::new(0);
        let count = || for_ranges(LONG, 1, |_| *parts.lock().unwrap() += 1);
        with_threads(2, || alone(count)).unwrap();
        assert_eq!(*parts.lock().unwrap(), 1);
        with_threads(2, count).unwrap();
        assert!(*parts.lock().unwrap() > 2);
    }
}
