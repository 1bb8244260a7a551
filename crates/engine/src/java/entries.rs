//! What of a class is explored: methods as a test calls them.

use std::sync::Arc;

use ir::{ClassId, FuncId};
use jvm::input::{Generic, Hidden, Kind, LeftOut, hidden};
use jvm::load::access;
use jvm::observe::dispatched_in;
use jvm::world::Jvm;
use vm::Vm;

use super::explore::subject;
use super::subject::{Param, Subject};
use crate::config::Config;
use crate::error::Error;
use crate::target::{ClassTarget, means, nearest, spelled};

/// A method to explore.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The class under test, or one nested in it.
    pub class: ClassId,
    pub func: FuncId,
    /// The objects it is called on, where their class has no name.
    pub hidden: Option<Hidden>,
    /// What runs in its place, as the call leaves arguments out.
    pub left_out: Option<LeftOut>,
}

impl Entry {
    /// What it is called on and with; `None` if a test cannot make anything to call it on.
    pub fn subject(&self, vm: &mut Vm<Jvm>) -> Option<Subject> {
        let reached = super::unreached::reach(vm, self.class, self.func);
        vm.lang.worlds.wanted = Arc::new(jvm::input::reads(&vm.lang, reached.keys().copied()));
        vm.lang.worlds.behind = self.hidden.as_ref().map_or_else(Vec::new, |hidden| hidden.classes.clone());
        let mut subject = self.on_its_own(vm)?;
        subject.wanted = vm.lang.worlds.wanted.clone();
        subject.statics = jvm::input::statics(vm, self.class, self.func, reached.into_keys().collect());
        Some(subject)
    }

    /// Without calls before.
    fn on_its_own(&self, vm: &mut Vm<Jvm>) -> Option<Subject> {
        let Some(hidden) = &self.hidden else {
            let mut subject = subject(vm, self.class, self.func)?;
            subject.left_out.clone_from(&self.left_out);
            return Some(subject);
        };
        vm.lang.worlds.context = Some(self.class);
        let name = hidden.name.clone().unwrap_or_else(|| super::explore::receiver_name(&vm.lang, hidden.ty));
        let ty = jvm::load::FieldType::Class(vm.lang.classes[hidden.ty].name.clone());
        let types = jvm::input::params_of(&vm.lang, hidden);
        let mut params = super::case::params_as(vm, self.func, &types, std::slice::from_ref(&name));
        // A lambda names its parameters, which come behind what it captured.
        if let Some(body) = hidden.runs.first() {
            let names = jvm::input::param_names(&vm.lang, *body);
            let own = names.iter().skip(names.len().saturating_sub(params.len()));
            let free = |own: &str| own != name && !matches!(own, "result" | "thrown");
            for (param, own) in params.iter_mut().zip(own).filter(|(_, own)| free(own)) {
                param.name = own.clone();
            }
        }
        let receiver = Param { name, ty, kind: hidden.kind.clone() };
        let mut subject = Subject::new(self.class, self.func, Some(receiver), params);
        subject.runs = hidden.runs.clone();
        Some(subject)
    }
}

/// The methods of a class that are explored: those named, or all that a test can call, and those of nested classes
/// that are no targets of their own.
pub fn entries(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    target: &ClassTarget,
    config: &Config,
) -> Result<Vec<Entry>, Error> {
    let mut found = by_name(vm, class, target, config)?;
    if target.methods.is_empty() {
        let nested = nested(vm, target);
        let mut unnamed = hidden(vm, class, &nested);
        found.retain(|entry| may_run_unnamed(vm, entry, &nested));
        // By what hands out an object, not by the name of a class that a test cannot make one of.
        let is_handed_out = |class: &ClassId| unnamed.iter().any(|hidden| hidden.classes.contains(class));
        found.retain(|entry| vm.lang.funcs[entry.func].is_static() || !is_handed_out(&entry.class));
        unnamed.extend(jvm::input::lambdas(vm, class, &nested));
        found.extend(unnamed.into_iter().map(|h| Entry {
            class,
            func: h.func,
            hidden: Some(h),
            left_out: None,
        }));
        let named: Vec<ClassId> = std::iter::once(class).chain(nested.iter().copied()).collect();
        let named: Vec<ClassId> =
            named.into_iter().filter(|of| *of == class || jvm::input::can_name(&vm.lang, *of)).collect();
        let more = super::unreached::unreached(vm, &named, &nested, &found);
        found.extend(more);
    }
    let whole = found.iter().filter(|entry| entry.hidden.is_none());
    let shorter = whole.filter_map(|entry| {
        let left_out = jvm::input::left_out(&vm.lang, entry.func).filter(|_| can_leave_out(&vm.lang, entry));
        Some(Entry { left_out: Some(left_out?), ..entry.clone() })
    });
    let shorter: Vec<Entry> = shorter.collect();
    found.extend(shorter);
    Ok(found)
}

