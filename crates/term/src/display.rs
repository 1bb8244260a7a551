//! Terms as people read them: infix, constants signed where they are small, shared parts written out.

use std::fmt;

use crate::op::{Float, Op, Sort};
use crate::pool::{Pool, TermId};
use crate::semantics::signed;

/// How many nodes are written before the rest is `…`; shared terms can be exponentially long as text.
const MAX_NODES: usize = 400;

/// Text of a term, see [`Pool::display`].
pub struct Display<'a> {
    pool: &'a Pool,
    term: TermId,
}

impl Pool {
    /// Compact infix text for humans; long terms are cut. For exact text see [`crate::smtlib`].
    pub fn display(&self, term: TermId) -> Display<'_> {
        Display { pool: self, term }
    }
}

enum Piece {
    Text(&'static str),
    Term(TermId),
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.term.is_none() {
            return f.write_str("none");
        }
        let mut work = vec![Piece::Term(self.term)];
        let mut nodes = 0;
        while let Some(piece) = work.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Term(_) if nodes >= MAX_NODES => f.write_str("…")?,
                Piece::Term(t) => {
                    nodes += 1;
                    let top = t == self.term;
                    self.write_node(f, t, top, &mut work)?;
                }
            }
        }
        Ok(())
    }
}

impl Display<'_> {
    fn write_node(
        &self,
        f: &mut fmt::Formatter<'_>,
        t: TermId,
        top: bool,
        work: &mut Vec<Piece>,
    ) -> fmt::Result {
        let pool = self.pool;
        if let Some(value) = pool.as_const(t) {
            return constant(f, pool.sort(t), value);
        }
        if let Some(var) = pool.var_of(t) {
            return f.write_str(pool.var_name(var));
        }
        let (op, args) = pool.node(t);
        let word = op.name().starts_with(|c: char| c.is_ascii_alphabetic());
        match (args, word) {
            ([a, b], false) | ([a, b], true) if !word || matches!(op, Op::And | Op::Or | Op::Xor) => {
                if !top {
                    f.write_str("(")?;
                    work.push(Piece::Text(")"));
                }
                work.push(Piece::Term(*b));
                work.push(Piece::Text(" "));
                work.push(Piece::Text(op.name()));
                work.push(Piece::Text(" "));
                work.push(Piece::Term(*a));
            }
            _ => {
                f.write_str(op.name())?;
                match op {
                    Op::Extract { hi, lo } => write!(f, "[{hi}:{lo}]")?,
                    Op::ZeroExt { to } | Op::SignExt { to } | Op::FpToSBvSat { width: to } => {
                        write!(f, "{to}")?
                    }
                    Op::FpFromSBv { to } | Op::FpToFp { to } | Op::FpFromBits { to } => {
                        write!(f, "{}", to.bits())?
                    }
                    // The name says it all.
                    _ => {}
                }
                f.write_str("(")?;
                work.push(Piece::Text(")"));
                for (i, &arg) in args.iter().enumerate().rev() {
                    work.push(Piece::Term(arg));
                    if i > 0 {
                        work.push(Piece::Text(", "));
                    }
                }
            }
        }
        Ok(())
    }
}

fn constant(f: &mut fmt::Formatter<'_>, sort: Sort, value: u128) -> fmt::Result {
    match (sort, sort.float()) {
        (Sort::Bool, _) => write!(f, "{}", value != 0),
        (_, Some(Float::F32)) => write!(f, "{:?}f", f32::from_bits(value as u32)),
        (_, Some(Float::F64)) => write!(f, "{:?}", f64::from_bits(value as u64)),
        _ => write!(f, "{}", signed(value, sort.bits())),
    }
}
