//! How the source spells what an instruction uses, as far as class file and debug information tell.

use ir::{EQUALITY, Function, Meaning, Member, Op, Reg};

use crate::load::{ClassFile, FieldType, Method, MethodType, access};
use crate::world::Jvm;

/// Opcodes (JVMS §6.5): comparisons that are lowered to others, and those that name a member by a pool index.
const FCMPL: u8 = 149;
const DCMPL: u8 = 151;
const IFGE: u8 = 156;
const IFGT: u8 = 157;
const IF_ICMPGE: u8 = 162;
const IF_ICMPGT: u8 = 163;
const TABLE_SWITCH: u8 = 170;
const LOOKUP_SWITCH: u8 = 171;
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
        let is_kotlin = file.is_kotlin();
        let plain = |name: &str| Member {
            name: name.to_string(),
            owner: None,
            meaning: Meaning::Truth,
            takes: Vec::new(),
            spreads: false,
            leaves_out: false,
        };
        let (found, is_static) = match opcode {
            // A switch on strings is lowered to comparisons.
            TABLE_SWITCH | LOOKUP_SWITCH if is_call && is_kotlin => return Some(plain(EQUALITY)),
            TABLE_SWITCH | LOOKUP_SWITCH if is_call => return Some(plain("equals")),
            GET_STATIC | GET_FIELD if !is_call => (file.pool.field(pool_index).ok()?, opcode == GET_STATIC),
            INVOKE_VIRTUAL..=INVOKE_INTERFACE if is_call => {
                (file.pool.method(pool_index).ok()?, opcode == INVOKE_STATIC)
            }
            _ => return None,
        };
        if is_static && (found.class, found.name) == ("kotlin/jvm/internal/Intrinsics", "areEqual") {
            return Some(plain(EQUALITY));
        }
        let params = MethodType::parse(found.descriptor).map(|ty| ty.params).unwrap_or_default();
        let mut takes: Vec<Meaning> = params.iter().map(meaning_of).collect();
        // `f$default` is called where arguments are left out: with all of them, what says which, and null.
        let left_out = found.name.strip_suffix("$default").filter(|_| is_static && is_kotlin);
        let name = left_out.unwrap_or(found.name);
        // As the source writes extension functions and those that belong to no class.
        let extends = is_static && self.is_extension(found.class, name, found.descriptor, left_out.is_some());
        takes.drain(..usize::from(extends));
        let is_plain = is_static && is_kotlin && found.class.ends_with("Kt");
        let owner = if is_plain { &*file.name } else { found.class };
        // It may be a class above that declares it.
        let mut above = self.loaded(found.class);
        let mut declared = None;
        while let (Some(class), None) = (above.map(|class| &self.classes[class]), declared) {
            let method = class.file.as_deref().and_then(|file| file.method(found.name, found.descriptor));
            declared = method.map(|method| method.access);
            above = class.superclass;
        }
        Some(Member {
            name: if is_kotlin { crate::kotlin::plain_name(name).to_string() } else { name.to_string() },
            owner: (is_static && !extends).then(|| owner.to_string()),
            meaning: meaning(found.descriptor.rsplit(')').next().unwrap_or_default()),
            takes,
            spreads: declared.is_some_and(|flags| flags & access::VARARGS != 0),
            leaves_out: left_out.is_some(),
        })
    }

    /// Whether a static method is an extension function of Kotlin: its compiler calls the receiver `$this$name`.
    /// `left_out`: the descriptor is that of what is called where arguments are left out.
    fn is_extension(&self, class: &str, name: &str, descriptor: &str, left_out: bool) -> bool {
        // So do static methods of value classes with what an object wraps.
        let mut at = self.loaded(class).filter(|_| class.ends_with("Kt") || name.contains('-'));
        while let Some(class) = at {
            let class = &self.classes[class];
            let method = class.file.as_deref().and_then(|file| declared(file, name, descriptor, left_out));
            if let Some(method) = method {
                let locals = method.code.iter().flat_map(|code| &code.locals);
                return locals.filter(|local| local.slot == 0).any(|local| is_receiver(&local.name));
            }
            // What belongs to one facade may be in several files, each a class above.
            at = class.superclass;
        }
        false
    }

    /// Whether a comparison was lowered with its operands the other way round.
    pub(super) fn turned(&self, func: &Function, index: u32) -> bool {
        let opcode = |back: usize| {
            let code = self.method_of(func)?.1.code.as_ref()?;
            let at = func.positions.get(index as usize)?.offset as usize;
            code.bytes.get(at.checked_sub(back)?).copied()
        };
        match func.code.get(index as usize).map(|inst| inst.op) {
            Some(Op::SltI32 | Op::SleI32) => matches!(opcode(0), Some(IF_ICMPGE | IF_ICMPGT)),
            Some(Op::SltI64 | Op::SleI64) => matches!(opcode(0), Some(IFGE | IFGT)),
            // The comparison stands in front of the jump.
            Some(Op::LtF32 | Op::LeF32 | Op::LtF64 | Op::LeF64) => matches!(opcode(1), Some(FCMPL | DCMPL)),
            _ => false,
        }
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
        let ty = match param.and_then(|param| method.ty.params.get(param as usize)) {
            Some(FieldType::Array(elem)) => Some(&**elem),
            ty => ty,
        };
        ty.map_or(Meaning::Number, meaning_of)
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

/// The method of a class; `left_out`: the descriptor is that of what is called where arguments are left out, `(A, B, bits, Object)`.
fn declared<'f>(file: &'f ClassFile, name: &str, descriptor: &str, left_out: bool) -> Option<&'f Method> {
    if !left_out {
        return file.method(name, descriptor);
    }
    let params = descriptor.split(')').next()?.strip_suffix("ILjava/lang/Object;")?;
    let of = |m: &&Method| {
        &*m.name == name && m.descriptor.strip_prefix(params).is_some_and(|r| r.starts_with(')'))
    };
    file.methods.iter().find(of)
}

