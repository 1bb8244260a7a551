//! The user's existing tests as examples of inputs: they are run in a machine of their own, which has them on its
//! class path, so that none of their classes is taken for the program's.

use std::sync::Arc;

use emit::java::Framework;
use jvm::boot::{BootOptions, boot};
use jvm::examples::{Heard, has_tests, listen, mentions};
use jvm::load::{ClassFile, ClassPath};
use jvm::world::Jvm;
use runner::junit::JunitJars;
use vm::Vm;

use crate::config::Config;
use crate::error::Error;

pub struct Examples {
    vm: Vm<Jvm>,
    program: Arc<ClassPath>,
    tests: Arc<[ClassFile]>,
}

impl Examples {
    /// A machine for the tests that the options name; none if they name none.
    pub fn boot(config: &Config, program: &Arc<ClassPath>) -> Result<Option<Examples>, Error> {
        if config.tests.is_empty() {
            return Ok(None);
        }
        let path = ClassPath::new(program.jdk().clone(), &config.tests)?;
        let files = path.list_all()?.into_iter().filter_map(|name| path.load(&name).ok().flatten());
        let tests: Arc<[ClassFile]> = files.map(|(file, _)| file).filter(has_tests).collect();
        let mut class_path = config.class_path.clone();
        class_path.extend(config.tests.iter().cloned());
        let both = [
            (Framework::Junit5, "org/junit/jupiter/api/Assertions"),
            (Framework::Junit4, "org/junit/Assert"),
        ];
        for (framework, class) in both {
            // Without it a test is heard up to its first assertion.
            if tests.iter().any(|file| mentions(file, class))
                && let Ok(junit) = JunitJars::find(framework, &class_path)
            {
                class_path.extend(junit.jars);
            }
        }
        let options = BootOptions::new(program.jdk().clone(), class_path);
        let vm = boot(&options)
            .map_err(|why| Error::Boot { home: program.jdk().home.clone(), why: why.to_string() })?;
        Ok(Some(Examples { vm, program: program.clone(), tests }))
    }

    pub fn fork(&mut self) -> Examples {
        Examples { vm: self.vm.fork(), program: self.program.clone(), tests: self.tests.clone() }
    }

    /// The calls of the program by tests that name a class.
    pub fn of(&mut self, class: &str) -> Vec<Heard> {
        let named = self.tests.iter().filter(|file| mentions(file, class));
        let names: Vec<String> = named.map(|file| file.name.to_string()).collect();
        if names.is_empty() { Vec::new() } else { listen(&mut self.vm, &self.program, &names) }
    }
}
