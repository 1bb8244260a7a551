//! Conditions in source terms: a path condition as a person would write it, and as part of a name.

use term::{Op, Pool, Sort, TermId, semantics};

mod bounds;
mod source;
mod spelled;

pub use bounds::joined;
pub use source::word_of_source;
pub use spelled::{camel, capitalised, number_word};
use spelled::{constant_word, identifier, relation_word, spelled, zero_word};

/// How input variables are spelled in the source. The engine's names are `n`, `s.null`, `s.length`, `s[3]`.
pub trait Spelling {
    /// The length of a sequence (`s.length()`, `a.length`).
    fn length(&self, of: &str) -> String;
    /// An element of a sequence (`s.charAt(3)`, `a[3]`).
    fn element(&self, of: &str, index: &str) -> String;
    /// A constant compared with the named variable (`'x'` for characters, a name for enum constants).
    fn constant(&self, variable: &str, value: i128) -> Option<String>;
    /// The variable of the test that holds the object at the start of a path, and how long that start is.
    fn known_as(&self, _path: &str) -> Option<(usize, &str)> {
        None
    }
}

/// A path from the variable on that the test has for the object it leads through.
fn from_variable(spelling: &dyn Spelling, path: &str) -> String {
    match spelling.known_as(path) {
        Some((length, variable)) => format!("{variable}{}", &path[length..]),
        None => path.to_string(),
    }
}

/// One condition of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// `b == 0`.
    pub text: String,
    /// `bZero`, if it is short enough to be part of a name.
    pub word: Option<String>,
}

/// Longer conditions are not worth reading.
const MAX_NODES: usize = 24;

/// A Boolean term in source terms; `None` if it cannot be said shortly.
pub fn fact(pool: &Pool, term: TermId, spelling: &dyn Spelling) -> Option<Fact> {
    // That a text is no literal is seen where the test makes it.
    let about_copies = pool.vars(term).iter().any(|var| pool.var_name(*var).ends_with(".copy"));
    if about_copies || holds_of_any_length(pool, term) {
        return None;
    }
    let term = essential(pool, term);
    let mut writer = Writer { pool, spelling, nodes: 0 };
    let text = writer.condition(term, true)?;
    Some(Fact { word: word(pool, term, spelling), text })
}

/// Whether one of two values is the size of something and the other is no size: an index, and what bounds it.
fn bounds(pool: &Pool, a: TermId, b: TermId) -> bool {
    let is_size = |term: TermId| pool.var_of(term).is_some_and(|var| size_of(pool.var_name(var)).is_some());
    is_size(a) && !is_size(b) && pool.as_const(b).is_none()
}

