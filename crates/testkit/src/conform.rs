//! The platform's public methods, called on the real JVM with random and boundary arguments.
//!
//! `java/conform` has the parts: `Plan` writes one Java method a public member of the JDK (arguments made by `Gen`, the
//! result, the receiver and the arguments shown as text by `Show`), `Main` runs them on the JVM. The same classes can
//! be run elsewhere, and must give the same texts.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::jdk::{Jdk, Options, workspace};
use crate::{Error, Result};

/// The calls that were written and compiled.
pub struct Conform {
    pub class_path: Vec<PathBuf>,
    pub members: Vec<Member>,
    jdk: Jdk,
}

/// A public constructor or method.
#[derive(Clone, Debug)]
pub struct Member {
    /// `java.util.BitSet#flip(int)`.
    pub name: String,
    /// Where its calls are, or why there are none.
    pub calls: std::result::Result<Place, String>,
}

/// The class of the calls and the number of the method there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub class: String,
    pub number: u32,
}

/// A call as the JVM answered it.
#[derive(Clone, Debug)]
pub struct Answered {
    pub seed: i64,
    pub text: String,
}

/// How the other machine orders `Set.of`.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub salt: i64,
    pub reverse: bool,
}

impl Member {
    /// `java.util`.
    pub fn package(&self) -> &str {
        let class = self.name.split('#').next().unwrap_or_default();
        // Nested classes are written with a dollar, so that the last dot ends the package.
        class.rsplit_once('.').map_or("", |(package, _)| package)
    }
}

impl Conform {
    /// Writes and compiles calls for the classes whose names match (`java.util.*`, `java.lang.Math`).
    pub fn plan(jdk: &Jdk, selected: &[&str]) -> Result<Conform> {
        let sources = workspace().join("crates/testkit/java/conform");
        let own = ["Gen", "Main", "Out", "Plan", "Show"].map(|name| sources.join(format!("{name}.java")));
        let harness = jdk.compile(&own, &Options::default())?;
        let key = crate::rng::fnv(format!("{} {selected:?}", jdk.home.display()).as_bytes());
        let folder = workspace().join(format!("target/conform/{}-{key:016x}", std::process::id()));
        let done = (|| {
            let mut command = Command::new(jdk.java());
            command.arg("-cp").arg(&harness).arg("conform.Plan").arg(&folder);
            command.args(["excluded.txt", "recipes.txt", "uncompilable.txt"].map(|name| sources.join(name)));
            let output = command.args(selected).output().map_err(|e| Error::Oracle(e.to_string()))?;
            if !output.status.success() {
                return Err(Error::Oracle(String::from_utf8_lossy(&output.stderr).into_owned()));
            }
            let index = folder.join("index.txt");
            let index = std::fs::read_to_string(&index).map_err(|e| Error::file(&index, e))?;
            let members = index.lines().filter_map(Member::decode).collect();
            let options = Options {
                extra: vec!["-cp".into(), harness.display().to_string(), "-Xmaxerrs".into(), "10000".into()],
                ..Options::default()
            };
            let calls = jdk.compile(&stable(&folder, key)?, &options)?;
            Ok(Conform { class_path: vec![harness.clone(), calls], members, jdk: jdk.clone() })
        })();
        let _ = std::fs::remove_dir_all(&folder);
        done
    }

    /// The JVM's answers: up to so many calls of each method of these classes.
    pub fn ask(&self, classes: &[&str], calls: u32, order: Order) -> Result<BTreeMap<Place, Vec<Answered>>> {
        self.run(classes, calls, order, "")
    }

    /// One call in a JVM of its own: none before it has left anything in a cache.
    pub fn ask_alone(&self, place: &Place, seed: i64, order: Order) -> Result<Option<Answered>> {
        let only = format!("{} {seed}", place.number);
        let mut answers = self.run(&[&place.class], 1, order, &only)?;
        Ok(answers.remove(place).and_then(|answers| answers.into_iter().next()))
    }

