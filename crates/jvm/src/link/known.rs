//! Classes and offsets that the VM itself relies on.

use std::sync::Arc;

use ir::{ClassId, MemType};

use super::class::{Class, ClassKind, ClassOrigin};
use super::load::load;
use super::{LinkError, array_of};
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// What everything refers to.
#[derive(Clone, Debug)]
pub struct Known {
    pub object: ClassId,
    pub class: ClassId,
    pub string: ClassId,
    pub throwable: ClassId,
    pub cloneable: ClassId,
    pub serializable: ClassId,
    /// In the order of `PRIMITIVES`.
    pub primitives: [ClassId; 9],
    pub byte_array: ClassId,
    pub char_array: ClassId,
    /// Size of a `java/lang/Class` instance: where static fields begin in a mirror.
    pub mirror_base: u32,
    /// Offset in a mirror: id of the class it stands for.
    pub mirror_class: u32,
    /// Offset in a mirror: an [`InitState`](super::InitState).
    pub mirror_state: u32,
    /// Offset in a mirror: the mirror of the element class of an array; `None` before Java 9.
    pub mirror_component: Option<u32>,
    /// Offset in a mirror, where the JDK has the field.
    pub mirror_loader: Option<u32>,
    /// Offset in a mirror; `None` before Java 9.
    pub mirror_module: Option<u32>,
    /// Offset in a string: a byte array with a coder, or before Java 9 a char array.
    pub string_value: u32,
    /// Offset in a string; `None` before Java 9, when there is none.
    pub string_coder: Option<u32>,
}

/// Names of the primitive types with their cells; the last is void.
pub const PRIMITIVES: [(&str, Option<MemType>); 9] = [
    ("boolean", Some(MemType::U8)),
    ("byte", Some(MemType::I8)),
    ("char", Some(MemType::U16)),
    ("short", Some(MemType::I16)),
    ("int", Some(MemType::I32)),
    ("long", Some(MemType::I64)),
    ("float", Some(MemType::F32)),
    ("double", Some(MemType::F64)),
    ("void", None),
];

/// Fields that the VM adds to classes of the JDK, behind their own.
pub(super) const INJECTED: [(&str, &str, MemType); 4] = [
    ("java/lang/Class", "vm.class", MemType::I32),
    ("java/lang/Class", "vm.state", MemType::U8),
    ("java/lang/invoke/MemberName", "vm.target", MemType::I32),
    ("java/lang/invoke/ResolvedMethodName", "vm.target", MemType::I32),
];

impl Default for Known {
    fn default() -> Known {
        let none = ClassId(u32::MAX);
        Known {
            object: none,
            class: none,
            string: none,
            throwable: none,
            cloneable: none,
            serializable: none,
            primitives: [none; 9],
            byte_array: none,
            char_array: none,
            mirror_base: 0,
            mirror_class: 0,
            mirror_state: 0,
            mirror_component: None,
            mirror_loader: None,
            mirror_module: None,
            string_value: 0,
            string_coder: None,
        }
    }
}

impl Known {
    /// The class of a primitive type; `None` for references.
    pub fn primitive(&self, ty: &FieldType) -> Option<ClassId> {
        let index = match ty {
            FieldType::Boolean => 0,
            FieldType::Byte => 1,
            FieldType::Char => 2,
            FieldType::Short => 3,
            FieldType::Int => 4,
            FieldType::Long => 5,
            FieldType::Float => 6,
            FieldType::Double => 7,
            FieldType::Class(_) | FieldType::Array(_) => return None,
        };
        Some(self.primitives[index])
    }

    pub fn void(&self) -> ClassId {
        self.primitives[8]
    }
}

/// Loads what [`Known`] names.
pub(crate) fn load_known(jvm: &mut Jvm) -> Result<(), LinkError> {
    for (index, (name, cell)) in PRIMITIVES.iter().enumerate() {
        jvm.known.primitives[index] = jvm.classes.push(primitive(name, *cell));
    }
    jvm.known.object = load(jvm, "java/lang/Object")?;
    jvm.known.class = load(jvm, "java/lang/Class")?;
    // Classes that `Class` itself needed were laid out before its size was known.
    let base = jvm.classes[jvm.known.class].size.next_multiple_of(8);
    jvm.known.mirror_base = base;
    for class in jvm.classes.values_mut() {
        class.mirror_size += base;
        class.fields.iter_mut().filter(|field| field.is_static()).for_each(|field| field.offset += base);
    }
    jvm.known.string = load(jvm, "java/lang/String")?;
    jvm.known.throwable = load(jvm, "java/lang/Throwable")?;
    jvm.known.cloneable = load(jvm, "java/lang/Cloneable")?;
    jvm.known.serializable = load(jvm, "java/io/Serializable")?;
    jvm.known.byte_array = array_of(jvm, jvm.known.primitives[1]);
    jvm.known.char_array = array_of(jvm, jvm.known.primitives[2]);
    let offset = |class: ClassId, name: &str| {
        jvm.classes[class].fields.iter().find(|f| &*f.name == name && !f.is_static()).map(|f| f.offset)
    };
    let (class, string) = (jvm.known.class, jvm.known.string);
    let missing = || LinkError::new("java/lang/NoSuchFieldError", "the JDK's own classes lack a field");
    let known = Known {
        mirror_class: offset(class, "vm.class").ok_or_else(missing)?,
        mirror_state: offset(class, "vm.state").ok_or_else(missing)?,
        mirror_component: offset(class, "componentType"),
        mirror_loader: offset(class, "classLoader"),
        mirror_module: offset(class, "module"),
        string_value: offset(string, "value").ok_or_else(missing)?,
        string_coder: offset(string, "coder"),
        ..jvm.known.clone()
    };
    jvm.known = known;
    Ok(())
}

fn primitive(name: &str, cell: Option<MemType>) -> Class {
    Class {
        name: Arc::from(name),
        kind: ClassKind::Primitive(cell),
        file: None,
        access: access::PUBLIC | access::FINAL | access::ABSTRACT,
        superclass: None,
        interfaces: Vec::new(),
        ancestors: Box::default(),
        all_interfaces: Box::default(),
        fields: Vec::new(),
        size: 0,
        mirror_size: 0,
        methods: 0..0,
        vtable: Vec::new(),
        origin: ClassOrigin::Library,
        tracked: false,
        needs_init: false,
        initialiser: None,
        array: None,
    }
}
