//! The heap: objects as bytes in one arena, with a sparse shadow of terms, and an undo log.
//!
//! Between runs the heap goes back to its snapshot: objects made since are cut off, objects of the snapshot
//! that were written are restored from the log. Reads pay nothing for that, the first write to a snapshot
//! object copies it once. There is no garbage collection: a run ends before it pays.

use crate::shadow::Shadow;
use entity::{EntityId, entity};
use ir::ClassId;
use term::TermId;

entity! {
    /// A heap object. 0 is null.
    pub struct ObjId = "o";
}

impl ObjId {
    pub const NULL: ObjId = ObjId(0);

    pub fn is_null(self) -> bool {
        self.0 == 0
    }
}

/// What the heap knows of an object.
#[derive(Clone, Copy, Debug)]
pub struct Obj {
    pub class: ClassId,
    /// Number of elements of an array, 0 for plain objects.
    pub len: u32,
    /// Size of the payload in bytes.
    pub size: u32,
    start: u32,
    /// Index of its shadow, 0 if it holds no symbolic value.
    shadow: u32,
    saved: bool,
}

/// A mark to which [`Heap::reset`] goes back.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    objects: u32,
    bytes: u32,
    shadows: u32,
}

#[derive(Clone)]
struct Saved {
    id: ObjId,
    obj: Obj,
    at: u32,
    shadow: Option<Shadow>,
}

#[derive(Clone)]
pub struct Heap {
    objects: Vec<Obj>,
    bytes: Vec<u8>,
    shadows: Vec<Shadow>,
    frozen: Mark,
    saved: Vec<Saved>,
    saved_bytes: Vec<u8>,
    /// Arena size, in bytes, beyond which allocation fails.
    pub limit: usize,
}

/// Allocation would pass the memory budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

const ALIGN: usize = 8;

impl Heap {
    pub fn new(limit: usize) -> Heap {
        let null = Obj { class: ClassId(u32::MAX), len: 0, size: 0, start: 0, shadow: 0, saved: true };
        Heap {
            objects: vec![null],
            bytes: Vec::new(),
            shadows: vec![Shadow::default()],
            frozen: Mark { objects: 1, bytes: 0, shadows: 1 },
            saved: Vec::new(),
            saved_bytes: Vec::new(),
            limit,
        }
    }

    /// Makes a zeroed object.
    pub fn alloc(&mut self, class: ClassId, size: u32, len: u32) -> Result<ObjId, OutOfMemory> {
        let start = self.bytes.len();
        let end = start + (size as usize).next_multiple_of(ALIGN);
        if end > self.limit || end > u32::MAX as usize {
            return Err(OutOfMemory);
        }
        self.bytes.resize(end, 0);
        let id = ObjId::from_index(self.objects.len());
        self.objects.push(Obj { class, len, size, start: start as u32, shadow: 0, saved: false });
        Ok(id)
    }

    #[inline]
    pub fn obj(&self, id: ObjId) -> &Obj {
        &self.objects[id.index()]
    }

    pub fn contains(&self, id: ObjId) -> bool {
        !id.is_null() && id.index() < self.objects.len()
    }

    #[inline]
    pub fn class(&self, id: ObjId) -> ClassId {
        self.objects[id.index()].class
    }

    #[inline]
    pub fn len(&self, id: ObjId) -> u32 {
        self.objects[id.index()].len
    }

    /// How many objects there are, null included.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the object was made since the last [`freeze`](Self::freeze).
    pub fn is_fresh(&self, id: ObjId) -> bool {
        id.0 >= self.frozen.objects
    }

    /// Whether the object is as it was at the last [`freeze`](Self::freeze).
    pub fn is_as_frozen(&self, id: ObjId) -> bool {
        !self.is_fresh(id) && !self.objects[id.index()].saved
    }

    #[inline]
    pub fn read<const N: usize>(&self, id: ObjId, offset: u32) -> [u8; N] {
        let start = self.objects[id.index()].start as usize + offset as usize;
        let mut out = [0; N];
        out.copy_from_slice(&self.bytes[start..start + N]);
        out
    }

