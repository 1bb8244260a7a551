//! What a test asserts of a run: its result, what objects show of themselves, what changed.

use ir::{ClassId, FuncId};
use jvm::input::can_name;
use jvm::load::access;
use jvm::observe::{Member, Seen};
use jvm::world::Jvm;
use ledger::{Kind as Imprecision, Ledger};
use suite::case::{Assert, Call, Check, ClassName, Step, Target, Text, Type, Value};
use vm::ObjId;

use super::arrange::Names;
use super::case::call_of;
use super::subject::{Detail, Look};
use super::value::{class_name, field_type, value};

pub fn assert_result(
    jvm: &Jvm,
    result: &Seen,
    act: &Call,
    names: &Names,
    ledger: &Ledger,
    asserts: &mut Vec<Assert>,
) {
    let check = match result {
        Seen::Null => Check::Null,
        // An object that the call was given, the receiver of a fluent method among them.
        Seen::Input(object) => match names.get(*object) {
            Some(variable) => identity(&act.returns, variable),
            None => Check::NotNull,
        },
        Seen::Constant(..) => match value(jvm, result, names) {
            Some(constant) => Check::Same(constant),
            None => Check::NotNull,
        },
        seen if value(jvm, result, names).is_none() => {
            let before = asserts.len();
            let graph = Graph { jvm, names, above: Vec::new() };
            graph.assert_inside(Value::Result, &act.returns, seen, asserts);
            if asserts.len() > before {
                return;
            }
            Check::NotNull
        }
        seen => match value(jvm, seen, names) {
            Some(expected) => {
                let inexact = ledger.iter().any(|(entry, _)| entry.kind == Imprecision::InexactMath);
                match expected {
                    Value::Float(_) | Value::Double(_) if inexact => Check::Within { expected, ulps: 1 },
                    expected => return assert_equal(Value::Result, &act.returns, expected, asserts),
                }
            }
            None => Check::NotNull,
        },
    };
    asserts.push(Assert::result(check));
}

/// That something is an object the test knows. Which of several equal numbers, dates and texts the library returns is nobody's
/// business.
fn identity(ty: &Type, expected: Value) -> Check {
    let by_value = |name: &ClassName| {
        let package = name.package.as_str();
        matches!(package, "java.math" | "java.time")
            || package == "java.lang" && name.simple_name() == "String"
            || package == "java.util" && matches!(name.simple_name(), "UUID" | "Optional")
    };
    match ty {
        Type::Class { name, .. } if by_value(name) => Check::Equals(expected),
        _ => Check::Same(expected),
    }
}

/// That something is equal to a value. Arrays are equal to nothing but themselves: a list of them is looked at one by
/// one, other collections of them not at all.
fn assert_equal(of: Value, ty: &Type, expected: Value, asserts: &mut Vec<Assert>) {
    let holds_arrays = |value: &Value| {
        value.children().into_iter().any(|v| v.any(&mut |v| matches!(v, Value::Array { .. })))
    };
    if matches!(expected, Value::Array { .. }) || !holds_arrays(&expected) {
        asserts.push(Assert::that(of, Check::Equals(expected)));
        return;
    }
    let list = ClassName::new("java.util", &["List"]);
    let is_list = matches!(ty, Type::Class { name, .. } if *name == list);
    let (Value::List(items), true) = (expected, is_list) else {
        asserts.push(Assert::that(of, Check::NotNull));
        return;
    };
    let call = |name: &str, params: Vec<Type>, returns: Type, args: Vec<Value>| {
        Value::call(Call::on_instance(of.clone(), list.clone(), name, params, returns, args))
    };
    let size = call("size", Vec::new(), Type::Int, Vec::new());
    asserts.push(Assert::that(size, Check::Equals(Value::Int(items.len() as i32))));
    for (i, item) in items.into_iter().enumerate() {
        let at = call("get", vec![Type::Int], Type::object(), vec![Value::Int(i as i32)]);
        match item {
            Value::Null => asserts.push(Assert::that(at, Check::Null)),
            item => assert_equal(at, &Type::object(), item, asserts),
        }
    }
}

/// What an object that the call was given shows otherwise than before.
pub fn assert_changes(jvm: &Jvm, look: &Look, arrange: &[Step], names: &Names, asserts: &mut Vec<Assert>) {
    let Some(variable) = names.get(look.object) else { return };
    let declared = declared_type(arrange, &variable);
    match (&look.before, &look.after) {
        (Seen::Object { shown: before, .. }, Seen::Object { shown: after, .. }) => {
            assert_getters(jvm, (&variable, &declared), after, Some(before), names, asserts);
        }
        (before, after) if before != after => match value(jvm, after, names) {
            Some(expected) => assert_equal(variable, &declared, expected, asserts),
            None => {
                let graph = Graph { jvm, names, above: Vec::new() };
                graph.assert_inside(variable, &declared, after, asserts);
            }
        },
        _ => {}
    }
}