/// That a text is another, or a certain one, which the library finds by its length and its characters; `None` if a
/// condition is something else.
pub fn text_fact(pool: &Pool, term: TermId, spelling: &dyn Spelling) -> Option<Fact> {
    let (term, holds) = strip_not(pool, term);
    let mut open = vec![term];
    let (mut length, mut texts, mut units) = (None, Vec::new(), Vec::new());
    while let Some(term) = open.pop() {
        let (op, args) = pool.node(term);
        let [a, b] = args else { return None };
        let (a, b) = (whole_unit(pool, *a), whole_unit(pool, *b));
        if op == Op::And {
            open.extend([a, b]);
            continue;
        }
        let named = |term: TermId| pool.var_of(term).map(|var| pool.var_name(var));
        let unit = |term: TermId| {
            let (of, index) = named(term)?.strip_suffix(']')?.rsplit_once('[')?;
            Some((of, index.parse::<usize>().ok()?))
        };
        let (Op::Eq, true) = (op, units.len() < 64) else { return None };
        if let (Some(of), Some(size)) =
            (named(a).and_then(|name| name.strip_suffix(".length")), pool.as_const(b))
        {
            length = Some((of, usize::try_from(size).ok()?));
        } else if let (Some((of, index)), Some(c)) = (unit(a), pool.as_const(b)) {
            units.push((of, index, c));
        } else if let (Some((of, i)), Some((other, j))) = (unit(a), unit(b)) {
            texts.push(((of, i), (other, j)));
        } else {
            return None;
        }
    }
    let (of, length) = length.filter(|(_, length)| *length > 0)?;
    let path = |of: &str| from_variable(spelling, of);
    let not = if holds { "" } else { "!" };
    let relation = if holds { "Is" } else { "IsNot" };
    if texts.is_empty() && units.len() == length && units.iter().all(|(text, ..)| *text == of) {
        units.sort_unstable_by_key(|(_, index, _)| *index);
        let complete = units.iter().enumerate().all(|(i, (_, index, _))| i == *index);
        let chars = units.iter().map(|(.., c)| char::from_u32(u32::try_from(*c).ok()?));
        let text: String = chars.collect::<Option<_>>()?;
        let plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\' || c == ' ';
        if !complete || !text.chars().all(plain) || text.len() > 40 {
            return None;
        }
        let wordy = text.len() <= 16 && text.chars().all(|c| c.is_ascii_alphanumeric());
        let word = identifier(&path(of)).filter(|_| wordy);
        return Some(Fact {
            text: format!("{not}{}.equals(\"{text}\")", spelled(&path(of))),
            word: word.map(|word| format!("{word}{relation}{}", capitalised(&text))),
        });
    }
    let ((_, _), (other, _)) = texts.iter().find_map(|(a, b)| match () {
        () if a.0 == of => Some((*a, *b)),
        () if b.0 == of => Some((*b, *a)),
        () => None,
    })?;
    let pairs = |((a, i), (b, j)): &((&str, usize), (&str, usize))| {
        i == j && [(*a, *b), (*b, *a)].contains(&(of, other))
    };
    if !units.is_empty() || texts.len() != length || !texts.iter().all(pairs) {
        return None;
    }
    let word = identifier(&path(of)).zip(identifier(&path(other)));
    Some(Fact {
        text: format!("{not}{}.equals({})", spelled(&path(of)), spelled(&path(other))),
        word: word.map(|(of, other)| format!("{of}{relation}{}", capitalised(&other))),
    })
}

/// Whether a condition compares inputs and constants as they are, with nothing added to them.
pub fn is_plain(pool: &Pool, term: TermId) -> bool {
    let (term, _) = strip_not(pool, term);
    let plain = |arg: &TermId| pool.var_of(*arg).is_some() || pool.as_const(*arg).is_some();
    pool.var_of(term).is_some() || pool.node(term).1.iter().all(plain)
}

/// `s.length() - 1 < 0` is `s.length() < 1`: a size that something is added to, compared with a constant.
fn shifted(pool: &Pool, a: TermId, b: TermId) -> Option<(TermId, i128)> {
    let width = pool.sort(a).bits();
    let signed = |term: TermId| pool.as_const(term).map(|bits| semantics::signed(bits, width));
    let (Op::BvAdd, [x, y]) = pool.node(a) else { return None };
    let (size, added) = match signed(*x) {
        Some(added) => (*y, added),
        None => (*x, signed(*y)?),
    };
    let is_size = pool.var_of(size).is_some_and(|var| size_of(pool.var_name(var)).is_some());
    let value = signed(b)? - added;
    // Sizes are small: nothing wraps around.
    (is_size && added.abs() < 1 << 16 && (0..1 << 16).contains(&value)).then_some((size, value))
}

/// Of several conditions on one input, the one that says which value it has: the others follow.
fn essential(pool: &Pool, term: TermId) -> TermId {
    let mut parts = Vec::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match pool.node(term) {
            (Op::And, args) => open.extend(args),
            _ => parts.push(term),
        }
    }
    let [_, _, ..] = parts[..] else { return term };
    let names = |term: TermId| pool.vars(term).iter().map(|var| pool.var_name(*var)).collect::<Vec<_>>();
    let fixes = |part: &&TermId| {
        let (op, args) = pool.node(**part);
        let constant = args.iter().any(|arg| pool.as_const(*arg).is_some());
        op == Op::Eq && constant && args.iter().any(|arg| pool.var_of(*arg).is_some())
    };
    let Some(part) = parts.iter().find(fixes) else { return term };
    let [name] = names(*part)[..] else { return term };
    let about = |other: &str| other == name || nullness(other).is_some_and(|(of, _)| of == name);
    match names(term).into_iter().all(about) {
        true => *part,
        false => term,
    }
}

