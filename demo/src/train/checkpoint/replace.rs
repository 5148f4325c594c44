//! Files that are replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::error::{Action, CheckpointError, io_error};

/// Puts `bytes` under `name`: whoever reads it finds the old content or the new, never a part.
pub(in crate::train) fn replace(
    folder: &Path,
    unfinished: &str,
    name: &str,
    bytes: &[u8],
) -> Result<(), CheckpointError> {
    let unfinished = folder.join(unfinished);
    let mut file = File::create(&unfinished).map_err(io_error(Action::Write, &unfinished))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(io_error(Action::Write, &unfinished))?;
    let path = folder.join(name);
    fs::rename(&unfinished, &path).map_err(io_error(Action::Replace, &path))?;
    // The rename is on the disk once the folder is.
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(io_error(Action::Flush, folder))
}