/// Whether a method is called as its class has it, where nothing else is known of what arguments stand for.
fn can_leave_out(jvm: &Jvm, entry: &Entry) -> bool {
    let is_abstract = jvm.classes[entry.class].access & access::ABSTRACT != 0;
    jvm.funcs[entry.func].class == entry.class && !(is_abstract && &*jvm.funcs[entry.func].name == "<init>")
}

/// Those whose class a test can name. No code is run to find them.
pub fn by_name(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    target: &ClassTarget,
    config: &Config,
) -> Result<Vec<Entry>, Error> {
    vm.lang.worlds.context = Some(class);
    vm.lang.worlds.apart = vm.lang.path.is_closed(&vm.lang.classes[class].name);
    let plain = |class: ClassId| move |func: FuncId| Entry { class, func, hidden: None, left_out: None };
    if !target.methods.is_empty() {
        return Ok(named(&vm.lang, class, target)?.into_iter().map(plain(class)).collect());
    }
    let nested = nested(vm, target);
    let mut found = Vec::new();
    for of in std::iter::once(class).chain(nested.iter().copied()) {
        if of == class || jvm::input::can_name(&vm.lang, of) {
            found.extend(callable(vm, of, &nested, config).into_iter().map(plain(of)));
        }
    }
    Ok(found)
}

fn nested(vm: &mut Vm<Jvm>, target: &ClassTarget) -> Vec<ClassId> {
    target.nested.iter().filter_map(|name| vm.lang.class(name).ok()).collect()
}

pub fn is_callable(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let hidden = access::SYNTHETIC | access::ABSTRACT | access::PRIVATE | access::BRIDGE;
    let assumes = jvm::input::known::assumption(jvm, func).is_some();
    let made = jvm::kotlin::is_made(&jvm.classes[f.class], f);
    f.access & hidden == 0 && &*f.name != "<clinit>" && !assumes && !made
}

/// All methods that a test can call; abstract ones if a nested class that has no name has code for them.
fn callable(vm: &mut Vm<Jvm>, class: ClassId, nested: &[ClassId], config: &Config) -> Vec<FuncId> {
    let all: Vec<FuncId> = vm.lang.classes[class].functions().collect();
    let is_enum = vm.lang.classes[class].access & access::ENUM != 0;
    let mut found: Vec<FuncId> = all
        .iter()
        .copied()
        .filter(|func| {
            let f = &vm.lang.funcs[*func];
            let public = f.is(access::PUBLIC) || config.package_private;
            let made = is_enum && matches!(&*f.name, "values" | "valueOf" | "<init>")
                || is_made_of_components(&vm.lang, *func)
                // How the code of Kotlin compares two objects of a value class, of which it only has what they wrap.
                || &*f.name == "equals-impl0";
            let is_abstract = f.access & access::ABSTRACT != 0;
            public
                && !made
                && !is_bare(vm, *func)
                && (is_callable(&vm.lang, *func) || is_abstract && runs_unnamed(vm, *func, nested))
        })
        .collect();
    // Of an enum that only has constants, that it has them.
    if found.is_empty() && is_enum && !nested.contains(&class) {
        found.extend(all.into_iter().find(|func| &*vm.lang.funcs[*func].name == "valueOf"));
    }
    found
}

/// Whether a function is the only constructor of an abstract class, and takes nothing and decides nothing: objects of the classes below show
/// that it runs, and there is nothing else to show.
pub(super) fn is_bare(vm: &mut Vm<Jvm>, func: FuncId) -> bool {
    let jvm = &vm.lang;
    let f = &jvm.funcs[func];
    let class = &jvm.classes[f.class];
    let constructors = || class.functions().filter(|func| &*jvm.funcs[*func].name == "<init>").count();
    &*f.name == "<init>"
        && class.access & access::ABSTRACT != 0
        && f.signature.ty.params.is_empty()
        && constructors() == 1
        && vm.lang.ir(func).is_some_and(|function| function.blocks.len() == 1)
}

