//! Errors of what changes a gradient or a value.

use super::*;

#[test]
pub(super) fn gradient_borrowed() {
    let text = "cannot mutate a parameter gradient while a read-only gradient borrow is active";
    let world = World::new();
    let error = world.refuses(&[], || {
        let _guard = world.w.gradient();
        world.loss.backward()
    });
    expect(error, Error::GradientBorrowed, text);
    let world = World::new();
    let error = world.refuses(&[], || {
        let _guard = world.w.gradient();
        world.w.zero_grad()
    });
    expect(error, Error::GradientBorrowed, text);
}

#[test]
pub(super) fn value_borrowed() {
    let world = World::new();
    let error = world.refuses(&[], || {
        let _guard = world.w.value();
        TensorValue::update_all([
            (&world.x, tensor([2], &[5.0, 6.0])),
            (&world.w, tensor([2], &[7.0, 8.0])),
        ])
    });
    expect(
        error,
        Error::ValueBorrowed,
        "cannot mutate a parameter value while a read-only value borrow is active",
    );
}

#[test]
pub(super) fn update_shape() {
    let world = World::new();
    let error = world.refuses(&[], || {
        TensorValue::update_all([
            (&world.x, tensor([2], &[5.0, 6.0])),
            (&world.w, tensor([2, 1], &[7.0, 8.0])),
        ])
    });
    expect(
        error,
        Error::UpdateShape {
            position: 1,
            expected: vec![2],
            actual: vec![2, 1],
        },
        "update 1: new value of a parameter, expected shape [2], got [2, 1]",
    );
}

#[test]
pub(super) fn duplicate_update() {
    let world = World::new();
    let new = tensor([2], &[5.0, 6.0]);
    let error = world.refuses(&[], || {
        TensorValue::update_all([
            (&world.x, new.clone()),
            (&world.w, new.clone()),
            (&world.x, new.clone()),
        ])
    });
    expect(
        error,
        Error::DuplicateUpdate {
            first: 0,
            position: 2,
        },
        "update 2: expected each parameter once, got the parameter of update 0 again",
    );
}
