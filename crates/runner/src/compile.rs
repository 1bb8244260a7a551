//! Compiles a batch with one `javac` (and one Kotlin compiler), and when that fails, with the tests at fault spelled
//! otherwise, or without them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use emit::java::{Rendered, Span};

use crate::Error;
use crate::process::End;
use crate::workspace::{Environment, Workspace, absolute, join_path, run_tool};

/// Each round mends or takes out what the last one complained about; javac reports by phases, so a few rounds suffice.
const MAX_ROUNDS: usize = 8;

/// One source file and the cases in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSource {
    /// Relative, as the package demands.
    pub path: PathBuf,
    pub text: String,
    pub spans: Vec<Span>,
    /// First and last lines of what cases share.
    pub shared: Vec<(usize, usize)>,
}

impl TestSource {
    pub fn new(path: PathBuf, rendered: Rendered) -> TestSource {
        let Rendered { text, spans, shared } = rendered;
        TestSource { path, text, spans, shared }
    }
}

/// A file and a case's index in its spans.
pub(crate) type CaseId = (usize, usize);

/// A case that does not compile.
pub struct Faulty<'a> {
    /// Index of its file.
    pub source: usize,
    pub case: &'a str,
    pub complaint: &'a str,
}

/// Spells cases that do not compile otherwise, and gives all sources anew, with the same cases in the same order. Each
/// case is mended once.
pub type Mend<'a> = Option<&'a mut dyn FnMut(&[Faulty<'_>]) -> Vec<TestSource>>;

pub(crate) struct Compiled {
    /// Cases that were left out, with javac's complaint.
    pub rejected: BTreeMap<CaseId, String>,
    /// The time for everything was over before the compiler was done: there are no classes.
    pub late: bool,
}

/// Compiles `sources` and `extra` (files of ours, which must compile) into the workspace's classes.
pub(crate) fn compile(
    environment: &Environment,
    workspace: &Workspace,
    jars: &[PathBuf],
    sources: &mut Vec<TestSource>,
    extra: &[(&str, &str)],
    mut mend: Mend<'_>,
) -> Result<Compiled, Error> {
    let src = workspace.src();
    let mut rejected: BTreeMap<CaseId, String> = BTreeMap::new();
    let mut mended: BTreeSet<CaseId> = BTreeSet::new();
    let mut texts: Vec<String> = sources.iter().map(|source| source.text.clone()).collect();
    let mut files: Vec<PathBuf> = sources.iter().map(|source| src.join(&source.path)).collect();
    for (path, text) in extra {
        workspace.write(&src.join(path), text)?;
        files.push(src.join(path));
    }
    // What is Kotlin's is compiled after all that is Java's.
    let (kotlin, java): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|file| is_kotlin(file));
    let mut java_done = java.is_empty();
    for _ in 0..MAX_ROUNDS {
        for (source, text) in sources.iter().zip(&texts) {
            workspace.write(&src.join(&source.path), text)?;
        }
        let mut complaints = Vec::new();
        if !java_done {
            complaints = match javac(environment, workspace, jars, &java)? {
                Compiler::Said(complaints) => complaints,
                Compiler::Late => return Ok(Compiled { rejected, late: true }),
            };
            java_done = complaints.is_empty();
        }
        if java_done && !kotlin.is_empty() {
            complaints = match crate::kotlin::kotlinc(environment, workspace, jars, &kotlin)? {
                Compiler::Said(complaints) => complaints,
                Compiler::Late => return Ok(Compiled { rejected, late: true }),
            };
        }
        if complaints.is_empty() {
            return Ok(Compiled { rejected, late: false });
        }
        let mut faulty: BTreeMap<CaseId, String> = BTreeMap::new();
        let mut helpless = None;
        for complaint in &complaints {
            let Some(file) =
                files.iter().position(|file| *file == complaint.file).filter(|i| *i < sources.len())
            else {
                helpless.get_or_insert(complaint);
                continue;
            };
            let TestSource { spans, shared, .. } = &sources[file];
            let within = |(first, last): &(usize, usize)| (*first..=*last).contains(&complaint.line);
            match spans.iter().position(|s| (s.first..=s.last).contains(&complaint.line)) {
                Some(case) => {
                    faulty.entry((file, case)).or_insert_with(|| complaint.message.clone());
                }
                // An import that cannot be resolved: without it, the cases that need it are complained about.
                None if is_import(&texts[file], complaint.line) => {
                    blank(&mut texts[file], complaint.line, complaint.line);
                }
                // Likewise where something that some of them share is at fault.
                None if shared.iter().any(within) => {
                    for (first, last) in shared.iter().copied().filter(within) {
                        blank(&mut texts[file], first, last);
                    }
                }
                // Nothing smaller is at fault than the file itself.
                None => {
                    for case in (0..spans.len()).filter(|case| !rejected.contains_key(&(file, *case))) {
                        faulty.entry((file, case)).or_insert_with(|| complaint.message.clone());
                    }
                }
            }
        }
        if let (Some(complaint), true) = (helpless, faulty.is_empty()) {
            let message = format!("{}:{}: {}", complaint.file.display(), complaint.line, complaint.message);
            return Err(Error::Tool { tool: "javac", message });
        }
        if let Some(mend) = &mut mend {
            let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) =
                faulty.into_iter().partition(|(id, _)| mended.contains(id));
            faulty = old;
            if !new.is_empty() {
                let name = |id: &CaseId| sources[id.0].spans[id.1].case.as_str();
                let faulty: Vec<Faulty<'_>> = new
                    .iter()
                    .map(|(id, complaint)| Faulty { source: id.0, case: name(id), complaint })
                    .collect();
                let otherwise = mend(&faulty);
                let same = otherwise.iter().zip(sources.iter()).all(|(new, old)| new.text == old.text);
                if same {
                    // There is no other way to spell them.
                    rejected.extend(new);
                } else {
                    *sources = otherwise;
                    texts = sources.iter().map(|source| source.text.clone()).collect();
                    mended.extend(new.into_keys());
                }
            }
        }
        rejected.extend(faulty);
        for (file, case) in rejected.keys() {
            let span = &sources[*file].spans[*case];
            blank(&mut texts[*file], span.first, span.last);
        }
    }
    // Whatever is still wrong is not worth more rounds: nothing of this batch is compiled.
    for (file, source) in sources.iter().enumerate() {
        for case in 0..source.spans.len() {
            rejected.entry((file, case)).or_insert_with(|| "its file could not be compiled".into());
        }
    }
    Ok(Compiled { rejected, late: false })
}

