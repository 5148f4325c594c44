//! Triangles of matrices.

use std::ops::Range;

use autodiff_core::prelude::*;

/// A triangle was asked of something that is not a matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a matrix on the last two axes, got shape {shape:?}")]
pub struct NotAMatrix {
    /// The shape.
    pub shape: Vec<usize>,
}

/// The matrices on the last two axes, 0 where `column - row > diagonal`.
///
/// # Shapes
/// `x: [.., m, n] -> y: [.., m, n]`
/// # Errors
/// `NotAMatrix` for a rank below 2.
/// # VJP
/// `x̄` is the same triangle of `ȳ`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], diagonal = 0 | 1 | -1)]
#[gradcheck(x: [k, m, n], diagonal = 0 | -9 | 9)]
pub fn tril<T: Element>(x: &Tensor<T>, diagonal: isize) -> Result<Tensor<T>> {
    /// the same triangle of upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, diagonal: isize) -> Result<Tensor<T>> {
        lower(upstream, diagonal)
    }
    lower(x, diagonal)
}

/// The matrices on the last two axes, 0 where `column - row < diagonal`.
///
/// # Shapes
/// `x: [.., m, n] -> y: [.., m, n]`
/// # Errors
/// `NotAMatrix` for a rank below 2.
/// # VJP
/// `x̄` is the same triangle of `ȳ`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], diagonal = 0 | 1 | -1)]
#[gradcheck(x: [k, m, n], diagonal = 0 | -9 | 9)]
pub fn triu<T: Element>(x: &Tensor<T>, diagonal: isize) -> Result<Tensor<T>> {
    /// the same triangle of upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, diagonal: isize) -> Result<Tensor<T>> {
        upper(upstream, diagonal)
    }
    upper(x, diagonal)
}

fn lower<T: Element>(x: &Tensor<T>, diagonal: isize) -> Result<Tensor<T>> {
    keep_columns(x, |row, columns| {
        0..row
            .saturating_add_signed(diagonal_end(diagonal))
            .min(columns)
    })
}

fn upper<T: Element>(x: &Tensor<T>, diagonal: isize) -> Result<Tensor<T>> {
    keep_columns(x, |row, columns| {
        row.saturating_add_signed(diagonal).min(columns)..columns
    })
}

/// One past a diagonal, for the end of a half-open range.
fn diagonal_end(diagonal: isize) -> isize {
    diagonal.saturating_add(1)
}

/// Zeros, but for the columns that `kept(row, columns)` names in each row of each matrix.
fn keep_columns<T: Element>(
    x: &Tensor<T>,
    kept: impl Fn(usize, usize) -> Range<usize>,
) -> Result<Tensor<T>> {
    let [.., rows, columns] = *x.shape() else {
        let shape = x.shape().to_vec();
        return Err(OpError::new(NotAMatrix { shape }).into());
    };
    let mut output = Tensor::zeros(x.shape())?;
    if x.is_empty() {
        return Ok(output);
    }
    let matrices = x.as_slice().chunks_exact(columns);
    let places = output.as_mut_slice().chunks_exact_mut(columns);
    for (row, (from, to)) in (0..rows).cycle().zip(matrices.zip(places)) {
        let kept = kept(row, columns);
        to[kept.clone()].copy_from_slice(&from[kept]);
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::counted;

    #[test]
    fn the_main_diagonal_belongs_to_both_triangles() {
        let x = counted(&[2, 3], 1.0);
        assert_eq!(
            tril(&x, 0).unwrap().as_slice(),
            [1.0, 0.0, 0.0, 4.0, 5.0, 0.0]
        );
        assert_eq!(
            triu(&x, 0).unwrap().as_slice(),
            [1.0, 2.0, 3.0, 0.0, 5.0, 6.0]
        );
    }

    #[test]
    fn a_diagonal_moves_the_border() {
        let x = counted(&[2, 2], 1.0);
        assert_eq!(tril(&x, -1).unwrap().as_slice(), [0.0, 0.0, 3.0, 0.0]);
        assert_eq!(triu(&x, 1).unwrap().as_slice(), [0.0, 2.0, 0.0, 0.0]);
        assert_eq!(tril(&x, isize::MAX).unwrap(), x);
        assert_eq!(triu(&x, isize::MIN).unwrap(), x);
        assert_eq!(
            tril(&x, isize::MIN).unwrap(),
            Tensor::zeros([2, 2]).unwrap()
        );
        assert_eq!(
            triu(&x, isize::MAX).unwrap(),
            Tensor::zeros([2, 2]).unwrap()
        );
    }

    #[test]
    fn nothing_of_the_other_triangle_leaks() {
        let mut x = counted(&[2, 2], 1.0);
        x.as_mut_slice()[1] = f64::NAN;
        assert_eq!(tril(&x, 0).unwrap().as_slice(), [1.0, 0.0, 3.0, 4.0]);
    }

    #[test]
    fn a_vector_has_no_triangle() {
        assert_eq!(
            tril(&counted(&[3], 1.0), 0).unwrap_err().to_string(),
            "tril: expected a matrix on the last two axes, got shape [3]"
        );
    }
}
