//! How a run's inputs were made, as the steps of a test.

use std::collections::BTreeMap;

use ir::{ClassId, FuncId};
use jvm::input::{Event, Fake, FakeCall, Generic, Shared, can_name};
use jvm::load::{FieldType, access};
use jvm::observe::Seen;
use jvm::world::Jvm;
use suite::case::{Call, ClassName, FakeMethod, OpenTypes, Runs, Step, Target, Throws, Type, Value};
use vm::ObjId;

use super::case::{NoCase, call_of};
use super::subject::Detail;
use super::value::{class_name, field_type, value};

/// Variables of a test by the objects they hold.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<u32, String>,
    /// The same by the inputs that the objects are.
    inputs: Vec<(String, String)>,
    taken: Vec<String>,
}

impl Names {
    /// Names that variables must not have.
    pub fn new(taken: Vec<String>) -> Names {
        Names { names: BTreeMap::new(), inputs: Vec::new(), taken }
    }

    pub fn get(&self, object: ObjId) -> Option<Value> {
        self.names.get(&object.0).map(Value::var)
    }

    fn name(&mut self, object: ObjId, input: &str) -> String {
        self.name_like(object, input, &variable(input))
    }

    /// The same with another wish for the name than the input's own.
    fn name_like(&mut self, object: ObjId, input: &str, wish: &str) -> String {
        let name = self.free(wish);
        self.names.insert(object.0, name.clone());
        self.inputs.push((input.to_string(), name.clone()));
        name
    }

    pub(super) fn is_free(&self, name: &str) -> bool {
        !self.taken.iter().any(|taken| taken == name)
    }

    /// A name like the one wished for that nothing has.
    pub(super) fn free(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut n = 2;
        while self.taken.contains(&name) {
            name = format!("{wish}{n}");
            n += 1;
        }
        self.taken.push(name.clone());
        name
    }
}

/// Whether an input is an element of a collection: `orders.get0`.
fn is_element(input: &str) -> bool {
    let last = input.rsplit('.').next().unwrap_or(input);
    let number = ["get", "element"].iter().find_map(|prefix| last.strip_prefix(prefix));
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// A name for the variable of an input: `order.customer` is `customer`, `orders.get0` is `orders0`.
fn variable(input: &str) -> String {
    let plain = |s: &str| s.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let parts: Vec<&str> = input.split('.').collect();
    let last = parts.last().copied().unwrap_or("object");
    let counted = ["get", "element", "entry"].iter().find_map(|prefix| last.strip_prefix(prefix));
    match counted.filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit())) {
        Some(number) if parts.len() > 1 => format!("{}{number}", plain(parts[parts.len() - 2])),
        _ => match plain(last) {
            name if name.is_empty() => "object".to_string(),
            // An object of another class than usual is named after that.
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                name[..1].to_ascii_lowercase() + &name[1..]
            }
            name => name,
        },
    }
}

/// The steps that make the inputs, in the order in which the run made them.
pub fn steps(
    jvm: &Jvm,
    script: &[Event],
    calls: &[FakeCall],
    names: &mut Names,
) -> Result<Vec<Step>, NoCase> {
    let mut steps = Vec::new();
    for event in script {
        match event {
            Event::Faked { name, object, class, args } => {
                let calls: Vec<&FakeCall> = calls.iter().filter(|call| call.object == *object).collect();
                let args = values(jvm, args, names)?;
                fake(jvm, (name, *object, *class), (args, &calls), names, &mut steps)?;
            }
            event => steps.push(step(jvm, event, names)?),
        }
    }
    Ok(steps)
}

/// The variables of the test of a run, by the inputs that they hold.
pub fn variables(jvm: &Jvm, detail: &Detail) -> Vec<(String, String)> {
    let mut names = Names::new(taken());
    // What cannot be written is no test, and nobody reads of its conditions.
    let _ = steps(jvm, &detail.before.script, &detail.fakes, &mut names);
    names.inputs
}

/// Names that the surrounding code uses itself.
pub fn taken() -> Vec<String> {
    ["result", "thrown"].into_iter().map(String::from).collect()
}

