//! A test case: arrange, act, assert as plain data.
//!
//! The act and everything that builds or reads objects is a [`Call`]; whatever can stand where an expression
//! stands is a [`Value`]. A producer may bind as freely as it likes: an emitter writes a variable only where
//! one is needed, and drops a binding that nothing uses and that does nothing.

use serde::{Deserialize, Serialize};

pub use crate::text::Text;
pub use crate::types::{ClassName, Type};

/// One behaviour of the code under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// Name of the test method: an identifier, unique within its class.
    pub name: String,
    /// Condition and outcome in source terms, usually one line.
    pub comment: Vec<String>,
    pub arrange: Vec<Step>,
    pub act: Call,
    pub outcome: Outcome,
    /// Checked in this order, after the act.
    pub asserts: Vec<Assert>,
    /// What may be a bug here: such cases stand together, after the others.
    pub suspect: Option<String>,
    /// The obligations that this case meets first, as the coverage report spells them.
    pub covers: Vec<String>,
}

impl TestCase {
    /// The same case without type arguments: what the declared types do not allow, a raw type may.
    pub fn without_type_arguments(&self) -> TestCase {
        let mut case = self.clone();
        for step in &mut case.arrange {
            match step {
                // A lambda spells no types but that of its cast.
                Step::Bind { ty, value: Value::Fake { ty: of, constructor: None, methods }, .. }
                    if methods.len() == 1 =>
                {
                    for ty in [ty, of] {
                        if let Type::Class { args, .. } = ty {
                            args.clear();
                        }
                    }
                }
                // What it implements says the types of its methods.
                Step::Bind { value: Value::Fake { .. }, .. } => {}
                // Where its results come from says what they are.
                Step::Bind { ty: Type::Class { name, .. }, .. } if name.simple_name() == "Iterator" => {}
                Step::Bind { ty, value, .. } => {
                    if let Type::Class { args, .. } = ty {
                        args.clear();
                    }
                    if let Value::Call(call) = value {
                        call.traits.generic_class = false;
                    }
                }
                Step::Do(call) => call.traits.generic_class = false,
                Step::Set { .. } => {}
            }
        }
        case.act.traits.generic_class = false;
        if let Type::Class { args, .. } = &mut case.act.returns {
            args.clear();
        }
        for arg in case.act.args.iter_mut().filter(|arg| matches!(arg, Value::Class(_))) {
            let of = Box::new(std::mem::replace(arg, Value::Null));
            *arg = Value::Cast { class: ClassName::new("java.lang", &["Class"]), of };
        }
        case
    }

    /// The same case without the type arguments of the program's own classes: those of the library's collections are what Kotlin
    /// needs to know.
    pub fn without_own_type_arguments(&self) -> TestCase {
        let mut case = self.clone();
        for step in &mut case.arrange {
            if let Step::Bind { ty: Type::Class { name, args }, value: Value::Call(_), .. } = step
                && !name.package.starts_with("java.")
                && !name.package.starts_with("kotlin.")
            {
                args.clear();
            }
        }
        case
    }

    /// The same case with arguments that say which of several methods is meant, whatever else is declared.
    pub fn with_exact_arguments(&self) -> TestCase {
        let mut case = self.clone();
        for step in &mut case.arrange {
            match step {
                Step::Bind { value: Value::Call(call), .. } => call.traits.overloaded = true,
                Step::Do(call) => call.traits.overloaded = true,
                Step::Bind { .. } | Step::Set { .. } => {}
            }
        }
        case.act.traits.overloaded = true;
        case
    }

    /// What the act is asserted to return.
    pub fn result(&self) -> Option<&Value> {
        result(&self.asserts)
    }

    /// A case with nothing arranged and nothing asserted yet.
    pub fn new(name: impl Into<String>, act: Call, outcome: Outcome) -> TestCase {
        TestCase {
            name: name.into(),
            comment: Vec::new(),
            arrange: Vec::new(),
            act,
            outcome,
            asserts: Vec::new(),
            suspect: None,
            covers: Vec::new(),
        }
    }

