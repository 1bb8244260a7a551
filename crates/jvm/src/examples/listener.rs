//! Notes the calls of the program while a test runs.

use std::sync::Arc;

use ir::{ClassId, FuncId, MemType};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{ObjId, Vm};

use super::{Call, Example, Heard, Made};
use crate::link::{ClassOrigin, string_units};
use crate::load::{ClassPath, FieldType};
use crate::natives::support::field_of;
use crate::observe;
use crate::world::Jvm;

/// Arrays and lists are told up to this length, objects inside others down to this depth.
const MOST_ELEMENTS: u32 = 64;
const DEPTH: u32 = 4;
/// So many calls are kept of one function.
const MOST_A_FUNCTION: usize = 32;

/// See the module.
#[derive(Clone)]
pub(crate) struct Listener {
    /// The program without its tests.
    program: Arc<ClassPath>,
    /// Which classes are the program's.
    own: FxHashMap<ClassId, bool>,
    /// How the objects of this run were made.
    made: FxHashMap<ObjId, Arc<Made>>,
    known: FxHashSet<Heard>,
    counts: FxHashMap<FuncId, usize>,
    /// Different calls, in order.
    pub heard: Vec<Heard>,
}

/// See [`vm::Lang::called`].
pub(crate) fn called(vm: &mut Vm<Jvm>, caller: Option<FuncId>, func: FuncId, args: &[u64]) {
    if let Some(mut listener) = vm.lang.listener.take() {
        listener.hear(vm, caller, func, args);
        vm.lang.listener = Some(listener);
    }
}

impl Listener {
    pub fn new(program: Arc<ClassPath>) -> Listener {
        Listener {
            program,
            own: FxHashMap::default(),
            made: FxHashMap::default(),
            known: FxHashSet::default(),
            counts: FxHashMap::default(),
            heard: Vec::new(),
        }
    }

    /// The objects of the last run are gone.
    pub fn forget_objects(&mut self) {
        self.made.clear();
    }

    fn hear(&mut self, vm: &mut Vm<Jvm>, caller: Option<FuncId>, func: FuncId, args: &[u64]) {
        let f = &vm.lang.funcs[func];
        let (class, is_constructor) = (f.class, &*f.name == "<init>");
        if !self.is_own(&vm.lang, class) || &*f.name == "<clinit>" {
            return;
        }
        let (types, has_receiver) = (f.signature.clone(), !f.is_static());
        let (method, descriptor) = (f.name.clone(), f.descriptor.clone());
        let class_name = vm.lang.classes[class].name.clone();
        let (on, given) = match (has_receiver, args) {
            (true, [on, rest @ ..]) => (Some(ObjId(*on as u32)), rest),
            (true, []) => return,
            (false, given) => (None, given),
        };
        // A constructor called by that of a subclass, or by another one of the class, makes no object of its own.
        let outermost = on.is_some_and(|on| vm.heap.class(on) == class && !self.made.contains_key(&on));
        if is_constructor && !outermost {
            return;
        }
        let args: Vec<Example> =
            given.iter().zip(&types.ty.params).map(|(bits, ty)| self.describe(vm, *bits, ty, 0)).collect();
        let call = Call { class: class_name, method, descriptor, args };
        let receiver = on.filter(|_| !is_constructor).map(|on| self.describe_object(vm, on, 0));
        let count = self.counts.entry(func).or_default();
        let heard = Heard { on: receiver, call: call.clone() };
        if *count < MOST_A_FUNCTION && self.known.insert(heard.clone()) {
            *count += 1;
            self.heard.push(heard);
        }
        let Some(on) = on else { return };
        if is_constructor {
            self.made.insert(on, Arc::new(Made { by: call, then: Vec::new() }));
        } else if !caller.is_some_and(|caller| self.is_own(&vm.lang, vm.lang.funcs[caller].class))
            && let Some(made) = self.made.get_mut(&on)
        {
            // What the program does to its own objects follows from what it was asked to do.
            Arc::make_mut(made).then.push(call);
        }
    }

