//! A run on several threads ends with the bytes of a run on one.

mod program;

use std::fs;

use program::{Outcome, folder, stdout_of, text_of};

#[test]
fn training_ends_with_the_same_bytes_on_any_number_of_threads() -> Outcome {
    let mut weights = Vec::new();
    for threads in ["1", "2", "3"] {
        let out = folder(&format!("on_{threads}_threads"))?;
        let sizes = [
            "--layers", "2", "--heads", "2", "--width", "64", "--block", "64",
        ];
        let run = [
            "--steps",
            "3",
            "--warmup",
            "1",
            "--threads",
            threads,
            "--out",
            &text_of(&out),
        ];
        stdout_of(&[&["train"], &sizes[..], &run[..]].concat())?;
        let files = fs::read_dir(&out)?.collect::<Result<Vec<_>, _>>()?;
        let found = files
            .iter()
            .map(|file| file.path())
            .find(|path| path.extension().is_some_and(|end| end == "safetensors"));
        weights.push(fs::read(found.ok_or("no checkpoint")?)?);
    }
    assert!(weights.windows(2).all(|pair| pair[0] == pair[1]));
    Ok(())
}
