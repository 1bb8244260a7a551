//! What a method is to cover: its own obligations and those of what it can reach in the classes under test.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, FuncId, Function, Op};
use jvm::input::Make;
use jvm::link::ClassOrigin;
use jvm::load::access;
use jvm::world::Jvm;
use vm::{Lang, Site, Vm};

use super::explore::ClassExplorer;
use super::subject::Subject;
use crate::goal::CoverageGoal;

impl ClassExplorer<'_> {
    /// The obligations of the method and of what it can reach in tracked classes.
    pub(super) fn goal(&mut self, subject: &Subject) -> CoverageGoal {
        // A constructor's obligations are its own tests' business, not those of each method.
        let entered = subject.left_out.as_ref().map_or(subject.func, |left_out| left_out.func);
        let mut open: Vec<FuncId> = vec![entered];
        open.extend(super::entries::runs(self.vm, subject.func, &self.nested));
        let lambdas = lambdas(self.vm, subject);
        open.extend(&subject.runs);
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        let mut functions: Vec<(FuncId, Arc<Function>)> = Vec::new();
        let own_classes: Vec<ClassId> = std::iter::once(subject.class).chain(self.nested.clone()).collect();
        // A driver's business is what it drives.
        let driven = driven(self.vm, subject.func);
        open.extend(&driven);
        let mut calls: Vec<(Site, FuncId)> = Vec::new();
        let asked = asked(self.vm, subject.class);
        // Calls of interfaces, and classes without a name that objects are made of.
        let mut by_interface: Vec<(Site, FuncId)> = Vec::new();
        let mut made: BTreeSet<ClassId> = BTreeSet::new();
        loop {
            let Some(func) = open.pop() else {
                // All that this method makes is known now.
                let Some((site, func)) = by_interface.pop() else { break };
                let found = self.held(subject.class, func, &made);
                calls.extend(found.iter().map(|callee| (site, *callee)));
                open.extend(found);
                continue;
            };
            if !seen.insert(func) {
                continue;
            }
            if self.vm.lang.funcs[func].access & access::ABSTRACT != 0 {
                continue;
            }
            let Some(function) = self.vm.lang.ir(func) else { continue };
            let own = self.vm.lang.funcs[func].class == subject.class && !driven.is_empty();
            if self.vm.lang.is_tracked(func) && !own && (func == entered || !is_made(&self.vm.lang, func)) {
                functions.push((func, function.clone()));
            }
            let near = callees(&self.vm.lang, subject.class, func, &function);
            open.extend(near.iter().map(|(_, callee)| *callee));
            let site = |index: u32| Site { func, index };
            // An object of an anonymous class that is handed to others, who call it back.
            for (index, inst) in function.code.iter().enumerate().filter(|(_, inst)| inst.op == Op::New) {
                if self.unseen.contains(&ClassId(inst.a)) {
                    made.insert(ClassId(inst.a));
                    let methods = called_back(self.vm, ClassId(inst.a), &asked);
                    calls.extend(methods.iter().map(|callee| (site(index as u32), *callee)));
                    open.extend(methods);
                }
            }
            calls.extend(near.into_iter().map(|(index, callee)| (site(index), callee)));
            // Calls of a proxy are handed to what the class gives it.
            for index in makes_proxies(&self.vm.lang, &function) {
                let found = handlers(self.vm, &own_classes);
                calls.extend(found.iter().map(|callee| (site(index), *callee)));
                open.extend(found);
            }
            for (index, inst) in function.code.iter().enumerate().filter(|(_, i)| i.op == Op::CallIface) {
                by_interface.push((site(index as u32), FuncId(inst.a)));
                let mut found = super::entries::runs(self.vm, FuncId(inst.a), &own_classes);
                let by_lambdas = run_by(self.vm, &lambdas, FuncId(inst.a));
                open.extend(&by_lambdas);
                found.extend(by_lambdas);
                calls.extend(found.into_iter().map(|callee| (site(index as u32), callee)));
            }
        }
        let (criterion, options) = (self.config.criterion, &self.config.criterion_options);
        let mut goal = CoverageGoal::new(criterion, options, functions, &self.vm.lang);
        calls.retain(|(_, callee)| seen.contains(callee));
        goal.connect(entered, calls);
        goal
    }

    /// What a call of an interface's method runs on objects without a name that the class itself makes and keeps (the commands of an
    /// editor): on those that this method makes, or, where it makes none, on those that others have made before.
    fn held(&mut self, class: ClassId, func: FuncId, made: &BTreeSet<ClassId>) -> Vec<FuncId> {
        let of = self.vm.lang.funcs[func].class;
        let mut classes = makes(self.vm, class);
        classes.retain(|class| self.unseen.contains(class) && self.vm.lang.is_subclass(*class, of));
        if classes.iter().any(|class| made.contains(class)) {
            classes.retain(|class| made.contains(class));
        }
        super::entries::runs(self.vm, func, &classes)
    }
}

