//! What users can type.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use coverage::Criterion;

use engine::known::Known;
use engine::{Budget, Config, Framework, Places};
use runner::project::Project;

use crate::Failure;

/// Generates unit tests by exploring compiled code.
#[derive(Parser)]
#[command(name = "testwright", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(
    after_help = "Example:\n  testwright generate -c target/classes -o src/test/java com.acme.Calc\n\n\
    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bugs were found and --fail-on-bug was given."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Write tests that compile, pass on the real JVM and reach the criterion
    #[command(after_help = criteria_help())]
    Generate(GenerateArgs),
    /// Print paths, inputs and outcomes; write no tests
    Explore(ExploreArgs),
    /// Print the obligations of a criterion: covered by which input, infeasible and why, open and why
    #[command(after_help = criteria_help())]
    Cover(CoverArgs),
    /// Print the IR, the control-flow graph or the solver's questions of a method
    Show(ShowArgs),
    /// Run one test of a report again in the VM, traced line by line
    Replay(ReplayArgs),
    /// Answer JSON-RPC 2.0 requests, one a line, on standard input and output (docs/json-rpc.md)
    Serve,
    /// Answer solver questions from standard input (testwright starts itself so)
    #[command(hide = true)]
    SolverHelper,
}

/// Where the code is and what of it is meant.
#[derive(Args, Clone)]
pub struct TargetArgs {
    /// What to test: com.acme.Calc, com.acme.Calc#divide, 'com.acme.Calc#divide(int, int)', com.acme.**
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Directories and jars with compiled classes, separated by ':' [default: .]
    #[arg(short = 'c', long = "class-path", value_name = "CLASSPATH")]
    pub class_path: Option<String>,
    /// A compiled Maven or Gradle project; its class path is found by itself
    #[arg(short = 'p', long = "project", value_name = "PROJECT", conflicts_with = "class_path")]
    pub project: Option<PathBuf>,
    /// Directories with source files for HTML reports, separated by ':' [default: where build tools keep them beside the classes]
    #[arg(long, value_name = "SOURCEPATH")]
    pub source_path: Option<String>,
    /// What is known of inputs: ranges, valid states (docs/preconditions.md) [default: testwright.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The JDK to use [default: JAVA_HOME, then java on the PATH]
    #[arg(long, value_name = "HOME")]
    pub jdk: Option<PathBuf>,
}

