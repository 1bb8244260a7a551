//! Terms from short texts, for tests: SMT-LIB with operators by their SMT-LIB or table name.
//!
//! Variables have their sort in the first letter: `c d` Bool, `x y z` 32 bits, `b` 8, `u` 16, `l` 64, `f` float,
//! `p q` double, `a` an array of bytes by 32 bits. Numbers are 32 bits unless they say otherwise (`5:8`), or floats
//! (`1.5f`, `1.5d`). Parameters come before the arguments: `(extract 7 0 x)`, `(zext 32 b)`.

use term::{Float, Op, Pool, Sort, TermId};

pub fn read(pool: &mut Pool, text: &str) -> TermId {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let t = term(pool, &tokens, &mut at);
    assert_eq!(at, tokens.len(), "trailing text in {text}");
    t
}

/// The outermost operator and its arguments, those simplified.
pub fn parts(pool: &mut Pool, text: &str) -> (Op, Vec<TermId>) {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 1;
    application(pool, &tokens, &mut at)
}

fn term(pool: &mut Pool, tokens: &[&str], at: &mut usize) -> TermId {
    let token = tokens[*at];
    *at += 1;
    if token != "(" {
        return leaf(pool, token);
    }
    let (op, args) = application(pool, tokens, at);
    pool.mk(op, &args)
}

fn application(pool: &mut Pool, tokens: &[&str], at: &mut usize) -> (Op, Vec<TermId>) {
    let name = tokens[*at];
    *at += 1;
    let mut numbers = Vec::new();
    let parameters = match name {
        "extract" => 2,
        "zext" | "sext" | "fptosi" | "sitofp" | "fptofp" | "frombits" | "constarray" => 1,
        _ => 0,
    };
    for _ in 0..parameters {
        numbers.push(tokens[*at].parse::<u32>().expect("a parameter"));
        *at += 1;
    }
    let mut args = Vec::new();
    while tokens[*at] != ")" {
        args.push(term(pool, tokens, at));
    }
    *at += 1;
    (operator(name, &numbers), args)
}

fn operator(name: &str, numbers: &[u32]) -> Op {
    use Op::*;
    let float = |n: u32| if n == 32 { Float::F32 } else { Float::F64 };
    match name {
        "extract" => return Extract { hi: numbers[0], lo: numbers[1] },
        "zext" => return ZeroExt { to: numbers[0] },
        "sext" => return SignExt { to: numbers[0] },
        "fptosi" => return FpToSBvSat { width: numbers[0] },
        "sitofp" => return FpFromSBv { to: float(numbers[0]) },
        "fptofp" => return FpToFp { to: float(numbers[0]) },
        "frombits" => return FpFromBits { to: float(numbers[0]) },
        "constarray" => return ConstArray { index: numbers[0] },
        _ => {}
    }
    let plain = [
        Not,
        And,
        Or,
        Xor,
        Ite,
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
        FpLt,
        FpLe,
        FpEq,
        FpIsNan,
        FpIsInf,
        FpIsZero,
        FpIsNegative,
        FpToBits,
        Select,
        Store,
    ];
    *plain
        .iter()
        .find(|op| op.name() == name || op.row().smtlib == name)
        .unwrap_or_else(|| panic!("no operator {name}"))
}

fn leaf(pool: &mut Pool, token: &str) -> TermId {
    if token == "true" || token == "false" {
        return pool.bool(token == "true");
    }
    let first = token.chars().next().expect("a token");
    if first.is_ascii_digit() || first == '-' {
        return number(pool, token);
    }
    if token == "NaN" {
        return pool.f64(f64::NAN.to_bits());
    }
    let sort = match first {
        'c' | 'd' => Sort::Bool,
        'x' | 'y' | 'z' => Sort::Bv(32),
        'b' => Sort::Bv(8),
        'u' => Sort::Bv(16),
        'l' => Sort::Bv(64),
        'f' => Sort::F32,
        'p' | 'q' => Sort::F64,
        'a' => Sort::Array { index: 32, elem: 8 },
        _ => panic!("no variable {token}"),
    };
    pool.declare(token, sort)
}

fn number(pool: &mut Pool, token: &str) -> TermId {
    if let Some(text) = token.strip_suffix('f') {
        return pool.f32(text.parse::<f32>().expect("a float").to_bits());
    }
    if let Some(text) = token.strip_suffix('d') {
        return pool.f64(text.parse::<f64>().expect("a double").to_bits());
    }
    let (digits, width) = token.split_once(':').unwrap_or((token, "32"));
    let value: i128 = digits.parse().expect("a number");
    pool.bv128(width.parse().expect("a width"), value as u128)
}
