//! Concrete IR operations a second of the step loop, on small loops. Build with `--release`.

use ir::text::parse_module;
use std::time::Instant;
use term::Assignment;
use vm::{Limits, Outcome, TextLang, Val, Vm};

const PROGRAMS: [(&str, &str); 4] = [
    (
        "sum",
        "func @f(%0: i32) -> i32 {
  %1: i32
  %2: i32
b0:
  %3 = const.i32 0
  %4 = const.i32 1
  %1 = copy %3
  %2 = copy %3
  jump b1
b1:
  %5 = slt.i32 %2, %0
  br %5, b2, b3
b2:
  %6 = mul.i32 %2, %2
  %7 = xor.i32 %6, %1
  %1 = add.i32 %1, %7
  %2 = add.i32 %2, %4
  jump b1
b3:
  ret.val %1
}
",
    ),
    (
        "array",
        "array Ints of i32
func @f(%0: i32) -> i32 {
  %1: i32
  %2: i32
b0:
  %3 = const.i32 0
  %4 = const.i32 1
  %5 = const.i32 1023
  %6 = const.i32 1024
  %7 = newarray Ints, %6
  %1 = copy %3
  %2 = copy %3
  jump b1
b1:
  %8 = slt.i32 %2, %0
  br %8, b2, b3
b2:
  %9 = and.i32 %2, %5
  guard.bounds %7, %9
  %10 = aload.i32 %7, %9
  %11 = add.i32 %10, %2
  guard.bounds %7, %9
  astore.i32 %7, %9, %11
  %2 = add.i32 %2, %4
  jump b1
b3:
  ret.val %10
}
",
    ),
    (
        "calls",
        "func @g(%0: i32, %1: i32) -> i32 {
b0:
  %2 = add.i32 %0, %1
  ret.val %2
}
func @f(%0: i32) -> i32 {
  %1: i32
  %2: i32
b0:
  %3 = const.i32 0
  %4 = const.i32 1
  %1 = copy %3
  %2 = copy %3
  jump b1
b1:
  %5 = slt.i32 %2, %0
  br %5, b2, b3
b2:
  %1: i32 = call @g(%1, %2)
  %2: i32 = call @g(%2, %4)
  jump b1
b3:
  ret.val %1
}
",
    ),
    (
        "fields",
        "class P {
  x: i64
}
func @f(%0: i32) -> i32 {
  %1: i32
b0:
  %2 = const.i32 0
  %3 = const.i32 1
  %4 = const.i64 7
  %5 = new P
  %1 = copy %2
  jump b1
b1:
  %6 = slt.i32 %1, %0
  br %6, b2, b3
b2:
  guard.nonnull %5
  %7 = load.i64 %5, P.x
  %8 = add.i64 %7, %4
  guard.nonnull %5
  store.i64 %5, P.x, %8
  %1 = add.i32 %1, %3
  jump b1
b3:
  ret.val %1
}
",
    ),
];

fn main() {
    let rounds: i32 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5_000_000);
    for (name, text) in PROGRAMS {
        let text = text.replace("%1: i32 = call", "%1 = call").replace("%2: i32 = call", "%2 = call");
        let module = parse_module(&text).unwrap_or_else(|e| panic!("{name}: {e}")).module;
        let func = module.find_func("f").expect("a function @f");
        for tracked in [false, true] {
            let mut lang = TextLang::new(module.clone());
            if !tracked {
                lang.tracked = Some(Vec::new());
            }
            let mut vm = Vm::new(lang, 1 << 20);
            vm.limits = Limits { steps: u64::MAX, ..Limits::default() };
            vm.freeze();
            vm.start_run(Assignment::default());
            let start = Instant::now();
            let outcome = vm.call(func, &[Val::i32(rounds)]);
            let seconds = start.elapsed().as_secs_f64();
            assert!(matches!(outcome, Outcome::Returned(_)), "{outcome:?}");
            let rate = vm.steps as f64 / seconds / 1e6;
            let how = if tracked { "tracked" } else { "" };
            println!("{name:8} {how:8} {rate:8.1} M ops/s");
        }
    }
}
