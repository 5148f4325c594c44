//! What is kept, and that a seed stands for it.

use super::*;
use crate::nn::testing::{gradient, scattered, tensor};

#[test]
fn what_is_kept_is_divided_by_the_share_that_is_kept() {
    let x = tensor(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let keep = Tensor::from_vec([2], vec![true, false]).unwrap();
    assert_eq!(
        x.dropout(&keep, 0.75).unwrap(),
        tensor(&[2, 2], &[4.0, 0.0, 12.0, 0.0])
    );
    let upstream = tensor(&[2, 2], &[1.0, 1.0, 2.0, 2.0]);
    let contribution = gradient(&x, &upstream, |x| x.dropout(&keep, 0.75));
    assert_eq!(contribution, tensor(&[2, 2], &[4.0, 0.0, 8.0, 0.0]));
}

#[test]
fn what_is_not_kept_is_zero_whatever_it_holds() {
    let x = tensor(&[2], &[f64::NAN, f64::INFINITY]);
    let keep = Tensor::full([], false).unwrap();
    assert_eq!(x.dropout(&keep, 0.5).unwrap(), tensor(&[2], &[0.0, 0.0]));
}

#[test]
fn a_probability_of_one_leaves_nothing_to_divide_by() {
    for p in [1.0, -0.1, f64::NAN, f64::INFINITY] {
        let expected =
            format!("dropout_seeded: expected a probability of at least 0 and below 1, got {p}");
        assert_eq!(
            scattered(&[2], 0)
                .dropout_seeded(p, 0)
                .unwrap_err()
                .to_string(),
            expected
        );
    }
}

#[test]
fn a_seed_stands_for_its_mask() {
    let x = scattered(&[3, 50], 0);
    for seed in [0, 1, usize::MAX] {
        let mask = dropout_mask([3, 50], 0.3, seed).unwrap();
        assert_eq!(
            x.dropout_seeded(0.3, seed).unwrap(),
            x.dropout(&mask, 0.3).unwrap()
        );
        let upstream = scattered(&[3, 50], 1);
        assert_eq!(
            gradient(&x, &upstream, |x| x.dropout_seeded(0.3, seed)),
            gradient(&x, &upstream, |x| x.dropout(&mask, 0.3))
        );
    }
}

#[test]
fn the_share_that_is_kept_is_right_and_seeds_differ() {
    let count = 100_000;
    let [mask, other] = [1, 2].map(|seed| dropout_mask([count], 0.3, seed).unwrap());
    let kept = mask.as_slice().iter().filter(|&&keep| keep).count() as f64;
    // Five standard deviations of a binomial distribution: sqrt(0.3 · 0.7 / 100,000) each.
    let tolerance = 5.0 * (0.3 * 0.7 / count as f64).sqrt();
    assert!((kept / count as f64 - 0.7).abs() < tolerance, "{kept}");
    let both = mask
        .as_slice()
        .iter()
        .zip(other.as_slice())
        .filter(|&(&a, &b)| a && b)
        .count() as f64;
    assert!(
        (both / count as f64 - 0.7 * 0.7).abs() < 5.0 * (0.49 * 0.51 / count as f64).sqrt(),
        "{both}"
    );
}

#[test]
fn a_probability_of_zero_keeps_everything() {
    let x = scattered(&[20], 0);
    assert_eq!(x.dropout_seeded(0.0, 3).unwrap(), x);
}

#[test]
fn bits_are_those_of_split_mix() {
    // The first three outputs of the reference implementation from seed 0.
    let expected = [
        0xe220_a839_7b1d_cdaf,
        0x6e78_9e6a_a1b9_65f4,
        0x06c4_5d18_8009_454f,
    ];
    assert_eq!(
        [0, 1, 2].map(|step: u64| mixed(step.wrapping_mul(GOLDEN))),
        expected
    );
}
