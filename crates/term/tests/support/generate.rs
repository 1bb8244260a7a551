//! Random terms of every operator, from a list of numbers: the same list gives corresponding terms in any pool,
//! because choices depend on sorts only.

#![allow(dead_code, reason = "shared by several test binaries, each uses a part")]

use term::{ArrayValue, Assignment, Float, Fun, Fun2, Op, Pool, Sort, TermId, Value};

pub const SORTS: [Sort; 9] = [
    Sort::Bool,
    Sort::Bv(1),
    Sort::Bv(8),
    Sort::Bv(16),
    Sort::Bv(32),
    Sort::Bv(64),
    Sort::F32,
    Sort::F64,
    Sort::Array { index: 8, elem: 8 },
];

/// A stream of choices.
pub struct Choices<'a> {
    numbers: &'a [u64],
    at: usize,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u64]) -> Self {
        Choices { numbers, at: 0 }
    }

    pub fn next(&mut self) -> u64 {
        let base = self.numbers.get(self.at % self.numbers.len().max(1)).copied().unwrap_or(0);
        let round = (self.at / self.numbers.len().max(1)) as u64;
        self.at += 1;
        // Later rounds differ from the first.
        base.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left((round % 64) as u32)
    }

    pub fn below(&mut self, n: usize) -> usize {
        let value = self.next();
        ((value ^ (value >> 32)) % n.max(1) as u64) as usize
    }
}

/// A value of a sort, often a special one.
pub fn value(sort: Sort, choices: &mut Choices) -> u128 {
    let w = sort.bits();
    let random = u128::from(choices.next()) << 64 | u128::from(choices.next());
    let special: &[u128] = match sort {
        Sort::F32 => &[
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7fc0_0000,
            0x7f80_0000,
            0xff80_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x7f7f_ffff,
            0x4f00_0000,
            0xcf00_0000,
            0x3dcc_cccd,
            0x4020_0000,
        ],
        Sort::F64 => &[
            0,
            1 << 63,
            0x3ff0 << 48,
            0xbff0 << 48,
            0x7ff8 << 48,
            0x7ff0 << 48,
            0xfff0 << 48,
            1,
            (1 << 63) | 1,
            0x000f_ffff_ffff_ffff,
            0x7fef_ffff_ffff_ffff,
            0x41e0 << 48,
            0xc1e0 << 48,
            0x43e0 << 48,
            0x3fb9_9999_9999_999a,
            0x4004 << 48,
            0x4000 << 48,
            0x3fe0 << 48,
        ],
        Sort::Bool | Sort::Bv(_) | Sort::Array { .. } => &[0, 1, 2, 3, 7, 8, 31, 32, 127, 128, 255],
    };
    let pick = choices.below(4);
    let raw = match pick {
        0 | 1 => special[choices.below(special.len())],
        2 if !sort.is_float() => match choices.below(4) {
            0 => u128::MAX,
            1 => 1u128 << (w.max(1) - 1),
            2 => (1u128 << (w.max(1) - 1)) - 1,
            _ => u128::MAX - 1,
        },
        _ => random,
    };
    let raw = raw & term::semantics::mask(w);
    match sort.float() {
        Some(float) => term::semantics::canonical(float, raw),
        None => raw,
    }
}

/// Declares the variables: two of each sort, always the same.
pub fn variables(pool: &mut Pool) -> Vec<TermId> {
    let mut vars = Vec::new();
    for sort in SORTS {
        for copy in ["x", "y"] {
            let name = match sort {
                Sort::Bool => format!("{copy}b"),
                Sort::Bv(w) => format!("{copy}{w}"),
                Sort::F32 | Sort::F64 => format!("{copy}{}f", sort.bits()),
                Sort::Array { .. } => format!("{copy}a"),
            };
            vars.push(pool.declare(&name, sort));
        }
    }
    vars
}

/// Which operators a recipe may use.
#[derive(Clone, Copy)]
pub struct Allow {
    pub floats: bool,
    pub arrays: bool,
    /// Operators that SMT-LIB does not have.
    pub fmod: bool,
    /// Widest bit-vector of the recipe.
    pub width: u32,
}

impl Allow {
    pub const ALL: Allow = Allow { floats: true, arrays: true, fmod: true, width: 128 };
}

/// Builds one term a step and gives them all, variables left out.
pub fn build(pool: &mut Pool, choices: &mut Choices, steps: usize, allow: Allow) -> Vec<TermId> {
    let mut terms = variables(pool);
    terms.retain(|&t| allowed(pool.sort(t), allow));
    let vars = terms.len();
    let mut tries = 0;
    while terms.len() < vars + steps && tries < steps * 20 {
        tries += 1;
        if let Some(t) = step(pool, &terms, choices, allow) {
            terms.push(t);
        }
    }
    terms.split_off(vars)
}

fn allowed(sort: Sort, allow: Allow) -> bool {
    match sort {
        Sort::Bool => true,
        Sort::Bv(w) => w <= allow.width,
        Sort::F32 | Sort::F64 => allow.floats,
        Sort::Array { .. } => allow.arrays,
    }
}

