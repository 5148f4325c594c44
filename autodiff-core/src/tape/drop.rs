//! Dropping graphs of any depth in constant stack space.
//!
//! Invariant: on one thread and of one element type at most one drop is working through the orphans;
//! every other drop that begins meanwhile leaves its parents to it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::mem::{ManuallyDrop, take};
use std::thread::LocalKey;

use smallvec::SmallVec;

use super::history::Record;
use super::node::{Node, NodeRef};
use crate::tensor::{Dual, Element};

/// Nodes that lost a child, to be let go of one after the other.
struct Orphans<T: Element> {
    is_working: Cell<bool>,
    /// Never dropped, and so at hand also while the thread ends; empty whenever nobody is working.
    waiting: ManuallyDrop<RefCell<SmallVec<[NodeRef<T>; 4]>>>,
}

impl<T: Element> Orphans<T> {
    const fn new() -> Self {
        Self {
            is_working: Cell::new(false),
            waiting: ManuallyDrop::new(RefCell::new(SmallVec::new_const())),
        }
    }

    fn push(&self, orphan: NodeRef<T>) {
        self.waiting.borrow_mut().push(orphan);
    }

    fn pop(&self) -> Option<NodeRef<T>> {
        self.waiting.borrow_mut().pop()
    }
}

thread_local! {
    static F32: Orphans<f32> = const { Orphans::new() };
    static F64: Orphans<f64> = const { Orphans::new() };
    static DUAL: Orphans<Dual<f64>> = const { Orphans::new() };
}

fn orphans<T: Element>() -> Option<&'static LocalKey<Orphans<T>>> {
    fn same<A: 'static, B: 'static>(key: &'static A) -> Option<&'static B> {
        (key as &dyn Any).downcast_ref()
    }
    same(&F32).or_else(|| same(&F64)).or_else(|| same(&DUAL))
}

impl<T: Element, R: ?Sized + Record<T>> Drop for Node<T, R> {
    fn drop(&mut self) {
        if self.tracked && !self.is_parameter() {
            leave(self.record.as_dyn());
        }
    }
}

/// Leaves the parents of a node that is being dropped to whoever is working, or else works through them.
fn leave<T: Element>(record: &mut dyn Record<T>) {
    let Some(orphans) = orphans::<T>() else {
        return;
    };
    orphans.with(|orphans| {
        let is_first = !orphans.is_working.replace(true);
        let working = is_first.then(|| Working(orphans));
        record.bequeath(&mut |parent| orphans.push(parent));
        if working.is_none() {
            return;
        }
        while let Some(orphan) = orphans.pop() {
            // If nobody else holds the orphan, its own parents wait from here on.
            drop(orphan);
        }
    });
}

/// Ends the work also where the destructor of a saved value panics.
struct Working<'a, T: Element>(&'a Orphans<T>);

impl<T: Element> Drop for Working<'_, T> {
    fn drop(&mut self) {
        self.0.is_working.set(false);
        // A list that has grown gives its memory back. It holds nodes only after a panic, and they leave
        // their parents here again: so the list is let go of first.
        let rest = take(&mut *self.0.waiting.borrow_mut());
        drop(rest);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use super::*;
    use crate::prelude::*;

    thread_local! {
        static NEXT_DROP_PANICS: Cell<bool> = const { Cell::new(false) };
    }

    /// A saved value of the user's whose destructor may panic.
    #[derive(Clone, Debug)]
    struct Fragile;

    impl Drop for Fragile {
        fn drop(&mut self) {
            assert!(
                !NEXT_DROP_PANICS.replace(false),
                "a destructor of the user's"
            );
        }
    }

    /// The input.
    #[vjp_rule]
    #[gradcheck(x: [m])]
    fn held<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
        /// upstream
        #[vjp(x)]
        fn x_vjp(upstream: &Tensor<T>, fragile: &Fragile) -> Result<Tensor<T>> {
            let Fragile = fragile;
            Ok(upstream.clone())
        }
        let fragile = Fragile;
        Ok(x.clone())
    }

    #[test]
    fn after_a_panic_in_a_saved_value_graphs_are_dropped_as_before() {
        let leaf = TensorValue::parameter(Tensor::scalar(1.0)).unwrap();
        let chain = || held(&held(&held(&leaf).unwrap()).unwrap()).unwrap();
        let first = chain();
        NEXT_DROP_PANICS.set(true);
        assert!(catch_unwind(AssertUnwindSafe(move || drop(first))).is_err());
        drop(chain());
        assert!(!F64.with(|orphans| orphans.is_working.get()));
        assert_eq!(Arc::strong_count(&leaf.node), 1);
    }
}
