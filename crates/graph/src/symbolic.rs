//! Runs blocks and edges on terms: what variables hold along a path, and what must be true to take it.

use crate::cfg::{Cfg, Role, Statement, Values};
use crate::expr::{Binary, Expr, ExprKind, Unary, VarIndex};
use crate::types::Type;
use coverage::graph::{GraphEdge, GraphNode};
use solver::Model;
use std::rc::Rc;
use term::{Float, Op, Pool, TermId};

/// What each variable holds, an element a slot.
pub type Store = Rc<[TermId]>;

/// The terms of one graph.
pub struct Symbolic<'c> {
    pub cfg: &'c Cfg,
    pub pool: Pool,
    /// First slot and number of slots of each variable.
    slots: Vec<(usize, usize)>,
    /// Variables that no statement assigns: they hold all the time what they held at the start.
    constant: Vec<bool>,
}

/// A value, and when it is defined at all.
struct Value {
    term: TermId,
    defined: TermId,
}

impl<'c> Symbolic<'c> {
    pub fn new(cfg: &'c Cfg) -> Symbolic<'c> {
        let mut next = 0;
        let slots = cfg.vars.iter().map(|v| {
            let count = v.len.unwrap_or(1) as usize;
            next += count;
            (next - count, count)
        });
        let slots = slots.collect();
        let mut constant = vec![true; cfg.vars.len()];
        for statement in cfg.nodes.iter().flat_map(|n| &n.statements) {
            if let Statement::Set(v, _) | Statement::SetElem(v, _, _) = statement {
                constant[*v] = false;
            }
        }
        Symbolic { cfg, pool: Pool::new(), slots, constant }
    }

    /// At the start: inputs are variables, locals have their values. With what is assumed of inputs.
    pub fn start(&mut self) -> (Store, Vec<TermId>) {
        let mut store = Vec::new();
        for (v, var) in self.cfg.vars.iter().enumerate() {
            for i in 0..self.slots[v].1 {
                store.push(match var.role {
                    Role::Input => self.pool.declare(&slot_name(&var.name, var.len, i), var.ty.sort()),
                    Role::Local(bits) => self.pool.constant(var.ty.sort(), bits),
                });
            }
        }
        let store: Store = store.into();
        let mut facts = Vec::new();
        for assumption in &self.cfg.assume {
            self.assert(&store, assumption, true, &mut facts);
        }
        (store, facts)
    }

    /// In the middle of a run of which nothing is known but what never changes.
    pub fn anywhere(&mut self) -> (Store, Vec<TermId>) {
        let mut store = self.start().0.to_vec();
        for (v, var) in self.cfg.vars.iter().enumerate().filter(|(v, _)| !self.constant[*v]) {
            for i in 0..self.slots[v].1 {
                // No variable of a graph has such a name.
                let name = format!("{}'", slot_name(&var.name, var.len, i));
                store[self.slots[v].0 + i] = self.pool.declare(&name, var.ty.sort());
            }
        }
        let mut facts = Vec::new();
        let mut reads = Vec::new();
        for assumption in &self.cfg.assume {
            reads.clear();
            assumption.reads(&mut reads);
            if reads.iter().all(|v| self.constant[*v]) {
                self.assert(&store, assumption, true, &mut facts);
            }
        }
        (store.into(), facts)
    }

    /// Runs the statements of a block. The same store comes back where nothing changes.
    pub fn enter(&mut self, store: &Store, node: GraphNode, facts: &mut Vec<TermId>) -> Store {
        let mut now: Vec<TermId> = Vec::new();
        let cfg = self.cfg;
        for statement in &cfg.node(node).statements {
            if now.is_empty() {
                now = store.to_vec();
            }
            match statement {
                Statement::Set(var, expr) => {
                    let value = self.expr(&now, expr);
                    self.fact(value.defined, facts);
                    now[self.slots[*var].0] = value.term;
                }
                Statement::SetElem(var, index, expr) => {
                    let value = self.expr(&now, expr);
                    self.fact(value.defined, facts);
                    let index_value = self.expr(&now, index);
                    self.fact(index_value.defined, facts);
                    let inside = self.inside(*var, index_value.term, index.ty);
                    self.fact(inside, facts);
                    let (first, count) = self.slots[*var];
                    for i in 0..count {
                        let here = self.is_index(index_value.term, index.ty, i);
                        now[first + i] = self.pool.ite(here, value.term, now[first + i]);
                    }
                }
                Statement::Assume(condition) => self.assert(&now, condition, true, facts),
            }
        }
        match now.is_empty() || now[..] == store[..] {
            true => store.clone(),
            false => now.into(),
        }
    }

    /// What must hold to leave a node by an edge, or to end there.
    pub fn leave(&mut self, store: &Store, node: GraphNode, by: Option<GraphEdge>, facts: &mut Vec<TermId>) {
        let cfg = self.cfg;
        for (edge, condition) in cfg.conditions(node) {
            self.assert(store, condition, by == Some(edge), facts);
            if by == Some(edge) {
                break;
            }
        }
    }

    /// That a condition is defined and true, or defined and false.
    pub fn assert(&mut self, store: &[TermId], condition: &Expr, truth: bool, facts: &mut Vec<TermId>) {
        let value = self.expr(store, condition);
        self.fact(value.defined, facts);
        let term = if truth { value.term } else { self.pool.not(value.term) };
        self.fact(term, facts);
    }

    /// The term of a Boolean expression, wherever it is defined.
    pub fn truth(&mut self, store: &[TermId], condition: &Expr) -> TermId {
        self.expr(store, condition).term
    }

    fn fact(&mut self, term: TermId, facts: &mut Vec<TermId>) {
        if self.pool.as_bool(term) != Some(true) && !facts.contains(&term) {
            facts.push(term);
        }
    }

    /// The inputs of a model: every one of them, whether it mattered or not.
    pub fn values(&self, model: &Model) -> Values {
        let cfg = self.cfg;
        let one = |(v, var): (usize, &crate::cfg::Var)| match var.role {
            Role::Input => (0..self.slots[v].1)
                .map(|i| {
                    let name = slot_name(&var.name, var.len, i);
                    self.pool.var_by_name(&name).map_or(0, |id| model.bits(id))
                })
                .collect(),
            Role::Local(bits) => vec![bits; self.slots[v].1],
        };
        cfg.vars.iter().enumerate().map(one).collect()
    }

    fn expr(&mut self, store: &[TermId], expr: &Expr) -> Value {
        let yes = self.pool.bool(true);
        match &expr.kind {
            ExprKind::Const(bits) => Value { term: self.pool.constant(expr.ty.sort(), *bits), defined: yes },
            ExprKind::Var(v) => Value { term: store[self.slots[*v].0], defined: yes },
            ExprKind::Elem(v, index) => {
                let at = self.expr(store, index);
                let inside = self.inside(*v, at.term, index.ty);
                let (first, count) = self.slots[*v];
                let mut term = store[first];
                for i in 1..count {
                    let here = self.is_index(at.term, index.ty, i);
                    term = self.pool.ite(here, store[first + i], term);
                }
                Value { term, defined: self.pool.and(at.defined, inside) }
            }
            ExprKind::Unary(op, a) => {
                let value = self.expr(store, a);
                Value { term: self.unary(*op, value.term, a.ty), defined: value.defined }
            }
            ExprKind::Binary(op, a, b) => self.binary(store, *op, a, b),
            ExprKind::If(c, a, b) => {
                let (c, a, b) = (self.expr(store, c), self.expr(store, a), self.expr(store, b));
                let term = self.pool.ite(c.term, a.term, b.term);
                let defined = self.pool.ite(c.term, a.defined, b.defined);
                Value { term, defined: self.pool.and(c.defined, defined) }
            }
            ExprKind::Cast(a) => {
                let value = self.expr(store, a);
                Value { term: self.cast(value.term, a.ty, expr.ty), defined: value.defined }
            }
        }
    }

    /// Whether an index lies in the array.
    fn inside(&mut self, var: VarIndex, index: TermId, ty: Type) -> TermId {
        let Type::Int { width, signed } = ty else { return self.pool.bool(true) };
        let count = self.slots[var].1 as u128;
        let limit = term::semantics::mask(width - u32::from(signed));
        if limit < count {
            // Only a sign leads outside.
            let zero = self.pool.constant(ty.sort(), 0);
            return if signed { self.pool.sge(index, zero) } else { self.pool.bool(true) };
        }
        let end = self.pool.bv128(width, count);
        self.pool.ult(index, end)
    }

    fn is_index(&mut self, index: TermId, ty: Type, i: usize) -> TermId {
        let Type::Int { width, signed } = ty else { return self.pool.bool(false) };
        if i as u128 > term::semantics::mask(width - u32::from(signed)) {
            return self.pool.bool(false);
        }
        let literal = self.pool.bv128(width, i as u128);
        self.pool.eq(index, literal)
    }

    fn unary(&mut self, op: Unary, a: TermId, ty: Type) -> TermId {
        let float = matches!(ty, Type::Float(_));
        match op {
            Unary::Not => self.pool.not(a),
            Unary::Neg if float => self.pool.fpneg(a),
            Unary::Neg => self.pool.bvneg(a),
            Unary::BitNot => self.pool.bvnot(a),
            Unary::Abs if float => self.pool.fpabs(a),
            Unary::Abs => {
                let Type::Int { signed: true, .. } = ty else { return a };
                let zero = self.pool.constant(ty.sort(), 0);
                let (negative, negated) = (self.pool.slt(a, zero), self.pool.bvneg(a));
                self.pool.ite(negative, negated, a)
            }
            Unary::Sqrt => self.pool.fpsqrt(a),
            Unary::IsNan => self.pool.fpisnan(a),
            Unary::IsInf => self.pool.fpisinf(a),
        }
    }

    fn binary(&mut self, store: &[TermId], op: Binary, a: &Expr, b: &Expr) -> Value {
        let ty = a.ty;
        let (x, y) = (self.expr(store, a), self.expr(store, b));
        let pool = &mut self.pool;
        let (p, q) = (x.term, y.term);
        let mut defined = pool.and(x.defined, y.defined);
        let signed = matches!(ty, Type::Int { signed: true, .. });
        let float = matches!(ty, Type::Float(_));
        let term = match op {
            Binary::Add if float => pool.fpadd(p, q),
            Binary::Sub if float => pool.fpsub(p, q),
            Binary::Mul if float => pool.fpmul(p, q),
            Binary::Div if float => pool.fpdiv(p, q),
            Binary::Rem if float => pool.fpfmod(p, q),
            Binary::Add => pool.bvadd(p, q),
            Binary::Sub => pool.bvsub(p, q),
            Binary::Mul => pool.bvmul(p, q),
            Binary::Div | Binary::Rem => {
                let zero = pool.constant(ty.sort(), 0);
                let nonzero = pool.ne(q, zero);
                defined = pool.and(defined, nonzero);
                let op = match (op, signed) {
                    (Binary::Div, true) => Op::BvSDiv,
                    (Binary::Div, false) => Op::BvUDiv,
                    (_, true) => Op::BvSRem,
                    (_, false) => Op::BvURem,
                };
                pool.mk(op, &[p, q])
            }
            Binary::BitAnd => pool.bvand(p, q),
            Binary::BitOr => pool.bvor(p, q),
            Binary::BitXor => pool.bvxor(p, q),
            Binary::Shl => pool.bvshl(p, q),
            Binary::Shr if signed => pool.bvashr(p, q),
            Binary::Shr => pool.bvlshr(p, q),
            Binary::Eq if float => pool.fpeq(p, q),
            Binary::Ne if float => {
                let equal = pool.fpeq(p, q);
                pool.not(equal)
            }
            Binary::Eq => pool.eq(p, q),
            Binary::Ne => pool.ne(p, q),
            Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => {
                let (p, q) = if matches!(op, Binary::Lt | Binary::Le) { (p, q) } else { (q, p) };
                let strict = matches!(op, Binary::Lt | Binary::Gt);
                let op = match (float, signed, strict) {
                    (true, _, true) => Op::FpLt,
                    (true, _, false) => Op::FpLe,
                    (_, true, true) => Op::BvSlt,
                    (_, true, false) => Op::BvSle,
                    (_, false, true) => Op::BvUlt,
                    (_, false, false) => Op::BvUle,
                };
                pool.mk(op, &[p, q])
            }
            Binary::Xor => pool.xor(p, q),
            Binary::And | Binary::Or | Binary::Implies => {
                // The second operand need be defined only where the first does not decide.
                let looks = if op == Binary::Or { pool.not(p) } else { p };
                let second = pool.implies(looks, y.defined);
                defined = pool.and(x.defined, second);
                match op {
                    Binary::And => pool.and(p, q),
                    Binary::Or => pool.or(p, q),
                    _ => pool.implies(p, q),
                }
            }
        };
        Value { term, defined }
    }

    fn cast(&mut self, a: TermId, from: Type, to: Type) -> TermId {
        let pool = &mut self.pool;
        match (from, to) {
            (Type::Bool, Type::Int { width, .. }) => pool.bool_to_bv(width, a),
            (Type::Int { width: w, signed }, Type::Int { width, .. }) => match w.cmp(&width) {
                std::cmp::Ordering::Equal => a,
                std::cmp::Ordering::Greater => pool.extract(width - 1, 0, a),
                std::cmp::Ordering::Less if signed => pool.sext(width, a),
                std::cmp::Ordering::Less => pool.zext(width, a),
            },
            (Type::Int { width, signed }, Type::Float(float)) => {
                let value = if signed { a } else { pool.zext(width + 1, a) };
                pool.fp_from_sbv(float, value)
            }
            (Type::Float(_), Type::Int { width, signed: true }) => pool.fp_to_sbv_sat(width, a),
            (Type::Float(_), Type::Int { width, signed: false }) => {
                let wide = pool.fp_to_sbv_sat(width + 1, a);
                let zero = pool.bv(width + 1, 0);
                let negative = pool.slt(wide, zero);
                let value = pool.ite(negative, zero, wide);
                pool.extract(width - 1, 0, value)
            }
            (Type::Float(f), Type::Float(t)) if f != t => pool.fp_to_fp(t, a),
            (Type::Float(_), Type::Float(Float::F32 | Float::F64)) | (_, Type::Bool) | (Type::Bool, _) => a,
        }
    }
}

/// `a`, `t[3]`.
fn slot_name(name: &str, len: Option<u32>, i: usize) -> String {
    match len {
        None => name.to_string(),
        Some(_) => format!("{name}[{i}]"),
    }
}
