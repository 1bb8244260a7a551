//! Values and calls as Kotlin expressions.

use std::collections::BTreeMap;

use suite::case::{Call, ClassName, FakeMethod, Records, Runs, Target, TestCase, Throws, Type, Value};

use super::names::{Names, array_of, identifier, quoted};
use super::{ClassForm, Facts, Form, Member, Nulls, literal};
use crate::doc::{Doc, Source};
use crate::java::is_default;
use crate::java::reflect::CREATE;

/// Longer arrays are not written: no person would, and a method's code ends at 64 KB.
const LARGEST_ARRAY: usize = 1000;
/// Arrays of zeros longer than this are written by their length.
const LONG_ZEROS: usize = 8;

/// What the expressions of one test need to know.
pub struct Scope<'a, 'f> {
    pub names: &'a mut Names<'f>,
    pub case: &'a TestCase,
    pub facts: &'a dyn Facts,
    /// What `Value::Result` is called.
    pub result: String,
    /// What the type arguments of variables say of null where they are used.
    declared: BTreeMap<String, Vec<Nulls>>,
    /// Why the test cannot be written.
    pub refused: Option<String>,
}

/// Whether a value is an object of an anonymous class: what Kotlin writes no lambda for.
pub fn is_object(facts: &dyn Facts, value: &Value) -> bool {
    let Value::Fake { ty: Type::Class { name, .. }, .. } = value else { return false };
    let function = name.package == "kotlin.jvm.functions";
    !function && (value.is_class() || facts.class(name) != ClassForm::Java)
}

impl<'a, 'f> Scope<'a, 'f> {
    pub fn new(
        names: &'a mut Names<'f>,
        case: &'a TestCase,
        facts: &'a dyn Facts,
        result: String,
    ) -> Scope<'a, 'f> {
        Scope { names, case, facts, result, declared: super::nulls::declared(case, facts), refused: None }
    }

    /// The case will not be written; what stands in its place is seen by nobody.
    pub fn refuse(&mut self, why: &str) -> Doc {
        self.refused.get_or_insert_with(|| format!("cannot be written in Kotlin: {why}"));
        Doc::text("null")
    }

    /// Kotlin's own function types are lambdas, Java's get their name in front.
    fn fake(&mut self, fake: &Value) -> Doc {
        let Value::Fake { ty: Type::Class { name, .. }, methods, .. } = fake else {
            return self.refuse("an object of no class");
        };
        let ([method], false) = (methods.as_slice(), is_object(self.facts, fake)) else {
            return self.refuse("an object that stands for an interface inside of something else");
        };
        if matches!(method.throws, Throws::InCalls(_)) {
            return self.refuse("a function that throws in some calls only");
        }
        let mut params = vec!["_".to_string(); method.params.len()];
        if let Some(runs) = &method.runs
            && let Some(param) = params.get_mut(runs.param)
        {
            param.clone_from(&runs.name);
        }
        for (param, name) in method.records.iter().flat_map(|records| &records.params) {
            if let Some(param) = params.get_mut(*param) {
                param.clone_from(name);
            }
        }
        // One that nobody looks at needs no name, and may be the receiver of the function.
        let params = if params == ["_"] { String::new() } else { params.join(", ") };
        let arrow = if params.is_empty() { String::new() } else { format!("{params} -> ") };
        let result = match (&method.runs, &method.result) {
            _ if let Throws::Always(thrown) = &method.throws => {
                let thrown = self.expr(thrown);
                Doc::cat([Doc::text("throw "), thrown])
            }
            (None, None) if let Some(records) = &method.records => {
                self.record(records, records.params.iter().map(|(_, name)| quoted(name)).collect())
            }
            (None, None) => Doc::text("Unit"),
            (None, Some(value)) if let Some(records) = &method.records => {
                let names = records.params.iter().map(|(_, name)| quoted(name)).collect();
                let (call, value) = (self.record(records, names), self.expr(value));
                Doc::cat([call, Doc::text("; "), value])
            }
            // Nobody asks, and the type may have no null.
            (None, Some(Value::Null)) if !method.called => Doc::text("throw UnsupportedOperationException()"),
            (None, Some(value)) => self.expr(value),
            (Some(runs), None) => self.run(&runs.name, runs),
            (Some(runs), Some(value)) => {
                let (call, value) = (self.run(&runs.name, runs), self.expr(value));
                Doc::cat([call, Doc::text("; "), value])
            }
        };
        let class = match name.package == "kotlin.jvm.functions" {
            true => String::new(),
            false => format!("{} ", self.names.class(name)),
        };
        let (result, open) = (result, format!("{class}{{ {arrow}"));
        Doc::cat([Doc::text(open), result, Doc::text(" }")])
    }

