//! The JDK's `lib/modules` file (“jimage”): a perfect hash from `/module/package/Name.class` to content.
//!
//! The index (about 2 MB) is read when opening, contents when asked for. All numbers are in the byte order of
//! the machine the JDK was built for; both are read.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::LoadError;
use super::file::read_exact_at;
use super::image_resource;

const MAGIC: u32 = 0xcafe_dada;
const HEADER_SIZE: u64 = 28;
const HASH_MULTIPLIER: u32 = 0x0100_0193;
/// Nothing in a JDK comes near; a broken index must not make us allocate without bound.
const MAX_RESOURCE: u64 = 1 << 28;
const MAX_STRING: usize = 1 << 16;
/// Seven kinds are known and each occurs once.
const MAX_ATTRIBUTES: usize = 32;

pub(super) struct Image {
    path: PathBuf,
    file: File,
    file_len: u64,
    big_endian: bool,
    /// Bytes of `table_length` signed numbers: a seed, or a direct index.
    redirect: Vec<u8>,
    /// Bytes of `table_length` offsets into `locations`.
    offsets: Vec<u8>,
    table_length: u32,
    locations: Vec<u8>,
    strings: Vec<u8>,
    /// Where contents begin in the file.
    data_start: u64,
    /// Package `java/lang` to the module that has classes in it.
    modules_by_package: FxHashMap<Box<str>, Arc<str>>,
    /// Sorted.
    modules: Vec<Arc<str>>,
}

/// One resource's attributes; names are offsets into the strings.
#[derive(Clone, Copy, Default)]
pub(super) struct Location {
    module: u32,
    parent: u32,
    base: u32,
    extension: u32,
    offset: u64,
    /// 0 when stored as is.
    compressed: u64,
    uncompressed: u64,
}

