//! Deep graphs, what they leave behind, and threads.

use std::cell::Cell;
use std::thread;

use autodiff_ops::prelude::*;

use super::{constant, gradient, parameter, reverse_sum, tensor};

/// A stack on which recursion of 60,000 calls overflows, whatever a call's frame.
fn on_a_small_stack(body: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(body)
        .unwrap();
    thread.join().unwrap();
}

#[test]
fn t097_sixty_thousand_steps_are_dropped_without_recursion() {
    on_a_small_stack(|| {
        let (x, c) = (parameter([1], &[1.0]), parameter([1], &[0.0]));
        let mut y = x.clone();
        for _ in 0..60_000 {
            y = y.add(&y.mul(&c).unwrap()).unwrap();
        }
        drop(y);
        assert_eq!(gradient(&x), tensor([1], &[0.0]));
    });
}

#[test]
fn t099_the_topology_of_a_deep_graph_is_built_without_recursion() {
    on_a_small_stack(|| {
        let x = parameter([1], &[1.0]);
        let mut y = x.clone();
        for _ in 0..60_000 {
            y = y.add(&x).unwrap();
        }
        let trace = y
            .backward_with_seed_and_trace(&tensor([1], &[1.0]).view(), GraphRetention::Release)
            .unwrap();
        assert_eq!(trace.nodes.len(), 60_001);
        assert_eq!(trace.edges.len(), 120_000);
        // One path for each of the steps, and the one through all of them.
        assert_eq!(gradient(&x), tensor([1], &[60_001.0]));
    });
}

#[test]
fn t100_reversing_a_recurrence_takes_constant_stack() {
    on_a_small_stack(|| {
        // h ← h · w + u, 50,000 times with w = 1: h̄ = 1, ū = 50,000.
        let (h, u) = (parameter([1], &[0.0]), parameter([1], &[1.0]));
        let w = constant([1], &[1.0]);
        let mut state = h.clone();
        for _ in 0..50_000 {
            state = state.mul(&w).unwrap().add(&u).unwrap();
        }
        reverse_sum(&state).unwrap();
        assert_eq!(gradient(&h), tensor([1], &[1.0]));
        assert_eq!(gradient(&u), tensor([1], &[50_000.0]));
    });
}

thread_local! {
    /// How many saved contexts of [`witnessed`] this thread has alive.
    static ALIVE: Cell<usize> = const { Cell::new(0) };
}

/// A saved value that counts itself.
#[derive(Debug)]
struct Witness;

impl Witness {
    fn new() -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self
    }
}

impl Clone for Witness {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

/// The input; its edge saves a value that counts itself.
#[vjp_rule]
#[gradcheck(x: [n])]
pub fn witnessed<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, witness: &Witness) -> Result<Tensor<T>> {
        let _ = witness;
        Ok(upstream.clone())
    }
    let witness = Witness::new();
    Ok(x.clone())
}

#[test]
fn t105_nothing_stays_behind_in_whatever_order_handles_are_dropped() {
    let build = || {
        let x = parameter([1], &[1.0]);
        let inner = x.witnessed().unwrap();
        let output = inner.witnessed().unwrap().add(&inner).unwrap();
        assert_eq!(ALIVE.get(), 2);
        (x, inner, output)
    };
    let (x, inner, output) = build();
    drop((output, inner, x));
    assert_eq!(ALIVE.get(), 0);
    let (x, inner, output) = build();
    drop((x, inner, output));
    assert_eq!(ALIVE.get(), 0);
    let (x, inner, output) = build();
    drop(inner);
    assert_eq!(ALIVE.get(), 2);
    reverse_sum(&output).unwrap();
    assert_eq!(ALIVE.get(), 0);
    drop((output, x));
}

#[test]
fn t106_gradients_asked_for_in_a_loop_leave_no_node_behind() {
    let x = parameter([1], &[1.0]);
    for round in 1..=1_000 {
        reverse_sum(&x.witnessed().unwrap()).unwrap();
        assert_eq!(ALIVE.get(), 0);
        assert_eq!(gradient(&x), tensor([1], &[f64::from(round)]));
    }
}

#[test]
fn t108_every_thread_finds_every_rule_and_graphs_stay_apart() {
    thread::scope(|threads| {
        for number in 1..=8 {
            threads.spawn(move || {
                let value = f64::from(number);
                let x = parameter([1], &[value]);
                reverse_sum(&x.mul(&x).unwrap()).unwrap();
                assert_eq!(gradient(&x), tensor([1], &[2.0 * value]));
            });
        }
    });
}
