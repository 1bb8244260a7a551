//! Proofs that a way through a function cannot be taken, from its code alone.
//!
//! The blocks of the way are evaluated on terms. Where it begins, every register may hold anything, and so may memory; what
//! the way itself reads and writes there is known until a call or code beside the way may have written it. What calls and library
//! code give may be anything. So the conditions on the way hold of more than can happen, and if
//! they cannot hold together, nothing takes it: whatever the inputs, whatever came before. Callees whose code is known and
//! has no loop are evaluated too, into one term for what they return.

use ir::op::Effect;
use ir::{BlockId, Cfg, ClassId, Dominators, Edges, FuncId, Function, Inst, Loops, MemType, Op, Reg};
use solver::{Answer, Chain, Config, Limits, Query};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use term::{Pool, Sort, TermId};
use vm::ops::{binary_of, unary_of};
use vm::sort_of;

/// A block of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    pub block: BlockId,
    /// The successors of its branch it may leave by, by position; empty if that is not known.
    pub leaves: Vec<u32>,
    /// Registers that may have got any value since the leg before.
    pub forget: Vec<Reg>,
    /// Other code may have run since the leg before: memory may hold anything.
    pub detour: bool,
    /// The guard that fails there: the way ends with it.
    pub raises: Option<u32>,
    /// The way ends in front of this instruction.
    pub until: Option<u32>,
    /// The note there holds: the way ends with it.
    pub notes: Option<u32>,
}

/// A branch that must go one of some ways: its code index, and the positions of its successors.
pub type Fact = (u32, Vec<u32>);

/// What one question may cost here: proofs that need more are left to exploration.
const LIMITS: Limits = Limits { quick: 200, rlimit: 300_000, circuits: 3_000_000 };

/// What is known of functions that are called, and of classes.
#[derive(Clone, Debug, Default)]
pub struct Callees {
    /// Those whose code may be looked at.
    pub code: BTreeMap<FuncId, Arc<Function>>,
    /// Those that give the same of the same object whenever they are called, and nothing else: what is in a box, how long a
    /// text is (where that is what they ask for).
    pub steady: BTreeMap<FuncId, Option<Asks>>,
    /// Classes of which no object is both.
    pub apart: BTreeSet<(ClassId, ClassId)>,
    /// What the types of values say, by the function whose code they are in.
    pub typed: BTreeMap<FuncId, Typed>,
    /// Those that read what other threads may change between (volatile fields): of memory nothing is known there.
    pub shared: BTreeSet<FuncId>,
}

/// What types say of the values in a function.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// Numbers between these, by the code index of what gives them.
    pub numbers: BTreeMap<u32, (i64, i64)>,
    /// Parameters that nothing writes, and what their types allow: a truth value is 0 or 1.
    pub ranges: BTreeMap<Reg, (i64, i64)>,
    /// Objects, by the code index of what gives them.
    pub objects: BTreeMap<u32, OfType>,
    /// Objects that parameters hold which nothing writes.
    pub params: BTreeMap<Reg, OfType>,
}

/// What is known of the class of an object, if it is one.
#[derive(Clone, Debug, Default)]
pub struct OfType {
    /// It is of these classes.
    pub is: Vec<ClassId>,
    /// And never null.
    pub present: bool,
}

/// Calls within calls that are looked into.
const MOST_CALLS: u32 = 2;
/// So many blocks of a callee are evaluated, each once for every way that leads to it.
const MOST_BLOCKS: u32 = 160;

/// What is known of a function's parameters that nothing writes, and of what its calls give.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Numbers: at least and at most.
    pub numbers: BTreeMap<Reg, (i64, i64)>,
    /// References that are not null.
    pub present: BTreeSet<Reg>,
    /// References that are never the same object, each pair both ways round.
    pub apart: BTreeSet<(Reg, Reg)>,
    /// How many characters or elements there are: at least and at most.
    pub sizes: BTreeMap<Reg, (u32, u32)>,
    /// Calls that ask for that, by code index.
    pub asks: BTreeMap<u32, Asks>,
    /// Calls that give numbers between these.
    pub results: BTreeMap<u32, (i64, i64)>,
    /// Calls that never give null.
    pub no_null: BTreeSet<u32>,
    /// Functions that return true of the parameters: of each of theirs the register that holds it, if nothing writes that.
    pub valid: Vec<(Arc<Function>, Vec<Option<Reg>>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Size,
    IsEmpty,
}

