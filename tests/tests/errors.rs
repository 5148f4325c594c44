//! Every error: it is returned with the right fields and text, and nothing has changed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod faulty;

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
    Error::Tensor(_) => tensor_error,
    Error::View(_) => view_error,
    Error::Op(_) => op_error_outside_an_operation,
    Error::Operation { .. } => operation_refuses_with_its_own_error_in_the_reverse_map,
    Error::BroadcastTargetMismatch { .. } => broadcast_target_mismatch,
    Error::NonFiniteLeaf { .. } => non_finite_leaf,
    Error::NonFiniteForward { .. } => non_finite_forward,
    Error::UntrackedOutput { .. } => untracked_output,
    Error::GraphReleased { .. } => graph_released,
    Error::ReleasedOperand { .. } => released_operand,
    Error::NotAParameter { .. } => not_a_parameter,
    Error::SeedShapeMismatch { .. } => seed_shape_mismatch,
    Error::NonFiniteSeed { .. } => non_finite_seed,
    Error::StaleOperandValue { .. } => stale_operand_value,
    Error::NonFiniteVjp { .. } => non_finite_vjp,
    Error::NonFinitePassAdjoint { .. } => non_finite_pass_adjoint,
    Error::NonFiniteAccumulatedGradient { .. } => non_finite_accumulated_gradient,
    Error::ContributionShape { .. } => contribution_shape,
    Error::MissingContribution { .. } => missing_contribution,
    Error::SavedContextMismatch { .. } => saved_context_mismatch,
    Error::GradientBorrowed => gradient_borrowed,
    Error::ValueBorrowed => value_borrowed,
    Error::UpdateShape { .. } => update_shape,
    Error::DuplicateUpdate { .. } => duplicate_update,
    Error::Registry(RegistryError::Empty) => registry_empty,
    Error::Registry(RegistryError::Duplicate { .. }) => registry_duplicate,
    Error::Registry(RegistryError::UnknownOperation { .. }) => registry_unknown_operation,
    Error::Registry(RegistryError::UnsupportedElement { .. }) => registry_unsupported_element,
};

#[test]
fn tensor_error() {
    let world = World::new();
    let error = world.refuses(&[], || world.x.value().with_shape([3]));
    let source = TensorError::ElementCount {
        shape: vec![3],
        expected: 3,
        actual: 2,
    };
    expect(
        error,
        Error::Tensor(source),
        "shape [3] holds 3 elements, got 2",
    );
}

#[test]
fn view_error() {
    let world = World::new();
    let value = world.x.value_snapshot();
    let error = world.refuses(&[], || value.view().reshape(&[3]));
    let source = ViewError::ReshapeCount {
        from: vec![2],
        requested: vec![3],
        expected: 2,
    };
    expect(
        error,
        Error::View(source),
        "expected a shape of 2 elements like [2], got [3]",
    );
}

#[test]
fn op_error_outside_an_operation() {
    let world = World::new();
    let call = Call::<f64, Tensor> { inputs: Vec::new() };
    let error = world.refuses(&[], || call.operand(0).cloned());
    let source = CallError {
        position: 0,
        expected: "an operand",
        actual: "nothing",
    };
    expect(
        error,
        Error::Op(OpError::new(source)),
        "input 0: expected an operand, got nothing",
    );
}

#[test]
fn operation_refuses_with_an_error_of_a_tensor_helper() {
    let world = World::new();
    let error = world.refuses(&[], || world.x.sum_axis(1, false));
    let source = OpError::new(TensorError::AxisOutOfRange { axis: 1, rank: 1 });
    let operation = world.loss.operation();
    expect(
        error,
        Error::Operation { operation, source },
        "sum: expected an axis below rank 1, got 1",
    );
}

#[test]
fn operation_refuses_with_its_own_error_in_the_forward_map() {
    let world = World::new();
    let error = world.refuses(&[], || world.product.refusing_forward());
    assert_eq!(
        error.to_string(),
        "refusing_forward: expected a willing forward map, got a refusal"
    );
    let Error::Operation { operation, source } = error else {
        panic!("expected an error of the operation, got {error:?}");
    };
    assert_eq!(operation.name(), "refusing_forward");
    assert_eq!(
        source.downcast_ref::<Refusal>(),
        Some(&Refusal("forward map"))
    );
}

