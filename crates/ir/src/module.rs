//! A program in the textual form: classes, functions by name, string constants.
//!
//! Front ends have richer tables of their own and do not use this; it serves golden tests, which are written
//! in the textual form and need no front end.

use crate::func::{Function, Inst};
use crate::names::Names;
use crate::op::{Op, Operand};
use crate::types::{ClassId, FuncId, MemType, Reg, StrId, Type};
use entity::PrimaryMap;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Classes, functions and strings. Names are unique in each table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    classes: PrimaryMap<ClassId, Class>,
    funcs: PrimaryMap<FuncId, Func>,
    strings: PrimaryMap<StrId, String>,
    class_ids: FxHashMap<String, ClassId>,
    func_ids: FxHashMap<String, FuncId>,
    string_ids: FxHashMap<String, StrId>,
}

/// A function of the module: only its name is known if nothing declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Func {
    pub name: String,
    pub signature: Option<Signature>,
    pub body: Option<Function>,
}

/// What a call must agree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub params: Vec<Type>,
    pub ret: Option<Type>,
}

impl Signature {
    pub fn of(func: &Function) -> Signature {
        let params = func.regs.values().take(func.params as usize).map(|r| r.ty).collect();
        Signature { params, ret: func.ret }
    }
}

/// What kind of type a class is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// Named in code, declared nowhere.
    Unknown,
    Object,
    Interface,
    /// An array of these cells; of this class, where the cells are references of a declared one.
    Array(MemType, Option<ClassId>),
}

/// A field of an object, or of the object that holds a class's static fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub ty: MemType,
    /// Byte offset. Offsets start at 0, or where the superclass ends.
    pub offset: u32,
}

impl Field {
    /// The first byte behind the field.
    pub fn end(&self) -> u32 {
        self.offset.saturating_add(self.ty.size())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    pub name: String,
    pub kind: ClassKind,
    /// Stands above this class in the table.
    pub superclass: Option<ClassId>,
    /// Stand above this class in the table.
    pub interfaces: Vec<ClassId>,
    /// Own fields; inherited ones are in the superclass.
    pub fields: Vec<Field>,
    pub statics: Vec<Field>,
    /// Dispatch: which function `callvirt` finds in a slot; what is absent is inherited.
    pub slots: BTreeMap<u32, FuncId>,
    /// Interface dispatch: which function `calliface` of an interface's function finds; inherited likewise.
    pub impls: BTreeMap<FuncId, FuncId>,
    /// What `guard.init` runs once.
    pub init: Option<FuncId>,
}

impl Class {
    fn unknown(name: &str) -> Class {
        Class {
            name: name.to_string(),
            kind: ClassKind::Unknown,
            superclass: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            statics: Vec::new(),
            slots: BTreeMap::new(),
            impls: BTreeMap::new(),
            init: None,
        }
    }
}

/// Where the next field goes that does not say: behind the last, aligned to its own size.
pub(crate) fn next_offset(start: u32, fields: &[Field], ty: MemType) -> Option<u32> {
    let end = fields.iter().map(Field::end).max().unwrap_or(0).max(start);
    end.checked_next_multiple_of(ty.size())
}

impl Module {
    pub fn new() -> Module {
        Module::default()
    }

    pub fn classes(&self) -> &PrimaryMap<ClassId, Class> {
        &self.classes
    }

    pub fn funcs(&self) -> &PrimaryMap<FuncId, Func> {
        &self.funcs
    }

    pub fn strings(&self) -> &PrimaryMap<StrId, String> {
        &self.strings
    }

    pub fn find_class(&self, name: &str) -> Option<ClassId> {
        self.class_ids.get(name).copied()
    }

    pub fn find_func(&self, name: &str) -> Option<FuncId> {
        self.func_ids.get(name).copied()
    }

    /// The body of a function by name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.funcs[self.find_func(name)?].body.as_ref()
    }

    /// All functions that have a body, in order.
    pub fn bodies(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        self.funcs.iter().filter_map(|(id, f)| Some((id, f.body.as_ref()?)))
    }

    /// The id of a class, which is entered as unknown if it is new.
    pub fn class_id(&mut self, name: &str) -> ClassId {
        *self.class_ids.entry(name.to_string()).or_insert_with(|| self.classes.push(Class::unknown(name)))
    }

    /// The id of a function, which is entered without signature and body if it is new.
    pub fn func_id(&mut self, name: &str) -> FuncId {
        *self
            .func_ids
            .entry(name.to_string())
            .or_insert_with(|| self.funcs.push(Func { name: name.to_string(), signature: None, body: None }))
    }

