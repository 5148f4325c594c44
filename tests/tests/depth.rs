//! Graphs of a million nodes on a small stack, and graphs that must not outlive their outputs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use autodiff_ops::prelude::*;

/// Deep enough that recursion of any frame size overflows [`STACK`]: 128 KiB / 1,000,000 is no byte a node.
const DEPTH: usize = 1_000_000;

const STACK: usize = 128 << 10;

/// Runs `body` on a thread with a stack of 128 KiB.
fn on_a_small_stack<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let thread = thread::Builder::new()
        .stack_size(STACK)
        .spawn(body)
        .unwrap();
    thread.join().unwrap()
}

fn scalar(value: f64) -> TensorValue {
    TensorValue::parameter(Tensor::scalar(value)).unwrap()
}

fn constant(value: f64) -> TensorValue {
    TensorValue::constant(Tensor::scalar(value)).unwrap()
}

/// `x + 1 + 1 + ..`, `DEPTH` times.
fn chain(x: &TensorValue) -> TensorValue {
    let one = constant(1.0);
    let mut y = x.clone();
    for _ in 0..DEPTH {
        y = y.add(&one).unwrap();
    }
    y
}

#[test]
fn a_chain_of_a_million_nodes_builds_reverses_and_drops() {
    on_a_small_stack(|| {
        let x = scalar(0.5);
        let y = chain(&x);
        assert_eq!(y.value().item().unwrap(), 0.5 + DEPTH as f64);
        y.backward().unwrap();
        drop(y);
        assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(1.0)));
    });
}

#[test]
fn a_chain_of_a_million_nodes_is_released() {
    on_a_small_stack(|| {
        let x = scalar(0.5);
        let y = chain(&x);
        let one = Tensor::scalar(1.0);
        y.backward_with_seed(&one.view(), GraphRetention::Release)
            .unwrap();
        assert!(y.is_released());
        assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(1.0)));
    });
}

#[test]
fn a_ladder_whose_rungs_use_one_node_twice_reverses_and_drops() {
    on_a_small_stack(|| {
        let x = scalar(0.0);
        let mut y = x.clone();
        for _ in 0..DEPTH {
            // Two edges a node; the paths from y to x number 2^DEPTH, the nodes DEPTH.
            y = y.mul(&y).unwrap();
        }
        y.backward().unwrap();
        drop(y);
        assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(0.0)));
    });
}

#[test]
fn the_last_handle_may_die_on_another_thread() {
    on_a_small_stack(|| {
        let x = scalar(0.5);
        let y = chain(&x);
        on_a_small_stack(move || drop(y));
        assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(0.0)));
    });
}

#[test]
fn two_interleaved_chains_may_be_dropped_by_two_threads_at_once() {
    on_a_small_stack(|| {
        let (a, b) = (scalar(0.0), scalar(0.0));
        let (mut left, mut right) = (a.clone(), b.clone());
        for step in 0..DEPTH / 2 {
            // Every thousandth node of either chain also uses the other one: each end holds both.
            let (next_left, next_right) = match step % 1_000 {
                0 => (left.add(&right).unwrap(), right.mul(&left).unwrap()),
                _ => (left.mul(&left).unwrap(), right.mul(&right).unwrap()),
            };
            (left, right) = (next_left, next_right);
        }
        let start = Arc::new(Barrier::new(2));
        let droppers = [left, right].map(|end| {
            let start = Arc::clone(&start);
            thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || {
                    start.wait();
                    drop(end);
                })
                .unwrap()
        });
        for dropper in droppers {
            dropper.join().unwrap();
        }
        assert_eq!(a.gradient_snapshot(), Some(Tensor::scalar(0.0)));
        assert_eq!(b.gradient_snapshot(), Some(Tensor::scalar(0.0)));
    });
}

/// How many saved contexts of [`counted`] are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// A saved value that counts itself.
#[derive(Debug)]
struct Counted;

impl Counted {
    fn new() -> Self {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The input; its edge saves a value that counts itself.
#[vjp_rule]
#[gradcheck(skip = "counts its saved contexts, which a check on another thread would disturb")]
pub fn counted<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, token: &Counted) -> Result<Tensor<T>> {
        let _ = token;
        Ok(upstream.clone())
    }
    let token = Counted::new();
    Ok(x.clone())
}

/// One test for all that is counted: the count is of the whole process.
#[test]
fn no_node_outlives_its_output_its_release_or_a_scope_without_gradients() {
    let x = TensorValue::parameter(Tensor::zeros([4]).unwrap()).unwrap();
    let seed = Tensor::ones([4]).unwrap();
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);

    // Forward passes without backward, outputs dropped.
    for _ in 0..1_000 {
        let output = x.counted().unwrap().counted().unwrap().add(&x).unwrap();
        assert_eq!(ALIVE.load(Ordering::SeqCst), 2);
        drop(output);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    }

    // A retained pass keeps the saved contexts; a releasing one drops them while the output lives on.
    let output = x.counted().unwrap().counted().unwrap();
    output
        .backward_with_seed(&seed.view(), GraphRetention::Retain)
        .unwrap();
    assert_eq!(ALIVE.load(Ordering::SeqCst), 2);
    output
        .backward_with_seed(&seed.view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    assert_eq!(output.shape(), [4]);

    // Nothing is saved where nothing is tracked, and under `no_grad`.
    let untracked = x.detach().counted().unwrap();
    let unrecorded = no_grad(|| x.counted()).unwrap();
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    drop((untracked, unrecorded));

    // A failed pass drops nothing and keeps nothing more.
    let output = x.counted().unwrap();
    let nan = Tensor::full([4], f64::NAN).unwrap();
    output
        .backward_with_seed(&nan.view(), GraphRetention::Release)
        .unwrap_err();
    assert_eq!(ALIVE.load(Ordering::SeqCst), 1);
}

#[test]
fn a_step_leaves_the_parameter_as_the_only_holder_of_its_value() {
    let x: TensorValue = TensorValue::parameter(Tensor::zeros([64]).unwrap()).unwrap();
    let seed = Tensor::ones([64]).unwrap();
    for _ in 0..100 {
        let output = x.mul(&x).unwrap();
        output
            .backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        drop(output);
        // The snapshot and the parameter: a copy on write would happen if anyone else held it.
        let mut snapshot = x.value_snapshot();
        let before = snapshot.as_slice().as_ptr();
        x.set_value(Tensor::zeros([64]).unwrap()).unwrap();
        assert!(snapshot.is_unique());
        assert_eq!(snapshot.as_mut_slice().as_ptr(), before);
    }
}
