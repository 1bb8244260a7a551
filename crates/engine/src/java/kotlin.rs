//! What the class files say of Kotlin source, for the Kotlin emitter; and which parameters refuse null.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use emit::kotlin::{ClassForm, Facts, Form, Member, Nulls, Wrapped};
use jvm::kotlin::{KotlinClass, KotlinKind, KotlinType, Nullness, kotlin};
use jvm::load::{ClassFile, ClassPath};
use suite::case::{Call, ClassName, Target, Type};

/// Facts by class, read when asked for.
pub struct KotlinFacts {
    path: Arc<ClassPath>,
    known: RefCell<BTreeMap<String, Option<Arc<Known>>>>,
}

struct Known {
    file: ClassFile,
    kotlin: Option<KotlinClass>,
}

impl KotlinFacts {
    pub fn new(path: &Arc<ClassPath>) -> KotlinFacts {
        KotlinFacts { path: path.clone(), known: RefCell::default() }
    }

    fn known(&self, class: &ClassName) -> Option<Arc<Known>> {
        let name = class.internal_name();
        let load = || {
            let (file, _) = self.path.load(&name).ok()??;
            let kotlin = kotlin(&file);
            Some(Arc::new(Known { file, kotlin }))
        };
        self.known.borrow_mut().entry(name.clone()).or_insert_with(load).clone()
    }
}

impl KotlinFacts {
    /// The companion object of a class, if it has one.
    fn companion(&self, of: &Known) -> Option<Arc<Known>> {
        let nested =
            of.file.inner_classes.iter().filter(|inner| inner.outer.as_deref() == Some(&*of.file.name));
        let mut nested = nested.filter_map(|inner| self.known(&ClassName::from_internal(&inner.inner)));
        nested.find(|known| known.kotlin.as_ref().is_some_and(|k| k.kind == KotlinKind::Companion))
    }
}

impl Facts for KotlinFacts {
    fn member(&self, call: &Call) -> Option<Member> {
        let known = self.known(&call.class)?;
        let kotlin = known.kotlin.as_ref()?;
        let name = if call.is_new() { "<init>" } else { &call.method };
        let arity = call.params.len();
        // What a class has by `@JvmStatic` is declared by its companion.
        let declares = |of: &KotlinClass| of.function(name, &descriptor(call), arity).is_some();
        let of_companion = call.on == Target::Static && !declares(kotlin);
        let companion = of_companion.then(|| self.companion(&known)).flatten();
        let companion = companion.as_ref().and_then(|companion| companion.kotlin.as_ref());
        let kotlin = companion.filter(|companion| declares(companion)).unwrap_or(kotlin);
        let values =
            jvm::kotlin::values(&self.path, &known.file, name, &descriptor(call)).unwrap_or_default();
        let returns_value = values.returns.map(wrapped);
        let values: Vec<Option<Wrapped>> = values.params.into_iter().map(|of| of.map(wrapped)).collect();
        let member = Member { values, returns_value, ..Member::default() };
        // The first parameter of a member of a value class is what the object wraps, which is never null for the source.
        let own = (kotlin.is_on_value(name)).then_some(false);
        if name == jvm::kotlin::CONSTRUCTOR && kotlin.value.is_some() {
            return Some(Member {
                name: call.class.simple_name().to_owned(),
                form: Form::Constructor,
                ..member
            });
        }
        if let Some(made) = jvm::kotlin::source_name(name).filter(|_| own.is_some()) {
            return Some(Member { name: made.to_owned(), form: Form::Extension, ..member });
        }
        if let Some(function) = kotlin.function(name, &descriptor(call), arity) {
            let receiver = function.receiver;
            return Some(Member {
                name: function.name.clone(),
                form: if receiver.is_some() || own.is_some() { Form::Extension } else { Form::Function },
                nullable: own
                    .into_iter()
                    .chain(receiver)
                    .chain(function.parameters.iter().map(|n| n.may_be()))
                    .zip(wraps_null(&member.values))
                    .map(|(may_be, wraps)| may_be || wraps)
                    .collect(),
                marked: own
                    .into_iter()
                    .chain(receiver)
                    .chain(function.parameters.iter().map(is_marked))
                    .collect(),
                returns_nullable: function.returns.may_be(),
                returns_marked: is_marked(&function.returns),
                arguments: own
                    .map(|_| Vec::new())
                    .into_iter()
                    .chain(function.arguments.iter().map(|arguments| arguments.iter().map(nulls).collect()))
                    .collect(),
                is_suspend: function.is_suspend,
                names: std::iter::repeat_n(
                    String::new(),
                    usize::from(own.is_some()) + usize::from(receiver.is_some()),
                )
                .chain(function.names.iter().cloned())
                .collect(),
                vararg: function.vararg.map(|at| {
                    let named = function.names.iter().skip(at + 1).cloned().collect();
                    (at + usize::from(own.is_some()) + usize::from(receiver.is_some()), named)
                }),
                ..member
            });
        }
        if let Some(property) = kotlin.getter(name) {
            let form = match (property.receiver, arity) {
                (None, 0) => Form::Getter,
                (None, 1) if own.is_some() => Form::ExtensionGetter,
                (Some(_), 1) => Form::ExtensionGetter,
                _ => return None,
            };
            return Some(Member {
                name: property.name.clone(),
                form,
                nullable: own
                    .into_iter()
                    .chain(property.receiver)
                    .zip(wraps_null(&member.values))
                    .map(|(may_be, wraps)| may_be || wraps)
                    .collect(),
                marked: own.into_iter().chain(property.receiver).collect(),
                returns_nullable: property.nullable.may_be(),
                returns_marked: is_marked(&property.nullable),
                ..member
            });
        }
        let property = kotlin.setter(name).filter(|p| p.receiver.is_none() && arity == 1);
        if let Some(property) = property {
            return Some(Member {
                name: property.name.clone(),
                form: Form::Setter,
                nullable: wraps_null(&member.values)
                    .take(1)
                    .map(|w| w || property.nullable.may_be())
                    .collect(),
                marked: vec![is_marked(&property.nullable)],
                arguments: vec![property.arguments.iter().map(nulls).collect()],
                ..member
            });
        }
        // The compiler's own property of an enum.
        if name == "getEntries" && known.file.access & jvm::load::access::ENUM != 0 {
            return Some(Member { name: "entries".to_owned(), form: Form::Getter, ..member });
        }
        // What the compiler made (component1, toString) has no entry; it is called by its own name.
        Some(Member { name: call.method.clone(), ..member })
    }

