//! What a node goes through: made, read, updated, reversed, released, detached, shown.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use autodiff_ops::prelude::*;
use tests::state::{bits, states};

fn tensor(shape: impl Into<Shape>, values: &[f64]) -> Tensor {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

fn parameter(values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor([values.len()], values)).unwrap()
}

fn gradient(value: &TensorValue) -> Vec<f64> {
    value.gradient_snapshot().unwrap().into_vec()
}

fn pass(output: &TensorValue, seed: &[f64], retention: GraphRetention) -> Result<()> {
    let seed = tensor(output.shape(), seed);
    output.backward_with_seed(&seed.view(), retention)
}

mod leaves {
    use super::*;

    #[test]
    fn a_parameter_begins_with_a_zero_gradient_of_its_exact_shape() {
        for shape in [vec![], vec![3], vec![2, 0], vec![1, 2, 1]] {
            let x = TensorValue::<f64>::parameter(Tensor::ones(&shape).unwrap()).unwrap();
            assert_eq!(x.gradient_snapshot(), Some(Tensor::zeros(&shape).unwrap()));
            assert_eq!(x.operation(), Operation::PARAMETER);
            assert!(x.is_parameter() && x.tracks_gradient() && !x.is_released());
            assert_eq!(x.revision(), 0);
        }
    }

    #[test]
    fn a_constant_has_no_gradient() {
        let c = TensorValue::constant(tensor([2], &[1.0, 2.0])).unwrap();
        assert!(c.gradient_snapshot().is_none() && c.gradient().is_none());
        assert_eq!(c.operation(), Operation::CONSTANT);
        assert!(!c.is_parameter() && !c.tracks_gradient());
    }

    #[test]
    fn the_first_non_finite_value_in_row_major_order_is_named() {
        let values = [1.0, f64::INFINITY, f64::NAN, 2.0];
        for leaf in [TensorValue::parameter, TensorValue::constant] {
            let error = leaf(tensor([2, 2], &values)).unwrap_err();
            assert!(
                matches!(error, TensorAutodiffError::NonFiniteLeaf { index: 1, value, .. } if value == f64::INFINITY)
            );
        }
    }

    #[test]
    fn a_clone_is_the_same_node_and_an_equal_leaf_is_not() {
        let x = parameter(&[1.0]);
        assert!(x.is_same_node(&x.clone()));
        assert!(!x.is_same_node(&parameter(&[1.0])));
        x.clone().set_value(tensor([1], &[5.0])).unwrap();
        assert_eq!(x.value_snapshot(), tensor([1], &[5.0]));
    }

    #[test]
    fn a_leaf_does_not_share_what_its_maker_writes_later() {
        let mut source = tensor([5], &[1.0, 2.0, 3.0, 4.0, 5.0]);
        let x = TensorValue::parameter(source.clone()).unwrap();
        source.as_mut_slice()[0] = 9.0;
        assert_eq!(x.value().as_slice()[0], 1.0);
    }

    #[test]
    fn an_operation_of_constants_is_untracked() {
        let c = TensorValue::constant(tensor([2], &[1.0, 2.0])).unwrap();
        let y = c.mul(&c).unwrap();
        assert!(!y.tracks_gradient());
        assert_eq!(y.operation().name(), "multiply");
        assert_eq!(y.value_snapshot(), tensor([2], &[1.0, 4.0]));
    }
}

mod reading {
    use super::*;

    #[test]
    fn a_snapshot_keeps_what_it_was_taken_of() {
        let x = parameter(&[1.0, 2.0]);
        let (value, gradient) = (x.value_snapshot(), x.gradient_snapshot().unwrap());
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        pass(&x, &[1.0, 1.0], GraphRetention::Retain).unwrap();
        assert_eq!(value, tensor([2], &[1.0, 2.0]));
        assert_eq!(gradient, tensor([2], &[0.0, 0.0]));
        assert_eq!(x.value_snapshot(), tensor([2], &[3.0, 4.0]));
    }

