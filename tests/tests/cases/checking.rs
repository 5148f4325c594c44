//! The gradient check itself: what it must notice, what it must not mistake for a fault, what it reports.

use std::sync::atomic::{AtomicUsize, Ordering};

use autodiff_core::gradcheck::{Cause, Check, CheckOptions, Fault, FaultKind, Verdict, check};
use autodiff_core::rule::Rule;
use autodiff_core::tensor::ElementKind;
use autodiff_core::{GradcheckError, GradcheckOptions, gradcheck};
use autodiff_ops::prelude::*;

use super::faulty::{RULES_RUN, misshapen, refusing_reverse};
use super::{parameter, reverse_sum, tensor};

fn rule_of(operation: Operation) -> &'static Rule {
    Registry::global().unwrap().rule(operation).unwrap()
}

/// Zeros but for the last element, which is the input's.
#[vjp_rule]
#[gradcheck(x: [n])]
pub fn last_kept<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream at the last element, 0 elsewhere
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(last_only(upstream))
    }
    Ok(last_only(x))
}

/// As [`last_kept`], with a wrong sign in the only entry of the Jacobian that is not zero.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn last_kept_wrongly<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus upstream at the last element, 0 elsewhere
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(last_only(upstream).map(|u| -u))
    }
    Ok(last_only(x))
}

fn last_only<T: Element>(x: &Tensor<T>) -> Tensor<T> {
    let mut output = x.map(|_| T::zero());
    if let (Some(last), Some(&value)) = (output.as_mut_slice().last_mut(), x.as_slice().last()) {
        *last = value;
    }
    output
}

#[test]
fn t109_one_wrong_entry_of_a_jacobian_that_is_mostly_zero_is_noticed() {
    let x = tensor([8], &[0.3; 8]);
    let error = gradcheck(
        |x| x[0].last_kept_wrongly(),
        &[x],
        GradcheckOptions::default(),
    )
    .unwrap_err();
    let GradcheckError::Mismatch { coordinate, .. } = error else {
        panic!("expected a mismatch, got {error}");
    };
    assert_eq!((coordinate.index, coordinate.output_index), (7, Some(7)));
    assert_eq!(coordinate.analytic, -1.0);

    let rule = rule_of(parameter([1], &[1.0]).last_kept().unwrap().operation());
    assert!(check(rule, &CheckOptions::new(1)).passed());
    let fault = Fault {
        kind: FaultKind::Sign,
        operand: 0,
        element: ElementKind::F64,
    };
    assert!(!check(rule, &CheckOptions::new(1).fault(fault)).passed());
}

#[test]
fn t111_tolerances_scale_with_the_derivative() {
    // d x⁶ / dx = 6 x⁵ is 6e15 at 1,000, where differences are right to some 1e-9 of that only, and
    // 6e-5 at 0.1, where they must be right to much less than 1.
    let f = |x: &[TensorValue]| {
        let square = x[0].mul(&x[0])?;
        square.mul(&square)?.mul(&square)
    };
    let x = tensor([3], &[1_000.0, 1.0, 0.1]);
    let report = gradcheck(f, &[x], GradcheckOptions::default()).unwrap();
    assert_eq!(report.coordinates.len(), 9);
}

#[test]
fn t112_single_precision_is_compared_with_double_precision_and_never_differenced() {
    let rule = rule_of(parameter([1], &[1.0]).last_kept().unwrap().operation());
    let report = check(rule, &CheckOptions::new(1));
    assert!(
        report
            .check("f32", Check::Jacobian)
            .is_none_or(|check| check.verdict == Verdict::Skipped)
    );
    let precision = report.check("f32", Check::Precision).unwrap();
    assert_eq!(precision.verdict, Verdict::Passed);
    // A function takes `f64` inputs only; others are cast, which loses nothing.
    let single = Tensor::from_vec([2], vec![0.1_f32, 0.2]).unwrap();
    gradcheck(
        |x| x[0].mul(&x[0]),
        &[single.cast()],
        GradcheckOptions::default(),
    )
    .unwrap();
}

#[test]
fn t114_a_failure_says_cause_operation_operand_indices_both_numbers_tolerance_and_replay() {
    let x = parameter([1], &[1.0]);
    let rule = rule_of(x.mul(&x).unwrap().operation());
    let fault = Fault {
        kind: FaultKind::Doubled,
        operand: 1,
        element: ElementKind::F64,
    };
    let report = check(rule, &CheckOptions::new(1).fault(fault));
    let failure = report.failure.as_ref().unwrap();
    assert_eq!(failure.operation.name(), "multiply");
    assert!(rule.cases.iter().any(|case| case.text == failure.case));
    assert_eq!(failure.seed, 1);
    let finding = &failure.finding;
    assert_eq!(
        (finding.element, finding.operand.as_deref()),
        ("f64", Some("rhs"))
    );
    assert!(finding.index.is_some());
    let Cause::Differs {
        analytic,
        numeric,
        tolerance,
    } = finding.cause
    else {
        panic!("expected two numbers, got {finding}");
    };
    // The planted contribution is twice the right one.
    assert!((analytic - 2.0 * numeric).abs() <= 2.0 * tolerance);
    let text = report.to_string();
    for part in [
        "multiply",
        "operand rhs",
        "analytic",
        "numeric",
        "tolerance",
        "case: ",
        "replay: ",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// How often the reverse map of [`drifting`] has run.
static REVERSED: AtomicUsize = AtomicUsize::new(0);

/// The input; each run of its reverse map gives another last digit.
#[vjp_rule]
#[gradcheck(skip = "faulty on purpose")]
pub fn drifting<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, a little larger each time
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        let runs = REVERSED.fetch_add(1, Ordering::Relaxed) as f64;
        let factor = T::from_f64(1.0 + runs * f64::EPSILON);
        Ok(upstream.map(|u| u * factor))
    }
    Ok(x.clone())
}

#[test]
fn t115_two_runs_that_differ_in_one_bit_are_noticed() {
    let x = tensor([2], &[0.5, 0.7]);
    let error = gradcheck(|x| x[0].drifting(), &[x], GradcheckOptions::default()).unwrap_err();
    assert!(
        matches!(error, GradcheckError::NondeterministicGradient { .. }),
        "{error}"
    );
}

#[test]
fn t121_a_function_that_changes_from_run_to_run_is_reported_as_such_and_not_as_a_wrong_gradient() {
    let runs = AtomicUsize::new(0);
    let noisy = |x: &[TensorValue]| {
        let run = runs.fetch_add(1, Ordering::Relaxed) as f64;
        let mask = TensorValue::constant(Tensor::from_vec([2], vec![run % 2.0, 1.0])?)?;
        x[0].mul(&mask)
    };
    let x = tensor([2], &[0.5, 0.7]);
    let error = gradcheck(noisy, &[x], GradcheckOptions::default()).unwrap_err();
    assert_eq!(
        error,
        GradcheckError::Nondeterministic {
            function: "function".to_owned(),
            index: 0,
            first: 0.0,
            second: 0.5,
        }
    );
}

#[test]
fn t136_a_contribution_of_a_wrong_shape_is_refused_at_its_edge_before_another_rule_runs() {
    let x = parameter([2], &[1.0, 2.0]);
    let output = x.refusing_reverse().unwrap().misshapen().unwrap();
    let before = RULES_RUN.load(Ordering::Relaxed);
    let error = reverse_sum(&output).unwrap_err();
    assert_eq!(
        error.to_string(),
        "misshapen: contribution of operand 0, expected shape [2], got [7]"
    );
    assert_eq!(RULES_RUN.load(Ordering::Relaxed) - before, 1);
}