impl Given {
    pub fn is_empty(&self) -> bool {
        let parameters = self.numbers.is_empty() && self.present.is_empty() && self.sizes.is_empty();
        let pairs = self.apart.is_empty() && self.valid.is_empty();
        parameters && pairs && self.results.is_empty() && self.no_null.is_empty()
    }
}

/// What numbers the sizes of objects among what never changes.
const SIZE: u32 = u32::MAX - 1;
/// What numbers the functions there, apart from classes.
const STEADY: u32 = 1 << 31;
/// What numbers the objects that hold static fields.
const STATICS: u32 = 1 << 30;

/// A place in memory, as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Of an object, at an offset.
    Field(TermId, u32, MemType),
    /// Of an array, at an index.
    Element(TermId, TermId, MemType),
}

/// Why a way cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// What branches on the way say that cannot hold together, in its order. Few of them: none can be left out as far as the solver can
    /// tell.
    pub facts: Vec<Fact>,
    /// That objects are of their declared types, or that calls do not give null, is part of it.
    pub by_types: bool,
}

/// Why a way cannot be taken; none if it can, or if it is not known.
pub fn refute(
    (id, func): (FuncId, &Function),
    way: &[Leg],
    callees: &Callees,
    given: &Given,
    seed: u64,
) -> Option<Refuted> {
    let mut walk = Walk {
        func,
        callees,
        given,
        typed: callees.typed.get(&id),
        calls: 0,
        pool: Pool::new(),
        regs: BTreeMap::new(),
        known: Vec::new(),
        memo: BTreeMap::new(),
        memory: BTreeMap::new(),
        blind: callees.shared.contains(&id),
        by_types: BTreeSet::new(),
        fresh: 0,
    };
    for (valid, params) in &given.valid {
        walk.assume(valid, params);
    }
    walk.memory.clear();
    for leg in way {
        leg.forget.iter().for_each(|reg| {
            walk.regs.remove(reg);
        });
        if leg.detour {
            walk.memory.clear();
        }
        walk.block(leg);
    }
    let Walk { mut pool, mut known, by_types, .. } = walk;
    let mut chain = Chain::new(Config { seed, ..Config::default() });
    let core = unsat(&mut chain, &mut pool, &known)?;
    known = core.into_iter().filter_map(|i| known.get(i).cloned()).collect();
    let mut i = 0;
    while i < known.len() {
        let mut fewer = known.clone();
        fewer.remove(i);
        match unsat(&mut chain, &mut pool, &fewer) {
            Some(_) => known = fewer,
            None => i += 1,
        }
    }
    let by_types = known.iter().any(|(term, fact)| fact.is_none() && by_types.contains(term));
    Some(Refuted { facts: known.into_iter().filter_map(|(_, fact)| fact).collect(), by_types })
}

/// The core, if the conditions cannot hold together.
fn unsat(chain: &mut Chain, pool: &mut Pool, known: &[(TermId, Option<Fact>)]) -> Option<Vec<usize>> {
    let assertions: Vec<TermId> = known.iter().map(|(term, _)| *term).collect();
    match chain.ask(pool, &Query::new(&assertions).with_limits(LIMITS)) {
        Answer::Unsat(core) => Some(core),
        Answer::Sat(_) | Answer::Unknown(_) => None,
    }
}

struct Walk<'f> {
    func: &'f Function,
    callees: &'f Callees,
    given: &'f Given,
    /// What types say, where the function itself is evaluated.
    typed: Option<&'f Typed>,
    /// Calls that are being looked into.
    calls: u32,
    pool: Pool,
    regs: BTreeMap<Reg, TermId>,
    /// What holds on the way, and the branch that says so.
    known: Vec<(TermId, Option<Fact>)>,
    /// What never changes: lengths of arrays, classes of objects.
    memo: BTreeMap<(u32, TermId), TermId>,
    /// What memory holds where the way has read or written it, and nothing may have written since.
    memory: BTreeMap<Place, TermId>,
    /// Nothing that is read is known.
    blind: bool,
    /// What types say of objects, among what holds.
    by_types: BTreeSet<TermId>,
    fresh: u32,
}