    pub fn string_id(&mut self, text: &str) -> StrId {
        *self.string_ids.entry(text.to_string()).or_insert_with(|| self.strings.push(text.to_string()))
    }

    pub fn class_mut(&mut self, class: ClassId) -> &mut Class {
        &mut self.classes[class]
    }

    pub fn declare(&mut self, func: FuncId, signature: Signature) {
        self.funcs[func].signature = Some(signature);
    }

    /// Gives a function its body; the signature is the body's.
    pub fn define(&mut self, func: FuncId, body: Function) {
        self.funcs[func].signature = Some(Signature::of(&body));
        self.funcs[func].body = Some(body);
    }

    /// The class and its superclasses, nearest first.
    pub fn ancestry(&self, class: ClassId) -> impl Iterator<Item = (ClassId, &Class)> {
        let step = |class: ClassId| Some((class, self.classes.get(class)?));
        std::iter::successors(step(class), move |(id, c)| {
            // Superclasses stand above, so that this ends whatever the table holds.
            c.superclass.filter(|s| s < id).and_then(step)
        })
    }

    /// Size in bytes of an object of the class, all inherited fields included.
    pub fn instance_size(&self, class: ClassId) -> u32 {
        self.ancestry(class).flat_map(|(_, c)| &c.fields).map(Field::end).max().unwrap_or(0)
    }

    pub fn statics_size(&self, class: ClassId) -> u32 {
        self.classes.get(class).into_iter().flat_map(|c| &c.statics).map(Field::end).max().unwrap_or(0)
    }

    /// What `callvirt` of a slot calls on an object of the class.
    pub fn dispatch(&self, class: ClassId, slot: u32) -> Option<FuncId> {
        self.ancestry(class).find_map(|(_, c)| c.slots.get(&slot)).copied()
    }

    /// What `calliface` of an interface's function calls on an object of the class.
    pub fn implementation(&self, class: ClassId, func: FuncId) -> Option<FuncId> {
        self.ancestry(class).find_map(|(_, c)| c.impls.get(&func)).copied()
    }

    /// Whether an object of class `sub` is of class `sup`. Arrays are covariant in reference elements.
    pub fn is_subclass(&self, sub: ClassId, sup: ClassId) -> bool {
        let kind = |c: ClassId| self.classes.get(c).map(|c| c.kind);
        let (mut sub, mut sup) = (sub, sup);
        // The element of an array class may be the class itself in hostile text: descend at most once a class.
        for _ in 0..self.classes.len() {
            match (kind(sub), kind(sup)) {
                (Some(ClassKind::Array(_, Some(a))), Some(ClassKind::Array(_, Some(b)))) if sub != sup => {
                    (sub, sup) = (a, b);
                }
                _ => break,
            }
        }
        let mut seen = BTreeSet::from([sub]);
        let mut open = vec![sub];
        while let Some(id) = open.pop() {
            if id == sup {
                return true;
            }
            let Some(class) = self.classes.get(id) else { continue };
            open.extend(class.superclass.iter().chain(&class.interfaces).filter(|up| seen.insert(**up)));
        }
        false
    }

    /// A field of a class by name, inherited and static ones included.
    pub fn field(&self, class: ClassId, name: &str) -> Option<&Field> {
        self.ancestry(class).flat_map(|(_, c)| c.fields.iter().chain(&c.statics)).find(|f| f.name == name)
    }

    /// The class of which all objects in a register are, if `new` or `statics` is all that writes it.
    fn only_class(&self, func: &Function, reg: Reg) -> Option<ClassId> {
        if reg.0 < func.params {
            return None;
        }
        let mut class = None;
        for inst in func.code.iter().filter(|i| i.dst == reg) {
            let made = matches!(inst.op, Op::New | Op::Statics).then_some(ClassId(inst.a))?;
            if class.is_some_and(|c| c != made) {
                return None;
            }
            class = Some(made);
        }
        class
    }
}

impl Names for Module {
    fn func(&self, func: FuncId) -> String {
        self.funcs.get(func).map_or_else(|| func.to_string(), |f| f.name.clone())
    }

    fn class(&self, class: ClassId) -> String {
        self.classes.get(class).map_or_else(|| class.to_string(), |c| c.name.clone())
    }

    fn str(&self, string: StrId) -> String {
        self.strings.get(string).cloned().unwrap_or_else(|| string.to_string())
    }

