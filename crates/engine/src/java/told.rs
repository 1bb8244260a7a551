//! How the program calls methods that tests stand in for: whether they are told to do something or asked for something, and what
//! their arguments are called.

use ir::{FuncId, Function, Inst, Names, Op, Reg};
use jvm::link::ClassOrigin;
use jvm::load::FieldType;
use jvm::world::Jvm;
use suite::case::{ClassName, FakeMethod, Type};

use super::arrange::decapitalised;
use super::case::is_keyword;

/// Of methods that answer with something of its own (`Receipt pay(Order)`), those whose names say that they do something. All
/// others are told apart without names.
const COMMANDS: [&str; 50] = [
    "add", "append", "assign", "book", "cancel", "charge", "close", "commit", "create", "credit", "debit",
    "delete", "deposit", "dispatch", "emit", "enqueue", "execute", "insert", "lock", "log", "mark", "merge",
    "notify", "offer", "pay", "persist", "post", "publish", "push", "put", "record", "refund", "register",
    "release", "remove", "replace", "reserve", "schedule", "send", "set", "ship", "store", "submit", "save",
    "transfer", "unlock", "update", "upload", "withdraw", "write",
];

/// Words that a question which is answered by yes or no begins with, besides verbs in the third person (`allows`, `exists`).
const QUESTIONS: [&str; 12] =
    ["is", "has", "can", "may", "should", "must", "are", "have", "was", "will", "test", "in"];

/// Whether a method is told to do something, so that what it was given is what its caller does: it returns nothing, or what it was
/// given (`repository.save(order)`), or whether it worked (`stock.reserve(sku, 3)`); somebody forgets what it returns; or its
/// name says so.
pub fn is_told(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let (params, word) = (&f.signature.ty.params, first_word(&f.name));
    let by_type = match &f.signature.ty.ret {
        None => true,
        _ if params.is_empty() => false,
        Some(FieldType::Boolean) => !is_question(word),
        // Texts and numbers are made of others; objects of the program's own go in and come out again.
        Some(ret @ FieldType::Class(name)) => params.contains(ret) && is_own(jvm, name),
        Some(_) => false,
    };
    by_type
        || COMMANDS.contains(&word) && !params.is_empty()
        || calls(jvm, func).any(|(function, index)| is_forgotten(function, index))
}

/// `reserve` of `reserveAll`.
fn first_word(name: &str) -> &str {
    name.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default()
}

/// Whether a word asks instead of telling: `isOpen`, `exists`, `accepts`; but `process` tells.
fn is_question(word: &str) -> bool {
    QUESTIONS.contains(&word) || word.len() > 3 && word.ends_with('s') && !word.ends_with("ss")
}

fn is_own(jvm: &Jvm, name: &str) -> bool {
    jvm.loaded(name).is_some_and(|class| jvm.classes[class].origin != ClassOrigin::Library)
}

/// What the parameters of a method are called: as it was compiled, else as arguments are called where the class under test calls
/// it, else after their types.
pub fn names(jvm: &Jvm, func: FuncId, declared: &[String], method: &FakeMethod) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for param in 0..method.params.len() {
        let made_up = |name: &str| name.strip_prefix("arg").is_some_and(|n| n.parse::<u32>().is_ok());
        let compiled = declared.get(param).filter(|name| !made_up(name)).cloned();
        // One variable is the name of one parameter: what else a call gives it to is something else.
        let is_free = |name: &String| !names.contains(name);
        let at_call = || {
            let mut all = calls(jvm, func).filter_map(|(code, index)| argument(jvm, code, index, param));
            all.find(is_free)
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_commands_by_their_form() {
        for asks in ["isOpen", "hasStock", "exists", "acceptsCards", "contains"] {
            assert!(is_question(first_word(asks)), "{asks}");
        }
        for tells in ["reserve", "processAll", "deliver", "pass", "tryLock"] {
            assert!(!is_question(first_word(tells)), "{tells}");
        }
    }
}
