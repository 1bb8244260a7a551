//! The labels of `switch` in the source, where compilers number them: constants of enums, strings, patterns.

use std::collections::BTreeMap;

use ir::Function;

use crate::load::instr::{Bytecode, Instr, Kind};
use crate::load::{ClassFile, Constant, FieldType, access};
use crate::world::Jvm;

impl Jvm {
    /// What the numbers mean that a switch of a lowered method compares with; none if they are numbers in the source.
    pub(super) fn switch_labels(&self, func: &Function, index: u32) -> Option<BTreeMap<i32, String>> {
        let (file, bytecode) = self.code_of(func)?;
        let code = before(bytecode, func, index)?;
        match code.last()?.1 {
            Instr::InvokeDynamic(cp) => pattern_labels(file, cp),
            Instr::Load(Kind::Int, slot) => string_labels(file, code, slot),
            Instr::ArrayLoad(_) => {
                let at = code.iter().rposition(|(_, instr)| switch_map(file, instr).is_some())?;
                let map = switch_map(file, &code.get(at)?.1)?;
                let mut labels =
                    match self.loaded(map.0).and_then(|class| self.classes[class].file.as_deref()) {
                        Some(of) => enum_labels(of, map.1),
                        None => enum_labels(&self.path.load(map.0).ok()??.0, map.1),
                    }?;
                // Kotlin's `when` over what may be null.
                if let Some([.., (_, Instr::Int(-1)), (_, Instr::Goto(_))]) = code.get(..at) {
                    labels.insert(-1, "null".to_string());
                }
                Some(labels)
            }
            // Of enums of the same file newer compilers number nothing anew.
            Instr::InvokeVirtual(cp) => {
                let called = file.pool.method(cp).ok().filter(|called| called.name == "ordinal")?;
                match self.loaded(called.class).and_then(|class| self.classes[class].file.as_deref()) {
                    Some(of) => constants(of),
                    None => constants(&self.path.load(called.class).ok()??.0),
                }
            }
            _ => None,
        }
    }

    /// Whether a switch of a lowered method is one over patterns.
    pub(super) fn is_pattern_switch(&self, func: &Function, index: u32) -> bool {
        let Some((file, bytecode)) = self.code_of(func) else { return false };
        let last = before(bytecode, func, index).and_then(|code| code.last());
        matches!(last, Some((_, Instr::InvokeDynamic(cp))) if pattern_labels(file, *cp).is_some())
    }

    fn code_of(&self, func: &Function) -> Option<(&ClassFile, &Bytecode)> {
        let (file, method) = self.method_of(func)?;
        Some((file, method.bytecode().ok()??))
    }
}

/// The original code in front of an instruction of a lowered method.
fn before<'b>(bytecode: &'b Bytecode, func: &Function, index: u32) -> Option<&'b [(u16, Instr)]> {
    let pc = u16::try_from(func.positions.get(index as usize)?.offset).ok()?;
    bytecode.instrs.get(..bytecode.index_of(pc)?)
}

/// The constants of an enum by their ordinals.
fn constants(file: &ClassFile) -> Option<BTreeMap<i32, String>> {
    let constants = file.fields.iter().filter(|field| field.access & access::ENUM != 0);
    let labels: BTreeMap<i32, String> = (0..).zip(constants.map(|field| field.name.to_string())).collect();
    (!labels.is_empty()).then_some(labels)
}

