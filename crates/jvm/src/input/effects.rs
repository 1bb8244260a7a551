//! What methods do to the object they are called on, as far as their code tells: setters, and methods that may change it.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, FuncId};

use super::recipe::can_call;
use crate::link::ClassOrigin;
use crate::load::instr::Kind;
use crate::load::{ClassFile, Instr, MemberRef, access};
use crate::world::Jvm;

/// A method that assigns its argument to a field and does nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setter {
    pub func: FuncId,
    /// The class that declares the field.
    pub owner: ClassId,
    pub field: String,
    pub descriptor: String,
    /// It takes no null.
    pub non_null: bool,
}

/// The setters of a class that a test may call, one a field.
pub(super) fn setters(jvm: &Jvm, class: ClassId) -> Vec<Setter> {
    let mut found: Vec<Setter> = Vec::new();
    let mut names: Vec<(&str, &str)> = Vec::new();
    for owner in jvm.classes[class].ancestors.iter().rev().copied() {
        if jvm.classes[owner].origin == ClassOrigin::Library {
            continue;
        }
        let Some(file) = &jvm.classes[owner].file else { continue };
        for func in jvm.classes[owner].functions() {
            let f = &jvm.funcs[func];
            let overridden = names.contains(&(&*f.name, &*f.descriptor));
            names.push((&f.name, &f.descriptor));
            let plain = f.access & (access::STATIC | access::ABSTRACT | access::NATIVE) == 0;
            if overridden || !plain || f.signature.ty.params.len() != 1 || !can_call(jvm, func) {
                continue;
            }
            if let Some(setter) = setter(jvm, class, file, func)
                && !found.iter().any(|s| s.field == setter.field && s.owner == setter.owner)
            {
                found.push(setter);
            }
        }
    }
    found
}

fn setter(jvm: &Jvm, class: ClassId, file: &ClassFile, func: FuncId) -> Option<Setter> {
    let f = &jvm.funcs[func];
    let code = file.method(&f.name, &f.descriptor)?.bytecode().ok()??;
    let mut instrs =
        code.instrs.iter().map(|(_, instr)| instr).filter(|i| !matches!(i, Instr::Nop)).peekable();
    let mut non_null = false;
    // Kotlin's check of a parameter that is not nullable.
    if matches!(instrs.peek(), Some(Instr::Load(Kind::Ref, 1))) {
        instrs.next();
        let (Some(Instr::Ldc(_)), Some(Instr::InvokeStatic(cp))) = (instrs.next(), instrs.next()) else {
            return None;
        };
        let called = file.pool.method(*cp).ok()?;
        if called.class != "kotlin/jvm/internal/Intrinsics" || !called.name.starts_with("check") {
            return None;
        }
        non_null = true;
    }
    let (Some(Instr::Load(Kind::Ref, 0)), Some(Instr::Load(_, 1))) = (instrs.next(), instrs.next()) else {
        return None;
    };
    if let Some(Instr::InvokeStatic(cp)) = instrs.peek() {
        let called = file.pool.method(*cp).ok()?;
        let one = "(Ljava/lang/Object;)Ljava/lang/Object;";
        if (called.class, called.name, called.descriptor) != ("java/util/Objects", "requireNonNull", one) {
            return None;
        }
        non_null = true;
        instrs.next();
        if matches!(instrs.peek(), Some(Instr::CheckCast(_))) {
            instrs.next();
        }
    }
    let Some(Instr::PutField(cp)) = instrs.next() else { return None };
    let field = file.pool.field(*cp).ok()?;
    let rest: Vec<&Instr> = instrs.collect();
    let ends = matches!(
        rest.as_slice(),
        [Instr::Return(None)]
            | [Instr::Load(Kind::Ref, 0), Instr::Return(Some(Kind::Ref))]
            | [Instr::Load(Kind::Ref, 0), Instr::CheckCast(_), Instr::Return(Some(Kind::Ref))]
    );
    // The field is of the class itself, or of one above it that declares it.
    let holder = jvm.loaded(field.class).filter(|holder| jvm.classes[class].ancestors.contains(holder))?;
    let owner = jvm.classes[holder].ancestors.iter().rev().copied().find(|owner| {
        jvm.classes[*owner].field(field.name, field.descriptor).is_some_and(|f| !f.is_static())
    })?;
    let takes = f.descriptor.strip_prefix('(').and_then(|d| d.strip_prefix(field.descriptor));
    (ends && takes.is_some_and(|rest| rest.starts_with(')'))).then(|| Setter {
        func,
        owner,
        field: field.name.to_string(),
        descriptor: field.descriptor.to_string(),
        non_null,
    })
}

