//! The journal of a class on disk: a log of checksummed records, stamped with what it is valid for.
//!
//! Whatever ends the process, the records up to some point are whole; what follows is found by its checksum and cut
//! off. A disk that is full ends the journal, not the exploration.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jvm::load::ClassPath;

use crate::config::Config;

const MAGIC: &[u8; 8] = b"twjrnl1\n";
const HEADER: u64 = 16;
/// Length, checksum and exploration of a record stand before it.
const HEAD: usize = 16;
/// So much may be lost when the power fails.
const SYNC: Duration = Duration::from_secs(1);

/// See the module.
pub struct FileJournal {
    file: File,
    path: PathBuf,
    /// What was read and is yet to be asked for: exploration, end of the record in the file, content.
    known: VecDeque<(u32, u64, Vec<u8>)>,
    /// Where the records that count end.
    end: u64,
    exploration: u32,
    synced: Instant,
    /// Why nothing is written any more.
    failed: Option<String>,
}

impl FileJournal {
    /// Opens the journal of a class; what is in it is kept only to `resume`, and if it is of the same program,
    /// options and engine.
    pub fn open(path: &Path, stamp: u64, resume: bool) -> std::io::Result<FileJournal> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        if resume {
            file.read_to_end(&mut bytes)?;
        }
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&stamp.to_le_bytes());
        let known = match bytes.starts_with(&header) {
            true => records(&bytes),
            false => VecDeque::new(),
        };
        if known.is_empty() {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)?;
        }
        let (path, synced) = (path.to_path_buf(), Instant::now());
        Ok(FileJournal { file, path, known, end: HEADER, exploration: 0, synced, failed: None })
    }

    /// Another exploration begins: its records are its own.
    pub fn begin(&mut self) {
        self.exploration += 1;
        // What the last one had left belongs to a longer one than this time's.
        while self.known.front().is_some_and(|(of, ..)| *of < self.exploration) {
            self.take();
        }
    }

    /// How many records are yet to be asked for.
    pub fn left(&self) -> usize {
        self.known.len()
    }

    /// Why nothing is kept any more, if so.
    pub fn failure(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        let (_, end, record) = self.known.pop_front()?;
        self.end = end;
        Some(record)
    }

    fn append(&mut self, record: &[u8]) -> std::io::Result<()> {
        let mut bytes = Vec::with_capacity(HEAD + record.len());
        bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.exploration.to_le_bytes());
        bytes.extend_from_slice(&checksum(self.exploration, record).to_le_bytes());
        bytes.extend_from_slice(record);
        if !self.known.is_empty() || self.file.metadata()?.len() != self.end {
            self.known.clear();
            self.file.set_len(self.end)?;
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        if self.synced.elapsed() >= SYNC {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

impl explore::Journal for FileJournal {
    fn next(&mut self) -> Option<Vec<u8>> {
        match self.known.front() {
            Some((of, ..)) if *of == self.exploration => self.take(),
            _ => None,
        }
    }

    fn keep(&mut self, record: &[u8]) {
        if self.failed.is_none()
            && let Err(why) = self.append(record)
        {
            self.failed = Some(format!("{}: {why}", self.path.display()));
        }
    }
}

/// The whole records of a journal.
fn records(bytes: &[u8]) -> VecDeque<(u32, u64, Vec<u8>)> {
    let mut found = VecDeque::new();
    let mut at = HEADER as usize;
    while let Some(head) = bytes.get(at..at + HEAD) {
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let (len, exploration) = (word(0) as usize, word(4));
        let sum = u64::from(word(8)) | u64::from(word(12)) << 32;
        let start = at + HEAD;
        let Some(record) = start.checked_add(len).and_then(|end| bytes.get(start..end)) else { break };
        if checksum(exploration, record) != sum {
            break;
        }
        at = start + len;
        found.push_back((exploration, at as u64, record.to_vec()));
    }
    found
}

fn checksum(exploration: u32, record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    exploration.hash(&mut hasher);
    record.hash(&mut hasher);
    hasher.finish()
}

/// What a journal is valid for: this engine, these options, this program.
pub fn stamp(config: &Config, path: &ClassPath) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine().hash(&mut hasher);
    // Neither how many work at it nor for how long changes what is found, nor where sources are.
    let mut options = config.clone();
    options.jobs = 0;
    options.budget.time = None;
    options.budget.total_time = None;
    options.budget.confirming = None;
    options.resume = false;
    options.targets.clear();
    options.source_path.clear();
    format!("{options:?}").hash(&mut hasher);
    path.jdk().version.hash(&mut hasher);
    config.class_path.iter().chain(&config.tests).for_each(|entry| hash_files(entry, &mut hasher));
    hasher.finish()
}

/// What tells one build of this program from another: how its file begins (the linker's own number of it is there), how long
/// it is and when it was written. To read all of it took a third of the time in which a small class is explored.
fn engine() -> Option<(Vec<u8>, u64, Option<std::time::SystemTime>)> {
    let file = File::open(std::env::current_exe().ok()?).ok()?;
    let about = file.metadata().ok()?;
    let mut head = Vec::new();
    file.take(1 << 16).read_to_end(&mut head).ok()?;
    Some((head, about.len(), about.modified().ok()))
}

/// Of a method that was asked for.
pub fn text_stamp(name: &str, descriptor: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, descriptor).hash(&mut hasher);
    hasher.finish()
}

fn hash_files(path: &Path, hasher: &mut DefaultHasher) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| hash_files(entry, hasher));
    } else if path.extension().is_some_and(|e| e == "class" || e == "jar") {
        path.hash(hasher);
        std::fs::read(path).unwrap_or_default().hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use explore::Journal;

    fn filled(path: &Path) -> Vec<Vec<u8>> {
        let mut journal = FileJournal::open(path, 7, false).unwrap();
        journal.begin();
        let records: Vec<Vec<u8>> = (0..20_u8).map(|i| vec![i; usize::from(i) * 3]).collect();
        records.iter().for_each(|record| journal.keep(record));
        assert_eq!(journal.failure(), None);
        records
    }

    #[test]
    fn whatever_is_cut_off_the_rest_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let records = filled(&path);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut journal = FileJournal::open(&path, 7, true).unwrap();
            journal.begin();
            let found: Vec<_> = std::iter::from_fn(|| journal.next()).collect();
            assert_eq!(found, records[..found.len()], "cut at {cut}");
            // It goes on from there.
            journal.keep(b"more");
            drop(journal);
            let mut journal = FileJournal::open(&path, 7, true).unwrap();
            journal.begin();
            assert_eq!(std::iter::from_fn(|| journal.next()).last().as_deref(), Some(&b"more"[..]));
        }
    }

    #[test]
    fn damage_and_other_stamps_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let records = filled(&path);
        let bytes = std::fs::read(&path).unwrap();
        for at in (HEADER as usize..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            let kept = super::records(&damaged);
            assert!(kept.len() < records.len(), "damage at {at} was not noticed");
        }
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(FileJournal::open(&path, 8, true).unwrap().left(), 0);
    }

    #[test]
    fn an_exploration_has_its_own_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let mut journal = FileJournal::open(&path, 1, false).unwrap();
        journal.begin();
        journal.keep(b"a");
        journal.keep(b"b");
        journal.begin();
        journal.keep(b"c");
        drop(journal);
        let mut journal = FileJournal::open(&path, 1, true).unwrap();
        journal.begin();
        assert_eq!(journal.next().as_deref(), Some(&b"a"[..]));
        journal.begin();
        assert_eq!(journal.next().as_deref(), Some(&b"c"[..]));
        assert_eq!(journal.next(), None);
    }
}
