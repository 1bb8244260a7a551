//! Register reuse: temporaries that live within one block share registers. Small frames are cheap to call.

use entity::{EntityId, PrimaryMap};
use ir::op::Operand;
use ir::{Function, Inst, Reg, RegInfo, Type};

/// Where a register is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Nowhere,
    /// Within this block only, written before it is read. The instruction that uses it last.
    Block(u32, u32),
    Everywhere,
}

/// Renumbers the registers of a function. Parameters and registers of source variables keep one of their own.
pub(super) fn compact(function: &mut Function) {
    let homes = homes(function);
    let mut regs: PrimaryMap<Reg, RegInfo> = PrimaryMap::new();
    let mut place = vec![Reg::NONE; function.regs.len()];
    for (reg, info) in function.regs.iter() {
        if reg.0 < function.params || homes[reg.index()] == Home::Everywhere {
            place[reg.index()] = regs.push(info.clone());
        }
    }
    let mut pools: [Vec<Reg>; Type::ALL.len()] = Default::default();
    let ty = |reg: Reg, function: &Function| function.regs[reg].ty;
    let mut reads: Vec<Reg> = Vec::new();
    for block in function.blocks.keys() {
        for index in function.blocks[block].start..function.blocks[block].end {
            let inst = function.code[index as usize];
            reads.clear();
            reads.extend(inst.reads(function));
            let ends = |reg: Reg| homes[reg.index()] == Home::Block(block.0, index);
            rename(function, index, &place);
            // What is read for the last time can hold the result.
            for (at, reg) in reads.iter().enumerate() {
                if ends(*reg) && !reads[..at].contains(reg) {
                    pools[ty(*reg, function) as usize].push(place[reg.index()]);
                }
            }
            let dst = inst.dst;
            if dst.is_none() {
                continue;
            }
            if let Home::Block(home, _) = homes[dst.index()]
                && home == block.0
            {
                let info = RegInfo { ty: ty(dst, function), variable: None };
                let new = pools[info.ty as usize].pop().unwrap_or_else(|| regs.push(info.clone()));
                place[dst.index()] = new;
                if ends(dst) && !reads.contains(&dst) {
                    pools[info.ty as usize].push(new);
                }
            }
            function.code[index as usize].dst = place[dst.index()];
        }
    }
    function.regs = regs;
}

fn homes(function: &Function) -> Vec<Home> {
    let mut homes = vec![Home::Nowhere; function.regs.len()];
    for (reg, info) in function.regs.iter() {
        if reg.0 < function.params || info.variable.is_some() {
            homes[reg.index()] = Home::Everywhere;
        }
    }
    for (block, range) in function.blocks.iter() {
        for index in range.start..range.end {
            let inst = function.code[index as usize];
            for reg in inst.reads(function) {
                homes[reg.index()] = match homes[reg.index()] {
                    Home::Block(home, _) if home == block.0 => Home::Block(home, index),
                    _ => Home::Everywhere,
                };
            }
            if !inst.dst.is_none() {
                homes[inst.dst.index()] = match homes[inst.dst.index()] {
                    Home::Nowhere => Home::Block(block.0, index),
                    // Written twice: not a temporary.
                    _ => Home::Everywhere,
                };
            }
        }
    }
    homes
}

/// Puts the new registers in an instruction's operands.
fn rename(function: &mut Function, index: u32, place: &[Reg]) {
    let Inst { op, .. } = function.code[index as usize];
    let mut word = 0;
    for kind in op.operands() {
        let inst = &mut function.code[index as usize];
        let operand = match word {
            0 => &mut inst.a,
            1 => &mut inst.b,
            _ => &mut inst.c,
        };
        match kind {
            Operand::Reg(_) | Operand::Any | Operand::Same => *operand = place[*operand as usize].0,
            Operand::List => {
                let list = *operand as usize;
                for reg in function.lists[list].iter_mut() {
                    *reg = place[reg.index()];
                }
            }
            _ => {}
        }
        word += kind.words();
    }
}
