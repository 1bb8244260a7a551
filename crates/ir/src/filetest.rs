//! Golden tests in the textual form: the header's commands, and expectations next to their cause.
//!
//! A `.tw` file starts with lines `test COMMAND ARGUMENT…`. After them comes a module. A comment `; KEY: text` is
//! an expectation of the commands that own the key; it belongs to the line of code it stands on, or, alone on
//! its line, to the nearest line of code above. Each command is run by the crate that knows how; all share
//! this reading, and the rewriting when `BLESS=1` is set.

use crate::text::{ParseError, Parsed, parse_module};
use crate::types::FuncId;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// All commands, and the key of the expectations each one owns. A driver runs those it knows and leaves the
/// others; a command that is not here is an error.
pub const COMMANDS: [(&str, &str); 6] = [
    ("roundtrip", "roundtrip"),
    ("verify", "error"),
    ("cfg", "cfg"),
    ("run", "run"),
    ("explore", "explore"),
    ("cover", "cover"),
];

/// One line of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub name: String,
    pub args: Vec<String>,
    pub line: u32,
}

/// What a comment expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    pub key: String,
    pub text: String,
    /// The line of code it belongs to; 0 if none stands above.
    pub code_line: u32,
    /// The line it stands on.
    pub line: u32,
}

/// A golden test as read. Lines count from 1.
#[derive(Clone, Debug)]
pub struct FileTest {
    pub commands: Vec<Command>,
    pub expectations: Vec<Expectation>,
    /// The module, the header blanked out so that lines keep their numbers.
    pub module: String,
    text: String,
}

impl FileTest {
    pub fn read(text: &str) -> Result<FileTest, String> {
        let mut commands = Vec::new();
        let mut expectations = Vec::new();
        let mut module = String::new();
        let mut in_header = true;
        let mut code_line = 0;
        for (i, line) in text.lines().enumerate() {
            let number = i as u32 + 1;
            let (code, comment) = split_comment(line);
            in_header &= code.trim().is_empty() || code.starts_with("test ");
            if in_header && !code.trim().is_empty() {
                let mut words = code.split_whitespace().skip(1).map(str::to_string);
                let name = words.next().unwrap_or_default();
                if !COMMANDS.iter().any(|(known, _)| *known == name) {
                    return Err(format!("{number}: unknown command `test {name}`"));
                }
                commands.push(Command { name, args: words.collect(), line: number });
                module.push('\n');
                continue;
            }
            module.push_str(line);
            module.push('\n');
            if !code.trim().is_empty() {
                code_line = number;
            }
            if let Some((key, text)) = comment.and_then(split_key) {
                let (key, text) = (key.to_string(), text.to_string());
                expectations.push(Expectation { key, text, code_line, line: number });
            }
        }
        if commands.is_empty() {
            return Err("the file has no `test` command".to_string());
        }
        Ok(FileTest { commands, expectations, module, text: text.to_string() })
    }

    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|c| c.name == name)
    }

    /// The expectations of a key, in order.
    pub fn expected<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s Expectation> + 's {
        self.expectations.iter().filter(move |e| e.key == key)
    }

    /// Compares what was found, as (code line, text), with what the file expects of the key. The order within
    /// one line of code counts.
    pub fn compare(&self, key: &str, found: &[(u32, String)]) -> Result<(), String> {
        let mut found = found.to_vec();
        found.sort_by_key(|(line, _)| *line);
        let mut expected: Vec<(u32, String)> =
            self.expected(key).map(|e| (e.code_line, e.text.clone())).collect();
        expected.sort_by_key(|(line, _)| *line);
        let mut message = String::new();
        for (line, text) in expected.iter().filter(|e| !found.contains(e)) {
            writeln!(message, "{line}: missing  ; {key}: {text}").expect("writing to a string");
        }
        for (line, text) in found.iter().filter(|f| !expected.contains(f)) {
            writeln!(message, "{line}: found    ; {key}: {text}").expect("writing to a string");
        }
        if message.is_empty() && found != expected {
            message = format!("the `{key}` expectations are right but not in this order or number");
        }
        if message.is_empty() { Ok(()) } else { Err(message) }
    }

    /// The file with the expectations of the key replaced by what was found: the first of a line of code on it,
    /// further ones on lines of their own below.
    pub fn bless(&self, key: &str, found: &[(u32, String)]) -> String {
        let mut out = String::new();
        for (i, line) in self.text.lines().enumerate() {
            let number = i as u32 + 1;
            let (code, comment) = split_comment(line);
            let owned = comment.and_then(split_key).is_some_and(|(k, _)| k == key);
            let mut texts = found.iter().filter(|(at, _)| *at == number).map(|(_, text)| text);
            match owned {
                true if code.trim().is_empty() => continue,
                true => out.push_str(code.trim_end()),
                false => out.push_str(line),
            }
            // Another key's comment already stands on the line: ours goes below.
            if (owned || comment.is_none())
                && let Some(text) = texts.next()
            {
                write!(out, "  ; {key}: {text}").expect("writing to a string");
            }
            out.push('\n');
            let indent = &code[..code.len() - code.trim_start().len()];
            for text in texts {
                writeln!(out, "{indent}; {key}: {text}").expect("writing to a string");
            }
        }
        out
    }

    /// Compares, or rewrites the file if `BLESS=1` is set.
    pub fn check(&self, path: &Path, key: &str, found: &[(u32, String)]) -> Result<(), String> {
        if !blessing() {
            return self.compare(key, found).map_err(|m| format!("{}:\n{m}", path.display()));
        }
        if self.compare(key, found).is_ok() {
            return Ok(());
        }
        std::fs::write(path, self.bless(key, found)).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The canonical text with this file's header, comments and blank lines kept. Instructions, blocks and headers of
    /// functions are found by their number, other lines by their text; a comment on a line that the canonical
    /// text does not have goes to a line of its own.
    pub fn with_canonical(&self, parsed: &Parsed, canonical: &str) -> Result<String, ParseError> {
        let new = parse_module(canonical)?;
        let old_keys = keys(parsed, &self.module);
        let new_keys = keys(&new, canonical);
        let new_lines: Vec<&str> = canonical.lines().collect();
        let mut out = String::new();
        let mut next = 0;
        for ((original, line), key) in self.text.lines().zip(self.module.lines()).zip(old_keys) {
            let (code, comment) = split_comment(line);
            let Some(key) = key else {
                out.push_str(original.trim_end());
                out.push('\n');
                continue;
            };
            let found = new_keys[next..].iter().position(|k| k.as_ref() == Some(&key));
            if let Some(found) = found {
                // What stands between is new; blank lines are the file's own affair.
                let between = new_lines[next..next + found].iter().filter(|l| !l.is_empty());
                between.for_each(|line| out.extend([*line, "\n"]));
                next += found + 1;
                out.push_str(new_lines[next - 1]);
                comment.iter().for_each(|comment| out.extend(["  ;", *comment]));
                out.push('\n');
            } else if let Some(comment) = comment {
                let indent = &code[..code.len() - code.trim_start().len()];
                out.extend([indent, ";", comment, "\n"]);
            }
        }
        new_lines[next..].iter().filter(|l| !l.is_empty()).for_each(|line| out.extend([*line, "\n"]));
        Ok(out)
    }
}