    fn run(
        &self,
        classes: &[&str],
        calls: u32,
        order: Order,
        only: &str,
    ) -> Result<BTreeMap<Place, Vec<Answered>>> {
        let class_path: Vec<String> = self.class_path.iter().map(|path| path.display().to_string()).collect();
        let mut child = Command::new(self.jdk.java())
            .args(["-Xmx512m", "-Xss1m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable"])
            .args(["-XX:-OmitStackTraceInFastThrow", "-Dfile.encoding=UTF-8"])
            // Messages that the machine makes of the code that was compiled.
            .arg("-XX:-ShowCodeDetailsInExceptionMessages")
            // `Math` as precise as `StrictMath`; exceptions of compiled code as those of interpreted code.
            .args(["-XX:+UnlockDiagnosticVMOptions", "-XX:-UseLibmIntrinsic"])
            .arg(match self.jdk.version {
                ..=17 => "-XX:DisableIntrinsic=_checkIndex",
                _ => "-XX:DisableIntrinsic=_Preconditions_checkIndex",
            })
            // Compiled before the order of `Set.of` is set.
            .args([
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=exclude,java.util.ImmutableCollections*::*",
            ])
            .args(["-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC"])
            .arg(format!("-Dconform.only={only}"))
            .args(["-cp", &class_path.join(":"), "conform.Main"])
            .args([calls.to_string(), (calls * 3).to_string()])
            .args([order.salt.to_string(), order.reverse.to_string()])
            .args(classes.iter().map(|class| format!("conform.{class}")))
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|e| Error::Oracle(e.to_string()))?;
        let output = child.stdout.take().ok_or_else(|| Error::Oracle("no standard output".into()))?;
        let mut answers: BTreeMap<Place, Vec<Answered>> = BTreeMap::new();
        for line in BufReader::new(output).lines() {
            let line = line.map_err(|e| Error::Oracle(e.to_string()))?;
            let (place, answered) =
                decode(&line).ok_or_else(|| Error::Oracle(format!("not an answer: {line}")))?;
            answers.entry(place).or_default().push(answered);
        }
        let status = child.wait().map_err(|e| Error::Oracle(e.to_string()))?;
        if !status.success() {
            return Err(Error::Oracle(format!("the JVM ended with {status} in {classes:?}")));
        }
        Ok(answers)
    }
}

impl Member {
    fn decode(line: &str) -> Option<Member> {
        let mut parts = line.splitn(4, ' ');
        let (class, number, name) = (parts.next()?, parts.next()?, parts.next()?);
        let calls = match class {
            "-" => Err(parts.next().unwrap_or_default().to_string()),
            _ => Ok(Place { class: class.to_string(), number: number.parse().ok()? }),
        };
        Some(Member { name: name.to_string(), calls })
    }
}

fn decode(line: &str) -> Option<(Place, Answered)> {
    let mut parts = line.splitn(4, ' ');
    let (class, number, seed) = (parts.next()?, parts.next()?, parts.next()?);
    let place = Place { class: class.to_string(), number: number.parse().ok()? };
    Some((place, Answered { seed: seed.parse().ok()?, text: parts.next()?.to_string() }))
}

/// The written files under names that do not change from run to run, so that their compilation is found again.
fn stable(folder: &Path, key: u64) -> Result<Vec<PathBuf>> {
    let home = workspace().join(format!("target/conform/{key:016x}"));
    std::fs::create_dir_all(&home).map_err(|e| Error::file(&home, e))?;
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|e| Error::file(folder, e))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if Path::new(&name).extension().is_some_and(|ext| ext == "java") {
            let to = home.join(&name);
            std::fs::rename(entry.path(), &to).map_err(|e| Error::file(&to, e))?;
            files.push(to);
        }
    }
    files.sort();
    Ok(files)
}

/// The text without what identity hashes and names of made-up classes add to it (`Object@1b2c3d`, `Make$$Lambda$1`).
pub fn without_identity(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split("$$Lambda");
    let mut plain = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        plain.push_str("$$Lambda");
        plain.push_str(piece.find('@').map_or("", |at| &piece[at..]));
    }
    let mut rest = plain.as_str();
    while let Some(at) = rest.find('@') {
        out.push_str(&rest[..=at]);
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit() || ('a'..='f').contains(&c));
    }
    out.push_str(rest);
    out
}
