//! One plan for broadcast reversal and reduction expansion.
//!
//! A projection lets a *logical* traversal address a smaller storage: every logical axis has an effective
//! stride there, which is 0 where the axis is missing, reused or reduced. Broadcasting goes from the
//! addressed to the logical shape and a reduction the other way; each is the reverse map of the other.
//!
//! Invariant: the logical shape broadcasts the addressed one, so no offset leaves the addressed storage.
//! Invariant: the identity holds no allocation up to rank 3.

use std::fmt;
use std::sync::Arc;

use super::offsets::ProjectedOffsets;
use super::shape::{self, Extents, Shape};
use super::zip::broadcast_shapes;
use crate::error::{Result, TensorAutodiffError, TensorError};

/// How a logical traversal addresses a storage that it visits repeatedly.
#[derive(Clone, PartialEq, Eq)]
pub struct Projection(Plan);

#[derive(Clone, PartialEq, Eq)]
enum Plan {
    Identity(Shape),
    Strided(Arc<Strided>),
}

#[derive(PartialEq, Eq)]
struct Strided {
    logical: Shape,
    addressed: Shape,
    strides: Extents,
    reduced_axes: Extents,
    direction: Direction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Broadcast,
    Reduction,
}

impl Projection {
    /// The projection that changes nothing, of a shape whose elements can be counted.
    pub(super) fn identity(shape: impl Into<Shape>) -> Self {
        Self(Plan::Identity(shape.into()))
    }

    /// Broadcasting of `from` to `to`: trailing axes align, missing and unit axes are repeated.
    ///
    /// # Errors
    /// `IncompatibleBroadcast`; `BroadcastTargetMismatch` where `to` itself would have to grow;
    /// `ShapeOverflow`.
    pub fn broadcast(from: &[usize], to: &[usize]) -> Result<Self> {
        shape::element_count(from)?;
        shape::element_count(to)?;
        if from == to {
            return Ok(Self::identity(to));
        }
        let inferred = broadcast_shapes(from, to)?;
        if *inferred != *to {
            return Err(TensorAutodiffError::BroadcastTargetMismatch {
                input: from.to_vec(),
                requested: to.to_vec(),
                inferred: inferred.to_vec(),
            });
        }
        Ok(Self::onto(&from.into(), &inferred))
    }

    /// The broadcast of a shape to one that it is known to broadcast to.
    pub(super) fn onto(from: &Shape, to: &Shape) -> Self {
        if from == to {
            return Self::identity(to);
        }
        let missing = to.len() - from.len();
        let reduced_axes = (0..to.len())
            .filter(|&axis| {
                axis.checked_sub(missing)
                    .is_none_or(|place| from[place] != to[axis])
            })
            .collect();
        Self(Plan::Strided(Arc::new(Strided {
            strides: broadcast_strides(from, to),
            logical: to.clone(),
            addressed: from.clone(),
            reduced_axes,
            direction: Direction::Broadcast,
        })))
    }

    /// The reduction of `input` over `axes`, which stay with extent 1 where `keep_dim` is set. No axis
    /// reduces nothing.
    ///
    /// # Errors
    /// `AxisOutOfRange`, `DuplicateAxis`, `ShapeOverflow`.
    pub fn reduction(input: &[usize], axes: &[usize], keep_dim: bool) -> Result<Self> {
        shape::element_count(input)?;
        shape::check_distinct(axes, input.len())?;
        if axes.is_empty() {
            return Ok(Self::identity(input));
        }
        let kept = input
            .iter()
            .enumerate()
            .map(|(axis, &extent)| if axes.contains(&axis) { 1 } else { extent });
        let kept: Extents = kept.collect();
        shape::element_count(&kept)?;
        let mut strides = shape::row_major_strides(&kept);
        let mut reduced_axes = Extents::from_slice(axes);
        reduced_axes.sort_unstable();
        for &axis in axes {
            strides[axis] = 0;
        }
        let addressed = match keep_dim {
            true => kept.into(),
            false => (0..input.len())
                .filter(|axis| !axes.contains(axis))
                .map(|axis| input[axis])
                .collect(),
        };
        Ok(Self(Plan::Strided(Arc::new(Strided {
            logical: input.into(),
            addressed,
            strides,
            reduced_axes,
            direction: Direction::Reduction,
        }))))
    }

