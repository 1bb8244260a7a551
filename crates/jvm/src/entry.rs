//! Entries: what an exploration calls to run a method under test.
//!
//! A method of an object needs the object first, so its entry is a made-up function that takes the constructor's
//! arguments and the method's, makes the object and calls the method.

use std::sync::Arc;

use ir::{Builder, ClassId, FuncId, Function, Op, Reg, Type};

use crate::link::{Sig, reg_type};
use crate::load::{FieldType, Method, access};
use crate::world::Jvm;

/// A way to run a method under test.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What to call.
    pub func: FuncId,
    /// The method or constructor under test.
    pub target: FuncId,
    /// How the receiver is made; `None` for static methods and constructors.
    pub constructor: Option<FuncId>,
    /// What `func` takes: the constructor's parameters, then the method's.
    pub params: Vec<ParamInfo>,
    /// How many of the parameters are the constructor's.
    pub constructor_params: usize,
    /// Index in `func`'s code of the call of the method under test; an exception that leaves `func` before it came
    /// from initialising the class or from the constructor. 0 if `func` is the method itself.
    pub target_call: u32,
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// As the source calls it, where the class file tells; `arg0`, `arg1`… otherwise.
    pub name: String,
    pub ty: FieldType,
    /// Its generic type, unparsed: `Ljava/util/List<Ljava/lang/String;>;`.
    pub signature: Option<String>,
    /// It is the array of a variable-arity method.
    pub varargs: bool,
}

/// The methods and constructors of a class that a test can call, in the order of the class file: public ones, and on
/// request those that only the same package sees.
pub fn testable_methods(jvm: &Jvm, class: ClassId, package_private: bool) -> Vec<FuncId> {
    let hidden = if package_private { access::PRIVATE } else { access::PRIVATE | access::PROTECTED };
    let owner = &jvm.classes[class];
    let makes_objects = owner.access & (access::ABSTRACT | access::INTERFACE | access::ENUM) == 0;
    let visible = |func: &FuncId| {
        let method = &jvm.funcs[*func];
        let callable = method.access & (access::ABSTRACT | access::SYNTHETIC | access::NATIVE | hidden) == 0;
        let public = package_private || method.is(access::PUBLIC);
        let constructor = &*method.name == "<init>";
        callable && public && &*method.name != "<clinit>" && (!constructor || makes_objects)
    };
    owner.functions().filter(visible).collect()
}

/// The ways to run a method: one for a static method or constructor; for an instance method one for each constructor
/// that a test can call, none if there is none.
pub fn entries(jvm: &mut Jvm, target: FuncId, package_private: bool) -> Vec<Entry> {
    let class = jvm.funcs[target].class;
    let is_constructor = &*jvm.funcs[target].name == "<init>";
    if jvm.funcs[target].is_static() {
        return vec![static_entry(jvm, class, target)];
    }
    if is_constructor {
        return vec![constructor_entry(jvm, class, target)];
    }
    let constructors: Vec<FuncId> = testable_methods(jvm, class, package_private)
        .into_iter()
        .filter(|func| &*jvm.funcs[*func].name == "<init>")
        .collect();
    constructors.into_iter().map(|constructor| instance_entry(jvm, class, constructor, target)).collect()
}

fn static_entry(jvm: &mut Jvm, class: ClassId, target: FuncId) -> Entry {
    let params = params(jvm, target);
    let mut entry =
        Entry { func: target, target, constructor: None, params, constructor_params: 0, target_call: 0 };
    if jvm.classes[class].needs_init {
        let sig = jvm.funcs[target].signature.clone();
        let name = format!("drive {}", jvm.func_name(target));
        entry.func = jvm.make_func(&name, |_| static_driver(&name, class, target, &sig));
        entry.target_call = 1;
    }
    entry
}

fn static_driver(name: &str, class: ClassId, target: FuncId, sig: &Sig) -> Function {
    let mut b = Builder::new(name, &sig.params, sig.ret);
    b.effect(Op::GuardInit, class.0, 0, 0);
    let args: Vec<Reg> = (0..sig.params.len() as u32).map(Reg).collect();
    call_and_return(&mut b, target, &args, sig.ret);
    b.finish()
}

fn constructor_entry(jvm: &mut Jvm, class: ClassId, target: FuncId) -> Entry {
    let params = params(jvm, target);
    let sig = jvm.funcs[target].signature.clone();
    let name = format!("drive {}", jvm.func_name(target));
    let func = jvm.make_func(&name, |_| {
        let mut b = Builder::new(name.as_str(), &sig.params, Some(Type::Ref));
        let object = make(&mut b, class, target, &sig);
        b.ret(Some(object));
        b.finish()
    });
    // Behind the guard and the allocation.
    Entry { func, target, constructor: None, params, constructor_params: 0, target_call: 2 }
}

fn instance_entry(jvm: &mut Jvm, class: ClassId, constructor: FuncId, target: FuncId) -> Entry {
    let mut all = params(jvm, constructor);
    let constructor_params = all.len();
    all.extend(params(jvm, target));
    let made = jvm.funcs[constructor].signature.clone();
    let called = jvm.funcs[target].signature.clone();
    let name = format!("drive {} after {}", jvm.func_name(target), jvm.funcs[constructor].descriptor);
    let func =
        jvm.make_func(&name, |_| instance_driver(&name, class, (constructor, &made), (target, &called)));
    Entry { func, target, constructor: Some(constructor), params: all, constructor_params, target_call: 3 }
}

