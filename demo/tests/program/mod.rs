//! The program as a child process, and folders to run it in.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The program with these arguments.
pub fn demo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// What it prints where it succeeds.
pub fn stdout_of(arguments: &[&str]) -> Outcome<String> {
    let output = demo(arguments).output()?;
    assert!(output.status.success(), "{}", described(&output));
    Ok(String::from_utf8(output.stdout)?)
}

/// Its one line on stderr where it ends with the exit code of bad input.
pub fn refusal_of(arguments: &[&str]) -> Outcome<String> {
    let output = demo(arguments).output()?;
    assert_eq!(output.status.code(), Some(2), "{}", described(&output));
    let text = String::from_utf8(output.stderr)?;
    assert_eq!(text.lines().count(), 1, "{text}");
    Ok(text.trim_end().to_owned())
}

pub fn described(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{}\n{out}\n{err}", output.status)
}

/// An empty folder of this name.
pub fn folder(name: &str) -> Outcome<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

pub fn text_of(path: &std::path::Path) -> String {
    path.display().to_string()
}

/// The path of a reference file.
pub fn fixture(name: &str) -> String {
    format!("{}/../tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}
