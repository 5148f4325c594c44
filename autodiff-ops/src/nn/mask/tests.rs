//! Which scores belong to the future.

use crate::nn::testing::{gradient, tensor};
use crate::prelude::*;

#[test]
fn the_diagonal_is_the_last_that_a_row_sees() {
    let scores = tensor(
        &[2, 2, 3],
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    );
    let masked = tensor(
        &[2, 2, 3],
        &[
            1.0, -9.0, -9.0, 4.0, 5.0, -9.0, 1.0, -9.0, -9.0, 4.0, 5.0, -9.0,
        ],
    );
    assert_eq!(scores.causal_mask(-9.0).unwrap(), masked);
    let passed = tensor(
        &[2, 2, 3],
        &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
    );
    let upstream = Tensor::ones([2, 2, 3]).unwrap();
    assert_eq!(
        gradient(&scores, &upstream, |scores| scores.causal_mask(-9.0)),
        passed
    );
}

#[test]
fn more_rows_than_columns_see_everything_in_the_end() {
    let scores = Tensor::<f64>::ones([3, 1]).unwrap();
    assert_eq!(scores.causal_mask(0.0).unwrap(), scores);
}

#[test]
fn a_row_and_a_number_alone_are_refused() {
    for shape in [&[3][..], &[]] {
        let refusal = Tensor::<f64>::ones(shape).unwrap().causal_mask(0.0);
        assert_eq!(
            refusal.unwrap_err().to_string(),
            format!(
                "causal_mask: expected rows and columns on the last two axes, got shape {shape:?}"
            )
        );
    }
}

#[test]
fn the_operand_is_left_alone() {
    let scores = Tensor::<f64>::ones([5, 5]).unwrap();
    scores.causal_mask(0.0).unwrap();
    assert_eq!(scores, Tensor::ones([5, 5]).unwrap());
}
