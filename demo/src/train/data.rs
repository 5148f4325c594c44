//! Pieces of the text for a step, and all of it for validation.

use autodiff_ops::prelude::*;

use crate::DemoError;
use crate::random::RandomStream;

/// Tokens and, for each, the one that comes after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// `[batch, time]`.
    pub tokens: Tensor<usize>,
    /// `[batch, time]`.
    pub targets: Tensor<usize>,
}

impl Batch {
    /// Pieces of `time` tokens from each of `starts`.
    fn at(text: &[usize], starts: &[usize], time: usize) -> Result<Self, DemoError> {
        let pieces = |shift: usize| {
            let piece = |&start: &usize| text.iter().skip(start + shift).take(time).copied();
            Tensor::from_vec(
                [starts.len(), time],
                starts.iter().flat_map(piece).collect(),
            )
        };
        Ok(Self {
            tokens: pieces(0)?,
            targets: pieces(1)?,
        })
    }

    /// `batch` pieces of `time` tokens whose beginnings are drawn uniformly, with repetition.
    ///
    /// # Errors
    /// [`DemoError::Tensor`] where the text is not longer than a piece.
    pub fn draw(
        text: &[usize],
        [batch, time]: [usize; 2],
        random: &mut RandomStream,
    ) -> Result<Self, DemoError> {
        let beginnings = text.len().saturating_sub(time);
        let starts: Vec<usize> = (0..batch).map(|_| random.below(beginnings)).collect();
        Self::at(text, &starts, time)
    }

    /// The whole text once, in pieces that do not overlap, `batch` of them at a time; what is left at
    /// the end makes a shorter piece of its own.
    pub fn pass(
        text: &[usize],
        [batch, time]: [usize; 2],
    ) -> impl Iterator<Item = Result<Self, DemoError>> {
        // The last token is a target only.
        let predicted = text.len().saturating_sub(1);
        let whole: Vec<usize> = (0..predicted / time).map(|piece| piece * time).collect();
        let left = predicted % time;
        let end = (left > 0).then(|| Self::at(text, &[predicted - left], left));
        let batches: Vec<Vec<usize>> = whole.chunks(batch).map(<[usize]>::to_vec).collect();
        let full = batches
            .into_iter()
            .map(move |starts| Self::at(text, &starts, time));
        full.chain(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn targets_are_the_tokens_one_place_on() {
        let text: Vec<usize> = (0..50).collect();
        let mut random = RandomStream::new(3, Purpose::Batches);
        let batch = Batch::draw(&text, [4, 8], &mut random).unwrap();
        assert_eq!(batch.targets, batch.tokens.map(|token| token + 1));
        assert_eq!(batch.tokens.shape(), [4, 8]);
    }

    #[test]
    fn the_last_piece_can_be_drawn_and_none_beyond_it() {
        let text = [0, 1, 2];
        let mut random = RandomStream::new(3, Purpose::Batches);
        let starts: Vec<usize> = (0..40)
            .map(|_| {
                Batch::draw(&text, [1, 2], &mut random)
                    .unwrap()
                    .tokens
                    .as_slice()[0]
            })
            .collect();
        // Three tokens hold one piece of two with a target after each.
        assert_eq!(starts, [0; 40]);
    }

    #[test]
    fn a_pass_predicts_every_token_but_the_first_once() {
        let text: Vec<usize> = (0..23).collect();
        let mut targets = Vec::new();
        for batch in Batch::pass(&text, [2, 4]) {
            targets.extend(batch.unwrap().targets.to_vec());
        }
        assert_eq!(targets, (1..23).collect::<Vec<_>>());
    }
}
