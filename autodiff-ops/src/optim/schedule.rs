//! Learning rates by step.

use std::f64::consts::PI;

use super::error::OptimError;

/// A linear rise to a peak, then half a cosine down to a floor.
///
/// At step `s`, counted from 0: `peak (s + 1) / (warmup + 1)` for `s < warmup`;
/// `floor + (peak - floor) (1 + cos(π (s - warmup) / (total - warmup))) / 2` for `s < total`; then `floor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmupCosine {
    peak: f64,
    floor: f64,
    warmup: usize,
    total: usize,
}

impl WarmupCosine {
    /// A schedule with its peak after `warmup` steps and its floor from step `total` on.
    ///
    /// # Errors
    /// `Option` where `peak` or `floor` is negative or not finite, or `total` lies before `warmup`.
    pub fn new(peak: f64, floor: f64, warmup: usize, total: usize) -> Result<Self, OptimError> {
        OptimError::check_rate("peak", peak)?;
        OptimError::check_rate("floor", floor)?;
        OptimError::check(
            total >= warmup,
            "total",
            "no less than the steps of the warm-up",
            total as f64,
        )?;
        Ok(Self {
            peak,
            floor,
            warmup,
            total,
        })
    }

    /// The rate of a step, counted from 0.
    #[must_use]
    pub fn rate(&self, step: usize) -> f64 {
        if step < self.warmup {
            // The quotient first: neither it nor its product with the peak can overflow.
            return self.peak * ((step as f64 + 1.0) / (self.warmup as f64 + 1.0));
        }
        if step >= self.total {
            return self.floor;
        }
        let progress = (step - self.warmup) as f64 / (self.total - self.warmup) as f64;
        self.floor + (self.peak - self.floor) * ((1.0 + (PI * progress).cos()) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_to_its_peak_and_falls_to_its_floor() {
        let schedule = WarmupCosine::new(1.0, 0.2, 3, 7).unwrap();
        let rates: Vec<f64> = (0..9).map(|step| schedule.rate(step)).collect();
        // Up by quarters; then 0.2 + 0.8 (1 + cos) / 2 at quarters of the half cosine: 1, cos 45°, 0, ..
        let half = 0.5_f64.sqrt();
        let expected = [
            0.25,
            0.5,
            0.75,
            1.0,
            0.6 + 0.4 * half,
            0.6,
            0.6 - 0.4 * half,
            0.2,
            0.2,
        ];
        for (rate, expected) in rates.iter().zip(expected) {
            // A cosine and three operations, each rounded by 2^-53.
            assert!((rate - expected).abs() < 1e-15, "{rates:?}");
        }
    }

    #[test]
    fn without_a_warm_up_the_first_step_has_the_peak() {
        let schedule = WarmupCosine::new(0.5, 0.0, 0, 2).unwrap();
        assert_eq!([0, 1, 2].map(|step| schedule.rate(step)), [0.5, 0.25, 0.0]);
        assert_eq!(WarmupCosine::new(0.5, 0.1, 0, 0).unwrap().rate(0), 0.1);
    }

    #[test]
    fn rates_without_meaning_are_refused() {
        let refusal = |peak, floor, warmup, total| {
            WarmupCosine::new(peak, floor, warmup, total)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refusal(f64::NAN, 0.0, 0, 1),
            "peak: expected a finite number of at least 0, got NaN"
        );
        assert_eq!(
            refusal(1.0, -1.0, 0, 1),
            "floor: expected a finite number of at least 0, got -1"
        );
        assert_eq!(
            refusal(1.0, 0.0, 5, 4),
            "total: expected no less than the steps of the warm-up, got 4"
        );
    }

    #[test]
    fn no_step_and_no_accepted_peak_overflows() {
        let schedule = WarmupCosine::new(1e308, 0.0, usize::MAX, usize::MAX).unwrap();
        assert_eq!(schedule.rate(usize::MAX - 1), 1e308);
        assert_eq!(schedule.rate(usize::MAX), 0.0);
        let schedule = WarmupCosine::new(1e308, 0.0, 3, 7).unwrap();
        assert!((0..9).all(|step| schedule.rate(step).is_finite()));
    }
}
