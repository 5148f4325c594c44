//! Nodes that no declaration made: what generated code does, done wrongly by hand.

use std::any::Any;

use autodiff_core::__private::{Place, Recorder};
use autodiff_core::Identity;
use autodiff_core::rule::{SavedContext, SavedField};
use autodiff_ops::prelude::*;

/// An operation that nobody declared.
pub static STRAY: Identity = Identity::new("stray", "nowhere::stray");

/// A saved context that no rule knows.
struct Foreign;

impl<T: Element> SavedContext<T> for Foreign {
    fn fields(&self, _vjp: usize) -> Vec<SavedField<T>> {
        Vec::new()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A node that says `operation` made it from `x`, with a saved context that is not the operation's.
pub fn forged<T: Element>(operation: Operation, x: &TensorValue<T>) -> Result<TensorValue<T>> {
    let mut recorder = Recorder::new(operation);
    let own = recorder.operand(x, Place::single(0))?;
    recorder.finish(&[&own], own.primal().clone(), Foreign)
}