    /// What a method of a stand-in was given is kept: `sendCalls.add(listOf(to, subject))`.
    fn record(&mut self, records: &Records, names: Vec<String>) -> Doc {
        let list = self.expr(&records.list);
        let call = match names.as_slice() {
            [] => ".incrementAndGet()".to_string(),
            [one] => format!(".add({one})"),
            all => format!(".add(listOf({}))", all.join(", ")),
        };
        Doc::cat([list, Doc::text(call)])
    }

    /// The call of a function that a method of a stand-in was given.
    fn run(&mut self, name: &str, runs: &Runs) -> Doc {
        let args = runs.args.iter().map(|arg| self.expr(arg)).collect();
        Doc::call(format!("{name}.{}", quoted(&runs.method)), args)
    }

    /// An object of an anonymous class.
    pub fn object(&mut self, ty: &Type, constructor: Option<&Call>, methods: &[FakeMethod]) -> Doc {
        let class = self.names.spelled(ty, false, false);
        let mut parts = vec![Doc::text(format!("object : {class}"))];
        parts.extend(constructor.map(|call| {
            let member = self.facts.member(call).unwrap_or_default();
            Doc::args(self.arguments(call, &call.args, 0, &member))
        }));
        let mut body = Source::nested();
        self.overriding(methods, &mut body);
        if !methods.is_empty() {
            parts.extend([Doc::text(" "), Doc::block(body)]);
        }
        Doc::cat(parts)
    }