/// An object that stands for an interface. A method that said different things takes them from an iterator.
fn fake(
    jvm: &Jvm,
    (input, object, class): (&str, ObjId, ir::ClassId),
    (args, calls): (Vec<Value>, &[&FakeCall]),
    names: &mut Names,
    steps: &mut Vec<Step>,
) -> Result<(), NoCase> {
    let Some((_, made)) = jvm.worlds.fakes.get(&class) else { return Err(unnamed()) };
    // What stands for a type because something else would do as well is named after the type.
    let number = input.rsplit('.').next().and_then(|last| last.strip_prefix("Fake"));
    let name = match number.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit())) {
        true => {
            let class = class_name(jvm, made.interface);
            names.name_like(object, input, &decapitalised(class.simple_name()))
        }
        false => names.name(object, input),
    };
    let methods = methods(jvm, (made, &name), calls, names, steps)?;
    let constructor =
        made.constructor.as_ref().map(|way| Box::new(call_of(jvm, way.func, Target::New, args)));
    let args = boxed_args(&made.args.iter().map(filled).collect::<Vec<_>>());
    let ty = Type::Class { name: class_name(jvm, made.interface), args };
    steps.push(Step::Bind { name, ty: ty.clone(), value: Value::Fake { ty, constructor, methods } });
    Ok(())
}

/// The methods of the object that the constructor of an abstract class makes.
pub fn methods_below(
    jvm: &Jvm,
    (object, class): (ObjId, ir::ClassId),
    (name, calls): (&str, &[FakeCall]),
    names: &mut Names,
    steps: &mut Vec<Step>,
) -> Result<Vec<FakeMethod>, NoCase> {
    let Some((_, made)) = jvm.worlds.fakes.get(&class) else { return Err(unnamed()) };
    let calls: Vec<&FakeCall> = calls.iter().filter(|call| call.object == object).collect();
    methods(jvm, (made, name), &calls, names, steps)
}

/// The methods of an object that stands for a type, by what they were asked and said. `name` is that of the object.
fn methods(
    jvm: &Jvm,
    (made, name): (&Fake, &str),
    calls: &[&FakeCall],
    names: &mut Names,
    steps: &mut Vec<Step>,
) -> Result<Vec<FakeMethod>, NoCase> {
    // All that a raw type inherits is raw.
    let raw = made.args.is_empty() && jvm::input::is_generic(jvm, made.interface);
    let mut methods = Vec::new();
    for (index, method) in made.methods.iter().enumerate() {
        let f = &jvm.funcs[method.func];
        let of_method = calls.iter().filter(|call| call.method == index);
        let own: Vec<&FakeCall> = of_method.clone().filter(|call| call.ran.is_none()).copied().collect();
        let ran = of_method.clone().find_map(|call| call.ran.as_ref());
        let runs = match (&method.callback, ran) {
            (Some(callback), Some(given)) => Some(Runs {
                param: callback.param,
                name: names.free(&callback.name),
                method: jvm.funcs[callback.func].name.to_string(),
                args: values(jvm, given, names)?,
                returned: callback.returned,
            }),
            _ => None,
        };
        let returned = own.iter().filter(|call| !call.threw);
        let results: Vec<Value> =
            returned.map(|call| written(jvm, &call.result, names)).collect::<Result<_, _>>()?;
        let throws = throws(jvm, &own, names)?;
        let known = method.returns.as_ref().filter(|_| !raw).and_then(generic_type);
        let returns = known.unwrap_or_else(|| f.signature.ty.ret.as_ref().map_or(Type::Void, field_type));
        let result = match results.as_slice() {
            _ if returns == Type::Void || runs.as_ref().is_some_and(|runs| runs.returned) => None,
            [] => Some(Value::zero(&returns)),
            [first, rest @ ..] if rest.iter().all(|value| value == first) => Some(first.clone()),
            _ => Some(next_of(results, &returns, names, name, steps)),
        };
        let params = match raw {
            true => f.signature.ty.params.iter().map(field_type).collect(),
            false => declared(&made.param_types(jvm, method.func), &f.signature.ty.params),
        };
        let called = !own.is_empty() || runs.is_some();
        let of = call_of(jvm, method.func, Target::Static, Vec::new());
        let file = jvm.classes[f.class].file.as_deref();
        let declared = file.and_then(|file| file.method(&f.name, &f.descriptor));
        let exceptions = declared.iter().flat_map(|method| &method.exceptions);
        let exceptions = exceptions.map(|name| ClassName::from_internal(name)).collect();
        let open = made.open_types(jvm, method.func).filter(|_| !raw).and_then(open_types);
        let signature = declared.and_then(|method| method.signature.as_deref());
        // `Comparable<List<? extends Integer>>` among the interfaces above: its type parameter has a wildcard inside.
        let inherited =
            f.class != made.interface && signature.is_some() && has_wildcards_above(jvm, made.interface);
        let exact =
            !raw && !inherited && signature.is_none_or(|signature| !jvm::input::has_wildcards(signature));
        methods.push(FakeMethod {
            of,
            params,
            returns,
            open,
            result,
            called,
            exceptions,
            throws,
            runs,
            records: None,
            exact,
        });
    }
    Ok(methods)
}