/// That the object which was called did not change is all there is to see.
pub fn assert_unchanged(
    jvm: &Jvm,
    detail: &Detail,
    arrange: &[Step],
    names: &Names,
    asserts: &mut Vec<Assert>,
) {
    let Some(Seen::Input(receiver)) = &detail.before.receiver else { return };
    let Some(look) = detail.looks.iter().find(|look| look.object == *receiver) else { return };
    if let (Seen::Object { shown, .. }, Some(variable)) = (&look.after, names.get(*receiver)) {
        let declared = declared_type(arrange, &variable);
        assert_getters(jvm, (&variable, &declared), shown, None, names, asserts);
        asserts.truncate(MOST_UNCHANGED);
    }
}

/// What a static getter shows.
pub fn assert_static(jvm: &Jvm, getter: FuncId, seen: &Seen, names: &Names, asserts: &mut Vec<Assert>) {
    let call = call_of(jvm, getter, Target::Static, Vec::new());
    let ty = call.returns.clone();
    match seen {
        Seen::Null => asserts.push(Assert::that(Value::call(call), Check::Null)),
        seen => {
            if let Some(expected) = value(jvm, seen, names) {
                assert_equal(Value::call(call), &ty, expected, asserts);
            }
        }
    }
}

/// So many getters show that nothing changed.
pub const MOST_UNCHANGED: usize = 3;

/// The type that a variable is declared with.
pub fn declared_type(arrange: &[Step], variable: &Value) -> Type {
    let declared = arrange.iter().find_map(|step| match step {
        Step::Bind { name, ty, .. } if Value::var(name) == *variable => Some(ty.clone()),
        _ => None,
    });
    declared.unwrap_or_else(Type::object)
}

/// Getters of an object, all of them or those that changed, as far as the type that the test knows it by has them.
fn assert_getters(
    jvm: &Jvm,
    (of, declared): (&Value, &Type),
    shown: &[(Member, Seen)],
    before: Option<&[(Member, Seen)]>,
    names: &Names,
    asserts: &mut Vec<Assert>,
) {
    let graph = Graph { jvm, names, above: Vec::new() };
    graph.assert(of, declared, shown, before, asserts);
}

/// Objects inside of objects, which may lead back.
pub struct Graph<'a> {
    pub jvm: &'a Jvm,
    pub names: &'a Names,
    /// The objects that lead to this one, and how a test spells them.
    pub above: Vec<(ObjId, Value)>,
}

/// Objects inside of objects inside of the one that is looked at.
const MOST_INSIDE: usize = 2;
/// The same of objects that are nothing but their fields: one leads to the next.
const MOST_IN_CHAIN: usize = 4;
/// Nobody reads more of one object.
const MOST_ASSERTS: usize = 16;

