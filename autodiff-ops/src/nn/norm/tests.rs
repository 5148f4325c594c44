//! What normalised rows are, and which rows have none.

use super::*;
use crate::nn::testing::{
    assert_close, assert_same_on_threads, gradient, pulled, scattered, tensor,
};

/// Each value comes of a few operations, each rounded by at most 2^-53.
const ROUNDING: f64 = 1e-15;

#[test]
fn a_row_of_two_becomes_minus_one_and_one() {
    // Mean 3, variance 4: (1 - 3) / 2 and (5 - 3) / 2.
    let x = tensor(&[1, 2], &[1.0, 5.0]);
    assert_eq!(
        x.layer_norm_plain(0.0).unwrap(),
        tensor(&[1, 2], &[-1.0, 1.0])
    );
    let (weight, bias) = (tensor(&[2], &[10.0, 20.0]), tensor(&[2], &[3.0, 4.0]));
    let expected = tensor(&[1, 2], &[-10.0 + 3.0, 20.0 + 4.0]);
    assert_eq!(x.layer_norm(&weight, &bias, 0.0).unwrap(), expected);
}

#[test]
fn a_row_is_divided_by_its_root_mean_square() {
    // Mean square (1 + 49) / 2 = 25.
    let x = tensor(&[1, 2], &[1.0, 7.0]);
    let weight = tensor(&[2], &[5.0, 10.0]);
    assert_close(
        &x.rms_norm(&weight, 0.0).unwrap(),
        &tensor(&[1, 2], &[1.0, 14.0]),
        ROUNDING,
    );
}

#[test]
fn a_constant_row_has_the_offset_as_its_result_and_a_steep_gradient() {
    let x = tensor(&[1, 3], &[2.0, 2.0, 2.0]);
    let (weight, bias) = (
        tensor(&[3], &[1.0, 2.0, 3.0]),
        tensor(&[3], &[0.5, 0.5, 0.5]),
    );
    let upstream = tensor(&[1, 3], &[1.0, 2.0, 3.0]);
    let (output, [x_gradient, weight_gradient, bias_gradient]) =
        pulled([&x, &weight, &bias], &upstream, |[x, weight, bias]| {
            x.layer_norm(weight, bias, 0.25)
        })
        .unwrap();
    assert_eq!(output, tensor(&[1, 3], &[0.5, 0.5, 0.5]));
    // r = 1 / sqrt(0 + 0.25) = 2; g = [1, 4, 9] less its mean 14/3.
    let expected = [
        2.0 * (1.0 - 14.0 / 3.0),
        2.0 * (4.0 - 14.0 / 3.0),
        2.0 * (9.0 - 14.0 / 3.0),
    ];
    assert_close(&x_gradient, &tensor(&[1, 3], &expected), ROUNDING);
    assert_eq!(weight_gradient, tensor(&[3], &[0.0, 0.0, 0.0]));
    assert_eq!(bias_gradient, tensor(&[3], &[1.0, 2.0, 3.0]));
}

#[test]
fn a_row_of_zeros_passes_upstream_over_the_root_of_eps() {
    let (x, weight) = (tensor(&[1, 2], &[0.0, 0.0]), tensor(&[2], &[1.0, 2.0]));
    let (output, [x_gradient, weight_gradient]) = pulled(
        [&x, &weight],
        &tensor(&[1, 2], &[1.0, 1.0]),
        |[x, weight]| x.rms_norm(weight, 0.25),
    )
    .unwrap();
    assert_eq!(output, tensor(&[1, 2], &[0.0, 0.0]));
    assert_eq!(x_gradient, tensor(&[1, 2], &[2.0, 4.0]));
    assert_eq!(weight_gradient, tensor(&[2], &[0.0, 0.0]));
}

#[test]
fn a_large_offset_costs_no_digits() {
    // Multiples of 1/1024 with an offset that leaves them exact in single precision.
    let row: Vec<f32> = (0..16).map(|i| ((i * 37) % 16) as f32 / 1024.0).collect();
    let x = Tensor::from_vec([1, 16], row).unwrap();
    let moved = x.map(|x| x + 8192.0);
    let expected = x.layer_norm_plain(1e-5).unwrap();
    for (&actual, &expected) in moved
        .layer_norm_plain(1e-5)
        .unwrap()
        .as_slice()
        .iter()
        .zip(expected.as_slice())
    {
        // Only the sums of differences round: 16 terms of 2^-24.
        assert!(
            (actual - expected).abs() < 1e-6,
            "{actual} is not {expected}"
        );
    }
}

