//! Printer and parser: every opcode goes through, nothing malformed stops the process.

use ir::filetest::{FileTest, discover};
use ir::op::{OpResult, Operand};
use ir::text::{parse_module, print_function, print_module};
use ir::{
    Block, BlockId, Builder, Cfg, Check, Dominators, Edges, Function, Ids, Inst, Loops, Op, PostDominators,
    Reg, SwitchTable, Type, verify, verify_module,
};
use proptest::prelude::*;
use std::path::Path;

fn error(text: &str) -> String {
    parse_module(text).expect_err("must not parse").to_string()
}

#[test]
fn errors_at_the_end_of_a_line_or_text() {
    assert_eq!(error("func @f() {\nb0:\n  %0 = str \"abc ; x\n"), "3:12: string without end");
    assert_eq!(error("func @f() {\nb0:\n  ret\n"), "4:1: expected `}`, found the end of the text");
    assert_eq!(
        error("class A {\n"),
        "2:1: expected a field, `static`, `slot`, `impl` or `init`, found the end of the text"
    );
    assert_eq!(error("func @f("), "1:9: expected parameter `%0`");
}

#[test]
fn a_number_has_one_spelling() {
    let with = |literal: &str| format!("func @f() {{\nb0:\n  %0 = const.i32 {literal}\n  ret\n}}\n");
    assert!(parse_module(&with("7")).is_ok());
    for odd in ["07", "-0", "+7", "0x7", "7.0", "--7"] {
        assert!(parse_module(&with(odd)).is_err(), "{odd}");
    }
}

#[test]
fn the_same_function_can_be_printed_without_its_tables() {
    let mut b = Builder::new("f", &[Type::Ref], None);
    let list = b.list(&[Reg(0)]);
    b.effect(Op::Call, 3, list, 0);
    b.effect(Op::GuardCast, 0, 9, 0);
    b.effect(Op::Trap, Check::Link as u32, 4, 0);
    let text = print_function(&b.finish(), &Ids);
    assert_eq!(
        text,
        "func @f(%0: ref) {\nb0:\n  call @f3(%0)\n  guard.cast %0, c9\n  trap link, \"s4\"\n}\n"
    );
    // What was printed by ids reads back as names, and prints the same.
    assert_eq!(print_module(&parse_module(&text).unwrap().module), text);
}