#[test]
fn operation_refuses_with_its_own_error_in_the_reverse_map() {
    let world = World::new();
    let output = world
        .product
        .refusing_reverse()
        .unwrap()
        .sum_axis(0, false)
        .unwrap();
    let error = world.refuses(&[&output], || output.backward());
    assert_eq!(
        error.to_string(),
        "refusing_reverse: expected a willing reverse map, got a refusal"
    );
    let Error::Operation { source, .. } = error else {
        panic!("expected an error of the operation, got {error:?}");
    };
    assert_eq!(
        source.downcast_ref::<Refusal>(),
        Some(&Refusal("reverse map"))
    );
}

#[test]
fn broadcast_target_mismatch() {
    let world = World::new();
    let error = world.refuses(&[], || world.x.broadcast_to(&[1]));
    expect(
        error,
        Error::BroadcastTargetMismatch {
            input: vec![2],
            requested: vec![1],
            inferred: vec![2],
        },
        "broadcast: cannot broadcast shape [2] to [1], expected a target equal to the broadcast of both, got [2]",
    );
}

#[test]
fn non_finite_leaf() {
    let world = World::new();
    let bad = tensor([2, 2], &[1.0, 2.0, f64::NEG_INFINITY, f64::NAN]);
    let operation = world.x.operation();
    let error = world.refuses(&[], || TensorValue::parameter(bad.clone()));
    expect(
        error,
        Error::NonFiniteLeaf {
            operation,
            index: 2,
            value: f64::NEG_INFINITY,
        },
        "parameter has non-finite value -inf at flat index 2",
    );
    let error = World::new().refuses(&[], || TensorValue::constant(bad.clone()));
    assert_eq!(
        error.to_string(),
        "constant has non-finite value -inf at flat index 2"
    );
}

#[test]
fn non_finite_leaf_in_an_update() {
    let world = World::new();
    let error = world.refuses(&[], || {
        TensorValue::update_all([
            (&world.x, tensor([2], &[5.0, 6.0])),
            (&world.w, tensor([2], &[7.0, f64::NAN])),
        ])
    });
    let operation = world.x.operation();
    expect(
        error,
        Error::NonFiniteLeaf {
            operation,
            index: 1,
            value: f64::NAN,
        },
        "parameter has non-finite value NaN at flat index 1",
    );
}

#[test]
fn non_finite_forward() {
    let world = World::new();
    let huge = parameter(&[1.0, 1.0, 1.0, f64::MAX]);
    let error = world.refuses(&[&huge], || huge.mul(&huge.add(&huge.detach())?));
    // The sum overflows first: MAX + MAX at index 3.
    assert_eq!(
        error.to_string(),
        "add produced non-finite value inf at flat index 3"
    );
    let error = World::new().refuses(&[&huge], || huge.mul(&huge));
    let operation = world.product.operation();
    expect(
        error,
        Error::NonFiniteForward {
            operation,
            index: 3,
            value: f64::INFINITY,
        },
        "multiply produced non-finite value inf at flat index 3",
    );
}

#[test]
fn untracked_output() {
    let world = World::new();
    let fixed = TensorValue::constant(Tensor::scalar(2.0)).unwrap();
    let operation = fixed.operation();
    let error = world.refuses(&[&fixed], || fixed.backward());
    expect(
        error,
        Error::UntrackedOutput { operation },
        "cannot backpropagate from untracked constant output",
    );

    let computed = fixed.mul(&fixed).unwrap();
    let error = World::new().refuses(&[&computed], || computed.backward());
    assert_eq!(
        error.to_string(),
        "cannot backpropagate from untracked multiply output"
    );
}

