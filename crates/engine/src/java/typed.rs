//! Type arguments for objects of generic classes, from what the test gives them: `new LruCache<>(1)` that is asked for
//! texts is an `LruCache<String, String>`.

use ir::FuncId;
use jvm::world::Jvm;
use suite::case::{Call, ClassName, Step, Target, Type, Value};

use super::value::field_type;

/// Gives the variables of a test that hold objects of generic classes their type arguments. A test that does not compile
/// so is written without them.
pub fn type_arguments(jvm: &Jvm, arrange: &mut [Step], act: &Call) {
    for at in 0..arrange.len() {
        let Step::Bind { name, ty: Type::Class { name: class, args }, value: Value::Call(made) } =
            &arrange[at]
        else {
            continue;
        };
        let Some(variables) = variables(jvm, class) else { continue };
        if !args.is_empty() || made.on != Target::New || made.class != *class {
            continue;
        }
        let mut found: Vec<Option<Type>> = vec![None; variables.len()];
        let on_it = |call: &Call| matches!(&call.on, Target::Instance(on) if **on == Value::var(name));
        let calls = arrange.iter().filter_map(|step| match step {
            Step::Do(call) => Some(call),
            _ => None,
        });
        let calls = std::iter::once(&**made).chain(calls.chain([act]).filter(|call| on_it(call)));
        for call in calls {
            let Some(given) = given(jvm, call) else { continue };
            for (param, arg) in given.iter().zip(&call.args) {
                let Some(number) = variables.iter().position(|variable| variable == param) else { continue };
                let Some(ty) = type_of(arrange, arg) else { continue };
                found[number] = Some(match found[number].take() {
                    Some(known) if known != ty => Type::object(),
                    _ => ty,
                });
            }
        }
        // What nothing is given for may be anything; a text is what everybody writes then.
        let known: Vec<Type> = found.into_iter().map(|ty| ty.unwrap_or_else(Type::string)).collect();
        if let Step::Bind { ty: Type::Class { args, .. }, .. } = &mut arrange[at] {
            *args = known;
        }
    }
}

/// The type parameters of a class of the program, if none has a bound.
fn variables(jvm: &Jvm, class: &ClassName) -> Option<Vec<String>> {
    let class = jvm.loaded(&class.internal_name())?;
    let file = jvm.classes[class].file.as_deref()?;
    let declared = file.signature.as_deref()?.strip_prefix('<')?;
    if jvm.classes[class].origin == jvm::link::ClassOrigin::Library || jvm::kotlin::kotlin(file).is_some() {
        return None;
    }
    // `T:Ljava/lang/Object;U:Ljava/lang/Object;>`
    let mut found = Vec::new();
    let mut rest = declared;
    while !rest.starts_with('>') {
        let (name, bound) = rest.split_once(':')?;
        rest = bound.strip_prefix("Ljava/lang/Object;")?;
        if rest.starts_with(':') {
            return None;
        }
        found.push(name.to_string());
    }
    Some(found)
}

/// The type variables that the parameters of a called method are of; an empty name for those that are something else.
fn given(jvm: &Jvm, call: &Call) -> Option<Vec<String>> {
    let class = jvm.loaded(&call.class.internal_name())?;
    let wanted = if call.method.is_empty() { "<init>" } else { call.method.as_str() };
    let is_it = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        &*f.name == wanted && f.signature.ty.params.iter().map(field_type).eq(call.params.iter().cloned())
    };
    let func = jvm.classes[class].functions().find(is_it)?;
    let f = &jvm.funcs[func];
    let signature = jvm.classes[class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.clone()?;
    let mut rest = signature.strip_prefix('(')?;
    let mut found = Vec::new();
    while !rest.starts_with(')') {
        let (name, tail) = match rest.strip_prefix('T') {
            Some(variable) => variable.split_once(';').map(|(name, tail)| (name.to_string(), tail))?,
            None => (String::new(), after(rest)?),
        };
        found.push(name);
        rest = tail;
    }
    Some(found)
}

/// What follows the first type of a signature.
fn after(signature: &str) -> Option<&str> {
    let elem = signature.trim_start_matches('[');
    if !elem.starts_with(['L', 'T']) {
        return elem.get(1..);
    }
    let mut depth = 0;
    for (i, c) in elem.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ';' if depth == 0 => return elem.get(i + 1..),
            _ => {}
        }
    }
    None
}

/// The type of what is given to a parameter of any type; none of what says nothing.
fn type_of(arrange: &[Step], value: &Value) -> Option<Type> {
    let class = |name: &str| Type::class(ClassName::new("java.lang", &[name]));
    Some(match value {
        Value::Null => return None,
        Value::Str(_) => Type::string(),
        Value::Boxed(inner) => match **inner {
            Value::Bool(_) => class("Boolean"),
            Value::Byte(_) => class("Byte"),
            Value::Short(_) => class("Short"),
            Value::Char(_) => class("Character"),
            Value::Int(_) => class("Integer"),
            Value::Long(_) => class("Long"),
            Value::Float(_) => class("Float"),
            Value::Double(_) => class("Double"),
            _ => Type::object(),
        },
        Value::Enum { class, .. } => Type::class(class.clone()),
        Value::Var(name) => {
            let declared = arrange.iter().find_map(|step| match step {
                Step::Bind { name: bound, ty, .. } if bound == name => Some(ty.clone()),
                _ => None,
            });
            declared.unwrap_or_else(Type::object)
        }
        _ => Type::object(),
    })
}