/// What came of running a compiler.
pub(crate) enum Compiler {
    /// No complaints: the classes are there.
    Said(Vec<Complaint>),
    /// It was stopped because the time for everything was over.
    Late,
}

pub(crate) struct Complaint {
    pub file: PathBuf,
    pub line: usize,
    pub message: String,
}

fn javac(
    environment: &Environment,
    workspace: &Workspace,
    jars: &[PathBuf],
    files: &[PathBuf],
) -> Result<Compiler, Error> {
    let mut class_path = absolute(jars);
    class_path.extend(absolute(&environment.class_path));
    let mut args: Vec<OsString> = [
        "-J-XX:TieredStopAtLevel=1",
        "-J-XX:+UseSerialGC",
        "-J-Xshare:auto",
        "-J-Duser.language=en",
        "-g",
        "-encoding",
        "UTF-8",
        "-proc:none",
        "-Xlint:none",
        "-nowarn",
        "-Xmaxerrs",
        "1000000",
        "-implicit:none",
        "-d",
    ]
    .into_iter()
    .map(OsString::from)
    .collect();
    args.push(workspace.classes().into());
    let release = environment.jdk.javac_release.or(environment.preview);
    args.extend(environment.preview.map(|_| OsString::from("--enable-preview")));
    if let Some(release) = release {
        args.extend(["--release".into(), release.to_string().into()]);
    }
    // Without it javac would compile sources that happen to lie on the class path.
    args.extend([OsString::from("-sourcepath"), workspace.src().into()]);
    args.extend([OsString::from("-cp"), join_path(&class_path)]);
    args.extend(files.iter().map(|file| file.clone().into_os_string()));
    let limits = crate::process::Limits { output: 64 << 20, ..environment.limits };
    let environment = Environment { limits, ..environment.clone() };
    let finished = run_tool(&environment, &environment.jdk.javac, args, workspace.path(), absolute(jars))?;
    if finished.succeeded() {
        return Ok(Compiler::Said(Vec::new()));
    }
    if finished.end == End::Late {
        return Ok(Compiler::Late);
    }
    let complaints = parse(&finished.stderr, files);
    if complaints.is_empty() {
        let message = match finished.end {
            End::TimedOut => format!("no end after {:?}", environment.limits.wall),
            End::Code(_) | End::Signal(_) | End::Late => finished.last_words(),
        };
        return Err(Error::Tool { tool: "javac", message });
    }
    Ok(Compiler::Said(complaints))
}

/// `path/File.java:12: error: message`, further lines belonging to it until the next such line.
fn parse(output: &str, files: &[PathBuf]) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> = Vec::new();
    for line in output.lines() {
        let head = files.iter().find_map(|file| {
            let rest = line.strip_prefix(file.to_str()?)?.strip_prefix(':')?;
            let (number, message) = rest.split_once(": error: ")?;
            Some(Complaint { file: file.clone(), line: number.parse().ok()?, message: message.to_owned() })
        });
        match (head, complaints.last_mut()) {
            (Some(complaint), _) => complaints.push(complaint),
            // `symbol:` and `location:` say what could not be found; source lines and carets say nothing new.
            (None, Some(last)) if line.trim_start().starts_with("symbol:") => {
                last.message.push_str(&format!(" ({})", squeeze(line)));
            }
            (None, _) => {}
        }
    }
    complaints
}

fn is_kotlin(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "kt")
}

fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_import(text: &str, line: usize) -> bool {
    text.lines().nth(line.saturating_sub(1)).is_some_and(|line| line.starts_with("import "))
}

/// Empties lines, so that all others keep their numbers.
fn blank(text: &mut String, first: usize, last: usize) {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if (first..=last).contains(&(i + 1)) {
            out.push('\n');
        } else {
            out.push_str(line);
        }
    }
    *text = out;
}

/// Whether a path stays below the directory it is joined to.
pub(crate) fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_read_with_the_symbol_that_is_missing() {
        let files = [PathBuf::from("/w/src/a/B.java")];
        let output = "/w/src/a/B.java:12: error: cannot find symbol\n    x();\n    ^\n  symbol:   method x()\n\
                      /w/src/a/B.java:20: error: ';' expected\n2 errors\n";
        let complaints = parse(output, &files);
        let seen: Vec<(usize, &str)> = complaints.iter().map(|c| (c.line, c.message.as_str())).collect();
        assert_eq!(seen, [(12, "cannot find symbol (symbol: method x())"), (20, "';' expected")]);
    }

    #[test]
    fn blanking_keeps_line_numbers() {
        let mut text = "a\nb\nc\nd\n".to_owned();
        blank(&mut text, 2, 3);
        assert_eq!(text, "a\n\n\nd\n");
    }
}