    fn overriding(&mut self, methods: &[FakeMethod], source: &mut Source) {
        for method in methods {
            // Of what Java declares anything may be null.
            let member = self.facts.member(&method.of).unwrap_or_else(|| Member {
                name: method.of.method.clone(),
                returns_nullable: true,
                returns_marked: true,
                ..Member::default()
            });
            let may_be_null = |i: usize| member.marked.get(i).copied().unwrap_or(true);
            if member.returns_value.is_some() || member.values.iter().any(Option::is_some) {
                self.refuse("a function of value classes in an object that stands for an interface");
            }
            if method.of.traits.generic_method && method.open.is_none() {
                self.refuse("a function whose type parameters have bounds");
            }
            let open = method.open.as_ref();
            let (types, ty) =
                open.map_or((&method.params, &method.returns), |open| (&open.params, &open.returns));
            let (mut types, mut ty) = (types.clone(), ty.clone());
            if member.is_suspend {
                // Its result is what the last parameter goes on with.
                let result = match types.pop() {
                    Some(Type::Class { mut args, .. }) => args.pop(),
                    _ => None,
                };
                match result {
                    Some(result) if !method.called => ty = result,
                    _ => {
                        self.refuse("a suspend function of an object that stands for an interface");
                    }
                }
            }
            let variables = open.map_or_else(String::new, |open| format!("<{}> ", open.variables.join(", ")));
            let params: Vec<String> = types
                .iter()
                .enumerate()
                .map(|(i, ty)| format!("ignored{}: {}", i + 1, self.names.spelled(ty, may_be_null(i), false)))
                .collect();
            let spelled = self.names.spelled(&ty, member.returns_marked, false);
            let returns = if ty == Type::Void { String::new() } else { format!(": {spelled}") };
            let name = quoted(&member.name);
            let head = match member.form {
                Form::Getter => format!("override val {name}{returns} get() = "),
                Form::Function => {
                    let suspend = if member.is_suspend { "suspend " } else { "" };
                    format!("override {suspend}fun {variables}{name}({}){returns}", params.join(", "))
                }
                Form::Setter | Form::Extension | Form::ExtensionGetter | Form::Constructor => {
                    self.refuse("a property or extension of an object that stands for an interface");
                    continue;
                }
            };
            if member.is_suspend {
                source.line(&format!("{}throw UnsupportedOperationException()", with_equals(&head)));
                continue;
            }
            match &method.throws {
                Throws::Never => {}
                Throws::Always(thrown) => {
                    let thrown = self.expr(thrown);
                    let throw = Doc::cat([Doc::text(format!("{}throw ", with_equals(&head))), thrown]);
                    source.put(&throw, "");
                    continue;
                }
                Throws::InCalls(_) => {
                    self.refuse("an object that throws in some calls only");
                }
            }
            if let Some(runs) = &method.runs {
                let sure = if may_be_null(runs.param) { "!!" } else { "" };
                let call = self.run(&format!("ignored{}{sure}", runs.param + 1), runs);
                if runs.returned {
                    source.put(&Doc::cat([Doc::text(with_equals(&head)), call]), "");
                    continue;
                }
                if open.is_some() && method.result.is_some() {
                    source.line("@Suppress(\"UNCHECKED_CAST\")");
                }
                source.line(&format!("{head} {{"));
                source.indent();
                source.put(&call, "");
                if let Some(value) = &method.result {
                    let cast = if open.is_some() { format!(" as {spelled}") } else { String::new() };
                    let value = Doc::cat([self.typed(value), Doc::text(cast)]);
                    source.put(&Doc::cat([Doc::text("return "), value]), "");
                }
                source.dedent();
                source.line("}");
                continue;
            }
            match &method.result {
                Some(value) => {
                    if *value == Value::Null && !member.returns_marked {
                        if method.called {
                            self.refuse("null for a result that is not nullable");
                        }
                        source.line(&format!("{}throw UnsupportedOperationException()", with_equals(&head)));
                        continue;
                    }
                    let mut value = self.typed(value);
                    if open.is_some() {
                        // What the caller chooses is what the test knows it chooses.
                        source.line("@Suppress(\"UNCHECKED_CAST\")");
                        value = Doc::cat([value, Doc::text(format!(" as {spelled}"))]);
                    }
                    if let Some(records) = method.records.as_ref().filter(|_| member.form == Form::Function) {
                        let names = records.params.iter().map(|(param, _)| format!("ignored{}", param + 1));
                        let call = self.record(records, names.collect());
                        source.line(&format!("{head} {{"));
                        source.indent();
                        source.put(&call, "");
                        source.put(&Doc::cat([Doc::text("return "), value]), "");
                        source.dedent();
                        source.line("}");
                        continue;
                    }
                    source.put(&Doc::cat([Doc::text(with_equals(&head)), value]), "");
                }
                None if let Some(records) = &method.records => {
                    let names = records.params.iter().map(|(param, _)| format!("ignored{}", param + 1));
                    let call = self.record(records, names.collect());
                    source.line(&format!("{head} {{"));
                    source.indent();
                    source.put(&call, "");
                    source.dedent();
                    source.line("}");
                }
                None => source.line(&format!("{head} {{}}")),
            }
        }
    }