/// Whether a type says what the interfaces above it are of by wildcards.
fn has_wildcards_above(jvm: &Jvm, interface: ClassId) -> bool {
    let files =
        jvm.classes[interface].all_interfaces.iter().filter_map(|above| jvm.classes[*above].file.as_deref());
    let mut signatures = files.filter_map(|file| file.signature.as_deref());
    signatures.any(jvm::input::has_wildcards)
}

fn open_types(open: jvm::input::Open) -> Option<OpenTypes> {
    let params = open.params.iter().map(generic_type).collect::<Option<_>>()?;
    let returns = open.returns.as_ref().map_or(Some(Type::Void), generic_type)?;
    Some(OpenTypes { variables: open.variables, params, returns })
}

/// In which calls of a method it throws what.
fn throws(jvm: &Jvm, calls: &[&FakeCall], names: &Names) -> Result<Throws, NoCase> {
    let mut thrown = Vec::new();
    for (number, call) in calls.iter().enumerate().filter(|(_, call)| call.threw) {
        thrown.push((number, written(jvm, &call.result, names)?));
    }
    Ok(match thrown.as_slice() {
        [] => Throws::Never,
        [(_, first), rest @ ..] if thrown.len() == calls.len() && rest.iter().all(|(_, v)| v == first) => {
            Throws::Always(first.clone())
        }
        _ => Throws::InCalls(thrown),
    })
}

/// Binds an iterator over the results and asks it for the next.
fn next_of(results: Vec<Value>, returns: &Type, names: &mut Names, of: &str, steps: &mut Vec<Step>) -> Value {
    let class = |name: &str| ClassName::new("java.util", &[name]);
    let elem = match returns.box_name() {
        Some(name) => Type::class(ClassName::new("java.lang", &[name])),
        // A type parameter: what the values are is known.
        None if *returns == Type::object() => common_type(&results).unwrap_or(Type::object()),
        None => returns.clone(),
    };
    let name = names.free(&format!("{of}Results"));
    let iterator = Type::Class { name: class("Iterator"), args: vec![elem] };
    let list = Value::List(results);
    let call = Call::on_instance(list, class("List"), "iterator", Vec::new(), iterator.clone(), Vec::new());
    steps.push(Step::Bind { name: name.clone(), ty: iterator, value: Value::call(call) });
    let next = Call::on_instance(
        Value::var(name),
        class("Iterator"),
        "next",
        Vec::new(),
        Type::object(),
        Vec::new(),
    );
    Value::call(next)
}

