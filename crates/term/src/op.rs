//! The operator table: one row an operator, everything else about names and arity is generated from it.

use std::fmt;

/// Which IEEE 754 binary format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Float {
    F32,
    F64,
}

impl Float {
    /// Width of the interchange format in bits.
    pub fn bits(self) -> u32 {
        match self {
            Float::F32 => 32,
            Float::F64 => 64,
        }
    }

    /// Exponent and significand (hidden bit included) widths, as SMT-LIB writes them.
    pub fn format(self) -> (u32, u32) {
        match self {
            Float::F32 => (8, 24),
            Float::F64 => (11, 53),
        }
    }
}

macro_rules! functions {
    ($(#[$doc:meta])* $name:ident ($ty:ty) { $($variant:ident $function:ident $text:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// As Java's `Math` calls it.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// What it computes.
            pub fn of(self) -> $ty {
                match self { $($name::$variant => crate::fdlibm::$function),+ }
            }
        }

        impl Parameter for $name {
            fn number(self) -> u32 {
                self as u32
            }

            fn of(number: u32) -> Option<$name> {
                $name::ALL.get(number as usize).copied()
            }
        }
    };
}

functions! {
    /// Functions of a double that no SMT solver knows, bit for bit as [`fdlibm`](crate::fdlibm) has them.
    Fun (fn(f64) -> f64) {
        Sin sin "sin";
        Cos cos "cos";
        Tan tan "tan";
        Asin asin "asin";
        Acos acos "acos";
        Atan atan "atan";
        Exp exp "exp";
        Expm1 expm1 "expm1";
        Log log "log";
        Log10 log10 "log10";
        Log1p log1p "log1p";
        Sinh sinh "sinh";
        Cosh cosh "cosh";
        Tanh tanh "tanh";
        Cbrt cbrt "cbrt";
    }
}

functions! {
    /// The same of two doubles.
    Fun2 (fn(f64, f64) -> f64) {
        Pow pow "pow";
        Atan2 atan2 "atan2";
        Hypot hypot "hypot";
        Remainder remainder "IEEEremainder";
    }
}

/// The sort (type) of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    /// A bit-vector of 1 to 128 bits.
    Bv(u32),
    F32,
    F64,
    /// A total map from bit-vectors to bit-vectors, by their widths.
    Array {
        index: u32,
        elem: u32,
    },
}

impl Sort {
    /// Bits a value of this sort takes: 1 for Bool, the interchange format for floats, 0 for arrays.
    pub fn bits(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Bv(w) => w,
            Sort::F32 => 32,
            Sort::F64 => 64,
            Sort::Array { .. } => 0,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Sort::F32 | Sort::F64)
    }

    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }

    pub fn float(self) -> Option<Float> {
        match self {
            Sort::F32 => Some(Float::F32),
            Sort::F64 => Some(Float::F64),
            Sort::Bool | Sort::Bv(_) | Sort::Array { .. } => None,
        }
    }
}

impl From<Float> for Sort {
    fn from(float: Float) -> Sort {
        match float {
            Float::F32 => Sort::F32,
            Float::F64 => Sort::F64,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Bv(w) => write!(f, "(_ BitVec {w})"),
            Sort::F32 => f.write_str("(_ FloatingPoint 8 24)"),
            Sort::F64 => f.write_str("(_ FloatingPoint 11 53)"),
            Sort::Array { index, elem } => write!(f, "(Array (_ BitVec {index}) (_ BitVec {elem}))"),
        }
    }
}

/// Whether the arguments of an operator may change places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Fixed,
    Commutes,
}

/// What the table says about an operator.
pub struct Row {
    pub name: &'static str,
    pub smtlib: &'static str,
    pub arity: usize,
    /// How many numbers besides its arguments it takes.
    pub parameters: usize,
    pub order: Order,
    pub doc: &'static str,
}

/// An operator parameter as a number.
trait Parameter: Sized {
    fn number(self) -> u32;
    fn of(number: u32) -> Option<Self>;
}

impl Parameter for u32 {
    fn number(self) -> u32 {
        self
    }

    fn of(number: u32) -> Option<u32> {
        Some(number)
    }
}

impl Parameter for Float {
    fn number(self) -> u32 {
        self.bits()
    }