#[test]
fn graph_released() {
    let world = World::new();
    let mean = world.x.mean_axis(0, false).unwrap();
    let zero = Tensor::scalar(0.0);
    mean.backward_with_seed(&zero.view(), GraphRetention::Release)
        .unwrap();
    let operation = mean.operation();
    let error = world.refuses(&[&mean], || mean.backward());
    expect(
        error,
        Error::GraphReleased { operation },
        "the mean operation tape has been released",
    );
}

#[test]
fn released_operand() {
    let world = World::new();
    let released = world.x.mul(&world.x).unwrap();
    released
        .backward_with_seed(&tensor([2], &[0.0, 0.0]).view(), GraphRetention::Release)
        .unwrap();
    let error = world.refuses(&[&released], || world.x.add(&released));
    assert_eq!(
        error.to_string(),
        "cannot build add: operand 1 reaches a released operation tape"
    );
    let Error::ReleasedOperand {
        operation,
        operand: 1,
    } = error
    else {
        panic!("expected a released operand, got {error:?}");
    };
    assert_eq!(operation.name(), "add");
}

#[test]
fn not_a_parameter() {
    let world = World::new();
    let operation = world.product.operation();
    let error = world.refuses(&[], || world.product.zero_grad());
    expect(
        error,
        Error::NotAParameter { operation },
        "expected a parameter, got a node made by multiply",
    );

    let world = World::new();
    let fixed = world.x.detach();
    let error = world.refuses(&[&fixed], || {
        TensorValue::update_all([
            (&world.x, tensor([2], &[9.0, 9.0])),
            (&fixed, tensor([2], &[9.0, 9.0])),
        ])
    });
    assert_eq!(
        error.to_string(),
        "expected a parameter, got a node made by detached"
    );
}

#[test]
fn seed_shape_mismatch() {
    let world = World::new();
    let seed = tensor([1], &[1.0]);
    let error = world.refuses(&[], || {
        world
            .product
            .backward_with_seed(&seed.view(), GraphRetention::Release)
    });
    expect(
        error,
        Error::SeedShapeMismatch {
            expected: vec![2],
            actual: vec![1],
        },
        "backward seed shape [1] does not match output shape [2]",
    );
    let world = World::new();
    let error = world.refuses(&[], || world.product.backward());
    assert_eq!(
        error.to_string(),
        "backward seed shape [] does not match output shape [2]"
    );
}

#[test]
fn non_finite_seed() {
    let world = World::new();
    let seed = tensor([2], &[1.0, f64::NAN]);
    let error = world.refuses(&[], || {
        world
            .product
            .backward_with_seed(&seed.view(), GraphRetention::Release)
    });
    expect(
        error,
        Error::NonFiniteSeed {
            index: 1,
            value: f64::NAN,
        },
        "backward seed has non-finite value NaN at flat index 1",
    );
}

#[test]
fn stale_operand_value() {
    let world = World::new();
    let moved = parameter(&[1.0, 2.0]);
    let child = world.x.mul(&moved).unwrap();
    let output = child.sum_axis(0, false).unwrap();
    moved.set_value(tensor([2], &[5.0, 6.0])).unwrap();
    moved.set_value(tensor([2], &[7.0, 8.0])).unwrap();
    let error = world.refuses(&[&moved, &child, &output], || output.backward());
    // In creation order the pass reaches x (0), moved (1), the product (2) and the sum (3).
    expect(
        error,
        Error::StaleOperandValue {
            child: 2,
            parent: 1,
            operand: 1,
            recorded_revision: 0,
            current_revision: 2,
            child_operation: child.operation(),
            parent_operation: moved.operation(),
            shape: vec![2],
        },
        "operand 1 of node 2 (multiply) is stale: it used node 1 (parameter, shape [2]) at revision 0, \
         which is now at revision 2; run a new forward pass",
    );
}

#[test]
fn non_finite_vjp() {
    let world = World::new();
    let output = world.w.infinite_then_misshapen(&world.x).unwrap();
    let seed = tensor([2], &[1.0, -1.0]);
    let error = world.refuses(&[&output], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Release)
    });
    // In creation order the pass reaches x (0), w (1) and the output (2).
    let operation = output.operation();
    expect(
        error,
        Error::NonFiniteVjp {
            operation,
            child: 2,
            parent: 1,
            operand: 0,
            index: 0,
            value: f64::INFINITY,
        },
        "infinite_then_misshapen: the contribution of operand 0 (node 2 to node 1) has non-finite value inf \
         at flat index 0",
    );
}

