//! What a check found wrong, as a value.

use std::fmt;

use crate::error::TensorAutodiffError;

/// One of the things that are checked of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// The rule can be checked at all: its inputs can be drawn, are accepted and can be differenced.
    Draws,
    /// Two runs of the forward half give the same bits.
    Determinism,
    /// The plain and the taped form agree bit for bit, and refuse alike.
    Agreement,
    /// Every operand use is one edge, in order, and its contribution is finite and has its shape.
    Shape,
    /// The whole Jacobian against central differences.
    Jacobian,
    /// `<J v, u> = <v, Jᵀ u>`, with `J v` from dual numbers.
    Adjoint,
    /// The rule is linear in the upstream cotangent: zero for zero, and never independent of it.
    Upstream,
    /// One node in several operand slots receives the sum of the slots' contributions.
    Reuse,
    /// The contributions do not depend on which other operands are tracked.
    Subsets,
    /// Operands, upstream and saved context are unchanged, and a second run gives the same bits.
    Purity,
    /// `f32` and `Dual` values agree with `f64`, to rounding.
    Precision,
    /// The tangent of the rule on dual numbers against central differences of the rule.
    SecondOrder,
    /// A reverse pass finds the rule by its ID and stores what the rule gives.
    Dispatch,
}

impl Check {
    /// What the reference is that a number is compared with.
    fn reference(self) -> &'static str {
        match self {
            Self::Draws | Self::Shape => "the declaration",
            Self::Determinism | Self::Purity => "the first run",
            Self::Agreement => "the plain form",
            Self::Jacobian | Self::SecondOrder => "central differences",
            Self::Adjoint => "the forward derivative",
            Self::Upstream => "linearity",
            Self::Reuse => "distinct nodes",
            Self::Subsets => "all operands tracked",
            Self::Precision => "f64",
            Self::Dispatch => "the rule",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Draws => "draws",
            Self::Determinism => "determinism",
            Self::Agreement => "plain against taped",
            Self::Shape => "contribution shape",
            Self::Jacobian => "jacobian",
            Self::Adjoint => "adjoint identity",
            Self::Upstream => "linearity in upstream",
            Self::Reuse => "one node in several slots",
            Self::Subsets => "subsets of tracked operands",
            Self::Purity => "unchanged and repeatable",
            Self::Precision => "precision against f64",
            Self::SecondOrder => "second order",
            Self::Dispatch => "dispatch by ID",
        })
    }
}

/// Why a check failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Two numbers that should agree do not.
    Differs {
        /// What the rule gives.
        analytic: f64,
        /// What the reference gives.
        numeric: f64,
        /// How far apart they may be.
        tolerance: f64,
    },
    /// Something returned an error that should not have.
    Refused {
        /// The error.
        error: TensorAutodiffError,
    },
    /// One form of the operation refused and the other did not, or with another error.
    RefusedDifferently {
        /// What the plain form said, if it refused.
        plain: Option<TensorAutodiffError>,
        /// What the taped form said, if it refused.
        taped: Option<TensorAutodiffError>,
    },
    /// The structure of the result is not that of the declaration.
    Structure {
        /// What the declaration says.
        expected: String,
        /// What there is.
        actual: String,
    },
    /// The rule changed something that it may only read.
    Changed {
        /// What: an operand, the upstream or a saved field.
        what: String,
    },
    /// The operation or the rule panicked.
    Panicked {
        /// The panic's message.
        message: String,
    },
    /// Too many draws could not be used.
    Redrawn {
        /// How many could not.
        redrawn: usize,
        /// How many were made.
        draws: usize,
        /// Why the last one could not.
        last: String,
    },
}

/// A finding on its way to the report.
pub(super) type Found = Box<Finding>;

/// A failed check, and where in the rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was checked.
    pub check: Check,
    /// The element type it was checked on.
    pub element: &'static str,
    /// The operand, by name; a variadic one with its entry.
    pub operand: Option<String>,
    /// Which output of the operation.
    pub output: usize,
    /// The flat index in the operand, or in the output where no operand is named.
    pub index: Option<usize>,
    /// The flat index in the output, for an entry of the Jacobian.
    pub output_index: Option<usize>,
    /// Why it failed.
    pub cause: Cause,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.check, self.element)?;
        match (&self.operand, self.index) {
            (Some(operand), Some(index)) => write!(f, ", operand {operand} at flat index {index}")?,
            (Some(operand), None) => write!(f, ", operand {operand}")?,
            (None, Some(index)) => write!(f, ", output {} at flat index {index}", self.output)?,
            (None, None) => {}
        }
        if let Some(index) = self.output_index {
            write!(f, ", output {} at flat index {index}", self.output)?;
        }
        f.write_str(": ")?;
        match &self.cause {
            Cause::Differs {
                analytic,
                numeric,
                tolerance,
            } => write!(
                f,
                "analytic {analytic:?}, numeric {numeric:?} ({}), difference {:e}, tolerance {tolerance:e}",
                self.check.reference(),
                (analytic - numeric).abs(),
            ),
            Cause::Refused { error } => write!(f, "refused: {error}"),
            Cause::RefusedDifferently { plain, taped } => {
                let said = |error: &Option<TensorAutodiffError>| {
                    error
                        .as_ref()
                        .map_or_else(|| "a result".to_owned(), ToString::to_string)
                };
                write!(
                    f,
                    "the plain form gave {}, the taped form {}",
                    said(plain),
                    said(taped)
                )
            }
            Cause::Structure { expected, actual } => write!(f, "expected {expected}, got {actual}"),
            Cause::Changed { what } => write!(f, "the rule changed {what}"),
            Cause::Panicked { message } => write!(f, "panicked: {message}"),
            Cause::Redrawn {
                redrawn,
                draws,
                last,
            } => write!(
                f,
                "{redrawn} of {draws} draws could not be used, expected at most one in ten; the last: {last}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(cause: Cause) -> Finding {
        Finding {
            check: Check::Jacobian,
            element: "f64",
            operand: Some("parts[1]".to_owned()),
            output: 0,
            index: Some(3),
            output_index: Some(2),
            cause,
        }
    }

    #[test]
    fn a_wrong_number_is_told_with_its_place_and_both_numbers() {
        let cause = Cause::Differs {
            analytic: 0.25,
            numeric: -0.25,
            tolerance: 1e-7,
        };
        assert_eq!(
            finding(cause).to_string(),
            "jacobian (f64), operand parts[1] at flat index 3, output 0 at flat index 2: \
             analytic 0.25, numeric -0.25 (central differences), difference 5e-1, tolerance 1e-7"
        );
    }

    #[test]
    fn two_forms_that_refuse_differently_are_told_together() {
        let cause = Cause::RefusedDifferently {
            plain: Some(TensorAutodiffError::GradientBorrowed),
            taped: None,
        };
        let finding = Finding {
            check: Check::Agreement,
            operand: None,
            index: None,
            output_index: None,
            ..finding(cause)
        };
        assert_eq!(
            finding.to_string(),
            format!(
                "plain against taped (f64): the plain form gave {}, the taped form a result",
                TensorAutodiffError::GradientBorrowed
            )
        );
    }

    #[test]
    fn draws_that_cannot_be_used_are_counted() {
        let cause = Cause::Redrawn {
            redrawn: 9,
            draws: 60,
            last: "refused: no".to_owned(),
        };
        assert!(finding(cause).to_string().ends_with(
            "9 of 60 draws could not be used, expected at most one in ten; the last: refused: no"
        ));
    }
}
