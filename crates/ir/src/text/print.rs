//! The printer. It never fails: what an invalid function says wrongly is printed as it is.

use super::{quoted, quoted_if_needed};
use crate::func::{Function, Inst, Origin, Position};
use crate::module::{Class, ClassKind, Field, Module, Signature, next_offset};
use crate::names::Names;
use crate::op::{Op, OpResult, Operand};
use crate::types::{BlockId, Check, ClassId, FuncId, Reg, StrId, Type};
use entity::PrimaryMap;
use std::fmt::Write;

/// A module; classes first, then functions.
pub fn print_module(module: &Module) -> String {
    let mut items = Vec::new();
    for (id, class) in module.classes().iter() {
        if class.kind != ClassKind::Unknown {
            items.push(print_class(module, id, class));
        }
    }
    for func in module.funcs().values() {
        match (&func.body, &func.signature) {
            (Some(body), _) => items.push(print_function(body, module)),
            (None, Some(signature)) => items.push(print_declaration(&func.name, signature)),
            (None, None) => {}
        }
    }
    items.join("\n")
}

fn print_declaration(name: &str, signature: &Signature) -> String {
    let params: Vec<_> = signature.params.iter().map(|t| t.name()).collect();
    format!("declare @{}({}){}\n", quoted_if_needed(name), params.join(", "), arrow(signature.ret))
}

fn arrow(ret: Option<Type>) -> String {
    ret.map_or_else(String::new, |ty| format!(" -> {ty}"))
}

fn print_class(module: &Module, id: ClassId, class: &Class) -> String {
    let name = quoted_if_needed(&class.name);
    let named = |id: ClassId| quoted_class(&module.class(id));
    let keyword = match class.kind {
        ClassKind::Array(ty, elem) => {
            let elem = elem.map_or_else(|| ty.name().to_string(), named);
            return format!("array {name} of {elem}\n");
        }
        ClassKind::Interface => "interface",
        ClassKind::Object | ClassKind::Unknown => "class",
    };
    let mut out = format!("{keyword} {name}");
    if let Some(superclass) = class.superclass {
        out += &format!(" extends {}", named(superclass));
    }
    for (i, interface) in class.interfaces.iter().enumerate() {
        out += if i == 0 { " implements " } else { ", " };
        out += &named(*interface);
    }
    out += " {\n";
    let inherited = class.superclass.map_or(0, |s| module.instance_size(s));
    print_fields(&mut out, "", inherited, &class.fields);
    print_fields(&mut out, "static ", 0, &class.statics);
    let func = |id: FuncId| quoted_if_needed(&module.func(id));
    for (slot, target) in &class.slots {
        out += &format!("  slot {slot} = @{}\n", func(*target));
    }
    for (declared, target) in &class.impls {
        out += &format!("  impl @{} = @{}\n", func(*declared), func(*target));
    }
    if let Some(init) = class.init {
        out += &format!("  init @{}\n", func(init));
    }
    debug_assert!(class.superclass.is_none_or(|s| s < id));
    out + "}\n"
}

/// A class where a cell type could stand too is quoted if it is spelled like one.
fn quoted_class(name: &str) -> String {
    match crate::types::MemType::from_name(name) {
        Some(_) => quoted(name),
        None => quoted_if_needed(name),
    }
}

fn print_fields(out: &mut String, prefix: &str, start: u32, fields: &[Field]) {
    for (i, field) in fields.iter().enumerate() {
        write!(out, "  {prefix}{}: {}", quoted_if_needed(&field.name), field.ty)
            .expect("writing to a string");
        if next_offset(start, &fields[..i], field.ty) != Some(field.offset) {
            write!(out, " = {}", field.offset).expect("writing to a string");
        }
        out.push('\n');
    }
}

/// A function with its blocks.
pub fn print_function(func: &Function, names: &dyn Names) -> String {
    let mut out = format!("func @{}(", quoted_if_needed(&func.name));
    let params = func.params.min(func.regs.len() as u32);
    for i in 0..params {
        out += if i == 0 { "" } else { ", " };
        out += &declared(func, Reg(i));
    }
    out += &format!("){}", arrow(func.ret));
    if let Some(file) = &func.source {
        out += &format!(" source {}", quoted(file));
    }
    out += " {\n";
    let mut seen: PrimaryMap<Reg, bool> = func.regs.keys().map(|r| r.0 < params).collect();
    let mut written = seen.clone();
    for inst in &func.code {
        if let Some(flag) = written.get_mut(inst.dst) {
            *flag = true;
        }
    }
    // What no instruction writes has no other place to say its type.
    for (reg, _) in written.iter().filter(|(_, written)| !**written) {
        out += &format!("  {}\n", declared(func, reg));
    }
    for (id, block) in func.blocks.iter() {
        out += &id.to_string();
        if let Some(unwind) = block.unwind {
            out += &format!(" unwind {unwind}");
        }
        if block.never {
            out += " never";
        }
        out += ":\n";
        let mut position = Position::default();
        for index in block.start..block.end {
            let Some(inst) = func.code.get(index as usize) else { break };
            let first = seen.get_mut(inst.dst).is_some_and(|seen| !std::mem::replace(seen, true));
            out += "  ";
            out += &print_defining(func, inst, first, names);
            let here = func.positions.get(index as usize).copied().unwrap_or_default();
            if here != position {
                position = here;
                out += &print_position(here);
            }
            if let Some(info) = func.branch_info(index) {
                let origin = match info.origin {
                    Origin::Source => "source",
                    Origin::Synthetic => "synthetic",
                };
                out += &format!(" !{origin} {}.{}", info.decision, info.condition);
                if info.far {
                    out += " far";
                }
            }
            out.push('\n');
        }
    }
    out + "}\n"
}

