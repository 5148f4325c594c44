//! A reproducible stream of numbers, from which a draw takes its values.

/// The SplitMix64 generator of Steele, Lea and Flood (2014): enough for test values, and every stream
/// is given by one number, so that a draw can be replayed from its seed.
#[derive(Clone, Debug)]
pub(super) struct Stream(u64);

impl Stream {
    /// The stream of a seed and a purpose; streams of different purposes are unrelated.
    pub(super) fn new(seed: u64, purpose: u64) -> Self {
        let mut stream = Self(seed ^ purpose.wrapping_mul(0xd605_bbb5_8c8a_bbfd));
        stream.next();
        stream
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `[0, 1)`: the upper 53 bits as a fraction.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (f64::EPSILON / 2.0)
    }

    /// A number in `0..count`, or 0 where there is none.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % count).unwrap_or(0)
    }

    /// A number of size 0.5 to 1.5 and of either sign, exact in `f32`.
    ///
    /// Directions and cotangents are made of these: never zero, so that nothing escapes them, and
    /// never constant, so that a sum over the wrong axis shows.
    pub(super) fn signed(&mut self) -> f64 {
        let size = f64::from((0.5 + self.unit()) as f32);
        if self.next() & 1 == 0 { size } else { -size }
    }

    /// `count` distinct positions below `total`, in ascending order; all of them where there are no more.
    pub(super) fn sample(&mut self, count: usize, total: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..total).collect();
        if count < total {
            for chosen in 0..count {
                positions.swap(chosen, chosen + self.below(total - chosen));
            }
            positions.truncate(count);
            positions.sort_unstable();
        }
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_given_by_its_seed_and_purpose() {
        let first = |seed, purpose| Stream::new(seed, purpose).next();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
    }

    #[test]
    fn signed_numbers_stay_away_from_zero_and_are_exact_in_f32() {
        let mut stream = Stream::new(7, 0);
        for _ in 0..1000 {
            let number = stream.signed();
            assert!((0.5..=1.5).contains(&number.abs()));
            assert_eq!(f64::from(number as f32), number);
        }
    }

    #[test]
    fn a_sample_is_distinct_and_sorted() {
        let sample = Stream::new(7, 0).sample(10, 30);
        assert_eq!(sample.len(), 10);
        assert!(sample.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(Stream::new(7, 0).sample(10, 3), [0, 1, 2]);
    }
}