    fn of(number: u32) -> Option<Float> {
        [Float::F32, Float::F64].into_iter().find(|float| float.bits() == number)
    }
}

macro_rules! operators {
    ($($name:ident $({ $($field:ident : $ty:ty),+ })? $text:literal $smt:literal $arity:literal $order:ident $doc:literal;)+) => {
        /// A term operator. Parameters (widths, bounds) are part of the operator, terms are its arguments.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Op {
            $(#[doc = $doc] $name $({ $($field: $ty),+ })?,)+
        }

        /// One row an operator, in the order of [`Op::code`].
        pub const TABLE: &[Row] = &[
            $(Row { name: $text, smtlib: $smt, arity: $arity, parameters: <[&str]>::len(&[$($(stringify!($field)),+)?]), order: Order::$order, doc: $doc },)+
        ];

        #[repr(u8)]
        enum Code { $($name),+ }

        impl Op {
            /// Position in [`TABLE`].
            #[inline]
            pub fn code(self) -> u8 {
                match self { $(Op::$name { .. } => Code::$name as u8),+ }
            }

            /// The operator with a code and parameters.
            pub fn of(code: u8, parameters: [u32; 2]) -> Option<Op> {
                let mut numbers = parameters.into_iter();
                $(if code == Code::$name as u8 {
                    return Some(Op::$name $({ $($field: <$ty as Parameter>::of(numbers.next()?)?),+ })?);
                })+
                None
            }

            /// The parameters as two numbers (0 where there is none), for hashing and printing.
            pub fn parameters(self) -> [u32; 2] {
                match self {
                    $(Op::$name $({ $($field),+ })? => {
                        let list: &[u32] = &[$($(Parameter::number($field)),+)?];
                        [list.first().copied().unwrap_or(0), list.get(1).copied().unwrap_or(0)]
                    })+
                }
            }
        }
    };
}