fn print_position(position: Position) -> String {
    match position.offset {
        0 => format!(" @{}", position.line),
        offset => format!(" @{}:{offset}", position.line),
    }
}

/// `%3: i32 "x"`.
fn declared(func: &Function, reg: Reg) -> String {
    let info = &func.regs[reg];
    let variable = info.variable.as_ref().map_or_else(String::new, |v| format!(" {}", quoted(v)));
    format!("{reg}: {}{variable}", info.ty)
}

/// An instruction; the first that writes a register says what cannot be told from the opcode.
fn print_defining(func: &Function, inst: &Inst, first: bool, names: &dyn Names) -> String {
    let body = print_op(func, inst, names);
    if inst.dst.is_none() {
        return body;
    }
    match func.regs.get(inst.dst) {
        Some(info) if first && (info.variable.is_some() || inst.op.result() != OpResult::Is(info.ty)) => {
            format!("{} = {body}", declared(func, inst.dst))
        }
        _ => format!("{} = {body}", inst.dst),
    }
}

/// An instruction alone, as messages and traces show it.
pub fn print_inst(func: &Function, inst: &Inst, names: &dyn Names) -> String {
    print_defining(func, inst, false, names)
}

/// The opcode and operands of an instruction, without its destination.
pub fn print_op(func: &Function, inst: &Inst, names: &dyn Names) -> String {
    let mut out = inst.op.name().to_string();
    for (i, (kind, value)) in inst.operands().enumerate() {
        // An argument list stands next to what is called.
        out += match (i, kind) {
            (0, _) => " ",
            (_, Operand::List) => "",
            _ => ", ",
        };
        out += &print_operand(func, inst, kind, value, names);
    }
    out
}

fn print_operand(func: &Function, inst: &Inst, kind: Operand, value: u64, names: &dyn Names) -> String {
    let word = value as u32;
    match kind {
        Operand::Reg(_) | Operand::Any | Operand::Same => Reg(word).to_string(),
        Operand::Imm32 | Operand::Imm64 => print_literal(inst.op, value),
        Operand::Block => BlockId(word).to_string(),
        Operand::Func => format!("@{}", quoted_if_needed(&names.func(FuncId(word)))),
        Operand::Class => quoted_if_needed(&names.class(ClassId(word))),
        Operand::Str => quoted(&names.str(StrId(word))),
        Operand::Check => Check::ALL.get(word as usize).map_or("?", |c| c.name()).to_string(),
        Operand::List => match func.lists.get(word as usize) {
            Some(list) => {
                let regs: Vec<_> = list.iter().map(Reg::to_string).collect();
                format!("({})", regs.join(", "))
            }
            None => "(?)".to_string(),
        },
        Operand::Table => match func.tables.get(word as usize) {
            Some(table) => {
                let cases: String = table.cases.iter().map(|(v, b)| format!("{v}: {b}, ")).collect();
                format!("[{cases}else: {}]", table.default)
            }
            None => "[?]".to_string(),
        },
        Operand::Off => match names.field(func, inst, word) {
            Some(name) => quoted_if_needed(&name),
            None => word.to_string(),
        },
        Operand::Slot => word.to_string(),
    }
}

/// A literal as the type of the result reads it. Floats print the shortest decimal that reads back to the same
/// bits; NaNs other than the canonical one print their bits.
fn print_literal(op: Op, value: u64) -> String {
    match op.result() {
        OpResult::Is(Type::F32) => {
            let float = f32::from_bits(value as u32);
            match float.is_nan() {
                true if value as u32 == CANONICAL_NAN_32 => "nan".to_string(),
                true => format!("{:#x}", value as u32),
                false => format!("{float:?}"),
            }
        }
        OpResult::Is(Type::F64) => {
            let float = f64::from_bits(value);
            match float.is_nan() {
                true if value == CANONICAL_NAN_64 => "nan".to_string(),
                true => format!("{value:#x}"),
                false => format!("{float:?}"),
            }
        }
        OpResult::Is(Type::I64) => (value as i64).to_string(),
        _ => (value as u32 as i32).to_string(),
    }
}

pub(super) const CANONICAL_NAN_32: u32 = 0x7fc0_0000;
pub(super) const CANONICAL_NAN_64: u64 = 0x7ff8_0000_0000_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_literals_keep_their_bits() {
        let show = |value: f64| print_literal(Op::ConstF64, value.to_bits());
        assert_eq!(
            [show(1.0), show(-0.0), show(1e300), show(f64::NEG_INFINITY)],
            ["1.0", "-0.0", "1e300", "-inf"]
        );
        assert_eq!(print_literal(Op::ConstF64, CANONICAL_NAN_64), "nan");
        assert_eq!(print_literal(Op::ConstF32, 0x7fc0_0001), "0x7fc00001");
        assert_eq!(print_literal(Op::ConstI32, 0xffff_ffff), "-1");
    }

    #[test]
    fn nothing_in_an_invalid_function_stops_the_printer() {
        let mut b = crate::Builder::new("odd", &[], None);
        b.effect(Op::Call, 7, 99, 0);
        b.effect(Op::Switch, 5, 3, 0);
        let text = print_function(&b.finish(), &crate::names::Ids);
        assert_eq!(text, "func @odd() {\nb0:\n  call @f7(?)\n  switch %5, [?]\n}\n");
    }
}
