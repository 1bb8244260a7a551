//! Runs the calls of `testkit::conform` in our VM and compares with what the JVM answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use jvm::Jvm;
use jvm::boot::{BootOptions, boot};
use jvm::input;
use jvm::natives::{Clock, Saved};
use jvm::observe::string_units;
use term::Assignment;
use testkit::Jdk;
use testkit::conform::{Answered, Conform, Order, Place, without_identity};
use vm::{Outcome, Stop, Val, Vm};

/// What became of the calls of one member.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub calls: u32,
    pub agreed: u32,
    pub differed: u32,
    pub unsupported: u32,
}

pub struct Results {
    pub tallies: BTreeMap<Place, Tally>,
    /// For people: what differed, what was not supported.
    pub notes: Vec<String>,
    /// Why calls were not supported, and how many.
    pub reasons: BTreeMap<String, u32>,
    /// Calls that agree with a JVM which made no other call before.
    pub alone: u32,
}

/// Compares all calls of these classes. `seen` is told of each class that is finished.
pub fn compare(
    jdk: &Jdk,
    conform: &Conform,
    classes: &[&str],
    calls: u32,
    mut seen: impl FnMut(&str),
) -> Results {
    let mut results =
        Results { tallies: BTreeMap::new(), notes: Vec::new(), reasons: BTreeMap::new(), alone: 0 };
    let jdk = Arc::new(jvm::load::Jdk::open(&jdk.home).expect("the JDK opens"));
    for lot in classes.chunks(24) {
        let mut vm = boot(&BootOptions::new(jdk.clone(), conform.class_path.clone())).expect("the JDK boots");
        let order = order_of(&mut vm);
        let answers = conform.ask(lot, calls, order).expect("the JVM answers");
        for class in lot {
            let of_class: Vec<_> = answers.iter().filter(|(place, _)| place.class == **class).collect();
            warm(&mut vm, &of_class);
            for (place, answers) in of_class {
                let tally = results.tallies.entry(place.clone()).or_default();
                let member = conform.members.iter().find(|m| m.calls.as_ref().ok() == Some(place));
                let name = member.map_or("?", |m| &m.name);
                for answer in answers {
                    let mut verdict = judge(&mut vm, place, answer);
                    if matches!(verdict, Verdict::Differed(_)) {
                        // Runs of ours do not see each other. Calls on the JVM do: what it answers may come from a cache
                        // that an earlier call filled with something else.
                        let alone = conform.ask_alone(place, answer.seed, order).expect("the JVM answers");
                        let again = alone.map(|answer| judge(&mut vm, place, &answer));
                        if let Some(Verdict::Agreed) = again {
                            results.alone += 1;
                            results.notes.push(format!("ALONE {name} seed {}", answer.seed));
                            verdict = Verdict::Agreed;
                        }
                    }
                    tally.calls += u32::from(!matches!(verdict, Verdict::Timed));
                    match verdict {
                        Verdict::Timed => {}
                        Verdict::Agreed => tally.agreed += 1,
                        Verdict::Differed(ours) => {
                            tally.differed += 1;
                            let (seed, theirs) = (answer.seed, &answer.text);
                            results
                                .notes
                                .push(format!("DIFFERED {name} seed {seed}\n  jvm {theirs}\n  vm  {ours}"));
                        }
                        Verdict::Unsupported(reason) => {
                            tally.unsupported += 1;
                            results.notes.push(format!(
                                "OPEN {name} seed {}: {reason} at {}",
                                answer.seed, vm.stopped_at
                            ));
                            *results.reasons.entry(reason).or_insert(0) += 1;
                        }
                    }
                }
            }
            seen(class);
        }
    }
    results
}

enum Verdict {
    Agreed,
    /// It waits for a time that passes at once in our VM, and was not waited for on the JVM.
    Timed,
    Differed(String),
    Unsupported(String),
}

fn judge(vm: &mut Vm<Jvm>, place: &Place, answer: &Answered) -> Verdict {
    vm.start_run(Assignment::default());
    match run(vm, place, answer.seed) {
        Outcome::Returned(Some(text)) => {
            let units = string_units(vm, text.as_obj()).unwrap_or_default();
            let ours = String::from_utf16_lossy(&units);
            match without_identity(&ours) == without_identity(&answer.text) {
                true => Verdict::Agreed,
                false if answer.text == "(blocked)" && passed(vm) > PATIENCE => Verdict::Timed,
                false if ours == "- memory" => Verdict::Unsupported("Memory".into()),
                false => Verdict::Differed(ours),
            }
        }
        Outcome::Stopped(Stop::Deadlock) if answer.text == "(blocked)" => Verdict::Agreed,
        Outcome::Stopped(stop) => Verdict::Unsupported(match stop {
            Stop::Unsupported { what, which } => format!("{what}: {which}"),
            other => format!("{other:?}"),
        }),
        Outcome::Threw(exception) => {
            Verdict::Differed(format!("an exception: {}", jvm::natives::describe(vm, exception)))
        }
        Outcome::Returned(None) => Verdict::Differed("nothing".into()),
    }
}

/// Nanoseconds that `testkit` waits for the JVM, at least.
const PATIENCE: i64 = 10_000_000;

/// Virtual time that the run took.
fn passed(vm: &mut Vm<Jvm>) -> i64 {
    let end = vm.lang.state::<Saved<Clock>>().nanos;
    vm.start_run(Assignment::default());
    end - vm.lang.state::<Saved<Clock>>().nanos
}

fn run(vm: &mut Vm<Jvm>, place: &Place, seed: i64) -> Outcome {
    let class = vm.lang.class(&format!("conform/{}", place.class)).expect("the calls load");
    let func = vm.lang.declared(class, "run", "(IJ)Ljava/lang/String;").expect("calls have a method run");
    vm.call(func, &[Val::i32(place.number as i32), Val::i64(seed)])
}

/// One call a method, so that what they initialise is done once for all.
fn warm(vm: &mut Vm<Jvm>, answers: &[(&Place, &Vec<Answered>)]) {
    vm.start_run(Assignment::default());
    let limits = vm.limits;
    vm.limits.steps *= 10;
    for (place, answers) in answers {
        let class = vm.lang.class(&format!("conform/{}", place.class)).expect("the calls load");
        if input::initialise(vm, class).is_ok()
            && let Some(answer) = answers.iter().find(|answer| answer.text != "(blocked)")
        {
            // What does not come to an end leaves classes half initialised: it is undone.
            match run(vm, place, answer.seed) {
                Outcome::Stopped(_) => vm.start_run(Assignment::default()),
                _ => vm.freeze(),
            }
        }
    }
    vm.limits = limits;
}

/// How this world orders `Set.of`.
fn order_of(vm: &mut Vm<Jvm>) -> Order {
    let class = vm.lang.class("java/util/ImmutableCollections").expect("Java 9 or newer");
    input::initialise(vm, class).ok();
    let statics = <Jvm as vm::Lang>::statics(vm, class).expect("it is initialised");
    let value = |name: &str, descriptor: &str| {
        let field = vm.lang.classes[class].field(name, descriptor).map(|field| (field.offset, field.ty));
        field.map_or(0, |(offset, ty)| vm.load_bits(statics, offset, ty))
    };
    Order { salt: value("SALT32L", "J") as i64, reverse: value("REVERSE", "Z") != 0 }
}
