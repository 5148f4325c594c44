//! Recomputation: the bits of the same graph without it, what it saves, and what it refuses.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use autodiff_core::functional::BlockError;
use autodiff_ops::prelude::*;
use tests::state::{bits, states};

fn tensor(shape: impl Into<Shape>, values: &[f64]) -> Tensor {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

fn parameter(shape: impl Into<Shape>, values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor(shape, values)).unwrap()
}

fn of_block(error: &TensorAutodiffError) -> &BlockError {
    match error {
        TensorAutodiffError::Operation { operation, source } => {
            assert_eq!(operation.name(), "recompute");
            source.downcast_ref().unwrap()
        }
        other => panic!("expected the refusal of a block, got {other:?}"),
    }
}

/// Values that no sum of three rounds alike in both orders.
const AWKWARD: [f64; 3] = [0.1, 1.0 / 3.0, 1e9 / 7.0];

/// Uses `x` four times and `w` twice.
fn block(xs: &[TensorValue]) -> Result<TensorValue> {
    let [x, w] = xs else { panic!("two inputs") };
    let squared = x.mul(x)?.mul(w)?;
    squared.add(&x.tanh()?)?.add(&w.mul(x)?)
}

/// The bits of value and gradients of `f(x, w)`, with uses of `x` before and after it.
fn bits_around(f: impl Fn(&[TensorValue]) -> Result<TensorValue>, shared: bool) -> Vec<Vec<u64>> {
    let x = parameter([3], &AWKWARD);
    let w = if shared {
        x.clone()
    } else {
        parameter([3], &[0.7, -1.1, 3.3e-5])
    };
    let before = x.sin().unwrap();
    let middle = f(&[x.clone(), w.clone()]).unwrap();
    let after = x
        .mul(&middle)
        .unwrap()
        .add(&before.mul(&x).unwrap())
        .unwrap();
    after
        .backward_with_seed(
            &tensor([3], &[0.3, -0.9, 1.7]).view(),
            GraphRetention::Release,
        )
        .unwrap();
    [
        after.value_snapshot(),
        x.gradient_snapshot().unwrap(),
        w.gradient_snapshot().unwrap(),
    ]
    .iter()
    .map(bits)
    .collect()
}

#[test]
fn values_and_gradients_have_the_bits_that_they_have_without_it() {
    for shared in [false, true] {
        let plain = bits_around(block, shared);
        assert_eq!(bits_around(|xs| recompute(block, xs), shared), plain);
        // A block within a block within a block.
        let nested = |xs: &[TensorValue]| {
            recompute(
                |xs| recompute(|xs| recompute(block, xs), xs)?.add(&xs[0]),
                xs,
            )
        };
        let flat = |xs: &[TensorValue]| block(xs)?.add(&xs[0]);
        assert_eq!(bits_around(nested, shared), bits_around(flat, shared));
    }
}

#[test]
fn every_use_of_an_input_is_an_edge_and_only_the_inputs_are_saved() {
    let [x, w] = [&[1.0, 2.0], &[3.0, 5.0]].map(|values| parameter([2], values));
    let y = recompute(block, &[x, w]).unwrap();
    let trace = y
        .backward_with_seed_and_trace(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Retain)
        .unwrap();
    // The sums come first, then w x, tanh x, (x x) w and x x, each in the order of its operands.
    let parents: Vec<usize> = trace.edges.iter().map(|edge| edge.parent).collect();
    assert_eq!(parents, [1, 0, 0, 1, 0, 0]);
    let operands: Vec<usize> = trace.edges.iter().map(|edge| edge.operand).collect();
    assert_eq!(operands, [0, 1, 2, 3, 4, 5]);
    let names: Vec<&str> = trace.edges[0]
        .saved
        .fields
        .iter()
        .map(|field| field.name)
        .collect();
    assert_eq!(names, ["inputs", "block"]);
    assert_eq!(trace.nodes.len(), 3);
}

#[test]
fn an_untracked_input_is_an_edge_before_those_of_the_inputs_after_it() {
    let [x, w] = [&[1.0, 2.0], &[3.0, 5.0]].map(|values| parameter([2], values));
    let c = TensorValue::constant(tensor([2], &[7.0, 11.0])).unwrap();
    let y = recompute(|xs| xs[0].mul(&xs[1])?.add(&xs[2]), &[x, c, w]).unwrap();
    let trace = y
        .backward_with_seed_and_trace(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Retain)
        .unwrap();
    // A pass uses w and then x; the constant has the place before w, and nothing flows along its edge.
    let edges = trace.edges.iter().map(|edge| (edge.operand, edge.parent));
    assert_eq!(edges.collect::<Vec<_>>(), [(1, 1), (2, 0)]);
}

