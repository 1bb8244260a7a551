//! `docs/ir.md` lists the opcodes as the table has them, and its examples are canonical text.

use ir::filetest::blessing;
use ir::op::{Effect, OpResult, Operand};
use ir::text::{parse_module, print_module};
use ir::{Check, MemType, Op, Type};
use std::path::{Path, PathBuf};

const START: &str = "<!-- opcodes: made from crates/ir/src/op.rs -->\n";
const END: &str = "<!-- end of opcodes -->";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md")
}

fn operand(kind: Operand) -> &'static str {
    match kind {
        Operand::Reg(ty) => ty.name(),
        Operand::Any => "any",
        Operand::Same => "same",
        Operand::Imm32 | Operand::Imm64 => "imm",
        Operand::Block => "block",
        Operand::Func => "function",
        Operand::Class => "class",
        Operand::Str => "string",
        Operand::Check => "check",
        Operand::List => "(list)",
        Operand::Table => "[table]",
        Operand::Off => "offset",
        Operand::Slot => "slot",
    }
}

fn table() -> String {
    let mut out = "| Opcode | Operands | Result | Effect | Meaning |\n|---|---|---|---|---|\n".to_string();
    for op in Op::ALL {
        let operands: Vec<_> = op.operands().iter().map(|kind| operand(*kind)).collect();
        let result = match op.result() {
            OpResult::None => "",
            OpResult::Is(ty) => ty.name(),
            OpResult::Any => "any",
            OpResult::Maybe => "any or none",
        };
        let effect = match op.effect() {
            Effect::Pure => "",
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Guard => "guard",
            Effect::Call => "call",
            Effect::End => "end",
        };
        out +=
            &format!("| `{}` | {} | {result} | {effect} | {} |\n", op.name(), operands.join(", "), op.doc());
    }
    out
}

#[test]
fn the_reference_lists_the_opcode_table() {
    let text = std::fs::read_to_string(page()).expect("the page is there");
    let (before, rest) = text.split_once(START).expect("the mark above the table");
    let (listed, after) = rest.split_once(END).expect("the mark below the table");
    let expected = table();
    if blessing() {
        std::fs::write(page(), format!("{before}{START}{expected}{END}{after}")).expect("a writable page");
    } else {
        assert!(
            listed == expected,
            "docs/ir.md is stale: BLESS=1 cargo test -p testwright-ir --test reference"
        );
    }
}

#[test]
fn the_reference_names_all_types_and_checks() {
    let text = std::fs::read_to_string(page()).expect("the page is there");
    let spelled = |names: Vec<&str>| names.join(" ");
    assert!(text.contains(&spelled(Check::ALL.iter().map(|c| c.name()).collect())));
    assert!(text.contains(&spelled(Type::ALL.iter().map(|t| t.name()).collect())));
    assert!(text.contains(&spelled(MemType::ALL.iter().map(|t| t.name()).collect())));
}

#[test]
fn the_examples_are_canonical() {
    let text = std::fs::read_to_string(page()).expect("the page is there");
    let examples: Vec<&str> =
        text.split("```").skip(1).step_by(2).map(|e| e.trim_start_matches('\n')).collect();
    assert_eq!(examples.len(), 2);
    // The second example builds on the first.
    let all = format!("{}\n{}", examples[0], examples[1]);
    let parsed = parse_module(&all).unwrap_or_else(|e| panic!("{e}\n{all}"));
    assert!(ir::verify_module(&parsed.module).is_empty());
    let code = |text: &str| {
        let mut lines: Vec<String> =
            text.lines().filter(|l| !l.is_empty() && !l.starts_with(';')).map(str::to_string).collect();
        // Classes are printed before functions, wherever they stood.
        lines.sort();
        lines
    };
    assert_eq!(code(&print_module(&parsed.module)), code(&all));
}
