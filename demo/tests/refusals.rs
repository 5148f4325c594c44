//! Bad input: one line on stderr, exit code 2, nothing overwritten.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{Outcome, demo, described, fixture, folder, refusal_of, stdout_of, text_of};

fn written(folder: &Path, name: &str, bytes: &[u8]) -> Outcome<String> {
    let path = folder.join(name);
    fs::write(&path, bytes)?;
    Ok(text_of(&path))
}

/// A folder with a text and a finished run on it.
fn run(name: &str) -> Outcome<(PathBuf, String, PathBuf)> {
    let folder = folder(name)?;
    let corpus = written(
        &folder,
        "corpus.txt",
        "to be or not to be\n".repeat(9).as_bytes(),
    )?;
    let out = folder.join("run");
    stdout_of(
        &[
            "train",
            "--corpus",
            &corpus,
            "--out",
            &text_of(&out),
            "--steps",
            "2",
        ]
        .into_iter()
        .chain(["--layers", "1", "--width", "8", "--block", "4"])
        .collect::<Vec<_>>(),
    )?;
    Ok((folder, corpus, out))
}

#[test]
fn texts_without_use_are_refused_before_anything_is_written() -> Outcome {
    let folder = folder("texts")?;
    let out = text_of(&folder.join("out"));
    for (name, bytes, expected) in [
        ("empty.txt", &b""[..], "is empty"),
        ("binary.txt", b"ab\0cd", "is binary: NUL byte at offset 2"),
        (
            "latin1.txt",
            b"ab\xe4cd",
            "is not UTF-8 text: invalid byte at offset 2",
        ),
        (
            "short.txt",
            b"too short for a block",
            "its training part has 18 characters, expected at least 65 (one more than the block)",
        ),
    ] {
        let corpus = written(&folder, name, bytes)?;
        let refusal = refusal_of(&["train", "--corpus", &corpus, "--out", &out])?;
        assert!(
            refusal.starts_with("demo: ") && refusal.contains(expected),
            "{refusal}"
        );
    }
    let missing = text_of(&folder.join("missing.txt"));
    let refusal = refusal_of(&["train", "--corpus", &missing, "--out", &out])?;
    assert!(refusal.contains("cannot read the corpus"), "{refusal}");
    assert!(!Path::new(&out).exists());
    Ok(())
}

#[test]
fn impossible_sizes_and_settings_are_refused() -> Outcome {
    for (arguments, expected) in [
        (
            &["--heads", "3"][..],
            "width 32 cannot be shared by 3 heads, expected a multiple",
        ),
        (
            &["--layers", "0"],
            "the number of layers must be at least 1",
        ),
        (&["--width", "0"], "the width must be at least 1"),
        (&["--block", "0"], "the block must be at least 1"),
        (&["--batch", "0"], "batch must be at least 1"),
        (&["--steps", "0"], "steps must be at least 1"),
        (&["--save-every", "0"], "save-every must be at least 1"),
        (&["--threads", "0"], "threads must be at least 1"),
        (
            &["--width", "18446744073709551614"],
            "GiB of memory, expected at most",
        ),
        (
            &["--layers", "100000000"],
            "GiB of memory, expected at most",
        ),
        (
            &["--block", "1000000000000"],
            "GiB of memory, expected at most",
        ),
        (
            &["--layers", "1200000", "--width", "1", "--heads", "1"],
            "GiB of memory, expected at most",
        ),
        (&["--batch", "600000"], "GiB of memory, expected at most"),
        (
            &["--batch", "600000", "--recompute"],
            "GiB of memory, expected at most",
        ),
        (
            &["--arch", "llama", "--width", "6", "--heads", "2"],
            "expected an even width",
        ),
        (&["--lr", "0"], "lr must be positive and finite, got 0"),
        (&["--lr", "NaN"], "lr must be positive and finite, got NaN"),
        (&["--min-lr", "1"], "min-lr must be between 0 and lr, got 1"),
        (&["--beta1", "1"], "beta1 must be in [0, 1), got 1"),
        (
            &["--decay=-1"],
            "decay must be finite and not negative, got -1",
        ),
        (
            &["--warmup", "601"],
            "warmup must be at most the number of steps, got 601",
        ),
    ] {
        let refusal = refusal_of(&[&["train"], arguments].concat())?;
        assert!(refusal.contains(expected), "{arguments:?}: {refusal}");
    }
    Ok(())
}

