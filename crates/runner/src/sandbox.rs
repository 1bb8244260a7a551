//! Isolation of a run: no network, the host read-only but for one private directory.
//!
//! Bubblewrap where it works, bare namespaces where they do, otherwise none, and then the caller decides
//! whether the code is trusted. "Works" is tried out, not guessed: containers and hardened kernels forbid parts.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::process::{Limits, run};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isolation {
    Bubblewrap,
    Namespaces,
    /// Only the process group, time, memory and file size limits hold.
    None,
}

/// Directories where sockets and other programs' files live; hidden unless something in them is needed.
const HIDDEN: [&str; 4] = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

impl Isolation {
    /// The strongest isolation that works here. Tried once a process.
    pub fn detect() -> Isolation {
        static FOUND: OnceLock<Isolation> = OnceLock::new();
        *FOUND.get_or_init(|| {
            [Isolation::Bubblewrap, Isolation::Namespaces]
                .into_iter()
                .find(|isolation| isolation.works())
                .unwrap_or(Isolation::None)
        })
    }

    /// Whether a run isolated this way can write its own directory, cannot write another, and sees no network.
    pub fn works(self) -> bool {
        let (Ok(private), Ok(outside)) = (tempfile::tempdir(), tempfile::tempdir()) else { return false };
        let script = "echo ok > \"$1/inside\" || exit 1\n\
                      (echo bad > \"$2/outside\") 2>/dev/null\n\
                      test \"$(grep -c : /proc/net/dev)\" -le 1";
        let args: Vec<OsString> = [OsStr::new("-c"), OsStr::new(script), OsStr::new("sh")]
            .into_iter()
            .chain([private.path().as_os_str(), outside.path().as_os_str()])
            .map(OsStr::to_owned)
            .collect();
        let limits = Limits { wall: Duration::from_secs(10), ..Limits::default() };
        let job = Job {
            program: PathBuf::from("/bin/sh"),
            args,
            private: private.path().to_path_buf(),
            readable: Vec::new(),
            env: Vec::new(),
        };
        let finished = run(self.command(&job, &limits), &limits);
        finished.is_ok_and(|finished| finished.succeeded())
            && private.path().join("inside").exists()
            && !outside.path().join("outside").exists()
    }

    /// The command that runs `job` isolated this way.
    pub fn command(self, job: &Job, limits: &Limits) -> Command {
        let private = real(&job.private);
        // The shell only sets the file size limit (in blocks of 512 bytes) and becomes the program.
        let blocks = u64::from(limits.file_mb) * 2048;
        let mut inner: Vec<OsString> =
            ["/bin/sh", "-c", "ulimit -f $0; exec \"$@\""].into_iter().map(OsString::from).collect();
        inner.push(blocks.to_string().into());
        inner.push(job.program.clone().into());
        inner.extend(job.args.iter().cloned());
        let mut command = match self {
            Isolation::Bubblewrap => bubblewrap(job, &private),
            Isolation::Namespaces => namespaces(job, &private),
            Isolation::None => {
                let mut command = Command::new(&inner[0]);
                inner.remove(0);
                command.current_dir(&private);
                command
            }
        };
        command.args(inner).env_clear();
        for (key, value) in environment(&private).into_iter().chain(job.env.iter().cloned()) {
            command.env(key, value);
        }
        command
    }
}

/// A program to be run in a sandbox.
#[derive(Clone, Debug)]
pub struct Job {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The one directory it may write; also its working, home and temporary directory.
    pub private: PathBuf,
    /// What it must be able to read, wherever that is.
    pub readable: Vec<PathBuf>,
    pub env: Vec<(OsString, OsString)>,
}

/// The same environment everywhere: what a test sees must not depend on who runs it.
fn environment(private: &Path) -> Vec<(OsString, OsString)> {
    [
        ("PATH", OsStr::new("/usr/local/bin:/usr/bin:/bin")),
        ("LANG", OsStr::new("C.UTF-8")),
        ("HOME", private.as_os_str()),
        ("TMPDIR", private.as_os_str()),
    ]
    .into_iter()
    .map(|(key, value)| (OsString::from(key), value.to_owned()))
    .collect()
}

/// The program of that name on the `PATH` we were given; the run itself gets a `PATH` of its own.
fn on_path(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found =
        std::env::split_paths(&path).map(|folder| folder.join(name)).filter(|file| file.is_file());
    found.next().unwrap_or_else(|| Path::new("/nonexistent").join(name))
}

