//! Every error: it is returned with the right fields and text, and nothing has changed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod change;
#[path = "../faulty/mod.rs"]
mod faulty;
mod forward;
mod pass;
mod registry;

use autodiff_core::RegistryError;
use autodiff_core::rule::{Call, CallError};
use autodiff_ops::prelude::*;
use faulty::stray::{STRAY, forged};
use faulty::*;
use tests::state::states;

type Error = TensorAutodiffError;

fn tensor(shape: impl Into<Shape>, values: &[f64]) -> Tensor {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

fn parameter(values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor([values.len()], values)).unwrap()
}

/// A graph that stands by: `loss = Σ x · w` after one retained pass, so that gradients are not zero.
struct World {
    x: TensorValue,
    w: TensorValue,
    product: TensorValue,
    loss: TensorValue,
}

impl World {
    fn new() -> Self {
        let x = parameter(&[1.0, 2.0]);
        let w = parameter(&[3.0, -4.0]);
        let product = x.mul(&w).unwrap();
        let loss = product.sum_axis(0, false).unwrap();
        loss.backward().unwrap();
        Self {
            x,
            w,
            product,
            loss,
        }
    }

    /// Runs what must fail, and checks that no node changed and that the next pass still adds its gradients.
    fn refuses<R>(&self, others: &[&TensorValue], act: impl FnOnce() -> Result<R>) -> Error {
        let own = [&self.x, &self.w, &self.product, &self.loss];
        let nodes: Vec<_> = own.into_iter().chain(others.iter().copied()).collect();
        let before = states(&nodes);
        let error = act().err().unwrap();
        assert_eq!(states(&nodes), before);

        // x̄ = w and w̄ = x, once from the pass of `new` and once from this one.
        self.loss.backward().unwrap();
        assert_eq!(
            self.x.gradient_snapshot(),
            Some(tensor([2], &[2.0 * 3.0, 2.0 * -4.0]))
        );
        assert_eq!(
            self.w.gradient_snapshot(),
            Some(tensor([2], &[2.0 * 1.0, 2.0 * 2.0]))
        );
        error
    }
}

#[track_caller]
fn expect(actual: Error, expected: Error, text: &str) {
    assert_eq!(actual, expected);
    assert_eq!(actual.to_string(), text);
}

/// The test of every variant: a variant without one does not compile.
const _: fn(&Error) -> fn() = |error| match error {
    Error::Tensor(_) => forward::tensor_error,
    Error::View(_) => forward::view_error,
    Error::Op(_) => forward::op_error_outside_an_operation,
    Error::Operation { .. } => forward::operation_refuses_with_its_own_error_in_the_reverse_map,
    Error::BroadcastTargetMismatch { .. } => forward::broadcast_target_mismatch,
    Error::NonFiniteLeaf { .. } => forward::non_finite_leaf,
    Error::NonFiniteForward { .. } => forward::non_finite_forward,
    Error::UntrackedOutput { .. } => pass::untracked_output,
    Error::GraphReleased { .. } => pass::graph_released,
    Error::ReleasedOperand { .. } => pass::released_operand,
    Error::NotAParameter { .. } => pass::not_a_parameter,
    Error::SeedShapeMismatch { .. } => pass::seed_shape_mismatch,
    Error::NonFiniteSeed { .. } => pass::non_finite_seed,
    Error::StaleOperandValue { .. } => pass::stale_operand_value,
    Error::NonFiniteVjp { .. } => pass::non_finite_vjp,
    Error::NonFinitePassAdjoint { .. } => pass::non_finite_pass_adjoint,
    Error::NonFiniteAccumulatedGradient { .. } => pass::non_finite_accumulated_gradient,
    Error::ContributionShape { .. } => pass::contribution_shape,
    Error::MissingContribution { .. } => pass::missing_contribution,
    Error::SavedContextMismatch { .. } => pass::saved_context_mismatch,
    Error::GradientBorrowed => change::gradient_borrowed,
    Error::ValueBorrowed => change::value_borrowed,
    Error::UpdateShape { .. } => change::update_shape,
    Error::DuplicateUpdate { .. } => change::duplicate_update,
    Error::Registry(RegistryError::Empty) => registry::registry_empty,
    Error::Registry(RegistryError::Duplicate { .. }) => registry::registry_duplicate,
    Error::Registry(RegistryError::UnknownOperation { .. }) => registry::registry_unknown_operation,
    Error::Registry(RegistryError::UnsupportedElement { .. }) => {
        registry::registry_unsupported_element
    }
};