/// How far to go, and in which order.
#[derive(Args, Clone)]
pub struct SearchArgs {
    /// What must be covered; 'testwright cover --help' lists the names
    #[arg(long, value_name = "NAME", default_value = "branch", value_parser = criterion)]
    pub criterion: Criterion,
    /// Obligations of one function at most, where there can be exponentially many
    #[arg(long, value_name = "N", default_value_t = coverage::Options::default().limit.paths)]
    pub criterion_limit: usize,
    /// How often complete-path goes back along an edge at most
    #[arg(long, value_name = "K", default_value_t = coverage::Options::default().rounds)]
    pub path_rounds: u32,
    /// Ask besides for the boundary values of each comparison: x < 10 with x == 9 and with x == 10
    #[arg(long)]
    pub boundary: bool,
    /// In which order branches are tried: coverage, dfs, bfs, random, random-path, generational, deepening or
    /// fewest; several joined by ',' take turns ('*3' means three), joined by '+' those that bring more come more often
    #[arg(long, value_name = "NAME", default_value = engine::strategy::DEFAULT, value_parser = strategy)]
    pub strategy: String,
    /// Budget a class in work units of about a microsecond; reproducible
    #[arg(long, value_name = "N", default_value_t = Budget::default().work)]
    pub work: u64,
    /// Safety stop a class in seconds, compiling and running its tests included
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Paths a method and constructor at most
    #[arg(long, value_name = "N")]
    pub max_paths: Option<u64>,
    /// Paths a class at most; each method has one at least
    #[arg(long, value_name = "N")]
    pub class_paths: Option<u64>,
    /// IR instructions of one run at most; eight times as many while it decides nothing
    #[arg(long, value_name = "N", default_value_t = Budget::default().max_steps)]
    pub max_steps: u64,
    /// How often one branch is flipped on one path; four times as often where nothing else is left and something is missing
    #[arg(long, value_name = "N", default_value_t = Budget::default().loop_bound)]
    pub loop_bound: u32,
    /// Budget of all classes together in work units
    #[arg(long, value_name = "N")]
    pub total_work: Option<u64>,
    /// Paths of all classes together at most; each method has one at least
    #[arg(long, value_name = "N")]
    pub total_paths: Option<u64>,
    /// Safety stop of all classes together in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub total_time: Option<Duration>,
    /// Memory of the process and of the solver's helpers in megabytes; exploring ends there
    #[arg(long, value_name = "MB", default_value_t = Budget::default().memory >> 20)]
    pub memory: u64,
    /// Stop a method after so many different suspected bugs; those with the shortest paths are shown
    #[arg(long, value_name = "N")]
    pub max_bugs: Option<u32>,
    /// Flip nothing below so many decisions of a path
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Flip so many branches of one function at most, wherever it is called from
    #[arg(long, value_name = "N")]
    pub max_paths_per_function: Option<u64>,
    /// Example inputs to run first: a JSON report, or its "targets" with "class", "tests", "method" and "inputs"
    #[arg(long, value_name = "FILE")]
    pub seeds: Option<PathBuf>,
    /// Your compiled tests (JUnit, TestNG) with what they need, separated by ':'; what they call is run first, in the VM
    #[arg(long, value_name = "CLASSPATH")]
    pub tests: Option<String>,
    /// Seed of everything that is chosen at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Worker threads; what is found does not depend on their number [default: the machine's cores]
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Explore every path, also those that add nothing to the criterion
    #[arg(long)]
    pub exhaustive: bool,
    /// Package-private methods are targets too
    #[arg(long)]
    pub package_private: bool,
    /// How objects come by their state: by constructors, factories and methods that a test may call (api), or by
    /// reflection too where none of them was found to lead there (any)
    #[arg(long, value_enum, default_value_t = ConstructArg::Api)]
    pub construct: ConstructArg,
    /// Print runs, flips and the solver's questions by method
    #[arg(long)]
    pub stats: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConstructArg {
    Api,
    Any,
}

#[derive(Args)]
pub struct GenerateArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    /// Where test sources go [default: the project's test folder]; files that Testwright did not write are
    /// never overwritten
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Language of the tests
    #[arg(long, value_enum, default_value_t = LanguageArg::Java)]
    pub language: LanguageArg,
    /// Test framework; kotlin-test is for --language kotlin
    #[arg(long, value_enum, default_value_t = FrameworkArg::Junit5)]
    pub framework: FrameworkArg,
    /// Which tests are kept
    #[arg(long, value_enum, default_value_t = SuiteArg::Smallest)]
    pub suite: SuiteArg,
    /// The same as --suite paths
    #[arg(long, hide = true)]
    pub all_paths: bool,
    /// Write a report: json=FILE, html=DIR, sarif=FILE, lcov=FILE
    #[arg(long, value_name = "KIND=PATH", value_parser = report)]
    pub report: Vec<ReportArg>,
    /// Go on with what was cut off; needs the same program, options and version
    #[arg(long)]
    pub resume: bool,
    /// Do not compile and run the tests
    #[arg(long)]
    pub no_run: bool,
    /// Confirm the tests even where the run cannot be isolated
    #[arg(long)]
    pub trust: bool,
    /// Exit with 3 if bugs are suspected
    #[arg(long)]
    pub fail_on_bug: bool,
    /// Run the written tests under JaCoCo too and tell what they cover
    #[arg(long, conflicts_with = "no_run")]
    pub measure: bool,
    /// Print the generated tests on standard output too
    #[arg(long)]
    pub print: bool,
}

#[derive(Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    /// Tell where the time went
    #[arg(long)]
    pub profile: bool,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct CoverArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    /// As JSON: one object a line, or one document with --cfg (docs/cover.schema.json)
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub graph: GraphArgs,
    /// List paths that can be run, cheapest first, instead of obligations; --max-paths says how many
    #[arg(long)]
    pub paths: bool,
    /// What a path costs: the blocks, statements or lines of the source that it executes, each as often as it does
    #[arg(long, value_name = "UNIT", default_value = "blocks", value_parser = cost)]
    pub cost: graph::Cost,
    /// Write a report: json=FILE, html=DIR, sarif=FILE, lcov=FILE
    #[arg(long, value_name = "KIND=PATH", value_parser = report)]
    pub report: Vec<ReportArg>,
}

