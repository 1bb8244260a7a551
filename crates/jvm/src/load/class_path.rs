//! The class path: the JDK first, then the user's directories and jars in order.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::class::ClassFile;
use super::error::LoadError;
use super::jar::Jar;
use super::jdk::{Jdk, is_jar_name, sorted_children};

/// As for jar entries.
const MAX_FILE: u64 = 1 << 28;

/// Reading is thread-safe. Nothing is cached here: whoever links classes loads each once.
pub struct ClassPath {
    jdk: Arc<Jdk>,
    entries: Vec<Entry>,
    /// Real paths of the entries.
    seen: BTreeSet<PathBuf>,
}

enum Entry {
    Directory(PathBuf),
    Jar(Box<Jar>),
}

/// Where a class or resource came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    Jdk,
    /// The user's code; an index for [`ClassPath::entry`].
    Entry(usize),
}

#[derive(Clone, Debug)]
pub struct Found {
    pub bytes: Arc<[u8]>,
    pub origin: Origin,
}

impl ClassPath {
    /// Opens every entry: a directory, a jar, or `folder/*` for the jars in a folder. The jars a manifest's
    /// `Class-Path` names follow their jar; of those, missing and unreadable ones are ignored, as the
    /// JVM does. An entry given twice counts once.
    pub fn new(jdk: Arc<Jdk>, paths: &[PathBuf]) -> Result<ClassPath, LoadError> {
        let mut class_path = ClassPath { jdk, entries: Vec::new(), seen: BTreeSet::new() };
        for path in paths {
            // An empty element means the current directory to `java`.
            let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
            if path.file_name().is_some_and(|name| name == "*") {
                let folder = path.parent().unwrap_or(Path::new("."));
                if !folder.is_dir() {
                    return Err(LoadError::MissingEntry { path: path.to_owned() });
                }
                for jar in sorted_children(folder).iter().filter(|path| is_jar_name(path)) {
                    class_path.add(jar)?;
                }
            } else {
                class_path.add(path)?;
            }
        }
        Ok(class_path)
    }

    pub fn jdk(&self) -> &Arc<Jdk> {
        &self.jdk
    }

    /// The number of user entries, those from manifests included.
    pub fn n_entries(&self) -> usize {
        self.entries.len()
    }

    /// The path of a user entry.
    pub fn entry(&self, index: usize) -> Option<&Path> {
        self.entries.get(index).map(Entry::path)
    }

    /// A class's bytes by internal name. The JDK wins over user entries, as in the JVM's delegation.
    pub fn find(&self, name: &str) -> Result<Option<Found>, LoadError> {
        if !is_safe_path(name) {
            return Ok(None);
        }
        if let Some(bytes) = self.jdk.class(name)? {
            return Ok(Some(Found { bytes, origin: Origin::Jdk }));
        }
        self.find_user(&format!("{name}.class"))
    }

    /// Whether the JVM refuses other classes in the package of a class, as its jar is signed or sealed.
    pub fn is_closed(&self, name: &str) -> bool {
        let file = format!("{name}.class");
        let holds = |entry: &&Entry| match entry {
            Entry::Jar(jar) => jar.has(&file),
            Entry::Directory(root) => root.join(&file).is_file(),
        };
        match self.entries.iter().find(holds) {
            Some(Entry::Jar(jar)) => jar.is_closed(),
            _ => false,
        }
    }

    /// Finds and parses a class, and checks that it is the one asked for.
    pub fn load(&self, name: &str) -> Result<Option<(ClassFile, Origin)>, LoadError> {
        let Some(found) = self.find(name)? else { return Ok(None) };
        let class = ClassFile::parse(found.bytes)?;
        if &*class.name != name {
            return Err(LoadError::WrongName {
                origin: self.describe(found.origin),
                wanted: name.to_owned(),
                found: class.name,
            });
        }
        Ok(Some((class, found.origin)))
    }

