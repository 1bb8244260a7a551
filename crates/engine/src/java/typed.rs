//! Type arguments for objects of generic classes, from what the test gives them: `new LruCache<>(1)` that is asked for
//! texts is an `LruCache<String, String>`.

use ir::{ClassId, FuncId};
use jvm::input::{Generic, Open};
use jvm::world::Jvm;
use suite::case::{Call, ClassName, FakeMethod, Step, Target, Type, Value};

use super::arrange::{declared, filled, generic_type, wildcard_type};
use super::value::field_type;

/// Gives the variables of a test that hold objects of generic classes their type arguments, and what is made of these or given to
/// them. A test that does not compile so is written without them.
pub fn type_arguments(jvm: &Jvm, arrange: &mut [Step], act: &mut Call) {
    narrow(jvm, arrange, act);
    element_types(jvm, arrange, act);
    for at in 0..arrange.len() {
        let Step::Bind { name, ty: Type::Class { name: class, args }, value } = &arrange[at] else {
            continue;
        };
        let Some(variables) = variables(jvm, class).filter(|_| args.is_empty()) else { continue };
        let made = match value {
            Value::Call(made) if made.on == Target::New && made.class == *class => Some(&**made),
            // What is asked, not what is handed to somebody who says what it is. An abstract class may hold what nobody gives it here.
            Value::Fake { constructor: None, .. } if is_on(act, name) => None,
            _ => continue,
        };
        let calls = arrange.iter().filter_map(|step| match step {
            Step::Do(call) => Some(call),
            _ => None,
        });
        let calls = made.into_iter().chain(calls.chain([&*act]).filter(|call| is_on(call, name)));
        if let Some(known) = arguments(jvm, arrange, &variables, calls) {
            give(jvm, arrange, at, known);
        }
    }
    if act.on == Target::New
        && let Some(variables) = variables(jvm, &act.class)
    {
        let known = arguments(jvm, arrange, &variables, [&*act]);
        if let (Type::Class { args, .. }, Some(known)) = (&mut act.returns, known) {
            *args = known;
        }
    }
    for at in 0..arrange.len() {
        spread(jvm, arrange, at);
    }
    let made = act.is_new().then(|| act.returns.clone());
    let (given, returns) = types_of(jvm, arrange, act, made.as_ref());
    hand_over(jvm, arrange, &act.args, &given);
    by_elements(jvm, arrange);
    // What a type variable stands for is known: `cache.get(1)` is a text, and no variable need say so.
    if act.traits.returns_type_variable && returns.as_ref() == Some(&Type::string()) {
        act.traits.returns_type_variable = false;
        act.returns = Type::string();
    }
    if let Some(returns) = returns.filter(|ty| is_more(ty, &act.returns)) {
        act.returns = returns;
    }
}

fn is_on(call: &Call, name: &str) -> bool {
    matches!(&call.on, Target::Instance(on) if **on == Value::var(name))
}

/// What type variables stand for, by what these calls are given.
fn arguments<'a>(
    jvm: &Jvm,
    arrange: &[Step],
    variables: &[Variable],
    calls: impl IntoIterator<Item = &'a Call>,
) -> Option<Vec<Type>> {
    let mut found: Vec<Option<Type>> = vec![None; variables.len()];
    for call in calls {
        let Some(given) = given(jvm, call) else { continue };
        for (param, arg) in given.iter().zip(&call.args) {
            let Some(number) = variables.iter().position(|variable| variable.name == *param) else {
                continue;
            };
            let Some(ty) = type_of(arrange, arg) else { continue };
            found[number] = Some(match found[number].take() {
                Some(known) if known != ty => Type::object(),
                _ => ty,
            });
        }
    }
    // What nothing is given for may be anything; a text is what everybody writes then, or a number.
    let usual = [Type::string(), Type::class(ClassName::new("java.lang", &["Integer"]))];
    let chosen = found.into_iter().zip(variables).map(|(ty, variable)| match ty {
        Some(ty) => Some(ty).filter(|ty| variable.allows(jvm, ty)),
        None => usual.iter().find(|ty| variable.allows(jvm, ty)).cloned(),
    });
    chosen.collect()
}