fn bubblewrap(job: &Job, private: &Path) -> Command {
    let mut command = Command::new(on_path("bwrap"));
    command.args(["--unshare-all", "--die-with-parent", "--new-session"]);
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    for dir in HIDDEN.into_iter().filter(|dir| is_real_dir(dir)) {
        command.args(["--tmpfs", dir]);
    }
    for path in hidden_but_needed(job) {
        command.arg("--ro-bind").arg(&path).arg(&path);
    }
    command.arg("--bind").arg(private).arg(private).arg("--chdir").arg(private).arg("--");
    command
}

/// What of the job lies in a directory that is hidden.
fn hidden_but_needed(job: &Job) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = job
        .readable
        .iter()
        .chain([&job.program])
        .flat_map(|path| [path.clone(), real(path)])
        .filter(|path| HIDDEN.iter().any(|dir| path.starts_with(dir)) && path.exists())
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// `unshare` and a script that makes every mount read-only. Mount options that are in force must be repeated, the
/// kernel lets nobody in a user namespace drop them.
fn namespaces(job: &Job, private: &Path) -> Command {
    const SCRIPT: &str = r#"
private=$1; shift
mount --make-rprivate / || exit 120
mount --bind "$private" "$private" || exit 120
while read -r _ _ _ _ target options _; do
    target=$(printf '%b' "$target")
    case $target in "$private"|/proc|/proc/*|/dev|/dev/*|/sys|/sys/*) continue ;; esac
    case $options in ro*) continue ;; esac
    mount -o "remount,bind,ro${options#rw}" "$target" || exit 120
done < /proc/self/mountinfo
if [ "$HIDE_RUN" = 1 ]; then mount -t tmpfs tmpfs /run || exit 120; fi
unset HIDE_RUN
cd "$private" || exit 120
exec "$@"
"#;
    let hide_run = !job.readable.iter().any(|path| real(path).starts_with("/run")) && is_real_dir("/run");
    let mut command = Command::new(on_path("unshare"));
    command.args(["--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts", "--pid", "--fork"]);
    command.args(["--kill-child", "--mount-proc", "--"]);
    command.args(["env", if hide_run { "HIDE_RUN=1" } else { "HIDE_RUN=0" }]);
    command.args(["/bin/sh", "-c", SCRIPT, "sh"]).arg(private);
    command
}

fn is_real_dir(path: &str) -> bool {
    // A symbolic link (/var/run) is reached through its target.
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_isolation_the_test_of_it_says_so() {
        assert!(!Isolation::None.works());
    }

    #[test]
    fn an_isolated_run_reads_what_it_is_given_and_writes_only_its_own() {
        // Those that this machine allows; without any, `detect` says none and there is nothing to test.
        let allowed = [Isolation::Bubblewrap, Isolation::Namespaces].into_iter().filter(|i| i.works());
        for isolation in allowed {
            let (private, given, other) =
                (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            fs::write(given.path().join("x"), "given").unwrap();
            fs::write(other.path().join("x"), "other").unwrap();
            let script = "cat $1/x; touch $1/y 2>/dev/null || echo -readonly; pwd; echo $HOME; touch here";
            let job = Job {
                program: "/bin/sh".into(),
                args: vec!["-c".into(), script.into(), "sh".into(), given.path().into()],
                private: private.path().to_path_buf(),
                readable: vec![given.path().to_path_buf()],
                env: Vec::new(),
            };
            let limits = Limits::default();
            let finished = run(isolation.command(&job, &limits), &limits).unwrap();
            let dir = real(private.path()).display().to_string();
            let expected = format!("given-readonly\n{dir}\n{dir}\n");
            assert_eq!(finished.stdout, expected, "{isolation:?}: {}", finished.stderr);
            assert!(private.path().join("here").exists());
            if isolation == Isolation::Bubblewrap {
                let args = vec![other.path().join("x").into()];
                let job = Job { program: "/bin/cat".into(), args, ..job };
                assert!(!run(isolation.command(&job, &limits), &limits).unwrap().succeeded());
            }
        }
    }

    #[test]
    fn files_are_limited_in_size() {
        let private = tempfile::tempdir().unwrap();
        let job = Job {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), "head -c 3000000 /dev/zero > big".into()],
            private: private.path().to_path_buf(),
            readable: Vec::new(),
            env: Vec::new(),
        };
        let limits = Limits { file_mb: 1, ..Limits::default() };
        run(Isolation::None.command(&job, &limits), &limits).unwrap();
        assert!(fs::metadata(private.path().join("big")).unwrap().len() <= 1 << 20);
    }
}