    #[inline]
    pub fn write<const N: usize>(&mut self, id: ObjId, offset: u32, value: [u8; N]) {
        self.save(id);
        let start = self.objects[id.index()].start as usize + offset as usize;
        self.bytes[start..start + N].copy_from_slice(&value);
    }

    pub fn read_u8(&self, id: ObjId, offset: u32) -> u8 {
        self.read::<1>(id, offset)[0]
    }

    pub fn read_u16(&self, id: ObjId, offset: u32) -> u16 {
        u16::from_le_bytes(self.read(id, offset))
    }

    pub fn read_u32(&self, id: ObjId, offset: u32) -> u32 {
        u32::from_le_bytes(self.read(id, offset))
    }

    pub fn read_u64(&self, id: ObjId, offset: u32) -> u64 {
        u64::from_le_bytes(self.read(id, offset))
    }

    pub fn read_ref(&self, id: ObjId, offset: u32) -> ObjId {
        ObjId(self.read_u32(id, offset))
    }

    pub fn write_u8(&mut self, id: ObjId, offset: u32, value: u8) {
        self.write(id, offset, [value]);
    }

    pub fn write_u16(&mut self, id: ObjId, offset: u32, value: u16) {
        self.write(id, offset, value.to_le_bytes());
    }

    pub fn write_u32(&mut self, id: ObjId, offset: u32, value: u32) {
        self.write(id, offset, value.to_le_bytes());
    }

    pub fn write_u64(&mut self, id: ObjId, offset: u32, value: u64) {
        self.write(id, offset, value.to_le_bytes());
    }

    pub fn write_ref(&mut self, id: ObjId, offset: u32, value: ObjId) {
        self.write_u32(id, offset, value.0);
    }

    /// The payload of an object.
    pub fn bytes(&self, id: ObjId) -> &[u8] {
        let obj = &self.objects[id.index()];
        &self.bytes[obj.start as usize..(obj.start + obj.size) as usize]
    }

    /// The payload of an object, to be written.
    pub fn bytes_mut(&mut self, id: ObjId) -> &mut [u8] {
        self.save(id);
        let obj = &self.objects[id.index()];
        &mut self.bytes[obj.start as usize..(obj.start + obj.size) as usize]
    }

    /// Copies bytes within or between objects; the ranges may overlap.
    pub fn copy_bytes(&mut self, from: ObjId, from_offset: u32, to: ObjId, to_offset: u32, count: u32) {
        self.save(to);
        let source = self.objects[from.index()].start as usize + from_offset as usize;
        let target = self.objects[to.index()].start as usize + to_offset as usize;
        self.bytes.copy_within(source..source + count as usize, target);
    }

    #[inline]
    pub fn has_shadow(&self, id: ObjId) -> bool {
        self.objects[id.index()].shadow != 0
    }

    pub fn shadow(&self, id: ObjId) -> Option<&Shadow> {
        match self.objects[id.index()].shadow {
            0 => None,
            index => Some(&self.shadows[index as usize]),
        }
    }

    /// The shadow of an object, made if it has none yet.
    pub fn shadow_mut(&mut self, id: ObjId) -> &mut Shadow {
        self.save(id);
        let obj = &mut self.objects[id.index()];
        if obj.shadow == 0 {
            obj.shadow = self.shadows.len() as u32;
            self.shadows.push(Shadow::default());
        }
        &mut self.shadows[obj.shadow as usize]
    }

    /// The length of an array as a term, if it is symbolic.
    pub fn len_term(&self, id: ObjId) -> TermId {
        self.shadow(id).map_or(TermId::NONE, |s| s.len)
    }