#[test]
fn non_finite_pass_adjoint() {
    let world = World::new();
    let output = world.x.huge_huge(&world.x, &world.w).unwrap();
    let seed = tensor([2], &[1.0, 1.0]);
    let error = world.refuses(&[&output], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Release)
    });
    expect(
        error,
        Error::NonFinitePassAdjoint {
            node: 0,
            index: 0,
            previous: f64::MAX,
            contribution: f64::MAX,
        },
        &format!(
            "the adjoint of node 0 is not finite at flat index 0: {} plus contribution {}",
            f64::MAX,
            f64::MAX
        ),
    );
}

#[test]
fn non_finite_accumulated_gradient() {
    let world = World::new();
    let p = TensorValue::parameter(tensor([2], &[0.0, 0.0])).unwrap();
    let seed = tensor([2], &[1.0, f64::MAX]);
    let pass = |seed: &Tensor| p.backward_with_seed(&seed.view(), GraphRetention::Release);
    pass(&seed).unwrap();
    let error = world.refuses(&[&p], || pass(&seed));
    expect(
        error,
        Error::NonFiniteAccumulatedGradient {
            node: 0,
            index: 1,
            stored: f64::MAX,
            pass_adjoint: f64::MAX,
        },
        "the gradient of node 0 would not be finite at flat index 1: \
         stored 1.7976931348623157e308 plus adjoint 1.7976931348623157e308",
    );
    // The stored MAX is still there: its negative is accepted and cancels it.
    pass(&tensor([2], &[-1.0, -f64::MAX])).unwrap();
    assert_eq!(p.gradient_snapshot(), Some(tensor([2], &[0.0, 0.0])));
}

#[test]
fn contribution_shape() {
    let world = World::new();
    let output = world
        .product
        .misshapen()
        .unwrap()
        .sum_axis(0, false)
        .unwrap();
    let error = world.refuses(&[&output], || output.backward());
    assert_eq!(
        error.to_string(),
        "misshapen: contribution of operand 0, expected shape [2], got [7]"
    );
    let Error::ContributionShape {
        operand: 0,
        expected,
        actual,
        ..
    } = error
    else {
        panic!("expected a contribution's shape, got {error:?}");
    };
    assert_eq!((expected, actual), (vec![2], vec![7]));
}