/// Where a function makes proxies.
fn makes_proxies(jvm: &Jvm, function: &Function) -> Vec<u32> {
    let makes = |func: FuncId| {
        jvm.funcs.get(func).is_some_and(|f| {
            &*f.name == "newProxyInstance" && &*jvm.classes[f.class].name == "java/lang/reflect/Proxy"
        })
    };
    let code = function.code.iter().enumerate();
    code.filter(|(_, inst)| inst.op == Op::Call && makes(FuncId(inst.a))).map(|(at, _)| at as u32).collect()
}

/// What some classes do with the calls of proxies.
fn handlers(vm: &mut Vm<Jvm>, classes: &[ClassId]) -> Vec<FuncId> {
    let Ok(handler) = vm.lang.class("java/lang/reflect/InvocationHandler") else { return Vec::new() };
    let invoke = "(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;";
    let Some(invoke) = vm.lang.declared(handler, "invoke", invoke) else { return Vec::new() };
    super::entries::runs(vm, invoke, classes)
}

/// Classes that the code of a class makes objects of.
fn makes(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<ClassId> {
    let mut found: BTreeSet<ClassId> = BTreeSet::new();
    for func in vm.lang.classes[class].functions().collect::<Vec<_>>() {
        if let Some(function) = vm.lang.ir(func) {
            let new = function.code.iter().filter(|inst| inst.op == Op::New);
            found.extend(new.map(|inst| ClassId(inst.a)));
        }
    }
    found.into_iter().collect()
}

/// Methods of interfaces that the code of a class calls.
fn asked(vm: &mut Vm<Jvm>, class: ClassId) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    for func in vm.lang.classes[class].functions().collect::<Vec<_>>() {
        if let Some(function) = vm.lang.ir(func) {
            let calls = function.code.iter().filter(|inst| inst.op == Op::CallIface);
            found.extend(calls.map(|inst| FuncId(inst.a)));
        }
    }
    found
}

/// Methods of a class without a name that others call back, as they know them by a type above it; but for those that the class which
/// makes the object calls itself.
fn called_back(vm: &mut Vm<Jvm>, class: ClassId, asked: &BTreeSet<FuncId>) -> Vec<FuncId> {
    let all: Vec<FuncId> = vm.lang.classes[class].functions().collect();
    let by_others = |func: &FuncId| {
        let jvm = &vm.lang;
        let alike = |other: FuncId| {
            let (a, b) = (&jvm.funcs[*func], &jvm.funcs[other]);
            a.name == b.name && a.signature.ty.params.len() == b.signature.ty.params.len()
        };
        let own = &jvm.classes[class];
        let above = own.ancestors.iter().filter(|above| **above != class).chain(own.all_interfaces.iter());
        let known = above.flat_map(|above| jvm.classes[*above].functions()).any(alike);
        let made = super::entries::is_made_of_components(jvm, *func);
        &*jvm.funcs[*func].name == "<init>" || known && !made && !asked.iter().any(|other| alike(*other))
    };
    all.into_iter().filter(by_others).collect()
}

/// The functions whose obligations a driver has.
pub(super) fn driven(vm: &mut Vm<Jvm>, driver: FuncId) -> Vec<FuncId> {
    let mut found = Vec::new();
    for covered in jvm::input::known::covered_by(&vm.lang, driver) {
        let Ok(class) = vm.lang.class(&covered.class) else { continue };
        let jvm = &vm.lang;
        let named =
            |func: &FuncId| covered.method.as_deref().is_none_or(|name| *jvm.funcs[*func].name == *name);
        found.extend(jvm.classes[class].functions().filter(named));
    }
    found
}

