//! What the project promises about its own source, read from the source.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// One source file, without its unit tests and its comments.
struct Source {
    /// Path from the root of the workspace, with `/`.
    path: String,
    /// How many lines the file has, everything counted.
    lines: usize,
    /// Number and text of every line that is neither a comment nor within a unit test.
    code: Vec<(usize, String)>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files below the given folders of the workspace.
fn sources(folders: &[&str]) -> io::Result<Vec<Source>> {
    let mut files = Vec::new();
    for folder in folders {
        collect(&root().join(folder), &mut files)?;
    }
    files.sort();
    assert!(!files.is_empty(), "no source below {folders:?}");
    let mut sources = files
        .iter()
        .map(|file| read(file))
        .collect::<io::Result<Vec<_>>>()?;
    let test_modules: Vec<String> = sources.iter().flat_map(test_modules_of).collect();
    for source in &mut sources {
        if test_modules
            .iter()
            .any(|module| source.path.starts_with(module.as_str()))
        {
            source.code.clear();
        }
    }
    Ok(sources)
}

/// Where the modules lie that a file declares for tests only: their paths up to `.rs` or `/`.
fn test_modules_of(source: &Source) -> Vec<String> {
    let folder = source
        .path
        .trim_end_matches(".rs")
        .trim_end_matches("/mod")
        .trim_end_matches("/lib");
    let pairs = source.code.windows(2);
    let declared = pairs.filter(|pair| pair[0].1.trim() == "#[cfg(test)]");
    let names =
        declared.filter_map(|pair| pair[1].1.trim().strip_prefix("mod ")?.strip_suffix(';'));
    names
        .flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/")])
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> io::Result<Source> {
    let text = fs::read_to_string(file)?;
    let path = file.strip_prefix(root()).unwrap_or(file);
    Ok(Source {
        path: path.to_string_lossy().replace('\\', "/"),
        lines: text.lines().count(),
        code: code_of(&text),
    })
}

/// The lines of `text` before its unit tests, without comments. Unit tests end their file.
fn code_of(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].contains('{')
    });
    let code = lines.iter().take(tests.unwrap_or(lines.len())).enumerate();
    code.filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(index, line)| (index + 1, (*line).to_owned()))
        .collect()
}

