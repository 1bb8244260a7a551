//! Lambdas and method references: a made-up class that holds the captured values and calls the implementation.

use std::sync::Arc;

use ir::{Builder, ClassId, FuncId, Function, Op, Reg, Type};

use super::adapt::Adapter;
use super::{Bootstrapped, Linked, synthetic};
use crate::link::{
    LinkError, SyntheticClass, SyntheticMethod, define_synthetic, made_field, mem_type, reg_type,
    resolve_method, select_special,
};
use crate::load::{Constant, FieldType, HandleKind, MethodHandle, MethodType};
use crate::world::Jvm;

const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;
const BRIDGES: i32 = 4;

/// What a metafactory is asked to make.
struct Recipe<'a> {
    captured: Vec<FieldType>,
    interfaces: Vec<ClassId>,
    /// The interface's method.
    name: Arc<str>,
    /// Its erased type and those of its bridges.
    erased: Vec<MethodType>,
    /// The type the compiler enforces.
    seen: MethodType,
    implementation: MethodHandle<'a>,
    host: ClassId,
    /// The interface's name, if the lambda can be serialised.
    serialised: Option<Arc<str>>,
}

/// A function that takes the captured values and returns the lambda.
pub(super) fn link(jvm: &mut Jvm, site: &Bootstrapped<'_>, alternative: bool) -> Linked {
    let host = site.call.class;
    let label = format!("lambda {}@{}{}", jvm.func_name(site.call.func), site.call.pc, jvm.tag(host));
    if let Some(func) = jvm.made.get(label.as_str()) {
        return Ok(Some(*func));
    }
    let Some(recipe) = recipe(jvm, site, alternative)? else { return Ok(None) };
    let host_func = &jvm.funcs[site.call.func];
    let number = site.call.func.0 - jvm.classes[host_func.class].methods.start;
    let class = SyntheticClass {
        name: format!("{}$$Lambda${number}_{}", jvm.classes[host].name, site.call.pc),
        superclass: None,
        interfaces: recipe.interfaces.clone(),
        fields: recipe
            .captured
            .iter()
            .enumerate()
            .map(|(index, ty)| made_field(&format!("arg${index}"), mem_type(ty), false))
            .chain(recipe.captured.is_empty().then(|| made_field("instance", ir::MemType::Ref, true)))
            .collect(),
    };
    let mut failure = None;
    let class = define_synthetic(jvm, class, |jvm, class| {
        let mut methods = Vec::new();
        for erased in &recipe.erased {
            match body(jvm, class, &recipe, erased) {
                Ok(function) => methods.push(SyntheticMethod {
                    name: recipe.name.clone(),
                    descriptor: erased.to_string().into(),
                    function,
                }),
                Err(error) => failure = Some(error),
            }
        }
        if let Some(interface) = &recipe.serialised {
            match write_replace(jvm, class, &recipe, interface) {
                Ok(function) => methods.push(SyntheticMethod {
                    name: "writeReplace".into(),
                    descriptor: "()Ljava/lang/Object;".into(),
                    function,
                }),
                Err(error) => failure = Some(error),
            }
        }
        methods
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(Some(jvm.make_func(&label, |jvm| factory(jvm, class, &recipe, &label)))),
    }
}

fn recipe<'a>(
    jvm: &mut Jvm,
    site: &Bootstrapped<'a>,
    alternative: bool,
) -> Result<Option<Recipe<'a>>, LinkError> {
    let pool = &site.file.pool;
    let method_type = |index: usize| {
        let descriptor = site.args.get(index).and_then(|cp| pool.method_type(*cp).ok())?;
        MethodType::parse(descriptor)
    };
    let int = |index: usize| site.args.get(index).and_then(|cp| pool.int(*cp).ok());
    let implementation = site.args.get(1).and_then(|cp| pool.method_handle(*cp).ok());
    let factory = MethodType::parse(site.call.dynamic.descriptor);
    let (Some(erased), Some(implementation), Some(seen), Some(factory)) =
        (method_type(0), implementation, method_type(2), factory)
    else {
        return Ok(None);
    };
    let Some(FieldType::Class(interface)) = &factory.ret else { return Ok(None) };
    let mut interfaces = vec![jvm.class(interface)?];
    let mut all_erased = vec![erased];
    let mut serialised = None;
    if alternative {
        let flags = int(3).unwrap_or(0);
        let mut next = 4;
        if flags & SERIALIZABLE != 0 {
            interfaces.push(jvm.known.serializable);
            serialised = Some(Arc::from(&**interface));
        }
        if flags & MARKERS != 0 {
            let count = int(next).unwrap_or(0).max(0) as usize;
            for index in next + 1..next + 1 + count {
                let Some(Ok(Constant::Class(name))) = site.args.get(index).map(|cp| pool.get(*cp)) else {
                    return Ok(None);
                };
                interfaces.push(jvm.class(name)?);
            }
            next += 1 + count;
        }
        if flags & BRIDGES != 0 {
            let count = int(next).unwrap_or(0).max(0) as usize;
            for index in next + 1..next + 1 + count {
                let Some(bridge) = method_type(index) else { return Ok(None) };
                if !all_erased.contains(&bridge) {
                    all_erased.push(bridge);
                }
            }
        }
    }
    interfaces.dedup();
    Ok(Some(Recipe {
        captured: factory.params,
        interfaces,
        name: site.call.dynamic.name.into(),
        erased: all_erased,
        seen,
        implementation,
        host: site.call.class,
        serialised,
    }))
}

