//! The steps of a program, as data: they name handles by any number, taken modulo how many there are.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::arrays::Op;

/// Which handle or guard a step is about.
pub type Pick = u8;

/// A shape with at most four scalars.
pub type ShapePick = usize;

pub const SHAPES: [&[usize]; 7] = [&[], &[1], &[2], &[3], &[1, 2], &[2, 1], &[2, 2]];

/// The values of a leaf or of an update: taken in turn, with one of them spoilt or not.
#[derive(Clone, Debug)]
pub struct Values {
    pub numbers: Vec<f64>,
    pub spoilt: Option<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub enum Seed {
    /// Small whole numbers.
    Numbers(Vec<f64>),
    /// One entry at which sums overflow, the others zero.
    Huge(usize, f64),
    /// One entry not finite.
    Spoilt(usize, f64),
    /// One axis more than the output has.
    OtherShape,
}

#[derive(Clone, Debug)]
pub enum Step {
    Leaf {
        tracked: bool,
        shape: ShapePick,
        values: Values,
    },
    Apply {
        op: Op,
        operands: [Pick; 2],
        recorded: bool,
        again: bool,
    },
    Pass {
        of: Pick,
        seed: Seed,
        release: bool,
        traced: bool,
    },
    /// From the seed 1, which only a value of rank 0 has.
    Backward {
        of: Pick,
    },
    Zero {
        of: Pick,
    },
    Set {
        of: Pick,
        values: Values,
        other_shape: bool,
    },
    SetAll {
        of: Vec<Pick>,
        values: Values,
        other_shape: bool,
    },
    Detach {
        of: Pick,
    },
    Clone {
        of: Pick,
    },
    Drop {
        of: Pick,
    },
    HoldValue {
        of: Pick,
    },
    HoldGradient {
        of: Pick,
    },
    LetGo {
        guard: Pick,
    },
}

/// All dyadic, so that sums and products of a few are exact.
const NUMBERS: [f64; 9] = [1.0, 2.0, -1.0, 4.0, 0.5, -2.0, 0.0, 3.0, -3.0];

fn values() -> impl Strategy<Value = Values> {
    let spoilt = prop_oneof![
        20 => Just(None),
        1 => (0..4_usize, prop_oneof![Just(f64::NAN), Just(f64::INFINITY)]).prop_map(Some),
    ];
    let numbers = vec(prop::sample::select(&NUMBERS[..]), 4);
    (numbers, spoilt).prop_map(|(numbers, spoilt)| Values { numbers, spoilt })
}

fn seeds() -> impl Strategy<Value = Seed> {
    prop_oneof![
        12 => vec((-3..=3_i8).prop_map(f64::from), 4).prop_map(Seed::Numbers),
        2 => (0..4_usize, prop::bool::ANY)
            .prop_map(|(place, sign)| Seed::Huge(place, if sign { f64::MAX } else { f64::MIN })),
        1 => (0..4_usize, prop_oneof![Just(f64::NAN), Just(f64::NEG_INFINITY)])
            .prop_map(|(place, value)| Seed::Spoilt(place, value)),
        1 => Just(Seed::OtherShape),
    ]
}

fn ops() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::Add),
        1 => Just(Op::Sub),
        4 => Just(Op::Mul),
        1 => Just(Op::Neg),
        1 => Just(Op::Reciprocal),
        1 => Just(Op::Sqrt),
        2 => (0..2_usize, prop::bool::ANY).prop_map(|(axis, keep)| Op::SumAxis { axis, keep }),
        1 => Just(Op::Transpose),
        1 => Just(Op::Concat),
        1 => Just(Op::Halves),
    ]
}

pub fn steps() -> impl Strategy<Value = Step> {
    let of = any::<Pick>();
    prop_oneof![
        4 => (prop::bool::weighted(0.8), 0..SHAPES.len(), values())
            .prop_map(|(tracked, shape, values)| Step::Leaf { tracked, shape, values }),
        9 => (ops(), any::<[Pick; 2]>(), prop::bool::weighted(0.9), prop::bool::weighted(0.25))
            .prop_map(|(op, operands, recorded, again)| Step::Apply { op, operands, recorded, again }),
        6 => (of, seeds(), prop::bool::ANY, prop::bool::weighted(0.3))
            .prop_map(|(of, seed, release, traced)| Step::Pass { of, seed, release, traced }),
        1 => of.prop_map(|of| Step::Backward { of }),
        1 => of.prop_map(|of| Step::Zero { of }),
        1 => (of, values(), prop::bool::weighted(0.1))
            .prop_map(|(of, values, other_shape)| Step::Set { of, values, other_shape }),
        1 => (vec(of, 0..4), values(), prop::bool::weighted(0.1))
            .prop_map(|(of, values, other_shape)| Step::SetAll { of, values, other_shape }),
        1 => of.prop_map(|of| Step::Detach { of }),
        1 => of.prop_map(|of| Step::Clone { of }),
        2 => of.prop_map(|of| Step::Drop { of }),
        1 => of.prop_map(|of| Step::HoldValue { of }),
        1 => of.prop_map(|of| Step::HoldGradient { of }),
        2 => of.prop_map(|guard| Step::LetGo { guard }),
    ]
}