impl<'f> Walk<'f> {
    fn block(&mut self, leg: &Leg) {
        let range = self.func.blocks[leg.block];
        for index in range.start..leg.until.unwrap_or(range.end).min(range.end) {
            let inst = self.func.code[index as usize];
            match inst.op {
                Op::Note if leg.notes == Some(index) => {
                    let term = self.get(Reg(inst.a));
                    self.known.push((term, None));
                    return;
                }
                Op::Br => self.branch(index, Reg(inst.a), &leg.leaves),
                Op::Switch => self.switch(index, &inst, &leg.leaves),
                op if op.effect() == Effect::Guard => {
                    let passes = self.passes(&inst);
                    if leg.raises == Some(index) {
                        // Of a guard that is not known nothing is.
                        self.known.extend(passes.map(|term| (self.pool.not(term), None)));
                        return;
                    }
                    self.known.extend(passes.map(|term| (term, None)));
                }
                op => {
                    if op.effect() == Effect::Write {
                        self.write(&inst);
                    }
                    if !inst.dst.is_none() {
                        let term = self.given_by(index, &inst).unwrap_or_else(|| self.value(&inst));
                        self.regs.insert(inst.dst, term);
                    }
                    if op.effect() == Effect::Call && !self.leaves_memory(&inst) {
                        self.memory.clear();
                    }
                }
            }
        }
    }

    /// Whether a call changes nothing in memory.
    fn leaves_memory(&self, inst: &Inst) -> bool {
        let callee = FuncId(inst.a);
        let reads = || self.callees.code.get(&callee).is_some_and(|code| only_reads(code));
        let steady = self.callees.steady.contains_key(&callee);
        inst.op == Op::Call && (steady || reads() && !self.callees.shared.contains(&callee))
    }

    /// What an instruction changes in memory.
    fn write(&mut self, inst: &Inst) {
        if let Some(ty) = MEM_TYPES.into_iter().find(|ty| inst.op == Op::store(*ty)) {
            let (object, value) = (self.get(Reg(inst.a)), self.get(Reg(inst.c)));
            let (at, size) = (inst.b, ty.size());
            // The same offset of any other object may be the same place.
            self.memory.retain(|place, _| match place {
                Place::Field(_, other, ty) => *other >= at + size || at >= *other + ty.size(),
                Place::Element(..) => true,
            });
            for (ty, value) in self.read_back(ty, value) {
                self.memory.insert(Place::Field(object, at, ty), value);
            }
        } else if let Some(ty) = MEM_TYPES.into_iter().find(|ty| inst.op == Op::astore(*ty)) {
            let (array, index) = (self.get(Reg(inst.a)), self.get(Reg(inst.b)));
            let value = self.get(Reg(inst.c));
            // Any other array of such elements may be the same.
            self.memory.retain(|place, _| match place {
                Place::Element(_, _, other) => other.size() != ty.size(),
                Place::Field(..) => true,
            });
            for (ty, value) in self.read_back(ty, value) {
                self.memory.insert(Place::Element(array, index, ty), value);
            }
        } else if !matches!(inst.op, Op::New | Op::NewArray) {
            // Behind the entry of a monitor other threads may have written.
            self.memory.clear();
        }
    }

    /// What reading a place gives that a value was written to.
    fn read_back(&mut self, ty: MemType, value: TermId) -> Vec<(MemType, TermId)> {
        let narrow: &[(MemType, Op)] = match ty {
            MemType::I8 | MemType::U8 => &[(MemType::I8, Op::I32ToI8), (MemType::U8, Op::I32ToU8)],
            MemType::I16 | MemType::U16 => &[(MemType::I16, Op::I32ToI16), (MemType::U16, Op::I32ToU16)],
            _ => return vec![(ty, value)],
        };
        let pool = &mut self.pool;
        narrow.iter().filter_map(|(ty, op)| Some((*ty, unary_of(pool, *op, value)?))).collect()
    }

    /// What reading a place gives.
    fn read(&mut self, place: Place, dst: Reg) -> TermId {
        if let Some(term) = self.memory.get(&place).filter(|_| !self.blind) {
            return *term;
        }
        let term = self.anything(dst);
        let (Place::Field(_, _, ty) | Place::Element(_, _, ty)) = place;
        match ty {
            MemType::I8 => self.between(term, i8::MIN.into(), i8::MAX.into()),
            MemType::U8 => self.between(term, 0, u8::MAX.into()),
            MemType::I16 => self.between(term, i16::MIN.into(), i16::MAX.into()),
            MemType::U16 => self.between(term, 0, u16::MAX.into()),
            _ => {}
        }
        self.memory.insert(place, term);
        term
    }

