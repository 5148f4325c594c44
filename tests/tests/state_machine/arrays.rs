//! The reference's arithmetic: small arrays, what an operation makes of them, and its whole Jacobian.
//!
//! Written from the definitions with loops over indices; nothing of the operations is used.

use autodiff_ops::prelude::{OpError, Operation, TensorAutodiffError, TensorError};

/// A row an output scalar, a column an input scalar.
pub type Matrix = Vec<Vec<f64>>;

#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// The operations that programs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Neg,
    Reciprocal,
    Sqrt,
    SumAxis { axis: usize, keep: bool },
    Transpose,
    Concat,
    Halves,
}

/// One output with its Jacobian by every operand.
#[derive(Clone, Debug)]
pub struct Output {
    pub array: Array,
    pub jacobians: Vec<Matrix>,
}

impl Array {
    pub fn first_non_finite(&self) -> Option<(usize, f64)> {
        let mut values = self.values.iter().copied().enumerate();
        values.find(|(_, value)| !value.is_finite())
    }

    fn len(&self) -> usize {
        self.values.len()
    }
}

impl Op {
    pub fn operands(self) -> usize {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Concat => 2,
            _ => 1,
        }
    }

    /// The outputs, or why there are none.
    pub fn run(
        self,
        operation: Operation,
        operands: &[&Array],
    ) -> Result<Vec<Output>, TensorAutodiffError> {
        let refused = |error| {
            Err(TensorAutodiffError::Operation {
                operation,
                source: OpError::new(error),
            })
        };
        let x = operands[0];
        Ok(match self {
            Self::Add | Self::Sub | Self::Mul => {
                let y = operands[1];
                let Some(shape) = broadcast(&x.shape, &y.shape) else {
                    return refused(TensorError::IncompatibleBroadcast {
                        left: x.shape.clone(),
                        right: y.shape.clone(),
                    });
                };
                vec![self.binary(shape, x, y)]
            }
            Self::Neg => vec![elementwise(x, |x| -x, |_| -1.0)],
            Self::Reciprocal => vec![elementwise(x, |x| 1.0 / x, |x| -1.0 / (x * x))],
            Self::Sqrt => vec![elementwise(x, f64::sqrt, |x| 0.5 / x.sqrt())],
            Self::SumAxis { axis, keep } => {
                let rank = x.shape.len();
                if axis >= rank {
                    return refused(TensorError::AxisOutOfRange { axis, rank });
                }
                vec![sum(x, axis, keep)]
            }
            Self::Transpose => {
                let rank = x.shape.len();
                if rank < 2 {
                    // The first axis that is missing.
                    return refused(TensorError::AxisOutOfRange { axis: rank, rank });
                }
                let shape = vec![x.shape[1], x.shape[0]];
                let source = |at: &[usize]| at[1] * x.shape[1] + at[0];
                vec![moved(x, shape, source)]
            }
            Self::Concat => match joined(x, operands[1]) {
                Ok(output) => vec![output],
                Err(error) => return refused(error),
            },
            Self::Halves => {
                let Some(&extent) = x.shape.first() else {
                    return refused(TensorError::AxisOutOfRange { axis: 0, rank: 0 });
                };
                if extent == 0 {
                    return refused(TensorError::PartExtents {
                        axis: 0,
                        expected: 0,
                        actual: 1,
                    });
                }
                let inner = x.len() / extent;
                let part = |first: usize, extent: usize| {
                    let mut shape = x.shape.clone();
                    shape[0] = extent;
                    let places: Vec<usize> = (first * inner..(first + extent) * inner).collect();
                    picked(x, shape, &places)
                };
                vec![part(0, 1), part(1, extent - 1)]
            }
        })
    }

    fn binary(self, shape: Vec<usize>, x: &Array, y: &Array) -> Output {
        let positions = positions(&shape);
        let mut values = Vec::new();
        let mut by_x = zeros(positions.len(), x.len());
        let mut by_y = zeros(positions.len(), y.len());
        for (row, at) in positions.iter().enumerate() {
            let [i, j] = [x, y].map(|operand| repeated(&operand.shape, at));
            let (a, b) = (x.values[i], y.values[j]);
            let (value, slopes) = match self {
                Self::Add => (a + b, [1.0, 1.0]),
                Self::Sub => (a - b, [1.0, -1.0]),
                _ => (a * b, [b, a]),
            };
            values.push(value);
            by_x[row][i] = slopes[0];
            by_y[row][j] = slopes[1];
        }
        Output {
            array: Array { shape, values },
            jacobians: vec![by_x, by_y],
        }
    }
}