    /// `act` returns exactly `expected`.
    pub fn returns(name: impl Into<String>, act: Call, expected: Value) -> TestCase {
        let mut case = TestCase::new(name, act, Outcome::Returns);
        case.asserts.push(Assert::result(Check::Equals(expected)));
        case
    }

    /// `act` throws.
    pub fn throws(name: impl Into<String>, act: Call, class: ClassName, message: Option<Text>) -> TestCase {
        TestCase::new(name, act, Outcome::Throws { class, message })
    }

    pub fn commented(mut self, line: impl Into<String>) -> TestCase {
        self.comment.push(line.into());
        self
    }

    pub fn binding(mut self, name: impl Into<String>, ty: Type, value: Value) -> TestCase {
        self.arrange.push(Step::Bind { name: name.into(), ty, value });
        self
    }

    pub fn asserting(mut self, assert: Assert) -> TestCase {
        self.asserts.push(assert);
        self
    }

    /// The declared type of an arranged variable.
    pub fn type_of(&self, variable: &str) -> Option<&Type> {
        self.arrange.iter().find_map(|step| match step {
            Step::Bind { name, ty, .. } if name == variable => Some(ty),
            _ => None,
        })
    }
}

/// What assertions say that the act returns.
pub fn result(asserts: &[Assert]) -> Option<&Value> {
    asserts.iter().find_map(|assert| match (&assert.subject, &assert.check) {
        (Subject::Value(Value::Result), Check::Equals(value) | Check::Within { expected: value, .. }) => {
            Some(value)
        }
        (Subject::Value(Value::Result), Check::Null) => Some(&Value::Null),
        (Subject::Value(Value::Result), Check::Same(value @ Value::Field { of: None, .. })) => Some(value),
        _ => None,
    })
}

/// A step of the arrangement, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "a case has a handful of steps")]
pub enum Step {
    /// A variable. Names are identifiers, unique within the case, and not `result` or `thrown`.
    Bind { name: String, ty: Type, value: Value },
    /// A call for its effect (a setter, an `add`).
    Do(Call),
    /// An assignment to a field; one that a test may not name is `reflective`.
    Set { of: Value, class: ClassName, field: String, ty: Type, value: Value, reflective: bool },
}

/// What a call on an object returned is kept only where something asks for it.
pub fn forget_idle_variables(arrange: &mut [Step], act: &Call, asserts: &[Assert]) {
    for at in 0..arrange.len() {
        let Step::Bind { name, value: Value::Call(call), .. } = &arrange[at] else { continue };
        if !matches!(call.on, Target::Instance(_)) {
            continue;
        }
        let mut is_it = |value: &Value| matches!(value, Value::Var(other) if other == name);
        let later = arrange[at + 1..].iter().flat_map(Step::values).chain(act.operands());
        let later: Vec<&Value> = later.chain(asserts.iter().flat_map(Assert::values)).collect();
        if !later.into_iter().any(|value| value.any(&mut is_it)) {
            arrange[at] = Step::Do((**call).clone());
        }
    }
}

impl Step {
    /// The values it is made of.
    pub fn values(&self) -> Vec<&Value> {
        match self {
            Step::Bind { value, .. } => vec![value],
            Step::Do(call) => call.operands().collect(),
            Step::Set { of, value, .. } => vec![of, value],
        }
    }
}

/// A call of a method or constructor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub on: Target,
    /// The class by which the member is named; the class made, for a constructor.
    pub class: ClassName,
    /// Empty for a constructor.
    pub method: String,
    /// Erased parameter types, as many as `args`: with them an emitter tells overloads apart.
    pub params: Vec<Type>,
    /// Erased result type; the class itself for a constructor.
    pub returns: Type,
    /// The last of them is an array (or null) when `varargs`.
    pub args: Vec<Value>,
    pub traits: Traits,
}

