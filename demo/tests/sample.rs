//! Sampling: the same seed writes the same text, and no tape is involved.

mod program;

use std::fs;

use program::{Outcome, folder, stdout_of, text_of};

fn trained(name: &str, dtype: &str) -> Outcome<String> {
    let folder = folder(name)?;
    let corpus = folder.join("corpus.txt");
    fs::write(&corpus, "ab".repeat(200))?;
    let out = text_of(&folder.join("run"));
    let mut arguments = vec!["train", "--out", &out, "--dtype", dtype, "--lr", "0.02"];
    let corpus = text_of(&corpus);
    arguments.extend([
        "--corpus", &corpus, "--steps", "60", "--layers", "1", "--heads", "1",
    ]);
    arguments.extend(["--width", "8", "--block", "6", "--batch", "4"]);
    stdout_of(&arguments)?;
    Ok(out)
}

#[test]
fn what_was_learned_is_written_and_longer_than_a_block() -> Outcome {
    for dtype in ["f32", "f64"] {
        let out = trained(&format!("sampled-{dtype}"), dtype)?;
        let mut arguments = vec!["sample", "--checkpoint", &out, "--prompt", "aba"];
        arguments.extend(["--temperature", "0", "--tokens", "9"]);
        assert_eq!(stdout_of(&arguments)?, "ababababab".to_owned() + "ab\n");
    }
    Ok(())
}

#[test]
fn a_seed_decides_the_text() -> Outcome {
    let out = trained("seeded", "f32")?;
    let sample = |seed: &str| {
        let mut arguments = vec!["sample", "--checkpoint", &out, "--temperature", "50"];
        arguments.extend(["--tokens", "60", "--seed", seed]);
        stdout_of(&arguments)
    };
    assert_eq!(sample("1")?, sample("1")?);
    assert_ne!(sample("1")?, sample("2")?);
    assert_eq!(sample("1")?.len(), 61);
    Ok(())
}
