//! Loading and linking classes (JVMS §5.3, §5.4) without initialising them.

use std::sync::Arc;

use entity::EntityId;
use ir::{ClassId, FuncId, Function, MemType};

use super::class::{Body, Class, ClassKind, ClassOrigin, FieldInfo, Func};
use super::dispatch::vtable;
use super::layout::{layout, place};
use super::{LinkError, names};
use crate::load::{ClassFile, FieldType, LoadError, Origin, access};
use crate::world::Jvm;

/// Superclass chains longer than this are an attack, not a program.
const MAX_DEPTH: usize = 200;

/// A class by internal name or array descriptor.
pub(crate) fn load(jvm: &mut Jvm, name: &str) -> Result<ClassId, LinkError> {
    if let Some(found) = jvm.names.get(name) {
        return found.clone();
    }
    let found = load_new(jvm, name);
    jvm.names.insert(name.into(), found.clone());
    found
}

/// The class of a field type.
pub(crate) fn load_type(jvm: &mut Jvm, ty: &FieldType) -> Result<ClassId, LinkError> {
    match ty {
        FieldType::Class(name) => load(jvm, name),
        FieldType::Array(elem) => {
            let elem = load_type(jvm, elem)?;
            Ok(array_of(jvm, elem))
        }
        primitive => {
            let class = jvm.known.primitive(primitive);
            class.ok_or_else(|| LinkError::new("java/lang/InternalError", primitive.to_string()))
        }
    }
}

fn load_new(jvm: &mut Jvm, name: &str) -> Result<ClassId, LinkError> {
    if name.starts_with('[') {
        let ty = FieldType::parse(name).ok_or_else(|| missing(name))?;
        return load_type(jvm, &ty);
    }
    if jvm.loading.iter().any(|loading| &**loading == name) {
        return Err(LinkError::new("java/lang/ClassCircularityError", name));
    }
    if jvm.loading.len() >= MAX_DEPTH {
        return Err(LinkError::new("java/lang/StackOverflowError", "too many superclasses"));
    }
    let (file, origin) = match jvm.path.load(name) {
        Ok(Some((file, Origin::Jdk))) => (file, ClassOrigin::Library),
        Ok(Some((file, Origin::Entry(_)))) => (file, ClassOrigin::User),
        Ok(None) => return Err(missing(name)),
        Err(error) => return Err(broken(name, &error)),
    };
    define(jvm, Arc::new(file), origin, false)
}

/// Links a parsed class and enters it under its name, unless that is taken or the class is hidden.
pub(crate) fn define(
    jvm: &mut Jvm,
    file: Arc<ClassFile>,
    origin: ClassOrigin,
    hidden: bool,
) -> Result<ClassId, LinkError> {
    jvm.loading.push(file.name.clone());
    let linked = link(jvm, &file, origin);
    jvm.loading.pop();
    if let (Ok(class), false) = (&linked, hidden) {
        jvm.names.entry(file.name.clone()).or_insert(Ok(*class));
    }
    linked
}

fn link(jvm: &mut Jvm, file: &Arc<ClassFile>, origin: ClassOrigin) -> Result<ClassId, LinkError> {
    let superclass = match &file.super_name {
        Some(name) => Some(load_super(jvm, file, name)?),
        None => None,
    };
    let mut interfaces = Vec::with_capacity(file.interfaces.len());
    for name in &file.interfaces {
        let interface = load(jvm, name)?;
        if !jvm.classes[interface].is_interface() {
            let (class, name) = (names::dotted(&file.name), names::dotted(name));
            return Err(LinkError::incompatible(format!(
                "class {class} can not implement {name}, because it is not an interface ({name} is a class)"
            )));
        }
        interfaces.push(interface);
    }
    let super_size = superclass.map_or(0, |superclass| jvm.classes[superclass].size);
    let (fields, size, mirror_size) = layout(file, super_size, jvm.known.mirror_base);
    let class = Class {
        name: file.name.clone(),
        kind: ClassKind::Plain,
        file: Some(file.clone()),
        access: file.access,
        superclass,
        interfaces,
        ancestors: Box::default(),
        all_interfaces: Box::default(),
        fields,
        size,
        mirror_size,
        methods: 0..0,
        vtable: Vec::new(),
        origin,
        tracked: jvm.tracks(&file.name),
        needs_init: false,
        initialiser: None,
        array: None,
    };
    let class = enter(jvm, class);
    for (index, method) in file.methods.iter().enumerate() {
        let Some(signature) = jvm.sig(&method.descriptor) else { continue };
        jvm.funcs.push(Func {
            class,
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            access: method.access,
            slot: Func::NO_SLOT,
            signature,
            body: Body::Method(index as u32),
            tracked: jvm.classes[class].tracked,
            code: None,
        });
    }
    complete(jvm, class);
    Ok(class)
}

