//! How the source spells what an instruction uses, as far as class file and debug information tell.

use ir::{Function, Meaning, Member, Op, Reg};

use crate::load::{ClassFile, FieldType, Method, access};
use crate::world::Jvm;

/// Opcodes that name a member by a pool index (JVMS §6.5).
const GET_STATIC: u8 = 178;
const GET_FIELD: u8 = 180;
const INVOKE_VIRTUAL: u8 = 182;
const INVOKE_STATIC: u8 = 184;
const INVOKE_INTERFACE: u8 = 185;

impl Jvm {
    /// The field or method that an instruction of a lowered method uses.
    pub(super) fn spelled_member(&self, func: &Function, index: u32) -> Option<Member> {
        let (file, method) = self.method_of(func)?;
        let code = method.code.as_ref()?;
        let at = func.positions.get(index as usize)?.offset as usize;
        let [opcode, high, low, ..] = *code.bytes.get(at..)? else { return None };
        let pool_index = u16::from_be_bytes([high, low]);
        let op = func.code.get(index as usize)?.op;
        let is_call = matches!(op, Op::Call | Op::CallVirt | Op::CallIface);
        let (found, is_static) = match opcode {
            GET_STATIC | GET_FIELD if !is_call => (file.pool.field(pool_index).ok()?, opcode == GET_STATIC),
            INVOKE_VIRTUAL..=INVOKE_INTERFACE if is_call => {
                (file.pool.method(pool_index).ok()?, opcode == INVOKE_STATIC)
            }
            _ => return None,
        };
        Some(Member {
            name: found.name.to_string(),
            owner: is_static.then(|| found.class.to_string()),
            meaning: meaning(found.descriptor.rsplit(')').next().unwrap_or_default()),
        })
    }

    /// Where statements of a method start, as offsets in its code: entries of its table of lines.
    pub fn statement_starts(&self, func: ir::FuncId) -> Vec<u32> {
        let of = |func: &crate::link::Func| {
            let file = self.classes[func.class].file.as_deref()?;
            let code = file.method(&func.name, &func.descriptor)?.code.as_ref()?;
            Some(code.lines.iter().map(|(pc, _)| u32::from(*pc)).collect())
        };
        self.funcs.get(func).and_then(of).unwrap_or_default()
    }

    /// What the variable or parameter that a register holds is declared to be.
    pub(super) fn declared_meaning(&self, func: &Function, reg: Reg) -> Meaning {
        let Some((_, method)) = self.method_of(func) else { return Meaning::Number };
        let variable = func.regs.get(reg).and_then(|info| info.variable.as_deref());
        let locals = method.code.iter().flat_map(|code| &code.locals);
        let mut named = locals.filter(|local| variable == Some(&*local.name));
        if let Some(first) = named.next() {
            // Several variables of one name: none is known to be meant.
            let same = named.all(|other| other.descriptor == first.descriptor);
            return if same { meaning(&first.descriptor) } else { Meaning::Number };
        }
        // Without debug information the descriptor knows the parameters, which come first.
        let receiver = u32::from(method.access & access::STATIC == 0);
        let is_param = variable.is_none() && reg.0 < func.params;
        let param = reg.0.checked_sub(receiver).filter(|_| is_param);
        match param.and_then(|param| method.ty.params.get(param as usize)) {
            Some(FieldType::Boolean) => Meaning::Truth,
            Some(FieldType::Char) => Meaning::Char,
            _ => Meaning::Number,
        }
    }

    /// The class file and method that a function was lowered from.
    pub(super) fn method_of(&self, func: &Function) -> Option<(&ClassFile, &Method)> {
        let (path, _) = func.name.split_once('(')?;
        let (class, name) = path.rsplit_once('.')?;
        let file = self.classes[self.loaded(class)?].file.as_deref()?;
        let descriptor = func.name.get(path.len()..)?;
        Some((file, file.method(name, descriptor)?))
    }
}

fn meaning(descriptor: &str) -> Meaning {
    match descriptor {
        "Z" => Meaning::Truth,
        "C" => Meaning::Char,
        _ => Meaning::Number,
    }
}
