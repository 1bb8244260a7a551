//! The tutorial on criteria, command by command: what it shows is what comes out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::Jdk;

/// A block of the tutorial between its fences.
struct Block<'t> {
    language: &'t str,
    text: &'t str,
    /// The command above it.
    command: Option<&'t str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\n```") {
        let (language, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("\n```").unwrap();
        let command = before.lines().rev().find_map(|line| line.strip_prefix("    testwright "));
        found.push(Block { language, text, command });
        rest = after;
    }
    found
}

/// The lines of a block, those that were broken for the page in one.
fn shown(block: &Block<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in block.text.lines().filter(|line| !line.is_empty() && *line != "…") {
        match (line.strip_prefix("    "), lines.last_mut()) {
            (Some(on), Some(last)) if block.language.is_empty() => *last = format!("{last} {on}"),
            _ => lines.push(line.to_string()),
        }
    }
    lines
}

#[test]
fn the_tutorial_shows_what_comes_out() {
    let tutorial = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial-criteria.md");
    let tutorial = fs::read_to_string(tutorial).unwrap();
    let blocks = blocks(&tutorial);
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("src/shop/Discount.java");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, blocks[0].text).unwrap();
    let jdk = Jdk::at_least(17).unwrap();
    let compile = "javac -g -d classes src/shop/Discount.java";
    assert!(tutorial.contains(&format!("    {compile}\n")));
    let args = compile.split(' ').skip(1);
    let status = Command::new(jdk.home.join("bin/javac")).args(args).current_dir(&dir).status().unwrap();
    assert!(status.success());
    let mut commands = 0;
    for block in &blocks[1..] {
        let command = block.command.unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
            .args(command.split(' '))
            .env("JAVA_HOME", &jdk.home)
            .current_dir(&dir)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {told}");
        let came: String = match block.language {
            "java" => written(&dir.path().join("tests")),
            _ => String::from_utf8(output.stdout).unwrap(),
        };
        let mut lines = came.lines();
        for line in shown(block) {
            assert!(lines.any(|l| l.contains(&line)), "{command} does not show\n{line}\nthere, but\n{came}");
        }
        commands += 1;
    }
    assert_eq!(commands, 4);
}

fn written(folder: &Path) -> String {
    let file: PathBuf = folder.join("shop/DiscountTest.java");
    fs::read_to_string(file).unwrap()
}
