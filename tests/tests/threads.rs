//! The tape across threads: what may be shared, and what concurrent passes add up to.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use autodiff_ops::prelude::*;

const _: () = {
    const fn is_shared<S: Send + Sync>() {}
    is_shared::<Tensor<f32>>();
    is_shared::<Tensor<f64>>();
    is_shared::<Tensor<Dual>>();
    is_shared::<Tensor<usize>>();
    is_shared::<Tensor<bool>>();
    is_shared::<TensorValue<f32>>();
    is_shared::<TensorValue<f64>>();
    is_shared::<TensorValue<Dual>>();
    is_shared::<TensorGuard<f64>>();
    is_shared::<TensorBackwardPass<f64>>();
    is_shared::<TensorAutodiffError>();
};

fn tensor(values: &[f64]) -> Tensor {
    Tensor::from_vec([values.len()], values.to_vec()).unwrap()
}

fn parameter(values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor(values)).unwrap()
}

fn gradient(value: &TensorValue) -> Vec<f64> {
    value.gradient_snapshot().unwrap().into_vec()
}

/// Runs `body` on two threads at once.
fn on_two_threads(body: impl Fn(usize) + Sync) {
    let start = Barrier::new(2);
    thread::scope(|threads| {
        for thread in 0..2 {
            let (start, body) = (&start, &body);
            threads.spawn(move || {
                start.wait();
                body(thread);
            });
        }
    });
}

const ROUNDS: usize = 2_000;

#[test]
fn two_threads_that_commit_to_shared_parameters_lose_no_update() {
    let (a, b) = (parameter(&[1.0, 2.0]), parameter(&[3.0, 4.0]));
    on_two_threads(|thread| {
        for _ in 0..ROUNDS {
            // Opposite operand orders: the two passes lock in creation order all the same.
            let product = if thread == 0 { a.mul(&b) } else { b.mul(&a) };
            let seed = tensor(&[1.0, 1.0]);
            product
                .unwrap()
                .backward_with_seed(&seed.view(), GraphRetention::Release)
                .unwrap();
        }
    });
    // Whole numbers below 2^53 add up exactly: ā = b and b̄ = a, once a pass.
    let passes = (2 * ROUNDS) as f64;
    assert_eq!(gradient(&a), [3.0 * passes, 4.0 * passes]);
    assert_eq!(gradient(&b), [1.0 * passes, 2.0 * passes]);
}

#[test]
fn retained_passes_over_one_graph_may_run_at_once() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap().add(&x).unwrap();
    on_two_threads(|_| {
        for _ in 0..ROUNDS {
            let seed = tensor(&[1.0, 1.0]);
            y.backward_with_seed(&seed.view(), GraphRetention::Retain)
                .unwrap();
        }
    });
    // 2 x + 1 a pass.
    let passes = (2 * ROUNDS) as f64;
    assert_eq!(gradient(&x), [3.0 * passes, 5.0 * passes]);
}

#[test]
fn a_release_against_a_pass_gives_exact_sums_or_the_typed_error() {
    for _ in 0..ROUNDS {
        let x = parameter(&[1.0, 2.0]);
        let y = x.mul(&x).unwrap().add(&x).unwrap();
        let succeeded = AtomicUsize::new(0);
        on_two_threads(|thread| {
            let retention = [GraphRetention::Retain, GraphRetention::Release][thread];
            match y.backward_with_seed(&tensor(&[1.0, 1.0]).view(), retention) {
                Ok(()) => {
                    succeeded.fetch_add(1, Ordering::SeqCst);
                }
                Err(TensorAutodiffError::GraphReleased { .. }) if thread == 0 => {}
                Err(error) => panic!("expected success or a released graph, got {error:?}"),
            }
        });
        let passes = succeeded.load(Ordering::SeqCst) as f64;
        assert_eq!(gradient(&x), [3.0 * passes, 5.0 * passes]);
        assert!(y.is_released());
    }
}

#[test]
fn an_update_against_a_pass_gives_one_revision_or_the_typed_error() {
    for _ in 0..ROUNDS {
        let x = parameter(&[1.0, 2.0]);
        on_two_threads(|thread| {
            if thread == 0 {
                x.set_value(tensor(&[10.0, 20.0])).unwrap();
                return;
            }
            let y = x.mul(&x).unwrap();
            match y.backward_with_seed(&tensor(&[1.0, 1.0]).view(), GraphRetention::Release) {
                Ok(()) | Err(TensorAutodiffError::StaleOperandValue { .. }) => {}
                Err(error) => panic!("expected success or a stale operand, got {error:?}"),
            }
        });
        let gradient = gradient(&x);
        // 2 x of the old value, of the new value, or, where the update came between the two operand
        // uses or before the pass, nothing.
        let possible = [[2.0, 4.0], [20.0, 40.0], [0.0, 0.0]];
        assert!(
            possible.iter().any(|expected| gradient == expected),
            "{gradient:?}"
        );
    }
}

