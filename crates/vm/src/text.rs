//! The textual IR as a language: a module of `.tw` text can be run and explored without any front end.
//!
//! Classes, dispatch and initialisers are the module's. A string constant is an array of its UTF-16 units. A
//! failed check raises an object of the class called after it ([`check_class_name`]), the module's own if it
//! declares one. Functions that are declared without a body are natives handed in by name.

use crate::heap::ObjId;
use crate::lang::{Callable, ClassInfo, Holds, Lang, Native, Raise, Stop, Val};
use crate::machine::{Outcome, Vm};
use ir::module::ClassKind;
use ir::{Builder, Check, ClassId, FuncId, Function, MemType, Module, Names, StrId, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A module as a program.
#[derive(Clone)]
pub struct TextLang {
    module: Arc<Module>,
    natives: BTreeMap<String, Native<TextLang>>,
    /// Functions whose coverage is recorded; all that have a body unless said otherwise.
    pub tracked: Option<Vec<FuncId>>,
    /// Functions made here: one that makes an exception of a class.
    makers: BTreeMap<ClassId, FuncId>,
    made: Vec<Arc<Function>>,
    /// Names of exceptions that the module does not declare, as classes behind the module's.
    extra: Vec<String>,
    world: World,
    frozen: World,
}

/// What exists so far; goes back with the heap.
#[derive(Clone, Default)]
struct World {
    strings: BTreeMap<StrId, ObjId>,
    statics: BTreeMap<ClassId, ObjId>,
    class_objects: BTreeMap<ClassId, ObjId>,
    initialised: Vec<ClassId>,
}

/// Classes that the module need not declare, in this order behind its own.
const STRING: u32 = 0;
const CLASS: u32 = 1;
const STATICS: u32 = 2;
const FIRST_EXTRA: u32 = 3;

/// The class of what a failed check raises: `NullCheck`, `DivZeroCheck`…
pub fn check_class_name(check: Check) -> String {
    let mut name: String = check
        .name()
        .split('-')
        .flat_map(|word| {
            let (first, rest) = word.split_at(1);
            [first.to_uppercase(), rest.to_string()]
        })
        .collect();
    name.push_str("Check");
    name
}

impl TextLang {
    pub fn new(module: Module) -> TextLang {
        // Known from the start, so that a class has the same id whatever fails first.
        let undeclared = |name: &String| module.find_class(name).is_none();
        let extra = Check::ALL.iter().map(|check| check_class_name(*check)).filter(undeclared).collect();
        TextLang {
            module: Arc::new(module),
            natives: BTreeMap::new(),
            tracked: None,
            makers: BTreeMap::new(),
            made: Vec::new(),
            extra,
            world: World::default(),
            frozen: World::default(),
        }
    }

    /// Gives a declared function its code.
    pub fn native(mut self, name: &str, native: Native<TextLang>) -> TextLang {
        self.natives.insert(name.to_string(), native);
        self
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    pub fn class_name(&self, class: ClassId) -> String {
        match self.builtin(class) {
            None => self.module.class(class),
            Some(STRING) => "String".to_string(),
            Some(CLASS) => "Class".to_string(),
            Some(STATICS) => "Statics".to_string(),
            Some(n) => {
                self.extra.get((n - FIRST_EXTRA) as usize).cloned().unwrap_or_else(|| class.to_string())
            }
        }
    }

    /// The text of a string constant's object.
    pub fn string_text(vm: &Vm<TextLang>, object: ObjId) -> Option<String> {
        if vm.lang.builtin(vm.heap.class(object)) != Some(STRING) {
            return None;
        }
        let units: Vec<u16> = (0..vm.heap.len(object)).map(|i| vm.heap.read_u16(object, i * 2)).collect();
        Some(String::from_utf16_lossy(&units))
    }

    /// An outcome as the golden tests spell it: `5`, `returns`, `raises div-zero`, `stops steps`.
    pub fn show(vm: &Vm<TextLang>, outcome: &Outcome, ty: Option<Type>) -> String {
        match (outcome, ty) {
            (Outcome::Returned(Some(val)), Some(ty)) => show_val(vm, *val, ty),
            (Outcome::Returned(_), _) => "returns".to_string(),
            (Outcome::Threw(exception), _) => {
                let name = vm.lang.class_name(vm.heap.class(*exception));
                let check = Check::ALL.iter().find(|check| check_class_name(**check) == name);
                format!("raises {}", check.map_or(name.as_str(), |check| check.name()))
            }
            (Outcome::Stopped(stop), _) => match stop {
                Stop::Exit(status) => format!("exits {status}"),
                Stop::Unsupported { what, which } => format!("stops unsupported {what} {which}"),
                stop => format!("stops {stop:?}").to_lowercase(),
            },
        }
    }

    /// Which of the classes behind the module's it is.
    fn builtin(&self, class: ClassId) -> Option<u32> {
        class.0.checked_sub(self.module.classes().len() as u32)
    }

    fn builtin_id(&self, n: u32) -> ClassId {
        ClassId(self.module.classes().len() as u32 + n)
    }

    /// The class of this name, entered behind the module's if it has none.
    fn exception_class(&mut self, name: &str) -> ClassId {
        if let Some(class) = self.module.find_class(name) {
            return class;
        }
        let known = self.extra.iter().position(|n| n == name).unwrap_or_else(|| {
            self.extra.push(name.to_string());
            self.extra.len() - 1
        });
        self.builtin_id(FIRST_EXTRA + known as u32)
    }

    /// The function that makes an exception of a class.
    fn maker(&mut self, class: ClassId) -> FuncId {
        if let Some(func) = self.makers.get(&class) {
            return *func;
        }
        let mut builder = Builder::new(format!("make {}", self.class_name(class)), &[], Some(Type::Ref));
        let object = builder.new_object(class);
        builder.ret(Some(object));
        let func = FuncId((self.module.funcs().len() + self.made.len()) as u32);
        self.made.push(Arc::new(builder.finish()));
        self.makers.insert(class, func);
        func
    }
}

/// A value as the textual form spells literals; objects by their class, arrays by class and length.
fn show_val(vm: &Vm<TextLang>, val: Val, ty: Type) -> String {
    match ty {
        Type::I1 => val.bits.to_string(),
        Type::I32 => val.as_i32().to_string(),
        Type::I64 | Type::Ptr => val.as_i64().to_string(),
        Type::F32 if val.as_f32().is_nan() => "nan".to_string(),
        Type::F64 if val.as_f64().is_nan() => "nan".to_string(),
        Type::F32 => format!("{:?}", val.as_f32()),
        Type::F64 => format!("{:?}", val.as_f64()),
        Type::Ref if val.bits == 0 => "null".to_string(),
        Type::Ref => {
            let object = val.as_obj();
            if let Some(text) = TextLang::string_text(vm, object) {
                return format!("{text:?}");
            }
            let class = vm.heap.class(object);
            let name = vm.lang.class_name(class);
            match vm.lang.class_info(class).elem {
                Some(_) => format!("{name}[{}]", vm.heap.len(object)),
                None => name,
            }
        }
    }
}

impl Lang for TextLang {
    fn function(vm: &mut Vm<Self>, func: FuncId) -> Result<Callable<Self>, Stop> {
        let lang = &vm.lang;
        let unknown = |which: String| Stop::Unsupported { what: "native", which };
        let Some(declared) = lang.module.funcs().get(func) else {
            let made = lang.made.get(func.0 as usize - lang.module.funcs().len());
            return made.cloned().map(Callable::Ir).ok_or_else(|| unknown(func.to_string()));
        };
        if let Some(body) = &declared.body {
            return Ok(Callable::Ir(Arc::new(body.clone())));
        }
        let native = lang.natives.get(&declared.name);
        native.map(|native| Callable::Native(*native)).ok_or_else(|| unknown(declared.name.clone()))
    }

    fn function_name(&self, func: FuncId) -> String {
        self.module.func(func)
    }

    fn class_info(&self, class: ClassId) -> ClassInfo {
        match self.builtin(class) {
            Some(STRING) => ClassInfo { size: 0, elem: Some(MemType::U16) },
            Some(_) => ClassInfo { size: 0, elem: None },
            None => match self.module.classes()[class].kind {
                ClassKind::Array(elem, _) => ClassInfo { size: 0, elem: Some(elem) },
                _ => ClassInfo { size: self.module.instance_size(class), elem: None },
            },
        }
    }

    fn aside(&self) -> Option<u128> {
        Some(0)
    }

    fn class_key(&self, class: ClassId) -> u128 {
        match self.builtin(class) {
            Some(n @ FIRST_EXTRA..) => {
                self.extra.get((n - FIRST_EXTRA) as usize).map_or(0, |name| term::hash_text(name))
            }
            _ => class.0.into(),
        }
    }

    fn holds(&self, _class: ClassId) -> Holds {
        Holds::Nothing
    }

    fn result_decides(&self, _func: FuncId) -> bool {
        false
    }

    fn func_of(&self, fork: &TextLang, func: FuncId) -> Option<FuncId> {
        if self.module.funcs().get(func).is_some() {
            return Some(func);
        }
        let (class, _) = fork.makers.iter().find(|(_, maker)| **maker == func)?;
        self.makers.get(&self.class_of(fork, *class)?).copied()
    }

    fn class_of(&self, fork: &TextLang, class: ClassId) -> Option<ClassId> {
        match self.builtin(class) {
            Some(n @ FIRST_EXTRA..) => {
                let name = fork.extra.get((n - FIRST_EXTRA) as usize)?;
                let known = self.extra.iter().position(|extra| extra == name)?;
                Some(self.builtin_id(FIRST_EXTRA + known as u32))
            }
            _ => Some(class),
        }
    }

    fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        class == of || self.module.is_subclass(class, of)
    }

    fn may_store(&self, array: ClassId, elem: ClassId) -> bool {
        match self.module.classes().get(array).map(|c| c.kind) {
            Some(ClassKind::Array(MemType::Ref, Some(class))) => self.is_subclass(elem, class),
            Some(ClassKind::Array(MemType::Ref, None)) => true,
            _ => false,
        }
    }

    fn virtual_function(&self, class: ClassId, slot: u32) -> Option<FuncId> {
        self.module.dispatch(class, slot)
    }

    fn interface_function(&mut self, class: ClassId, func: FuncId) -> Result<FuncId, Raise> {
        let found = self.module.implementation(class, func);
        found.ok_or(Raise::Check { check: Check::Dispatch, a: class.0.into(), b: func.0.into() })
    }

    fn is_initialised(vm: &Vm<Self>, class: ClassId) -> bool {
        let init = vm.lang.module.classes().get(class).and_then(|c| c.init);
        init.is_none() || vm.lang.world.initialised.contains(&class)
    }

    fn initialiser(vm: &mut Vm<Self>, class: ClassId) -> Result<FuncId, Stop> {
        // Marked before it runs, so that an initialiser which uses its own class does not start again.
        vm.lang.world.initialised.push(class);
        let init = vm.lang.module.classes().get(class).and_then(|c| c.init);
        init.ok_or_else(|| Stop::Unsupported { what: "class", which: vm.lang.class_name(class) })
    }

    fn string(vm: &mut Vm<Self>, string: StrId) -> Result<ObjId, Stop> {
        if let Some(object) = vm.lang.world.strings.get(&string) {
            return Ok(*object);
        }
        let units: Vec<u16> = vm.lang.module.str(string).encode_utf16().collect();
        let object = vm.new_array(vm.lang.builtin_id(STRING), units.len() as u32)?;
        for (i, unit) in units.iter().enumerate() {
            vm.heap.write_u16(object, i as u32 * 2, *unit);
        }
        vm.lang.world.strings.insert(string, object);
        Ok(object)
    }

    fn class_object(vm: &mut Vm<Self>, class: ClassId) -> Result<ObjId, Stop> {
        if let Some(object) = vm.lang.world.class_objects.get(&class) {
            return Ok(*object);
        }
        let object = vm.new_object(vm.lang.builtin_id(CLASS))?;
        vm.lang.world.class_objects.insert(class, object);
        Ok(object)
    }

    fn statics(vm: &mut Vm<Self>, class: ClassId) -> Result<ObjId, Stop> {
        if let Some(object) = vm.lang.world.statics.get(&class) {
            return Ok(*object);
        }
        let size = vm.lang.module.statics_size(class);
        let object = vm.heap.alloc(vm.lang.builtin_id(STATICS), size, 0).map_err(|_| Stop::Memory)?;
        vm.lang.world.statics.insert(class, object);
        Ok(object)
    }

    fn raise(vm: &mut Vm<Self>, raise: Raise) -> Result<(FuncId, Vec<Val>), Stop> {
        let name = match raise {
            Raise::Check { check, .. } => check_class_name(check),
            Raise::Named { class, .. } => class,
        };
        let class = vm.lang.exception_class(&name);
        Ok((vm.lang.maker(class), Vec::new()))
    }

    fn trap_raise(&self, check: Check, _message: StrId) -> Raise {
        Raise::Check { check, a: 0, b: 0 }
    }

    fn is_tracked(&self, func: FuncId) -> bool {
        match &self.tracked {
            Some(tracked) => tracked.contains(&func),
            None => self.module.funcs().get(func).is_some_and(|f| f.body.is_some()),
        }
    }

    fn freeze(&mut self) {
        self.frozen = self.world.clone();
    }

    fn reset(&mut self) {
        self.world = self.frozen.clone();
    }
}
