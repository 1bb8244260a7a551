//! The shape of what an object holds: states that differ in it are worth going on from.

use std::collections::BTreeMap;
use std::hash::Hasher;

use ir::MemType;
use rustc_hash::FxHasher;
use vm::{ObjId, Vm};

use crate::link::ClassOrigin;
use crate::world::Jvm;

/// So many objects are looked at.
const MAX_OBJECTS: usize = 200;
/// So many elements of an array.
const MAX_ELEMS: u32 = 32;

/// A number for the shape of an object and of what hangs on it: which objects there are, how they hold each other, truth
/// values and small numbers; large numbers and texts do not matter.
pub fn shape(vm: &Vm<Jvm>, object: ObjId) -> u64 {
    let mut hasher = FxHasher::default();
    let mut known: BTreeMap<ObjId, u32> = BTreeMap::from([(object, 0)]);
    let mut open = std::collections::VecDeque::from([object]);
    while let Some(object) = open.pop_front() {
        let class = vm.heap.class(object);
        hasher.write_u32(class.0);
        let mut look = |at: u32, ty: MemType| {
            if ty != MemType::Ref {
                return hasher.write_u64(small(vm.load_bits(object, at, ty), ty));
            }
            let held = vm.heap.read_ref(object, at);
            // Constants are what they are.
            if held.is_null() || !vm.heap.is_fresh(held) {
                return hasher.write_u32(held.0);
            }
            let next = known.len() as u32;
            let number = *known.entry(held).or_insert(next);
            hasher.write_u32(u32::MAX - number);
            if number == next && known.len() <= MAX_OBJECTS {
                open.push_back(held);
            }
        };
        if vm.lang.classes[class].is_array() {
            let cell = <Jvm as vm::Lang>::class_info(&vm.lang, class).elem.unwrap_or(MemType::Ref);
            let len = vm.heap.len(object);
            if is_buckets(vm, class) {
                // Where in a table an entry lies says its hash, which says nothing of the shape.
                let filled = (0..len).filter(|i| !vm.heap.read_ref(object, i * cell.size()).is_null());
                filled.take(MAX_ELEMS as usize).for_each(|i| look(i * cell.size(), cell));
                continue;
            }
            (0..len.min(MAX_ELEMS)).for_each(|i| look(i * cell.size(), cell));
            hasher.write_u32(len.min(MAX_ELEMS));
            continue;
        }
        if matches!(&*vm.lang.classes[class].name, "java/lang/String") {
            continue;
        }
        for owner in &vm.lang.classes[class].ancestors {
            // Hashes, and counts of changes, are another for every way that leads to the same.
            let library = vm.lang.classes[*owner].origin == ClassOrigin::Library;
            let counts = |name: &str| !library || !matches!(name, "hash" | "modCount" | "threshold");
            let fields = vm.lang.classes[*owner].fields.iter();
            for field in fields.filter(|field| !field.is_static() && counts(&field.name)) {
                look(field.offset, field.ty);
            }
        }
    }
    hasher.finish()
}

/// Whether an array holds the entries of one of the library's hash tables.
fn is_buckets(vm: &Vm<Jvm>, class: ir::ClassId) -> bool {
    let name = vm.lang.classes[class].name.strip_prefix("[Ljava/util/");
    name.is_some_and(|name| name.ends_with("$Node;") || name.ends_with("$Entry;"))
}

/// Small numbers as they are, others by their sign.
fn small(bits: u64, ty: MemType) -> u64 {
    let value = match ty {
        MemType::F32 | MemType::F64 => return u64::from(bits != 0),
        MemType::I64 => bits as i64,
        _ => i64::from(bits as u32 as i32),
    };
    value.clamp(-2, 4) as u64
}