/// A control-flow graph instead of compiled code.
#[derive(Args, Clone)]
pub struct GraphArgs {
    /// A control-flow graph as JSON (docs/cfg.schema.json) instead of targets
    #[arg(long, value_name = "FILE", conflicts_with_all = ["targets", "class_path", "project"])]
    pub cfg: Option<PathBuf>,
    /// Width of an Int in the simple form of a graph
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub int_width: u32,
    /// The cheapest test of each obligation of a graph instead of the fewest tests
    #[arg(long)]
    pub each: bool,
}

#[derive(Args)]
pub struct ShowArgs {
    /// What to show
    #[arg(value_enum)]
    pub what: ShowWhat,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    /// The control-flow graph as DOT instead of text
    #[arg(long)]
    pub dot: bool,
    /// The control-flow graph as SVG
    #[arg(long, conflicts_with = "dot")]
    pub svg: bool,
    /// A control-flow graph as JSON instead of targets
    #[arg(long, value_name = "FILE", conflicts_with_all = ["targets", "class_path", "project"])]
    pub cfg: Option<PathBuf>,
}

#[derive(Args)]
pub struct ReplayArgs {
    /// A JSON report and the name of a test in it: report.json#divide_bZero_throwsArithmeticException
    #[arg(value_name = "REPORT#TEST")]
    pub test: String,
    /// The class path, if it is not the one of the report
    #[arg(short = 'c', long = "class-path", value_name = "CLASSPATH")]
    pub class_path: Option<String>,
    /// The JDK to use [default: JAVA_HOME, then java on the PATH]
    #[arg(long, value_name = "HOME")]
    pub jdk: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShowWhat {
    /// The intermediate representation
    Ir,
    /// The control-flow graph
    Cfg,
    /// What was not exact while exploring
    Ledger,
    /// The solver's questions, as SMT-LIB 2
    Smt,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum SuiteArg {
    /// As few as cover everything that can be covered
    Smallest,
    /// The simplest for each obligation
    Each,
    /// One a path
    Paths,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum FrameworkArg {
    Junit5,
    Junit4,
    KotlinTest,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    Java,
    Kotlin,
}

/// A report the user wants.
#[derive(Clone)]
pub enum ReportArg {
    Json(PathBuf),
    /// A folder.
    Html(PathBuf),
    Sarif(PathBuf),
    Lcov(PathBuf),
}

fn criterion(name: &str) -> Result<Criterion, String> {
    Criterion::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Criterion::ALL.iter().map(|c| c.name()).collect();
        format!("this version knows {}", names.join(", "))
    })
}

fn criterion_options(search: &SearchArgs) -> coverage::Options {
    let mut options = coverage::Options {
        rounds: search.path_rounds,
        boundary: search.boundary,
        ..coverage::Options::default()
    };
    options.limit.paths = search.criterion_limit.max(1);
    // Finding a path takes some steps; a larger list may take more of them.
    options.limit.steps = options.limit.steps.max(search.criterion_limit as u64 * 200);
    options
}

/// The criteria, one a line, for the help.
fn criteria_help() -> String {
    let width = Criterion::ALL.iter().map(|c| c.name().len()).max().unwrap_or(0);
    let lines = Criterion::ALL.iter().map(|c| format!("  {:width$}  {}", c.name(), c.doc()));
    format!("Criteria:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn strategy(name: &str) -> Result<String, String> {
    match engine::strategy::by_name(name, 0) {
        Some(_) => Ok(name.to_string()),
        None => Err(format!("this version knows {}", engine::strategy::NAMES.join(", "))),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    match seconds.is_finite() && seconds > 0.0 && seconds < 1e9 {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("must be more than 0".to_string()),
    }
}

fn report(text: &str) -> Result<ReportArg, String> {
    match text.split_once('=').filter(|(_, path)| !path.is_empty()) {
        Some(("json", path)) => Ok(ReportArg::Json(path.into())),
        Some(("html", path)) => Ok(ReportArg::Html(path.into())),
        Some(("sarif", path)) => Ok(ReportArg::Sarif(path.into())),
        Some(("lcov", path)) => Ok(ReportArg::Lcov(path.into())),
        _ => Err("known are json=FILE, html=DIR, sarif=FILE and lcov=FILE".to_string()),
    }
}

fn cost(name: &str) -> Result<graph::Cost, String> {
    graph::Cost::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = graph::Cost::ALL.iter().map(|c| c.name()).collect();
        format!("known are {}", names.join(", "))
    })
}

/// What finding a JDK depends on.
pub fn places() -> Places {
    Places { java_home: std::env::var_os("JAVA_HOME"), path: std::env::var_os("PATH") }
}

/// Entries of a class path.
pub fn entries(class_path: &str) -> Vec<PathBuf> {
    std::env::split_paths(class_path).filter(|p| !p.as_os_str().is_empty()).collect()
}

/// The engine's configuration from the common arguments.
pub fn config(target: &TargetArgs, search: &SearchArgs) -> Result<Config, Failure> {
    let (class_path, out) = match (&target.class_path, &target.project) {
        (Some(path), _) => (entries(path), None),
        (None, None) => (vec![PathBuf::from(".")], None),
        (None, Some(folder)) => {
            let project = Project::open(folder).map_err(|e| Failure::Failed(e.to_string()))?;
            (project.class_path, Some(project.test_sources))
        }
    };
    Ok(Config {
        class_path,
        source_path: target.source_path.as_deref().map(entries).unwrap_or_default(),
        targets: target.targets.clone(),
        out,
        jdk: target.jdk.clone(),
        criterion: search.criterion,
        criterion_options: criterion_options(search),
        strategy: search.strategy.clone(),
        framework: Framework::Junit5,
        budget: Budget {
            work: search.work,
            time: search.time,
            max_paths: search.max_paths,
            class_paths: search.class_paths,
            max_steps: search.max_steps,
            loop_bound: search.loop_bound,
            total_work: search.total_work,
            total_paths: search.total_paths,
            total_time: search.total_time,
            confirming: None,
            memory: search.memory << 20,
            max_bugs: search.max_bugs,
            max_depth: search.max_depth,
            function_paths: search.max_paths_per_function,
        },
        seed: search.seed,
        jobs: search.jobs.map_or_else(default_jobs, |jobs| jobs.get()),
        processor_time: false,
        discard: false,
        exhaustive: search.exhaustive,
        suite: engine::Suite::Smallest,
        run: false,
        trust: false,
        package_private: search.package_private,
        construct: match search.construct {
            ConstructArg::Api => engine::Construct::Api,
            ConstructArg::Any => engine::Construct::Any,
        },
        measure: false,
        journal: None,
        resume: false,
        known: known(target)?,
        seeds: match &search.seeds {
            Some(file) => crate::seeds::read(file)?.into(),
            None => Vec::new().into(),
        },
        tests: search.tests.as_deref().map(entries).unwrap_or_default(),
        questions: None,
    })
}

/// What `testwright.toml` says, or the file that was named.
fn known(target: &TargetArgs) -> Result<Option<(PathBuf, Arc<Known>)>, Failure> {
    let folder = target.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let Some(path) = target.config.clone().or_else(|| engine::known::in_folder(&folder)) else {
        return Ok(None);
    };
    let known = engine::known::read(&path)?;
    Ok(Some((path, Arc::new(known))))
}

/// As many workers as there are cores, up to what memory for their machines is worth.
fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8))
}

/// Defaults for commands that take no search arguments.
pub fn default_search() -> SearchArgs {
    SearchArgs {
        criterion: Criterion::Branch,
        criterion_limit: coverage::Options::default().limit.paths,
        path_rounds: coverage::Options::default().rounds,
        boundary: false,
        strategy: engine::strategy::DEFAULT.to_string(),
        work: Budget::default().work,
        time: None,
        max_paths: None,
        class_paths: None,
        max_steps: Budget::default().max_steps,
        loop_bound: Budget::default().loop_bound,
        total_work: None,
        total_paths: None,
        total_time: None,
        memory: Budget::default().memory >> 20,
        max_bugs: None,
        max_depth: None,
        max_paths_per_function: None,
        seeds: None,
        tests: None,
        seed: 0,
        jobs: None,
        exhaustive: false,
        package_private: false,
        construct: ConstructArg::Api,
        stats: false,
    }
}