    fn is_own(&mut self, jvm: &Jvm, class: ClassId) -> bool {
        let program = &self.program;
        *self.own.entry(class).or_insert_with(|| {
            let class = &jvm.classes[class];
            class.origin == ClassOrigin::User && matches!(program.find(&class.name), Ok(Some(_)))
        })
    }

    fn describe(&self, vm: &Vm<Jvm>, bits: u64, ty: &FieldType, depth: u32) -> Example {
        match ty {
            FieldType::Class(_) | FieldType::Array(_) => self.describe_object(vm, ObjId(bits as u32), depth),
            _ => Example::Bits(bits),
        }
    }

    /// What an object is, by its fields alone: no code can be run while other code is.
    fn describe_object(&self, vm: &Vm<Jvm>, object: ObjId, depth: u32) -> Example {
        if object.is_null() {
            return Example::Null;
        }
        if depth > DEPTH {
            return Example::Unknown;
        }
        if let Some(made) = self.made.get(&object) {
            return Example::Object(made.clone());
        }
        let class = vm.heap.class(object);
        let name = &*vm.lang.classes[class].name;
        match name {
            "java/lang/String" => Example::Text(string_units(vm, object)),
            _ if observe::boxed_type(name).is_some() => match field_of(&vm.lang, class, "value") {
                Some((offset, cell)) => Example::Bits(vm.load_bits(object, offset, cell)),
                None => Example::Unknown,
            },
            _ if vm.lang.classes[class].is_array() => match self.elements(vm, object, u32::MAX, depth) {
                Some(elements) => Example::Array(elements),
                None => Example::Unknown,
            },
            _ => observe::constant_name(vm, object)
                .map(Example::Constant)
                .or_else(|| self.listed(vm, object, class, depth))
                .unwrap_or(Example::Unknown),
        }
    }

    /// The elements of the lists that tests are written with.
    fn listed(&self, vm: &Vm<Jvm>, list: ObjId, class: ClassId, depth: u32) -> Option<Example> {
        let at = |name: &str| Some(vm.heap.read_ref(list, field_of(&vm.lang, class, name)?.0));
        let elements = match &*vm.lang.classes[class].name {
            "java/util/ArrayList" => {
                let (size, cell) = field_of(&vm.lang, class, "size")?;
                self.elements(vm, at("elementData")?, vm.load_bits(list, size, cell) as u32, depth)?
            }
            "java/util/Arrays$ArrayList" => self.elements(vm, at("a")?, u32::MAX, depth)?,
            "java/util/ImmutableCollections$ListN" => self.elements(vm, at("elements")?, u32::MAX, depth)?,
            // Of one element the second place holds what no program can see.
            "java/util/ImmutableCollections$List12" => ["e0", "e1"]
                .into_iter()
                .filter_map(at)
                .filter(|e| &*vm.lang.classes[vm.heap.class(*e)].name != "java/lang/Object")
                .map(|e| self.describe_object(vm, e, depth + 1))
                .collect(),
            "java/util/Collections$SingletonList" => {
                vec![self.describe_object(vm, at("element")?, depth + 1)]
            }
            "java/util/Collections$EmptyList" | "java/util/Collections$EmptySet" => Vec::new(),
            _ => return None,
        };
        Some(Example::Elements(elements))
    }

    /// The first elements of an array, if they are not too many.
    fn elements(&self, vm: &Vm<Jvm>, array: ObjId, most: u32, depth: u32) -> Option<Vec<Example>> {
        let count = vm.heap.len(array).min(most);
        if count > MOST_ELEMENTS {
            return None;
        }
        let class = vm.heap.class(array);
        let cell = <Jvm as vm::Lang>::class_info(&vm.lang, class).elem.unwrap_or(MemType::Ref);
        let Some(FieldType::Array(elem)) = FieldType::parse(&vm.lang.classes[class].name) else {
            return None;
        };
        let bits = (0..count).map(|i| vm.load_bits(array, i * cell.size(), cell));
        Some(bits.map(|bits| self.describe(vm, bits, &elem, depth + 1)).collect())
    }
}
