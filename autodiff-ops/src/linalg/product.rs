//! The matrix product.

use autodiff_core::prelude::*;

use super::error::ProductError;
use super::vectors::{as_columns, as_rows, batch};

/// The matrix products over the last two axes: `y[.., i, j] = Σ_k a[.., i, k] · b[.., k, j]`.
///
/// The axes before the last two broadcast. A vector on the left is a row and a vector on the right a
/// column, and that axis is missing in `y`. A sum of no terms is 0.
///
/// # Shapes
/// `a: [A.., m, k], b: [B.., k, n] -> y: [broadcast(A, B).., m, n]`;
/// without `m` where `a: [k]`, without `n` where `b: [k]`
/// # Errors
/// `ProductError::Scalar`, `ProductError::InnerExtents`; `IncompatibleBroadcast` of the leading axes.
/// # VJP
/// `ā = ȳ bᵀ`, `b̄ = aᵀ ȳ`, each summed over the axes along which the operand was repeated.
/// Source: product rule.
#[vjp_rule]
#[gradcheck(a: [m, k], b: [k, n])]
#[gradcheck(a: [k], b: [k])]
#[gradcheck(a: [k], b: [k, n])]
#[gradcheck(a: [m, k], b: [k])]
#[gradcheck(a: [2, m, k], b: [2, k, n])]
#[gradcheck(a: [2, m, k], b: [k, n])]
#[gradcheck(a: [m, k], b: [2, k, n])]
#[gradcheck(a: [2, 1, m, k], b: [3, k, n])]
#[gradcheck(a: [k], b: [2, k, n])]
#[gradcheck(a: [1, m, 2], b: [2, k])]
#[gradcheck(a: [m, 0], b: [0, n])]
pub fn matmul<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the transposed right operand, summed back to the left one's shape
    #[vjp(a)]
    fn a_vjp(
        upstream: &Tensor<T>,
        b: &Tensor<T>,
        a_shape: &[usize],
        product_shape: &[usize],
    ) -> Result<Tensor<T>> {
        let upstream = upstream.with_shape(product_shape)?;
        let columns = b.with_shape(as_columns(b.shape()))?;
        let turned = columns
            .view()
            .transpose(columns.rank() - 2, columns.rank() - 1)?;
        upstream
            .view()
            .product_onto(&turned, batch(&as_rows(a_shape)))?
            .with_shape(a_shape)
    }
    /// the transposed left operand times upstream, summed back to the right one's shape
    #[vjp(b)]
    fn b_vjp(
        upstream: &Tensor<T>,
        a: &Tensor<T>,
        b_shape: &[usize],
        product_shape: &[usize],
    ) -> Result<Tensor<T>> {
        let upstream = upstream.with_shape(product_shape)?;
        let rows = a.with_shape(as_rows(a.shape()))?;
        let turned = rows.view().transpose(rows.rank() - 2, rows.rank() - 1)?;
        turned
            .product_onto(&upstream.view(), batch(&as_columns(b_shape)))?
            .with_shape(b_shape)
    }
    let (a_shape, b_shape) = (a.shape().to_vec(), b.shape().to_vec());
    if let Some(operand) = [&a_shape, &b_shape]
        .iter()
        .position(|shape| shape.is_empty())
    {
        return Err(OpError::new(ProductError::Scalar { operand }).into());
    }
    let rows = a.with_shape(as_rows(&a_shape))?;
    let columns = b.with_shape(as_columns(&b_shape))?;
    if rows.shape()[rows.rank() - 1] != columns.shape()[columns.rank() - 2] {
        let (left, right) = (a_shape, b_shape);
        return Err(OpError::new(ProductError::InnerExtents { left, right }).into());
    }
    let product = rows.view().product(&columns.view())?;
    let product_shape = product.shape().to_vec();
    let kept = [a_shape.len() > 1, b_shape.len() > 1];
    let mut shape = batch(&product_shape).to_vec();
    let matrix = product_shape.iter().skip(shape.len());
    shape.extend(
        matrix
            .zip(kept)
            .filter(|(_, kept)| *kept)
            .map(|(extent, _)| extent),
    );
    product.with_shape(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::counted;

    /// The gradients of the sum of the product.
    fn gradients(a: &[usize], b: &[usize]) -> (Vec<usize>, Tensor, Tensor) {
        let [a, b] = [a, b].map(|shape| TensorValue::parameter(counted(shape, 1.0)).unwrap());
        let y = a.matmul(&b).unwrap();
        let seed = Tensor::ones(y.shape()).unwrap();
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        let [a, b] = [a, b].map(|x| x.gradient_snapshot().unwrap());
        (y.shape(), a, b)
    }

    #[test]
    fn a_product_of_two_matrices() {
        let y = matmul(&counted(&[2, 2], 1.0), &counted(&[2, 2], 1.0)).unwrap();
        // [[1·1 + 2·3, 1·2 + 2·4], [3·1 + 4·3, 3·2 + 4·4]]
        assert_eq!(y.as_slice(), [7.0, 10.0, 15.0, 22.0]);
    }

    #[test]
    fn a_vector_loses_its_axis() {
        let shape = |a: &[usize], b: &[usize]| {
            let y = matmul(&counted(a, 1.0), &counted(b, 1.0)).unwrap();
            y.shape().to_vec()
        };
        assert_eq!(shape(&[3], &[3]), [0_usize; 0]);
        assert_eq!(shape(&[3], &[3, 4]), [4]);
        assert_eq!(shape(&[2, 3], &[3]), [2]);
        assert_eq!(shape(&[3], &[5, 3, 4]), [5, 4]);
        assert_eq!(shape(&[5, 2, 3], &[3]), [5, 2]);
        assert_eq!(shape(&[6, 1, 2, 3], &[5, 3, 4]), [6, 5, 2, 4]);
    }

    #[test]
    fn a_repeated_operand_receives_the_sum_over_the_batch() {
        let (_, a, b) = gradients(&[2, 1, 2], &[1, 2, 1]);
        // a = [[[1, 2]], [[3, 4]]], b = [[[1], [2]]]: ā = bᵀ twice, b̄ = [1 + 3, 2 + 4].
        assert_eq!(
            a,
            Tensor::from_vec([2, 1, 2], vec![1.0, 2.0, 1.0, 2.0]).unwrap()
        );
        assert_eq!(b, Tensor::from_vec([1, 2, 1], vec![4.0, 6.0]).unwrap());
    }

    #[test]
    fn a_product_without_terms_is_zero_and_keeps_its_gradients() {
        for (a, b, y) in [
            (&[2, 0][..], &[0, 3][..], &[2, 3][..]),
            (&[0, 2], &[2, 3], &[0, 3]),
            (&[2, 3, 0], &[2, 0, 4], &[2, 3, 4]),
            (&[0, 2, 3], &[3, 4], &[0, 2, 4]),
        ] {
            assert_eq!(
                matmul(&counted(a, 1.0), &counted(b, 1.0)).unwrap(),
                Tensor::zeros(y).unwrap()
            );
            let (_, a_gradient, b_gradient) = gradients(a, b);
            assert_eq!(a_gradient, Tensor::zeros(a).unwrap());
            assert_eq!(b_gradient, Tensor::zeros(b).unwrap());
        }
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let text = |a: &[usize], b: &[usize]| {
            matmul(&counted(a, 1.0), &counted(b, 1.0))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            text(&[], &[2]),
            "matmul: operand 0: expected a vector or matrices, got a scalar"
        );
        assert_eq!(
            text(&[2, 3], &[2, 4]),
            "matmul: expected as many columns on the left as rows on the right, got shapes [2, 3] and [2, 4]"
        );
        assert_eq!(
            text(&[2, 1, 3], &[4, 3, 1]),
            "matmul: shapes [2] and [4] do not broadcast"
        );
    }
}