    pub fn expr(&mut self, value: &Value) -> Doc {
        match value {
            Value::Null => Doc::text("null"),
            Value::Bool(b) => Doc::text(b.to_string()),
            Value::Byte(v) => Doc::text(literal::small((*v).into(), i8::MIN.into(), i8::MAX.into(), "Byte")),
            Value::Short(v) => {
                Doc::text(literal::small((*v).into(), i16::MIN.into(), i16::MAX.into(), "Short"))
            }
            Value::Char(c) => Doc::text(literal::char(*c)),
            Value::Int(i) => Doc::text(literal::int(*i)),
            Value::Long(l) => Doc::text(literal::long(*l)),
            Value::Float(bits) => Doc::text(literal::float(*bits)),
            Value::Double(bits) => Doc::text(literal::double(*bits)),
            Value::Str(text) => literal::string(text.units()),
            Value::Boxed(inner) => self.expr(inner),
            Value::Enum { class, constant } => {
                Doc::text(format!("{}.{}", self.names.class(class), quoted(constant)))
            }
            Value::Class(ty) => Doc::text(match array_of(ty) {
                Some(name) => format!("{name}::class.javaPrimitiveType"),
                None => format!("{}::class.java", self.names.ty(ty, false)),
            }),
            Value::Array { elem, items } => self.array(elem, items),
            Value::List(items) => Doc::call("listOf", self.elements(items)),
            Value::Set(items) => Doc::call("setOf", self.elements(items)),
            Value::Map(entries) => {
                let pairs = entries
                    .iter()
                    .map(|(k, v)| Doc::cat([self.expr(k), Doc::text(" to "), self.expr(v)]))
                    .collect();
                Doc::call("mapOf", pairs)
            }
            Value::Optional(inner) => {
                let optional = self.names.class(&ClassName::new("java.util", &["Optional"]));
                match inner {
                    Some(inner) => Doc::call(format!("{optional}.of"), vec![self.expr(inner)]),
                    None => Doc::text(format!("{optional}.empty<Any>()")),
                }
            }
            Value::Call(call) => self.call(call),
            Value::Cast { class, of } => {
                let of = self.receiver(of);
                let class = self.names.ty(&Type::class(class.clone()), false);
                Doc::cat([Doc::text("("), of, Doc::text(format!(" as {class})"))])
            }
            Value::Field { of: None, class, name, .. } => match (self.facts.class(class), name.as_str()) {
                (ClassForm::Object, "INSTANCE") => Doc::text(self.names.class(class)),
                (_, "Companion") => Doc::text(self.names.class(class)),
                _ => Doc::text(format!("{}.{}", self.names.class(class), quoted(name))),
            },
            Value::Field { of: Some(of), name, .. } => {
                let of = self.receiver(of);
                Doc::cat([of, Doc::text(format!(".{}", quoted(name)))])
            }
            fake @ Value::Fake { .. } => self.fake(fake),
            Value::Var(name) => Doc::text(identifier(name)),
            Value::Result => Doc::text(self.result.clone()),
        }
    }

    /// Where the type is known from outside.
    fn typed(&mut self, value: &Value) -> Doc {
        match value {
            Value::Optional(None) => {
                let optional = self.names.class(&ClassName::new("java.util", &["Optional"]));
                Doc::text(format!("{optional}.empty()"))
            }
            value => self.expr(value),
        }
    }

    /// The value of a variable of a declared type: its arguments are those of the constructor.
    pub fn initialiser(&mut self, name: &str, value: &Value, ty: &Type) -> Doc {
        match (value, ty) {
            (Value::Call(call), Type::Class { args, .. })
                if call.on == Target::New
                    && call.traits.generic_class
                    && !call.traits.reflective
                    && args.len() == self.facts.type_parameters(&call.class).len().max(1) =>
            {
                let declared = self.declared.get(name);
                // Of a class above that has other type parameters: `Ok<T>` for a `Res<Int, String>`.
                let strict = declared.is_some_and(|all| {
                    all.len() != args.len() && all.iter().all(|one| one.marked == Some(false))
                });
                let nulls = !strict && super::nulls::holds_null(self.case, name, value);
                let declared = declared.filter(|declared| declared.len() == args.len()).cloned();
                let takes_null = self.facts.type_parameters(&call.class);
                let spelled: Vec<String> = args
                    .iter()
                    .enumerate()
                    .map(|(i, arg)| {
                        let declared = declared.as_ref().and_then(|declared| declared.get(i));
                        let nulls = nulls && takes_null.get(i).copied().unwrap_or(true);
                        if is_any_comparable(arg) && super::nulls::holds_texts(self.case, name, value, i) {
                            return self.names.argument(&Type::string(), declared, nulls);
                        }
                        self.names.argument(arg, declared, nulls)
                    })
                    .collect();
                if spelled.iter().all(|arg| !arg.ends_with('?')) && self.gives_null(call) {
                    return self.refuse("null for a type parameter that stands for a type without null");
                }
                self.construct(call, &format!("<{}>", spelled.join(", ")))
            }
            _ => self.expr(value),
        }
    }