/// A function as the source would name it: `Shop.total(int, String)`, `new Shop(int)`, `a lambda in Shop.total`. Of a name that is no
/// method's, the name.
pub fn title(function: &str) -> String {
    let Some((path, descriptor)) = function.find('(').map(|at| function.split_at(at)) else {
        return function.to_string();
    };
    let Some((class, name)) = path.rsplit_once('.') else { return function.to_string() };
    let class = class.rsplit('/').next().unwrap_or(class).replace('$', ".");
    // `lambda$total$0` of javac, `total$lambda$0` and `total$lambda-0` of kotlinc, `lambda$0` of Eclipse.
    if let Some(rest) = name.strip_prefix("lambda$") {
        let (of, number) = rest.rsplit_once('$').unwrap_or(("", rest));
        let of = match of {
            "new" => format!("a constructor of {class}"),
            "static" => format!("the initialisation of {class}"),
            "" => class,
            _ => format!("{class}.{of}"),
        };
        let nth = number.parse::<u32>().map_or_else(|_| String::new(), |n| format!(" {}", n + 1));
        return format!("lambda{nth} in {of}");
    }
    if let Some((of, number)) = name.split_once("$lambda").filter(|(of, _)| !of.is_empty()) {
        let digits = number.trim_start_matches(['$', '-']);
        let nth = digits.parse::<u32>().map_or_else(|_| String::new(), |n| format!(" {}", n + 1));
        return format!("lambda{nth} in {class}.{of}");
    }
    let Some(ty) = MethodType::parse(descriptor) else { return function.to_string() };
    let params = ty.params.iter().map(type_title).collect::<Vec<_>>().join(", ");
    match name {
        "<init>" => format!("new {class}({params})"),
        "<clinit>" => format!("the initialisation of {class}"),
        _ => match name.strip_suffix("$default") {
            Some(of) => format!("{class}.{of} with default arguments"),
            None => format!("{class}.{name}({params})"),
        },
    }
}

fn type_title(ty: &FieldType) -> String {
    ty.spelled(|class| class.rsplit('/').next().unwrap_or(class).replace('$', "."))
}

fn meaning_of(ty: &FieldType) -> Meaning {
    match ty {
        FieldType::Boolean => Meaning::Truth,
        FieldType::Char => Meaning::Char,
        FieldType::Byte => Meaning::Byte,
        FieldType::Short => Meaning::Short,
        _ => Meaning::Number,
    }
}

/// Of an array, what its elements are.
fn meaning(descriptor: &str) -> Meaning {
    match descriptor.strip_prefix('[').unwrap_or(descriptor) {
        "Z" => Meaning::Truth,
        "C" => Meaning::Char,
        "B" => Meaning::Byte,
        "S" => Meaning::Short,
        _ => Meaning::Number,
    }
}

/// Whether a parameter stands in front of the dot in the source: that of an extension function, or of a value class's member.
fn is_receiver(name: &str) -> bool {
    name == "this" || name.starts_with("$this$")
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn functions_are_named_as_in_the_source() {
        let named = [
            ("shop/Cart.total(I[Ljava/lang/String;)J", "Cart.total(int, String[])"),
            ("shop/Cart$Line.<init>(D)V", "new Cart.Line(double)"),
            ("shop/Cart.<clinit>()V", "the initialisation of Cart"),
            ("shop/Cart.lambda$total$0(I)Z", "lambda 1 in Cart.total"),
            ("shop/Cart.lambda$new$2(I)Z", "lambda 3 in a constructor of Cart"),
            ("shop/Cart.lambda$1(I)Z", "lambda 2 in Cart"),
            ("shop/CartKt.total$lambda$0(I)Z", "lambda 1 in CartKt.total"),
            ("shop/CartKt.total$default(IILjava/lang/Object;)I", "CartKt.total with default arguments"),
            ("made up", "made up"),
        ];
        for (function, expected) in named {
            assert_eq!(title(function), expected);
        }
    }
}
