//! The program as the JVM sees it: one struct that owns classes, functions, strings and natives.
//!
//! Classes, functions and lowered code outlive runs: they depend on the class path only. What a run makes on the
//! heap (mirrors, interned strings) is remembered here by object id and forgotten when the heap goes back to its
//! snapshot.

use std::any::Any;
use std::sync::Arc;

use entity::{EntityId, SharedMap};
use ir::{ClassId, FuncId, Function, StrId, Type};
use rustc_hash::FxHashMap;
use vm::{Callable, Native, ObjId};

use crate::link::{Body, Class, ClassKind, ClassOrigin, Func, Known, LinkError, Sig, Site};
use crate::load::{ClassFile, ClassPath, FieldType, MethodType, access};
use crate::threads::Threads;
use crate::{link, lower};

/// What a user can choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Internal names of the classes whose coverage is recorded; their nested classes too.
    pub tracked: Vec<String>,
    /// Assertions are off in user classes (they are on by default, as with `-ea`).
    pub no_assertions: bool,
    /// Comparisons in user classes note how near they are to their boundary ([`ir::note_boundaries`]).
    pub boundaries: bool,
}

/// The JVM front end: implements [`vm::Lang`].
#[derive(Clone)]
pub struct Jvm {
    pub path: Arc<ClassPath>,
    pub options: Options,
    pub classes: SharedMap<ClassId, Class>,
    pub funcs: SharedMap<FuncId, Func>,
    /// Classes and offsets the VM itself relies on.
    pub known: Known,
    /// What mirrors of new classes are given; set while booting.
    pub platform: Platform,
    /// Call sites and constants whose linking was left to a hook; see [`Jvm::hook`].
    pub sites: Vec<Site>,
    pub(crate) names: FxHashMap<Arc<str>, Result<ClassId, LinkError>>,
    /// Names of classes that are being loaded, to find circular ones.
    pub(crate) loading: Vec<Arc<str>>,
    pub(crate) sigs: FxHashMap<Arc<str>, Arc<Sig>>,
    /// Made-up functions by name.
    pub(crate) made: FxHashMap<Arc<str>, FuncId>,
    /// Implementations of interface methods found so far.
    pub(crate) selected: FxHashMap<(ClassId, FuncId), FuncId>,
    pub(crate) objects: Objects,
    pub(crate) threads: Threads,
    /// The threads as they were when the world was frozen.
    pub(crate) frozen_threads: Threads,
    /// How input objects are made.
    pub worlds: crate::input::Worlds,
    /// Who is told of calls, while the machine is listening.
    pub(crate) listener: Option<Box<crate::examples::Listener>>,
    /// The bodies of the boxes' `valueOf`.
    pub(crate) box_bodies: [Option<FuncId>; 6],
    strings: SharedMap<StrId, Arc<[u16]>>,
    string_ids: FxHashMap<Arc<[u16]>, StrId>,
    natives: Arc<FxHashMap<Arc<str>, Native<Jvm>>>,
    states: Vec<Box<dyn RunState>>,
}

/// Objects of the booted JDK that the mirrors of classes refer to. Null until booting set them.
#[derive(Clone, Default)]
pub struct Platform {
    /// The loader of user classes.
    pub app_loader: Option<ObjId>,
    /// The module of user classes.
    pub unnamed_module: Option<ObjId>,
    /// `java.lang.Module` objects by module name.
    pub modules: FxHashMap<Arc<str>, ObjId>,
    /// `java.lang.ClassLoader` objects of modules that the boot loader does not load, by module name.
    pub loaders: FxHashMap<Arc<str>, ObjId>,
}

/// State of natives that a run changes and that must go back with the heap.
pub trait RunState: Any + Send {
    /// For another machine at the same snapshot.
    fn fork(&self) -> Box<dyn RunState>;
    /// Everything so far belongs to the snapshot.
    fn freeze(&mut self);
    /// Forget what came since the snapshot.
    fn reset(&mut self);
    /// Whether it is what it was at the snapshot.
    fn is_untouched(&self) -> bool;
}

impl Clone for Box<dyn RunState> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