    /// Whether a constructor is given null for what is of the type of a type parameter.
    fn gives_null(&self, call: &Call) -> bool {
        let member = self.facts.member(call).unwrap_or_default();
        let of_variable =
            member.nullable.iter().zip(&member.marked).map(|(may_be, marked)| *may_be && !marked);
        call.args.iter().zip(of_variable).any(|(arg, of_variable)| of_variable && *arg == Value::Null)
    }

    fn elements(&mut self, items: &[Value]) -> Vec<Doc> {
        items.iter().map(|item| self.expr(item)).collect()
    }

    fn array(&mut self, elem: &Type, items: &[Value]) -> Doc {
        if items.len() > LARGEST_ARRAY && !items.iter().all(|item| is_default(item, elem)) {
            return self.refuse("an array is too large");
        }
        let zeros = items.iter().all(|item| is_default(item, elem));
        if let Some(name) = array_of(elem) {
            if items.is_empty() || (zeros && items.len() > LONG_ZEROS) {
                return Doc::text(format!("{name}Array({})", items.len()));
            }
            // Elements of a typed array need no conversion of their own.
            let items = items
                .iter()
                .map(|item| match item {
                    Value::Byte(v) => Doc::text(v.to_string()),
                    Value::Short(v) => Doc::text(v.to_string()),
                    Value::Long(v) if i32::try_from(*v).is_ok() => Doc::text(v.to_string()),
                    other => self.expr(other),
                })
                .collect();
            let open = format!("{}ArrayOf(", name.to_lowercase());
            return Doc::List { open, items, close: ")".into(), fill: true };
        }
        self.objects(elem, items, items.contains(&Value::Null))
    }

    /// An array of objects, of which some may be null.
    fn objects(&mut self, elem: &Type, items: &[Value], nulls: bool) -> Doc {
        if items.len() > LARGEST_ARRAY && !items.iter().all(|item| is_default(item, elem)) {
            return self.refuse("an array is too large");
        }
        let zeros = items.iter().all(|item| is_default(item, elem));
        let ty = self.names.ty(elem, nulls);
        if items.is_empty() {
            return Doc::text(format!("emptyArray<{ty}>()"));
        }
        if zeros {
            return Doc::text(format!("arrayOfNulls<{}>({})", ty.trim_end_matches('?'), items.len()));
        }
        let docs = items.iter().map(|item| self.expr(item)).collect();
        Doc::List { open: format!("arrayOf<{ty}>("), items: docs, close: ")".into(), fill: true }
    }

    /// Whether a variable needs its type written: the initialiser says another.
    pub fn needs_type(&self, value: &Value, ty: &Type) -> bool {
        match value {
            Value::List(_) | Value::Set(_) | Value::Map(_) => false,
            Value::Boxed(_) => ty.unboxed().is_none(),
            _ => false,
        }
    }

    /// In front of a dot: what may be null there is said not to be.
    pub fn receiver(&mut self, value: &Value) -> Doc {
        let doc = match value {
            Value::Null => return self.refuse("a call on null"),
            Value::Int(i) if *i < 0 => Doc::text(format!("({})", literal::int(*i))),
            other => self.expr(other),
        };
        let may_be_null = match value {
            Value::Result => self.facts.member(&self.case.act).is_some_and(|member| member.returns_nullable),
            Value::Call(call) => self.facts.member(call).is_some_and(|member| member.returns_nullable),
            _ => false,
        };
        if may_be_null { Doc::cat([doc, Doc::text("!!")]) } else { doc }
    }