/// What a call's spelling depends on besides its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// The last parameter takes a variable number of arguments.
    pub varargs: bool,
    /// Other members of the same name exist that could take as many arguments.
    pub overloaded: bool,
    /// Another of them takes another interface in the place of one of its interfaces: `submit(Runnable)` and
    /// `submit(Callable)`. A lambda that is written there must say which it is.
    #[serde(default)]
    pub lambdas_compete: bool,
    /// Declares checked exceptions.
    pub throws_checked: bool,
    /// Declares that it throws anything, as methods do whose exception is a type parameter.
    pub throws_any: bool,
    /// The declared result type is a type variable, so its type at the call is inferred.
    pub returns_type_variable: bool,
    /// The constructed class has type parameters.
    pub generic_class: bool,
    /// The method has type parameters of its own.
    pub generic_method: bool,
    /// The first argument is the object that the constructed one belongs to: `outer.new Inner()`.
    pub inner: bool,
    /// A constructor that a test may not call: by reflection, the only one with so many parameters.
    pub reflective: bool,
    /// The arguments that Kotlin's source leaves out, a bit each.
    #[serde(default)]
    pub left_out: u32,
}

impl Traits {
    /// Whether Kotlin's source leaves this argument out.
    pub fn leaves_out(&self, arg: usize) -> bool {
        self.left_out.checked_shr(arg as u32).unwrap_or(0) & 1 == 1
    }
}

/// What a call is made on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    Static,
    Instance(Box<Value>),
    New,
    /// A new object of a class written in place, which has these methods: the class that the constructor is of is abstract.
    Below(Vec<FakeMethod>),
}

impl Call {
    pub fn on_class(
        class: ClassName,
        method: impl Into<String>,
        params: Vec<Type>,
        returns: Type,
        args: Vec<Value>,
    ) -> Call {
        Call {
            on: Target::Static,
            class,
            method: method.into(),
            params,
            returns,
            args,
            traits: Traits::default(),
        }
    }

    pub fn on_instance(
        receiver: Value,
        class: ClassName,
        method: impl Into<String>,
        params: Vec<Type>,
        returns: Type,
        args: Vec<Value>,
    ) -> Call {
        Call {
            on: Target::Instance(Box::new(receiver)),
            ..Call::on_class(class, method, params, returns, args)
        }
    }

    pub fn constructor(class: ClassName, params: Vec<Type>, args: Vec<Value>) -> Call {
        let returns = Type::class(class.clone());
        Call { on: Target::New, ..Call::on_class(class, "", params, returns, args) }
    }

    pub fn with(mut self, traits: Traits) -> Call {
        self.traits = traits;
        self
    }

    /// Whether it makes an object by a constructor.
    pub fn is_new(&self) -> bool {
        matches!(self.on, Target::New | Target::Below(_))
    }

    /// The values this call is made of, receiver first.
    pub fn operands(&self) -> impl Iterator<Item = &Value> {
        let (receiver, methods) = match &self.on {
            Target::Instance(value) => (Some(&**value), &[][..]),
            Target::Static | Target::New => (None, &[][..]),
            Target::Below(methods) => (None, methods.as_slice()),
        };
        receiver.into_iter().chain(&self.args).chain(methods.iter().flat_map(FakeMethod::values))
    }
}

/// Anything that can stand where an expression stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Of whatever type the place wants.
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    /// By its bits, so that NaNs and zeros keep apart.
    Float(u32),
    Double(u64),
    Str(Text),
    /// The box of a primitive.
    Boxed(Box<Value>),
    Enum {
        class: ClassName,
        constant: String,
    },
    /// A class literal.
    Class(Type),
    Array {
        elem: Type,
        items: Vec<Value>,
    },
    /// Immutable collections, equal to any other of the same content.
    List(Vec<Value>),
    Set(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Optional(Option<Box<Value>>),
    /// A constructor, a factory, a getter.
    Call(Box<Call>),
    /// A static field (`of` none) or a field of an object.
    Field {
        of: Option<Box<Value>>,
        class: ClassName,
        name: String,
        ty: Type,
    },
    /// An object that stands for an interface: a lambda if it has one method, else an anonymous class. One that stands
    /// for an abstract class calls a constructor of it, and is never a lambda.
    Fake {
        /// The type it is of, with its arguments where they are known.
        ty: Type,
        constructor: Option<Box<Call>>,
        methods: Vec<FakeMethod>,
    },
    /// A variable of the arrangement.
    Var(String),
    /// A value taken for what it is, where its declared type says less.
    Cast {
        class: ClassName,
        of: Box<Value>,
    },
    /// What the act returned or made. Only in asserts.
    Result,
}

