//! Random calls: boundary values first, the rest by chance, all from one seed.

use crate::call::{Call, Receiver};
use crate::literal;
use crate::methods::{Member, MemberKind, box_of, split_descriptor};
use crate::rng::Rng;
use crate::value::Value;
use std::collections::BTreeMap;

/// Makes calls; remembers constants of the program under test and the constants of its enums.
#[derive(Clone, Debug)]
pub struct Generator {
    rng: Rng,
    integers: Vec<i64>,
    floats: Vec<f64>,
    strings: Vec<Vec<u16>>,
    enums: BTreeMap<String, Vec<String>>,
}

const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -2,
    3,
    5,
    7,
    10,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    128,
    -128,
    -129,
    255,
    256,
    1000,
    32767,
    32768,
    -32768,
    65535,
    65536,
    0xd800,
    0xdbff,
    0xdc00,
    0xdfff,
    0x10000,
    0x10ffff,
    46340,
    46341,
    0x7fff_ffff,
    -0x8000_0000,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_fffe,
    -0x7fff_ffff,
    0x5555_5555,
    -0x5555_5556,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i64::MIN + 1,
    1 << 53,
    3_037_000_499,
    3_037_000_500,
];

const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    0.2,
    0.3,
    0.5,
    1.5,
    2.0,
    2.5,
    -2.5,
    3.0,
    10.0,
    100.0,
    1e-3,
    1e7,
    1e10,
    1e15,
    1e16,
    1e20,
    1e100,
    1e-100,
    1e300,
    1e308,
    -1e308,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    4.9e-324,
    -4.9e-324,
    1.4e-45,
    1e-320,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::EPSILON,
    std::f64::consts::PI,
    std::f64::consts::E,
    2147483647.0,
    2147483648.0,
    -2147483648.0,
    -2147483649.0,
    9.223372036854775e18,
    -9.223372036854775e18,
    0.49999999999999994,
    3.4028234663852886e38,
    3.5e38,
    16777217.0,
    9007199254740993.0,
];

