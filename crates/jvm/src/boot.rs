//! The boot: makes a main thread and runs the JDK's own `System.initPhase1` to `initPhase3`. What is left is the
//! snapshot that every run starts from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ir::FuncId;
use vm::{Lang, ObjId, Outcome, Val, Vm};

use crate::link::LinkError;
use crate::load::{ClassPath, Jdk, LoadError};
use crate::natives::{self, Clock, Console, Environment, Saved};
use crate::threads::Thread;
use crate::world::{Jvm, Options};

/// What a booted world depends on.
#[derive(Clone)]
pub struct BootOptions {
    pub jdk: Arc<Jdk>,
    /// Directories and jars.
    pub class_path: Vec<PathBuf>,
    /// Language and country.
    pub locale: (String, String),
    pub timezone: String,
    /// Perturbs what nobody is promised: identity hashes, the order of `Set.of` and of a class's methods, numbers of
    /// threads, who called the first method.
    pub salt: u64,
    /// Wall-clock milliseconds since 1970 at the start of every run.
    pub epoch_millis: i64,
    /// As `-D`.
    pub properties: BTreeMap<String, String>,
    /// Bytes of guest memory.
    pub heap_limit: usize,
    pub options: Options,
}

impl BootOptions {
    /// English, UTC, a fixed clock.
    pub fn new(jdk: Arc<Jdk>, class_path: Vec<PathBuf>) -> BootOptions {
        BootOptions {
            jdk,
            class_path,
            locale: ("en".into(), "US".into()),
            timezone: "UTC".into(),
            salt: 0,
            epoch_millis: Clock::default().epoch_millis,
            properties: BTreeMap::new(),
            // Runs that ask for more are no tests anyone wants, and to clear so much takes longer than all else in them.
            heap_limit: 1 << 27,
            options: Options::default(),
        }
    }
}

/// Why there is no booted world.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the JDK's classes cannot be linked: {0}")]
    Link(#[from] LinkError),
    /// A step of the boot did not return.
    #[error("booting the JDK failed in {step}: {why}")]
    Failed { step: String, why: String },
}

/// Boots a JDK and freezes the result.
pub fn boot(options: &BootOptions) -> Result<Vm<Jvm>, BootError> {
    let path = ClassPath::new(options.jdk.clone(), &options.class_path)?;
    let mut jvm = Jvm::new(Arc::new(path), options.options.clone())?;
    natives::register(&mut jvm);
    let mut vm = Vm::new(jvm, options.heap_limit);
    set_environment(&mut vm, options);
    make_main_thread(&mut vm)?;
    run_phases(&mut vm)?;
    set_platform(&mut vm)?;
    if options.salt != 0 {
        number_threads_otherwise(&mut vm)?;
    }
    **vm.lang.state::<Saved<Console>>() = Console::default();
    vm.lang.state::<Saved<Clock>>().noted = true;
    vm.lang.threads.running = true;
    vm.freeze();
    Ok(vm)
}

fn set_environment(vm: &mut Vm<Jvm>, options: &BootOptions) {
    vm.salt = options.salt;
    let mut properties = options.properties.clone();
    properties.entry("user.timezone".into()).or_insert_with(|| options.timezone.clone());
    **vm.lang.state::<Saved<Environment>>() =
        Environment { language: options.locale.0.clone(), country: options.locale.1.clone(), properties };
    let clock = vm.lang.state::<Saved<Clock>>();
    clock.epoch_millis = options.epoch_millis;
    // In another world reading the clock takes long enough to show in milliseconds.
    if options.salt != 0 {
        clock.tick = 3_000_017;
    }
    clock.origin = (options.salt.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 2) as i64;
}

/// What HotSpot does before any Java code runs: thread groups and the thread that runs it.
fn make_main_thread(vm: &mut Vm<Jvm>) -> Result<(), BootError> {
    let thread_class = vm.lang.class("java/lang/Thread")?;
    let thread = vm.new_object(thread_class).map_err(|stop| failed("Thread", stop))?;
    vm.lang.threads.list = vec![Thread::new(thread)];
    natives::prime_thread(vm, thread).map_err(|why| failed("Thread", why))?;
    if vm.lang.class("jdk/internal/misc/UnsafeConstants").is_ok() {
        initialise(vm, "jdk/internal/misc/UnsafeConstants")?;
        natives::set_unsafe_constants(vm).map_err(|why| failed("UnsafeConstants", why))?;
    }
    for class in ["java/lang/String", "java/lang/System", "java/lang/Class", "java/lang/ThreadGroup"] {
        initialise(vm, class)?;
    }
    let group_class = vm.lang.class("java/lang/ThreadGroup")?;
    let system = vm.new_object(group_class).map_err(|stop| failed("ThreadGroup", stop))?;
    construct(vm, "java/lang/ThreadGroup", "()V", &[Val::obj(system)])?;
    let main = vm.new_object(group_class).map_err(|stop| failed("ThreadGroup", stop))?;
    let name = string(vm, "main")?;
    let parent = "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V";
    construct(vm, "java/lang/ThreadGroup", parent, &[Val::obj(main), Val::obj(system), Val::obj(name)])?;
    initialise(vm, "java/lang/Thread")?;
    construct(vm, "java/lang/Thread", parent, &[Val::obj(thread), Val::obj(main), Val::obj(name)])?;
    natives::thread_started(vm, thread).map_err(|why| failed("Thread", why))?;
    Ok(())
}

