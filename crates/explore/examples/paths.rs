//! Paths a second of exhaustive explorations of small functions, solver included. Build with `--release`.

#[path = "../tests/support/mod.rs"]
mod support;

use explore::Options;
use ir::text::parse_module;
use std::time::Instant;
use support::{Ask, explore};

const TEXT: &str = "array Ints of i32
declare @input.i32s(i32) -> ref
func @classify(%0: i32 \"a\", %1: i32 \"b\", %2: i32 \"c\") -> i32 {
  %3: i32
b0:
  %4 = const.i32 0
  %5 = const.i32 1
  %6 = const.i32 2
  %7 = const.i32 4
  %8 = const.i32 8
  %3 = copy %4
  %9 = slt.i32 %0, %1
  br %9, b1, b2 !source 0.0
b1:
  %3 = add.i32 %3, %5
  jump b2
b2:
  %10 = slt.i32 %1, %2
  br %10, b3, b4 !source 1.0
b3:
  %3 = add.i32 %3, %6
  jump b4
b4:
  %11 = slt.i32 %2, %0
  br %11, b5, b6 !source 2.0
b5:
  %3 = add.i32 %3, %7
  jump b6
b6:
  %12 = add.i32 %0, %1
  %13 = slt.i32 %12, %2
  br %13, b7, b8 !source 3.0
b7:
  %3 = add.i32 %3, %8
  jump b8
b8:
  switch %3, [0: b9, 3: b9, 7: b10, 9: b10, else: b11] !source 4.0
b9:
  ret.val %4
b10:
  ret.val %5
b11:
  ret.val %3
}
func @bits(%0: i32 \"x\") -> i32 {
  %1: i32
  %2: i32
b0:
  %3 = const.i32 0
  %4 = const.i32 1
  %5 = const.i32 10
  %1 = copy %3
  %2 = copy %3
  jump b1
b1:
  %6 = slt.i32 %1, %5
  br %6, b2, b5 !source 0.0
b2:
  %7 = lshr.i32 %0, %1
  %8 = and.i32 %7, %4
  %9 = eq.i32 %8, %4
  br %9, b3, b4 !source 1.0
b3:
  %2 = add.i32 %2, %4
  jump b4
b4:
  %1 = add.i32 %1, %4
  jump b1
b5:
  ret.val %2
}
func @sorted() -> i32 {
  %0: i32 \"i\"
b0:
  %1 = const.i32 6
  %2: ref = call @input.i32s(%1)
  %3 = const.i32 1
  %0 = copy %3
  jump b1
b1:
  %4 = arraylen %2
  %5 = slt.i32 %0, %4
  br %5, b2, b4 !source 0.0
b2:
  %6 = sub.i32 %0, %3
  guard.bounds %2, %6
  %7 = aload.i32 %2, %6
  guard.bounds %2, %0
  %8 = aload.i32 %2, %0
  %9 = slt.i32 %8, %7
  %0 = add.i32 %0, %3
  br %9, b3, b1 !source 1.0
b3:
  %10 = const.i32 0
  ret.val %10
b4:
  ret.val %3
}
";

fn main() {
    let module = parse_module(TEXT).expect("a module").module;
    for name in ["classify", "bits", "sorted"] {
        let mut ask = Ask { options: Options::exhaustive(), ..Ask::default() };
        ask.minimise = false;
        let start = Instant::now();
        let mut paths = 0;
        let mut questions = 0;
        while start.elapsed().as_secs_f64() < 1.0 {
            let explored = explore(&module, name, &ask);
            paths += explored.found.finished.len();
            questions += explored.found.spent.questions;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name:10} {:8.0} paths/s {:8.0} questions/s",
            paths as f64 / seconds,
            questions as f64 / seconds
        );
    }
}
