//! A text from anywhere: read, split, and turned into tokens and back.
#![no_main]

use std::path::Path;

use demo::corpus::Corpus;
use demo::tokenizer::Tokenizer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(corpus) = Corpus::decode(Path::new("nowhere/file"), bytes.to_vec()) {
        let tokenizer = Tokenizer::of(&corpus.text);
        let tokens: Option<Vec<usize>> = tokenizer.encode(&corpus.text).collect();
        assert_eq!(tokens.map(|tokens| tokenizer.decode(&tokens)), Some(corpus.text.clone()));
        let _ = corpus.split(&tokenizer, 4);
    }
});