fn operators() -> Vec<Op> {
    use Op::*;
    vec![
        Not,
        And,
        Or,
        Xor,
        Ite,
        Ite,
        Eq,
        Eq,
        BvAdd,
        BvSub,
        BvMul,
        BvUDiv,
        BvSDiv,
        BvURem,
        BvSRem,
        BvNeg,
        BvAnd,
        BvOr,
        BvXor,
        BvNot,
        BvShl,
        BvLShr,
        BvAShr,
        BvUlt,
        BvUle,
        BvSlt,
        BvSle,
        Concat,
        Concat,
        Extract { hi: 0, lo: 0 },
        Extract { hi: 0, lo: 0 },
        ZeroExt { to: 0 },
        SignExt { to: 0 },
        FpAdd,
        FpSub,
        FpMul,
        FpDiv,
        FpFmod,
        FpNeg,
        FpAbs,
        FpSqrt,
        FpRint,
        FpFloor,
        FpCeil,
        FpFun { fun: Fun::Sin },
        FpFun2 { fun: Fun2::Pow },
        FpFun2 { fun: Fun2::Pow },
        FpLt,
        FpLe,
        FpEq,
        FpIsNan,
        FpIsInf,
        FpIsZero,
        FpIsNegative,
        FpFromSBv { to: Float::F32 },
        FpToSBvSat { width: 32 },
        FpToFp { to: Float::F32 },
        FpFromBits { to: Float::F32 },
        FpToBits,
        Select,
        Store,
        ConstArray { index: 8 },
    ]
}

fn step(pool: &mut Pool, terms: &[TermId], choices: &mut Choices, allow: Allow) -> Option<TermId> {
    let list = operators();
    let mut op = list[choices.below(list.len())];
    if op.only_evaluated() && !allow.fmod {
        return None;
    }
    // The last terms more often, so that terms grow deep.
    let pick = |choices: &mut Choices| {
        let from_end = choices.below(2) == 0;
        let n = if from_end { terms.len().min(4) } else { terms.len() };
        terms[terms.len() - 1 - choices.below(n)]
    };
    let first = pick(choices);
    let sort = pool.sort(first);
    let w = sort.bits();
    op = match op {
        Op::Extract { .. } => {
            let lo = choices.below(w.max(1) as usize) as u32;
            Op::Extract { lo, hi: lo + choices.below((w.max(1) - lo) as usize) as u32 }
        }
        Op::ZeroExt { .. } => Op::ZeroExt { to: w + choices.below(33) as u32 },
        Op::SignExt { .. } => Op::SignExt { to: w + choices.below(33) as u32 },
        Op::FpFromSBv { .. } => Op::FpFromSBv { to: float(choices) },
        Op::FpToFp { .. } => Op::FpToFp { to: float(choices) },
        Op::FpFromBits { .. } => Op::FpFromBits { to: if w == 32 { Float::F32 } else { Float::F64 } },
        Op::FpToSBvSat { .. } => Op::FpToSBvSat { width: if choices.below(2) == 0 { 32 } else { 64 } },
        Op::FpFun { .. } => Op::FpFun { fun: Fun::ALL[choices.below(Fun::ALL.len())] },
        Op::FpFun2 { .. } => Op::FpFun2 { fun: Fun2::ALL[choices.below(Fun2::ALL.len())] },
        other => other,
    };
    let mut args = vec![first];
    while args.len() < op.row().arity {
        let i = args.len();
        let wanted = match (op, i) {
            (Op::Ite, 1) => pool.sort(pick(choices)),
            (Op::Ite, _) => pool.sort(args[1]),
            (Op::Concat, _) => pool.sort(pick(choices)),
            (Op::Select | Op::Store, 1 | 2) => Sort::Bv(8),
            _ => sort,
        };
        args.push(of_sort(pool, terms, wanted, choices)?);
    }
    let sorts: Vec<Sort> = args.iter().map(|&a| pool.sort(a)).collect();
    let result = term::op::result_sort(op, &sorts)?;
    if !allowed(result, allow) {
        return None;
    }
    Some(pool.mk(op, &args))
}

fn float(choices: &mut Choices) -> Float {
    if choices.below(2) == 0 { Float::F32 } else { Float::F64 }
}

/// A term of that sort: an existing one or a literal.
fn of_sort(pool: &mut Pool, terms: &[TermId], sort: Sort, choices: &mut Choices) -> Option<TermId> {
    let fitting: Vec<TermId> = terms.iter().copied().filter(|&t| pool.sort(t) == sort).collect();
    let literal = choices.below(3) == 0;
    if (literal || fitting.is_empty()) && !sort.is_array() {
        let bits = value(sort, choices);
        return Some(pool.constant(sort, bits));
    }
    if fitting.is_empty() { None } else { Some(fitting[choices.below(fitting.len())]) }
}

/// Values for all variables.
pub fn assignment(pool: &mut Pool, choices: &mut Choices) -> Assignment {
    let mut result = Assignment::new();
    for t in variables(pool) {
        let (var, sort) = (pool.var_of(t).unwrap(), pool.sort(t));
        if sort.is_array() {
            let mut array = ArrayValue { default: value(Sort::Bv(8), choices), ..ArrayValue::default() };
            for _ in 0..choices.below(4) {
                array.entries.insert(value(Sort::Bv(8), choices), value(Sort::Bv(8), choices));
            }
            result.set(var, Value::Array(array));
        } else {
            result.set_bits(var, value(sort, choices));
        }
    }
    result
}

/// Copies terms of another pool as they are, without rules.
pub fn copy_raw(from: &Pool, roots: &[TermId], to: &mut Pool) -> Vec<TermId> {
    let mut image = std::collections::BTreeMap::new();
    for t in from.postorder(roots) {
        let new = if let Some(value) = from.as_const(t) {
            to.constant(from.sort(t), value)
        } else if let Some(var) = from.var_of(t) {
            to.declare(from.var_name(var), from.sort(t))
        } else {
            let (op, args) = from.node(t);
            let args: Vec<TermId> = args.iter().map(|a| image[a]).collect();
            to.raw(op, &args)
        };
        image.insert(t, new);
    }
    roots.iter().map(|t| image[t]).collect()
}
