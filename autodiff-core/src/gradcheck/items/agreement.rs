//! The forward half: two runs and both forms agree.

use crate::error::TensorAutodiffError;
use crate::gradcheck::compare::Place;
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::{Cause, Check, Found};
use crate::gradcheck::point::Point;
use crate::rule::Outputs;
use crate::tensor::Tensor;

/// What the forward half gave.
pub(in crate::gradcheck) enum Forward<T: Checked> {
    /// Finite outputs.
    Outputs(Vec<Tensor<T>>),
    /// The operation does not accept the inputs, in either form.
    Refused(TensorAutodiffError),
}

/// Runs the plain form twice and the taped form once, and compares all bits. A result that changes
/// between runs is reported as that, before anything is differentiated.
pub(in crate::gradcheck) fn forward<T: Checked>(point: &Point<'_, T>) -> Result<Forward<T>, Found> {
    let place = Place::new::<T>(Check::Agreement, 0);
    let taped = point.record(|_| true);
    let (plain, again) = match (point.plain(), point.plain()) {
        (Ok(plain), Ok(again)) => (plain, again),
        (Err(plain), Err(_)) => {
            // On the tape the leaves are checked first, and a refusal there is one as well.
            return match taped {
                Err(taped) if plain == taped || is_non_finite(&taped) => {
                    Ok(Forward::Refused(plain))
                }
                taped => Err(place.found(Cause::RefusedDifferently {
                    plain: Some(plain),
                    taped: taped.err(),
                })),
            };
        }
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
            return Err(Place {
                check: Check::Determinism,
                ..place
            }
            .refused(error));
        }
    };
    same_outputs(Check::Determinism, &again, &plain)?;
    let recording = match taped {
        Ok(recording) => recording,
        Err(error) if is_non_finite(&error) => return Ok(Forward::Refused(error)),
        Err(error) => {
            return Err(place.found(Cause::RefusedDifferently {
                plain: None,
                taped: Some(error),
            }));
        }
    };
    if point.rule.outputs == Outputs::One && plain.len() != 1 {
        return Err(place.found(Cause::Structure {
            expected: "one output".to_owned(),
            actual: format!("{} outputs", plain.len()),
        }));
    }
    let taped: Vec<_> = recording
        .outputs
        .iter()
        .map(|output| output.value_snapshot())
        .collect();
    same_outputs(Check::Agreement, &taped, &plain)?;
    Ok(Forward::Outputs(plain))
}

fn same_outputs<T: Checked>(
    check: Check,
    analytic: &[Tensor<T>],
    numeric: &[Tensor<T>],
) -> Result<(), Found> {
    let place = Place::new::<T>(check, 0);
    if analytic.len() != numeric.len() {
        return Err(place.found(Cause::Structure {
            expected: format!("{} outputs", numeric.len()),
            actual: format!("{} outputs", analytic.len()),
        }));
    }
    for (output, (analytic, numeric)) in analytic.iter().zip(numeric).enumerate() {
        Place { output, ..place }.same_bits(analytic, numeric)?;
    }
    Ok(())
}

/// The tape refuses what is not finite; the plain form does not.
fn is_non_finite(error: &TensorAutodiffError) -> bool {
    matches!(
        error,
        TensorAutodiffError::NonFiniteForward { .. } | TensorAutodiffError::NonFiniteLeaf { .. }
    )
}
