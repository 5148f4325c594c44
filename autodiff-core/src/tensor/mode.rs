//! What holds for all that a thread calls until a scope ends.

use std::cell::Cell;

/// How operations called now are to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    /// With a history of tracked results.
    pub(crate) recording: bool,
    /// With their values kept beside it.
    pub(crate) keeping: bool,
    /// With long loops split between the threads of a run.
    pub(crate) splitting: bool,
}

impl Mode {
    /// What every thread begins with.
    pub(crate) const START: Self = Self {
        recording: true,
        keeping: false,
        splitting: false,
    };
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::START) };
}

/// Runs `scope` in a mode, which ends when `scope` panics too.
pub(crate) fn in_mode<R>(mode: Mode, scope: impl FnOnce() -> R) -> R {
    struct Leave(Mode);

    impl Drop for Leave {
        fn drop(&mut self) {
            MODE.set(self.0);
        }
    }

    let _leave = Leave(MODE.replace(mode));
    scope()
}

/// Runs `scope` in the present mode with a change.
pub(crate) fn with_mode<R>(change: impl FnOnce(&mut Mode), scope: impl FnOnce() -> R) -> R {
    let mut changed = mode();
    change(&mut changed);
    in_mode(changed, scope)
}

/// How operations called now are to run.
pub(crate) fn mode() -> Mode {
    MODE.get()
}
