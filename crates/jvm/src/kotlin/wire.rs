//! The bytes of a `kotlin.Metadata` annotation: a table of names and a message of numbered fields.

/// The bytes in the strings: as characters after a zero, or seven bits a character in old compilers.
pub(super) fn unpack(strings: &[Vec<u16>]) -> Vec<u8> {
    let mut units = strings.iter().flatten().copied();
    match units.next() {
        Some(0) => units.map(|unit| unit as u8).collect(),
        first => {
            // The first may be a marker or data; each holds seven bits, offset by one.
            let data = first.filter(|unit| *unit != 0xffff).into_iter().chain(units);
            let mut bytes = Vec::new();
            let (mut bits, mut count) = (0u32, 0);
            for unit in data {
                bits |= u32::from((unit as u8).wrapping_sub(1) & 0x7f) << count;
                count += 7;
                if count >= 8 {
                    bytes.push(bits as u8);
                    bits >>= 8;
                    count -= 8;
                }
            }
            bytes
        }
    }
}

/// The texts that the message names by number.
pub(super) struct Names(Vec<Option<String>>);

impl Names {
    pub(super) fn get(&self, index: u64) -> Option<String> {
        self.0.get(usize::try_from(index).ok()?)?.clone()
    }
}

/// A table of names, its length in front, then the message itself.
pub(super) fn names_and_message<'a>(bytes: &'a [u8], texts: &[String]) -> Option<(Names, &'a [u8])> {
    let mut rest = bytes;
    let len = usize::try_from(varint(&mut rest)?).ok()?;
    let (table, message) = rest.split_at_checked(len)?;
    let mut names = Vec::new();
    for record in fields(table).iter().filter(|f| f.number == 1) {
        let inside = fields(record.bytes);
        let int = |number: u32| inside.iter().find(|f| f.number == number).map(Field::int);
        // A record may stand for many names in a row; no more of them than there are texts.
        let range = int(1).unwrap_or(1).min(texts.len() as u64 + 1);
        for _ in 0..range {
            let own =
                inside.iter().find(|f| f.number == 6).map(|f| String::from_utf8_lossy(f.bytes).into_owned());
            let text = match (own, int(2)) {
                (Some(own), _) => Some(own),
                // One of the compiler's own names (kotlin/Any): none of a member.
                (None, Some(_)) => None,
                (None, None) => texts.get(names.len()).cloned(),
            };
            let text = text.map(|text| match int(3).unwrap_or(0) {
                // L…; as a class name.
                2 => text.trim_start_matches('L').trim_end_matches(';').replace('$', "."),
                _ => text,
            });
            names.push(text);
        }
        if names.len() > texts.len() + 10_000 {
            return None;
        }
    }
    // Names without a record are the texts themselves.
    for text in texts.iter().skip(names.len()) {
        names.push(Some(text.clone()));
    }
    Some((Names(names), message))
}

/// One field of a message.
pub(super) struct Field<'a> {
    pub(super) number: u32,
    /// Of a number.
    pub(super) value: u64,
    /// Of a text or a message.
    pub(super) bytes: &'a [u8],
}

impl Field<'_> {
    pub(super) fn int(&self) -> u64 {
        self.value
    }
}

/// The fields of a message, up to the first that is malformed.
pub(super) fn fields(bytes: &[u8]) -> Vec<Field<'_>> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let Some(field) = field(&mut rest) else { break };
        found.push(field);
    }
    found
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<Field<'a>> {
    let tag = varint(rest)?;
    let number = u32::try_from(tag >> 3).ok()?;
    let take = |rest: &mut &'a [u8], len: usize| {
        let (head, tail) = rest.split_at_checked(len)?;
        *rest = tail;
        Some(head)
    };
    match tag & 7 {
        0 => Some(Field { number, value: varint(rest)?, bytes: &[] }),
        1 => Some(Field { number, value: 0, bytes: take(rest, 8)? }),
        2 => {
            let len = usize::try_from(varint(rest)?).ok()?;
            Some(Field { number, value: 0, bytes: take(rest, len)? })
        }
        5 => Some(Field { number, value: 0, bytes: take(rest, 4)? }),
        _ => None,
    }
}

pub(super) fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_bytes() {
        assert_eq!(unpack(&[vec![0, 1, 255]]), [1, 255]);
    }

    #[test]
    fn numbers_are_read_seven_bits_at_a_time() {
        let mut bytes: &[u8] = &[0xac, 0x02, 7];
        assert_eq!(varint(&mut bytes), Some(300));
        assert_eq!(bytes, [7]);
        assert_eq!(varint(&mut &[0x80u8; 12][..]), None);
    }
}
