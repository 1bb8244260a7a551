//! Calls of Kotlin functions that leave arguments out: the compiler has a function for them, `f$default`, which takes all arguments,
//! what says which are left out, and null.

use ir::FuncId;
use vm::{Stop, Val, Vm};

use super::known::{Conditions, Constant, Number, Rule};
use super::{Kind, make};
use crate::kotlin::kotlin;
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// The function that calls run which leave arguments out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub func: FuncId,
    /// The arguments that may be left out: the places of the parameters, and the bits that say so.
    optional: Vec<(usize, u32)>,
}

/// What is left out of the arguments, as an input.
pub const INPUT: &str = "leftOut";
/// Of so many arguments all are left out or given in every way; of more, all are left out, or one.
const MOST: usize = 5;
const MARKER: &str = "kotlin/jvm/internal/DefaultConstructorMarker";

/// How a function is called where arguments are left out; none if that has no code of its own, or a test may not.
pub fn left_out(jvm: &Jvm, of: FuncId) -> Option<LeftOut> {
    let f = &jvm.funcs[of];
    let class = &jvm.classes[f.class];
    let file = class.file.as_deref().filter(|_| jvm.worlds.in_kotlin)?;
    let types = &f.signature.ty.params;
    let kotlin = kotlin(file)?;
    let function = kotlin.function(&f.name, &f.descriptor, types.len()).filter(|f| f.is_open)?;
    // In front of the parameters of the source.
    let first = usize::from(function.receiver.is_some()) + usize::from(function.on_value);
    let optional: Vec<(usize, u32)> = function
        .optional
        .iter()
        .enumerate()
        .filter(|(_, optional)| **optional)
        .map(|(at, _)| (at + first, u32::try_from(at).unwrap_or(u32::MAX)))
        .collect();
    if optional.is_empty() || function.optional.len() > 31 || function.is_suspend {
        return None;
    }
    let is_new = &*f.name == "<init>";
    let mut wanted: Vec<FieldType> = Vec::new();
    if !is_new && !f.is_static() {
        wanted.push(FieldType::Class(class.name.clone()));
    }
    wanted.extend(types.iter().cloned());
    wanted.push(FieldType::Int);
    wanted.push(FieldType::Class(if is_new { MARKER } else { "java/lang/Object" }.into()));
    let name = if is_new { "<init>".to_string() } else { format!("{}$default", f.name) };
    let func = class.functions().find(|func| {
        let g = &jvm.funcs[*func];
        g.is(access::SYNTHETIC) && *g.name == *name && g.signature.ty.params == wanted
    })?;
    if crate::kotlin::is_made(class, &jvm.funcs[func]) {
        return None;
    }
    // Of what leaves all of them out there is a constructor besides, which calls it.
    let by_another = |func: FuncId| {
        let g = &jvm.funcs[func];
        &*g.name == "<init>" && g.signature.ty.params.is_empty() && g.access & access::SYNTHETIC == 0
    };
    if is_new && optional.len() == types.len() && optional.len() == 1 && class.functions().any(by_another) {
        return None;
    }
    Some(LeftOut { func, optional })
}

impl LeftOut {
    /// Decides which arguments are left out.
    pub fn choose(&self, vm: &mut Vm<Jvm>) -> Result<Val, Stop> {
        let val = make(vm, INPUT, &Kind::Scalar(FieldType::Int))?;
        let one_of = self.ways().into_iter().map(|way| Constant::Number(Number::Int(way.into()))).collect();
        let rule = Rule { one_of, ..Rule::default() };
        let conditions = Conditions { params: vec![(0, rule)], ..Conditions::default() };
        super::known::check(vm, &conditions, &[val], &[FieldType::Int])?;
        Ok(val)
    }

    /// What says which are left out: at least one of them is, and as many as can be first.
    fn ways(&self) -> Vec<u32> {
        let bits: Vec<u32> = self.optional.iter().map(|(_, bit)| 1 << bit).collect();
        let all: u32 = bits.iter().sum();
        if bits.len() > MOST {
            return std::iter::once(all).chain(bits).collect();
        }
        (1..=all).rev().filter(|way| way & !all == 0).collect()
    }

    /// The parameters that are left out, a bit each.
    pub fn params(&self, chosen: Val) -> u32 {
        let out = self.optional.iter().filter(|(_, bit)| chosen.bits >> bit & 1 == 1);
        out.fold(0, |all, (param, _)| all | 1 << param)
    }
}
