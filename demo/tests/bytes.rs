//! Every parser of files on bytes from anywhere: an error or a value, never a panic, and no more memory than
//! the bytes justify.

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use autodiff_core::report::{Document, document_page};
use demo::corpus::Corpus;
use demo::tokenizer::Tokenizer;
use demo::train::checkpoint::Stored;
use demo::verify::Fixture;
use peak_alloc::PeakAlloc;
use program::{Outcome, fixture, folder, stdout_of, text_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

static TURN: Mutex<()> = Mutex::new(());

/// What a byte of input may cost at most: numbers, names and errors of JSON are far larger than their text,
/// and whatever is not input may take this much as well.
const BYTES_A_BYTE: usize = 400;
const OVERHEAD: usize = 8 << 20;

fn read_all(bytes: &[u8]) {
    let path = Path::new("nowhere/file");
    if let Ok(stored) = Stored::decode(PathBuf::from(path), bytes.to_vec()) {
        let _ = (stored.parameters::<f32>(), stored.state::<f64>());
    }
    let _ = Fixture::decode(path, bytes);
    if let Ok(corpus) = Corpus::decode(path, bytes.to_vec()) {
        let _ = corpus.split(&Tokenizer::of(&corpus.text), 4);
    }
    if let Ok(document) = Document::decode(bytes) {
        assert!(document.encode().is_ok());
        let _ = document_page(&document);
    }
}

/// Reads changed versions of `bytes` and of nothing.
fn survives(valid: &[u8], cases: u32) -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let change = (
        any::<prop::sample::Index>(),
        any::<u8>(),
        0..5_u8,
        0..9_usize,
    );
    let changes = prop::collection::vec(change, 1..8);
    let outcome = TestRunner::new(config).run(&changes, |changes| {
        let mut bytes = valid.to_vec();
        for (place, byte, kind, count) in changes {
            let at = place.index(bytes.len() + 1);
            match kind {
                0 => bytes.truncate(at),
                1 => bytes.splice(at..at, vec![byte; count]).for_each(drop),
                2 => drop(bytes.drain(at..(at + count).min(bytes.len()))),
                // Digits make other sizes, which is where allocations come from.
                3 => bytes.splice(at..at, *b"99999999").for_each(drop),
                _ => {
                    if let Some(place) = bytes.get_mut(at) {
                        *place = byte;
                    }
                }
            }
        }
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        read_all(&bytes);
        let used = HEAP.peak_usage() - before;
        prop_assert!(
            used < OVERHEAD + BYTES_A_BYTE * bytes.len(),
            "{used} bytes for {}",
            bytes.len()
        );
        Ok(())
    });
    Ok(outcome?)
}

#[test]
fn any_bytes_are_read_or_refused() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let config = Config {
        cases: 10_000,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome =
        TestRunner::new(config).run(&prop::collection::vec(any::<u8>(), 0..200), |bytes| {
            read_all(&bytes);
            Ok(())
        });
    Ok(outcome?)
}

#[test]
fn a_damaged_checkpoint_is_read_or_refused() -> Outcome {
    let folder = folder("damaged")?;
    let out = text_of(&folder.join("run"));
    let sizes = [
        "--layers", "1", "--heads", "1", "--width", "4", "--block", "4",
    ];
    let run = ["train", "--out", &out, "--steps", "2", "--batch", "2"];
    stdout_of(&[&run[..], &sizes[..]].concat())?;
    let bytes = fs::read(Path::new(&out).join("checkpoint.safetensors"))?;
    survives(&bytes, 5_000)
}

#[test]
fn a_damaged_fixture_is_read_or_refused() -> Outcome {
    survives(&fs::read(fixture("gpt_tiny.json"))?, 200)
}

#[test]
fn a_damaged_report_is_read_or_refused() -> Outcome {
    let file = folder("damaged_report")?.join("report.json");
    stdout_of(&["report", "--json", &text_of(&file)])?;
    survives(&fs::read(file)?, 1_000)
}