/// Calls of own methods are followed so deep.
const MAX_DEPTH: u32 = 4;

/// Names of the fields that a method may change of the object that it is called on, or of what belongs to it: those it
/// assigns, and those whose objects it hands to code that may do anything with them. `None` if it changes nothing.
pub fn writes(jvm: &Jvm, class: ClassId, func: FuncId) -> Option<BTreeSet<Arc<str>>> {
    let mut found = BTreeSet::new();
    changes(jvm, class, func, &mut found, &mut Vec::new(), 0).then_some(found)
}

fn changes(
    jvm: &Jvm,
    class: ClassId,
    func: FuncId,
    found: &mut BTreeSet<Arc<str>>,
    seen: &mut Vec<FuncId>,
    depth: u32,
) -> bool {
    if depth > MAX_DEPTH || seen.contains(&func) {
        return false;
    }
    seen.push(func);
    let f = &jvm.funcs[func];
    let Some(file) = &jvm.classes[f.class].file else { return false };
    let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
        return false;
    };
    let mut held = BTreeSet::new();
    holds(jvm, class, func, &mut held, &mut Vec::new(), depth);
    let (mut any, mut inside) = (false, false);
    for (_, instr) in &code.instrs {
        let called = match instr {
            Instr::PutField(cp) => {
                any = true;
                found.extend(file.pool.field(*cp).ok().map(|field| Arc::from(field.name)));
                continue;
            }
            Instr::PutStatic(_) => {
                any = true;
                continue;
            }
            Instr::ArrayStore(_) => {
                inside |= !held.is_empty();
                continue;
            }
            Instr::InvokeVirtual(cp) | Instr::InvokeSpecial(cp) | Instr::InvokeInterface(cp) => cp,
            _ => continue,
        };
        let Ok(called) = file.pool.method(*called) else { continue };
        let owner = jvm.loaded(called.class);
        if called.name == "<init>" {
            continue;
        }
        if is_handle(called.class) {
            if !called.name.starts_with("get") || called.name.starts_with("getAnd") {
                any = true;
                found.extend(handled(jvm, class));
            }
            continue;
        }
        if let Some(callee) = own_method(jvm, class, &called) {
            any |= changes(jvm, class, callee, found, seen, depth + 1);
        } else if is_changeable(&format!("L{};", called.class))
            && !reads_only(called.name, called.descriptor)
            && !only_looks(called.class, called.name, &held)
            && !owner.is_some_and(|owner| is_stood_for(jvm, owner))
        {
            inside |= !held.is_empty();
        }
    }
    if inside {
        found.extend(held.into_iter().map(|(name, _)| name));
    }
    any || inside
}

/// Whether objects of a library's class read and write fields of others, which they do not name.
fn is_handle(class: &str) -> bool {
    class == "java/lang/invoke/VarHandle"
        || class.starts_with("java/util/concurrent/atomic/Atomic") && class.ends_with("FieldUpdater")
}

/// The fields of a class that such an object may be for.
fn handled(jvm: &Jvm, class: ClassId) -> impl Iterator<Item = Arc<str>> {
    let owners = jvm.classes[class].ancestors.iter();
    let fields = owners.flat_map(|owner| &jvm.classes[*owner].fields);
    fields.filter(|f| !f.is_static() && f.access & access::VOLATILE != 0).map(|f| f.name.clone())
}

/// The method of the object's own class that a call on it runs.
fn own_method(jvm: &Jvm, class: ClassId, called: &MemberRef<'_>) -> Option<FuncId> {
    let owner = jvm.loaded(called.class)?;
    let ancestors = &jvm.classes[class].ancestors;
    ancestors.contains(&owner).then_some(())?;
    ancestors.iter().rev().find_map(|o| jvm.declared(*o, called.name, called.descriptor))
}

