//! Exponential, hyperbolic tangent and logarithm of the machine's floats, as straight lines of
//! arithmetic that compile to vectors.
//!
//! Invariant: no branch, and a product and a sum are rounded once only where it is written so (`mul_add`);
//! so an element has the same bits alone, in a slice, at any place of it, and whatever the width of the vectors.
//!
//! The exponential: `x = n ln 2 + r` with `|r| <= ln 2 / 2`, and `e^x = 2^n (1 + r + r² q(r))` with the
//! Taylor coefficients of `q`, whose remainder is below a tenth of an ulp. The logarithm is the one of FreeBSD's msun
//! (`e_log.c`, `e_logf.c`): `x = 2^k (1 + f)` with `1 + f` between `sqrt(1/2)` and `sqrt(2)`, and a
//! polynomial in `s² = (f / (2 + f))²`.

use std::f32::consts as f32_consts;
use std::f64::consts as f64_consts;

/// `[1/2!, 1/3!, ..]` of `N` terms.
macro_rules! taylor {
    ($float:ident, $terms:literal) => {{
        let mut terms = [0.0; $terms];
        let mut factorial: $float = 1.0;
        let mut index = 0;
        while index < $terms {
            factorial *= (index + 2) as $float;
            terms[index] = 1.0 / factorial;
            index += 1;
        }
        terms
    }};
}

macro_rules! exponentials {
    (
        $float:ident, $bits:ident, $terms:literal, $log2_e:expr, $ln2_high:expr, $ln2_low:expr,
        overflow $overflow:literal, underflow $underflow:literal, saturation $saturation:literal,
        $exp:ident, $tanh:ident, $reduce:ident, $power:ident
    ) => {
        /// `n`, `e^r - 1` and what rounding took from it, where `x = n ln 2 + r`; `x` is within the range of
        /// the exponential or a NaN.
        #[inline(always)]
        fn $reduce(x: $float) -> ($bits, $float, $float) {
            const TAYLOR: [$float; $terms] = taylor!($float, $terms);
            // Adding and subtracting it rounds to a whole number, which its last bits then hold.
            const ROUND: $float = 1.5 * (1_u64 << ($float::MANTISSA_DIGITS - 1)) as $float;
            let shifted = x.mul_add($log2_e, ROUND);
            let n = shifted - ROUND;
            let r = n.mul_add(-$ln2_low, n.mul_add(-$ln2_high, x));
            let mut q = TAYLOR[$terms - 1];
            let mut term = $terms - 1;
            while term > 0 {
                term -= 1;
                q = q.mul_add(r, TAYLOR[term]);
            }
            let curved = r * r * q;
            let grown = r + curved;
            let lost = curved - (grown - r);
            (shifted.to_bits().wrapping_sub(ROUND.to_bits()), grown, lost)
        }

        /// `2^n` for an exponent, given with its bias of twice that of the type, that a normal number has.
        #[inline(always)]
        fn $power(biased: $bits) -> $float {
            const DIGITS: u32 = $float::MANTISSA_DIGITS - 1;
            const BIAS: $bits = $float::MAX_EXP as $bits - 1;
            $float::from_bits((biased.wrapping_sub(BIAS)) << DIGITS)
        }

        /// `e^x`.
        #[inline(always)]
        pub(super) fn $exp(x: $float) -> $float {
            const BIAS: $bits = $float::MAX_EXP as $bits - 1;
            // A NaN compares with nothing and stays. Beyond these bounds the result no longer changes.
            let x = if x > $overflow { $overflow } else { x };
            let x = if x < $underflow { $underflow } else { x };
            let (n, grown, _) = $reduce(x);
            // In two steps, as 2^n itself may be no normal number where the result is one or is 0.
            let biased = n.wrapping_add(4 * BIAS);
            let low = biased >> 1;
            let high = biased - low;
            (1.0 + grown) * $power(low) * $power(high)
        }

        /// Hyperbolic tangent: `(e^2x - 1) / (e^2x + 1)`.
        #[inline(always)]
        pub(super) fn $tanh(x: $float) -> $float {
            const BIAS: $bits = $float::MAX_EXP as $bits - 1;
            let magnitude = x.abs();
            let magnitude = if magnitude > $saturation {
                $saturation
            } else {
                magnitude
            };
            let (n, grown, lost) = $reduce(2.0 * magnitude);
            let power = $power(n.wrapping_add(2 * BIAS));
            // Near zero the power is 1 and nothing cancels.
            let (whole, part) = (power - 1.0, power * grown);
            let numerator = whole + part;
            let denominator = numerator + 2.0;
            let quotient = numerator / denominator;
            // What the two sums have lost, to first order.
            let numerator_lost = part - (numerator - whole) + power * lost;
            let rest = if numerator < 2.0 {
                (2.0 - denominator) + numerator
            } else {
                (numerator - denominator) + 2.0
            };
            let denominator_lost = rest + numerator_lost;
            let lost = (numerator_lost - quotient * denominator_lost) / denominator;
            (quotient + lost).copysign(x)
        }
    };
}

