//! What the VM asks of the JVM, and what printers and the verifier ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::verify::Program;
use ir::{Check, ClassId, FuncId, Function, Inst, Meaning, Member, Names, Reg, Signature, StrId, Type};
use vm::{Callable, ClassInfo, FiberId, Holds, Lang, ObjId, Raise, Stop, Val, Vm};

use super::class::{Class, ClassKind, ClassOrigin};
use super::dispatch::select_interface;
use super::init::InitState;
use super::{initialiser, mirror, raise, strings};
use crate::threads;
use crate::world::Jvm;

impl Lang for Jvm {
    fn function(vm: &mut Vm<Jvm>, func: FuncId) -> Result<Callable<Jvm>, Stop> {
        Ok(vm.lang.code(func))
    }

    fn function_name(&self, func: FuncId) -> String {
        self.func_name(func)
    }

    fn class_info(&self, class: ClassId) -> ClassInfo {
        let class = &self.classes[class];
        let elem = match class.kind {
            ClassKind::Array { cell, .. } => Some(cell),
            _ => None,
        };
        ClassInfo { size: class.size, elem }
    }

    fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        super::is_subclass(self, class, of)
    }

    fn may_store(&self, array: ClassId, elem: ClassId) -> bool {
        match self.classes[array].kind {
            ClassKind::Array { elem: of, .. } => super::is_subclass(self, elem, of),
            _ => false,
        }
    }

    fn virtual_function(&self, class: ClassId, slot: u32) -> Option<FuncId> {
        self.classes[class].vtable.get(slot as usize).copied()
    }

    fn interface_function(&mut self, class: ClassId, func: FuncId) -> Result<FuncId, Raise> {
        select_interface(self, class, func)
    }

    fn is_initialised(vm: &Vm<Jvm>, class: ClassId) -> bool {
        if !vm.lang.classes[class].needs_init {
            return true;
        }
        let state = vm.lang.known.mirror_state;
        vm.lang.objects.mirror(class).is_some_and(|mirror| {
            let state = vm.heap.read_u8(mirror, state);
            let threads = &vm.lang.threads;
            state == InitState::Done as u8
                || state == InitState::InProgress as u8
                    && !threads.is_initialising_elsewhere(threads.current, mirror)
        })
    }

    fn initialiser(vm: &mut Vm<Jvm>, class: ClassId) -> Result<FuncId, Stop> {
        Ok(initialiser(&mut vm.lang, class))
    }

    fn string(vm: &mut Vm<Jvm>, string: StrId) -> Result<ObjId, Stop> {
        strings::constant(vm, string)
    }

    fn class_object(vm: &mut Vm<Jvm>, class: ClassId) -> Result<ObjId, Stop> {
        mirror::mirror(vm, class)
    }

    fn statics(vm: &mut Vm<Jvm>, class: ClassId) -> Result<ObjId, Stop> {
        mirror::mirror(vm, class)
    }

    fn has_value_identity(&self, class: ClassId) -> bool {
        crate::natives::has_value_identity(self, class)
    }

    fn same_by_value(vm: &mut Vm<Jvm>, a: ObjId, b: ObjId) -> Result<Option<Val>, Stop> {
        crate::natives::same_by_value(vm, a, b)
    }

    fn raise(vm: &mut Vm<Jvm>, raise: Raise) -> Result<(FuncId, Vec<Val>), Stop> {
        raise::raise(vm, raise)
    }

    fn monitor_enter(vm: &mut Vm<Jvm>, object: ObjId) -> Result<bool, Stop> {
        Ok(vm.lang.threads.enter(object, 1))
    }

    fn monitor_exit(vm: &mut Vm<Jvm>, object: ObjId) -> Result<bool, Stop> {
        Ok(vm.lang.threads.exit(object))
    }

    fn next_fiber(vm: &mut Vm<Jvm>) -> Result<FiberId, Stop> {
        threads::next(vm)
    }

    fn waiting(vm: &mut Vm<Jvm>) -> String {
        threads::describe(vm)
    }

    /// The message of a `trap link` is the error's class, a colon and its message.
    fn trap_raise(&self, check: Check, message: StrId) -> Raise {
        let text = self.string_text(message);
        match (check, text.split_once(": ")) {
            (Check::Link, Some((class, message))) => Raise::named(class, message),
            (Check::Link, None) => Raise::Named { class: text, message: None },
            _ => Raise::Check { check, a: 0, b: 0 },
        }
    }

    fn initialised_by(&self, func: FuncId) -> Option<ClassId> {
        let func = &self.funcs[func];
        (&*func.name == "<clinit>").then_some(func.class)
    }

    fn called(vm: &mut Vm<Jvm>, caller: Option<FuncId>, func: FuncId, args: &[u64]) {
        crate::examples::called(vm, caller, func, args);
    }

    fn is_tracked(&self, func: FuncId) -> bool {
        self.funcs[func].tracked
    }

    fn is_library(&self, func: FuncId) -> bool {
        self.classes[self.funcs[func].class].origin == ClassOrigin::Library
    }

    fn func_of(&self, fork: &Jvm, func: FuncId) -> Option<FuncId> {
        let theirs = fork.funcs.get(func)?;
        let methods = &fork.classes[theirs.class].methods;
        if methods.contains(&func.0) {
            let class = self.class_of(fork, theirs.class)?;
            return Some(FuncId(self.classes[class].methods.start + (func.0 - methods.start)));
        }
        // The name of a made-up function is made with it.
        match self.funcs.get(func) {
            Some(known) if Arc::ptr_eq(&known.name, &theirs.name) => Some(func),
            _ => self.made.get(&theirs.name).copied(),
        }
    }

    fn class_of(&self, fork: &Jvm, class: ClassId) -> Option<ClassId> {
        let theirs = fork.classes.get(class)?;
        let is_same = |known: &Class| Arc::ptr_eq(&known.name, &theirs.name);
        if self.classes.get(class).is_some_and(is_same) {
            return Some(class);
        }
        // A name may be taken by another class, defined later.
        (fork.loaded(&theirs.name) == Some(class)).then(|| self.loaded(&theirs.name)).flatten()
    }

    fn aside(&self) -> Option<u128> {
        let plain = self.threads.is_alone() && self.states_untouched() && self.worlds.is_plain();
        plain.then(|| {
            let texts =
                |text| term::hash_sequence(self.string_units(text).iter().map(|unit| u128::from(*unit)));
            self.objects.digest(&|class| self.class_key(class), &texts)
        })
    }

    fn class_key(&self, class: ClassId) -> u128 {
        self.classes.get(class).map_or(0, |class| term::hash_text(&class.name))
    }

    fn holds(&self, class: ClassId) -> Holds {
        let Some(class) = self.classes.get(class) else { return Holds::Others };
        match &*class.name {
            "java/lang/Class" => Holds::Class(self.known.mirror_class),
            "java/lang/invoke/MemberName" | "java/lang/invoke/ResolvedMethodName" => Holds::Others,
            _ => Holds::Nothing,
        }
    }

    fn result_decides(&self, func: FuncId) -> bool {
        self.funcs.get(func).is_none_or(|func| func.descriptor.ends_with(")Z"))
    }

    fn freeze(&mut self) {
        self.objects.freeze();
        // Stacks are not kept: a thread that was started before never goes on, as if it were slow.
        self.threads.keep_main();
        self.frozen_threads = self.threads.clone();
        self.freeze_states();
    }

    fn reset(&mut self) {
        self.objects.reset();
        self.threads = self.frozen_threads.clone();
        self.worlds.forget_objects();
        self.reset_states();
    }
}

