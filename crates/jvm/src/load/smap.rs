//! Lines of code that Kotlin's compiler copied from inline functions (JSR 45).
//!
//! Such code has lines beyond the end of its file. The stratum `KotlinDebug` of the source map says on which line of the file each of
//! them was called.

use std::collections::BTreeMap;

/// Where ranges of lines were called from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSites {
    /// First line, how many, and the line of the call.
    ranges: Vec<(u32, u32, u32)>,
    /// First lines, and how many, of what came from Kotlin's library.
    library: Vec<(u32, u32)>,
}

impl CallSites {
    /// Reads a `SourceDebugExtension`. What is not understood is left out.
    pub fn parse(text: &str) -> CallSites {
        let mut found = CallSites::default();
        let (mut stratum, mut section) = ("", "");
        // By number: whether a file is of the library. The line behind its name says where its classes are.
        let mut files: BTreeMap<&str, bool> = BTreeMap::new();
        let mut file = "";
        for line in text.lines() {
            match line.strip_prefix('*') {
                Some(start) => {
                    stratum = start.strip_prefix("S ").map_or(stratum, str::trim);
                    section = start.trim();
                }
                None if section == "F" => match line.strip_prefix("+ ") {
                    Some(named) => file = named.split(' ').next().unwrap_or_default(),
                    None => {
                        files.insert(file, line.starts_with("kotlin/") || line.starts_with("kotlinx/"));
                    }
                },
                None if (stratum, section) == ("KotlinDebug", "L") => found.ranges.extend(range(line.trim())),
                None if (stratum, section) == ("Kotlin", "L") => {
                    let of = line.split([',', ':']).next().and_then(|input| input.split_once('#'));
                    if of.is_some_and(|(_, file)| files.get(file) == Some(&true)) {
                        found
                            .library
                            .extend(range(line.trim()).iter().map(|(first, count, _)| (*first, *count)));
                    }
                }
                None => {}
            }
        }
        found
    }

    /// Whether a line was copied from an inline function.
    pub fn is_copied(&self, line: u16) -> bool {
        self.ranges.iter().any(|(first, count, _)| is_in(line, *first, *count))
    }

    /// Whether a line was copied from Kotlin's own library.
    pub fn is_of_library(&self, line: u16) -> bool {
        self.library.iter().any(|(first, count)| is_in(line, *first, *count))
    }

    /// The line in the file itself.
    pub fn line(&self, line: u16) -> u16 {
        let found = self.ranges.iter().find(|(first, count, _)| is_in(line, *first, *count));
        found.and_then(|(_, _, called)| u16::try_from(*called).ok()).unwrap_or(line)
    }
}

fn is_in(line: u16, first: u32, count: u32) -> bool {
    u32::from(line).checked_sub(first).is_some_and(|behind| behind < count)
}

/// `48#1:77,2`: what was called on line 48 has lines 77 and 78; `48#1,3:77`: lines 77 to 79 were called on lines 48 to 50.
fn range(line: &str) -> Vec<(u32, u32, u32)> {
    let parsed = || {
        let (input, output) = line.split_once(':')?;
        let (called, repeated) = input.split_once(',').unwrap_or((input, "1"));
        let called: u32 = called.split('#').next()?.parse().ok()?;
        let repeated: u32 = repeated.parse().ok()?;
        let (first, step) = output.split_once(',').unwrap_or((output, "1"));
        let (first, step): (u32, u32) = (first.parse().ok()?, step.parse().ok()?);
        Some((called, repeated.min(u16::MAX.into()), first, step))
    };
    let Some((called, repeated, first, step)) = parsed() else { return Vec::new() };
    (0..repeated)
        .map(|i| (first.saturating_add(i.saturating_mul(step)), step, called.saturating_add(i)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_lines_are_those_of_the_call() {
        let text = "SMAP\nK.kt\nKotlin\n*S Kotlin\n*F\n+ 1 K.kt\nf/KKt\n+ 2 _Collections.kt\nkotlin/C\n*L\n1#1,77:1\n\
                    774#2:78\n865#2,2:79\n*S KotlinDebug\n*F\n+ 1 K.kt\nf/KKt\n*L\n48#1:78\n49#1:79,2\n60#1,2:90,3\n*E\n";
        let sites = CallSites::parse(text);
        let all = [48, 77, 78, 79, 80, 81, 90, 92, 93, 95, 96].map(|line| sites.line(line));
        assert_eq!(all, [48, 77, 48, 49, 49, 81, 60, 60, 61, 61, 96]);
        assert_eq!(
            [48, 77, 78, 79, 80, 81].map(|line| sites.is_of_library(line)),
            [false, false, true, true, true, false]
        );
        assert_eq!([48, 78, 95, 96].map(|line| sites.is_copied(line)), [false, true, true, false]);
        assert_eq!(
            CallSites::parse("*S KotlinDebug\n*L\nx#1:y\n:\n4#1,99999999999:3\n"),
            CallSites::default()
        );
    }
}