fn instance_driver(
    name: &str,
    class: ClassId,
    (constructor, made): (FuncId, &Sig),
    (target, called): (FuncId, &Sig),
) -> Function {
    let params: Vec<Type> = made.params.iter().chain(&called.params).copied().collect();
    let mut b = Builder::new(name, &params, called.ret);
    let object = make(&mut b, class, constructor, made);
    let first = made.params.len() as u32;
    let args: Vec<Reg> =
        std::iter::once(object).chain((first..first + called.params.len() as u32).map(Reg)).collect();
    call_and_return(&mut b, target, &args, called.ret);
    b.finish()
}

/// A guard, an allocation and the call of the constructor with the first parameters.
fn make(b: &mut Builder, class: ClassId, constructor: FuncId, sig: &Sig) -> Reg {
    b.effect(Op::GuardInit, class.0, 0, 0);
    let object = b.new_object(class);
    let args: Vec<Reg> = std::iter::once(object).chain((0..sig.params.len() as u32).map(Reg)).collect();
    b.call(Reg::NONE, constructor, &args);
    object
}

fn call_and_return(b: &mut Builder, target: FuncId, args: &[Reg], ret: Option<Type>) {
    let result = ret.map(|ty| b.reg(ty));
    b.call(result.unwrap_or(Reg::NONE), target, args);
    b.ret(result);
}

/// The parameters of a method, without the receiver.
pub fn params(jvm: &Jvm, func: FuncId) -> Vec<ParamInfo> {
    let target = &jvm.funcs[func];
    let types = &target.signature.ty.params;
    let owner = &jvm.classes[target.class];
    let method = owner.file.as_ref().and_then(|file| {
        file.methods.iter().find(|m| m.name == target.name && m.descriptor == target.descriptor)
    });
    let names = method.map_or_else(|| vec![None; types.len()], param_names);
    let generic = method.and_then(|m| m.signature.as_ref()).and_then(|text| generic_params(text));
    let generic = generic.filter(|generic| generic.len() == types.len());
    let mut infos: Vec<ParamInfo> = types
        .iter()
        .enumerate()
        .map(|(index, ty)| ParamInfo {
            name: names
                .get(index)
                .cloned()
                .flatten()
                .map_or_else(|| format!("arg{index}"), |name| name.to_string()),
            ty: ty.clone(),
            signature: generic.as_ref().and_then(|generic| generic.get(index).cloned()),
            varargs: false,
        })
        .collect();
    if let (true, Some(last)) = (target.is(access::VARARGS), infos.last_mut()) {
        last.varargs = true;
    }
    infos
}

/// From `MethodParameters`, else from the debug information of the code's start.
fn param_names(method: &Method) -> Vec<Option<Arc<str>>> {
    let types = &method.ty.params;
    if let Some(parameters) = method.parameters.as_ref().filter(|p| p.len() == types.len()) {
        return parameters.iter().map(|parameter| parameter.name.clone()).collect();
    }
    let mut slot = if method.is(access::STATIC) { 0 } else { 1 };
    let mut names = Vec::with_capacity(types.len());
    for ty in types {
        let local = method.code.as_ref().and_then(|code| code.local(slot, 0));
        let fits = local.filter(|local| {
            FieldType::parse(&local.descriptor).is_some_and(|t| reg_type(&t) == reg_type(ty))
        });
        names.push(fits.map(|local| local.name.clone()));
        slot = slot.saturating_add(ty.slots());
    }
    names
}

/// The parameter types of a method's generic signature (JVMS §4.7.9.1), unparsed.
fn generic_params(signature: &str) -> Option<Vec<String>> {
    let open = signature.find('(')?;
    let mut rest = signature.get(open + 1..)?;
    let mut params = Vec::new();
    while !rest.starts_with(')') {
        let len = generic_type(rest)?;
        params.push(rest.get(..len)?.to_string());
        rest = rest.get(len..)?;
    }
    Some(params)
}

/// The length of the generic type at the front of the text.
fn generic_type(text: &str) -> Option<usize> {
    let base = text.trim_start_matches('[');
    let dimensions = text.len() - base.len();
    let mut depth = 0;
    let end = match base.as_bytes().first()? {
        b'L' | b'T' => base.char_indices().find_map(|(at, c)| {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
            (c == ';' && depth == 0).then_some(at + 1)
        })?,
        _ => 1,
    };
    Some(dimensions + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_signatures_are_cut_into_their_parameters() {
        let text = "<T:Ljava/lang/Object;>(Ljava/util/Map<TT;[I>;[TT;IJ[[Ljava/lang/String;)V";
        let expected = ["Ljava/util/Map<TT;[I>;", "[TT;", "I", "J", "[[Ljava/lang/String;"];
        assert_eq!(generic_params(text).unwrap_or_default(), expected);
        assert_eq!(generic_params("(Ljava/util/List<I"), None);
    }
}