    /// A resource by path, `com/acme/messages.properties`.
    pub fn resource(&self, name: &str) -> Result<Option<Found>, LoadError> {
        if !is_safe_path(name) {
            return Ok(None);
        }
        if let Some(bytes) = self.jdk.resource(name)? {
            return Ok(Some(Found { bytes, origin: Origin::Jdk }));
        }
        self.find_user(name)
    }

    /// The same, of the program only.
    pub fn user_resource(&self, name: &str) -> Result<Option<Found>, LoadError> {
        if is_safe_path(name) { self.find_user(name) } else { Ok(None) }
    }

    /// The resource of one user entry.
    pub fn resource_in(&self, index: usize, name: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        match self.entries.get(index) {
            Some(entry) if is_safe_path(name) => entry.read(name),
            _ => Ok(None),
        }
    }

    /// The resource of every user entry that has it, in order (`META-INF/services/…`).
    pub fn resources(&self, name: &str) -> Result<Vec<Found>, LoadError> {
        if !is_safe_path(name) {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(bytes) = entry.read(name)? {
                all.push(Found { bytes, origin: Origin::Entry(index) });
            }
        }
        Ok(all)
    }

    /// Internal names of all classes of one user entry, sorted, `module-info` left out.
    pub fn list(&self, index: usize) -> Result<Vec<String>, LoadError> {
        let mut names = match self.entries.get(index) {
            Some(Entry::Jar(jar)) => jar.names().filter_map(class_of_path).collect(),
            Some(Entry::Directory(root)) => {
                let mut names = Vec::new();
                walk(root, "", &mut BTreeSet::new(), &mut names)?;
                names
            }
            None => Vec::new(),
        };
        names.sort_unstable();
        Ok(names)
    }

    /// Internal names of all user classes, sorted, each once.
    pub fn list_all(&self) -> Result<Vec<String>, LoadError> {
        let mut names = Vec::new();
        for index in 0..self.entries.len() {
            names.extend(self.list(index)?);
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// For messages: the entry's path, or the JDK's home.
    pub fn describe(&self, origin: Origin) -> String {
        let path = match origin {
            Origin::Jdk => Some(self.jdk.home.as_path()),
            Origin::Entry(index) => self.entry(index),
        };
        path.map_or_else(String::new, |path| path.display().to_string())
    }

    fn find_user(&self, path: &str) -> Result<Option<Found>, LoadError> {
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(bytes) = entry.read(path)? {
                return Ok(Some(Found { bytes, origin: Origin::Entry(index) }));
            }
        }
        Ok(None)
    }

    fn add(&mut self, path: &Path) -> Result<(), LoadError> {
        let entry = Entry::open(path, self.jdk.feature)?;
        let mut pending = self.push(entry);
        // Manifests may name each other: a work list, and every file once. What cannot be opened is ignored here,
        // as the JVM does: the user did not ask for it.
        while let Some(path) = pending.pop() {
            if let Ok(entry) = Entry::open(&path, self.jdk.feature) {
                pending.extend(self.push(entry));
            }
        }
        Ok(())
    }

    /// Appends an entry that is not there yet, and answers what its manifest names, last first.
    fn push(&mut self, entry: Entry) -> Vec<PathBuf> {
        // Paths are compared as the file system sees them: `lib/../a.jar` is `a.jar`.
        let real = fs::canonicalize(entry.path()).unwrap_or_else(|_| entry.path().to_owned());
        if !self.seen.insert(real) {
            return Vec::new();
        }
        let named = match &entry {
            Entry::Jar(jar) => {
                let folder = jar.path().parent().unwrap_or(Path::new(""));
                jar.manifest().class_path.iter().rev().filter_map(|url| relative(folder, url)).collect()
            }
            Entry::Directory(_) => Vec::new(),
        };
        self.entries.push(entry);
        named
    }
}

impl fmt::Debug for ClassPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(Entry::path)).finish()
    }
}

