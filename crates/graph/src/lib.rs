//! Control-flow graphs that other tools describe: obligations, verdicts, test paths and inputs.
//!
//! In: a graph as JSON ([`read()`]): blocks with assignments, edges with conditions, typed variables. Out: for a criterion
//! the obligations with their verdicts, and tests ([`cover()`]); or all paths that can be run, cheapest first
//! ([`Paths`]). Every input was run along its path by an evaluator that knows nothing of the search.
//! Does not know: programs, the IR, files. A graph is searched as it stands and not lowered to the IR: a decision with
//! several conditions is one node here, types have any width, and a path is decided before it is run.
//!
//! ```
//! let text = r#"{
//!     "schema": "testwright-cfg/1",
//!     "inputs": [{ "name": "a", "type": "i32" }, { "name": "b", "type": "i32" }],
//!     "entry": "start", "exits": ["end"],
//!     "nodes": [{ "id": "start" }, { "id": "less", "statements": ["a = a + 1"] }, { "id": "end" }],
//!     "edges": [
//!         { "from": "start", "to": "less", "when": "a < b" },
//!         { "from": "start", "to": "end" },
//!         { "from": "less", "to": "end" }
//!     ]
//! }"#;
//! let cfg = graph::read(text, 32).unwrap();
//! let never = std::sync::atomic::AtomicBool::new(false);
//! let options = graph::Options::default();
//! let cover = graph::cover(&cfg, "prime-path", &options, &never, &mut |_, _| {}).unwrap();
//! assert_eq!(cover.tests.len(), 2);
//! let covered = |v: &graph::Verdict| matches!(v, graph::Verdict::Covered { .. });
//! assert!(cover.obligations.iter().all(|(_, verdict)| covered(verdict)));
//!
//! // The same graph's paths, cheapest first.
//! let mut paths = graph::Paths::new(&cfg, &options);
//! let graph::NextPath::Path(first) = paths.next(&never) else { panic!() };
//! assert_eq!(cfg.path_text(first.start, &first.edges), "start end");
//! ```

mod cfg;
mod check;
mod concrete;
mod cover;
mod criteria;
mod error;
mod expr;
mod goal;
mod json;
mod mcdc;
mod prove;
mod read;
mod search;
mod symbolic;
mod syntax;
mod tree;
mod types;

pub use cfg::{Cfg, Cost, Edge, Node, Role, Source, Statement, Values, Var};
pub use concrete::{Run, Step, Strayed, follow, run};
pub use cover::{
    Cover, DecisionTable, NextPath, NoSuchCriterion, Options, Paths, Suite, TableRow, Test, Verdict, Why,
    cover,
};
pub use criteria::{NAMES, Need, Obligation};
pub use error::{At, Malformed};
pub use expr::{Expr, VarIndex};
pub use goal::{Decision, Goal, Use, meets};
pub use mcdc::Variant;
pub use read::{SCHEMA, read};
pub use tree::{Spent, Subpath};
pub use types::Type;
