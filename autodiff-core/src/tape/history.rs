//! What an operation's node remembers until it is released: its edges, and what they saved.
//!
//! Invariant: edges lead to nodes with smaller creation numbers.

use std::any::Any;
use std::mem::replace;

use qcell::{QCell, QCellOwner};

use super::node::NodeRef;
use super::shard::Shard;
use crate::operation::Operation;
use crate::rule::SavedContext;
use crate::tensor::{Element, Shape};

/// One operand use of an operation.
#[derive(Debug)]
pub struct Edge<T: Element> {
    pub(crate) parent: Parent<T>,
    /// The edges of a variadic operand stand side by side with one place.
    pub(crate) place: Place,
    /// Whether a pass calls the rule when it comes to this edge: every tracked edge of a rule for one
    /// operand, and the first tracked one of a joint rule.
    pub(crate) begins_call: bool,
}

/// The node that an operand is.
#[derive(Clone, Debug)]
pub(crate) enum Parent<T: Element> {
    /// A node that is differentiated, and its revision when its value was used.
    Tracked { node: NodeRef<T>, revision: u64 },
    /// What a trace shows of a node that is not differentiated. The edge does not keep it alive.
    Untracked {
        number: u64,
        operation: Operation,
        shape: Shape,
    },
}

impl<T: Element> Parent<T> {
    /// The creation number.
    pub(crate) fn number(&self) -> u64 {
        match self {
            Self::Tracked { node, .. } => node.number,
            Self::Untracked { number, .. } => *number,
        }
    }

    /// Hands the node to `heir`, where there is one to hand over. What remains is where an edge has led to.
    fn leave_to(&mut self, heir: &mut dyn FnMut(NodeRef<T>)) {
        let Self::Tracked { node, .. } = self else {
            return;
        };
        let left = Self::Untracked {
            number: node.number,
            operation: node.operation,
            shape: Shape::default(),
        };
        if let Self::Tracked { node, .. } = replace(self, left) {
            heir(node);
        }
    }

    /// The node, if it is differentiated.
    pub(crate) fn tracked(&self) -> Option<&NodeRef<T>> {
        match self {
            Self::Tracked { node, .. } => Some(node),
            Self::Untracked { .. } => None,
        }
    }
}

/// A declared operand, as the reverse map that serves it and its place among that map's operands.
///
/// Narrow, since every operand use of a graph holds one: both count parameters of one function, or the
/// uses that one block makes of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    slot: u32,
    vjp: u16,
    joint: bool,
}

impl Place {
    /// The operand of a rule for one operand.
    pub const fn single(vjp: u16) -> Self {
        Self {
            slot: 0,
            vjp,
            joint: false,
        }
    }

    /// An operand of a joint rule.
    pub const fn joint(vjp: u16, slot: u32) -> Self {
        Self {
            slot,
            vjp,
            joint: true,
        }
    }

    pub(crate) fn vjp(self) -> usize {
        usize::from(self.vjp)
    }

    pub(crate) fn slot(self) -> usize {
        self.slot as usize
    }

    pub(crate) fn is_joint(self) -> bool {
        self.joint
    }
}

/// The edges of one node, in operand order.
pub trait Edges<T: Element>: AsRef<[Edge<T>]> + AsMut<[Edge<T>]> + Send + Sync + 'static {}

impl<T: Element, const N: usize> Edges<T> for [Edge<T>; N] {}
impl<T: Element> Edges<T> for Vec<Edge<T>> {}

/// Edges and saved context, each of the type that the operation has for it.
#[derive(Debug)]
pub(crate) struct History<E, S> {
    pub(crate) edges: E,
    pub(crate) saved: S,
}

/// The borrowed form of a history, whatever its types.
#[derive(Clone, Copy)]
pub(crate) struct HistoryRef<'a, T: Element> {
    pub(crate) edges: &'a [Edge<T>],
    pub(crate) saved: &'a dyn SavedContext<T>,
    pub(crate) output_index: usize,
}

/// The last field of a node: the part whose type depends on the operation, in the same allocation.
pub(crate) trait Record<T: Element>: Send + Sync {
    /// The edges, unless the history has been taken.
    fn edges<'a>(&'a self, owner: &'a QCellOwner) -> Option<&'a [Edge<T>]>;

    /// The saved context, unless the history has been taken.
    fn saved<'a>(&'a self, owner: &'a QCellOwner) -> Option<&'a dyn SavedContext<T>>;

    /// Takes the history out, for the caller to drop once nothing is locked: a saved value may have a
    /// destructor of the user's.
    fn take(&self, owner: &mut QCellOwner) -> Option<Box<dyn Any + Send>>;

    /// Hands the tracked parents of a node that is being dropped to `heir`.
    fn bequeath(&mut self, heir: &mut dyn FnMut(NodeRef<T>));

    /// The record whatever its type, so that what all nodes do alike is compiled once.
    fn as_dyn(&mut self) -> &mut dyn Record<T>;
}

/// The record of a leaf, or of a result that is not tracked.
pub(crate) struct NoRecord;

impl<T: Element> Record<T> for NoRecord {
    fn edges<'a>(&'a self, _: &'a QCellOwner) -> Option<&'a [Edge<T>]> {
        None
    }

    fn saved<'a>(&'a self, _: &'a QCellOwner) -> Option<&'a dyn SavedContext<T>> {
        None
    }

    fn take(&self, _: &mut QCellOwner) -> Option<Box<dyn Any + Send>> {
        None
    }

    fn bequeath(&mut self, _: &mut dyn FnMut(NodeRef<T>)) {}

    fn as_dyn(&mut self) -> &mut dyn Record<T> {
        self
    }
}

/// The record of a tracked result.
pub(crate) struct Recorded<E, S>(QCell<Option<History<E, S>>>);

impl<E, S> Recorded<E, S> {
    #[inline]
    pub(crate) fn new(shard: &'static Shard, history: History<E, S>) -> Self {
        Self(shard.cell(Some(history)))
    }
}

impl<T: Element, E: Edges<T>, S: SavedContext<T>> Record<T> for Recorded<E, S> {
    fn edges<'a>(&'a self, owner: &'a QCellOwner) -> Option<&'a [Edge<T>]> {
        Some(self.0.ro(owner).as_ref()?.edges.as_ref())
    }

    fn saved<'a>(&'a self, owner: &'a QCellOwner) -> Option<&'a dyn SavedContext<T>> {
        Some(&self.0.ro(owner).as_ref()?.saved)
    }

    fn take(&self, owner: &mut QCellOwner) -> Option<Box<dyn Any + Send>> {
        let history = self.0.rw(owner).take()?;
        Some(Box::new(history))
    }

    fn bequeath(&mut self, heir: &mut dyn FnMut(NodeRef<T>)) {
        if let Some(history) = self.0.get_mut() {
            for edge in history.edges.as_mut() {
                edge.parent.leave_to(heir);
            }
        }
    }

    fn as_dyn(&mut self) -> &mut dyn Record<T> {
        self
    }
}
