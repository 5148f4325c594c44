//! The reverse pass: reach, pull, commit.
//!
//! Invariant: nothing outside the pass changes before the last step that can fail.

use std::sync::Arc;

use super::commit::commit;
use super::node::NodeRef;
use super::pull::pull;
use super::reach::reach;
use super::shard::drop_histories;
use super::trace::{Observer, TensorBackwardPass, Trace};
use super::value::TensorValue;
use crate::error::Result;
use crate::tensor::{Element, Tensor, TensorView};

/// Whether a pass keeps the graph for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphRetention {
    /// Edges and saved contexts stay.
    Retain,
    /// Edges and saved contexts of every reached operation are dropped once the gradients are stored.
    Release,
}

impl<T: Element> TensorValue<T> {
    /// Reverses the graph of a rank-0 value from the seed 1 and keeps the graph.
    ///
    /// Gradients of the reached parameters grow by their adjoints.
    ///
    /// # Errors
    /// As for [`backward_with_seed`](Self::backward_with_seed); a value of another rank is a
    /// [`SeedShapeMismatch`](crate::TensorAutodiffError::SeedShapeMismatch).
    pub fn backward(&self) -> Result<()> {
        let seed = Tensor::scalar(T::one());
        run(self, &seed.view(), GraphRetention::Retain, &mut ())
    }

    /// Does what [`backward`](Self::backward) does, and reports every step of it.
    ///
    /// # Errors
    /// As for [`backward`](Self::backward).
    pub fn backward_with_trace(&self) -> Result<TensorBackwardPass<T>> {
        let seed = Tensor::scalar(T::one());
        self.backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
    }

    /// Reverses the graph from a seed of the output's shape.
    ///
    /// # Errors
    /// In this order: [`GraphReleased`](crate::TensorAutodiffError::GraphReleased) of the output,
    /// [`UntrackedOutput`](crate::TensorAutodiffError::UntrackedOutput), `GraphReleased` of any reached
    /// operation, [`SeedShapeMismatch`](crate::TensorAutodiffError::SeedShapeMismatch),
    /// [`NonFiniteSeed`](crate::TensorAutodiffError::NonFiniteSeed),
    /// [`StaleOperandValue`](crate::TensorAutodiffError::StaleOperandValue),
    /// [`Registry`](crate::TensorAutodiffError::Registry); then, from newest node to oldest, whatever a rule
    /// returns, [`ContributionShape`](crate::TensorAutodiffError::ContributionShape),
    /// [`NonFiniteVjp`](crate::TensorAutodiffError::NonFiniteVjp) or
    /// [`NonFinitePassAdjoint`](crate::TensorAutodiffError::NonFinitePassAdjoint); then
    /// [`NonFiniteAccumulatedGradient`](crate::TensorAutodiffError::NonFiniteAccumulatedGradient) and
    /// [`GradientBorrowed`](crate::TensorAutodiffError::GradientBorrowed). After any of them every gradient
    /// and every node is as before.
    pub fn backward_with_seed(
        &self,
        seed: &TensorView<'_, T>,
        retention: GraphRetention,
    ) -> Result<()> {
        run(self, seed, retention, &mut ())
    }

    /// Does what [`backward_with_seed`](Self::backward_with_seed) does, and reports every step of it.
    ///
    /// # Errors
    /// As for [`backward_with_seed`](Self::backward_with_seed).
    pub fn backward_with_seed_and_trace(
        &self,
        seed: &TensorView<'_, T>,
        retention: GraphRetention,
    ) -> Result<TensorBackwardPass<T>> {
        let mut trace = Trace::new(retention);
        run(self, seed, retention, &mut trace)?;
        Ok(trace.finish())
    }
}

fn run<T: Element>(
    output: &TensorValue<T>,
    seed: &TensorView<'_, T>,
    retention: GraphRetention,
    observer: &mut impl Observer<T>,
) -> Result<()> {
    let released = reach(output, seed, |reached, seed| {
        let steps = &reached.steps;
        observer.begin(steps, &seed);
        let sums = pull(steps, seed, observer)?;
        commit(steps, sums, observer)?;
        if retention == GraphRetention::Retain {
            return Ok(Vec::new());
        }
        let operations = steps.iter().filter(|step| step.history.is_some());
        let released: Vec<_> = operations.map(|step| Arc::clone(step.node)).collect();
        for node in &released {
            node.mark_released();
        }
        Ok(released)
    })?;
    // Only now, when this pass reads no more.
    drop_histories(released);
    Ok(())
}

/// The adjoints of the reached parameters, newest first; no stored gradient is read or written.
pub(crate) fn adjoints<T: Element>(
    output: &TensorValue<T>,
    seed: Tensor<T>,
) -> Result<Vec<(NodeRef<T>, Tensor<T>)>> {
    reversed(output, seed, &mut ())
}

/// A pass that an observer watches and that commits nothing.
pub(crate) fn reversed<T: Element>(
    output: &TensorValue<T>,
    seed: Tensor<T>,
    observer: &mut impl Observer<T>,
) -> Result<Vec<(NodeRef<T>, Tensor<T>)>> {
    reach(output, &seed.view(), |reached, seed| {
        let sums = pull(&reached.steps, seed, observer)?;
        let owned = sums
            .into_iter()
            .map(|(node, adjoint)| (Arc::clone(node), adjoint));
        Ok(owned.collect())
    })
}
