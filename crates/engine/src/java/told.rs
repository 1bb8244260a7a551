//! How the program calls methods that tests stand in for: whether they are told to do something or asked for something, and what
//! their arguments are called.

use ir::{FuncId, Function, Inst, Names, Op, Reg};
use jvm::world::Jvm;
use suite::case::{ClassName, FakeMethod, Type};

use super::arrange::decapitalised;
use super::case::is_keyword;

/// What such a method was given is what its caller does, whatever it returns: `repository.save(order)`.
const COMMANDS: [&str; 50] = [
    "add", "append", "assign", "book", "cancel", "charge", "close", "commit", "create", "credit", "debit",
    "delete", "deposit", "dispatch", "emit", "enqueue", "execute", "insert", "lock", "log", "mark", "merge",
    "notify", "offer", "pay", "persist", "post", "publish", "push", "put", "record", "refund", "register",
    "release", "remove", "replace", "reserve", "schedule", "send", "set", "ship", "store", "submit", "save",
    "transfer", "unlock", "update", "upload", "withdraw", "write",
];

/// Whether a method is told to do something: it returns nothing, its name says so, or somebody forgets what it returns.
pub fn is_told(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let verb = f.name.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
    f.signature.ty.ret.is_none()
        || COMMANDS.contains(&verb) && !f.signature.ty.params.is_empty()
        || calls(jvm, func).any(|(function, index)| is_forgotten(function, index))
}

/// What the parameters of a method are called: as it was compiled, else as arguments are called where the class under test calls
/// it, else after their types.
pub fn names(jvm: &Jvm, func: FuncId, declared: &[String], method: &FakeMethod) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for param in 0..method.params.len() {
        let made_up = |name: &str| name.strip_prefix("arg").is_some_and(|n| n.parse::<u32>().is_ok());
        let compiled = declared.get(param).filter(|name| !made_up(name)).cloned();
        let at_call = || calls(jvm, func).find_map(|(function, index)| argument(jvm, function, index, param));
        let wish = compiled.or_else(at_call).unwrap_or_else(|| after_type(&method.params[param]));
        let wish = if is_keyword(&wish) { format!("{wish}Given") } else { wish };
        let mut name = wish.clone();
        let mut n = 2;
        while names.contains(&name) {
            name = format!("{wish}{n}");
            n += 1;
        }
        names.push(name);
    }
    names
}

/// The calls of a method in the code under test.
fn calls(jvm: &Jvm, func: FuncId) -> impl Iterator<Item = (&Function, usize)> {
    let functions = jvm.funcs.values().filter(|f| f.tracked).filter_map(|f| f.lowered());
    functions.flat_map(move |function| {
        let is_call = move |inst: &Inst| inst.op == Op::CallIface && inst.a == func.0;
        let found = function.code.iter().enumerate().filter(move |(_, inst)| is_call(inst));
        found.map(move |(index, _)| (function, index))
    })
}

/// Whether nobody reads what a call returned, as far as its block shows.
fn is_forgotten(function: &Function, index: usize) -> bool {
    let result = function.code[index].dst;
    let end = function.blocks[function.block_at(index as u32)].end as usize;
    for inst in &function.code[index + 1..end] {
        if inst.reads(function).any(|reg| reg == result) {
            return false;
        }
        if inst.dst == result {
            return true;
        }
    }
    false
}

/// What an argument of a call is called there: a variable, or what a getter gets.
fn argument(jvm: &Jvm, function: &Function, index: usize, param: usize) -> Option<String> {
    let reg: Reg = *function.list(function.code[index].b).get(param + 1)?;
    if let Some(variable) = &function.regs[reg].variable {
        return Some(variable.clone()).filter(|name| is_identifier(name));
    }
    let start = function.blocks[function.block_at(index as u32)].start as usize;
    let made = (start..index).rev().find(|i| function.code[*i].dst == reg)?;
    let member = jvm.member(function, made as u32)?;
    let name = match member.name.strip_prefix("get").filter(|rest| rest.starts_with(char::is_uppercase)) {
        Some(rest) => decapitalised(rest),
        None => member.name,
    };
    let plain = member.takes.is_empty() && is_identifier(&name);
    plain.then_some(name)
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name != "this"
}

/// `order` for an `Order`; what numbers and texts are for, their types do not say.
fn after_type(ty: &Type) -> String {
    match ty {
        Type::Class { name, .. } if name.package.starts_with("java.lang") => of_library(name).to_string(),
        Type::Class { name, .. } => decapitalised(name.simple_name()),
        Type::Array(_) => "array".to_string(),
        Type::Bool => "flag".to_string(),
        Type::Char => "character".to_string(),
        _ => "number".to_string(),
    }
}

fn of_library(name: &ClassName) -> &'static str {
    match name.simple_name() {
        "String" | "CharSequence" => "text",
        "Boolean" => "flag",
        "Character" => "character",
        "Byte" | "Short" | "Integer" | "Long" | "Float" | "Double" | "Number" => "number",
        _ => "given",
    }
}
