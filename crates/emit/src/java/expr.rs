//! Values and calls as Java expressions.

use suite::case::{Call, ClassName, FakeMethod, Records, Runs, Target, TestCase, Throws, Type, Value};

use super::literal;
use super::names::{Names, identifier};
use super::stub::Stub;
use crate::doc::{Doc, Source};

/// Arrays with more elements than this are filled in methods of their own: a method's code ends at 64 KB
/// (JVMS §4.7.3), and nobody reads such a literal.
const LARGE_ARRAY: usize = 1000;
/// Arrays of zeros longer than this are written by their length.
const LONG_ZEROS: usize = 8;

/// Names for the parameters of a fake's method, which nothing else in a test has.
fn parameter_names(method: &FakeMethod) -> Vec<String> {
    let mut names = match method.params.len() {
        1 => vec!["ignored".to_string()],
        n => (1..=n).map(|i| format!("ignored{i}")).collect(),
    };
    if let Some(runs) = &method.runs
        && let Some(name) = names.get_mut(runs.param)
    {
        *name = identifier(&runs.name);
    }
    for (param, kept) in method.records.iter().flat_map(|records| &records.params) {
        if let Some(name) = names.get_mut(*param) {
            *name = identifier(kept);
        }
    }
    names
}

/// The same in front of a lambda's arrow.
fn lambda_parameters(method: &FakeMethod) -> String {
    match parameter_names(method).as_slice() {
        [one] => one.clone(),
        all => format!("({})", all.join(", ")),
    }
}

/// The parameters of a fake's method that it keeps.
fn records_of(method: &FakeMethod) -> &[(usize, String)] {
    method.records.as_ref().map_or(&[], |records| &records.params)
}

/// Where an expression stands, which decides what must be spelled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An initialiser or array element: constants narrow by themselves (JLS §5.2).
    Assigned,
    /// An argument. Where overloads compete, its type is made exactly the parameter's.
    Argument { overloaded: bool },
    /// In front of a dot.
    Receiver,
}

/// What the expressions of one test method need to know.
pub struct Scope<'a> {
    pub names: &'a mut Names,
    pub case: &'a TestCase,
    /// The Java version the tests are written for.
    pub release: u16,
    /// What `Value::Result` is called.
    pub result: String,
    /// Arrays too large to be written in place.
    pub large: Vec<LargeArray>,
    /// Classes of the file that stand for interfaces.
    pub stubs: &'a [Stub],
}

pub struct LargeArray {
    pub method: String,
    pub elem: Type,
    pub items: Vec<Value>,
}

