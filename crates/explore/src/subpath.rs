//! Proofs that a way through a function cannot be taken, from its code alone.
//!
//! The blocks of the way are evaluated on terms. Where it begins, every register may hold anything; what memory, calls
//! and library code give may be anything too. So the conditions on the way hold of more than can happen, and if
//! they cannot hold together, nothing takes it: whatever the inputs, whatever came before.

use ir::op::Effect;
use ir::{BlockId, Function, Inst, Op, Reg};
use solver::{Answer, Chain, Config, Limits, Query};
use std::collections::BTreeMap;
use term::{Pool, TermId};
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
}

/// A branch that must go one of some ways: its code index, and the positions of its successors.
pub type Fact = (u32, Vec<u32>);

/// What one question may cost here: proofs that need more are left to exploration.
const LIMITS: Limits = Limits { quick: 200, rlimit: 300_000, circuits: 3_000_000 };

/// Facts of the branches on a way that cannot hold together, in the order of the way; none if they can, or if it is not
/// known. Few of them: none can be left out as far as the solver can tell.
pub fn refute(func: &Function, way: &[Leg], seed: u64) -> Option<Vec<Fact>> {
    let mut walk = Walk {
        func,
        pool: Pool::new(),
        regs: BTreeMap::new(),
        known: Vec::new(),
        memo: BTreeMap::new(),
        fresh: 0,
    };
    for leg in way {
        leg.forget.iter().for_each(|reg| {
            walk.regs.remove(reg);
        });
        walk.block(leg);
    }
    let Walk { mut pool, mut known, .. } = walk;
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
    Some(known.into_iter().filter_map(|(_, fact)| fact).collect())
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
    pool: Pool,
    regs: BTreeMap<Reg, TermId>,
    /// What holds on the way, and the branch that says so.
    known: Vec<(TermId, Option<Fact>)>,
    /// What never changes: lengths of arrays, classes of objects.
    memo: BTreeMap<(u32, TermId), TermId>,
    fresh: u32,
}

impl Walk<'_> {
    fn block(&mut self, leg: &Leg) {
        let range = self.func.blocks[leg.block];
        for index in range.start..range.end {
            let inst = self.func.code[index as usize];
            match inst.op {
                Op::Br => self.branch(index, Reg(inst.a), &leg.leaves),
                Op::Switch => self.switch(index, &inst, &leg.leaves),
                Op::GuardNonNull | Op::GuardNonZeroI32 | Op::GuardNonZeroI64 => {
                    let x = self.get(Reg(inst.a));
                    let zero = self.pool.constant(self.pool.sort(x), 0);
                    let passes = self.pool.ne(x, zero);
                    self.known.push((passes, None));
                }
                Op::GuardNonNegative => {
                    let x = self.get(Reg(inst.a));
                    let zero = self.pool.bv(32, 0);
                    let passes = self.pool.sle(zero, x);
                    self.known.push((passes, None));
                }
                _ if inst.dst.is_none() => {}
                _ => {
                    let term = self.value(&inst);
                    self.regs.insert(inst.dst, term);
                }
            }
        }
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
                let term = self.anything(reg);
                self.regs.insert(reg, term);
                term
            }
        }
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
                let length = self.unchanging(u32::MAX, array, inst.dst);
                let zero = self.pool.bv(32, 0);
                let sane = self.pool.sle(zero, length);
                self.known.push((sane, None));
                length
            }
            Op::InstanceOf => {
                let object = self.get(Reg(inst.a));
                self.unchanging(inst.b, object, inst.dst)
            }
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

    fn unchanging(&mut self, what: u32, of: TermId, reg: Reg) -> TermId {
        if let Some(term) = self.memo.get(&(what, of)) {
            return *term;
        }
        let term = self.anything(reg);
        self.memo.insert((what, of), term);
        term
    }
}
