//! Sums of whole groups of the machine's floats, held in vectors.
//!
//! Left to itself, a compiler that sees the tree in which the lanes are added up in the end keeps them in
//! pairs from the beginning.
//!
//! Invariant: for every width, lane `i` is the sum of the `i`-th elements of the groups, in their order, and
//! the lanes are added up by halves.

use pulp::{Arch, Simd, WithSimd};

use super::sum::{Group, LANES, sum_of_lanes};

macro_rules! sums_for {
    (
        $float:ident, $sum:ident, $dot:ident,
        $as_simd:ident, $as_mut_simd:ident, $splat:ident, $add:ident, $mul:ident
    ) => {
        /// The sum of all elements of the groups.
        pub(super) fn $sum(groups: &[Group<$float>]) -> $float {
            struct Sum<'a>(&'a [Group<$float>]);

            impl WithSimd for Sum<'_> {
                type Output = $float;

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> $float {
                    let mut lanes = [simd.$splat(0.0); LANES];
                    for group in self.0 {
                        let (group, _) = S::$as_simd(group);
                        for (lane, &x) in lanes.iter_mut().zip(group) {
                            *lane = simd.$add(*lane, x);
                        }
                    }
                    sum_of_vectors!(simd, lanes, $float, $as_mut_simd, $add)
                }
            }

            Arch::new().dispatch(Sum(groups))
        }

        /// The sum of the products of all elements of two runs of groups.
        pub(super) fn $dot(left: &[Group<$float>], right: &[Group<$float>]) -> $float {
            struct Dot<'a>(&'a [Group<$float>], &'a [Group<$float>]);

            impl WithSimd for Dot<'_> {
                type Output = $float;

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> $float {
                    let mut lanes = [simd.$splat(0.0); LANES];
                    for (left, right) in self.0.iter().zip(self.1) {
                        let ((left, _), (right, _)) = (S::$as_simd(left), S::$as_simd(right));
                        for ((lane, &x), &y) in lanes.iter_mut().zip(left).zip(right) {
                            *lane = simd.$add(*lane, simd.$mul(x, y));
                        }
                    }
                    sum_of_vectors!(simd, lanes, $float, $as_mut_simd, $add)
                }
            }

            Arch::new().dispatch(Dot(left, right))
        }
    };
}

/// The lanes, of which the first vectors hold all, added up by halves: first whole vectors, then within one.
macro_rules! sum_of_vectors {
    ($simd:ident, $lanes:ident, $float:ident, $as_mut_simd:ident, $add:ident) => {{
        let width = size_of_val(&$lanes[0]) / size_of::<$float>();
        let mut half = LANES / width / 2;
        while half > 0 {
            let (low, high) = $lanes.split_at_mut(half);
            for (lane, &other) in low.iter_mut().zip(high.iter()) {
                *lane = $simd.$add(*lane, other);
            }
            half /= 2;
        }
        let mut last = [0.0; LANES];
        if let Some(place) = S::$as_mut_simd(&mut last).0.first_mut() {
            *place = $lanes[0];
        }
        sum_of_lanes(&mut last[..width])
    }};
}

sums_for!(
    f32,
    sum_of_f32,
    dot_of_f32,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    mul_f32s
);
sums_for!(
    f64,
    sum_of_f64,
    dot_of_f64,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    mul_f64s
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::sum::{dot_of_groups, sum_of_groups};

    #[test]
    fn sums_by_vectors_have_the_bits_of_sums_by_elements() {
        // Numbers that round at every step.
        let group = |seed: usize| -> Group<f64> {
            std::array::from_fn(|i| 0.1 * (7 * i + seed) as f64 - 3.3)
        };
        for count in [1, 2, 9, 16] {
            let left: Vec<_> = (0..count).map(group).collect();
            let right: Vec<_> = (20..20 + count).map(group).collect();
            let singles = |groups: &[Group<f64>]| -> Vec<Group<f32>> {
                groups.iter().map(|group| group.map(|x| x as f32)).collect()
            };
            assert_eq!(sum_of_f64(&left), sum_of_groups(&left));
            assert_eq!(dot_of_f64(&left, &right), dot_of_groups(&left, &right));
            let (left, right) = (singles(&left), singles(&right));
            assert_eq!(sum_of_f32(&left), sum_of_groups(&left));
            assert_eq!(dot_of_f32(&left, &right), dot_of_groups(&left, &right));
        }
    }
}