    /// What a function says that is known to return true of the parameters. Those that something writes may be anything by then.
    fn assume(&mut self, valid: &'f Function, params: &[Option<Reg>]) {
        let mut args: Vec<TermId> = Vec::new();
        for (own, reg) in (0..valid.params).map(Reg).zip(params) {
            self.fresh += 1;
            args.push(match reg {
                Some(reg) => self.parameter(*reg),
                None => self.pool.declare(&format!("{own}.{}", self.fresh), sort_of(valid.regs[own].ty)),
            });
        }
        if let Some(told) = self.evaluated(valid, args, Reg(0)) {
            let no = self.pool.constant(self.pool.sort(told), 0);
            let yes = self.pool.ne(told, no);
            self.known.push((yes, None));
        }
    }

    /// What holds of a value by its type.
    fn is_typed(&mut self, term: TermId, of: &OfType) {
        let null = self.pool.constant(self.pool.sort(term), 0);
        let is_null = self.pool.eq(term, null);
        for class in &of.is {
            let is = self.is_of(*class, term);
            let holds = self.pool.or(is_null, is);
            self.by_types.insert(holds);
            self.known.push((holds, None));
        }
        if of.present {
            let there = self.pool.not(is_null);
            self.by_types.insert(there);
            self.known.push((there, None));
        }
    }

    /// What a call gives of which something is known, by what the user says and by its type.
    fn given_by(&mut self, index: u32, inst: &Inst) -> Option<TermId> {
        let told = self.told_of(index, inst);
        let Some(typed) = self.typed else { return told };
        let (number, object) = (typed.numbers.get(&index), typed.objects.get(&index));
        if number.is_none() && object.is_none() {
            return told;
        }
        let term = told.unwrap_or_else(|| self.value(inst));
        if let Some((least, most)) = number {
            self.between(term, *least, *most);
        }
        if let Some(of) = object {
            self.is_typed(term, of);
        }
        Some(term)
    }

    /// What a call gives of which the user says something.
    fn told_of(&mut self, index: u32, inst: &Inst) -> Option<TermId> {
        if let Some((least, most)) = self.given.results.get(&index) {
            let term = self.anything(inst.dst);
            self.between(term, *least, *most);
            return Some(term);
        }
        if self.given.no_null.contains(&index) {
            let term = self.anything(inst.dst);
            let null = self.pool.constant(self.pool.sort(term), 0);
            let is = self.pool.ne(term, null);
            self.known.push((is, None));
            return Some(term);
        }
        let asks = *self.given.asks.get(&index)?;
        let receiver = *self.func.list(inst.b).first()?;
        let object = self.get(receiver);
        let sizes = self.given.sizes.iter().map(|(reg, bounds)| (*reg, *bounds)).collect::<Vec<_>>();
        let (_, (least, most)) = sizes.into_iter().find(|(reg, _)| self.parameter(*reg) == object)?;
        let size = self.unchanging(SIZE, object, Sort::Bv(32));
        self.between(size, least.into(), most.into());
        self.asked(size, asks, sort_of(self.func.regs[inst.dst].ty))
    }

    /// What asking for a size gives.
    fn asked(&mut self, size: TermId, asks: Asks, sort: Sort) -> Option<TermId> {
        let zero = self.pool.bv(32, 0);
        let is_empty = self.pool.eq(size, zero);
        Some(match (asks, sort) {
            (Asks::Size, Sort::Bv(32)) => size,
            (Asks::IsEmpty, Sort::Bool) => is_empty,
            (Asks::IsEmpty, Sort::Bv(32)) => {
                let one = self.pool.bv(32, 1);
                self.pool.ite(is_empty, one, zero)
            }
            _ => return None,
        })
    }

    fn between(&mut self, term: TermId, least: i64, most: i64) {
        let Sort::Bv(width @ (32 | 64)) = self.pool.sort(term) else { return };
        let (low, high) = match width {
            32 => (least.max(i32::MIN.into()), most.min(i32::MAX.into())),
            _ => (least, most),
        };
        let mask = if width == 32 { u64::from(u32::MAX) } else { u64::MAX };
        let (low, high) = (self.pool.bv(width, low as u64 & mask), self.pool.bv(width, high as u64 & mask));
        let (above, below) = (self.pool.sle(low, term), self.pool.sle(term, high));
        self.known.extend([(above, None), (below, None)]);
    }

