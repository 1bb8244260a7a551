//! Names as a Kotlin file spells them, and its imports.

use std::collections::{BTreeMap, BTreeSet};

use suite::case::{ClassName, Type};

use super::{Facts, Nulls};

/// Hard keywords: they are names only in backticks.
const KEYWORDS: [&str; 28] = [
    "as",
    "break",
    "class",
    "continue",
    "do",
    "else",
    "false",
    "for",
    "fun",
    "if",
    "in",
    "interface",
    "is",
    "null",
    "object",
    "package",
    "return",
    "super",
    "this",
    "throw",
    "true",
    "try",
    "typealias",
    "typeof",
    "val",
    "var",
    "when",
    "while",
];

/// Java's classes that Kotlin has under another name, and those it knows without import.
const MAPPED: [(&str, &str); 16] = [
    ("java.lang.Object", "Any"),
    ("java.lang.String", "String"),
    ("java.lang.CharSequence", "CharSequence"),
    ("java.lang.Throwable", "Throwable"),
    ("java.lang.Number", "Number"),
    ("java.lang.Boolean", "Boolean"),
    ("java.lang.Byte", "Byte"),
    ("java.lang.Short", "Short"),
    ("java.lang.Character", "Char"),
    ("java.lang.Integer", "Int"),
    ("java.lang.Long", "Long"),
    ("java.lang.Float", "Float"),
    ("java.lang.Double", "Double"),
    ("java.util.List", "List"),
    ("java.util.Set", "Set"),
    ("java.util.Map", "Map"),
];

/// The scope of one file.
pub struct Names<'a> {
    package: String,
    facts: &'a dyn Facts,
    /// Which package a simple name stands for here.
    simple: BTreeMap<String, String>,
    imports: BTreeSet<String>,
}

