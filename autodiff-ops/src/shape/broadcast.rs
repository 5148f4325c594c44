//! Repetition along axes.

use autodiff_core::prelude::*;

/// Repetition along missing axes and along axes of extent 1, aligned at the last axis.
///
/// # Shapes
/// `x: S -> y: shape`
/// # Errors
/// `IncompatibleBroadcast` where an aligned extent is neither 1 nor the requested one,
/// `BroadcastTargetMismatch` where `shape` itself would have to be repeated.
/// # VJP
/// `x̄` is `ȳ` summed over the axes along which `x` was repeated. Source: linearity.
#[vjp_rule(name = "broadcast")]
#[gradcheck(x: [n], shape = &[m, n] | &[n] | &[k, m, n])]
#[gradcheck(x: [m, 1], shape = &[m, n] | &[k, m, n])]
#[gradcheck(x: [], shape = &[m, n])]
pub fn broadcast_to<T: Element>(x: &Tensor<T>, shape: &[usize]) -> Result<Tensor<T>> {
    /// upstream summed over the repeated axes
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, fit: &Projection) -> Result<Tensor<T>> {
        fit.reduce(upstream)
    }
    let fit = Projection::broadcast(x.shape(), shape)?;
    fit.expand(x)
}

/// `counts[i]` copies one after the other along each axis `i` of `y`; missing leading axes are added.
///
/// # Shapes
/// `x: S -> y: [S[0] · counts[0], ..]`, where `S` is padded with 1 in front to as many axes as `counts` has
/// # Errors
/// `AxisCount` where there are fewer counts than axes; `ShapeOverflow` where the number of elements or an extent
/// cannot be counted, which names copies and extents one after the other.
/// # VJP
/// `x̄` is the sum of the copies' parts of `ȳ`; 0 where a count is 0. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], counts = &[2, 3] | &[1, 2] | &[1, 1] | &[2, 0])]
#[gradcheck(x: [m], counts = &[3] | &[2, 3])]
#[gradcheck(x: [], counts = &[2] | &[])]
pub fn repeat<T: Element>(x: &Tensor<T>, counts: &[usize]) -> Result<Tensor<T>> {
    /// the sum over the copies of their parts of upstream
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        fit: &Projection,
        input_shape: &[usize],
        _counts: &[usize],
    ) -> Result<Tensor<T>> {
        fit.reduce(&upstream.with_shape(fit.logical_shape())?)?
            .with_shape(input_shape)
    }
    let input_shape = x.shape().to_vec();
    let Some(missing) = counts.len().checked_sub(x.rank()) else {
        return Err(TensorError::AxisCount {
            expected: x.rank(),
            actual: counts.len(),
        }
        .into());
    };
    // Every axis becomes two, of which the first runs over the copies.
    let padded = [&vec![1; missing], &input_shape[..]].concat();
    let once: Vec<usize> = padded.iter().flat_map(|&extent| [1, extent]).collect();
    let copied: Vec<usize> = counts
        .iter()
        .zip(&padded)
        .flat_map(|(&count, &extent)| [count, extent])
        .collect();
    let fit = Projection::broadcast(&once, &copied)?;
    // Where there are no elements, an extent may overflow although their number does not.
    let extents = counts.iter().zip(&padded);
    let shape: Option<Shape> = extents
        .map(|(&count, &extent)| count.checked_mul(extent))
        .collect();
    let shape = shape.ok_or(TensorError::ShapeOverflow { shape: copied })?;
    fit.expand(&x.with_shape(once)?)?.with_shape(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_follow_one_another() {
        let x = Tensor::from_vec([2], vec![1.0, 2.0]).unwrap();
        assert_eq!(
            repeat(&x, &[3]).unwrap().as_slice(),
            [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]
        );
        assert_eq!(
            repeat(&x, &[2, 1]).unwrap(),
            Tensor::from_vec([2, 2], vec![1.0, 2.0, 1.0, 2.0]).unwrap()
        );
    }

    #[test]
    fn every_copy_contributes() {
        let x = TensorValue::parameter(Tensor::from_vec([1, 2], vec![1.0, 2.0]).unwrap()).unwrap();
        let y = x.repeat(&[2, 2]).unwrap();
        let seed = Tensor::from_fn([2, 4], |i| i as f64).unwrap();
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        // [0 + 2 + 4 + 6, 1 + 3 + 5 + 7]
        assert_eq!(x.gradient_snapshot().unwrap().as_slice(), [12.0, 16.0]);
    }

    #[test]
    fn no_copies_are_nothing() {
        let x = Tensor::from_vec([2], vec![1.0, 2.0]).unwrap();
        assert_eq!(repeat(&x, &[0]).unwrap().shape(), [0]);
        assert_eq!(repeat(&x, &[0, 3]).unwrap().shape(), [0, 6]);
    }

    #[test]
    fn an_extent_that_cannot_be_counted_is_refused() {
        for (extents, counts, copied) in [
            ([0, 4], [1, usize::MAX], [1, 0, usize::MAX, 4]),
            ([2, 3], [usize::MAX, 2], [usize::MAX, 2, 2, 3]),
        ] {
            let x = Tensor::<f64>::zeros(extents).unwrap();
            let expected =
                format!("repeat: shape {copied:?} has more elements than can be counted");
            assert_eq!(repeat(&x, &counts).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn every_axis_needs_a_count() {
        let x = Tensor::<f64>::zeros([2, 3]).unwrap();
        assert_eq!(
            repeat(&x, &[2]).unwrap_err().to_string(),
            "repeat: expected one entry for each of 2 axes, got 1"
        );
    }
}