/// Where any of the patterns stands in code, as `path:line: text`.
fn hits<'a>(sources: impl IntoIterator<Item = &'a Source>, patterns: &[&str]) -> Vec<String> {
    let mut hits = Vec::new();
    for source in sources {
        for (number, line) in &source.code {
            if patterns.iter().any(|pattern| line.contains(pattern)) {
                hits.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    hits
}

const LIBRARIES: [&str; 4] = [
    "autodiff-core/src",
    "autodiff-macros/src",
    "autodiff-ops/src",
    "demo/src",
];

#[test]
fn no_file_is_longer_than_one_concept() -> io::Result<()> {
    // Not a law of nature: past this length a file has so far always held two concepts.
    const LONGEST: usize = 350;
    let long: Vec<String> = sources(&LIBRARIES)?
        .iter()
        .filter(|source| source.lines > LONGEST)
        .map(|source| format!("{}: {} lines", source.path, source.lines))
        .collect();
    assert_eq!(long, [""; 0]);
    Ok(())
}

#[test]
fn every_file_begins_with_its_purpose() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in LIBRARIES.iter().chain(&["tests/src", "tests/tests"]) {
        collect(&root().join(folder), &mut files)?;
    }
    let mut without = Vec::new();
    for file in files {
        // Sources of compile-fail cases stand as a user would write them.
        if file.components().any(|part| part.as_os_str() == "ui") {
            continue;
        }
        if !fs::read_to_string(&file)?.starts_with("//!") {
            without.push(file);
        }
    }
    assert_eq!(without, [""; 0].map(PathBuf::from));
    Ok(())
}

#[test]
fn no_panic_can_be_reached_through_the_libraries() -> io::Result<()> {
    let sources = sources(&["autodiff-core/src", "autodiff-ops/src"])?;
    // The body of a generated test reports by panicking, as every test does.
    let sources = sources.iter().filter(|source| !is_report_of_a_test(source));
    let patterns = [
        ".unwrap()",
        ".expect(",
        "panic!(",
        "unreachable!(",
        "assert!(",
        "assert_eq!(",
    ];
    let hits: Vec<String> = hits(sources, &patterns)
        .into_iter()
        .filter(|hit| !hit.contains("debug_assert"))
        .collect();
    assert_eq!(hits, [""; 0]);
    Ok(())
}

fn is_report_of_a_test(source: &Source) -> bool {
    ["mod.rs", "disabled.rs"]
        .map(|file| format!("autodiff-core/src/gradcheck/{file}"))
        .contains(&source.path)
}

#[test]
fn nothing_is_left_to_do() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in LIBRARIES.iter().chain(&["tests/src"]) {
        collect(&root().join(folder), &mut files)?;
    }
    let mut hits = Vec::new();
    for file in files {
        for (index, line) in fs::read_to_string(&file)?.lines().enumerate() {
            if ["TODO", "FIXME", "XXX", "todo!(", "unimplemented!("]
                .iter()
                .any(|mark| line.contains(mark))
            {
                hits.push(format!("{}:{}: {}", file.display(), index + 1, line.trim()));
            }
        }
    }
    assert_eq!(hits, [""; 0]);
    Ok(())
}

#[test]
fn unsafe_code_stands_in_one_file() -> io::Result<()> {
    const ONLY: &str = "autodiff-core/src/tensor/kernel.rs";
    let sources = sources(&LIBRARIES)?;
    let others = sources.iter().filter(|source| source.path != ONLY);
    assert_eq!(
        hits(
            others,
            &["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code)"]
        ),
        [""; 0]
    );
    Ok(())
}

/// The layers of the core; each may use itself and those before it.
const LAYERS: [&str; 8] = [
    "operation",
    "error",
    "tensor",
    "rule",
    "tape",
    "functional",
    "gradcheck",
    "report",
];

/// The exception: a rule record holds function pointers whose types name the tape's handle.
const NAMES_THE_HANDLE: (&str, &str) = ("autodiff-core/src/rule/record.rs", "tape");

#[test]
fn layers_of_the_core_use_only_those_before_them() -> io::Result<()> {
    let mut wrong = Vec::new();
    for source in sources(&["autodiff-core/src"])? {
        let Some(own) = layer_of(&source.path) else {
            continue;
        };
        for used in names_after_crate(&source.code) {
            let allowed = LAYERS.iter().take(own + 1).any(|layer| *layer == used);
            if !allowed && (source.path.as_str(), used.as_str()) != NAMES_THE_HANDLE {
                wrong.push(format!("{}: crate::{used}", source.path));
            }
        }
    }
    // A type at the root of the crate is to be named through its layer, or this test would not see which.
    assert_eq!(wrong, [""; 0]);
    Ok(())
}

/// The first name of every path from the root of the crate, of grouped imports too.
fn names_after_crate(code: &[(usize, String)]) -> Vec<String> {
    let text: String = code.iter().map(|(_, line)| format!("{line}\n")).collect();
    let mut names = Vec::new();
    for (start, root) in text.match_indices("crate::") {
        let named_from_outside = text[..start].ends_with(['_', '$']);
        let rest = &text[start + root.len()..];
        match rest.strip_prefix('{') {
            _ if named_from_outside => {}
            Some(group) => names.extend(first_names(group)),
            None => names.push(identifier(rest)),
        }
    }
    names
}

/// The first name of every path in a group of imports that begins after its opening brace.
fn first_names(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut at_start = true;
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            _ if depth == 0 && at_start && !character.is_whitespace() => {
                names.push(identifier(&group[index..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|character| character.is_alphanumeric() || *character == '_')
        .collect()
}

#[test]
fn grouped_imports_are_seen_through() {
    let code = [
        (1, "use crate::{error::{A, B}, tape::C};".to_owned()),
        (2, "crate::rule::D".to_owned()),
    ];
    assert_eq!(names_after_crate(&code), ["error", "tape", "rule"]);
}

/// The layer that a file of the core belongs to; the crate's root belongs to none.
fn layer_of(path: &str) -> Option<usize> {
    let below = path.strip_prefix("autodiff-core/src/")?;
    let module = below.split(['/', '.']).next()?;
    LAYERS.iter().position(|layer| *layer == module)
}

#[test]
fn the_operations_come_from_the_core_alone() -> io::Result<()> {
    const ALLOWED: [&str; 6] = [
        "use autodiff_core::prelude::*;",
        "use autodiff_core::tensor::",
        "pub use ",
        "use std::",
        "use super::*;",
        "use thiserror",
    ];
    // An operation made of operations is checked on blocks of them, and its record is written by hand.
    const OF_OPERATIONS: &str = "autodiff-ops/src/block/";
    let mut sources = sources(&["autodiff-ops/src"])?;
    sources.retain(|source| !source.path.starts_with(OF_OPERATIONS));
    let declares_no_operation = |path: &str| {
        let file = sources.iter().find(|source| source.path == path);
        file.is_some_and(|file| hits([file], &["#[vjp_rule"]).is_empty())
    };
    let mut foreign = Vec::new();
    for source in &sources {
        for hit in hits([source], &["use "]) {
            // A file beside it that declares no operation is what the operations of a family share.
            let beside = hit.split_once(": use super::").and_then(|(_, name)| {
                let (folder, _) = source.path.rsplit_once('/')?;
                Some(format!("{folder}/{}.rs", name.split("::").next()?))
            });
            let is_shared = beside.is_some_and(|path| declares_no_operation(&path));
            if !is_shared && !ALLOWED.iter().any(|allowed| hit.contains(allowed)) {
                foreign.push(hit);
            }
        }
    }
    assert_eq!(foreign, [""; 0]);
    Ok(())
}

#[test]
fn the_reverse_pass_names_no_operation() -> io::Result<()> {
    use autodiff_ops::prelude::*;

    let rules = Registry::global().map_err(io::Error::other)?.rules();
    let mut named = Vec::new();
    for source in sources(&["autodiff-core/src/tape"])? {
        for (number, line) in &source.code {
            for rule in rules {
                let name = rule.operation.name();
                if line.contains(&format!("\"{name}\"")) || line.contains(rule.operation.path()) {
                    named.push(format!("{}:{number}: {name}", source.path));
                }
            }
        }
    }
    assert_eq!(named, [""; 0]);
    Ok(())
}

#[test]
fn unit_tests_and_comments_are_not_code() {
    let text = "//! Purpose.\nfn one() {}\n    // why\n#[cfg(test)]\nmod tests { fn two() {} }\n";
    assert_eq!(code_of(text), [(2, "fn one() {}".to_owned())]);
}
