//! The reference: nodes with whole Jacobians, and what every step does to them or why it is refused.

use std::collections::BTreeMap;

use autodiff_ops::prelude::{GraphRetention, Operation, TensorAutodiffError};

use crate::arrays::{Array, Matrix};
use crate::inputs::seed_for;
use crate::pass::Reversed;
use crate::step::{Pick, SHAPES, Step, Values};

/// At most so many scalars in all nodes together.
const SCALARS: usize = 30;

/// Within these bounds every sum and product of a program is exact: 24 bits before and after the point.
const LARGEST: f64 = (1 << 20) as f64;
const FINEST: f64 = (1 << 20) as f64;

/// A way in which the reference can be made wrong, to see the machine notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    None,
    /// The last use of a node counts instead of the sum of all.
    LastUseOnly,
    /// A pass overwrites stored gradients.
    Overwrites,
    /// An updated operand is not noticed.
    ForgetsRevisions,
    /// A released operand may be used.
    ForgetsReleases,
    /// Guards refuse nothing.
    IgnoresGuards,
    /// What is stale is reported before the seed is looked at.
    SeedLast,
    /// Parameters before the one that fails are changed.
    CommitsInParts,
    /// A detached value is still tracked.
    DetachesNothing,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub parent: usize,
    pub revision: u64,
    pub jacobian: Matrix,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub gradient: Vec<f64>,
    pub revision: u64,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub operation: Operation,
    /// The operation itself, where it is run again in reverse.
    pub inner: Operation,
    pub array: Array,
    pub parameter: Option<Parameter>,
    pub tracked: bool,
    pub released: bool,
    pub edges: Vec<Edge>,
    /// The Jacobian by every tracked node that this one was computed from, along all paths.
    pub by: BTreeMap<usize, Matrix>,
}

/// What a program's last step came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It named something that is not there, or would leave the bounds.
    Skipped,
    Done,
    Refused(TensorAutodiffError),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub node: usize,
    pub on_gradient: bool,
}

#[derive(Clone, Debug)]
pub struct World {
    pub nodes: Vec<Node>,
    /// Which node every live handle is of.
    pub handles: Vec<usize>,
    pub guards: Vec<Guard>,
    pub outcome: Outcome,
    /// What the last pass contributed, if it was one.
    pub reversed: Option<Reversed>,
    pub flaw: Flaw,
}

impl World {
    pub fn new(flaw: Flaw) -> Self {
        Self {
            nodes: Vec::new(),
            handles: Vec::new(),
            guards: Vec::new(),
            outcome: Outcome::Done,
            reversed: None,
            flaw,
        }
    }

    /// The place in a list of this length, if it has any.
    pub fn pick(pick: Pick, len: usize) -> Option<usize> {
        (len > 0).then(|| usize::from(pick) % len)
    }

    pub fn node(&self, pick: Pick) -> Option<usize> {
        Self::pick(pick, self.handles.len()).map(|handle| self.handles[handle])
    }

    pub fn take(&mut self, step: &Step) {
        self.reversed = None;
        self.outcome = match self.attempt(step) {
            None => Outcome::Skipped,
            Some(Ok(())) => Outcome::Done,
            Some(Err(error)) => Outcome::Refused(error),
        };
    }

