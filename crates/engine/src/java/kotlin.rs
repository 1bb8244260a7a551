//! What the class files say of Kotlin source, for the Kotlin emitter; and which parameters refuse null.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use emit::kotlin::{ClassForm, Facts, Form, Member};
use jvm::kotlin::{KotlinClass, KotlinKind, Nullness, kotlin};
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

impl Facts for KotlinFacts {
    fn member(&self, call: &Call) -> Option<Member> {
        let known = self.known(&call.class)?;
        let kotlin = known.kotlin.as_ref()?;
        let name = if call.on == Target::New { "<init>" } else { &call.method };
        let arity = call.params.len();
        if let Some(function) = kotlin.function(name, &descriptor(call), arity) {
            let receiver = function.receiver;
            return Some(Member {
                name: function.name.clone(),
                form: if receiver.is_some() { Form::Extension } else { Form::Function },
                nullable: receiver
                    .into_iter()
                    .chain(function.parameters.iter().map(|n| n.may_be()))
                    .collect(),
                marked: receiver.into_iter().chain(function.parameters.iter().map(is_marked)).collect(),
                returns_nullable: function.returns.may_be(),
                returns_marked: is_marked(&function.returns),
            });
        }
        if let Some(property) = kotlin.getter(name) {
            let form = match (property.receiver, arity) {
                (None, 0) => Form::Getter,
                (Some(_), 1) => Form::ExtensionGetter,
                _ => return None,
            };
            return Some(Member {
                name: property.name.clone(),
                form,
                nullable: property.receiver.into_iter().collect(),
                marked: property.receiver.into_iter().collect(),
                returns_nullable: property.nullable.may_be(),
                returns_marked: is_marked(&property.nullable),
            });
        }
        let property = kotlin.setter(name).filter(|p| p.receiver.is_none() && arity == 1);
        if let Some(property) = property {
            return Some(Member {
                name: property.name.clone(),
                form: Form::Setter,
                nullable: vec![property.nullable.may_be()],
                marked: vec![is_marked(&property.nullable)],
                returns_nullable: false,
                returns_marked: false,
            });
        }
        // What the compiler made (component1, toString) has no entry; it is called by its own name.
        Some(Member { name: call.method.clone(), ..Member::default() })
    }

    fn class(&self, class: &ClassName) -> ClassForm {
        let Some(known) = self.known(class) else { return ClassForm::Java };
        match known.kotlin.as_ref().map(|k| k.kind) {
            None => ClassForm::Java,
            Some(KotlinKind::Class | KotlinKind::Synthetic) => ClassForm::Class,
            Some(KotlinKind::Object) => ClassForm::Object,
            Some(KotlinKind::Companion) => ClassForm::Companion,
            Some(KotlinKind::File) => ClassForm::File,
        }
    }

    fn type_parameters(&self, class: &ClassName) -> usize {
        let Some(known) = self.known(class) else { return 0 };
        known.file.signature.as_deref().map_or(0, type_parameters)
    }
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
    let returns = if call.on == Target::New { "V".to_string() } else { type_descriptor(&call.returns) };
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
    fn type_parameters_are_counted_past_their_bounds() {
        assert_eq!(type_parameters("Ljava/lang/Object;"), 0);
        assert_eq!(type_parameters("<T:Ljava/lang/Object;>Ljava/lang/Object;"), 1);
        assert_eq!(
            type_parameters("<K::Ljava/lang/Comparable<TK;>;V:Ljava/lang/Object;>Ljava/lang/Object;"),
            2
        );
    }
}