impl Jvm {
    /// The module of a JDK class; `java.base` where the JDK has none.
    pub fn module_of(&self, class: ClassId) -> Arc<str> {
        let class = &self.classes[class];
        let module = match class.kind {
            ClassKind::Plain => self.path.jdk().module_of(class.package()).cloned(),
            _ => None,
        };
        module.unwrap_or_else(|| "java.base".into())
    }
}

impl Names for Jvm {
    fn func(&self, func: FuncId) -> String {
        self.funcs.get(func).map_or_else(|| func.to_string(), |_| self.func_name(func))
    }

    fn class(&self, class: ClassId) -> String {
        self.classes.get(class).map_or_else(|| class.to_string(), |class| class.name.to_string())
    }

    fn str(&self, string: StrId) -> String {
        if self.has_string(string) { self.string_text(string) } else { string.to_string() }
    }

    fn field(&self, _func: &Function, _inst: &Inst, _offset: u32) -> Option<String> {
        None
    }

    fn member(&self, func: &Function, index: u32) -> Option<Member> {
        self.spelled_member(func, index)
    }

    fn is_turned(&self, func: &Function, index: u32) -> bool {
        self.turned(func, index)
    }

    fn meaning(&self, func: &Function, reg: Reg) -> Meaning {
        self.declared_meaning(func, reg)
    }

    fn labels(&self, func: &Function, index: u32) -> Option<BTreeMap<i32, String>> {
        self.switch_labels(func, index)
    }

    fn is_retried(&self, func: &Function, index: u32) -> bool {
        self.is_pattern_switch(func, index)
    }
}

impl Program for Jvm {
    fn signature(&self, func: FuncId) -> Option<Signature> {
        let func = self.funcs.get(func)?;
        let receiver = (!func.is_static()).then_some(Type::Ref);
        let params = receiver.into_iter().chain(func.signature.params.iter().copied()).collect();
        Some(Signature { params, ret: func.signature.ret })
    }

    fn has_func(&self, func: FuncId) -> bool {
        self.funcs.get(func).is_some()
    }

    fn has_class(&self, class: ClassId) -> bool {
        self.classes.get(class).is_some()
    }

    fn has_str(&self, string: StrId) -> bool {
        self.has_string(string)
    }
}