/// A method of an object that stands for an interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FakeMethod {
    /// The interface's method, erased; its arguments are left out.
    pub of: Call,
    /// Types of its parameters and result, variables replaced.
    pub params: Vec<Type>,
    pub returns: Type,
    /// Its own type parameters, and its types with them: what a language without raw types declares.
    pub open: Option<OpenTypes>,
    /// What it returns; none if it returns nothing.
    pub result: Option<Value>,
    /// Whether the act calls it.
    pub called: bool,
    /// Exceptions that the interface declares.
    pub exceptions: Vec<ClassName>,
    pub throws: Throws,
    /// A function among its arguments that it calls.
    pub runs: Option<Runs>,
    /// What it was given is kept for the asserts to look at.
    #[serde(default)]
    pub records: Option<Records>,
    /// Its types are those that the interface declares, wildcards left out nowhere.
    pub exact: bool,
}

/// A call of a function that a method of a stand-in is given: `work.get()`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// Which parameter, and what it is called.
    pub param: usize,
    pub name: String,
    pub method: String,
    pub args: Vec<Value>,
    /// What the function returns is what the method returns.
    pub returned: bool,
}

/// What a method of a stand-in does with its arguments: adds them to a list, each by itself or several as a list, or counts the call
/// where there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// The variable of the list, or of the counter (an `AtomicInteger`).
    pub list: Value,
    /// Which parameters are kept, and what they are called.
    pub params: Vec<(usize, String)>,
}

/// The types of a method with type parameters of its own, whose names stand for themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTypes {
    pub variables: Vec<String>,
    pub params: Vec<Type>,
    pub returns: Type,
}

/// Whether a method of an object that stands for an interface throws instead of returning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Throws {
    #[default]
    Never,
    Always(Value),
    /// In some of its calls, the first being 0.
    InCalls(Vec<(usize, Value)>),
}

impl FakeMethod {
    /// The values it is made of.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let thrown: Vec<&Value> = match &self.throws {
            Throws::Never => Vec::new(),
            Throws::Always(value) => vec![value],
            Throws::InCalls(calls) => calls.iter().map(|(_, value)| value).collect(),
        };
        let list = self.records.iter().map(|records| &records.list);
        self.result.iter().chain(thrown).chain(self.runs.iter().flat_map(|runs| &runs.args)).chain(list)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let thrown: Vec<&mut Value> = match &mut self.throws {
            Throws::Never => Vec::new(),
            Throws::Always(value) => vec![value],
            Throws::InCalls(calls) => calls.iter_mut().map(|(_, value)| value).collect(),
        };
        let list = self.records.iter_mut().map(|records| &mut records.list);
        let runs = self.runs.iter_mut().flat_map(|runs| &mut runs.args);
        self.result.iter_mut().chain(thrown).chain(runs).chain(list)
    }
}

/// Whether an object that stands for an interface may be made in place.
fn is_lambda(constructor: &Option<Box<Call>>, methods: &[FakeMethod]) -> bool {
    // A method with type parameters of its own has no lambda.
    let fits = |method: &FakeMethod| {
        !matches!(method.throws, Throws::InCalls(_)) && !method.of.traits.generic_method
    };
    constructor.is_none() && matches!(methods, [method] if fits(method))
}

