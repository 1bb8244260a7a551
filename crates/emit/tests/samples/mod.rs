//! A suite that shows every way of writing a test, over `com/acme/Calc.java` beside this file. The runner's tests
//! compile it and run it green.

#![allow(dead_code, reason = "each test that includes this module uses its own part of it")]

use emit::java::SuiteFile;
use suite::case::{
    Assert, Call, Check, ClassName, Outcome, Step, Subject, TestCase, Text, Traits, Type, Value,
};

pub fn calc() -> ClassName {
    ClassName::new("com.acme", &["Calc"])
}

pub fn java_class(name: &str) -> ClassName {
    let (package, name) = name.rsplit_once('.').unwrap_or(("", name));
    ClassName::new(package, &[name])
}

/// A static call by descriptor.
pub fn act(method: &str, descriptor: &str, args: Vec<Value>) -> Call {
    let (params, returns) = Type::from_method_descriptor(descriptor).expect(descriptor);
    Call::on_class(calc(), method, params, returns, args)
}

fn overloaded(call: Call) -> Call {
    let traits = Traits { overloaded: true, ..call.traits };
    call.with(traits)
}

fn varargs(call: Call) -> Call {
    let traits = Traits { varargs: true, ..call.traits };
    call.with(traits)
}

fn ints(items: &[i32]) -> Value {
    Value::Array { elem: Type::Int, items: items.iter().map(|i| Value::Int(*i)).collect() }
}

fn doubles(items: &[f64]) -> Value {
    Value::Array { elem: Type::Double, items: items.iter().map(|d| Value::double(*d)).collect() }
}

fn strings(items: Vec<Value>) -> Value {
    Value::Array { elem: Type::string(), items }
}

fn new_calc(base: i32) -> Value {
    Value::call(overloaded(Call::constructor(calc(), vec![Type::Int], vec![Value::Int(base)])))
}

fn on(name: &str, method: &str, params: Vec<Type>, returns: Type, args: Vec<Value>) -> Call {
    Call::on_instance(Value::var(name), calc(), method, params, returns, args)
}

fn getter(of: Value, name: &str, returns: Type) -> Value {
    Value::call(Call::on_instance(of, calc(), name, vec![], returns, vec![]))
}

pub fn file(cases: Vec<TestCase>) -> SuiteFile {
    SuiteFile {
        package: "com.acme".into(),
        class_name: "CalcTest".into(),
        siblings: vec!["Calc".into()],
        cases,
    }
}

pub fn primitives() -> SuiteFile {
    let d = |x: f64, y: f64, name: &str| {
        TestCase::returns(name, overloaded(act("half", "(D)D", vec![Value::double(x)])), Value::double(y))
    };
    file(vec![
        TestCase::returns(
            "divide_positive",
            act("divide", "(II)I", vec![Value::Int(4), Value::Int(2)]),
            Value::Int(2),
        )
        .commented("b != 0: returns a / b"),
        TestCase::throws(
            "divide_byZero_throwsArithmeticException",
            act("divide", "(II)I", vec![Value::Int(1), Value::Int(0)]),
            java_class("java.lang.ArithmeticException"),
            None,
        )
        .commented("b == 0: throws ArithmeticException"),
        TestCase::returns(
            "divide_overflow",
            act("divide", "(II)I", vec![Value::Int(i32::MIN), Value::Int(-1)]),
            Value::Int(i32::MIN),
        ),
        TestCase::returns("twice_max", act("twice", "(J)J", vec![Value::Long(i64::MAX)]), Value::Long(-2)),
        TestCase::returns("next_byte", overloaded(act("next", "(B)B", vec![Value::Byte(1)])), Value::Byte(2)),
        TestCase::returns(
            "next_byteMax",
            overloaded(act("next", "(B)B", vec![Value::Byte(127)])),
            Value::Byte(-128),
        ),
        TestCase::returns(
            "next_short",
            overloaded(act("next", "(S)S", vec![Value::Short(-2)])),
            Value::Short(-1),
        ),
        TestCase::returns("next_char", overloaded(act("next", "(C)C", vec![Value::Char(0)])), Value::Char(1)),
        TestCase::returns(
            "next_quote",
            overloaded(act("next", "(C)C", vec![Value::Char(38)])),
            Value::Char(39),
        ),
        TestCase::returns("isOdd_one", act("isOdd", "(I)Z", vec![Value::Int(1)]), Value::Bool(true)),
        TestCase::returns("isOdd_zero", act("isOdd", "(I)Z", vec![Value::Int(0)]), Value::Bool(false)),
        TestCase::returns(
            "half_float",
            overloaded(act("half", "(F)F", vec![Value::float(0.3)])),
            Value::float(0.15),
        ),
        d(0.3, 0.15, "half_double"),
        d(-0.0, -0.0, "half_negativeZero"),
        d(f64::NAN, f64::NAN, "half_nan"),
        d(f64::NEG_INFINITY, f64::NEG_INFINITY, "half_infinite"),
        d(f64::MAX, f64::MAX / 2.0, "half_max"),
        d(5e-324, 0.0, "half_min"),
        TestCase::new("sine", act("sine", "(D)D", vec![Value::double(1.0)]), Outcome::Returns)
            .asserting(Assert::result(Check::Within { expected: Value::double(1f64.sin()), ulps: 1 })),
        TestCase::new(
            "sine_infinite",
            act("sine", "(D)D", vec![Value::double(f64::INFINITY)]),
            Outcome::Returns,
        )
        .asserting(Assert::result(Check::Within { expected: Value::double(f64::NAN), ulps: 1 })),
    ])
}

