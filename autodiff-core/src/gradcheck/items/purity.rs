//! A reverse map changes nothing, and gives the same bits again.

use super::Item;
use crate::gradcheck::compare::{Place, same_contributions};
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::{Cause, Check};
use crate::gradcheck::point::{Point, Recording};
use crate::gradcheck::report::Outcome;
use crate::rule::SavedValue;
use crate::tensor::Tensor;

/// Reverses twice, and once more from a second recording. Operands, upstream and saved context are
/// compared with copies that share no storage with them.
pub(in crate::gradcheck) fn purity<T: Checked>(
    point: &Point<'_, T>,
    upstreams: &[Tensor<T>],
) -> Item {
    let place = Place::new::<T>(Check::Purity, 0);
    let recording = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let again = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let operands: Vec<_> = point.operands.iter().map(bits).collect();
    for (output, upstream) in upstreams.iter().enumerate() {
        let place = Place { output, ..place };
        let reverse = |recording: &Recording<'_, T>| {
            recording
                .reverse(output, upstream)
                .map_err(|error| place.refused(error))
        };
        let upstream_before = bits(upstream);
        let value_before = recording
            .outputs
            .get(output)
            .map(|output| bits(&output.value_snapshot()));
        let saved_before = saved(&recording, output).map_err(|error| place.refused(error))?;
        let first = reverse(&recording)?;
        let saved_after = saved(&recording, output).map_err(|error| place.refused(error))?;
        let second = reverse(&recording)?;
        let changed = |what: String| Err(place.found(Cause::Changed { what }));
        if bits(upstream) != upstream_before {
            return changed("its upstream".to_owned());
        }
        if recording
            .outputs
            .get(output)
            .map(|output| bits(&output.value_snapshot()))
            != value_before
        {
            return changed("the output".to_owned());
        }
        if let Some((before, _)) = saved_before
            .iter()
            .zip(&saved_after)
            .find(|(before, after)| before != after)
        {
            return changed(format!("the saved {}", before.0));
        }
        let held = recording
            .leaves
            .iter()
            .map(|leaf| bits(&leaf.value_snapshot()));
        if let Some(operand) = held
            .zip(&operands)
            .position(|(held, before)| held != *before)
        {
            return changed(format!("operand {}", point.sample.name(operand)));
        }
        same_contributions(place, point, &second, &first)?;
        same_contributions(place, point, &reverse(&again)?, &first)?;
    }
    Ok(Outcome::Held(0.0))
}

/// All bits of a tensor's elements, in storage of their own.
fn bits<T: Checked>(tensor: &Tensor<T>) -> Vec<(u64, u64)> {
    let both = |x: &T| (x.to_f64().to_bits(), x.tangent().to_bits());
    tensor.as_slice().iter().map(both).collect()
}

type SavedBits = (&'static str, Vec<Vec<(u64, u64)>>, String);

/// What an output's edges saved: tensors by their bits, since a NaN is not equal to itself.
fn saved<T: Checked>(
    recording: &Recording<'_, T>,
    output: usize,
) -> crate::error::Result<Vec<SavedBits>> {
    recording.with_history(output, |history| {
        let vjps = 0..recording.vjps();
        let fields = vjps.flat_map(|vjp| history.saved.fields(vjp));
        fields
            .map(|field| match &field.value {
                SavedValue::Tensor(tensor) => (field.name, vec![bits(tensor)], String::new()),
                SavedValue::Tensors(tensors) => (
                    field.name,
                    tensors.iter().map(bits).collect(),
                    String::new(),
                ),
                other => (field.name, Vec::new(), format!("{other:?}")),
            })
            .collect()
    })
}