    /// A call, and what its result is for the JVM.
    pub fn call(&mut self, call: &Call) -> Doc {
        let doc = self.call_alone(call);
        self.unwrapped(call, doc)
    }

    /// A call whose result is an object of the source.
    pub fn call_alone(&mut self, call: &Call) -> Doc {
        if call.traits.reflective {
            let class: Vec<u16> = call.class.binary_name().encode_utf16().collect();
            let class = literal::string(&class);
            let args: Vec<Doc> = call.args.iter().map(|arg| self.expr(arg)).collect();
            return Doc::call(CREATE, std::iter::once(class).chain(args).collect());
        }
        let member = self.facts.member(call);
        if let Some(member) = &member {
            for (i, (arg, nullable)) in call.args.iter().zip(&member.nullable).enumerate() {
                if *arg == Value::Null && !nullable && !call.traits.leaves_out(i) {
                    return self.refuse("null for a parameter that is not nullable");
                }
            }
        }
        let member = member.unwrap_or_else(|| java_member(call));
        let name = quoted(&member.name);
        if member.form == Form::Constructor {
            return self.construct(call, "");
        }
        if let Target::Below(methods) = &call.on {
            if call.traits.generic_class {
                return self.refuse("an object below an abstract class with type parameters");
            }
            return self.object(&Type::class(call.class.clone()), Some(call), methods);
        }
        if let Target::New = call.on {
            let parameters = match call.traits.generic_class {
                true => self.facts.type_parameters(&call.class),
                false => Vec::new(),
            };
            let bounds = self.facts.bounds(&call.class);
            let stands = parameters.iter().enumerate().map(|(i, takes_null)| {
                match (bounds.get(i).cloned().flatten(), takes_null) {
                    // What compares with its own kind is a text wherever nothing else is known.
                    (Some(bound), _) if bound == ClassName::new("java.lang", &["Comparable"]) => {
                        "String".to_owned()
                    }
                    (Some(bound), takes_null) => self.names.spelled(&Type::class(bound), *takes_null, false),
                    (None, true) => "Any?".to_owned(),
                    (None, false) => "Any".to_owned(),
                }
            });
            let generic = match parameters.is_empty() {
                true => String::new(),
                false => format!("<{}>", stands.collect::<Vec<_>>().join(", ")),
            };
            return self.construct(call, &generic);
        }
        if let (Target::Instance(holder), [first, rest @ ..]) = (&call.on, call.args.as_slice())
            && matches!(member.form, Form::Extension | Form::ExtensionGetter)
        {
            return self.member_extension(call, holder, (first, rest), &member);
        }
        let mut args = call.args.as_slice();
        let on = match &call.on {
            Target::New | Target::Below(_) => return self.construct(call, ""),
            Target::Static => match (self.facts.class(&call.class), args) {
                // Of a file, or what an object of a value class wraps.
                (_, [first, rest @ ..]) if matches!(member.form, Form::Extension | Form::ExtensionGetter) => {
                    args = rest;
                    Some(match member.values.first() {
                        Some(Some(wrapped)) => self.wrapped_receiver(first, wrapped),
                        _ => self.extension_receiver(first),
                    })
                }
                (ClassForm::File, _) => None,
                _ => Some(Doc::text(self.names.class(&call.class))),
            },
            Target::Instance(receiver) => Some(match self.facts.class(&call.class) {
                ClassForm::Object if is_instance(receiver) => Doc::text(self.names.class(&call.class)),
                ClassForm::Companion => Doc::text(self.companion_owner(&call.class)),
                _ => self.receiver(receiver),
            }),
        };
        let dot = match on {
            Some(on) => Doc::cat([on, Doc::text(format!(".{name}"))]),
            None => {
                // A top-level function of another package is imported by its name.
                if call.class.package != self.case.act.class.package && !call.class.package.is_empty() {
                    self.names.import(&format!("{}.{name}", super::names::qualified(&call.class.package)));
                }
                Doc::text(name)
            }
        };
        match (member.form, args) {
            (Form::Getter | Form::ExtensionGetter, _) => dot,
            (Form::Setter, [value]) => {
                let value = self.argument(value, member.values.first());
                Doc::cat([dot, Doc::text(" = "), value])
            }
            _ => {
                let skipped = call.args.len() - args.len();
                let args = self.arguments(call, args, skipped, &member);
                Doc::cat([dot, Doc::args(args)])
            }
        }
    }

