//! The tensors that a step stands for: values of leaves, updates, seeds.

use crate::arrays::Array;
use crate::step::{Seed, Values};

impl Values {
    pub fn array(&self, shape: &[usize]) -> Array {
        let len = shape.iter().product();
        let mut values: Vec<f64> = self.numbers.iter().copied().cycle().take(len).collect();
        if let Some((place, value)) = self.spoilt
            && let Some(spoilt) = values.get_mut(place)
        {
            *spoilt = value;
        }
        Array {
            shape: shape.to_vec(),
            values,
        }
    }
}

/// What a step would set these arrays to; the last one alone gets another shape.
pub fn updates<'a>(
    of: impl Iterator<Item = &'a Array>,
    values: &Values,
    other_shape: bool,
) -> Vec<Array> {
    let mut updates: Vec<Array> = of.map(|array| values.array(&array.shape)).collect();
    if other_shape && let Some(last) = updates.last_mut() {
        last.shape.insert(0, 1);
    }
    updates
}

/// The seed of a step for an output.
pub fn seed_for(seed: &Seed, output: &Array) -> Array {
    let len = output.values.len();
    let mut values: Vec<f64> = match seed {
        Seed::Numbers(numbers) => numbers.iter().copied().cycle().take(len).collect(),
        _ => vec![0.0; len],
    };
    let mut shape = output.shape.clone();
    match seed {
        Seed::Numbers(_) => {}
        Seed::OtherShape => shape.insert(0, 1),
        Seed::Huge(place, value) | Seed::Spoilt(place, value) => {
            if let Some(spoilt) = values.get_mut(*place) {
                *spoilt = *value;
            }
        }
    }
    Array { shape, values }
}