    #[test]
    fn a_snapshot_refuses_no_writer_and_its_own_writes_stay_its_own() {
        let x = TensorValue::parameter(tensor([5], &[1.0; 5])).unwrap();
        let mut snapshot = x.value_snapshot();
        snapshot.as_mut_slice()[0] = 9.0;
        x.set_value(tensor([5], &[2.0; 5])).unwrap();
        assert_eq!(x.value_snapshot(), tensor([5], &[2.0; 5]));
    }

    #[test]
    fn a_guard_refuses_writers_until_it_is_dropped() {
        let x = parameter(&[1.0, 2.0]);
        let (first, second) = (x.value(), x.value());
        let update = || x.set_value(tensor([2], &[3.0, 4.0]));
        assert_eq!(update(), Err(TensorAutodiffError::ValueBorrowed));
        drop(first);
        assert_eq!(update(), Err(TensorAutodiffError::ValueBorrowed));
        drop(second);
        assert_eq!(update(), Ok(()));
    }

    #[test]
    fn value_and_gradient_are_guarded_apart() {
        let x = parameter(&[1.0, 2.0]);
        let value = x.value();
        pass(&x, &[1.0, 1.0], GraphRetention::Retain).unwrap();
        x.zero_grad().unwrap();
        drop(value);
        let gradient = x.gradient();
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        assert_eq!(x.zero_grad(), Err(TensorAutodiffError::GradientBorrowed));
        drop(gradient);
    }

    #[test]
    fn reading_never_fails_while_a_guard_lives() {
        let x = parameter(&[1.0, 2.0]);
        let (_value, _gradient) = (x.value(), x.gradient());
        assert_eq!(*x.value(), tensor([2], &[1.0, 2.0]));
        assert_eq!(gradient(&x), [0.0, 0.0]);
        assert_eq!(
            x.mul(&x).unwrap().value_snapshot(),
            tensor([2], &[1.0, 4.0])
        );
    }

    #[test]
    fn a_guard_on_a_result_refuses_no_update_of_its_operands() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.add(&x).unwrap();
        let _guard = y.value();
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        assert_eq!(y.value_snapshot(), tensor([2], &[2.0, 4.0]));
    }

    #[test]
    fn a_guard_outlives_every_handle() {
        let guard = parameter(&[1.0, 2.0]).value();
        assert_eq!(guard.as_slice(), [1.0, 2.0]);
    }

    #[test]
    fn a_detached_leaf_is_a_new_untracked_node_with_the_present_value() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        for source in [&x, &y] {
            let detached = source.detach();
            assert!(!detached.is_same_node(source));
            assert!(!detached.tracks_gradient() && !detached.is_parameter());
            assert_eq!(detached.operation(), Operation::DETACHED);
            assert_eq!(detached.value_snapshot(), source.value_snapshot());
        }
        let detached = x.detach();
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        assert_eq!(detached.value_snapshot(), tensor([2], &[1.0, 2.0]));
    }

    #[test]
    fn nothing_flows_through_a_detached_leaf() {
        // Σ p·p + 10 · detach(p): p̄ = 2 p = [4, 6], and the second term adds nothing.
        let p = parameter(&[2.0, 3.0]);
        let ten = TensorValue::constant(Tensor::scalar(10.0)).unwrap();
        let detached = p.detach();
        let loss = p
            .mul(&p)
            .unwrap()
            .add(&detached.mul(&ten).unwrap())
            .unwrap();
        let loss = loss.sum_axis(0, false).unwrap();
        assert_eq!(loss.value().item(), Ok(4.0 + 9.0 + 50.0));
        loss.backward().unwrap();
        assert_eq!(gradient(&p), [4.0, 6.0]);
        assert!(detached.gradient().is_none());
    }
}

mod updating {
    use super::*;

    #[test]
    fn zeroing_gives_positive_zeros() {
        let x = parameter(&[1.0, 2.0]);
        pass(&x, &[-3.0, -0.0], GraphRetention::Retain).unwrap();
        x.zero_grad().unwrap();
        assert_eq!(
            bits(&x.gradient_snapshot().unwrap()),
            [0.0_f64.to_bits(); 2]
        );
    }

