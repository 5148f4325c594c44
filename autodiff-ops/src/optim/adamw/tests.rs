//! The first steps by hand, and steps that are not taken.

use super::super::decay_matrices;
use super::*;

/// Each value comes of a few operations, each rounded by at most 2^-53.
const ROUNDING: f64 = 1e-15;

fn set(entries: &[(&str, &[usize], &[f64])]) -> ParameterSet {
    let mut parameters = ParameterSet::new();
    for (name, shape, values) in entries {
        parameters
            .create(*name, Tensor::from_vec(*shape, values.to_vec()).unwrap())
            .unwrap();
    }
    parameters
}

fn gradients(entries: &[(&str, &[usize], &[f64])]) -> Gradients {
    Gradients::from_entries(entries.iter().map(|(name, shape, values)| {
        (
            (*name).to_owned(),
            Tensor::from_vec(*shape, values.to_vec()).unwrap(),
        )
    }))
}

#[track_caller]
fn assert_values(actual: &Tensor, expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (actual, expected) in actual.as_slice().iter().zip(expected) {
        assert!(
            (actual - expected).abs() <= ROUNDING * expected.abs().max(1.0),
            "{actual} is not {expected}"
        );
    }
}

const OPTIONS: AdamWOptions = AdamWOptions {
    beta1: 0.5,
    beta2: 0.75,
    eps: 1.0,
};

#[test]
fn the_first_two_steps_are_those_computed_by_hand() {
    let parameters = set(&[("w", &[1, 1], &[10.0]), ("b", &[1], &[10.0])]);
    let mut optimiser = AdamW::new(&parameters, OPTIONS, decay_matrices(0.5)).unwrap();
    let value = |name: &str| parameters.get(name).unwrap().value_snapshot();

    let first = gradients(&[("w", &[1, 1], &[4.0]), ("b", &[1], &[4.0])]);
    optimiser.step(&parameters, &first, 0.1).unwrap();
    // m = 0.5 · 4 = 2, v = 0.25 · 16 = 4; m / 0.5 = 4, sqrt(v / 0.25) = 4; 4 / (4 + 1) = 0.8.
    assert_values(&value("w"), &[10.0 * (1.0 - 0.1 * 0.5) - 0.1 * 0.8]);
    assert_values(&value("b"), &[10.0 - 0.1 * 0.8]);
    assert_values(optimiser.moments()[0].first(), &[2.0]);
    assert_values(optimiser.moments()[0].second(), &[4.0]);

    let second = gradients(&[("w", &[1, 1], &[-2.0]), ("b", &[1], &[-2.0])]);
    optimiser.step(&parameters, &second, 0.2).unwrap();
    // m = 0.5 · 2 + 0.5 · -2 = 0; v = 0.75 · 4 + 0.25 · 4 = 4: only the decay moves the weight.
    assert_values(&value("w"), &[(9.5 - 0.08) * (1.0 - 0.2 * 0.5)]);
    assert_values(&value("b"), &[9.92]);

    let third = gradients(&[("w", &[1, 1], &[2.0]), ("b", &[1], &[2.0])]);
    optimiser.step(&parameters, &third, 0.1).unwrap();
    // m = 1, v = 0.75 · 4 + 0.25 · 4 = 4; m / (1 - 1/8) = 8/7, v / (1 - 27/64) = 256/37.
    let moved = 0.1 * (8.0 / 7.0) / ((256.0_f64 / 37.0).sqrt() + 1.0);
    assert_values(&value("b"), &[9.92 - moved]);
    assert_eq!(optimiser.step_count(), 3);
}

#[test]
fn a_clipped_gradient_is_the_gradient_times_its_factor() {
    let entry: (&str, &[usize], &[f64]) = ("w", &[2], &[1.0, 2.0]);
    let (clipped, scaled) = (set(&[entry]), set(&[entry]));
    let mut one = AdamW::new(&clipped, OPTIONS, |_, _| 0.0).unwrap();
    let mut other = AdamW::new(&scaled, OPTIONS, |_, _| 0.0).unwrap();
    // Norm 5, so a factor of exactly 0.5.
    let gradient = gradients(&[("w", &[2], &[3.0, 4.0])])
        .clipped(2.5, 0.0)
        .unwrap();
    one.step(&clipped, &gradient, 0.1).unwrap();
    other
        .step(&scaled, &gradients(&[("w", &[2], &[1.5, 2.0])]), 0.1)
        .unwrap();
    let value = |parameters: &ParameterSet| parameters.get("w").unwrap().value_snapshot();
    assert!(value(&clipped).bit_eq(&value(&scaled)));
}

