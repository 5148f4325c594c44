//! Network operations: nothing severed, nothing leaked from masked or ignored entries.

use autodiff_core::{GradcheckOptions, gradcheck};
use autodiff_ops::prelude::*;

use super::{close, constant, gradient, parameter, reverse, reverse_sum, tensor};

/// The gradients of several parameters under two forms of one function must agree to rounding.
fn agree(
    parameters: &[Tensor],
    seed: &[f64],
    fused: impl Fn(&[TensorValue]) -> Result<TensorValue>,
    composed: impl Fn(&[TensorValue]) -> Result<TensorValue>,
) {
    let leaves = || {
        parameters
            .iter()
            .cloned()
            .map(|value| TensorValue::parameter(value).unwrap())
            .collect::<Vec<_>>()
    };
    let (of_fused, of_composed) = (leaves(), leaves());
    let (fused, composed) = (fused(&of_fused).unwrap(), composed(&of_composed).unwrap());
    close(&fused.value(), &composed.value(), 1e-14);
    reverse(&fused, seed).unwrap();
    reverse(&composed, seed).unwrap();
    for (fused, composed) in of_fused.iter().zip(&of_composed) {
        assert!(gradient(fused).as_slice().iter().any(|&value| value != 0.0));
        close(&gradient(fused), &gradient(composed), 1e-13);
    }
}

#[test]
fn t055_a_parameter_reached_only_through_the_root_mean_square_norm_gets_the_composed_gradient() {
    let x = tensor([2, 3], &[0.5, -1.0, 2.0, 1.5, 0.25, -0.75]);
    let parameters = [
        tensor([3, 3], &[0.3, -0.2, 0.9, 1.1, 0.4, -0.7, 0.6, 0.8, -0.1]),
        tensor([3], &[1.5, 0.5, -2.0]),
    ];
    let eps = 1e-6;
    let seed = [1.0, -2.0, 0.5, 3.0, 1.5, -1.0];
    let x = &TensorValue::constant(x).unwrap();
    agree(
        &parameters,
        &seed,
        |p| x.matmul(&p[0])?.rms_norm(&p[1], eps),
        |p| {
            let hidden = x.matmul(&p[0])?;
            let inverse = hidden
                .square()?
                .mean(&[1], true)?
                .add_scalar(eps)?
                .rsqrt()?;
            hidden.mul(&inverse)?.mul(&p[1])
        },
    );
}

#[test]
fn t057_softmax_has_the_composed_gradient_under_a_seed_that_can_see_it() {
    // Σ y is constant and sees nothing; Σ y² does.
    let x = [tensor([2, 3], &[0.5, -1.0, 2.0, 1.5, 0.25, -0.75])];
    let squares = |y: TensorValue| y.square()?.sum(&[0, 1], false);
    agree(
        &x,
        &[1.0],
        |p| squares(p[0].softmax(1)?),
        |p| {
            let powers = p[0].exp()?;
            squares(powers.div(&powers.sum(&[1], true)?)?)
        },
    );
}

#[test]
fn t058_rotary_embedding_has_the_composed_gradient_for_what_lies_behind_it() {
    let x = constant([3, 2], &[0.5, -1.0, 2.0, 1.5, 0.25, -0.75]);
    let weight = [tensor([2, 4], &[0.3, -0.2, 0.9, 1.1, 0.4, -0.7, 0.6, 0.8])];
    let theta: f64 = 100.0;
    let angles: Vec<f64> = (0..6)
        .map(|place| (place / 2) as f64 * theta.powf(-((place % 2) as f64) / 2.0))
        .collect();
    let cos = constant([3, 2], &angles.iter().map(|a| a.cos()).collect::<Vec<_>>());
    let sin = constant([3, 2], &angles.iter().map(|a| a.sin()).collect::<Vec<_>>());
    let seed: Vec<f64> = (0..12).map(|place| f64::from(place) * 0.3 - 1.0).collect();
    agree(
        &weight,
        &seed,
        |p| x.matmul(&p[0])?.rope_half(theta, 0),
        |p| {
            let halves = x.matmul(&p[0])?.split(&[2, 2], 1)?;
            let (u, w) = (&halves[0], &halves[1]);
            let first = u.mul(&cos)?.sub(&w.mul(&sin)?)?;
            let second = w.mul(&cos)?.add(&u.mul(&sin)?)?;
            concat(&[&first, &second], 1)
        },
    );
}

