//! Accuracy over dense random and special inputs, against references of twice the digits.

use super::*;

/// Numbers of a linear congruential sequence, with all exponents from `2^low` to `2^high` alike.
fn spread(count: usize, low: i32, high: i32) -> impl Iterator<Item = f64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(move |index| {
        let exponent = f64::from(low) + next() * f64::from(high - low);
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        sign * exponent.exp2() * (1.0 + next() / 8.0)
    })
}

/// The sum of two numbers of which the second holds the digits that the first has no room for.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn of(x: f64) -> Self {
        Self(x, 0.0)
    }
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let part = s - a;
        Self(s, (a - (s - part)) + (b - part))
    }
    fn add(self, other: Self) -> Self {
        let Self(high, low) = Self::sum(self.0, other.0);
        Self::sum(high, low + self.1 + other.1)
    }
    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product);
        Self::sum(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
    fn div(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self.add(other.mul(Self::of(-first)));
        let second = rest.0 / other.0;
        let rest = rest.add(other.mul(Self::of(-second)));
        Self::sum(first, second).add(Self::of(rest.0 / other.0))
    }
    /// `e^x` for moderate `x`: Taylor's series of `x / 2^10`, squared ten times.
    fn exp(self) -> Self {
        if self.0 < 0.0 {
            // Close to -1, the growth has no digits for what remains.
            return Self::of(1.0).div(Self(-self.0, -self.1).exp());
        }
        let small = Self(self.0 / 1024.0, self.1 / 1024.0);
        let mut sum = Self::of(1.0);
        for term in (1..=24).rev() {
            sum = Self::of(1.0).add(sum.mul(small).div(Self::of(f64::from(term))));
        }
        // Less 1, so that squaring does not lose what lies behind it.
        let mut grown = sum.add(Self::of(-1.0));
        for _ in 0..10 {
            grown = grown.mul(grown).add(grown.mul(Self::of(2.0)));
        }
        grown.add(Self::of(1.0))
    }
    /// `e^2x - 1` over `e^2x + 1`.
    fn tanh(self) -> Self {
        if self.0.abs() < 1e-3 {
            // x - x³/3 + 2 x⁵/15 - 17 x⁷/315; what follows is below 1e-27 of x.
            let square = self.mul(self);
            let mut sum = Self::of(62.0).div(Self::of(2835.0));
            for coefficient in [(-17.0, 315.0), (2.0, 15.0), (-1.0, 3.0), (1.0, 1.0)] {
                sum = Self::of(coefficient.0)
                    .div(Self::of(coefficient.1))
                    .add(sum.mul(square));
            }
            return self.mul(sum);
        }
        let grown = self.add(self).exp();
        grown.add(Self::of(-1.0)).div(grown.add(Self::of(1.0)))
    }
    /// One step of Newton's from the standard library's logarithm, whose error it squares.
    fn ln(x: f64) -> Self {
        let start = x.ln();
        let quotient = Self::of(x).mul(Self::of(-start).exp());
        Self::of(start).add(quotient.add(Self::of(-1.0)))
    }
}

/// The distance from the exact value in units of the last place of a result.
fn ulps(result: f64, exact: Double) -> f64 {
    let unit = exact.0.abs().next_up() - exact.0.abs();
    ((result - exact.0) - exact.1).abs() / unit
}

#[track_caller]
fn assert_within(bound: f64, worst: (f64, f64)) {
    assert!(worst.0 <= bound, "{} ulp at {}", worst.0, worst.1);
}

fn worst(inputs: impl Iterator<Item = f64>, distance: impl Fn(f64) -> f64) -> (f64, f64) {
    inputs.fold((0.0, 0.0), |worst, x| {
        let found = distance(x);
        if found > worst.0 { (found, x) } else { worst }
    })
}

#[test]
fn in_double_precision_they_are_right_to_two_places() {
    let count = 60_000;
    let exp = worst(spread(count, -60, 9), |x| {
        ulps(exp_f64(x), Double::of(x).exp())
    });
    assert_within(1.0, exp);
    let tanh = worst(spread(count, -60, 4), |x| {
        ulps(tanh_f64(x), Double::of(x).tanh())
    });
    assert_within(2.0, tanh);
    let ln = worst(spread(count, -9, 9), |x| {
        ulps(ln_f64(x.abs()), Double::ln(x.abs()))
    });
    assert_within(1.0, ln);
    // Around 1 the logarithm is small.
    let near = spread(count, -50, -2).map(|x| 1.0 + x);
    assert_within(1.0, worst(near, |x| ulps(ln_f64(x), Double::ln(x))));
}

/// The distance of a single-precision result from a double-precision one, in units of single precision.
fn single_ulps(result: f32, exact: f64) -> f64 {
    let nearest = (exact as f32).abs();
    let unit = f64::from(nearest.next_up()) - f64::from(nearest);
    (f64::from(result) - exact).abs() / unit
}

