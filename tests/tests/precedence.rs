//! The order of the reverse pass's checks: where two are violated at once, the earlier one answers.
//!
//! One test for each pair of neighbours. The order is: the output released, untracked, an operation
//! reached released, the seed's shape, the seed finite, stale operands, unknown operations, then node by
//! node from the newest the contributions (in operand order, shape before finiteness) and their sums, then
//! the stored gradients in creation order, then borrows.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod faulty;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use autodiff_ops::prelude::*;
use faulty::stray::{STRAY, forged};
use faulty::*;

type Error = TensorAutodiffError;

fn tensor(values: &[f64]) -> Tensor {
    Tensor::from_vec([values.len()], values.to_vec()).unwrap()
}

fn parameter(values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor(values)).unwrap()
}

/// The error of a retained pass.
fn refusal(output: &TensorValue, seed: &[f64]) -> Error {
    output
        .backward_with_seed(&tensor(seed).view(), GraphRetention::Retain)
        .unwrap_err()
}

fn release(output: &TensorValue) {
    let seed = Tensor::zeros(output.shape()).unwrap();
    output
        .backward_with_seed(&seed.view(), GraphRetention::Release)
        .unwrap();
}

/// Counts the faulty rules that run while it is held; tests that count take turns.
struct RuleCount {
    before: usize,
    _turn: MutexGuard<'static, ()>,
}

impl RuleCount {
    fn begin() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            before: RULES_RUN.load(Ordering::Relaxed),
            _turn: turn,
        }
    }

    fn rules_run(&self) -> usize {
        RULES_RUN.load(Ordering::Relaxed) - self.before
    }
}

#[test]
fn a_released_output_comes_before_a_released_operation_within() {
    let x = parameter(&[1.0, 2.0]);
    let inner = x.mul(&x).unwrap();
    let output = inner.sum_axis(0, true).unwrap();
    release(&output);
    assert!(inner.is_released() && output.is_released());
    assert_eq!(
        refusal(&output, &[1.0]),
        Error::GraphReleased {
            operation: output.operation()
        }
    );
}

#[test]
fn a_released_output_comes_before_the_seeds_shape() {
    let x = parameter(&[1.0, 2.0]);
    let output = x.mul(&x).unwrap();
    release(&output);
    assert_eq!(
        refusal(&output, &[f64::NAN; 5]),
        Error::GraphReleased {
            operation: output.operation()
        }
    );
}

// A released output is tracked, so the first two checks cannot both be violated.
#[test]
fn an_untracked_output_comes_before_a_released_operation_within() {
    let x = parameter(&[1.0, 2.0]);
    let inner = x.mul(&x).unwrap();
    release(&inner);
    let output = no_grad(|| inner.add(&x)).unwrap();
    assert_eq!(
        refusal(&output, &[1.0, 1.0]),
        Error::UntrackedOutput {
            operation: output.operation()
        }
    );
}

#[test]
fn an_untracked_output_comes_before_the_seeds_shape() {
    let fixed = TensorValue::constant(tensor(&[1.0, 2.0])).unwrap();
    assert_eq!(
        refusal(&fixed, &[1.0]),
        Error::UntrackedOutput {
            operation: fixed.operation()
        }
    );
}

/// `inner + x`, whose operand `inner` a pass from elsewhere has released.
fn over_a_released_operation() -> (TensorValue, TensorValue) {
    let x = parameter(&[1.0, 2.0]);
    let inner = x.mul(&x).unwrap();
    let output = inner.add(&x).unwrap();
    release(&inner);
    (inner, output)
}

#[test]
fn a_released_operation_within_comes_before_the_seeds_shape() {
    let (inner, output) = over_a_released_operation();
    assert_eq!(
        refusal(&output, &[1.0]),
        Error::GraphReleased {
            operation: inner.operation()
        }
    );
}

#[test]
fn a_released_operation_within_comes_before_a_stale_operand_of_a_newer_node() {
    let x = parameter(&[1.0, 2.0]);
    let moved = parameter(&[1.0, 2.0]);
    let inner = x.mul(&x).unwrap();
    let output = inner.add(&moved).unwrap();
    release(&inner);
    moved.set_value(tensor(&[3.0, 4.0])).unwrap();
    assert_eq!(
        refusal(&output, &[1.0, 1.0]),
        Error::GraphReleased {
            operation: inner.operation()
        }
    );
}

#[test]
fn the_seeds_shape_comes_before_its_values() {
    let x = parameter(&[1.0, 2.0]);
    let error = refusal(&x.mul(&x).unwrap(), &[f64::NAN]);
    assert_eq!(
        error,
        Error::SeedShapeMismatch {
            expected: vec![2],
            actual: vec![1]
        }
    );
}