    #[test]
    fn an_update_keeps_the_node_and_its_gradient_and_counts_a_revision() {
        let x = parameter(&[1.0, 2.0]);
        let handle = x.clone();
        pass(&x, &[5.0, 6.0], GraphRetention::Retain).unwrap();
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        assert!(handle.is_same_node(&x));
        assert_eq!(gradient(&handle), [5.0, 6.0]);
        assert_eq!(handle.value_snapshot(), tensor([2], &[3.0, 4.0]));
        assert_eq!(
            (handle.revision(), x.operation()),
            (1, Operation::PARAMETER)
        );
    }

    #[test]
    fn one_update_of_all_counts_one_revision_each() {
        let (x, y) = (parameter(&[1.0]), parameter(&[2.0, 3.0]));
        TensorValue::update_all([(&y, tensor([2], &[5.0, 6.0])), (&x, tensor([1], &[4.0]))])
            .unwrap();
        assert_eq!((x.value_snapshot(), x.revision()), (tensor([1], &[4.0]), 1));
        assert_eq!(
            (y.value_snapshot(), y.revision()),
            (tensor([2], &[5.0, 6.0]), 1)
        );
    }

    #[test]
    fn an_update_of_nothing_is_accepted() {
        TensorValue::<f64>::update_all([]).unwrap();
    }

    #[test]
    fn every_update_is_checked_before_any_is_made() {
        let (x, y) = (parameter(&[1.0]), parameter(&[2.0]));
        let before = states(&[&x, &y]);
        let bad = [
            tensor([2], &[1.0, 2.0]),
            tensor([1], &[f64::NAN]),
            tensor([1], &[f64::NEG_INFINITY]),
        ];
        for value in bad {
            TensorValue::update_all([(&x, tensor([1], &[9.0])), (&y, value)]).unwrap_err();
            assert_eq!(states(&[&x, &y]), before);
        }
    }

    #[test]
    fn results_keep_the_values_they_were_computed_from() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        assert_eq!(y.value_snapshot(), tensor([2], &[1.0, 4.0]));
        // A new forward pass sees the new value: x̄ = 2 x.
        pass(&x.mul(&x).unwrap(), &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert_eq!(gradient(&x), [6.0, 8.0]);
    }

    #[test]
    fn an_update_between_two_retained_passes_makes_the_second_stale() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        pass(&y, &[1.0, 1.0], GraphRetention::Retain).unwrap();
        x.set_value(tensor([2], &[1.0, 2.0])).unwrap();
        let error = pass(&y, &[1.0, 1.0], GraphRetention::Retain).unwrap_err();
        // The same numbers again are a new revision all the same.
        let TensorAutodiffError::StaleOperandValue {
            recorded_revision,
            current_revision,
            ..
        } = error
        else {
            panic!("expected a stale operand, got {error:?}");
        };
        assert_eq!((recorded_revision, current_revision), (0, 1));
        assert_eq!(gradient(&x), [2.0, 4.0]);
    }

    #[test]
    fn an_updated_parameter_is_itself_never_stale() {
        let x = parameter(&[1.0, 2.0]);
        x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
        pass(&x, &[1.0, 1.0], GraphRetention::Retain).unwrap();
        assert_eq!(gradient(&x), [1.0, 1.0]);
    }
}

mod without_gradients {
    use super::*;

    #[test]
    fn results_are_untracked_and_equal() {
        let x = parameter(&[1.0, 2.0]);
        let (taped, scoped) = (x.mul(&x).unwrap(), no_grad(|| x.mul(&x)).unwrap());
        assert!(taped.tracks_gradient() && !scoped.tracks_gradient());
        assert_eq!(taped.value_snapshot(), scoped.value_snapshot());
    }

    #[test]
    fn scopes_nest() {
        let x = parameter(&[1.0]);
        no_grad(|| {
            no_grad(|| assert!(!x.add(&x).unwrap().tracks_gradient()));
            assert!(!x.add(&x).unwrap().tracks_gradient());
        });
        assert!(x.add(&x).unwrap().tracks_gradient());
    }

