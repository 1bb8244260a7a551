//! A folder with a compiled class, for tests that run the program on it.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::Jdk;
use testkit::jdk::Options;

pub struct Place {
    dir: tempfile::TempDir,
    jdk: Jdk,
    class_path: String,
}

impl Place {
    /// With the class `a.NAME` and those nested in it in `classes`.
    pub fn new(name: &str, source: &str) -> Place {
        Place::of_release(17, name, source)
    }

    /// The same, compiled and run by a JDK of a release or a later one.
    pub fn of_release(release: u32, name: &str, source: &str) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(format!("{name}.java"));
        fs::write(&file, source).unwrap();
        let jdk = Jdk::at_least(release).unwrap();
        let compiled =
            jdk.compile(&[file], &Options { release: Some(release), ..Options::default() }).unwrap();
        let classes = dir.path().join("classes/a");
        fs::create_dir_all(&classes).unwrap();
        for class in fs::read_dir(compiled.join("a")).unwrap().map(Result::unwrap) {
            fs::copy(class.path(), classes.join(class.file_name())).unwrap();
        }
        Place { dir, jdk, class_path: "classes".to_string() }
    }

    /// With what is declared in a Kotlin file of package `a`, in `classes`.
    #[allow(dead_code, reason = "not every test that has a place asks for it")]
    pub fn of_kotlin(name: &str, source: &str) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(format!("{name}.kt"));
        fs::write(&file, source).unwrap();
        testkit::kotlin::compile_files(&[file], &dir.path().join("classes")).unwrap();
        let class_path = format!("classes:{}", testkit::kotlin::standard_library().display());
        Place { dir, jdk: Jdk::at_least(17).unwrap(), class_path }
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
        command
            .args([verb, "-c", &self.class_path])
            .current_dir(self.path())
            .env("JAVA_HOME", &self.jdk.home);
        command
    }
}
