//! The state of a run at a decision, as one number: what lies ahead depends on nothing else, but for the inputs.
//!
//! Two decisions with the same digest go on alike for the same inputs. What registers hold counts only where something
//! later depends on it ([`Relevant`]); of symbolic values the term counts, of others the value; of the heap what this run
//! made or changed. Names stand for functions and classes: machines number what they found since the snapshot differently.
//! Where a run has state elsewhere (threads, natives, doubles) there is no digest.

use std::sync::Arc;

use ir::op::Effect;
use ir::{ClassId, FuncId, Op, Relevant};
use rustc_hash::FxHashMap;
use term::{Pool, TermId};

use crate::frame::Ret;
use crate::heap::{Heap, ObjId};
use crate::lang::{Holds, Lang};
use crate::machine::Vm;

/// With more of the heap made or changed, a digest costs too much.
const MAX_BYTES: usize = 1 << 15;

/// What digests need to know of code, found out once a machine.
#[derive(Default)]
pub(crate) struct Keys {
    funcs: FxHashMap<FuncId, u128>,
    classes: FxHashMap<ClassId, (u128, Holds)>,
    relevant: FxHashMap<(FuncId, bool), Arc<Relevant>>,
}

/// Collects what is hashed.
#[derive(Default)]
struct Sum(Vec<u128>);

impl Sum {
    fn add(&mut self, value: impl Into<u128>) {
        self.0.push(value.into());
    }

    fn term(&mut self, pool: &Pool, term: TermId) {
        self.0.push(if term.is_some() { pool.hash128(term) } else { 0 });
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(16) {
            let mut block = [0; 16];
            block[..chunk.len()].copy_from_slice(chunk);
            self.0.push(u128::from_le_bytes(block));
        }
    }
}

impl<L: Lang> Vm<L> {
    /// The digest of where the run is; 0 if there is none.
    pub(crate) fn digest(&mut self) -> u128 {
        let mut keys = std::mem::take(&mut self.digest_keys);
        let digest = self.digest_with(&mut keys).unwrap_or(0);
        self.digest_keys = keys;
        digest
    }

    fn digest_with(&self, keys: &mut Keys) -> Option<u128> {
        if self.making_inputs || self.has_fibers() {
            return None;
        }
        let mut sum = Sum::default();
        sum.add(self.lang.aside()?);
        sum.add(u8::from(self.by_value));
        self.choices.digest(&self.pool, &|class| self.lang.class_key(class), &mut |value| sum.add(value));
        self.sum_frames(keys, &mut sum)?;
        self.sum_heap(keys, &mut sum)?;
        Some(term::hash_sequence(sum.0).max(1))
    }

    fn sum_frames(&self, keys: &mut Keys, sum: &mut Sum) -> Option<()> {
        let last = self.frames.len().checked_sub(1)?;
        for (depth, frame) in self.frames.iter().enumerate() {
            let inst = frame.function.code.get(frame.pc as usize)?;
            let decides = matches!(inst.op, Op::Br | Op::Switch) || inst.op.effect() == Effect::Guard;
            // A native in the middle of its work has state of its own.
            if depth == last && (!decides || inst.op == Op::GuardInit) {
                return None;
            }
            match &frame.ret {
                Ret::Into(reg) => sum.add(reg.0),
                Ret::Throw => sum.add(u128::MAX),
                Ret::Done => sum.add(u128::MAX - 1),
                Ret::Then(_) => return None,
            }
            let name = || term::hash_text(&self.lang.function_name(frame.func));
            sum.add(*keys.funcs.entry(frame.func).or_insert_with(name));
            sum.add(frame.pc);
            sum.add(frame.caught.0);
            let result = !matches!(frame.ret, Ret::Done) || self.lang.result_decides(frame.func);
            let relevant = keys.relevant.entry((frame.func, result));
            let relevant = relevant.or_insert_with(|| Arc::new(Relevant::new(&frame.function, result)));
            let regs = match depth == last {
                true => relevant.at(&frame.function, frame.pc),
                false => relevant.behind(&frame.function, frame.pc),
            };
            for reg in regs {
                let at = (frame.base + reg.0) as usize;
                let term = if frame.symbolic { self.terms.get(at).copied() } else { None };
                match term.filter(|term| term.is_some()) {
                    Some(term) => sum.term(&self.pool, term),
                    None => sum.add(u128::from(*self.vals.get(at)?) | 1 << 100),
                }
            }
        }
        Some(())
    }

    fn sum_heap(&self, keys: &mut Keys, sum: &mut Sum) -> Option<()> {
        if self.heap.touched_bytes() > MAX_BYTES {
            return None;
        }
        for id in self.heap.touched() {
            sum.add(id.0);
            let class = self.heap.class(id);
            let mut key = |class: ClassId| {
                let known = || (self.lang.class_key(class), self.lang.holds(class));
                *keys.classes.entry(class).or_insert_with(known)
            };
            let (name, holds) = key(class);
            sum.add(name);
            sum.add(self.heap.len(id));
            let number = match holds {
                Holds::Nothing => None,
                Holds::Class(offset) => {
                    sum.add(key(ClassId(self.heap.read_u32(id, offset))).0);
                    Some(offset)
                }
                Holds::Others => return None,
            };
            self.sum_object(id, number, sum)?;
        }
        Some(())
    }

    /// The contents of an object, without a number that is no part of them.
    fn sum_object(&self, id: ObjId, number: Option<u32>, sum: &mut Sum) -> Option<()> {
        let heap: &Heap = &self.heap;
        let mut bytes = heap.bytes(id).to_vec();
        let blank = |bytes: &mut [u8], at: u32, size: usize| {
            bytes.iter_mut().skip(at as usize).take(size).for_each(|byte| *byte = 0);
        };
        if let Some(at) = number {
            blank(&mut bytes, at, 4);
        }
        let Some(shadow) = heap.shadow(id) else {
            sum.bytes(&bytes);
            return Some(());
        };
        sum.term(&self.pool, shadow.len);
        let mut cells: Vec<_> = shadow.cells.iter().collect();
        cells.sort_unstable_by_key(|(at, _)| **at);
        // What is untouched in an input is the input's, and not what it is in this run.
        let mut own = vec![0; bytes.len()];
        for (&at, cell) in cells {
            sum.add(u128::from(at) | u128::from(cell.size) << 32);
            sum.term(&self.pool, cell.term);
            let range = at as usize..(at as usize + cell.size as usize).min(bytes.len());
            if cell.term.is_some() {
                blank(&mut bytes, at, cell.size.into());
            } else if let Some(written) = bytes.get(range.clone()) {
                own.get_mut(range)?.copy_from_slice(written);
            }
        }
        match &shadow.origin {
            Some(origin) => {
                sum.term(&self.pool, self.inputs.get(origin.input).len);
                sum.add(term::hash_text(&format!("{:?}{:?}", origin.view, origin.maps)));
                sum.bytes(&own);
            }
            None => sum.bytes(&bytes),
        }
        Some(())
    }
}
