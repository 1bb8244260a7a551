//! Gives expressions their types. Nothing is converted silently: a literal takes the type of what it stands beside,
//! everything else must agree or be converted by name, as in `i64(x)`.

use crate::cfg::Var;
use crate::error::Malformed;
use crate::expr::{Binary, Expr, ExprKind, Unary, VarIndex};
use crate::syntax::{Kind, Syntax};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// The variables that expressions may use.
pub struct Scope<'v> {
    vars: &'v [Var],
    by_name: FxHashMap<&'v str, VarIndex>,
}

impl<'v> Scope<'v> {
    pub fn new(vars: &'v [Var]) -> Scope<'v> {
        Scope { vars, by_name: vars.iter().enumerate().map(|(i, v)| (v.name.as_str(), i)).collect() }
    }

    pub fn find(&self, name: &str, syntax: &Syntax) -> Result<VarIndex, Malformed> {
        self.lookup(name).ok_or_else(|| error(syntax, format!("no variable is called {name:?}")))
    }

    pub fn lookup(&self, name: &str) -> Option<VarIndex> {
        self.by_name.get(name).copied()
    }

    pub fn type_of(&self, var: VarIndex) -> Type {
        self.vars[var].ty
    }

    pub fn is_array(&self, var: VarIndex) -> bool {
        self.vars[var].len.is_some()
    }

    /// An expression of a type.
    pub fn check(&self, syntax: &Syntax, want: Type) -> Result<Expr, Malformed> {
        let expr = self.expr(syntax, Some(want))?;
        self.agree(syntax, &expr, want)?;
        Ok(expr)
    }

    fn agree(&self, syntax: &Syntax, expr: &Expr, want: Type) -> Result<(), Malformed> {
        match (expr.ty == want, want) {
            (true, _) => Ok(()),
            (false, Type::Bool) => {
                Err(error(syntax, format!("this is {}, a bool is wanted", article(expr.ty))))
            }
            (false, _) => Err(error(
                syntax,
                format!(
                    "this is {}, {} is wanted; convert it, as in {want}(x)",
                    article(expr.ty),
                    article(want)
                ),
            )),
        }
    }

    /// An index of an array: any integer.
    fn index(&self, syntax: &Syntax) -> Result<Box<Expr>, Malformed> {
        let expr = self.expr(syntax, None)?;
        match expr.ty.is_int() {
            true => Ok(Box::new(expr)),
            false => Err(error(syntax, format!("this is {}, an index is an integer", article(expr.ty)))),
        }
    }

    /// Reads or writes of an element.
    pub fn element(&self, name: &str, index: &Syntax, at: &Syntax) -> Result<(VarIndex, Expr), Malformed> {
        let var = self.find(name, at)?;
        if self.vars[var].len.is_none() {
            return Err(error(at, format!("{name} is no array")));
        }
        Ok((var, *self.index(index)?))
    }

    /// The type that an expression has whatever it stands beside; `None` of literals.
    fn known(&self, syntax: &Syntax) -> Option<Type> {
        match &syntax.kind {
            Kind::Number(_, ty) => ty.as_deref().and_then(Type::from_name),
            Kind::Bool(_) => Some(Type::Bool),
            Kind::Name(name) | Kind::Index(name, _) => self.lookup(name).map(|v| self.vars[v].ty),
            Kind::Apply(op, args) => match op.as_str() {
                "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "~" | "<<" | ">>" | "abs" | "Abs"
                | "sqrt" | "UDiv" | "URem" | "SRem" | "LShR" => args.iter().find_map(|a| self.known(a)),
                "If" => args.iter().skip(1).find_map(|a| self.known(a)),
                name => Some(Type::from_name(name).unwrap_or(Type::Bool)),
            },
        }
    }

    /// The type of two or more operands that must agree.
    fn common(&self, args: &[Syntax], want: Option<Type>) -> Type {
        let real = |s: &Syntax| matches!(&s.kind, Kind::Number(n, None) if is_real(n));
        args.iter().find_map(|a| self.known(a)).or(want).unwrap_or(match args.iter().any(real) {
            true => Type::Float(term::Float::F64),
            false => Type::I32,
        })
    }

    fn expr(&self, syntax: &Syntax, want: Option<Type>) -> Result<Expr, Malformed> {
        match &syntax.kind {
            Kind::Number(text, ty) => {
                let ty = match ty {
                    Some(name) => Type::from_name(name)
                        .ok_or_else(|| error(syntax, format!("no type is called {name:?}")))?,
                    None => match want.filter(|t| t.is_number()) {
                        Some(ty) => ty,
                        None if is_real(text) => Type::Float(term::Float::F64),
                        None => Type::I32,
                    },
                };
                let bits = ty.literal(text).map_err(|why| error(syntax, why))?;
                Ok(Expr { ty, kind: ExprKind::Const(bits) })
            }
            Kind::Bool(value) => Ok(Expr::boolean(*value)),
            Kind::Name(name) => {
                let var = self.find(name, syntax)?;
                match self.vars[var].len {
                    None => Ok(Expr { ty: self.vars[var].ty, kind: ExprKind::Var(var) }),
                    Some(_) => {
                        Err(error(syntax, format!("{name} is an array; only its elements are values")))
                    }
                }
            }
            Kind::Index(name, index) => {
                let (var, index) = self.element(name, index, syntax)?;
                Ok(Expr { ty: self.vars[var].ty, kind: ExprKind::Elem(var, Box::new(index)) })
            }
            Kind::Apply(op, args) => self.apply(syntax, op, args, want),
        }
    }

    fn apply(&self, at: &Syntax, op: &str, args: &[Syntax], want: Option<Type>) -> Result<Expr, Malformed> {
        if let Some(ty) = Type::from_name(op).filter(|_| args.len() == 1) {
            return self.cast(at, &args[0], ty);
        }
        if let Some((unary, over)) = unary(op, args.len()) {
            let ty = match over {
                Over::Bool => Type::Bool,
                _ => self.common(args, want.filter(|t| t.is_number())),
            };
            let a = self.operand(&args[0], ty, over, op)?;
            let result = if matches!(unary, Unary::IsNan | Unary::IsInf) { Type::Bool } else { ty };
            return Ok(Expr { ty: result, kind: ExprKind::Unary(unary, Box::new(a)) });
        }
        if let Some(binary) = match op {
            "And" => Some(Binary::And),
            "Or" => Some(Binary::Or),
            _ => None,
        } {
            return self.fold(binary, args);
        }
        if let Some(op) = unsigned(op).filter(|_| args.len() == 2) {
            return self.unsigned(op, args);
        }
        if op == "If" && args.len() == 3 {
            let condition = self.check(&args[0], Type::Bool)?;
            let ty = self.common(&args[1..], want);
            let (a, b) = (self.check(&args[1], ty)?, self.check(&args[2], ty)?);
            return Ok(Expr { ty, kind: ExprKind::If(condition.into(), a.into(), b.into()) });
        }
        let Some((binary, over)) = binary(op).filter(|_| args.len() == 2) else {
            return Err(error(at, format!("there is no {op} with {} operands", args.len())));
        };
        let compares =
            matches!(binary, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge);
        let ty = match over {
            Over::Bool => Type::Bool,
            _ => self.common(args, want.filter(|_| !compares)),
        };
        // Bitwise operators on Booleans are the connectives.
        let (binary, over) = match (binary, ty) {
            (Binary::BitAnd, Type::Bool) => (Binary::And, Over::Bool),
            (Binary::BitOr, Type::Bool) => (Binary::Or, Over::Bool),
            (Binary::BitXor, Type::Bool) => (Binary::Xor, Over::Bool),
            other => (other.0, over),
        };
        let (a, b) = (self.operand(&args[0], ty, over, op)?, self.operand(&args[1], ty, over, op)?);
        let result = if compares || over == Over::Bool { Type::Bool } else { ty };
        Ok(Expr { ty: result, kind: ExprKind::Binary(binary, a.into(), b.into()) })
    }

    fn operand(&self, syntax: &Syntax, ty: Type, over: Over, op: &str) -> Result<Expr, Malformed> {
        let allowed = match over {
            Over::Bool => ty == Type::Bool,
            Over::Int => ty.is_int(),
            Over::Float => matches!(ty, Type::Float(_)),
            Over::Number => ty.is_number(),
            Over::Any => true,
        };
        let expr = self.expr(syntax, Some(ty))?;
        self.agree(syntax, &expr, ty)?;
        match allowed {
            true => Ok(expr),
            false => Err(error(syntax, format!("{op} does not take {}", article(ty)))),
        }
    }

    /// `And(a, b, c)`.
    fn fold(&self, op: Binary, args: &[Syntax]) -> Result<Expr, Malformed> {
        let mut all = args.iter().map(|a| self.check(a, Type::Bool));
        let first = all.next().unwrap_or(Ok(Expr::boolean(op == Binary::And)))?;
        let mut count = 0;
        all.try_fold(first, |so_far, next| {
            count += 1;
            match count > 1000 {
                true => Err(error(&args[0], "more than 1000 operands".to_string())),
                false => {
                    let kind = ExprKind::Binary(op, so_far.into(), next?.into());
                    Ok(Expr { ty: Type::Bool, kind })
                }
            }
        })
    }

    /// Z3's unsigned operators on integers of any type.
    fn unsigned(&self, op: Binary, args: &[Syntax]) -> Result<Expr, Malformed> {
        let ty = self.common(args, None);
        let Type::Int { width, .. } = ty else {
            return Err(error(&args[0], format!("this is {}, an integer is wanted", article(ty))));
        };
        let over = Type::Int { width, signed: false };
        let cast = |arg: &Syntax| -> Result<Box<Expr>, Malformed> {
            let inner = self.check(arg, ty)?;
            Ok(Box::new(Expr { ty: over, kind: ExprKind::Cast(inner.into()) }))
        };
        let kind = ExprKind::Binary(op, cast(&args[0])?, cast(&args[1])?);
        match matches!(op, Binary::Div | Binary::Rem | Binary::Shr) {
            true => Ok(Expr { ty, kind: ExprKind::Cast(Box::new(Expr { ty: over, kind })) }),
            false => Ok(Expr { ty: Type::Bool, kind }),
        }
    }

    fn cast(&self, at: &Syntax, arg: &Syntax, to: Type) -> Result<Expr, Malformed> {
        let want = match &arg.kind {
            // `i64(5)` and `f64(1)` are literals of that type, -1 behind `u8` is not.
            Kind::Number(text, None) if !text.starts_with('-') && (!is_real(text) || !to.is_int()) => {
                Some(to)
            }
            _ => None,
        };
        let inner = self.expr(arg, want)?;
        let width = |t: Type| if let Type::Int { width, .. } = t { width } else { 0 };
        match (inner.ty, to) {
            (from, to) if from == to => Ok(inner),
            (_, Type::Bool) => Err(error(at, "a bool is made by a comparison, as in x != 0".to_string())),
            (Type::Bool, Type::Float(_)) => Err(error(at, "a bool is no number".to_string())),
            (from @ Type::Int { .. }, to @ Type::Float(_))
            | (from @ Type::Float(_), to @ Type::Int { .. })
                if width(from).max(width(to)) > 64 =>
            {
                Err(error(at, "between floats and integers only up to 64 bits are converted".to_string()))
            }
            _ => Ok(Expr { ty: to, kind: ExprKind::Cast(inner.into()) }),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Over {
    Bool,
    Int,
    Float,
    Number,
    Any,
}

fn unary(op: &str, count: usize) -> Option<(Unary, Over)> {
    if count != 1 {
        return None;
    }
    Some(match op {
        "!" | "Not" => (Unary::Not, Over::Bool),
        "-" => (Unary::Neg, Over::Number),
        "~" => (Unary::BitNot, Over::Int),
        "abs" | "Abs" => (Unary::Abs, Over::Number),
        "sqrt" => (Unary::Sqrt, Over::Float),
        "isnan" => (Unary::IsNan, Over::Float),
        "isinf" => (Unary::IsInf, Over::Float),
        _ => return None,
    })
}

fn binary(op: &str) -> Option<(Binary, Over)> {
    Some(match op {
        "+" => (Binary::Add, Over::Number),
        "-" => (Binary::Sub, Over::Number),
        "*" => (Binary::Mul, Over::Number),
        "/" => (Binary::Div, Over::Number),
        "%" | "SRem" => (Binary::Rem, Over::Number),
        "&" => (Binary::BitAnd, Over::Int),
        "|" => (Binary::BitOr, Over::Int),
        "^" => (Binary::BitXor, Over::Int),
        "<<" => (Binary::Shl, Over::Int),
        ">>" => (Binary::Shr, Over::Int),
        "==" => (Binary::Eq, Over::Any),
        "!=" => (Binary::Ne, Over::Any),
        "<" => (Binary::Lt, Over::Number),
        "<=" => (Binary::Le, Over::Number),
        ">" => (Binary::Gt, Over::Number),
        ">=" => (Binary::Ge, Over::Number),
        "&&" => (Binary::And, Over::Bool),
        "||" => (Binary::Or, Over::Bool),
        "Xor" => (Binary::Xor, Over::Bool),
        "Implies" => (Binary::Implies, Over::Bool),
        _ => return None,
    })
}

fn unsigned(op: &str) -> Option<Binary> {
    Some(match op {
        "ULT" => Binary::Lt,
        "ULE" => Binary::Le,
        "UGT" => Binary::Gt,
        "UGE" => Binary::Ge,
        "UDiv" => Binary::Div,
        "URem" => Binary::Rem,
        "LShR" => Binary::Shr,
        _ => return None,
    })
}

/// A literal that can only be a float.
fn is_real(text: &str) -> bool {
    !text.starts_with("0x") && !text.starts_with("0X") && text.contains(['.', 'e', 'E'])
}

fn article(ty: Type) -> String {
    match ty {
        Type::Int { signed: true, .. } => format!("an {ty}"),
        Type::Int { signed: false, .. } => format!("a {ty}"),
        Type::Float(_) => format!("an {ty}"),
        Type::Bool => "a bool".to_string(),
    }
}

fn error(syntax: &Syntax, message: String) -> Malformed {
    Malformed::new(syntax.at, message)
}