/// The type of boxes or strings of one kind.
fn common_type(values: &[Value]) -> Option<Type> {
    let name = |value: &Value| match value {
        Value::Boxed(inner) => match **inner {
            Value::Bool(_) => Some("Boolean"),
            Value::Byte(_) => Some("Byte"),
            Value::Short(_) => Some("Short"),
            Value::Char(_) => Some("Character"),
            Value::Int(_) => Some("Integer"),
            Value::Long(_) => Some("Long"),
            Value::Float(_) => Some("Float"),
            Value::Double(_) => Some("Double"),
            _ => None,
        },
        Value::Str(_) => Some("String"),
        _ => None,
    };
    let mut names = values.iter().filter(|value| **value != Value::Null).map(name);
    let first = names.next()??;
    names.all(|name| name == Some(first)).then(|| Type::class(ClassName::new("java.lang", &[first])))
}

fn step(jvm: &Jvm, event: &Event, names: &mut Names) -> Result<Step, NoCase> {
    Ok(match event {
        Event::Made { name, object, func, on, args, class, of } => {
            let args = values(jvm, args, names)?;
            let on = on.as_ref().map(|on| written(jvm, on, names)).transpose()?;
            let constructor = &*jvm.funcs[*func].name == "<init>";
            let target = match (constructor, on) {
                (true, _) => Target::New,
                (false, Some(on)) => Target::Instance(Box::new(on)),
                (false, None) => Target::Static,
            };
            let call = call_of(jvm, *func, target, args);
            let ty = match &call.returns {
                _ if call.traits.reflective => Type::object(),
                // What a container of the library hands out is what was put in.
                returns if *returns == Type::object() && call.class.package.starts_with("java.util") => {
                    Type::Class { name: class_name(jvm, *class), args: boxed_args(of) }
                }
                Type::Class { name, .. } => Type::Class { name: name.clone(), args: boxed_args(of) },
                other => other.clone(),
            };
            // What an `Optional` holds has no name of its own, nor has an exception.
            let own = matches!(&ty, Type::Class { name, .. } if !name.package.starts_with("java."));
            let nameless = name.ends_with(".of")
                || name.ends_with(".thrown")
                || (name.ends_with(".value") || is_element(name)) && own;
            let name = match (nameless, &ty) {
                (true, Type::Class { name: class, .. }) => {
                    names.name_like(*object, name, &decapitalised(class.simple_name()))
                }
                _ => names.name(*object, name),
            };
            Step::Bind { name, ty, value: decimal(&call).unwrap_or_else(|| optional(call)) }
        }
        Event::Listed { name, object, items, of } => {
            let items = values(jvm, items, names)?;
            let class = ClassName::new("java.util", &["ArrayList"]);
            let collection = Type::class(ClassName::new("java.util", &["Collection"]));
            let mut call = match items.is_empty() {
                true => Call::constructor(class, Vec::new(), Vec::new()),
                false => Call::constructor(class, vec![collection], vec![Value::List(items)]),
            };
            call.traits.generic_class = true;
            let list = ClassName::new("java.util", &["List"]);
            let ty = Type::Class { name: list, args: boxed_args(std::slice::from_ref(of)) };
            let name = names.name(*object, name);
            Step::Bind { name, ty, value: Value::call(call) }
        }
        Event::Constant { name, object, owner, field } => {
            let (class, ty) = (class_name(jvm, *owner), field_of(jvm, *owner, field));
            let value = Value::Field { of: None, class, name: field.to_string(), ty: ty.clone() };
            let name = names.name(*object, name);
            Step::Bind { name, ty, value }
        }
        Event::Faked { .. } => return Err(unnamed()),
        Event::Called { object, func, args } => {
            let args = values(jvm, args, names)?;
            let on = names.get(*object).ok_or_else(unnamed)?;
            Step::Do(call_of(jvm, *func, Target::Instance(Box::new(on)), args))
        }
        Event::CalledFirst { on, func, args } => {
            let target = match on {
                Some(Shared::Got(getter)) => {
                    let object = call_of(jvm, *getter, Target::Static, Vec::new());
                    Target::Instance(Box::new(Value::call(object)))
                }
                Some(Shared::Held(constant)) => {
                    let (class, name) = (class_name(jvm, constant.owner), constant.name.to_string());
                    let ty = field_of(jvm, constant.owner, &constant.name);
                    Target::Instance(Box::new(Value::Field { of: None, class, name, ty }))
                }
                None if &*jvm.funcs[*func].name == "<init>" => Target::New,
                None => Target::Static,
            };
            Step::Do(call_of(jvm, *func, target, values(jvm, args, names)?))
        }
        Event::Assigned { object, owner, field, value, reflective } => Step::Set {
            of: names.get(*object).ok_or_else(unnamed)?,
            class: class_name(jvm, *owner),
            field: field.to_string(),
            ty: field_of(jvm, *owner, field),
            value: written(jvm, value, names)?,
            reflective: *reflective,
        },
    })
}

