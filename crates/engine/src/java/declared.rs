//! What the types of the source say of values in code, for proofs: a list is a `Collection` wherever it comes from, and the table by
//! which `switch` goes over an enum has a number for each constant that it names.

use std::collections::BTreeSet;
use std::sync::Arc;

use explore::{OfType, Typed};
use ir::{ClassId, FuncId, Function, Inst, MemType, Op, Reg};
use jvm::kotlin::{KotlinClass, Nullness, kotlin};
use jvm::link::Func;
use jvm::load::{FieldType, Instr, access};
use jvm::world::Jvm;

/// What types say of the values in a function.
pub(super) fn typed(jvm: &Jvm, func: FuncId, function: &Function) -> Typed {
    let asked = function.code.iter().filter(|inst| inst.op == Op::InstanceOf).map(|inst| ClassId(inst.b));
    let asked: BTreeSet<ClassId> = asked.collect();
    let asks_for_null = function.code.iter().any(|inst| inst.op == Op::IsNull);
    let is_call = |inst: &Inst| matches!(inst.op, Op::Call | Op::CallVirt | Op::CallIface);
    let mut typed = Typed::default();
    for (index, inst) in function.code.iter().enumerate() {
        if inst.op == Op::aload(MemType::I32)
            && let Some(most) = numbered_constants(jvm, function, index)
        {
            typed.numbers.insert(index as u32, (1, most));
        }
        if let Some(range) = truth(jvm, inst) {
            typed.numbers.entry(index as u32).or_insert(range);
        }
        if !asked.is_empty()
            && let Some((ty, present)) = object(jvm, func, function, index)
        {
            let of = OfType { is: above(jvm, ty, &asked), present };
            if !of.is.is_empty() {
                typed.objects.insert(index as u32, of);
            }
        }
        if asks_for_null && is_call(inst) && gives_something(jvm, func, inst) {
            typed.objects.entry(index as u32).or_default().present = true;
        }
    }
    let f = &jvm.funcs[func];
    let first = u32::from(!f.is_static());
    let ranges = f.signature.ty.params.iter().enumerate().filter_map(|(i, ty)| {
        let reg = Reg(first + i as u32);
        Some((reg, range(ty)?)).filter(|_| is_kept(function, reg))
    });
    typed.ranges = ranges.collect();
    if !asked.is_empty() {
        for (reg, ty, present) in parameters(jvm, func, function) {
            let of = OfType { is: above(jvm, ty, &asked), present };
            if !of.is.is_empty() {
                typed.params.insert(reg, of);
            }
        }
    }
    typed
}

/// The numbers of a type that are fewer than those of a register.
fn range(ty: &FieldType) -> Option<(i64, i64)> {
    match ty {
        FieldType::Boolean => Some((0, 1)),
        FieldType::Byte => Some((i8::MIN.into(), i8::MAX.into())),
        FieldType::Short => Some((i16::MIN.into(), i16::MAX.into())),
        FieldType::Char => Some((0, u16::MAX.into())),
        _ => None,
    }
}

/// What the type says of a number that a field of a class under test holds or a call gives. Only truth values are read as bytes without sign.
fn truth(jvm: &Jvm, inst: &Inst) -> Option<(i64, i64)> {
    match inst.op {
        Op::Call | Op::CallIface => range(jvm.funcs.get(FuncId(inst.a))?.signature.ty.ret.as_ref()?),
        op if op == Op::load(MemType::U8) => range(&FieldType::Boolean),
        _ => None,
    }
}

/// Whether a method of the library only calculates with its arguments.
pub(super) fn is_arithmetic(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let ty = &f.signature.ty;
    f.is_static()
        && ty.ret.iter().chain(&ty.params).all(|ty| !ty.is_reference())
        && matches!(
            &*jvm.classes[f.class].name,
            "java/lang/Math"
                | "java/lang/StrictMath"
                | "java/lang/Boolean"
                | "java/lang/Character"
                | "java/lang/Integer"
                | "java/lang/Long"
                | "java/lang/Float"
                | "java/lang/Double"
        )
}

