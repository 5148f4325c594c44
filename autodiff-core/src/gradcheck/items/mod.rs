//! The items of the check, one function each.

mod adjoint;
mod agreement;
mod dispatch;
mod jacobian;
mod precision;
mod purity;
mod reuse;
mod second_order;
mod shape;
mod subsets;
mod upstream;

pub(super) use adjoint::adjoint_identity;
pub(super) use agreement::{Forward, forward};
pub(super) use dispatch::dispatch;
pub(super) use jacobian::jacobian;
pub(super) use precision::precision;
pub(super) use purity::purity;
pub(super) use reuse::reuse;
pub(super) use second_order::second_order;
pub(super) use shape::shape;
pub(super) use subsets::subsets;
pub(super) use upstream::upstream;

use super::element::Checked;
use super::finding::Found;
use super::report::Outcome;
use super::sample::Sample;
use super::stream::Stream;
use crate::tensor::Tensor;

/// What an item comes to: an outcome, or what it found wrong.
pub(super) type Item = Result<Outcome, Found>;

/// Random cotangents or directions of these shapes: see [`Stream::signed`].
pub(super) fn directions(sample: &Sample, purpose: u64, like: &[Tensor<f64>]) -> Vec<Tensor<f64>> {
    let mut stream = Stream::new(sample.values, purpose);
    let direction = |tensor: &Tensor<f64>| {
        let mut direction = tensor.clone();
        direction.as_mut_slice().fill_with(|| stream.signed());
        direction
    };
    like.iter().map(direction).collect()
}

/// The cotangents of one draw in an element type, with these tangents where it has one.
pub(super) fn lift_pair<T: Checked>(value: &Tensor<f64>, tangent: &Tensor<f64>) -> Tensor<T> {
    let mut tangents = tangent.as_slice().iter().copied();
    let values = value
        .as_slice()
        .iter()
        .map(|&value| T::lift(value, tangents.next().unwrap_or(0.0)));
    let lifted: Vec<T> = values.collect();
    // The count is that of `value`, so this cannot fail.
    Tensor::from_vec(value.shape(), lifted).unwrap_or_else(|_| value.map(|x| T::lift(x, 0.0)))
}
