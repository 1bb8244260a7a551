//! Calls that take static fields back to where they were: `Registry.clear()`, `Log.setLevel(Level.INFO)`; and calls that
//! change them, as tests of other classes may.

use std::collections::BTreeSet;

use ir::{ClassId, FuncId};
use vm::{Stop, Val, Vm};

use super::object::{self, Event};
use super::producers::Constant;
use super::recipe::{self, Make};
use super::statics::{Changing, MAX_METHODS, Shared, StaticField, changes, changing, perform};
use crate::link::ClassOrigin;
use crate::load::{Instr, access};
use crate::observe::Seen;
use crate::world::Jvm;

/// The name of the variable that holds what a field held first.
const FIRST: &str = "initial";

/// A call that takes static fields back to where they were.
#[derive(Clone, Debug)]
pub struct Reset {
    func: FuncId,
    /// What it is called on, if it is not static.
    on: Option<Shared>,
    given: Given,
}

/// What a call that takes fields back is given.
#[derive(Clone, Debug)]
enum Given {
    Nothing,
    /// A value as the machine knows it, and as a test spells it.
    Value(u64, Seen),
    /// The object that a constant holds.
    Constant(Constant),
    /// What a static method without parameters returns, or a new object.
    Made(FuncId),
}

impl Reset {
    /// How many steps of a test it takes.
    pub fn steps(&self) -> usize {
        match self.given {
            Given::Nothing | Given::Value(..) => 1,
            Given::Constant(_) | Given::Made(_) => 2,
        }
    }
}

