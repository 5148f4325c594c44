//! Which names are taken, kept in order and refused.

use super::*;

fn ones(shape: &[usize]) -> Tensor {
    Tensor::ones(shape).unwrap()
}

fn two() -> ParameterSet {
    let mut parameters = ParameterSet::new();
    parameters.create("z.weight", ones(&[2, 3])).unwrap();
    parameters.create("a.bias", ones(&[3])).unwrap();
    parameters
}

#[test]
fn names_stay_in_the_order_in_which_they_came() {
    let parameters = two();
    assert_eq!(
        parameters.names().collect::<Vec<_>>(),
        ["z.weight", "a.bias"]
    );
    assert_eq!((parameters.len(), parameters.element_count()), (2, 9));
    assert_eq!(parameters.get("a.bias").unwrap().shape(), [3]);
    assert!(parameters.get("a").is_none());
}

#[test]
fn a_name_is_taken_once() {
    let mut parameters = two();
    let refusal = parameters.create("a.bias", ones(&[1])).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "expected each name once, got a.bias again"
    );
    assert_eq!(parameters.len(), 2);
}

#[test]
fn a_name_is_not_empty() {
    let mut parameters = two();
    let nameless = TensorValue::parameter(ones(&[1])).unwrap();
    for refusal in [
        parameters.create("", ones(&[1])).unwrap_err(),
        parameters.insert("", &nameless).unwrap_err(),
    ] {
        assert_eq!(
            refusal.to_string(),
            "expected a name for a parameter, got an empty one"
        );
    }
    assert_eq!(parameters.len(), 2);
}

#[test]
fn a_tied_weight_has_one_name() {
    let mut parameters = two();
    let tied = parameters.get("z.weight").unwrap().clone();
    let refusal = parameters.insert("head.weight", &tied).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "head.weight: expected a parameter without a name, got z.weight again"
    );
}

#[test]
fn only_parameters_are_named() {
    let mut parameters = ParameterSet::new();
    let constant = TensorValue::constant(ones(&[1])).unwrap();
    let refusal = parameters.insert("c", &constant).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "c: expected a parameter, got a result of constant"
    );
    let value = Tensor::from_vec([1], vec![f64::NAN]).unwrap();
    assert!(matches!(
        parameters.create("n", value),
        Err(OptimError::Tape(_))
    ));
    assert!(parameters.is_empty());
}

#[test]
fn values_are_set_by_name_all_or_none() {
    let parameters = two();
    let value = Tensor::full([3], 5.0).unwrap();
    let refusal = parameters
        .set_values([("a.bias", value.clone()), ("b", ones(&[1]))])
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "expected the name of a parameter, got b"
    );
    assert_eq!(
        parameters.get("a.bias").unwrap().value_snapshot(),
        ones(&[3])
    );
    parameters.set_values([("a.bias", value.clone())]).unwrap();
    assert_eq!(parameters.get("a.bias").unwrap().value_snapshot(), value);
}

#[test]
fn gradients_are_zeroed_all_or_none() {
    let parameters = two();
    let weight = parameters.get("z.weight").unwrap();
    let seed = Tensor::full([2, 3], 2.0).unwrap();
    weight
        .backward_with_seed(&seed.view(), GraphRetention::Retain)
        .unwrap();
    let reader = parameters.get("a.bias").unwrap().gradient();
    let refusal = parameters.zero_grad().unwrap_err();
    assert_eq!(refusal, TensorAutodiffError::GradientBorrowed.into());
    assert_eq!(weight.gradient_snapshot().unwrap(), seed);
    drop(reader);
    parameters.zero_grad().unwrap();
    assert_eq!(
        weight.gradient_snapshot().unwrap(),
        Tensor::zeros([2, 3]).unwrap()
    );
}

#[test]
fn matrices_decay_and_vectors_do_not() {
    let decay = decay_matrices(0.1);
    assert_eq!(
        [decay("w", &[2, 3]), decay("b", &[3]), decay("s", &[])],
        [0.1, 0.0, 0.0]
    );
}