    /// A parameter of the function itself that nothing writes: one value, wherever it is read.
    fn parameter(&mut self, reg: Reg) -> TermId {
        self.pool.declare(&format!("given.{reg}"), sort_of(self.func.regs[reg].ty))
    }

    /// What holds where a guard passes.
    fn passes(&mut self, inst: &Inst) -> Option<TermId> {
        let (a, b) = (Reg(inst.a), Reg(inst.b));
        Some(match inst.op {
            Op::GuardNonNull | Op::GuardNonZeroI32 | Op::GuardNonZeroI64 => {
                let x = self.get(a);
                let zero = self.pool.constant(self.pool.sort(x), 0);
                self.pool.ne(x, zero)
            }
            Op::GuardNonNegative => {
                let x = self.get(a);
                let zero = self.pool.bv(32, 0);
                self.pool.sle(zero, x)
            }
            Op::GuardBounds => {
                let (array, index) = (self.get(a), self.get(b));
                let length = self.length(array);
                self.pool.ult(index, length)
            }
            Op::GuardCast => {
                let object = self.get(a);
                let null = self.pool.constant(self.pool.sort(object), 0);
                let is_null = self.pool.eq(object, null);
                let fits = self.is_of(ClassId(inst.b), object);
                self.pool.or(is_null, fits)
            }
            // The check is the first operand.
            Op::Guard => self.get(b),
            _ => return None,
        })
    }

    /// The length of an array, which is none below zero.
    fn length(&mut self, array: TermId) -> TermId {
        let length = self.unchanging(u32::MAX, array, Sort::Bv(32));
        let zero = self.pool.bv(32, 0);
        let sane = self.pool.sle(zero, length);
        self.known.push((sane, None));
        length
    }

    fn branch(&mut self, index: u32, condition: Reg, leaves: &[u32]) {
        if let [position] = leaves {
            let term = self.get(condition);
            let term = if *position == 0 { term } else { self.pool.not(term) };
            self.known.push((term, Some((index, leaves.to_vec()))));
        }
    }

    fn switch(&mut self, index: u32, inst: &Inst, leaves: &[u32]) {
        let Some(table) = self.func.tables.get(inst.b as usize).filter(|_| !leaves.is_empty()) else {
            return;
        };
        let value = self.get(Reg(inst.a));
        let is: Vec<TermId> = table
            .cases
            .iter()
            .map(|(case, _)| {
                let case = self.pool.bv(32, *case as u32 as u64);
                self.pool.eq(value, case)
            })
            .collect();
        let mut ways = Vec::new();
        for position in leaves {
            ways.push(match is.get(*position as usize) {
                Some(is) => *is,
                None => {
                    let some = self.pool.any(&is);
                    self.pool.not(some)
                }
            });
        }
        let term = self.pool.any(&ways);
        self.known.push((term, Some((index, leaves.to_vec()))));
    }

    fn get(&mut self, reg: Reg) -> TermId {
        match self.regs.get(&reg) {
            Some(term) => *term,
            None => {
                let term = self.first(reg);
                self.regs.insert(reg, term);
                term
            }
        }
    }

    /// What a register holds that nothing on the way has written.
    fn first(&mut self, reg: Reg) -> TermId {
        let given = self.given;
        let range = self.typed.and_then(|typed| typed.ranges.get(&reg)).filter(|_| self.calls == 0);
        let bounds = given.numbers.get(&reg);
        let present = given.present.contains(&reg);
        let apart: Vec<Reg> = given.apart.iter().filter(|(a, _)| *a == reg).map(|(_, b)| *b).collect();
        let valid = given.valid.iter().any(|(_, params)| params.contains(&Some(reg)));
        let numbers = bounds.is_some() || given.sizes.contains_key(&reg);
        let typed = self.typed.and_then(|typed| typed.params.get(&reg));
        let about = present || valid || numbers || typed.is_some() || range.is_some() || !apart.is_empty();
        if self.calls > 0 || !about {
            return self.anything(reg);
        }
        let term = self.parameter(reg);
        if let Some((least, most)) = range {
            self.between(term, *least, *most);
        }
        if let Some(of) = typed {
            self.is_typed(term, of);
        }
        for other in apart {
            let other = self.parameter(other);
            let null = self.pool.constant(self.pool.sort(term), 0);
            let (differ, nobody) = (self.pool.ne(term, other), self.pool.eq(term, null));
            let holds = self.pool.or(differ, nobody);
            self.known.push((holds, None));
        }
        if let Some((least, most)) = bounds {
            self.between(term, *least, *most);
        }
        if present {
            let null = self.pool.constant(self.pool.sort(term), 0);
            let is = self.pool.ne(term, null);
            self.known.push((is, None));
        }
        term
    }

