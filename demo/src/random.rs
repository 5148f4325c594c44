//! The one source of randomness: seeded, and with a state that can be stored and restored exactly.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// A stream of random numbers that a seed and a purpose decide.
#[derive(Clone, Debug)]
pub struct RandomStream(ChaCha8Rng);

/// Where a stream stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomState {
    seed: [u8; 32],
    stream: u64,
    /// In words of 32 bits, of which there may be more than JSON's integers hold.
    word_position: String,
}

/// What a stream is for: streams of one seed do not overlap.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// The first values of the parameters.
    Initialisation = 1,
    /// Where the pieces of text for each step begin.
    Batches = 2,
    /// Which token comes next.
    Sampling = 3,
    /// Directions, coordinates and inputs of a verification.
    Verification = 4,
}

impl RandomStream {
    /// The stream of a seed for one purpose, at its beginning.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(purpose as u64);
        Self(generator)
    }

    /// Where the stream stands.
    #[must_use]
    pub fn state(&self) -> RandomState {
        RandomState {
            seed: self.0.get_seed(),
            stream: self.0.get_stream(),
            word_position: self.0.get_word_pos().to_string(),
        }
    }

    /// A stream that continues from `state`; `None` where it is not the state of any stream.
    #[must_use]
    pub fn restored(state: &RandomState) -> Option<Self> {
        let mut generator = ChaCha8Rng::from_seed(state.seed);
        generator.set_stream(state.stream);
        generator.set_word_pos(state.word_position.parse().ok()?);
        Some(Self(generator))
    }

    /// Uniform in `[0, 1)`, with all 53 bits of an `f64`.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `0..bound`; 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of the product is uniform but for one part in 2^64 / bound.
        let wide = u128::from(self.0.next_u64()) * bound as u128;
        (wide >> 64) as usize
    }

    /// Standard normal (Box and Muller, one value of each pair).
    pub fn normal(&mut self) -> f64 {
        // In (0, 1], so that the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_stream_goes_on_where_the_stored_one_stood() {
        let mut stream = RandomStream::new(7, Purpose::Batches);
        for _ in 0..101 {
            stream.below(1000);
        }
        let text = serde_json::to_string(&stream.state()).unwrap();
        let mut restored = RandomStream::restored(&serde_json::from_str(&text).unwrap()).unwrap();
        for _ in 0..101 {
            assert_eq!(restored.below(1000), stream.below(1000));
        }
    }

    #[test]
    fn streams_for_different_purposes_differ() {
        let draw = |purpose| RandomStream::new(7, purpose).uniform();
        assert_ne!(draw(Purpose::Batches), draw(Purpose::Sampling));
    }

    #[test]
    fn normal_draws_have_mean_0_and_variance_1() {
        let mut stream = RandomStream::new(1, Purpose::Initialisation);
        let draws: Vec<f64> = (0..10_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 10_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 10_000.0;
        // Five standard errors: 5 / √10000 for the mean, 5·√(2/10000) for the variance.
        assert!(mean.abs() < 0.05, "{mean}");
        assert!((variance - 1.0).abs() < 0.071, "{variance}");
    }
}
