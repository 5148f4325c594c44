//! A file that a command will write: known to be writable before any work, and there as a whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::DemoError;

/// A place for a file. Until it is written, whatever stood there stays.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    /// Where the text goes first; `None` for a pipe or a device, which has no name to take over.
    unfinished: Option<PathBuf>,
    file: File,
}

impl Output {
    /// Makes sure that the file can be written.
    ///
    /// # Errors
    /// [`DemoError::Output`] where it cannot.
    pub fn reserve(path: &Path) -> Result<Self, DemoError> {
        let refused = |source| DemoError::Output {
            path: path.to_owned(),
            source,
        };
        // A link stays a link: the file that it names is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let unfinished = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => {
                return Err(refused(io::ErrorKind::IsADirectory.into()));
            }
            Ok(found) if !found.is_file() => None,
            _ => {
                let name = target.file_name().map(OsString::from);
                let mut name =
                    name.ok_or_else(|| refused(io::ErrorKind::InvalidFilename.into()))?;
                name.push(".unfinished");
                Some(target.with_file_name(name))
            }
        };
        let file = File::options()
            .write(true)
            .create(unfinished.is_some())
            .truncate(unfinished.is_some())
            .open(unfinished.as_ref().unwrap_or(&target))
            .map_err(refused)?;
        Ok(Self {
            path: target,
            unfinished,
            file,
        })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`DemoError::Output`] where the disk is full, for example; then what stood there before still does.
    pub fn write(mut self, text: &str) -> Result<(), DemoError> {
        let mut outcome = self.file.write_all(text.as_bytes());
        if let (Ok(()), Some(unfinished)) = (&outcome, &self.unfinished) {
            outcome = fs::rename(unfinished, &self.path);
            if outcome.is_ok() {
                self.unfinished = None;
            }
        }
        outcome.map_err(|source| DemoError::Output {
            path: self.path.clone(),
            source,
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            // The work failed, and its error is told; a file that cannot be removed either adds nothing.
            let _ = fs::remove_file(unfinished);
        }
    }
}
