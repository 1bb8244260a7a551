//! What a term may be: a superset of its values, as intervals.

use term::semantics::{mask, signed};
use term::{Float, Sort};

/// A superset of the values of a term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Domain {
    Bool {
        no: bool,
        yes: bool,
    },
    /// A bit-vector of up to 64 bits, in its signed and its unsigned reading; both hold.
    Int(Int),
    /// Floats as doubles; both zeros are 0.
    Fp(Fp),
    /// Anything.
    Any,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Int {
    pub width: u32,
    pub low: i128,
    pub high: i128,
    pub ulow: u128,
    pub uhigh: u128,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fp {
    pub low: f64,
    pub high: f64,
    pub nan: bool,
}

impl Domain {
    /// Every value of a sort.
    pub fn full(sort: Sort) -> Domain {
        match sort {
            Sort::Bool => Domain::Bool { no: true, yes: true },
            Sort::Bv(width) if width <= 64 => Domain::Int(Int::full(width)),
            Sort::F32 | Sort::F64 => Domain::Fp(Fp::FULL),
            Sort::Bv(_) | Sort::Array { .. } => Domain::Any,
        }
    }

    pub fn constant(sort: Sort, bits: u128) -> Domain {
        match sort {
            Sort::Bool => Domain::truth(bits != 0),
            Sort::Bv(width) if width <= 64 => Domain::Int(Int::constant(width, bits)),
            Sort::F32 => Domain::Fp(Fp::constant(f32::from_bits(bits as u32).into())),
            Sort::F64 => Domain::Fp(Fp::constant(f64::from_bits(bits as u64))),
            Sort::Bv(_) | Sort::Array { .. } => Domain::Any,
        }
    }

    pub fn truth(value: bool) -> Domain {
        Domain::Bool { no: !value, yes: value }
    }

    /// Known to be true, known to be false, or open.
    pub fn decided(self) -> Option<bool> {
        match self {
            Domain::Bool { no: false, yes: true } => Some(true),
            Domain::Bool { no: true, yes: false } => Some(false),
            _ => None,
        }
    }

    pub fn is_empty(self) -> bool {
        match self {
            Domain::Bool { no, yes } => !no && !yes,
            Domain::Int(int) => int.low > int.high || int.ulow > int.uhigh,
            Domain::Fp(fp) => fp.low > fp.high && !fp.nan,
            Domain::Any => false,
        }
    }

    /// What both allow.
    pub fn meet(self, other: Domain) -> Domain {
        match (self, other) {
            (Domain::Bool { no, yes }, Domain::Bool { no: n, yes: y }) => {
                Domain::Bool { no: no && n, yes: yes && y }
            }
            (Domain::Int(a), Domain::Int(b)) if a.width == b.width => Domain::Int(a.meet(b)),
            (Domain::Fp(a), Domain::Fp(b)) => {
                Domain::Fp(Fp { low: a.low.max(b.low), high: a.high.min(b.high), nan: a.nan && b.nan })
            }
            (Domain::Any, known) | (known, _) => known,
        }
    }

    /// What either allows.
    pub fn join(self, other: Domain) -> Domain {
        match (self, other) {
            _ if self.is_empty() => other,
            _ if other.is_empty() => self,
            (Domain::Bool { no, yes }, Domain::Bool { no: n, yes: y }) => {
                Domain::Bool { no: no || n, yes: yes || y }
            }
            (Domain::Int(a), Domain::Int(b)) if a.width == b.width => Domain::Int(Int {
                width: a.width,
                low: a.low.min(b.low),
                high: a.high.max(b.high),
                ulow: a.ulow.min(b.ulow),
                uhigh: a.uhigh.max(b.uhigh),
            }),
            (Domain::Fp(a), Domain::Fp(b)) => {
                Domain::Fp(Fp { low: a.low.min(b.low), high: a.high.max(b.high), nan: a.nan || b.nan })
            }
            _ => Domain::Any,
        }
    }
}

impl Int {
    pub fn full(width: u32) -> Int {
        let half = 1i128 << (width - 1);
        Int { width, low: -half, high: half - 1, ulow: 0, uhigh: mask(width) }
    }

    pub fn constant(width: u32, bits: u128) -> Int {
        let value = signed(bits, width);
        Int { width, low: value, high: value, ulow: bits, uhigh: bits }
    }

    /// Signed bounds that need not fit the width: if they do not, the sum wrapped and anything goes.
    pub fn of_signed(width: u32, low: i128, high: i128) -> Int {
        let full = Int::full(width);
        if low < full.low || high > full.high {
            return full;
        }
        Int { low, high, ..full }.agreed()
    }

    pub fn of_unsigned(width: u32, ulow: u128, uhigh: u128) -> Int {
        let full = Int::full(width);
        if uhigh > full.uhigh {
            return full;
        }
        Int { ulow, uhigh, ..full }.agreed()
    }

    pub fn meet(self, other: Int) -> Int {
        Int {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            ulow: self.ulow.max(other.ulow),
            uhigh: self.uhigh.min(other.uhigh),
        }
        .agreed()
    }

    /// On one side of zero each reading says something about the other.
    pub fn agreed(mut self) -> Int {
        if self.low > self.high || self.ulow > self.uhigh {
            return self;
        }
        let (mask, half) = (mask(self.width), 1u128 << (self.width - 1));
        if (self.low < 0) == (self.high < 0) {
            self.ulow = self.ulow.max(self.low as u128 & mask);
            self.uhigh = self.uhigh.min(self.high as u128 & mask);
        }
        if (self.ulow < half) == (self.uhigh < half) && self.ulow <= self.uhigh {
            self.low = self.low.max(signed(self.ulow, self.width));
            self.high = self.high.min(signed(self.uhigh, self.width));
        }
        self
    }

    /// The only value left.
    pub fn single(self) -> Option<u128> {
        if self.ulow == self.uhigh {
            return Some(self.ulow);
        }
        (self.low == self.high).then_some(self.low as u128 & mask(self.width))
    }

    /// Without one value, where that is an end.
    pub fn without(mut self, bits: u128) -> Int {
        let value = signed(bits, self.width);
        if self.low == value {
            self.low += 1;
        }
        if self.high == value {
            self.high -= 1;
        }
        if self.ulow == bits && self.ulow < self.uhigh {
            self.ulow += 1;
        } else if self.uhigh == bits {
            match self.uhigh.checked_sub(1) {
                Some(less) => self.uhigh = less,
                None => self.ulow = 1,
            }
        }
        self.agreed()
    }
}

impl Fp {
    pub const FULL: Fp = Fp { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };
    /// No number; not a number at most.
    pub const NO_NUMBER: Fp = Fp { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };

    pub fn constant(value: f64) -> Fp {
        if value.is_nan() { Fp::NO_NUMBER } else { Fp { low: value, high: value, nan: false } }
    }

    /// Bounds that may have become NaN, which says nothing.
    pub fn of(low: f64, high: f64, nan: bool) -> Fp {
        Fp {
            low: if low.is_nan() { f64::NEG_INFINITY } else { low },
            high: if high.is_nan() { f64::INFINITY } else { high },
            nan,
        }
    }

    pub fn number(self) -> Fp {
        Fp { nan: false, ..self }
    }

    pub fn is_number(self) -> bool {
        !self.nan
    }

    pub fn has_number(self) -> bool {
        self.low <= self.high
    }

    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn is_infinite_possible(self) -> bool {
        self.has_number() && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    /// The hull of some bounds.
    pub fn hull(values: &[f64], nan: bool) -> Fp {
        let any_nan = values.iter().any(|v| v.is_nan());
        if any_nan {
            return Fp { nan, ..Fp::FULL };
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Fp { low, high, nan }
    }

    /// A little larger, for what was computed with a rounding of its own.
    pub fn wider(self) -> Fp {
        Fp { low: self.low.next_down(), high: self.high.next_up(), ..self }
    }
}

/// The next float of a format below a double, and above.
pub fn below(float: Float, value: f64) -> f64 {
    match float {
        Float::F32 => {
            let single = value as f32;
            (if f64::from(single) < value { single } else { single.next_down() }).into()
        }
        Float::F64 => value.next_down(),
    }
}

pub fn above(float: Float, value: f64) -> f64 {
    -below(float, -value)
}

/// As a value of the format.
pub fn rounded(float: Float, value: f64) -> f64 {
    match float {
        Float::F32 => (value as f32).into(),
        Float::F64 => value,
    }
}
