//! Elementwise operations at kinks, singular points and overflows.

use autodiff_core::gradcheck::{CheckOptions, check};
use autodiff_core::rule::CaseKind;
use autodiff_ops::prelude::*;

use super::{close, constant, gradient, parameter, reverse, reverse_sum, tensor};

#[test]
fn t003_a_scalar_broadcast_against_a_vector_gets_the_sum_over_all_its_uses() {
    let z = parameter([], &[1.0]);
    let zero = constant([], &[0.0]);
    let zeros = TensorValue::constant(Tensor::zeros([1000]).unwrap()).unwrap();
    let once = z.exp().unwrap().sub(&zero).unwrap();
    let often = z
        .exp()
        .unwrap()
        .sub(&zeros)
        .unwrap()
        .sum(&[0], false)
        .unwrap();
    once.add(&often).unwrap().backward().unwrap();
    // 1,001 terms e, each rounded once.
    close(&gradient(&z), &tensor([], &[1001.0 * 1.0_f64.exp()]), 1e-12);
}

#[test]
fn t013_the_derivatives_of_log_and_exp_are_their_own() {
    let x = parameter([1], &[0.7]);
    reverse(&x.log().unwrap(), &[1.0]).unwrap();
    close(&gradient(&x), &tensor([1], &[1.0 / 0.7]), 1e-15);
    x.zero_grad().unwrap();
    reverse(&x.exp().unwrap(), &[1.0]).unwrap();
    close(&gradient(&x), &tensor([1], &[0.7_f64.exp()]), 1e-15);
}

#[test]
fn t061_a_comparison_contributes_nothing_and_selects() {
    let x = parameter([4], &[-2.0, -0.5, 0.0, 3.0]);
    let is_negative = x.value().map(|x| x < 0.0);
    let zero = constant([], &[0.0]);
    reverse_sum(&where_(&is_negative, &x, &zero).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([4], &[1.0, 1.0, 0.0, 0.0]));
}

/// `x` where positive, else `e^x - 1`, with an exponential that only ever sees what is not positive.
fn elu(x: &TensorValue<f32>) -> Result<TensorValue<f32>> {
    let is_positive = x.value().map(|x| x > 0.0);
    let bounded = x.clamp(None, Some(0.0))?;
    where_(&is_positive, x, &bounded.exp()?.add_scalar(-1.0)?)
}

/// The gradient of `f` at one number, in `f32`.
fn slope_f32(f: impl Fn(&TensorValue<f32>) -> Result<TensorValue<f32>>, at: f32) -> Result<f32> {
    let x = TensorValue::parameter(Tensor::scalar(at))?;
    f(&x)?.backward()?;
    x.gradient_snapshot().unwrap().item()
}

#[test]
fn c063_an_exponential_unit_is_linear_for_large_inputs() {
    assert_eq!(slope_f32(elu, 100.0), Ok(1.0));
    // e^-1 in single precision.
    assert!((slope_f32(elu, -1.0).unwrap() - (-1.0_f32).exp()).abs() < 1e-7);
}

#[test]
fn c064_an_exponential_that_overflows_is_refused_by_name_also_in_a_branch_not_taken() {
    // e^88.73 is the first power of e beyond the largest `f32`.
    let naive = |x: &TensorValue<f32>| {
        let is_positive = x.value().map(|x| x > 0.0);
        where_(&is_positive, x, &x.exp()?.add_scalar(-1.0)?)
    };
    assert_eq!(slope_f32(naive, 88.0), Ok(1.0));
    let error = slope_f32(naive, 89.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "exp produced non-finite value inf at flat index 0"
    );
    assert_eq!(slope_f32(elu, 89.0), Ok(1.0));
}

#[test]
fn c066_abs_has_slope_0_at_0_also_behind_a_matrix_product() {
    let d = constant([2, 2], &[6.0, 7.0, 9.0, -10.0]);
    let t = parameter([2, 2], &[0.0, -1.0, 3.0, 4.0]);
    reverse_sum(&d.matmul(&t.abs().unwrap()).unwrap()).unwrap();
    // The column sums of D, 15 and -3, times the signs of T.
    assert_eq!(gradient(&t), tensor([2, 2], &[0.0, -15.0, -3.0, -3.0]));
}

