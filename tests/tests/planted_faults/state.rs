//! Rules that remember, change what they read, or look at what does not concern them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use autodiff_core::gradcheck::{Cause, Check};
use autodiff_core::prelude::*;
use libtest_mimic::Trial;

use crate::{caught, caught_with};

pub fn trials() -> Vec<Trial> {
    use Check::{Determinism, Purity, Reuse, Subsets};
    let path = |name: &str| -> &'static str {
        Box::leak(format!("{}::{name}", module_path!()).into_boxed_str())
    };
    let changed = path("changed_context");
    vec![
        Trial::test("a_changed_saved_context", move || {
            caught_with(changed, &[Purity], |failure| {
                let what = "the saved calls".to_owned();
                failure.finding.cause == Cause::Changed { what }
            })
        }),
        caught(
            "t115_a_reverse_map_that_differs_from_run_to_run",
            path("noisy_rule"),
            &[Purity, Check::Upstream],
        ),
        caught(
            "t121_a_value_that_differs_from_run_to_run",
            path("noisy_value"),
            &[Determinism],
        ),
        caught(
            "a_rule_that_counts_one_node_in_two_slots_twice",
            path("same_node"),
            &[Reuse],
        ),
        caught(
            "a_joint_rule_that_depends_on_what_is_wanted",
            path("depends_on_wanted"),
            &[Subsets],
        ),
    ]
}

/// How often a saved context was read.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<AtomicU64>);

/// `2 x`, whose rule changes what it saved, though not what it gives.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn changed_context<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// twice the upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, calls: &Calls) -> Result<Tensor<T>> {
        calls.0.fetch_add(1, Ordering::Relaxed);
        Ok(upstream.map(|u| u + u))
    }
    let calls = Calls::default();
    Ok(x.map(|x| x + x))
}

static NOISE: AtomicU64 = AtomicU64::new(0);

/// A few last places, another number at every call.
fn noise() -> f64 {
    1.0 + (NOISE.fetch_add(1, Ordering::Relaxed) % 7) as f64 * f64::EPSILON
}

/// `2 x`, whose rule is off by a few last places, as a sum in the order of arrival is.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn noisy_rule(x: &Tensor) -> Result<Tensor> {
    /// twice the upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor) -> Result<Tensor> {
        let factor = 2.0 * noise();
        Ok(upstream.map(|u| factor * u))
    }
    Ok(x.map(|x| x + x))
}

/// `x` with noise: the value differs from run to run, so nothing can be said of its derivative.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn noisy_value(x: &Tensor) -> Result<Tensor> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor) -> Result<Tensor> {
        Ok(upstream.clone())
    }
    let factor = noise();
    Ok(x.map(|x| factor * x))
}

/// `a + b`, whose rule gives the whole sum to `a` where it sees that both are one tensor.
#[vjp_rule]
#[gradcheck(a: [7], b: [7])]
pub fn same_node<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, twice where both are one
    #[vjp(a)]
    fn a_vjp(upstream: &Tensor<T>, both: bool) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| if both { u + u } else { u }))
    }
    /// upstream
    #[vjp(b)]
    fn b_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    let both = a.shares_storage_with(b);
    a.zip_map(b, |a, b| a + b)
}

/// `a · b`, whose rule forgets the factor where only one contribution is wanted.
#[vjp_rule]
#[gradcheck(a: [m], b: [m])]
pub fn depends_on_wanted<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the other factor, if both are wanted
    #[vjp(a, b)]
    fn both_vjp(
        upstream: &Tensor<T>,
        wanted: [bool; 2],
        a: &Tensor<T>,
        b: &Tensor<T>,
    ) -> Result<[Option<Tensor<T>>; 2]> {
        let [for_a, for_b] = wanted;
        let times = |factor: &Tensor<T>| match for_a && for_b {
            true => upstream.zip_map(factor, |u, f| u * f),
            false => Ok(upstream.clone()),
        };
        Ok([
            for_a.then(|| times(b)).transpose()?,
            for_b.then(|| times(a)).transpose()?,
        ])
    }
    a.zip_map(b, |a, b| a * b)
}
