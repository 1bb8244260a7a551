//! The virtual file system: `java.home` and the program's resources read-only, an empty root and `/tmp`, random devices whose bytes depend on the virtual
//! clock, and nothing else of the host.

use crate::natives::{Saved, Vmj};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Open files. Descriptors 0, 1 and 2 are the console's.
#[derive(Clone, Default)]
pub struct Files {
    open: Vec<Option<OpenFile>>,
    /// The program tried to change something (create, write, delete, rename) or to connect to somebody.
    changing: bool,
}

#[derive(Clone)]
pub(crate) struct OpenFile {
    pub bytes: Arc<[u8]>,
    pub at: usize,
    /// It can be opened, but not read.
    pub folder: bool,
}

impl OpenFile {
    /// The next bytes, at most so many.
    pub fn take(&mut self, count: usize) -> Vec<u8> {
        let end = self.bytes.len().min(self.at.saturating_add(count));
        let taken = self.bytes.get(self.at..end).unwrap_or_default().to_vec();
        self.at += taken.len();
        taken
    }
}

impl OpenFile {
    /// The next name in a folder.
    pub fn next_name(&mut self) -> Option<Vec<u8>> {
        let rest = self.bytes.get(self.at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = rest.get(..end)?.to_vec();
        self.at += end + 1;
        Some(name)
    }
}

const FIRST: i32 = 3;

impl Files {
    fn add(&mut self, bytes: Arc<[u8]>, folder: bool) -> i32 {
        let file = OpenFile { bytes, at: 0, folder };
        let index = match self.open.iter().position(Option::is_none) {
            Some(free) => {
                self.open[free] = Some(file);
                free
            }
            None => {
                self.open.push(Some(file));
                self.open.len() - 1
            }
        };
        FIRST + index as i32
    }

    pub(crate) fn get(&mut self, descriptor: i32) -> Option<&mut OpenFile> {
        let index = usize::try_from(descriptor.checked_sub(FIRST)?).ok()?;
        self.open.get_mut(index)?.as_mut()
    }

    pub(crate) fn close(&mut self, descriptor: i32) {
        if let Ok(index) = usize::try_from(descriptor.saturating_sub(FIRST))
            && let Some(slot) = self.open.get_mut(index)
        {
            *slot = None;
        }
    }
}

/// The program tries to change a file. It is refused here; on the real JVM it might not be.
pub(crate) fn note_change(vm: &mut Vmj) {
    vm.note(ledger::Kind::Environment, "files, which cannot be changed");
    vm.lang.state::<Saved<Files>>().changing = true;
}

/// The program tries to connect to somebody, which is refused here too.
pub(crate) fn note_connection(vm: &mut Vmj) {
    vm.note(ledger::Kind::Environment, "the network, where nobody listens");
    vm.lang.state::<Saved<Files>>().changing = true;
}

/// Whether the run so far tried to change a file or to connect.
pub fn tried_to_reach_out(vm: &mut Vmj) -> bool {
    vm.lang.state::<Saved<Files>>().changing
}

/// What a path names.
pub(crate) enum Entry {
    Folder(Vec<String>),
    File(PathBuf, u64),
}

/// `/a/../b` to `/b`; the working directory is the root.
pub(crate) fn normal(path: &str) -> PathBuf {
    let mut normal = PathBuf::from("/");
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    normal
}

/// The folder in which the program's resources are.
pub(crate) const CLASS_PATH: &str = "/class-path";

/// The resource of the program that a path names.
fn resource(vm: &Vmj, path: &Path) -> Option<Arc<[u8]>> {
    let rest = path.to_str()?.strip_prefix(CLASS_PATH)?;
    let (entry, name) = rest.split_once('/')?;
    match entry.strip_prefix('-') {
        // That of one entry of the class path.
        Some(index) => vm.lang.path.resource_in(index.parse().ok()?, name).ok()?,
        None if entry.is_empty() => vm.lang.path.user_resource(name).ok()?.map(|found| found.bytes),
        None => None,
    }
}

/// Looks a path up. Only the JDK's home and the program's resources show through from the host.
pub(crate) fn look_up(vm: &mut Vmj, path: &str) -> Option<Entry> {
    let path = normal(path);
    if let Some(bytes) = resource(vm, &path) {
        return Some(Entry::File(path, bytes.len() as u64));
    }
    let home = &vm.lang.path.jdk().home.clone();
    if path.starts_with(home) {
        let metadata = std::fs::metadata(&path).ok()?;
        if metadata.is_file() {
            return Some(Entry::File(path, metadata.len()));
        }
        let children = std::fs::read_dir(&path).ok()?.flatten();
        let mut names: Vec<String> =
            children.filter_map(|child| child.file_name().into_string().ok()).collect();
        names.sort_unstable();
        return Some(Entry::Folder(names));
    }
    // What else a machine has is not known here.
    if vm.lang.threads.running {
        vm.note(ledger::Kind::Environment, "files");
    }
    // The folders above the home, the root and /tmp.
    if let Ok(rest) = home.strip_prefix(&path) {
        let next = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        return Some(Entry::Folder(next.into_iter().collect()));
    }
    if is_random(&path) {
        return Some(Entry::File(path, 0));
    }
    (path == Path::new("/tmp")).then(|| Entry::Folder(Vec::new()))
}

fn is_random(path: &Path) -> bool {
    path == Path::new("/dev/random") || path == Path::new("/dev/urandom")
}

/// What a random device gives before it ends.
const RANDOM_BYTES: usize = 1 << 16;

/// Bytes that differ between worlds, as the clock does.
fn random_bytes(vm: &mut Vmj) -> Arc<[u8]> {
    vm.note(ledger::Kind::Environment, "random numbers");
    let clock = vm.lang.state::<Saved<crate::natives::java::lang::Clock>>();
    let mut state = (clock.epoch_millis ^ clock.origin) as u64 | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..RANDOM_BYTES).map(next).collect()
}

/// Opens a file for reading. A folder is opened too, if `folders` may be.
pub(crate) fn open(vm: &mut Vmj, path: &str, folders: bool) -> Result<i32, NotOpened> {
    let (bytes, folder) = match look_up(vm, path) {
        None => return Err(NotOpened::Missing),
        Some(Entry::Folder(_)) if !folders => return Err(NotOpened::Folder),
        Some(Entry::Folder(_)) => (Vec::new().into(), true),
        Some(Entry::File(path, _)) if is_random(&path) => (random_bytes(vm), false),
        Some(Entry::File(path, _)) if let Some(bytes) = resource(vm, &path) => (bytes, false),
        Some(Entry::File(path, _)) => (std::fs::read(path).map_err(|_| NotOpened::Missing)?.into(), false),
    };
    Ok(vm.lang.state::<Saved<Files>>().add(bytes, folder))
}

/// Opens a folder to read its names, each ending with a zero byte.
pub(crate) fn open_folder(vm: &mut Vmj, path: &str) -> Result<i32, NotOpened> {
    let names = match look_up(vm, path) {
        None => return Err(NotOpened::Missing),
        Some(Entry::File(..)) => return Err(NotOpened::File),
        Some(Entry::Folder(names)) => names,
    };
    let bytes: Vec<u8> = names.iter().flat_map(|name| name.bytes().chain([0])).collect();
    Ok(vm.lang.state::<Saved<Files>>().add(bytes.into(), true))
}

/// Why a file was not opened.
pub(crate) enum NotOpened {
    Missing,
    Folder,
    File,
}
