//! Contributions of the wrong shape or number, refusals, panics, and forms that disagree.

use autodiff_core::gradcheck::{Cause, Check, CheckOptions, check};
use autodiff_core::prelude::*;
use autodiff_core::rule::ElementRule;
use libtest_mimic::{Failed, Trial};

use crate::{caught, caught_with, rule};

pub fn trials() -> Vec<Trial> {
    use Check::{Draws, Shape};
    let path = |name: &str| -> &'static str {
        Box::leak(format!("{}::{name}", module_path!()).into_boxed_str())
    };
    let (shape, panics, refuses, rough, honest) = (
        path("wrong_shape"),
        path("panics_when_empty"),
        path("refuses_often"),
        path("rough"),
        path("honest"),
    );
    vec![
        Trial::test("t136_a_contribution_of_the_wrong_shape", move || {
            caught_with(shape, &[Shape], |failure| {
                let Cause::Refused { error } = &failure.finding.cause else {
                    return false;
                };
                matches!(
                    error,
                    TensorAutodiffError::ContributionShape { operand: 0, .. }
                )
            })
        }),
        caught(
            "t135_a_joint_rule_without_one_of_its_contributions",
            path("missing"),
            &[Shape],
        ),
        caught(
            "a_contribution_that_is_not_finite",
            path("not_finite"),
            &[Shape],
        ),
        Trial::test("a_panic_on_an_empty_tensor", move || {
            caught_with(panics, &[Draws], |failure| {
                matches!(failure.finding.cause, Cause::Panicked { .. })
            })
        }),
        Trial::test("an_operation_that_refuses_most_draws", move || {
            caught_with(refuses, &[Draws], |failure| {
                matches!(failure.finding.cause, Cause::Redrawn { .. })
            })
        }),
        Trial::test("an_operation_that_cannot_be_differenced", move || {
            caught_with(rough, &[Draws], |failure| {
                matches!(failure.finding.cause, Cause::Redrawn { .. })
            })
        }),
        Trial::test("a_taped_form_that_is_not_the_plain_one", move || {
            forged(honest)
        }),
    ]
}

/// The rule of one operation with the plain form of another cannot be declared; it can be put together.
fn forged(path: &str) -> Result<(), Failed> {
    let honest = rule(path)?;
    let functions = honest.f64.ok_or("not declared for f64")?;
    let forged = Rule {
        f64: Some(ElementRule {
            plain: |call| Ok(vec![call.operand(0)?.map(|x| 3.0 * x)]),
            ..functions
        }),
        f32: None,
        dual: None,
        ..*honest
    };
    let report = check(Box::leak(Box::new(forged)), &CheckOptions::default());
    match report.failure.map(|failure| failure.finding.check) {
        Some(Check::Agreement) => Ok(()),
        other => Err(format!("expected {:?}, got {other:?}", Check::Agreement).into()),
    }
}

/// `2 x`, nothing wrong with it.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn honest<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// twice the upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| u + u))
    }
    Ok(x.map(|x| x + x))
}

/// `x`, whose contribution is flat.
#[vjp_rule]
#[gradcheck(x: [m, n])]
pub fn wrong_shape<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream in one row
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.with_shape([upstream.len()])
    }
    Ok(x.clone())
}

/// `a + b`, with a contribution for `a` only.
#[vjp_rule]
#[gradcheck(a: [m], b: [m])]
pub fn missing<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, and nothing
    #[vjp(a, b)]
    fn both_vjp(upstream: &Tensor<T>, wanted: [bool; 2]) -> Result<[Option<Tensor<T>>; 2]> {
        let [for_a, _] = wanted;
        Ok([for_a.then(|| upstream.clone()), None])
    }
    a.zip_map(b, |a, b| a + b)
}

/// `x`, with the upstream over zero.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn not_finite<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream over zero
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| u / T::zero()))
    }
    Ok(x.clone())
}

/// `x` less its first entry, which it takes for granted.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn panics_when_empty<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, and its negative sum for the first entry
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        let mut contribution = upstream.clone();
        let total: T = upstream.as_slice().iter().copied().sum();
        if let Some(first) = contribution.as_mut_slice().first_mut() {
            *first -= total;
        }
        Ok(contribution)
    }
    let first = x.as_slice()[0];
    Ok(x.map(|x| x - first))
}

/// A vector of more than two entries.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("expected at most two entries, got {0}")]
pub struct TooMany(usize);

/// `x`, of at most two entries.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn refuses_often<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    if x.len() > 2 {
        return Err(OpError::new(TooMany(x.len())).into());
    }
    Ok(x.clone())
}

/// `x` with a thousandth of noise that depends on nothing but `x`: no difference shows its slope.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn rough(x: &Tensor) -> Result<Tensor> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor) -> Result<Tensor> {
        Ok(upstream.clone())
    }
    let noise = |x: f64| {
        // The mixing of SplitMix64: neighbouring numbers give unrelated ones.
        let bits = x.to_bits();
        let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 32) as f64 / 4e12
    };
    Ok(x.map(|x| x + noise(x)))
}
