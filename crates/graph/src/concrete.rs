//! Runs a graph on values, by itself and without terms: what is reported as covered was seen here.

use crate::cfg::{Cfg, Statement, Values};
use crate::expr::{Binary, Expr, ExprKind, Unary};
use crate::types::Type;
use coverage::graph::{GraphEdge, GraphNode};
use term::Float;
use term::semantics::{mask, signed};

/// One pass through a node: the values of its decisions' conditions before it is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub node: GraphNode,
    /// What variables held when the node was left, an element a slot.
    pub values: Values,
}

/// A run that followed a path to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub steps: Vec<Step>,
    pub edges: Vec<GraphEdge>,
}

/// Why a run is not the one that was foreseen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Strayed {
    #[error("it leaves {0} by another edge")]
    OtherEdge(String),
    #[error("an operation is not defined in {0}")]
    Undefined(String),
    #[error("an assumption does not hold in {0}")]
    Assumption(String),
}

/// Runs the inputs along a path. Only a free choice is taken from the path, everything else is decided by the values.
pub fn follow(cfg: &Cfg, inputs: &Values, start: GraphNode, path: &[GraphEdge]) -> Result<Run, Strayed> {
    let mut values = inputs.clone();
    let name = |node: GraphNode| cfg.node(node).name.clone();
    for assumption in &cfg.assume {
        match value(&values, assumption) {
            Some(1) => {}
            _ => return Err(Strayed::Assumption("the inputs".to_string())),
        }
    }
    let mut steps = Vec::with_capacity(path.len() + 1);
    let mut node = start;
    for next in path.iter().map(Some).chain([None]) {
        execute(cfg, node, &mut values)?;
        steps.push(Step { node, values: values.clone() });
        let taken = leave(cfg, node, &values, next.copied())?;
        if taken.as_ref() != next || next.is_none() && !cfg.shape.is_final(node) {
            return Err(Strayed::OtherEdge(name(node)));
        }
        match next {
            Some(edge) => node = cfg.shape.to(*edge),
            None => break,
        }
    }
    Ok(Run { steps, edges: path.to_vec() })
}

/// By which edge a node is left; `choice` where nothing in the graph decides.
fn leave(
    cfg: &Cfg,
    node: GraphNode,
    values: &Values,
    choice: Option<GraphEdge>,
) -> Result<Option<GraphEdge>, Strayed> {
    for (edge, condition) in cfg.conditions(node) {
        match value(values, condition) {
            None => return Err(Strayed::Undefined(cfg.node(node).name.clone())),
            Some(0) => {}
            Some(_) => return Ok(Some(edge)),
        }
    }
    // Without a condition: the only one, or the one that was chosen.
    let plain = |e: &GraphEdge| cfg.edge(*e).condition.is_none();
    Ok(match cfg.is_free(node) {
        true => choice.filter(plain),
        false => cfg.shape.succs(node).iter().copied().find(plain),
    })
}

/// The path that inputs take from a start, if it ends within so many edges. Free choices end the run where it may end.
pub fn run(cfg: &Cfg, inputs: &Values, start: GraphNode, most: usize) -> Option<Vec<GraphEdge>> {
    let mut values = inputs.clone();
    let mut node = start;
    let mut edges = Vec::new();
    loop {
        execute(cfg, node, &mut values).ok()?;
        match leave(cfg, node, &values, None).ok()? {
            Some(edge) if edges.len() < most => {
                edges.push(edge);
                node = cfg.shape.to(edge);
            }
            Some(_) => return None,
            None => return cfg.shape.is_final(node).then_some(edges),
        }
    }
}

fn execute(cfg: &Cfg, node: GraphNode, values: &mut Values) -> Result<(), Strayed> {
    let undefined = || Strayed::Undefined(cfg.node(node).name.clone());
    for statement in &cfg.node(node).statements {
        match statement {
            Statement::Set(var, expr) => values[*var][0] = value(values, expr).ok_or_else(undefined)?,
            Statement::SetElem(var, index, expr) => {
                let new = value(values, expr).ok_or_else(undefined)?;
                let at = place(values, index, values[*var].len()).ok_or_else(undefined)?;
                values[*var][at] = new;
            }
            Statement::Assume(condition) => {
                if value(values, condition).ok_or_else(undefined)? == 0 {
                    return Err(Strayed::Assumption(cfg.node(node).name.clone()));
                }
            }
        }
    }
    Ok(())
}

fn place(values: &Values, index: &Expr, len: usize) -> Option<usize> {
    let bits = value(values, index)?;
    let at = match index.ty {
        Type::Int { width, signed: true } => usize::try_from(signed(bits, width)).ok()?,
        _ => usize::try_from(bits).ok()?,
    };
    Some(at).filter(|at| *at < len)
}

/// The value of an expression; `None` where it is not defined.
pub fn value(values: &Values, expr: &Expr) -> Option<u128> {
    Some(match &expr.kind {
        ExprKind::Const(bits) => *bits,
        ExprKind::Var(v) => values[*v][0],
        ExprKind::Elem(v, index) => values[*v][place(values, index, values[*v].len())?],
        ExprKind::Unary(op, a) => unary(*op, a.ty, value(values, a)?),
        ExprKind::Binary(op, a, b) => {
            let x = value(values, a)?;
            match (op, x) {
                (Binary::And, 0) => return Some(0),
                (Binary::Or, 1) | (Binary::Implies, 0) => return Some(1),
                _ => {}
            }
            binary(*op, a.ty, x, value(values, b)?)?
        }
        ExprKind::If(c, a, b) => match value(values, c)? {
            0 => value(values, b)?,
            _ => value(values, a)?,
        },
        ExprKind::Cast(a) => cast(value(values, a)?, a.ty, expr.ty),
    })
}