operators! {
    // variant                     name        SMT-LIB              args order    documentation
    Const                          "const"     ""                    0 Fixed    "A literal; its value is `Pool::as_const`.";
    Var                            "var"       ""                    0 Fixed    "A variable; which one is `Pool::var_of`.";
    Not                            "not"       "not"                 1 Fixed    "Negation.";
    And                            "and"       "and"                 2 Commutes "Conjunction.";
    Or                             "or"        "or"                  2 Commutes "Disjunction.";
    Xor                            "xor"       "xor"                 2 Commutes "Exclusive or.";
    Ite                            "ite"       "ite"                 3 Fixed    "If-then-else over any sort.";
    Eq                             "="         "="                   2 Commutes "Equality of any sort; on floats of values: NaN = NaN, +0 != -0.";
    BvAdd                          "+"         "bvadd"               2 Commutes "Sum, wrapping.";
    BvSub                          "-"         "bvsub"               2 Fixed    "Difference, wrapping.";
    BvMul                          "*"         "bvmul"               2 Commutes "Product, wrapping.";
    BvUDiv                         "/u"        "bvudiv"              2 Fixed    "Unsigned quotient; all ones for a zero divisor.";
    BvSDiv                         "/s"        "bvsdiv"              2 Fixed    "Signed quotient toward zero, wrapping; 1 or -1 for a zero divisor.";
    BvURem                         "%u"        "bvurem"              2 Fixed    "Unsigned remainder; the dividend for a zero divisor.";
    BvSRem                         "%s"        "bvsrem"              2 Fixed    "Remainder with the dividend's sign; the dividend for a zero divisor.";
    BvNeg                          "neg"       "bvneg"               1 Fixed    "Two's complement.";
    BvAnd                          "&"         "bvand"               2 Commutes "Bitwise and.";
    BvOr                           "|"         "bvor"                2 Commutes "Bitwise or.";
    BvXor                          "^"         "bvxor"               2 Commutes "Bitwise exclusive or.";
    BvNot                          "~"         "bvnot"               1 Fixed    "Bitwise complement.";
    BvShl                          "<<"        "bvshl"               2 Fixed    "Shift left; 0 when the count reaches the width (mask it first for Java).";
    BvLShr                         ">>u"       "bvlshr"              2 Fixed    "Logical shift right; 0 when the count reaches the width.";
    BvAShr                         ">>s"       "bvashr"              2 Fixed    "Arithmetic shift right; all sign bits when the count reaches the width.";
    BvUlt                          "<u"        "bvult"               2 Fixed    "Unsigned less than.";
    BvUle                          "<=u"       "bvule"               2 Fixed    "Unsigned less or equal.";
    BvSlt                          "<s"        "bvslt"               2 Fixed    "Signed less than.";
    BvSle                          "<=s"       "bvsle"               2 Fixed    "Signed less or equal.";
    Concat                         "concat"    "concat"              2 Fixed    "High bits, then low bits.";
    Extract { hi: u32, lo: u32 }   "extract"   "extract"             1 Fixed    "Bits hi down to lo, both included.";
    ZeroExt { to: u32 }            "zext"      "zero_extend"         1 Fixed    "Zero extension to a width.";
    SignExt { to: u32 }            "sext"      "sign_extend"         1 Fixed    "Sign extension to a width.";
    FpAdd                          "+f"        "fp.add"              2 Commutes "Sum, to nearest even as all rounding here.";
    FpSub                          "-f"        "fp.sub"              2 Fixed    "Difference.";
    FpMul                          "*f"        "fp.mul"              2 Commutes "Product.";
    FpDiv                          "/f"        "fp.div"              2 Fixed    "Quotient.";
    FpFmod                         "%f"        ""                    2 Fixed    "C fmod, Java %: exact remainder with the dividend's sign (JLS 15.17.3). No SMT-LIB operator.";
    FpNeg                          "negf"      "fp.neg"              1 Fixed    "Flips the sign, also of zero.";
    FpAbs                          "absf"      "fp.abs"              1 Fixed    "Clears the sign.";
    FpSqrt                         "sqrt"      "fp.sqrt"             1 Fixed    "Square root.";
    FpRint                         "rint"      "fp.roundToIntegral"  1 Fixed    "To an integral value, ties to even (Math.rint).";
    FpFloor                        "floor"     "fp.roundToIntegral"  1 Fixed    "To an integral value, toward negative.";
    FpCeil                         "ceil"      "fp.roundToIntegral"  1 Fixed    "To an integral value, toward positive.";
    FpFun { fun: Fun }             "fun"       ""                    1 Fixed    "A function of a double by fdlibm. No SMT-LIB operator.";
    FpFun2 { fun: Fun2 }           "fun2"      ""                    2 Fixed    "A function of two doubles by fdlibm. No SMT-LIB operator.";
    FpLt                           "<f"        "fp.lt"               2 Fixed    "IEEE less than; false with NaN.";
    FpLe                           "<=f"       "fp.leq"              2 Fixed    "IEEE less or equal; false with NaN.";
    FpEq                           "==f"       "fp.eq"               2 Commutes "IEEE equality: NaN differs from all, +0 == -0.";
    FpIsNan                        "isnan"     "fp.isNaN"            1 Fixed    "Not a number.";
    FpIsInf                        "isinf"     "fp.isInfinite"       1 Fixed    "Either infinity.";
    FpIsZero                       "iszero"    "fp.isZero"           1 Fixed    "Either zero.";
    FpIsNegative                   "isneg"     "fp.isNegative"       1 Fixed    "Sign set; false for NaN.";
    FpFromSBv { to: Float }        "sitofp"    "to_fp"               1 Fixed    "A signed bit-vector's value, rounded.";
    FpToSBvSat { width: u32 }      "fptosi"    ""                    1 Fixed    "Truncated and saturated, 0 for NaN: d2i, d2l, f2i, f2l (JVMS 6.5). SMT-LIB by cases.";
    FpToFp { to: Float }           "fptofp"    "to_fp"               1 Fixed    "To the other format, rounded.";
    FpFromBits { to: Float }       "frombits"  "to_fp"               1 Fixed    "Reinterprets an interchange format; every NaN is the one NaN.";
    FpToBits                       "tobits"    "fp.to_ieee_bv"       1 Fixed    "The interchange format; NaN gives 0x7fc00000 or 0x7ff8000000000000.";
    Select                         "select"    "select"              2 Fixed    "The element at an index.";
    Store                          "store"     "store"               3 Fixed    "The array with one element replaced.";
    ConstArray { index: u32 }      "constarray" ""                   1 Fixed    "The array that holds one value everywhere, by its index width.";
}

