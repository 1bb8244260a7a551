//! A bounds-checked big-endian cursor over a class file, and shared slices of it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A defect before it is known whose it is; `offset` counts from the start of the underlying data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub offset: usize,
    pub what: &'static str,
}

pub(super) type Read<T> = Result<T, Fault>;

/// A window `[pos, end)` of `data`. Sub-readers share `data`, so every offset is absolute.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    data: &'a [u8],
    pos: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Reader { data, pos: 0, end: data.len() }
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    pub fn remaining(&self) -> usize {
        self.end.saturating_sub(self.pos)
    }

    pub fn fault<T>(&self, what: &'static str) -> Read<T> {
        Err(Fault { offset: self.pos, what })
    }

    pub fn bytes(&mut self, len: usize) -> Read<&'a [u8]> {
        let next = self.pos.checked_add(len).filter(|next| *next <= self.end);
        match next.and_then(|next| Some((next, self.data.get(self.pos..next)?))) {
            Some((next, bytes)) => {
                self.pos = next;
                Ok(bytes)
            }
            None => self.fault("ends too early"),
        }
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        match self.bytes(N)?.first_chunk::<N>() {
            Some(chunk) => Ok(*chunk),
            None => self.fault("ends too early"),
        }
    }

    pub fn skip(&mut self, len: usize) -> Read<()> {
        self.bytes(len).map(|_| ())
    }

    pub fn skip_all(&mut self) {
        self.pos = self.end;
    }

    pub fn u8(&mut self) -> Read<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub fn i8(&mut self) -> Read<i8> {
        self.array().map(i8::from_be_bytes)
    }

    pub fn u16(&mut self) -> Read<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn i16(&mut self) -> Read<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Read<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn i32(&mut self) -> Read<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub fn u64(&mut self) -> Read<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// The next `len` bytes as a reader of their own; this one moves past them.
    pub fn sub(&mut self, len: u32) -> Read<Reader<'a>> {
        let start = self.pos;
        self.skip(usize::try_from(len).unwrap_or(usize::MAX))?;
        Ok(Reader { data: self.data, pos: start, end: self.pos })
    }

    /// A `u16` count followed by that many items. Capacity is bounded by what the data can hold, so a lying
    /// count costs nothing.
    pub fn list<T>(&mut self, item_size: usize, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = usize::from(self.u16()?);
        let fits = self.remaining().checked_div(item_size).unwrap_or(0);
        let mut items = Vec::with_capacity(count.min(fits));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Errs unless everything was read: JVMS §4.7 demands exact attribute lengths.
    pub fn finish(&self) -> Read<()> {
        if self.pos == self.end { Ok(()) } else { self.fault("has surplus bytes") }
    }

    /// What is left, as a slice that shares the class's bytes.
    pub fn rest(&self, whole: &Arc<[u8]>) -> Slice {
        Slice { whole: whole.clone(), start: narrow(self.pos), end: narrow(self.end) }
    }
}

/// Class files are below 4 GiB (checked when parsing starts); offsets are kept in 32 bits.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A part of a class file's bytes; cloning shares them.
#[derive(Clone)]
pub struct Slice {
    whole: Arc<[u8]>,
    start: u32,
    end: u32,
}

impl Slice {
    /// Where the slice begins in the class file.
    pub fn offset(&self) -> u32 {
        self.start
    }
}

impl Deref for Slice {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let (start, end) = (usize::try_from(self.start), usize::try_from(self.end));
        match (start, end) {
            (Ok(start), Ok(end)) => self.whole.get(start..end).unwrap_or(&[]),
            _ => &[],
        }
    }
}

impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({}..{})", self.start, self.end)
    }
}