/// `s.length() >= 0`: a check of the library that says nothing of the input.
fn holds_of_any_length(pool: &Pool, term: TermId) -> bool {
    let vars = pool.vars(term);
    let [var] = vars[..] else { return false };
    let holds = |length: u128| {
        let mut model = term::Assignment::default();
        model.set_bits(var, length);
        model.eval(pool, term) != 0
    };
    pool.var_name(var).ends_with(".length") && [0, 1, 2, 3, 4, 7, 8, 15, 16, 100, 1000].into_iter().all(holds)
}

struct Writer<'a> {
    pool: &'a Pool,
    spelling: &'a dyn Spelling,
    nodes: usize,
}

impl Writer<'_> {
    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= MAX_NODES).then_some(())
    }

    /// A Boolean term, or its negation if `holds` is false.
    fn condition(&mut self, term: TermId, holds: bool) -> Option<String> {
        self.count()?;
        if let Some(value) = self.pool.as_bool(term) {
            return Some((value == holds).to_string());
        }
        if let Some(var) = self.pool.var_of(term) {
            let name = self.pool.var_name(var);
            return Some(match nullness(name) {
                Some((of, null)) => {
                    let of = spelled(&from_variable(self.spelling, of));
                    format!("{of} {} null", if holds == null { "==" } else { "!=" })
                }
                None => match self.variable(name) {
                    // No operator: `the second mailer.send() is false`.
                    text if text.starts_with("the ") => format!("{text} is {holds}"),
                    text => format!("{}{text}", if holds { "" } else { "!" }),
                },
            });
        }
        let (op, args) = self.pool.node(term);
        let args = args.to_vec();
        match (op, args.as_slice()) {
            (Op::Not, [a]) => self.condition(*a, !holds),
            (Op::And | Op::Or, [a, b]) => {
                let joint = if (op == Op::And) == holds { "&&" } else { "||" };
                let (a, b) = (self.condition(*a, holds)?, self.condition(*b, holds)?);
                Some(format!("{} {joint} {}", grouped(&a, joint), grouped(&b, joint)))
            }
            (Op::Xor, [a, b]) => {
                let (a, b) = (self.condition(*a, true)?, self.condition(*b, holds)?);
                Some(format!("{a} ^ {b}"))
            }
            (Op::Eq | Op::FpEq, [a, b]) => self.compare(*a, if holds { "==" } else { "!=" }, *b),
            // A negated comparison of floats also holds for NaN, which `>=` would hide.
            (Op::FpLt, [a, b]) if holds => self.compare(*a, "<", *b),
            (Op::FpLe, [a, b]) if holds => self.compare(*a, "<=", *b),
            (Op::FpLt | Op::FpLe, [a, b]) => {
                let inner = self.compare(*a, if op == Op::FpLt { "<" } else { "<=" }, *b)?;
                Some(format!("!({inner})"))
            }
            (Op::BvSlt, [a, b]) => self.ordered(*a, "<", *b, holds),
            (Op::BvSle, [a, b]) => self.ordered(*a, "<=", *b, holds),
            (Op::BvUlt | Op::BvUle, [a, b]) => {
                let sign = if op == Op::BvUlt { "<" } else { "<=" };
                if self.never_negative(*a) && self.never_negative(*b) {
                    return self.ordered(*a, sign, *b, holds);
                }
                if self.never_negative(*b) {
                    let (a, b) = (self.value(*a)?, self.value(*b)?);
                    return Some(match holds {
                        true => format!("0 <= {a} && {a} {sign} {b}"),
                        false => format!("{a} outside 0..{b}"),
                    });
                }
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                let inner = format!("Integer.compareUnsigned({a}, {b}) {sign} 0");
                Some(if holds { inner } else { format!("!({inner})") })
            }
            (Op::FpIsNan, [a]) => {
                let a = self.value(*a)?;
                Some(format!("{}Double.isNaN({a})", if holds { "" } else { "!" }))
            }
            (Op::FpIsInf, [a]) => {
                let a = self.value(*a)?;
                Some(format!("{}Double.isInfinite({a})", if holds { "" } else { "!" }))
            }
            (Op::Ite, [c, a, b]) => {
                let (c, a, b) =
                    (self.condition(*c, true)?, self.condition(*a, holds)?, self.condition(*b, holds)?);
                Some(format!("({c} ? {a} : {b})"))
            }
            _ => None,
        }
    }

    fn ordered(&mut self, a: TermId, sign: &str, b: TermId, holds: bool) -> Option<String> {
        let (a, sign, b) = match (holds, sign) {
            (true, _) => (a, sign, b),
            (false, "<") => (b, "<=", a),
            (false, _) => (b, "<", a),
        };
        self.compare(a, sign, b)
    }

    /// `a sign b` with a constant on the right.
    fn compare(&mut self, a: TermId, sign: &str, b: TermId) -> Option<String> {
        let (a, sign, b) = match self.pool.as_const(a).is_some() || bounds(self.pool, a, b) {
            true => (b, mirrored(sign), a),
            false => (a, sign, b),
        };
        if let Some((size, value)) = shifted(self.pool, a, b) {
            return Some(format!("{} {sign} {value}", self.value(size)?));
        }
        let left = self.value(a)?;
        let right = match (self.pool.as_const(b), self.root_variable(a)) {
            (Some(bits), Some(variable)) => {
                let value = match whole_unit(self.pool, a) == a {
                    true => semantics::signed(bits, self.pool.sort(b).bits()),
                    false => bits as i128,
                };
                let named = self.spelling.constant(&variable, value);
                named.map_or_else(|| self.value(b), Some)?
            }
            _ => self.value(b)?,
        };
        Some(format!("{left} {sign} {right}"))
    }

    /// The variable that a term is, but for widening.
    fn root_variable(&self, mut term: TermId) -> Option<String> {
        loop {
            term = whole_unit(self.pool, term);
            if let Some(var) = self.pool.var_of(term) {
                return Some(self.pool.var_name(var).to_string());
            }
            match self.pool.node(term) {
                (Op::ZeroExt { .. } | Op::SignExt { .. }, [inner]) => term = *inner,
                _ => return None,
            }
        }
    }

    fn never_negative(&self, term: TermId) -> bool {
        let term = whole_unit(self.pool, term);
        if let Some(bits) = self.pool.as_const(term) {
            return semantics::signed(bits, self.pool.sort(term).bits()) >= 0;
        }
        if let Some(var) = self.pool.var_of(term) {
            return size_of(self.pool.var_name(var)).is_some() || self.pool.sort(term) == Sort::Bv(16);
        }
        matches!(self.pool.node(term).0, Op::ZeroExt { .. })
    }

    /// A reference that is null or one object: an input.
    fn reference(&self, condition: TermId, a: TermId, b: TermId) -> Option<String> {
        let constants = (self.pool.as_const(a)?, self.pool.as_const(b)?);
        let (of, null) = nullness(self.pool.var_name(self.pool.var_of(condition)?))?;
        let null_first = constants.0 == 0 && constants.1 != 0;
        (null_first == null && (constants.0 == 0) != (constants.1 == 0))
            .then(|| spelled(&from_variable(self.spelling, of)))
    }

    fn variable(&self, name: &str) -> String {
        let spelled = |path: &str| spelled(&from_variable(self.spelling, path));
        if let Some(of) = name.strip_suffix(".length") {
            return spelled(&self.spelling.length(of));
        }
        if let Some(of) = name.strip_suffix(".size") {
            return format!("{}.size()", spelled(of));
        }
        match name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            Some((of, index)) => spelled(&self.spelling.element(of, index)),
            None => spelled(name),
        }
    }

    fn value(&mut self, term: TermId) -> Option<String> {
        self.count()?;
        let term = whole_unit(self.pool, term);
        let sort = self.pool.sort(term);
        if let Some(bits) = self.pool.as_const(term) {
            return Some(match sort {
                Sort::Bool => (bits != 0).to_string(),
                Sort::Bv(width) => number(semantics::signed(bits, width), width),
                Sort::F32 => format!("{:?}f", f32::from_bits(bits as u32)),
                Sort::F64 => format!("{:?}", f64::from_bits(bits as u64)),
                Sort::Array { .. } => return None,
            });
        }
        if let Some(var) = self.pool.var_of(term) {
            let name = self.pool.var_name(var);
            // That two things are both null or both not says nothing in words.
            return nullness(name).is_none().then(|| self.variable(name));
        }
        let (op, args) = self.pool.node(term);
        let args = args.to_vec();
        if let (Op::Ite, [c, a, b]) = (op, args.as_slice())
            && let Some(reference) = self.reference(*c, *a, *b)
        {
            return Some(reference);
        }
        match (op, args.as_slice()) {
            (Op::ZeroExt { .. } | Op::SignExt { .. }, [a]) => self.value(*a),
            (Op::FpFromSBv { .. } | Op::FpToFp { .. }, [a]) => self.value(*a),
            (Op::FpToSBvSat { width }, [a]) => {
                let a = self.value(*a)?;
                Some(format!("({}) {}", if width == 64 { "long" } else { "int" }, grouped(&a, "")))
            }
            (Op::Extract { hi, lo: 0 }, [a]) => {
                let a = self.value(*a)?;
                let cast = match hi {
                    7 => "byte",
                    15 => "short",
                    31 => "int",
                    _ => return None,
                };
                Some(format!("({cast}) {}", grouped(&a, "")))
            }
            (Op::BvNeg | Op::FpNeg, [a]) => Some(format!("-{}", grouped(&self.value(*a)?, ""))),
            (Op::BvNot, [a]) => Some(format!("~{}", grouped(&self.value(*a)?, ""))),
            (Op::FpAbs, [a]) => Some(format!("Math.abs({})", self.value(*a)?)),
            (Op::FpSqrt, [a]) => Some(format!("Math.sqrt({})", self.value(*a)?)),
            (Op::FpFun { fun }, [a]) => Some(format!("Math.{}({})", fun.name(), self.value(*a)?)),
            (Op::FpFun2 { fun }, [a, b]) => {
                Some(format!("Math.{}({}, {})", fun.name(), self.value(*a)?, self.value(*b)?))
            }
            (Op::BvAdd, [a, b]) => self.sum(*a, *b),
            (_, [a, b]) => {
                let sign = match op {
                    Op::BvSub | Op::FpSub => "-",
                    Op::FpAdd => "+",
                    Op::BvMul | Op::FpMul => "*",
                    Op::BvSDiv | Op::FpDiv => "/",
                    Op::BvSRem | Op::FpFmod => "%",
                    Op::BvAnd => "&",
                    Op::BvOr => "|",
                    Op::BvXor => "^",
                    Op::BvShl => "<<",
                    Op::BvLShr => ">>>",
                    Op::BvAShr => ">>",
                    _ => return None,
                };
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                Some(format!("{} {sign} {}", grouped(&a, sign), grouped(&b, "")))
            }
            (Op::Ite, [c, a, b]) => {
                let (c, a, b) = (self.condition(*c, true)?, self.value(*a)?, self.value(*b)?);
                Some(format!("({c} ? {a} : {b})"))
            }
            _ => None,
        }
    }

    /// A sum; adding a negative constant is a difference.
    fn sum(&mut self, a: TermId, b: TermId) -> Option<String> {
        let (a, b) = if self.pool.as_const(a).is_some() { (b, a) } else { (a, b) };
        let left = self.value(a)?;
        if let Some(bits) = self.pool.as_const(b) {
            let width = self.pool.sort(b).bits();
            let value = semantics::signed(bits, width);
            if value < 0 && value > -(1 << 30) {
                return Some(format!("{} - {}", grouped(&left, "+"), -value));
            }
        }
        let right = self.value(b)?;
        Some(format!("{} + {}", grouped(&left, "+"), grouped(&right, "+")))
    }
}

