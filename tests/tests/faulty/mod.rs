//! Rules that refuse or return what a rule must not, for tests of how a pass answers.

pub mod stray;

use std::sync::atomic::{AtomicUsize, Ordering};

use autodiff_ops::prelude::*;

/// How often any reverse map of this module has run.
pub static RULES_RUN: AtomicUsize = AtomicUsize::new(0);

fn ran() {
    RULES_RUN.fetch_add(1, Ordering::Relaxed);
}

/// The error of the operations here that refuse.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("expected a willing {0}, got a refusal")]
pub struct Refusal(pub &'static str);

/// The input; refused.
#[vjp_rule]
#[gradcheck(skip = "refuses every input")]
pub fn refusing_forward<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    if x.rank() < usize::MAX {
        return Err(OpError::new(Refusal("forward map")).into());
    }
    Ok(x.clone())
}

/// The input; its reverse map refuses.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn refusing_reverse<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// nothing
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        match upstream.rank() {
            usize::MAX => Ok(upstream.clone()),
            _ => Err(OpError::new(Refusal("reverse map")).into()),
        }
    }
    Ok(x.clone())
}

/// The input; its reverse map returns a contribution of shape [7].
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn misshapen<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// seven zeros
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        let _ = upstream;
        Tensor::zeros([7])
    }
    Ok(x.clone())
}

/// The input; its reverse map returns a contribution of shape [7] that holds NaN.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn misshapen_and_nan<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// seven NaN
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        let _ = upstream;
        Tensor::full([7], T::from_f64(f64::NAN))
    }
    Ok(x.clone())
}

/// The sum of the operands; the first reverse map returns infinities, the second a wrong shape.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn infinite_then_misshapen<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times infinity
    #[vjp(a)]
    fn a_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.map(|u| u * T::from_f64(f64::INFINITY)))
    }
    /// seven zeros
    #[vjp(b)]
    fn b_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        let _ = upstream;
        Tensor::zeros([7])
    }
    a.zip_map(b, |a, b| a + b)
}

/// The sum of three operands; two contributions are the largest finite number, the third is the upstream.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn huge_huge<T: Element>(a: &Tensor<T>, b: &Tensor<T>, c: &Tensor<T>) -> Result<Tensor<T>> {
    /// the largest finite number
    #[vjp(a)]
    fn a_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.map(|_| T::from_f64(f64::MAX)))
    }
    /// the largest finite number
    #[vjp(b)]
    fn b_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.map(|_| T::from_f64(f64::MAX)))
    }
    /// upstream
    #[vjp(c)]
    fn c_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.clone())
    }
    a.zip_map(b, |a, b| a + b)?.zip_map(c, |ab, c| ab + c)
}

/// The sum of three operands; two contributions are the largest finite number, the third is NaN.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn huge_huge_nan<T: Element>(a: &Tensor<T>, b: &Tensor<T>, c: &Tensor<T>) -> Result<Tensor<T>> {
    /// the largest finite number
    #[vjp(a)]
    fn a_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.map(|_| T::from_f64(f64::MAX)))
    }
    /// the largest finite number
    #[vjp(b)]
    fn b_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.map(|_| T::from_f64(f64::MAX)))
    }
    /// NaN
    #[vjp(c)]
    fn c_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        ran();
        Ok(upstream.map(|_| T::from_f64(f64::NAN)))
    }
    a.zip_map(b, |a, b| a + b)?.zip_map(c, |ab, c| ab + c)
}

/// The sum of the operands; the joint reverse map forgets the second.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn forgetful<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream for the first operand, nothing for the second
    #[vjp(a, b)]
    fn ab_vjp(upstream: &Tensor<T>, wanted: [bool; 2]) -> Result<[Option<Tensor<T>>; 2]> {
        ran();
        Ok([wanted[0].then(|| upstream.clone()), None])
    }
    a.zip_map(b, |a, b| a + b)
}

/// The input, in `f64` only.
#[vjp_rule]
#[gradcheck(x: [n])]
pub fn only_f64(x: &Tensor<f64>) -> Result<Tensor<f64>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<f64>) -> Result<Tensor<f64>> {
        Ok(upstream.clone())
    }
    Ok(x.clone())
}
