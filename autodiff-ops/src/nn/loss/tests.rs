//! What the mean token loss gives, ignores and refuses.

use super::*;
use crate::nn::testing::{assert_close, gradient, tensor};

fn targets(shape: &[usize], classes: &[usize]) -> Tensor<usize> {
    Tensor::from_vec(shape, classes.to_vec()).unwrap()
}

fn refusal(logits: &Tensor, targets: &Tensor<usize>, ignore_index: Option<usize>) -> String {
    logits
        .cross_entropy(targets, ignore_index)
        .unwrap_err()
        .to_string()
}

#[test]
fn even_logits_lose_the_logarithm_of_the_number_of_classes() {
    let logits = tensor(&[2, 4], &[0.0; 8]);
    let loss = logits.cross_entropy(&targets(&[2], &[1, 3]), None).unwrap();
    assert_eq!(loss, Tensor::scalar(4.0_f64.ln()));
    // Of each of the two rows: (1/2) (1/4 - onehot).
    let contribution = gradient(&logits, &Tensor::scalar(1.0), |logits| {
        logits.cross_entropy(&targets(&[2], &[1, 3]), None)
    });
    let expected = [0.125, -0.375, 0.125, 0.125, 0.125, 0.125, 0.125, -0.375];
    assert_eq!(contribution, tensor(&[2, 4], &expected));
}

#[test]
fn ignored_targets_count_nowhere() {
    let logits = tensor(&[3, 2], &[0.0, 0.0, 50.0, -3.0, 0.0, 0.0]);
    let targets = targets(&[3], &[0, 99, 1]);
    let loss = logits.cross_entropy(&targets, Some(99)).unwrap();
    assert_eq!(loss, Tensor::scalar(2.0_f64.ln()));
    let contribution = gradient(&logits, &Tensor::scalar(4.0), |logits| {
        logits.cross_entropy(&targets, Some(99))
    });
    // Upstream 4 over 2 targets, times 1/2 - onehot.
    assert_eq!(
        contribution,
        tensor(&[3, 2], &[-1.0, 1.0, 0.0, 0.0, 1.0, -1.0])
    );
}

#[test]
fn logits_of_a_thousand_stay_exact() {
    let logits = tensor(&[2, 3], &[1000.0, -1000.0, 0.0, 1000.0, -1000.0, 0.0]);
    // Rows lose 0 and 1000 - -1000.
    let loss = logits.cross_entropy(&targets(&[2], &[0, 1]), None).unwrap();
    assert_eq!(loss, Tensor::scalar(1000.0));
    let contribution = gradient(&logits, &Tensor::scalar(2.0), |logits| {
        logits.cross_entropy(&targets(&[2], &[0, 1]), None)
    });
    assert_eq!(
        contribution,
        tensor(&[2, 3], &[0.0, 0.0, 0.0, 1.0, -1.0, 0.0])
    );
}

#[test]
fn one_position_is_a_row_without_an_axis() {
    let logits = tensor(&[2], &[0.0, 3.0_f64.ln()]);
    // Probabilities 1/4 and 3/4. Three logarithms, an exponential and a sum, each rounded by about 2^-53.
    let loss = logits.cross_entropy(&targets(&[], &[0]), None).unwrap();
    assert_close(&loss, &Tensor::scalar(4.0_f64.ln()), 1e-15);
}

#[test]
fn no_class_and_no_count_are_refused_with_position_and_value() {
    let logits = tensor(&[2, 2], &[0.0; 4]);
    assert_eq!(
        refusal(&logits, &targets(&[2], &[1, 2]), None),
        "cross_entropy: expected a class below 2 at target 1, got 2"
    );
    assert_eq!(
        refusal(&logits, &targets(&[2], &[1, 1]), Some(1)),
        "cross_entropy: expected at least one target that counts, got 2, all of them ignored"
    );
    assert_eq!(
        refusal(&tensor(&[0, 2], &[]), &targets(&[0], &[]), None),
        "cross_entropy: expected at least one target that counts, got 0, all of them ignored"
    );
    assert_eq!(
        refusal(&logits, &targets(&[1, 2], &[0, 0]), None),
        "cross_entropy: expected targets of the shape of logits [2, 2] without its last axis, got [1, 2]"
    );
    assert_eq!(
        refusal(&Tensor::scalar(0.0), &targets(&[], &[0]), None),
        "cross_entropy: expected targets of the shape of logits [] without its last axis, got []"
    );
    assert_eq!(
        refusal(&tensor(&[1, 0], &[]), &targets(&[1], &[0]), None),
        "cross_entropy: expected a class below 0 at target 0, got 0"
    );
}