fn load_super(jvm: &mut Jvm, file: &ClassFile, name: &str) -> Result<ClassId, LinkError> {
    let superclass = load(jvm, name)?;
    let sup = &jvm.classes[superclass];
    let (class, name) = (names::dotted(&file.name), names::dotted(name));
    if sup.is_interface() {
        return Err(LinkError::incompatible(format!("class {class} has interface {name} as super class")));
    }
    if sup.access & access::FINAL != 0 {
        let message = format!("class {class} cannot inherit from final class {name}");
        return Err(LinkError::incompatible(message));
    }
    Ok(superclass)
}

/// Puts a class in the table with its supertypes; its methods follow.
fn enter(jvm: &mut Jvm, mut class: Class) -> ClassId {
    let id = jvm.classes.next_key();
    let mut all: Vec<ClassId> = Vec::new();
    for up in class.superclass.iter().chain(&class.interfaces) {
        all.extend_from_slice(&jvm.classes[*up].all_interfaces);
    }
    if class.is_interface() {
        all.push(id);
    }
    all.sort_unstable();
    all.dedup();
    class.all_interfaces = all.into();
    let above = class.superclass.map_or(&[][..], |up| &jvm.classes[up].ancestors);
    class.ancestors = above.iter().copied().chain([id]).collect();
    let first = jvm.funcs.len() as u32;
    class.methods = first..first;
    jvm.classes.push(class)
}

/// Closes the run of methods and computes what depends on them.
fn complete(jvm: &mut Jvm, class: ClassId) {
    jvm.classes[class].methods.end = jvm.funcs.len() as u32;
    vtable(jvm, class);
    jvm.classes[class].needs_init = super::init::needs_init(jvm, class);
}

/// The array class with elements of this class.
pub(crate) fn array_of(jvm: &mut Jvm, elem: ClassId) -> ClassId {
    if let Some(array) = jvm.classes[elem].array {
        return array;
    }
    let element = &jvm.classes[elem];
    let (name, cell) = match element.kind {
        ClassKind::Plain => (format!("[L{};", element.name), MemType::Ref),
        ClassKind::Array { .. } => (format!("[{}", element.name), MemType::Ref),
        ClassKind::Primitive(cell) => {
            let letter = cell.map_or("V", names::letter);
            (format!("[{letter}"), cell.unwrap_or(MemType::I8))
        }
    };
    let name: Arc<str> = name.into();
    let class = Class {
        name: name.clone(),
        kind: ClassKind::Array { elem, cell },
        file: None,
        access: (element.access & access::PUBLIC) | access::FINAL | access::ABSTRACT,
        superclass: Some(jvm.known.object),
        interfaces: Vec::new(),
        ancestors: Box::default(),
        all_interfaces: Box::default(),
        fields: Vec::new(),
        size: 0,
        mirror_size: jvm.known.mirror_base,
        methods: 0..0,
        vtable: jvm.classes[jvm.known.object].vtable.clone(),
        origin: element.origin,
        tracked: false,
        needs_init: false,
        initialiser: None,
        array: None,
    };
    let array = enter(jvm, class);
    jvm.classes[elem].array = Some(array);
    jvm.names.insert(name, Ok(array));
    array
}