impl Scope<'_> {
    pub fn expr(&mut self, value: &Value, want: &Type, place: Place) -> Doc {
        let overloaded = place == Place::Argument { overloaded: true };
        match value {
            Value::Null if overloaded || place == Place::Receiver => {
                self.cast(want, Doc::text("null"), place)
            }
            Value::Null => Doc::text("null"),
            Value::Boxed(inner) => self.boxed(inner, want, place),
            _ => {
                let doc = self.plain(value, want, place);
                let natural = self.static_type(value);
                // An array of what a type variable stands for says enough, and a cast would take that away.
                let narrowed = matches!((value, want), (Value::Array { elem, .. }, Type::Array(wanted))
                    if !elem.is_primitive() && **wanted != *elem && **wanted != Type::object());
                if overloaded && !narrowed && natural.as_ref().map(erase) != Some(erase(want)) {
                    self.cast(want, doc, place)
                } else {
                    doc
                }
            }
        }
    }

    fn plain(&mut self, value: &Value, want: &Type, place: Place) -> Doc {
        let narrows = place == Place::Assigned && *want != Type::object();
        match value {
            Value::Null => Doc::text("null"),
            Value::Bool(b) => Doc::text(b.to_string()),
            Value::Byte(b) => small("byte", literal::byte(*b), narrows),
            Value::Short(s) => small("short", literal::short(*s), narrows),
            Value::Char(c) => Doc::text(literal::char(*c)),
            Value::Int(i) => Doc::text(literal::int(*i)),
            // Widening makes the suffix noise in initialisers of `long[]`.
            Value::Long(l)
                if place == Place::Assigned && *want == Type::Long && i32::try_from(*l).is_ok() =>
            {
                Doc::text(l.to_string())
            }
            Value::Long(l) => Doc::text(literal::long(*l)),
            Value::Float(bits) => Doc::text(literal::float(*bits)),
            Value::Double(bits) => Doc::text(literal::double(*bits)),
            Value::Str(text) => {
                let doc = literal::string(text.units(), self.release);
                if place == Place::Receiver && matches!(doc, Doc::Chain { .. }) { parens(doc) } else { doc }
            }
            Value::Boxed(inner) => self.boxed(inner, want, place),
            Value::Enum { class, constant } => Doc::text(format!("{}.{constant}", self.names.class(class))),
            Value::Class(ty) => Doc::text(format!("{}.class", self.names.erased(ty))),
            Value::Array { elem, items } => self.array(elem, items, false),
            Value::List(items) => self.list(items),
            Value::Set(items) => self.set(items),
            Value::Map(entries) => self.map(entries),
            Value::Optional(inner) => {
                let optional = self.names.known("java.util.Optional");
                match inner {
                    Some(inner) => Doc::call(format!("{optional}.of"), vec![self.element(inner)]),
                    None => Doc::text(format!("{optional}.empty()")),
                }
            }
            Value::Call(call) => self.call(call),
            Value::Cast { class, of } => {
                let of = self.expr(of, &Type::object(), Place::Receiver);
                let cast = Doc::cat([Doc::text(format!("({}) ", self.names.class(class))), of]);
                if place == Place::Receiver { parens(cast) } else { cast }
            }
            Value::Field { of: None, class, name, .. } => {
                Doc::text(format!("{}.{name}", self.names.class(class)))
            }
            Value::Field { of: Some(of), class, name, .. } => {
                let of = self.expr(of, &Type::class(class.clone()), Place::Receiver);
                Doc::cat([of, Doc::text(format!(".{name}"))])
            }
            // A lambda is nothing yet where any object will do, or where it is called.
            Value::Fake { ty, methods, .. }
                if methods.len() == 1 && (*want == Type::object() || place == Place::Receiver) =>
            {
                let cast = Doc::text(format!("({}) ", self.names.erased(ty)));
                let cast = Doc::cat([cast, self.fake(methods)]);
                if place == Place::Receiver { parens(cast) } else { cast }
            }
            Value::Fake { methods, .. } => self.fake(methods),
            Value::Var(name) => Doc::text(identifier(name)),
            Value::Result => Doc::text(self.result.clone()),
        }
    }

    /// A lambda: a plan binds fakes of several methods to variables, whose declarations write the class.
    fn fake(&mut self, methods: &[FakeMethod]) -> Doc {
        let [method] = methods else { return Doc::text("null") };
        // `Runnable::run` for a method that does nothing but call what it is given.
        if let (Some(runs), None, Throws::Never, [given]) =
            (&method.runs, &method.result, &method.throws, method.params.as_slice())
            && runs.args.is_empty()
        {
            return Doc::text(format!("{}::{}", self.names.erased(given), runs.method));
        }
        // `saveCalls::add` for one that does nothing but keep what it is given.
        if let (Some(records), None, true) =
            (&method.records, &method.result, method.params.len() == records_of(method).len())
            && records.params.len() < 2
        {
            let list = self.expr(&records.list, &Type::object(), Place::Receiver);
            let add = if records.params.is_empty() { "::incrementAndGet" } else { "::add" };
            return Doc::cat([list, Doc::text(add)]);
        }
        let params = lambda_parameters(method);
        let result = match (&method.throws, &method.result) {
            (Throws::Always(thrown), _) => {
                let thrown = self.expr(thrown, &Type::object(), Place::Receiver);
                Doc::cat([Doc::text("{ throw "), thrown, Doc::text("; }")])
            }
            (_, result) if let Some(runs) = &method.runs => {
                let call = self.run(runs);
                match result {
                    None => call,
                    Some(value) => {
                        let value = self.returned(value, &method.returns);
                        let parts = [Doc::text("{ "), call, Doc::text("; return "), value, Doc::text("; }")];
                        Doc::cat(parts)
                    }
                }
            }
            (_, None) if let Some(records) = &method.records => self.record(records),
            (_, Some(value)) if let Some(records) = &method.records => {
                let (call, value) = (self.record(records), self.returned(value, &method.returns));
                Doc::cat([Doc::text("{ "), call, Doc::text("; return "), value, Doc::text("; }")])
            }
            (_, Some(value)) => self.returned(value, &method.returns),
            (_, None) => Doc::text("{ }"),
        };
        Doc::cat([Doc::text(format!("{params} -> ")), result])
    }

    /// A lambda of several statements, as the declaration of a variable.
    pub fn fake_block(&mut self, name: String, ty: &Type, methods: &[FakeMethod], source: &mut Source) {
        let [method] = methods else { return };
        let declared = self.names.ty(ty);
        source.line(&format!("{declared} {name} = {} -> {{", lambda_parameters(method)));
        source.indent();
        if let Some(records) = &method.records {
            let call = self.record(records);
            source.put(&call, ";");
        }
        if let Some(value) = &method.result {
            let value = self.returned(value, &method.returns);
            source.put(&Doc::cat([Doc::text("return "), value]), ";");
        }
        source.dedent();
        source.line("};");
    }

    /// The call of a function that a method of a stand-in was given.
    fn run(&mut self, runs: &Runs) -> Doc {
        let args = runs.args.iter().map(|arg| self.element(arg)).collect();
        Doc::call(format!("{}.{}", identifier(&runs.name), runs.method), args)
    }

    /// An object of an anonymous class, or of a class of the file that stands for the type.
    pub fn fake_class(&mut self, ty: &Type, constructor: Option<&Call>, methods: &[FakeMethod]) -> Doc {
        let args = constructor.map(|call| self.arguments(call)).unwrap_or_default();
        let stub = self.stubs.iter().find(|stub| stub.is_of(ty, methods)).map(|stub| stub.name.clone());
        let class = stub.clone().unwrap_or_else(|| self.names.ty(ty));
        let said = |method: &&FakeMethod| {
            let speaks = method.result.is_some() || method.throws != Throws::Never || method.runs.is_some();
            stub.is_none() || method.called && speaks || method.records.is_some()
        };
        let methods: Vec<&FakeMethod> = methods.iter().filter(said).collect();
        let made = Doc::call(format!("new {class}"), args);
        match (methods.as_slice(), stub) {
            ([], Some(_)) => made,
            // An abstract class may leave nothing abstract.
            ([], None) => Doc::cat([made, Doc::text(" {}")]),
            (methods, _) => Doc::cat([made, Doc::text(" "), self.class_body(methods)]),
        }
    }

    fn class_body(&mut self, methods: &[&FakeMethod]) -> Doc {
        let mut body = Source::nested();
        for method in methods {
            body.gap();
            self.fake_method(method, Vec::new(), &mut body);
        }
        Doc::block(body)
    }

    /// A method of a class that stands for another.
    pub fn fake_method(&mut self, method: &FakeMethod, mut declared: Vec<String>, source: &mut Source) {
        // With type parameters of its own where they fit: nothing but null and what a function returns is of any type.
        let any = matches!(method.result, None | Some(Value::Null));
        let open = method.open.as_ref().filter(|_| method.exact && any);
        let types = open.map_or(&method.params, |open| &open.params);
        let named: Vec<(&Type, String)> = types.iter().zip(parameter_names(method)).collect();
        let exact = method.exact && (open.is_some() || !method.of.traits.generic_method);
        let params: Vec<String> = named
            .into_iter()
            .map(|(ty, name)| {
                let ty = if exact { self.names.ty(ty) } else { self.names.erased(ty) };
                format!("{ty} {name}")
            })
            .collect();
        let returns = self.names.ty(open.map_or(&method.returns, |open| &open.returns));
        let variables = open.map_or(String::new(), |open| format!("<{}> ", open.variables.join(", ")));
        let thrown: Vec<(Option<usize>, &Value)> = match &method.throws {
            Throws::Never => Vec::new(),
            Throws::Always(value) => vec![(None, value)],
            Throws::InCalls(calls) => calls.iter().map(|(call, value)| (Some(*call), value)).collect(),
        };
        let types: Vec<Type> = thrown.iter().filter_map(|(_, value)| self.static_type(value)).collect();
        // What no interface declares needs no declaration here either.
        for ty in types.into_iter().filter(|_| !method.exceptions.is_empty()) {
            let name = self.names.erased(&ty);
            if !declared.contains(&name) {
                declared.push(name);
            }
        }
        let throws =
            if declared.is_empty() { String::new() } else { format!(" throws {}", declared.join(", ")) };
        let counter = format!("{}Calls", method.of.method);
        if matches!(method.throws, Throws::InCalls(_)) {
            source.line(&format!("private int {counter};"));
            source.gap();
        }
        source.line("@Override");
        source.line(&format!(
            "public {variables}{returns} {}({}){throws} {{",
            method.of.method,
            params.join(", ")
        ));
        source.indent();
        if matches!(method.throws, Throws::InCalls(_)) {
            source.line(&format!("{counter}++;"));
        }
        for (call, value) in &thrown {
            let value = self.expr(value, &Type::object(), Place::Receiver);
            let throw = Doc::cat([Doc::text("throw "), value]);
            match call {
                None => source.put(&throw, ";"),
                Some(call) => {
                    source.line(&format!("if ({counter} == {}) {{", call + 1));
                    source.indent();
                    source.put(&throw, ";");
                    source.dedent();
                    source.line("}");
                }
            }
        }
        if matches!(method.throws, Throws::Always(_)) {
            source.dedent();
            source.line("}");
            return;
        }
        if let Some(records) = &method.records {
            let call = self.record(records);
            source.put(&call, ";");
        }
        if let Some(runs) = &method.runs {
            let call = self.run(runs);
            let start = if runs.returned { "return " } else { "" };
            source.put(&Doc::cat([Doc::text(start), call]), ";");
        }
        if let Some(value) = &method.result {
            let value = self.returned(value, &method.returns);
            source.put(&Doc::cat([Doc::text("return "), value]), ";");
        }
        source.dedent();
        source.line("}");
    }

    /// `sendCalls.add(Arrays.asList(to, subject))`: what a method of a fake was given is kept. Any of it may be null.
    fn record(&mut self, records: &Records) -> Doc {
        let list = self.expr(&records.list, &Type::object(), Place::Receiver);
        let names: Vec<String> = records.params.iter().map(|(_, name)| identifier(name)).collect();
        let call = match names.as_slice() {
            [] => ".incrementAndGet()".to_string(),
            [one] => format!(".add({one})"),
            all => format!(".add({}.asList({}))", self.names.known("java.util.Arrays"), all.join(", ")),
        };
        Doc::cat([list, Doc::text(call)])
    }

    /// What a method of a fake returns; one of an iterator has the right type already.
    fn returned(&mut self, value: &Value, returns: &Type) -> Doc {
        match value {
            Value::Call(_) => self.plain(value, returns, Place::Assigned),
            value => self.expr(value, returns, Place::Assigned),
        }
    }

    /// Boxing is left to the compiler except where overloads or a dot ask for the object itself.
    fn boxed(&mut self, inner: &Value, want: &Type, place: Place) -> Doc {
        let primitive = self.static_type(inner);
        let argument = Place::Argument { overloaded: false };
        let explicit = matches!(place, Place::Receiver | Place::Argument { overloaded: true });
        match primitive.as_ref().and_then(Type::box_name) {
            Some(_) if explicit && want.unboxed() != primitive && place != Place::Receiver => {
                let doc = self.plain(inner, &Type::Void, argument);
                self.cast(want, doc, place)
            }
            Some(name) if explicit => {
                let inner = self.plain(inner, &Type::Void, argument);
                Doc::call(format!("{}.valueOf", self.names.known(&format!("java.lang.{name}"))), vec![inner])
            }
            _ => self.plain(inner, &want.unboxed().unwrap_or(Type::Void), argument),
        }
    }

    fn cast(&mut self, ty: &Type, doc: Doc, place: Place) -> Doc {
        let ty = self.names.erased(ty);
        // `(Integer) -1` would be a subtraction (JLS §15.16).
        let simple = !doc.flat().starts_with('-') && !matches!(doc, Doc::Chain { .. });
        let cast = Doc::cat([Doc::text(format!("({ty}) ")), if simple { doc } else { parens(doc) }]);
        if place == Place::Receiver { parens(cast) } else { cast }
    }

    /// An initialiser of a declared variable; arrays need no `new` there.
    pub fn initialiser(&mut self, value: &Value, ty: &Type) -> Doc {
        match value {
            Value::Array { elem, items } if *ty == Type::array(elem.clone()) => self.array(elem, items, true),
            _ => self.expr(value, ty, Place::Assigned),
        }
    }

    fn array(&mut self, elem: &Type, items: &[Value], declared: bool) -> Doc {
        let zeros = items.iter().all(|v| is_default(v, elem));
        if items.is_empty() || (zeros && items.len() > LONG_ZEROS) {
            return Doc::text(self.new_array(elem, items.len()));
        }
        if items.len() > LARGE_ARRAY {
            let method = format!("{}_array{}", identifier(&self.case.name), self.large.len() + 1);
            self.large.push(LargeArray { method: method.clone(), elem: elem.clone(), items: items.to_vec() });
            return Doc::text(format!("{method}()"));
        }
        let items = items.iter().map(|item| self.initialiser(item, elem)).collect();
        let open = if declared { "{".to_owned() } else { format!("new {}[] {{", self.names.erased(elem)) };
        Doc::List { open, items, close: "}".into(), fill: true }
    }

    /// `new int[3][]`: the length belongs to the outermost dimension, which Java writes first.
    pub fn new_array(&mut self, elem: &Type, len: usize) -> String {
        let mut base = elem;
        let mut dims = String::new();
        while let Type::Array(inner) = base {
            base = inner;
            dims.push_str("[]");
        }
        format!("new {}[{len}]{dims}", self.names.erased(base))
    }

    /// An element of a collection, where the element type is inferred.
    fn element(&mut self, value: &Value) -> Doc {
        self.expr(value, &Type::object(), Place::Argument { overloaded: false })
    }

    fn elements(&mut self, items: &[Value]) -> Vec<Doc> {
        items.iter().map(|item| self.element(item)).collect()
    }

    fn list(&mut self, items: &[Value]) -> Doc {
        self.list_of(items, "")
    }

    /// A list; the type of its elements (`<T>`) where nothing else says it.
    fn list_of(&mut self, items: &[Value], of: &str) -> Doc {
        let docs = self.elements(items);
        // `List.of` allows no null; and an array alone would be taken for the elements.
        if self.release >= 9 && !items.iter().any(|v| matches!(v, Value::Null | Value::Array { .. })) {
            return Doc::call(format!("{}.{of}of", self.names.known("java.util.List")), docs);
        }
        match items {
            [] => Doc::text(format!("{}.{of}emptyList()", self.names.known("java.util.Collections"))),
            [_] => {
                Doc::call(format!("{}.{of}singletonList", self.names.known("java.util.Collections")), docs)
            }
            _ => Doc::call(format!("{}.{of}asList", self.names.known("java.util.Arrays")), docs),
        }
    }

    fn set(&mut self, items: &[Value]) -> Doc {
        if self.release >= 9 && !items.iter().any(|v| matches!(v, Value::Null | Value::Array { .. })) {
            let docs = self.elements(items);
            return Doc::call(format!("{}.of", self.names.known("java.util.Set")), docs);
        }
        match items {
            [] => Doc::text(format!("{}.emptySet()", self.names.known("java.util.Collections"))),
            [item] => {
                let doc = self.element(item);
                Doc::call(format!("{}.singleton", self.names.known("java.util.Collections")), vec![doc])
            }
            _ => {
                let list = self.list(items);
                Doc::call(format!("new {}<>", self.names.known("java.util.LinkedHashSet")), vec![list])
            }
        }
    }

    fn map(&mut self, entries: &[(Value, Value)]) -> Doc {
        let docs: Vec<(Doc, Doc)> = entries.iter().map(|(k, v)| (self.element(k), self.element(v))).collect();
        let nulls = entries.iter().any(|(k, v)| *k == Value::Null || *v == Value::Null);
        if self.release >= 9 && !nulls {
            let map = self.names.known("java.util.Map");
            if docs.len() <= 10 {
                return Doc::call(format!("{map}.of"), docs.into_iter().flat_map(|(k, v)| [k, v]).collect());
            }
            let entry = |(k, v)| Doc::call(format!("{map}.entry"), vec![k, v]);
            return Doc::call(format!("{map}.ofEntries"), docs.into_iter().map(entry).collect());
        }
        let collections = self.names.known("java.util.Collections");
        match <[(Doc, Doc); 1]>::try_from(docs) {
            Ok([(k, v)]) => Doc::call(format!("{collections}.singletonMap"), vec![k, v]),
            Err(docs) if docs.is_empty() => Doc::text(format!("{collections}.emptyMap()")),
            Err(docs) => {
                // A map with nulls has no factory; an initialiser block is the one expression that makes it.
                let put = |(k, v)| Doc::cat([Doc::call("put", vec![k, v]), Doc::text("; ")]);
                let class = self.names.known("java.util.HashMap");
                let open = Doc::text(format!("new {class}<Object, Object>() {{{{ "));
                Doc::cat(std::iter::once(open).chain(docs.into_iter().map(put)).chain([Doc::text("}}")]))
            }
        }
    }

    pub fn call(&mut self, call: &Call) -> Doc {
        if call.traits.reflective {
            return super::reflect::create(self, call);
        }
        if let (Target::New, true, [outer, rest @ ..]) = (&call.on, call.traits.inner, call.args.as_slice()) {
            return self.inner(call, outer, rest);
        }
        let args = Doc::args(self.arguments(call));
        match &call.on {
            Target::New => {
                let diamond = if call.traits.generic_class { "<>" } else { "" };
                Doc::cat([Doc::text(format!("new {}{diamond}", self.names.class(&call.class))), args])
            }
            Target::Below(methods) => self.fake_class(&Type::class(call.class.clone()), Some(call), methods),
            Target::Static => {
                Doc::cat([Doc::text(format!("{}.{}", self.names.class(&call.class), call.method)), args])
            }
            // What a list that is asked for its iterator holds is known from that alone: of classes below, it would be another's.
            Target::Instance(receiver)
                if let (Value::List(items), Type::Class { args: of, .. }) = (&**receiver, &call.returns)
                    && of.iter().any(|ty| !ty.is_plain()) =>
            {
                let of: Vec<String> = of.iter().map(|ty| self.names.ty(ty)).collect();
                let receiver = self.list_of(items, &format!("<{}>", of.join(", ")));
                Doc::cat([receiver, Doc::text(format!(".{}", call.method)), args])
            }
            Target::Instance(receiver) => {
                let receiver = self.expr(receiver, &Type::class(call.class.clone()), Place::Receiver);
                Doc::cat([receiver, Doc::text(format!(".{}", call.method)), args])
            }
        }
    }

    /// `outer.new Inner(rest)`.
    fn inner(&mut self, call: &Call, outer: &Value, rest: &[Value]) -> Doc {
        let params = call.params.get(1..).unwrap_or_default().to_vec();
        let plain = Call { args: rest.to_vec(), params, ..call.clone() };
        let args = Doc::args(self.arguments(&plain));
        let outer =
            self.expr(outer, &call.params.first().cloned().unwrap_or(Type::object()), Place::Receiver);
        let diamond = if call.traits.generic_class { "<>" } else { "" };
        Doc::cat([outer, Doc::text(format!(".new {}{diamond}", call.class.simple_name())), args])
    }

    fn arguments(&mut self, call: &Call) -> Vec<Doc> {
        let place = Place::Argument { overloaded: call.traits.overloaded };
        let object = Type::object();
        let mut docs = Vec::new();
        for (i, arg) in call.args.iter().enumerate() {
            let want = call.params.get(i).unwrap_or(&object);
            let last = i + 1 == call.args.len();
            if let (Value::Fake { ty, methods, .. }, true) = (arg, call.traits.lambdas_compete)
                && methods.len() == 1
            {
                let cast = Doc::text(format!("({}) ", self.names.ty(ty)));
                docs.push(Doc::cat([cast, self.fake(methods)]));
            } else if last && call.traits.varargs {
                match (arg, want) {
                    (Value::Null, _) => docs.push(self.cast(want, Doc::text("null"), place)),
                    (Value::Array { items, .. }, Type::Array(elem)) if self.expandable(call, elem, items) => {
                        let item_place = Place::Argument { overloaded: false };
                        docs.extend(items.iter().map(|item| self.expr(item, elem, item_place)));
                    }
                    _ => docs.push(self.expr(arg, want, place)),
                }
            } else {
                docs.push(self.expr(arg, want, place));
            }
        }
        docs
    }

    /// Whether the elements can be written as arguments and mean the same call (JLS §15.12.2.4).
    fn expandable(&self, call: &Call, elem: &Type, items: &[Value]) -> bool {
        let array_like = |v: &Value| {
            matches!(v, Value::Null | Value::Array { .. } | Value::Var(_) | Value::Call(_) | Value::Result)
        };
        !call.traits.overloaded
            && items.len() <= 100
            && !(items.len() == 1 && !elem.is_primitive() && items.iter().any(array_like))
    }

    /// The static type of the expression a value becomes; `None` where it depends on inference.
    pub fn static_type(&self, value: &Value) -> Option<Type> {
        Some(match value {
            Value::Null | Value::List(_) | Value::Set(_) | Value::Map(_) | Value::Optional(_) => return None,
            Value::Fake { ty, .. } => ty.clone(),
            Value::Bool(_) => Type::Bool,
            Value::Byte(_) => Type::Byte,
            Value::Short(_) => Type::Short,
            Value::Char(_) => Type::Char,
            Value::Int(_) => Type::Int,
            Value::Long(_) => Type::Long,
            Value::Float(_) => Type::Float,
            Value::Double(_) => Type::Double,
            Value::Str(_) => Type::string(),
            Value::Boxed(inner) => self.static_type(inner)?.boxed(),
            Value::Enum { class, .. } | Value::Cast { class, .. } => Type::class(class.clone()),
            Value::Class(_) => Type::class(ClassName::new("java.lang", &["Class"])),
            Value::Array { elem, .. } => Type::array(elem.clone()),
            Value::Call(call) if call.traits.returns_type_variable => return None,
            Value::Call(call) => call.returns.clone(),
            Value::Field { ty, .. } => ty.clone(),
            Value::Var(name) => self.case.type_of(name)?.clone(),
            Value::Result => self.case.act.returns.clone(),
        })
    }
}

fn small(ty: &str, literal: String, narrows: bool) -> Doc {
    // The named constants have the small type already.
    if narrows || literal.contains('.') { Doc::text(literal) } else { Doc::text(format!("({ty}) {literal}")) }
}

pub fn parens(doc: Doc) -> Doc {
    Doc::cat([Doc::text("("), doc, Doc::text(")")])
}

fn erase(ty: &Type) -> Type {
    match ty {
        Type::Class { name, .. } => Type::class(name.clone()),
        Type::Array(elem) => Type::array(erase(elem)),
        other => other.clone(),
    }
}

/// Whether a fresh array holds this value already.
pub fn is_default(value: &Value, elem: &Type) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(b) => !b && elem.is_primitive(),
        Value::Byte(v) => *v == 0,
        Value::Short(v) => *v == 0,
        Value::Char(v) => *v == 0,
        Value::Int(v) => *v == 0,
        Value::Long(v) => *v == 0,
        Value::Float(bits) => *bits == 0,
        Value::Double(bits) => *bits == 0,
        _ => false,
    }
}
