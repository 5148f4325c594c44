//! What is made where nothing is recorded, and what released nodes are still good for.

use super::*;

#[test]
fn results_are_untracked_and_equal() {
    let x = parameter(&[1.0, 2.0]);
    let (taped, scoped) = (x.mul(&x).unwrap(), no_grad(|| x.mul(&x)).unwrap());
    assert!(taped.tracks_gradient() && !scoped.tracks_gradient());
    assert_eq!(taped.value_snapshot(), scoped.value_snapshot());
}

#[test]
fn scopes_nest() {
    let x = parameter(&[1.0]);
    no_grad(|| {
        no_grad(|| assert!(!x.add(&x).unwrap().tracks_gradient()));
        assert!(!x.add(&x).unwrap().tracks_gradient());
    });
    assert!(x.add(&x).unwrap().tracks_gradient());
}

#[test]
fn a_panic_ends_the_scope() {
    let x = parameter(&[1.0]);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        no_grad(|| std::panic::resume_unwind(Box::new(())))
    }))
    .is_err();
    assert!(panicked && x.add(&x).unwrap().tracks_gradient());
}

#[test]
fn the_scope_is_of_its_thread_only() {
    let x = parameter(&[1.0]);
    no_grad(|| {
        std::thread::scope(|threads| {
            threads.spawn(|| assert!(x.add(&x).unwrap().tracks_gradient()));
        });
    });
}

#[test]
fn released_nodes_may_be_read() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert_eq!(y.value_snapshot(), tensor([2], &[1.0, 4.0]));
    let z = no_grad(|| y.add(&y)).unwrap();
    assert_eq!(z.value_snapshot(), tensor([2], &[2.0, 8.0]));
    let error = y.add(&y).unwrap_err();
    assert!(matches!(
        error,
        TensorAutodiffError::ReleasedOperand { operand: 0, .. }
    ));
}

#[test]
fn a_released_node_may_be_detached_and_used() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
    let z = y.detach().mul(&x).unwrap();
    pass(&z, &[1.0, 1.0], GraphRetention::Release).unwrap();
    // 2 x from the first pass and detach(x²) from the second.
    assert_eq!(gradient(&x), [2.0 + 1.0, 4.0 + 4.0]);
}

#[test]
fn a_pass_within_the_scope_reverses_what_was_recorded_outside() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    no_grad(|| pass(&y, &[1.0, 1.0], GraphRetention::Release)).unwrap();
    assert_eq!(gradient(&x), [2.0, 4.0]);
}