    fn construct(&mut self, call: &Call, generic: &str) -> Doc {
        // Kotlin has no copy of a string by a constructor.
        let copies = call.on == Target::New && call.class == ClassName::new("java.lang", &["String"]);
        if let ([text @ Value::Str(_)], true) = (call.args.as_slice(), copies) {
            let text = self.receiver(text);
            return Doc::cat([Doc::text("String("), text, Doc::text(".toCharArray())")]);
        }
        let member = self.facts.member(call).unwrap_or_default();
        let (outer, args) = match call.args.as_slice() {
            [outer, rest @ ..] if call.traits.inner => {
                (Some(self.receiver(outer)), self.arguments(call, rest, 1, &member))
            }
            all => (None, self.arguments(call, all, 0, &member)),
        };
        match outer {
            Some(outer) => {
                let class = format!(".{}{generic}", call.class.simple_name());
                Doc::cat([outer, Doc::text(class), Doc::args(args)])
            }
            None => {
                Doc::cat([Doc::text(format!("{}{generic}", self.names.class(&call.class))), Doc::args(args)])
            }
        }
    }

    fn arguments(&mut self, call: &Call, args: &[Value], skipped: usize, member: &Member) -> Vec<Doc> {
        let object = Type::object();
        let mut docs = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            if call.traits.leaves_out(i + skipped) {
                continue;
            }
            // Behind what is left out names say which is meant.
            let before = (0..i + skipped).any(|earlier| call.traits.leaves_out(earlier));
            if let Some(name) = member.names.get(i + skipped).filter(|_| before) {
                let value = self.argument(arg, member.values.get(i + skipped));
                docs.push(Doc::cat([Doc::text(format!("{} = ", quoted(name))), value]));
                continue;
            }
            let want = call.params.get(i + skipped).unwrap_or(&object);
            let last = i + 1 == args.len();
            if last && call.traits.varargs {
                match arg {
                    Value::Null => docs.push(self.refuse("null for a variable number of arguments")),
                    Value::Array { items, elem } if items.len() <= 100 => {
                        docs.extend(items.iter().map(|item| self.expr(item)).collect::<Vec<_>>());
                    }
                    other => docs.push(Doc::cat([Doc::text("*"), self.expr(other)])),
                }
            } else if let Some((at, named)) = member.vararg.as_ref().filter(|(at, _)| *at <= i + skipped) {
                match arg {
                    Value::Array { items, .. } if *at == i + skipped && items.len() <= 100 => {
                        docs.extend(items.iter().map(|item| self.expr(item)).collect::<Vec<_>>());
                    }
                    other if *at == i + skipped => docs.push(Doc::cat([Doc::text("*"), self.expr(other)])),
                    other => {
                        let name =
                            named.get(i + skipped - at - 1).map(|name| quoted(name)).unwrap_or_default();
                        let value = self.argument(other, member.values.get(i + skipped));
                        docs.push(Doc::cat([Doc::text(format!("{name} = ")), value]));
                    }
                }
            } else if let Some(Some(wrapped)) = member.values.get(i + skipped) {
                docs.push(self.wrapped(arg, wrapped));
            } else if let (Value::Array { elem, items }, Some([Nulls { marked: Some(true), .. }])) =
                (arg, member.arguments.get(i + skipped).map(Vec::as_slice))
                && array_of(elem).is_none()
            {
                docs.push(self.objects(elem, items, true));
            } else if *arg == Value::Null && call.traits.overloaded && !want.is_primitive() {
                docs.push(Doc::text(format!("null as {}", self.names.ty(want, true))));
            } else {
                docs.push(self.expr(arg));
            }
        }
        docs
    }

    /// An extension that a class declares for its own use: `with(tag) { "a".to("b") }`.
    fn member_extension(
        &mut self,
        call: &Call,
        holder: &Value,
        (first, rest): (&Value, &[Value]),
        member: &Member,
    ) -> Doc {
        let (holder, receiver) = (self.receiver(holder), self.extension_receiver(first));
        let name = quoted(&member.name);
        let args = match member.form {
            Form::ExtensionGetter => Doc::text(""),
            _ => Doc::args(self.arguments(call, rest, 1, member)),
        };
        let inside = Doc::cat([receiver, Doc::text(format!(".{name}")), args]);
        Doc::cat([Doc::text("with("), holder, Doc::text(") { "), inside, Doc::text(" }")])
    }

    fn extension_receiver(&mut self, value: &Value) -> Doc {
        match value {
            Value::Null => Doc::text("null"),
            Value::Double(_) | Value::Float(_) | Value::Long(_) => {
                let doc = self.expr(value);
                if doc.flat().starts_with('-') {
                    Doc::cat([Doc::text("("), doc, Doc::text(")")])
                } else {
                    doc
                }
            }
            _ => self.receiver(value),
        }
    }

    fn companion_owner(&mut self, class: &ClassName) -> String {
        let mut owner = class.clone();
        owner.path.pop();
        self.names.class(&owner)
    }

    /// The static type of the expression a value becomes; `None` where it depends on inference.
    pub fn static_type(&self, value: &Value) -> Option<Type> {
        Some(match value {
            Value::Call(call) if call.traits.returns_type_variable => return None,
            Value::Call(call) => call.returns.clone(),
            Value::Field { ty, .. } => ty.clone(),
            Value::Cast { class, .. } => Type::class(class.clone()),
            Value::Var(name) => self.case.type_of(name)?.clone(),
            Value::Result if self.case.act.traits.returns_type_variable => return None,
            Value::Result => self.case.act.returns.clone(),
            _ => return None,
        })
    }
}

