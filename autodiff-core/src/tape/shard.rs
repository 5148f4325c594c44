//! Who may read the histories of nodes, and who may drop them: one lock for all that a thread made.
//!
//! A pass reads every history that it reaches. A lock a node would cost more than the rule of a small
//! tensor does; here a pass takes one lock, shared, and then reads without any.
//!
//! Invariant: nobody waits for exclusive access, and readers never wait for one who does. A release that
//! finds readers leaves the histories to the last of them, so a rule may run passes and release graphs.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use parking_lot::{RwLock, RwLockReadGuard};
use qcell::{QCell, QCellOwner, QCellOwnerID};
use smallvec::{SmallVec, smallvec};

use super::history::HistoryRef;
use super::node::{Node, NodeRef};
use crate::tensor::Element;

/// Threads beyond this many share, and then a release may find one another's passes reading.
const SHARDS: usize = 64;

static ALL: [LazyLock<Shard>; SHARDS] = [const { LazyLock::new(Shard::new) }; SHARDS];

thread_local! {
    static OWN: &'static Shard = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        &ALL[NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS]
    };
}

/// The nodes that one thread made, as far as reading their histories goes.
pub(crate) struct Shard {
    owner: RwLock<QCellOwner>,
    id: QCellOwnerID,
    /// What releases left to the last reader.
    left: Mutex<Vec<Box<dyn Left>>>,
    has_left: AtomicBool,
}

impl Shard {
    fn new() -> Self {
        let owner = QCellOwner::new();
        Self {
            id: owner.id(),
            owner: RwLock::new(owner),
            left: Mutex::default(),
            has_left: AtomicBool::new(false),
        }
    }

    /// The shard of the nodes that this thread makes.
    pub(crate) fn current() -> &'static Self {
        // While a thread is ending it has no shard of its own any more; any will do.
        OWN.try_with(|own| *own).unwrap_or(&ALL[0])
    }

    /// A cell that is read and written through this shard.
    pub(crate) fn cell<V>(&self, value: V) -> QCell<V> {
        self.id.cell(value)
    }

    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// Drops what releases left, unless somebody is reading.
    fn clear(&self) {
        loop {
            // Either this sees what a release left, or that release sees that this reader has gone.
            fence(Ordering::SeqCst);
            if !self.has_left.load(Ordering::Relaxed) {
                return;
            }
            let Some(mut owner) = self.owner.try_write() else {
                return;
            };
            let left = {
                let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
                self.has_left.store(false, Ordering::Relaxed);
                std::mem::take(&mut *left)
            };
            let taken: Vec<_> = left.iter().map(|nodes| nodes.take(&mut owner)).collect();
            drop(owner);
            drop(taken);
            // Another release may have left something meanwhile, and found this one at work.
        }
    }
}

/// Shared access to the histories of one shard or several.
pub(crate) struct Histories(SmallVec<[(&'static Shard, RwLockReadGuard<'static, QCellOwner>); 1]>);

