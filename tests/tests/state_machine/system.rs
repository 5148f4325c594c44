//! The tape under the same steps, and everything that must be as in the reference afterwards.

use autodiff_ops::prelude::*;

use crate::arrays::{Array, Op};
use crate::inputs::{seed_for, updates};
use crate::step::{SHAPES, Step, Values};
use crate::world::{Node, Outcome, World};

#[derive(Debug, Default)]
pub struct System {
    handles: Vec<TensorValue>,
    guards: Vec<TensorGuard>,
}

impl System {
    /// Takes the step that the world has just taken, and compares.
    pub fn take(&mut self, step: &Step, world: &World) {
        if world.outcome == Outcome::Skipped {
            return;
        }
        let traced = self.attempt(step);
        let expected = match &world.outcome {
            Outcome::Refused(error) => Some(error),
            _ => None,
        };
        assert_eq!(
            traced.as_ref().err().map(unsigned),
            expected.map(unsigned),
            "{step:?}"
        );
        if let (Ok(Some(pass)), Some(reversed)) = (&traced, &world.reversed) {
            let edges = pass.edges.iter().map(|edge| {
                let contribution = edge.contribution.to_vec();
                (edge.child, edge.parent, edge.operand, contribution)
            });
            let edges: Vec<_> = edges.collect();
            assert_eq!(edges, reversed.contributions, "{step:?}");
        }
    }

    /// The step itself; what is picked is there, since the world has not skipped it.
    fn attempt(&mut self, step: &Step) -> Result<Option<TensorBackwardPass>> {
        let pick = |of: u8| World::pick(of, self.handles.len());
        let handle = |of: u8| self.handles[pick(of).unwrap()].clone();
        match step {
            Step::Leaf {
                tracked,
                shape,
                values,
            } => {
                let value = tensor(&values.array(SHAPES[*shape]));
                self.handles.push(if *tracked {
                    TensorValue::parameter(value)?
                } else {
                    TensorValue::constant(value)?
                });
            }
            Step::Apply {
                op,
                operands,
                recorded,
                again,
            } => {
                let operands: Vec<_> = operands[..op.operands()]
                    .iter()
                    .map(|of| handle(*of))
                    .collect();
                let call = || call(*op, *again, &operands);
                let outputs = if *recorded { call()? } else { no_grad(call)? };
                self.handles.extend(outputs);
            }
            Step::Pass {
                of,
                seed,
                release,
                traced,
            } => {
                let output = handle(*of);
                let shown = Array {
                    shape: output.shape(),
                    values: output.value().to_vec(),
                };
                let seed = tensor(&seed_for(seed, &shown));
                let retention = if *release {
                    GraphRetention::Release
                } else {
                    GraphRetention::Retain
                };
                if *traced {
                    let pass = output.backward_with_seed_and_trace(&seed.view(), retention);
                    return pass.map(Some);
                }
                output.backward_with_seed(&seed.view(), retention)?;
            }
            Step::Backward { of } => handle(*of).backward()?,
            Step::Zero { of } => handle(*of).zero_grad()?,
            Step::Set {
                of,
                values,
                other_shape,
            } => {
                let parameter = handle(*of);
                let value = new_values(std::slice::from_ref(&parameter), values, *other_shape);
                parameter.set_value(value.into_iter().next().unwrap())?;
            }
            Step::SetAll {
                of,
                values,
                other_shape,
            } => {
                let parameters: Vec<_> = of.iter().map(|of| handle(*of)).collect();
                let new = new_values(&parameters, values, *other_shape);
                update_all(parameters.iter().zip(new))?;
            }
            Step::Detach { of } => {
                let detached = handle(*of).detach();
                self.handles.push(detached);
            }
            Step::Clone { of } => {
                let same = handle(*of);
                self.handles.push(same);
            }
            Step::Drop { of } => {
                let place = pick(*of).unwrap();
                self.handles.swap_remove(place);
            }
            Step::HoldValue { of } => {
                let guard = handle(*of).value();
                self.guards.push(guard);
            }
            Step::HoldGradient { of } => {
                let guard = handle(*of).gradient().unwrap();
                self.guards.push(guard);
            }
            Step::LetGo { guard } => {
                let place = World::pick(*guard, self.guards.len()).unwrap();
                self.guards.swap_remove(place);
            }
        }
        Ok(None)
    }

