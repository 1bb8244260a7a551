//! A folder with a compiled class, for tests that run the program on it.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::Jdk;
use testkit::jdk::Options;

pub struct Place {
    dir: tempfile::TempDir,
    jdk: Jdk,
}

impl Place {
    /// With the class `a.NAME` and those nested in it in `classes`.
    pub fn new(name: &str, source: &str) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(format!("{name}.java"));
        fs::write(&file, source).unwrap();
        let jdk = Jdk::at_least(17).unwrap();
        let compiled = jdk.compile(&[file], &Options::default()).unwrap();
        let classes = dir.path().join("classes/a");
        fs::create_dir_all(&classes).unwrap();
        for class in fs::read_dir(compiled.join("a")).unwrap().map(Result::unwrap) {
            fs::copy(class.path(), classes.join(class.file_name())).unwrap();
        }
        Place { dir, jdk }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    #[allow(dead_code, reason = "not every test that has a place asks for it")]
    pub fn jdk_home(&self) -> &Path {
        &self.jdk.home
    }

    /// The program, run there.
    pub fn command(&self, verb: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
        command.args([verb, "-c", "classes"]).current_dir(self.path()).env("JAVA_HOME", &self.jdk.home);
        command
    }
}
