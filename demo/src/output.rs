//! Files that a command will write: known to be writable before any work, and there as a whole or not at all.
//!
//! Invariant: an unfinished file has no name where the system has files without one, and elsewhere a name that
//! nothing had before.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use crate::DemoError;

/// A place for a file. Until it is written, whatever stood there stays.
#[derive(Debug)]
pub struct Output {
    /// As the caller named it.
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A pipe or a device, which has no content to be replaced.
    Stream(File),
    File {
        /// Links followed: a link stays a link, and the file that it names is replaced.
        target: PathBuf,
        /// Those of the file that is replaced.
        permissions: Option<Permissions>,
    },
    /// A file in a folder that is yet to be made.
    New(PathBuf),
}

impl Output {
    /// Makes sure that the file can be written.
    ///
    /// # Errors
    /// [`DemoError::Unwritable`] where it cannot.
    pub fn reserve(path: &Path) -> Result<Self, DemoError> {
        let place = match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(found) => match path.canonicalize() {
                Ok(target) if found.is_file() => probed(target, Some(found.permissions())),
                // An open file that has lost its name can be written to, and not be replaced.
                _ => File::options().write(true).open(path).map(Place::Stream),
            },
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Err(_) if !ends_in_name(path) => Err(ErrorKind::IsADirectory.into()),
            Err(_) => probed(resolved(path), None),
        };
        let path = path.to_owned();
        match place {
            Ok(place) => Ok(Self { path, place }),
            Err(source) => Err(DemoError::Unwritable { path, source }),
        }
    }

    /// Makes sure that the file `name` can be written into `folder`, which is made with the file where it is
    /// missing.
    ///
    /// # Errors
    /// [`DemoError::Unwritable`] where it cannot.
    pub fn reserve_within(folder: &Path, name: &str) -> Result<Self, DemoError> {
        let nearest = folder
            .ancestors()
            .find(|path| path.is_symlink() || path.exists());
        if nearest == Some(folder) && folder.is_dir() {
            return Self::reserve(&folder.join(name));
        }
        let nearest = nearest.unwrap_or(Path::new("."));
        let probe = match nearest.is_dir() {
            true => probe(nearest),
            false => Err(ErrorKind::NotADirectory.into()),
        };
        probe.map_err(|source| DemoError::Unwritable {
            path: folder.to_owned(),
            source,
        })?;
        let path = folder.join(name);
        let place = Place::New(path.clone());
        Ok(Self { path, place })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`DemoError::Output`] where the disk is full, for example; then what stood there before still does.
    pub fn write(self, text: &str) -> Result<(), DemoError> {
        let outcome = match self.place {
            // It may wait for its reader as long as it likes, and leaves nothing behind.
            Place::Stream(mut file) => file.write_all(text.as_bytes()),
            Place::File {
                target,
                permissions,
            } => replace(&target, permissions, text),
            Place::New(target) => folder_of(&target)
                .and_then(fs::create_dir_all)
                .and_then(|()| replace(&target, None, text)),
        };
        outcome.map_err(|source| DemoError::Output {
            path: self.path,
            source,
        })
    }
}

/// Refuses options that name one file, or a new file where another option needs a folder.
///
/// # Errors
/// [`DemoError::SharedOutput`] for the first two.
pub fn refuse_shared(wanted: &[(&'static str, PathBuf)]) -> Result<(), DemoError> {
    let in_the_way = |file: &Path, other: &Path| other.starts_with(file) && !file.is_dir();
    let targets: Vec<PathBuf> = wanted.iter().map(|(_, path)| resolved(path)).collect();
    for (place, ((first, path), target)) in wanted.iter().zip(&targets).enumerate() {
        for ((second, _), other) in wanted.iter().zip(&targets).take(place) {
            if first != second && (in_the_way(target, other) || in_the_way(other, target)) {
                return Err(DemoError::SharedOutput {
                    first: second,
                    second: first,
                    path: path.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The place of a file in a folder that takes new files.
fn probed(target: PathBuf, permissions: Option<Permissions>) -> io::Result<Place> {
    probe(folder_of(&target)?)?;
    Ok(Place::File {
        target,
        permissions,
    })
}

fn probe(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

/// Puts `text` where `target` is: whoever reads it finds the old content or the new, never a part.
fn replace(target: &Path, permissions: Option<Permissions>, text: &str) -> io::Result<()> {
    let folder = folder_of(target)?;
    let write = |mut file: &File| {
        file.write_all(text.as_bytes())?;
        match &permissions {
            Some(permissions) => file.set_permissions(permissions.clone()),
            None => Ok(()),
        }
    };
    let unused = tempfile::Builder::new();
    if cfg!(target_os = "linux") {
        // A run that is ended before the file is whole leaves nothing behind.
        let whole = tempfile::tempfile_in(folder)?;
        write(&whole)?;
        if let Ok(named) = unused.make_in(folder, |path| name(&whole, path)) {
            return named.persist(target).map_err(|refused| refused.error);
        }
    }
    let new = |path: &Path| File::options().write(true).create_new(true).open(path);
    let named = unused.make_in(folder, new)?;
    write(named.as_file())?;
    named.persist(target).map_err(|refused| refused.error)?;
    Ok(())
}

/// Gives a name to a file that was made without one.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};

    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn name(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn folder_of(target: &Path) -> io::Result<&Path> {
    target.parent().ok_or(ErrorKind::IsADirectory.into())
}

/// Whether a path that does not exist could be that of a file: `name/` and `..` could not.
fn ends_in_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| {
        let whole = path.as_os_str().as_encoded_bytes();
        whole.ends_with(name.as_encoded_bytes())
    })
}

/// More links than these in a row are not followed by systems either.
const LINKS: usize = 40;

/// One step further on the way through folders that are yet to be made, and therefore are no links.
fn below(folder: PathBuf, part: Component<'_>) -> PathBuf {
    match part {
        Component::ParentDir => folder.parent().map(Path::to_owned).unwrap_or(folder),
        part => folder.join(part),
    }
}

/// The one name of a place, whether or not something stands there: of what exists of it, links are followed.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if path.canonicalize().is_ok() {
            break;
        }
        match fs::read_link(&path) {
            Ok(target) => path = path.with_file_name("").join(target),
            Err(_) => break,
        }
    }
    let found = path.ancestors().find_map(|existing| {
        let is_here = existing.as_os_str().is_empty();
        let found = if is_here { Path::new(".") } else { existing }.canonicalize();
        let missing = path.strip_prefix(existing).ok()?;
        Some(missing.components().fold(found.ok()?, below))
    });
    found.unwrap_or(path)
}
