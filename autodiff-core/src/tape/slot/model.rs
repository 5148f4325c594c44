//! Slots, commits and updates under every interleaving that a model checker finds: `.ci/loom`.

// Not of the checker: what counts its runs must outlive them.
use std::sync::Arc as Shared;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::thread;

use crate::prelude::*;

/// Twice the input.
#[vjp_rule]
#[gradcheck(x: [..])]
fn doubled<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// twice upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| u + u))
    }
    Ok(x.map(|x| x + x))
}

/// The sum of both.
#[vjp_rule]
#[gradcheck(left: [m], right: [m])]
fn both<T: Element>(left: &Tensor<T>, right: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(left)]
    fn left_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    /// upstream
    #[vjp(right)]
    fn right_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    left.zip_map(right, |l, r| l + r)
}

fn parameter(value: f64) -> TensorValue {
    TensorValue::parameter(Tensor::scalar(value)).unwrap()
}

fn gradient(value: &TensorValue) -> f64 {
    value.gradient_snapshot().unwrap().item().unwrap()
}

fn value(value: &TensorValue) -> f64 {
    value.value_snapshot().item().unwrap()
}

/// Every interleaving with up to three switches that no thread asked for.
fn model(body: impl Fn() + Send + Sync + 'static) {
    // Once, since a lazily built registry would be another thread's to build in the next run.
    Registry::global().unwrap();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    let runs = Shared::new(AtomicUsize::new(0));
    let counted = Shared::clone(&runs);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        body();
    });
    println!("{} interleavings", runs.load(Ordering::Relaxed));
    assert!(runs.load(Ordering::Relaxed) > 1);
}

#[test]
fn passes_that_share_parameters_lose_nothing_and_never_wait_for_each_other_for_ever() {
    model(|| {
        let (a, b) = (parameter(1.0), parameter(2.0));
        // Opposite operand orders.
        let sums = [both(&a, &b).unwrap(), both(&b, &a).unwrap()];
        let threads = sums.map(|sum| thread::spawn(move || sum.backward()));
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
        assert_eq!((gradient(&a), gradient(&b)), (2.0, 2.0));
    });
}

#[test]
fn a_guard_refuses_a_whole_pass_or_none_of_it_and_what_it_shows_never_moves() {
    model(|| {
        let (a, b) = (parameter(1.0), parameter(2.0));
        let sum = both(&a, &b).unwrap();
        let read = a.clone();
        let reader = thread::spawn(move || {
            let guard = read.gradient().unwrap();
            let before = guard.item().unwrap();
            thread::yield_now();
            assert_eq!(guard.item().unwrap(), before);
        });
        let outcome = sum.backward();
        reader.join().unwrap();
        let expected = match outcome {
            Ok(()) => 1.0,
            Err(TensorAutodiffError::GradientBorrowed) => 0.0,
            Err(other) => panic!("expected success or a borrow, got {other:?}"),
        };
        assert_eq!((gradient(&a), gradient(&b)), (expected, expected));
    });
}

#[test]
fn an_update_of_two_is_seen_whole_and_one_of_two_updates_is_the_last() {
    model(|| {
        let pair = Shared::new((parameter(0.0), parameter(0.0)));
        let threads = [1.0, 2.0].map(|new| {
            let pair = Shared::clone(&pair);
            thread::spawn(move || {
                let new = [Tensor::scalar(new), Tensor::scalar(10.0 * new)];
                let [first, second] = new;
                // In opposite orders.
                match first.item().unwrap() < 1.5 {
                    true => update_all([(&pair.0, first), (&pair.1, second)]),
                    false => update_all([(&pair.1, second), (&pair.0, first)]),
                }
            })
        });
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
        let (a, b) = (value(&pair.0), value(&pair.1));
        assert!((a, b) == (1.0, 10.0) || (a, b) == (2.0, 20.0), "{a} {b}");
        assert_eq!((pair.0.revision(), pair.1.revision()), (2, 2));
    });
}

#[test]
fn an_update_against_a_pass_leaves_the_whole_pass_or_the_typed_error() {
    model(|| {
        let x = parameter(3.0);
        let y = doubled(&x).unwrap();
        let updated = x.clone();
        let update = thread::spawn(move || updated.set_value(Tensor::scalar(5.0)));
        let outcome = y.backward();
        update.join().unwrap().unwrap();
        match outcome {
            Ok(()) => assert_eq!(gradient(&x), 2.0),
            Err(TensorAutodiffError::StaleOperandValue { .. }) => assert_eq!(gradient(&x), 0.0),
            Err(other) => panic!("expected success or a stale operand, got {other:?}"),
        }
        assert_eq!((value(&x), x.revision()), (5.0, 1));
    });
}

#[test]
fn zeroing_against_a_pass_comes_before_or_after_it() {
    model(|| {
        let x = parameter(3.0);
        let y = doubled(&x).unwrap();
        y.backward().unwrap();
        let zeroed = x.clone();
        let zero = thread::spawn(move || zeroed.zero_grad());
        y.backward().unwrap();
        zero.join().unwrap().unwrap();
        assert!([0.0, 2.0].contains(&gradient(&x)), "{}", gradient(&x));
    });
}