    fn class(&self, class: &ClassName) -> ClassForm {
        let Some(known) = self.known(class) else { return ClassForm::Java };
        match known.kotlin.as_ref().map(|k| k.kind) {
            None => ClassForm::Java,
            Some(KotlinKind::Class) if known.kotlin.as_ref().is_some_and(|k| k.value.is_some()) => {
                ClassForm::Value
            }
            Some(KotlinKind::Class | KotlinKind::Constant | KotlinKind::Synthetic) => ClassForm::Class,
            Some(KotlinKind::Object) => ClassForm::Object,
            Some(KotlinKind::Companion) => ClassForm::Companion,
            Some(KotlinKind::File) => ClassForm::File,
        }
    }

    fn type_parameters(&self, class: &ClassName) -> Vec<bool> {
        let Some(known) = self.known(class) else { return Vec::new() };
        let mut found = vec![true; known.file.signature.as_deref().map_or(0, type_parameters)];
        for (found, takes_null) in found.iter_mut().zip(known.kotlin.iter().flat_map(|k| &k.variables)) {
            *found = *takes_null;
        }
        found
    }

    fn bounds(&self, class: &ClassName) -> Vec<Option<ClassName>> {
        let Some(known) = self.known(class) else { return Vec::new() };
        known.file.signature.as_deref().map_or_else(Vec::new, bounds)
    }
}

/// The first bound of each type parameter of a class, but for `Object` and other parameters.
fn bounds(signature: &str) -> Vec<Option<ClassName>> {
    let Some(inside) = signature.strip_prefix('<') else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest = inside;
    while let Some((name, after)) = rest.split_once(':').filter(|_| !rest.starts_with('>')) {
        // Further bounds have no name in front.
        let bound = after.strip_prefix(':').unwrap_or(after);
        let end = type_end(bound);
        let class = bound[..end].strip_prefix('L').and_then(|b| b.split(['<', ';']).next());
        let class = class.filter(|class| *class != "java/lang/Object").map(ClassName::from_internal);
        match found.last_mut() {
            Some(last @ None) if name.is_empty() => *last = class,
            _ if name.is_empty() => {}
            _ => found.push(class),
        }
        rest = &bound[end..];
    }
    found
}