    fn anything(&mut self, reg: Reg) -> TermId {
        self.fresh += 1;
        self.pool.declare(&format!("{reg}.{}", self.fresh), sort_of(self.func.regs[reg].ty))
    }

    fn value(&mut self, inst: &Inst) -> TermId {
        let bits = u64::from(inst.a) | u64::from(inst.b) << 32;
        match inst.op {
            Op::ConstI1 => self.pool.bool(inst.a != 0),
            Op::ConstI32 => self.pool.bv(32, inst.a.into()),
            Op::ConstI64 => self.pool.bv(64, bits),
            Op::ConstF32 => self.pool.f32(inst.a),
            Op::ConstF64 => self.pool.f64(bits),
            Op::Null => self.pool.bv(32, 0),
            Op::Copy => self.get(Reg(inst.a)),
            Op::Select => {
                let (c, x, y) = (self.get(Reg(inst.a)), self.get(Reg(inst.b)), self.get(Reg(inst.c)));
                self.pool.ite(c, x, y)
            }
            Op::ArrayLen => {
                let array = self.get(Reg(inst.a));
                self.length(array)
            }
            Op::New | Op::NewArray => {
                let made = self.anything(inst.dst);
                let null = self.pool.constant(self.pool.sort(made), 0);
                let there = self.pool.ne(made, null);
                self.known.push((there, None));
                if inst.op == Op::NewArray {
                    let length = self.get(Reg(inst.b));
                    self.memo.insert((u32::MAX, made), length);
                }
                made
            }
            Op::Statics => {
                let nobody = self.pool.bv(32, 0);
                self.unchanging(STATICS ^ inst.a, nobody, Sort::Bv(32))
            }
            op if let Some(ty) = MEM_TYPES.into_iter().find(|ty| op == Op::load(*ty)) => {
                let object = self.get(Reg(inst.a));
                self.read(Place::Field(object, inst.b, ty), inst.dst)
            }
            op if let Some(ty) = MEM_TYPES.into_iter().find(|ty| op == Op::aload(*ty)) => {
                let (array, index) = (self.get(Reg(inst.a)), self.get(Reg(inst.b)));
                self.read(Place::Element(array, index, ty), inst.dst)
            }
            Op::InstanceOf => {
                let object = self.get(Reg(inst.a));
                self.is_of(ClassId(inst.b), object)
            }
            Op::Call => self.call(inst).unwrap_or_else(|| self.anything(inst.dst)),
            // Terms know one NaN only: its bits may be any of many.
            Op::F32Bits | Op::F64Bits | Op::BitsF32 | Op::BitsF64 => self.anything(inst.dst),
            op if op.effect() == Effect::Pure => {
                let operands = op.operands().len();
                let x = self.get(Reg(inst.a));
                let found = match operands {
                    1 => unary_of(&mut self.pool, op, x),
                    2 => {
                        let y = self.get(Reg(inst.b));
                        binary_of(&mut self.pool, op, x, y)
                    }
                    _ => None,
                };
                found.unwrap_or_else(|| self.anything(inst.dst))
            }
            _ => self.anything(inst.dst),
        }
    }

    /// What a call returns, as one term over its arguments: that of each way through the callee, chosen by the conditions on
    /// it. None where the callee is not known, goes round a loop, catches something or has too many ways.
    fn call(&mut self, inst: &Inst) -> Option<TermId> {
        let callees: &'f Callees = self.callees;
        if let Some(asks) = callees.steady.get(&FuncId(inst.a)) {
            return self.steady(inst, *asks);
        }
        let callee: &'f Function = callees.code.get(&FuncId(inst.a))?;
        let args: Vec<Reg> = self.func.list(inst.b).to_vec();
        let terms = args.iter().map(|reg| self.get(*reg)).collect();
        let blind = self.blind;
        self.blind |= callees.shared.contains(&FuncId(inst.a));
        let given = self.evaluated(callee, terms, inst.dst);
        self.blind = blind;
        given
    }