impl Image {
    pub fn open(path: &Path) -> Result<Image, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(io)?;
        let file_len = file.metadata().map_err(io)?.len();
        let bad = |what| LoadError::BadImage { path: path.to_owned(), what };
        if file_len < HEADER_SIZE {
            return Err(bad("it is too short"));
        }
        let mut header = [0; 28];
        read_exact_at(&file, &mut header, 0).map_err(io)?;
        let word = |index: usize, big_endian| word(&header, index, big_endian).unwrap_or(0);
        let big_endian = match word(0, false) {
            MAGIC => false,
            _ if word(0, true) == MAGIC => true,
            _ => return Err(bad("it does not begin with the jimage magic number")),
        };
        if word(1, big_endian) >> 16 != 1 {
            return Err(bad("its jimage version is unknown"));
        }
        let sizes = [4, 5, 6].map(|index| word(index, big_endian));
        let [table_length, locations_size, strings_size] = sizes;
        let table_size = u64::from(table_length).saturating_mul(4);
        let mut at = HEADER_SIZE;
        let mut section = |size: u64| -> Result<Vec<u8>, LoadError> {
            let end = at.checked_add(size).filter(|end| *end <= file_len);
            let end = end.ok_or_else(|| bad("its index is longer than the file"))?;
            let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
            read_exact_at(&file, &mut bytes, at).map_err(io)?;
            at = end;
            Ok(bytes)
        };
        let redirect = section(table_size)?;
        let offsets = section(table_size)?;
        let locations = section(locations_size.into())?;
        let strings = section(strings_size.into())?;
        let mut image = Image {
            path: path.to_owned(),
            file_len,
            big_endian,
            redirect,
            offsets,
            table_length,
            locations,
            strings,
            data_start: at,
            file,
            modules_by_package: FxHashMap::default(),
            modules: Vec::new(),
        };
        image.index_packages();
        if image.modules.is_empty() {
            return Err(bad("it has no classes"));
        }
        Ok(image)
    }

    /// The content of `/module/path`.
    pub fn read(&self, module: &str, path: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        let Some(location) = self.find(module, path) else { return Ok(None) };
        let stored = if location.compressed == 0 { location.uncompressed } else { location.compressed };
        let start = self.data_start.saturating_add(location.offset);
        let fits = start.checked_add(stored).is_some_and(|end| end <= self.file_len);
        if !fits || stored > MAX_RESOURCE || location.uncompressed > MAX_RESOURCE {
            return Err(LoadError::BadImage {
                path: self.path.clone(),
                what: "a resource lies outside the file",
            });
        }
        let mut bytes = vec![0; usize::try_from(stored).unwrap_or(0)];
        read_exact_at(&self.file, &mut bytes, start)
            .map_err(|source| LoadError::Io { path: self.path.clone(), source })?;
        if location.compressed != 0 {
            bytes = image_resource::decompress(self, path, bytes, location.uncompressed)?;
        }
        Ok(Some(bytes.into()))
    }

    pub fn module_of(&self, package: &str) -> Option<&Arc<str>> {
        self.modules_by_package.get(package)
    }

    pub fn modules(&self) -> &[Arc<str>] {
        &self.modules
    }

    /// All classes as internal names, sorted; `module-info`s left out.
    pub fn classes(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.class_locations().filter_map(|location| self.class_name(location)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn big_endian(&self) -> bool {
        self.big_endian
    }

    /// The NUL-terminated string at an offset.
    pub fn string_bytes(&self, offset: u32) -> Option<&[u8]> {
        let rest = self.strings.get(usize::try_from(offset).ok()?..)?;
        // No name is longer than a constant-pool text; a broken index must not make every look-up a long scan.
        let rest = rest.get(..MAX_STRING).unwrap_or(rest);
        rest.split(|byte| *byte == 0).next()
    }

    fn string(&self, offset: u32) -> Option<&str> {
        std::str::from_utf8(self.string_bytes(offset)?).ok()
    }

    fn find(&self, module: &str, path: &str) -> Option<Location> {
        let index =
            match self.number(&self.redirect, self.slot(module, path, HASH_MULTIPLIER)?)?.cast_signed() {
                0 => return None,
                direct @ ..0 => u32::try_from(direct.checked_add(1)?.checked_neg()?).ok()?,
                seed => self.slot(module, path, seed.cast_unsigned())?,
            };
        let location = self.location(index)?;
        self.is_named(&location, module, path).then_some(location)
    }

    fn slot(&self, module: &str, path: &str, seed: u32) -> Option<u32> {
        let parts: [&[u8]; 4] = [b"/", module.as_bytes(), b"/", path.as_bytes()];
        let bytes = parts.into_iter().flatten();
        let hash = bytes.fold(seed, |hash, byte| hash.wrapping_mul(HASH_MULTIPLIER) ^ u32::from(*byte));
        (hash & 0x7fff_ffff).checked_rem(self.table_length)
    }

    /// The hash is perfect only for names that are in the image: any other lands somewhere too.
    fn is_named(&self, location: &Location, module: &str, path: &str) -> bool {
        let mut rest = path;
        let mut eat = |offset: u32, separator: &str, before: bool| {
            let Some(part) = self.string(offset) else { return false };
            if part.is_empty() {
                return true;
            }
            let (first, second) = if before { (separator, part) } else { (part, separator) };
            match rest.strip_prefix(first).and_then(|rest| rest.strip_prefix(second)) {
                Some(after) => {
                    rest = after;
                    true
                }
                None => false,
            }
        };
        let named = self.string(location.module) == Some(module)
            && eat(location.parent, "/", false)
            && eat(location.base, "", false)
            && eat(location.extension, ".", true);
        named && rest.is_empty()
    }

    /// A run of `(kind << 3 | length - 1)` bytes, each followed by a big-endian number, ended by kind 0.
    fn location(&self, index: u32) -> Option<Location> {
        let start = self.number(&self.offsets, index)?;
        let mut rest = self.locations.get(usize::try_from(start).ok()?..)?.iter();
        let mut location = Location::default();
        for _ in 0..MAX_ATTRIBUTES {
            let head = *rest.next()?;
            let mut value = 0u64;
            let kind = head >> 3;
            if kind == 0 {
                return Some(location);
            }
            for _ in 0..=(head & 7) {
                value = (value << 8) | u64::from(*rest.next()?);
            }
            let name = u32::try_from(value);
            match kind {
                1 => location.module = name.ok()?,
                2 => location.parent = name.ok()?,
                3 => location.base = name.ok()?,
                4 => location.extension = name.ok()?,
                5 => location.offset = value,
                6 => location.compressed = value,
                7 => location.uncompressed = value,
                // Later JDKs may add attributes; they do not change where the content is.
                _ => {}
            }
        }
        None
    }

    fn number(&self, table: &[u8], index: u32) -> Option<u32> {
        word(table, usize::try_from(index).ok()?, self.big_endian)
    }

    fn class_locations(&self) -> impl Iterator<Item = Location> + '_ {
        let locations = (0..self.table_length).filter_map(|index| self.location(index));
        locations.filter(|location| self.string(location.extension) == Some("class"))
    }

    fn class_name(&self, location: Location) -> Option<String> {
        let (parent, base) = (self.string(location.parent)?, self.string(location.base)?);
        match (parent, base) {
            (_, "module-info") => None,
            ("", base) => Some(base.to_owned()),
            (parent, base) => Some(format!("{parent}/{base}")),
        }
    }

    fn index_packages(&mut self) {
        // Strings are shared in the image: equal names have equal offsets, so most locations cost one look-up.
        let mut seen: FxHashMap<u32, u32> = FxHashMap::default();
        let mut pairs = Vec::new();
        for location in self.class_locations() {
            if seen.insert(location.parent, location.module).is_none() {
                pairs.push((location.parent, location.module));
            }
        }
        let mut modules: FxHashMap<u32, Arc<str>> = FxHashMap::default();
        let mut by_package = FxHashMap::default();
        for (package, module) in pairs {
            let (Some(package), Some(name)) = (self.string(package), self.string(module)) else { continue };
            let name = modules.entry(module).or_insert_with(|| name.into()).clone();
            if !package.is_empty() {
                by_package.insert(package.into(), name);
            }
        }
        let mut names: Vec<Arc<str>> = by_package.values().cloned().collect();
        names.sort_unstable();
        names.dedup();
        self.modules = names;
        self.modules_by_package = by_package;
    }
}

/// The `index`th 32-bit number.
fn word(bytes: &[u8], index: usize, big_endian: bool) -> Option<u32> {
    let start = index.checked_mul(4)?;
    let chunk = *bytes.get(start..)?.first_chunk::<4>()?;
    Some(if big_endian { u32::from_be_bytes(chunk) } else { u32::from_le_bytes(chunk) })
}