/// What a step makes of an object whose type has arguments has them too, and so has what it is given.
fn spread(jvm: &Jvm, arrange: &mut [Step], at: usize) {
    let (call, of) = match &arrange[at] {
        Step::Do(call) => (call.clone(), None),
        Step::Bind { value: Value::Call(call), ty, .. } => ((**call).clone(), Some(ty.clone())),
        _ => return,
    };
    let (given, returns) = types_of(jvm, arrange, &call, of.as_ref());
    hand_over(jvm, arrange, &call.args, &given);
    if let Some(returns) = returns
        && let Step::Bind { ty, value: Value::Call(call), .. } = &mut arrange[at]
        && is_more(&returns, ty)
    {
        call.returns = returns.clone();
        *ty = returns;
    }
}

/// Whether a type is another one with its arguments.
fn is_more(ty: &Type, plain: &Type) -> bool {
    match (ty, plain) {
        (Type::Class { name, args }, Type::Class { name: other, args: none }) => {
            name == other && none.is_empty() && !args.is_empty()
        }
        _ => false,
    }
}

/// The types of a call's parameters and of its result, by the arguments of the type it is called on, or of what it makes.
fn types_of(jvm: &Jvm, arrange: &[Step], call: &Call, made: Option<&Type>) -> (Vec<Generic>, Option<Type>) {
    let on = match &call.on {
        Target::Instance(on) => match &**on {
            Value::Var(name) => declared_as(arrange, name),
            _ => None,
        },
        Target::New | Target::Below(_) => made.cloned(),
        Target::Static => Some(Type::class(call.class.clone())),
    };
    let found = || {
        let Some(Type::Class { name, args }) = on else { return None };
        let class = jvm.loaded(&name.internal_name())?;
        let args = args.iter().map(generic).collect::<Option<Vec<_>>>()?;
        // All that is asked of a raw type is raw.
        let raw = args.is_empty() && jvm::input::is_generic(jvm, class) && call.on != Target::Static;
        if raw { None } else { jvm::input::types_on(jvm, class, &args, func_of(jvm, call)?) }
    };
    let (given, mut returns) = found().unwrap_or_default();
    if let Some((open, known)) = own_variables(jvm, arrange, call) {
        // `Range.of("a", "b")` is a `Range<String>`, not one of the bound.
        returns = open.returns.as_ref().and_then(|ty| open.with(ty, &known));
    }
    let returns = returns.filter(|_| !call.is_new());
    let spell = if returns_variables(jvm, call) { generic_type } else { wildcard_type };
    (given, returns.as_ref().and_then(spell))
}

/// Whether the declared type of a call's result has type variables in it.
fn returns_variables(jvm: &Jvm, call: &Call) -> bool {
    let signature = func_of(jvm, call).and_then(|func| {
        let f = &jvm.funcs[func];
        jvm.classes[f.class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.clone()
    });
    signature.is_some_and(|signature| jvm::input::returns_variables(&signature))
}

/// The types of a method with type parameters of its own, and what these stand for in a call, as far as one argument says it and
/// none another.
fn own_variables(jvm: &Jvm, arrange: &[Step], call: &Call) -> Option<(Open, Vec<Option<Generic>>)> {
    let f = &jvm.funcs[func_of(jvm, call)?];
    let file = jvm.classes[f.class].file.as_deref()?;
    let signature = file.method(&f.name, &f.descriptor)?.signature.as_deref()?;
    let open = jvm::input::open_within_bounds(signature, &Vec::new())?;
    let mut said: Vec<Vec<Generic>> = vec![Vec::new(); open.variables.len()];
    let mut say = |ty: &Generic, value: &Value| {
        if let (Some(number), Some(known)) = (open.variable(ty), type_of(arrange, value)) {
            said[number].extend(generic(&known));
        }
    };
    let mut literals = Vec::new();
    for (param, arg) in open.params.iter().zip(&call.args) {
        match (param, arg) {
            (Generic::Array(elem), Value::Array { items, .. }) => {
                items.iter().for_each(|item| say(elem, item));
            }
            (Generic::Class(name, of), Value::Class(ty)) if &**name == "java/lang/Class" => {
                let number = of.first().and_then(|of| open.variable(of));
                literals.extend(number.zip(generic(ty)));
            }
            (param, arg) => say(param, arg),
        }
    }
    literals.into_iter().for_each(|(number, ty)| said[number].push(ty));
    let one = |said: Vec<Generic>| match said.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => Some(first.clone()),
        _ => None,
    };
    let known = said.into_iter().map(one).collect();
    Some((open, known))
}