/// A unit of a text instead of its low byte: in a text of narrow units they are the same.
fn whole_unit(pool: &Pool, term: TermId) -> TermId {
    match pool.node(term) {
        (Op::Extract { hi: 7, lo: 0 }, [unit]) => match pool.var_of(*unit) {
            Some(var) if pool.sort(*unit) == Sort::Bv(16) && pool.var_name(var).ends_with(']') => *unit,
            _ => term,
        },
        _ => term,
    }
}

/// In brackets if it is made of several parts, unless they are joined by the same sign.
fn grouped(text: &str, sign: &str) -> String {
    let closed = text.starts_with('(') && text.ends_with(')') && !text[1..].contains('(');
    let same = !sign.is_empty() && text.contains(&format!(" {sign} ")) && !text.contains(['(', '?']);
    if !text.contains(' ') || closed || same { text.to_string() } else { format!("({text})") }
}

fn mirrored(sign: &str) -> &str {
    match sign {
        "<" => ">",
        "<=" => ">=",
        other => other,
    }
}

fn number(value: i128, width: u32) -> String {
    match (value, width) {
        (v, 32) if v == i32::MIN as i128 => "Integer.MIN_VALUE".to_string(),
        (v, 32) if v == i32::MAX as i128 => "Integer.MAX_VALUE".to_string(),
        (v, 64) if v == i64::MIN as i128 => "Long.MIN_VALUE".to_string(),
        (v, 64) if v == i64::MAX as i128 => "Long.MAX_VALUE".to_string(),
        (v, _) => v.to_string(),
    }
}

