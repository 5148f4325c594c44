//! Memory stays flat over many forward passes and many training steps.
//!
//! What is measured is the resident memory of the process, so the tests here take turns. Where the system
//! does not tell it they only run.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::fs;
use std::sync::{Mutex, PoisonError};

use autodiff_ops::prelude::*;

static TURN: Mutex<()> = Mutex::new(());

/// Resident memory in KiB, where `/proc` has it.
fn resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Repeats `step`; after a tenth of the repetitions memory may grow by no more than `allowed` KiB.
fn stays_flat(repetitions: usize, allowed: usize, mut step: impl FnMut()) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..repetitions / 10 {
        step();
    }
    let before = resident();
    for _ in 0..repetitions {
        step();
    }
    if let (Some(before), Some(after)) = (before, resident()) {
        assert!(
            after <= before + allowed,
            "grew from {before} to {after} KiB"
        );
    }
}

#[test]
fn t102_ten_thousand_forward_passes_without_backward_leave_nothing_behind() {
    let weight = TensorValue::<f64>::parameter(Tensor::full([512, 512], 0.01).unwrap()).unwrap();
    let bias = TensorValue::<f64>::parameter(Tensor::zeros([512]).unwrap()).unwrap();
    let x = TensorValue::<f64>::constant(Tensor::ones([1, 512]).unwrap()).unwrap();
    // A node kept alive keeps an activation of 4 KiB: 10,000 of them would be 40,000 KiB.
    stays_flat(10_000, 4_000, || {
        let output = x.linear(&weight, Some(&bias)).unwrap();
        assert!(output.tracks_gradient());
    });
}

#[test]
fn t103_ten_thousand_training_steps_take_the_memory_of_one() {
    let weight = TensorValue::<f64>::parameter(Tensor::full([64, 64], 0.01).unwrap()).unwrap();
    let x = TensorValue::<f64>::constant(Tensor::ones([8, 64]).unwrap()).unwrap();
    // A step kept alive keeps a weight of 32 KiB: 10,000 of them would be 320,000 KiB.
    stays_flat(10_000, 4_000, || {
        let loss = x
            .linear(&weight, None)
            .unwrap()
            .square()
            .unwrap()
            .mean(&[0, 1], false)
            .unwrap();
        let one = Tensor::scalar(1.0);
        loss.backward_with_seed(&one.view(), GraphRetention::Release)
            .unwrap();
        let step = weight
            .gradient_snapshot()
            .unwrap()
            .map(|slope| -0.01 * slope);
        let next = weight
            .value()
            .zip_map(&step, |value, step| value + step)
            .unwrap();
        weight.set_value(next).unwrap();
        weight.zero_grad().unwrap();
    });
    // Nobody but the parameter holds its value: a snapshot outlived by an update is unique.
    let snapshot = weight.value_snapshot();
    weight.set_value(Tensor::zeros([64, 64]).unwrap()).unwrap();
    assert!(snapshot.is_unique());
}

#[test]
fn a_value_between_two_operations_is_let_go_of_with_its_last_handle() {
    let x = TensorValue::<f64>::parameter(Tensor::full([100], 0.5).unwrap()).unwrap();
    // No reverse map of a sum reads what is summed.
    let sum = || {
        let between = x.add(&x).unwrap();
        (between.value_snapshot(), between.sum(&[0], false).unwrap())
    };
    let (between, total) = sum();
    assert!(between.is_unique());
    total.backward().unwrap();
    let (between, _total) = keep_values(sum);
    assert!(!between.is_unique());
    // Those of a product read both factors.
    let (between, total) = {
        let between = x.add(&x).unwrap();
        (between.value_snapshot(), between.mul(&between).unwrap())
    };
    assert!(!between.is_unique());
    drop(total);
    assert!(between.is_unique());
}
