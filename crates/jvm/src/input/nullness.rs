//! Parameters that are declared to take no null: by an annotation of theirs or of their type, of whatever package, or by
//! one of the method, its classes or its package that speaks for all.

use ir::FuncId;

use crate::kotlin::Nullness;
use crate::load::annotation::{
    Annotation, ElementValue, Part, RawAnnotations, TypeAnnotation, annotations, parameter_annotations,
    type_annotations,
};
use crate::load::{ClassFile, Method};
use crate::world::Jvm;

const NON_NULL: [&str; 5] = ["NonNull", "Nonnull", "NotNull", "NonNullDecl", "NonNullType"];
const NULLABLE: [&str; 8] = [
    "Nullable",
    "CheckForNull",
    "PossiblyNull",
    "NullableDecl",
    "NullableType",
    "MonotonicNonNull",
    "PolyNull",
    "UnknownNullness",
];

/// Which parameters of a function take no null.
pub fn refuses_null(jvm: &Jvm, func: FuncId) -> Vec<bool> {
    let f = &jvm.funcs[func];
    let Some(file) = jvm.classes[f.class].file.as_deref() else { return Vec::new() };
    let Some(method) = file.method(&f.name, &f.descriptor) else { return Vec::new() };
    // Of the object that a new one belongs to, types say nothing.
    let hidden = usize::from(&*f.name == "<init>" && super::is_inner(jvm, f.class));
    let own = declared(file, method, hidden);
    let types = &method.ty.params;
    if own.iter().zip(types).all(|(said, ty)| said.is_some() || !ty.is_reference()) {
        return own.into_iter().map(|said| said == Some(true)).collect();
    }
    let by_default = method_default(jvm, file, method);
    let variables = type_variables(method);
    own.into_iter()
        .zip(types)
        .enumerate()
        .map(|(i, (said, ty))| {
            // What stands for a type variable may be null if the argument for the variable says so.
            let plain = ty.is_reference() && !variables.get(i).copied().unwrap_or(false);
            said.unwrap_or(by_default && plain)
        })
        .collect()
}

/// Whether a function is declared never to return null: by an annotation of its own, or by Kotlin's types, of which what
/// a type parameter stands for counts as it is.
pub(super) fn returns_no_null(jvm: &Jvm, func: FuncId, lenient: bool) -> bool {
    let f = &jvm.funcs[func];
    let Some(file) = jvm.classes[f.class].file.as_deref() else { return false };
    if let Some(kotlin) = crate::kotlin::kotlin(file) {
        let function = kotlin.function(&f.name, &f.descriptor, f.signature.ty.params.len());
        let returns = function.map(|f| f.returns).or_else(|| kotlin.getter(&f.name).map(|p| p.nullable));
        return returns.is_some_and(|returns| match returns {
            Nullness::Never => true,
            // As the argument of the type says.
            Nullness::ByVariable => !lenient,
            Nullness::Marked => false,
        });
    }
    let raw = file.method(&f.name, &f.descriptor).and_then(|method| method.annotations.as_deref());
    let slices = raw.into_iter().flat_map(|raw| [&raw.visible, &raw.invisible]).flatten();
    let mut all = slices.filter_map(|slice| annotations(slice, &file.pool).ok()).flatten();
    all.find_map(|annotation| nullness(&annotation)) == Some(true)
}

/// What annotations of each parameter and of its type say; none if nothing.
fn declared(file: &ClassFile, method: &Method, hidden: usize) -> Vec<Option<bool>> {
    let count = method.ty.params.len();
    let mut said = vec![None; count];
    let Some(raw) = &method.annotations else { return said };
    for slice in [&raw.visible_parameters, &raw.invisible_parameters].into_iter().flatten() {
        let Ok(parameters) = parameter_annotations(slice, &file.pool) else { continue };
        // Synthetic parameters in front may be left out.
        let skipped = count.saturating_sub(parameters.len());
        for (said, annotations) in said.iter_mut().skip(skipped).zip(parameters) {
            *said = said.or_else(|| annotations.iter().find_map(nullness));
        }
    }
    for one in annotated_types(raw, file).iter().filter(|one| one.part == Part::Whole) {
        if let Some(said) = said.get_mut(usize::from(one.index) + hidden) {
            *said = said.or_else(|| nullness(&one.annotation));
        }
    }
    said
}

/// Annotations of types, whether or not they are there at run time.
pub(super) fn annotated_types(raw: &RawAnnotations, file: &ClassFile) -> Vec<TypeAnnotation> {
    let slices = [&raw.visible_types, &raw.invisible_types].into_iter().flatten();
    slices.filter_map(|slice| type_annotations(slice, &file.pool).ok()).flatten().collect()
}