/// `Optional.of(x)` and `Optional.empty()`, as people write them.
fn optional(call: Call) -> Value {
    match call.args.as_slice() {
        [value]
            if call.class == ClassName::new("java.util", &["Optional"]) && call.method == "ofNullable" =>
        {
            match value {
                Value::Null => Value::Optional(None),
                value => Value::Optional(Some(Box::new(value.clone()))),
            }
        }
        _ => Value::call(call),
    }
}

/// `BigDecimal.valueOf(17L, 2)` as people write it: `new BigDecimal("0.17")`. Without a scale it stays what it is, since small ones are
/// shared: `BigDecimal.ZERO`, `BigDecimal.valueOf(5L)`.
fn decimal(call: &Call) -> Option<Value> {
    /// So many places are written out.
    const PLACES: usize = 6;
    let class = ClassName::new("java.math", &["BigDecimal"]);
    let ([Value::Long(unscaled), Value::Int(scale)], "valueOf", true) =
        (call.args.as_slice(), call.method.as_str(), call.class == class)
    else {
        return None;
    };
    let constant = match (unscaled, scale) {
        (0, 0) => Some("ZERO"),
        (1, 0) => Some("ONE"),
        (10, 0) => Some("TEN"),
        _ => None,
    };
    if let Some(name) = constant {
        let ty = Type::class(class.clone());
        return Some(Value::Field { of: None, class, name: name.to_string(), ty });
    }
    if *scale == 0 {
        let call = Call { params: vec![Type::Long], args: vec![Value::Long(*unscaled)], ..call.clone() };
        return Some(Value::call(call));
    }
    let text = match usize::try_from(*scale) {
        Ok(places @ 1..=PLACES) => {
            let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = places + 1);
            let (whole, rest) = digits.split_at(digits.len() - places);
            format!("{}{whole}.{rest}", if *unscaled < 0 { "-" } else { "" })
        }
        _ => format!("{unscaled}E{}", -i64::from(*scale)),
    };
    Some(Value::call(Call::constructor(class, vec![Type::string()], vec![Value::str(text)])))
}

/// `order` for `Order`, `ioException` for `IOException`: of several capitals the last one starts the next word.
pub(super) fn decapitalised(name: &str) -> String {
    let upper = name.chars().take_while(|c| c.is_uppercase()).count();
    let lower = if upper > 1 && upper < name.chars().count() { upper - 1 } else { upper.max(1) };
    name.chars().enumerate().map(|(i, c)| if i < lower { c.to_ascii_lowercase() } else { c }).collect()
}

fn unnamed() -> NoCase {
    NoCase("an object has no name in the test".to_string())
}

fn field_of(jvm: &Jvm, owner: ir::ClassId, field: &str) -> Type {
    let found = jvm.classes[owner].fields.iter().find(|f| &*f.name == field);
    found.and_then(|f| FieldType::parse(&f.descriptor)).map_or_else(Type::object, |ty| field_type(&ty))
}

/// Values that a test can write down.
pub fn values(jvm: &Jvm, seen: &[Seen], names: &Names) -> Result<Vec<Value>, NoCase> {
    seen.iter().map(|seen| written(jvm, seen, names)).collect()
}

pub fn written(jvm: &Jvm, seen: &Seen, names: &Names) -> Result<Value, NoCase> {
    value(jvm, seen, names).ok_or_else(|| {
        let what = unwritable(jvm, seen).map_or(String::new(), |what| format!(": {what}"));
        NoCase(format!("an argument cannot be written in source{what}"))
    })
}

