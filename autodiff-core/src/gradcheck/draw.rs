//! What is drawn before anything is computed: extents, choices, and the seed of the values.
//!
//! Extents are drawn independently, so that each shrinks on its own. Values follow from one number that
//! does not shrink: shrinking them would lead to nice points, where wrong rules can be right.

use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::stream::Stream;
use crate::rule::{Choice, Drawn};

/// One draw of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draw {
    pub(super) drawn: Drawn,
    /// The seed of values, cotangents and directions.
    pub(super) values: u64,
    /// How many operand entries the draw may have before its extents are lowered.
    pub(super) entries: usize,
}

/// Shapes whose whole Jacobian is compared.
pub(super) const SMALL: usize = 64;
/// Shapes that are checked by the adjoint identity and a part of the Jacobian.
pub(super) const LARGE: usize = 1024;

/// The source of random draws of one rule.
pub(super) struct Draws {
    runner: TestRunner,
}

/// A draw that can be made smaller.
pub(super) struct Shrinkable(Box<dyn ValueTree<Value = Draw>>);

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed, 0);
        let seed: Vec<u8> = (0..4).flat_map(|_| stream.next().to_le_bytes()).collect();
        let config = Config {
            failure_persistence: None,
            ..Config::default()
        };
        Self {
            runner: TestRunner::new_with_rng(
                config,
                TestRng::from_seed(RngAlgorithm::ChaCha, &seed),
            ),
        }
    }

    /// The next draw, or why proptest gave none.
    pub(super) fn next(
        &mut self,
        symbols: usize,
        choices: Vec<usize>,
        entries: usize,
    ) -> Result<Shrinkable, String> {
        let largest: usize = if entries > SMALL { 8 } else { 4 };
        let strategy = (
            vec(1..=largest, symbols),
            vec(1..=largest.min(5), 0..=3_usize),
            proptest::num::u64::ANY.no_shrink(),
        )
            .prop_map(move |(extents, any_shape, values)| Draw {
                drawn: Drawn {
                    extents,
                    choices: choices.clone(),
                    any_shape,
                },
                values,
                entries,
            });
        match strategy.new_tree(&mut self.runner) {
            Ok(tree) => Ok(Shrinkable(Box::new(tree))),
            Err(reason) => Err(reason.to_string()),
        }
    }
}

impl Shrinkable {
    pub(super) fn draw(&self) -> Draw {
        self.0.current()
    }

    /// The smallest draw found, within `attempts`, on which `fails` still gives a value.
    pub(super) fn shrink<F>(
        mut self,
        attempts: usize,
        found: F,
        fails: impl Fn(&Draw) -> Option<F>,
    ) -> F {
        let mut smallest = found;
        if !self.0.simplify() {
            return smallest;
        }
        for _ in 0..attempts {
            let proceed = match fails(&self.0.current()) {
                Some(found) => {
                    smallest = found;
                    self.0.simplify()
                }
                None => self.0.complicate(),
            };
            if !proceed {
                break;
            }
        }
        smallest
    }
}

/// One alternative of every choice; consecutive numbers run through all combinations.
pub(super) fn combination(choices: &[Choice], mut number: usize) -> Vec<usize> {
    let alternatives = choices.iter().map(|choice| {
        let count = choice.count.max(1);
        let alternative = number % count;
        number /= count;
        alternative
    });
    alternatives.collect()
}

/// How many combinations of alternatives there are.
pub(super) fn combinations(choices: &[Choice]) -> usize {
    let counts = choices.iter().map(|choice| choice.count.max(1));
    counts.fold(1, usize::saturating_mul)
}

/// The shapes that random extents seldom give: each symbol 0, all 1, all equal, all different; with
/// rank 0, an extent of 1 and an extent of 0 for a shape of any rank.
pub(super) fn structural(symbols: usize, any_shape: bool, seed: u64) -> Vec<Draw> {
    let distinct: Vec<usize> = (2..2 + symbols).collect();
    let mut shapes = vec![
        (vec![1; symbols], Vec::new()),
        (vec![2; symbols], vec![1, 2]),
        (distinct.clone(), vec![3, 2]),
    ];
    for symbol in 0..symbols {
        let mut extents = distinct.clone();
        if let Some(extent) = extents.get_mut(symbol) {
            *extent = 0;
        }
        shapes.push((extents, vec![2]));
    }
    if any_shape {
        shapes.push((distinct.clone(), vec![2, 0, 3]));
        shapes.push((distinct, vec![1]));
    }
    let mut stream = Stream::new(seed, 1);
    let draw = |(extents, any_shape)| Draw {
        drawn: Drawn {
            extents,
            choices: Vec::new(),
            any_shape,
        },
        values: stream.next(),
        entries: SMALL,
    };
    shapes.into_iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_from_the_seed() {
        let first = |seed| {
            Draws::new(seed)
                .next(3, vec![1], SMALL)
                .map(|tree| tree.draw())
        };
        assert_eq!(first(5), first(5));
        assert_ne!(first(5), first(6));
    }

    #[test]
    fn shrinking_lowers_each_extent_as_far_as_the_failure_allows() {
        let mut draws = Draws::new(5);
        let tree = std::iter::from_fn(|| draws.next(3, vec![], LARGE).ok())
            .find(|tree| tree.draw().drawn.extents[1] > 3)
            .unwrap();
        let fails = |draw: &Draw| (draw.drawn.extents[1] > 3).then(|| draw.drawn.clone());
        let found = tree.draw().drawn;
        let smallest = tree.shrink(100, found, fails);
        assert_eq!(smallest.extents, [1, 4, 1]);
        assert_eq!(smallest.any_shape, Vec::<usize>::new());
    }

    #[test]
    fn combinations_are_run_through() {
        let choices = [2, 3].map(|count| Choice {
            argument: "",
            count,
        });
        let all: std::collections::BTreeSet<_> =
            (0..6).map(|number| combination(&choices, number)).collect();
        assert_eq!(all.len(), combinations(&choices));
    }

    #[test]
    fn structural_draws_hold_each_zero_and_rank_zero() {
        let draws = structural(2, true, 1);
        assert!(draws.iter().any(|draw| draw.drawn.extents == [0, 3]));
        assert!(draws.iter().any(|draw| draw.drawn.extents == [2, 0]));
        assert!(
            draws
                .iter()
                .any(|draw| draw.drawn.extents == [1, 1] && draw.drawn.any_shape.is_empty())
        );
        assert!(draws.iter().any(|draw| draw.drawn.any_shape.contains(&0)));
    }
}