#[test]
fn single_precision_follows_double() {
    let values: Vec<f64> = (0..3000).map(|i| f64::from(i % 17) / 8.0 - 1.0).collect();
    let parameters = set(&[("w", &[3000], &values)]);
    let mut narrow = ParameterSet::<f32>::new();
    narrow
        .create("w", parameters.get("w").unwrap().value_snapshot().cast())
        .unwrap();
    let mut one = AdamW::new(&parameters, AdamWOptions::default(), |_, _| 0.1).unwrap();
    let mut other = AdamW::new(&narrow, AdamWOptions::default(), |_, _| 0.1).unwrap();
    for step in 0..5 {
        let gradient = Tensor::from_fn([3000], |i| ((i * 7 + step) % 13) as f64 - 6.5).unwrap();
        let entry = |x| [("w".to_owned(), x)];
        one.step(
            &parameters,
            &Gradients::from_entries(entry(gradient.clone())),
            0.01,
        )
        .unwrap();
        let narrow_gradient = [("w".to_owned(), gradient.cast::<f32>())];
        other
            .step(&narrow, &Gradients::from_entries(narrow_gradient), 0.01)
            .unwrap();
    }
    let wide = parameters.get("w").unwrap().value_snapshot();
    let narrow = narrow.get("w").unwrap().value_snapshot();
    for (wide, narrow) in wide.as_slice().iter().zip(narrow.as_slice()) {
        // Five steps of about ten roundings of 2^-24 each, of values up to 1.
        assert!(
            (wide - f64::from(*narrow)).abs() < 3e-6,
            "{wide} is not {narrow}"
        );
    }
}

/// Two parameters after one step, and everything that a failing step could have changed.
fn stepped() -> (ParameterSet, AdamW) {
    let parameters = set(&[("a", &[2], &[1.0, 2.0]), ("b", &[1, 1], &[3.0])]);
    let mut optimiser = AdamW::new(&parameters, OPTIONS, |_, _| 0.25).unwrap();
    let first = gradients(&[("a", &[2], &[1.0, -1.0]), ("b", &[1, 1], &[0.5])]);
    optimiser.step(&parameters, &first, 0.1).unwrap();
    (parameters, optimiser)
}

#[track_caller]
fn assert_unchanged_by(
    step: impl FnOnce(&ParameterSet, &mut AdamW) -> Result<(), OptimError>,
    expected: &str,
) {
    let (parameters, mut optimiser) = stepped();
    let state = |parameters: &ParameterSet, optimiser: &AdamW| -> Vec<Tensor> {
        let values = parameters
            .iter()
            .map(|(_, parameter)| parameter.value_snapshot());
        let moments = optimiser.moments().iter();
        values
            .chain(moments.flat_map(|m| [m.first().clone(), m.second().clone()]))
            .collect()
    };
    let before = state(&parameters, &optimiser);
    let refusal = step(&parameters, &mut optimiser).unwrap_err();
    assert_eq!(refusal.to_string(), expected);
    let after = state(&parameters, &optimiser);
    assert_eq!(optimiser.step_count(), 1);
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| before.bit_eq(after))
    );
    assert!(
        parameters
            .iter()
            .all(|(_, parameter)| parameter.revision() == 1)
    );
}

#[test]
fn a_gradient_that_is_not_finite_leaves_everything_as_it_was() {
    for bad in [f64::NAN, f64::INFINITY] {
        let faulty = gradients(&[("a", &[2], &[1.0, 1.0]), ("b", &[1, 1], &[bad])]);
        assert_unchanged_by(
            |parameters, optimiser| optimiser.step(parameters, &faulty, 0.1),
            &format!("b: gradient is {bad} at flat index 0"),
        );
    }
}

#[test]
fn a_result_that_overflows_leaves_everything_as_it_was() {
    let large = gradients(&[("a", &[2], &[1.0, 1e200]), ("b", &[1, 1], &[1.0])]);
    assert_unchanged_by(
        |parameters, optimiser| optimiser.step(parameters, &large, 0.1),
        "a: second moment is inf at flat index 1",
    );
    let fine = gradients(&[("a", &[2], &[1.0, 1.0]), ("b", &[1, 1], &[1.0])]);
    assert_unchanged_by(
        |parameters, optimiser| optimiser.step(parameters, &fine, f64::MAX),
        "a: new value is -inf at flat index 0",
    );
}

#[test]
fn a_value_that_is_being_read_leaves_everything_as_it_was() {
    let fine = gradients(&[("a", &[2], &[1.0, 1.0]), ("b", &[1, 1], &[1.0])]);
    assert_unchanged_by(
        |parameters, optimiser| {
            let guard = parameters.get("b").unwrap().value();
            let outcome = optimiser.step(parameters, &fine, 0.1);
            drop(guard);
            outcome
        },
        "cannot mutate a parameter value while a read-only value borrow is active",
    );
}

