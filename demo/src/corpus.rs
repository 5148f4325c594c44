//! The text to learn from: read, checked, and cut into tokens for training and for validation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::tokenizer::Tokenizer;

/// What can be wrong with a text.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The file could not be read.
    #[error("cannot read the corpus {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not text.
    #[error("the corpus {} is not UTF-8 text: invalid byte at offset {offset}", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Where the text ends.
        offset: usize,
    },
    /// The file has control characters that no text has.
    #[error("the corpus {} is binary: NUL byte at offset {offset}", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// Where the first one stands.
        offset: usize,
    },
    /// There is no text.
    #[error("the corpus {} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A part of the text is too short.
    #[error(
        "the corpus is too short: its {part} part has {characters} characters, \
         expected at least {needed} (one more than the block)"
    )]
    TooShort {
        /// Training or validation.
        part: &'static str,
        /// How long it is.
        characters: usize,
        /// How long it must be.
        needed: usize,
    },
}

/// A text and the name to call it by.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The text.
    pub text: String,
    /// The file, or nothing for the text that the program carries.
    pub path: Option<PathBuf>,
}

impl Corpus {
    /// The project's own documentation.
    #[must_use]
    pub fn carried() -> Self {
        let parts = [
            include_str!("../../README.md"),
            include_str!("../../ARCHITECTURE.md"),
        ];
        Self {
            text: parts.concat(),
            path: None,
        }
    }

    /// The text of a file.
    ///
    /// # Errors
    /// [`CorpusError`] where it is missing, unreadable, empty or not text.
    pub fn read(path: &Path) -> Result<Self, CorpusError> {
        let bytes = fs::read(path).map_err(|source| CorpusError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::decode(path, bytes)
    }

    /// The text that `bytes` are, which may come from anywhere; errors name the path.
    ///
    /// # Errors
    /// [`CorpusError`] where it is empty or not text.
    pub fn decode(path: &Path, bytes: Vec<u8>) -> Result<Self, CorpusError> {
        let owned = || path.to_owned();
        if bytes.is_empty() {
            return Err(CorpusError::Empty { path: owned() });
        }
        if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
            return Err(CorpusError::Binary {
                path: owned(),
                offset,
            });
        }
        let text = String::from_utf8(bytes).map_err(|error| CorpusError::NotText {
            path: owned(),
            offset: error.utf8_error().valid_up_to(),
        })?;
        Ok(Self {
            text,
            path: Some(owned()),
        })
    }

    /// A fingerprint of the text: its FNV-1a hash in 64 bits.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        // Offset basis and prime of http://www.isthe.com/chongo/tech/comp/fnv/.
        self.text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// The tokens: the first nine tenths to learn from, the rest to validate with.
    ///
    /// # Errors
    /// [`CorpusError::TooShort`] where a part has no place for a block and the token after it.
    pub fn split(&self, tokenizer: &Tokenizer, block: usize) -> Result<Split, CorpusError> {
        let mut training: Vec<usize> = tokenizer.encode(&self.text).flatten().collect();
        let validation = training.split_off(training.len() / 10 * 9 + training.len() % 10 * 9 / 10);
        let needed = block.saturating_add(1);
        for (part, tokens) in [("training", &training), ("validation", &validation)] {
            let characters = tokens.len();
            if characters < needed {
                return Err(CorpusError::TooShort {
                    part,
                    characters,
                    needed,
                });
            }
        }
        Ok(Split {
            training,
            validation,
        })
    }
}

/// The tokens of a corpus in two parts.
#[derive(Clone, Debug)]
pub struct Split {
    /// The first nine tenths.
    pub training: Vec<usize>,
    /// The last tenth.
    pub validation: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tenth_is_kept_for_validation() {
        let corpus = Corpus {
            text: "abcdefghij".repeat(3) + "xy",
            path: None,
        };
        let tokenizer = Tokenizer::of(&corpus.text);
        let split = corpus.split(&tokenizer, 2).unwrap();
        // 32 · 9 / 10 = 28
        assert_eq!((split.training.len(), split.validation.len()), (28, 4));
        let error = corpus.split(&tokenizer, 4).unwrap_err();
        assert!(matches!(
            error,
            CorpusError::TooShort {
                part: "validation",
                characters: 4,
                needed: 5
            }
        ));
    }
}