/// Arrays of a type variable are of what it stands for: `E... values` beside a `Class<E>` that is `Color.class` are colours.
fn element_types(jvm: &Jvm, arrange: &[Step], call: &mut Call) {
    let Some((open, known)) = own_variables(jvm, arrange, call) else { return };
    for (param, arg) in open.params.iter().zip(&mut call.args) {
        if let (Generic::Array(of), Value::Array { elem, .. }) = (param, arg)
            && let Some(ty) =
                open.variable(of).and_then(|number| known[number].as_ref()).and_then(generic_type)
            && *elem != Type::object()
        {
            *elem = ty;
        }
    }
}

/// A variable whose declared type says less than what it is given to asks for: the call that makes it is cast.
fn narrow(jvm: &Jvm, arrange: &mut [Step], act: &Call) {
    let calls = arrange.iter().filter_map(|step| match step {
        Step::Do(call) => Some(call),
        Step::Bind { value: Value::Call(call), .. } => Some(&**call),
        _ => None,
    });
    let mut asked: Vec<(String, ClassName)> = Vec::new();
    for call in calls.chain([act]) {
        for (param, arg) in call.params.iter().zip(&call.args) {
            if let (Some(class), Value::Var(name)) = (param.as_class(), arg) {
                asked.push((name.clone(), class.clone()));
            }
        }
    }
    let is_below = |below: &ClassName, above: &ClassName| {
        let loaded = |class: &ClassName| jvm.loaded(&class.internal_name());
        below != above
            && loaded(below).zip(loaded(above)).is_some_and(|(below, above)| jvm.is_subclass(below, above))
    };
    for (variable, class) in asked {
        for step in arrange.iter_mut() {
            if let Step::Bind { name, ty, value } = step
                && *name == variable
                && matches!(value, Value::Call(_))
                && ty.as_class().is_some_and(|declared| is_below(&class, declared))
            {
                let of = Box::new(std::mem::replace(value, Value::Null));
                *value = Value::Cast { class: class.clone(), of };
                *ty = Type::class(class.clone());
            }
        }
    }
}

fn declared_as(arrange: &[Step], variable: &str) -> Option<Type> {
    arrange.iter().find_map(|step| match step {
        Step::Bind { name, ty, .. } if name == variable => Some(ty.clone()),
        _ => None,
    })
}

fn generic(ty: &Type) -> Option<Generic> {
    match ty {
        Type::Class { name, args } => {
            let args = args.iter().map(generic).collect::<Option<Vec<_>>>()?;
            Some(Generic::Class(name.internal_name().into(), args))
        }
        _ => None,
    }
}

/// Gives stand-ins the arguments of the types that are asked for.
fn hand_over(jvm: &Jvm, arrange: &mut [Step], args: &[Value], given: &[Generic]) {
    for (arg, asked) in args.iter().zip(given) {
        let filled = filled(asked);
        let (Value::Var(variable), Some(asked)) = (arg, generic_type(&filled)) else { continue };
        if let Generic::Class(_, of) = &filled
            && let Some(at) = raw_collection(jvm, arrange, variable)
            && let (Type::Class { args, .. }, [elem]) = (&asked, of.as_slice())
        {
            let items = items(arrange, at);
            if let Step::Bind { ty: Type::Class { args: own, .. }, .. } = &mut arrange[at] {
                own.clone_from(args);
            }
            hand_over(jvm, arrange, &items, &vec![elem.clone(); items.len()]);
        }
        let is_it = |step: &Step| match step {
            Step::Bind { name, ty, value: Value::Fake { .. } } => name == variable && is_more(&asked, ty),
            _ => false,
        };
        if let (Some(at), Type::Class { args, .. }) = (arrange.iter().position(is_it), asked.clone()) {
            give(jvm, arrange, at, args);
        }
    }
}