/// What identifies a line of code in two spellings of the same module.
#[derive(PartialEq)]
enum Key {
    Header(FuncId),
    Block(FuncId, usize),
    Inst(FuncId, usize),
    /// Any other line: the item it is part of, and what it says.
    Text(String, String),
}

/// The keys of all lines that have code.
fn keys(parsed: &Parsed, text: &str) -> Vec<Option<Key>> {
    let mut keys = Vec::new();
    let mut item: Option<String> = None;
    for (i, line) in text.lines().enumerate() {
        let code = split_comment(line).0.trim();
        if code.is_empty() {
            keys.push(None);
            continue;
        }
        // A function is known by its number, for its first line may be spelled in two ways.
        let function = parsed.lines.iter().find(|(_, lines)| lines.header == i as u32 + 1);
        let opened = function.map_or_else(|| code.to_string(), |(func, _)| func.to_string());
        let within = item.get_or_insert(opened).clone();
        keys.push(Some(Key::Text(within, code.to_string())));
        if !code.ends_with('{') && (code == "}" || item.as_deref() == Some(code)) {
            item = None;
        }
    }
    let mut put = |line: u32, key: Key| {
        if let Some(slot) = keys.get_mut(line as usize - 1) {
            *slot = Some(key);
        }
    };
    for (func, lines) in &parsed.lines {
        put(lines.header, Key::Header(*func));
        lines.blocks.iter().enumerate().for_each(|(i, line)| put(*line, Key::Block(*func, i)));
        lines.insts.iter().enumerate().for_each(|(i, line)| put(*line, Key::Inst(*func, i)));
    }
    keys
}

/// Whether expectations are rewritten instead of compared.
pub fn blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|v| v == "1")
}

/// All golden tests under a folder, by name.
pub fn discover(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(discover(&path)?);
        } else if path.extension().is_some_and(|e| e == "tw") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The code of a line without comment and header, blanks at the end trimmed, and the comment without its `;`.
