//! What attention gives, and what it never sees.

use super::super::heads::BLOCK;
use super::*;
use crate::nn::testing::{
    assert_close, assert_same_on_threads, gradient, pulled, scattered, tensor,
};
use crate::shape::{reshape, split, transpose};

fn operands(
    lead: &[usize],
    positions: usize,
    keys: usize,
    depth: usize,
    width: usize,
) -> [Tensor; 3] {
    [
        scattered(&[lead, &[positions, depth]].concat(), 0),
        scattered(&[lead, &[keys, depth]].concat(), 1),
        scattered(&[lead, &[keys, width]].concat(), 2),
    ]
}

#[test]
fn scores_weigh_the_values() {
    // Scores 0 and ln 3, so probabilities 1/4 and 3/4.
    let (q, k) = (
        tensor(&[1, 1], &[1.0]),
        tensor(&[2, 1], &[0.0, 3.0_f64.ln()]),
    );
    let v = tensor(&[2, 2], &[4.0, 8.0, 0.0, 4.0]);
    // The logarithm, the exponential of it and the quotient, each rounded by about 2^-53, relative to 5.
    assert_close(
        &q.attention(&k, &v, 1.0, false).unwrap(),
        &tensor(&[1, 2], &[1.0, 5.0]),
        1e-15,
    );
}

#[test]
fn the_first_position_sees_its_own_value_only() {
    let [q, k, v] = operands(&[2], 3, 3, 4, 5);
    let output = q.attention(&k, &v, 0.5, true).unwrap();
    for head in 0..2 {
        assert_eq!(
            output.as_slice()[head * 15..][..5],
            v.as_slice()[head * 15..][..5]
        );
    }
}

/// Longer than a block, so that positions of several blocks see each other.
const LONG: usize = 2 * BLOCK + 7;

#[test]
fn no_later_position_changes_an_earlier_result_by_a_bit() {
    let [q, k, v] = operands(&[2], LONG, LONG, 4, 3);
    let output = q.attention(&k, &v, 0.5, true).unwrap();
    for cut in [1, BLOCK - 1, BLOCK, BLOCK + 3] {
        for replacement in [1e3, f64::NAN, f64::INFINITY] {
            let replaced = |x: &Tensor, width: usize| {
                let mut x = x.clone();
                for head in x.as_mut_slice().chunks_exact_mut(LONG * width) {
                    head[cut * width..].fill(replacement);
                }
                x
            };
            let changed = replaced(&q, 4)
                .attention(&replaced(&k, 4), &replaced(&v, 3), 0.5, true)
                .unwrap();
            for (before, after) in output
                .as_slice()
                .chunks_exact(LONG * 3)
                .zip(changed.as_slice().chunks_exact(LONG * 3))
            {
                let (before, after) = (
                    tensor(&[cut * 3], &before[..cut * 3]),
                    tensor(&[cut * 3], &after[..cut * 3]),
                );
                match replacement.is_finite() {
                    true => assert!(before.bit_eq(&after)),
                    // With later values that are not finite, positions are computed one by one.
                    false => assert_close(&after, &before, 1e-15),
                }
            }
        }
    }
}

#[test]
fn no_gradient_flows_to_a_later_key_or_value() {
    let [q, k, v] = operands(&[], LONG, LONG, 4, 3);
    let seen = BLOCK + 3;
    let mut upstream = scattered(&[LONG, 3], 4);
    upstream.as_mut_slice()[seen * 3..].fill(0.0);
    let (_, [q_gradient, k_gradient, v_gradient]) = pulled([&q, &k, &v], &upstream, |[q, k, v]| {
        q.attention(k, v, 0.5, true)
    })
    .unwrap();
    for (contribution, width) in [(q_gradient, 4), (k_gradient, 4), (v_gradient, 3)] {
        let (within, beyond) = contribution.as_slice().split_at(seen * width);
        assert!(within[(seen - 1) * width..].iter().all(|x| *x != 0.0));
        assert!(beyond.iter().all(|x| *x == 0.0));
    }
}