impl Graph<'_> {
    pub fn assert(
        &self,
        of: &Value,
        declared: &Type,
        shown: &[(Member, Seen)],
        before: Option<&[(Member, Seen)]>,
        asserts: &mut Vec<Assert>,
    ) {
        for (member, seen) in shown {
            if before.is_some_and(|b| b.iter().any(|(m, s)| m == member && s == seen)) {
                continue;
            }
            if *member == Member::Elements {
                asserts.extend(self.iterates(of, declared, seen));
            } else if let Some((getter, returns)) = self.read(of, declared, member) {
                self.assert_value(getter, &returns, seen, asserts);
            }
        }
    }

    /// What one value is, as a whole or as far as it shows.
    pub fn assert_value(&self, of: Value, ty: &Type, seen: &Seen, asserts: &mut Vec<Assert>) {
        let check = match (value(self.jvm, seen, self.names), seen) {
            (Some(Value::Null), _) => Check::Null,
            (Some(expected), Seen::Input(_) | Seen::Constant(..)) => identity(ty, expected),
            (Some(expected), _) => return assert_equal(of, ty, expected, asserts),
            (None, seen) => return self.assert_inside(of, ty, seen, asserts),
        };
        asserts.push(Assert::that(of, check));
    }

    /// What an object goes over, if that can be written down and compared.
    fn iterates(&self, of: &Value, declared: &Type, seen: &Seen) -> Option<Assert> {
        let Type::Class { name, .. } = declared else { return None };
        let class = self.jvm.loaded(&name.internal_name())?;
        let iterable = self.jvm.loaded("java/lang/Iterable")?;
        let elements = value(self.jvm, seen, self.names)?;
        let holds_arrays = elements.any(&mut |v| matches!(v, Value::Array { .. }));
        let fits = self.jvm.is_subclass(class, iterable) && !holds_arrays;
        fits.then(|| Assert::that(of.clone(), Check::Iterates(elements)))
    }

    /// The class of an object where that says more than the type it is declared with, which has not all that it shows.
    fn told_apart(
        &self,
        class: ClassId,
        declared: &Type,
        shown: &[(Member, Seen)],
        of: &Value,
    ) -> Option<ClassName> {
        let jvm = self.jvm;
        let Type::Class { name, .. } = declared else { return None };
        let known = jvm.loaded(&name.internal_name())?;
        let is_open = jvm.classes[known].access & (access::ABSTRACT | access::INTERFACE) != 0;
        let own = jvm.classes[class].origin == jvm::link::ClassOrigin::User && can_name(jvm, class);
        let unread =
            |member: &Member| *member != Member::Elements && self.read(of, declared, member).is_none();
        let more = shown.is_empty() || shown.iter().any(|(member, _)| unread(member));
        let plain = !jvm::input::is_generic(jvm, class);
        (known != class && is_open && own && more && plain).then(|| class_name(jvm, class))
    }

    /// How a test reads a member of an object, and of what type that is.
    fn read(&self, of: &Value, declared: &Type, member: &Member) -> Option<(Value, Type)> {
        match member {
            Member::Getter(func) => {
                let func = declared_getter(self.jvm, declared, *func)?;
                let getter = call_of(self.jvm, func, Target::Instance(Box::new(of.clone())), Vec::new());
                let returns = getter.returns.clone();
                (!getter.traits.throws_checked).then(|| (Value::call(getter), returns))
            }
            Member::Elements => None,
            Member::Field { owner, name, ty } => {
                let Type::Class { name: class, .. } = declared else { return None };
                let known = self.jvm.loaded(&class.internal_name())?;
                self.jvm.is_subclass(known, *owner).then(|| {
                    let (of, ty) = (Some(Box::new(of.clone())), field_type(ty));
                    let class = class_name(self.jvm, *owner);
                    (Value::Field { of, class, name: name.to_string(), ty: ty.clone() }, ty)
                })
            }
        }
    }

    /// What cannot be written down as a whole: the way back, what its getters show, what is in it.
    fn assert_inside(&self, of: Value, declared: &Type, seen: &Seen, asserts: &mut Vec<Assert>) {
        let Type::Class { name, args } = declared else { return };
        // By which method of the library something is asked for what it holds; known only if its arguments are.
        let ask = |method: &str, params: Vec<Type>, returns: &Type, given: Vec<Value>| {
            Value::call(Call::on_instance(of.clone(), name.clone(), method, params, returns.clone(), given))
        };
        let of_library = name.package == "java.util";
        let size = |count: usize| {
            let count = i32::try_from(count).unwrap_or(i32::MAX);
            let size = ask("size", Vec::new(), &Type::Int, Vec::new());
            Assert::that(size, Check::Equals(Value::Int(count)))
        };
        match seen {
            Seen::Object { id, class, shown } => {
                let by_fields = shown.iter().all(|(member, _)| matches!(member, Member::Field { .. }));
                let most = if by_fields { MOST_IN_CHAIN } else { MOST_INSIDE };
                if let Some((_, same)) = self.above.iter().find(|(object, _)| object == id) {
                    asserts.push(Assert::that(of, Check::Same(same.clone())));
                } else if self.above.len() < most && asserts.len() < MOST_ASSERTS {
                    let mut above = self.above.clone();
                    above.push((*id, of.clone()));
                    let inside = Graph { jvm: self.jvm, names: self.names, above };
                    match self.told_apart(*class, declared, shown, &of) {
                        Some(class) => {
                            asserts.push(Assert::that(of.clone(), Check::InstanceOf(class.clone())));
                            let of = Value::Cast { class: class.clone(), of: Box::new(of) };
                            inside.assert(&of, &Type::class(class), shown, None, asserts);
                        }
                        None => inside.assert(&of, declared, shown, None, asserts),
                    }
                }
            }
            Seen::List(items) | Seen::Set(items) if of_library => {
                match (args.as_slice(), texts(self.jvm, items)) {
                    // A list of what has no type that a test could name is known by its text.
                    ([], Some(text)) if matches!(seen, Seen::List(_)) => {
                        let text = Value::Str(Text(text));
                        let asked = ask("toString", Vec::new(), &Type::string(), Vec::new());
                        asserts.push(Assert::that(asked, Check::Equals(text)));
                    }
                    (args, _) => {
                        asserts.push(size(items.len()));
                        let [elem] = args else { return };
                        let in_order = LISTS.contains(&name.simple_name());
                        for (i, item) in items.iter().enumerate().take(MOST_ITEMS).filter(|_| in_order) {
                            let at = ask("get", vec![Type::Int], elem, vec![Value::Int(i as i32)]);
                            self.assert_value(at, elem, item, asserts);
                        }
                        if let ([item], false) = (items.as_slice(), in_order) {
                            let iterator = ClassName::new("java.util", &["Iterator"]);
                            let all = ask("iterator", Vec::new(), &Type::class(iterator.clone()), Vec::new());
                            let next = Call::on_instance(
                                all,
                                iterator,
                                "next",
                                Vec::new(),
                                elem.clone(),
                                Vec::new(),
                            );
                            self.assert_value(Value::call(next), elem, item, asserts);
                        }
                    }
                }
            }
            Seen::Map(entries) if of_library => {
                asserts.push(size(entries.len()));
                let [_, held] = args.as_slice() else { return };
                for (key, item) in entries.iter().take(MOST_ITEMS) {
                    if let Some(key) = value(self.jvm, key, self.names) {
                        let got = ask("get", vec![Type::object()], held, vec![key]);
                        self.assert_value(got, held, item, asserts);
                    }
                }
            }
            Seen::Optional(Some(item)) => {
                if let ([held], true) = (args.as_slice(), name.simple_name() == "Optional") {
                    self.assert_value(ask("get", Vec::new(), held, Vec::new()), held, item, asserts);
                }
            }
            _ => {}
        }
    }
}

