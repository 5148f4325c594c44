//! Wrong numbers of the right shape.

use autodiff_core::gradcheck::{Check, CheckOptions, check};
use autodiff_core::prelude::*;
use autodiff_core::tensor::ElementKind;
use libtest_mimic::{Failed, Trial};

use crate::{caught, rule};

pub fn trials() -> Vec<Trial> {
    use Check::{Jacobian, Precision, SecondOrder, Upstream};
    let path = |name: &str| -> &'static str {
        Box::leak(format!("{}::{name}", module_path!()).into_boxed_str())
    };
    vec![
        caught(
            "t084_the_root_rule_that_is_right_at_4_only",
            path("root"),
            &[Jacobian],
        ),
        caught(
            "t109_one_wrong_sign_in_a_mostly_zero_jacobian",
            path("mostly_zero"),
            &[Jacobian],
        ),
        caught(
            "t013_a_rule_that_gives_1_by_default",
            path("one_by_default"),
            &[Upstream],
        ),
        caught("a_dropped_operand", path("dropped_operand"), &[Jacobian]),
        caught("a_missing_factor", path("missing_factor"), &[Jacobian]),
        caught("a_clipped_upstream", path("clipped"), &[Upstream]),
        caught("a_squared_upstream", path("squared_upstream"), &[Upstream]),
        caught("a_fault_in_f32_only", path("wrong_in_f32"), &[Precision]),
        caught(
            "a_fault_on_dual_numbers_only",
            path("wrong_on_duals"),
            &[Precision],
        ),
        caught(
            "a_lost_second_derivative",
            path("lost_tangent"),
            &[SecondOrder],
        ),
        Trial::test("an_honest_rule_whose_digits_cancel_is_no_false_alarm", {
            let path = path("cancels");
            move || honest(path)
        }),
    ]
}

/// No fault is found where there is none, though most digits cancel.
fn honest(path: &str) -> Result<(), Failed> {
    for seed in 0..200 {
        let report = check(rule(path)?, &CheckOptions::new(seed).draws(3));
        if !report.passed() {
            return Err(report.to_string().into());
        }
    }
    Ok(())
}

/// `x / √(x² + ε)`, whose derivative `ε / (x² + ε)^(3/2)` is coded as a difference of two numbers that
/// nearly cancel.
#[vjp_rule]
#[gradcheck(x: [m] in 0.5..2.0)]
pub fn cancels<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times `r - x² r³` with `r = 1 / √(x² + ε)`
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| {
            let r = (x * x + T::from_f64(1e-4)).sqrt().recip();
            u * r - u * x * x * r * r * r
        })
    }
    Ok(x.map(|x| x / (x * x + T::from_f64(1e-4)).sqrt()))
}

/// `√x` with the reverse map `1 / x`, which is right where `1 / x = 1 / (2 √x)`: at 4.
#[vjp_rule]
#[gradcheck(x: [m, n] in 0.5..6.0)]
pub fn root<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream over x
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| u / x)
    }
    Ok(x.map(T::sqrt))
}

/// `x²`, with the sign of the last entry's contribution wrong.
#[vjp_rule]
#[gradcheck(x: [8, 8] in 0.5..2.0)]
pub fn mostly_zero<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times 2 x, but for the last
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        let mut contribution = upstream.zip_map(x, |u, x| u * (x + x))?;
        if let Some(last) = contribution.as_mut_slice().last_mut() {
            *last = -*last;
        }
        Ok(contribution)
    }
    Ok(x.map(|x| x * x))
}

/// `ln x`, with ones for a contribution.
#[vjp_rule]
#[gradcheck(x: [m] in 0.5..2.0)]
pub fn one_by_default<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// one
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|_| T::one()))
    }
    Ok(x.map(T::ln))
}

/// `a · b`, with nothing for `b`.
#[vjp_rule]
#[gradcheck(a: [m], b: [m])]
pub fn dropped_operand<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times b
    #[vjp(a)]
    fn a_vjp(upstream: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(b, |u, b| u * b)
    }
    /// zero
    #[vjp(b)]
    fn b_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|_| T::zero()))
    }
    a.zip_map(b, |a, b| a * b)
}

/// `x³`, with the reverse map of `x³ / 3`.
#[vjp_rule]
#[gradcheck(x: [m, n])]
pub fn missing_factor<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times x²
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| u * x * x)
    }
    Ok(x.map(|x| x * x * x))
}

/// `2 x`, with a contribution that never exceeds 1 in size.
#[vjp_rule]
#[gradcheck(x: [m, n])]
pub fn clipped<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// twice the upstream, clipped
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| (u + u).min(T::one()).max(-T::one())))
    }
    Ok(x.map(|x| x + x))
}

/// `x`, with the upstream times its size: right for cotangents of 0, 1 and -1.
#[vjp_rule]
#[gradcheck(x: [m, n])]
pub fn squared_upstream<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times its size
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| u * u.abs()))
    }
    Ok(x.clone())
}

/// `x²`, a thousandth off in `f32`.
#[vjp_rule]
#[gradcheck(x: [m, n] in 0.5..2.0)]
pub fn wrong_in_f32<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times 2 x, nearly
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        let factor = if T::KIND == ElementKind::F32 {
            2.002
        } else {
            2.0
        };
        upstream.zip_map(x, |u, x| u * x * T::from_f64(factor))
    }
    Ok(x.map(|x| x * x))
}

/// `x²`, a billionth off on dual numbers.
#[vjp_rule]
#[gradcheck(x: [m, n] in 0.5..2.0)]
pub fn wrong_on_duals<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times 2 x, nearly
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        let factor = if T::KIND == ElementKind::Dual {
            2.000_000_002
        } else {
            2.0
        };
        upstream.zip_map(x, |u, x| u * x * T::from_f64(factor))
    }
    Ok(x.map(|x| x * x))
}

/// `x²`, whose reverse map is right and cannot be differentiated: it reads `x` as a constant.
#[vjp_rule]
#[gradcheck(x: [m, n] in 0.5..2.0)]
pub fn lost_tangent<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times 2 x
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| u * T::from_f64(2.0 * x.to_f64()))
    }
    Ok(x.map(|x| x * x))
}