#[test]
fn t070_the_exponent_of_a_zero_base_has_slope_0() {
    let a = constant([2], &[0.0, 2.0]);
    let b = parameter([2], &[1.0, 1.0]);
    reverse_sum(&a.pow(&b).unwrap()).unwrap();
    close(
        &gradient(&b),
        &tensor([2], &[0.0, 2.0 * 2.0_f64.ln()]),
        1e-15,
    );
}

#[test]
fn t072_the_exponent_0_of_a_zero_base_is_a_typed_error_in_every_order() {
    let base = constant([1], &[0.0]);
    let exponent = parameter([1], &[0.0]);
    let error = reverse_sum(&base.pow(&exponent).unwrap()).unwrap_err();
    assert!(
        matches!(error, TensorAutodiffError::NonFiniteVjp { operand: 1, .. }),
        "{error:?}"
    );

    // Second order: the tangent of the first derivative, forward over reverse.
    let dual = |value, tangent| Tensor::scalar(Dual { value, tangent });
    let base = TensorValue::constant(dual(0.0, 0.0)).unwrap();
    let exponent = TensorValue::parameter(dual(0.0, 1.0)).unwrap();
    let outcome = base.pow(&exponent).and_then(|power| power.backward());
    let error = outcome.unwrap_err();
    let names_the_power = matches!(
        &error,
        TensorAutodiffError::NonFiniteVjp { operation, .. } | TensorAutodiffError::NonFiniteForward { operation, .. }
            if operation.name() == "pow"
    );
    assert!(names_the_power, "{error:?}");
}

#[test]
fn t073_a_zero_base_has_the_slopes_of_its_exponent_or_a_typed_error() {
    let slopes = |exponent: f64| {
        let (a, b) = (parameter([1], &[0.0]), parameter([1], &[exponent]));
        reverse_sum(&a.pow(&b)?)?;
        Ok([gradient(&a).item()?, gradient(&b).item()?])
    };
    assert_eq!(slopes(2.0), Ok([0.0, 0.0]));
    assert_eq!(slopes(1.0), Ok([1.0, 0.0]));
    let error: TensorAutodiffError = slopes(0.5).unwrap_err();
    assert!(
        matches!(error, TensorAutodiffError::NonFiniteVjp { operand: 0, .. }),
        "{error:?}"
    );
    let error = slopes(-1.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pow produced non-finite value inf at flat index 0"
    );
}

#[test]
fn t075_a_branch_not_taken_leaks_nothing() {
    // An infinite leaf is refused; the largest finite number is as far as a branch can go.
    assert!(TensorValue::parameter(tensor([2], &[0.0, f64::INFINITY])).is_err());
    let x = parameter([2], &[0.0, f64::MAX]);
    let is_below_one = x.value().map(|x| x < 1.0);
    let zero = constant([], &[0.0]);
    reverse_sum(&where_(&is_below_one, &x.cos().unwrap(), &zero).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([2], &[0.0, 0.0]));
}

#[test]
fn t076_an_overflow_in_a_branch_not_taken_is_refused_and_a_bounded_one_is_exact() {
    let branches = |bounded: bool| {
        move |a: &TensorValue<f32>| {
            let is_low = a.value().map(|a| a <= 0.0);
            let exponent = if bounded {
                a.clamp(None, Some(0.0))?
            } else {
                a.clone()
            };
            where_(&is_low, &exponent.exp()?, &a.add_scalar(1.0)?)
        }
    };
    assert_eq!(slope_f32(branches(true), 100.0), Ok(1.0));
    let error = slope_f32(branches(false), 100.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "exp produced non-finite value inf at flat index 0"
    );
}