#[test]
fn probabilities_that_are_computed_again_give_the_same_bits() {
    for (causal, keys) in [(true, LONG), (false, LONG), (false, 5)] {
        let [q, k, v] = operands(&[2], LONG, keys, 4, 3);
        let heads = Heads::apart([&q, &k, &v], 0.5, causal).unwrap();
        let (kept_output, kept) = forward(&heads, true).unwrap();
        let (output, none) = forward(&heads, false).unwrap();
        assert!(output.bit_eq(&kept_output) && none.is_none());
        let upstream = scattered(output.shape(), 3);
        let all = |kept| contributions([&q, &k, &v], &heads, &upstream, [true; 3], kept).unwrap();
        let (with, without) = (all(kept.as_ref()), all(None));
        for (with, without) in with.into_iter().zip(without) {
            assert!(with.unwrap().bit_eq(&without.unwrap()));
        }
    }
}

#[test]
fn probabilities_are_kept_up_to_sixteen_mebibytes() {
    // 8 · 1448² is the last multiple of a square below 2^24.
    for (positions, are_few) in [(1, true), (1448, true), (1449, false)] {
        let [q, k, v] = operands(&[], positions, positions, 1, 1);
        let heads = Heads::apart([&q, &k, &v], 1.0, false).unwrap();
        assert_eq!(heads.are_few(), are_few, "{positions}");
    }
}