/// Whether the elements of arrays and collections that a method takes are not null unless they say otherwise.
pub(super) fn marked(jvm: &Jvm, file: &ClassFile, method: &Method) -> bool {
    scope(jvm, file, method, &|annotation| match simple_name(annotation) {
        "NullMarked" => Some(true),
        "NullUnmarked" => Some(false),
        _ => None,
    })
}

fn simple_name(annotation: &Annotation) -> &str {
    annotation.descriptor.trim_end_matches(';').rsplit(['/', '$']).next().unwrap_or_default()
}

/// Whether an annotation says that there is no null, or that there may be.
pub(super) fn nullness(annotation: &Annotation) -> Option<bool> {
    let name = simple_name(annotation);
    // `@Nonnull(when = MAYBE)`.
    let certain = annotation.elements.iter().all(|(element, value)| {
        &**element != "when" || matches!(value, ElementValue::Enum(_, constant) if &**constant == "ALWAYS")
    });
    match (NON_NULL.contains(&name), NULLABLE.contains(&name)) {
        (true, _) if certain => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// What the method says of all its parameters, or else its class, the classes around it, its package.
fn method_default(jvm: &Jvm, file: &ClassFile, method: &Method) -> bool {
    scope(jvm, file, method, &for_all)
}

/// What the nearest scope around a method says that says anything.
fn scope(jvm: &Jvm, file: &ClassFile, method: &Method, says: &dyn Fn(&Annotation) -> Option<bool>) -> bool {
    let speaks = |raw: &Option<Box<RawAnnotations>>, of: &ClassFile| {
        let raw = raw.as_deref()?;
        let slices = [&raw.visible, &raw.invisible].into_iter().flatten();
        slices.filter_map(|slice| annotations(slice, &of.pool).ok()).flatten().find_map(|a| says(&a))
    };
    if let Some(said) = speaks(&method.annotations, file).or_else(|| speaks(&file.annotations, file)) {
        return said;
    }
    let mut name: &str = &file.name;
    while let Some((outer, _)) = name.rsplit_once('$') {
        if let Ok(Some((around, _))) = jvm.path.load(outer)
            && let Some(said) = speaks(&around.annotations, &around)
        {
            return said;
        }
        name = outer;
    }
    let package = file.name.rsplit_once('/').map_or("", |(package, _)| package);
    match jvm.path.load(&format!("{package}/package-info")) {
        Ok(Some((info, _))) => speaks(&info.annotations, &info).unwrap_or(false),
        _ => false,
    }
}

/// Whether an annotation of a scope says that parameters are not null unless they say otherwise.
fn for_all(annotation: &Annotation) -> Option<bool> {
    match simple_name(annotation) {
        "NullMarked" | "ParametersAreNonnullByDefault" | "NonNullApi" => Some(true),
        "NullUnmarked" | "ParametersAreNullableByDefault" => Some(false),
        // Eclipse's names what it is about, or a truth value in old versions.
        "NonNullByDefault" => Some(annotation.elements.iter().all(|(_, value)| match value {
            ElementValue::Boolean(on) => *on,
            ElementValue::Array(places) => {
                let parameter =
                    |v: &ElementValue| matches!(v, ElementValue::Enum(_, place) if &**place == "PARAMETER");
                places.iter().any(parameter)
            }
            _ => true,
        })),
        _ => None,
    }
}

/// Which parameters have the type of a type variable.
pub(super) fn type_variables(method: &Method) -> Vec<bool> {
    let Some(signature) = method.signature.as_deref() else { return Vec::new() };
    let Some(params) = signature.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(p, _)| p)
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut rest = params;
    while let Some(first) = rest.chars().next() {
        found.push(first == 'T');
        let Some(length) = type_length(rest) else { break };
        rest = &rest[length..];
    }
    found
}

/// How long the first type of a signature is.
fn type_length(text: &str) -> Option<usize> {
    let dimensions = text.len() - text.trim_start_matches('[').len();
    let rest = &text[dimensions..];
    if !rest.starts_with(['L', 'T']) {
        return Some(dimensions + 1).filter(|_| !rest.is_empty());
    }
    let mut depth = 0u32;
    for (at, c) in rest.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => return Some(dimensions + at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_signature_are_told_apart() {
        assert_eq!(type_length("Ljava/util/Map<TK;[I>;TT;"), Some("Ljava/util/Map<TK;[I>;".len()));
        assert_eq!(type_length("[[JI"), Some(3));
        assert_eq!(type_length("TT;"), Some(3));
        assert_eq!(type_length("Ljava/"), None);
    }
}