/// Makes the object. One that captures nothing is made once.
fn factory(jvm: &mut Jvm, class: ClassId, recipe: &Recipe<'_>, label: &str) -> Function {
    let params: Vec<Type> = recipe.captured.iter().map(reg_type).collect();
    let mut b = Builder::new(label, &params, Some(Type::Ref));
    if jvm.classes[class].needs_init {
        b.effect(Op::GuardInit, class.0, 0, 0);
    }
    let fields = &jvm.classes[class].fields;
    if let Some(cache) = fields.iter().find(|field| field.is_static()) {
        let [make, done] = std::array::from_fn(|_| b.block());
        let statics = b.value(Type::Ref, Op::Statics, class.0, 0, 0);
        let known = b.value(Type::Ref, Op::LoadRef, statics.0, cache.offset, 0);
        let none = b.value(Type::I1, Op::IsNull, known.0, 0, 0);
        b.br(none, make, done, synthetic());
        b.switch_to(make);
        let object = b.new_object(class);
        b.effect(Op::StoreRef, statics.0, cache.offset, object.0);
        b.ret(Some(object));
        b.switch_to(done);
        b.ret(Some(known));
        return b.finish();
    }
    let object = b.new_object(class);
    for (index, field) in fields.iter().enumerate() {
        b.effect(Op::store(field.ty), object.0, field.offset, index as u32);
    }
    b.ret(Some(object));
    b.finish()
}

/// The interface's method: converts, calls the implementation, converts the result.
fn body(
    jvm: &mut Jvm,
    class: ClassId,
    recipe: &Recipe<'_>,
    erased: &MethodType,
) -> Result<Function, LinkError> {
    let name = format!("{}.{}{erased}", jvm.classes[class].name, recipe.name);
    let params: Vec<Type> = std::iter::once(Type::Ref).chain(erased.params.iter().map(reg_type)).collect();
    let b = Builder::new(name, &params, erased.ret.as_ref().map(reg_type));
    let mut adapter = Adapter { jvm, b };
    let target = Target::new(adapter.jvm, recipe)?;

    let fields = adapter.jvm.classes[class].fields.clone();
    let mut values: Vec<(Reg, FieldType, FieldType)> = Vec::new();
    for (field, ty) in fields.iter().filter(|field| !field.is_static()).zip(&recipe.captured) {
        let value = adapter.b.value(field.ty.reg_type(), Op::load(field.ty), 0, field.offset, 0);
        values.push((value, ty.clone(), ty.clone()));
    }
    for (index, ty) in erased.params.iter().enumerate() {
        let seen = recipe.seen.params.get(index).unwrap_or(ty);
        values.push((Reg(index as u32 + 1), ty.clone(), seen.clone()));
    }
    if values.len() != target.params.len() {
        let message = format!("Incorrect number of parameters for {}", recipe.name);
        return Err(LinkError::new("java/lang/BootstrapMethodError", message));
    }
    let mut args = Vec::with_capacity(values.len());
    for ((value, ty, seen), to) in values.iter().zip(&target.params) {
        args.push(adapter.convert(*value, ty, to, seen)?);
    }
    let result = target.call(&mut adapter, &args);
    match (&erased.ret, result, &target.ret) {
        (Some(to), Some(value), Some(from)) => {
            let value = adapter.convert(value, from, to, to)?;
            adapter.b.ret(Some(value));
        }
        (Some(_), ..) => return Err(LinkError::new("java/lang/BootstrapMethodError", "void result")),
        (None, ..) => adapter.b.ret(None),
    }
    Ok(adapter.b.finish())
}

