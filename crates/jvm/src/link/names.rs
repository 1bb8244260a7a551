//! How the JVM spells types and members in messages.

use ir::MemType;

use crate::load::{FieldType, MethodType};

/// `java.lang.String` for `java/lang/String`.
pub(super) fn dotted(name: &str) -> String {
    name.replace('/', ".")
}

/// The descriptor letter of a primitive's cell.
pub(super) fn letter(cell: MemType) -> &'static str {
    match cell {
        MemType::U8 => "Z",
        MemType::I8 => "B",
        MemType::U16 => "C",
        MemType::I16 => "S",
        MemType::I32 => "I",
        MemType::I64 => "J",
        MemType::F32 => "F",
        MemType::F64 => "D",
        MemType::Ref => "Ljava/lang/Object;",
    }
}

/// `int[]`, `java.lang.String`.
pub(super) fn type_text(ty: &FieldType) -> String {
    ty.spelled(dotted)
}

/// `void com.acme.Calc.add(int, long[])`, as linkage errors say it.
pub fn signature_text(class: Option<&str>, name: &str, ty: &MethodType) -> String {
    let ret = ty.ret.as_ref().map_or_else(|| "void".to_string(), type_text);
    let params: Vec<String> = ty.params.iter().map(type_text).collect();
    let owner = class.map_or_else(String::new, |class| format!("{}.", dotted(class)));
    format!("{ret} {owner}{name}({})", params.join(", "))
}