/// Whether a variable says that something is null (`s.null`) or that it is not (`s.some`), and of what.
fn nullness(name: &str) -> Option<(&str, bool)> {
    let null = name.strip_suffix(".null").map(|of| (of, true));
    null.or_else(|| name.strip_suffix(".some").map(|of| (of, false)))
}

/// How many elements something has.
fn size_of(name: &str) -> Option<&str> {
    name.strip_suffix(".length").or_else(|| name.strip_suffix(".size"))
}

/// A condition on one variable, or between two, as part of a name.
fn word(pool: &Pool, term: TermId, spelling: &dyn Spelling) -> Option<String> {
    let identifier = |path: &str| identifier(&from_variable(spelling, path));
    let (term, holds) = strip_not(pool, term);
    if let Some(var) = pool.var_of(term) {
        let name = pool.var_name(var);
        return match nullness(name) {
            Some((of, null)) => Some(identifier(of)? + if holds == null { "Null" } else { "NotNull" }),
            None => Some(identifier(name)? + if holds { "True" } else { "False" }),
        };
    }
    let (op, args) = pool.node(term);
    let [a, b] = args else { return None };
    let (mut a, mut b) = (*a, *b);
    let mut relation = match (op, holds) {
        (Op::Eq | Op::FpEq, true) => "Is",
        (Op::Eq | Op::FpEq, false) => "IsNot",
        (Op::BvSlt | Op::FpLt, true) => "LessThan",
        (Op::BvSle | Op::FpLe, true) => "AtMost",
        (Op::BvSlt, false) => "AtLeast",
        (Op::BvSle, false) => "GreaterThan",
        (Op::BvUlt, true) if narrow(pool, a) => "LessThan",
        (Op::BvUlt, false) if narrow(pool, a) => "AtLeast",
        (Op::BvUle, true) if narrow(pool, a) => "AtMost",
        (Op::BvUle, false) if narrow(pool, a) => "GreaterThan",
        _ => return None,
    };
    if pool.as_const(a).is_some() || bounds(pool, a, b) {
        std::mem::swap(&mut a, &mut b);
        relation = match relation {
            "LessThan" => "GreaterThan",
            "AtMost" => "AtLeast",
            "AtLeast" => "AtMost",
            "GreaterThan" => "LessThan",
            other => other,
        };
    }
    let moved = shifted(pool, a, b);
    let left = variable_of(pool, moved.map_or(a, |(size, _)| size))?;
    let length = size_of(&left);
    let subject = identifier(length.unwrap_or(&left))?;
    let Some(bits) = pool.as_const(b) else {
        let right = identifier(&variable_of(pool, b)?)?;
        return Some(format!("{subject}{relation}{}", capitalised(&right)));
    };
    let width = pool.sort(b).bits();
    if pool.sort(b).is_float() {
        let zero = (bits << (128 - width + 1)) == 0;
        return zero.then(|| format!("{subject}{}", zero_word(relation).unwrap_or("Zero".into())));
    }
    let value = moved.map_or_else(|| semantics::signed(bits, width), |(_, value)| value);
    if length.is_some() {
        return Some(match (relation, value) {
            ("Is", 0) | ("LessThan", 1) | ("AtMost", 0) => format!("{subject}Empty"),
            ("IsNot", 0) | ("GreaterThan", 0) | ("AtLeast", 1) => format!("{subject}NotEmpty"),
            _ => format!("{subject}Length{}{}", relation_word(relation), number_word(value)?),
        });
    }
    if value == 0
        && spelling.constant(&left, value).is_none()
        && let Some(zero) = zero_word(relation)
    {
        return Some(format!("{subject}{zero}"));
    }
    let constant = match spelling.constant(&left, value) {
        Some(text) => constant_word(&text)?,
        None => number_word(value)?,
    };
    Some(format!("{subject}{relation}{constant}"))
}