/// What of a value has no spelling.
fn unwritable(jvm: &Jvm, seen: &Seen) -> Option<String> {
    let first = |items: &[Seen]| items.iter().find_map(|item| unwritable(jvm, item));
    match seen {
        Seen::Object { class, .. } => Some(format!("an object of {}", jvm.classes[*class].java_name())),
        Seen::Opaque(class) => {
            Some(format!("{}, large or not to be looked into", jvm.classes[*class].java_name()))
        }
        Seen::Enum(class, name) => Some(format!("{}.{name}", jvm.classes[*class].java_name())),
        Seen::Input(_) => Some("an object that was made on another path".to_string()),
        Seen::Array(_, items) | Seen::List(items) | Seen::Set(items) => first(items),
        Seen::Map(entries) => {
            entries.iter().find_map(|(k, v)| unwritable(jvm, k).or_else(|| unwritable(jvm, v)))
        }
        Seen::Optional(inner) => inner.as_deref().and_then(|inner| unwritable(jvm, inner)),
        _ => None,
    }
}

/// Types of parameters as a method that overrides may declare them: variables replaced by what they stand for.
pub(super) fn declared(types: &[Generic], erased: &[FieldType]) -> Vec<Type> {
    fn plain(ty: &Generic, erased: &FieldType) -> Type {
        match (ty, erased) {
            (Generic::Class(name, args), _) => {
                Type::Class { name: ClassName::from_internal(name), args: boxed_args(args) }
            }
            (Generic::Array(elem), FieldType::Array(erased)) => Type::array(plain(elem, erased)),
            _ => field_type(erased),
        }
    }
    types.iter().zip(erased).map(|(ty, erased)| plain(ty, erased)).collect()
}

