//! What users name as targets: `com.acme.Calc`, `com.acme.Calc#divide`, `com.acme.Calc#divide(int, int)`,
//! `com.acme.Calc#divide(II)I`, `com.acme.**`.

use jvm::load::{ClassPath, MethodType, access};

use crate::error::Error;

/// A target as written, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Internal name, or a package prefix that ends in `/` for `com.acme.**` and `com.acme.*`.
    pub class: String,
    pub wildcard: Wildcard,
    pub method: Option<String>,
    /// Its parameters in parentheses, as a descriptor or as Java spells them.
    pub descriptor: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wildcard {
    None,
    /// All classes of the package.
    Package,
    /// All classes of the package and of those below it.
    Tree,
}

/// A class, and which of its methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTarget {
    /// Internal name.
    pub class: String,
    /// Empty means all public ones.
    pub methods: Vec<(String, Option<String>)>,
    /// Classes nested in it that are no targets of their own: internal names.
    pub nested: Vec<String>,
}

impl Pattern {
    pub fn parse(text: &str) -> Result<Pattern, Error> {
        let wrong = |why: &str| Error::BadTarget { target: text.to_string(), why: why.to_string() };
        let (class, method) = match text.split_once('#') {
            Some((class, method)) => (class, Some(method)),
            None => (text, None),
        };
        if class.is_empty() {
            return Err(wrong("it names no class"));
        }
        let (method, descriptor) = match method {
            None => (None, None),
            Some("") => return Err(wrong("it names no method after '#'")),
            Some(method) => match method.find('(') {
                Some(at) => (Some(method[..at].to_string()), Some(method[at..].to_string())),
                None => (Some(method.to_string()), None),
            },
        };
        let (class, wildcard) = if let Some(package) = class.strip_suffix("**") {
            (package, Wildcard::Tree)
        } else if let Some(package) = class.strip_suffix('*') {
            (package, Wildcard::Package)
        } else {
            (class, Wildcard::None)
        };
        if wildcard != Wildcard::None && (method.is_some() || !(class.is_empty() || class.ends_with('.'))) {
            return Err(wrong("a wildcard stands for whole packages, as in com.acme.**"));
        }
        if class.contains('*') {
            return Err(wrong("'*' may only stand at the end"));
        }
        Ok(Pattern { class: class.replace('.', "/"), wildcard, method, descriptor })
    }

    fn matches(&self, class: &str) -> bool {
        match self.wildcard {
            Wildcard::None => class == self.class,
            Wildcard::Tree => class.starts_with(&self.class),
            Wildcard::Package => class.strip_prefix(&self.class).is_some_and(|rest| !rest.contains('/')),
        }
    }
}

/// The classes that the user's targets name, in order, each once.
pub fn resolve(targets: &[String], path: &ClassPath) -> Result<Vec<ClassTarget>, Error> {
    let mut found: Vec<ClassTarget> = Vec::new();
    for text in targets {
        let pattern = Pattern::parse(text)?;
        let mut classes = Vec::new();
        if pattern.wildcard == Wildcard::None {
            classes.push(exact_class(&pattern, text, path)?);
        } else {
            let all = path.list_all()?;
            let fits =
                |class: &String| pattern.matches(class) && is_named(class) && !is_inside(class, path, &all);
            classes.extend(all.iter().filter(|class| fits(class)).cloned());
            if classes.is_empty() {
                return Err(Error::NothingMatches { target: text.clone() });
            }
        }
        for class in classes {
            let index = found.iter().position(|t| t.class == class).unwrap_or_else(|| {
                found.push(ClassTarget { class: class.clone(), methods: Vec::new(), nested: Vec::new() });
                found.len() - 1
            });
            if let Some(method) = &pattern.method {
                found[index].methods.push((method.clone(), pattern.descriptor.clone()));
            }
        }
    }
    let all = path.list_all()?;
    let targets: Vec<String> = found.iter().map(|target| target.class.clone()).collect();
    for target in found.iter_mut().filter(|target| target.methods.is_empty()) {
        let inside = format!("{}$", target.class);
        let nested = all.iter().filter(|class| class.starts_with(&inside) && !targets.contains(class));
        target.nested = nested.cloned().collect();
        // Classes inside a nested class that is a target belong to that.
        let others: Vec<String> = targets
            .iter()
            .filter(|other| other.starts_with(&inside))
            .map(|other| format!("{other}$"))
            .collect();
        target.nested.retain(|class| !others.iter().any(|other| class.starts_with(other)));
    }
    Ok(found)
}

/// Whether what is in a nested class is explored with the class around it: it is private, has no name in Kotlin, or a test gets its
/// objects only by another type.
fn is_inside(class: &str, path: &ClassPath, all: &[String]) -> bool {
    let Some((outermost, _)) = class.split_once('$') else { return false };
    let Some((file, _)) = path.load(class).ok().flatten() else { return false };
    if file.modifiers() & access::PRIVATE != 0 || jvm::kotlin::is_unnamed(&file) {
        return true;
    }
    let nest = all.iter().filter(|name| name.split('$').next() == Some(outermost));
    let nest = nest.filter_map(|name| path.load(name).ok().flatten().map(|(file, _)| file));
    jvm::input::is_only_handed_out(&file, nest)
}