#[test]
fn t060_layer_norm_reaches_its_input_weight_and_bias() {
    let inputs = [
        tensor([2, 3], &[0.5, -1.0, 2.0, 1.5, 0.25, -0.75]),
        tensor([3], &[1.5, 0.5, -2.0]),
        tensor([3], &[0.1, 0.2, 0.3]),
    ];
    let norm = |p: &[TensorValue]| p[0].layer_norm(&p[1], &p[2], 1e-5);
    let report = gradcheck(norm, &inputs, GradcheckOptions::default()).unwrap();
    // Every output by every entry of every operand.
    assert_eq!(report.coordinates.len(), 6 * (6 + 3 + 3));
    let leaves = inputs.map(|input| TensorValue::parameter(input).unwrap());
    reverse(&norm(&leaves).unwrap(), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    for leaf in &leaves {
        assert!(gradient(leaf).as_slice().iter().all(|&value| value != 0.0));
    }
}

#[test]
fn t081_a_row_that_is_masked_throughout_is_0_and_gets_0() {
    let mask = Tensor::from_vec([2, 3], vec![true, true, true, false, true, false]).unwrap();
    for log in [false, true] {
        let x = parameter([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let y = if log {
            x.masked_log_softmax(&mask, 1)
        } else {
            x.masked_softmax(&mask, 1)
        }
        .unwrap();
        assert_eq!(y.value().as_slice()[..3], [0.0; 3]);
        reverse(&y, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let gradient = gradient(&x);
        // The masked row and the masked entry get exactly 0, the others do not.
        let is_zero: Vec<_> = gradient
            .as_slice()
            .iter()
            .map(|&value| value == 0.0)
            .collect();
        assert_eq!(is_zero, [true, true, true, false, true, false]);
    }
}

fn classes(values: &[usize]) -> Tensor<usize> {
    Tensor::from_vec([values.len()], values.to_vec()).unwrap()
}

#[test]
fn t087_a_batch_whose_targets_are_all_ignored_is_a_typed_error() {
    let logits = parameter([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let error = logits
        .cross_entropy(&classes(&[1, 1]), Some(1))
        .unwrap_err();
    let TensorAutodiffError::Operation { source, .. } = error else {
        panic!("expected an error of the operation, got {error:?}");
    };
    assert_eq!(
        source.downcast_ref(),
        Some(&CrossEntropyError::NothingCounts { targets: 2 })
    );
    let empty = TensorValue::<f64>::parameter(Tensor::zeros([0, 3]).unwrap()).unwrap();
    assert!(empty.cross_entropy(&classes(&[]), None).is_err());
}

#[test]
fn t088_an_ignored_row_gets_exactly_0_however_extreme_its_logits() {
    // Minus infinity is no leaf; the most negative finite number is the nearest to it.
    let extreme = [-f64::MAX, f64::MAX, -f64::MAX, 0.0, f64::MAX];
    let values: Vec<f64> = [
        &[0.1, 0.2, 0.3, 0.4, 0.5],
        &extreme,
        &[0.5, 0.4, 0.3, 0.2, 0.1],
    ]
    .into_iter()
    .flatten()
    .copied()
    .collect();
    let logits = parameter([3, 5], &values);
    let loss = logits.cross_entropy(&classes(&[0, 4, 2]), Some(4)).unwrap();
    loss.backward().unwrap();
    let rows = gradient(&logits);
    let rows: Vec<_> = rows.as_slice().chunks(5).collect();
    assert_eq!(rows[1], [0.0; 5]);
    assert!(
        rows[0]
            .iter()
            .chain(rows[2])
            .all(|value| *value != 0.0 && value.is_finite())
    );
}

#[test]
fn t090_a_target_that_is_no_class_is_a_typed_error_with_position_and_value() {
    let logits = parameter([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let error = logits
        .cross_entropy(&classes(&[0, 4]), Some(1))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cross_entropy: expected a class below 3 at target 1, got 4"
    );
    let TensorAutodiffError::Operation { source, .. } = error else {
        panic!("expected an error of the operation, got {error:?}");
    };
    let expected = CrossEntropyError::ClassOutOfRange {
        position: 1,
        class: 4,
        classes: 3,
    };
    assert_eq!(source.downcast_ref(), Some(&expected));
    // An ignored value may lie outside: it is no class.
    assert!(logits.cross_entropy(&classes(&[0, 4]), Some(4)).is_ok());
}

#[test]
fn t121_a_drawn_dropout_is_a_function_of_its_seed() {
    let x = tensor([64], &[1.0; 64]);
    let drop = |x: &[TensorValue]| x[0].dropout_seeded(0.5, 7);
    gradcheck(drop, std::slice::from_ref(&x), GradcheckOptions::default()).unwrap();
    let leaf = TensorValue::parameter(x).unwrap();
    let output = leaf.dropout_seeded(0.5, 7).unwrap();
    reverse_sum(&output).unwrap();
    // x = 1 everywhere, so the output is the mask over 1 - p, and so is the gradient.
    assert_eq!(gradient(&leaf), output.value_snapshot());
}
