//! Runs the golden tests of `filetests/` that this crate knows: `test verify`, `test roundtrip`, `test cfg`.
//! That printing what was parsed gives the file back is checked of every file, whatever its commands.

use ir::filetest::{FileTest, blessing, discover, split_comment};
use ir::text::{FuncLines, Parsed, parse_module, print_module};
use ir::verify::Place;
use ir::{BlockId, Cfg, Dominators, Edges, Function, Loops, PostDominators, verify};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests")
}

#[test]
fn golden_tests() {
    let files = discover(&folder()).expect("the folder is there");
    assert!(files.len() >= 10, "only {} golden tests found", files.len());
    let failures: Vec<String> = files.iter().filter_map(|path| check(path).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let test = FileTest::read(&text).map_err(|e| format!("{}:{e}", path.display()))?;
    let parsed = match parse_module(&test.module) {
        Ok(parsed) => parsed,
        // A text that must not parse says so where it fails.
        Err(e) if test.command("verify").is_some() => {
            let found = [(e.line, format!("column {}: {}", e.column, e.message))];
            return test.check(path, "error", &found);
        }
        Err(e) => return Err(format!("{}:{e}", path.display())),
    };
    if roundtrip(path, &test, &parsed)? == Canonical::Rewritten {
        return check(path);
    }
    // Rewriting changes the file: one key after the other, each on the text the last one left.
    if test.command("verify").is_some() {
        test.check(path, "error", &errors(&parsed))?;
    } else {
        let found = errors(&parsed);
        if !found.is_empty() {
            return Err(format!("{}: not valid: {found:?}", path.display()));
        }
    }
    if test.command("cfg").is_some() {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        FileTest::read(&text)?.check(path, "cfg", &graphs(&parsed))?;
    }
    Ok(())
}

/// Lines of code without comments, header and blank lines.
fn code_lines(text: &str) -> Vec<&str> {
    text.lines().map(|line| split_comment(line).0).filter(|code| !code.is_empty()).collect()
}

#[derive(PartialEq)]
enum Canonical {
    Already,
    Rewritten,
}

fn roundtrip(path: &Path, test: &FileTest, parsed: &Parsed) -> Result<Canonical, String> {
    let printed = print_module(&parsed.module);
    let again =
        parse_module(&printed).map_err(|e| format!("{}: printed, line {e}\n{printed}", path.display()))?;
    assert_eq!(again.module, parsed.module, "{}: parse ∘ print", path.display());
    let (written, canonical) = (code_lines(&test.module), code_lines(&printed));
    if written == canonical {
        return Ok(Canonical::Already);
    }
    if blessing() {
        let text = test.with_canonical(parsed, &printed).map_err(|e| e.to_string())?;
        std::fs::write(path, text).map_err(|e| e.to_string())?;
        return Ok(Canonical::Rewritten);
    }
    let differs = written.iter().zip(&canonical).find(|(a, b)| a != b);
    Err(format!("{}: not canonical, BLESS=1 rewrites it: {differs:?}", path.display()))
}

fn errors(parsed: &Parsed) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for (id, func) in parsed.module.bodies() {
        let lines = parsed.lines_of(id).expect("every body has lines");
        for error in verify(func, &parsed.module) {
            let line = match error.place {
                Place::Function => lines.header,
                Place::Block(block) => lines.blocks[block.0 as usize],
                Place::Inst(index) => lines.insts[index as usize],
            };
            found.push((line, error.what.to_string()));
        }
    }
    found
}

/// At each block: successors, the exceptional one behind a bar, dominators, loops.
fn graphs(parsed: &Parsed) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for (id, func) in parsed.module.bodies() {
        graph(func, parsed.lines_of(id).expect("every body has lines"), &mut found);
    }
    found
}

fn graph(func: &Function, lines: &FuncLines, found: &mut Vec<(u32, String)>) {
    let cfg = Cfg::new(func);
    let doms = Dominators::new(&cfg, Edges::All);
    let post = PostDominators::new(&cfg, Edges::Normal);
    let loops = Loops::new(&cfg, &doms, Edges::All);
    for block in cfg.blocks() {
        let node = cfg.node(block);
        let mut text =
            if node.succs.is_empty() { "end".to_string() } else { format!("to {}", list(&node.succs)) };
        if let Some(unwind) = node.unwind {
            text += &format!(" raise {unwind}");
        }
        if !doms.is_reachable(block) {
            text += ", unreachable";
        }
        if let Some(idom) = doms.idom(block) {
            text += &format!(", idom {idom}");
        }
        if let Some(ipdom) = post.ipdom(block) {
            text += &format!(", ipdom {ipdom}");
        }
        if let Some(inner) = loops.innermost(block) {
            let l = loops.get(inner);
            text += &format!(", loop {} depth {}", l.header, l.depth);
        }
        for (_, into) in loops.irreducible().iter().filter(|(from, _)| *from == block) {
            text += &format!(", irreducible edge to {into}");
        }
        found.push((lines.blocks[block.0 as usize], text));
    }
}

fn list(blocks: &[BlockId]) -> String {
    blocks.iter().map(BlockId::to_string).collect::<Vec<_>>().join(" ")
}
