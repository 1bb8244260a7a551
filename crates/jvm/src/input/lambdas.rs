//! Lambdas that a class hands out: what returns or holds them, and how a test calls them.
//!
//! `static Predicate<String> longer(int n) { return s -> s.length() > n; }` runs the code of the lambda only when somebody
//! calls `longer(3).test("abcd")`.

use std::sync::Arc;

use ir::{ClassId, FuncId};
use vm::Vm;

use super::Kind;
use super::generic::{self, Generic};
use super::hidden::Hidden;
use super::owners::changes_of_owners;
use super::producers::{constant, producer};
use super::recipe::{Make, add_changes, can_call, can_name, is_near, prepare_makes};
use crate::load::{ClassFile, Constant, FieldType, Instr, access};
use crate::world::Jvm;

/// So many of a class are called.
const MAX_LAMBDAS: usize = 16;

/// The lambda that an instruction makes.
struct Lambda {
    /// The interface that it implements.
    interface: Arc<str>,
    /// The interface's method.
    name: String,
    descriptor: String,
    /// Where its code is.
    body: FuncId,
}

/// The lambdas that methods of some classes return, as they are or made more of (`c.reversed()`), or that their constants
/// hold.
pub fn lambdas(vm: &mut Vm<Jvm>, class: ClassId, nested: &[ClassId]) -> Vec<Hidden> {
    let owners = std::iter::once(class).chain(nested.iter().copied());
    let owners: Vec<ClassId> = owners.filter(|owner| can_name(&vm.lang, *owner)).collect();
    let mut found: Vec<Hidden> = Vec::new();
    for owner in owners {
        let Some(file) = vm.lang.classes[owner].file.clone() else { continue };
        for func in vm.lang.classes[owner].functions() {
            let f = &vm.lang.funcs[func];
            let (name, descriptor, is_static) = (f.name.clone(), f.descriptor.clone(), f.is_static());
            let Some(method) = file.method(&name, &descriptor) else { continue };
            let Ok(Some(code)) = method.bytecode() else { continue };
            let returned = can_call(&vm.lang, func) && !name.starts_with('<');
            for pair in code.instrs.windows(2) {
                let Instr::InvokeDynamic(site) = pair[0].1 else { continue };
                let Some(lambda) = lambda(&vm.lang, owner, &file, site) else { continue };
                let erased = FieldType::Class(lambda.interface.clone());
                let (key, ty, make) = match &pair[1].1 {
                    _ if returned && method.ty.ret.as_ref() == Some(&erased) => {
                        let ty = generic::result(method.signature.as_deref(), &erased, &Vec::new());
                        let Some(way) = producer(vm, owner, func, is_static) else { continue };
                        (name.to_string(), ty, Make::Call(way))
                    }
                    Instr::PutStatic(cp) if &*name == "<clinit>" => {
                        let Some((field, ty, make)) = held(&vm.lang, owner, &file, *cp) else { continue };
                        (field, ty, make)
                    }
                    _ => continue,
                };
                found.extend(handed(vm, class, &key, (lambda, ty, make)));
            }
        }
    }
    found.truncate(MAX_LAMBDAS);
    found
}

/// A constant that a test may read.
fn held(jvm: &Jvm, owner: ClassId, file: &ClassFile, cp: u16) -> Option<(String, Generic, Make)> {
    let field = file.pool.field(cp).ok().filter(|field| *field.class == *file.name)?;
    let declared =
        file.fields.iter().find(|f| *f.name == *field.name && *f.descriptor == *field.descriptor)?;
    let open = declared.access & access::PUBLIC != 0
        || is_near(jvm, owner) && declared.access & access::PRIVATE == 0;
    if !open || declared.access & access::SYNTHETIC != 0 {
        return None;
    }
    let ty = Generic::of_field(declared.signature.as_deref(), &declared.ty, &Vec::new());
    Some((field.name.to_string(), ty, constant(jvm, owner, field.name, field.descriptor)?))
}