    /// The same of a function and its arguments.
    fn evaluated(&mut self, callee: &'f Function, args: Vec<TermId>, to: Reg) -> Option<TermId> {
        if self.calls >= MOST_CALLS || args.len() != callee.params as usize || callee.ret.is_none() {
            return None;
        }
        // What a handler returns depends on what raised.
        if callee.blocks.values().any(|block| block.unwind.is_some()) {
            return None;
        }
        let cfg = Cfg::new(callee);
        if !Loops::new(&cfg, &Dominators::new(&cfg, Edges::Normal), Edges::Normal).is_empty() {
            return None;
        }
        let params = (0..callee.params).map(Reg).zip(args).collect();
        let outer = (std::mem::replace(&mut self.func, callee), std::mem::replace(&mut self.regs, params));
        // Where it writes or calls others, what it reads is not followed.
        let blind = self.blind;
        self.blind |= !only_reads(callee);
        self.calls += 1;
        let mut blocks = 0;
        let found = self.returned(BlockId(0), to, &mut blocks);
        self.calls -= 1;
        self.blind = blind;
        (self.func, self.regs) = outer;
        found
    }

    /// What a call gives of its object whenever it is made.
    fn steady(&mut self, inst: &Inst, asks: Option<Asks>) -> Option<TermId> {
        let object = self.get(*self.func.list(inst.b).first()?);
        let sort = sort_of(self.func.regs[inst.dst].ty);
        let Some(asks) = asks else { return Some(self.unchanging(STEADY ^ inst.a, object, sort)) };
        let size = self.unchanging(SIZE, object, Sort::Bv(32));
        self.between(size, 0, i32::MAX.into());
        self.asked(size, asks, sort)
    }

    /// What the function returns from a block on; anything where it raises, as nothing goes on behind the call then.
    fn returned(&mut self, block: BlockId, to: Reg, blocks: &mut u32) -> Option<TermId> {
        *blocks += 1;
        let range = self.func.blocks[block];
        if *blocks > MOST_BLOCKS {
            return None;
        }
        for index in range.start..range.end {
            let inst = self.func.code[index as usize];
            match inst.op {
                Op::Jump => return self.returned(BlockId(inst.a), to, blocks),
                Op::Br => {
                    let condition = self.get(Reg(inst.a));
                    if let Some(truth) = self.pool.as_bool(condition) {
                        return self.returned(BlockId(if truth { inst.b } else { inst.c }), to, blocks);
                    }
                    let before = self.regs.clone();
                    let yes = self.returned(BlockId(inst.b), to, blocks)?;
                    self.regs = before;
                    let no = self.returned(BlockId(inst.c), to, blocks)?;
                    return match self.pool.sort(yes) == self.pool.sort(no) {
                        true => Some(self.pool.ite(condition, yes, no)),
                        false => None,
                    };
                }
                Op::RetVal => return Some(self.get(Reg(inst.a))),
                Op::Throw | Op::Trap => {
                    self.fresh += 1;
                    let sort = sort_of(self.func.ret?);
                    return Some(self.pool.declare(&format!("{to}.{}", self.fresh), sort));
                }
                Op::Switch | Op::Ret => return None,
                _ if inst.dst.is_none() => {}
                _ => {
                    let term = self.value(&inst);
                    self.regs.insert(inst.dst, term);
                }
            }
        }
        None
    }

    /// Whether an object is of a class, and thus of none that is apart from it.
    fn is_of(&mut self, class: ClassId, object: TermId) -> TermId {
        let is = self.unchanging(class.0, object, Sort::Bool);
        let callees: &'f Callees = self.callees;
        let apart = callees.apart.iter().filter(|(a, _)| *a == class).map(|(_, b)| b.0);
        let others: Vec<TermId> =
            apart.filter_map(|other| self.memo.get(&(other, object)).copied()).collect();
        for other in others {
            let both = self.pool.and(is, other);
            let never = self.pool.not(both);
            self.known.push((never, None));
        }
        is
    }