/// `Comparable<*>`: what compares, nobody knows with what.
fn is_any_comparable(ty: &Type) -> bool {
    match ty {
        Type::Class { name, args } if *name == ClassName::new("java.lang", &["Comparable"]) => {
            args.iter().all(|arg| *arg == Type::Wildcard || *arg == Type::object())
        }
        _ => false,
    }
}

/// A function's head goes on with its result; a property's does already.
fn with_equals(head: &str) -> String {
    if head.ends_with("= ") { head.to_owned() } else { format!("{head} = ") }
}

/// The only object of its class.
fn is_instance(value: &Value) -> bool {
    matches!(value, Value::Field { of: None, name, .. } if name == "INSTANCE")
}

/// Java's getters are read as properties.
fn java_member(call: &Call) -> Member {
    let is_getter =
        matches!(call.on, Target::Instance(_)) && call.args.is_empty() && call.returns != Type::Void;
    let property =
        call.method.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    match property {
        Some("Class") if is_getter => {
            Member { name: "javaClass".into(), form: Form::Getter, ..Member::default() }
        }
        Some(rest) if is_getter => {
            Member { name: decapitalised(rest), form: Form::Getter, ..Member::default() }
        }
        // What Kotlin takes Java's collections for has a property.
        _ if call.method == "size" && call.class.package == "java.util" => {
            Member { name: "size".into(), form: Form::Getter, ..Member::default() }
        }
        _ => Member { name: call.method.clone(), ..Member::default() },
    }
}

/// `URLName` is `urlName`, `URL` is `url`, `Name` is `name`.
fn decapitalised(name: &str) -> String {
    let capitals = name.chars().take_while(|c| c.is_ascii_uppercase()).count();
    let lower = if capitals == name.len() || capitals <= 1 { capitals } else { capitals - 1 };
    name.chars().enumerate().map(|(i, c)| if i < lower { c.to_ascii_lowercase() } else { c }).collect()
}
