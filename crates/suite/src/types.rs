//! Static types and class names, as an emitter must spell them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The static type of a parameter, a result or a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    Void,
    Bool,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    /// A class or interface. `args` are the type arguments as far as they are known; none means erased.
    Class {
        name: ClassName,
        args: Vec<Type>,
    },
    Array(Box<Type>),
    /// `?`, only as a type argument inside another one: `Map<Class<?>, String>`.
    Wildcard,
}

impl Type {
    /// A class without type arguments.
    pub fn class(name: ClassName) -> Type {
        Type::Class { name, args: Vec::new() }
    }

    pub fn array(elem: Type) -> Type {
        Type::Array(Box::new(elem))
    }

    pub fn object() -> Type {
        Type::class(ClassName::new("java.lang", &["Object"]))
    }

    pub fn string() -> Type {
        Type::class(ClassName::new("java.lang", &["String"]))
    }

    /// A type by its JVM field or return descriptor (`I`, `[Ljava/lang/String;`, `V`); `None` if it is not one.
    /// Every `$` counts as nesting, see [`ClassName::from_internal`].
    pub fn from_descriptor(descriptor: &str) -> Option<Type> {
        let (ty, rest) = Type::parse_descriptor(descriptor)?;
        rest.is_empty().then_some(ty)
    }

    /// The parameter types and the result type of a JVM method descriptor (`(I[J)V`).
    pub fn from_method_descriptor(descriptor: &str) -> Option<(Vec<Type>, Type)> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut params = Vec::new();
        while !rest.starts_with(')') {
            let (ty, tail) = Type::parse_descriptor(rest)?;
            if ty == Type::Void {
                return None;
            }
            params.push(ty);
            rest = tail;
        }
        Some((params, Type::from_descriptor(rest.strip_prefix(')')?)?))
    }

    fn parse_descriptor(s: &str) -> Option<(Type, &str)> {
        // Dimensions are counted, not recursed into: JVMS §4.3.2 allows 255 of them, a hostile file more.
        let elem = s.trim_start_matches('[');
        let dims = s.len() - elem.len();
        let tag = elem.chars().next()?;
        let mut rest = elem.get(tag.len_utf8()..)?;
        let mut ty = match tag {
            'V' if dims == 0 => Type::Void,
            'Z' => Type::Bool,
            'B' => Type::Byte,
            'S' => Type::Short,
            'C' => Type::Char,
            'I' => Type::Int,
            'J' => Type::Long,
            'F' => Type::Float,
            'D' => Type::Double,
            'L' => {
                let (name, tail) = rest.split_once(';')?;
                rest = tail;
                Type::class(ClassName::from_internal(name))
            }
            _ => return None,
        };
        if dims > 255 {
            return None;
        }
        for _ in 0..dims {
            ty = Type::array(ty);
        }
        Some((ty, rest))
    }

    pub fn is_primitive(&self) -> bool {
        !matches!(self, Type::Void | Type::Class { .. } | Type::Array(_) | Type::Wildcard)
    }

    /// The class, if this is one, whatever its arguments.
    pub fn as_class(&self) -> Option<&ClassName> {
        match self {
            Type::Class { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Whether this is the class with this full source name (`java.lang.String`).
    pub fn is_class(&self, source_name: &str) -> bool {
        self.as_class().is_some_and(|c| c.source_name() == source_name)
    }

    /// The primitive that this class boxes.
    pub fn unboxed(&self) -> Option<Type> {
        let class = self.as_class()?;
        if class.package != "java.lang" {
            return None;
        }
        let [name] = class.path.as_slice() else { return None };
        Some(match name.as_str() {
            "Boolean" => Type::Bool,
            "Byte" => Type::Byte,
            "Short" => Type::Short,
            "Character" => Type::Char,
            "Integer" => Type::Int,
            "Long" => Type::Long,
            "Float" => Type::Float,
            "Double" => Type::Double,
            _ => return None,
        })
    }

    /// Whether it is a box or a text: there are no classes below.
    pub fn is_plain(&self) -> bool {
        let text = ClassName::new("java.lang", &["String"]);
        self.unboxed().is_some() || self.as_class() == Some(&text)
    }

    /// The simple name of the box of this primitive.
    pub fn box_name(&self) -> Option<&'static str> {
        Some(match self {
            Type::Bool => "Boolean",
            Type::Byte => "Byte",
            Type::Short => "Short",
            Type::Char => "Character",
            Type::Int => "Integer",
            Type::Long => "Long",
            Type::Float => "Float",
            Type::Double => "Double",
            Type::Void | Type::Class { .. } | Type::Array(_) | Type::Wildcard => return None,
        })
    }

    /// The box of this primitive; other types as they are.
    pub fn boxed(&self) -> Type {
        match self.box_name() {
            Some(name) => Type::class(ClassName::new("java.lang", &[name])),
            None => self.clone(),
        }
    }
}

impl fmt::Display for Type {
    /// The full name in source (`java.util.List<java.lang.String>[]`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Void => "void",
            Type::Wildcard => "?",
            Type::Bool => "boolean",
            Type::Byte => "byte",
            Type::Short => "short",
            Type::Char => "char",
            Type::Int => "int",
            Type::Long => "long",
            Type::Float => "float",
            Type::Double => "double",
            Type::Array(elem) => return write!(f, "{elem}[]"),
            Type::Class { name, args } => {
                write!(f, "{name}")?;
                for (i, arg) in args.iter().enumerate() {
                    write!(f, "{}{arg}", if i == 0 { "<" } else { ", " })?;
                }
                return f.write_str(if args.is_empty() { "" } else { ">" });
            }
        })
    }
}