impl Value {
    /// What a field of a type holds at first.
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Byte => Value::Byte(0),
            Type::Short => Value::Short(0),
            Type::Char => Value::Char(0),
            Type::Int => Value::Int(0),
            Type::Long => Value::Long(0),
            Type::Float => Value::float(0.0),
            Type::Double => Value::double(0.0),
            Type::Void | Type::Class { .. } | Type::Array(_) | Type::Wildcard => Value::Null,
        }
    }

    /// A function of several statements: it keeps what it is given and returns something.
    pub fn is_block(&self) -> bool {
        let block = |method: &FakeMethod| method.records.is_some() && method.result.is_some();
        !self.is_class() && matches!(self, Value::Fake { methods, .. } if methods.iter().any(block))
    }

    /// An object that takes a class of its own to write.
    pub fn is_class(&self) -> bool {
        matches!(self, Value::Fake { constructor, methods, .. } if !is_lambda(constructor, methods))
    }

    pub fn float(value: f32) -> Value {
        Value::Float(value.to_bits())
    }

    pub fn double(value: f64) -> Value {
        Value::Double(value.to_bits())
    }

    pub fn str(text: impl Into<Text>) -> Value {
        Value::Str(text.into())
    }

    pub fn boxed(value: Value) -> Value {
        Value::Boxed(Box::new(value))
    }

    pub fn var(name: impl Into<String>) -> Value {
        Value::Var(name.into())
    }

    pub fn call(call: Call) -> Value {
        Value::Call(Box::new(call))
    }

    /// The values directly inside this one.
    pub fn children(&self) -> Vec<&Value> {
        match self {
            Value::Boxed(value) | Value::Cast { of: value, .. } => vec![value],
            Value::Array { items, .. } | Value::List(items) | Value::Set(items) => items.iter().collect(),
            Value::Map(entries) => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            Value::Optional(value) => value.iter().map(|v| &**v).collect(),
            Value::Call(call) => call.operands().collect(),
            Value::Field { of, .. } => of.iter().map(|v| &**v).collect(),
            Value::Fake { constructor, methods, .. } => {
                let results = methods.iter().flat_map(FakeMethod::values);
                constructor.iter().flat_map(|call| call.operands()).chain(results).collect()
            }
            Value::Null
            | Value::Bool(_)
            | Value::Byte(_)
            | Value::Short(_)
            | Value::Char(_)
            | Value::Int(_)
            | Value::Long(_)
            | Value::Float(_)
            | Value::Double(_)
            | Value::Str(_)
            | Value::Enum { .. }
            | Value::Class(_)
            | Value::Var(_)
            | Value::Result => Vec::new(),
        }
    }

    /// Whether `test` holds for this value or any inside it.
    pub fn any(&self, test: &mut impl FnMut(&Value) -> bool) -> bool {
        // Values of foreign size: an explicit stack, so that depth costs no host stack.
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            if test(value) {
                return true;
            }
            open.extend(value.children());
        }
        false
    }
}

/// How the act ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Normally. What it returned is for the asserts to say.
    Returns,
    /// With an exception. `class` is the nearest class of it that the test may name; the message is given
    /// where it is stable and of the program's own making.
    Throws { class: ClassName, message: Option<Text> },
    /// Not at all, as far as one can wait. What was seen to run on is `disabled`: nobody's build should wait for it.
    Endless { disabled: bool },
}

impl Outcome {
    pub fn is_endless(&self) -> bool {
        matches!(self, Outcome::Endless { .. })
    }
}

/// One assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assert {
    pub subject: Subject,
    pub check: Check,
}

impl Assert {
    pub fn result(check: Check) -> Assert {
        Assert { subject: Subject::Value(Value::Result), check }
    }

    pub fn that(value: Value, check: Check) -> Assert {
        Assert { subject: Subject::Value(value), check }
    }

    pub fn stdout(text: impl Into<Text>) -> Assert {
        Assert { subject: Subject::Stdout, check: Check::Equals(Value::Str(text.into())) }
    }

    pub fn stderr(text: impl Into<Text>) -> Assert {
        Assert { subject: Subject::Stderr, check: Check::Equals(Value::Str(text.into())) }
    }

