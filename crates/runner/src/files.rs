//! Puts test classes into a source folder, and never over a file that Testwright did not write.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use emit::write::{Permission, java_path, java_test_class, kotlin_path, permission};
use suite::case::ClassName;

use crate::Error;

/// What writing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Created,
    Replaced,
    /// The very same text was there; not even its time is touched, so build tools do nothing.
    Unchanged,
}

/// A name for the test class of `subject` that is free in all these source folders, the target among them. A class of
/// that name in the other language takes it, whoever wrote it.
pub fn test_class_name(folders: &[PathBuf], subject: &ClassName, kotlin: bool) -> String {
    java_test_class(subject, |name| {
        let (java, other) = (java_path(&subject.package, name), kotlin_path(&subject.package, name));
        let (path, other) = if kotlin { (other, java) } else { (java, other) };
        folders.iter().any(|folder| {
            may_write(&folder.join(&path)) == Permission::Foreign || folder.join(&other).exists()
        })
    })
}

/// Writes `text` to `path` below `folder`, completely or not at all.
pub fn write_test(folder: &Path, path: &Path, text: &str) -> Result<Written, Error> {
    let path = folder.join(path);
    let done = match may_write(&path) {
        Permission::Foreign => return Err(Error::Foreign { path }),
        Permission::Replace if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) => {
            return Ok(Written::Unchanged);
        }
        Permission::Replace => Written::Replaced,
        Permission::Create => Written::Created,
    };
    let parent = path.parent().unwrap_or(folder);
    let failed = |what, path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { what, path, source }
    };
    fs::create_dir_all(parent).map_err(failed("make", parent))?;
    let mut file = tempfile::NamedTempFile::new_in(parent).map_err(failed("write in", parent))?;
    file.write_all(text.as_bytes()).map_err(failed("write", &path))?;
    // Temporary files are private to their owner; a source file is not.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode).map_err(failed("write", &path))?;
    if done == Written::Created {
        // Somebody may have made the file since we looked.
        match file.persist_noclobber(&path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(Error::Foreign { path });
            }
            Err(error) => return Err(failed("write", &path)(error.error)),
        }
    } else {
        file.persist(&path).map_err(|error| failed("write", &path)(error.error))?;
    }
    Ok(done)
}

fn may_write(path: &Path) -> Permission {
    match fs::read(path) {
        Ok(bytes) => permission(Some(&bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => permission(None),
        // What cannot be read (a directory, somebody else's file) is not ours.
        Err(_) => Permission::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let calc = ClassName::new("com.acme", &["Calc"]);
        let path = java_path("com.acme", "CalcTest");
        let text = |n: u32| format!("{} {n}\n", emit::write::MARKER);
        assert_eq!(write_test(dir.path(), &path, &text(1)).unwrap(), Written::Created);
        assert_eq!(write_test(dir.path(), &path, &text(1)).unwrap(), Written::Unchanged);
        assert_eq!(write_test(dir.path(), &path, &text(2)).unwrap(), Written::Replaced);
        let folders = [dir.path().to_path_buf()];
        assert_eq!(test_class_name(&folders, &calc, false), "CalcTest");
        fs::write(dir.path().join(&path), "class CalcTest {}").unwrap();
        assert!(matches!(write_test(dir.path(), &path, &text(3)), Err(Error::Foreign { .. })));
        assert_eq!(fs::read_to_string(dir.path().join(&path)).unwrap(), "class CalcTest {}");
        assert_eq!(test_class_name(&folders, &calc, false), "CalcTestwrightTest");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("com"), "a file").unwrap();
        let error = write_test(dir.path(), &java_path("com.acme", "CalcTest"), "x").unwrap_err();
        assert!(error.to_string().contains("com"), "{error}");
    }
}