#[test]
fn missing_contribution() {
    let world = World::new();
    let output = world.x.forgetful(&world.w).unwrap();
    let seed = tensor([2], &[1.0, 1.0]);
    let error = world.refuses(&[&output], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    let operation = output.operation();
    expect(
        error,
        Error::MissingContribution {
            operation,
            operand: 1,
        },
        "forgetful: contribution of operand 1, expected a tensor, got none",
    );
}

#[test]
fn a_joint_rule_may_leave_out_what_is_not_wanted() {
    let x = parameter(&[1.0, 2.0]);
    let output = x.forgetful(&x.detach()).unwrap();
    let seed = tensor([2], &[3.0, 4.0]);
    output
        .backward_with_seed(&seed.view(), GraphRetention::Retain)
        .unwrap();
    assert_eq!(x.gradient_snapshot(), Some(seed));
}

#[test]
fn saved_context_mismatch() {
    let world = World::new();
    let operation = world.product.operation();
    let output = forged(operation, &world.x).unwrap();
    let seed = tensor([2], &[1.0, 1.0]);
    let error = world.refuses(&[&output], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    expect(
        error,
        Error::SavedContextMismatch { operation },
        "multiply: expected the saved context of its own rule, got another's",
    );
}

#[test]
fn gradient_borrowed() {
    let text = "cannot mutate a parameter gradient while a read-only gradient borrow is active";
    let world = World::new();
    let error = world.refuses(&[], || {
        let _guard = world.w.gradient();
        world.loss.backward()
    });
    expect(error, Error::GradientBorrowed, text);
    let world = World::new();
    let error = world.refuses(&[], || {
        let _guard = world.w.gradient();
        world.w.zero_grad()
    });
    expect(error, Error::GradientBorrowed, text);
}

#[test]
fn value_borrowed() {
    let world = World::new();
    let error = world.refuses(&[], || {
        let _guard = world.w.value();
        TensorValue::update_all([
            (&world.x, tensor([2], &[5.0, 6.0])),
            (&world.w, tensor([2], &[7.0, 8.0])),
        ])
    });
    expect(
        error,
        Error::ValueBorrowed,
        "cannot mutate a parameter value while a read-only value borrow is active",
    );
}

#[test]
fn update_shape() {
    let world = World::new();
    let error = world.refuses(&[], || {
        TensorValue::update_all([
            (&world.x, tensor([2], &[5.0, 6.0])),
            (&world.w, tensor([2, 1], &[7.0, 8.0])),
        ])
    });
    expect(
        error,
        Error::UpdateShape {
            position: 1,
            expected: vec![2],
            actual: vec![2, 1],
        },
        "update 1: new value of a parameter, expected shape [2], got [2, 1]",
    );
}

#[test]
fn duplicate_update() {
    let world = World::new();
    let new = tensor([2], &[5.0, 6.0]);
    let error = world.refuses(&[], || {
        TensorValue::update_all([
            (&world.x, new.clone()),
            (&world.w, new.clone()),
            (&world.x, new.clone()),
        ])
    });
    expect(
        error,
        Error::DuplicateUpdate {
            first: 0,
            position: 2,
        },
        "update 2: expected each parameter once, got the parameter of update 0 again",
    );
}

#[test]
fn registry_unknown_operation() {
    let world = World::new();
    let operation = Operation::new(&STRAY);
    let output = forged(operation, &world.x).unwrap();
    let seed = tensor([2], &[1.0, 1.0]);
    let error = world.refuses(&[&output], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    let id = operation.id();
    expect(
        error,
        Error::Registry(RegistryError::UnknownOperation {
            path: "nowhere::stray".to_owned(),
            id,
        }),
        &format!(
            "operation nowhere::stray ({id}) is not registered: name the crate that declares it \
             (`use nowhere as _;`) so that it is linked"
        ),
    );
}

#[test]
fn registry_unsupported_element() {
    let world = World::new();
    let operation = world.x.only_f64().unwrap().operation();
    let x = TensorValue::parameter(Tensor::from_vec([1], vec![1.0_f32]).unwrap()).unwrap();
    let output = forged(operation, &x).unwrap();
    let seed = Tensor::from_vec([1], vec![1.0_f32]).unwrap();
    let error = world.refuses(&[], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    assert_eq!(x.gradient_snapshot().unwrap().as_slice(), [0.0]);
    assert!(!output.is_released());
    expect(
        error,
        Error::Registry(RegistryError::UnsupportedElement {
            path: operation.path(),
            element: "f32",
        }),
        "operation errors::faulty::only_f64 has no reverse rule for element type f32",
    );
}

#[test]
fn registry_duplicate() {
    let world = World::new();
    let rule = Registry::global()
        .unwrap()
        .rule(world.product.operation())
        .unwrap();
    let error = world.refuses(&[], || Ok(Registry::from_rules([rule, rule])?));
    let location = rule.location();
    expect(
        error,
        Error::Registry(RegistryError::Duplicate {
            earlier: rule.operation.path(),
            path: rule.operation.path(),
            first: location.clone(),
            second: location.clone(),
        }),
        &format!(
            "operation {} is registered twice: {location} and {location}",
            rule.operation.path()
        ),
    );
}

#[test]
fn registry_empty() {
    let world = World::new();
    let error = world.refuses(&[], || Ok(Registry::from_rules([])?));
    expect(
        error,
        Error::Registry(RegistryError::Empty),
        "no operation is registered: a crate that is never named is not linked, so name the crate that \
         declares the operations (`use autodiff_ops as _;`)",
    );
}