/// Names and types of the fields whose objects a method has in hand: those it reads, and those that own methods which it asks for
/// something read (`find(id).post(amount)`).
fn holds(
    jvm: &Jvm,
    class: ClassId,
    func: FuncId,
    found: &mut BTreeSet<(Arc<str>, Arc<str>)>,
    seen: &mut Vec<FuncId>,
    depth: u32,
) {
    if depth > MAX_DEPTH || seen.contains(&func) {
        return;
    }
    seen.push(func);
    let f = &jvm.funcs[func];
    let Some(file) = &jvm.classes[f.class].file else { return };
    let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else { return };
    for (_, instr) in &code.instrs {
        match instr {
            Instr::GetField(cp) => {
                let field = file.pool.field(*cp).ok().filter(|field| is_changeable(field.descriptor));
                found.extend(field.map(|field| (field.name.into(), field.descriptor.into())));
            }
            Instr::InvokeVirtual(cp) | Instr::InvokeSpecial(cp) => {
                let Ok(called) = file.pool.method(*cp) else { continue };
                let hands_out = called.descriptor.ends_with(';');
                if let Some(callee) = own_method(jvm, class, &called).filter(|_| hands_out) {
                    holds(jvm, class, callee, found, seen, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Methods of the library that show what a collection holds and leave it as it is. Going over it changes nothing but who goes
/// over it, which may be what a field holds.
fn only_looks(class: &str, name: &str, held: &BTreeSet<(Arc<str>, Arc<str>)>) -> bool {
    if class.starts_with("java/util/stream/") {
        return !name.starts_with("forEach");
    }
    if matches!(class, "java/util/Iterator" | "java/util/ListIterator") {
        let kept = |descriptor: &str| descriptor.ends_with("Iterator;");
        return name == "next" && !held.iter().any(|(_, descriptor)| kept(descriptor));
    }
    class.starts_with("java/util/")
        && matches!(
            name,
            "values"
                | "keySet"
                | "entrySet"
                | "navigableKeySet"
                | "descendingMap"
                | "descendingSet"
                | "stream"
                | "iterator"
                | "descendingIterator"
                | "listIterator"
                | "spliterator"
                | "peek"
                | "peekFirst"
                | "peekLast"
                | "element"
                | "first"
                | "last"
                | "firstKey"
                | "lastKey"
                | "firstEntry"
                | "lastEntry"
                | "floor"
                | "ceiling"
                | "lower"
                | "higher"
                | "floorKey"
                | "ceilingKey"
                | "lowerKey"
                | "higherKey"
                | "floorEntry"
                | "ceilingEntry"
                | "lowerEntry"
                | "higherEntry"
                | "headMap"
                | "tailMap"
                | "subMap"
                | "headSet"
                | "tailSet"
                | "subSet"
                | "subList"
                | "indexOf"
                | "lastIndexOf"
                | "nextSetBit"
                | "nextClearBit"
                | "cardinality"
                | "intersects"
                | "copyOf"
                | "orElse"
                | "orElseThrow"
                | "ifPresent"
                | "map"
                | "filter"
        )
}

/// Whether nothing implements an interface of the program: what stands for it in a test has no state to change.
fn is_stood_for(jvm: &Jvm, class: ClassId) -> bool {
    let of = &jvm.classes[class];
    of.is_interface()
        && of.origin != ClassOrigin::Library
        && jvm.worlds.hierarchy.as_ref().is_some_and(|below| !below.contains_key(&of.name))
}

/// Names of the fields that functions read.
pub fn reads(jvm: &Jvm, funcs: impl Iterator<Item = FuncId>) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    for func in funcs {
        let f = &jvm.funcs[func];
        let Some(file) = &jvm.classes[f.class].file else { continue };
        let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
            continue;
        };
        for (_, instr) in &code.instrs {
            match instr {
                Instr::GetField(cp) => {
                    found.extend(file.pool.field(*cp).ok().map(|field| Arc::from(field.name)));
                }
                Instr::InvokeVirtual(cp) if file.pool.method(*cp).is_ok_and(|of| is_handle(of.class)) => {
                    found.extend(handled(jvm, f.class));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether what a field of a type holds can change.
pub fn is_changeable(descriptor: &str) -> bool {
    let Some(name) = descriptor.strip_prefix('L') else { return descriptor.starts_with('[') };
    let fixed = ["java/lang/", "java/math/", "java/time/", "java/util/function/"];
    let open = ["java/lang/Object;", "java/lang/StringBu", "java/lang/Appendable", "java/lang/Iterable"];
    !fixed.iter().any(|p| name.starts_with(p)) || open.iter().any(|p| name.starts_with(p))
}

/// Methods that are named like those that only look, and hand out what they saw.
pub(super) fn reads_only(name: &str, descriptor: &str) -> bool {
    let prefixes =
        ["get", "is", "has", "to", "equals", "hash", "compare", "contains", "size", "length", "count"];
    // Whole words: `topping` converts to nothing, and `to` alone neither.
    let is_word = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_lowercase());
    let named = prefixes.iter().any(|p| name.strip_prefix(p).is_some_and(is_word)) && name != "to";
    named && !descriptor.ends_with(")V") || name.strip_prefix("print").is_some_and(is_word)
}