#[test]
fn the_block_runs_once_forward_and_once_a_pass() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let x = parameter([2], &[1.0, 2.0]);
    let run = move |xs: &[TensorValue]| {
        counted.fetch_add(1, Ordering::SeqCst);
        xs[0].mul(&xs[1])?.mul(&xs[0])
    };
    let y = recompute(run, &[x.clone(), x.clone()]).unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    for passes in 1..4 {
        y.backward_with_seed(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Retain)
            .unwrap();
        assert_eq!(runs.load(Ordering::SeqCst), 1 + passes);
    }
    assert_eq!(x.gradient_snapshot().unwrap().into_vec(), [9.0, 36.0]);
}

#[test]
fn a_tracked_value_that_is_no_input_is_refused_by_name_and_a_constant_is_not() {
    let x = parameter([2], &[1.0, 2.0]);
    let outside = parameter([2], &[3.0, 5.0]);
    let made = outside.sin().unwrap();
    for (captured, operation) in [(&outside, "parameter"), (&made, "sin")] {
        let held = captured.clone();
        let error = recompute(move |xs| xs[0].mul(&held), from_ref(&x)).unwrap_err();
        match of_block(&error) {
            BlockError::Captured { captured, shape } => {
                assert_eq!((captured.name(), shape.as_slice()), (operation, &[2][..]));
            }
            other => panic!("expected a captured value, got {other:?}"),
        }
        assert!(
            error
                .to_string()
                .contains("pass it as an input, or detach it")
        );
    }
    // Also where no input is tracked, and where there is none at all.
    let held = outside.clone();
    assert!(recompute(move |_| held.sin(), &[]).is_err());

    // And one that the block makes itself, whose gradient nobody could read.
    let made = |xs: &[TensorValue]| xs[0].mul(&TensorValue::parameter(tensor([2], &[3.0, 5.0]))?);
    let error = recompute(made, from_ref(&x)).unwrap_err();
    assert!(
        matches!(of_block(&error), BlockError::Captured { captured, .. } if captured.name() == "parameter")
    );

    let constant = outside.detach();
    let y = recompute(move |xs| xs[0].mul(&constant), from_ref(&x)).unwrap();
    y.backward_with_seed(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(x.gradient_snapshot().unwrap().into_vec(), [3.0, 5.0]);
}

#[test]
fn a_block_that_does_not_repeat_itself_is_refused_and_nothing_changes() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let x = parameter([2], &[1.0, 2.0]);
    let drawn = move |xs: &[TensorValue]| {
        let run = counted.fetch_add(1, Ordering::SeqCst);
        xs[0].mul(&TensorValue::constant(tensor(
            [2],
            &[1.0, 1.0 + run as f64],
        ))?)
    };
    let y = recompute(drawn, from_ref(&x)).unwrap();
    let z = x.mul(&y).unwrap();
    let before = states(&[&x, &y, &z]);
    let error = z
        .backward_with_seed(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap_err();
    assert_eq!(
        of_block(&error),
        &BlockError::ChangedValue {
            index: 1,
            expected: 2.0,
            actual: 4.0
        }
    );
    assert_eq!(states(&[&x, &y, &z]), before);

    let counted = Arc::clone(&runs);
    runs.store(0, Ordering::SeqCst);
    let other_way = move |xs: &[TensorValue]| match counted.fetch_add(1, Ordering::SeqCst) {
        0 => xs[0].add(&xs[0]),
        _ => xs[0].mul(&TensorValue::constant(tensor([2], &[2.0, 2.0]))?),
    };
    let y = recompute(other_way, from_ref(&x)).unwrap();
    let error = y
        .backward_with_seed(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap_err();
    assert_eq!(
        of_block(&error),
        &BlockError::ChangedUses {
            expected: vec![0, 0],
            actual: vec![0]
        }
    );

    let counted = Arc::clone(&runs);
    runs.store(0, Ordering::SeqCst);
    let other_shape = move |xs: &[TensorValue]| {
        let keep_dim = counted.fetch_add(1, Ordering::SeqCst) == 0;
        xs[0].sum_axis(0, keep_dim)
    };
    let y = recompute(other_shape, from_ref(&x)).unwrap();
    let error = y
        .backward_with_seed(&tensor([1], &[1.0]).view(), GraphRetention::Release)
        .unwrap_err();
    assert_eq!(
        of_block(&error),
        &BlockError::ChangedShape {
            expected: vec![1],
            actual: vec![]
        }
    );
    assert_eq!(states(&[&x]), before[..1]);
}

#[test]
fn errors_of_the_block_are_its_own_in_both_runs() {
    let x = parameter([1], &[800.0]);
    let error = recompute(|xs| xs[0].exp(), from_ref(&x)).unwrap_err();
    assert!(
        matches!(error, TensorAutodiffError::NonFiniteForward { operation, .. } if operation.name() == "exp"),
        "{error:?}"
    );
    // Finite forward; reversed, the root of 0 has an infinite slope.
    let zero = parameter([1], &[0.0]);
    let y = recompute(|xs| xs[0].sqrt(), from_ref(&zero)).unwrap();
    let before = states(&[&zero, &y]);
    let error = y
        .backward_with_seed(&tensor([1], &[1.0]).view(), GraphRetention::Release)
        .unwrap_err();
    assert!(
        matches!(error, TensorAutodiffError::NonFiniteVjp { operation, .. } if operation.name() == "sqrt"),
        "{error:?}"
    );
    assert_eq!(states(&[&zero, &y]), before);
    // A released input is refused before the block runs.
    let used = x.mul(&x).unwrap();
    used.backward_with_seed(&tensor([1], &[1.0]).view(), GraphRetention::Release)
        .unwrap();
    let error = recompute(|_| panic!("must not run"), &[x, used]).unwrap_err();
    assert!(
        matches!(
            error,
            TensorAutodiffError::ReleasedOperand { operand: 1, .. }
        ),
        "{error:?}"
    );
}

#[test]
fn an_updated_input_is_stale() {
    let x = parameter([1], &[2.0]);
    let y = recompute(|xs| xs[0].mul(&xs[0]), from_ref(&x)).unwrap();
    x.set_value(tensor([1], &[3.0])).unwrap();
    let error = y
        .backward_with_seed(&tensor([1], &[1.0]).view(), GraphRetention::Retain)
        .unwrap_err();
    assert!(
        matches!(
            error,
            TensorAutodiffError::StaleOperandValue {
                recorded_revision: 0,
                current_revision: 1,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn nothing_is_recorded_within_no_grad_or_without_a_tracked_input_and_a_pass_within_no_grad_works() {
    let x = parameter([2], &[1.0, 2.0]);
    let untracked = no_grad(|| recompute(|xs| xs[0].sin(), from_ref(&x))).unwrap();
    assert!(!untracked.tracks_gradient());
    let constant = recompute(|xs| xs[0].sin(), &[x.detach()]).unwrap();
    assert!(!constant.tracks_gradient());
    assert_eq!(
        bits(&constant.value_snapshot()),
        bits(&untracked.value_snapshot())
    );
    let plain = recompute(|xs: &[Tensor]| xs[0].sin(), &[x.value_snapshot()]).unwrap();
    assert_eq!(bits(&plain), bits(&untracked.value_snapshot()));

    let y = recompute(|xs| xs[0].mul(&xs[0]), from_ref(&x)).unwrap();
    no_grad(|| y.backward_with_seed(&tensor([2], &[1.0, 1.0]).view(), GraphRetention::Release))
        .unwrap();
    assert_eq!(x.gradient_snapshot().unwrap().into_vec(), [2.0, 4.0]);
}

#[test]
fn a_block_that_returns_an_input_or_ignores_one_is_reversed_as_without_it() {
    let [x, w] = [&[1.0, 2.0], &[3.0, 5.0]].map(|values| parameter([2], values));
    let y = recompute(|xs| Ok(xs[1].clone()), &[x.clone(), w.clone()]).unwrap();
    y.backward_with_seed(&tensor([2], &[7.0, 9.0]).view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(w.gradient_snapshot().unwrap().into_vec(), [7.0, 9.0]);
    assert_eq!(x.gradient_snapshot().unwrap().into_vec(), [0.0, 0.0]);
}

#[test]
fn second_order_goes_through_it() {
    struct Cubic;
    impl autodiff_core::functional::Function for Cubic {
        fn call<T: Element>(&self, inputs: &[TensorValue<T>]) -> Result<TensorValue<T>> {
            recompute(
                |xs| xs[0].mul(&xs[0])?.mul(&xs[0])?.sum_axis(0, false),
                inputs,
            )
        }
    }
    let x = tensor([2], &[2.0, 3.0]);
    let hessian = autodiff_core::functional::hessian(&Cubic, &x).unwrap();
    // The second derivative of x³ is 6 x.
    assert_eq!(hessian.into_vec(), [12.0, 0.0, 0.0, 18.0]);
}
