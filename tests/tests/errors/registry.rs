//! Errors of the registry of rules.

use super::*;

#[test]
pub(super) fn registry_unknown_operation() {
    let world = World::new();
    let operation = Operation::new(&STRAY);
    let output = forged(operation, &world.x).unwrap();
    let seed = tensor([2], &[1.0, 1.0]);
    let error = world.refuses(&[&output], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    let id = operation.id();
    expect(
        error,
        Error::Registry(RegistryError::UnknownOperation {
            path: "nowhere::stray".to_owned(),
            id,
        }),
        &format!(
            "operation nowhere::stray ({id}) is not registered: name the crate that declares it \
             (`use nowhere as _;`) so that it is linked"
        ),
    );
}

#[test]
pub(super) fn registry_unsupported_element() {
    let world = World::new();
    let operation = world.x.only_f64().unwrap().operation();
    let x = TensorValue::parameter(Tensor::from_vec([1], vec![1.0_f32]).unwrap()).unwrap();
    let output = forged(operation, &x).unwrap();
    let seed = Tensor::from_vec([1], vec![1.0_f32]).unwrap();
    let error = world.refuses(&[], || {
        output.backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    assert_eq!(x.gradient_snapshot().unwrap().as_slice(), [0.0]);
    assert!(!output.is_released());
    expect(
        error,
        Error::Registry(RegistryError::UnsupportedElement {
            path: operation.path(),
            element: "f32",
        }),
        "operation errors::faulty::only_f64 has no reverse rule for element type f32",
    );
}

#[test]
pub(super) fn registry_duplicate() {
    let world = World::new();
    let rule = Registry::global()
        .unwrap()
        .rule(world.product.operation())
        .unwrap();
    let error = world.refuses(&[], || Ok(Registry::from_rules([rule, rule])?));
    let location = rule.location();
    expect(
        error,
        Error::Registry(RegistryError::Duplicate {
            earlier: rule.operation.path(),
            path: rule.operation.path(),
            first: location.clone(),
            second: location.clone(),
        }),
        &format!(
            "operation {} is registered twice: {location} and {location}",
            rule.operation.path()
        ),
    );
}

#[test]
pub(super) fn registry_empty() {
    let world = World::new();
    let error = world.refuses(&[], || Ok(Registry::from_rules([])?));
    expect(
        error,
        Error::Registry(RegistryError::Empty),
        "no operation is registered: a crate that is never named is not linked, so name the crate that \
         declares the operations (`use autodiff_ops as _;`)",
    );
}
