//! Methods by reflection, and which of the JDK's can be compared.

use crate::call::Call;
use crate::oracle::Oracle;
use crate::{Error, Result};

/// A public constructor or method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Class with dots.
    pub class: String,
    /// `<init>` for a constructor.
    pub name: String,
    pub desc: String,
    pub kind: MemberKind,
    /// Declared by the class itself, not inherited.
    pub declared: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    Constructor,
    Static,
    Instance,
}

impl Member {
    pub(crate) fn decode(class: &str, item: &str) -> Result<Member> {
        let parts: Vec<&str> = item.split(':').collect();
        let [name, desc, flags] = parts[..] else {
            return Err(Error::Oracle(format!("not a member: {item}")));
        };
        let kind = match flags.chars().next() {
            Some('c') => MemberKind::Constructor,
            Some('s') => MemberKind::Static,
            Some('i') => MemberKind::Instance,
            _ => return Err(Error::Oracle(format!("not a member: {item}"))),
        };
        let declared = flags.ends_with('d');
        Ok(Member { class: class.into(), name: name.into(), desc: desc.into(), kind, declared })
    }

    /// `class.name:desc`, as edges are keyed.
    pub fn key(&self) -> String {
        format!("{}.{}:{}", self.class, self.name, self.desc)
    }
}

/// Parameter descriptors and the return descriptor.
pub fn split_descriptor(desc: &str) -> Result<(Vec<String>, String)> {
    let wrong = || Error::Malformed(format!("not a method descriptor: {desc}"));
    let inner = desc.strip_prefix('(').ok_or_else(wrong)?;
    let (parameters, result) = inner.split_once(')').ok_or_else(wrong)?;
    let mut types = Vec::new();
    let mut rest = parameters;
    while !rest.is_empty() {
        let base = rest.trim_start_matches('[');
        let dims = rest.len() - base.len();
        let length = if base.starts_with('L') { base.find(';').ok_or_else(wrong)? + 1 } else { 1 };
        let end = dims + length;
        types.push(rest.get(..end).ok_or_else(wrong)?.to_string());
        rest = &rest[end..];
    }
    Ok((types, result.to_string()))
}

/// Classes whose methods are compared between our VM and the JVM.
pub const JDK_CLASSES: &[&str] = &[
    "java.lang.Math",
    "java.lang.StrictMath",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Boolean",
    "java.lang.Float",
    "java.lang.Double",
    "java.lang.String",
    "java.lang.StringBuilder",
    "java.lang.reflect.Array",
    "java.util.Arrays",
    "java.util.Objects",
];

/// What is left out of [`comparable`]: class (or `*`), method (or `*`), and why.
pub const EXCLUDED: &[(&str, &str, &str)] = &[
    ("*", "getClass", "returns a class, which has no wire form"),
    ("*", "notify", "monitors are not values"),
    ("*", "notifyAll", "monitors are not values"),
    ("*", "wait", "waits for another thread"),
    ("*", "describeConstable", "returns an Optional for the constant API"),
    ("java.lang.Math", "random", "random"),
    ("java.lang.StrictMath", "random", "random"),
    ("java.lang.Integer", "getInteger", "reads system properties"),
    ("java.lang.Long", "getLong", "reads system properties"),
    ("java.lang.Boolean", "getBoolean", "reads system properties"),
    ("java.lang.String", "intern", "identity only; covered by fixtures"),
    ("java.lang.String", "format", "depends on the locale"),
    ("java.lang.String", "formatted", "depends on the locale"),
    (
        "java.lang.Character",
        "getName",
        "reads a table file of the JDK by a thread-safe cache; slow, no behaviour of its own",
    ),
    ("java.lang.Character", "codePointOf", "as getName"),
    ("java.lang.StringBuilder", "hashCode", "identity hash"),
    ("java.lang.StringBuilder", "equals", "identity"),
    ("java.lang.StringBuilder", "ensureCapacity", "no visible effect, and may ask for gigabytes"),
    ("java.lang.reflect.Array", "newInstance", "takes a class"),
    ("java.util.Objects", "toIdentityString", "identity hash"),
    ("java.util.Arrays", "parallelPrefix", "threads"),
    ("java.util.Arrays", "parallelSetAll", "threads"),
    ("java.util.Arrays", "parallelSort", "threads"),
];