impl<'a> Names<'a> {
    pub fn new(package: &str, facts: &'a dyn Facts) -> Names<'a> {
        let simple = MAPPED.iter().map(|(_, name)| ((*name).to_owned(), "kotlin".to_owned())).collect();
        Names { package: package.to_owned(), facts, simple, imports: BTreeSet::new() }
    }

    /// The class by its simple name, importing it if need be, or in full where the simple name is taken.
    pub fn class(&mut self, class: &ClassName) -> String {
        if let Some((_, name)) = MAPPED.iter().find(|(full, _)| *full == class.source_name()) {
            return (*name).to_owned();
        }
        let outer = class.outermost();
        let owner = self.simple.entry(outer.to_owned()).or_insert_with(|| class.package.clone());
        let parts: Vec<String> = class.path.iter().map(|part| quoted(part)).collect();
        if *owner != class.package {
            return format!("{}.{}", qualified(&class.package), parts.join("."));
        }
        // `java.lang` is imported by itself.
        if class.package != self.package && class.package != "java.lang" && !class.package.is_empty() {
            self.imports.insert(format!("{}.{}", qualified(&class.package), quoted(outer)));
        }
        parts.join(".")
    }

    /// A function or class of the platform or the framework by its full name.
    pub fn import(&mut self, full: &str) -> String {
        self.imports.insert(full.to_owned());
        full.rsplit('.').next().unwrap_or(full).to_owned()
    }

    /// A type; `nullable` adds the question mark.
    pub fn ty(&mut self, ty: &Type, nullable: bool) -> String {
        self.spelled(ty, nullable, true)
    }

    /// A type argument as it is declared where the value is used; of what is not said, `nullable`.
    pub fn argument(&mut self, ty: &Type, declared: Option<&Nulls>, nullable: bool) -> String {
        let ty = of_itself(ty).boxed();
        let Some(declared) = declared else { return self.spelled(&ty, nullable, nullable) };
        let mark = if declared.marked.unwrap_or(nullable) { "?" } else { "" };
        match &ty {
            Type::Class { name, args } if !args.is_empty() && name.package != "kotlin.jvm.functions" => {
                let class = self.class(name);
                let args: Vec<String> = args
                    .iter()
                    .enumerate()
                    .map(|(i, arg)| self.argument(arg, declared.arguments.get(i), nullable))
                    .collect();
                format!("{class}<{}>{mark}", args.join(", "))
            }
            Type::Wildcard => self.spelled(&ty, false, false),
            ty => self.spelled(ty, false, nullable) + mark,
        }
    }

    /// A type whose arguments are nullable or not.
    pub fn spelled(&mut self, ty: &Type, nullable: bool, inside: bool) -> String {
        let mark = if nullable && !ty.is_primitive() { "?" } else { "" };
        let name = match ty {
            Type::Void => "Unit".to_owned(),
            Type::Wildcard => return "*".to_owned(),
            Type::Array(elem) => match array_of(elem) {
                Some(name) => format!("{name}Array"),
                None => format!("Array<{}>", self.spelled(elem, inside, inside)),
            },
            // The compiler knows them by their arrows only.
            Type::Class { name, args } if name.package == "kotlin.jvm.functions" && !args.is_empty() => {
                let mut args: Vec<String> =
                    args.iter().map(|arg| self.spelled(&arg.boxed(), false, false)).collect();
                let result = args.pop().unwrap_or_default();
                let function = format!("({}) -> {result}", args.join(", "));
                if nullable { format!("({function})") } else { function }
            }
            Type::Class { name, args } => {
                let class = self.class(name);
                match args.is_empty() {
                    // Kotlin has no raw types.
                    true => match self.facts.type_parameters(name).len() {
                        0 => class,
                        many => format!("{class}<{}>", vec!["*"; many].join(", ")),
                    },
                    false => {
                        let args: Vec<String> = args
                            .iter()
                            .map(|arg| self.spelled(&of_itself(arg).boxed(), inside, inside))
                            .collect();
                        format!("{class}<{}>", args.join(", "))
                    }
                }
            }
            primitive => array_of(primitive).unwrap_or("Any").to_owned(),
        };
        name + mark
    }

    pub fn imports(&self) -> Vec<String> {
        self.imports.iter().map(|name| format!("import {name}")).collect()
    }
}

/// `String` for `Comparable<String>`: what compares with objects of its own class stands for a type parameter as that class.
fn of_itself(ty: &Type) -> &Type {
    match ty {
        Type::Class { name, args } if *name == ClassName::new("java.lang", &["Comparable"]) => {
            match &args[..] {
                [own] if *own == Type::string() || own.unboxed().is_some() => own,
                _ => ty,
            }
        }
        _ => ty,
    }
}

/// `Int` for `int`: the name of the type and of its arrays.
pub fn array_of(elem: &Type) -> Option<&'static str> {
    Some(match elem {
        Type::Bool => "Boolean",
        Type::Byte => "Byte",
        Type::Short => "Short",
        Type::Char => "Char",
        Type::Int => "Int",
        Type::Long => "Long",
        Type::Float => "Float",
        Type::Double => "Double",
        Type::Void | Type::Class { .. } | Type::Array(_) | Type::Wildcard => return None,
    })
}

/// A name as it must be written.
pub fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_numeric())
        && !KEYWORDS.contains(&name);
    if plain { name.to_owned() } else { format!("`{name}`") }
}

pub fn qualified(package: &str) -> String {
    package.split('.').map(quoted).collect::<Vec<_>>().join(".")
}

/// A variable's name: one that needs no backticks.
pub fn identifier(name: &str) -> String {
    let java = crate::java::names::identifier(name).replace('$', "_");
    if KEYWORDS.contains(&java.as_str()) { format!("{java}_") } else { java }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_quoted_and_java_names_are_mapped() {
        assert_eq!([quoted("is"), quoted("a1"), quoted("a b")], ["`is`", "a1", "`a b`"]);
        assert_eq!(identifier("object"), "object_");
        let mut names = Names::new("a", &super::super::NoFacts);
        assert_eq!(names.ty(&Type::array(Type::Int), false), "IntArray");
        assert_eq!(names.ty(&Type::array(Type::string()), true), "Array<String?>?");
        assert_eq!(names.class(&ClassName::new("java.util", &["Map", "Entry"])), "java.util.Map.Entry");
        assert_eq!(names.class(&ClassName::new("in.x", &["C"])), "C");
        assert_eq!(names.imports(), ["import `in`.x.C"]);
    }
}