/// Heap objects that the front end remembers by what they stand for.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    /// Mirrors by class; null if there is none yet.
    mirrors: Vec<ObjId>,
    new_mirrors: Vec<ClassId>,
    /// Interned objects of string constants; null if there is none yet.
    constants: Vec<ObjId>,
    new_constants: Vec<StrId>,
    interned: FxHashMap<Arc<[u16]>, ObjId>,
    new_interned: Vec<Arc<[u16]>>,
}

impl Jvm {
    /// A program over a class path. Loads the few classes that everything else refers to.
    pub fn new(path: Arc<ClassPath>, options: Options) -> Result<Jvm, LinkError> {
        let mut jvm = Jvm {
            path,
            options,
            classes: SharedMap::new(),
            funcs: SharedMap::new(),
            known: Known::default(),
            platform: Platform::default(),
            sites: Vec::new(),
            names: FxHashMap::default(),
            loading: Vec::new(),
            sigs: FxHashMap::default(),
            made: FxHashMap::default(),
            box_bodies: [None; 6],
            selected: FxHashMap::default(),
            objects: Objects::default(),
            threads: Threads::default(),
            frozen_threads: Threads::default(),
            worlds: Default::default(),
            listener: None,
            strings: SharedMap::new(),
            string_ids: FxHashMap::default(),
            natives: Arc::default(),
            states: Vec::new(),
        };
        link::load_known(&mut jvm)?;
        Ok(jvm)
    }

    // Classes.

    /// A class by internal name or array descriptor, loaded and linked on first use, never initialised by this.
    pub fn class(&mut self, name: &str) -> Result<ClassId, LinkError> {
        link::load(self, name)
    }

    /// A class that is already loaded.
    pub fn loaded(&self, name: &str) -> Option<ClassId> {
        self.names.get(name).and_then(|found| found.as_ref().ok()).copied()
    }

    /// Links a class that the program defines at run time. Its name stays free if `hidden` or if it is taken.
    pub fn define(
        &mut self,
        file: ClassFile,
        origin: ClassOrigin,
        hidden: bool,
    ) -> Result<ClassId, LinkError> {
        link::define(self, Arc::new(file), origin, hidden)
    }

    /// The class of a field type, primitives included.
    pub fn class_of_type(&mut self, ty: &FieldType) -> Result<ClassId, LinkError> {
        link::load_type(self, ty)
    }

    /// The array class with elements of this class.
    pub fn array_of(&mut self, elem: ClassId) -> ClassId {
        link::array_of(self, elem)
    }

