//! Errors of a reverse pass: of its output, its seed, what it reads, and what the rules return.

use super::*;

#[test]
pub(super) fn untracked_output() {
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
pub(super) fn graph_released() {
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
pub(super) fn released_operand() {
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
pub(super) fn not_a_parameter() {
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
pub(super) fn seed_shape_mismatch() {
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
pub(super) fn non_finite_seed() {
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
pub(super) fn stale_operand_value() {
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
pub(super) fn non_finite_vjp() {
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
pub(super) fn non_finite_pass_adjoint() {
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
pub(super) fn non_finite_accumulated_gradient() {
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
pub(super) fn contribution_shape() {
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
pub(super) fn missing_contribution() {
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
pub(super) fn saved_context_mismatch() {
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