/// Types of the library whose elements have numbers.
const LISTS: [&str; 4] = ["List", "ArrayList", "LinkedList", "Vector"];
/// So many elements of a collection are looked at one by one.
const MOST_ITEMS: usize = 3;

/// What a list of objects says of itself, if all of them have a text of their own.
fn texts(jvm: &Jvm, items: &[Seen]) -> Option<Vec<u16>> {
    let text = |item: &Seen| match item {
        Seen::Object { shown, .. } => shown.iter().find_map(|(member, seen)| match (member, seen) {
            (Member::Getter(func), Seen::Str(text)) if &*jvm.funcs[*func].name == "toString" => {
                Some(text.clone())
            }
            _ => None,
        }),
        _ => None,
    };
    let all: Vec<Vec<u16>> = items.iter().take(MOST_ITEMS + 1).map(text).collect::<Option<_>>()?;
    let unit = |c: char| c as u16;
    let mut joined = vec![unit('[')];
    joined.extend(all.join(&[unit(','), unit(' ')][..]));
    joined.push(unit(']'));
    (!all.is_empty() && items.len() <= MOST_ITEMS).then_some(joined)
}

/// A getter as a type declares or inherits it; none if it does not.
fn declared_getter(jvm: &Jvm, declared: &Type, getter: FuncId) -> Option<FuncId> {
    let Type::Class { name, .. } = declared else { return None };
    let class = jvm.loaded(&name.internal_name())?;
    let wanted = &jvm.funcs[getter];
    if jvm.is_subclass(class, wanted.class) {
        return Some(getter);
    }
    let owner = &jvm.classes[class];
    let object = jvm.classes[jvm.known.object].functions();
    let inherited = owner.ancestors.iter().rev().chain(owner.all_interfaces.iter());
    let all = inherited.flat_map(|up| jvm.classes[*up].functions()).chain(object);
    all.into_iter().find(|func| {
        let f = &jvm.funcs[*func];
        f.name == wanted.name && f.signature.ty.params.is_empty() && f.is(access::PUBLIC) && !f.is_static()
    })
}

/// Arrays that the call changed.
pub fn assert_arguments(jvm: &Jvm, detail: &Detail, act: &Call, names: &Names, asserts: &mut Vec<Assert>) {
    for (arg, after) in act.args.iter().zip(&detail.args_after) {
        if let (Value::Var(_), Seen::Array(..), Some(expected)) = (arg, after, value(jvm, after, names)) {
            let assert = Assert::that(arg.clone(), Check::Equals(expected));
            if !asserts.contains(&assert) {
                asserts.push(assert);
            }
        }
    }
}
