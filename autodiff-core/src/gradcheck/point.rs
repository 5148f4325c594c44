//! A rule at one point: its plain form, its recording on the tape, and its reverse maps.

use std::rc::Rc;

use super::element::Checked;
use super::fault::Planted;
use super::sample::Sample;
use crate::error::{RegistryError, Result, TensorAutodiffError};
use crate::rule::{Call, ElementRule, Input, Rule};
use crate::tape::{Fault, GraphRetention, HistoryRef, Reverse, TensorValue, contributions};
use crate::tensor::Tensor;

/// One contribution per operand use; none where it is not tracked.
pub(super) type PerUse<T> = Vec<Option<Tensor<T>>>;

/// A rule with the values of its operands.
#[derive(Clone)]
pub(super) struct Point<'a, T: Checked> {
    pub(super) rule: &'static Rule,
    pub(super) sample: &'a Sample,
    pub(super) operands: Vec<Tensor<T>>,
    functions: ElementRule<T>,
    planted: Option<&'a Planted>,
}

/// One call on the tape.
pub(super) struct Recording<'a, T: Checked> {
    rule: &'static Rule,
    /// What each operand use holds, in order.
    pub(super) leaves: Vec<TensorValue<T>>,
    pub(super) outputs: Vec<TensorValue<T>>,
    planted: Option<&'a Planted>,
    /// The same call with every operand tracked and on its own: where a planted fault takes what it
    /// puts in place, so that the fault does not depend on what is tracked.
    twin: Option<Rc<Recording<'a, T>>>,
}

impl<'a, T: Checked> Point<'a, T> {
    /// The rule at the sample, with these tangents where the element type has one.
    pub(super) fn new(
        rule: &'static Rule,
        sample: &'a Sample,
        tangents: Option<&[Tensor<f64>]>,
        planted: Option<&'a Planted>,
    ) -> Result<Self> {
        let functions = *rule
            .for_element::<T>()
            .ok_or(RegistryError::UnsupportedElement {
                path: rule.operation.path(),
                element: T::NAME,
            })?;
        let values = sample.operands();
        let operands = match tangents {
            None => values.iter().map(lifted).collect(),
            Some(tangents) => {
                let pairs = values.iter().zip(tangents);
                pairs
                    .map(|(value, tangent)| value.zip_map(tangent, T::lift))
                    .collect::<Result<_, _>>()?
            }
        };
        Ok(Self {
            rule,
            sample,
            operands,
            functions,
            planted: planted.filter(|planted| planted.is_for::<T>()),
        })
    }

    pub(super) fn has_fault(&self) -> bool {
        self.planted.is_some()
    }

    /// The same rule at other operands.
    pub(super) fn at(&self, operands: Vec<Tensor<T>>) -> Self {
        Self {
            operands,
            ..self.clone()
        }
    }

    /// The same rule with one operand replaced.
    pub(super) fn with_operand(&self, operand: usize, value: Tensor<T>) -> Self {
        let mut moved = self.clone();
        if let Some(slot) = moved.operands.get_mut(operand) {
            *slot = value;
        }
        moved
    }

    /// The outputs of the plain form.
    pub(super) fn plain(&self) -> Result<Vec<Tensor<T>>> {
        (self.functions.plain)(&self.call(&self.operands))
    }

    /// The outputs of the plain form, if it gives any and they are finite.
    pub(super) fn plain_finite(&self) -> Option<Vec<Tensor<T>>> {
        let outputs = self.plain().ok()?;
        let finite = outputs
            .iter()
            .all(|output| output.first_non_finite().is_none());
        finite.then_some(outputs)
    }

