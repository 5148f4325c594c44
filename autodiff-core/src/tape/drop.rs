//! Dropping graphs of any depth in constant stack space.
//!
//! Invariant: on one thread at most one node's drop is dropping parents; every other drop that begins
//! meanwhile hands its parents over to it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::node::{Edges, Node, Record};
use crate::tensor::Element;

thread_local! {
    static IS_DRAINING: Cell<bool> = const { Cell::new(false) };
    static HANDED_OVER: RefCell<Vec<Box<dyn Orphans>>> = const { RefCell::new(Vec::new()) };
}

/// Edges of a dropped node, of whatever element type.
trait Orphans {
    fn drain(self: Box<Self>);
}

impl<T: Element> Orphans for Edges<T> {
    fn drain(self: Box<Self>) {
        drop_parents(*self);
    }
}

/// Drops parents that nobody else holds together with all that only they hold.
fn drop_parents<T: Element>(edges: Edges<T>) {
    let mut doomed = edges;
    while let Some(mut edge) = doomed.pop() {
        if let Some(node) = Arc::get_mut(&mut edge.parent.0) {
            doomed.append(&mut node.record.take_edges());
        }
        // If another thread let go of the parent since the question, its drop begins here and hands
        // its own parents over.
        drop(edge);
    }
}

impl<T: Element, R: ?Sized + Record<T>> Drop for Node<T, R> {
    fn drop(&mut self) {
        let edges = self.record.take_edges();
        if edges.is_empty() {
            return;
        }
        if IS_DRAINING.get() {
            hand_over(edges);
            return;
        }
        IS_DRAINING.set(true);
        let _draining = Draining;
        drop_parents(edges);
        while let Some(orphans) = next_handed_over() {
            orphans.drain();
        }
    }
}

/// Ends the draining also where the destructor of a saved value panics.
struct Draining;

impl Drop for Draining {
    fn drop(&mut self) {
        IS_DRAINING.set(false);
    }
}

fn hand_over<T: Element>(edges: Edges<T>) {
    let mut orphans: Option<Box<dyn Orphans>> = Some(Box::new(edges));
    // While the thread is ending its list may be gone already; then the parents are dropped in place.
    let _ = HANDED_OVER.try_with(|list| {
        if let Ok(mut list) = list.try_borrow_mut() {
            list.extend(orphans.take());
        }
    });
    if let Some(orphans) = orphans {
        orphans.drain();
    }
}

fn next_handed_over() -> Option<Box<dyn Orphans>> {
    HANDED_OVER
        .try_with(|list| list.try_borrow_mut().ok().and_then(|mut list| list.pop()))
        .ok()
        .flatten()
}
