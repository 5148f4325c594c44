//! Reductions at ties, zeros and empty axes.

use autodiff_core::{GradcheckOptions, gradcheck};
use autodiff_ops::prelude::*;

use super::{close, constant, gradient, parameter, reverse, reverse_sum, tensor};

#[test]
fn t025_a_product_with_zeros_has_the_products_of_the_others_as_slopes() {
    let slopes = |values: &[f64]| {
        let x = parameter([values.len()], values);
        reverse_sum(&x.prod(&[0], false).unwrap()).unwrap();
        gradient(&x).into_vec()
    };
    assert_eq!(slopes(&[2.0, 0.0, 4.0]), [0.0, 8.0, 0.0]);
    assert_eq!(slopes(&[0.0, 0.0, 4.0]), [0.0, 0.0, 0.0]);
    assert_eq!(slopes(&[2.0, 3.0, 4.0]), [12.0, 8.0, 6.0]);
}

#[test]
fn t027_the_gradient_has_the_operands_shape_whatever_its_value() {
    for value in [0.0, 1.0, -2.0] {
        let t = parameter([1], &[value]);
        reverse_sum(&t.prod(&[0], false).unwrap()).unwrap();
        assert_eq!(gradient(&t), tensor([1], &[1.0]));
    }
}

#[test]
fn t028_the_sign_of_the_upstream_reaches_a_product() {
    let s = parameter([2], &[2.0, 3.0]);
    reverse_sum(&s.prod(&[0], false).unwrap().neg().unwrap()).unwrap();
    assert_eq!(gradient(&s), tensor([2], &[-3.0, -2.0]));
}

#[test]
fn t031_a_running_sum_along_an_empty_axis_has_an_empty_gradient() {
    let x = parameter([2, 0], &[]);
    let sums = x.cumsum(1).unwrap();
    assert_eq!(sums.shape(), [2, 0]);
    sums.sum(&[0, 1], false).unwrap().backward().unwrap();
    assert_eq!(gradient(&x), tensor([2, 0], &[]));
}

#[test]
fn t033_tied_maxima_share_the_upstream() {
    let x = parameter([3], &[1.0, 3.0, 3.0]);
    reverse_sum(&x.max(&[0], false).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([3], &[0.0, 0.5, 0.5]));
    // Whatever the number of ties, the shares add up to the upstream.
    for ties in [1, 2, 4, 8] {
        let x = parameter([ties], &vec![7.0; ties]);
        reverse(&x.max(&[0], false).unwrap(), &[3.0]).unwrap();
        assert_eq!(gradient(&x).as_slice().iter().sum::<f64>(), 3.0);
    }
}

#[test]
fn t034_the_convention_at_a_tie_is_part_of_the_rule() {
    let x = parameter([3], &[2.0, 2.0, 1.0]);
    let outputs = [
        x.max(&[0], false).unwrap(),
        x.min(&[0], false).unwrap(),
        x.maximum(&x).unwrap(),
        x.minimum(&x).unwrap(),
    ];
    for output in &outputs {
        let rule = Registry::global()
            .unwrap()
            .rule(output.operation())
            .unwrap();
        let conventions = rule.conventions();
        assert!(
            conventions.iter().any(|line| line.contains("tie")),
            "{conventions:?}"
        );
    }
    reverse_sum(&outputs[0]).unwrap();
    assert_eq!(gradient(&x), tensor([3], &[0.5, 0.5, 0.0]));
}

#[test]
fn c036_negative_and_positive_zero_are_tied() {
    let x = parameter([2, 2], &[-0.0, 0.0, 0.0, -0.0]);
    reverse_sum(&x.max(&[1], false).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([2, 2], &[0.5; 4]));
    let (a, b) = (parameter([2], &[-0.0, 0.0]), parameter([2], &[0.0, -0.0]));
    reverse_sum(&a.maximum(&b).unwrap()).unwrap();
    assert_eq!(gradient(&a), tensor([2], &[0.5; 2]));
    assert_eq!(gradient(&b), tensor([2], &[0.5; 2]));
}

#[test]
fn t037_ties_are_split_alike_in_every_axis_form_and_element_type() {
    let values = [5.0, 5.0, 1.0, 5.0];
    let third = 1.0 / 3.0;
    let forms: [(&[usize], &[usize]); 5] = [
        (&[4], &[0]),
        (&[1, 4], &[1]),
        (&[4, 1], &[0]),
        (&[2, 2], &[0, 1]),
        (&[2, 2], &[1, 0]),
    ];
    for (shape, axes) in forms {
        for keep_dim in [false, true] {
            let x = parameter(shape, &values);
            reverse_sum(&x.max(axes, keep_dim).unwrap()).unwrap();
            assert_eq!(gradient(&x).as_slice(), [third, third, 0.0, third]);

            let single = Tensor::from_vec(shape, values.to_vec())
                .unwrap()
                .cast::<f32>();
            let x = TensorValue::parameter(single).unwrap();
            let output = x.max(axes, keep_dim).unwrap();
            let seed = Tensor::ones(output.shape()).unwrap();
            output
                .backward_with_seed(&seed.view(), GraphRetention::Release)
                .unwrap();
            let third = 1.0_f32 / 3.0;
            assert_eq!(
                x.gradient_snapshot().unwrap().as_slice(),
                [third, third, 0.0, third]
            );
        }
    }
}

