//! Typed expressions.

use crate::types::Type;
use std::fmt::Write;

/// Index of a variable in [`Graph::vars`](crate::Cfg::vars).
pub type VarIndex = usize;

/// An expression of a type. Every operator's operands have the types it wants: only the type checker
/// makes expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub ty: Type,
    pub kind: ExprKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Const(u128),
    Var(VarIndex),
    /// An element of an array; outside of it the run ends.
    Elem(VarIndex, Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// To the type of the expression: integers are cut or extended, floats rounded to nearest, floats to integers cut off
    /// and saturated.
    Cast(Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Neg,
    BitNot,
    Abs,
    Sqrt,
    IsNan,
    IsInf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// Rounded to zero; of integers the run ends at a divisor of zero.
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    /// Arithmetic where the type is signed.
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// The second operand counts only if the first does not decide.
    And,
    Or,
    Xor,
    Implies,
}

impl Binary {
    pub fn is_connective(self) -> bool {
        matches!(self, Binary::And | Binary::Or | Binary::Xor | Binary::Implies)
    }

    fn symbol(self) -> (&'static str, u8) {
        match self {
            Binary::Implies => ("->", 1),
            Binary::Or => ("||", 2),
            Binary::Xor => ("xor", 2),
            Binary::And => ("&&", 3),
            Binary::Eq => ("==", 5),
            Binary::Ne => ("!=", 5),
            Binary::Lt => ("<", 5),
            Binary::Le => ("<=", 5),
            Binary::Gt => (">", 5),
            Binary::Ge => (">=", 5),
            Binary::BitOr => ("|", 6),
            Binary::BitXor => ("^", 7),
            Binary::BitAnd => ("&", 8),
            Binary::Shl => ("<<", 9),
            Binary::Shr => (">>", 9),
            Binary::Add => ("+", 10),
            Binary::Sub => ("-", 10),
            Binary::Mul => ("*", 11),
            Binary::Div => ("/", 11),
            Binary::Rem => ("%", 11),
        }
    }

    /// The comparison that holds where this one does not. Floats have none for an order: NaN.
    fn negated(self, float: bool) -> Option<Binary> {
        match self {
            Binary::Eq => Some(Binary::Ne),
            Binary::Ne => Some(Binary::Eq),
            Binary::Lt if !float => Some(Binary::Ge),
            Binary::Ge if !float => Some(Binary::Lt),
            Binary::Gt if !float => Some(Binary::Le),
            Binary::Le if !float => Some(Binary::Gt),
            _ => None,
        }
    }
}

impl Expr {
    pub fn boolean(value: bool) -> Expr {
        Expr { ty: Type::Bool, kind: ExprKind::Const(value.into()) }
    }

    /// What holds where a Boolean expression does not, without a `!` where that can be had.
    pub fn negated(&self) -> Expr {
        match &self.kind {
            ExprKind::Unary(Unary::Not, inner) => return (**inner).clone(),
            ExprKind::Binary(op, a, b) => {
                if let Some(op) = op.negated(matches!(a.ty, Type::Float(_))) {
                    let kind = ExprKind::Binary(op, a.clone(), b.clone());
                    return Expr { ty: Type::Bool, kind };
                }
            }
            _ => {}
        }
        Expr { ty: Type::Bool, kind: ExprKind::Unary(Unary::Not, Box::new(self.clone())) }
    }

    fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Var(_) => vec![],
            ExprKind::Elem(_, a) | ExprKind::Unary(_, a) | ExprKind::Cast(a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::If(a, b, c) => vec![a, b, c],
        }
    }

    /// The variables it reads, each once, in order of appearance.
    pub fn reads(&self, into: &mut Vec<VarIndex>) {
        if let ExprKind::Var(v) | ExprKind::Elem(v, _) = self.kind
            && !into.contains(&v)
        {
            into.push(v);
        }
        self.children().into_iter().for_each(|c| c.reads(into));
    }

    /// The conditions of a decision: maximal Boolean parts without connectives, in order, equal ones once.
    pub fn conditions(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.collect_conditions(&mut all);
        all
    }

    fn collect_conditions<'e>(&'e self, all: &mut Vec<&'e Expr>) {
        match &self.kind {
            ExprKind::Unary(Unary::Not, a) => a.collect_conditions(all),
            ExprKind::Binary(op, a, b) if op.is_connective() => {
                a.collect_conditions(all);
                b.collect_conditions(all);
            }
            ExprKind::If(c, a, b) if self.ty == Type::Bool => {
                c.collect_conditions(all);
                a.collect_conditions(all);
                b.collect_conditions(all);
            }
            ExprKind::Const(_) => {}
            _ if all.contains(&self) => {}
            _ => all.push(self),
        }
    }

    /// The value of a decision for values of its conditions, and which conditions were looked at: `&&`, `||`, `->` and
    /// `If` look at their operands from the left and only at those that count.
    pub fn decide(&self, conditions: &[&Expr], values: &[bool], seen: &mut [bool]) -> bool {
        match &self.kind {
            ExprKind::Unary(Unary::Not, a) => !a.decide(conditions, values, seen),
            ExprKind::Binary(Binary::And, a, b) => {
                a.decide(conditions, values, seen) && b.decide(conditions, values, seen)
            }
            ExprKind::Binary(Binary::Or, a, b) => {
                a.decide(conditions, values, seen) || b.decide(conditions, values, seen)
            }
            ExprKind::Binary(Binary::Implies, a, b) => {
                !a.decide(conditions, values, seen) || b.decide(conditions, values, seen)
            }
            ExprKind::Binary(Binary::Xor, a, b) => {
                a.decide(conditions, values, seen) ^ b.decide(conditions, values, seen)
            }
            ExprKind::If(c, a, b) if self.ty == Type::Bool => match c.decide(conditions, values, seen) {
                true => a.decide(conditions, values, seen),
                false => b.decide(conditions, values, seen),
            },
            ExprKind::Const(bits) => *bits != 0,
            _ => match conditions.iter().position(|c| *c == self) {
                Some(i) => {
                    if let Some(s) = seen.get_mut(i) {
                        *s = true;
                    }
                    values.get(i).copied().unwrap_or(false)
                }
                None => false,
            },
        }
    }

    /// As infix text.
    pub fn text(&self, name: &dyn Fn(VarIndex) -> String) -> String {
        let mut text = String::new();
        self.write(&mut text, name, 0);
        text
    }

    fn write(&self, out: &mut String, name: &dyn Fn(VarIndex) -> String, least: u8) {
        let call = |out: &mut String, function: &str, args: &[&Expr]| {
            out.push_str(function);
            for (i, arg) in args.iter().enumerate() {
                out.push_str(if i == 0 { "(" } else { ", " });
                arg.write(out, name, 0);
            }
            out.push(')');
        };
        match &self.kind {
            ExprKind::Const(bits) => out.push_str(&self.ty.show(*bits)),
            ExprKind::Var(v) => out.push_str(&name(*v)),
            ExprKind::Elem(v, index) => {
                let _ = write!(out, "{}[", name(*v));
                index.write(out, name, 0);
                out.push(']');
            }
            ExprKind::Unary(op, a) => {
                let symbol = match op {
                    Unary::Not => "!",
                    Unary::Neg => "-",
                    Unary::BitNot => "~",
                    Unary::Abs => return call(out, "abs", &[a]),
                    Unary::Sqrt => return call(out, "sqrt", &[a]),
                    Unary::IsNan => return call(out, "isnan", &[a]),
                    Unary::IsInf => return call(out, "isinf", &[a]),
                };
                out.push_str(symbol);
                // `- -1` would read as something else.
                let literal = matches!(a.kind, ExprKind::Const(_)) && *op == Unary::Neg;
                a.write(out, name, if literal { 13 } else { 12 });
            }
            ExprKind::Binary(Binary::Implies, a, b) => call(out, "Implies", &[a, b]),
            ExprKind::Binary(Binary::Xor, a, b) => call(out, "Xor", &[a, b]),
            ExprKind::Binary(op, a, b) => {
                let (symbol, power) = op.symbol();
                let open = power < least;
                if open {
                    out.push('(');
                }
                a.write(out, name, power);
                let _ = write!(out, " {symbol} ");
                b.write(out, name, power + 1);
                if open {
                    out.push(')');
                }
            }
            ExprKind::If(a, b, c) => call(out, "If", &[a, b, c]),
            ExprKind::Cast(a) => call(out, &self.ty.to_string(), &[a]),
        }
        if least == 13 {
            // Only for literals behind a sign, which need no parentheses but a distance.
            debug_assert!(matches!(self.kind, ExprKind::Const(_)));
        }
    }
}
