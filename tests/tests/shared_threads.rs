//! Callers that share one set of threads do not meet in each other's work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use autodiff_ops::prelude::*;

/// Long enough to be split, so that a caller waits for parts.
const LONG: usize = 1 << 17;

fn parameter(len: usize) -> Result<TensorValue> {
    TensorValue::parameter(Tensor::ones([len])?)
}

#[test]
fn no_grad_of_one_caller_does_not_reach_another() -> Result<()> {
    let threads = Threads::new(2)?;
    let (long, few) = (parameter(LONG)?, parameter(4)?);
    let (done, recorded) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    threads.run(|| no_grad(|| long.sin().map(drop))).unwrap();
                }
            });
        }
        for _ in 0..4000 {
            let product = threads.run(|| few.mul(&few));
            let is_tracked = product.is_ok_and(|product| product.tracks_gradient());
            recorded.fetch_add(usize::from(is_tracked), Ordering::Relaxed);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(recorded.into_inner(), 4000);
    Ok(())
}

#[test]
fn no_grad_around_a_run_holds_in_it() -> Result<()> {
    let x = parameter(4)?;
    for count in [1, 2] {
        let threads = Threads::new(count)?;
        let product = no_grad(|| threads.run(|| x.mul(&x)))?;
        assert!(!product.tracks_gradient());
        assert!(threads.run(|| x.mul(&x))?.tracks_gradient());
    }
    Ok(())
}

#[test]
fn passes_that_add_to_one_long_gradient_do_not_wait_for_each_other() -> Result<()> {
    const CALLERS: usize = 3;
    const PASSES: usize = 60;
    let (ended, ends) = mpsc::channel();
    let x = parameter(LONG)?;
    let work = {
        let (threads, x) = (Threads::new(2)?, x.clone());
        move || {
            let pass = || threads.run(|| x.mul(&x)?.sum_axis(0, false)?.backward());
            thread::scope(|scope| {
                let callers =
                    [(); CALLERS].map(|()| scope.spawn(|| (0..PASSES).try_for_each(|_| pass())));
                callers
                    .into_iter()
                    .try_for_each(|caller| caller.join().unwrap())
            })
        }
    };
    // Not joined: a pass that waits for ever is to fail the test, not to hang it.
    thread::spawn(move || ended.send(work()));
    let outcome = ends.recv_timeout(Duration::from_secs(120));
    outcome.expect("all passes end")?;
    let gradient = x.gradient_snapshot().unwrap();
    assert_eq!(
        gradient,
        Tensor::full([LONG], 2.0 * (CALLERS * PASSES) as f64)?
    );
    Ok(())
}