    /// The shape before the operation: addressed by a broadcast, logical of a reduction.
    #[must_use]
    pub fn input_shape(&self) -> &[usize] {
        match &self.0 {
            Plan::Identity(shape) => shape,
            Plan::Strided(plan) if plan.direction == Direction::Broadcast => &plan.addressed,
            Plan::Strided(plan) => &plan.logical,
        }
    }

    /// The shape after the operation: logical of a broadcast, addressed by a reduction.
    #[must_use]
    pub fn output_shape(&self) -> &[usize] {
        match &self.0 {
            Plan::Identity(shape) => shape,
            Plan::Strided(plan) if plan.direction == Direction::Broadcast => &plan.logical,
            Plan::Strided(plan) => &plan.addressed,
        }
    }

    /// The shape of the traversal.
    #[must_use]
    pub fn logical_shape(&self) -> &[usize] {
        self.logical()
    }

    /// The shape of the storage that the traversal addresses.
    #[must_use]
    pub fn addressed_shape(&self) -> &[usize] {
        self.addressed()
    }

    pub(super) fn logical(&self) -> &Shape {
        match &self.0 {
            Plan::Identity(shape) => shape,
            Plan::Strided(plan) => &plan.logical,
        }
    }

    pub(super) fn addressed(&self) -> &Shape {
        match &self.0 {
            Plan::Identity(shape) => shape,
            Plan::Strided(plan) => &plan.addressed,
        }
    }

    /// The logical axes that are missing, reused or reduced in the addressed storage, ascending.
    #[must_use]
    pub fn reduced_axes(&self) -> &[usize] {
        match &self.0 {
            Plan::Identity(_) => &[],
            Plan::Strided(plan) => &plan.reduced_axes,
        }
    }

    /// The effective stride of every logical axis in the addressed storage.
    #[must_use]
    pub fn strides(&self) -> Vec<usize> {
        self.effective_strides().to_vec()
    }

    pub(super) fn effective_strides(&self) -> Extents {
        match &self.0 {
            Plan::Identity(shape) => shape.strides(),
            Plan::Strided(plan) => Extents::from_slice(&plan.strides),
        }
    }

    /// The addressed offset of every logical element, in row-major order.
    #[must_use]
    pub fn offsets(&self) -> ProjectedOffsets {
        ProjectedOffsets::proven(self.logical(), self.effective_strides())
    }

    /// Whether logical and addressed shape are the same.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        matches!(self.0, Plan::Identity(_))
    }

    /// How many logical elements share one addressed element, and at least one does: the divisor of a
    /// mean.
    ///
    /// # Errors
    /// `EmptyReduction` where the reduced axes hold no element.
    pub fn divisor(&self) -> Result<usize> {
        match self.reduced_count() {
            0 => Err(TensorError::EmptyReduction {
                shape: self.logical().to_vec(),
                axes: self.reduced_axes().to_vec(),
            }
            .into()),
            count => Ok(count),
        }
    }

    /// How many logical elements share one addressed element.
    #[must_use]
    pub fn reduced_count(&self) -> usize {
        let logical = self.logical();
        let extents: Shape = self
            .reduced_axes()
            .iter()
            .map(|&axis| logical[axis])
            .collect();
        // Overflow needs a zero extent elsewhere, and then there is nothing to divide.
        extents.element_count().unwrap_or(usize::MAX)
    }

    #[inline]
    pub(super) fn check_logical(&self, shape: &Shape) -> Result<(), TensorError> {
        self.logical().check_equal(shape)
    }

    #[inline]
    pub(super) fn check_addressed(&self, shape: &Shape) -> Result<(), TensorError> {
        self.addressed().check_equal(shape)
    }
}

/// The strides by which a traversal of `to` reads contiguous elements of shape `from`, 0 where it reuses
/// them; `from` is known to broadcast to `to`.
pub(super) fn broadcast_strides(from: &[usize], to: &[usize]) -> Extents {
    shape::repeating_strides(from, &shape::row_major_strides(from), to)
}

impl fmt::Debug for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Projection")
            .field("input_shape", &self.input_shape())
            .field("output_shape", &self.output_shape())
            .field("reduced_axes", &self.reduced_axes())
            .field("strides", &self.strides())
            .finish()
    }
}

#[cfg(test)]
mod tests;
