//! The crates import only what stands above them in `docs/ARCHITECTURE.md`, and the document names them all.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates in the order of the document.
fn documented() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let list = text.split("<!-- crates -->").nth(1).unwrap().split("<!-- end -->").next().unwrap();
    list.lines().filter_map(|line| line.strip_prefix("* `")?.split('`').next().map(str::to_string)).collect()
}

/// Crates of ours and which of ours each imports outside tests.
fn imports() -> Vec<(String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ours = |name: &str| name.strip_prefix("testwright-").map(str::to_string);
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let imports = package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|d| d["kind"].is_null())
                .filter_map(|d| ours(d["name"].as_str().unwrap()))
                .collect();
            (ours(package["name"].as_str().unwrap()).unwrap(), imports)
        })
        .collect()
}

#[test]
fn crates_import_only_what_stands_above_them() {
    let order = documented();
    let position = |name: &str| order.iter().position(|n| n == name);
    for (name, imports) in imports() {
        let own = position(&name).unwrap_or_else(|| panic!("docs/ARCHITECTURE.md does not list {name}"));
        for import in imports {
            assert!(position(&import).is_some_and(|p| p < own), "{name} must not import {import}");
        }
    }
}

#[test]
fn the_document_names_no_crate_that_does_not_exist() {
    for name in documented() {
        assert!(root().join("crates").join(&name).is_dir(), "{name} does not exist");
    }
}