pub fn references() -> SuiteFile {
    let boxes = "(Ljava/lang/Integer;)Ljava/lang/Integer;";
    let object = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let name = |n: &str, param: &str, arg: Value, result: &str| {
        let descriptor = format!("({param})Ljava/lang/String;");
        TestCase::returns(n, overloaded(act("name", &descriptor, vec![arg])), Value::str(result))
    };
    let echo = |n: &str, text: Text| {
        let call = act("echo", "(Ljava/lang/String;)Ljava/lang/String;", vec![Value::Str(text.clone())]);
        TestCase::returns(n, call, Value::Str(text))
    };
    let generic = Traits { returns_type_variable: true, ..Traits::default() };
    let mode = ClassName::new("com.acme", &["Calc", "Mode"]);
    let list = Value::List(vec![Value::boxed(Value::Int(0)), Value::boxed(Value::Int(1))]);
    file(vec![
        TestCase::returns(
            "box_one",
            act("box", boxes, vec![Value::boxed(Value::Int(1))]),
            Value::boxed(Value::Int(2)),
        ),
        TestCase::returns("box_null", act("box", boxes, vec![Value::Null]), Value::Null),
        TestCase::returns(
            "boxByte",
            act("boxByte", "(Ljava/lang/Byte;)Ljava/lang/Byte;", vec![Value::boxed(Value::Byte(3))]),
            Value::boxed(Value::Byte(3)),
        ),
        TestCase::returns(
            "boxBoolean",
            act(
                "boxBoolean",
                "(Ljava/lang/Boolean;)Ljava/lang/Boolean;",
                vec![Value::boxed(Value::Bool(true))],
            ),
            Value::boxed(Value::Bool(true)),
        ),
        TestCase::returns(
            "boxDouble",
            act(
                "boxDouble",
                "(Ljava/lang/Double;)Ljava/lang/Double;",
                vec![Value::boxed(Value::double(-0.0))],
            ),
            Value::boxed(Value::double(-0.0)),
        ),
        TestCase::returns(
            "same_int",
            act("same", object, vec![Value::boxed(Value::Int(-7))]),
            Value::boxed(Value::Int(-7)),
        ),
        TestCase::returns(
            "same_long",
            act("same", object, vec![Value::boxed(Value::Long(7))]),
            Value::boxed(Value::Long(7)),
        ),
        TestCase::returns(
            "same_boolean",
            act("same", object, vec![Value::boxed(Value::Bool(false))]),
            Value::boxed(Value::Bool(false)),
        ),
        TestCase::returns("same_array", act("same", object, vec![ints(&[1, 2])]), ints(&[1, 2])),
        TestCase::returns(
            "identity_int",
            act("identity", object, vec![Value::boxed(Value::Int(3))]).with(generic),
            Value::boxed(Value::Int(3)),
        ),
        TestCase::returns(
            "identity_string",
            act("identity", object, vec![Value::str("a")]).with(generic),
            Value::str("a"),
        ),
        TestCase::returns(
            "identity_null",
            act("identity", object, vec![Value::Null]).with(generic),
            Value::Null,
        ),
        name("name_box", "Ljava/lang/Integer;", Value::boxed(Value::Int(-1)), "Integer"),
        name("name_nullBox", "Ljava/lang/Integer;", Value::Null, "Integer"),
        name("name_int", "I", Value::Int(-1), "int"),
        name("name_object", "Ljava/lang/Object;", Value::str("s"), "Object"),
        name("name_boxedObject", "Ljava/lang/Object;", Value::boxed(Value::Int(-1)), "Object"),
        name("name_string", "Ljava/lang/String;", Value::Null, "String"),
        name("name_byte", "B", Value::Byte(-1), "byte"),
        echo("echo_empty", Text::default()),
        echo("echo_escapes", Text::from("\"a\\b\"\t\n\r\u{0}1\u{7f}é\u{1F600}\u{2028}")),
        echo("echo_loneSurrogate", Text(vec![0xdc00, 0xd800])),
        echo("echo_long", Text::from("Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(5))),
        echo("echo_repeated", Text::from("x".repeat(70_000))),
        echo("echo_huge", Text::from("xy\u{0}é".repeat(20_000))),
        TestCase::returns(
            "mode_fancy",
            act("mode", "(Z)Lcom/acme/Calc$Mode;", vec![Value::Bool(true)]),
            Value::Enum { class: mode, constant: "FANCY".into() },
        ),
        TestCase::returns("range_two", act("range", "(I)Ljava/util/List;", vec![Value::Int(2)]), list),
        TestCase::returns(
            "range_empty",
            act("range", "(I)Ljava/util/List;", vec![Value::Int(0)]),
            Value::List(vec![]),
        ),
        TestCase::returns(
            "words",
            act("words", "(Ljava/lang/String;)Ljava/util/Set;", vec![Value::str("b a")]),
            Value::Set(vec![Value::str("a"), Value::str("b")]),
        ),
        TestCase::returns(
            "lengths",
            act("lengths", "(Ljava/lang/String;)Ljava/util/Map;", vec![Value::str("ab")]),
            Value::Map(vec![(Value::str("ab"), Value::boxed(Value::Long(2)))]),
        ),
        TestCase::returns(
            "first",
            act("first", "(Ljava/util/List;)Ljava/util/Optional;", vec![Value::List(vec![Value::str("a")])]),
            Value::Optional(Some(Box::new(Value::str("a")))),
        ),
        TestCase::returns(
            "type_string",
            act("type", "(Ljava/lang/Object;)Ljava/lang/Class;", vec![Value::str("")]),
            Value::Class(Type::string()),
        ),
        TestCase::throws(
            "length_null_throwsNullPointerException",
            act("length", "(Ljava/lang/String;)I", vec![Value::Null]),
            java_class("java.lang.NullPointerException"),
            None,
        ),
        TestCase::throws(
            "require_negative_throwsIllegalArgumentException",
            act("require", "(I)V", vec![Value::Int(-1)]),
            java_class("java.lang.IllegalArgumentException"),
            Some(Text::from("\"x\" < 0\n")),
        ),
        TestCase::new("require_zero", act("require", "(I)V", vec![Value::Int(0)]), Outcome::Returns),
    ])
}

pub fn arrays() -> SuiteFile {
    let count = "([Ljava/lang/String;)I";
    let large: Vec<i32> = (0..4000).map(|i| if i < 2000 { i } else { 7 }).collect();
    file(vec![
        TestCase::returns("count_none", varargs(act("count", count, vec![strings(vec![])])), Value::Int(0)),
        TestCase::returns(
            "count_two",
            varargs(act("count", count, vec![strings(vec![Value::str("a"), Value::Null])])),
            Value::Int(2),
        ),
        TestCase::returns(
            "count_oneNull",
            varargs(act("count", count, vec![strings(vec![Value::Null])])),
            Value::Int(1),
        ),
        TestCase::returns("count_null", varargs(act("count", count, vec![Value::Null])), Value::Int(-1)),
        TestCase::returns(
            "sum_bytes",
            varargs(act(
                "sum",
                "([B)I",
                vec![Value::Array { elem: Type::Byte, items: vec![Value::Byte(1), Value::Byte(-2)] }],
            )),
            Value::Int(-1),
        ),
        TestCase::returns("sort_three", act("sort", "([I)I", vec![Value::var("values")]), Value::Int(3))
            .binding("values", Type::array(Type::Int), ints(&[3, 1, 2]))
            .asserting(Assert::that(Value::var("values"), Check::Equals(ints(&[1, 2, 3])))),
        TestCase::throws(
            "sort_null_throwsNullPointerException",
            act("sort", "([I)I", vec![Value::var("values")]),
            java_class("java.lang.NullPointerException"),
            None,
        )
        .binding("values", Type::array(Type::Int), Value::Null),
        TestCase::returns(
            "halves",
            act("halves", "([D)[D", vec![doubles(&[1.0, 0.3])]),
            doubles(&[0.5, 0.15]),
        ),
        TestCase::returns(
            "grid_two",
            act("grid", "(I)[[I", vec![Value::Int(2)]),
            Value::Array { elem: Type::array(Type::Int), items: vec![ints(&[0, 0]), ints(&[0, 0])] },
        ),
        TestCase::returns("largest_zeros", act("largest", "([I)I", vec![ints(&[0; 20])]), Value::Int(0)),
        TestCase::returns(
            "largest_wide",
            act("largest", "([I)I", vec![ints(&(1..60).collect::<Vec<_>>())]),
            Value::Int(59),
        ),
        TestCase::returns("largest_large", act("largest", "([I)I", vec![ints(&large)]), Value::Int(1999)),
    ])
}

pub fn objects() -> SuiteFile {
    let box_class = ClassName::new("com.acme", &["Calc", "Box"]);
    let generic = Traits { generic_class: true, ..Traits::default() };
    let new_box = Value::call(
        Call::constructor(box_class.clone(), vec![Type::object()], vec![Value::str("a")]).with(generic),
    );
    let checked = Traits { throws_checked: true, ..Traits::default() };
    let int = || vec![Type::Int];
    file(vec![
        TestCase::returns("add_one", on("calc", "add", int(), Type::Int, vec![Value::Int(1)]), Value::Int(6))
            .binding("calc", Type::class(calc()), new_calc(5))
            .asserting(Assert::that(
                getter(Value::var("calc"), "getCalls", Type::Int),
                Check::Equals(Value::Int(1)),
            )),
        TestCase::returns(
            "add_inlineReceiver",
            Call::on_instance(new_calc(1), calc(), "add", int(), Type::Int, vec![Value::Int(1)]),
            Value::Int(2),
        ),
        TestCase::new(
            "calc_five",
            overloaded(Call::constructor(calc(), int(), vec![Value::Int(5)])),
            Outcome::Returns,
        )
        .asserting(Assert::that(getter(Value::Result, "getBase", Type::Int), Check::Equals(Value::Int(5))))
        .asserting(Assert::that(
            Value::Field {
                of: Some(Box::new(Value::Result)),
                class: calc(),
                name: "label".into(),
                ty: Type::string(),
            },
            Check::Equals(Value::str("none")),
        )),
        TestCase::throws(
            "calc_negative_throwsIllegalArgumentException",
            overloaded(Call::constructor(calc(), int(), vec![Value::Int(-1)])),
            java_class("java.lang.IllegalArgumentException"),
            Some(Text::from("base < 0: -1")),
        ),
        TestCase::new(
            "self_isSame",
            on("calc", "self", vec![], Type::class(calc()), vec![]),
            Outcome::Returns,
        )
        .binding("calc", Type::class(calc()), new_calc(0))
        .asserting(Assert::result(Check::Same(Value::var("calc"))))
        .asserting(Assert::result(Check::InstanceOf(calc()))),
        TestCase::new(
            "check_zero",
            on("calc", "check", int(), Type::Void, vec![Value::Int(0)]).with(checked),
            Outcome::Returns,
        )
        .binding("calc", Type::class(calc()), new_calc(0))
        .asserting(Assert::that(
            getter(Value::var("calc"), "getCalls", Type::Int),
            Check::Equals(Value::Int(0)),
        )),
        TestCase::throws(
            "check_ten_throwsIOException",
            on("calc", "check", int(), Type::Void, vec![Value::Int(10)]).with(checked),
            java_class("java.io.IOException"),
            None,
        )
        .binding("calc", Type::class(calc()), new_calc(0)),
        {
            let mut case = TestCase::returns(
                "boxSet",
                Call::on_instance(
                    Value::var("box"),
                    box_class.clone(),
                    "get",
                    vec![],
                    Type::object(),
                    vec![],
                )
                .with(Traits { returns_type_variable: true, ..Traits::default() }),
                Value::boxed(Value::Int(4)),
            )
            .binding("box", Type::class(box_class.clone()), new_box);
            case.arrange.push(Step::Do(Call::on_instance(
                Value::var("box"),
                box_class,
                "set",
                vec![Type::object()],
                Type::Void,
                vec![Value::boxed(Value::Int(4))],
            )));
            case
        },
        TestCase::new(
            "greet_bob",
            act("greet", "(Ljava/lang/String;)V", vec![Value::str("Bob")]),
            Outcome::Returns,
        )
        .asserting(Assert::stdout("Hello, Bob\n"))
        .asserting(Assert { subject: Subject::Stderr, check: Check::Equals(Value::str("!")) }),
        TestCase::new(
            "greet_unicode",
            act("greet", "(Ljava/lang/String;)V", vec![Value::str("é")]),
            Outcome::Returns,
        )
        .asserting(Assert::stdout("Hello, é\n")),
    ])
}

/// Arrays and collections of everything, passed through a method that returns its argument.
pub fn collections() -> SuiteFile {
    let object = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let same =
        |name: &str, value: Value| TestCase::returns(name, act("same", object, vec![value.clone()]), value);
    let array = |elem: Type, items: Vec<Value>| Value::Array { elem, items };
    let boxed = |value: Value| Value::boxed(value);
    let integer = Type::Int.boxed();
    let entry = |n: i32| (boxed(Value::Int(n)), Value::str("x"));
    let max = Value::Field {
        of: None,
        class: java_class("java.lang.Integer"),
        name: "MAX_VALUE".into(),
        ty: Type::Int,
    };
    file(vec![
        same("bytes", array(Type::Byte, vec![Value::Byte(1), Value::Byte(-128)])),
        same("shorts", array(Type::Short, vec![Value::Short(-1)])),
        same("chars", array(Type::Char, vec![Value::Char(97), Value::Char(0xffff)])),
        same("longs", array(Type::Long, vec![Value::Long(1), Value::Long(1 << 40), Value::Long(i64::MIN)])),
        same("floats", array(Type::Float, vec![Value::float(1.5), Value::float(f32::NAN)])),
        same("booleans", array(Type::Bool, vec![Value::Bool(true), Value::Bool(false)])),
        same("integers", array(integer.clone(), vec![boxed(Value::Int(1)), Value::Null])),
        same("byteBoxes", array(Type::Byte.boxed(), vec![boxed(Value::Byte(1))])),
        same(
            "objects",
            array(Type::object(), vec![boxed(Value::Byte(1)), Value::str("a"), boxed(Value::Long(1))]),
        ),
        same(
            "nested",
            array(
                Type::array(Type::array(integer)),
                vec![Value::Null, array(Type::array(Type::Int.boxed()), vec![])],
            ),
        ),
        same("empty", array(Type::array(Type::Int), vec![])),
        same("nulls", array(Type::array(Type::string()), vec![Value::Null; 12])),
        same("listOfNull", Value::List(vec![Value::Null])),
        same("listWithNull", Value::List(vec![Value::str("a"), Value::Null])),
        same("setOfNull", Value::Set(vec![Value::Null])),
        same("setWithNull", Value::Set(vec![Value::Null, boxed(Value::Char(97))])),
        same("emptySet", Value::Set(vec![])),
        same("emptyMap", Value::Map(vec![])),
        same("mapOfNull", Value::Map(vec![(Value::str("a"), Value::Null)])),
        same(
            "mapWithNull",
            Value::Map(vec![(Value::str("a"), Value::Null), (Value::str("b"), boxed(Value::Int(1)))]),
        ),
        same("mapOfTwo", Value::Map((0..2).map(entry).collect())),
        same("mapOfMany", Value::Map((0..12).map(entry).collect())),
        same("noOptional", Value::Optional(None)),
        same("classes", Value::List(vec![Value::Class(Type::array(Type::Int)), Value::Class(Type::Void)])),
        TestCase::returns(
            "staticField",
            act("divide", "(II)I", vec![max, Value::Int(2)]),
            Value::Int(i32::MAX / 2),
        ),
        TestCase::throws(
            "divideByCall_throwsArithmeticException",
            act(
                "divide",
                "(II)I",
                vec![Value::Int(1), Value::call(act("divide", "(II)I", vec![Value::Int(0), Value::Int(1)]))],
            ),
            java_class("java.lang.ArithmeticException"),
            None,
        ),
    ])
}

/// All of them, with a file name for each.
pub fn all() -> Vec<(&'static str, SuiteFile)> {
    let named = |name: &'static str, class: &str, file: SuiteFile| {
        (name, SuiteFile { class_name: class.to_owned(), ..file })
    };
    vec![
        named("primitives", "CalcPrimitivesTest", primitives()),
        named("references", "CalcReferencesTest", references()),
        named("arrays", "CalcArraysTest", arrays()),
        named("collections", "CalcCollectionsTest", collections()),
        named("objects", "CalcObjectsTest", objects()),
    ]
}
