//! The first steps by hand, and steps that are not taken.

use super::*;

fn one(values: &[f64]) -> ParameterSet {
    let mut parameters = ParameterSet::new();
    parameters
        .create(
            "w",
            Tensor::from_vec([values.len()], values.to_vec()).unwrap(),
        )
        .unwrap();
    parameters
}

fn gradient(values: &[f64]) -> Gradients {
    let gradient = Tensor::from_vec([values.len()], values.to_vec()).unwrap();
    Gradients::from_entries([("w".to_owned(), gradient)])
}

fn values(parameters: &ParameterSet) -> Vec<f64> {
    parameters.get("w").unwrap().value_snapshot().to_vec()
}

#[test]
fn the_first_two_steps_are_those_computed_by_hand() {
    let parameters = one(&[1.0]);
    let mut optimiser = Sgd::new(&parameters, SgdOptions { momentum: 0.5 }, |_, _| 0.25).unwrap();
    optimiser.step(&parameters, &gradient(&[2.0]), 0.5).unwrap();
    // u = 2 + 0.25 · 1 = 2.25; 1 - 0.5 · 2.25
    assert_eq!(values(&parameters), [-0.125]);
    optimiser.step(&parameters, &gradient(&[1.0]), 0.5).unwrap();
    // u = 0.5 · 2.25 + 1 - 0.25 · 0.125 = 2.09375; -0.125 - 0.5 · 2.09375
    assert_eq!(values(&parameters), [-1.171875]);
    assert_eq!(optimiser.step_count(), 2);
    let velocities: Vec<_> = optimiser
        .velocities()
        .map(|(name, u)| (name, u.to_vec()))
        .collect();
    assert_eq!(velocities, [("w", vec![2.09375])]);
}

#[test]
fn without_momentum_a_step_is_the_gradient_times_the_rate() {
    let parameters = one(&[1.0, 2.0]);
    let mut optimiser = Sgd::new(&parameters, SgdOptions::default(), |_, _| 0.0).unwrap();
    for _ in 0..2 {
        optimiser
            .step(&parameters, &gradient(&[4.0, -8.0]), 0.25)
            .unwrap();
    }
    assert_eq!(values(&parameters), [-1.0, 6.0]);
}

#[test]
fn a_refused_step_leaves_everything_as_it_was() {
    let parameters = one(&[1.0, 2.0]);
    let mut optimiser = Sgd::new(&parameters, SgdOptions { momentum: 0.5 }, |_, _| 0.0).unwrap();
    optimiser
        .step(&parameters, &gradient(&[4.0, -8.0]), 0.25)
        .unwrap();
    let before = values(&parameters);
    let mut refused = |values: &[f64], rate: f64| {
        optimiser
            .step(&parameters, &gradient(values), rate)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(&[1.0, f64::NAN], 0.1),
        "w: gradient is NaN at flat index 1"
    );
    assert_eq!(
        refused(&[f64::MAX, 1.0], 1e10),
        "w: new value is -inf at flat index 0"
    );
    assert_eq!(
        refused(&[1.0], 0.1),
        "w: expected a gradient of shape [2], got [1]"
    );
    assert_eq!(values(&parameters), before);
    assert_eq!(optimiser.step_count(), 1);
    assert!(
        optimiser
            .velocities()
            .all(|(_, u)| u.as_slice() == [4.0, -8.0])
    );
}

#[test]
fn a_restored_optimiser_goes_on_bit_for_bit() {
    let (parameters, copy) = (one(&[0.1]), one(&[0.1]));
    let options = SgdOptions { momentum: 0.9 };
    let mut optimiser = Sgd::new(&parameters, options, |_, _| 0.1).unwrap();
    optimiser.step(&parameters, &gradient(&[0.7]), 0.3).unwrap();
    copy.set_values([("w", parameters.get("w").unwrap().value_snapshot())])
        .unwrap();
    let mut restored = Sgd::new(&copy, options, |_, _| 0.1).unwrap();
    let saved: Vec<_> = optimiser
        .velocities()
        .map(|(name, u)| (name.to_owned(), u.clone()))
        .collect();
    restored.restore(optimiser.step_count(), saved).unwrap();
    optimiser.step(&parameters, &gradient(&[0.2]), 0.3).unwrap();
    restored.step(&copy, &gradient(&[0.2]), 0.3).unwrap();
    assert_eq!(values(&parameters), values(&copy));
}

#[test]
fn the_count_of_steps_stays_at_its_largest() {
    let parameters = one(&[1.0]);
    let mut optimiser = Sgd::new(&parameters, SgdOptions::default(), |_, _| 0.0).unwrap();
    let velocity = Tensor::zeros([1]).unwrap();
    optimiser
        .restore(usize::MAX, [("w".to_owned(), velocity)])
        .unwrap();
    optimiser.step(&parameters, &gradient(&[2.0]), 0.5).unwrap();
    assert_eq!(
        (values(&parameters), optimiser.step_count()),
        (vec![0.0], usize::MAX)
    );
}
