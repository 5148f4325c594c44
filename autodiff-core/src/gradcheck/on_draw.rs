//! All items of the check on one draw.

use super::compare::Place;
use super::conditioning::{Conditioning, MORE_TRIES, TRIES};
use super::element::Checked;
use super::fault::Planted;
use super::finding::{Cause, Check, Found};
use super::items::{self, Forward, directions, lift_pair};
use super::point::Point;
use super::report::{Ledger, Outcome};
use super::sample::Sample;
use crate::error::TensorAutodiffError;
use crate::rule::Rule;
use crate::tensor::{Dual, Element, ElementKind, Tensor};

/// What is checked.
pub(super) struct Subject {
    pub(super) rule: &'static Rule,
    pub(super) element: Option<ElementKind>,
    pub(super) planted: Option<Planted>,
    /// Whether a reverse pass finds this rule.
    pub(super) registered: bool,
}

/// Whether a draw could be used.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Used {
    Yes,
    /// Why not.
    No(String),
}

/// What one draw is measured against.
struct Reference<'a> {
    point: Point<'a, f64>,
    outputs: Vec<Tensor<f64>>,
    /// A cotangent for each output, and the direction in which it turns on dual numbers.
    upstreams: Vec<Tensor<f64>>,
    turning: Vec<Tensor<f64>>,
    /// The directions in which the operands move on dual numbers.
    moving: Vec<Tensor<f64>>,
    conditioning: Conditioning,
}

impl Subject {
    fn wants(&self, element: ElementKind) -> bool {
        self.element.is_none_or(|wanted| wanted == element)
    }

    /// Checks one draw. Where `every` is false, a draw on which the numeric side is not reliable still
    /// counts: what does not need it is checked.
    ///
    /// Before a difference that may be rounding is reported, rounding is measured with more tries.
    pub(super) fn check(
        &self,
        sample: &Sample,
        every: bool,
        ledger: &mut Ledger,
    ) -> Result<Used, Found> {
        let mut noted = Ledger::default();
        let mut outcome = self.attempt(sample, every, TRIES, &mut noted);
        // A planted fault is to be found, not to be explained.
        let explicable = |found: &Found| {
            let checks = [
                Check::Jacobian,
                Check::Adjoint,
                Check::Upstream,
                Check::Precision,
                Check::SecondOrder,
            ];
            checks.contains(&found.check) && matches!(found.cause, Cause::Differs { .. })
        };
        if self.planted.is_none() && outcome.as_ref().is_err_and(explicable) {
            noted = Ledger::default();
            outcome = self.attempt(sample, every, MORE_TRIES, &mut noted);
        }
        ledger.absorb(noted);
        outcome
    }

    fn attempt(
        &self,
        sample: &Sample,
        every: bool,
        tries: u64,
        ledger: &mut Ledger,
    ) -> Result<Used, Found> {
        let honest = Point::<f64>::new(self.rule, sample, None, None).map_err(declaration)?;
        let outputs = match items::forward(&honest)? {
            Forward::Outputs(outputs) => outputs,
            Forward::Refused(error) => return Ok(Used::No(format!("refused: {error}"))),
        };
        let upstreams = directions(sample, 30, &outputs);
        let conditioning = Conditioning::measure(&honest, &upstreams, tries).map_err(|error| {
            let mut found = declaration(error);
            found.check = Check::Shape;
            found
        })?;
        let reference = Reference {
            turning: directions(sample, 31, &outputs),
            moving: directions(sample, 32, &honest.operands),
            conditioning,
            point: honest,
            outputs,
            upstreams,
        };
        if self.wants(ElementKind::F64)
            && let used @ Used::No(_) = self.check_element::<f64>(&reference, every, ledger)?
        {
            return Ok(used);
        }
        if self.wants(ElementKind::F32)
            && self.rule.f32.is_some()
            && let used @ Used::No(_) = self.check_element::<f32>(&reference, every, ledger)?
        {
            return Ok(used);
        }
        if self.wants(ElementKind::Dual) && self.rule.dual.is_some() {
            return self.check_element::<Dual<f64>>(&reference, every, ledger);
        }
        self.note_absent(ledger);
        Ok(Used::Yes)
    }

    /// What an `f64`-only rule cannot be checked for.
    fn note_absent(&self, ledger: &mut Ledger) {
        let absent = [
            (
                self.rule.f32.is_some(),
                ElementKind::F32,
                <f32 as Element>::NAME,
                Check::Precision,
            ),
            (
                self.rule.dual.is_some(),
                ElementKind::Dual,
                <Dual as Element>::NAME,
                Check::SecondOrder,
            ),
        ];
        for (present, kind, element, check) in absent {
            if !present && self.wants(kind) {
                let reason = "the rule is not declared for this element type".to_owned();
                ledger.note(element, check, Outcome::Skipped(reason));
            }
        }
    }

