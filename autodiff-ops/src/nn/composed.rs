//! Every fused operation against its composition from basic ones: the value and every operand's gradient.

use super::testing::{assert_close, pulled, scattered};
use crate::prelude::*;

/// Two orders of a few hundred roundings of 2^-53 each, with factors of up to a hundred between them.
const ROUNDING: f64 = 1e-12;

/// Asserts that two programs give the same value, and the same gradient to every input.
#[track_caller]
fn assert_same<const N: usize>(
    inputs: [Tensor; N],
    fused: impl Fn([&TensorValue; N]) -> Result<TensorValue>,
    composed: impl Fn([&TensorValue; N]) -> Result<TensorValue>,
) {
    let leaves = inputs
        .each_ref()
        .map(|x| TensorValue::parameter(x.clone()).unwrap());
    let shape = fused(leaves.each_ref()).unwrap().shape();
    let upstream = scattered(&shape, 99);
    let (value, gradients) = pulled(inputs.each_ref(), &upstream, fused).unwrap();
    let (expected, expected_gradients) = pulled(inputs.each_ref(), &upstream, composed).unwrap();
    assert_close(&value, &expected, ROUNDING);
    for (gradient, expected) in gradients.iter().zip(&expected_gradients) {
        assert_close(gradient, expected, ROUNDING);
    }
}

fn constant(x: &Tensor<bool>) -> TensorValue {
    TensorValue::constant(x.map(|x| if x { 1.0 } else { 0.0 })).unwrap()
}

fn mask(shape: &[usize]) -> Tensor<bool> {
    scattered(shape, 7).map(|x| x > 0.3)
}

/// `exp(x) / Σ exp(x)`; safe for the small numbers of these tests.
fn composed_softmax(x: &TensorValue, axis: usize) -> Result<TensorValue> {
    let exponentials = x.exp()?;
    exponentials.div(&exponentials.sum(&[axis], true)?)
}

/// Rows of 150, so that sums run over more than one block of lanes.
const SHAPES: [&[usize]; 3] = [&[3, 4], &[2, 3, 5], &[2, 150]];

#[test]
fn softmax() {
    for shape in SHAPES {
        for axis in 0..shape.len() {
            assert_same(
                [scattered(shape, 0)],
                |[x]| x.softmax(axis),
                |[x]| composed_softmax(x, axis),
            );
        }
    }
}

#[test]
fn log_softmax() {
    for shape in SHAPES {
        for axis in 0..shape.len() {
            assert_same(
                [scattered(shape, 0)],
                |[x]| x.log_softmax(axis),
                |[x]| x.sub(&x.logsumexp(&[axis], true)?),
            );
        }
    }
}

#[test]
fn masked_softmax() {
    let mask = mask(&[4, 5]);
    let kept = constant(&mask.map(|excluded| !excluded));
    assert_same(
        [scattered(&[3, 4, 5], 0)],
        |[x]| x.masked_softmax(&mask, 2),
        |[x]| {
            let exponentials = x.exp()?.mul(&kept)?;
            exponentials.div(&exponentials.sum(&[2], true)?)
        },
    );
}

#[test]
fn masked_log_softmax() {
    let mask = mask(&[4, 5]);
    let kept = constant(&mask.map(|excluded| !excluded));
    assert_same(
        [scattered(&[3, 4, 5], 0)],
        |[x]| x.masked_log_softmax(&mask, 1),
        |[x]| {
            let total = x.exp()?.mul(&kept)?.sum(&[1], true)?.log()?;
            x.sub(&total)?.mul(&kept)
        },
    );
}

#[test]
fn cross_entropy() {
    let targets = Tensor::from_vec([2, 3], vec![0_usize, 4, 2, 2, 1, 3]).unwrap();
    let picked = targets.with_shape([2, 3, 1]).unwrap();
    let counted = constant(&targets.map(|target| target != 2));
    assert_same(
        [scattered(&[2, 3, 5], 0)],
        |[logits]| logits.cross_entropy(&targets, Some(2)),
        |[logits]| {
            let chosen = logits.log_softmax(2)?.gather(&picked, 2)?.squeeze(&[2])?;
            chosen
                .mul(&counted)?
                .sum(&[0, 1], false)?
                .mul_scalar(-1.0 / 4.0)
        },
    );
}

#[test]
fn layer_norm() {
    for shape in [&[3, 4][..], &[2, 3, 5], &[70, 3], &[2, 300]] {
        let width = &shape[shape.len() - 1..];
        let last = shape.len() - 1;
        assert_same(
            [
                scattered(shape, 0),
                scattered(width, 1),
                scattered(width, 2),
            ],
            |[x, weight, bias]| x.layer_norm(weight, bias, 1e-2),
            |[x, weight, bias]| {
                let centred = x.sub(&x.mean(&[last], true)?)?;
                let deviation = x.variance(&[last], true)?.add_scalar(1e-2)?.sqrt()?;
                centred.div(&deviation)?.mul(weight)?.add(bias)
            },
        );
        assert_same(
            [scattered(shape, 0)],
            |[x]| x.layer_norm_plain(1e-2),
            |[x]| {
                let centred = x.sub(&x.mean(&[last], true)?)?;
                centred.div(
                    &centred
                        .square()?
                        .mean(&[last], true)?
                        .add_scalar(1e-2)?
                        .sqrt()?,
                )
            },
        );
    }
}