#[test]
fn kept_probabilities_of_unseen_keys_are_zero() {
    let [q, k, v] = operands(&[], LONG, LONG, 2, 1);
    let heads = Heads::apart([&q, &k, &v], 1.0, true).unwrap();
    let (_, kept) = forward(&heads, true).unwrap();
    for (position, row) in kept.unwrap().as_slice().chunks_exact(LONG).enumerate() {
        assert!(row[position + 1..].iter().all(|p| *p == 0.0));
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
}

#[test]
fn only_what_is_wanted_is_computed_and_it_is_the_same() {
    let [q, k, v] = operands(&[2], 5, 5, 4, 3);
    let heads = Heads::apart([&q, &k, &v], 0.5, true).unwrap();
    let upstream = scattered(&[2, 5, 3], 3);
    let of = |wanted| contributions([&q, &k, &v], &heads, &upstream, wanted, None).unwrap();
    let all = of([true; 3]);
    for wanted in (0..8).map(|bits| [bits & 1 > 0, bits & 2 > 0, bits & 4 > 0]) {
        let some = of(wanted);
        for ((some, all), wanted) in some.into_iter().zip(&all).zip(wanted) {
            assert_eq!(some, all.clone().filter(|_| wanted));
        }
    }
}

#[test]
fn large_scores_choose_one_value() {
    let (q, k) = (tensor(&[1, 1], &[1000.0]), tensor(&[2, 1], &[1.0, -1.0]));
    let v = tensor(&[2, 1], &[7.0, 9.0]);
    assert_eq!(
        q.attention(&k, &v, 1.0, false).unwrap(),
        tensor(&[1, 1], &[7.0])
    );
    let contribution = gradient(&v, &tensor(&[1, 1], &[3.0]), |v| {
        let [q, k] = [&q, &k].map(|x| TensorValue::constant(x.clone()).unwrap());
        q.attention(&k, v, 1.0, false)
    });
    assert_eq!(contribution, tensor(&[2, 1], &[3.0, 0.0]));
}

#[test]
fn empty_extents_give_empty_or_zero_results() {
    for [heads, positions, depth, width] in [[0, 2, 2, 2], [2, 0, 2, 2], [2, 2, 2, 0]] {
        let [q, k, v] = operands(&[heads], positions, positions, depth, width);
        let output = q.attention(&k, &v, 1.0, true).unwrap();
        assert_eq!(output.shape(), [heads, positions, width]);
    }
    // Without depth all scores are 0, and the mixture is the mean.
    let [q, k, v] = [
        tensor(&[1, 0], &[]),
        tensor(&[2, 0], &[]),
        tensor(&[2, 1], &[1.0, 3.0]),
    ];
    assert_eq!(
        q.attention(&k, &v, 1.0, false).unwrap(),
        tensor(&[1, 1], &[2.0])
    );
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let refusal = |q: &[usize], k: &[usize], v: &[usize], causal: bool| {
        let [q, k, v] = [q, k, v].map(|shape| Tensor::<f64>::zeros(shape).unwrap());
        q.attention(&k, &v, 1.0, causal).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(&[1, 2, 3], &[1, 2, 4], &[1, 2, 3], true),
        "attention: expected queries [.., T, D], keys [.., S, D] and values [.., S, E] with the same leading \
         axes, got [1, 2, 3], [1, 2, 4] and [1, 2, 3]"
    );
    for (q, k, v) in [
        ([2, 2, 3], [1, 2, 3], [1, 2, 3]),
        ([1, 2, 3], [2, 2, 3], [1, 2, 3]),
        ([1, 2, 3], [1, 2, 3], [2, 2, 3]),
        ([1, 2, 3], [1, 2, 3], [1, 4, 3]),
    ] {
        assert!(refusal(&q, &k, &v, true).starts_with("attention: expected queries"));
    }
    assert!(refusal(&[3], &[3], &[3], true).starts_with("attention: expected queries"));
    assert_eq!(
        refusal(&[2, 3], &[4, 3], &[4, 3], true),
        "attention: expected as many keys as queries in causal attention, got 4 and 2"
    );
    assert_eq!(
        refusal(&[2, 3], &[0, 3], &[0, 3], false),
        "attention: expected at least one key for 2 queries, got none"
    );
}

#[test]
fn operands_without_an_output_element_may_have_any_other_extents() {
    for (q, k, v) in [
        (
            vec![0, 1 << 62, 4],
            vec![0, 1 << 62, 4],
            vec![0, 1 << 62, 4],
        ),
        (
            vec![1 << 40, 1 << 40, 0, 2],
            vec![1 << 40, 1 << 40, 0, 2],
            vec![1 << 40, 1 << 40, 0, 2],
        ),
        (
            vec![1 << 60, 3, 0],
            vec![1 << 60, 3, 0],
            vec![1 << 60, 3, 0],
        ),
        (
            vec![1, 1 << 31, 0],
            vec![1, 1 << 31, 0],
            vec![1, 1 << 31, 0],
        ),
    ] {
        let [q, k, v] = [q, k, v]
            .map(|shape| TensorValue::parameter(Tensor::<f64>::zeros(shape).unwrap()).unwrap());
        for causal in [true, false] {
            let output = q.attention(&k, &v, 1.0, causal).unwrap();
            assert_eq!(output.shape(), q.shape());
            let upstream = Tensor::zeros(output.shape()).unwrap();
            output
                .backward_with_seed(&upstream.view(), GraphRetention::Release)
                .unwrap();
        }
    }
}

#[test]
fn packed_heads_give_what_heads_apart_give() {
    let [batch, heads, depth] = [2, 3, 4];
    for (time, causal) in [(5, true), (LONG, true), (LONG, false)] {
        let qkv = scattered(&[batch, time, 3 * heads * depth], 0);
        let upstream = scattered(&[batch, time, heads * depth], 1);
        let (packed, [packed_gradient]) = pulled([&qkv], &upstream, |[qkv]| {
            qkv.self_attention(heads, 0.5, causal)
        })
        .unwrap();
        let (apart, [apart_gradient]) = pulled([&qkv], &upstream, |[qkv]| {
            let parts = qkv.split(&[heads * depth; 3], 2)?;
            let by_head =
                |x: &TensorValue| x.reshape(&[batch, time, heads, depth])?.transpose(1, 2);
            let [q, k, v] = [
                by_head(&parts[0])?,
                by_head(&parts[1])?,
                by_head(&parts[2])?,
            ];
            let mixed = q.attention(&k, &v, 0.5, causal)?.transpose(1, 2)?;
            mixed.reshape(&[batch, time, heads * depth])
        })
        .unwrap();
        // The same products of rows that lie elsewhere, which some kernels add up in another order.
        assert_close(&packed, &apart, 1e-14);
        assert_close(&packed_gradient, &apart_gradient, 1e-13);
    }
}

#[test]
fn rows_that_the_heads_do_not_share_evenly_are_refused() {
    for (width, heads) in [(12, 0), (12, 3), (13, 2)] {
        let qkv = Tensor::<f64>::zeros([2, width]).unwrap();
        assert_eq!(
            qkv.self_attention(heads, 1.0, true)
                .unwrap_err()
                .to_string(),
            format!(
                "self_attention: expected shape [.., T, 3 H D] for {heads} heads, got [2, {width}]"
            )
        );
    }
}

#[test]
fn groups_that_threads_share_give_the_bits_of_one_thread() {
    // Scores enough for parts of two groups.
    let operand = |salt| scattered(&[7, 70, 3], salt);
    for causal in [true, false] {
        assert_same_on_threads(
            [operand(0), operand(1), operand(2)],
            &[7, 70, 3],
            |[q, k, v]| q.attention(k, v, 0.5, causal),
        );
        assert_same_on_threads([scattered(&[7, 70, 12], 3)], &[7, 70, 4], |[qkv]| {
            qkv.self_attention(2, 0.5, causal)
        });
    }
}
