//! Properties of every registered operation, called through the registry.

use autodiff_core::rule::{Call, CaseKind, Drawn, Input, InputSpec, ParameterKind, Rule};
use autodiff_ops::prelude::*;

use super::{gradient, reverse};

/// A value within one of the ranges, different for every index.
fn drawn(ranges: &[(f64, f64)], index: usize) -> f64 {
    let ranges = if ranges.is_empty() {
        &[(-2.0, 2.0)]
    } else {
        ranges
    };
    let (low, high) = ranges[index % ranges.len()];
    // The golden ratio spreads multiples evenly over the unit interval; no two indices give one value.
    let part = ((index + 1) as f64 * 0.618_033_988_749_895).fract();
    low + (high - low) * (0.05 + 0.9 * part)
}

fn operand(shape: &[usize], ranges: &[(f64, f64)], from: usize) -> TensorValue {
    let values = Tensor::from_fn(shape, |index| drawn(ranges, from + index)).unwrap();
    TensorValue::parameter(values).unwrap()
}

/// A call for one case of a rule, all of its extents 2, with parameters for operands.
fn call(
    rule: &Rule,
    build: fn(&Drawn) -> Vec<InputSpec>,
    symbols: usize,
    choices: usize,
) -> (Call<f64, TensorValue>, Vec<TensorValue>) {
    let specs = build(&Drawn {
        extents: vec![2; symbols],
        choices: vec![0; choices],
        any_shape: vec![2, 3],
    });
    let mut parameters = Vec::new();
    let inputs = specs
        .into_iter()
        .enumerate()
        .map(|(number, spec)| match spec {
            InputSpec::Tensor { shape, ranges } => {
                let value = operand(&shape, &ranges, 17 * number);
                if rule.parameters[number].kind == ParameterKind::Constant {
                    Input::Constant(value.value_snapshot())
                } else {
                    parameters.push(value.clone());
                    Input::Operand(value)
                }
            }
            InputSpec::Tensors { shapes, ranges } => {
                let values = shapes.iter().enumerate();
                let values: Vec<_> = values
                    .map(|(entry, shape)| operand(shape, &ranges, 17 * number + 5 * entry))
                    .collect();
                parameters.extend(values.iter().cloned());
                Input::Operands(values)
            }
            InputSpec::Absent => Input::Absent,
            InputSpec::Indices { shape, ranges } => {
                let (low, high) = ranges.first().copied().unwrap_or((0, 1));
                let index = |index: usize| low + index % (high - low).max(1);
                Input::Indices(Tensor::from_fn(shape, index).unwrap())
            }
            InputSpec::Mask { shape } => {
                Input::Mask(Tensor::from_fn(shape, |index| index % 3 != 1).unwrap())
            }
            InputSpec::Argument(value) => Input::Argument(value),
        });
    let inputs = inputs.collect();
    (Call { inputs }, parameters)
}

/// Every rule with a call of each of its cases that the operation accepts at these extents.
fn calls() -> Vec<(&'static Rule, Call<f64, TensorValue>, Vec<TensorValue>)> {
    let mut calls = Vec::new();
    for &rule in Registry::global().unwrap().rules() {
        for case in rule.cases {
            if let CaseKind::Drawn {
                symbols,
                choices,
                build,
                ..
            } = case.kind
            {
                let (call, parameters) = call(rule, build, symbols.len(), choices.len());
                let Some(functions) = &rule.f64 else { continue };
                if (functions.taped)(&call).is_ok() {
                    calls.push((rule, call, parameters));
                }
            }
        }
    }
    calls
}

fn taped(rule: &Rule, call: &Call<f64, TensorValue>) -> Vec<TensorValue> {
    (rule.f64.as_ref().unwrap().taped)(call).unwrap()
}

fn seed(len: usize, from: usize) -> Vec<f64> {
    (0..len).map(|index| drawn(&[], from + index)).collect()
}

#[test]
fn t010_the_gradient_of_a_sum_of_two_uses_is_the_sum_of_their_gradients_for_every_rule() {
    for (rule, call, parameters) in calls() {
        let run = |together: bool| {
            for parameter in &parameters {
                parameter.zero_grad().unwrap();
            }
            for (first, second) in taped(rule, &call).iter().zip(&taped(rule, &call)) {
                let (left, right) = (seed(first.value().len(), 3), seed(first.value().len(), 11));
                if together {
                    // One pass over Σ left · first + right · second.
                    let shape = first.shape();
                    let [left, right] = [left, right].map(|seed| {
                        TensorValue::constant(Tensor::from_vec(shape.as_slice(), seed).unwrap())
                            .unwrap()
                    });
                    let sum = first
                        .mul(&left)
                        .unwrap()
                        .add(&second.mul(&right).unwrap())
                        .unwrap();
                    reverse(&sum, &vec![1.0; sum.value().len()]).unwrap();
                } else {
                    reverse(first, &left).unwrap();
                    reverse(second, &right).unwrap();
                }
            }
            parameters.iter().map(gradient).collect::<Vec<_>>()
        };
        // Two terms in either order have one sum, so even the bits agree.
        assert_eq!(run(true), run(false), "{}", rule.operation.path());
    }
}

