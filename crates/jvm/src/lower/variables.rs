//! Source variables: which register holds which. Compilers reuse a local slot for variables of different scopes; a
//! register whose slot holds several is split so that each web of definitions and uses gets its own.
//!
//! Names come from debug information, which nobody verifies; splitting follows the data flow, so wrong debug
//! information gives wrong names, never wrong code. A value that is stored neither while the variable is there nor just before is the
//! compiler's (what a record pattern takes apart) and has no name.

use std::collections::BTreeMap;

use entity::EntityId;
use ir::op::Operand;
use ir::{Function, Inst, Reg, RegInfo};

use crate::link::reg_type;
use crate::load::instr::{Bytecode, Instr};
use crate::load::{Code, FieldType, LocalVariable};

/// Names the registers of locals; with `split`, one variable a register.
pub(super) fn name(
    function: &mut Function,
    locals: &[[Reg; 5]],
    code: &Code,
    bytecode: &Bytecode,
    split: bool,
) {
    if code.locals.is_empty() {
        return;
    }
    for (slot, regs) in locals.iter().enumerate() {
        for reg in regs.iter().filter(|reg| !reg.is_none()) {
            let ty = function.regs[*reg].ty;
            let fits = |local: &&LocalVariable| {
                usize::from(local.slot) == slot
                    && FieldType::parse(&local.descriptor).is_some_and(|t| reg_type(&t) == ty)
            };
            let variables: Vec<&LocalVariable> = code.locals.iter().filter(fits).collect();
            let Some(first) = variables.first() else { continue };
            let several = variables.iter().any(|other| other.name != first.name)
                || (0..function.code.len()).any(|index| {
                    function.code[index].dst == *reg
                        && stored_in(&variables, bytecode, function.code_offset(index)).is_none()
                });
            if several && split {
                split_webs(function, *reg, &variables, bytecode);
            } else {
                function.regs[*reg].variable = Some(first.name.to_string());
            }
        }
    }
}

/// Names the parameters where the compiler left no names of variables.
pub(super) fn name_params(function: &mut Function, is_static: bool, names: &[String]) {
    let this = (!is_static).then_some("this");
    let names = this.into_iter().chain(names.iter().map(String::as_str));
    for (reg, name) in (0..function.params).zip(names) {
        function.regs[Reg(reg)].variable = Some(name.to_string());
    }
}

/// Gives the webs of each variable that a register holds a register of their own, and those that are none's each one. The
/// variable of the parameter, if it is one, keeps it.
fn split_webs(function: &mut Function, reg: Reg, variables: &[&LocalVariable], bytecode: &Bytecode) {
    let webs = Webs::new(function, reg);
    // By web: its name, which reads tell for sure.
    let mut names: BTreeMap<usize, (bool, String)> = BTreeMap::new();
    let mut name = |def: usize, sure: bool, variable: Option<&LocalVariable>| {
        let Some(variable) = variable else { return };
        let known = names.entry(webs.root(def)).or_insert_with(|| (sure, variable.name.to_string()));
        if sure && !known.0 {
            *known = (true, variable.name.to_string());
        }
    };
    for index in 0..function.code.len() {
        let pc = function.code_offset(index);
        if let Some(def) = webs.read[index] {
            let covering = variables.iter().find(|v| v.start <= pc && pc - v.start < v.len);
            name(def, true, covering.copied());
        }
        if function.code[index].dst == reg {
            name(webs.defined[index], false, stored_in(variables, bytecode, pc));
        }
    }
    let key = |def: usize| match names.get(&webs.root(def)) {
        Some((_, name)) => (0, Some(name.clone())),
        None => (webs.root(def), None),
    };
    let mut made: BTreeMap<(usize, Option<String>), Reg> = BTreeMap::new();
    if reg.0 < function.params {
        made.insert(key(0), reg);
        function.regs[reg].variable = key(0).1;
    }
    for index in 0..function.code.len() {
        let mut own = |function: &mut Function, def: usize| {
            let key = key(def);
            *made.entry(key.clone()).or_insert_with(|| {
                let ty = function.regs[reg].ty;
                function.regs.push(RegInfo { ty, variable: key.1 })
            })
        };
        let writes = function.code[index].dst == reg;
        if let Some(def) = webs.read[index] {
            let new = own(function, def);
            rename_reads(function, index, reg, new);
        }
        if writes {
            function.code[index].dst = own(function, webs.defined[index]);
        }
    }
}

/// `iadd; dup; istore`.
const MOST_TO_STORE: usize = 4;

/// The variable that a store at a pc is to: it is there, or there from the next instruction on.
fn stored_in<'a>(variables: &[&'a LocalVariable], bytecode: &Bytecode, pc: u16) -> Option<&'a LocalVariable> {
    // What computes a value writes it, too: the store comes soon.
    let from = bytecode.index_of(pc)?;
    let mut near = bytecode.instrs.get(from..)?.windows(2).take(MOST_TO_STORE);
    let store = near.find(|pair| matches!(pair[0].1, Instr::Store(..) | Instr::Iinc(..)));
    let next = store.map(|pair| pair[1].0);
    let begins = variables.iter().find(|v| Some(v.start) == next);
    let covering = || variables.iter().find(|v| v.start <= pc && pc - v.start < v.len);
    begins.or_else(covering).copied()
}

