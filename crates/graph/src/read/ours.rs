//! `testwright-cfg/1`: typed terms, inputs and locals, source lines, named edges. `docs/cfg.schema.json` describes it.

use super::{Draft, add_var};
use crate::cfg::{Cfg, Edge, Node, Role, Source, Statement, Var};
use crate::check::Scope;
use crate::error::Malformed;
use crate::expr::{Binary, Expr, ExprKind};
use crate::json::{Fields, Json, Kind};
use crate::syntax::{self, Syntax};
use crate::types::Type;
use coverage::graph::GraphNode;
use rustc_hash::FxHashSet;

pub(super) fn read(json: &Json) -> Result<Cfg, Malformed> {
    let fields = json.object()?;
    fields.only(&[
        "schema", "name", "source", "inputs", "locals", "assume", "entry", "exits", "nodes", "edges",
    ])?;
    let mut vars = Vec::new();
    let mut ranges = Vec::new();
    for input in list(fields, "inputs")? {
        variable(input, true, &mut vars, &mut ranges)?;
    }
    for local in list(fields, "locals")? {
        variable(local, false, &mut vars, &mut ranges)?;
    }
    let scope = Scope::new(&vars);
    let mut assume = ranges;
    for condition in list(fields, "assume")? {
        assume.push(scope.check(&syntax::read(condition)?, Type::Bool)?);
    }
    let mut draft = Draft::default();
    for node in fields.need("nodes")?.list()? {
        let inner = node.object()?;
        inner.only(&["id", "statements", "lines"])?;
        let id = inner.need("id")?;
        let statements = list(inner, "statements")?;
        let mut read = Node {
            name: id.string()?.to_string(),
            statements: statements.iter().map(|s| statement(s, &scope)).collect::<Result<_, _>>()?,
            lines: list(inner, "lines")?.iter().map(Json::natural).collect::<Result<_, _>>()?,
        };
        read.lines.sort_unstable();
        read.lines.dedup();
        draft.add_node(id.at, read)?;
    }
    edges(fields, &scope, &mut draft)?;
    let starts = one_or_more(fields.need("entry")?, &draft)?;
    let ends = one_or_more(fields.need("exits")?, &draft)?;
    let name = match fields.get("name") {
        Some(name) => name.string()?.to_string(),
        None => "graph".to_string(),
    };
    Ok(draft.finish(name, source(fields)?, vars, assume, &starts, &ends))
}

fn list<'a>(fields: Fields<'a>, key: &str) -> Result<&'a [Json], Malformed> {
    fields.get(key).map_or(Ok(&[]), Json::list)
}

fn source(fields: Fields) -> Result<Option<Source>, Malformed> {
    let Some(source) = fields.get("source") else { return Ok(None) };
    let source = source.object()?;
    source.only(&["file", "text"])?;
    let text = |key| source.get(key).map(|j| j.string().map(str::to_string)).transpose();
    Ok(Some(Source { file: text("file")?, text: text("text")? }))
}

/// `{"name": "a", "type": "i32", "length": 4, "min": 0, "max": 9}`; a local has `init` instead of bounds.
fn variable(
    json: &Json,
    is_input: bool,
    vars: &mut Vec<Var>,
    ranges: &mut Vec<Expr>,
) -> Result<(), Malformed> {
    let fields = json.object()?;
    match is_input {
        true => fields.only(&["name", "type", "length", "min", "max"])?,
        false => fields.only(&["name", "type", "length", "init"])?,
    }
    let name = fields.need("name")?;
    let ty = fields.need("type")?;
    let ty = Type::from_name(ty.string()?)
        .ok_or_else(|| ty.error("no such type; known are bool, i1 to i128, u1 to u128, f32 and f64"))?;
    let len = fields.get("length").map(Json::natural).transpose()?;
    if len == Some(0) {
        return Err(json.error("an array has at least one element"));
    }
    let role = match (is_input, fields.get("init")) {
        (true, _) => Role::Input,
        (false, None) => Role::Local(0),
        (false, Some(init)) => Role::Local(literal(init, ty)?),
    };
    let var = vars.len();
    add_var(vars, name.at, Var { name: name.string()?.to_string(), ty, len, role })?;
    for (key, op) in [("min", Binary::Ge), ("max", Binary::Le)] {
        let Some(bound) = fields.get(key) else { continue };
        if !ty.is_number() {
            return Err(bound.error("a bool has no bounds"));
        }
        let bits = literal(bound, ty)?;
        let elements: Vec<ExprKind> = match len {
            None => vec![ExprKind::Var(var)],
            Some(len) => (0..len)
                .map(|i| {
                    let index = Expr { ty: Type::I32, kind: ExprKind::Const(i.into()) };
                    ExprKind::Elem(var, Box::new(index))
                })
                .collect(),
        };
        for element in elements {
            let (a, b) = (Expr { ty, kind: element }, Expr { ty, kind: ExprKind::Const(bits) });
            ranges.push(Expr { ty: Type::Bool, kind: ExprKind::Binary(op, a.into(), b.into()) });
        }
    }
    Ok(())
}