#[test]
fn in_single_precision_they_are_right_to_two_places() {
    let count = 400_000;
    let single = |low, high| spread(count, low, high).map(|x| f64::from(x as f32));
    let normal = |x: &f64| (-87.3..88.7).contains(x);
    let exp = worst(single(-30, 7).filter(normal), |x| {
        single_ulps(exp_f32(x as f32), x.exp())
    });
    assert_within(1.0, exp);
    let tanh = worst(single(-30, 5), |x| {
        single_ulps(tanh_f32(x as f32), x.tanh())
    });
    assert_within(2.0, tanh);
    let ln = worst(single(-126, 127), |x| {
        single_ulps(ln_f32(x.abs() as f32), x.abs().ln())
    });
    assert_within(1.0, ln);
    let near = single(-22, -2).map(|x| f64::from((1.0 + x) as f32));
    assert_within(1.0, worst(near, |x| single_ulps(ln_f32(x as f32), x.ln())));
}

macro_rules! special_values {
    ($name:ident, $float:ident, $exp:ident, $tanh:ident, $ln:ident, $greatest:expr, $least:expr) => {
        #[test]
        fn $name() {
            let infinity = $float::INFINITY;
            assert_eq!([$exp(0.0), $exp(-0.0), $exp(-infinity)], [1.0, 1.0, 0.0]);
            assert_eq!(
                [$exp(infinity), $exp($float::MAX), $exp($float::MIN)],
                [infinity, infinity, 0.0]
            );
            assert!(
                $exp($float::NAN).is_nan()
                    && $tanh($float::NAN).is_nan()
                    && $ln($float::NAN).is_nan()
            );
            // Where the exponential reaches the ends of the range.
            assert!($exp($greatest).is_finite() && $exp($greatest.next_up()) == infinity);
            assert!($exp($least) > 0.0 && $exp($least * 1.01) == 0.0);
            // Results below the least normal number are rounded to its last place.
            let x = $float::MIN_POSITIVE.ln() - 3.0;
            let places = $exp(x).to_bits() as i64 - x.exp().to_bits() as i64;
            assert!($exp(x).is_subnormal() && places.abs() <= 1);
            assert_eq!(
                [$tanh(infinity), $tanh(-infinity), $tanh(30.0)],
                [1.0, -1.0, 1.0]
            );
            let least = $float::from_bits(1);
            for x in [0.0, -0.0, least, -least, 1e-30] {
                assert_eq!($tanh(x).to_bits(), x.to_bits());
            }
            assert_eq!([$ln(1.0), $ln(infinity)], [0.0, infinity]);
            assert_eq!([$ln(0.0), $ln(-0.0)], [-infinity; 2]);
            assert!($ln(-1.0).is_nan() && $ln(-infinity).is_nan());
            for x in [least, least * 12_345.0, $float::MIN_POSITIVE, $float::MAX] {
                let (own, std) = ($ln(x), x.ln());
                assert!(
                    (own - std).abs() <= std.abs() * $float::EPSILON,
                    "{x:e}: {own} {std}"
                );
            }
        }
    };
}

special_values!(
    special_values_in_double_precision,
    f64,
    exp_f64,
    tanh_f64,
    ln_f64,
    f64::MAX.ln(),
    -745.1
);
special_values!(
    special_values_in_single_precision,
    f32,
    exp_f32,
    tanh_f32,
    ln_f32,
    f32::MAX.ln().next_down(),
    -103.9_f32
);

#[test]
fn a_place_in_a_slice_does_not_show() {
    use crate::tensor::Element;

    let x: Vec<f64> = spread(1000, -20, 5).collect();
    let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    for start in [0, 1, 7] {
        for len in [1, 3, 8, 37, 900] {
            let part = &x[start..start + len];
            let mut out = vec![0.0; len];
            for (slice, alone) in [
                (
                    f64::exp_slice as fn(&[f64], &mut [f64]),
                    <f64 as Element>::exp as fn(f64) -> f64,
                ),
                (f64::tanh_slice, <f64 as Element>::tanh),
                (f64::ln_slice, <f64 as Element>::ln),
            ] {
                slice(part, &mut out);
                assert!(out.iter().zip(part).all(|(y, &x)| y.bit_eq(alone(x))));
            }
            let part = &single[start..start + len];
            let mut out = vec![0.0; len];
            for (slice, alone) in [
                (
                    f32::exp_slice as fn(&[f32], &mut [f32]),
                    <f32 as Element>::exp as fn(f32) -> f32,
                ),
                (f32::tanh_slice, <f32 as Element>::tanh),
                (f32::ln_slice, <f32 as Element>::ln),
            ] {
                slice(part, &mut out);
                assert!(out.iter().zip(part).all(|(y, &x)| y.bit_eq(alone(x))));
            }
        }
    }
}