/// Where the type ends that a signature begins with.
fn type_end(signature: &str) -> usize {
    let mut depth = 0u32;
    for (at, c) in signature.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    signature.len()
}

/// What a type says of null, for the emitter.
fn nulls(ty: &KotlinType) -> Nulls {
    let marked = match ty.null {
        Nullness::Never => Some(false),
        Nullness::Marked => Some(true),
        Nullness::ByVariable => None,
    };
    Nulls { marked, arguments: ty.arguments.iter().map(nulls).collect() }
}

/// A value of a value class, for the emitter.
fn wrapped(of: jvm::kotlin::Wrapped) -> Wrapped {
    Wrapped {
        class: ClassName::from_internal(&of.class),
        property: of.of.is_shown.then_some(of.of.property),
        wraps_null: of.of.nullable,
        may_be_null: of.marked,
        is_unsigned: jvm::kotlin::is_unsigned(&of.class),
    }
}

/// Of each parameter, whether null is what an object of a value class wraps.
fn wraps_null(values: &[Option<Wrapped>]) -> impl Iterator<Item = bool> {
    values.iter().map(|of| of.as_ref().is_some_and(|of| of.wraps_null)).chain(std::iter::repeat(false))
}

fn is_marked(of: &Nullness) -> bool {
    *of == Nullness::Marked
}

/// `<K:Ljava/lang/Object;V::Ljava/util/List<TK;>;>…`: names stand before colons, outside of bounds.
fn type_parameters(signature: &str) -> usize {
    let Some(inside) = signature.strip_prefix('<') else { return 0 };
    let (mut depth, mut count, mut in_type, mut named) = (0u32, 0, false, false);
    for c in inside.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth == 0 => break,
            '>' => depth -= 1,
            ';' if depth == 0 => in_type = false,
            ':' if depth == 0 && !in_type => {
                count += usize::from(named);
                named = false;
            }
            _ if depth == 0 && !in_type && !named => {
                // After a colon a bound begins; otherwise a name does.
                named = true;
            }
            _ => {}
        }
        if depth == 0 && matches!(c, 'L' | 'T') && !named {
            in_type = true;
        }
    }
    count
}

fn descriptor(call: &Call) -> String {
    let params: String = call.params.iter().map(type_descriptor).collect();
    let returns = if call.is_new() { "V".to_string() } else { type_descriptor(&call.returns) };
    format!("({params}){returns}")
}

fn type_descriptor(ty: &Type) -> String {
    match ty {
        Type::Void => "V".into(),
        Type::Bool => "Z".into(),
        Type::Byte => "B".into(),
        Type::Short => "S".into(),
        Type::Char => "C".into(),
        Type::Int => "I".into(),
        Type::Long => "J".into(),
        Type::Float => "F".into(),
        Type::Double => "D".into(),
        Type::Class { name, .. } => format!("L{};", name.internal_name()),
        // Only ever an argument.
        Type::Wildcard => String::new(),
        Type::Array(elem) => format!("[{}", type_descriptor(elem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_found_behind_names() {
        let found = |signature| -> Vec<Option<String>> {
            bounds(signature).into_iter().map(|bound| bound.map(|b| b.source_name())).collect()
        };
        let comparable = Some("java.lang.Comparable".to_string());
        assert_eq!(found("Ljava/lang/Object;"), []);
        assert_eq!(found("<T:Ljava/lang/Object;>Ljava/lang/Object;"), [None]);
        assert_eq!(
            found(
                "<K::Ljava/lang/Comparable<-TK;>;V:Ljava/lang/Number;:Ljava/lang/Comparable<TV;>;>La/B<TK;>;"
            ),
            [comparable.clone(), Some("java.lang.Number".to_string())]
        );
        assert_eq!(found("<T:Ljava/lang/Object;:Ljava/lang/Comparable<TT;>;E:TT;>La/B;"), [comparable, None]);
    }

    #[test]
    fn type_parameters_are_counted_past_their_bounds() {
        assert_eq!(type_parameters("Ljava/lang/Object;"), 0);
        assert_eq!(type_parameters("<T:Ljava/lang/Object;>Ljava/lang/Object;"), 1);
        assert_eq!(
            type_parameters("<K::Ljava/lang/Comparable<TK;>;V:Ljava/lang/Object;>Ljava/lang/Object;"),
            2
        );
    }
}