impl Entry {
    fn open(path: &Path, feature: u32) -> Result<Entry, LoadError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(Entry::Directory(path.to_owned())),
            // A class file given by mistake is no jar; anything else is tried, whatever its name.
            Ok(_) if path.extension().is_some_and(|extension| extension == "class") => {
                Err(LoadError::NotAnEntry { path: path.to_owned() })
            }
            Ok(metadata) if metadata.is_file() => Ok(Entry::Jar(Box::new(Jar::open(path, feature)?))),
            Ok(_) => Err(LoadError::NotAnEntry { path: path.to_owned() }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(LoadError::MissingEntry { path: path.to_owned() })
            }
            Err(source) => Err(LoadError::Io { path: path.to_owned(), source }),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Entry::Directory(path) => path,
            Entry::Jar(jar) => jar.path(),
        }
    }

    fn read(&self, name: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        match self {
            Entry::Directory(root) => read_file(&root.join(name)),
            Entry::Jar(jar) => jar.read(name),
        }
    }
}

fn read_file(path: &Path) -> Result<Option<Arc<[u8]>>, LoadError> {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > MAX_FILE && metadata.is_file() => {
            Err(LoadError::TooLarge { path: path.to_owned(), entry: "file".into(), limit: MAX_FILE })
        }
        Ok(metadata) if metadata.is_file() => fs::read(path).map(|bytes| Some(bytes.into())).map_err(io),
        Ok(_) => Ok(None),
        // A name that no file can have is not there.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | InvalidInput | InvalidFilename) => {
            Ok(None)
        }
        Err(source) => Err(io(source)),
    }
}

/// Collects the classes below a folder, each real folder once: links may lead in circles. Children are sorted so
/// that it does not depend on the file system which alias is taken.
fn walk(
    folder: &Path,
    prefix: &str,
    seen: &mut BTreeSet<PathBuf>,
    names: &mut Vec<String>,
) -> Result<(), LoadError> {
    let io = |source| LoadError::Io { path: folder.to_owned(), source };
    if !seen.insert(fs::canonicalize(folder).map_err(io)?) {
        return Ok(());
    }
    let children = fs::read_dir(folder).map_err(io)?.collect::<Result<Vec<_>, _>>().map_err(io)?;
    // Names that are not Unicode are not class names.
    let mut children: Vec<String> =
        children.iter().filter_map(|child| child.file_name().into_string().ok()).collect();
    children.sort_unstable();
    for name in children {
        let path = format!("{prefix}{name}");
        let child = folder.join(&name);
        if child.is_dir() {
            walk(&child, &format!("{path}/"), seen, names)?;
        } else {
            names.extend(class_of_path(&path));
        }
    }
    Ok(())
}

/// The class an entry path holds; `None` for what is not a class of the program.
pub(super) fn class_of_path(path: &str) -> Option<String> {
    let name = path.strip_suffix(".class")?;
    let plain = !name.starts_with("META-INF/") && name.rsplit('/').next() != Some("module-info");
    (plain && super::is_class_name(name)).then(|| name.to_owned())
}

/// Class names come from class files, which may be hostile: no name may lead out of a directory entry, and no
/// two names to the same file. (A colon is a drive or a stream to Windows.)
fn is_safe_path(name: &str) -> bool {
    let ordinary = |part: &str| !matches!(part, "" | "." | "..");
    !name.contains(['\0', '\\', ':']) && name.split('/').all(ordinary)
}

/// A manifest's `Class-Path` element: a URL relative to the jar. Only files can be meant here.
fn relative(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("file:").unwrap_or(url);
    if path.contains("://") {
        return None;
    }
    Some(folder.join(percent_decode(path)))
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after.first_chunk::<2>().filter(|_| first == b'%');
        let byte = escaped.and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { after.get(2..).unwrap_or(&[]) } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