/// Collections of one sort of elements that tests make.
const COLLECTIONS: [&str; 7] =
    ["List", "ArrayList", "LinkedList", "LinkedHashSet", "ArrayDeque", "TreeSet", "PriorityQueue"];

/// Whether a type is a generic one without its arguments.
fn is_raw(jvm: &Jvm, ty: &Type) -> bool {
    let Type::Class { name, args } = ty else { return false };
    let class = jvm.loaded(&name.internal_name());
    args.is_empty() && class.is_some_and(|class| jvm::input::is_generic(jvm, class))
}

/// Where a variable gets a collection of the library whose type has no argument yet, or a raw one.
fn raw_collection(jvm: &Jvm, arrange: &[Step], variable: &str) -> Option<usize> {
    arrange.iter().position(|step| match step {
        Step::Bind { name, ty: Type::Class { name: class, args }, value: Value::Call(made) } => {
            name == variable
                && (args.is_empty() || args.iter().any(|arg| is_raw(jvm, arg)))
                && class.package == "java.util"
                && COLLECTIONS.contains(&class.simple_name())
                && made.on == Target::New
        }
        _ => false,
    })
}

/// What a collection is made of, and what is put into it.
fn items(arrange: &[Step], at: usize) -> Vec<Value> {
    let Step::Bind { name, value: Value::Call(made), .. } = &arrange[at] else { return Vec::new() };
    let given = made.args.iter().filter_map(|arg| match arg {
        Value::List(items) => Some(items.clone()),
        _ => None,
    });
    let added = arrange.iter().filter_map(|step| match step {
        Step::Do(call) if is_on(call, name) && call.method == "add" => Some(call.args.clone()),
        _ => None,
    });
    given.chain(added).flatten().collect()
}

/// Collections that nobody says the type of are of what is in them, where that is of one type.
fn by_elements(jvm: &Jvm, arrange: &mut [Step]) {
    for at in 0..arrange.len() {
        let Step::Bind { name, .. } = &arrange[at] else { continue };
        if raw_collection(jvm, arrange, name) != Some(at) {
            continue;
        }
        let items = items(arrange, at);
        let mut types = items.iter().filter_map(|item| type_of(arrange, item));
        let Some(first) = types.next().filter(|ty| *ty != Type::object() && !is_raw(jvm, ty)) else {
            continue;
        };
        if types.all(|other| other == first)
            && let Step::Bind { ty: Type::Class { args, .. }, .. } = &mut arrange[at]
        {
            *args = vec![first];
        }
    }
}

/// Gives the type of a variable its arguments; the methods of a stand-in take and return what these say.
fn give(jvm: &Jvm, arrange: &mut [Step], at: usize, known: Vec<Type>) {
    let Step::Bind { ty: Type::Class { name: class, .. }, value, .. } = &arrange[at] else { return };
    let typed = match value {
        Value::Fake { methods, .. } => {
            let Some(interface) = jvm.loaded(&class.internal_name()) else { return };
            let Some(args) = known.iter().map(generic).collect::<Option<Vec<_>>>() else { return };
            let typed = methods.iter().map(|method| of_type(jvm, arrange, interface, &args, method));
            let Some(typed) = typed.collect::<Option<Vec<_>>>() else { return };
            Some(typed)
        }
        _ => None,
    };
    let Step::Bind { ty, value, .. } = &mut arrange[at] else { return };
    if let Type::Class { args, .. } = ty {
        *args = known;
    }
    if let (Value::Fake { ty: of, methods, .. }, Some(typed)) = (value, typed) {
        *methods = typed;
        of.clone_from(ty);
    }
}