    /// Every live handle shows what its node in the world has, whatever the last step was.
    pub fn compare(&self, world: &World) {
        assert_eq!(self.handles.len(), world.handles.len());
        for (handle, &number) in self.handles.iter().zip(&world.handles) {
            compare_node(handle, &world.nodes[number], number);
        }
        for (left, &one) in self.handles.iter().zip(&world.handles) {
            for (right, &other) in self.handles.iter().zip(&world.handles) {
                assert_eq!(left.is_same_node(right), one == other);
            }
        }
        assert_eq!(self.guards.len(), world.guards.len());
        for (guard, held) in self.guards.iter().zip(&world.guards) {
            let node = &world.nodes[held.node];
            let values = match &node.parameter {
                Some(parameter) if held.on_gradient => &parameter.gradient,
                _ => &node.array.values,
            };
            assert_eq!(guard.as_slice(), values.as_slice());
        }
    }
}

/// The reciprocal of a zero, and the slope of its root, have the zero's sign; and the sign of a sum of
/// zeros is nobody's promise.
fn unsigned(error: &TensorAutodiffError) -> TensorAutodiffError {
    let mut error = error.clone();
    match &mut error {
        TensorAutodiffError::NonFiniteForward { value, .. }
        | TensorAutodiffError::NonFiniteVjp { value, .. }
            if value.is_infinite() =>
        {
            *value = value.abs();
        }
        _ => {}
    }
    error
}

fn compare_node(handle: &TensorValue, node: &Node, number: usize) {
    assert_eq!(handle.operation(), node.operation, "node {number}");
    assert_eq!(handle.shape(), node.array.shape, "node {number}");
    assert_eq!(
        handle.value().as_slice(),
        node.array.values,
        "value of node {number}"
    );
    let parameter = node.parameter.as_ref();
    let gradient = handle.gradient_snapshot();
    assert_eq!(
        gradient.as_ref().map(Tensor::as_slice),
        parameter.map(|parameter| parameter.gradient.as_slice()),
        "gradient of node {number}"
    );
    assert!(gradient.is_none_or(|gradient| gradient.shape() == node.array.shape));
    let revision = parameter.map_or(0, |parameter| parameter.revision);
    assert_eq!(handle.revision(), revision, "revision of node {number}");
    assert_eq!(handle.tracks_gradient(), node.tracked, "node {number}");
    assert_eq!(handle.is_parameter(), parameter.is_some(), "node {number}");
    assert_eq!(handle.is_released(), node.released, "node {number}");
}

fn tensor(array: &Array) -> Tensor {
    Tensor::from_vec(array.shape.as_slice(), array.values.clone()).unwrap()
}

fn new_values(parameters: &[TensorValue], values: &Values, other_shape: bool) -> Vec<Tensor> {
    let arrays: Vec<Array> = parameters
        .iter()
        .map(|parameter| Array {
            shape: parameter.shape(),
            values: Vec::new(),
        })
        .collect();
    updates(arrays.iter(), values, other_shape)
        .iter()
        .map(tensor)
        .collect()
}

fn call(op: Op, again: bool, operands: &[TensorValue]) -> Result<Vec<TensorValue>> {
    if op == Op::Halves {
        let extent = operands[0].shape().first().copied().unwrap_or(0);
        return operands[0].split(&[1, extent.saturating_sub(1)], 0);
    }
    let block = move |xs: &[TensorValue]| {
        let x = &xs[0];
        match op {
            Op::Add => x.add(&xs[1]),
            Op::Sub => x.sub(&xs[1]),
            Op::Mul => x.mul(&xs[1]),
            Op::Neg => x.neg(),
            Op::Reciprocal => x.reciprocal(),
            Op::Sqrt => x.sqrt(),
            Op::SumAxis { axis, keep } => x.sum_axis(axis, keep),
            Op::Transpose => x.transpose(0, 1),
            Op::Concat | Op::Halves => concat(&[x, &xs[1]], 0),
        }
    };
    let output = if again {
        recompute(block, operands)?
    } else {
        block(operands)?
    };
    Ok(vec![output])
}