/// Whether an abstract method runs code of nested classes that is not called by their own names.
fn runs_unnamed(vm: &mut Vm<Jvm>, func: FuncId, nested: &[ClassId]) -> bool {
    let found = runs(vm, func, nested);
    found.into_iter().any(|func| {
        // What bridges lead to is called by its own types.
        if vm.lang.funcs[func].access & access::BRIDGE != 0 {
            return false;
        }
        let owner = vm.lang.funcs[func].class;
        !(nested.contains(&owner) && jvm::input::can_name(&vm.lang, owner) && is_callable(&vm.lang, func))
    })
}

/// Whether a method of a record is the compiler's: `equals`, `hashCode` and `toString` by its components.
pub fn is_made_of_components(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let Some(file) = jvm.classes[f.class].file.as_deref().filter(|file| file.record.is_some()) else {
        return false;
    };
    let named = matches!(&*f.name, "equals" | "hashCode" | "toString");
    let code = file.method(&f.name, &f.descriptor).and_then(|method| method.bytecode().ok().flatten());
    named
        && code.is_some_and(|code| {
            let calls = code.instrs.iter().filter_map(|(_, instr)| match instr {
                jvm::load::Instr::InvokeDynamic(cp) => file.pool.invoke_dynamic(*cp).ok(),
                _ => None,
            });
            code.instrs.len() <= 5 && calls.map(|site| site.name).any(|name| name == &*f.name)
        })
}

/// Whether an abstract method can be called on an object of a class without a name. Of an interface whose only objects a class makes and
/// keeps for itself (the commands of an editor), a test has none but those that stand in for it.
fn may_run_unnamed(vm: &mut Vm<Jvm>, entry: &Entry, nested: &[ClassId]) -> bool {
    if vm.lang.funcs[entry.func].access & access::ABSTRACT == 0 {
        return true;
    }
    let ty = Generic::Class(vm.lang.classes[entry.class].name.clone(), Vec::new());
    let kinds = match jvm::input::kind_for(vm, &ty) {
        Kind::OneOf { kinds, .. } => kinds,
        kind => vec![kind],
    };
    let jvm = &vm.lang;
    let real = kinds.iter().filter(|kind| !matches!(kind, Kind::Fake { .. }));
    let mut made = real.filter_map(|kind| jvm::input::class_of(jvm, kind));
    let unnamed =
        |class: ClassId, of: ClassId| !jvm::input::can_name(jvm, class) && jvm.is_subclass(class, of);
    made.any(|of| nested.iter().any(|class| unnamed(*class, of)))
}

/// The code of some classes that a call of a method may run.
pub fn runs(vm: &mut Vm<Jvm>, func: FuncId, classes: &[ClassId]) -> Vec<FuncId> {
    let jvm = &mut vm.lang;
    let owner = jvm.funcs[func].class;
    let mut found = Vec::new();
    for class in classes {
        let fits = jvm.is_subclass(*class, owner) && jvm.classes[*class].access & access::ABSTRACT == 0;
        if fits
            && let Some(target) = dispatched_in(jvm, *class, func)
            && jvm.funcs[target].tracked
            && !found.contains(&target)
        {
            found.push(target);
        }
    }
    found
}

/// The methods that the user named.
pub fn named(jvm: &Jvm, class: ClassId, target: &ClassTarget) -> Result<Vec<FuncId>, Error> {
    let all: Vec<FuncId> = jvm.classes[class].functions().collect();
    let mut found = Vec::new();
    for (name, descriptor) in &target.methods {
        let wanted = if name == "new" { "<init>" } else { name.as_str() };
        let fits = |func: &FuncId| {
            let f = &jvm.funcs[*func];
            &*f.name == wanted && descriptor.as_ref().is_none_or(|d| means(d, &f.descriptor))
        };
        let matching: Vec<FuncId> = all.iter().copied().filter(|f| fits(f) && is_callable(jvm, *f)).collect();
        if matching.is_empty() {
            let callable = || all.iter().filter(|f| is_callable(jvm, **f)).map(|f| &jvm.funcs[*f]);
            let text = format!("{name}{}", descriptor.as_deref().unwrap_or_default());
            // Who says parameters is told those of the methods of that name.
            let alike = callable().filter(|f| descriptor.is_some() && &*f.name == wanted);
            let mut likely: Vec<String> = alike.map(|f| spelled(&f.name, &f.descriptor)).collect();
            likely.truncate(3);
            if likely.is_empty() {
                likely = nearest(name, callable().map(|f| f.name.to_string()));
            }
            return Err(Error::UnknownMethod {
                class: jvm.classes[class].java_name(),
                nearest: likely,
                method: text,
            });
        }
        found.extend(matching.into_iter().filter(|f| !found.contains(f)).collect::<Vec<_>>());
    }
    Ok(found)
}