/// What is written in the lambda's place: where it was made, of what, with which captured values.
fn write_replace(
    jvm: &mut Jvm,
    class: ClassId,
    recipe: &Recipe<'_>,
    interface: &str,
) -> Result<Function, LinkError> {
    const FORM: &str = "java/lang/invoke/SerializedLambda";
    const DESCRIPTOR: &str = "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;ILjava/lang/String;\
                              Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;[Ljava/lang/Object;)V";
    let form = jvm.class(FORM)?;
    let constructor = jvm.method(form, "<init>", DESCRIPTOR)?;
    let objects = jvm.array_of(jvm.known.object);
    let name = format!("{}.writeReplace", jvm.classes[class].name);
    let mut adapter = Adapter { jvm, b: Builder::new(name, &[Type::Ref], Some(Type::Ref)) };
    adapter.init(form);
    let object = FieldType::Class("java/lang/Object".into());
    let length = adapter.b.const_i32(recipe.captured.len() as i32);
    let captured = adapter.b.value(Type::Ref, Op::NewArray, objects.0, length.0, 0);
    let fields = adapter.jvm.classes[class].fields.clone();
    let fields = fields.iter().filter(|field| !field.is_static());
    for (index, (field, ty)) in fields.zip(&recipe.captured).enumerate() {
        let value = adapter.b.value(field.ty.reg_type(), Op::load(field.ty), 0, field.offset, 0);
        let value = adapter.convert(value, ty, &object, ty)?;
        let index = adapter.b.const_i32(index as i32);
        adapter.b.effect(Op::AStoreRef, captured.0, index.0, value.0);
    }
    let mut text = |text: &str| {
        let string = adapter.jvm.text_id(text);
        adapter.b.str(string)
    };
    let MethodHandle { kind, member } = recipe.implementation;
    let erased = recipe.erased.first().map(ToString::to_string).unwrap_or_default();
    let [interface, name, erased] = [interface, &*recipe.name, &*erased].map(&mut text);
    let [owner, implementation, descriptor] = [member.class, member.name, member.descriptor].map(&mut text);
    let seen = text(&recipe.seen.to_string());
    let kind = adapter.b.const_i32(kind as i32);
    let host = adapter.b.value(Type::Ref, Op::ClassRef, recipe.host.0, 0, 0);
    let made = adapter.b.new_object(form);
    let args = [made, host, interface, name, erased, kind, owner, implementation, descriptor, seen, captured];
    adapter.b.call(Reg::NONE, constructor, &args);
    adapter.b.ret(Some(made));
    Ok(adapter.b.finish())
}

/// The implementation: what to call, with what types.
struct Target {
    kind: HandleKind,
    func: FuncId,
    class: ClassId,
    /// The receiver included.
    params: Vec<FieldType>,
    ret: Option<FieldType>,
}

impl Target {
    fn new(jvm: &mut Jvm, recipe: &Recipe<'_>) -> Result<Target, LinkError> {
        let MethodHandle { kind, member } = recipe.implementation;
        let class = jvm.class(member.class)?;
        let mut func = resolve_method(jvm, class, member.name, member.descriptor, member.interface)?;
        let ty = jvm.funcs[func].signature.ty.clone();
        let owner = FieldType::of_class_constant(member.class)
            .ok_or_else(|| LinkError::new("java/lang/NoClassDefFoundError", member.class))?;
        let mut params = ty.params;
        let mut ret = ty.ret;
        match kind {
            HandleKind::InvokeStatic => {}
            HandleKind::NewInvokeSpecial => ret = Some(owner),
            HandleKind::InvokeSpecial => {
                func = select_special(jvm, recipe.host, class, func)?;
                params.insert(0, owner);
            }
            HandleKind::InvokeVirtual | HandleKind::InvokeInterface => params.insert(0, owner),
            _ => return Err(LinkError::unsupported("method handle", "a field as a lambda")),
        }
        let is_static = jvm.funcs[func].is_static();
        if is_static != (kind == HandleKind::InvokeStatic) {
            return Err(LinkError::new("java/lang/IncompatibleClassChangeError", member.name));
        }
        Ok(Target { kind, func, class, params, ret })
    }

    fn call(&self, adapter: &mut Adapter<'_>, args: &[Reg]) -> Option<Reg> {
        let ret = self.ret.as_ref().map(reg_type);
        match self.kind {
            HandleKind::InvokeStatic => {
                adapter.init(adapter.jvm.funcs[self.func].class);
                adapter.emit_call(Op::Call, self.func.0, args, ret)
            }
            HandleKind::NewInvokeSpecial => {
                adapter.init(self.class);
                let object = adapter.b.new_object(self.class);
                let all: Vec<Reg> = std::iter::once(object).chain(args.iter().copied()).collect();
                adapter.emit_call(Op::Call, self.func.0, &all, None);
                Some(object)
            }
            HandleKind::InvokeSpecial => {
                self.guard_receiver(adapter, args);
                adapter.emit_call(Op::Call, self.func.0, args, ret)
            }
            _ => {
                self.guard_receiver(adapter, args);
                adapter.call_instance(self.func, args, ret)
            }
        }
    }

    fn guard_receiver(&self, adapter: &mut Adapter<'_>, args: &[Reg]) {
        if let Some(receiver) = args.first() {
            adapter.b.effect(Op::GuardNonNull, receiver.0, 0, 0);
        }
    }
}