#[test]
fn rms_norm() {
    for shape in [&[3, 4][..], &[2, 3, 5], &[70, 3], &[2, 300]] {
        let width = &shape[shape.len() - 1..];
        let last = shape.len() - 1;
        assert_same(
            [scattered(shape, 0), scattered(width, 1)],
            |[x, weight]| x.rms_norm(weight, 1e-2),
            |[x, weight]| {
                let root = x.square()?.mean(&[last], true)?.add_scalar(1e-2)?.sqrt()?;
                x.div(&root)?.mul(weight)
            },
        );
    }
}

#[test]
fn attention() {
    for (lead, positions) in [(&[2, 3][..], 5), (&[2], 70), (&[], 33)] {
        let operand =
            |width: usize, salt: usize| scattered(&[lead, &[positions, width]].concat(), salt);
        let last = lead.len() + 1;
        for causal in [true, false] {
            assert_same(
                [operand(4, 0), operand(4, 1), operand(3, 2)],
                |[q, k, v]| q.attention(k, v, 0.5, causal),
                |[q, k, v]| {
                    let scores = q.matmul(&k.transpose(last - 1, last)?)?.mul_scalar(0.5)?;
                    let scores = match causal {
                        true => scores.causal_mask(-1e9)?,
                        false => scores,
                    };
                    composed_softmax(&scores, last)?.matmul(v)
                },
            );
        }
    }
}

#[test]
fn attention_of_parameters_behind_a_shared_projection() {
    // Queries, keys and values come from one weight, as in a decoder; its gradient is the sum of all three.
    let split = |x: &TensorValue, weight: &TensorValue| -> Result<[TensorValue; 3]> {
        let parts = x.matmul(weight)?.split(&[4, 4, 4], 1)?;
        parts
            .try_into()
            .map_err(|_| TensorError::NothingToJoin.into())
    };
    assert_same(
        [scattered(&[6, 5], 0), scattered(&[5, 12], 1)],
        |[x, weight]| {
            let [q, k, v] = split(x, weight)?;
            q.attention(&k, &v, 0.5, true)
        },
        |[x, weight]| {
            let [q, k, v] = split(x, weight)?;
            let scores = q
                .matmul(&k.transpose(0, 1)?)?
                .mul_scalar(0.5)?
                .causal_mask(-1e9)?;
            composed_softmax(&scores, 1)?.matmul(&v)
        },
    );
}

#[test]
fn rotary_embeddings() {
    let (theta, offset) = (50.0_f64, 2);
    let angles = Tensor::from_fn([4, 3], |place| {
        (place / 3 + offset) as f64 * theta.powf(-2.0 * (place % 3) as f64 / 6.0)
    })
    .unwrap();
    let cosines = TensorValue::constant(angles.map(f64::cos)).unwrap();
    let sines = TensorValue::constant(angles.map(f64::sin)).unwrap();
    let turned = |u: &TensorValue, w: &TensorValue| -> Result<[TensorValue; 2]> {
        let first = u.mul(&cosines)?.sub(&w.mul(&sines)?)?;
        let second = w.mul(&cosines)?.add(&u.mul(&sines)?)?;
        Ok([first, second])
    };
    assert_same(
        [scattered(&[2, 4, 6], 0)],
        |[x]| x.rope_half(theta, offset),
        |[x]| {
            let halves = x.split(&[3, 3], 2)?;
            let [first, second] = turned(&halves[0], &halves[1])?;
            concat(&[&first, &second], 2)
        },
    );
    assert_same(
        [scattered(&[2, 4, 6], 0)],
        |[x]| x.rope_interleaved(theta, offset),
        |[x]| {
            let every_other = |first: usize| x.slice(&[0, 0, first], &[2, 4, 6], &[1, 1, 2]);
            let [first, second] = turned(&every_other(0)?, &every_other(1)?)?;
            stack(&[&first, &second], 3)?.reshape(&[2, 4, 6])
        },
    );
}

#[test]
fn dropout() {
    let keep = mask(&[3, 4]);
    let kept = constant(&keep);
    assert_same(
        [scattered(&[2, 3, 4], 0)],
        |[x]| x.dropout(&keep, 0.25),
        |[x]| x.mul(&kept)?.mul_scalar(1.0 / 0.75),
    );
}

#[test]
fn causal_mask() {
    let future = Tensor::from_fn([4, 5], |place| place % 5 > place / 5).unwrap();
    assert_same(
        [scattered(&[2, 4, 5], 0)],
        |[scores]| scores.causal_mask(-3.0),
        |[scores]| scores.masked_fill(&future, -3.0),
    );
}