/// Whether a method looks at volatile fields: what they hold may change from one look to the next.
pub(super) fn is_shared(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let Some(file) = jvm.classes[f.class].file.as_deref() else { return false };
    let code = file.method(&f.name, &f.descriptor).and_then(|method| method.bytecode().ok().flatten());
    code.is_some_and(|code| {
        code.instrs.iter().any(|(_, instr)| {
            let (Instr::GetField(cp) | Instr::GetStatic(cp)) = instr else { return false };
            // Of a field that is not found nothing is known either.
            let found = file.pool.field(*cp).ok().and_then(|field| {
                let owner = &jvm.classes[jvm.loaded(field.class)?];
                let mut owners = owner.ancestors.iter().map(|owner| &jvm.classes[*owner]);
                owners.find_map(|owner| owner.field(field.name, field.descriptor))
            });
            found.is_none_or(|field| field.access & access::VOLATILE != 0)
        })
    })
}

/// Those of the classes that objects of a type are of.
fn above(jvm: &Jvm, ty: ClassId, asked: &BTreeSet<ClassId>) -> Vec<ClassId> {
    asked.iter().copied().filter(|class| jvm.is_subclass(ty, *class)).collect()
}

fn class_of(jvm: &Jvm, ty: &FieldType) -> Option<ClassId> {
    match ty {
        FieldType::Class(name) => jvm.loaded(name),
        _ => None,
    }
}

fn kotlin_of(jvm: &Jvm, class: ClassId) -> Option<KotlinClass> {
    jvm.classes[class].file.as_deref().and_then(kotlin)
}

/// The type of the object that an instruction gives, and whether it is never null: a new one, a field of the object itself, what a call
/// is declared to return.
fn object(jvm: &Jvm, func: FuncId, function: &Function, index: usize) -> Option<(ClassId, bool)> {
    let inst = &function.code[index];
    match inst.op {
        Op::New => Some((ClassId(inst.a), true)),
        Op::Call | Op::CallIface => {
            let f = jvm.funcs.get(FuncId(inst.a))?;
            let ty = class_of(jvm, f.signature.ty.ret.as_ref()?)?;
            Some((ty, never_null_in_kotlin(jvm, f)))
        }
        op if op == Op::load(MemType::Ref) => {
            let f = &jvm.funcs[func];
            let on_itself = inst.a == 0 && !f.is_static() && is_kept(function, Reg(0));
            let owners = jvm.classes[f.class].ancestors.iter().filter(|_| on_itself);
            let mut fields = owners.flat_map(|owner| jvm.classes[*owner].fields.iter().map(|f| (*owner, f)));
            let (owner, field) = fields.find(|(_, field)| !field.is_static() && field.offset == inst.b)?;
            let ty = class_of(jvm, &FieldType::parse(&field.descriptor)?)?;
            let never = kotlin_of(jvm, owner).is_some_and(|class| {
                let mut own = class.properties.iter().filter(|p| *p.name == *field.name);
                own.any(|property| property.nullable == Nullness::Never)
            });
            Some((ty, never && field.access & access::FINAL != 0))
        }
        _ => None,
    }
}

fn never_null_in_kotlin(jvm: &Jvm, f: &Func) -> bool {
    let kotlin = kotlin_of(jvm, f.class);
    let known = kotlin.as_ref().and_then(|class| {
        let function = class.function(&f.name, &f.descriptor, f.signature.ty.params.len());
        function.map(|f| f.returns).or_else(|| class.getter(&f.name).map(|p| p.nullable))
    });
    known == Some(Nullness::Never)
}

/// Whether a call never returns null, by the types of Kotlin or by what the library says of its texts.
fn gives_something(jvm: &Jvm, func: FuncId, inst: &Inst) -> bool {
    let called = match inst.op {
        // Of the class that is called only the place among its methods is known: those of every object stand first.
        Op::CallVirt => {
            let object = jvm.loaded("java/lang/Object").map(|object| &jvm.classes[object].vtable);
            object.and_then(|methods| methods.get(inst.a as usize)).copied()
        }
        _ => Some(FuncId(inst.a)),
    };
    let Some(f) = called.and_then(|called| jvm.funcs.get(called)) else { return false };
    // Of numbers nothing is known.
    if !f.signature.ty.ret.as_ref().is_some_and(FieldType::is_reference) {
        return false;
    }
    match &*jvm.classes[f.class].name {
        // In Java it may be.
        "java/lang/Object" => &*f.name == "toString" && kotlin_of(jvm, jvm.funcs[func].class).is_some(),
        "java/lang/String" | "java/lang/StringBuilder" | "java/lang/StringBuffer" => &*f.name != "transform",
        "java/lang/Boolean"
        | "java/lang/Byte"
        | "java/lang/Character"
        | "java/lang/Short"
        | "java/lang/Integer"
        | "java/lang/Long"
        | "java/lang/Float"
        | "java/lang/Double" => {
            matches!(&*f.name, "valueOf" | "toString")
        }
        _ => never_null_in_kotlin(jvm, f),
    }
}