#[test]
fn t078_a_root_of_0_whose_result_is_not_taken_gets_0() {
    let x = parameter([3, 2], &[1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
    let norms = x
        .square()
        .unwrap()
        .sum(&[1], false)
        .unwrap()
        .sqrt()
        .unwrap();
    let is_large = norms.value().map(|norm| norm > 0.5);
    let one = constant([], &[1.0]);
    reverse_sum(&where_(&is_large, &norms, &one).unwrap()).unwrap();
    let (first, second) = (5.0_f64.sqrt(), 5.0);
    let expected = [
        1.0 / first,
        2.0 / first,
        3.0 / second,
        4.0 / second,
        0.0,
        0.0,
    ];
    close(&gradient(&x), &tensor([3, 2], &expected), 1e-15);

    // Taken, the same root is a typed error that names it.
    let norms = x
        .square()
        .unwrap()
        .sum(&[1], false)
        .unwrap()
        .sqrt()
        .unwrap();
    let error = reverse_sum(&norms).unwrap_err();
    let TensorAutodiffError::NonFiniteVjp {
        operation,
        index: 2,
        ..
    } = error
    else {
        panic!("expected a contribution at the third row, got {error:?}");
    };
    assert_eq!(operation.name(), "sqrt");
}

#[test]
fn t079_a_root_of_0_in_a_branch_not_taken_leaves_the_other_branch_alone() {
    let x = parameter([1], &[0.0]);
    let is_below_one = x.value().map(|x| x < 1.0);
    reverse_sum(&where_(&is_below_one, &x, &x.sqrt().unwrap()).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([1], &[1.0]));
}

#[test]
fn t084_the_slope_of_the_root_is_half_the_reciprocal_root() {
    // At 4 the wrong rule 1/x gives 0.25 as well; at 1 and 9 it does not.
    let x = parameter([3], &[1.0, 4.0, 9.0]);
    reverse_sum(&x.sqrt().unwrap()).unwrap();
    close(&gradient(&x), &tensor([3], &[0.5, 0.25, 1.0 / 6.0]), 1e-15);
}

#[test]
fn t085_a_row_divided_by_its_absolute_sum_has_a_finite_gradient_at_its_zeros() {
    let values = [0.0, 0.0, 0.0, 0.0, 0.1996];
    let x = parameter([5], &values);
    let total = x.abs().unwrap().sum(&[0], true).unwrap();
    reverse(&x.div(&total).unwrap(), &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    // u_i / s - (Σ u x / s²) sign x_i with s = 0.1996: 5 / s for the second term, at the last entry only.
    let s = 0.1996;
    close(
        &gradient(&x),
        &tensor([5], &[1.0 / s, 2.0 / s, 3.0 / s, 4.0 / s, 0.0]),
        1e-13,
    );
}

#[test]
fn t117_the_domain_of_a_power_is_part_of_its_rule_and_no_draw_leaves_it() {
    let base = parameter([1], &[1.0]);
    let operation = base.pow(&base).unwrap().operation();
    let rule = Registry::global().unwrap().rule(operation).unwrap();
    assert!(
        rule.cases
            .iter()
            .all(|case| matches!(case.kind, CaseKind::Drawn { .. }))
    );
    assert!(rule.cases.iter().all(|case| case.text.contains(" in 0.")));
    let report = check(rule, &CheckOptions::new(117));
    assert!(report.passed() && report.redrawn == 0, "{report}");
}

#[test]
fn t118_the_upstream_of_two_edges_is_the_same_for_both() {
    // Σ |e^xᵀ + e^xᵀ| = Σ 2 e^x: both edges of the sum read one adjoint.
    let x = parameter([2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let transposed = x.exp().unwrap().transpose(0, 1).unwrap();
    let sum = transposed.add(&transposed).unwrap();
    let loss = sum.abs().unwrap().sum(&[0, 1], false).unwrap();
    let trace = loss.backward_with_trace().unwrap();
    let of_the_sum: Vec<_> = trace
        .edges
        .iter()
        .filter(|edge| trace.nodes[edge.child].operation.name() == "add")
        .collect();
    assert_eq!(of_the_sum.len(), 2);
    for edge in of_the_sum {
        assert_eq!(edge.upstream, tensor([2, 2], &[1.0; 4]));
        assert_eq!(edge.contribution, tensor([2, 2], &[1.0; 4]));
    }
    let expected = [1.0_f64, 2.0, 3.0, 4.0].map(|x| 2.0 * x.exp());
    close(&gradient(&x), &tensor([2, 2], &expected), 1e-15);
}

#[test]
fn t120_a_zero_upstream_into_the_root_of_0_contributes_0() {
    let x = parameter([2], &[0.0, 4.0]);
    reverse(&x.sqrt().unwrap(), &[0.0, 1.0]).unwrap();
    assert_eq!(gradient(&x), tensor([2], &[0.0, 0.25]));
}
