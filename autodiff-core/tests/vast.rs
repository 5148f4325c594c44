//! Two billion elements are reduced to the last of them, in loops that need to be compiled as the core is.

use autodiff_core::prelude::*;

const SHAPE: [usize; 2] = [1 << 16, 1 << 15];

/// How many elements each kept place has, counted one by one: they have no size, and take no memory.
fn counted(axes: &[usize]) -> Result<Tensor<usize>> {
    let units = Tensor::from_vec(SHAPE, vec![(); 1 << 31])?;
    Projection::reduction(&SHAPE, axes, false)?.fold(&units, 0_usize, |count, ()| count + 1)
}

#[test]
fn two_billion_elements_are_counted_into_one() -> Result<()> {
    assert_eq!(counted(&[0, 1])?.as_slice(), [1 << 31]);
    Ok(())
}

#[test]
fn two_billion_elements_are_counted_by_column() -> Result<()> {
    let counts = counted(&[0])?;
    assert_eq!(counts.shape(), [1 << 15]);
    assert!(counts.as_slice().iter().all(|&count| count == 1 << 16));
    Ok(())
}