    /// What this run made or changed, ascending.
    pub(crate) fn touched(&self) -> impl Iterator<Item = ObjId> + '_ {
        let mut changed: Vec<ObjId> = self.saved.iter().map(|saved| saved.id).collect();
        changed.sort_unstable();
        changed.into_iter().chain((self.frozen.objects..self.objects.len() as u32).map(ObjId))
    }

    /// How much that is, in bytes.
    pub(crate) fn touched_bytes(&self) -> usize {
        self.bytes.len() - self.frozen.bytes as usize + self.saved_bytes.len()
    }

    /// Makes everything so far the snapshot that [`reset`](Self::reset) goes back to.
    pub fn freeze(&mut self) {
        for saved in self.saved.drain(..) {
            self.objects[saved.id.index()].saved = false;
        }
        self.saved_bytes.clear();
        self.frozen = Mark {
            objects: self.objects.len() as u32,
            bytes: self.bytes.len() as u32,
            shadows: self.shadows.len() as u32,
        };
    }

    /// Everything is what it is, whatever inputs it came from.
    pub fn forget_terms(&mut self) {
        self.objects.iter_mut().for_each(|object| object.shadow = 0);
        self.shadows.truncate(1);
    }

    /// Goes back to the snapshot.
    pub fn reset(&mut self) {
        for saved in self.saved.drain(..).rev() {
            let obj = saved.obj;
            let (start, at, size) = (obj.start as usize, saved.at as usize, obj.size as usize);
            self.bytes[start..start + size].copy_from_slice(&self.saved_bytes[at..at + size]);
            if let Some(shadow) = saved.shadow {
                self.shadows[obj.shadow as usize] = shadow;
            }
            self.objects[saved.id.index()] = obj;
        }
        self.saved_bytes.clear();
        self.objects.truncate(self.frozen.objects as usize);
        self.bytes.truncate(self.frozen.bytes as usize);
        self.shadows.truncate(self.frozen.shadows as usize);
    }

    #[inline]
    fn save(&mut self, id: ObjId) {
        if id.0 < self.frozen.objects && !self.objects[id.index()].saved {
            self.save_slow(id);
        }
    }

    #[cold]
    fn save_slow(&mut self, id: ObjId) {
        let obj = self.objects[id.index()];
        let at = self.saved_bytes.len() as u32;
        let start = obj.start as usize;
        self.saved_bytes.extend_from_slice(&self.bytes[start..start + obj.size as usize]);
        let shadow = (obj.shadow != 0).then(|| self.shadows[obj.shadow as usize].clone());
        self.saved.push(Saved { id, obj, at, shadow });
        self.objects[id.index()].saved = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reset_restores_snapshot_objects_and_forgets_new_ones() {
        let mut heap = Heap::new(1 << 20);
        let old = heap.alloc(ClassId(0), 16, 0).unwrap();
        heap.write_u32(old, 4, 7);
        heap.freeze();
        heap.write_u32(old, 4, 8);
        heap.write_u32(old, 8, 9);
        heap.shadow_mut(old).len = TermId(3);
        let new = heap.alloc(ClassId(1), 8, 2).unwrap();
        heap.write_u64(new, 0, 1);
        heap.reset();
        assert_eq!((heap.read_u32(old, 4), heap.read_u32(old, 8)), (7, 0));
        assert!(!heap.has_shadow(old));
        assert!(!heap.contains(new));
        let again = heap.alloc(ClassId(1), 8, 2).unwrap();
        assert_eq!((again, heap.read_u64(again, 0)), (new, 0));
    }

    #[test]
    fn freezing_twice_keeps_the_first_changes() {
        let mut heap = Heap::new(1 << 20);
        let a = heap.alloc(ClassId(0), 8, 0).unwrap();
        heap.freeze();
        heap.write_u32(a, 0, 1);
        heap.freeze();
        heap.write_u32(a, 0, 2);
        heap.reset();
        assert_eq!(heap.read_u32(a, 0), 1);
    }

    #[test]
    fn allocation_beyond_the_limit_fails() {
        let mut heap = Heap::new(32);
        assert!(heap.alloc(ClassId(0), 24, 0).is_ok());
        assert_eq!(heap.alloc(ClassId(0), 16, 0), Err(OutOfMemory));
    }
}
