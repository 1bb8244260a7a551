//! Reads back the scripts that [`crate::smtlib`] writes: for replaying recorded questions. No other SMT-LIB is meant.

use rustc_hash::FxHashMap;

use crate::eval::{ArrayValue, Assignment, Value};
use crate::op::{Float, Fun, Fun2, Op, Row, Sort, TABLE};
use crate::pool::{Pool, TermId};
use crate::semantics::{NAN32, NAN64};
use crate::smtlib::saturation_bounds;

/// A recorded question.
#[derive(Debug, Default)]
pub struct Script {
    pub assertions: Vec<TermId>,
    /// The assignment it was asked with, as far as it was written down.
    pub hint: Option<Assignment>,
}

/// Deepest nesting of brackets; scripts of ours name whatever is long.
const MAX_DEPTH: u32 = 200;

/// Reads a script; the error says what was not understood.
pub fn script(pool: &mut Pool, text: &str) -> Result<Script, String> {
    let mut reader = Reader { pool, names: FxHashMap::default() };
    let mut script = Script::default();
    let mut rest = text;
    while let Some(item) = next(&mut rest, 0)? {
        reader.command(&item, &mut script)?;
    }
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("; hint ") {
            let hint = script.hint.get_or_insert_default();
            reader.hint(words, hint).ok_or_else(|| format!("a hint: {line}"))?;
        }
    }
    Ok(script)
}

enum Item<'a> {
    Word(&'a str),
    List(Vec<Item<'a>>),
}

impl Item<'_> {
    fn word(&self) -> &str {
        match self {
            Item::Word(word) => word,
            Item::List(_) => "",
        }
    }

    fn list(&self) -> &[Item<'_>] {
        match self {
            Item::Word(_) => &[],
            Item::List(list) => list,
        }
    }
}

/// The next item; `None` at the end or at a closing bracket.
fn next<'a>(rest: &mut &'a str, depth: u32) -> Result<Option<Item<'a>>, String> {
    loop {
        *rest = rest.trim_start();
        match rest.strip_prefix(';') {
            Some(comment) => *rest = comment.split_once('\n').map_or("", |(_, after)| after),
            None => break,
        }
    }
    if rest.is_empty() || rest.starts_with(')') {
        return Ok(None);
    }
    if let Some(inner) = rest.strip_prefix('(') {
        if depth > MAX_DEPTH {
            return Err("nested too deeply".to_string());
        }
        *rest = inner;
        let mut list = Vec::new();
        while let Some(item) = next(rest, depth + 1)? {
            list.push(item);
        }
        *rest = rest.strip_prefix(')').ok_or("a bracket is not closed")?;
        return Ok(Some(Item::List(list)));
    }
    let end = match rest.strip_prefix('|') {
        Some(name) => name.find('|').ok_or("a name is not closed")? + 2,
        None => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
    };
    let (word, after) = rest.split_at(end);
    *rest = after;
    Ok(Some(Item::Word(word)))
}

struct Reader<'p> {
    pool: &'p mut Pool,
    names: FxHashMap<String, TermId>,
}

fn unquoted(word: &str) -> &str {
    word.trim_matches('|')
}

