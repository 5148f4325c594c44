//! Accumulation, topology, staleness and release.

use autodiff_ops::prelude::*;

use super::{constant, gradient, parameter, reverse, reverse_sum, tensor};

#[test]
fn t010_a_node_with_two_consumers_gets_the_sum_of_both_contributions() {
    // y = x + Σ_rows broadcast(x): 1 from the first use, 2 from the two rows of the second.
    let x = parameter([3], &[1.0, 2.0, 3.0]);
    let repeated = x.broadcast_to(&[2, 3]).unwrap().sum_axis(0, false).unwrap();
    reverse(&x.add(&repeated).unwrap(), &[1.0, 10.0, 100.0]).unwrap();
    assert_eq!(gradient(&x), tensor([3], &[3.0, 30.0, 300.0]));
}

#[test]
fn t012_a_second_pass_adds_exactly_one_more_copy() {
    let x = parameter([2], &[2.0, 3.0]);
    // x⁴ through two intermediates that are each used twice: x̄ = 4 x³.
    let square = x.mul(&x).unwrap();
    let fourth = square.mul(&square).unwrap();
    let seed = tensor([2], &[1.0, 1.0]);
    for passes in 1..=3 {
        fourth
            .backward_with_seed(&seed.view(), GraphRetention::Retain)
            .unwrap();
        let copies = f64::from(passes);
        assert_eq!(gradient(&x), tensor([2], &[32.0 * copies, 108.0 * copies]));
    }
}

#[test]
fn c015_the_order_in_which_operands_were_built_changes_nothing() {
    // (x · y) · (x + y) with either side built first, and joined in either order.
    let build = |sum_first: bool, sum_left: bool| {
        let (x, y) = (parameter([1], &[3.0]), parameter([1], &[5.0]));
        let (product, sum) = if sum_first {
            let sum = x.add(&y).unwrap();
            (x.mul(&y).unwrap(), sum)
        } else {
            let product = x.mul(&y).unwrap();
            (product, x.add(&y).unwrap())
        };
        let joined = if sum_left {
            sum.mul(&product)
        } else {
            product.mul(&sum)
        };
        let trace = joined
            .unwrap()
            .backward_with_seed_and_trace(&tensor([1], &[1.0]).view(), GraphRetention::Release)
            .unwrap();
        // A child is always reversed before any of its parents.
        let children: Vec<_> = trace.edges.iter().map(|edge| edge.child).collect();
        assert!(children.is_sorted_by(|earlier, later| earlier >= later));
        assert!(trace.edges.iter().all(|edge| edge.parent < edge.child));
        [gradient(&x), gradient(&y)]
    };
    // d/dx (x² y + x y²) = 2xy + y² = 30 + 25, d/dy = x² + 2xy = 9 + 30.
    for (sum_first, sum_left) in [(false, false), (false, true), (true, false), (true, true)] {
        let expected = [tensor([1], &[55.0]), tensor([1], &[39.0])];
        assert_eq!(build(sum_first, sum_left), expected);
    }
}

#[test]
fn c016_contributions_to_a_reused_operand_are_summed_once_each_and_alike_in_every_run() {
    let (rows, columns) = (3_000, 7);
    let run = || {
        let weights =
            Tensor::from_fn([rows, columns], |index| ((index * 37) % 101) as f64 * 0.01).unwrap();
        let row = parameter([columns], &[0.1; 7]);
        let product = TensorValue::constant(weights.clone())
            .unwrap()
            .mul(&row)
            .unwrap();
        reverse_sum(&product).unwrap();
        (gradient(&row), weights)
    };
    let (first, weights) = run();
    for _ in 0..4 {
        assert!(run().0.bit_eq(&first));
    }
    for (column, &sum) in first.as_slice().iter().enumerate() {
        let expected: f64 = weights
            .as_slice()
            .iter()
            .skip(column)
            .step_by(columns)
            .sum();
        // 3,000 terms below 1.01 in two orders of summation: 3,000 roundings of a sum below 3,030.
        assert!((sum - expected).abs() <= 3_000.0 * 3_030.0 * f64::EPSILON);
    }
}

