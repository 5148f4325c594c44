//! What can be saved, and what a trace shows of it.

use std::fmt;

use autodiff_core::prelude::*;
use autodiff_core::rule::SavedValue;

use crate::{gradient, parameter, reverse, tensor};

/// A user's own type in a saved context.
#[derive(Clone, Debug)]
struct Slope {
    rise: f64,
}

/// `2 · x`, which saves one of each kind.
#[vjp_rule]
#[gradcheck(x: [m, n], note = "noted")]
pub fn doubled<T: Element>(x: &Tensor<T>, note: &str) -> Result<Tensor<T>> {
    /// upstream times the rise
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        output: &Tensor<T>,
        note: &str,
        slope: &Slope,
        shape: &[usize],
        label: &str,
        parts: &[T],
        rank: usize,
        step: Option<f64>,
    ) -> Result<Tensor<T>> {
        assert_eq!((x.shape(), output.shape(), x.rank()), (shape, shape, rank));
        assert_eq!((label, parts.len(), step), (note, x.len(), Some(1.0)));
        Ok(upstream.map(|u| u * T::from_f64(slope.rise)))
    }
    // Owned, borrowed and slice-like locals are all stored as owned values.
    let shape = x.shape();
    let label = note.to_owned();
    let parts = x.as_slice();
    let rank = x.rank();
    let step = Some(1.0);
    let slope = Slope { rise: 2.0 };
    // The value may move what is saved.
    Ok(scaled(x, slope))
}

fn scaled<T: Element>(x: &Tensor<T>, Slope { rise }: Slope) -> Tensor<T> {
    x.map(|x| x * T::from_f64(rise))
}

#[test]
fn a_trace_shows_saved_values_by_name() -> Result<()> {
    let x = parameter(&[1, 2], &[1.0, 2.0])?;
    let y = x.doubled("noted")?;
    let seed = tensor(&[1, 2], &[1.0, 1.0])?;
    let pass = y.backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)?;
    let saved = &pass.edges[0].saved;
    assert_eq!(saved.rule, "upstream times the rise");
    let names: Vec<&str> = saved.fields.iter().map(|field| field.name).collect();
    assert_eq!(
        names,
        [
            "x", "output", "note", "slope", "shape", "label", "parts", "rank", "step"
        ]
    );
    assert_eq!(
        saved.get("x"),
        Some(&SavedValue::Tensor(x.value_snapshot()))
    );
    assert_eq!(
        saved.get("output"),
        Some(&SavedValue::Tensor(y.value_snapshot()))
    );
    assert_eq!(
        saved.get("note"),
        Some(&SavedValue::Text("noted".to_owned()))
    );
    assert_eq!(saved.get("shape"), Some(&SavedValue::UsizeList(vec![1, 2])));
    assert_eq!(saved.get("rank"), Some(&SavedValue::Usize(2)));
    assert_eq!(saved.get("step"), Some(&SavedValue::F64(1.0)));
    // A type that the trace does not know is shown by its `Debug`.
    assert_eq!(
        saved.get("slope"),
        Some(&SavedValue::Other("Slope { rise: 2.0 }".to_owned()))
    );
    Ok(())
}

/// An error of the rule's own.
#[derive(Clone, Debug, PartialEq)]
struct TooLong {
    len: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected at most 3 elements, got {}", self.len)
    }
}

impl std::error::Error for TooLong {}

impl From<TooLong> for TensorAutodiffError {
    fn from(error: TooLong) -> Self {
        OpError::new(error).into()
    }
}

/// The identity on short tensors, with an error type of its own.
#[vjp_rule]
#[gradcheck(x: [3])]
pub fn short<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>, TooLong> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, len: usize) -> Result<Tensor<T>, TooLong> {
        if upstream.len() == len {
            Ok(upstream)
        } else {
            Err(TooLong { len })
        }
    }
    let len = x.len();
    if len > 3 {
        return Err(TooLong { len });
    }
    Ok(x.clone())
}

#[test]
fn an_error_of_the_rules_own_is_wrapped_with_the_operation() -> Result<()> {
    let long = parameter(&[4], &[1.0, 2.0, 3.0, 4.0])?;
    let Err(error) = long.short() else {
        panic!("four elements were accepted");
    };
    assert_eq!(
        error.to_string(),
        "short: expected at most 3 elements, got 4"
    );
    let TensorAutodiffError::Operation { source, .. } = error else {
        panic!("the operation is not named: {error:?}");
    };
    assert_eq!(source.downcast_ref(), Some(&TooLong { len: 4 }));
    let x = parameter(&[1], &[1.0])?;
    reverse(&x.short()?, &[3.0])?;
    assert_eq!(gradient(&x), [3.0]);
    Ok(())
}
