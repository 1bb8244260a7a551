//! Modified UTF-8 (JVMS §4.4.7): NUL in two bytes, supplementary characters as surrogate pairs, lone surrogates
//! allowed.

/// True when the bytes need no decoding: ASCII without NUL.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    bytes.is_ascii() && !bytes.contains(&0)
}

/// The UTF-16 code units, or `None` when the bytes are not modified UTF-8. Overlong forms are accepted, as the
/// JVM accepts them in old classes; they do no harm here.
pub fn decode(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied();
    while let Some(first) = rest.next() {
        let unit = match first {
            0x01..=0x7f => u16::from(first),
            0xc0..=0xdf => (u16::from(first & 0x1f) << 6) | continuation(rest.next())?,
            0xe0..=0xef => {
                let middle = continuation(rest.next())?;
                (u16::from(first & 0x0f) << 12) | (middle << 6) | continuation(rest.next())?
            }
            _ => return None,
        };
        units.push(unit);
    }
    Some(units)
}

/// The modified UTF-8 of UTF-16 code units; the inverse of [`decode`].
pub fn encode(units: &[u16]) -> Vec<u8> {
    let low = |unit: u16, shift: u32, mask: u16, mark: u8| {
        let bits = u8::try_from((unit >> shift) & mask).unwrap_or(0);
        mark | bits
    };
    let mut bytes = Vec::with_capacity(units.len());
    for &unit in units {
        match unit {
            0x01..=0x7f => bytes.push(low(unit, 0, 0x7f, 0)),
            0 | 0x80..=0x7ff => bytes.extend([low(unit, 6, 0x1f, 0xc0), low(unit, 0, 0x3f, 0x80)]),
            _ => {
                bytes.extend([low(unit, 12, 0x0f, 0xe0), low(unit, 6, 0x3f, 0x80), low(unit, 0, 0x3f, 0x80)])
            }
        }
    }
    bytes
}

fn continuation(byte: Option<u8>) -> Option<u16> {
    byte.filter(|byte| byte & 0xc0 == 0x80).map(|byte| u16::from(byte & 0x3f))
}
