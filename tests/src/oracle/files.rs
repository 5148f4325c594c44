//! Which files of cases are read.

use std::fs;
use std::path::{Path, PathBuf};

use super::format::File;
use super::{Case, Fault};

/// The cases of every `*ops.json` in `folder`, in the order of the file names.
///
/// # Errors
/// [`Fault::Unreadable`], [`Fault::Malformed`], [`Fault::NoCases`].
pub fn read_cases(folder: &Path) -> Result<Vec<Case>, Fault> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| Fault::Unreadable { path, source }
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        if path.to_string_lossy().ends_with("ops.json") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(unreadable(&path))?;
        let file: File =
            serde_json::from_str(&text).map_err(|source| Fault::Malformed { path, source })?;
        cases.extend(file.cases);
    }
    if cases.is_empty() {
        return Err(Fault::NoCases {
            path: folder.to_owned(),
        });
    }
    Ok(cases)
}