#[test]
fn the_seeds_values_come_before_a_stale_operand() {
    let x = parameter(&[1.0, 2.0]);
    let output = x.mul(&x).unwrap();
    x.set_value(tensor(&[3.0, 4.0])).unwrap();
    let error = refusal(&output, &[1.0, f64::INFINITY]);
    assert_eq!(
        error,
        Error::NonFiniteSeed {
            index: 1,
            value: f64::INFINITY
        }
    );
}

#[test]
fn a_seed_of_a_wrong_shape_is_refused_before_it_is_read() {
    let x = parameter(&[1.0, 2.0]);
    let output = x.mul(&x).unwrap();
    // One stored element that shows 2^60: reading them all would need more memory than there is.
    let one = Tensor::from_vec([1], vec![1.0]).unwrap();
    let view = one.view();
    let seed = view.broadcast_to(&[1 << 60]).unwrap();
    let error = output
        .backward_with_seed(&seed, GraphRetention::Retain)
        .unwrap_err();
    let expected = Error::SeedShapeMismatch {
        expected: vec![2],
        actual: vec![1 << 60],
    };
    assert_eq!(error, expected);
    release(&output);
    let error = output
        .backward_with_seed(&seed, GraphRetention::Retain)
        .unwrap_err();
    let operation = output.operation();
    assert_eq!(error, Error::GraphReleased { operation });
}

/// The positions of the two nodes of a stale operand's error, and the operand.
#[track_caller]
fn stale(error: &Error) -> (usize, usize, usize) {
    match error {
        Error::StaleOperandValue {
            child,
            parent,
            operand,
            ..
        } => (*child, *parent, *operand),
        other => panic!("expected a stale operand, got {other:?}"),
    }
}

#[test]
fn among_stale_operands_the_newest_node_answers_first() {
    let x = parameter(&[1.0, 2.0]);
    let y = parameter(&[1.0, 2.0]);
    let older = x.mul(&x).unwrap();
    let newer = older.mul(&y).unwrap();
    for moved in [&x, &y] {
        moved.set_value(tensor(&[3.0, 4.0])).unwrap();
    }
    // x (0), y (1), older (2), newer (3); the stale operand of `newer` is its second.
    assert_eq!(stale(&refusal(&newer, &[1.0, 1.0])), (3, 1, 1));
}

#[test]
fn among_stale_operands_of_one_node_the_first_operand_answers() {
    let x = parameter(&[1.0, 2.0]);
    let y = parameter(&[1.0, 2.0]);
    let output = y.mul(&x).unwrap();
    for moved in [&x, &y] {
        moved.set_value(tensor(&[3.0, 4.0])).unwrap();
    }
    // The first operand is y, which is the younger parameter.
    assert_eq!(stale(&refusal(&output, &[1.0, 1.0])), (2, 1, 0));
}

#[test]
fn a_stale_operand_comes_before_an_unknown_operation_whichever_is_newer() {
    let x = parameter(&[1.0, 2.0]);
    let unknown_is_newer = forged(Operation::new(&STRAY), &x.mul(&x).unwrap()).unwrap();
    let unknown_is_older = forged(Operation::new(&STRAY), &x.detach().add(&x).unwrap())
        .unwrap()
        .mul(&x)
        .unwrap();
    x.set_value(tensor(&[3.0, 4.0])).unwrap();
    stale(&refusal(&unknown_is_newer, &[1.0, 1.0]));
    stale(&refusal(&unknown_is_older, &[1.0, 1.0]));
}

#[test]
fn an_unknown_operation_comes_before_any_rule_runs() {
    let count = RuleCount::begin();
    let x = parameter(&[1.0, 2.0]);
    let output = forged(Operation::new(&STRAY), &x)
        .unwrap()
        .misshapen()
        .unwrap();
    let error = refusal(&output, &[1.0, 1.0]);
    assert!(
        matches!(
            error,
            Error::Registry(RegistryError::UnknownOperation { .. })
        ),
        "{error:?}"
    );
    assert_eq!(count.rules_run(), 0);
}

#[test]
fn a_stale_operand_comes_before_any_rule_runs() {
    let count = RuleCount::begin();
    let x = parameter(&[1.0, 2.0]);
    let output = x.mul(&x).unwrap().misshapen().unwrap();
    x.set_value(tensor(&[3.0, 4.0])).unwrap();
    stale(&refusal(&output, &[1.0, 1.0]));
    assert_eq!(count.rules_run(), 0);
}