    #[test]
    fn a_panic_ends_the_scope() {
        let x = parameter(&[1.0]);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            no_grad(|| std::panic::resume_unwind(Box::new(())))
        }))
        .is_err();
        assert!(panicked && x.add(&x).unwrap().tracks_gradient());
    }

    #[test]
    fn the_scope_is_of_its_thread_only() {
        let x = parameter(&[1.0]);
        no_grad(|| {
            std::thread::scope(|threads| {
                threads.spawn(|| assert!(x.add(&x).unwrap().tracks_gradient()));
            });
        });
    }

    #[test]
    fn released_nodes_may_be_read() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert_eq!(y.value_snapshot(), tensor([2], &[1.0, 4.0]));
        let z = no_grad(|| y.add(&y)).unwrap();
        assert_eq!(z.value_snapshot(), tensor([2], &[2.0, 8.0]));
        let error = y.add(&y).unwrap_err();
        assert!(matches!(
            error,
            TensorAutodiffError::ReleasedOperand { operand: 0, .. }
        ));
    }

    #[test]
    fn a_released_node_may_be_detached_and_used() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
        let z = y.detach().mul(&x).unwrap();
        pass(&z, &[1.0, 1.0], GraphRetention::Release).unwrap();
        // 2 x from the first pass and detach(x²) from the second.
        assert_eq!(gradient(&x), [2.0 + 1.0, 4.0 + 4.0]);
    }

    #[test]
    fn a_pass_within_the_scope_reverses_what_was_recorded_outside() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        no_grad(|| pass(&y, &[1.0, 1.0], GraphRetention::Release)).unwrap();
        assert_eq!(gradient(&x), [2.0, 4.0]);
    }
}

mod passes {
    use super::*;

