//! `cases.md` lists every row, and every row is a test or has a reason why it cannot apply.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every row's id.
const IDS: &str = include_str!("ids.txt");

const LIST: &str = include_str!("../../cases.md");

/// The names of all test functions below `folder` that begin with an id, by the id.
fn tests_by_id(folder: &Path, found: &mut BTreeMap<String, Vec<String>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_by_id(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines: Vec<_> = text.lines().map(str::trim).collect();
            for pair in lines.windows(2) {
                let name = pair[1]
                    .strip_prefix("fn ")
                    .and_then(|rest| rest.split('(').next());
                if let ("#[test]", Some(name)) = (pair[0], name)
                    && let Some((id, _)) = name.split_once('_')
                    && IDS.lines().any(|known| known.eq_ignore_ascii_case(id))
                {
                    found
                        .entry(id.to_uppercase())
                        .or_default()
                        .push(name.to_owned());
                }
            }
        }
    }
}

/// The rows of the list: an id, and its tests or the reason why there is none.
fn rows() -> Vec<(&'static str, &'static str)> {
    let cells = LIST.lines().filter_map(|line| {
        line.strip_prefix("| ")?
            .strip_suffix(" |")?
            .split_once(" | ")
    });
    cells
        .filter(|(id, _)| id.len() == 4 && id[1..].parse::<u32>().is_ok())
        .collect()
}

#[test]
fn every_row_is_a_test_or_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut tests = BTreeMap::new();
    for folder in [
        "autodiff-core/src",
        "autodiff-macros/src",
        "autodiff-ops/src",
        "demo",
        "tests/src",
        "tests/tests",
        "tests/ui/tests",
    ] {
        tests_by_id(&root.join(folder), &mut tests);
    }
    let expected = IDS.lines().map(|id| {
        let is_test = tests.contains_key(id);
        let reason = rows()
            .into_iter()
            .find(|(row, _)| *row == id)
            .map(|(_, reason)| reason);
        (id, is_test, reason)
    });
    let faults: Vec<String> = expected
        .filter_map(|(id, is_test, reason)| match (is_test, reason) {
            (true, None) => None,
            (false, Some(reason)) if reason.len() > 20 => None,
            (false, Some(reason)) => Some(format!("{id}: {reason:?} is no reason")),
            (true, Some(_)) => Some(format!("{id}: a test, and listed as without one")),
            (false, None) => Some(format!("{id}: no test, and not listed with a reason")),
        })
        .collect();
    assert_eq!(faults, [""; 0]);
    for (id, _) in rows() {
        assert!(IDS.lines().any(|known| known == id), "{id} is no row");
    }
}
