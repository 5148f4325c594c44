//! The number of threads shows in no bit of any result.

use autodiff_ops::prelude::*;

/// Numbers without a pattern that a split could follow.
fn scattered<T: Element>(shape: &[usize], seed: usize) -> Result<Tensor<T>> {
    let number = |index: usize| {
        let mixed = (index * 48_271 + seed * 7_919) % 65_521;
        T::from_f64(mixed as f64 / 32_768.0 - 1.0)
    };
    Tensor::from_fn(shape, number)
}

type Function<T> = fn(&[TensorValue<T>]) -> Result<TensorValue<T>>;

/// A name, the shapes of the operands, and what is computed from them.
type Case<T> = (&'static str, Vec<&'static [usize]>, Function<T>);

/// The value and all gradients of `f`, from an upstream without a pattern.
fn outcome<T: Element>(shapes: &[&[usize]], f: Function<T>) -> Result<Vec<Option<Tensor<T>>>> {
    let mut leaves = Vec::new();
    for (seed, shape) in shapes.iter().enumerate() {
        leaves.push(TensorValue::parameter(scattered(shape, seed)?)?);
    }
    let y = f(&leaves)?;
    let upstream = scattered(&y.shape(), 99)?;
    y.backward_with_seed(&upstream.view(), GraphRetention::Retain)?;
    let gradients = leaves.iter().map(TensorValue::gradient_snapshot);
    Ok([Some(y.value_snapshot())]
        .into_iter()
        .chain(gradients)
        .collect())
}

/// Every kind of loop, on shapes that are long enough to be split and that no number of threads divides.
fn functions<T: Element>() -> Vec<Case<T>> {
    const MATRIX: &[usize] = &[519, 131];
    const ROW: &[usize] = &[131];
    vec![
        ("add a row", vec![MATRIX, ROW], |x| x[0].add(&x[1])),
        ("add a column", vec![MATRIX, &[519, 1]], |x| x[0].add(&x[1])),
        ("multiply", vec![MATRIX, MATRIX], |x| x[0].mul(&x[1])),
        ("choose", vec![MATRIX, ROW], |x| x[0].maximum(&x[1])),
        ("exp", vec![MATRIX], |x| x[0].exp()),
        ("gelu", vec![MATRIX], |x| x[0].gelu()),
        ("silu", vec![MATRIX], |x| x[0].silu()),
        ("transpose", vec![MATRIX], |x| x[0].transpose(0, 1)),
        ("repeat", vec![ROW], |x| x[0].broadcast_to(MATRIX)),
        ("sum all", vec![MATRIX], |x| x[0].sum(&[0, 1], false)),
        ("sum a long run", vec![&[3, 40_001]], |x| {
            x[0].sum_axis(1, false)
        }),
        ("mean of rows", vec![MATRIX], |x| x[0].mean_axis(0, false)),
        ("mean of columns", vec![MATRIX], |x| x[0].mean_axis(1, true)),
        ("greatest", vec![MATRIX], |x| x[0].max(&[1], false)),
        ("softmax", vec![MATRIX], |x| x[0].softmax(1)),
        ("log-softmax of columns", vec![MATRIX], |x| {
            x[0].log_softmax(0)
        }),
        ("cross-entropy", vec![MATRIX], |x| {
            let targets = Tensor::from_fn([519], |i| i % 131)?;
            x[0].cross_entropy(&targets, Some(7))
        }),
        ("layer norm", vec![MATRIX, ROW, ROW], |x| {
            layer_norm(&x[0], &x[1], &x[2], 1e-5)
        }),
        ("rms norm", vec![MATRIX, ROW], |x| {
            rms_norm(&x[0], &x[1], 1e-5)
        }),
        ("product", vec![MATRIX, &[131, 67]], |x| x[0].matmul(&x[1])),
        ("deep product", vec![&[97, 1031], &[1031, 93]], |x| {
            x[0].matmul(&x[1])
        }),
        ("narrow product", vec![&[301, 901], &[901, 17]], |x| {
            x[0].matmul(&x[1])
        }),
        ("products", vec![&[7, 61, 63], &[7, 63, 59]], |x| {
            x[0].matmul(&x[1])
        }),
        ("affine map", vec![MATRIX, &[131, 257], &[257]], |x| {
            linear(&x[0], &x[1], Some(&x[2]))
        }),
        ("attention", vec![&[5, 3, 71, 8]; 3], |x| {
            attention(&x[0], &x[1], &x[2], 0.5, true)
        }),
        ("packed attention", vec![&[5, 71, 3 * 24]], |x| {
            x[0].self_attention(3, 0.5, true)
        }),
    ]
}

fn assert_alike<T: Element>() -> Result<()> {
    for (name, shapes, f) in functions::<T>() {
        let alone = outcome(&shapes, f)?;
        for threads in [2, 3, 5] {
            let shared = with_threads(threads, || outcome(&shapes, f))??;
            for (place, pair) in alone.iter().zip(&shared).enumerate() {
                let alike = matches!(pair, (Some(own), Some(other)) if own.bit_eq(other));
                assert!(alike, "{name}, {threads} threads, tensor {place}");
            }
        }
    }
    Ok(())
}

#[test]
fn every_loop_gives_the_bits_of_one_thread_in_single_precision() -> Result<()> {
    assert_alike::<f32>()
}

#[test]
fn every_loop_gives_the_bits_of_one_thread_in_double_precision() -> Result<()> {
    assert_alike::<f64>()
}

#[test]
fn of_several_failures_the_first_one_is_reported() -> Result<()> {
    let mut x = Tensor::full([100_001], 1.0)?;
    for place in [99_000, 70_000, 40_000] {
        x.as_mut_slice()[place] = f64::NAN;
    }
    for threads in [1, 2, 3] {
        let outcome = with_threads(threads, || TensorValue::constant(x.clone()).map(|_| ()))?;
        assert!(matches!(
            outcome,
            Err(TensorAutodiffError::NonFiniteLeaf { index: 40_000, .. })
        ));
    }
    Ok(())
}

#[test]
fn a_long_sum_keeps_six_digits_in_single_precision() -> Result<()> {
    // A million terms between 0 and 1.
    let x = scattered::<f32>(&[1_000_000], 3)?.map(f32::abs);
    let exact: f64 = x.as_slice().iter().map(|&x| f64::from(x)).sum();
    let sum = x.sum(&[0], false)?.item()?;
    assert!((f64::from(sum) / exact - 1.0).abs() < 1e-6, "{sum} {exact}");
    Ok(())
}