    #[test]
    fn retained_passes_accumulate() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        for times in 1..=3 {
            pass(&y, &[1.0, 10.0], GraphRetention::Retain).unwrap();
            // 2 x · seed, once a pass.
            assert_eq!(
                gradient(&x),
                [2.0 * f64::from(times), 40.0 * f64::from(times)]
            );
        }
    }

    #[test]
    fn a_release_keeps_primals_and_gradients_and_ends_reversing() {
        let x = parameter(&[1.0, 2.0]);
        let inner = x.mul(&x).unwrap();
        let output = inner.sum_axis(0, false).unwrap();
        let one = Tensor::scalar(1.0);
        output
            .backward_with_seed(&one.view(), GraphRetention::Release)
            .unwrap();
        assert!(output.is_released() && inner.is_released() && !x.is_released());
        assert_eq!(inner.value_snapshot(), tensor([2], &[1.0, 4.0]));
        assert_eq!(gradient(&x), [2.0, 4.0]);
        for node in [&output, &inner] {
            let operation = node.operation();
            let seed = Tensor::zeros(node.shape()).unwrap();
            let again = node.backward_with_seed(&seed.view(), GraphRetention::Retain);
            assert_eq!(again, Err(TensorAutodiffError::GraphReleased { operation }));
        }
        assert_eq!(gradient(&x), [2.0, 4.0]);
    }

    #[test]
    fn a_release_reaches_only_what_the_pass_reached() {
        let x = parameter(&[1.0, 2.0]);
        let (left, right) = (x.mul(&x).unwrap(), x.add(&x).unwrap());
        pass(&left, &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert!(left.is_released() && !right.is_released());
        pass(&right, &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert_eq!(gradient(&x), [2.0 + 2.0, 4.0 + 2.0]);
    }

    #[test]
    fn a_parameter_is_an_output_whose_adjoint_is_the_seed_and_release_leaves_it_alive() {
        let x = parameter(&[1.0, 2.0]);
        pass(&x, &[3.0, 6.0], GraphRetention::Release).unwrap();
        assert_eq!(gradient(&x), [3.0, 6.0]);
        assert!(!x.is_released());
        pass(&x, &[1.0, 1.0], GraphRetention::Release).unwrap();
        pass(&x.mul(&x).unwrap(), &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert_eq!(gradient(&x), [3.0 + 1.0 + 2.0, 6.0 + 1.0 + 4.0]);
    }

    #[test]
    fn backward_is_the_retained_pass_from_a_seed_of_one() {
        let x = parameter(&[1.0, 2.0]);
        let loss = x.mul(&x).unwrap().sum_axis(0, false).unwrap();
        loss.backward().unwrap();
        let trace = loss.backward_with_trace().unwrap();
        assert_eq!(trace.seed, Tensor::scalar(1.0));
        assert_eq!(trace.retention, GraphRetention::Retain);
        assert_eq!(gradient(&x), [2.0 * 2.0, 2.0 * 4.0]);
    }

    #[test]
    fn backward_asks_for_rank_zero_and_not_for_one_element() {
        let x = parameter(&[1.0]);
        let error = x.mul(&x).unwrap().backward().unwrap_err();
        assert_eq!(
            error,
            TensorAutodiffError::SeedShapeMismatch {
                expected: vec![1],
                actual: vec![]
            }
        );
    }

    #[test]
    fn a_seed_may_be_a_strided_view() {
        let x = TensorValue::parameter(tensor([2, 3], &[0.0; 6])).unwrap();
        let y = x.add(&x.detach()).unwrap();
        let seed = tensor([3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let transposed = seed.view().transpose(0, 1).unwrap();
        y.backward_with_seed(&transposed, GraphRetention::Retain)
            .unwrap();
        assert_eq!(gradient(&x), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }

    #[test]
    fn zero_extents_are_reversed() {
        let x = TensorValue::<f64>::parameter(Tensor::zeros([2, 0]).unwrap()).unwrap();
        let y = x.mul(&x).unwrap().sum_axis(1, false).unwrap();
        assert_eq!(y.value_snapshot(), tensor([2], &[0.0, 0.0]));
        pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert_eq!(x.gradient_snapshot(), Some(Tensor::zeros([2, 0]).unwrap()));
    }

    #[test]
    fn an_operation_between_two_graphs_of_different_ages_is_reversed_in_creation_order() {
        let x = parameter(&[3.0]);
        let old = x.mul(&x).unwrap();
        let new = x.add(&x).unwrap();
        // old first, then new, and the other way round: x² · 2x, so x̄ = 6 x².
        for product in [old.mul(&new).unwrap(), new.mul(&old).unwrap()] {
            x.zero_grad().unwrap();
            pass(&product, &[1.0], GraphRetention::Retain).unwrap();
            assert_eq!(gradient(&x), [54.0]);
        }
    }
}

mod showing {
    use super::*;

    #[test]
    fn debug_shows_shape_operation_tracking_gradient_and_release() {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap();
        assert_eq!(
            format!("{x:?}"),
            "TensorValue { shape: [2], operation: parameter, tracked: true, \
             gradient: Some(Tensor { shape: [2], values: [0.0, 0.0] }), released: false }"
        );
        assert_eq!(
            format!("{y:?}"),
            "TensorValue { shape: [2], operation: multiply, tracked: true, gradient: None, released: false }"
        );
        pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
        assert!(format!("{y:?}").ends_with("released: true }"));
    }

    #[test]
    fn operations_have_the_names_that_people_see() {
        let x = TensorValue::parameter(tensor([2, 1], &[1.0, 2.0])).unwrap();
        let results = [
            x.add(&x),
            x.mul(&x),
            x.reshape(&[2]),
            x.transpose(0, 1),
            x.broadcast_to(&[2, 3]),
            x.sum_axis(0, false),
            x.mean_axis(0, false),
        ];
        let names = results.map(|result| result.unwrap().operation().to_string());
        assert_eq!(
            names,
            [
                "add",
                "multiply",
                "reshape",
                "transpose",
                "broadcast",
                "sum",
                "mean"
            ]
        );
        let leaves = [
            x.operation(),
            x.detach().operation(),
            TensorValue::constant(Tensor::scalar(0.0))
                .unwrap()
                .operation(),
        ];
        assert_eq!(
            leaves.map(|leaf| leaf.to_string()),
            ["parameter", "detached", "constant"]
        );
    }
}