fn run_phases(vm: &mut Vm<Jvm>) -> Result<(), BootError> {
    for class in ["java/lang/Module", "java/lang/reflect/Method", "java/lang/ref/Finalizer"] {
        if vm.lang.class(class).is_ok() {
            initialise(vm, class)?;
        }
    }
    let system = vm.lang.class("java/lang/System")?;
    if let Some(whole) = vm.lang.declared(system, "initializeSystemClass", "()V") {
        // Java 8.
        call(vm, whole, &[])?;
        return Ok(());
    }
    call_static(vm, "java/lang/System", "initPhase1", "()V", &[])?;
    // As HotSpot does between the phases: reflection on fields asks for it.
    initialise(vm, "java/lang/invoke/MethodHandleNatives")?;
    let args = [Val::bool(false), Val::bool(false)];
    let result = call_static(vm, "java/lang/System", "initPhase2", "(ZZ)I", &args)?;
    if let Some(code) = result.map(Val::as_i32)
        && code != 0
    {
        return Err(failed("System.initPhase2", format!("code {code}")));
    }
    call_static(vm, "java/lang/System", "initPhase3", "()V", &[])?;
    Ok(())
}

/// Numbers and names of the program's threads go on from what was there before.
fn number_threads_otherwise(vm: &mut Vm<Jvm>) -> Result<(), BootError> {
    let class = vm.lang.class("java/lang/Thread")?;
    for _ in 0..3 {
        let thread = vm.new_object(class).map_err(|stop| failed("Thread", stop))?;
        construct(vm, "java/lang/Thread", "()V", &[Val::obj(thread)])?;
    }
    Ok(())
}

/// Loader and module of user classes.
fn set_platform(vm: &mut Vm<Jvm>) -> Result<(), BootError> {
    let descriptor = "()Ljava/lang/ClassLoader;";
    let loader = call_static(vm, "java/lang/ClassLoader", "getSystemClassLoader", descriptor, &[])?;
    let Some(loader) = loader.map(Val::as_obj).filter(|loader| !loader.is_null()) else { return Ok(()) };
    natives::set_app_loader(vm, loader).map_err(|why| failed("ClassLoader.getSystemClassLoader", why))
}

fn failed(step: &str, why: impl Into<Why>) -> BootError {
    BootError::Failed { step: step.to_string(), why: why.into().0 }
}

/// A reason as text.
struct Why(String);

impl From<String> for Why {
    fn from(text: String) -> Why {
        Why(text)
    }
}

impl From<vm::Stop> for Why {
    fn from(stop: vm::Stop) -> Why {
        Why(format!("{stop:?}"))
    }
}

fn string(vm: &mut Vm<Jvm>, text: &str) -> Result<ObjId, BootError> {
    let units: Vec<u16> = text.encode_utf16().collect();
    crate::link::new_string(vm, &units).map_err(|stop| failed("String", stop))
}

fn initialise(vm: &mut Vm<Jvm>, class: &str) -> Result<(), BootError> {
    let class = vm.lang.class(class)?;
    if Jvm::is_initialised(vm, class) {
        return Ok(());
    }
    let func = Jvm::initialiser(vm, class).map_err(|stop| failed("initialisation", stop))?;
    call(vm, func, &[]).map(|_| ())
}

fn construct(vm: &mut Vm<Jvm>, class: &str, descriptor: &str, args: &[Val]) -> Result<(), BootError> {
    let class = vm.lang.class(class)?;
    let func = vm.lang.declared(class, "<init>", descriptor);
    let Some(func) = func else { return Err(failed("a constructor", descriptor.to_string())) };
    call(vm, func, args).map(|_| ())
}

fn call_static(
    vm: &mut Vm<Jvm>,
    class: &str,
    name: &str,
    descriptor: &str,
    args: &[Val],
) -> Result<Option<Val>, BootError> {
    initialise(vm, class)?;
    let class = vm.lang.class(class)?;
    let func = vm.lang.declared(class, name, descriptor);
    let Some(func) = func else { return Err(failed(name, format!("this JDK has no {name}{descriptor}"))) };
    call(vm, func, args)
}

fn call(vm: &mut Vm<Jvm>, func: FuncId, args: &[Val]) -> Result<Option<Val>, BootError> {
    let limits = vm.limits;
    vm.limits.steps = 200_000_000;
    let outcome = vm.call(func, args);
    vm.limits = limits;
    let step = vm.lang.func_name(func);
    match outcome {
        Outcome::Returned(val) => Ok(val),
        Outcome::Threw(exception) => Err(failed(&step, natives::describe(vm, exception))),
        Outcome::Stopped(stop) => Err(failed(&step, stop)),
    }
}
