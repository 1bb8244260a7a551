//! Values as bytes, for journals: numbers little-endian, everything with a length before it. Reading never
//! trusts what it reads.

use std::collections::BTreeMap;

use crate::eval::{ArrayValue, Value};

/// Appends to a byte buffer.
#[derive(Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u128(&mut self, value: u128) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn blob(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Bits(bits) => {
                self.u8(0);
                self.u128(*bits);
            }
            Value::Array(array) => {
                self.u8(1);
                self.u128(array.default);
                self.u64(array.entries.len() as u64);
                for (index, elem) in &array.entries {
                    self.u128(*index);
                    self.u128(*elem);
                }
            }
        }
    }
}

/// Takes from the front of a byte buffer; `None` where it does not hold what is asked for.
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn u128(&mut self) -> Option<u128> {
        Some(u128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    pub fn blob(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.u64()?).ok()?;
        self.take(count)
    }

    /// How many of something follow; not more than there are bytes left.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.u64()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub fn value(&mut self) -> Option<Value> {
        match self.u8()? {
            0 => Some(Value::Bits(self.u128()?)),
            1 => {
                let default = self.u128()?;
                let mut entries = BTreeMap::new();
                for _ in 0..self.count()? {
                    entries.insert(self.u128()?, self.u128()?);
                }
                Some(Value::Array(ArrayValue { default, entries }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_cut_ones_do_not() {
        let array = ArrayValue { default: 7, entries: [(1, 2), (u128::MAX, 3)].into() };
        let values = [Value::Bits(u128::MAX), Value::Array(array), Value::Bits(0)];
        let mut writer = Writer::default();
        values.iter().for_each(|value| writer.value(value));
        let mut reader = Reader::new(&writer.bytes);
        for value in &values {
            assert_eq!(reader.value().as_ref(), Some(value));
        }
        assert!(reader.is_empty());
        for cut in 0..writer.bytes.len() {
            let mut reader = Reader::new(&writer.bytes[..cut]);
            assert!((0..values.len()).map_while(|_| reader.value()).count() < values.len());
        }
        assert_eq!(Reader::new(&[1; 40]).value(), None, "a count beyond what is there");
    }
}
