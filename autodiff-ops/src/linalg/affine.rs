//! The affine map of the last axis.

use autodiff_core::prelude::*;

use super::error::ProductError;
use super::vectors::as_rows;

/// A product with a weight, and a bias on top: `y = x · weight + bias`.
///
/// All leading axes of `x` are rows of one product; the bias is where the product starts from.
///
/// # Shapes
/// `x: [.., k], weight: [k, n], bias: [n] -> y: [.., n]`
/// # Errors
/// `ProductError::WeightShape`, `ProductError::BiasShape`, `ProductError::Scalar` for an `x` of rank 0,
/// `ProductError::InnerExtents`.
/// # VJP
/// `x̄ = ȳ weightᵀ`; the weight's adjoint is `xᵀ ȳ` and the bias's `ȳ`, summed over all leading axes.
/// Source: product rule.
#[vjp_rule]
#[gradcheck(x: [m, k], weight: [k, n], bias: [n])]
#[gradcheck(x: [m, k], weight: [k, n], bias: none)]
#[gradcheck(x: [k], weight: [k, n], bias: [n])]
#[gradcheck(x: [2, m, k], weight: [k, n], bias: [n])]
#[gradcheck(x: [2, m, k], weight: [k, n], bias: none)]
#[gradcheck(x: [m, 0], weight: [0, n], bias: [n])]
pub fn linear<T: Element>(
    x: &Tensor<T>,
    weight: &Tensor<T>,
    bias: Option<&Tensor<T>>,
) -> Result<Tensor<T>> {
    /// upstream times the transposed weight; the transposed input times upstream; upstream; the last two
    /// summed over all rows
    #[vjp(x, weight, bias)]
    fn operands_vjp(
        upstream: &Tensor<T>,
        wanted: [bool; 3],
        x: &Tensor<T>,
        weight: &Tensor<T>,
    ) -> Result<[Option<Tensor<T>>; 3]> {
        let [wants_x, wants_weight, wants_bias] = wanted;
        let [_, outputs] = *weight.shape() else {
            return Err(weight_error(weight));
        };
        let rows = upstream.with_shape(as_rows(upstream.shape()))?;
        let x_contribution = if wants_x {
            let product = rows.view().product(&weight.view().transpose(0, 1)?)?;
            Some(product.with_shape(x.shape())?)
        } else {
            None
        };
        let weight_contribution = if wants_weight {
            let x = x.with_shape(as_rows(x.shape()))?;
            let turned = x.view().transpose(x.rank() - 2, x.rank() - 1)?;
            Some(turned.product_onto(&rows.view(), &[])?)
        } else {
            None
        };
        let bias_contribution = if wants_bias {
            Some(Projection::broadcast(&[outputs], rows.shape())?.reduce(&rows)?)
        } else {
            None
        };
        Ok([x_contribution, weight_contribution, bias_contribution])
    }
    let [inputs, outputs] = *weight.shape() else {
        return Err(weight_error(weight));
    };
    let Some((&width, leading)) = x.shape().split_last() else {
        return Err(OpError::new(ProductError::Scalar { operand: 0 }).into());
    };
    if width != inputs {
        let (left, right) = (x.shape().to_vec(), weight.shape().to_vec());
        return Err(OpError::new(ProductError::InnerExtents { left, right }).into());
    }
    let rows = x.with_shape(as_rows(x.shape()))?;
    let shape = [leading, &[outputs]].concat();
    let Some(bias) = bias else {
        return rows.view().product(&weight.view())?.with_shape(shape);
    };
    if bias.shape() != [outputs] {
        let shape = bias.shape().to_vec();
        return Err(OpError::new(ProductError::BiasShape { outputs, shape }).into());
    }
    let mut output = Projection::broadcast(&[outputs], &as_rows(&shape))?.expand(bias)?;
    output.add_product(&rows.view(), &weight.view())?;
    output.with_shape(shape)
}

fn weight_error<T>(weight: &Tensor<T>) -> TensorAutodiffError {
    let shape = weight.shape().to_vec();
    OpError::new(ProductError::WeightShape { shape }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::add;
    use crate::linalg::matmul;

    fn parameter(shape: &[usize]) -> TensorValue {
        // Small integers and halves: every sum is exact.
        let values = Tensor::from_fn(shape, |i| (i % 5) as f64 - 1.5).unwrap();
        TensorValue::parameter(values).unwrap()
    }

    #[test]
    fn the_fused_form_gives_what_the_composed_one_gives() {
        for x_shape in [&[3][..], &[4, 3], &[2, 4, 3]] {
            let outcome = |is_fused: bool| {
                let (x, weight, bias) = (parameter(x_shape), parameter(&[3, 2]), parameter(&[2]));
                let y = match is_fused {
                    true => linear(&x, &weight, Some(&bias)).unwrap(),
                    false => add(&matmul(&x, &weight).unwrap(), &bias).unwrap(),
                };
                let seed = Tensor::from_fn(y.shape(), |i| i as f64 + 1.0).unwrap();
                y.backward_with_seed(&seed.view(), GraphRetention::Release)
                    .unwrap();
                let gradients = [x, weight, bias].map(|leaf| leaf.gradient_snapshot().unwrap());
                (y.value_snapshot(), gradients)
            };
            assert_eq!(outcome(true), outcome(false));
        }
    }

    #[test]
    fn without_a_bias_it_is_the_product() {
        let (x, weight) = (parameter(&[4, 3]), parameter(&[3, 2]));
        assert_eq!(
            linear(&x, &weight, None).unwrap().value_snapshot(),
            matmul(&x, &weight).unwrap().value_snapshot()
        );
    }

    #[test]
    fn no_inputs_leave_the_bias() {
        let x = Tensor::<f64>::zeros([2, 0]).unwrap();
        let weight = Tensor::zeros([0, 3]).unwrap();
        let bias = Tensor::from_vec([3], vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!(
            linear(&x, &weight, Some(&bias)).unwrap().as_slice(),
            [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
        );
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let zeros = |shape: &[usize]| Tensor::<f64>::zeros(shape).unwrap();
        let text = |x: &[usize], weight: &[usize], bias: &[usize]| {
            linear(&zeros(x), &zeros(weight), Some(&zeros(bias)))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            text(&[2, 3], &[3], &[1]),
            "linear: expected a weight [in, out], got shape [3]"
        );
        assert_eq!(
            text(&[2, 3], &[4, 5], &[5]),
            "linear: expected as many columns on the left as rows on the right, got shapes [2, 3] and [4, 5]"
        );
        assert_eq!(
            text(&[2, 3], &[3, 5], &[1]),
            "linear: expected a bias of shape [5], got [1]"
        );
        assert_eq!(
            text(&[], &[3, 5], &[5]),
            "linear: operand 0: expected a vector or matrices, got a scalar"
        );
    }
}