/// Whether unsigned and signed order agree: a character, or a length.
fn narrow(pool: &Pool, term: TermId) -> bool {
    matches!(pool.sort(term), Sort::Bv(8 | 16))
        || pool.var_of(term).is_some_and(|v| size_of(pool.var_name(v)).is_some())
}

fn strip_not(pool: &Pool, mut term: TermId) -> (TermId, bool) {
    let mut holds = true;
    while let (Op::Not, [inner]) = pool.node(term) {
        term = *inner;
        holds = !holds;
    }
    (term, holds)
}

fn variable_of(pool: &Pool, mut term: TermId) -> Option<String> {
    loop {
        term = whole_unit(pool, term);
        if let Some(var) = pool.var_of(term) {
            return Some(pool.var_name(var).to_string());
        }
        match pool.node(term) {
            (Op::ZeroExt { .. } | Op::SignExt { .. }, [inner]) => term = *inner,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Java;

    impl Spelling for Java {
        fn length(&self, of: &str) -> String {
            format!("{of}.length()")
        }
        fn element(&self, of: &str, index: &str) -> String {
            format!("{of}.charAt({index})")
        }
        fn constant(&self, variable: &str, value: i128) -> Option<String> {
            variable.contains('[').then(|| format!("'{}'", value as u8 as char))
        }
    }

    fn check(pool: &Pool, term: TermId, text: &str, word: Option<&str>) {
        let fact = fact(pool, term, &Java).unwrap();
        assert_eq!((fact.text.as_str(), fact.word.as_deref()), (text, word));
    }

    #[test]
    fn conditions_read_as_source() {
        let mut pool = Pool::new();
        let (x, y) = (pool.declare("x", Sort::Bv(32)), pool.declare("y", Sort::Bv(32)));
        let (zero, five) = (pool.bv(32, 0), pool.bv(32, 5));
        let t = pool.eq(y, zero);
        check(&pool, t, "y == 0", Some("yZero"));
        let t = pool.ne(y, five);
        check(&pool, t, "y != 5", Some("yIsNot5"));
        let t = pool.slt(x, zero);
        check(&pool, t, "x < 0", Some("xNegative"));
        let t = pool.slt(x, y);
        check(&pool, t, "x < y", Some("xLessThanY"));
        let t = pool.not(t);
        check(&pool, t, "y <= x", Some("yAtMostX"));
        let one = pool.bv(32, 1);
        let sum = pool.bvadd(x, one);
        let t = pool.slt(sum, x);
        check(&pool, t, "x + 1 < x", None);
    }

    #[test]
    fn strings_and_null_read_as_source() {
        let mut pool = Pool::new();
        let null = pool.declare("s.null", Sort::Bool);
        check(&pool, null, "s == null", Some("sNull"));
        let len = pool.declare("s.length", Sort::Bv(32));
        let zero = pool.bv(32, 0);
        let t = pool.eq(len, zero);
        check(&pool, t, "s.length() == 0", Some("sEmpty"));
        let unit = pool.declare("s[0]", Sort::Bv(16));
        let x = pool.bv(16, 'x' as u64);
        let t = pool.eq(unit, x);
        check(&pool, t, "s.charAt(0) == 'x'", Some("s0IsX"));
    }

    #[test]
    fn later_calls_of_stand_ins_are_counted_in_words() {
        let mut pool = Pool::new();
        let sent = pool.declare("mailer.send()#2", Sort::Bool);
        check(&pool, sent, "the second mailer.send() is true", Some("mailerSend2True"));
        let t = pool.not(sent);
        check(&pool, t, "the second mailer.send() is false", Some("mailerSend2False"));
        let (len, zero) = (pool.declare("mailer.text()#3.length", Sort::Bv(32)), pool.bv(32, 0));
        let t = pool.eq(len, zero);
        check(&pool, t, "(the third mailer.text()).length() == 0", Some("mailerText3Empty"));
        let (rate, three) = (pool.declare("tariff.rate()/2", Sort::Bv(32)), pool.bv(32, 3));
        let t = pool.eq(rate, three);
        check(&pool, t, "tariff.rate() == 3", Some("tariffRateIs3"));
    }

    #[test]
    fn objects_of_later_calls_are_numbered() {
        let mut pool = Pool::new();
        let (age, limit) = (pool.declare("b.call1.add.p.age", Sort::Bv(32)), pool.bv(32, 18));
        let t = pool.slt(age, limit);
        check(&pool, t, "b.add(p2).age < 18", Some("addP2AgeLessThan18"));
    }

    #[test]
    fn texts_that_are_compared_are_quoted() {
        let mut pool = Pool::new();
        let (len, two) = (pool.declare("s.length", Sort::Bv(32)), pool.bv(32, 2));
        let mut all = vec![pool.eq(len, two)];
        for (i, c) in "ok".chars().enumerate() {
            let (unit, c) = (pool.declare(&format!("s[{i}]"), Sort::Bv(16)), pool.bv(16, c as u64));
            all.push(pool.eq(unit, c));
        }
        let is_ok = pool.all(&all);
        let found = text_fact(&pool, is_ok, &Java).unwrap();
        assert_eq!((found.text.as_str(), found.word.as_deref()), ("s.equals(\"ok\")", Some("sIsOk")));
        let other = pool.not(is_ok);
        assert_eq!(text_fact(&pool, other, &Java).unwrap().text, "!s.equals(\"ok\")");
        assert_eq!(text_fact(&pool, all[0], &Java), None);
    }

    #[test]
    fn what_maps_hold_is_counted_in_words() {
        let mut pool = Pool::new();
        let (value, three) = (pool.declare("stock.value0", Sort::Bv(32)), pool.bv(32, 3));
        let t = pool.eq(value, three);
        check(&pool, t, "the first value of stock == 3", Some("stockValue0Is3"));
    }
}
