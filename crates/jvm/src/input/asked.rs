//! What the code of the class under test asks of its inputs: types it tells them apart by, class literals and constants
//! it compares them with.

use ir::ClassId;
use vm::Vm;

use super::generic::Generic;
use super::kinds::handed;
use super::producers::constant;
use super::recipe::{Make, can_name, is_near};
use crate::indy::wrapper;
use crate::load::annotation::annotations;
use crate::load::{ClassFile, Constant, FieldType, Instr, access};
use crate::world::Jvm;

/// So many class literals, or constants of a type, are tried.
const MOST: usize = 12;

/// The classes whose code is looked at: those without a name that the method under test runs, and the class under test.
fn asking(jvm: &Jvm) -> Vec<ClassId> {
    jvm.worlds.behind.iter().copied().chain(jvm.worlds.context).collect()
}

/// The types that code under test tells objects apart by, in the order of the code.
pub(super) fn types(jvm: &Jvm) -> Vec<Generic> {
    let mut found: Vec<Generic> = Vec::new();
    for class in asking(jvm) {
        types_in(jvm, class, &mut found);
    }
    found
}

fn types_in(jvm: &Jvm, class: ClassId, found: &mut Vec<Generic>) {
    let Some(file) = &jvm.classes[class].file else { return };
    let mut ask = |name: &str| {
        let ty = match name.starts_with('[') {
            true => FieldType::parse(name).map(|ty| Generic::of(&ty)),
            false => Some(Generic::Class(name.into(), Vec::new())),
        };
        if let Some(ty) = ty.filter(|ty| name != "java/lang/Object" && !found.contains(ty)) {
            found.push(ty);
        }
    };
    let mut asks_for_arrays = false;
    each_instr(jvm, class, |file, instr| match instr {
        Instr::InstanceOf(cp) => {
            if let Ok(name) = file.pool.class(*cp) {
                ask(name);
            }
        }
        Instr::InvokeVirtual(cp) | Instr::InvokeStatic(cp) => {
            asks_for_arrays |= file.pool.method(*cp).is_ok_and(|called| {
                called.class == "java/lang/reflect/Array"
                    || called.class == "java/lang/Class" && called.name == "isArray"
            });
        }
        _ => {}
    });
    // Arrays by reflection: one of numbers and one of objects.
    if asks_for_arrays {
        ask("[I");
        ask("[Ljava/lang/Object;");
    }
    // The labels of a switch over patterns.
    for arg in file.bootstrap_methods.iter().flat_map(|bootstrap| &bootstrap.args) {
        match file.pool.get(*arg) {
            Ok(Constant::Class(name)) => ask(name),
            // `case long l`: the class of a primitive type is a dynamic constant.
            Ok(Constant::Dynamic(dynamic)) if dynamic.descriptor == "Ljava/lang/Class;" => {
                if let Some(FieldType::Class(name)) = FieldType::parse(dynamic.name).as_ref().map(wrapper) {
                    ask(&name);
                }
            }
            _ => {}
        }
    }
}

/// Whether what a collection holds is told apart by its type, as far as can be told from the code: objects of its own class every
/// `equals` looks for.
pub(super) fn of_elements(jvm: &Jvm) -> bool {
    let asking = asking(jvm);
    let is_own = |ty: &Generic| match ty {
        Generic::Class(name, _) => jvm.loaded(name).is_some_and(|class| asking.contains(&class)),
        _ => false,
    };
    jvm.worlds.asking < super::kinds::MAX_NESTED && !types(jvm).iter().all(is_own)
}

/// Those of the types that are classes below another one.
pub(super) fn subclasses(vm: &mut Vm<Jvm>, above: ClassId) -> Vec<ClassId> {
    let names = types(&vm.lang);
    let mut found: Vec<ClassId> = Vec::new();
    for name in names {
        if let Generic::Class(name, _) = &name
            && let Ok(class) = vm.lang.class(name)
            && class != above
            && vm.lang.is_subclass(class, above)
            && vm.lang.classes[class].access & (access::ABSTRACT | access::INTERFACE) == 0
            && (can_name(&vm.lang, class) || handed(&vm.lang, class).is_some())
        {
            found.push(class);
        }
    }
    found
}

