//! Assertions as an SMT-LIB 2 script that a stock Z3 reads.
//!
//! Sharing is kept: a term used more than once becomes a `define-fun` without arguments, so that depth and
//! size of the text stay linear. [`Op::FpFmod`] and the functions of `Math` have no counterpart and become
//! uninterpreted functions, which the script says in a comment: `unsat` is then still right, `sat` may not be.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::eval::{Assignment, Value};
use crate::op::{Op, Sort};
use crate::pool::{Pool, TermId};

/// A script with `(check-sat)` at its end; assertion `i` is named `a<i>`.
pub fn script(pool: &Pool, assertions: &[TermId]) -> String {
    let order = pool.postorder(assertions);
    let mut out = String::from("(set-logic ALL)\n");
    declare(pool, &order, &mut out);
    let mut text: FxHashMap<TermId, String> = FxHashMap::default();
    let uses = count_uses(pool, &order, assertions);
    for &t in &order {
        let node = node_text(pool, t, &text);
        // Short texts and leaves are repeated, all else is named.
        if node.len() > 40 || (uses.get(&t).copied().unwrap_or(0) > 1 && node.starts_with('(')) {
            let name = format!("?{}", text.len());
            let _ = writeln!(out, "(define-fun {name} () {} {node})", pool.sort(t));
            text.insert(t, name);
        } else {
            text.insert(t, node);
        }
    }
    for (i, t) in assertions.iter().enumerate() {
        let _ = writeln!(out, "(assert (! {} :named a{i}))", text[t]);
    }
    out.push_str("(check-sat)\n");
    out
}

/// What a hint says about the variables of the assertions, as comments that [`crate::read`] understands.
pub fn hint(pool: &Pool, assertions: &[TermId], hint: &Assignment) -> String {
    let mut vars: Vec<_> = pool.postorder(assertions).into_iter().filter_map(|t| pool.var_of(t)).collect();
    vars.sort_unstable_by_key(|&var| pool.var_name(var));
    let mut out = String::new();
    for var in vars {
        let _ = match hint.get(var) {
            None => continue,
            Some(Value::Bits(bits)) => writeln!(out, "; hint {} {bits:#x}", symbol(pool.var_name(var))),
            Some(Value::Array(array)) => {
                let entries: String = array.entries.iter().map(|(i, v)| format!(" {i:#x}={v:#x}")).collect();
                writeln!(out, "; hint {} {:#x}{entries}", symbol(pool.var_name(var)), array.default)
            }
        };
    }
    out
}

/// Name of a variable as SMT-LIB symbol.
pub fn symbol(name: &str) -> String {
    let cleaned: String = name.chars().map(|c| if c == '|' || c == '\\' { '_' } else { c }).collect();
    format!("|{cleaned}|")
}

fn declare(pool: &Pool, order: &[TermId], out: &mut String) {
    let mut vars: Vec<_> = order.iter().filter_map(|&t| pool.var_of(t)).collect();
    vars.sort_unstable_by_key(|&var| pool.var_name(var));
    for var in vars {
        let _ = writeln!(out, "(declare-fun {} () {})", symbol(pool.var_name(var)), pool.var_sort(var));
    }
    let mut names: Vec<String> = Vec::new();
    for &t in order {
        let (op, args) = pool.node(t);
        if !op.only_evaluated() {
            continue;
        }
        let (name, sort) = (uninterpreted(op, pool.sort(t)), pool.sort(t));
        if names.contains(&name) {
            continue;
        }
        let _ = writeln!(
            out,
            "; {name} has no SMT-LIB operator and is left uninterpreted: trust unsat, check sat"
        );
        let arguments = vec![sort.to_string(); args.len()].join(" ");
        let _ = writeln!(out, "(declare-fun {name} ({arguments}) {sort})");
        names.push(name);
    }
}

/// The name that stands for an operator that SMT-LIB does not have.
fn uninterpreted(op: Op, sort: Sort) -> String {
    match op {
        Op::FpFun { fun } => format!("math.{}", fun.name()),
        Op::FpFun2 { fun } => format!("math.{}", fun.name()),
        _ => format!("fmod{}", sort.bits()),
    }
}

fn count_uses(pool: &Pool, order: &[TermId], roots: &[TermId]) -> FxHashMap<TermId, u32> {
    let mut uses = FxHashMap::default();
    for &t in order {
        for &arg in pool.node(t).1 {
            *uses.entry(arg).or_insert(0) += 1;
        }
    }
    for &t in roots {
        *uses.entry(t).or_insert(0) += 1;
    }
    uses
}

