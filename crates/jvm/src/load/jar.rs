//! Jar files: entries, the manifest, and multi-release versions.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use zip::ZipArchive;
use zip::result::ZipError;

use super::error::LoadError;

/// No class is larger; a resource that is, is not for a unit test. Guards against zip bombs.
const MAX_ENTRY: u64 = 1 << 28;
const VERSIONS: &str = "META-INF/versions/";

pub(super) struct Jar {
    path: PathBuf,
    /// Reading moves the archive's file position, hence the lock. Look-ups do not take it.
    archive: Mutex<ZipArchive<BufReader<File>>>,
    /// The effective name, versions already chosen, to the archive's index.
    entries: FxHashMap<Box<str>, usize>,
    manifest: Manifest,
}

/// What we use of `META-INF/MANIFEST.MF`.
#[derive(Default)]
pub(super) struct Manifest {
    pub multi_release: bool,
    /// Relative URLs.
    pub class_path: Vec<String>,
    pub sealed: bool,
}

impl Jar {
    /// `feature` is the JDK's feature version, which decides what a multi-release jar shows.
    pub fn open(path: &Path, feature: u32) -> Result<Jar, LoadError> {
        let file = File::open(path).map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|source| LoadError::Jar {
            path: path.to_owned(),
            entry: String::new(),
            source,
        })?;
        let mut entries: FxHashMap<Box<str>, usize> = FxHashMap::default();
        entries.reserve(archive.len());
        // Raw, because the JVM takes names as UTF-8 whatever the entry's flag says. Other names cannot be asked for.
        for (index, name) in archive.file_names_raw().enumerate() {
            match std::str::from_utf8(name) {
                Ok(name) if !name.ends_with('/') => entries.insert(name.into(), index),
                _ => None,
            };
        }
        let archive = Mutex::new(archive);
        let mut jar = Jar { path: path.to_owned(), archive, entries, manifest: Manifest::default() };
        if let Some(text) = jar.read("META-INF/MANIFEST.MF")? {
            jar.manifest = Manifest::parse(&String::from_utf8_lossy(&text));
        }
        if jar.manifest.multi_release && feature >= 9 {
            jar.choose_versions(feature);
        }
        Ok(jar)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Whether classes from elsewhere are refused in its packages: it is signed or sealed.
    pub fn is_closed(&self) -> bool {
        let is_signature = |name: &str| {
            name.strip_prefix("META-INF/").is_some_and(|rest| !rest.contains('/') && rest.ends_with(".SF"))
        };
        self.manifest.sealed || self.names().any(is_signature)
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn read(&self, name: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        let Some(&index) = self.entries.get(name) else { return Ok(None) };
        let fail = |source| LoadError::Jar { path: self.path.clone(), entry: name.to_owned(), source };
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = archive.by_index(index).map_err(fail)?;
        // The declared size may lie: it is a hint, and the limit counts what really comes out.
        let hint = usize::try_from(entry.size().min(1 << 20)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(hint);
        entry.take(MAX_ENTRY.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| fail(ZipError::Io(e)))?;
        if u64::try_from(bytes.len()).is_ok_and(|len| len > MAX_ENTRY) {
            return Err(LoadError::TooLarge {
                path: self.path.clone(),
                entry: name.to_owned(),
                limit: MAX_ENTRY,
            });
        }
        Ok(Some(bytes.into()))
    }

    /// Effective entry names, unsorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(|name| &**name)
    }

    /// Puts the newest fitting version of each entry in place of the plain one (JAR specification, “Multi-release
    /// JAR files”).
    fn choose_versions(&mut self, feature: u32) {
        let mut chosen: BTreeMap<Box<str>, (u32, usize)> = BTreeMap::new();
        for (name, index) in &self.entries {
            let Some((version, plain)) = name.strip_prefix(VERSIONS).and_then(|rest| rest.split_once('/'))
            else {
                continue;
            };
            let Ok(version) = version.parse::<u32>() else { continue };
            // META-INF itself is not versioned.
            if !(9..=feature).contains(&version) || plain.starts_with("META-INF/") {
                continue;
            }
            let best = chosen.entry(plain.into()).or_insert((version, *index));
            if version > best.0 {
                *best = (version, *index);
            }
        }
        self.entries.extend(chosen.into_iter().map(|(name, (_, index))| (name, index)));
    }
}

impl Manifest {
    /// The main section: `Name: value` lines up to an empty one; a line that begins with a space continues the
    /// one before.
    fn parse(text: &str) -> Manifest {
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            if line.is_empty() {
                break;
            }
            if let Some(more) = line.strip_prefix(' ') {
                if let Some((_, value)) = headers.last_mut() {
                    value.push_str(more);
                }
            } else if let Some((name, value)) = line.split_once(':') {
                headers.push((name.to_ascii_lowercase(), value.trim_start().to_owned()));
            }
        }
        let value =
            |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.trim());
        Manifest {
            sealed: value("sealed").is_some_and(|value| value.eq_ignore_ascii_case("true")),
            multi_release: value("multi-release").is_some_and(|value| value.eq_ignore_ascii_case("true")),
            class_path: value("class-path")
                .unwrap_or("")
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect(),
        }
    }
}
