//! Training: a run that is interrupted in any way ends with the bits of one that is not.

mod program;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use program::{Outcome, demo, folder, refusal_of, stdout_of, text_of};

const STEPS: usize = 24;

/// A run small enough for a test.
fn arguments<'a>(corpus: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["train", "--corpus", corpus, "--out", out];
    all.extend([
        "--steps", "24", "--layers", "1", "--heads", "2", "--width", "8",
    ]);
    all.extend(["--block", "8", "--batch", "2"]);
    all.extend(["--validate-every", "7", "--seed", "3"]);
    all.extend(more);
    all
}

fn corpus(folder: &Path) -> Outcome<String> {
    let path = folder.join("corpus.txt");
    fs::write(&path, "der Wal schläft – 鯨は眠る.\n".repeat(20))?;
    Ok(text_of(&path))
}

/// The columns that settings and seed decide: all but the speed.
fn decided_columns(out: &Path) -> Outcome<Vec<String>> {
    let metrics = fs::read_to_string(out.join("metrics.csv"))?;
    let without_speed = |line: &str| line.rsplit_once(',').map(|(decided, _)| decided.to_owned());
    Ok(metrics.lines().filter_map(without_speed).collect())
}

fn assert_same_end(left: &Path, right: &Path) -> Outcome {
    let checkpoint = |out: &Path| fs::read(out.join("checkpoint.safetensors"));
    assert!(
        checkpoint(left)? == checkpoint(right)?,
        "the checkpoints differ"
    );
    assert_eq!(decided_columns(left)?, decided_columns(right)?);
    Ok(())
}

#[test]
fn a_stopped_and_resumed_run_ends_with_the_bits_of_an_uninterrupted_one() -> Outcome {
    let folder = folder("stopped")?;
    let corpus = corpus(&folder)?;
    for (family, dtype) in [("gpt", "f32"), ("llama", "f64")] {
        let [whole, parts] = ["whole", "parts"].map(|name| folder.join(format!("{name}-{family}")));
        let more = ["--arch", family, "--dtype", dtype];
        stdout_of(&arguments(&corpus, &text_of(&whole), &more))?;
        let out = text_of(&parts);
        stdout_of(&arguments(
            &corpus,
            &out,
            &[&more[..], &["--stop-at", "6"]].concat(),
        ))?;
        stdout_of(&["train", "--resume", "--out", &out, "--stop-at", "13"])?;
        let text = stdout_of(&["train", "--resume", "--out", &out])?;
        assert!(text.contains("continuing after step 13"), "{text}");
        assert_same_end(&whole, &parts)?;
        assert_eq!(decided_columns(&whole)?.len(), 1 + STEPS);
    }
    Ok(())
}

#[test]
fn a_run_that_recomputes_its_layers_ends_with_the_bits_of_one_that_keeps_them() -> Outcome {
    let folder = folder("recomputed")?;
    let corpus = corpus(&folder)?;
    for family in ["gpt", "llama"] {
        let [kept, recomputed] =
            ["kept", "recomputed"].map(|name| folder.join(format!("{name}-{family}")));
        let more = ["--arch", family];
        stdout_of(&arguments(&corpus, &text_of(&kept), &more))?;
        let out = text_of(&recomputed);
        stdout_of(&arguments(
            &corpus,
            &out,
            &[&more[..], &["--recompute"]].concat(),
        ))?;
        assert_same_end(&kept, &recomputed)?;
    }
    Ok(())
}

#[test]
fn a_killed_run_resumes_and_ends_with_the_bits_of_an_uninterrupted_one() -> Outcome {
    let folder = folder("killed")?;
    let corpus = corpus(&folder)?;
    let [whole, killed] = ["whole", "killed"].map(|name| folder.join(name));
    stdout_of(&arguments(&corpus, &text_of(&whole), &[]))?;
    let out = text_of(&killed);
    let mut kills = 0;
    // Later and later, from before the first checkpoint to the end.
    for milliseconds in (0..).map(|round| 2 + round * 7) {
        let is_begun = killed.join("checkpoint.safetensors").exists();
        let mut command = match is_begun {
            true => demo(&["train", "--resume", "--out", &out]),
            false => demo(&arguments(&corpus, &out, &["--save-every", "1"])),
        };
        let mut child = command.stdout(Stdio::null()).spawn()?;
        sleep(Duration::from_millis(milliseconds));
        match child.try_wait()? {
            Some(status) => {
                assert!(status.success());
                break;
            }
            None => {
                child.kill()?;
                kills += 1;
                child.wait()?;
            }
        }
    }
    assert!(kills > 0);
    stdout_of(&["train", "--resume", "--out", &out])?;
    assert_same_end(&whole, &killed)
}