const STRINGS: &[&str] = &[
    "",
    " ",
    "a",
    "b",
    "A",
    "0",
    "1",
    "-1",
    "+1",
    "-",
    "+",
    "12",
    "-0",
    "00",
    "007",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "0x1F",
    "#1f",
    "010",
    "1.5",
    "-1.5e3",
    ".5",
    "1e400",
    "NaN",
    "Infinity",
    "-Infinity",
    "0x1p3",
    "1f",
    "true",
    "TRUE",
    "false",
    "null",
    "abc",
    "ABC",
    "abcabc",
    "hello",
    "Hello, World!",
    "a b c",
    "  trim me\t",
    "a,b,,c",
    "line\nbreak",
    "\r\n",
    "\u{0}",
    "\u{7f}",
    "\u{e9}",
    "\u{df}",
    "\u{130}",
    "\u{ff}",
    "\u{100}",
    "\u{3b1}",
    "\u{661}\u{662}",
    "\u{4e2d}\u{6587}",
    "\u{1f600}",
    "a\u{1f600}b",
    "\u{10ffff}",
    "xyz",
    "radar",
    "aaaa",
    "aab",
    "zz",
];

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            rng: Rng::new(seed),
            integers: Vec::new(),
            floats: Vec::new(),
            strings: Vec::new(),
            enums: BTreeMap::new(),
        }
    }

    /// Remembers the literals of a Java source text, and their neighbours.
    pub fn learn(&mut self, source: &str) {
        for value in literal::in_source(source) {
            match &value {
                Value::Str(units) => self.strings.push(units.clone()),
                Value::Float(_) | Value::Double(_) => self.floats.extend(value.as_float()),
                other => {
                    if let Some(x) = other.as_integer() {
                        self.integers.extend([x, x.wrapping_add(1), x.wrapping_sub(1), x.wrapping_neg()]);
                        self.floats.push(x as f64);
                    }
                }
            }
        }
    }

    pub fn learn_enum(&mut self, class: &str, constants: Vec<String>) {
        self.enums.insert(class.into(), constants);
    }

    /// A call of the member; `constructors` are those of its class, for a receiver. `None` when no value of a
    /// parameter type can be made.
    pub fn call(&mut self, member: &Member, constructors: &[Member]) -> Option<Call> {
        let receiver = match member.kind {
            MemberKind::Constructor | MemberKind::Static => Receiver::None,
            MemberKind::Instance => self.receiver(member, constructors)?,
        };
        let args = self.arguments(&member.desc)?;
        let (class, method, desc) = (member.class.clone(), member.name.clone(), member.desc.clone());
        Some(Call { class, method, desc, receiver, args, fresh: false })
    }

    fn receiver(&mut self, member: &Member, constructors: &[Member]) -> Option<Receiver> {
        let own = format!("L{};", member.class.replace('.', "/"));
        if own == "Ljava/lang/String;" || box_of(&own).is_some() || self.enums.contains_key(&member.class) {
            let value = self.not_null(&own)?;
            return Some(Receiver::Value(value));
        }
        let constructor = self.rng.pick(constructors)?.clone();
        Some(Receiver::New { args: self.arguments(&constructor.desc)?, desc: constructor.desc })
    }

    fn arguments(&mut self, desc: &str) -> Option<Vec<Value>> {
        let (parameters, _) = split_descriptor(desc).ok()?;
        let mut args: Vec<Value> = Vec::with_capacity(parameters.len());
        for (i, parameter) in parameters.iter().enumerate() {
            // Equal arguments are rare by chance and matter often.
            let twin = parameters[..i].iter().position(|earlier| earlier == parameter);
            match twin {
                Some(at) if self.rng.one_in(8) => args.push(args[at].clone()),
                _ => args.push(self.value(parameter)?),
            }
        }
        Some(args)
    }

    /// A value of the type; references are null now and then.
    pub fn value(&mut self, desc: &str) -> Option<Value> {
        let value = self.not_null(desc)?;
        let null = desc.starts_with(['L', '[']) && self.rng.one_in(16);
        Some(if null { Value::Null } else { value })
    }

    fn not_null(&mut self, desc: &str) -> Option<Value> {
        Some(match desc {
            "Z" => Value::Bool(self.rng.one_in(2)),
            "B" => Value::Byte(self.integer() as i8),
            "S" => Value::Short(self.integer() as i16),
            "C" => Value::Char(self.unit()),
            "I" => Value::Int(self.integer() as i32),
            "J" => Value::Long(self.integer()),
            "F" => Value::Float(if self.rng.one_in(8) {
                f32::from_bits(self.rng.next_u64() as u32)
            } else {
                self.float() as f32
            }),
            "D" => Value::Double(self.float()),
            "Ljava/lang/String;" | "Ljava/lang/CharSequence;" => Value::Str(self.string()),
            "Ljava/lang/Object;" | "Ljava/lang/Comparable;" => {
                let kind =
                    self.rng.pick(&["I", "J", "D", "C", "Z", "Ljava/lang/String;", "Ljava/lang/String;"])?;
                let value = self.not_null(kind)?;
                if matches!(value, Value::Str(_)) { value } else { Value::boxed(value) }
            }
            "Ljava/lang/Number;" => {
                let kind = self.rng.pick(&["B", "S", "I", "J", "F", "D"])?;
                Value::boxed(self.not_null(kind)?)
            }
            _ => match (box_of(desc), desc.strip_prefix('[')) {
                (Some(primitive), _) => Value::boxed(self.not_null(primitive)?),
                (None, Some(element)) => self.array(element)?,
                (None, None) => {
                    let class = desc.strip_prefix('L')?.strip_suffix(';')?.replace('/', ".");
                    let name = self.rng.pick(self.enums.get(&class)?)?.clone();
                    Value::Enum(class, name)
                }
            },
        })
    }

    fn array(&mut self, element: &str) -> Option<Value> {
        let length = self.rng.below(9);
        let mut values = Vec::with_capacity(length);
        for _ in 0..length {
            // Repeats matter for searching, counting and equality.
            match self.rng.pick(&values).cloned() {
                Some(earlier) if self.rng.one_in(4) => values.push(earlier),
                _ => values.push(self.value(element)?),
            }
        }
        if self.rng.one_in(2) && values.iter().all(|value| value.as_integer().is_some()) {
            values.sort_by_key(Value::as_integer);
        }
        Some(Value::Array(element.to_string(), values))
    }

    fn integer(&mut self) -> i64 {
        let learned = self.integers.len();
        match self.rng.below(10) {
            0..3 if learned > 0 => self.integers[self.rng.below(learned)],
            0..5 => INTEGERS[self.rng.below(INTEGERS.len())],
            5..7 => self.rng.below(41) as i64 - 20,
            7 => {
                let power = 1_i64.wrapping_shl(self.rng.below(64) as u32);
                power.wrapping_add(self.rng.below(3) as i64 - 1)
            }
            8 => (self.rng.next_u64() as i64).wrapping_shr(self.rng.below(64) as u32),
            _ => self.rng.next_u64() as i64,
        }
    }

    fn float(&mut self) -> f64 {
        let learned = self.floats.len();
        match self.rng.below(10) {
            0..3 if learned > 0 => self.floats[self.rng.below(learned)],
            0..5 => FLOATS[self.rng.below(FLOATS.len())],
            5 => self.integer() as f64,
            6 => (self.rng.below(2001) as f64 - 1000.0) / 8.0,
            7 => (self.rng.below(2001) as f64 - 1000.0) / 100.0,
            8 => {
                // A neighbour of a boundary.
                let near = FLOATS[self.rng.below(FLOATS.len())].to_bits();
                f64::from_bits(near.wrapping_add(self.rng.below(5) as u64).wrapping_sub(2))
            }
            _ => f64::from_bits(self.rng.next_u64()),
        }
    }

    fn unit(&mut self) -> u16 {
        match self.rng.below(8) {
            0 => self.integer() as u16,
            1 => b'0' as u16 + self.rng.below(10) as u16,
            2 => *self
                .rng
                .pick(&[0, 0x7f, 0x80, 0xff, 0x100, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfffe, 0xffff])
                .unwrap_or(&0),
            3 => self.rng.next_u64() as u16,
            4 => {
                let text = self.remembered();
                self.rng.pick(&text).copied().unwrap_or(b' ' as u16)
            }
            _ => 0x20 + self.rng.below(0x5f) as u16,
        }
    }

    fn remembered(&mut self) -> Vec<u16> {
        let learned = self.strings.len();
        if learned > 0 && self.rng.one_in(2) {
            return self.strings[self.rng.below(learned)].clone();
        }
        STRINGS[self.rng.below(STRINGS.len())].encode_utf16().collect()
    }

    fn string(&mut self) -> Vec<u16> {
        match self.rng.below(12) {
            0..5 => self.remembered(),
            5 => self.integer().to_string().encode_utf16().collect(),
            6 => {
                let mut joined = self.remembered();
                joined.extend(self.remembered());
                joined
            }
            7 => {
                let mut changed = self.remembered();
                let at = self.rng.below(changed.len() + 1);
                let unit = self.unit();
                match self.rng.below(3) {
                    0 => changed.insert(at, unit),
                    1 if at < changed.len() => changed[at] = unit,
                    _ if at < changed.len() => drop(changed.remove(at)),
                    _ => changed.push(unit),
                }
                changed
            }
            8 => {
                let digits = self.rng.below(13);
                (0..digits).map(|_| b'0' as u16 + self.rng.below(10) as u16).collect()
            }
            9 => {
                let length = self.rng.below(6);
                (0..length).map(|_| b'a' as u16 + self.rng.below(4) as u16).collect()
            }
            10 => {
                // A few letters of one's own constants, in another order.
                let length = self.rng.below(7);
                (0..length).map(|_| self.unit()).collect()
            }
            _ => {
                let length = self.rng.below(10);
                (0..length).map(|_| 0x20 + self.rng.below(0x5f) as u16).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(desc: &str) -> Member {
        Member {
            class: "fx.A".into(),
            name: "f".into(),
            desc: desc.into(),
            kind: MemberKind::Static,
            declared: true,
        }
    }

    #[test]
    fn same_seed_same_calls() {
        let member = member("(I[JLjava/lang/String;Ljava/lang/Integer;[[D)V");
        let calls = |seed| {
            let mut generator = Generator::new(seed);
            (0..50).map(|_| generator.call(&member, &[]).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(calls(1), calls(1));
        assert_ne!(calls(1), calls(2));
    }

    #[test]
    fn learned_constants_come_up() {
        let mut generator = Generator::new(3);
        generator.learn(
            "class A { int f(int x, String s) { return x == 7153 && s.equals(\"open sesame\") ? 1 : 0; } }",
        );
        generator.learn_enum("fx.Color", vec!["RED".into()]);
        let member = member("(ILjava/lang/String;Lfx/Color;)I");
        let calls: Vec<Call> = (0..500).filter_map(|_| generator.call(&member, &[])).collect();
        assert!(calls.iter().any(|call| call.args[0] == Value::Int(7153)));
        assert!(calls.iter().any(|call| call.args[1] == Value::str("open sesame")));
        assert!(calls.iter().any(|call| call.args[2] == Value::Enum("fx.Color".into(), "RED".into())));
    }

    #[test]
    fn types_that_cannot_be_made() {
        assert_eq!(Generator::new(1).call(&member("(Ljava/util/List;)V"), &[]), None);
    }
}