    /// Certain if the register's class is known, or if one class of the module alone has such a cell there.
    fn field(&self, func: &Function, inst: &Inst, offset: u32) -> Option<String> {
        let bytes = access_size(inst.op)?;
        let fits = |f: &&Field| f.offset == offset && f.ty.size() == bytes;
        let named = |c: &Class, f: &Field| {
            let name = format!("{}.{}", c.name, f.name);
            (self.resolve_field(&name).ok() == Some(offset)).then_some(name)
        };
        if let Some(class) = self.only_class(func, Reg(inst.a)) {
            let is_statics = func.code.iter().any(|i| i.dst == Reg(inst.a) && i.op == Op::Statics);
            return self.ancestry(class).find_map(|(_, c)| {
                let fields = if is_statics { &c.statics } else { &c.fields };
                fields.iter().find(fits).and_then(|f| named(c, f))
            });
        }
        let mut found = self.classes.values().flat_map(|c| c.fields.iter().filter(fits).map(move |f| (c, f)));
        let (class, field) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        named(class, field)
    }
}

impl Module {
    /// The byte offset of `Class.field`; the class name may itself hold dots.
    pub fn resolve_field(&self, name: &str) -> Result<u32, String> {
        let (class, field) = name.rsplit_once('.').ok_or_else(|| format!("`{name}` is no `Class.field`"))?;
        let id = self.find_class(class).ok_or_else(|| format!("there is no class `{class}`"))?;
        let found = self.field(id, field).ok_or_else(|| format!("class `{class}` has no field `{field}`"))?;
        Ok(found.offset)
    }
}

/// How many bytes a field access touches; `None` if the instruction is no field access.
fn access_size(op: Op) -> Option<u32> {
    if !op.operands().contains(&Operand::Off) {
        return None;
    }
    MemType::ALL.iter().find(|ty| Op::load(**ty) == op || Op::store(**ty) == op).map(|ty| ty.size())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_module;

    const TEXT: &str = "interface Shape {
}

interface Round implements Shape {
}

class Base {
  flag: u8
  val: i32
  slot 0 = @base0
  slot 1 = @base1
  impl @area = @base0
}

class Sub extends Base implements Round {
  big: f64
  tail: i8
  static count: i32
  slot 1 = @sub1
}

array Bases of Base

array Subs of Sub

array Ints of i32

array Loop of Loop
";

    fn module() -> Module {
        parse_module(TEXT).unwrap().module
    }

    #[test]
    fn fields_lie_behind_the_superclass_aligned() {
        let m = module();
        let [base, sub] = ["Base", "Sub"].map(|n| m.find_class(n).unwrap());
        let offset = |name: &str| m.field(sub, name).unwrap().offset;
        assert_eq!(["flag", "val", "big", "tail", "count"].map(offset), [0, 4, 8, 16, 0]);
        assert_eq!((m.instance_size(base), m.instance_size(sub), m.statics_size(sub)), (8, 17, 4));
        assert_eq!(m.resolve_field("Sub.val"), Ok(4));
        assert!(m.resolve_field("Sub.nothing").is_err());
    }

    #[test]
    fn dispatch_is_inherited_and_overridden() {
        let m = module();
        let [base, sub] = ["Base", "Sub"].map(|n| m.find_class(n).unwrap());
        let name = |f: Option<FuncId>| f.map(|f| m.func(f));
        assert_eq!(name(m.dispatch(base, 1)), Some("base1".to_string()));
        assert_eq!(name(m.dispatch(sub, 1)), Some("sub1".to_string()));
        assert_eq!(name(m.dispatch(sub, 0)), Some("base0".to_string()));
        assert_eq!(m.dispatch(sub, 2), None);
        let area = m.find_func("area").unwrap();
        assert_eq!(name(m.implementation(sub, area)), Some("base0".to_string()));
    }

    #[test]
    fn subclasses_follow_superclasses_interfaces_and_elements() {
        let m = module();
        let is = |a: &str, b: &str| m.is_subclass(m.find_class(a).unwrap(), m.find_class(b).unwrap());
        assert!(is("Sub", "Base") && is("Sub", "Round") && is("Sub", "Shape") && is("Sub", "Sub"));
        assert!(!is("Base", "Sub") && !is("Base", "Shape"));
        assert!(is("Subs", "Bases") && !is("Bases", "Subs") && !is("Ints", "Bases") && !is("Subs", "Base"));
        assert!(is("Loop", "Loop") && !is("Loop", "Subs"));
    }
}
