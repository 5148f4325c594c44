//! What a declaration registers, and rules for `f64` alone.

use autodiff_core::prelude::*;
use autodiff_core::rule::{CaseKind, Choice, Outputs, ParameterKind};

use crate::{gradient, parameter, reverse};

/// `x` to the power `exponent`, in double precision.
///
/// At x = 0: 0.
/// # VJP
/// From this section.
#[vjp_rule]
#[gradcheck(x: [] in 0.5..2.0, exponent = 2.0 | 3.0)]
#[gradcheck(x: [m, 2 * n] in -2.0..-0.5 | 0.5..2.0, exponent = 2.0)]
pub fn precise_power(x: &Tensor<f64>, exponent: f64) -> Result<Tensor> {
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor, x: &Tensor<f64>, exponent: f64) -> Result<Tensor<f64>> {
        upstream.zip_map(x, |u, x| u * exponent * x.powf(exponent - 1.0))
    }
    Ok(x.map(|x| x.powf(exponent)))
}

/// Never drawn.
#[vjp_rule]
#[gradcheck(skip = "shows the reason")]
#[inline]
#[must_use = "an operation has no effect of its own"]
#[allow(clippy::double_must_use)]
fn unchecked<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    #[inline]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[test]
fn a_rule_for_f64_alone_runs_and_says_so() -> Result<()> {
    let x = parameter(&[1], &[3.0])?;
    let y = x.precise_power(2.0)?;
    reverse(&y, &[1.0])?;
    assert_eq!(gradient(&x), [6.0]);
    let rule = Registry::global()?.rule(y.operation())?;
    assert_eq!(rule.element_types(), ["f64"]);
    assert_eq!(rule.conventions(), ["At x = 0: 0."]);
    Ok(())
}

#[test]
fn the_record_holds_what_was_declared() -> Result<()> {
    let rule = Registry::global()?.rule_at(concat!(module_path!(), "::precise_power"))?;
    assert_eq!(rule.operation.name(), "precise_power");
    assert!(
        rule.docs
            .starts_with("`x` to the power `exponent`, in double precision.\n\nAt x = 0")
    );
    assert!(rule.file.ends_with("record.rs"));
    assert_eq!(rule.outputs, Outputs::One);
    let parameters: Vec<_> = rule
        .parameters
        .iter()
        .map(|p| (p.name, p.kind, p.type_text))
        .collect();
    assert_eq!(
        parameters,
        [
            ("x", ParameterKind::Operand, "&Tensor<f64>"),
            ("exponent", ParameterKind::Argument, "f64")
        ]
    );
    let [vjp] = rule.vjps else {
        panic!("one reverse map was declared");
    };
    // Without a doc comment of its own, the map is in the words of the operation's section.
    assert_eq!(
        (vjp.function, vjp.operands, vjp.joint, vjp.words),
        ("x_vjp", ["x"].as_slice(), false, "From this section.")
    );
    let saved: Vec<_> = vjp
        .saved
        .iter()
        .map(|saved| (saved.name, saved.type_text))
        .collect();
    assert_eq!(saved, [("x", "&Tensor<f64>"), ("exponent", "f64")]);
    Ok(())
}

#[test]
fn cases_are_recorded_as_written() -> Result<()> {
    let rule = Registry::global()?.rule_at(concat!(module_path!(), "::precise_power"))?;
    let texts: Vec<_> = rule.cases.iter().map(|case| case.text).collect();
    assert_eq!(
        texts,
        [
            "x: [] in 0.5..2.0, exponent = 2.0 | 3.0",
            "x: [m, 2 * n] in -2.0..-0.5 | 0.5..2.0, exponent = 2.0"
        ]
    );
    let CaseKind::Drawn {
        symbols,
        choices,
        any_shape,
        ..
    } = rule.cases[0].kind
    else {
        panic!("the case is drawn");
    };
    assert!(symbols.is_empty() && !any_shape);
    assert_eq!(
        choices,
        [Choice {
            argument: "exponent",
            count: 2
        }]
    );
    let CaseKind::Drawn {
        symbols, choices, ..
    } = rule.cases[1].kind
    else {
        panic!("the case is drawn");
    };
    assert_eq!(symbols, ["m", "n"]);
    assert!(choices.is_empty());
    Ok(())
}

#[test]
fn a_skipped_rule_says_why() -> Result<()> {
    let rule = Registry::global()?.rule(unchecked(&parameter(&[1], &[1.0])?)?.operation())?;
    assert!(matches!(
        rule.cases[0].kind,
        CaseKind::Skipped {
            reason: "shows the reason"
        }
    ));
    Ok(())
}
