//! Extents of a tensor, inline up to rank 3.
//!
//! Invariant: rank is not capped, and no count is formed without an overflow check.

mod axes;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

pub(crate) use self::axes::check_permutation;
pub use self::axes::{check_axis, check_distinct};
use crate::error::{Result, TensorError};

/// Extents or strides of small rank, without an allocation up to rank 4.
pub(crate) type Extents = SmallVec<[usize; 4]>;

/// The rank up to which a shape needs no allocation: every tensor of a graph holds one, so that room for
/// more would slow small tensors down.
const INLINE_RANK: usize = 3;

/// The extents of a tensor, outermost first; rank 0 is a scalar.
#[derive(Clone)]
pub struct Shape(Repr);

#[derive(Clone)]
enum Repr {
    Inline(Inline),
    Heap(Arc<[usize]>),
}

/// Four words that are copied and compared as one block; extents past the rank are 0.
///
/// A block that is written by words and read as a block soon after waits for the writes. So the rank is a whole
/// word, and [`Repr`] tells its variants apart by it instead of a word of its own.
#[derive(Clone, Copy)]
#[repr(C)]
struct Inline {
    extents: [usize; INLINE_RANK],
    rank: InlineRank,
}

#[derive(Clone, Copy)]
#[repr(usize)]
enum InlineRank {
    Zero,
    One,
    Two,
    Three,
}

impl Shape {
    /// The number of elements.
    ///
    /// A shape with a zero extent holds no element, even where the product of its other extents
    /// would overflow: nothing is stored and no address is formed.
    ///
    /// # Errors
    /// `ShapeOverflow` where the product does not fit into `usize`.
    pub fn element_count(&self) -> Result<usize, TensorError> {
        element_count(self)
    }

    /// Checks that rows of a width fill a tensor of this shape.
    pub(crate) fn check_rows(&self, width: usize) -> Result<(), TensorError> {
        let count = self.element_count()?;
        match count == 0 || (width > 0 && count.is_multiple_of(width)) {
            true => Ok(()),
            false => Err(TensorError::RowWidth {
                shape: self.to_vec(),
                width,
            }),
        }
    }

    /// Checks that the other shape is this one.
    #[inline]
    pub(crate) fn check_equal(&self, other: &Self) -> Result<(), TensorError> {
        match self == other {
            true => Ok(()),
            false => Err(self.mismatch(other)),
        }
    }

    #[cold]
    fn mismatch(&self, other: &Self) -> TensorError {
        TensorError::ShapeMismatch {
            left: self.to_vec(),
            right: other.to_vec(),
        }
    }

    /// Row-major strides of contiguous storage, in elements.
    #[must_use]
    pub fn strides(&self) -> SmallVec<[usize; 4]> {
        row_major_strides(self)
    }
}

/// The number of elements of a shape; see [`Shape::element_count`].
pub(crate) fn element_count(shape: &[usize]) -> Result<usize, TensorError> {
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1_usize, |count, &extent| count.checked_mul(extent))
        .ok_or_else(|| TensorError::ShapeOverflow {
            shape: shape.to_vec(),
        })
}

/// Row-major strides. They saturate, which only a shape without elements can bring about.
pub(crate) fn row_major_strides(shape: &[usize]) -> Extents {
    let mut strides = Extents::from_elem(1, shape.len());
    let mut stride = 1_usize;
    for (place, &extent) in strides.iter_mut().zip(shape).rev() {
        *place = stride;
        stride = stride.saturating_mul(extent);
    }
    strides
}

/// The strides by which a traversal of `to` walks what has the extents `from` and their `strides`, 0 where it
/// repeats them; `from` is known to broadcast to `to`.
pub(super) fn repeating_strides(from: &[usize], strides: &[usize], to: &[usize]) -> Extents {
    let missing = to.len() - from.len();
    let mut steps = Extents::from_elem(0, missing);
    let axes = from.iter().zip(strides).zip(&to[missing..]);
    steps.extend(axes.map(
        |((extent, &stride), target)| {
            if extent == target { stride } else { 0 }
        },
    ));
    steps
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Inline(own), Repr::Inline(other)) => {
                // Without a call: most shapes that are compared are equal.
                let extents = own.extents.iter().zip(&other.extents);
                let ranks = own.rank as usize ^ other.rank as usize;
                extents.fold(ranks, |bits, (x, y)| bits | (x ^ y)) == 0
            }
            _ => **self == **other,
        }
    }
}

impl Eq for Shape {}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self(Repr::Inline(Inline {
            extents: [0; INLINE_RANK],
            rank: InlineRank::Zero,
        }))
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Repr::Inline(Inline { extents, rank }) => {
                extents.get(..*rank as usize).unwrap_or(extents)
            }
            Repr::Heap(extents) => extents,
        }
    }
}

impl AsRef<[usize]> for Shape {
    fn as_ref(&self) -> &[usize] {
        self
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl From<Vec<usize>> for Shape {
    fn from(extents: Vec<usize>) -> Self {
        Self::from(extents.as_slice())
    }
}

impl From<&Vec<usize>> for Shape {
    fn from(extents: &Vec<usize>) -> Self {
        Self::from(extents.as_slice())
    }
}

impl From<&[usize]> for Shape {
    fn from(given: &[usize]) -> Self {
        let rank = match given.len() {
            0 => InlineRank::Zero,
            1 => InlineRank::One,
            2 => InlineRank::Two,
            INLINE_RANK => InlineRank::Three,
            _ => return Self(Repr::Heap(given.into())),
        };
        let mut extents = [0; INLINE_RANK];
        for (place, &extent) in extents.iter_mut().zip(given) {
            *place = extent;
        }
        Self(Repr::Inline(Inline { extents, rank }))
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(extents: [usize; N]) -> Self {
        Self::from(extents.as_slice())
    }
}

impl<const N: usize> From<&[usize; N]> for Shape {
    fn from(extents: &[usize; N]) -> Self {
        Self::from(extents.as_slice())
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}

impl From<Extents> for Shape {
    fn from(extents: Extents) -> Self {
        Self::from(extents.as_slice())
    }
}

impl From<Shape> for Vec<usize> {
    fn from(shape: Shape) -> Self {
        shape.to_vec()
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(extents: I) -> Self {
        Self::from(extents.into_iter().collect::<Extents>())
    }
}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        **self == *other
    }
}

impl PartialEq<Vec<usize>> for Shape {
    fn eq(&self, other: &Vec<usize>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_has_one_element() {
        assert_eq!(Shape::from([]).element_count(), Ok(1));
    }

    #[test]
    fn a_product_that_overflows_is_refused() {
        let shape = Shape::from([usize::MAX, 2]);
        assert_eq!(
            shape.element_count(),
            Err(TensorError::ShapeOverflow {
                shape: vec![usize::MAX, 2]
            })
        );
    }

    #[test]
    fn a_zero_extent_holds_nothing_even_beside_an_overflow() {
        assert_eq!(Shape::from([usize::MAX, 2, 0]).element_count(), Ok(0));
        assert_eq!(Shape::from([0, usize::MAX, 2]).element_count(), Ok(0));
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(Shape::from([2, 3, 4]).strides().as_slice(), [12, 4, 1]);
    }

    #[test]
    fn a_shape_prints_like_a_list() {
        assert_eq!(
            format!("{} {:?}", Shape::from([2, 3]), Shape::from([0; 5])),
            "[2, 3] [0, 0, 0, 0, 0]"
        );
    }
}
