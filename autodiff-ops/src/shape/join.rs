//! Several tensors as one.

use autodiff_core::prelude::*;

/// The inputs one after the other along `axis`.
///
/// # Shapes
/// `inputs[i]: S` with `n[i]` at `axis` `-> y: S` with `Σ n[i]` there
/// # Errors
/// `NothingToJoin`, `AxisOutOfRange`; `PartShape` where an input differs from the first on another axis.
/// # VJP
/// Each input receives the part of `ȳ` that it filled. Source: linearity.
#[vjp_rule]
#[gradcheck(inputs: [[m, k], [n, k]], axis = 0)]
#[gradcheck(inputs: [[k, m], [k, n], [k, 1]], axis = 1)]
#[gradcheck(inputs: [[m], [0], [n]], axis = 0)]
#[gradcheck(inputs: [[m, n]], axis = 0 | 1)]
pub fn concat<T: Element>(inputs: &[&Tensor<T>], axis: usize) -> Result<Tensor<T>> {
    /// the part of upstream that this input filled
    #[vjp(inputs)]
    fn inputs_vjp(
        upstream: &Tensor<T>,
        index: usize,
        axis: usize,
        ends: &[usize],
    ) -> Result<Tensor<T>> {
        let start = if index == 0 { 0 } else { ends[index - 1] };
        upstream.narrowed(axis, start, ends[index])
    }
    let joined = Tensor::joined(inputs, axis)?;
    // Summed once: an edge that summed the extents before its own would make many inputs quadratic.
    let extents = inputs.iter().map(|input| input.shape()[axis]);
    let ends: Vec<usize> = extents
        .scan(0, |end, extent| {
            *end += extent;
            Some(*end)
        })
        .collect();
    Ok(joined)
}

/// The inputs side by side along a new axis `axis` of `y`.
///
/// # Shapes
/// `inputs[i]: S -> y: S` with the number of inputs inserted at `axis`
/// # Errors
/// `NothingToJoin`; `AxisOutOfRange` past the end of `S`; `PartShape` where an input has another shape
/// than the first; both shapes are shown with the new axis.
/// # VJP
/// Each input receives its entry of `ȳ` along `axis`. Source: linearity.
#[vjp_rule]
#[gradcheck(inputs: [[m, n], [m, n], [m, n]], axis = 0 | 1 | 2)]
#[gradcheck(inputs: [[], []], axis = 0)]
#[gradcheck(inputs: [[m]], axis = 0 | 1)]
pub fn stack<T: Element>(inputs: &[&Tensor<T>], axis: usize) -> Result<Tensor<T>> {
    /// this input's entry of upstream
    #[vjp(inputs)]
    fn inputs_vjp(upstream: &Tensor<T>, index: usize, axis: usize) -> Result<Tensor<T>> {
        let entry = upstream.narrowed(axis, index, index + 1)?;
        let mut shape = entry.shape().to_vec();
        shape.remove(axis);
        entry.with_shape(shape)
    }
    // The first input alone decides which axes there are; the join reports whichever differs.
    let Some(first) = inputs.first() else {
        return Err(TensorError::NothingToJoin.into());
    };
    check_axis(axis, first.rank() + 1)?;
    let mut entries = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut shape = input.shape().to_vec();
        shape.insert(axis.min(shape.len()), 1);
        entries.push(input.with_shape(shape)?);
    }
    Tensor::joined(&entries.iter().collect::<Vec<_>>(), axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::counted;

    #[test]
    fn each_input_receives_a_slice_of_its_own_width() {
        let [a, b] = [[2, 1], [2, 2]]
            .map(|shape| TensorValue::parameter(Tensor::<f64>::zeros(shape).unwrap()).unwrap());
        let y = concat(&[&a, &b], 1).unwrap();
        let seed = counted(&[2, 3], 1.0);
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        assert_eq!(a.gradient_snapshot().unwrap().as_slice(), [1.0, 4.0]);
        assert_eq!(
            b.gradient_snapshot().unwrap().as_slice(),
            [2.0, 3.0, 5.0, 6.0]
        );
    }

    #[test]
    fn an_empty_input_joins_and_receives_an_empty_gradient() {
        let empty = TensorValue::parameter(Tensor::<f64>::zeros([0, 2]).unwrap()).unwrap();
        let row = TensorValue::parameter(counted(&[1, 2], 1.0)).unwrap();
        let y = concat(&[&empty, &row], 0).unwrap();
        assert_eq!(*y.value(), counted(&[1, 2], 1.0));
        let seed = Tensor::ones([1, 2]).unwrap();
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        assert_eq!(empty.gradient_snapshot().unwrap().shape(), [0, 2]);
        assert_eq!(row.gradient_snapshot().unwrap().as_slice(), [1.0, 1.0]);
    }

    #[test]
    fn one_tensor_may_be_joined_with_itself() {
        let x = TensorValue::parameter(counted(&[2], 1.0)).unwrap();
        let y = stack(&[&x, &x], 0).unwrap();
        let seed = Tensor::from_vec([2, 2], vec![1.0, 2.0, 30.0, 40.0]).unwrap();
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        // [1 + 30, 2 + 40]
        assert_eq!(x.gradient_snapshot().unwrap().as_slice(), [31.0, 42.0]);
    }

    #[test]
    fn inputs_are_interleaved_along_a_new_last_axis() {
        let (a, b) = (counted(&[2], 1.0), counted(&[2], 10.0));
        assert_eq!(
            stack(&[&a, &b], 1).unwrap(),
            Tensor::from_vec([2, 2], vec![1.0, 10.0, 2.0, 11.0]).unwrap()
        );
    }

    #[test]
    fn the_input_that_does_not_fit_is_named() {
        let (a, b) = (counted(&[2, 3], 0.0), counted(&[3, 3], 0.0));
        assert_eq!(
            concat(&[&a, &a, &b], 1).unwrap_err().to_string(),
            "concat: cannot join part 2 along axis 1: expected [2, 3] on the other axes, got [3, 3]"
        );
        assert_eq!(
            stack(&[&a, &b], 0).unwrap_err().to_string(),
            "stack: cannot join part 1 along axis 0: expected [1, 2, 3] on the other axes, got [1, 3, 3]"
        );
        assert_eq!(
            stack(&[&a, &counted(&[], 0.0)], 2).unwrap_err().to_string(),
            "stack: cannot join part 1 along axis 2: expected [2, 3, 1] on the other axes, got [1]"
        );
        assert_eq!(
            concat::<Tensor>(&[], 0).unwrap_err().to_string(),
            "concat: expected at least one tensor to join, got none"
        );
        assert_eq!(
            stack::<Tensor>(&[], 0).unwrap_err().to_string(),
            "stack: expected at least one tensor to join, got none"
        );
        assert_eq!(
            concat(&[&a], 2).unwrap_err().to_string(),
            "concat: expected an axis below rank 2, got 2"
        );
    }
}