    /// What it looks at, and what it compares with.
    pub fn values(&self) -> Vec<&Value> {
        let subject = match &self.subject {
            Subject::Value(value) => Some(value),
            Subject::Stdout | Subject::Stderr => None,
        };
        let expected = match &self.check {
            Check::Equals(value) | Check::Iterates(value) | Check::Same(value) | Check::NotSame(value) => {
                Some(value)
            }
            Check::Within { expected, .. } => Some(expected),
            Check::Null | Check::NotNull | Check::InstanceOf(_) => None,
        };
        subject.into_iter().chain(expected).collect()
    }
}

/// What is looked at after the act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// The result, an argument, a getter or a field of either.
    Value(Value),
    /// What the act wrote to standard output, line ends as `\n`. The check is `Equals` of a string.
    Stdout,
    Stderr,
}

/// What must hold of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Check {
    /// Equal as the language's tests compare: floats by bits (all NaNs alike), arrays by content, objects by
    /// `equals`.
    Equals(Value),
    /// A float or double within so many units in the last place of the expected one: for operations whose
    /// exact result the platform leaves open. NaNs and infinities are compared exactly.
    Within {
        expected: Value,
        ulps: u32,
    },
    /// An object of the program that goes over elements equal to those of a list, in that order.
    Iterates(Value),
    Null,
    NotNull,
    /// The very same object.
    Same(Value),
    NotSame(Value),
    InstanceOf(ClassName),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_nobody_asks_for_are_not_kept() {
        let bank = ClassName::new("com.acme", &["Bank"]);
        let account = ClassName::new("com.acme", &["Account"]);
        let open = Call::on_instance(
            Value::var("bank"),
            bank.clone(),
            "open",
            vec![],
            Type::class(account.clone()),
            vec![],
        );
        let total = Call::on_instance(Value::var("bank"), bank.clone(), "total", vec![], Type::Long, vec![]);
        let mut case = TestCase::returns("total", total, Value::Long(0))
            .binding("bank", Type::class(bank.clone()), Value::call(Call::constructor(bank, vec![], vec![])))
            .binding("kept", Type::class(account.clone()), Value::call(open.clone()))
            .binding("idle", Type::class(account.clone()), Value::call(open.clone()));
        let balance =
            Call::on_instance(Value::var("kept"), account, "getBalance", vec![], Type::Long, vec![]);
        case = case.asserting(Assert::that(Value::call(balance), Check::Equals(Value::Long(0))));
        let before = case.arrange.clone();
        forget_idle_variables(&mut case.arrange, &case.act, &case.asserts);
        assert_eq!(case.arrange[..2], before[..2]);
        assert_eq!(case.arrange[2], Step::Do(open));
    }

    #[test]
    fn a_case_survives_serialisation() {
        let calc = ClassName::new("com.acme", &["Calc"]);
        let receiver = Value::call(Call::constructor(calc.clone(), vec![Type::Int], vec![Value::Int(3)]));
        let act = Call::on_instance(
            Value::var("calc"),
            calc.clone(),
            "join",
            vec![Type::array(Type::string())],
            Type::string(),
            vec![Value::Array { elem: Type::string(), items: vec![Value::Null, Value::str("a")] }],
        );
        let case = TestCase::returns("join_null", act, Value::Str(Text(vec![0xdc00])))
            .binding("calc", Type::class(calc), receiver)
            .asserting(Assert::stdout("x\n"));
        let json = serde_json::to_string(&case).unwrap();
        assert_eq!(serde_json::from_str::<TestCase>(&json).unwrap(), case);
        assert!(case.type_of("calc").is_some() && case.type_of("result").is_none());
    }

    #[test]
    fn any_looks_into_receivers_and_entries() {
        let list = ClassName::new("java.util", &["List"]);
        let deep = Value::Map(vec![(
            Value::Int(1),
            Value::call(Call::on_instance(Value::Result, list, "size", vec![], Type::Int, vec![])),
        )]);
        assert!(deep.any(&mut |v| *v == Value::Result));
        assert!(!deep.any(&mut |v| *v == Value::Null));
    }
}