/// `case Circle c`, `case "x"`, `case RED` of a pattern switch, in the order of the bootstrap's arguments.
fn pattern_labels(file: &ClassFile, cp: u16) -> Option<BTreeMap<i32, String>> {
    let site = file.pool.invoke_dynamic(cp).ok()?;
    if !matches!(site.name, "typeSwitch" | "enumSwitch") {
        return None;
    }
    let mut labels = BTreeMap::from([(-1, "null".to_string())]);
    let args = &file.bootstrap_methods.get(usize::from(site.bootstrap))?.args;
    for (number, cp) in (0..).zip(args) {
        let text = || file.pool.string(*cp).ok().map(|units| String::from_utf16_lossy(&units));
        let label = match file.pool.get(*cp).ok()? {
            Constant::Class(name) => with_article(&simple_name(name)),
            // The class of a primitive type: a component of a record.
            Constant::Dynamic(_) => {
                let named = file.pool.dynamic(*cp).ok().and_then(|dynamic| FieldType::parse(dynamic.name));
                match named.filter(|ty| !ty.is_reference()) {
                    Some(ty) => with_article(&super::names::type_text(&ty)),
                    None => match file.pool.dynamic(*cp).ok().map(|d| (d.name, d.descriptor)) {
                        Some((name @ ("TRUE" | "FALSE"), "Ljava/lang/Boolean;")) => name.to_lowercase(),
                        _ => match crate::indy::enum_description(file, *cp) {
                            Some((_, constant)) => constant,
                            None => continue,
                        },
                    },
                }
            }
            Constant::Int(value) => value.to_string(),
            Constant::Long(value) => value.to_string(),
            Constant::Float(value) => format!("{value:?}"),
            Constant::Double(value) => format!("{value:?}"),
            Constant::String if site.name == "enumSwitch" => text()?,
            Constant::String => format!("{:?}", text()?),
            _ => continue,
        };
        labels.insert(number, label);
    }
    Some(labels)
}

fn with_article(name: &str) -> String {
    let article = if name.to_lowercase().starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// A class as the source names it: `Circle`, `int[]`.
fn simple_name(name: &str) -> String {
    let java = match FieldType::parse(name).filter(|_| name.starts_with('[')) {
        Some(array) => super::names::type_text(&array),
        None => name.to_string(),
    };
    java.rsplit(['/', '.', '$']).next().unwrap_or(&java).to_string()
}

/// `if (s.equals("a")) n = 0;` before a switch on `n`.
fn string_labels(file: &ClassFile, code: &[(u16, Instr)], slot: u16) -> Option<BTreeMap<i32, String>> {
    let mut labels = BTreeMap::new();
    for window in code.windows(5) {
        let [(_, Instr::Ldc(cp)), (_, Instr::InvokeVirtual(_)), (_, Instr::If(..)), number, store] = window
        else {
            continue;
        };
        let (Instr::Int(number), Instr::Store(Kind::Int, to)) = (&number.1, &store.1) else { continue };
        if let (Ok(units), true) = (file.pool.string(*cp), *to == slot) {
            labels.insert(*number, format!("{:?}", String::from_utf16_lossy(&units)));
        }
    }
    (!labels.is_empty()).then_some(labels)
}

/// The class and name of the array in which compilers keep the numbers of an enum's constants.
fn switch_map<'f>(file: &'f ClassFile, instr: &Instr) -> Option<(&'f str, &'f str)> {
    let Instr::GetStatic(cp) = instr else { return None };
    let field = file.pool.field(*cp).ok()?;
    let is_map = field.name.starts_with("$SwitchMap$") || field.name.starts_with("$EnumSwitchMapping$");
    is_map.then_some((field.class, field.name))
}

/// `map[Size.SMALL.ordinal()] = 1;` in the initialiser of the class that has the array.
fn enum_labels(file: &ClassFile, map: &str) -> Option<BTreeMap<i32, String>> {
    let bytecode = file.method("<clinit>", "()V")?.bytecode().ok()??;
    let mut labels = BTreeMap::new();
    let mut last = None;
    for window in bytecode.instrs.windows(4) {
        if let Some((_, name)) = switch_map(file, &window[0].1) {
            last = Some(name);
        }
        let [
            (_, Instr::GetStatic(constant)),
            (_, Instr::InvokeVirtual(_)),
            (_, Instr::Int(number)),
            (_, Instr::ArrayStore(_)),
        ] = window
        else {
            continue;
        };
        // Kotlin keeps the array in a local until all are set; then no name is known, and one array is all there is.
        if last.is_none_or(|name| name == map) {
            labels.insert(*number, file.pool.field(*constant).ok()?.name.to_string());
        }
    }
    (!labels.is_empty()).then_some(labels)
}