fn number(word: &str) -> Option<u128> {
    u128::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

impl Reader<'_> {
    fn command(&mut self, item: &Item, script: &mut Script) -> Result<(), String> {
        let list = item.list();
        match (list.first().map_or("", Item::word), list) {
            ("declare-fun", [_, name, parameters, sort]) if parameters.list().is_empty() => {
                let t = self.pool.declare(unquoted(name.word()), read_sort(sort)?);
                self.names.insert(name.word().to_string(), t);
            }
            ("define-fun", [_, name, _, _, body]) => {
                let t = self.term(body)?;
                self.names.insert(name.word().to_string(), t);
            }
            ("assert", [_, assertion]) => {
                let t = self.term(assertion.list().get(1).ok_or("an assertion without a name")?)?;
                script.assertions.push(t);
            }
            // Uninterpreted functions are known by their names.
            ("declare-fun" | "set-logic" | "check-sat", _) => {}
            (other, _) => return Err(format!("the command {other}")),
        }
        Ok(())
    }

    /// `|x| 0x1f`, or `|a| 0x0 0x3=0x4 …` for an array: its default and entries.
    fn hint(&mut self, words: &str, hint: &mut Assignment) -> Option<()> {
        let (name, values) = words.strip_prefix('|')?.split_once("| ")?;
        let var = self.pool.var_by_name(name)?;
        let mut values = values.split(' ');
        let first = number(values.next()?)?;
        if !self.pool.var_sort(var).is_array() {
            hint.set_bits(var, first);
            return Some(());
        }
        let mut array = ArrayValue { default: first, ..ArrayValue::default() };
        for entry in values {
            let (index, value) = entry.split_once('=')?;
            array.entries.insert(number(index)?, number(value)?);
        }
        hint.set(var, Value::Array(array));
        Some(())
    }

    fn term(&mut self, item: &Item) -> Result<TermId, String> {
        match item {
            Item::Word("true") => Ok(self.pool.bool(true)),
            Item::Word("false") => Ok(self.pool.bool(false)),
            Item::Word(word) => self.leaf(word),
            Item::List(list) => self.application(list),
        }
    }

    fn leaf(&mut self, word: &str) -> Result<TermId, String> {
        let literal = |digits: &str, radix: u32, bits: u32| {
            u128::from_str_radix(digits, radix).ok().map(|value| (digits.len() as u32 * bits, value))
        };
        let found = match (word.strip_prefix("#x"), word.strip_prefix("#b")) {
            (Some(digits), _) => literal(digits, 16, 4),
            (_, Some(digits)) => literal(digits, 2, 1),
            _ => None,
        };
        match (found, self.names.get(word)) {
            (Some((width, value)), _) => Ok(self.pool.bv128(width, value)),
            (None, Some(&t)) => Ok(t),
            (None, None) => Err(format!("the word {word}")),
        }
    }

    fn application(&mut self, list: &[Item]) -> Result<TermId, String> {
        let (head, arguments) = list.split_first().ok_or("an empty application")?;
        let (rounding, arguments) = match arguments.split_first() {
            Some((Item::Word(mode @ ("RNE" | "RTN" | "RTP" | "RTZ")), rest)) => (*mode, rest),
            _ => ("", arguments),
        };
        let args = arguments.iter().map(|item| self.term(item)).collect::<Result<Vec<_>, _>>()?;
        let op = match head {
            Item::Word(name) => self.named(name, rounding, &args),
            Item::List(indexed) => self.indexed(indexed, rounding, &args),
        };
        let op = op.ok_or_else(|| format!("the operator {}", describe(head)))?;
        let sorts: Vec<Sort> = args.iter().map(|&a| self.pool.sort(a)).collect();
        crate::op::result_sort(op, &sorts).ok_or_else(|| format!("{} over {sorts:?}", op.name()))?;
        if let Some(t) = self.case(op, &args) {
            return Ok(t);
        }
        if let (Op::FpFromBits { to }, Some(bits)) = (op, self.pool.as_const(args[0])) {
            return Ok(self.pool.constant(to.into(), bits));
        }
        Ok(self.pool.mk(op, &args))
    }

    /// Operators that are written by cases: the case that only repeats what the operator does anyway.
    fn case(&self, op: Op, args: &[TermId]) -> Option<TermId> {
        let (Op::Ite, &[condition, then, other]) = (op, args) else { return None };
        let value = self.pool.as_const(then)?;
        let (inner, &[x]) = self.pool.node(other) else { return None };
        let sort = self.pool.sort(x);
        let expected = match (inner, self.pool.node(condition)) {
            (Op::FpToBits, (Op::FpIsNan, &[y])) if y == x => match sort.float()? {
                Float::F32 => NAN32.into(),
                Float::F64 => NAN64.into(),
            },
            (Op::FpToSBvSat { .. }, (Op::FpIsNan, &[y])) if y == x => 0,
            (Op::FpToSBvSat { width }, (Op::FpLe, &[a, b])) => {
                let (low, high) = saturation_bounds(sort, width);
                match () {
                    () if a == x && self.pool.as_const(b) == Some(low) => 1 << (width - 1),
                    () if b == x && self.pool.as_const(a) == Some(high) => (1 << (width - 1)) - 1,
                    () => return None,
                }
            }
            _ => return None,
        };
        (value == expected).then_some(other)
    }

    fn named(&self, name: &str, rounding: &str, args: &[TermId]) -> Option<Op> {
        match name {
            "fp.roundToIntegral" => {
                return Some(match rounding {
                    "RTN" => Op::FpFloor,
                    "RTP" => Op::FpCeil,
                    _ => Op::FpRint,
                });
            }
            "fmod32" | "fmod64" => return Some(Op::FpFmod),
            "fp.to_ieee_bv" => return Some(Op::FpToBits),
            _ => {}
        }
        if let Some(function) = name.strip_prefix("math.") {
            let one = Fun::ALL.iter().find(|fun| fun.name() == function).map(|&fun| Op::FpFun { fun });
            let two = Fun2::ALL.iter().find(|fun| fun.name() == function).map(|&fun| Op::FpFun2 { fun });
            return one.or(two);
        }
        let is_it = |row: &Row| row.smtlib == name && row.arity == args.len() && row.parameters == 0;
        Op::of(TABLE.iter().position(is_it)? as u8, [0; 2])
    }

    fn indexed(&self, list: &[Item], rounding: &str, args: &[TermId]) -> Option<Op> {
        let first = self.pool.sort(*args.first()?);
        let parameter = |i: usize| list.get(i).and_then(|item| item.word().parse::<u32>().ok());
        let float = match parameter(2) {
            Some(8) => Float::F32,
            _ => Float::F64,
        };
        Some(match (list.first()?.word(), list.get(1)?.word()) {
            ("as", "const") => match read_sort(list.get(2)?).ok()? {
                Sort::Array { index, .. } => Op::ConstArray { index },
                _ => return None,
            },
            ("_", "extract") => Op::Extract { hi: parameter(2)?, lo: parameter(3)? },
            ("_", "zero_extend") => Op::ZeroExt { to: first.bits() + parameter(2)? },
            ("_", "sign_extend") => Op::SignExt { to: first.bits() + parameter(2)? },
            ("_", "fp.to_sbv") => Op::FpToSBvSat { width: parameter(2)? },
            ("_", "to_fp") if first.is_float() => Op::FpToFp { to: float },
            ("_", "to_fp") if rounding.is_empty() => Op::FpFromBits { to: float },
            ("_", "to_fp") => Op::FpFromSBv { to: float },
            _ => return None,
        })
    }
}

fn describe(item: &Item) -> String {
    match item {
        Item::Word(word) => (*word).to_string(),
        Item::List(list) => list.iter().map(describe).collect::<Vec<_>>().join(" "),
    }
}

fn read_sort(item: &Item) -> Result<Sort, String> {
    let unknown = || format!("the sort {}", describe(item));
    let width = |item: &Item| item.list().get(2).and_then(|w| w.word().parse::<u32>().ok());
    if item.word() == "Bool" {
        return Ok(Sort::Bool);
    }
    let list = item.list();
    match (list.first().map_or("", Item::word), list.get(1).map_or("", Item::word)) {
        ("_", "BitVec") => width(item).filter(|w| (1..=128).contains(w)).map(Sort::Bv).ok_or_else(unknown),
        ("_", "FloatingPoint") if width(item) == Some(8) => Ok(Sort::F32),
        ("_", "FloatingPoint") => Ok(Sort::F64),
        ("Array", _) => {
            let widths = list.get(1).and_then(width).zip(list.get(2).and_then(width));
            widths.map(|(index, elem)| Sort::Array { index, elem }).ok_or_else(unknown)
        }
        _ => Err(unknown()),
    }
}
