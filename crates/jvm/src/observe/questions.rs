//! Questions that a test may put to an object whose getters do not show what a call did to it: `cart.total()`,
//! `index.contains("word")`.

use ir::{ClassId, FuncId};
use vm::{ObjId, Val, Vm};

use super::{Seen, ask_with, getters, see_typed};
use crate::input::{can_call, is_written, writes};
use crate::link::ClassOrigin;
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// A method that is called to see what another one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub func: FuncId,
    /// Which of the arguments of the other one it is called with.
    pub args: Vec<usize>,
    /// It may change the object: nothing is asked after it.
    pub changes: bool,
}

/// So many are put to one object.
const MOST: usize = 12;
/// Questions with more parameters are about something else.
const MOST_PARAMS: usize = 2;

/// The questions for an object of a class that a method was called on with arguments of these types, as far as they can be asked about:
/// those that only look before those that may change it, those without parameters first. Getters are none: they are looked at anyway.
pub fn questions(
    vm: &Vm<Jvm>,
    class: ClassId,
    method: FuncId,
    given: &[Option<&FieldType>],
) -> Vec<Question> {
    let jvm = &vm.lang;
    let shown = getters(vm, class);
    let asked = &jvm.funcs[method];
    let mut found: Vec<Question> = Vec::new();
    for owner in jvm.classes[class].ancestors.iter().rev().copied() {
        if jvm.classes[owner].origin == ClassOrigin::Library {
            continue;
        }
        for func in jvm.classes[owner].functions() {
            let f = &jvm.funcs[func];
            let named_alike = |other: FuncId| {
                let other = &jvm.funcs[other];
                other.name == f.name && other.signature.ty.params == f.signature.ty.params
            };
            let fits = f.is(access::PUBLIC)
                && f.access & (access::STATIC | access::SYNTHETIC) == 0
                && f.signature.ty.ret.is_some()
                && is_written(jvm, func)
                && can_call(jvm, func)
                && f.name != asked.name
                && !matches!(&*f.name, "hashCode" | "equals" | "compareTo" | "clone" | "iterator");
            let known = shown.iter().copied().chain(found.iter().map(|q| q.func)).any(named_alike);
            if !fits || known {
                continue;
            }
            if let Some(args) = arguments(&f.signature.ty.params, given) {
                found.push(Question { func, args, changes: writes(jvm, class, func).is_some() });
            }
        }
    }
    found.sort_by_key(|question| (question.changes, question.args.len()));
    found.truncate(MOST);
    found
}

/// Arguments of these types, each used once.
fn arguments(params: &[FieldType], given: &[Option<&FieldType>]) -> Option<Vec<usize>> {
    if params.len() > MOST_PARAMS {
        return None;
    }
    let mut used: Vec<usize> = Vec::new();
    for param in params {
        let fits = |at: &usize| given[*at] == Some(param) && !used.contains(at);
        let at = (0..given.len()).find(fits)?;
        used.push(at);
    }
    Some(used)
}

/// The answer, if there is one: questions that throw, take long or ask a stand-in have none.
pub fn answer(vm: &mut Vm<Jvm>, object: ObjId, question: &Question, given: &[Val]) -> Option<Seen> {
    let ret = vm.lang.funcs[question.func].signature.ty.ret.clone()?;
    let args: Vec<Val> = question.args.iter().map(|at| given[*at]).collect();
    let bits = ask_with(vm, object, question.func, &args)?;
    Some(see_typed(vm, bits, &ret, 1))
}