trait CodeOffset {
    fn code_offset(&self, index: usize) -> u16;
}

impl CodeOffset for Function {
    fn code_offset(&self, index: usize) -> u16 {
        self.positions[index].offset as u16
    }
}

/// Definitions of one register, united where they reach the same use.
struct Webs {
    parents: Vec<usize>,
    /// By instruction: the definition it is, if it writes the register. Definition 0 is the entry's.
    defined: Vec<usize>,
    /// By instruction: a definition that it reads.
    read: Vec<Option<usize>>,
}

impl Webs {
    fn new(function: &Function, reg: Reg) -> Webs {
        let mut defined = vec![0; function.code.len()];
        let mut count = 1;
        for (index, inst) in function.code.iter().enumerate() {
            if inst.dst == reg {
                defined[index] = count;
                count += 1;
            }
        }
        let mut webs = Webs { parents: (0..count).collect(), defined, read: vec![None; function.code.len()] };
        let live = live_blocks(function, reg);
        let entries = webs.reach(function, reg, &live);
        for (block, range) in function.blocks.iter() {
            let mut at = entries[block.index()];
            for index in range.start as usize..range.end as usize {
                if function.code[index].reads(function).any(|read| read == reg) {
                    webs.read[index] = Some(at.unwrap_or(0));
                }
                if function.code[index].dst == reg {
                    at = Some(webs.defined[index]);
                }
            }
        }
        webs
    }

    /// The definition that reaches each block, where the register is live; several are united.
    fn reach(&mut self, function: &Function, reg: Reg, live: &[bool]) -> Vec<Option<usize>> {
        let mut entries: Vec<Option<usize>> = vec![None; function.blocks.len()];
        if let Some(first) = entries.first_mut() {
            *first = Some(0);
        }
        let mut work: Vec<usize> = vec![0];
        let mut seen = vec![false; function.blocks.len()];
        while let Some(block) = work.pop() {
            let id = ir::BlockId(block as u32);
            let range = function.blocks[id];
            let at_entry = entries[block];
            let mut at = at_entry;
            let mut all: Vec<usize> = at_entry.into_iter().collect();
            for index in range.start as usize..range.end as usize {
                if function.code[index].dst == reg {
                    at = Some(self.defined[index]);
                    all.push(self.defined[index]);
                }
            }
            let first_time = !std::mem::replace(&mut seen[block], true);
            let mut flow = |to: usize, defs: &[usize], webs: &mut Webs| {
                let mut changed = first_time && !seen[to];
                for def in defs.iter().filter(|_| live[to]) {
                    match entries[to] {
                        Some(known) => webs.unite(known, *def),
                        None => {
                            entries[to] = Some(*def);
                            changed = true;
                        }
                    }
                }
                if changed {
                    work.push(to);
                }
            };
            let ends: Vec<usize> = at.into_iter().collect();
            for to in function.successors(id) {
                flow(to.index(), &ends, self);
            }
            if let Some(to) = range.unwind {
                flow(to.index(), &all, self);
            }
        }
        entries
    }

    fn root(&self, mut def: usize) -> usize {
        while self.parents[def] != def {
            def = self.parents[def];
        }
        def
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

/// Blocks at whose start the register's value may still be read.
fn live_blocks(function: &Function, reg: Reg) -> Vec<bool> {
    // Some: what the block alone decides. None: as behind it.
    let own: Vec<Option<bool>> = function
        .blocks
        .values()
        .map(|range| {
            let code = &function.code[range.start as usize..range.end as usize];
            code.iter().find_map(|inst| {
                if inst.reads(function).any(|read| read == reg) {
                    return Some(true);
                }
                // An exception before the write finds the old value in the handler.
                (inst.dst == reg && range.unwind.is_none()).then_some(false)
            })
        })
        .collect();
    let mut live: Vec<bool> = own.iter().map(|own| *own == Some(true)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (block, range) in function.blocks.iter().rev() {
            let index = block.index();
            if live[index] || own[index].is_some() {
                continue;
            }
            let behind = function.successors(block).into_iter().chain(range.unwind);
            if behind.into_iter().any(|to| live[to.index()]) {
                live[index] = true;
                changed = true;
            }
        }
    }
    live
}

fn rename_reads(function: &mut Function, index: usize, from: Reg, to: Reg) {
    let Inst { op, .. } = function.code[index];
    let mut word = 0;
    for kind in op.operands() {
        let inst = &mut function.code[index];
        let operand = match word {
            0 => &mut inst.a,
            1 => &mut inst.b,
            _ => &mut inst.c,
        };
        match kind {
            Operand::Reg(_) | Operand::Any | Operand::Same if *operand == from.0 => *operand = to.0,
            Operand::List => {
                let list = *operand as usize;
                function.lists[list].iter_mut().filter(|reg| **reg == from).for_each(|reg| *reg = to);
            }
            _ => {}
        }
        word += kind.words();
    }
}
