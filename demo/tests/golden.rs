//! The program as its users start it: what it prints, and how it ends.

use std::error::Error;
use std::io::Read;
use std::process::{Command, Output, Stdio};

type Outcome = Result<(), Box<dyn Error>>;

fn demo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn stdout_of(arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let output: Output = demo(arguments).output()?;
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn the_worked_example_prints_the_expected_bytes() -> Outcome {
    assert_eq!(stdout_of(&[])?, include_str!("worked_example.txt"));
    Ok(())
}

#[test]
fn the_trace_prints_the_expected_bytes() -> Outcome {
    assert_eq!(stdout_of(&["trace"])?, include_str!("trace.txt"));
    Ok(())
}

#[test]
fn the_listing_names_every_rule_with_its_declaration() -> Outcome {
    let listing = stdout_of(&["rules"])?;
    for (name, function) in [
        ("add", "add"),
        ("multiply", "mul"),
        ("reshape", "reshape"),
        ("transpose", "transpose"),
        ("broadcast", "broadcast_to"),
        ("sum", "sum_axis"),
        ("mean", "mean_axis"),
    ] {
        let found = listing.lines().any(|line| {
            let mut cells = line.split_whitespace();
            cells.next() == Some(name)
                && cells
                    .next()
                    .is_some_and(|path| path.ends_with(&format!("::{function}")))
                && cells.next().is_some_and(|id| id.len() == 16)
                && line.contains(".rs:")
        });
        assert!(found, "{name} in\n{listing}");
    }
    Ok(())
}

#[test]
fn one_rule_is_shown_by_name_or_by_path() -> Outcome {
    let by_name = stdout_of(&["rules", "multiply"])?;
    assert!(
        by_name.contains("upstream times the other operand"),
        "{by_name}"
    );
    let path = by_name.split_whitespace().nth(1).unwrap_or_default();
    assert_eq!(stdout_of(&["rules", path])?, by_name);
    Ok(())
}

#[test]
fn an_unknown_rule_is_one_line_on_stderr_and_exit_code_2() -> Outcome {
    let output = demo(&["rules", "convolve"]).output()?;
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(
        String::from_utf8(output.stderr)?,
        "demo: no rule has the name or path \"convolve\"; `demo rules` lists them all\n"
    );
    Ok(())
}

#[test]
fn an_unknown_command_is_exit_code_2() -> Outcome {
    assert_eq!(demo(&["dance"]).output()?.status.code(), Some(2));
    Ok(())
}

#[test]
fn a_reader_that_leaves_is_no_failure() -> Outcome {
    for arguments in [&[][..], &["trace"], &["rules"], &["--help"]] {
        let mut child = demo(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // Closed before the program writes or while it does: either way it must end quietly.
        drop(child.stdout.take());
        let mut stderr = String::new();
        if let Some(mut pipe) = child.stderr.take() {
            pipe.read_to_string(&mut stderr)?;
        }
        assert_eq!(stderr, "", "{arguments:?}");
        assert!(child.wait()?.success(), "{arguments:?}");
    }
    Ok(())
}
