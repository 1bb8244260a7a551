//! The terms of a run hold for every input that takes the same path: what a term says of other inputs on the path
//! is what a run with those inputs computes.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use jvm::Jvm;
use jvm::boot::{BootOptions, boot};
use jvm::input::{kind_of, make};
use jvm::load::{FieldType, Jdk};
use term::{Assignment, Sort, TermId};
use vm::{Lang, Outcome, Vm};

const JDK: &str = "/usr/lib/jvm/java-17-openjdk-amd64";
const SIGNATURE: &str = "(Ljava/lang/String;Ljava/lang/String;I)I";
const MODELS: usize = 120;

/// A small generator; the same numbers every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn model(vm: &mut Vm<Jvm>, random: &mut Random) -> Assignment {
    const UNITS: [u64; 8] = [0x61, 0x61, 0x62, 0x62, 0x63, 0x31, 0x20, 0x100];
    let mut model = Assignment::new();
    let mut set = |vm: &Vm<Jvm>, term: TermId, value: u64| {
        model.set_bits(vm.pool.var_of(term).unwrap(), value as u128);
    };
    for name in ["a", "b"] {
        let input = vm.inputs.sequence(&mut vm.pool, name, Sort::Bv(16));
        let length = vm.inputs.get(input).len;
        set(vm, length, random.below(5));
        // Wide units are rare, as they are in life.
        let kinds = if random.below(4) == 0 { 8 } else { 7 };
        for i in 0..12 {
            let unit = vm.inputs.elem(&mut vm.pool, input, i);
            set(vm, unit, UNITS[random.below(kinds) as usize]);
        }
    }
    let number = vm.pool.declare("i", Sort::Bv(32));
    set(vm, number, (random.below(9) as i64 - 2) as u32 as u64);
    model
}

struct Run {
    model: Assignment,
    path: Vec<TermId>,
    /// The value, or none if it threw.
    result: Option<(u64, TermId)>,
}

fn run(vm: &mut Vm<Jvm>, func: ir::FuncId, model: Assignment) -> Run {
    vm.start_run(model.clone());
    let string = FieldType::Class("java/lang/String".into());
    let (string, int) = (kind_of(vm, &string), kind_of(vm, &FieldType::Int));
    let args = [make(vm, "a", &string), make(vm, "b", &string), make(vm, "i", &int)].map(Result::unwrap);
    let outcome = vm.call(func, &args);
    let result = match outcome {
        Outcome::Returned(Some(val)) => Some((val.bits, val.term)),
        Outcome::Threw(_) => None,
        other => panic!("{other:?} at {}", vm.stopped_at),
    };
    let path = vm.trace.elems.iter().map(|elem| vm.trace.taken(elem)).collect();
    Run { model, path, result }
}

#[test]
fn terms_agree_with_runs_on_their_path() {
    let dir = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/boot_programs/Symbolic.java");
    let javac = Path::new(JDK).join("bin/javac");
    let status = Command::new(javac).args(["-g", "-d"]).arg(dir.path()).arg(source).status().unwrap();
    assert!(status.success());
    let jdk = Arc::new(Jdk::open(Path::new(JDK)).unwrap());
    let mut vm = boot(&BootOptions::new(jdk, vec![dir.path().to_path_buf()])).unwrap();
    let class = vm.lang.class("Symbolic").unwrap();
    assert!(Jvm::is_initialised(&vm, class));
    let methods: Vec<_> = vm.lang.classes[class].functions().collect();
    let mut compared = 0;
    for func in methods {
        if &*vm.lang.funcs[func].descriptor != SIGNATURE {
            continue;
        }
        let name = vm.lang.funcs[func].name.clone();
        vm.start_exploration();
        let mut random = Random(7);
        let runs: Vec<Run> = (0..MODELS)
            .map(|_| {
                let model = model(&mut vm, &mut random);
                run(&mut vm, func, model)
            })
            .collect();
        let mut distinct: Vec<&Vec<TermId>> = runs.iter().map(|run| &run.path).collect();
        distinct.sort();
        distinct.dedup();
        for a in &runs {
            assert!(a.model.satisfies(&vm.pool, &a.path), "{name}: a run left its own path");
            for b in runs.iter().filter(|b| b.model.satisfies(&vm.pool, &a.path)) {
                let text = || format!("{name}\n  {:?}\n  {:?}", show(&vm, &a.model), show(&vm, &b.model));
                assert_eq!(a.result.is_some(), b.result.is_some(), "{}", text());
                let (Some((bits, term)), Some((other, _))) = (a.result, b.result) else { continue };
                let told = if term.is_some() { b.model.eval(&vm.pool, term) as u64 } else { bits };
                assert_eq!(told as u32, other as u32, "{}", text());
                compared += 1;
            }
        }
        println!("{name}: {} paths, {} imprecisions", distinct.len(), vm.ledger.iter().count());
    }
    assert!(compared > 10_000, "only {compared} comparisons");
}

fn show(vm: &Vm<Jvm>, model: &Assignment) -> Vec<String> {
    model.iter().map(|(var, value)| format!("{}={:x}", vm.pool.var_name(var), value.bits())).collect()
}
