//! Planted faults: wrong contributions in place of a rule's own, to show that the check notices.

use std::cell::Cell;
use std::fmt;

use super::element::Checked;
use super::numeric::largest;
use crate::tensor::{ElementKind, Tensor};

/// A fault to plant into one contribution of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Which operand use it is wrong for.
    pub operand: usize,
    /// The element type that it is wrong on.
    pub element: ElementKind,
}

/// How a planted contribution is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Its sign is wrong.
    Sign,
    /// It is twice as large.
    Doubled,
    /// It is what an upstream of ones would give.
    DroppedUpstream,
    /// It is that of another operand use.
    SwappedOperands,
    /// Its shape has one axis too many.
    WrongShape,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Sign,
        Self::Doubled,
        Self::DroppedUpstream,
        Self::SwappedOperands,
        Self::WrongShape,
    ];
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sign => "sign",
            Self::Doubled => "factor-2",
            Self::DroppedUpstream => "dropped-upstream",
            Self::SwappedOperands => "swapped-operands",
            Self::WrongShape => "wrong-shape",
        })
    }
}

/// What a planted fault did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// The fault.
    pub fault: Fault,
    /// How many contributions it replaced.
    pub replaced: usize,
    /// How many of them it made another contribution. Where this is 0 the fault was none: a sum's two
    /// contributions can be swapped, and the sign of a zero can be flipped.
    pub altered: usize,
}

impl FaultReport {
    /// Why the fault was none, if it was not.
    pub fn no_fault(&self) -> Option<NoFault> {
        match (self.replaced, self.altered) {
            (0, _) => Some(NoFault::NoSuchOperand),
            (_, 0) => Some(NoFault::SameContributions),
            _ => None,
        }
    }
}

/// Why a planted fault makes nothing wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFault {
    /// The rule has no such operand use, or no other one to swap it with.
    NoSuchOperand,
    /// No contribution changed by more than 1 %: what was put in its place is as right.
    SameContributions,
}

/// A fault at work.
#[derive(Debug)]
pub(super) struct Planted {
    fault: Fault,
    replaced: Cell<usize>,
    altered: Cell<usize>,
}

/// A change of less than this part of a contribution is not one that arithmetic in `f32` could show.
const MATERIAL: f64 = 1e-2;

impl Planted {
    pub(super) fn new(fault: Fault) -> Self {
        Self {
            fault,
            replaced: Cell::new(0),
            altered: Cell::new(0),
        }
    }

    pub(super) fn report(&self) -> FaultReport {
        FaultReport {
            fault: self.fault,
            replaced: self.replaced.get(),
            altered: self.altered.get(),
        }
    }

    /// Whether it is planted into the rule for this element type.
    pub(super) fn is_for<T: Checked>(&self) -> bool {
        self.fault.element == T::KIND
    }

    /// The contribution that takes the place of an operand use's own, if there is one.
    ///
    /// `truth` are the contributions to this upstream, `ones` those to an upstream of ones.
    pub(super) fn replacement<T: Checked>(
        &self,
        truth: &[Option<Tensor<T>>],
        ones: &[Option<Tensor<T>>],
    ) -> Option<(usize, Tensor<T>)> {
        let operand = self.fault.operand;
        let own = truth.get(operand)?.as_ref()?;
        let replacement = match self.fault.kind {
            FaultKind::Sign => own.map(|x| -x),
            FaultKind::Doubled => own.map(|x| x + x),
            FaultKind::DroppedUpstream => ones.get(operand)?.clone()?,
            FaultKind::SwappedOperands => truth.get(self.other(truth.len())?)?.clone()?,
            FaultKind::WrongShape => {
                let shape: Vec<usize> = std::iter::once(1)
                    .chain(own.shape().iter().copied())
                    .collect();
                own.with_shape(shape).ok()?
            }
        };
        self.replaced.set(self.replaced.get() + 1);
        if is_material(own, &replacement) {
            self.altered.set(self.altered.get() + 1);
        }
        Some((operand, replacement))
    }

    fn other(&self, operands: usize) -> Option<usize> {
        let other = (self.fault.operand + 1) % operands.max(1);
        (other != self.fault.operand).then_some(other)
    }
}

fn is_material<T: Checked>(own: &Tensor<T>, replacement: &Tensor<T>) -> bool {
    if own.shape() != replacement.shape() {
        return true;
    }
    let parts =
        |tensor: &Tensor<T>| -> Vec<f64> { tensor.as_slice().iter().map(|x| x.to_f64()).collect() };
    let (own, replacement) = (parts(own), parts(replacement));
    let change = largest(
        own.iter()
            .zip(&replacement)
            .map(|(own, replacement)| own - replacement),
    );
    change > MATERIAL * largest(&own).max(largest(&replacement))
}