    /// Whether an object of class `class` is of class `of` (JVMS §6.5 instanceof).
    pub fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        link::is_subclass(self, class, of)
    }

    /// Records coverage of a class and its nested classes from now on.
    pub fn track(&mut self, name: &str) {
        self.options.tracked.push(name.to_string());
        for class in self.classes.keys() {
            let tracked = self.tracks(&self.classes[class].name);
            self.classes[class].tracked = tracked;
            for func in self.classes[class].functions() {
                self.funcs[func].tracked = tracked;
            }
        }
    }

    pub(crate) fn tracks(&self, name: &str) -> bool {
        self.options.tracked.iter().any(|tracked| {
            let rest = name.strip_prefix(tracked.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        })
    }

    // Functions.

    /// A declared method of a class, not an inherited one.
    pub fn declared(&self, class: ClassId, name: &str, descriptor: &str) -> Option<FuncId> {
        self.classes[class].functions().find(|func| {
            let func = &self.funcs[*func];
            &*func.name == name && &*func.descriptor == descriptor
        })
    }

    /// A method by class, name and descriptor; resolved as `invokevirtual`, `invokestatic` and
    /// `invokeinterface` do (JVMS §5.4.3.3, §5.4.3.4).
    pub fn method(&mut self, class: ClassId, name: &str, descriptor: &str) -> Result<FuncId, LinkError> {
        let interface = self.classes[class].is_interface();
        link::resolve_method(self, class, name, descriptor, interface)
    }

    /// The code of a function, lowered on first use. Never fails: what cannot be lowered raises when it runs.
    pub fn code(&mut self, func: FuncId) -> Callable<Jvm> {
        if let Some(code) = &self.funcs[func].code {
            return code.clone();
        }
        let code = lower::code(self, func);
        self.funcs[func].code = Some(code.clone());
        code
    }

    /// The IR of a function; `None` if a native stands for it.
    pub fn ir(&mut self, func: FuncId) -> Option<Arc<Function>> {
        match self.code(func) {
            Callable::Ir(function) => Some(function),
            Callable::Native(_) => None,
        }
    }

    /// What the bytecode of a method does, also where a native stands for it.
    pub fn written(&mut self, func: FuncId) -> Option<Function> {
        lower::written(self, func)
    }

    /// `java/lang/Object.hashCode()I`.
    pub fn func_name(&self, func: FuncId) -> String {
        let func = &self.funcs[func];
        match &func.body {
            Body::Method(_) => format!("{}.{}{}", self.classes[func.class].name, func.name, func.descriptor),
            Body::Ir(_) | Body::Hook(_) => func.name.to_string(),
        }
    }

    /// What tells a class that a run defined from one of the same name that another run defined, in names of made-up
    /// functions.
    pub(crate) fn tag(&self, class: ClassId) -> String {
        match self.classes[class].origin {
            ClassOrigin::Synthetic => format!("#{}", class.0),
            ClassOrigin::Library | ClassOrigin::User => String::new(),
        }
    }

    /// Adds a made-up function, or returns the one of that name.
    pub fn make_func(&mut self, name: &str, make: impl FnOnce(&mut Jvm) -> Function) -> FuncId {
        if let Some(func) = self.made.get(name) {
            return *func;
        }
        let function = make(self);
        let func = self.add_func(self.known.object, name, Body::Ir(Arc::new(function)));
        self.made.insert(name.into(), func);
        func
    }

    pub(crate) fn add_func(&mut self, class: ClassId, name: &str, body: Body) -> FuncId {
        let (params, ret) = match &body {
            Body::Ir(function) => {
                let params = function.regs.values().take(function.params as usize).map(|reg| reg.ty);
                (params.collect(), function.ret)
            }
            _ => (Vec::new(), None),
        };
        let signature = Sig { ty: MethodType { params: Vec::new(), ret: None }, params, ret };
        self.funcs.push(Func {
            class,
            name: name.into(),
            descriptor: "".into(),
            access: access::STATIC | access::SYNTHETIC,
            slot: Func::NO_SLOT,
            signature: Arc::new(signature),
            body,
            tracked: false,
            code: None,
        })
    }

    /// The registers of a method descriptor.
    pub fn sig(&mut self, descriptor: &str) -> Option<Arc<Sig>> {
        if let Some(sig) = self.sigs.get(descriptor) {
            return Some(sig.clone());
        }
        let sig = Arc::new(Sig::new(MethodType::parse(descriptor)?));
        self.sigs.insert(descriptor.into(), sig.clone());
        Some(sig)
    }

    // Natives.

    /// Registers a native under `java/lang/Object.hashCode()I`. It replaces the method even if that has bytecode.
    /// Must come before the method is first called.
    pub fn register(&mut self, name: &str, native: Native<Jvm>) {
        Arc::make_mut(&mut self.natives).insert(name.into(), native);
    }

    pub fn native(&self, name: &str) -> Option<Native<Jvm>> {
        self.natives.get(name).copied()
    }

    /// A function that runs whatever native is registered under `name` when it is first called, with these
    /// parameters. How lowering leaves things to natives:
    /// `invokedynamic` (site, captured…), `ldc` (site), `java/lang/invoke/MethodHandle.invokeExact` and the other
    /// signature-polymorphic methods (site, receiver, arguments…); `site` indexes [`Jvm::sites`].
    pub fn hook(&mut self, name: &str, params: &[Type], ret: Option<Type>) -> FuncId {
        let key: Arc<str> = format!("{name}{params:?}{ret:?}").into();
        if let Some(func) = self.made.get(&key) {
            return *func;
        }
        let func = self.add_func(self.known.object, name, Body::Hook(name.into()));
        let signature =
            Sig { ty: MethodType { params: Vec::new(), ret: None }, params: params.to_vec(), ret };
        self.funcs[func].signature = Arc::new(signature);
        self.made.insert(key, func);
        func
    }

    /// State of natives by its type, made on first use.
    pub fn state<T: RunState + Default>(&mut self) -> &mut T {
        let index = self.states.iter().position(|state| (&**state as &dyn Any).is::<T>());
        let index = index.unwrap_or_else(|| {
            self.states.push(Box::<T>::default());
            self.states.len() - 1
        });
        let state: &mut dyn Any = &mut *self.states[index];
        match state.downcast_mut::<T>() {
            Some(state) => state,
            None => unreachable!("the position was found by type"),
        }
    }

    // Strings.

    pub fn string_id(&mut self, units: &[u16]) -> StrId {
        if let Some(id) = self.string_ids.get(units) {
            return *id;
        }
        let units: Arc<[u16]> = units.into();
        let id = self.strings.push(units.clone());
        self.string_ids.insert(units, id);
        id
    }

    pub fn text_id(&mut self, text: &str) -> StrId {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.string_id(&units)
    }

    /// UTF-16 units of a string constant.
    pub fn string_units(&self, id: StrId) -> &Arc<[u16]> {
        &self.strings[id]
    }

    pub fn string_text(&self, id: StrId) -> String {
        String::from_utf16_lossy(&self.strings[id])
    }

    pub(crate) fn has_string(&self, id: StrId) -> bool {
        self.strings.get(id).is_some()
    }

    pub(crate) fn freeze_states(&mut self) {
        self.states.iter_mut().for_each(|state| state.freeze());
    }

    /// Whether no native keeps anything of this run besides the heap.
    pub(crate) fn states_untouched(&self) -> bool {
        self.states.iter().all(|state| state.is_untouched())
    }

    pub(crate) fn reset_states(&mut self) {
        self.states.iter_mut().for_each(|state| state.reset());
    }

    /// Elements of an array class.
    pub fn elem_of(&self, class: ClassId) -> Option<ClassId> {
        match self.classes[class].kind {
            ClassKind::Array { elem, .. } => Some(elem),
            _ => None,
        }
    }
}