#[test]
fn a_checkpoint_is_never_overwritten_by_another_run() -> Outcome {
    let (_, corpus, out) = run("overwritten")?;
    let out_text = text_of(&out);
    let before = fs::read(out.join("checkpoint.safetensors"))?;
    let refusal = refusal_of(&["train", "--corpus", &corpus, "--out", &out_text])?;
    assert!(
        refusal.ends_with("holds a checkpoint; continue it with --resume or choose another --out")
    );
    let refusal = refusal_of(&["train", "--resume", "--out", &out_text, "--lr", "0.5"])?;
    assert_eq!(
        refusal,
        "demo: --lr is 0.5, but the run was started with 0.001"
    );
    let other = written(&out, "other.txt", &b"something else\n".repeat(20))?;
    let refusal = refusal_of(&["train", "--resume", "--out", &out_text, "--corpus", &other])?;
    assert_eq!(
        refusal,
        "demo: the corpus is not the text that the run was started with"
    );
    assert!(fs::read(out.join("checkpoint.safetensors"))? == before);
    Ok(())
}

#[test]
fn a_missing_damaged_or_foreign_checkpoint_is_refused() -> Outcome {
    let (folder, _, out) = run("checkpoints")?;
    let path = out.join("checkpoint.safetensors");
    let whole = fs::read(&path)?;
    let header = usize::try_from(u64::from_le_bytes(whole[..8].try_into()?))?;
    let altered = |from: &str, to: &str| {
        let text = String::from_utf8_lossy(&whole[8..8 + header]).replace(from, to);
        let length = (text.len() as u64).to_le_bytes();
        [&length[..], text.as_bytes(), &whole[8 + header..]].concat()
    };
    let mut not_a_number = whole.clone();
    let last = not_a_number.len() - 4;
    not_a_number[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    for (bytes, expected) in [
        (whole[..whole.len() / 2].to_vec(), "is damaged"),
        (whole[..4].to_vec(), "is damaged"),
        (Vec::new(), "is damaged"),
        (b"not a checkpoint at all".to_vec(), "is damaged"),
        (
            altered("autodiff.demo", "someone.elses"),
            "is not a checkpoint of this program",
        ),
        (
            altered("\\\"version\\\":1", "\\\"version\\\":9"),
            "expected version 1, got 9",
        ),
        (altered("param.wte", "param.xte"), "tensor param.wte"),
        (
            altered("\\\"width\\\":8", "\\\"width\\\":16"),
            "expected shape",
        ),
        (altered(" benort", " bneort"), "once each and in order"),
        (altered(" benort", " bennrt"), "once each and in order"),
        (
            altered("\\\"step\\\":2", "\\\"step\\\":3"),
            "expected at most 2 steps, got 3",
        ),
        (not_a_number, "NaN at flat index"),
    ] {
        fs::write(&path, &bytes)?;
        for arguments in [
            &["train", "--resume", "--out", &text_of(&out)],
            &["sample", "--checkpoint", &text_of(&out), "--prompt=to"],
        ] {
            // A prompt is read from the parameters alone.
            if expected.starts_with("NaN") && arguments[0] == "sample" {
                continue;
            }
            let refusal = refusal_of(arguments)?;
            assert!(refusal.contains(expected), "{expected}: {refusal}");
        }
        assert!(fs::read(&path)? == bytes, "{expected}");
    }
    #[cfg(unix)]
    {
        // What a device gives may have no end, so none is read.
        fs::remove_file(&path)?;
        std::os::unix::fs::symlink("/dev/null", &path)?;
        let out = text_of(&out);
        let page = text_of(&folder.join("page.html"));
        for arguments in [
            &["report", "--checkpoint", &out, "--out", &page][..],
            &["sample", "--checkpoint", &out],
        ] {
            let refusal = refusal_of(arguments)?;
            assert!(refusal.ends_with(": not a file"), "{refusal}");
        }
    }
    let empty = text_of(&folder);
    for arguments in [
        &["train", "--resume", "--out", &empty][..],
        &["sample", "--checkpoint", &empty],
    ] {
        let refusal = refusal_of(arguments)?;
        assert_eq!(refusal, format!("demo: there is no checkpoint in {empty}"));
    }
    Ok(())
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() -> Outcome {
    let folder = folder("unwritable")?;
    let file = written(&folder, "file", b"in the way")?;
    let out = format!("{file}/out");
    let refusal = refusal_of(&["train", "--steps", "1", "--out", &out])?;
    assert!(refusal.contains("cannot create the folder"), "{refusal}");
    assert_eq!(fs::read(&file)?, b"in the way");
    // Nothing was announced: neither here nor where the folder is there and a file of it is not.
    let in_the_way = ["metrics.csv", "report.html", "checkpoint.safetensors/"];
    let runs = in_the_way.map(|name| folder.join(format!("run-{}", &name[..3])).join(name));
    for path in &runs {
        fs::create_dir_all(path)?;
    }
    let folders = runs.iter().filter_map(|path| path.parent());
    for out in folders.map(text_of).chain([out]) {
        let output = demo(&["train", "--steps", "1", "--out", &out]).output()?;
        assert_eq!(output.status.code(), Some(2), "{}", described(&output));
        assert_eq!(String::from_utf8(output.stdout)?, "");
    }
    // Beside what is in the way nothing was written.
    for path in &runs {
        let folder = path.parent().ok_or("no folder")?;
        assert_eq!(fs::read_dir(folder)?.count(), 1, "{}", folder.display());
    }
    Ok(())
}

#[test]
fn prompts_and_sampling_options_without_sense_are_refused() -> Outcome {
    let (_, _, out) = run("prompts")?;
    let out = text_of(&out);
    for (arguments, expected) in [
        (
            &["--prompt", "to bé"][..],
            "character 4 of the prompt, 'é', is not in the model's vocabulary",
        ),
        (
            &["--temperature=-1"],
            "temperature must be finite and not negative, got -1",
        ),
        (
            &["--temperature", "inf"],
            "temperature must be finite and not negative, got inf",
        ),
        (&["--top-k", "0"], "top-k must be at least 1"),
    ] {
        let refusal = refusal_of(&[&["sample", "--checkpoint", &out], arguments].concat())?;
        assert_eq!(refusal, format!("demo: {expected}"));
    }
    Ok(())
}

#[test]
fn fixtures_without_sense_are_refused() -> Outcome {
    let folder = folder("fixtures")?;
    let original = fs::read_to_string(fixture("gpt_tiny.json"))?;
    fs::copy(
        fixture("gpt_tiny.safetensors"),
        folder.join("gpt_tiny.safetensors"),
    )?;
    for (from, to, expected) in [
        (
            "\"nanogpt\"",
            "\"rnn\"",
            "expected model nanogpt or llama, got \"rnn\"",
        ),
        (
            "\"vocab\":17",
            "\"vocab\":18",
            "params: wte: expected shape [18, 16], got [17, 16]",
        ),
        (
            "\"h.1.ln_2.bias\"",
            "\"h.9.ln_2.bias\"",
            "params: h.1.ln_2.bias is missing",
        ),
        (
            "gpt_tiny.safetensors",
            "missing.safetensors",
            "cannot read the fixture",
        ),
        (
            "\"losses\":[",
            "\"losses\":[],\"other\":[",
            "AdamW: expected the loss before the first step",
        ),
        (
            "\"10\":[",
            "\"99\":[",
            "AdamW: expected snapshots of steps 1 to 10, got one of step 99",
        ),
        ("{", "[", "is malformed"),
        (
            "\"beta1\":0.9",
            "\"beta1\":1.5",
            "cannot be run: beta1: expected a number of at least 0 and below 1, got 1.5",
        ),
        (
            "\"weight_decay\":0.",
            "\"weight_decay\":-0.",
            "cannot be run: decay: expected a finite number of at least 0, got -0.",
        ),
        ("\"lr\":0.", "\"lr\":-1.", "cannot be run: learning_rate: "),
        ("\"lr\":0.", "\"lr\":1e308,\"x\":0.", "cannot be run: "),
    ] {
        let text = original.replace(": ", ":").replace(from, to);
        let path = written(&folder, "altered.json", text.as_bytes())?;
        let refusal = refusal_of(&["verify", "--fixture", &path])?;
        assert!(refusal.contains(expected), "{expected}: {refusal}");
        assert!(refusal.contains(&text_of(&folder)), "{refusal}");
    }
    Ok(())
}