pub fn split_comment(line: &str) -> (&str, Option<&str>) {
    let mut in_string = false;
    let mut escaped = false;
    for (i, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            ';' if !in_string => return (line[..i].trim_end(), Some(&line[i + 1..])),
            _ => {}
        }
    }
    (line.trim_end(), None)
}

/// `KEY: text` of a comment, if the key belongs to a command.
fn split_key(comment: &str) -> Option<(&str, &str)> {
    let (key, text) = comment.split_once(':')?;
    let key = key.trim();
    COMMANDS.iter().any(|(_, known)| *known == key).then(|| (key, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "test verify\n; words\n\nfunc @f() {\nb0:\n  ret  ; error: a ; b\n  ; error: second\n}\n; run: @f() returns\n";

    #[test]
    fn expectations_belong_to_the_code_they_stand_at() {
        let test = FileTest::read(TEXT).unwrap();
        assert_eq!(test.commands, [Command { name: "verify".into(), args: vec![], line: 1 }]);
        let at: Vec<_> =
            test.expectations.iter().map(|e| (e.key.as_str(), e.text.as_str(), e.code_line)).collect();
        assert_eq!(at, [("error", "a ; b", 6), ("error", "second", 6), ("run", "@f() returns", 8)]);
        assert!(test.module.starts_with("\n; words\n"), "{}", test.module);
    }

    #[test]
    fn blessing_replaces_only_the_expectations_of_its_key() {
        let test = FileTest::read(TEXT).unwrap();
        let found = [(6, "new".to_string()), (8, "end".to_string()), (8, "of it".to_string())];
        let blessed = test.bless("error", &found);
        let expected = "test verify\n; words\n\nfunc @f() {\nb0:\n  ret  ; error: new\n}  ; error: end\n; error: of it\n; run: @f() returns\n";
        assert_eq!(blessed, expected);
        let again = FileTest::read(&blessed).unwrap();
        // A line went: what stood at line 8 is at line 7 now.
        let moved = [(6, "new".to_string()), (7, "end".to_string()), (7, "of it".to_string())];
        assert_eq!(again.compare("error", &moved), Ok(()));
        assert_eq!(again.bless("error", &moved), blessed);
    }

    #[test]
    fn a_difference_names_what_is_missing_and_what_was_found() {
        let test = FileTest::read(TEXT).unwrap();
        let message = test.compare("error", &[(6, "a ; b".into()), (5, "x".into())]).unwrap_err();
        assert_eq!(message, "6: missing  ; error: second\n5: found    ; error: x\n");
    }

    #[test]
    fn comments_follow_their_code_into_the_canonical_text() {
        let text = "test run\n\nfunc @f() -> i32 {\n  %0: i32 \"n\"  ; kept\nb0:\n; words\n   %0 = const.i32 1 ; run: x\n  ret.val %0\n}\n";
        let test = FileTest::read(text).unwrap();
        let parsed = parse_module(&test.module).unwrap();
        let canonical = crate::text::print_module(&parsed.module);
        let expected = "test run\n\nfunc @f() -> i32 {\n  ; kept\nb0:\n; words\n  %0: i32 \"n\" = const.i32 1  ; run: x\n  ret.val %0\n}\n";
        assert_eq!(test.with_canonical(&parsed, &canonical).unwrap(), expected);
    }

    #[test]
    fn a_class_that_stood_below_moves_up_and_disturbs_no_expectation() {
        let text = "test run\n\nfunc @f() {\nb0:\n  ret  ; run: one\n}\n\nclass A {\n}\n\nfunc @g() {\nb0:\n  ret  ; run: two\n}\n";
        let test = FileTest::read(text).unwrap();
        let parsed = parse_module(&test.module).unwrap();
        let canonical = crate::text::print_module(&parsed.module);
        let moved = test.with_canonical(&parsed, &canonical).unwrap();
        let code: Vec<&str> = moved.lines().filter(|l| !l.is_empty()).collect();
        let expected = "test run\nclass A {\n}\nfunc @f() {\nb0:\n  ret  ; run: one\n}\nfunc @g() {\nb0:\n  ret  ; run: two\n}";
        assert_eq!(code.join("\n"), expected);
    }

    #[test]
    fn a_misspelled_command_is_an_error() {
        assert_eq!(FileTest::read("test verfy\n").unwrap_err(), "1: unknown command `test verfy`");
        assert!(FileTest::read("func @f() {\n").is_err());
    }

    #[test]
    fn a_semicolon_in_a_string_starts_no_comment() {
        assert_eq!(split_comment(r#"  %0 = str "a;\"b" ; c"#), (r#"  %0 = str "a;\"b""#, Some(" c")));
    }
}