/// Whether an object of class `class` is of class `of`.
pub(crate) fn is_subclass(jvm: &Jvm, class: ClassId, of: ClassId) -> bool {
    if class == of {
        return true;
    }
    let (mut class, mut of) = (class, of);
    loop {
        let (sub, sup) = (&jvm.classes[class], &jvm.classes[of]);
        match (sub.kind, sup.kind) {
            (ClassKind::Array { elem: a, .. }, ClassKind::Array { elem: b, .. }) => {
                if a == b {
                    return true;
                }
                (class, of) = (a, b);
            }
            (ClassKind::Array { .. }, _) => {
                return of == jvm.known.object || of == jvm.known.cloneable || of == jvm.known.serializable;
            }
            (ClassKind::Plain, ClassKind::Plain) => {
                return match sup.is_interface() {
                    true => sub.all_interfaces.binary_search(&of).is_ok(),
                    // Interfaces have `Object` above them too.
                    false => sub.ancestors.get(sup.ancestors.len() - 1) == Some(&of),
                };
            }
            (ClassKind::Primitive(_), _) | (ClassKind::Plain, _) => return class == of,
        }
    }
}

/// A class that lowering makes up.
pub struct SyntheticClass {
    pub name: String,
    /// None for `java/lang/Object`.
    pub superclass: Option<ClassId>,
    pub interfaces: Vec<ClassId>,
    /// Their offsets are chosen when the class is defined.
    pub fields: Vec<FieldInfo>,
}

/// A method of such a class; made when the class and the offsets of its fields are known.
pub struct SyntheticMethod {
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub function: Function,
}

/// Enters a made-up final class, then its methods.
pub(crate) fn define_synthetic(
    jvm: &mut Jvm,
    class: SyntheticClass,
    methods: impl FnOnce(&mut Jvm, ClassId) -> Vec<SyntheticMethod>,
) -> ClassId {
    let mut fields = class.fields;
    let superclass = class.superclass.unwrap_or(jvm.known.object);
    let size = place(&mut fields, false, jvm.classes[superclass].size);
    let mirror_size = place(&mut fields, true, jvm.known.mirror_base);
    let id = enter(
        jvm,
        Class {
            name: class.name.into(),
            kind: ClassKind::Plain,
            file: None,
            access: access::FINAL | access::SYNTHETIC | access::SUPER,
            superclass: Some(superclass),
            interfaces: class.interfaces,
            ancestors: Box::default(),
            all_interfaces: Box::default(),
            fields,
            size,
            mirror_size,
            methods: 0..0,
            vtable: Vec::new(),
            origin: ClassOrigin::Synthetic,
            tracked: false,
            needs_init: false,
            initialiser: None,
            array: None,
        },
    );
    let methods = methods(jvm, id);
    // Making the methods may have linked other classes, so the run starts only now.
    let first = FuncId::from_index(jvm.funcs.len());
    jvm.classes[id].methods = first.0..first.0;
    for method in methods {
        let Some(signature) = jvm.sig(&method.descriptor) else { continue };
        jvm.funcs.push(Func {
            class: id,
            name: method.name,
            descriptor: method.descriptor,
            access: access::PUBLIC | access::SYNTHETIC,
            slot: Func::NO_SLOT,
            signature,
            body: Body::Ir(Arc::new(method.function)),
            tracked: false,
            code: None,
        });
    }
    complete(jvm, id);
    id
}

fn missing(name: &str) -> LinkError {
    LinkError::new("java/lang/NoClassDefFoundError", name)
}

fn broken(name: &str, error: &LoadError) -> LinkError {
    let class = match error {
        LoadError::Malformed(_) => "java/lang/ClassFormatError",
        LoadError::UnsupportedVersion { .. } => "java/lang/UnsupportedClassVersionError",
        _ => "java/lang/NoClassDefFoundError",
    };
    LinkError::new(class, format!("{name} ({error})"))
}
