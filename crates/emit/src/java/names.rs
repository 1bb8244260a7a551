//! Class names as the file spells them, and the imports that makes necessary.

use std::collections::{BTreeMap, BTreeSet};

use suite::case::{ClassName, Type};

/// Classes of `java.lang` that emitted code names; no import may take their simple names.
const JAVA_LANG: [&str; 24] = [
    "Boolean",
    "Byte",
    "Character",
    "Class",
    "Comparable",
    "CharSequence",
    "Double",
    "Enum",
    "Error",
    "Exception",
    "Float",
    "Integer",
    "Iterable",
    "Long",
    "Math",
    "Number",
    "Object",
    "RuntimeException",
    "Short",
    "String",
    "StringBuilder",
    "SuppressWarnings",
    "System",
    "Throwable",
];

/// The scope of one file.
#[derive(Debug)]
pub struct Names {
    package: String,
    /// Which package a simple name stands for here.
    simple: BTreeMap<String, String>,
    imports: BTreeSet<String>,
    static_imports: BTreeSet<String>,
}

impl Names {
    /// `siblings`: simple names of the classes of this package, as far as known: they hide `java.lang`'s.
    pub fn new(package: &str, siblings: impl IntoIterator<Item = String>) -> Names {
        let mut simple: BTreeMap<String, String> =
            JAVA_LANG.iter().map(|name| ((*name).to_owned(), "java.lang".to_owned())).collect();
        simple.extend(siblings.into_iter().map(|name| (name, package.to_owned())));
        Names {
            package: package.to_owned(),
            simple,
            imports: BTreeSet::new(),
            static_imports: BTreeSet::new(),
        }
    }

    /// The class by its simple name, importing it if need be, or in full where the simple name is taken.
    pub fn class(&mut self, class: &ClassName) -> String {
        let outer = class.outermost();
        let owner = self.simple.entry(outer.to_owned()).or_insert_with(|| class.package.clone());
        if *owner != class.package {
            return class.source_name();
        }
        if class.package != self.package && class.package != "java.lang" && !class.package.is_empty() {
            self.imports.insert(format!("{}.{outer}", class.package));
        }
        class.path.join(".")
    }

    /// A class of the platform or the framework, by its full name; not nested.
    pub fn known(&mut self, full: &str) -> String {
        let (package, name) = full.rsplit_once('.').unwrap_or(("", full));
        self.class(&ClassName::new(package, &[name]))
    }

    pub fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Array(elem) => format!("{}[]", self.ty(elem)),
            Type::Class { name, args } if !args.is_empty() => {
                let name = self.class(name);
                let args: Vec<String> = args.iter().map(|arg| self.ty(&arg.boxed())).collect();
                format!("{name}<{}>", args.join(", "))
            }
            _ => self.erased(ty),
        }
    }

    /// Without type arguments, as casts, class literals and array creations want it.
    pub fn erased(&mut self, ty: &Type) -> String {
        match ty {
            Type::Array(elem) => format!("{}[]", self.erased(elem)),
            Type::Class { name, .. } => self.class(name),
            primitive => primitive.to_string(),
        }
    }

    /// A static method by its bare name.
    pub fn static_method(&mut self, class: &str, method: &str) -> String {
        self.static_imports.insert(format!("{class}.{method}"));
        method.to_owned()
    }

    pub fn import_lines(&self) -> (Vec<String>, Vec<String>) {
        (
            self.static_imports.iter().map(|name| format!("import static {name};")).collect(),
            self.imports.iter().map(|name| format!("import {name};")).collect(),
        )
    }
}

/// A Java identifier that is not a keyword (JLS §3.9), made from any text.
pub fn identifier(text: &str) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_alphanumeric() || c == '_' || c == '$' { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The name of the test method for a case of this name: an identifier that neither redefines a method of `Object`
/// nor hides what the class itself uses.
pub fn test_method(case: &str) -> String {
    let mut name = identifier(case);
    let taken = ["captureOutput", "restoreOutput", "fail"].contains(&name.as_str())
        || ["clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"]
            .contains(&name.as_str())
        || name.strip_prefix("assert").is_some_and(|rest| !rest.contains('_'));
    if taken {
        name.push_str("_test");
    }
    name
}

/// The variable a person would name after this class (`calc`, `urlParser`).
pub fn variable_for(class: &ClassName) -> String {
    let simple = class.simple_name();
    let capitals = simple.chars().take_while(|c| c.is_uppercase()).count();
    // `URLParser` gives `urlParser`, `URL` gives `url`: the last capital of a run begins the next word.
    let lower =
        if capitals > 1 && capitals < simple.chars().count() { capitals - 1 } else { capitals.max(1) };
    let name: String = simple
        .chars()
        .enumerate()
        .flat_map(|(i, c)| if i < lower { c.to_lowercase().collect::<Vec<_>>() } else { vec![c] })
        .collect();
    identifier(&name)
}

const KEYWORDS: [&str; 57] = [
    "_",
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "record",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "var",
    "void",
    "volatile",
    "while",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_made_once_and_conflicts_are_spelled_in_full() {
        let mut names = Names::new("com.acme", ["Integer".to_owned(), "Calc".to_owned()]);
        assert_eq!(names.known("java.util.List"), "List");
        assert_eq!(names.known("java.awt.List"), "java.awt.List");
        assert_eq!(names.known("java.lang.Integer"), "java.lang.Integer");
        assert_eq!(names.known("com.acme.Integer"), "Integer");
        assert_eq!(names.known("org.other.String"), "org.other.String");
        assert_eq!(names.class(&ClassName::new("java.util", &["Map", "Entry"])), "Map.Entry");
        assert_eq!(names.import_lines().1, ["import java.util.List;", "import java.util.Map;"]);
    }

    #[test]
    fn variables_are_named_after_classes() {
        for (class, name) in [
            ("Calc", "calc"),
            ("URLParser", "urlParser"),
            ("URL", "url"),
            ("Int", "int_"),
            ("X", "x"),
            ("x", "x"),
        ] {
            assert_eq!(variable_for(&ClassName::new("", &[class])), name);
        }
        assert_eq!(
            ["toString", "assertEquals", "assert_x", "f"].map(test_method),
            ["toString_test", "assertEquals_test", "assert_x", "f"]
        );
        assert_eq!([identifier("1 a"), identifier("class"), identifier("")], ["_1_a", "class_", "__"]);
    }
}