    /// Records a call whose operand use `i` is a parameter where `tracked(i)`, else a constant.
    pub(super) fn record(&self, tracked: impl Fn(usize) -> bool) -> Result<Recording<'a, T>> {
        let leaf = |(operand, value): (usize, &Tensor<T>)| {
            if tracked(operand) {
                TensorValue::parameter(value.clone())
            } else {
                TensorValue::constant(value.clone())
            }
        };
        let leaves = self
            .operands
            .iter()
            .enumerate()
            .map(leaf)
            .collect::<Result<Vec<_>>>()?;
        self.record_leaves(leaves)
    }

    /// Records a call in which operand uses `first` and `second` are one node; their values must agree.
    pub(super) fn record_shared(&self, first: usize, second: usize) -> Result<Recording<'a, T>> {
        let leaves = self.operands.iter().cloned().map(TensorValue::parameter);
        let mut leaves = leaves.collect::<Result<Vec<_>>>()?;
        if let (Some(shared), Some(slot)) = (leaves.get(first).cloned(), leaves.get_mut(second)) {
            *slot = shared;
        }
        self.record_leaves(leaves)
    }

    fn record_leaves(&self, leaves: Vec<TensorValue<T>>) -> Result<Recording<'a, T>> {
        let outputs = (self.functions.taped)(&self.call(&leaves))?;
        let twin = match self.planted {
            None => None,
            Some(_) => {
                let honest = Self {
                    planted: None,
                    ..self.clone()
                };
                Some(Rc::new(honest.record(|_| true)?))
            }
        };
        Ok(Recording {
            rule: self.rule,
            leaves,
            outputs,
            planted: self.planted,
            twin,
        })
    }

    /// The sample's call with these operands.
    fn call<V: Clone>(&self, operands: &[V]) -> Call<T, V> {
        let mut operands = operands.iter().cloned();
        let inputs = self.sample.call.inputs.iter().map(|input| match input {
            Input::Operand(_) => operands.next().map_or(Input::Absent, Input::Operand),
            Input::Operands(entries) => {
                Input::Operands(operands.by_ref().take(entries.len()).collect())
            }
            Input::Absent => Input::Absent,
            Input::Constant(tensor) => Input::Constant(lifted(tensor)),
            Input::Indices(indices) => Input::Indices(indices.clone()),
            Input::Mask(mask) => Input::Mask(mask.clone()),
            Input::Argument(value) => Input::Argument(value.clone()),
        });
        Call {
            inputs: inputs.collect(),
        }
    }
}

/// The elements with zero tangents.
pub(super) fn lifted<T: Checked>(tensor: &Tensor<f64>) -> Tensor<T> {
    tensor.map(|x| T::lift(x, 0.0))
}

impl<T: Checked> Recording<'_, T> {
    /// The contributions of every edge of one output, as the tape would get them.
    pub(super) fn reverse(&self, output: usize, upstream: &Tensor<T>) -> Result<PerUse<T>> {
        let replaced = match (self.planted, &self.twin) {
            (Some(planted), Some(twin)) => {
                let ones = upstream.map(|_| T::one());
                planted.replacement(
                    &twin.reverse(output, upstream)?,
                    &twin.reverse(output, &ones)?,
                )
            }
            _ => None,
        };
        let adjust = |operand: usize, own: Tensor<T>| match &replaced {
            Some((faulty, replacement)) if *faulty == operand => replacement.clone(),
            _ => own,
        };
        let reverse = Reverse::of(self.rule)?;
        self.with_history(output, |history| {
            let mut per_use = vec![None; history.edges.len()];
            for (operand, contribution) in
                contributions(reverse, history, upstream.clone(), adjust)?
            {
                per_use[operand] = Some(contribution);
            }
            Ok(per_use)
        })?
        .map_err(|fault: Fault| {
            fault.named(self.rule.operation, |operand| {
                operand.unwrap_or(self.leaves.len())
            })
        })
    }

    /// Looks at what one output's node remembers.
    ///
    /// # Errors
    /// `UntrackedOutput` where it remembers nothing.
    pub(super) fn with_history<R>(
        &self,
        output: usize,
        look: impl FnOnce(&HistoryRef<'_, T>) -> R,
    ) -> Result<R> {
        let node = self.outputs.get(output);
        node.and_then(|node| node.node.look(|history| look(&history)))
            .ok_or(TensorAutodiffError::UntrackedOutput {
                operation: self.rule.operation,
            })
    }

    /// How many reverse maps the rule has.
    pub(super) fn vjps(&self) -> usize {
        self.rule.vjps.len()
    }

    /// The gradients that a reverse pass over the tape stores, one per operand use.
    pub(super) fn pass(&self, output: usize, upstream: &Tensor<T>) -> Result<PerUse<T>> {
        if let Some(node) = self.outputs.get(output) {
            node.backward_with_seed(&upstream.view(), GraphRetention::Retain)?;
        }
        Ok(self
            .leaves
            .iter()
            .map(TensorValue::gradient_snapshot)
            .collect())
    }
}