/// Calls that may take fields back, the likeliest first. The machine is in a fresh world.
pub fn resets(vm: &mut Vm<Jvm>, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<Vec<Reset>> {
    let all = changing(&vm.lang, class, fields);
    let returns = |jvm: &Jvm, func: FuncId| jvm.funcs[func].signature.ty.ret.clone();
    let plain = |(on, func): &&Changing| {
        let f = &vm.lang.funcs[*func];
        (f.is_static() || on.is_some()) && f.signature.ty.params.is_empty()
    };
    let mut calls: Vec<Changing> = all.iter().filter(plain).cloned().collect();
    calls.sort_by_key(|(_, func)| (returns(&vm.lang, *func).is_some(), vm.lang.funcs[*func].class != class));
    calls.truncate(MAX_METHODS);
    let mut found: Vec<Vec<Reset>> =
        calls.into_iter().map(|(on, func)| vec![Reset { func, on, given: Given::Nothing }]).collect();
    found.extend(on_instances(&vm.lang, class, fields).into_iter().map(|reset| vec![reset]));
    let setters: Vec<Reset> = all.iter().filter_map(|changing| setter(vm, changing, fields)).collect();
    found.extend(setters.iter().map(|reset| vec![reset.clone()]));
    if setters.len() > 1 {
        found.push(setters);
    }
    found
}

/// `Registry.getInstance().clear()`.
fn on_instances(jvm: &Jvm, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<Reset> {
    let mut owners = vec![class];
    for (owner, _) in fields {
        owners.extend(jvm.loaded(owner).filter(|owner| !owners.contains(owner)));
    }
    let mut found = Vec::new();
    for owner in owners {
        for getter in jvm.classes[owner].functions() {
            let f = &jvm.funcs[getter];
            let asks = f.is_static() && f.signature.ty.params.is_empty() && recipe::can_call(jvm, getter);
            let Some(crate::load::FieldType::Class(name)) = f.signature.ty.ret.as_ref().filter(|_| asks)
            else {
                continue;
            };
            let Some(of) = jvm.loaded(name).filter(|of| jvm.classes[*of].origin == ClassOrigin::User) else {
                continue;
            };
            let methods = jvm.classes[of].functions().filter(|func| {
                let f = &jvm.funcs[*func];
                let plain = f.access & (access::STATIC | access::ABSTRACT) == 0
                    && f.signature.ty.params.is_empty()
                    && f.signature.ty.ret.is_none();
                plain && recipe::can_call(jvm, *func) && super::effects::writes(jvm, of, *func).is_some()
            });
            let methods = methods.filter(|func| !jvm.funcs[*func].name.starts_with('<'));
            let on = || Some(Shared::Got(getter));
            found.extend(methods.map(|func| Reset { func, on: on(), given: Given::Nothing }));
        }
    }
    found.truncate(MAX_METHODS);
    found
}

/// A method with one parameter, given what a field of that type holds in the beginning.
fn setter(vm: &mut Vm<Jvm>, (on, func): &Changing, fields: &BTreeSet<StaticField>) -> Option<Reset> {
    let func = *func;
    let f = &vm.lang.funcs[func];
    let [param] = &f.signature.ty.params[..] else { return None };
    let param = param.clone();
    if !f.is_static() && on.is_none() || f.signature.ty.ret.is_some() {
        return None;
    }
    let written: Vec<StaticField> = fields
        .iter()
        .filter(|field| changes(&vm.lang, func, &BTreeSet::from([(*field).clone()]), &mut Vec::new(), 0))
        .cloned()
        .collect();
    written.into_iter().find_map(|(owner, name)| {
        let owner = vm.lang.loaded(&owner)?;
        super::initialise(vm, owner).ok()?;
        let field = vm.lang.classes[owner].fields.iter().find(|f| f.is_static() && f.name == name)?;
        if crate::load::FieldType::parse(&field.descriptor).as_ref() != Some(&param) {
            return None;
        }
        let (offset, ty) = (field.offset, field.ty);
        let statics = <Jvm as vm::Lang>::statics(vm, owner).ok()?;
        let bits = vm.load_bits(statics, offset, ty);
        let value = crate::observe::see(vm, bits, &param);
        let simple = !param.is_reference() || matches!(value, Seen::Null | Seen::Str(_));
        let given = if simple { Given::Value(bits, value) } else { initial(vm, owner, &name)? };
        Some(Reset { func, on: on.clone(), given })
    })
}

/// Where a static field has its first object from, by the code that initialises its class: `Level.INFO`,
/// `Comparator.naturalOrder()`, `new Clock()`.
fn initial(vm: &mut Vm<Jvm>, owner: ClassId, field: &str) -> Option<Given> {
    let file = vm.lang.classes[owner].file.clone()?;
    let code = file.method("<clinit>", "()V")?.bytecode().ok()??;
    let puts = |instr: &Instr| {
        let Instr::PutStatic(cp) = instr else { return false };
        file.pool.field(*cp).is_ok_and(|member| *member.class == *file.name && member.name == field)
    };
    let at = code.instrs.iter().position(|(_, instr)| puts(instr))?;
    // Only where nothing else can have come before.
    let before = |back: usize| code.instrs.get(at.checked_sub(back)?).map(|(_, instr)| instr);
    match before(1)? {
        Instr::GetStatic(cp) => {
            let member = file.pool.field(*cp).ok()?;
            let owner = vm.lang.class(member.class).ok()?;
            let held = vm.lang.classes[owner].field(member.name, member.descriptor)?;
            let open = held.access & access::PUBLIC != 0 || recipe::is_near(&vm.lang, owner);
            if !open || held.access & access::PRIVATE != 0 || !recipe::can_name(&vm.lang, owner) {
                return None;
            }
            match super::producers::constant(&vm.lang, owner, member.name, member.descriptor)? {
                Make::Constant(constant) => Some(Given::Constant(constant)),
                Make::Call(_) => None,
            }
        }
        call @ (Instr::InvokeStatic(cp) | Instr::InvokeSpecial(cp)) => {
            let member = file.pool.method(*cp).ok()?;
            let makes = match call {
                Instr::InvokeStatic(_) => true,
                _ => {
                    matches!((before(2)?, before(3)?), (Instr::Dup, Instr::New(_))) && member.name == "<init>"
                }
            };
            let class = vm.lang.class(member.class).ok()?;
            let func = vm.lang.declared(class, member.name, member.descriptor)?;
            let jvm = &vm.lang;
            let plain = jvm.funcs[func].signature.ty.params.is_empty();
            let open = recipe::can_name(jvm, class) && recipe::can_call(jvm, func);
            (makes && plain && open).then_some(Given::Made(func))
        }
        _ => None,
    }
}

/// Calls what takes static fields back, before everything else.
pub fn reset(vm: &mut Vm<Jvm>, reset: &Reset) -> Result<(), Stop> {
    let args = match &reset.given {
        Given::Nothing => Vec::new(),
        Given::Value(_, Seen::Str(units)) => vec![Val::obj(crate::link::new_string(vm, units)?)],
        Given::Value(bits, _) => vec![Val { bits: *bits, term: term::TermId::NONE }],
        Given::Constant(constant) => {
            let object = super::producers::read(vm, constant)?;
            let (owner, field) = (constant.owner, constant.name.clone());
            object::log(vm, Event::Constant { name: FIRST.to_string(), object, owner, field });
            vec![Val::obj(object)]
        }
        Given::Made(func) => {
            let object = perform(vm, None, *func, Vec::new())?.ok_or(Stop::Assumption)?;
            let object = vm.deref(object)?;
            let class = vm.lang.funcs[*func].class;
            let (name, on, args, of) = (FIRST.to_string(), None, Vec::new(), Vec::new());
            object::log(vm, Event::Made { name, object, func: *func, on, args, class, of });
            vec![Val::obj(object)]
        }
    };
    let types = vm.lang.funcs[reset.func].signature.ty.params.clone();
    let seen =
        types.iter().zip(&args).map(|(ty, arg)| crate::observe::see_argument(vm, arg.bits, ty)).collect();
    perform(vm, reset.on.as_ref(), reset.func, args)?;
    let args = match &reset.given {
        Given::Value(_, value) => vec![value.clone()],
        _ => seen,
    };
    object::log(vm, Event::CalledFirst { on: reset.on.clone(), func: reset.func, args });
    Ok(())
}

/// Calls whatever changes the fields, with arguments that others may start with as well, last with some that nobody starts with:
/// what tests of other classes may do.
pub fn disturb(vm: &mut Vm<Jvm>, class: ClassId, fields: &BTreeSet<StaticField>) {
    let mut all = changing(&vm.lang, class, fields);
    // What takes them back leaves nothing to be seen.
    all.sort_by_key(|(_, func)| {
        let f = &vm.lang.funcs[*func];
        (!f.signature.ty.params.is_empty(), recipe::grows(&f.name))
    });
    for which in [Usual::Zero, Usual::One, Usual::Odd] {
        for (on, func) in &all {
            let types = vm.lang.funcs[*func].signature.ty.params.clone();
            let args: Option<Vec<Val>> = types.iter().map(|ty| argument(vm, ty, which)).collect();
            let Some(args) = args else { continue };
            // One that was stopped leaves a world in pieces.
            match perform(vm, on.as_ref(), *func, args) {
                Ok(_) | Err(Stop::Assumption) => vm.keep(),
                Err(_) => {}
            }
            vm.start_exploration();
        }
    }
}

/// What tests give a call: the simplest, the next, and what is not what fields hold in the beginning.
#[derive(Clone, Copy)]
enum Usual {
    Zero,
    One,
    Odd,
}

fn argument(vm: &mut Vm<Jvm>, ty: &crate::load::FieldType, which: Usual) -> Option<Val> {
    use crate::load::FieldType;
    let (number, text) = match which {
        Usual::Zero => (0u8, ""),
        Usual::One => (1, "a"),
        Usual::Odd => (77, "odd"),
    };
    let plain = |bits: u64| Val { bits, term: term::TermId::NONE };
    Some(match ty {
        FieldType::Boolean => Val::bool(number > 0),
        FieldType::Byte | FieldType::Short | FieldType::Char | FieldType::Int => Val::i32(number.into()),
        FieldType::Long => plain(number.into()),
        FieldType::Float => plain(f32::from(number).to_bits().into()),
        FieldType::Double => plain(f64::from(number).to_bits()),
        FieldType::Class(name) if &**name == "java/lang/String" => {
            let units: Vec<u16> = text.encode_utf16().collect();
            Val::obj(crate::link::new_string(vm, &units).ok()?)
        }
        FieldType::Class(_) | FieldType::Array(_) => return None,
    })
}
