//! Questions and answers as bytes: a length, then numbers of variable size. Both ends are the same build.

use std::io::{Read, Write};

use rustc_hash::FxHashMap;
use term::{ArrayValue, Op, Pool, Sort, TermId, Value};

use crate::ask::{Answer, Cause, Model};

/// A message of its own: forget what was asked.
pub const FORGET: &[u8] = b"f";
/// More is no question of ours.
const MAX_MESSAGE: u64 = 1 << 30;

pub fn send(output: &mut impl Write, message: &[u8]) -> std::io::Result<()> {
    output.write_all(&(message.len() as u64).to_le_bytes())?;
    super::flushed(output, message)
}

pub fn receive(input: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_MESSAGE {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    super::exactly(input, length)
}

/// Writes numbers, seven bits a byte.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut value: u128) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u128);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn sort(&mut self, sort: Sort) {
        let (kind, a, b) = match sort {
            Sort::Bool => (0, 0, 0),
            Sort::Bv(width) => (1, width, 0),
            Sort::F32 => (2, 0, 0),
            Sort::F64 => (3, 0, 0),
            Sort::Array { index, elem } => (4, index, elem),
        };
        for number in [kind, a, b] {
            self.number(number.into());
        }
    }
}

/// Reads what [`Writer`] wrote; `None` when it is something else.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u128> {
        let mut value = 0u128;
        for shift in (0..128).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.size()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    fn sort(&mut self) -> Option<Sort> {
        Some(match (self.small()?, self.small()?, self.small()?) {
            (0, ..) => Sort::Bool,
            (1, width @ 1..=128, _) => Sort::Bv(width),
            (2, ..) => Sort::F32,
            (3, ..) => Sort::F64,
            (4, index @ 1..=128, elem @ 1..=128) => Sort::Array { index, elem },
            _ => return None,
        })
    }
}

/// The terms, each after its arguments, then the assertions.
pub fn question(pool: &Pool, assertions: &[TermId], rlimit: u32) -> Vec<u8> {
    let order = pool.postorder(assertions);
    let place: FxHashMap<TermId, usize> = order.iter().enumerate().map(|(i, &t)| (t, i)).collect();
    let mut out = Writer(b"q".to_vec());
    out.number(rlimit.into());
    out.number(order.len() as u128);
    for &t in &order {
        let (op, args) = pool.node(t);
        out.number(op.code().into());
        if let Some(bits) = pool.as_const(t) {
            out.sort(pool.sort(t));
            out.number(bits);
        } else if let Some(var) = pool.var_of(t) {
            out.sort(pool.sort(t));
            out.text(pool.var_name(var));
        } else {
            for number in op.parameters() {
                out.number(number.into());
            }
            for arg in args {
                out.number(place[arg] as u128);
            }
        }
    }
    out.number(assertions.len() as u128);
    for t in assertions {
        out.number(place[t] as u128);
    }
    out.0
}

pub fn read_question(pool: &mut Pool, message: &[u8]) -> Option<(Vec<TermId>, u32)> {
    let mut from = Reader(message.strip_prefix(b"q")?);
    let rlimit = from.small()?;
    let count = from.size()?;
    let mut terms: Vec<TermId> = Vec::new();
    let (constant, variable) = (Op::Const.code(), Op::Var.code());
    for _ in 0..count {
        let code = u8::try_from(from.small()?).ok()?;
        let t = if code == constant {
            let sort = from.sort()?;
            let bits = from.number()?;
            pool.constant(sort, bits)
        } else if code == variable {
            let sort = from.sort()?;
            let name = from.text()?;
            // One name, one sort: otherwise the pool would object.
            if pool.var_by_name(name).is_some_and(|var| pool.var_sort(var) != sort) {
                return None;
            }
            pool.declare(name, sort)
        } else {
            let op = Op::of(code, [from.small()?, from.small()?])?;
            let mut args = Vec::with_capacity(op.row().arity);
            for _ in 0..op.row().arity {
                args.push(*terms.get(from.size()?)?);
            }
            let sorts: Vec<Sort> = args.iter().map(|&a| pool.sort(a)).collect();
            term::op::result_sort(op, &sorts)?;
            pool.raw(op, &args)
        };
        terms.push(t);
    }
    let mut assertions = Vec::new();
    for _ in 0..from.size()? {
        assertions.push(*terms.get(from.size()?)?);
    }
    Some((assertions, rlimit))
}