/// A literal.
pub fn literal(sort: Sort, value: u128) -> String {
    match sort {
        Sort::Bool => (value != 0).to_string(),
        Sort::Bv(w) if w % 4 == 0 => format!("#x{value:0digits$x}", digits = w as usize / 4),
        Sort::Bv(w) => format!("#b{value:0digits$b}", digits = w as usize),
        Sort::F32 => format!("((_ to_fp 8 24) #x{value:08x})"),
        Sort::F64 => format!("((_ to_fp 11 53) #x{value:016x})"),
        // There are no array literals.
        Sort::Array { .. } => String::new(),
    }
}

fn node_text(pool: &Pool, t: TermId, text: &FxHashMap<TermId, String>) -> String {
    if let Some(value) = pool.as_const(t) {
        return literal(pool.sort(t), value);
    }
    if let Some(var) = pool.var_of(t) {
        return symbol(pool.var_name(var));
    }
    let (op, args) = pool.node(t);
    let arg = |i: usize| text[&args[i]].as_str();
    let joined = || args.iter().map(|a| text[a].as_str()).collect::<Vec<_>>().join(" ");
    let from = pool.sort(args[0]);
    match op {
        // Handled above.
        Op::Const | Op::Var => String::new(),
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpSqrt | Op::FpRint => {
            format!("({} RNE {})", op.row().smtlib, joined())
        }
        Op::FpFloor => format!("({} RTN {})", op.row().smtlib, joined()),
        Op::FpCeil => format!("({} RTP {})", op.row().smtlib, joined()),
        Op::FpFmod | Op::FpFun { .. } | Op::FpFun2 { .. } => {
            format!("({} {})", uninterpreted(op, pool.sort(t)), joined())
        }
        Op::Extract { hi, lo } => format!("((_ extract {hi} {lo}) {})", arg(0)),
        Op::ZeroExt { to } | Op::SignExt { to } => {
            format!("((_ {} {}) {})", op.row().smtlib, to - from.bits(), arg(0))
        }
        Op::FpFromSBv { to } | Op::FpToFp { to } => {
            let (e, s) = to.format();
            format!("((_ to_fp {e} {s}) RNE {})", arg(0))
        }
        Op::FpFromBits { to } => {
            let (e, s) = to.format();
            format!("((_ to_fp {e} {s}) {})", arg(0))
        }
        Op::FpToBits => {
            let nan = if from == Sort::F32 { "#x7fc00000" } else { "#x7ff8000000000000" };
            format!("(ite (fp.isNaN {0}) {nan} (fp.to_ieee_bv {0}))", arg(0))
        }
        Op::FpToSBvSat { width } => saturating(from, width, arg(0)),
        Op::ConstArray { .. } => format!("((as const {}) {})", pool.sort(t), arg(0)),
        Op::Not
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Ite
        | Op::Eq
        | Op::BvAdd
        | Op::BvSub
        | Op::BvMul
        | Op::BvUDiv
        | Op::BvSDiv
        | Op::BvURem
        | Op::BvSRem
        | Op::BvNeg
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvNot
        | Op::BvShl
        | Op::BvLShr
        | Op::BvAShr
        | Op::BvUlt
        | Op::BvUle
        | Op::BvSlt
        | Op::BvSle
        | Op::Concat
        | Op::FpNeg
        | Op::FpAbs
        | Op::FpLt
        | Op::FpLe
        | Op::FpEq
        | Op::FpIsNan
        | Op::FpIsInf
        | Op::FpIsZero
        | Op::FpIsNegative
        | Op::Select
        | Op::Store => format!("({} {})", op.row().smtlib, joined()),
    }
}

/// `fp.to_sbv` is unspecified outside the range, Java is not.
fn saturating(from: Sort, width: u32, arg: &str) -> String {
    let bv = Sort::Bv(width);
    let (low, high) = saturation_bounds(from, width);
    let min = literal(bv, 1 << (width - 1));
    let max = literal(bv, (1 << (width - 1)) - 1);
    format!(
        "(ite (fp.isNaN {arg}) {zero} (ite (fp.leq {arg} {low}) {min} (ite (fp.leq {high} {arg}) {max} \
         ((_ fp.to_sbv {width}) RTZ {arg}))))",
        zero = literal(bv, 0),
        low = literal(from, low),
        high = literal(from, high),
    )
}

/// The bits of -2^(width-1) and 2^(width-1) in a float sort; both are exact for every width up to 128.
pub fn saturation_bounds(from: Sort, width: u32) -> (u128, u128) {
    let exponent = width as i32 - 1;
    if from == Sort::F32 {
        let high = 2f32.powi(exponent);
        (u128::from((-high).to_bits()), u128::from(high.to_bits()))
    } else {
        let high = 2f64.powi(exponent);
        (u128::from((-high).to_bits()), u128::from(high.to_bits()))
    }
}
