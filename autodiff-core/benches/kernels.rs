//! Times of what operations are made of: functions over slices, sums, products, zips and projections.
#![allow(clippy::unwrap_used, reason = "a benchmark reports by panicking")]

use autodiff_core::prelude::*;
use autodiff_core::tensor::vectorized;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};

/// Elements that stay in the cache of one core, in `f64` too.
const CACHED: usize = 8 << 10;

/// Rows and columns that do not: 4 MiB in `f32`.
const LARGE: [usize; 2] = [1024, 1024];

fn main() {
    divan::main();
}

/// Numbers of `low..high` in an irregular order: multiples of the golden ratio, without their whole parts.
fn numbers<T: Element>(shape: &[usize], [low, high]: [f64; 2]) -> Tensor<T> {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let number = |index| T::from_f64(low + (high - low) * (index as f64 * golden).fract());
    Tensor::from_fn(shape, number).unwrap()
}

/// Times `f` of a slice in the cache into another.
fn over_a_slice<T: Element>(bencher: Bencher, range: [f64; 2], f: fn(&[T], &mut [T])) {
    let input = numbers::<T>(&[CACHED], range);
    let mut output = Tensor::<T>::zeros([CACHED]).unwrap();
    let (input, output) = (input.as_slice(), output.as_mut_slice());
    bencher.counter(ItemsCount::new(CACHED)).bench_local(|| {
        vectorized(
            #[inline(always)]
            || f(black_box(input), black_box(&mut *output)),
        );
    });
}

/// Times a computation that reads all elements of `inputs`.
fn reading<T: Element, R: Sync>(bencher: Bencher, inputs: &[&Tensor<T>], f: impl Fn() -> R + Sync) {
    let bytes: usize = inputs
        .iter()
        .map(|input| size_of_val(input.as_slice()))
        .sum();
    bencher.counter(BytesCount::new(bytes)).bench(f);
}

mod function {
    use super::*;

    #[divan::bench(types = [f32, f64])]
    fn exp<T: Element>(bencher: Bencher) {
        over_a_slice::<T>(bencher, [-10.0, 10.0], T::exp_slice);
    }

    #[divan::bench(types = [f32, f64])]
    fn tanh<T: Element>(bencher: Bencher) {
        over_a_slice::<T>(bencher, [-4.0, 4.0], T::tanh_slice);
    }

    #[divan::bench(types = [f32, f64])]
    fn ln<T: Element>(bencher: Bencher) {
        over_a_slice::<T>(bencher, [0.1, 10.0], T::ln_slice);
    }

    #[divan::bench(types = [f32, f64])]
    fn erf<T: Element>(bencher: Bencher) {
        over_a_slice::<T>(bencher, [-4.0, 4.0], |x, y| {
            y.iter_mut().zip(x).for_each(|(y, &x)| *y = x.erf());
        });
    }
}

mod sum {
    use super::*;

    #[divan::bench(types = [f32, f64])]
    fn of_a_slice<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&[CACHED], [-1.0, 1.0]);
        reading(bencher, &[&x], || {
            vectorized(
                #[inline(always)]
                || T::sum_slice(black_box(x.as_slice())),
            )
        });
    }

    #[divan::bench(types = [f32, f64])]
    fn of_products<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&[CACHED], [-1.0, 1.0]);
        let y = numbers::<T>(&[CACHED], [-2.0, 2.0]);
        reading(bencher, &[&x, &y], || {
            vectorized(
                #[inline(always)]
                || T::dot_slice(black_box(x.as_slice()), black_box(y.as_slice())),
            )
        });
    }

    #[divan::bench(types = [f32, f64])]
    fn finite<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&[CACHED], [-1.0, 1.0]);
        reading(bencher, &[&x], || {
            vectorized(
                #[inline(always)]
                || T::all_finite(black_box(x.as_slice())),
            )
        });
    }
}

mod product {
    use super::*;

    /// Multiplications and additions, as items.
    fn flops(extent: usize) -> ItemsCount {
        ItemsCount::new(2 * extent * extent * extent)
    }

    #[divan::bench(types = [f32, f64], args = [32, 128, 512])]
    fn of_squares<T: Element>(bencher: Bencher, extent: usize) {
        let x = numbers::<T>(&[extent, extent], [-1.0, 1.0]);
        let y = numbers::<T>(&[extent, extent], [-1.0, 1.0]);
        bencher
            .counter(flops(extent))
            .bench(|| black_box(x.view()).product(&y.view()).unwrap());
    }

    #[divan::bench(types = [f32, f64], args = [32, 128, 512])]
    fn with_a_transpose<T: Element>(bencher: Bencher, extent: usize) {
        let x = numbers::<T>(&[extent, extent], [-1.0, 1.0]);
        let y = numbers::<T>(&[extent, extent], [-1.0, 1.0]);
        bencher.counter(flops(extent)).bench(|| {
            let transpose = y.view().transpose(0, 1).unwrap();
            black_box(x.view()).product(&transpose).unwrap()
        });
    }
}

mod zip {
    use super::*;

    #[divan::bench(types = [f32, f64])]
    fn map<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&LARGE, [-1.0, 1.0]);
        reading(bencher, &[&x], || black_box(&x).map(|x| x * x));
    }

    #[divan::bench(types = [f32, f64])]
    fn of_one_shape<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&LARGE, [-1.0, 1.0]);
        let y = numbers::<T>(&LARGE, [-2.0, 2.0]);
        reading(bencher, &[&x, &y], || {
            black_box(&x).zip_map(&y, |x, y| x * y).unwrap()
        });
    }

    #[divan::bench(types = [f32, f64])]
    fn with_a_row<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&LARGE, [-1.0, 1.0]);
        let row = numbers::<T>(&LARGE[1..], [-2.0, 2.0]);
        reading(bencher, &[&x], || {
            black_box(&x).zip_broadcast(&row, |x, y| x + y).unwrap()
        });
    }

    #[divan::bench(types = [f32, f64])]
    fn with_a_column<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&LARGE, [-1.0, 1.0]);
        let column = numbers::<T>(&[LARGE[0], 1], [-2.0, 2.0]);
        reading(bencher, &[&x], || {
            black_box(&x).zip_broadcast(&column, |x, y| x + y).unwrap()
        });
    }
}

mod projection {
    use super::*;

    /// A sum over `axis`.
    fn over(axis: usize) -> Projection {
        Projection::reduction(&LARGE, &[axis], false).unwrap()
    }

    #[divan::bench(types = [f32, f64], args = [0, 1])]
    fn reduce<T: Element>(bencher: Bencher, axis: usize) {
        let x = numbers::<T>(&LARGE, [-1.0, 1.0]);
        let fit = over(axis);
        reading(bencher, &[&x], || fit.reduce(black_box(&x)).unwrap());
    }

    #[divan::bench(types = [f32, f64], args = [0, 1])]
    fn expand<T: Element>(bencher: Bencher, axis: usize) {
        let fit = over(axis);
        let x = numbers::<T>(fit.addressed_shape(), [-1.0, 1.0]);
        let elements: usize = LARGE.iter().product();
        bencher
            .counter(BytesCount::new(elements * size_of::<T>()))
            .bench(|| fit.expand(black_box(&x)).unwrap());
    }

    #[divan::bench(types = [f32, f64])]
    fn transpose<T: Element>(bencher: Bencher) {
        let x = numbers::<T>(&LARGE, [-1.0, 1.0]);
        reading(bencher, &[&x], || {
            let transpose = black_box(&x).view().transpose(0, 1).unwrap();
            transpose.materialize().unwrap()
        });
    }
}