fn handed(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    key: &str,
    (lambda, ty, make): (Lambda, Generic, Make),
) -> Option<Hidden> {
    let interface = vm.lang.class(&lambda.interface).ok().filter(|ty| can_name(&vm.lang, *ty))?;
    let func = vm.lang.method(interface, &lambda.name, &lambda.descriptor).ok()?;
    let args = match ty {
        Generic::Class(_, args) => args,
        _ => Vec::new(),
    };
    let place = format!("lambda {} of {}", vm.lang.func_name(lambda.body), vm.lang.classes[class].name);
    let of_owners = changes_of_owners(vm, std::slice::from_ref(&make));
    let recipe = prepare_makes(vm, &place, interface, args.clone(), |_| vec![make]);
    add_changes(vm, &recipe, of_owners);
    let kind = Kind::Object(recipe);
    let name = Some(variable(key));
    Some(Hidden { ty: interface, args, kind, func, name, classes: Vec::new(), runs: vec![lambda.body] })
}

/// `byName` for `BY_NAME`.
fn variable(name: &str) -> String {
    if !name.chars().any(char::is_lowercase) {
        let words = name.split('_').filter(|word| !word.is_empty()).map(str::to_lowercase);
        return words.enumerate().fold(String::new(), |text, (i, word)| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            if i == 0 { word.clone() } else { text + &first.to_uppercase() + rest }
        });
    }
    name.to_string()
}

/// Bodies of the lambdas that methods of a class hand out as they make them: who gets one may call it with anything.
pub fn escaping(jvm: &Jvm, class: ClassId) -> Vec<FuncId> {
    let Some(file) = &jvm.classes[class].file else { return Vec::new() };
    let codes = file.methods.iter().filter_map(|method| method.bytecode().ok().flatten());
    let mut found = Vec::new();
    for code in codes {
        let instrs = code.instrs.iter().map(|(_, instr)| instr).filter(|i| !matches!(i, Instr::CheckCast(_)));
        let instrs: Vec<&Instr> = instrs.collect();
        for pair in instrs.windows(2) {
            if let [Instr::InvokeDynamic(site), Instr::Return(_) | Instr::PutField(_) | Instr::PutStatic(_)] =
                pair
            {
                found.extend(lambda(jvm, class, file, *site).map(|lambda| lambda.body));
            }
        }
    }
    found
}

/// Whether a method has the code of a lambda: `lambda$total$0` of javac, `total$lambda$0` of kotlinc. References to methods name others.
pub fn is_body(name: &str) -> bool {
    name.starts_with("lambda$") || name.find("$lambda").is_some_and(|at| at > 0)
}

/// The lambda, but no reference to a method, that a call site makes.
fn lambda(jvm: &Jvm, owner: ClassId, file: &ClassFile, site: u16) -> Option<Lambda> {
    let site = file.pool.invoke_dynamic(site).ok()?;
    let bootstrap = file.bootstrap_methods.get(site.bootstrap as usize)?;
    let handle = file.pool.method_handle(bootstrap.handle).ok()?;
    if handle.member.class != "java/lang/invoke/LambdaMetafactory" {
        return None;
    }
    let [erased, implementation, ..] = bootstrap.args[..] else { return None };
    let (Ok(Constant::MethodType(erased)), Ok(Constant::MethodHandle(handle))) =
        (file.pool.get(erased), file.pool.get(implementation))
    else {
        return None;
    };
    let member = handle.member;
    if *member.class != *file.name || !is_body(member.name) {
        return None;
    }
    let body = jvm.declared(owner, member.name, member.descriptor)?;
    let (_, interface) = site.descriptor.rsplit_once(")L")?;
    Some(Lambda {
        interface: interface.strip_suffix(';')?.into(),
        name: site.name.to_string(),
        descriptor: erased.to_string(),
        body,
    })
}