    fn check_element<T: Checked>(
        &self,
        reference: &Reference<'_>,
        every: bool,
        ledger: &mut Ledger,
    ) -> Result<Used, Found> {
        let sample = reference.point.sample;
        let planted = self.planted.as_ref();
        let point = Point::<T>::new(self.rule, sample, Some(&reference.moving), planted)
            .map_err(declaration)?;
        let mut noted = Noted {
            element: T::NAME,
            every,
            unreliable: None,
            ledger,
        };
        if let Forward::Refused(error) = items::forward(&point)? {
            return Ok(Used::No(format!("refused on {}: {error}", T::NAME)));
        }
        noted.note(Check::Determinism, Outcome::Held(0.0));
        noted.note(Check::Agreement, Outcome::Held(0.0));
        if T::KIND != ElementKind::F64 {
            let check = items::precision(
                &point,
                &reference.point,
                &reference.upstreams,
                &reference.conditioning,
            )?;
            noted.note(Check::Precision, check);
        }
        if point.operands.is_empty() {
            noted.note(
                Check::Shape,
                Outcome::Skipped("no operand is differentiable".to_owned()),
            );
            return Ok(noted.used());
        }
        let pairs = reference.upstreams.iter().zip(&reference.turning);
        let upstreams: Vec<Tensor<T>> = pairs
            .map(|(upstream, turn)| lift_pair(upstream, turn))
            .collect();
        noted.note(Check::Shape, items::shape(&point, &upstreams)?);
        noted.note(
            Check::Upstream,
            items::upstream(&point, &reference.upstreams, &reference.conditioning)?,
        );
        self.differenced::<T>(reference, &mut noted)?;
        if let used @ Used::No(_) = noted.used() {
            return Ok(used);
        }
        // A pass runs the rule itself, without a planted fault, so it would show every fault at once.
        let dispatched = self.registered && !point.has_fault();
        noted.note(Check::Reuse, items::reuse(&point, &upstreams, dispatched)?);
        noted.note(Check::Subsets, items::subsets(&point, &upstreams)?);
        noted.note(Check::Purity, items::purity(&point, &upstreams)?);
        noted.note(
            Check::Dispatch,
            match dispatched {
                true => items::dispatch(&point, &upstreams)?,
                false => Outcome::Skipped(
                    "the rule is not the registry's, or has a planted fault".to_owned(),
                ),
            },
        );
        Ok(noted.used())
    }

    /// The items that difference something, or that have one element type.
    fn differenced<T: Checked>(
        &self,
        reference: &Reference<'_>,
        noted: &mut Noted<'_>,
    ) -> Result<(), Found> {
        let Reference {
            point,
            outputs,
            upstreams,
            conditioning,
            ..
        } = reference;
        let planted = self.planted.as_ref();
        match T::KIND {
            ElementKind::F32 => {}
            ElementKind::F64 => {
                let own = Point::<f64>::new(self.rule, point.sample, None, planted)
                    .map_err(declaration)?;
                noted.note(
                    Check::Jacobian,
                    items::jacobian(&own, outputs, conditioning)?,
                );
                noted.note(
                    Check::Adjoint,
                    items::adjoint_identity(&own, outputs, upstreams, conditioning)?,
                );
            }
            ElementKind::Dual => {
                noted.note(
                    Check::SecondOrder,
                    items::second_order(point, upstreams, conditioning, planted)?,
                );
            }
        }
        Ok(())
    }
}

/// The outcomes of one element type on one draw.
struct Noted<'a> {
    element: &'static str,
    every: bool,
    unreliable: Option<&'static str>,
    ledger: &'a mut Ledger,
}

impl Noted<'_> {
    fn note(&mut self, check: Check, outcome: Outcome) {
        if let Outcome::Unreliable(reason) = outcome {
            self.unreliable = Some(reason);
        }
        self.ledger.note(self.element, check, outcome);
    }

    fn used(&self) -> Used {
        match self.unreliable {
            Some(reason) if self.every => Used::No(reason.to_owned()),
            _ => Used::Yes,
        }
    }
}

/// The finding that the rule cannot be checked as it is declared.
fn declaration(error: TensorAutodiffError) -> Found {
    Place::new::<f64>(Check::Draws, 0).refused(error)
}