/// A function with one instruction of the opcode, whatever the operand words.
fn one_of(op: Op, words: [u32; 3], reg_types: &[Type]) -> Function {
    let mut b = Builder::new("f", &[], None);
    let reg = |word: u32| word % reg_types.len() as u32;
    for ty in reg_types {
        b.reg(*ty);
    }
    let list = b.list(&[Reg(reg(words[0])), Reg(reg(words[1]))]);
    let mut given = words.into_iter();
    let mut laid = Vec::new();
    for kind in op.operands() {
        let word = given.next().unwrap_or(0);
        let last = match kind {
            Operand::Reg(_) | Operand::Any | Operand::Same => reg(word),
            // The function itself is 0, so what it names next is 1.
            Operand::Func => 1,
            Operand::Class | Operand::Str => 0,
            Operand::Check => word % Check::ALL.len() as u32,
            Operand::List => list,
            Operand::Table => 0,
            Operand::Imm32 | Operand::Block | Operand::Off | Operand::Slot => word,
            Operand::Imm64 => {
                laid.push(word);
                given.next().unwrap_or(0)
            }
        };
        laid.push(last);
    }
    let at = |i: usize| laid.get(i).copied().unwrap_or(0);
    let dst = if op.result() == OpResult::None { Reg::NONE } else { Reg(reg(words[2])) };
    b.emit(Inst { op, dst, a: at(0), b: at(1), c: at(2) });
    let mut func = b.finish();
    // The parser makes a list or table only where one is named.
    if !op.operands().contains(&Operand::List) {
        func.lists.clear();
    }
    if op.operands().contains(&Operand::Table) {
        let cases = vec![(words[0] as i32, BlockId(words[1])), (words[1] as i32, BlockId(0))];
        func.tables.push(SwitchTable { cases, default: BlockId(words[2]) });
    }
    func
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_opcode_round_trips(words in any::<[u32; 3]>(), small in any::<[u8; 3]>(), use_small in any::<bool>()) {
        let words = if use_small { small.map(u32::from) } else { words };
        for op in Op::ALL {
            let func = one_of(*op, words, &[Type::I1, Type::I32, Type::I64, Type::F32, Type::F64, Type::Ref, Type::Ptr]);
            let text = print_function(&func, &Ids);
            let parsed = parse_module(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(parsed.module.function("f"), Some(&func), "{}", text);
            verify(&func, &parsed.module);
        }
    }

    #[test]
    fn any_text_gives_a_module_or_an_error(text in "\\PC*") {
        let _ = parse_module(&text);
    }
}

/// What must not panic on whatever the parser lets through.
fn exercise(text: &str) {
    let Ok(parsed) = parse_module(text) else { return };
    let printed = print_module(&parsed.module);
    let again = parse_module(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(print_module(&again.module), printed);
    verify_module(&parsed.module);
    for (_, func) in parsed.module.bodies() {
        ir::dot::dot(func, &parsed.module);
        if verify(func, &parsed.module).is_empty() {
            let cfg = Cfg::new(func);
            for edges in [Edges::Normal, Edges::All] {
                let doms = Dominators::new(&cfg, edges);
                PostDominators::new(&cfg, edges);
                Loops::new(&cfg, &doms, edges);
            }
        }
    }
}

/// Golden tests with characters and words changed, dropped and doubled: never a panic.
#[test]
fn mutated_texts_never_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let spare = [
        "%",
        "@",
        "b1",
        "\"",
        ":",
        ",",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "=",
        "!",
        "-",
        "999999999999",
        "unwind",
        "ö",
        "\n",
        "%4294967295",
        "b4294967295",
        "catch",
        "ret",
        "0x",
        "-inf",
        "static",
    ];
    let mut texts = Vec::new();
    for path in discover(&folder).unwrap() {
        let text = std::fs::read_to_string(path).unwrap();
        texts.push(FileTest::read(&text).unwrap().module);
    }
    for round in 0..6000 {
        let mut words: Vec<String> = split(&texts[round % texts.len()]);
        for _ in 0..1 + random(3) {
            let at = random(words.len());
            match random(5) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, spare[random(spare.len())].to_string()),
                2 => words[at] = spare[random(spare.len())].to_string(),
                3 => {
                    let other = words[random(words.len())].clone();
                    words[at] = other;
                }
                _ => {
                    let mut chars: Vec<char> = words[at].chars().collect();
                    let i = random(chars.len());
                    if !chars.is_empty() {
                        chars[i] = char::from(b' ' + random(95) as u8);
                    }
                    words[at] = chars.into_iter().collect();
                }
            }
            if words.is_empty() {
                break;
            }
        }
        exercise(&words.concat());
    }
}

/// Cuts between words, keeping everything.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '.';
        match words.last_mut() {
            Some(last) if is_word && in_word => last.push(c),
            _ => words.push(c.to_string()),
        }
        in_word = is_word;
    }
    words
}

#[test]
fn blocks_that_are_not_contiguous_are_errors_not_panics() {
    let mut b = Builder::new("f", &[], None);
    b.ret(None);
    let mut func = b.finish();
    for (start, end) in [(1, 1), (0, 7), (5, 2), (0, u32::MAX)] {
        func.blocks[BlockId(0)] = Block { start, end, unwind: None, never: false };
        assert!(!verify(&func, &ir::verify::AnyProgram).is_empty(), "{start}..{end}");
        print_function(&func, &Ids);
        ir::dot::dot(&func, &Ids);
    }
}

#[test]
fn the_graph_prints_as_dot() {
    let text = "func @f(%0: i32) {\nb0 unwind b3:\n  guard.nonzero.i32 %0 @4\n  switch %0, [1: b1, 2: b1, 3: b2, else: b1] !source 0.0\nb1:\n  ret\nb2:\n  ret\nb3:\n  %1 = catch\n  throw %1\n}\n";
    let parsed = parse_module(text).unwrap();
    let dot = ir::dot::dot(parsed.module.function("f").unwrap(), &parsed.module);
    let expected = r#"digraph "f" {
  node [shape=box, fontname="monospace"];
  b0 [label="b0:\lguard.nonzero.i32 %0  @4\lswitch %0, [1: b1, 2: b1, 3: b2, else: b1]\l"];
  b0 -> b1 [label="1, 2, else"];
  b0 -> b2 [label="3"];
  b0 -> b3 [style=dashed];
  b1 [label="b1:\lret\l"];
  b2 [label="b2:\lret\l"];
  b3 [label="b3:\l%1 = catch\l  throw %1\l"];
}
"#;
    assert_eq!(dot, expected.replace("\\l  throw", "\\lthrow"));
}