/// A class by package and nesting path: `com.acme`, [`Outer`, `Inner`]. The path has at least one element.
/// Both the name in source and the internal name follow from it, which is not so the other way round:
/// `A$B` may be a nested class or a top-level class of that very name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassName {
    /// Dotted; empty for the unnamed package.
    pub package: String,
    pub path: Vec<String>,
}

impl ClassName {
    pub fn new(package: &str, path: &[&str]) -> ClassName {
        ClassName { package: package.to_owned(), path: path.iter().map(|s| (*s).to_owned()).collect() }
    }

    /// From `com/acme/Outer$Inner`, taking every `$` inside the name for nesting. Where the class file's
    /// InnerClasses attribute is at hand, build the path from that instead.
    pub fn from_internal(internal: &str) -> ClassName {
        let (package, name) = internal.rsplit_once('/').unwrap_or(("", internal));
        let mut path: Vec<String> = Vec::new();
        for part in name.split('$') {
            match path.last_mut() {
                // `$` at either end or doubled belongs to the name: an empty part names nothing.
                Some(last) if part.is_empty() || last.is_empty() || last.ends_with('$') => {
                    last.push('$');
                    last.push_str(part);
                }
                _ => path.push(part.to_owned()),
            }
        }
        ClassName { package: package.replace('/', "."), path }
    }

    /// `com.acme.Outer.Inner`
    pub fn source_name(&self) -> String {
        let path = self.path.join(".");
        if self.package.is_empty() { path } else { format!("{}.{path}", self.package) }
    }

    /// `com/acme/Outer$Inner`
    pub fn internal_name(&self) -> String {
        let path = self.path.join("$");
        if self.package.is_empty() { path } else { format!("{}/{path}", self.package.replace('.', "/")) }
    }

    /// `com.acme.Outer$Inner`, as `Class.getName` gives it.
    pub fn binary_name(&self) -> String {
        self.internal_name().replace('/', ".")
    }

    /// `Inner`
    pub fn simple_name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// `Outer`
    pub fn outermost(&self) -> &str {
        self.path.first().map_or("", String::as_str)
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nested_classes_follow_from_package_and_path() {
        let name = ClassName::from_internal("com/acme/Outer$Inner");
        assert_eq!(name, ClassName::new("com.acme", &["Outer", "Inner"]));
        assert_eq!(name.source_name(), "com.acme.Outer.Inner");
        assert_eq!(name.internal_name(), "com/acme/Outer$Inner");
        assert_eq!(name.binary_name(), "com.acme.Outer$Inner");
        assert_eq!(ClassName::new("", &["A$B"]).internal_name(), "A$B");
    }

    #[test]
    fn dollars_that_nest_nothing_stay_in_the_name() {
        for internal in ["$", "A$", "$A", "p/A$$B", "A$B$C", "$$"] {
            let name = ClassName::from_internal(internal);
            assert_eq!(name.internal_name(), internal);
            assert!(name.path.iter().all(|part| !part.is_empty()), "{name:?}");
        }
    }

    #[test]
    fn descriptors_become_types() {
        let (params, returns) =
            Type::from_method_descriptor("(I[[JLjava/util/Map$Entry;)Ljava/lang/String;").unwrap();
        assert_eq!(params[0], Type::Int);
        assert_eq!(params[1], Type::array(Type::array(Type::Long)));
        assert_eq!(params[2].to_string(), "java.util.Map.Entry");
        assert_eq!(returns, Type::string());
        for bad in ["", "(", "()", "(V)V", "(I)", "(I)II", "(LA)V", "()[V", "(é)V"] {
            assert_eq!(Type::from_method_descriptor(bad), None, "{bad}");
        }
    }
}