/// The classes whose literals (`Byte.class`) stand in the code of the class under test, if they are below a type.
pub(super) fn literals(vm: &mut Vm<Jvm>, above: ClassId) -> Vec<ClassId> {
    let mut names: Vec<String> = Vec::new();
    for class in asking(&vm.lang) {
        each_instr(&vm.lang, class, |file, instr| {
            if let Instr::Ldc(cp) = instr
                && let Ok(Constant::Class(name)) = file.pool.get(*cp)
                && !names.iter().any(|known| *known == *name)
            {
                names.push(name.to_string());
            }
        });
    }
    let mut found: Vec<ClassId> = Vec::new();
    for name in names {
        if let Ok(class) = vm.lang.class(&name)
            && vm.lang.is_subclass(class, above)
            && (can_name(&vm.lang, class) || is_plain_array(&name))
            && found.len() < MOST
        {
            found.push(class);
        }
    }
    found
}

/// Classes near the class under test that bear an annotation, on themselves or on a member, whose literal stands in its code:
/// `type.getAnnotation(Limit.class)` is about those.
pub(super) fn annotated(vm: &mut Vm<Jvm>) -> Vec<ClassId> {
    let Some(context) = vm.lang.worlds.context else { return Vec::new() };
    let any = vm.lang.known.object;
    let asked: Vec<String> = literals(vm, any)
        .into_iter()
        .filter(|class| vm.lang.classes[*class].access & access::ANNOTATION != 0)
        .map(|class| format!("L{};", vm.lang.classes[class].name))
        .collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let package = vm.lang.classes[context].package().to_string();
    let mut found: Vec<ClassId> = Vec::new();
    for name in vm.lang.path.list_all().unwrap_or_default() {
        let near = name.rsplit_once('/').map_or("", |(package, _)| package) == package;
        let Some(file) = near.then(|| vm.lang.path.load(&name).ok().flatten()).flatten() else { continue };
        if bears(&file.0, &asked)
            && let Ok(class) = vm.lang.class(&name)
            && can_name(&vm.lang, class)
            && found.len() < MOST
        {
            found.push(class);
        }
    }
    found
}

/// Whether a class, a field or a method of it has one of some annotations that programs can see.
fn bears(file: &ClassFile, asked: &[String]) -> bool {
    let members = file.fields.iter().map(|field| &field.annotations);
    let members = members.chain(file.methods.iter().map(|method| &method.annotations));
    std::iter::once(&file.annotations).chain(members).flatten().filter_map(|raw| raw.visible.as_ref()).any(
        |raw| {
            annotations(raw, &file.pool)
                .is_ok_and(|all| all.iter().any(|one| asked.iter().any(|asked| **asked == *one.descriptor)))
        },
    )
}

/// Arrays of numbers, and what everybody can name.
fn is_plain_array(name: &str) -> bool {
    let elem = name.trim_start_matches('[');
    name.starts_with('[') && (elem.len() == 1 || elem.starts_with("Ljava/lang/"))
}

/// Constants of other classes that stand in the code of the class under test and hold objects of a type:
/// `IsoFields.QUARTER_OF_YEAR` for `TemporalField`.
pub(super) fn constant_makes(vm: &mut Vm<Jvm>, ty: ClassId) -> Vec<Make> {
    let mut read: Vec<(String, String, String)> = Vec::new();
    for class in asking(&vm.lang) {
        each_instr(&vm.lang, class, |file, instr| {
            if let Instr::GetStatic(cp) = instr
                && let Ok(member) = file.pool.field(*cp)
            {
                let field =
                    (member.class.to_string(), member.name.to_string(), member.descriptor.to_string());
                if !read.contains(&field) {
                    read.push(field);
                }
            }
        });
    }
    let mut makes: Vec<Make> = Vec::new();
    for (owner, name, descriptor) in read {
        let Some(FieldType::Class(held)) = FieldType::parse(&descriptor) else { continue };
        let (Ok(held), Ok(owner)) = (vm.lang.class(&held), vm.lang.class(&owner)) else { continue };
        let jvm = &vm.lang;
        let Some(field) = jvm.classes[owner].field(&name, &descriptor) else { continue };
        let wanted = access::STATIC | access::FINAL;
        let hidden = access::PRIVATE | access::SYNTHETIC | access::ENUM;
        let open = field.access & access::PUBLIC != 0 || is_near(jvm, owner);
        let fits = field.access & wanted == wanted && field.access & hidden == 0 && open;
        if fits && jvm.is_subclass(held, ty) && can_name(jvm, owner) && makes.len() < MOST {
            makes.extend(constant(jvm, owner, &name, &descriptor));
        }
    }
    makes
}

fn each_instr(jvm: &Jvm, class: ClassId, mut see: impl FnMut(&ClassFile, &Instr)) {
    let Some(file) = &jvm.classes[class].file else { return };
    for method in &file.methods {
        let Ok(Some(code)) = method.bytecode() else { continue };
        code.instrs.iter().for_each(|(_, instr)| see(file, instr));
    }
}