/// Type arguments as a declaration spells them; none if one of them is not known.
fn boxed_args(of: &[Generic]) -> Vec<Type> {
    of.iter().map(generic_type).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// A type argument whose own arguments are what collections of an unknown type are filled with: `Collection<T>` is one of strings.
pub(super) fn filled(ty: &Generic) -> Generic {
    match ty {
        Generic::Class(name, args) => {
            let fill = |arg: &Generic| match arg {
                Generic::Any | Generic::Wild => Generic::Class("java/lang/String".into(), Vec::new()),
                known => filled(known),
            };
            Generic::Class(name.clone(), args.iter().map(fill).collect())
        }
        other => other.clone(),
    }
}

pub(super) fn generic_type(ty: &Generic) -> Option<Type> {
    Some(match ty {
        Generic::Any | Generic::Wild => return None,
        Generic::Prim(prim) => field_type(prim),
        Generic::Array(elem) => Type::array(generic_type(elem)?),
        Generic::Class(name, args) => Type::Class {
            name: ClassName::from_internal(name),
            // `List<?>` inside is spelled without its argument.
            args: args.iter().map(generic_type).collect::<Option<Vec<_>>>().unwrap_or_default(),
        },
    })
}

/// A type that has no variables: what is not known inside is `?`, as `Map<Class, String>` is no `Map<Class<?>, String>`.
pub(super) fn wildcard_type(ty: &Generic) -> Option<Type> {
    fn inside(ty: &Generic) -> Option<Type> {
        let Generic::Class(name, args) = ty else { return generic_type(ty) };
        let args = args.iter().map(|arg| inside(arg).unwrap_or(Type::Wildcard)).collect();
        Some(Type::Class { name: ClassName::from_internal(name), args })
    }
    let Generic::Class(name, args) = ty else { return generic_type(ty) };
    let args = args.iter().map(inside).collect::<Option<Vec<_>>>().unwrap_or_default();
    Some(Type::Class { name: ClassName::from_internal(name), args })
}

/// The type of a method's result with its arguments, where a test can name them all and every caller sees the same.
pub fn result_type(jvm: &Jvm, func: FuncId) -> Option<Type> {
    fn nameable(jvm: &Jvm, ty: &Generic) -> bool {
        match ty {
            Generic::Any | Generic::Wild => false,
            Generic::Prim(_) => true,
            Generic::Array(elem) => nameable(jvm, elem),
            Generic::Class(name, args) => {
                // What no run has come across is loaded in one world and not in the other: what a test says must not
                // depend on it. Should it have no name, the test is written without type arguments.
                jvm.loaded(name).is_none_or(|class| can_name(jvm, class))
                    && args.iter().all(|arg| nameable(jvm, arg))
            }
        }
    }
    let f = &jvm.funcs[func];
    // What a raw type inherits is raw as well.
    if !f.is_static() && (jvm::input::is_generic(jvm, f.class) || jvm::input::is_inner(jvm, f.class)) {
        return None;
    }
    let ty = jvm::input::closed_result(jvm, func)?;
    if nameable(jvm, &ty) { generic_type(&ty) } else { None }
}

/// Other members of the same name, inherited ones among them, that could take as many arguments.
pub fn overloads(jvm: &Jvm, func: FuncId) -> Vec<FuncId> {
    let method = &jvm.funcs[func];
    let class = &jvm.classes[method.class];
    let count = method.signature.ty.params.len();
    let above = class.ancestors.iter().chain(class.all_interfaces.iter());
    let owners: Vec<ClassId> = match &*method.name {
        "<init>" => vec![method.class],
        _ => above.copied().collect(),
    };
    let mut others: Vec<FuncId> = owners.iter().flat_map(|owner| jvm.classes[*owner].functions()).collect();
    others.retain(|other| {
        let other = &jvm.funcs[*other];
        let params = &other.signature.ty.params;
        let takes = params.len() == count || (other.access | method.access) & access::VARARGS != 0;
        other.name == method.name
            && *params != method.signature.ty.params
            && takes
            && other.access & (access::PRIVATE | access::SYNTHETIC) == 0
    });
    others
}

/// Whether one of the overloads takes another interface in the place of an interface.
pub fn lambdas_compete(jvm: &Jvm, func: FuncId) -> bool {
    // By the class file: what is loaded differs from world to world.
    let is_interface = |ty: &FieldType| match ty {
        FieldType::Class(name) => {
            let file = jvm.path.load(name).ok().flatten();
            file.is_some_and(|(file, _)| file.access & access::INTERFACE != 0)
        }
        _ => false,
    };
    let own = &jvm.funcs[func].signature.ty.params;
    overloads(jvm, func).iter().any(|other| {
        let others = jvm.funcs[*other].signature.ty.params.iter();
        own.iter().zip(others).any(|(a, b)| a != b && is_interface(a) && is_interface(b))
    })
}

pub fn parameter_types(jvm: &Jvm, func: FuncId) -> Vec<Type> {
    jvm.funcs[func].signature.ty.params.iter().map(field_type).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_as_people_do() {
        let class = ClassName::new("java.math", &["BigDecimal"]);
        let written = |unscaled: i64, scale: i32| {
            let args = vec![Value::Long(unscaled), Value::Int(scale)];
            let params = vec![Type::Long, Type::Int];
            let call = Call::on_class(class.clone(), "valueOf", params, Type::class(class.clone()), args);
            match decimal(&call) {
                Some(Value::Call(call)) => call.args,
                Some(Value::Field { name, .. }) => vec![Value::str(name)],
                other => other.into_iter().collect(),
            }
        };
        let text = |text: &str| vec![Value::str(text)];
        assert_eq!(written(0, 0), text("ZERO"));
        assert_eq!(written(10, 0), text("TEN"));
        assert_eq!(written(5, 0), [Value::Long(5)]);
        assert_eq!(written(17, 2), text("0.17"));
        assert_eq!(written(-5, 1), text("-0.5"));
        assert_eq!(written(i64::MIN, 1), text("-922337203685477580.8"));
        assert_eq!(written(17, 19), text("17E-19"));
        assert_eq!(written(0, 3), text("0.000"));
        assert_eq!(written(3, i32::MIN), text("3E2147483648"));
    }
}