#[test]
fn nothing_flows_to_an_operand_that_is_not_tracked() {
    let x = TensorValue::parameter(scattered(&[3, 4], 0)).unwrap();
    let weight = TensorValue::constant(scattered(&[4], 1)).unwrap();
    let bias = TensorValue::parameter(scattered(&[4], 2)).unwrap();
    let seed = scattered(&[3, 4], 3);
    let result = x.layer_norm(&weight, &bias, 1e-5).unwrap();
    result
        .backward_with_seed(&seed.view(), GraphRetention::Release)
        .unwrap();
    let all = pulled(
        [
            &x.value_snapshot(),
            &weight.value_snapshot(),
            &bias.value_snapshot(),
        ],
        &seed,
        |[x, weight, bias]| x.layer_norm(weight, bias, 1e-5),
    );
    let (_, [x_gradient, _, bias_gradient]) = all.unwrap();
    assert_eq!(x.gradient_snapshot().unwrap(), x_gradient);
    assert_eq!(bias.gradient_snapshot().unwrap(), bias_gradient);
    assert_eq!(weight.gradient_snapshot(), None);
}

#[test]
fn a_batch_of_no_row_gives_parameters_a_gradient_of_zero() {
    let x = tensor(&[0, 3], &[]);
    let (weight, bias) = (scattered(&[3], 0), scattered(&[3], 1));
    let (output, [x_gradient, weight_gradient, bias_gradient]) =
        pulled([&x, &weight, &bias], &x, |[x, weight, bias]| {
            x.layer_norm(weight, bias, 1e-5)
        })
        .unwrap();
    assert_eq!((output, x_gradient), (x.clone(), x.clone()));
    assert_eq!(weight_gradient, Tensor::zeros([3]).unwrap());
    assert_eq!(bias_gradient, Tensor::zeros([3]).unwrap());
    assert_eq!(gradient(&x, &x, |x| x.layer_norm_plain(1e-5)), x);
}

#[test]
fn rows_that_cannot_be_normalised_are_refused_by_number() {
    let x = tensor(&[2, 2], &[1.0, 2.0, 3.0, 3.0]);
    assert_eq!(
        x.layer_norm_plain(0.0).unwrap_err().to_string(),
        "layer_norm_plain: row 1: expected a finite mean square plus eps above 0, got 0"
    );
    let weight = tensor(&[2], &[1.0, 1.0]);
    assert_eq!(
        tensor(&[1, 2], &[0.0, 0.0])
            .rms_norm(&weight, 0.0)
            .unwrap_err()
            .to_string(),
        "rms_norm: row 0: expected a finite mean square plus eps above 0, got 0"
    );
    assert_eq!(
        tensor(&[1, 2], &[1e200, 1.0])
            .rms_norm(&weight, 0.0)
            .unwrap_err()
            .to_string(),
        "rms_norm: row 0: expected a finite mean square plus eps above 0, got inf"
    );
    assert_eq!(
        x.layer_norm(&weight, &tensor(&[3], &[0.0; 3]), 0.1)
            .unwrap_err()
            .to_string(),
        "layer_norm: bias: expected shape [2], got [3]"
    );
    for shape in [&[2, 0][..], &[0]] {
        let refusal = Tensor::<f64>::zeros(shape)
            .unwrap()
            .layer_norm_plain(0.1)
            .unwrap_err();
        let expected = format!(
            "layer_norm_plain: expected a last axis of extent 1 or more, got shape {shape:?}"
        );
        assert_eq!(refusal.to_string(), expected);
    }
}

#[test]
fn a_plain_nan_is_carried_on() {
    let x = tensor(&[2, 2], &[f64::NAN, 2.0, 1.0, 5.0]);
    let output = x.layer_norm_plain(0.0).unwrap();
    assert!(output.as_slice()[..2].iter().all(|x| x.is_nan()));
    assert_eq!(output.as_slice()[2..], [-1.0, 1.0]);
}

#[test]
fn rows_that_threads_share_give_the_bits_of_one_thread() {
    // Enough for a part of one block of rows each, the last of which is not full.
    let shape = [150, 100];
    let row = |salt| scattered(&[100], salt);
    assert_same_on_threads(
        [scattered(&shape, 0), row(1), row(2)],
        &shape,
        |[x, weight, bias]| x.layer_norm(weight, bias, 1e-2),
    );
    assert_same_on_threads([scattered(&shape, 0), row(1)], &shape, |[x, weight]| {
        x.rms_norm(weight, 1e-2)
    });
    // Rows without a factor are shared one by one.
    let shape = [600, 100];
    assert_same_on_threads([scattered(&shape, 0)], &shape, |[x]| {
        x.layer_norm_plain(1e-2)
    });
}