#[test]
fn gradients_and_parameters_of_others_are_refused() {
    let one = gradients(&[("a", &[2], &[1.0, 1.0])]);
    assert_unchanged_by(
        |parameters, optimiser| optimiser.step(parameters, &one, 0.1),
        "expected parameter b at position 1, got none",
    );
    let turned = gradients(&[("a", &[1, 2], &[1.0, 1.0]), ("b", &[1, 1], &[1.0])]);
    assert_unchanged_by(
        |parameters, optimiser| optimiser.step(parameters, &turned, 0.1),
        "a: expected a gradient of shape [2], got [1, 2]",
    );
    assert_unchanged_by(
        |_, optimiser| {
            optimiser.step(
                &set(&[("c", &[1], &[1.0])]),
                &gradients(&[("c", &[1], &[1.0])]),
                0.1,
            )
        },
        "expected parameter c at position 0, got a",
    );
    assert_unchanged_by(
        |parameters, optimiser| optimiser.step(parameters, &parameters.gradients(), -0.1),
        "learning_rate: expected a finite number of at least 0, got -0.1",
    );
}

#[test]
fn a_restored_optimiser_goes_on_bit_for_bit() {
    let (parameters, mut optimiser) = stepped();
    let copy = ParameterSet::clone(&set(&[]));
    let mut copy = copy;
    for (name, parameter) in parameters.iter() {
        copy.create(name, parameter.value_snapshot()).unwrap();
    }
    let mut restored = AdamW::new(&copy, OPTIONS, |_, _| 0.25).unwrap();
    let saved: Vec<_> = optimiser
        .moments()
        .iter()
        .rev()
        .map(|m| (m.name().to_owned(), m.first().clone(), m.second().clone()))
        .collect();
    restored.restore(optimiser.step_count(), saved).unwrap();
    let next = gradients(&[("a", &[2], &[0.3, 0.7]), ("b", &[1, 1], &[-0.9])]);
    optimiser.step(&parameters, &next, 0.05).unwrap();
    restored.step(&copy, &next, 0.05).unwrap();
    for ((_, one), (_, other)) in parameters.iter().zip(copy.iter()) {
        assert!(one.value_snapshot().bit_eq(&other.value_snapshot()));
    }
    assert_eq!(restored.step_count(), 2);
}

#[test]
fn a_state_of_other_parameters_is_refused() {
    let entry = |name: &str, values: &[f64]| {
        let tensor = Tensor::from_vec([values.len()], values.to_vec()).unwrap();
        (name.to_owned(), tensor.clone(), tensor)
    };
    let matrix = Tensor::from_vec([1, 1], vec![1.0]).unwrap();
    let b = ("b".to_owned(), matrix.clone(), matrix);
    let a = entry("a", &[1.0, 1.0]);
    let cases = [
        (
            vec![a.clone()],
            "expected parameter b at position 1, got none",
        ),
        (
            vec![a.clone(), b.clone(), entry("c", &[1.0])],
            "expected no parameter at position 2, got c",
        ),
        (
            vec![a.clone(), b.clone(), a.clone()],
            "expected each name once, got a again",
        ),
        (
            vec![entry("a", &[1.0]), b.clone()],
            "a: expected a first moment of shape [2], got [1]",
        ),
        (
            vec![entry("a", &[1.0, f64::NAN]), b.clone()],
            "a: first moment is NaN at flat index 1",
        ),
        // A first moment may be negative, a mean of squares may not.
        (
            vec![entry("a", &[1.0, -1.0]), b.clone()],
            "a: second moment, expected numbers of at least 0, got -1 at flat index 1",
        ),
    ];
    for (state, expected) in cases {
        assert_unchanged_by(|_, optimiser| optimiser.restore(7, state), expected);
    }
}

#[test]
fn constants_without_meaning_are_refused() {
    let refusal = |options: AdamWOptions, decay: f64| {
        let parameters = set(&[("a", &[1], &[1.0])]);
        AdamW::new(&parameters, options, |_, _| decay)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refusal(
            AdamWOptions {
                beta2: 1.0,
                ..OPTIONS
            },
            0.0
        ),
        "beta2: expected a number of at least 0 and below 1, got 1"
    );
    assert_eq!(
        refusal(
            AdamWOptions {
                eps: -1.0,
                ..OPTIONS
            },
            0.0
        ),
        "eps: expected a finite number of at least 0, got -1"
    );
    assert_eq!(
        refusal(OPTIONS, f64::NAN),
        "decay: expected a finite number of at least 0, got NaN"
    );
}

#[test]
fn the_count_of_steps_stays_at_its_largest() {
    let parameters = set(&[("w", &[1], &[1.0])]);
    let mut optimiser = AdamW::new(&parameters, OPTIONS, |_, _| 0.0).unwrap();
    let moment = Tensor::zeros([1]).unwrap();
    optimiser
        .restore(usize::MAX, [("w".to_owned(), moment.clone(), moment)])
        .unwrap();
    optimiser
        .step(&parameters, &gradients(&[("w", &[1], &[1.0])]), 0.1)
        .unwrap();
    assert_eq!(optimiser.step_count(), usize::MAX);
}