impl Objects {
    pub fn mirror(&self, class: ClassId) -> Option<ObjId> {
        self.mirrors.get(class.index()).copied().filter(|mirror| !mirror.is_null())
    }

    pub fn set_mirror(&mut self, class: ClassId, mirror: ObjId) {
        if self.mirrors.len() <= class.index() {
            self.mirrors.resize(class.index() + 1, ObjId::NULL);
        }
        self.mirrors[class.index()] = mirror;
        self.new_mirrors.push(class);
    }

    pub fn constant(&self, string: StrId) -> Option<ObjId> {
        self.constants.get(string.index()).copied().filter(|object| !object.is_null())
    }

    pub fn set_constant(&mut self, string: StrId, object: ObjId) {
        if self.constants.len() <= string.index() {
            self.constants.resize(string.index() + 1, ObjId::NULL);
        }
        self.constants[string.index()] = object;
        self.new_constants.push(string);
    }

    pub fn interned(&self, units: &[u16]) -> Option<ObjId> {
        self.interned.get(units).copied()
    }

    pub fn set_interned(&mut self, units: Arc<[u16]>, object: ObjId) {
        self.interned.insert(units.clone(), object);
        self.new_interned.push(units);
    }

    /// What came into being since the snapshot, by name.
    pub fn digest(&self, names: &dyn Fn(ClassId) -> u128, texts: &dyn Fn(StrId) -> u128) -> u128 {
        let mirrors = self.new_mirrors.iter().map(|class| (names(*class), self.mirrors[class.index()]));
        let constants = self.new_constants.iter().map(|text| (texts(*text), self.constants[text.index()]));
        let interned = self.new_interned.iter().map(|units| {
            let text = term::hash_sequence(units.iter().map(|unit| u128::from(*unit)));
            (text, self.interned.get(units).copied().unwrap_or(ObjId::NULL))
        });
        let all = mirrors.chain(constants).chain(interned);
        let mut all: Vec<u128> = all.map(|(name, object)| name ^ u128::from(object.0)).collect();
        all.sort_unstable();
        term::hash_sequence(all)
    }

    pub fn freeze(&mut self) {
        self.new_mirrors.clear();
        self.new_constants.clear();
        self.new_interned.clear();
    }

    pub fn reset(&mut self) {
        for class in self.new_mirrors.drain(..) {
            self.mirrors[class.index()] = ObjId::NULL;
        }
        for string in self.new_constants.drain(..) {
            self.constants[string.index()] = ObjId::NULL;
        }
        for units in self.new_interned.drain(..) {
            self.interned.remove(&units);
        }
    }
}
