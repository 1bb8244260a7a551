//! Types with their arguments, from the signatures that compilers leave in class files (JVMS §4.7.9.1).

use std::fmt;
use std::sync::Arc;

use ir::{ClassId, FuncId};

use crate::load::FieldType;
use crate::world::Jvm;

/// A type as the source has it; type variables stand for their bound or argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generic {
    Prim(FieldType),
    Class(Arc<str>, Vec<Generic>),
    Array(Box<Generic>),
    /// Anything: a variable without a bound.
    Any,
    /// `?`: whoever takes it must do with objects of every type.
    Wild,
}

/// What type variables stand for.
pub type Env = Vec<(String, Generic)>;

/// Signatures nest so deep at most; deeper ones are not looked into.
const MAX_DEPTH: u32 = 16;

impl Generic {
    pub fn of(ty: &FieldType) -> Generic {
        match ty {
            FieldType::Class(name) => Generic::Class(name.clone(), Vec::new()),
            FieldType::Array(elem) => Generic::Array(Box::new(Generic::of(elem))),
            prim => Generic::Prim(prim.clone()),
        }
    }

    /// The type that a signature gives to a place whose descriptor is `erased`.
    pub fn of_field(signature: Option<&str>, erased: &FieldType, env: &Env) -> Generic {
        let parsed = signature.and_then(|text| {
            let mut parser = Parser { rest: text, env: env.clone() };
            parser.ty(0)
        });
        parsed.filter(|g| g.fits(erased)).unwrap_or_else(|| Generic::of(erased))
    }

    /// Whether this may stand where the descriptor says `erased`: variables have any bound.
    fn fits(&self, erased: &FieldType) -> bool {
        match (self, erased) {
            (Generic::Prim(a), b) => a == b,
            (Generic::Array(a), FieldType::Array(b)) => a.fits(b),
            (Generic::Class(..), FieldType::Class(_)) => true,
            // Of a variable that nothing is known of here, its bound is: what the descriptor says.
            (Generic::Any | Generic::Wild, FieldType::Class(name)) => &**name == "java/lang/Object",
            // `Comparator<int[]>.compare(Object, Object)`.
            (Generic::Array(_), FieldType::Class(name)) => &**name == "java/lang/Object",
            _ => false,
        }
    }
}

impl fmt::Display for Generic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generic::Prim(ty) => write!(f, "{ty}"),
            Generic::Array(elem) => write!(f, "[{elem}"),
            Generic::Any | Generic::Wild => write!(f, "*"),
            Generic::Class(name, args) if args.is_empty() => write!(f, "L{name};"),
            Generic::Class(name, args) => {
                write!(f, "L{name}<")?;
                args.iter().try_for_each(|arg| write!(f, "{arg}"))?;
                write!(f, ">;")
            }
        }
    }
}

/// The types of a method's parameters. Compilers leave out made-up ones (an enum's name and ordinal, what a local
/// class captured): if the numbers differ, the descriptor is all there is.
pub fn params(signature: Option<&str>, erased: &[FieldType], env: &Env) -> Vec<Generic> {
    let plain = || erased.iter().map(Generic::of).collect();
    let Some(text) = signature else { return plain() };
    let mut parser = Parser { rest: text, env: env.clone() };
    let Some(found) = parser.method() else { return plain() };
    if found.len() != erased.len() {
        return plain();
    }
    let fitting = |(g, e): (Generic, &FieldType)| if g.fits(e) { g } else { Generic::of(e) };
    found.into_iter().zip(erased).map(fitting).collect()
}

/// The type of a method's result.
pub fn result(signature: Option<&str>, erased: &FieldType, env: &Env) -> Generic {
    let parsed = signature.and_then(|text| {
        let mut parser = Parser { rest: text, env: env.clone() };
        parser.method()?;
        parser.ty(0)
    });
    parsed.filter(|g| g.fits(erased)).unwrap_or_else(|| Generic::of(erased))
}

/// The type of a method's result where it is the same for every caller: without variables and wildcards.
pub fn closed_result(jvm: &Jvm, func: FuncId) -> Option<Generic> {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref()?;
    let signature = file.method(&f.name, &f.descriptor)?.signature.clone()?;
    if returns_variables(&signature) || has_wildcards(returned(&signature)) {
        return None;
    }
    Some(result(Some(&signature), f.signature.ty.ret.as_ref()?, &Env::new()))
}

/// What a method's signature says of its result.
fn returned(signature: &str) -> &str {
    let returned = signature.rsplit(')').next().unwrap_or_default();
    returned.split('^').next().unwrap_or_default()
}

/// Whether the result of a method with this signature has type variables in it.
pub fn returns_variables(signature: &str) -> bool {
    starts_any(returned(signature), &['T'])
}

/// Whether a signature has `?` in it.
pub fn has_wildcards(signature: &str) -> bool {
    starts_any(signature, &['+', '-', '*'])
}