#[test]
fn a_graph_built_on_one_thread_is_reversed_on_another() {
    let x = parameter(&[1.0, 2.0]);
    let y = thread::scope(|threads| threads.spawn(|| x.mul(&x).unwrap()).join().unwrap());
    y.backward_with_seed(&tensor(&[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(gradient(&x), [2.0, 4.0]);
}

#[test]
fn a_guard_on_another_thread_refuses_writers() {
    let x = parameter(&[1.0, 2.0]);
    let guard = x.gradient();
    thread::scope(|threads| {
        let refused = threads.spawn(|| x.zero_grad()).join().unwrap();
        assert_eq!(refused, Err(TensorAutodiffError::GradientBorrowed));
    });
    drop(guard);
    x.zero_grad().unwrap();
}

/// `2 x`; its reverse map finds the factor by reversing a graph of its own.
#[vjp_rule]
#[gradcheck(x: [n])]
pub fn doubled<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the derivative of `p + p`, which a pass within this map computes
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        let p = TensorValue::parameter(Tensor::scalar(T::one()))?;
        p.add(&p)?.backward()?;
        let factor = p
            .gradient()
            .map_or(Ok(T::zero()), |gradient| gradient.item())?;
        Ok(upstream.map(|u| u * factor))
    }
    Ok(x.map(|x| x + x))
}

#[test]
fn c096_a_rule_may_reverse_a_graph_of_its_own() {
    let x = parameter(&[1.0, 2.0]);
    // x · 2x, so x̄ = 4 x.
    let y = x.mul(&x.doubled().unwrap()).unwrap();
    y.backward_with_seed(&tensor(&[1.0, 1.0]).view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(gradient(&x), [4.0, 8.0]);
}

#[test]
fn graphs_are_built_reversed_and_dropped_by_whichever_thread_has_them() {
    let x = parameter(&[1.0, 2.0]);
    let reversed = AtomicUsize::new(0);
    let (built, received) = std::sync::mpsc::channel::<TensorValue>();
    let received = std::sync::Mutex::new(received);
    thread::scope(|threads| {
        for _ in 0..2 {
            let (built, x) = (built.clone(), &x);
            threads.spawn(move || {
                for _ in 0..ROUNDS {
                    let y = x.mul(x).unwrap();
                    // A part of a graph in one hand, all of it in another.
                    built.send(y.clone()).unwrap();
                    built.send(y.add(x).unwrap()).unwrap();
                }
            });
        }
        drop(built);
        for _ in 0..2 {
            let (received, reversed) = (&received, &reversed);
            threads.spawn(move || {
                loop {
                    let next = received.lock().unwrap().recv();
                    let Ok(y) = next else { return };
                    if y.operation().name() == "add" {
                        y.backward_with_seed(&tensor(&[1.0, 1.0]).view(), GraphRetention::Retain)
                            .unwrap();
                        reversed.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    // 2 x + 1 for each sum, and the products alone were dropped.
    let passes = reversed.load(Ordering::SeqCst) as f64;
    assert_eq!(passes, (2 * ROUNDS) as f64);
    assert_eq!(gradient(&x), [3.0 * passes, 5.0 * passes]);
}

#[test]
fn readers_see_whole_tensors_while_updates_and_passes_replace_them() {
    const WIDTH: usize = 300;
    let x = parameter(&[0.0; WIDTH]);
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let is_whole = |tensor: &Tensor| {
        let first = tensor.as_slice()[0];
        assert!(
            tensor.as_slice().iter().all(|value| *value == first),
            "{tensor:?}"
        );
    };
    let written = thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while !is_done.load(Ordering::SeqCst) {
                    is_whole(&x.value());
                    is_whole(&x.value_snapshot());
                    is_whole(&x.gradient().unwrap());
                    is_whole(&x.gradient_snapshot().unwrap());
                    thread::yield_now();
                }
            });
        }
        let mut written = 0;
        for round in 0..ROUNDS {
            match x.set_value(tensor(&[round as f64; WIDTH])) {
                Ok(()) => written += 1,
                Err(TensorAutodiffError::ValueBorrowed) => {}
                Err(error) => panic!("expected success or a borrow, got {error:?}"),
            }
            let y = x.add(&x).unwrap();
            let seed = tensor(&[1.0; WIDTH]);
            match y.backward_with_seed(&seed.view(), GraphRetention::Release) {
                Ok(()) | Err(TensorAutodiffError::GradientBorrowed) => {}
                Err(error) => panic!("expected success or a borrow, got {error:?}"),
            }
        }
        is_done.store(true, Ordering::SeqCst);
        written
    });
    assert_eq!(x.revision(), written);
}

#[test]
fn four_threads_over_eight_parameters_sum_exactly_also_through_recomputed_blocks() {
    let parameters: Vec<TensorValue> = (1..=8).map(|i| parameter(&[f64::from(i)])).collect();
    let expected = std::sync::Mutex::new([0.0; 8]);
    thread::scope(|threads| {
        for thread in 0..4_usize {
            let (parameters, expected) = (&parameters, &expected);
            threads.spawn(move || {
                let mut own = [0.0; 8];
                for round in 0..ROUNDS / 4 {
                    let [i, j] = [round * 5 + thread * 3, round * 7 + thread].map(|pick| pick % 8);
                    let pair = [parameters[i].clone(), parameters[j].clone()];
                    let product = if round % 2 == 0 {
                        pair[0].mul(&pair[1]).unwrap()
                    } else {
                        recompute(|xs| xs[0].mul(&xs[1]), &pair).unwrap()
                    };
                    let seed = tensor(&[1.0]);
                    product
                        .backward_with_seed(&seed.view(), GraphRetention::Release)
                        .unwrap();
                    own[i] += (j + 1) as f64;
                    own[j] += (i + 1) as f64;
                }
                let mut expected = expected.lock().unwrap();
                for (sum, own) in expected.iter_mut().zip(own) {
                    *sum += own;
                }
            });
        }
    });
    let sums: Vec<f64> = parameters.iter().flat_map(gradient).collect();
    assert_eq!(sums, *expected.lock().unwrap());
}