/// What there is to read of a node.
pub(crate) enum Reading<'a, T: Element> {
    History(HistoryRef<'a, T>),
    /// Nothing: the node is a leaf, is not tracked, or is released.
    Nothing,
    /// Another thread made the node: access to its shard is needed.
    Elsewhere(&'static Shard),
}

impl Histories {
    /// Access to the histories of one shard.
    pub(crate) fn of(shard: &'static Shard) -> Self {
        Self(smallvec![(shard, shard.owner.read_recursive())])
    }

    /// Extends the access to another shard.
    pub(crate) fn add(&mut self, shard: &'static Shard) {
        self.0.push((shard, shard.owner.read_recursive()));
    }

    /// What there is to read of `node`.
    pub(crate) fn read<'a, T: Element>(&'a self, node: &'a Node<T>) -> Reading<'a, T> {
        if node.is_released() {
            return Reading::Nothing;
        }
        let found = self.0.iter().find(|(shard, _)| shard.is(node.shard));
        let Some((_, owner)) = found else {
            return Reading::Elsewhere(node.shard);
        };
        match (node.record.edges(owner), node.record.saved(owner)) {
            (Some(edges), Some(saved)) => Reading::History(HistoryRef {
                edges,
                saved,
                output_index: node.output_index,
            }),
            _ => Reading::Nothing,
        }
    }
}

impl Drop for Histories {
    fn drop(&mut self) {
        for (shard, guard) in self.0.drain(..) {
            drop(guard);
            shard.clear();
        }
    }
}

/// Drops the histories of nodes that are marked as released; those that somebody is reading, later.
pub(crate) fn drop_histories<T: Element>(nodes: Vec<NodeRef<T>>) {
    let mut rest = nodes;
    while let Some(shard) = rest.last().map(|node| node.shard) {
        let (own, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|node| shard.is(node.shard));
        rest = others;
        // Held weakly: a node that goes before its history is taken takes it along.
        let own: Vec<_> = own.iter().map(Arc::downgrade).collect();
        let mut left = shard.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.push(Box::new(own));
        shard.has_left.store(true, Ordering::Relaxed);
        drop(left);
        shard.clear();
    }
}

/// Released nodes of one element type.
trait Left: Send + Sync {
    /// Takes their histories out, for the caller to drop once the shard is unlocked.
    fn take(&self, owner: &mut QCellOwner) -> Box<dyn Any + Send>;
}

impl<T: Element> Left for Vec<Weak<Node<T>>> {
    fn take(&self, owner: &mut QCellOwner) -> Box<dyn Any + Send> {
        let alive = self.iter().filter_map(Weak::upgrade);
        let taken: Vec<_> = alive.map(|node| (node.record.take(owner), node)).collect();
        Box::new(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::prelude::*;

    /// Twice the input.
    #[vjp_rule]
    #[gradcheck(x: [..])]
    fn twice<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
        /// twice upstream
        #[vjp(x)]
        fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
            Ok(upstream.map(|u| u + u))
        }
        Ok(x.map(|x| x + x))
    }

    fn leaf() -> TensorValue {
        TensorValue::parameter(Tensor::scalar(1.0)).unwrap()
    }

    /// Whether the node's history has been dropped, and not only marked.
    fn is_dropped(node: &TensorValue) -> bool {
        let owner = node.node.shard.owner.read_recursive();
        node.node.record.edges(&owner).is_none()
    }

    fn release(node: &TensorValue) {
        let seed = Tensor::scalar(1.0);
        node.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
    }

    #[test]
    fn a_release_drops_the_histories_that_nobody_reads() {
        let node = twice(&leaf()).unwrap();
        release(&node);
        assert!(node.is_released() && is_dropped(&node));
    }

    #[test]
    fn a_history_that_is_being_read_is_dropped_by_its_last_reader() {
        let node = twice(&leaf()).unwrap();
        let reader = Histories::of(node.node.shard);
        let other = Histories::of(node.node.shard);
        release(&node);
        assert!(node.is_released() && !is_dropped(&node));
        drop(reader);
        assert!(!is_dropped(&node));
        drop(other);
        assert!(is_dropped(&node));
    }

    #[test]
    fn a_released_node_that_goes_while_it_is_read_takes_its_history_along() {
        let x = leaf();
        let node = twice(&x).unwrap();
        let reader = Histories::of(node.node.shard);
        release(&node);
        drop(node);
        // Nothing but this test holds the leaf any more.
        assert_eq!(Arc::strong_count(&x.node), 1);
        drop(reader);
    }

    #[test]
    fn a_graph_that_two_threads_made_is_reversed_and_released_as_one() {
        let x = leaf();
        let made_elsewhere =
            thread::scope(|scope| scope.spawn(|| twice(&twice(&x).unwrap()).unwrap()).join());
        let middle = made_elsewhere.unwrap();
        let output = twice(&middle).unwrap();
        release(&output);
        assert_eq!(x.gradient_snapshot().unwrap().as_slice(), [8.0]);
        assert!(is_dropped(&output) && is_dropped(&middle));
    }
}
