//! What a user asks for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use coverage::Criterion;
use jvm::input::Known;

/// Everything that `testwright generate` can be told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Directories and jars.
    pub class_path: Vec<PathBuf>,
    /// Directories with source files, for reports.
    pub source_path: Vec<PathBuf>,
    /// Targets as the user wrote them.
    pub targets: Vec<String>,
    /// Where test sources go.
    pub out: Option<PathBuf>,
    /// A JDK home, if not the one that is found.
    pub jdk: Option<PathBuf>,
    pub criterion: Criterion,
    pub criterion_options: coverage::Options,
    /// As [`explore::strategy::by_name`] spells it.
    pub strategy: String,
    pub framework: Framework,
    pub budget: Budget,
    pub seed: u64,
    /// Workers of an exploration; what is found does not depend on their number.
    pub jobs: usize,
    /// Times by stage are the processor's, not the clock's: for figures on a busy machine.
    pub processor_time: bool,
    /// An interrupt ends all: nothing is written of what was found and not yet written.
    pub discard: bool,
    /// Explore every path, also those that add no obligation.
    pub exhaustive: bool,
    /// Which of the runs become tests.
    pub suite: Suite,
    /// Compile and run the tests on the real JVM.
    pub run: bool,
    /// Confirm even where the run cannot be isolated.
    pub trust: bool,
    /// Package-private methods are targets too.
    pub package_private: bool,
    /// How objects come by their state.
    pub construct: Construct,
    /// Run the written tests under JaCoCo and tell what they cover.
    pub measure: bool,
    /// Where the journals of explorations are kept that could be cut off; none if that does not matter.
    pub journal: Option<PathBuf>,
    /// Go on with what the journals say.
    pub resume: bool,
    /// What is known of inputs, and the file that says so.
    pub known: Option<(PathBuf, Arc<Known>)>,
    /// Example inputs, the first that are run.
    pub seeds: Arc<[Seed]>,
    /// Directories and jars with compiled tests of the user's; what they call the program with is run first too.
    pub tests: Vec<PathBuf>,
    /// Where the solver's questions go as SMT-LIB 2 scripts, if anybody wants them.
    pub questions: Option<Questions>,
}

/// Inputs of a method, as a report names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// As Java writes it.
    pub class: String,
    pub method: String,
    pub descriptor: Option<String>,
    pub inputs: BTreeMap<String, u128>,
}

/// The solver's questions with their answers, in order.
pub type Questions = Arc<Mutex<Vec<String>>>;

/// How input objects come by their state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// By what a test may call and assign, and nothing else: whatever a test shows can happen.
    Api,
    /// Where no call was found to make a state, fields are set by reflection; it may be an impossible one.
    Any,
}

/// Which runs become tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The fewest that meet every obligation any run meets, and show each way to end.
    Smallest,
    /// The simplest for each obligation.
    Each,
    /// One a path.
    Paths,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    Junit5,
    Junit4,
    /// Kotlin tests with JUnit 5.
    KotlinJunit5,
    /// Kotlin tests with `kotlin.test` on JUnit 5.
    KotlinTest,
}

impl Framework {
    pub fn is_kotlin(self) -> bool {
        matches!(self, Framework::KotlinJunit5 | Framework::KotlinTest)
    }
}

/// What a class may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Work units: VM steps and solver resource units, about a microsecond each. Reproducible.
    pub work: u64,
    /// A safety stop, everything included.
    pub time: Option<Duration>,
    /// Paths of a method, and of all methods of a class; each has one at least.
    pub max_paths: Option<u64>,
    pub class_paths: Option<u64>,
    /// IR instructions of one run.
    pub max_steps: u64,
    /// How often one branch may be flipped on one path; branches of a recursive function count together.
    pub loop_bound: u32,
    /// The same for all classes together.
    pub total_work: Option<u64>,
    pub total_paths: Option<u64>,
    pub total_time: Option<Duration>,
    /// What of [`time`](Self::time) is kept for confirming, where that is known better than by a share of it.
    pub confirming: Option<Duration>,
    /// Bytes that the process may take, tests made of what was found included. Half of it is what an exploration's terms and tree may, as counted.
    pub memory: u64,
    /// Different bugs of a method.
    pub max_bugs: Option<u32>,
    /// Decisions of a path below which nothing is flipped.
    pub max_depth: Option<u32>,
    /// Flips in one function, wherever it is called from.
    pub function_paths: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            work: 60_000_000,
            time: None,
            max_paths: None,
            class_paths: None,
            max_steps: 2_000_000,
            loop_bound: 40,
            total_work: None,
            total_paths: None,
            total_time: None,
            confirming: None,
            memory: 2 << 30,
            max_bugs: None,
            max_depth: None,
            function_paths: None,
        }
    }
}

impl Default for Config {
    /// Nothing to test, and what the command line has where nothing is said.
    fn default() -> Self {
        Config {
            class_path: Vec::new(),
            source_path: Vec::new(),
            targets: Vec::new(),
            out: None,
            jdk: None,
            criterion: Criterion::Branch,
            strategy: explore::strategy::DEFAULT.to_string(),
            framework: Framework::Junit5,
            budget: Budget::default(),
            seed: 0,
            jobs: 1,
            processor_time: false,
            discard: false,
            exhaustive: false,
            criterion_options: coverage::Options::default(),
            suite: Suite::Smallest,
            run: true,
            trust: false,
            package_private: false,
            construct: Construct::Api,
            measure: false,
            journal: None,
            resume: false,
            known: None,
            seeds: Arc::default(),
            tests: Vec::new(),
            questions: None,
        }
    }
}
