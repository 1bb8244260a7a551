//! The simple form: a list of typed variables, nodes with successors, conditions and assignments as text.
//!
//! All variables are inputs. `Int` is an integer of a width that wraps: real programs have no others, and a
//! model that does not fit into one is no test.

use super::{Draft, add_var, input};
use crate::cfg::{Cfg, Edge, Node, Statement, Var};
use crate::check::Scope;
use crate::error::Malformed;
use crate::json::{Fields, Json};
use crate::syntax::{self, Syntax};
use crate::types::Type;
use coverage::graph::GraphNode;
use term::Float;

pub(super) fn read(json: &Json, int_width: u32) -> Result<Cfg, Malformed> {
    let fields = json.object()?;
    let vars = variables(fields, int_width)?;
    let scope = Scope::new(&vars);
    let nodes = fields.need("nodes")?.list()?;
    let mut draft = Draft::default();
    for node in nodes {
        let name = node.object()?.need("name")?;
        let node_data = Node {
            name: name.string()?.to_string(),
            statements: actions(node.object()?, &scope)?,
            lines: Vec::new(),
        };
        draft.add_node(name.at, node_data)?;
    }
    if let Some(names) = fields.get("nodes_list") {
        check_names(names, &draft)?;
    }
    for node in nodes {
        let node = node.object()?;
        let from = draft.find(node.need("name")?)?;
        successors(node, from, &scope, &mut draft)?;
    }
    let start = draft.find(fields.need("initial_node")?)?;
    let ends = fields.need("terminal_nodes")?.list()?;
    let ends: Vec<GraphNode> = ends.iter().map(|n| draft.find(n)).collect::<Result<_, _>>()?;
    let name = match fields.get("name") {
        Some(name) => name.string()?.to_string(),
        None => "graph".to_string(),
    };
    Ok(draft.finish(name, None, vars, Vec::new(), &[start], &ends))
}

fn variables(fields: Fields, int_width: u32) -> Result<Vec<Var>, Malformed> {
    let mut vars = Vec::new();
    let Some(list) = fields.get("parameters") else { return Ok(vars) };
    for parameter in list.list()? {
        let parameter = parameter.object()?;
        let id = parameter.need("id")?;
        // The prose of the format says `types`, its example `type`.
        let ty = match parameter.get("type") {
            Some(ty) => ty,
            None => parameter.get("types").map_or_else(|| parameter.need("type"), Ok)?,
        };
        let known = type_named(ty.string()?, int_width).ok_or_else(|| {
            ty.error(format!(
                "no type is called {:?}; known are Int, Bool, Float, Double, Real, BitVec(N) and the types of {}",
                ty.string().unwrap_or_default(),
                super::SCHEMA
            ))
        })?;
        add_var(&mut vars, id.at, input(id.string()?, known))?;
    }
    Ok(vars)
}

fn type_named(name: &str, int_width: u32) -> Option<Type> {
    let int = |width: u32| Type::Int { width, signed: true };
    match name {
        "Int" | "int" => return Some(int(int_width)),
        "Bool" | "bool" => return Some(Type::Bool),
        "Float" | "float" => return Some(Type::Float(Float::F32)),
        "Double" | "double" | "Real" => return Some(Type::Float(Float::F64)),
        "BitVec" | "Bitvector" | "BitVector" => return Some(int(32)),
        _ => {}
    }
    if let Some(open) = name.find('(') {
        let width: u32 = name[open + 1..].strip_suffix(')')?.trim().parse().ok()?;
        let known = ["BitVec", "Bitvector", "BitVector"].contains(&&name[..open]);
        return Some(int(width)).filter(|_| known && (1..=128).contains(&width));
    }
    Type::from_name(name)
}

fn actions(node: Fields, scope: &Scope) -> Result<Vec<Statement>, Malformed> {
    let Some(list) = node.get("actions") else { return Ok(Vec::new()) };
    list.list()?
        .iter()
        .map(|action| {
            let (place, value) = syntax::read_assignment(action)?;
            let whole = Syntax { at: place.at, kind: syntax::Kind::Name(place.name.clone()) };
            let var = scope.find(&place.name, &whole)?;
            if place.index.is_some() {
                return Err(action.error("the simple form has no arrays"));
            }
            Ok(Statement::Set(var, scope.check(&value, scope.type_of(var))?))
        })
        .collect()
}

fn successors(node: Fields, from: GraphNode, scope: &Scope, draft: &mut Draft) -> Result<(), Malformed> {
    let Some(list) = node.get("succs") else { return Ok(()) };
    for succ in list.list()? {
        let fields = succ.object()?;
        let to = draft.find(fields.need("name")?)?;
        let condition = match fields.get("condition") {
            Some(text) => Some(scope.check(&syntax::read(text)?, Type::Bool)?),
            None => None,
        };
        let name = draft.edge_name(from, to);
        draft.add_edge(succ.at, from, to, Edge { name, condition, line: None })?;
    }
    Ok(())
}

/// The list of names and the nodes must be the same.
fn check_names(names: &Json, draft: &Draft) -> Result<(), Malformed> {
    let mut listed = rustc_hash::FxHashSet::default();
    for name in names.list()? {
        draft.find(name)?;
        listed.insert(name.string()?);
    }
    match draft.nodes.iter().find(|n| !listed.contains(n.name.as_str())) {
        Some(node) => Err(names.error(format!("the node {:?} is not in this list", node.name))),
        None => Ok(()),
    }
}