    fn attempt(&mut self, step: &Step) -> Option<Result<(), TensorAutodiffError>> {
        match step {
            Step::Leaf {
                tracked,
                shape,
                values,
            } => self.leaf(*tracked, SHAPES[*shape], values),
            Step::Apply {
                op,
                operands,
                recorded,
                again,
            } => self.apply(*op, *operands, *recorded, *again),
            Step::Pass {
                of, seed, release, ..
            } => {
                let output = self.node(*of)?;
                let seed = seed_for(seed, &self.nodes[output].array);
                let retention = if *release {
                    GraphRetention::Release
                } else {
                    GraphRetention::Retain
                };
                self.pass(output, seed, retention)
            }
            Step::Backward { of } => {
                let output = self.node(*of)?;
                let one = Array {
                    shape: Vec::new(),
                    values: vec![1.0],
                };
                self.pass(output, one, GraphRetention::Retain)
            }
            Step::Zero { of } => {
                let node = self.node(*of)?;
                Some(self.zero(node))
            }
            Step::Set {
                of,
                values,
                other_shape,
            } => {
                let node = self.node(*of)?;
                self.set(&[node], values, *other_shape)
            }
            Step::SetAll {
                of,
                values,
                other_shape,
            } => {
                let nodes = of.iter().map(|of| self.node(*of));
                let nodes = nodes.collect::<Option<Vec<_>>>()?;
                self.set(&nodes, values, *other_shape)
            }
            Step::Detach { of } => {
                let node = self.node(*of)?;
                self.fits(self.nodes[node].array.values.len())?;
                let array = self.nodes[node].array.clone();
                let mut detached = Node::leaf(Operation::DETACHED, array);
                if self.flaw == Flaw::DetachesNothing {
                    detached.tracked = self.nodes[node].tracked;
                }
                self.add(detached);
                Some(Ok(()))
            }
            Step::Clone { of } => {
                let node = self.node(*of)?;
                self.handles.push(node);
                Some(Ok(()))
            }
            Step::Drop { of } => {
                let handle = Self::pick(*of, self.handles.len())?;
                self.handles.swap_remove(handle);
                Some(Ok(()))
            }
            Step::HoldValue { of } => {
                let node = self.node(*of)?;
                self.guards.push(Guard {
                    node,
                    on_gradient: false,
                });
                Some(Ok(()))
            }
            Step::HoldGradient { of } => {
                let node = self.node(*of)?;
                self.nodes[node].parameter.as_ref()?;
                self.guards.push(Guard {
                    node,
                    on_gradient: true,
                });
                Some(Ok(()))
            }
            Step::LetGo { guard } => {
                let guard = Self::pick(*guard, self.guards.len())?;
                self.guards.swap_remove(guard);
                Some(Ok(()))
            }
        }
    }

    pub fn fits(&self, more: usize) -> Option<()> {
        let scalars: usize = self.nodes.iter().map(|node| node.array.values.len()).sum();
        (scalars + more <= SCALARS).then_some(())
    }

    pub fn add(&mut self, node: Node) {
        self.handles.push(self.nodes.len());
        self.nodes.push(node);
    }

    pub fn is_guarded(&self, node: usize, on_gradient: bool) -> bool {
        let held = Guard { node, on_gradient };
        self.flaw != Flaw::IgnoresGuards && self.guards.contains(&held)
    }

    fn leaf(
        &mut self,
        tracked: bool,
        shape: &[usize],
        values: &Values,
    ) -> Option<Result<(), TensorAutodiffError>> {
        let array = values.array(shape);
        self.fits(array.values.len())?;
        let operation = if tracked {
            Operation::PARAMETER
        } else {
            Operation::CONSTANT
        };
        if let Some((index, value)) = array.first_non_finite() {
            return Some(Err(TensorAutodiffError::NonFiniteLeaf {
                operation,
                index,
                value,
            }));
        }
        let mut node = Node::leaf(operation, array);
        if tracked {
            node.tracked = true;
            node.parameter = Some(Parameter {
                gradient: vec![0.0; node.array.values.len()],
                revision: 0,
            });
        }
        self.add(node);
        Some(Ok(()))
    }
}

impl Node {
    pub fn leaf(operation: Operation, array: Array) -> Self {
        Self {
            operation,
            inner: operation,
            array,
            parameter: None,
            tracked: false,
            released: false,
            edges: Vec::new(),
            by: BTreeMap::new(),
        }
    }

    /// Whether values and derivatives have few enough bits that no order of summing them rounds. An
    /// infinite slope is exact as well.
    pub fn is_exact(&self) -> bool {
        let own = self.edges.iter().map(|edge| &edge.jacobian);
        let slopes = own.chain(self.by.values()).flatten().flatten();
        self.array.values.iter().chain(slopes).all(|&number| {
            number.is_infinite() || number.abs() <= LARGEST && (number * FINEST).fract() == 0.0
        })
    }
}
