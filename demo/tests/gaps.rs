//! A wrong rule, an insensitive one and an unchecked one are gaps: named, and with exit code 1.
//!
//! The declarations below generate tests that fail, so this target has a `main` of its own.

use std::error::Error;
use std::fs;
use std::io::BufWriter;
use std::path::Path;

use autodiff_core::prelude::*;
use demo::DemoError;

/// The identity, with a wrong sign in reverse.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn turned<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus upstream, which is wrong
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| -u))
    }
    Ok(x.clone())
}

/// The identity, which nobody checks.
#[vjp_rule]
#[gradcheck(skip = "to see the gap")]
pub fn unseen<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    Ok(x.clone())
}

/// What is given, or a zero, and never checked with anything given.
#[vjp_rule]
#[gradcheck(x: none)]
pub fn unplanted<T: Element>(x: Option<&Tensor<T>>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    match x {
        Some(x) => Ok(x.clone()),
        None => Tensor::zeros([1]),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // What is still buffered when the program fails is thrown away.
    let mut out = BufWriter::with_capacity(1 << 20, Vec::new());
    let error = match demo::rules::verify(&mut out, None) {
        Err(error @ DemoError::Unverified { .. }) => error,
        other => return Err(format!("expected gaps, got {other:?}").into()),
    };
    assert_eq!(error.exit_code(), 1);
    let text = String::from_utf8(out.into_parts().0)?;
    let registered = Registry::global()?.rules().len();
    let whole = format!(
        "gap: {registered} rules are registered, {0} checked and {0} dispatched",
        registered - 3
    );
    for gap in [
        "gap: gaps::turned [f64]: jacobian (f64), operand x",
        "gap: gaps::unseen: not checked: to see the gap",
        "gap: gaps::unseen: no reverse pass reached it",
        "gap: gaps::unplanted [f64]: no fault could be planted",
        &whole,
    ] {
        assert!(text.contains(gap), "{gap}\n{text}");
    }
    // A rule that is wrong raises no false alarm.
    assert!(
        text.contains(" without a fault, 0 false alarms\n"),
        "{text}"
    );
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gaps.html");
    match demo::rules::write_page(&mut Vec::new(), &page) {
        Err(DemoError::Unverified { .. }) => {}
        other => return Err(format!("expected gaps, got {other:?}").into()),
    }
    let page = fs::read_to_string(page)?;
    assert!(page.contains("gaps::unseen: not checked: to see the gap"));
    println!("every gap is named, and the exit code is 1");
    Ok(())
}