/// Whether a type in a signature starts with one of these.
fn starts_any(signature: &str, with: &[char]) -> bool {
    let mut before = ';';
    signature.chars().any(|c| {
        let starts = matches!(before, '<' | ';' | '[' | '(' | ')' | '*' | '+' | '-');
        before = c;
        starts && with.contains(&c)
    })
}

/// A method with type parameters of its own: their names, and its types with these variables in them, spelled as classes.
pub struct Open {
    pub variables: Vec<String>,
    pub params: Vec<Generic>,
    /// None if it returns nothing.
    pub returns: Option<Generic>,
}

/// The types of such a method; none if a parameter has a bound.
pub fn open(signature: &str, env: &Env) -> Option<Open> {
    let own = Parser { rest: signature, env: env.clone() }.type_params(0)?;
    if own.iter().any(|(_, bound)| *bound != Generic::Any) {
        return None;
    }
    open_within_bounds(signature, env)
}

/// The types of such a method, whatever the bounds of its parameters.
pub fn open_within_bounds(signature: &str, env: &Env) -> Option<Open> {
    let mut parser = Parser { rest: signature, env: env.clone() };
    let own = parser.type_params(0)?;
    if own.is_empty() {
        return None;
    }
    let variables: Vec<String> = own.into_iter().map(|(name, _)| name).collect();
    let stands = |name: &String| (name.clone(), Generic::Class(name.as_str().into(), Vec::new()));
    parser.env.extend(variables.iter().map(stands));
    let params = parser.method()?;
    let returns = if parser.eat('V') { None } else { Some(parser.ty(0)?) };
    Some(Open { variables, params, returns })
}

impl Open {
    /// The variable that a type is.
    pub fn variable(&self, ty: &Generic) -> Option<usize> {
        match ty {
            Generic::Class(name, args) if args.is_empty() => {
                self.variables.iter().position(|v| **v == **name)
            }
            _ => None,
        }
    }

    /// A type with what its variables stand for; none if one of them is not known.
    pub fn with(&self, ty: &Generic, known: &[Option<Generic>]) -> Option<Generic> {
        if let Some(number) = self.variable(ty) {
            return known.get(number)?.clone();
        }
        Some(match ty {
            Generic::Class(name, args) => {
                let args = args.iter().map(|arg| self.with(arg, known)).collect::<Option<_>>()?;
                Generic::Class(name.clone(), args)
            }
            Generic::Array(elem) => Generic::Array(Box::new(self.with(elem, known)?)),
            other => other.clone(),
        })
    }
}

/// The type variable that each parameter of a method is of; none of those that are something else.
pub fn variables(signature: &str) -> Vec<Option<&str>> {
    let params = signature.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let mut rest = params.map_or("", |(params, _)| params);
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (mut depth, mut end) = (0, rest.len());
        let elem = rest.trim_start_matches('[');
        if !elem.starts_with(['L', 'T']) {
            end = rest.len() - elem.len() + 1;
        } else {
            for (i, c) in rest.char_indices() {
                match c {
                    '<' => depth += 1,
                    '>' => depth -= 1,
                    ';' if depth == 0 => {
                        end = i + 1;
                        break;
                    }
                    _ => {}
                }
            }
        }
        let (ty, tail) = rest.split_at(end);
        found.push(ty.strip_prefix('T').and_then(|ty| ty.strip_suffix(';')));
        rest = tail;
    }
    found
}

/// What the variables of a class stand for, given its arguments.
pub fn class_env(signature: Option<&str>, args: &[Generic]) -> Env {
    let Some(text) = signature else { return Env::new() };
    let mut parser = Parser { rest: text, env: Env::new() };
    let Some(declared) = parser.type_params(0) else { return Env::new() };
    declared
        .into_iter()
        .enumerate()
        .map(|(i, (name, bound))| match args.get(i) {
            Some(arg) if !matches!(arg, Generic::Any | Generic::Wild) => (name, arg.clone()),
            _ => (name, bound),
        })
        .collect()
}

/// Whether a class has type parameters.
pub fn has_params(signature: Option<&str>) -> bool {
    signature.is_some_and(|text| text.starts_with('<'))
}

/// The same of a class that is loaded.
pub fn is_generic(jvm: &Jvm, class: ClassId) -> bool {
    let file = jvm.classes[class].file.as_deref();
    has_params(file.and_then(|file| file.signature.as_deref()))
}

/// The types that a class extends and implements, where its variables stand for what `env` says.
pub fn supertypes(signature: &str, env: &Env) -> Vec<Generic> {
    let mut parser = Parser { rest: signature, env: Env::new() };
    let mut found = Vec::new();
    if parser.type_params(0).is_some() {
        parser.env = env.clone();
        while !parser.rest.is_empty() {
            let Some(ty) = parser.ty(0) else { break };
            found.push(ty);
        }
    }
    found
}