/// A method of a stand-in whose type has these arguments; none if it returns what they do not allow.
fn of_type(
    jvm: &Jvm,
    arrange: &[Step],
    interface: ClassId,
    args: &[Generic],
    method: &FakeMethod,
) -> Option<FakeMethod> {
    let func = func_of(jvm, &method.of)?;
    let (params, returns) = jvm::input::types_on(jvm, interface, args, func)?;
    let returns = match &returns {
        Some(returns) => generic_type(returns)?,
        None => Type::Void,
    };
    let fits = match &method.result {
        None | Some(Value::Null) => true,
        Some(_) if returns == method.returns => true,
        Some(value) => type_of(arrange, value).as_ref() == Some(&returns),
    };
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let signature = file.and_then(|file| file.method(&f.name, &f.descriptor)?.signature.as_deref());
    let exact = signature.is_none_or(|signature| !jvm::input::has_wildcards(signature));
    let params = declared(&params, &f.signature.ty.params);
    fits.then(|| FakeMethod { params, returns, exact, ..method.clone() })
}

/// A type parameter: its name, and the classes that what stands for it must be of.
struct Variable {
    name: String,
    bounds: Vec<String>,
}

impl Variable {
    fn allows(&self, jvm: &Jvm, ty: &Type) -> bool {
        let Type::Class { name, .. } = ty else { return false };
        let class = jvm.loaded(&name.internal_name());
        self.bounds.iter().all(|bound| {
            class.zip(jvm.loaded(bound)).is_some_and(|(class, bound)| jvm.is_subclass(class, bound))
        })
    }
}

/// The type parameters of a class of the program.
fn variables(jvm: &Jvm, class: &ClassName) -> Option<Vec<Variable>> {
    let class = jvm.loaded(&class.internal_name())?;
    let file = jvm.classes[class].file.as_deref()?;
    let declared = file.signature.as_deref()?.strip_prefix('<')?;
    // Java says less of Kotlin's classes than Kotlin does, and would not compile with it.
    let is_foreign = !jvm.worlds.in_kotlin && jvm::kotlin::kotlin(file).is_some();
    if jvm.classes[class].origin == jvm::link::ClassOrigin::Library || is_foreign {
        return None;
    }
    // `T:Ljava/lang/Object;K::Ljava/lang/Comparable<TK;>;>`
    let mut found = Vec::new();
    let mut rest = declared;
    while !rest.starts_with('>') {
        let (name, mut tail) = rest.split_once(':')?;
        let mut bounds = Vec::new();
        loop {
            if let Some(bound) = tail.strip_prefix('L') {
                let name = bound.split(['<', ';']).next()?;
                bounds.extend((name != "java/lang/Object").then(|| name.to_string()));
                tail = after(tail)?;
            } else if !tail.starts_with(':') {
                // A bound that is another variable.
                return None;
            }
            match tail.strip_prefix(':') {
                Some(more) => tail = more,
                None => break,
            }
        }
        found.push(Variable { name: name.to_string(), bounds });
        rest = tail;
    }
    Some(found)
}

/// The type variables that the parameters of a called method are of; an empty name for those that are something else.
fn given(jvm: &Jvm, call: &Call) -> Option<Vec<String>> {
    let f = &jvm.funcs[func_of(jvm, call)?];
    let signature =
        jvm.classes[f.class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.clone()?;
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

/// The method that is called.
fn func_of(jvm: &Jvm, call: &Call) -> Option<FuncId> {
    let class = jvm.loaded(&call.class.internal_name())?;
    let wanted = if call.method.is_empty() { "<init>" } else { call.method.as_str() };
    let is_it = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        &*f.name == wanted && f.signature.ty.params.iter().map(field_type).eq(call.params.iter().cloned())
    };
    jvm.classes[class].functions().find(is_it)
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
        Value::Var(name) => declared_as(arrange, name).unwrap_or_else(Type::object),
        _ => Type::object(),
    })
}