exponentials!(
    f32, u32, 6, f32_consts::LOG2_E, 355.0 / 512.0, LN_2_LESS_355_512,
    overflow 89.0, underflow -105.0, saturation 10.0,
    exp_f32, tanh_f32, reduce_f32, power_f32
);
exponentials!(
    f64, u64, 12, f64_consts::LOG2_E, LN_2_HIGH, LN_2_LOW,
    overflow 710.0, underflow -746.0, saturation 20.0,
    exp_f64, tanh_f64, reduce_f64, power_f64
);

/// `ln 2 - 355/512`, where 355/512 has nine digits.
const LN_2_LESS_355_512: f32 = (f64_consts::LN_2 - 355.0 / 512.0) as f32;
/// The first 33 digits of `ln 2`, and the rest (msun, `e_exp.c`).
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

macro_rules! logarithm {
    (
        $name:ident, $float:ident, $bits:ident, least $least:literal, scale $scale:literal,
        ln 2 $high:expr, $low:expr, $coefficients:expr
    ) => {
        /// Natural logarithm.
        #[inline(always)]
        pub(super) fn $name(x: $float) -> $float {
            const DIGITS: u32 = $float::MANTISSA_DIGITS - 1;
            const ONE: $bits = (1.0 as $float).to_bits();
            // Whole numbers below 2^DIGITS have their bits at the end of this one's.
            const WHOLE: $float = (1_u64 << DIGITS) as $float;
            const COEFFICIENTS: &[$float] = &$coefficients;
            let is_subnormal = x < $float::MIN_POSITIVE;
            let normal = if is_subnormal {
                x * (1_u64 << $scale) as $float
            } else {
                x
            };
            let bits = normal.to_bits().wrapping_add(ONE - $least);
            let fraction = $float::from_bits((bits & ((1 << DIGITS) - 1)) + $least);
            let exponent = $float::from_bits((bits >> DIGITS) | WHOLE.to_bits()) - WHOLE;
            let bias = ($float::MAX_EXP - 1) as $float;
            let k = exponent
                - if is_subnormal {
                    bias + $scale as $float
                } else {
                    bias
                };
            let f = fraction - 1.0;
            let s = f / (2.0 + f);
            let z = s * s;
            let mut tail = 0.0;
            let mut term = COEFFICIENTS.len();
            while term > 0 {
                term -= 1;
                tail = (tail + COEFFICIENTS[term]) * z;
            }
            let half_square = 0.5 * f * f;
            let small = s * (half_square + tail) + k * $low;
            let y = small - half_square + f + k * $high;
            let y = if x == 0.0 { -$float::INFINITY } else { y };
            let y = if x < 0.0 { $float::NAN } else { y };
            if x < $float::INFINITY { y } else { x }
        }
    };
}

logarithm!(
    ln_f32, f32, u32, least 0x3f35_04f3, scale 25,
    ln 2 f32::from_bits(0x3f31_7180), 9.058_001e-6,
    // Hexadecimal fractions in the source.
    [
        0x00aa_aaaa as f32 / (1 << 24) as f32,
        0x00cc_ce13 as f32 / (1 << 25) as f32,
        0x0091_e9ee as f32 / (1 << 25) as f32,
        0x00f8_9e26 as f32 / (1 << 26) as f32,
    ]
);
logarithm!(
    ln_f64, f64, u64, least 0x3fe6_a09e_0000_0000, scale 54,
    ln 2 f64::from_bits(0x3fe6_2e42_fee0_0000), 1.908_214_929_270_587_7e-10,
    [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ]
);

#[cfg(test)]
mod tests;