/// The parameters of a function that nothing writes, their types, and whether they are never null.
fn parameters(jvm: &Jvm, func: FuncId, function: &Function) -> Vec<(Reg, ClassId, bool)> {
    let f = &jvm.funcs[func];
    let first = u32::from(!f.is_static());
    let types = &f.signature.ty.params;
    let kotlin = kotlin_of(jvm, f.class);
    let known = kotlin.as_ref().and_then(|class| class.function(&f.name, &f.descriptor, types.len()));
    let nulls: Vec<bool> = match known {
        Some(known) => {
            known.receiver.into_iter().chain(known.parameters.iter().map(|n| n.may_be())).collect()
        }
        None => vec![true; types.len()],
    };
    let own = (first == 1).then_some((Reg(0), f.class, true));
    let others = types.iter().enumerate().filter_map(|(i, ty)| {
        let never = nulls.get(i) == Some(&false);
        Some((Reg(first + i as u32), class_of(jvm, ty)?, never))
    });
    own.into_iter().chain(others).filter(|(reg, ..)| is_kept(function, *reg)).collect()
}

fn is_kept(function: &Function, reg: Reg) -> bool {
    reg.0 < function.params && function.code.iter().all(|inst| inst.dst != reg)
}

/// The highest number in the table of a `switch` over an enum, if the table has one for every constant: javac and the Kotlin compiler
/// make an array of numbers by ordinal in a class of its own, and read it at the constant's ordinal.
fn numbered_constants(jvm: &Jvm, function: &Function, index: usize) -> Option<i64> {
    let start = function.blocks[function.block_at(index as u32)].start as usize;
    let made = |reg: u32, before: usize| {
        (start..before).rev().find(|i| function.code[*i].dst == Reg(reg)).map(|i| (i, &function.code[i]))
    };
    let (at, table) = made(function.code[index].a, index)?;
    let (_, statics) = made(table.a, at).filter(|_| table.op == Op::load(MemType::Ref))?;
    let holder = (statics.op == Op::Statics).then_some(ClassId(statics.a))?;
    let class = &jvm.classes[holder];
    let mut fields = class.fields.iter().filter(|field| field.is_static() && &*field.descriptor == "[I");
    let field = fields.find(|field| field.offset == table.b && field.name.starts_with('$'))?;
    let (constants, of) = entries(jvm, holder, &field.name)?;
    let of = jvm.loaded(&of)?;
    let all = jvm.classes[of].fields.iter().filter(|field| field.access & access::ENUM != 0);
    let mut all = all.map(|field| &field.name).peekable();
    (all.peek().is_some() && all.all(|name| constants.contains(name))).then_some(constants.len() as i64)
}

/// The constants that the initialiser of a class gives numbers in a table, and their enum.
fn entries(jvm: &Jvm, holder: ClassId, table: &str) -> Option<(BTreeSet<Arc<str>>, Arc<str>)> {
    let file = jvm.classes[holder].file.as_deref()?;
    let code = file.method("<clinit>", "()V")?.bytecode().ok()??;
    let mut found: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut of: Option<Arc<str>> = None;
    // javac names the table in front of each constant, the Kotlin compiler stores it when all are in it.
    let mut current: Option<&str> = None;
    let mut waiting: Vec<(&str, &str)> = Vec::new();
    let mut enter = |(name, class): (&str, &str)| {
        found.insert(name.into());
        of.get_or_insert_with(|| class.into()).as_ref() == class
    };
    for (_, instr) in &code.instrs {
        let (Instr::GetStatic(cp) | Instr::PutStatic(cp)) = instr else { continue };
        let field = file.pool.field(*cp).ok()?;
        match (instr, field.descriptor == "[I") {
            (Instr::GetStatic(_), true) => current = Some(field.name),
            (Instr::PutStatic(_), true) if field.name == table => {
                for one in std::mem::take(&mut waiting) {
                    enter(one).then_some(())?;
                }
            }
            (Instr::PutStatic(_), true) => waiting.clear(),
            (Instr::GetStatic(_), false) => {
                let is_constant =
                    field.descriptor.strip_prefix('L').and_then(|d| d.strip_suffix(';')) == Some(field.class);
                match current {
                    _ if !is_constant => {}
                    Some(current) if current == table => enter((field.name, field.class)).then_some(())?,
                    Some(_) => {}
                    None => waiting.push((field.name, field.class)),
                }
            }
            _ => {}
        }
    }
    Some((found, of?))
}