fn literal(json: &Json, ty: Type) -> Result<u128, Malformed> {
    let text = match &json.kind {
        Kind::Number(text) | Kind::String(text) => text.clone(),
        Kind::Bool(value) => value.to_string(),
        _ => return Err(json.error(format!("here stands {}, a constant is wanted", json.what()))),
    };
    ty.literal(&text).map_err(|why| json.error(why))
}

/// `"x = e"`, `{"set": "x", "to": e}`, `{"set": "t[i]", "to": e}` or `{"assume": e}`.
fn statement(json: &Json, scope: &Scope) -> Result<Statement, Malformed> {
    let (place, value) = match &json.kind {
        Kind::String(_) => syntax::read_assignment(json)?,
        _ => {
            let fields = json.object()?;
            if let Some(condition) = fields.get("assume") {
                fields.only(&["assume"])?;
                return Ok(Statement::Assume(scope.check(&syntax::read(condition)?, Type::Bool)?));
            }
            fields.only(&["set", "to"])?;
            (syntax::read_place(fields.need("set")?)?, syntax::read(fields.need("to")?)?)
        }
    };
    let whole = Syntax { at: place.at, kind: syntax::Kind::Name(place.name.clone()) };
    match &place.index {
        Some(index) => {
            let (var, index) = scope.element(&place.name, index, &whole)?;
            Ok(Statement::SetElem(var, index, scope.check(&value, scope.type_of(var))?))
        }
        None => {
            let var = scope.find(&place.name, &whole)?;
            if scope.is_array(var) {
                return Err(Malformed::new(
                    place.at,
                    format!("{} is an array: assign its elements", place.name),
                ));
            }
            Ok(Statement::Set(var, scope.check(&value, scope.type_of(var))?))
        }
    }
}

fn edges(fields: Fields, scope: &Scope, draft: &mut Draft) -> Result<(), Malformed> {
    let mut names: FxHashSet<String> = FxHashSet::default();
    for edge in list(fields, "edges")? {
        let inner = edge.object()?;
        inner.only(&["id", "from", "to", "when", "line"])?;
        let (from, to) = (draft.find(inner.need("from")?)?, draft.find(inner.need("to")?)?);
        let condition = match inner.get("when") {
            Some(when) => Some(scope.check(&syntax::read(when)?, Type::Bool)?),
            None => None,
        };
        let name = match inner.get("id") {
            Some(id) => id.string()?.to_string(),
            None => draft.edge_name(from, to),
        };
        if !names.insert(name.clone()) {
            return Err(edge.error(format!("there are two edges {name:?}")));
        }
        let line = inner.get("line").map(Json::natural).transpose()?;
        draft.add_edge(edge.at, from, to, Edge { name, condition, line })?;
    }
    Ok(())
}

fn one_or_more(json: &Json, draft: &Draft) -> Result<Vec<GraphNode>, Malformed> {
    match &json.kind {
        Kind::List(names) if names.is_empty() => Err(json.error("at least one node is wanted")),
        Kind::List(names) => names.iter().map(|n| draft.find(n)).collect(),
        _ => Ok(vec![draft.find(json)?]),
    }
}