#[test]
fn t013_every_registered_rule_is_reached_by_the_id_of_the_nodes_it_makes() {
    let registry = Registry::global().unwrap();
    for (rule, call, _) in calls() {
        for output in taped(rule, &call) {
            assert_eq!(output.operation(), rule.operation);
            assert!(std::ptr::eq(
                registry.rule(output.operation()).unwrap(),
                rule
            ));
        }
    }
}

#[test]
fn t013_an_unknown_operation_is_a_hard_error() {
    let error = Registry::global()
        .unwrap()
        .rule_at("autodiff_ops::elementwise::frobnicate")
        .unwrap_err();
    assert!(
        matches!(error, RegistryError::UnknownOperation { .. }),
        "{error:?}"
    );
}

#[test]
fn t028_contributions_scale_with_the_upstream_for_every_rule() {
    for (rule, call, parameters) in calls() {
        let run = |factor: f64| {
            for parameter in &parameters {
                parameter.zero_grad().unwrap();
            }
            for output in taped(rule, &call) {
                let seed: Vec<_> = seed(output.value().len(), 3)
                    .iter()
                    .map(|u| u * factor)
                    .collect();
                reverse(&output, &seed).unwrap();
            }
            parameters.iter().map(gradient).collect::<Vec<_>>()
        };
        let path = rule.operation.path();
        for (once, scaled) in run(1.0).iter().zip(&run(-4.0)) {
            // A power of two scales without rounding, and so does a sign.
            assert_eq!(&once.map(|value| value * -4.0), scaled, "{path}");
        }
        for zero in run(0.0) {
            assert!(zero.as_slice().iter().all(|&value| value == 0.0), "{path}");
        }
    }
}

#[test]
fn c051_a_tracked_operand_makes_a_tracked_output_for_every_rule() {
    for (rule, call, parameters) in calls() {
        let differentiable = !rule.vjps.is_empty() && !parameters.is_empty();
        for output in taped(rule, &call) {
            assert_eq!(
                output.tracks_gradient(),
                differentiable,
                "{}",
                rule.operation.path()
            );
        }
    }
}

/// The same call with every operand use that `is_tracked` refuses replaced by a constant of its value.
fn tracked_only(
    call: &Call<f64, TensorValue>,
    is_tracked: impl Fn(usize) -> bool,
) -> Call<f64, TensorValue> {
    let mut call = call.clone();
    let mut uses = 0;
    let mut choose = |value: &mut TensorValue| {
        if !is_tracked(uses) {
            *value = value.detach();
        }
        uses += 1;
    };
    for input in &mut call.inputs {
        match input {
            Input::Operand(value) => choose(value),
            Input::Operands(values) => values.iter_mut().for_each(&mut choose),
            _ => {}
        }
    }
    call
}

#[test]
fn every_subset_of_tracked_operands_but_the_empty_one_makes_every_output_tracked() {
    let mut subsets = 0;
    for (rule, call, parameters) in calls() {
        assert!(parameters.len() < 8, "{}", rule.operation.path());
        for subset in 0..1_u32 << parameters.len() {
            let call = tracked_only(&call, |operand| subset & (1 << operand) != 0);
            for output in taped(rule, &call) {
                let path = rule.operation.path();
                assert_eq!(output.tracks_gradient(), subset != 0, "{path}: {subset:b}");
                // And within a scope without gradients none is.
                assert!(
                    no_grad(|| taped(rule, &call))
                        .iter()
                        .all(|output| !output.tracks_gradient())
                );
            }
            subsets += 1;
        }
    }
    assert!(subsets > 300, "{subsets}");
}

#[test]
fn every_rule_of_the_operations_has_a_case_that_these_properties_cover() {
    let covered: Vec<_> = calls()
        .iter()
        .map(|(rule, ..)| rule.operation.path())
        .collect();
    let rules = Registry::global().unwrap().rules().iter();
    let without = rules
        .filter(|rule| {
            rule.package.starts_with("autodiff-ops ") && !covered.contains(&rule.operation.path())
        })
        .map(|rule| rule.operation.path())
        .collect::<Vec<_>>();
    assert_eq!(without, [""; 0]);
}