/// Whether a class has a name in the source: not anonymous, not local, no module or package information.
fn is_named(class: &str) -> bool {
    let simple = class.rsplit('/').next().unwrap_or(class);
    simple != "module-info"
        && simple != "package-info"
        && !simple
            .split('$')
            .skip(1)
            .any(|part| part.is_empty() || part.starts_with(|c: char| c.is_ascii_digit()))
}

/// A class by its name; nested ones may be written with dots (`com.acme.Outer.Inner`).
fn exact_class(pattern: &Pattern, text: &str, path: &ClassPath) -> Result<String, Error> {
    let mut name = pattern.class.clone();
    loop {
        if path.find(&name)?.is_some() {
            return Ok(name);
        }
        match name.rfind('/') {
            Some(at) => name.replace_range(at..=at, "$"),
            None => break,
        }
    }
    let wanted = text.split('#').next().unwrap_or(text);
    let all = path.list_all()?;
    let names = all.iter().filter(|class| is_named(class)).map(|class| class.replace(['/', '$'], "."));
    Err(Error::UnknownClass { class: wanted.to_string(), nearest: nearest(wanted, names) })
}

/// Whether what is written after a method's name means the method with this descriptor: the descriptor itself, or the types
/// of its parameters as the source spells them, packages and type arguments left out or not (`(List<String>, int...)`).
pub fn means(written: &str, descriptor: &str) -> bool {
    if written == descriptor {
        return true;
    }
    let Some(inside) = written.strip_prefix('(').and_then(|rest| rest.trim_end().strip_suffix(')')) else {
        return false;
    };
    let Some(ty) = MethodType::parse(descriptor) else { return false };
    let written = parameters(inside);
    written.len() == ty.params.len()
        && written.iter().zip(&ty.params).all(|(written, param)| {
            let full = param.spelled(|class| class.replace(['/', '$'], "."));
            full == *written
                || full.strip_suffix(written.as_str()).is_some_and(|package| package.ends_with('.'))
        })
}

/// The types of a list of parameters, without their type arguments; `int...` is `int[]`.
fn parameters(list: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0usize;
    for c in list.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ',' => found.push(String::new()),
            '$' => found.last_mut().expect("never empty").push('.'),
            c => found.last_mut().expect("never empty").push(c),
        }
    }
    if found.len() == 1 && found[0].is_empty() {
        found.clear();
    }
    found.iter().map(|ty| ty.replace("...", "[]")).collect()
}

/// A method as users may name it: `divide(int, int)`.
pub fn spelled(name: &str, descriptor: &str) -> String {
    let params = MethodType::parse(descriptor).map(|ty| ty.params).unwrap_or_default();
    let params: Vec<String> = params
        .iter()
        .map(|param| param.spelled(|class| class.rsplit(['/', '$']).next().unwrap_or(class).to_string()))
        .collect();
    format!("{}({})", if name == "<init>" { "new" } else { name }, params.join(", "))
}

/// The names most like the wanted one, best first, at most three.
pub fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let target = simple(wanted);
    let mut scored: Vec<(usize, String)> = names
        .map(|name| {
            (
                distance(&simple(&name), &target).min(distance(&name.to_lowercase(), &wanted.to_lowercase())),
                name,
            )
        })
        .filter(|(d, _)| *d <= target.len().div_ceil(2).max(2))
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = if x == *y { diagonal } else { diagonal + 1 };
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_as_the_source_spells_them() {
        let descriptor = "(Ljava/util/List;[ILcom/acme/Outer$Inner;)V";
        assert!(means(descriptor, descriptor));
        assert!(means("(List<Map<String, Integer>>, int..., Outer.Inner)", descriptor));
        assert!(means("( java.util.List, int[], Inner )", descriptor));
        assert!(!means("(List, int, Inner)", descriptor));
        assert!(!means("(ist, int[], Inner)", descriptor));
        assert!(!means("(List, int[])", descriptor));
        assert!(means("()", "()I") && !means("()", "(I)I") && !means("(", "()V"));
        assert_eq!(spelled("take", descriptor), "take(List, int[], Inner)");
    }

    #[test]
    fn targets_are_taken_apart() {
        let p = Pattern::parse("com.acme.Calc#divide(II)I").unwrap();
        assert_eq!(
            (p.class.as_str(), p.method.as_deref(), p.descriptor.as_deref()),
            ("com/acme/Calc", Some("divide"), Some("(II)I"))
        );
        let p = Pattern::parse("com.acme.**").unwrap();
        assert_eq!((p.class.as_str(), p.wildcard), ("com/acme/", Wildcard::Tree));
        assert!(p.matches("com/acme/x/Y") && !p.matches("com/other/Y"));
        let p = Pattern::parse("com.acme.*").unwrap();
        assert!(p.matches("com/acme/Y") && !p.matches("com/acme/x/Y"));
        for bad in ["", "#f", "a.B#", "a.*#f", "a.B*", "a.*.B"] {
            assert!(Pattern::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["com.acme.Calc", "com.acme.Clap", "org.other.Zebra"].map(String::from);
        assert_eq!(nearest("com.acme.Clac", names.into_iter()), ["com.acme.Clap", "com.acme.Calc"]);
    }

    #[test]
    fn anonymous_classes_are_no_targets() {
        assert!(is_named("a/B") && is_named("a/B$C"));
        assert!(!is_named("a/B$1") && !is_named("a/B$1Local") && !is_named("module-info"));
    }
}