/// Functions that code may call, as far as they can be told without running it, and by which instruction.
pub(super) fn callees(jvm: &Jvm, class: ClassId, caller: FuncId, function: &Function) -> Vec<(u32, FuncId)> {
    let mut found: Vec<(u32, FuncId)> = Vec::new();
    // A bridge leads on in its own class: `Object next()` of an iterator without a name to its `String next()`.
    let bridge = jvm.funcs.get(caller).filter(|f| f.access & access::BRIDGE != 0);
    let on = bridge.map_or(class, |bridge| bridge.class);
    let near = |func: &FuncId| {
        jvm.funcs.get(*func).is_some_and(|f| {
            // What makes a lambda is made up too: a function without descriptor.
            let made_up = f.descriptor.is_empty();
            // What the class inherits from others of the program may call it back.
            let above = f.class != class
                && jvm.classes[f.class].origin == ClassOrigin::User
                && jvm.classes[class].ancestors.contains(&f.class);
            let synthetic = jvm.classes[f.class].origin == ClassOrigin::Synthetic;
            f.tracked || made_up || above || synthetic
        })
    };
    for (index, inst) in function.code.iter().enumerate() {
        let index = index as u32;
        match inst.op {
            Op::Call => found.extend(Some(FuncId(inst.a)).filter(near).map(|func| (index, func))),
            // The slot may be that of another class, whose method has nothing to do with this one.
            Op::CallVirt => {
                let here = jvm.virtual_function(on, inst.a).filter(near);
                let here = here.filter(|callee| names(jvm, caller, *callee));
                found.extend(here.map(|func| (index, func)));
            }
            // A lambda: its class was made up, its methods call the body.
            Op::New => {
                let made = &jvm.classes[ClassId(inst.a)];
                if made.origin == ClassOrigin::Synthetic {
                    found.extend(made.functions().filter(near).map(|func| (index, func)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Classes of the lambdas that whoever makes or changes the receiver may put into it, and of those that the class keeps in constants.
fn lambdas(vm: &mut Vm<Jvm>, subject: &Subject) -> Vec<ClassId> {
    let recipe = match subject.receiver.as_ref().map(|param| &param.kind) {
        Some(jvm::input::Kind::Object(key)) => vm.lang.worlds.recipes.get(key).cloned(),
        _ => None,
    };
    let maker = |make: &Make| match make {
        Make::Call(way) => Some(way.func),
        Make::Constant(constant) => vm.lang.declared(constant.owner, "<clinit>", "()V"),
    };
    let mut open: Vec<FuncId> = recipe.iter().flat_map(|recipe| &recipe.ways).filter_map(maker).collect();
    let changes = recipe.iter().flat_map(|recipe| &recipe.changes).filter(|(way, _)| way.is_plain());
    open.extend(changes.map(|(way, _)| way.func));
    open.extend(vm.lang.declared(subject.class, "<clinit>", "()V"));
    let mut found = BTreeSet::new();
    while let Some(func) = open.pop() {
        let Some(function) = vm.lang.ir(func) else { continue };
        for (_, callee) in callees(&vm.lang, subject.class, func, &function) {
            let f = &vm.lang.funcs[callee];
            // What makes a lambda is made up: a function without descriptor, which makes an object of a class made up.
            if vm.lang.classes[f.class].origin == ClassOrigin::Synthetic {
                found.insert(f.class);
            } else if f.descriptor.is_empty() && callee != func {
                open.push(callee);
            }
        }
    }
    found.into_iter().collect()
}

/// What a call of an interface's method runs on objects of some classes.
fn run_by(vm: &mut Vm<Jvm>, classes: &[ClassId], func: FuncId) -> Vec<FuncId> {
    let of = vm.lang.funcs[func].class;
    let classes = classes.iter().filter(|class| vm.lang.is_subclass(**class, of)).copied();
    let classes: Vec<ClassId> = classes.collect();
    classes.into_iter().filter_map(|class| jvm::observe::dispatched_in(&mut vm.lang, class, func)).collect()
}

/// Whether a method is the compiler's and not the source's: bridges, access to private members from nested classes, what
/// every enum has.
pub(super) fn is_made(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let is_enum = jvm.classes[f.class].access & access::ENUM != 0;
    let has_it = f.descriptor.starts_with("()[L") && matches!(&*f.name, "values" | "$values")
        || &*f.name == "valueOf" && f.descriptor.starts_with("(Ljava/lang/String;)L");
    if is_enum && f.is_static() && has_it || jvm::kotlin::is_made(&jvm.classes[f.class], f) {
        return true;
    }
    let of_source = f.name.contains("lambda$") || f.name.contains("$lambda") || f.name.ends_with("$default");
    f.access & (access::SYNTHETIC | access::BRIDGE) != 0 && !of_source
}

/// Whether the code of a function names a method like another one; what was made up may call anything.
fn names(jvm: &Jvm, caller: FuncId, callee: FuncId) -> bool {
    let Some(file) = &jvm.classes[jvm.funcs[caller].class].file else { return true };
    let wanted = &jvm.funcs[callee];
    file.pool.methods().any(|named| *named.name == *wanted.name && *named.descriptor == *wanted.descriptor)
}