impl Op {
    #[inline]
    pub fn row(self) -> &'static Row {
        &TABLE[self.code() as usize]
    }

    #[inline]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether there is no SMT-LIB operator for it, so that only evaluation knows what it computes.
    pub fn only_evaluated(self) -> bool {
        matches!(self, Op::FpFmod | Op::FpFun { .. } | Op::FpFun2 { .. })
    }

    #[inline]
    pub fn commutes(self) -> bool {
        self.row().order == Order::Commutes
    }
}

/// The sort of `op` over arguments of these sorts, or `None` when they do not fit.
pub fn result_sort(op: Op, args: &[Sort]) -> Option<Sort> {
    use Sort::{Array, Bool, Bv};
    if args.len() != op.row().arity {
        return None;
    }
    let first = args.first().copied();
    let same = args.windows(2).all(|pair| pair[0] == pair[1]);
    match op {
        // Leaves are made by their own constructors.
        Op::Const | Op::Var => None,
        Op::Not | Op::And | Op::Or | Op::Xor => (first == Some(Bool) && same).then_some(Bool),
        Op::Ite => (first == Some(Bool) && args[1] == args[2]).then_some(args[1]),
        Op::Eq => same.then_some(Bool),
        Op::BvAdd
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
        | Op::BvAShr => first.filter(|s| matches!(s, Bv(_)) && same),
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
            (matches!(first, Some(Bv(_))) && same).then_some(Bool)
        }
        Op::Concat => match (args[0], args[1]) {
            (Bv(high), Bv(low)) if high + low <= 128 => Some(Bv(high + low)),
            _ => None,
        },
        Op::Extract { hi, lo } => match args[0] {
            Bv(w) if hi < w && lo <= hi => Some(Bv(hi - lo + 1)),
            _ => None,
        },
        Op::ZeroExt { to } | Op::SignExt { to } => match args[0] {
            Bv(w) if w <= to && to <= 128 => Some(Bv(to)),
            _ => None,
        },
        Op::FpAdd
        | Op::FpSub
        | Op::FpMul
        | Op::FpDiv
        | Op::FpFmod
        | Op::FpNeg
        | Op::FpAbs
        | Op::FpSqrt
        | Op::FpRint
        | Op::FpFloor
        | Op::FpCeil => first.filter(|s| s.is_float() && same),
        Op::FpFun { .. } | Op::FpFun2 { .. } => (first == Some(Sort::F64) && same).then_some(Sort::F64),
        Op::FpLt | Op::FpLe | Op::FpEq | Op::FpIsNan | Op::FpIsInf | Op::FpIsZero | Op::FpIsNegative => {
            first.filter(|s| s.is_float() && same).map(|_| Bool)
        }
        Op::FpFromSBv { to } => matches!(args[0], Bv(_)).then_some(to.into()),
        Op::FpToSBvSat { width } => (args[0].is_float() && (2..=128).contains(&width)).then_some(Bv(width)),
        Op::FpToFp { to } => args[0].is_float().then_some(to.into()),
        Op::FpFromBits { to } => (args[0] == Bv(to.bits())).then_some(to.into()),
        Op::FpToBits => args[0].float().map(|f| Bv(f.bits())),
        Op::Select => match (args[0], args[1]) {
            (Array { index, elem }, Bv(w)) if w == index => Some(Bv(elem)),
            _ => None,
        },
        Op::Store => match (args[0], args[1], args[2]) {
            (Array { index, elem }, Bv(i), Bv(e)) if i == index && e == elem => Some(args[0]),
            _ => None,
        },
        Op::ConstArray { index } => match args[0] {
            Bv(elem) if (1..=128).contains(&index) => Some(Array { index, elem }),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_comes_back_from_its_numbers() {
        for code in 0..TABLE.len() as u8 {
            let parameters = [[9, 3], [32, 0], [0, 0]];
            let op = parameters.into_iter().find_map(|numbers| Op::of(code, numbers)).unwrap();
            assert_eq!(op.code(), code);
            assert_eq!(Op::of(code, op.parameters()), Some(op));
        }
        assert_eq!(Op::of(TABLE.len() as u8, [0; 2]), None);
    }
}