#[test]
fn a_contributions_shape_comes_before_its_values() {
    let _count = RuleCount::begin();
    let x = parameter(&[1.0, 2.0]);
    let output = x.misshapen_and_nan().unwrap();
    let error = refusal(&output, &[1.0, 1.0]);
    let operation = output.operation();
    assert_eq!(
        error,
        Error::ContributionShape {
            operation,
            operand: 0,
            expected: vec![2],
            actual: vec![7]
        }
    );
}

#[test]
fn the_first_operands_contribution_comes_before_the_seconds_rule_runs() {
    let count = RuleCount::begin();
    let (a, b) = (parameter(&[1.0, 2.0]), parameter(&[1.0, 2.0]));
    let error = refusal(&a.infinite_then_misshapen(&b).unwrap(), &[1.0, 1.0]);
    assert!(
        matches!(error, Error::NonFiniteVjp { operand: 0, .. }),
        "{error:?}"
    );
    assert_eq!(count.rules_run(), 1);
}

#[test]
fn a_newer_nodes_contribution_comes_before_an_older_nodes_rule_runs() {
    let count = RuleCount::begin();
    let x = parameter(&[1.0, 2.0]);
    let output = x.refusing_reverse().unwrap().misshapen().unwrap();
    let error = refusal(&output, &[1.0, 1.0]);
    assert!(
        matches!(error, Error::ContributionShape { .. }),
        "{error:?}"
    );
    assert_eq!(count.rules_run(), 1);
}

#[test]
fn a_nodes_contributions_come_before_their_sums() {
    let _count = RuleCount::begin();
    let x = parameter(&[1.0, 2.0]);
    // The first two contributions to x overflow together, and the third is NaN.
    let error = refusal(&x.huge_huge_nan(&x, &x).unwrap(), &[1.0, 1.0]);
    assert!(
        matches!(
            error,
            Error::NonFiniteVjp {
                operand: 2,
                index: 0,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn a_sum_within_the_pass_comes_before_a_stored_gradient() {
    let _count = RuleCount::begin();
    let overflowing = parameter(&[1.0]);
    let stored = parameter(&[1.0]);
    let fill = |retention| stored.backward_with_seed(&tensor(&[f64::MAX]).view(), retention);
    fill(GraphRetention::Retain).unwrap();
    // 1 · MAX on top of the stored MAX would overflow too, but the adjoint MAX + MAX does so earlier.
    let output = overflowing.huge_huge(&overflowing, &stored).unwrap();
    let error = refusal(&output, &[f64::MAX]);
    assert_eq!(
        error,
        Error::NonFinitePassAdjoint {
            node: 0,
            index: 0,
            previous: f64::MAX,
            contribution: f64::MAX
        }
    );
}

#[test]
fn among_stored_gradients_the_oldest_parameter_answers_first() {
    let (older, newer) = (parameter(&[1.0]), parameter(&[1.0]));
    let output = newer.add(&older).unwrap();
    let pass = || output.backward_with_seed(&tensor(&[f64::MAX]).view(), GraphRetention::Retain);
    pass().unwrap();
    assert_eq!(
        pass().unwrap_err(),
        Error::NonFiniteAccumulatedGradient {
            node: 0,
            index: 0,
            stored: f64::MAX,
            pass_adjoint: f64::MAX
        }
    );
}

#[test]
fn a_stored_gradient_comes_before_a_borrow() {
    let (older, newer) = (parameter(&[1.0]), parameter(&[1.0]));
    let output = newer.add(&older).unwrap();
    let pass = || output.backward_with_seed(&tensor(&[f64::MAX]).view(), GraphRetention::Retain);
    pass().unwrap();
    let guard = older.gradient();
    let error = pass().unwrap_err();
    assert!(
        matches!(error, Error::NonFiniteAccumulatedGradient { .. }),
        "{error:?}"
    );
    // The same pass with a seed that overflows nothing is refused for the guard alone.
    assert_eq!(refusal(&output, &[1.0]), Error::GradientBorrowed);
    drop(guard);
    output
        .backward_with_seed(&tensor(&[-f64::MAX]).view(), GraphRetention::Retain)
        .unwrap();
}

#[test]
fn a_borrow_comes_before_the_release() {
    let x = parameter(&[1.0, 2.0]);
    let output = x.mul(&x).unwrap();
    let guard = x.gradient();
    let error = output
        .backward_with_seed(&tensor(&[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap_err();
    assert_eq!(error, Error::GradientBorrowed);
    assert!(!output.is_released());
    drop(guard);
    output
        .backward_with_seed(&tensor(&[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap();
    assert!(output.is_released());
    assert_eq!(x.gradient_snapshot(), Some(tensor(&[2.0, 4.0])));
}