fn as_f64(bits: u128, float: Float) -> f64 {
    match float {
        Float::F32 => f32::from_bits(bits as u32).into(),
        Float::F64 => f64::from_bits(bits as u64),
    }
}

/// Rounds once, to the float's own precision.
fn float_op(float: Float, a: u128, b: u128, op32: fn(f32, f32) -> f32, op64: fn(f64, f64) -> f64) -> u128 {
    match float {
        Float::F32 => term::semantics::f32_bits(op32(f32::from_bits(a as u32), f32::from_bits(b as u32))),
        Float::F64 => term::semantics::f64_bits(op64(f64::from_bits(a as u64), f64::from_bits(b as u64))),
    }
}

fn unary(op: Unary, ty: Type, a: u128) -> u128 {
    match (op, ty) {
        (Unary::Not, _) => a ^ 1,
        (Unary::Neg, Type::Float(f)) => float_op(f, a, 0, |x, _| -x, |x, _| -x),
        (Unary::Abs, Type::Float(f)) => float_op(f, a, 0, |x, _| x.abs(), |x, _| x.abs()),
        (Unary::Sqrt, Type::Float(f)) => float_op(f, a, 0, |x, _| x.sqrt(), |x, _| x.sqrt()),
        (Unary::IsNan, Type::Float(f)) => as_f64(a, f).is_nan().into(),
        (Unary::IsInf, Type::Float(f)) => as_f64(a, f).is_infinite().into(),
        (Unary::Neg, Type::Int { width, .. }) => a.wrapping_neg() & mask(width),
        (Unary::BitNot, Type::Int { width, .. }) => !a & mask(width),
        (Unary::Abs, Type::Int { width, signed: true }) => signed(a, width).unsigned_abs() & mask(width),
        _ => a,
    }
}

fn binary(op: Binary, ty: Type, a: u128, b: u128) -> Option<u128> {
    if let Type::Float(f) = ty {
        let (x, y) = (as_f64(a, f), as_f64(b, f));
        return Some(match op {
            Binary::Add => float_op(f, a, b, |x, y| x + y, |x, y| x + y),
            Binary::Sub => float_op(f, a, b, |x, y| x - y, |x, y| x - y),
            Binary::Mul => float_op(f, a, b, |x, y| x * y, |x, y| x * y),
            Binary::Div => float_op(f, a, b, |x, y| x / y, |x, y| x / y),
            Binary::Rem => float_op(f, a, b, |x, y| x % y, |x, y| x % y),
            Binary::Eq => (x == y).into(),
            Binary::Ne => (x != y).into(),
            Binary::Lt => (x < y).into(),
            Binary::Le => (x <= y).into(),
            Binary::Gt => (x > y).into(),
            Binary::Ge => (x >= y).into(),
            _ => return None,
        });
    }
    let (width, is_signed) = match ty {
        Type::Int { width, signed } => (width, signed),
        _ => (1, false),
    };
    let m = mask(width);
    let (x, y) = (signed(a, width), signed(b, width));
    let order = if is_signed { x.cmp(&y) } else { a.cmp(&b) };
    Some(match op {
        Binary::Add => a.wrapping_add(b) & m,
        Binary::Sub => a.wrapping_sub(b) & m,
        Binary::Mul => a.wrapping_mul(b) & m,
        Binary::Div | Binary::Rem if b == 0 => return None,
        Binary::Div if is_signed => x.wrapping_div(y) as u128 & m,
        Binary::Rem if is_signed => x.wrapping_rem(y) as u128 & m,
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::BitAnd | Binary::And => a & b,
        Binary::BitOr | Binary::Or => a | b,
        Binary::BitXor | Binary::Xor => a ^ b,
        Binary::Implies => (a == 0 || b != 0).into(),
        Binary::Shl if b >= width.into() => 0,
        Binary::Shl => (a << b) & m,
        Binary::Shr if is_signed => (x >> b.min(u128::from(width) - 1)) as u128 & m,
        Binary::Shr if b >= width.into() => 0,
        Binary::Shr => a >> b,
        Binary::Eq => (a == b).into(),
        Binary::Ne => (a != b).into(),
        Binary::Lt => order.is_lt().into(),
        Binary::Le => order.is_le().into(),
        Binary::Gt => order.is_gt().into(),
        Binary::Ge => order.is_ge().into(),
    })
}

fn cast(a: u128, from: Type, to: Type) -> u128 {
    match (from, to) {
        (Type::Int { width, signed: true }, Type::Int { width: w, .. }) => signed(a, width) as u128 & mask(w),
        (_, Type::Int { width, .. }) if !matches!(from, Type::Float(_)) => a & mask(width),
        (Type::Int { width, signed: s }, Type::Float(f)) => {
            let value = if s { signed(a, width) } else { a as i128 };
            match f {
                Float::F32 => term::semantics::f32_bits(value as f32),
                Float::F64 => term::semantics::f64_bits(value as f64),
            }
        }
        (Type::Float(f), Type::Int { width, signed: s }) => {
            let value = as_f64(a, f) as i128;
            let most = mask(width - u32::from(s)) as i128;
            let least = if s { -most - 1 } else { 0 };
            value.clamp(least, most) as u128 & mask(width)
        }
        (Type::Float(f), Type::Float(Float::F32)) => term::semantics::f32_bits(as_f64(a, f) as f32),
        (Type::Float(f), Type::Float(Float::F64)) => term::semantics::f64_bits(as_f64(a, f)),
        _ => a,
    }
}