#[test]
fn a_run_that_ended_before_its_first_checkpoint_begins_again() -> Outcome {
    let folder = folder("begun")?;
    let corpus = corpus(&folder)?;
    let [whole, begun] = ["whole", "begun"].map(|name| folder.join(name));
    stdout_of(&arguments(&corpus, &text_of(&whole), &[]))?;
    fs::create_dir(&begun)?;
    fs::write(begun.join("checkpoint.safetensors.unfinished"), "a part of")?;
    // Without the text nothing says which run it was.
    refusal_of(&["train", "--resume", "--out", &text_of(&begun)])?;
    stdout_of(&arguments(&corpus, &text_of(&begun), &["--resume"]))?;
    assert_same_end(&whole, &begun)
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_step_and_saves() -> Outcome {
    let folder = folder("interrupted")?;
    let corpus = corpus(&folder)?;
    let out = folder.join("run");
    let text = text_of(&out);
    let mut all = arguments(&corpus, &text, &[]);
    all.extend(["--save-every", "1000000"]);
    let all: Vec<&str> = all
        .into_iter()
        .map(|a| if a == "24" { "1000000" } else { a })
        .collect();
    let mut child = demo(&all).stdout(Stdio::null()).spawn()?;
    // The second row is written after the first step.
    while decided_columns(&out).map_or(0, |rows| rows.len()) < 2 {
        sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()?;
    assert!(interrupt.success());
    assert!(child.wait()?.success());
    let rows = decided_columns(&out)?.len() - 1;
    let resumed = stdout_of(&[
        "train",
        "--resume",
        "--out",
        &text,
        "--stop-at",
        &(rows + 1).to_string(),
    ])?;
    assert!(
        resumed.contains(&format!("continuing after step {rows}\n")),
        "{resumed}"
    );
    Ok(())
}

#[test]
fn a_finished_run_resumes_to_nothing() -> Outcome {
    let folder = folder("finished")?;
    let corpus = corpus(&folder)?;
    let out = folder.join("run");
    stdout_of(&arguments(&corpus, &text_of(&out), &[]))?;
    let before = fs::read(out.join("checkpoint.safetensors"))?;
    let text = stdout_of(&["train", "--resume", "--out", &text_of(&out)])?;
    assert!(text.contains("saved after step 24"), "{text}");
    assert!(fs::read(out.join("checkpoint.safetensors"))? == before);
    Ok(())
}

#[test]
fn the_loss_falls_on_the_text_that_the_program_carries() -> Outcome {
    let text = stdout_of(&[
        "train", "--steps", "30", "--width", "16", "--batch", "4", "--lr", "0.01",
    ])?;
    let losses: Vec<f64> = text
        .lines()
        .filter_map(|line| line.split_once("loss ")?.1.split(' ').next()?.parse().ok())
        .collect();
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(last < first - 0.3, "{text}");
    assert!(text.contains("a sample:"), "{text}");
    Ok(())
}

#[test]
fn a_text_of_any_characters_ends_with_a_sample_of_it() -> Outcome {
    let folder = folder("sampled")?;
    // Neither has every character of the usual prompt, nor has the second a line.
    for (name, text) in [("Wal", "der Wal schläft\n"), ("鯨", "鯨は眠る")] {
        let corpus = folder.join(name);
        fs::write(&corpus, text.repeat(40))?;
        let corpus = text_of(&corpus);
        let mut arguments = vec!["train", "--corpus", &corpus, "--steps", "1"];
        arguments.extend(["--layers", "1", "--width", "8", "--block", "8"]);
        let printed = stdout_of(&arguments)?;
        let begins: String = text.chars().take(4).collect();
        assert!(
            printed.contains(&format!("a sample:\n\n{begins}")),
            "{printed}"
        );
    }
    Ok(())
}

#[test]
fn two_runs_of_one_seed_agree_and_two_seeds_do_not() -> Outcome {
    let folder = folder("seeds")?;
    let corpus = corpus(&folder)?;
    let run = |name: &str, seed: &str| -> Outcome<Vec<u8>> {
        let out = folder.join(name);
        let text = text_of(&out);
        let mut all = arguments(&corpus, &text, &[]);
        all.truncate(all.len() - 2);
        all.extend(["--seed", seed]);
        stdout_of(&all)?;
        Ok(fs::read(out.join("checkpoint.safetensors"))?)
    };
    let (first, again, other) = (run("first", "3")?, run("again", "3")?, run("other", "4")?);
    assert!(first == again);
    assert!(first != other);
    Ok(())
}
