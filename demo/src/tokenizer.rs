//! One token a character.

use std::collections::BTreeSet;
use std::collections::HashMap;

/// The characters of a text, in code point order; a character's place is its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    characters: Vec<char>,
    tokens: HashMap<char, usize>,
}

impl Tokenizer {
    /// The tokenizer of every character that occurs in `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let characters: BTreeSet<char> = text.chars().collect();
        Self::from_vocabulary(characters)
    }

    /// The tokenizer whose vocabulary is these characters; repeated ones count once.
    #[must_use]
    pub fn from_vocabulary(characters: impl IntoIterator<Item = char>) -> Self {
        let characters: BTreeSet<char> = characters.into_iter().collect();
        let characters: Vec<char> = characters.into_iter().collect();
        let tokens = characters.iter().copied().zip(0..).collect();
        Self { characters, tokens }
    }

    /// The characters in the order of their tokens.
    #[must_use]
    pub fn vocabulary(&self) -> &[char] {
        &self.characters
    }

    /// A character's token.
    #[must_use]
    pub fn token(&self, character: char) -> Option<usize> {
        self.tokens.get(&character).copied()
    }

    /// A token's character.
    #[must_use]
    pub fn character(&self, token: usize) -> Option<char> {
        self.characters.get(token).copied()
    }

    /// The token of every character; `None` for those not in the vocabulary.
    pub fn encode(&self, text: &str) -> impl Iterator<Item = Option<usize>> {
        text.chars().map(|character| self.token(character))
    }

    /// The text of tokens; tokens not in the vocabulary are left out.
    #[must_use]
    pub fn decode(&self, tokens: &[usize]) -> String {
        tokens
            .iter()
            .filter_map(|&token| self.character(token))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back() {
        for text in [
            "",
            "a",
            "naïve\r\n\tчай 茶 🫖",
            "e\u{301}",
            "\u{10ffff}\u{fffd}",
        ] {
            let tokenizer = Tokenizer::of(text);
            let tokens: Vec<usize> = tokenizer.encode(text).flatten().collect();
            assert_eq!(tokens.len(), text.chars().count());
            assert_eq!(tokenizer.decode(&tokens), text);
        }
    }

    #[test]
    fn tokens_follow_code_points() {
        let tokenizer = Tokenizer::of("banana");
        assert_eq!(tokenizer.vocabulary(), ['a', 'b', 'n']);
        assert_eq!(tokenizer.encode("bx").collect::<Vec<_>>(), [Some(1), None]);
    }
}