/// Pairs of method and parameter shape whose result shows identity hashes of arrays or objects inside.
fn shows_identity(member: &Member, parameters: &[String]) -> bool {
    let hashing =
        matches!(member.name.as_str(), "hashCode" | "hash" | "toString" | "deepHashCode" | "valueOf");
    // An Object[] may hold arrays; Arrays.toString and hashCode then use their identity.
    hashing
        && member.class.starts_with("java.util.")
        && parameters.iter().any(|p| p.starts_with("[Ljava/lang/Object"))
}

/// Why a member is not compared, or `None` when it is.
pub fn excluded(member: &Member) -> Option<&'static str> {
    let listed = EXCLUDED.iter().find(|(class, name, _)| {
        (*class == "*" || *class == member.class) && (*name == "*" || *name == member.name)
    });
    if let Some((_, _, reason)) = listed {
        return Some(reason);
    }
    let Ok((parameters, result)) = split_descriptor(&member.desc) else {
        return Some("its descriptor is malformed");
    };
    if !parameters.iter().all(|p| is_input(p)) {
        return Some("a parameter has no wire form");
    }
    if member.kind != MemberKind::Constructor && !is_result(&result) {
        return Some("its result has no wire form");
    }
    if shows_identity(member, &parameters) {
        return Some("its result may show identity hashes");
    }
    None
}

/// The members of a class that can be compared: static ones, constructors, and instance methods (declared by the
/// class, so that `Object`'s are not repeated).
pub fn comparable(oracle: &mut Oracle, class: &str) -> Result<Vec<Member>> {
    let members = oracle.methods(class)?;
    Ok(members.into_iter().filter(|member| member.declared && excluded(member).is_none()).collect())
}

/// Descriptors that [`crate::random`] can make values of.
pub fn is_input(desc: &str) -> bool {
    let base = desc.trim_start_matches('[');
    match base {
        "Z" | "B" | "S" | "C" | "I" | "J" | "F" | "D" => true,
        "Ljava/lang/String;" | "Ljava/lang/Object;" | "Ljava/lang/CharSequence;" => true,
        "Ljava/lang/Comparable;" | "Ljava/lang/Number;" => true,
        _ => box_of(base).is_some() || base.starts_with("Lfx/"),
    }
}

fn is_result(desc: &str) -> bool {
    desc == "V" || is_input(desc) || desc == "Ljava/lang/StringBuilder;"
}

/// The primitive descriptor a box class holds.
pub fn box_of(desc: &str) -> Option<&'static str> {
    Some(match desc {
        "Ljava/lang/Boolean;" => "Z",
        "Ljava/lang/Byte;" => "B",
        "Ljava/lang/Short;" => "S",
        "Ljava/lang/Character;" => "C",
        "Ljava/lang/Integer;" => "I",
        "Ljava/lang/Long;" => "J",
        "Ljava/lang/Float;" => "F",
        "Ljava/lang/Double;" => "D",
        _ => return None,
    })
}

/// `Math`'s functions that the platform may compute to within an ulp of `StrictMath`'s (`java.lang.Math`, class
/// comment). Others of `Math` are exact.
pub fn may_differ_by_an_ulp(call: &Call) -> bool {
    call.class == "java.lang.Math"
        && matches!(
            call.method.as_str(),
            "sin"
                | "cos"
                | "tan"
                | "asin"
                | "acos"
                | "atan"
                | "atan2"
                | "exp"
                | "expm1"
                | "log"
                | "log10"
                | "log1p"
                | "pow"
                | "cbrt"
                | "sinh"
                | "cosh"
                | "tanh"
                | "hypot"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors() {
        let (parameters, result) = split_descriptor("(I[[JLjava/lang/String;[Lfx/A;Z)V").unwrap();
        assert_eq!(parameters, ["I", "[[J", "Ljava/lang/String;", "[Lfx/A;", "Z"]);
        assert_eq!(result, "V");
        assert_eq!(split_descriptor("()I").unwrap(), (vec![], "I".to_string()));
        for wrong in ["", "()", "I", "(Lx)V", "([)V"] {
            assert!(split_descriptor(wrong).is_err() || wrong == "()", "{wrong}");
        }
    }
}