struct Parser<'a> {
    rest: &'a str,
    env: Env,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Up to one of these characters, which is left.
    fn until(&mut self, ends: &[char]) -> Option<String> {
        let at = self.rest.find(ends)?;
        let (text, rest) = self.rest.split_at(at);
        self.rest = rest;
        Some(text.to_string())
    }

    fn method(&mut self) -> Option<Vec<Generic>> {
        let own = self.type_params(0)?;
        self.env.extend(own);
        if !self.eat('(') {
            return None;
        }
        let mut params = Vec::new();
        while !self.eat(')') {
            params.push(self.ty(0)?);
        }
        Some(params)
    }

    /// `<T:Ljava/lang/Object;U::LI;>`; none at all is fine.
    fn type_params(&mut self, depth: u32) -> Option<Env> {
        let mut found = Env::new();
        if !self.eat('<') {
            return Some(found);
        }
        while !self.eat('>') {
            let name = self.until(&[':'])?;
            let mut bound = Generic::Any;
            while self.eat(':') {
                if self.peek()? == ':' {
                    continue;
                }
                let next = self.ty(depth + 1)?;
                let is_object = matches!(&next, Generic::Class(name, _) if &**name == "java/lang/Object");
                if bound == Generic::Any && !is_object {
                    bound = next;
                }
            }
            self.env.push((name.clone(), bound.clone()));
            found.push((name, bound));
        }
        Some(found)
    }

    fn ty(&mut self, depth: u32) -> Option<Generic> {
        if depth > MAX_DEPTH {
            return None;
        }
        let tag = self.peek()?;
        self.eat(tag);
        Some(match tag {
            '[' => Generic::Array(Box::new(self.ty(depth + 1)?)),
            'T' => {
                let name = self.until(&[';'])?;
                self.eat(';');
                let known = self.env.iter().rev().find(|(n, _)| *n == name);
                known.map_or(Generic::Any, |(_, g)| g.clone())
            }
            'L' => self.class(depth)?,
            prim => Generic::Prim(FieldType::parse(&prim.to_string())?),
        })
    }

    fn class(&mut self, depth: u32) -> Option<Generic> {
        let mut name = self.until(&['<', ';', '.'])?;
        let mut args = Vec::new();
        loop {
            match self.peek()? {
                '<' => {
                    self.eat('<');
                    args.clear();
                    while !self.eat('>') {
                        args.push(self.arg(depth + 1)?);
                    }
                }
                '.' => {
                    self.eat('.');
                    args.clear();
                    name = format!("{name}${}", self.until(&['<', ';', '.'])?);
                }
                ';' => {
                    self.eat(';');
                    return Some(Generic::Class(name.into(), args));
                }
                _ => return None,
            }
        }
    }

    fn arg(&mut self, depth: u32) -> Option<Generic> {
        match self.peek()? {
            '*' => {
                self.eat('*');
                Some(Generic::Wild)
            }
            '+' | '-' => {
                let sign = self.peek()?;
                self.eat(sign);
                self.ty(depth)
            }
            _ => self.ty(depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MethodType;

    fn read(signature: &str, descriptor: &str) -> String {
        let ty = MethodType::parse(descriptor).unwrap();
        let all = params(Some(signature), &ty.params, &Env::new());
        all.iter().map(Generic::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn arguments_bounds_and_wildcards() {
        assert_eq!(
            read("(Ljava/util/List<Ljava/lang/Integer;>;I[TT;)V", "(Ljava/util/List;I[Ljava/lang/Object;)V"),
            "Ljava/util/List<Ljava/lang/Integer;>; I [*"
        );
        assert_eq!(
            read(
                "<T::Ljava/lang/Comparable<-TT;>;>(TT;Ljava/util/Map<+TT;*>;)V",
                "(Ljava/lang/Comparable;Ljava/util/Map;)V"
            ),
            "Ljava/lang/Comparable<*>; Ljava/util/Map<Ljava/lang/Comparable<*>;*>;"
        );
    }

    #[test]
    fn what_does_not_fit_the_descriptor_is_ignored() {
        assert_eq!(read("(TT;)V", "(I)V"), "I");
        assert_eq!(read("(Ljava/util/List<", "(I)V"), "I");
        assert_eq!(read("(I)V", "(II)V"), "I I");
    }

    #[test]
    fn class_variables_take_arguments_or_bounds() {
        let integer = Generic::Class("java/lang/Integer".into(), Vec::new());
        let env = class_env(
            Some("<K:Ljava/lang/Number;V:Ljava/lang/Object;>Ljava/lang/Object;"),
            &[Generic::Any, integer.clone()],
        );
        assert_eq!(env[0].1.to_string(), "Ljava/lang/Number;");
        assert_eq!(env[1], ("V".to_string(), integer));
        let above = supertypes("<V:Ljava/lang/Object;>Ljava/lang/Object;LBox<TV;>;", &env);
        assert_eq!(above[1].to_string(), "LBox<Ljava/lang/Integer;>;");
    }
}