#[test]
fn t054_extents_that_do_not_fit_are_refused_when_the_edge_is_built() {
    let (a, b) = (
        parameter([1278], &[0.5; 1278]),
        parameter([1280], &[0.5; 1280]),
    );
    let error = a.add(&b).unwrap_err();
    assert_eq!(
        error.to_string(),
        "add: shapes [1278] and [1280] do not broadcast"
    );
}

#[test]
fn t091_an_update_after_a_retained_pass_makes_every_use_stale_saved_or_not() {
    let two = constant([2], &[2.0, 2.0]);
    let x = parameter([2], &[1.0, 3.0]);
    let seed = tensor([2], &[1.0, 1.0]);
    // The product's edge saves the other operand only, and the sum's edge saves no value at all; both
    // are refused, since the output no longer belongs to the operand's present value.
    let outputs = [x.mul(&two).unwrap(), x.add(&two).unwrap()];
    for output in &outputs {
        output
            .backward_with_seed(&seed.view(), GraphRetention::Retain)
            .unwrap();
    }
    let before = gradient(&x);
    x.set_value(tensor([2], &[2.0, 4.0])).unwrap();
    for output in &outputs {
        let error = output
            .backward_with_seed(&seed.view(), GraphRetention::Retain)
            .unwrap_err();
        assert!(
            matches!(
                error,
                TensorAutodiffError::StaleOperandValue { operand: 0, .. }
            ),
            "{error:?}"
        );
    }
    assert_eq!(gradient(&x), before);
}

#[test]
fn t093_a_stale_operands_message_names_shape_operation_and_both_revisions() {
    let x = parameter([2, 1], &[1.0, 3.0]);
    let output = x.mul(&x).unwrap();
    x.set_value(tensor([2, 1], &[2.0, 4.0])).unwrap();
    assert_eq!(
        reverse_sum(&output).unwrap_err().to_string(),
        "operand 0 of node 1 (multiply) is stale: it used node 0 (parameter, shape [2, 1]) at revision 0, \
         which is now at revision 1; run a new forward pass"
    );
}

#[test]
fn t094_a_released_graph_is_refused_also_where_its_edges_saved_no_value() {
    let x = parameter([2], &[1.0, 3.0]);
    let output = x.add(&x).unwrap();
    reverse_sum(&output).unwrap();
    let operation = output.operation();
    assert_eq!(
        reverse_sum(&output),
        Err(TensorAutodiffError::GraphReleased { operation })
    );
    assert_eq!(gradient(&x), tensor([2], &[2.0, 2.0]));
}

/// The input with its first element replaced by 7, written in place into the operation's own copy.
#[vjp_rule]
#[gradcheck(x: [n])]
pub fn first_replaced<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, with a zero at the replaced element
    #[vjp(x)]
    fn x_vjp(mut upstream: Tensor<T>) -> Result<Tensor<T>> {
        if let Some(first) = upstream.as_mut_slice().first_mut() {
            *first = T::zero();
        }
        Ok(upstream)
    }
    let mut output = x.clone();
    if let Some(first) = output.as_mut_slice().first_mut() {
        *first = T::from_f64(7.0);
    }
    Ok(output)
}

#[test]
fn t139_an_operation_that_writes_into_its_input_writes_into_a_copy_and_is_reversed_by_its_rule() {
    let x = parameter([5], &[1.0, 2.0, 3.0, 4.0, 5.0]);
    let output = x.first_replaced().unwrap();
    assert_eq!(x.value_snapshot(), tensor([5], &[1.0, 2.0, 3.0, 4.0, 5.0]));
    assert_eq!(
        output.value_snapshot(),
        tensor([5], &[7.0, 2.0, 3.0, 4.0, 5.0])
    );
    assert!(output.tracks_gradient());
    reverse(&output, &[10.0, 20.0, 30.0, 40.0, 50.0]).unwrap();
    assert_eq!(gradient(&x), tensor([5], &[0.0, 20.0, 30.0, 40.0, 50.0]));
}
