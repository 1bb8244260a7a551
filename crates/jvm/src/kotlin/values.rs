//! Value classes: what is one object in the source is, in most places, only the value that it wraps for the JVM.
//!
//! Functions with such parameters have names that Java cannot write (`label-TkVOhxk`), and members of value classes are
//! static methods whose first parameter is the object. A test in Kotlin writes `label(Cents(5))` all the same.

use super::{KotlinClass, KotlinFunction, KotlinProperty, kotlin};
use crate::load::{ClassFile, ClassPath, FieldType, MethodType};

/// What a value class wraps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueClass {
    /// The property that holds the value.
    pub property: String,
    /// Whether a test may read it.
    pub is_shown: bool,
    /// Whether the value may be null.
    pub nullable: bool,
    /// Whether a test may call the constructor.
    pub is_made: bool,
}

/// A parameter or result whose type is a value class in the source and what that wraps for the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapped {
    /// Internal name.
    pub class: String,
    pub of: ValueClass,
    /// Whether the type itself may be null, with a marker.
    pub marked: bool,
}

/// Which parameters and results of a JVM method are values of value classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    pub params: Vec<Option<Wrapped>>,
    pub returns: Option<Wrapped>,
}

/// What the compiler calls the members of value classes that it makes itself, and how the source calls them.
const MADE: [(&str, &str); 3] =
    [("toString-impl", "toString"), ("hashCode-impl", "hashCode"), ("equals-impl", "equals")];

/// How the constructor of a value class checks the value that it is given.
pub const CONSTRUCTOR: &str = "constructor-impl";

/// The JVM's name of a member of a value class that has no entry of its own, as the source has it.
pub fn source_name(jvm_name: &str) -> Option<&'static str> {
    MADE.iter().find(|(jvm, _)| *jvm == jvm_name).map(|(_, name)| *name)
}

/// The name of a method without what the compiler adds where value classes are parameters or results: `label-TkVOhxk`.
pub fn plain_name(jvm_name: &str) -> &str {
    jvm_name.split_once('-').map_or(jvm_name, |(name, _)| name)
}

/// The name of a variable in the source: one whose type is a value class is called `$v$c$shop-Cents$-price$0`.
pub fn source_variable(name: &str) -> Option<&str> {
    let (_, name) = name.strip_prefix("$v$c$")?.rsplit_once("$-")?;
    let (name, number) = name.rsplit_once('$')?;
    (!name.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then_some(name)
}

/// Whether a value class is one of the unsigned numbers of the language, which have literals in place of a constructor.
pub fn is_unsigned(class: &str) -> bool {
    matches!(class, "kotlin/UByte" | "kotlin/UShort" | "kotlin/UInt" | "kotlin/ULong")
}

impl Wrapped {
    /// Whether a test can write such a value.
    pub fn can_be_made(&self) -> bool {
        self.of.is_made || is_unsigned(&self.class)
    }

    /// Whether a test can see what it wraps.
    pub fn can_be_seen(&self) -> bool {
        self.of.is_shown || is_unsigned(&self.class)
    }
}

/// What a Kotlin method's parameters and result are in the source, as far as they are value classes. `None` if the source
/// does not have the method, under whatever name.
pub fn values(path: &ClassPath, file: &ClassFile, name: &str, descriptor: &str) -> Option<Values> {
    let own = kotlin(file)?;
    let ty = MethodType::parse(descriptor)?;
    let count = ty.params.len();
    let receiver =
        own.value.as_ref().map(|of| Wrapped { class: file.name.to_string(), of: of.clone(), marked: false });
    let on_value = |values: Values| Values {
        params: receiver.iter().cloned().map(Some).chain(values.params).collect(),
        ..values
    };
    if receiver.is_some() && name == CONSTRUCTOR {
        return Some(Values { params: vec![None; count], returns: receiver });
    }
    if receiver.is_some() && source_name(name).is_some() {
        return Some(on_value(Values { params: vec![None; count.saturating_sub(1)], returns: None }));
    }
    let wrapped = |class: &Option<String>, ty: Option<&FieldType>, marked: bool| {
        let (class, ty) = (class.as_deref()?, ty?);
        if *ty == FieldType::Class(class.into()) {
            return None;
        }
        let of = value_class(path, class)?;
        Some(Wrapped { class: class.to_string(), of, marked })
    };
    if let Some(function) = own.function(name, descriptor, count) {
        let KotlinFunction { classes, returned_class, on_value: is_on_value, .. } = function;
        let marks = function.receiver.into_iter().chain(function.parameters.iter().map(|n| n.may_be()));
        let skipped = usize::from(*is_on_value);
        let params = classes.iter().zip(ty.params.iter().skip(skipped)).zip(marks);
        let params = params.map(|((class, ty), marked)| wrapped(class, Some(ty), marked)).collect();
        let returns = wrapped(returned_class, ty.ret.as_ref(), function.returns.may_be());
        let values = Values { params, returns };
        return Some(if *is_on_value { on_value(values) } else { values });
    }
    let (property, is_getter) = match (own.getter(name), own.setter(name)) {
        (Some(property), _) => (property, true),
        (None, Some(property)) => (property, false),
        (None, None) => return None,
    };
    let KotlinProperty { class, receiver_class, nullable, .. } = property;
    // On a value class: the object comes first.
    let skipped = usize::from(own.is_on_value(name));
    let mut params = Vec::new();
    if property.receiver.is_some() {
        params.push(wrapped(receiver_class, ty.params.get(skipped), false));
    }
    let returns = match is_getter {
        true => wrapped(class, ty.ret.as_ref(), nullable.may_be()),
        false => {
            params.push(wrapped(class, ty.params.last(), nullable.may_be()));
            None
        }
    };
    let values = Values { params, returns };
    Some(if skipped == 1 { on_value(values) } else { values })
}

fn value_class(path: &ClassPath, class: &str) -> Option<ValueClass> {
    let (file, _) = path.load(class).ok()??;
    kotlin(&file)?.value
}

impl KotlinClass {
    /// Whether a JVM method of a value class is given its object as the first argument.
    pub fn is_on_value(&self, jvm_name: &str) -> bool {
        self.value.is_some() && jvm_name.contains('-') && jvm_name != CONSTRUCTOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(
            [plain_name("label-TkVOhxk"), plain_name("isFree-impl"), plain_name("x")],
            ["label", "isFree", "x"]
        );
        assert_eq!(source_variable("$v$c$shop-Cents$-price$0"), Some("price"));
        assert_eq!(source_variable("$v$c$shop-Cents$-$this$half$0"), Some("$this$half"));
        assert_eq!(source_variable("price"), None);
    }
}
