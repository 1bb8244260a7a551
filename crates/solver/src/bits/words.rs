//! Words: lists of bits, the lowest first, and what is computed with them.

use super::gates::{Bit, FALSE, Gates, TRUE};

pub(super) type Word = Vec<Bit>;

pub(super) fn constant(value: u128, width: u32) -> Word {
    (0..width).map(|i| Bit::of(value >> i & 1 == 1)).collect()
}

/// What a word is if it is the same in all assignments.
fn value(word: &[Bit]) -> Option<u128> {
    let bits = word.iter().enumerate();
    bits.map(|(i, bit)| Some(u128::from(bit.constant()?) << i)).sum()
}

fn not(a: &[Bit]) -> Word {
    a.iter().map(|&bit| !bit).collect()
}

fn sign(a: &[Bit]) -> Bit {
    a.last().copied().unwrap_or(FALSE)
}

impl Gates {
    pub fn each(&mut self, a: &[Bit], b: &[Bit], gate: fn(&mut Gates, Bit, Bit) -> Bit) -> Word {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    pub fn choose(&mut self, cond: Bit, then: &[Bit], other: &[Bit]) -> Word {
        then.iter().zip(other).map(|(&then, &other)| self.mux(cond, then, other)).collect()
    }

    pub fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same: Word = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(same)
    }

    fn is_zero(&mut self, a: &[Bit]) -> Bit {
        self.all(not(a))
    }

    /// `a + b + carry`, without the last carry.
    pub fn sum(&mut self, a: &[Bit], b: &[Bit], mut carry: Bit) -> Word {
        let mut sum = Word::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        sum
    }

    pub fn difference(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        self.sum(a, &not(b), TRUE)
    }

    pub fn negated(&mut self, a: &[Bit]) -> Word {
        let zero = vec![FALSE; a.len()];
        self.difference(&zero, a)
    }

    /// `a` or `-a`.
    fn negated_if(&mut self, cond: Bit, a: &[Bit]) -> Word {
        let flipped: Word = a.iter().map(|&bit| self.xor(bit, cond)).collect();
        let zero = vec![FALSE; a.len()];
        self.sum(&flipped, &zero, cond)
    }

    /// `a < b`, or `a <= b` if `or_equal`.
    pub fn below(&mut self, a: &[Bit], b: &[Bit], or_equal: bool) -> Bit {
        a.iter().zip(b).fold(Bit::of(or_equal), |below, (&a, &b)| self.majority(!a, b, below))
    }

    pub fn below_signed(&mut self, a: &[Bit], b: &[Bit], or_equal: bool) -> Bit {
        let (mut x, mut y) = (a.to_vec(), b.to_vec());
        if let (Some(x), Some(y)) = (x.last_mut(), y.last_mut()) {
            (*x, *y) = (*y, *x);
        }
        self.below(&x, &y, or_equal)
    }

    pub fn product(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        // The factor with fewer open bits says what is added.
        let open = |word: &[Bit]| word.iter().filter(|bit| **bit != FALSE).count();
        let (a, b) = if open(a) < open(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = vec![FALSE; width];
        for (i, &bit) in b.iter().enumerate().filter(|(_, bit)| **bit != FALSE) {
            let part: Word = a[..width - i].iter().map(|&a| self.and(a, bit)).collect();
            let high = self.sum(&sum[i..], &part, FALSE);
            sum.splice(i.., high);
        }
        sum
    }

    /// Quotient and remainder; all ones and the dividend for a zero divisor.
    pub fn divided(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let width = a.len();
        if let Some(k) = value(b).filter(|k| *k > 1 && width <= 64) {
            return self.divided_by(a, k);
        }
        let mut divisor = b.to_vec();
        divisor.push(FALSE);
        let mut quotient = vec![FALSE; width];
        let mut rest = vec![FALSE; width];
        for i in (0..width).rev() {
            let mut shifted = vec![a[i]];
            shifted.extend_from_slice(&rest);
            let fits = self.below(&divisor, &shifted, true);
            let less = self.difference(&shifted, &divisor);
            rest = self.choose(fits, &less[..width], &shifted[..width]);
            quotient[i] = fits;
        }
        (quotient, rest)
    }

    /// By a literal: the only numbers for which `quotient * k + rest` is the dividend and the rest is below the divisor. A
    /// product with few ones instead of a subtraction a bit, and it says what the two are to each other.
    fn divided_by(&mut self, a: &[Bit], k: u128) -> (Word, Word) {
        let width = a.len();
        // Beyond what the product can need, so that nothing wraps.
        let long = width + 2;
        let (size, most) = (k.ilog2() as usize, 128 - (k - 1).leading_zeros() as usize);
        let mut quotient: Word = (0..width - size).map(|_| self.input()).collect();
        let mut rest: Word = (0..most).map(|_| self.input()).collect();
        quotient.resize(long, FALSE);
        rest.resize(long, FALSE);
        let product = self.product(&quotient, &constant(k, long as u32));
        let sum = self.sum(&product, &rest, FALSE);
        for (i, &bit) in sum.iter().enumerate() {
            let wanted = a.get(i).copied().unwrap_or(FALSE);
            self.add(&[bit, !wanted]);
            self.add(&[!bit, wanted]);
        }
        let below = self.below(&rest, &constant(k, long as u32), false);
        self.add(&[below]);
        quotient.truncate(width);
        rest.truncate(width);
        (quotient, rest)
    }

    /// The same with signs, toward zero.
    pub fn divided_signed(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let (x, y) = (self.negated_if(sign(a), a), self.negated_if(sign(b), b));
        let (quotient, rest) = self.divided(&x, &y);
        let differ = self.xor(sign(a), sign(b));
        (self.negated_if(differ, &quotient), self.negated_if(sign(a), &rest))
    }

    /// Shifted toward the low end, `fill` coming in; `fill` everywhere when the count reaches the width.
    pub fn shifted_right(&mut self, a: &[Bit], count: &[Bit], fill: Bit) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut beyond = FALSE;
        for (k, &bit) in count.iter().enumerate() {
            let by = 1usize.checked_shl(k as u32).unwrap_or(usize::MAX);
            if by >= width {
                beyond = self.or(beyond, bit);
                continue;
            }
            let moved: Word = (0..width).map(|i| word.get(i + by).copied().unwrap_or(fill)).collect();
            word = self.choose(bit, &moved, &word);
        }
        word.iter().map(|&bit| self.mux(beyond, fill, bit)).collect()
    }

    pub fn shifted_left(&mut self, a: &[Bit], count: &[Bit]) -> Word {
        let turned: Word = a.iter().rev().copied().collect();
        let mut word = self.shifted_right(&turned, count, FALSE);
        word.reverse();
        word
    }

    /// Of a float in its interchange format: whether it is no number.
    pub fn is_nan(&mut self, a: &[Bit], exponent: std::ops::Range<usize>) -> Bit {
        let full = self.all(a[exponent.clone()].iter().copied());
        let empty = self.is_zero(&a[..exponent.start]);
        self.and(full, !empty)
    }

    /// Whether all but the sign is zero.
    pub fn is_float_zero(&mut self, a: &[Bit]) -> Bit {
        self.is_zero(&a[..a.len() - 1])
    }

    pub fn is_infinite(&mut self, a: &[Bit], exponent: std::ops::Range<usize>) -> Bit {
        let full = self.all(a[exponent.clone()].iter().copied());
        let empty = self.is_zero(&a[..exponent.start]);
        self.and(full, empty)
    }
}