#[test]
fn t042_the_deviation_of_a_constant_vector_is_a_typed_error_and_its_norm_form_is_0() {
    let x = parameter([4], &[3.0; 4]);
    let deviation = x.variance(&[0], false).unwrap().sqrt().unwrap();
    let error = reverse_sum(&deviation).unwrap_err();
    let TensorAutodiffError::NonFiniteVjp { operation, .. } = error else {
        panic!("expected the root's contribution, got {error:?}");
    };
    assert_eq!(operation.name(), "sqrt");

    let centred = x.sub(&x.mean(&[0], true).unwrap()).unwrap();
    let deviation = centred
        .l2_norm(&[0], false)
        .unwrap()
        .mul_scalar(0.5)
        .unwrap();
    reverse_sum(&deviation).unwrap();
    assert_eq!(gradient(&x), tensor([4], &[0.0; 4]));
}

#[test]
fn c052_every_spelling_of_the_axes_gives_one_result_and_its_gradient() {
    type Reduction = fn(&TensorValue, &[usize], bool) -> Result<TensorValue>;
    let reductions: [(&str, Reduction); 8] = [
        ("sum", |x, axes, keep| x.sum(axes, keep)),
        ("mean", |x, axes, keep| x.mean(axes, keep)),
        ("variance", |x, axes, keep| x.variance(axes, keep)),
        ("max", |x, axes, keep| x.max(axes, keep)),
        ("min", |x, axes, keep| x.min(axes, keep)),
        ("prod", |x, axes, keep| x.prod(axes, keep)),
        ("logsumexp", |x, axes, keep| x.logsumexp(axes, keep)),
        ("l2_norm", |x, axes, keep| x.l2_norm(axes, keep)),
    ];
    let values = tensor([2, 2, 2], &[0.3, -1.1, 0.8, 1.9, -0.6, 1.2, -1.7, 0.4]);
    for (name, reduce) in reductions {
        for keep_dim in [false, true] {
            let mut results = Vec::new();
            for axes in [[0, 2], [2, 0]] {
                let f = |x: &[TensorValue]| reduce(&x[0], &axes, keep_dim);
                gradcheck(
                    f,
                    std::slice::from_ref(&values),
                    GradcheckOptions::default().name(name),
                )
                .unwrap();
                results.push(
                    f(&[TensorValue::constant(values.clone()).unwrap()])
                        .unwrap()
                        .value_snapshot(),
                );
            }
            assert!(results[0].bit_eq(&results[1]), "{name}");
        }
        let x = parameter([2, 2, 2], values.as_slice());
        assert!(
            reduce(&x, &[0, 0], false).is_err() && reduce(&x, &[3], false).is_err(),
            "{name}"
        );
    }
}

#[test]
fn t067_the_norm_of_a_zero_vector_has_gradient_0() {
    let x = parameter([3], &[0.0; 3]);
    reverse_sum(&x.l2_norm(&[0], false).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([3], &[0.0; 3]));
}

#[test]
fn t069_the_squared_norm_has_gradient_0_at_0_in_every_form() {
    let forms: [fn(&TensorValue) -> Result<TensorValue>; 3] = [
        // The supported form: a sum of squares has no root to go through.
        |x| x.square()?.sum(&[0], false),
        |x| x.l2_norm(&[0], false)?.square(),
        |x| x.square()?.sum(&[0], false)?.sqrt()?.square(),
    ];
    for form in forms {
        let x = parameter([2], &[0.0; 2]);
        reverse_sum(&form(&x).unwrap()).unwrap();
        assert_eq!(gradient(&x), tensor([2], &[0.0; 2]));
        let x = parameter([2], &[3.0, 4.0]);
        reverse_sum(&form(&x).unwrap()).unwrap();
        close(&gradient(&x), &tensor([2], &[6.0, 8.0]), 1e-15);
    }
}

#[test]
fn t010_a_maximum_used_beside_its_operand_adds_to_it() {
    let x = parameter([2], &[1.0, 2.0]);
    let total = x.add(&x.max(&[0], true).unwrap()).unwrap();
    reverse(&total, &[1.0, 10.0]).unwrap();
    assert_eq!(gradient(&x), tensor([2], &[1.0, 10.0 + 11.0]));
    let c = constant([2], &[1.0, 2.0]);
    assert!(!c.max(&[0], true).unwrap().tracks_gradient());
}