fn zeros(rows: usize, columns: usize) -> Matrix {
    vec![vec![0.0; columns]; rows]
}

fn elementwise(x: &Array, f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> Output {
    let mut jacobian = zeros(x.len(), x.len());
    for (place, &value) in x.values.iter().enumerate() {
        jacobian[place][place] = slope(value);
    }
    Output {
        array: Array {
            shape: x.shape.clone(),
            values: x.values.iter().map(|&x| f(x)).collect(),
        },
        jacobians: vec![jacobian],
    }
}

/// Every output scalar is the input scalar at its place.
fn picked(x: &Array, shape: Vec<usize>, places: &[usize]) -> Output {
    let mut jacobian = zeros(places.len(), x.len());
    for (row, &place) in places.iter().enumerate() {
        jacobian[row][place] = 1.0;
    }
    Output {
        array: Array {
            shape,
            values: places.iter().map(|&place| x.values[place]).collect(),
        },
        jacobians: vec![jacobian],
    }
}

fn moved(x: &Array, shape: Vec<usize>, source: impl Fn(&[usize]) -> usize) -> Output {
    let places: Vec<usize> = positions(&shape).iter().map(|at| source(at)).collect();
    picked(x, shape, &places)
}

fn sum(x: &Array, axis: usize, keep: bool) -> Output {
    let mut kept = x.shape.clone();
    kept[axis] = 1;
    let targets = positions(&kept);
    let mut values = vec![0.0; targets.len()];
    let mut jacobian = zeros(targets.len(), x.len());
    for (place, at) in positions(&x.shape).iter().enumerate() {
        let mut target = at.clone();
        target[axis] = 0;
        for (row, other) in targets.iter().enumerate() {
            if *other == target {
                values[row] += x.values[place];
                jacobian[row][place] = 1.0;
            }
        }
    }
    if !keep {
        kept.remove(axis);
    }
    Output {
        array: Array {
            shape: kept,
            values,
        },
        jacobians: vec![jacobian],
    }
}

/// Along the first axis.
fn joined(x: &Array, y: &Array) -> Result<Output, TensorError> {
    let Some(&first) = x.shape.first() else {
        return Err(TensorError::AxisOutOfRange { axis: 0, rank: 0 });
    };
    let mut shape = x.shape.clone();
    match y.shape.first() {
        Some(&second) if y.shape.len() == shape.len() && y.shape[1..] == shape[1..] => {
            shape[0] = first + second;
        }
        _ => {
            return Err(TensorError::PartShape {
                part: 1,
                axis: 0,
                expected: x.shape.clone(),
                actual: y.shape.clone(),
            });
        }
    }
    let len = x.len() + y.len();
    let mut jacobians = vec![zeros(len, x.len()), zeros(len, y.len())];
    for (operand, first, len) in [(0, 0, x.len()), (1, x.len(), y.len())] {
        for place in 0..len {
            jacobians[operand][first + place][place] = 1.0;
        }
    }
    Ok(Output {
        array: Array {
            shape,
            values: [x.values.as_slice(), &y.values].concat(),
        },
        jacobians,
    })
}

/// All positions of a shape, in row-major order.
fn positions(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut positions = vec![Vec::new()];
    for &extent in shape {
        let longer = |at: &Vec<usize>| {
            let at = at.clone();
            (0..extent).map(move |index| [at.as_slice(), &[index]].concat())
        };
        positions = positions.iter().flat_map(longer).collect();
    }
    positions
}

fn broadcast(left: &[usize], right: &[usize]) -> Option<Vec<usize>> {
    let rank = left.len().max(right.len());
    let extent = |shape: &[usize], axis: usize| {
        let missing = rank - shape.len();
        if axis < missing {
            1
        } else {
            shape[axis - missing]
        }
    };
    (0..rank)
        .map(|axis| match (extent(left, axis), extent(right, axis)) {
            (l, r) if l == r => Some(l),
            (1, other) | (other, 1) => Some(other),
            _ => None,
        })
        .collect()
}

/// The scalar of an operand of `shape` that stands at the position `at` of the broadcast.
fn repeated(shape: &[usize], at: &[usize]) -> usize {
    let own = &at[at.len() - shape.len()..];
    let pairs = shape.iter().zip(own);
    pairs.fold(0, |flat, (&extent, &index)| {
        flat * extent + if extent == 1 { 0 } else { index }
    })
}