/// Variables by name: the pools number them differently.
pub fn answer(pool: &Pool, answer: &Answer, used: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(used.into());
    match answer {
        Answer::Sat(model) => {
            out.number(0);
            out.number(model.len() as u128);
            for (var, value) in model.iter() {
                out.text(pool.var_name(var));
                match value {
                    Value::Bits(bits) => {
                        out.number(0);
                        out.number(*bits);
                    }
                    Value::Array(array) => {
                        out.number(1);
                        out.number(array.default);
                        out.number(array.entries.len() as u128);
                        for (&index, &element) in &array.entries {
                            out.number(index);
                            out.number(element);
                        }
                    }
                }
            }
        }
        Answer::Unsat(core) => {
            out.number(1);
            out.number(core.len() as u128);
            core.iter().for_each(|&i| out.number(i as u128));
        }
        Answer::Unknown(cause) => {
            out.number(2);
            let (kind, text) = match cause {
                Cause::Limit => (0, ""),
                Cause::Memory => (1, ""),
                Cause::Incomplete(text) => (2, text.as_str()),
                Cause::Crashed(text) => (3, text.as_str()),
                Cause::Unsupported(_) | Cause::Interrupted | Cause::Bug(_) => (4, ""),
            };
            out.number(kind);
            out.text(text);
        }
    }
    out.0
}

/// The answer and the resource units it took.
pub fn read_answer(pool: &Pool, assertions: &[TermId], reply: &[u8]) -> Result<(Answer, u64), Cause> {
    read(pool, assertions, reply).ok_or(Cause::Bug("an answer of the helper that cannot be read"))
}

fn read(pool: &Pool, assertions: &[TermId], reply: &[u8]) -> Option<(Answer, u64)> {
    let mut from = Reader(reply);
    let used = u64::try_from(from.number()?).ok()?;
    let answer = match from.small()? {
        0 => {
            let mut model = Model::new();
            for _ in 0..from.size()? {
                let var = pool.var_by_name(from.text()?)?;
                let value = match from.small()? {
                    0 => Value::Bits(from.number()?),
                    _ => {
                        let mut array = ArrayValue { default: from.number()?, ..ArrayValue::default() };
                        for _ in 0..from.size()? {
                            array.entries.insert(from.number()?, from.number()?);
                        }
                        Value::Array(array)
                    }
                };
                model.set(var, value);
            }
            Answer::Sat(model)
        }
        1 => {
            let mut core = Vec::new();
            for _ in 0..from.size()? {
                core.push(from.size()?);
            }
            // An index beyond the question would be believed by the cache.
            core.iter().all(|&i| i < assertions.len()).then_some(())?;
            Answer::Unsat(core)
        }
        _ => Answer::Unknown(match (from.small()?, from.text()?) {
            (0, _) => Cause::Limit,
            (1, _) => Cause::Memory,
            (2, text) => Cause::Incomplete(text.to_string()),
            (3, text) => Cause::Crashed(text.to_string()),
            _ => Cause::Bug("the helper failed"),
        }),
    };
    Some((answer, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_answers_come_back_and_nonsense_does_not() {
        let mut pool = Pool::new();
        let (x, a) = (pool.declare("x", Sort::Bv(32)), pool.declare("a", Sort::Array { index: 32, elem: 8 }));
        let (element, five) = (pool.select(a, x), pool.bv(8, 5));
        let (first, big) = (pool.eq(element, five), pool.bv(32, 70_000));
        let second = pool.slt(big, x);
        let assertions = [first, second];
        let bytes = question(&pool, &assertions, 1234);
        let mut other = Pool::without_rules();
        let (read, rlimit) = read_question(&mut other, &bytes).unwrap();
        assert_eq!(rlimit, 1234);
        let text = |pool: &Pool, terms: &[TermId]| term::smtlib::script(pool, terms);
        assert_eq!(text(&pool, &assertions), text(&other, &read));
        let mut model = Model::new();
        model.set_bits(pool.var_of(x).unwrap(), 70_001);
        let array = ArrayValue { default: 5, entries: [(3, 4)].into() };
        model.set(pool.var_of(a).unwrap(), Value::Array(array));
        for sent in
            [Answer::Sat(model), Answer::Unsat(vec![0, 1]), Answer::Unknown(Cause::Incomplete("so".into()))]
        {
            let reply = answer(&pool, &sent, 77);
            assert_eq!(read_answer(&pool, &assertions, &reply), Ok((sent, 77)));
            // Cut anywhere, it is no answer.
            for end in 0..reply.len() {
                assert!(read_answer(&pool, &assertions, &reply[..end]).is_err());
            }
        }
        for end in 0..bytes.len() {
            assert!(read_question(&mut Pool::without_rules(), &bytes[..end]).is_none());
        }
    }
}
