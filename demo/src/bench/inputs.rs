//! The numbers that a workload computes with: entry `i` of the splitmix64 stream of a seed.

use autodiff_ops::prelude::*;

use crate::DemoError;

/// Entry `index` of the stream of `seed`.
fn mix(seed: u64, index: u64) -> u64 {
    let step = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = seed.wrapping_add(step);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Uniform in `-scale..scale`: the upper 53 bits of an entry, rounded once to the element type.
pub(super) fn uniform<T: Element>(
    seed: u64,
    shape: &[usize],
    scale: f64,
) -> Result<Tensor<T>, DemoError> {
    let number = |index: usize| {
        let unit = (mix(seed, index as u64) >> 11) as f64 / (1_u64 << 53) as f64;
        T::from_f64((unit * 2.0 - 1.0) * scale)
    };
    Ok(Tensor::from_fn(shape, number)?)
}

/// Whole numbers below `below`.
pub(super) fn integers(
    seed: u64,
    shape: &[usize],
    below: usize,
) -> Result<Tensor<usize>, DemoError> {
    let number = |index: usize| (mix(seed, index as u64) % below as u64) as usize;
    Ok(Tensor::from_fn(shape, number)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The first three numbers of its reference implementation from state 1234567.
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!([0, 1, 2].map(|index| mix(1_234_567, index)), expected);
    }

    #[test]
    fn numbers_fill_the_range_and_do_not_leave_it() {
        let numbers = uniform::<f64>(1, &[1000], 3.0).unwrap();
        let extremes = numbers
            .as_slice()
            .iter()
            .fold([0.0_f64; 2], |[low, high], x| [low.min(*x), high.max(*x)]);
        assert!((-3.0..-2.9).contains(&extremes[0]) && (2.9..3.0).contains(&extremes[1]));
    }
}
