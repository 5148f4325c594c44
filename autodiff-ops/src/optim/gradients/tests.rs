//! The common norm, what clipping makes of it, and where there is none.

use super::*;

fn gradients(values: &[(&str, &[f64])]) -> Gradients {
    Gradients::from_entries(values.iter().map(|(name, values)| {
        let gradient = Tensor::from_vec([values.len()], values.to_vec()).unwrap();
        ((*name).to_owned(), gradient)
    }))
}

#[test]
fn the_norm_is_that_of_all_gradients_as_one_vector() {
    // 2² + 3² + 6² = 7²
    let norm = gradients(&[("a", &[2.0, -3.0]), ("b", &[6.0])]).global_norm();
    assert_eq!(norm, Ok(7.0));
    assert_eq!(gradients(&[]).global_norm(), Ok(0.0));
}

#[test]
fn a_long_gradient_counts_every_element_once() {
    let ones = vec![1.0; 4 * BLOCK + 1024 + 1 + 100];
    let count = ones.len() as f64;
    let norm = gradients(&[("a", &ones)]).global_norm().unwrap();
    // A sum of ones is exact, and so is its root to half an ulp.
    assert_eq!(norm, count.sqrt());
}

#[test]
fn the_factor_is_the_bound_over_the_norm_and_eps() {
    let clipped = |max_norm: f64, eps: f64| {
        gradients(&[("a", &[3.0, 4.0])])
            .clipped(max_norm, eps)
            .unwrap()
            .factor()
    };
    assert_eq!(clipped(1.0, 1e-6), 1.0 / (5.0 + 1e-6));
    assert_eq!(clipped(1.0, 0.0), 0.2);
    assert_eq!(clipped(5.0, 0.0), 1.0);
    assert_eq!(clipped(6.0, 1e-6), 1.0);
    // min(1, 5 / (5 + eps)) is below 1.
    assert_eq!(clipped(5.0, 1e-6), 5.0 / (5.0 + 1e-6));
    assert_eq!(
        gradients(&[("a", &[0.0])])
            .clipped(0.0, 0.0)
            .unwrap()
            .factor(),
        1.0
    );
}

#[test]
fn what_is_not_finite_is_named() {
    let refusal = gradients(&[("a", &[1.0]), ("b", &[1.0, f64::NAN])]).clipped(1.0, 0.0);
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "b: gradient is NaN at flat index 1"
    );
    let refusal = gradients(&[("a", &[1e200])]).global_norm().unwrap_err();
    assert_eq!(
        refusal,
        OptimError::NonFiniteNorm {
            norm: f64::INFINITY
        }
    );
    // 1e30 squared fits into double precision only.
    let gradient = Tensor::from_vec([1], vec![1e30_f32]).unwrap();
    let norm = Gradients::from_entries([("a".to_owned(), gradient)]).global_norm();
    assert_eq!(norm, Ok(f64::from(1e30_f32)));
}

#[test]
fn bounds_without_meaning_are_refused() {
    let refusal = |max_norm, eps| {
        gradients(&[])
            .clipped(max_norm, eps)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refusal(-1.0, 0.0),
        "max_norm: expected a finite number of at least 0, got -1"
    );
    assert_eq!(
        refusal(1.0, f64::NAN),
        "eps: expected a finite number of at least 0, got NaN"
    );
}