    fn unchanging(&mut self, what: u32, of: TermId, sort: Sort) -> TermId {
        if let Some(term) = self.memo.get(&(what, of)) {
            return *term;
        }
        self.fresh += 1;
        let term = self.pool.declare(&format!("of.{}", self.fresh), sort);
        self.memo.insert((what, of), term);
        term
    }
}

const MEM_TYPES: [MemType; 9] = [
    MemType::I8,
    MemType::U8,
    MemType::I16,
    MemType::U16,
    MemType::I32,
    MemType::I64,
    MemType::F32,
    MemType::F64,
    MemType::Ref,
];

/// Whether code changes nothing in memory and calls nobody.
fn only_reads(code: &Function) -> bool {
    code.code.iter().all(|inst| !matches!(inst.op.effect(), Effect::Write | Effect::Call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::text::parse_module;

    /// `@f` asks whether a number is positive by way of `@sign`, and then whether it is below -1.
    const TEXT: &str = "func @f(%0: i32 \"x\") {
b0:
  %1: i32 = call @sign(%0)
  %2 = const.i32 1
  %3 = eq.i32 %1, %2
  br %3, b1, b2 !source 0.0
b1:
  %4 = const.i32 -1
  %5 = slt.i32 %0, %4
  br %5, b2, b2 !source 1.0
b2:
  ret
}

func @sign(%0: i32 \"x\") -> i32 {
b0:
  %1 = const.i32 0
  %2 = slt.i32 %1, %0
  br %2, b1, b2 !source 0.0
b1:
  %3 = const.i32 1
  ret.val %3
b2:
  %4 = slt.i32 %0, %1
  br %4, b3, b4 !source 1.0
b3:
  %5 = const.i32 -1
  ret.val %5
b4:
  ret.val %1
}

func @unsigned(%0: i32 \"x\") -> i32 {
b0:
  %1 = const.i32 0
  %2 = eq.i32 %0, %1
  br %2, b1, b2 !source 0.0
b1:
  %3 = const.i32 1
  ret.val %3
b2:
  ret.val %1
}
";

    #[test]
    fn callees_without_loops_are_known_by_what_they_return() {
        let module = parse_module(TEXT).unwrap().module;
        let f = module.function("f").unwrap();
        let called = f.code.iter().find(|inst| inst.op == Op::Call).unwrap().a;
        let sign = Arc::new(module.function("sign").unwrap().clone());
        let code = BTreeMap::from([(FuncId(called), sign)]);
        let callees = Callees { code, ..Callees::default() };
        let leg = |block: u32, leaves: &[u32]| Leg {
            block: BlockId(block),
            leaves: leaves.to_vec(),
            forget: Vec::new(),
            detour: false,
            raises: None,
            until: None,
            notes: None,
        };
        let nothing = Given::default();
        let positive_and_below = [leg(0, &[0]), leg(1, &[0])];
        let found = refute((FuncId(0), f), &positive_and_below, &callees, &nothing, 0).unwrap();
        assert_eq!((found.facts.len(), found.by_types), (2, false));
        assert_eq!(refute((FuncId(0), f), &positive_and_below, &Callees::default(), &nothing, 0), None);
        assert_eq!(refute((FuncId(0), f), &[leg(0, &[0]), leg(1, &[1])], &callees, &nothing, 0), None);
        // Of numbers below zero, none is positive.
        let negative = Given { numbers: BTreeMap::from([(Reg(0), (-9, -1))]), ..Given::default() };
        assert_eq!(
            refute((FuncId(0), f), &[leg(0, &[0])], &callees, &negative, 0).map(|found| found.facts.len()),
            Some(1)
        );
        assert_eq!(refute((FuncId(0), f), &[leg(0, &[1])], &callees, &negative, 0), None);
        // Nor of numbers that have no sign, by the word of a function.
        let negation = module.function("unsigned").unwrap().clone();
        let valid = vec![(Arc::new(negation), vec![Some(Reg(0))])];
        let unsigned = Given { valid, ..Given::default() };
        assert_eq!(
            refute((FuncId(0), f), &[leg(0, &[0])], &callees, &unsigned, 0).map(|found| found.facts.len()),
            Some(1)
        );
        let written = Given { valid: vec![(unsigned.valid[0].0.clone(), vec![None])], ..Given::default() };
        assert_eq!(refute((FuncId(0), f), &[leg(0, &[0])], &callees, &written, 0), None);
    }
}
