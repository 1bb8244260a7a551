//! From bytecode to [`Instr`]s, validated: whole instructions, targets and handlers on instruction starts, no
//! falling off the end (JVMS §4.9.1).

use super::class::{Code, Method};
use super::error::{At, Malformed};
use super::instr::{
    ArrayKind, BinaryOp, Bytecode, Comparison, Cond, Conversion, ElementKind, Instr, Kind, LookupSwitch,
    NumKind, TableSwitch,
};
use super::reader::{Fault, Read, Reader};

pub(super) fn decode(method: &Method, code: &Code) -> Result<Bytecode, Malformed> {
    instructions(code).map_err(|fault| Malformed {
        class: method.class.clone(),
        at: At::Code {
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            pc: u16::try_from(fault.offset).unwrap_or(u16::MAX),
        },
        what: fault.what,
    })
}

fn instructions(code: &Code) -> Read<Bytecode> {
    let bytes: &[u8] = &code.bytes;
    let mut reader = Reader::new(bytes);
    // Instructions have two bytes or more on average.
    let mut instrs = Vec::with_capacity(bytes.len().div_ceil(2));
    let mut starts = vec![false; bytes.len()];
    while reader.remaining() > 0 {
        let start = reader.pos();
        let Ok(pc) = u16::try_from(start) else {
            return reader.fault("code is longer than 65535 bytes");
        };
        if let Some(mark) = starts.get_mut(start) {
            *mark = true;
        }
        let mut at = Cursor { reader: &mut reader, pc, len: bytes.len(), max_locals: code.max_locals };
        let instr = at.instr()?;
        instrs.push((pc, instr));
    }
    validate(&instrs, &starts, code)?;
    Ok(Bytecode { instrs })
}

fn validate(instrs: &[(u16, Instr)], starts: &[bool], code: &Code) -> Read<()> {
    let is_start = |pc: u16| starts.get(usize::from(pc)).copied().unwrap_or(false);
    for (pc, instr) in instrs {
        let mut good = true;
        instr.targets(|target| good &= is_start(target));
        if !good {
            return fault(*pc, "branches into the middle of an instruction");
        }
    }
    for handler in &code.handlers {
        let end = is_start(handler.end) || usize::from(handler.end) == starts.len();
        if !is_start(handler.start) || !end || !is_start(handler.handler) {
            return fault(handler.start, "exception handler is not on instruction boundaries");
        }
    }
    match instrs.last() {
        Some((_, last)) if last.ends_flow() => Ok(()),
        Some((pc, _)) => fault(*pc, "control falls off the end of the code"),
        None => fault(0, "code is empty"),
    }
}

fn fault<T>(pc: u16, what: &'static str) -> Read<T> {
    Err(Fault { offset: usize::from(pc), what })
}

struct Cursor<'r, 'a> {
    reader: &'r mut Reader<'a>,
    /// Of the instruction being decoded.
    pc: u16,
    len: usize,
    max_locals: u16,
}

impl Cursor<'_, '_> {
    /// One arm an opcode or family, in opcode order.
    fn instr(&mut self) -> Read<Instr> {
        use BinaryOp::*;
        let opcode = self.reader.u8()?;
        Ok(match opcode {
            0x00 => Instr::Nop,
            0x01 => Instr::Null,
            0x02..=0x08 => Instr::Int(i32::from(opcode).wrapping_sub(0x03)),
            0x09 | 0x0a => Instr::Long(i64::from(opcode.wrapping_sub(0x09))),
            0x0b..=0x0d => Instr::Float(f32::from(opcode.wrapping_sub(0x0b))),
            0x0e | 0x0f => Instr::Double(f64::from(opcode.wrapping_sub(0x0e))),
            0x10 => Instr::Int(self.reader.i8()?.into()),
            0x11 => Instr::Int(self.reader.i16()?.into()),
            0x12 => Instr::Ldc(self.reader.u8()?.into()),
            0x13 => Instr::Ldc(self.reader.u16()?),
            0x14 => Instr::Ldc2(self.reader.u16()?),
            0x15..=0x19 => {
                let slot = self.reader.u8()?.into();
                self.load(opcode, slot)?
            }
            0x1a..=0x2d => {
                let (kind, slot) = self.short_form(opcode.wrapping_sub(0x1a))?;
                Instr::Load(kind, slot)
            }
            0x2e..=0x35 => Instr::ArrayLoad(self.array_kind(opcode.wrapping_sub(0x2e))?),
            0x36..=0x3a => {
                let slot = self.reader.u8()?.into();
                self.store(opcode, slot)?
            }
            0x3b..=0x4e => {
                let (kind, slot) = self.short_form(opcode.wrapping_sub(0x3b))?;
                Instr::Store(kind, slot)
            }
            0x4f..=0x56 => Instr::ArrayStore(self.array_kind(opcode.wrapping_sub(0x4f))?),
            0x57 => Instr::Pop,
            0x58 => Instr::Pop2,
            0x59 => Instr::Dup,
            0x5a => Instr::DupX1,
            0x5b => Instr::DupX2,
            0x5c => Instr::Dup2,
            0x5d => Instr::Dup2X1,
            0x5e => Instr::Dup2X2,
            0x5f => Instr::Swap,
            0x60..=0x63 => Instr::Binary(Add, num_kind(opcode)),
            0x64..=0x67 => Instr::Binary(Sub, num_kind(opcode)),
            0x68..=0x6b => Instr::Binary(Mul, num_kind(opcode)),
            0x6c..=0x6f => Instr::Binary(Div, num_kind(opcode)),
            0x70..=0x73 => Instr::Binary(Rem, num_kind(opcode)),
            0x74..=0x77 => Instr::Neg(num_kind(opcode)),
            0x78 | 0x79 => Instr::Binary(Shl, int_kind(opcode)),
            0x7a | 0x7b => Instr::Binary(Shr, int_kind(opcode)),
            0x7c | 0x7d => Instr::Binary(Ushr, int_kind(opcode)),
            0x7e | 0x7f => Instr::Binary(And, int_kind(opcode)),
            0x80 | 0x81 => Instr::Binary(Or, int_kind(opcode)),
            0x82 | 0x83 => Instr::Binary(Xor, int_kind(opcode)),
            0x84 => {
                let slot = self.reader.u8()?.into();
                let by = self.reader.i8()?.into();
                self.iinc(slot, by)?
            }
            0x85..=0x93 => Instr::Convert(self.conversion(opcode)?),
            0x94 => Instr::Compare(Comparison::Long),
            0x95 => Instr::Compare(Comparison::FloatL),
            0x96 => Instr::Compare(Comparison::FloatG),
            0x97 => Instr::Compare(Comparison::DoubleL),
            0x98 => Instr::Compare(Comparison::DoubleG),
            0x99..=0x9e => Instr::If(self.cond(opcode.wrapping_sub(0x99))?, self.target16()?),
            0x9f..=0xa4 => Instr::IfInts(self.cond(opcode.wrapping_sub(0x9f))?, self.target16()?),
            0xa5 | 0xa6 => Instr::IfRefs(opcode == 0xa5, self.target16()?),
            0xa7 => Instr::Goto(self.target16()?),
            0xa8 => Instr::Jsr(self.target16()?),
            0xa9 => {
                let slot = self.reader.u8()?.into();
                Instr::Ret(self.slot(slot, 1)?)
            }
            0xaa => self.table_switch()?,
            0xab => self.lookup_switch()?,
            0xac => Instr::Return(Some(Kind::Int)),
            0xad => Instr::Return(Some(Kind::Long)),
            0xae => Instr::Return(Some(Kind::Float)),
            0xaf => Instr::Return(Some(Kind::Double)),
            0xb0 => Instr::Return(Some(Kind::Ref)),
            0xb1 => Instr::Return(None),
            0xb2 => Instr::GetStatic(self.reader.u16()?),
            0xb3 => Instr::PutStatic(self.reader.u16()?),
            0xb4 => Instr::GetField(self.reader.u16()?),
            0xb5 => Instr::PutField(self.reader.u16()?),
            0xb6 => Instr::InvokeVirtual(self.reader.u16()?),
            0xb7 => Instr::InvokeSpecial(self.reader.u16()?),
            0xb8 => Instr::InvokeStatic(self.reader.u16()?),
            0xb9 => {
                let cp = self.reader.u16()?;
                // The count repeats what the descriptor says; the byte after it is reserved.
                if self.reader.u8()? == 0 || self.reader.u8()? != 0 {
                    return self.fault("invokeinterface has wrong operands");
                }
                Instr::InvokeInterface(cp)
            }
            0xba => {
                let cp = self.reader.u16()?;
                if self.reader.u16()? != 0 {
                    return self.fault("invokedynamic has wrong operands");
                }
                Instr::InvokeDynamic(cp)
            }
            0xbb => Instr::New(self.reader.u16()?),
            0xbc => Instr::NewArray(self.element_kind()?),
            0xbd => Instr::ANewArray(self.reader.u16()?),
            0xbe => Instr::ArrayLength,
            0xbf => Instr::AThrow,
            0xc0 => Instr::CheckCast(self.reader.u16()?),
            0xc1 => Instr::InstanceOf(self.reader.u16()?),
            0xc2 => Instr::MonitorEnter,
            0xc3 => Instr::MonitorExit,
            0xc4 => self.wide()?,
            0xc5 => {
                let cp = self.reader.u16()?;
                match self.reader.u8()? {
                    0 => return self.fault("multianewarray has no dimension"),
                    dimensions => Instr::MultiANewArray(cp, dimensions),
                }
            }
            0xc6 | 0xc7 => Instr::IfNull(opcode == 0xc6, self.target16()?),
            0xc8 => Instr::Goto(self.target32()?),
            0xc9 => Instr::Jsr(self.target32()?),
            _ => return self.fault("unknown opcode"),
        })
    }

    fn wide(&mut self) -> Read<Instr> {
        let opcode = self.reader.u8()?;
        let slot = self.reader.u16()?;
        match opcode {
            0x15..=0x19 => self.load(opcode, slot),
            0x36..=0x3a => self.store(opcode, slot),
            0x84 => {
                let by = self.reader.i16()?;
                self.iinc(slot, by)
            }
            0xa9 => Ok(Instr::Ret(self.slot(slot, 1)?)),
            _ => self.fault("wide before an opcode that has no wide form"),
        }
    }

    fn load(&self, opcode: u8, slot: u16) -> Read<Instr> {
        let kind = self.kind(opcode.wrapping_sub(0x15))?;
        Ok(Instr::Load(kind, self.slot(slot, words(kind))?))
    }

    fn store(&self, opcode: u8, slot: u16) -> Read<Instr> {
        let kind = self.kind(opcode.wrapping_sub(0x36))?;
        Ok(Instr::Store(kind, self.slot(slot, words(kind))?))
    }

    fn iinc(&self, slot: u16, by: i16) -> Read<Instr> {
        Ok(Instr::Iinc(self.slot(slot, 1)?, by))
    }

    /// `xload_n`, `xstore_n`: four slots a kind.
    fn short_form(&self, number: u8) -> Read<(Kind, u16)> {
        let kind = self.kind(number >> 2)?;
        Ok((kind, self.slot(u16::from(number & 3), words(kind))?))
    }

    fn slot(&self, slot: u16, words: u16) -> Read<u16> {
        match slot.checked_add(words) {
            Some(end) if end <= self.max_locals => Ok(slot),
            _ => self.fault("local variable is beyond max_locals"),
        }
    }

    fn table_switch(&mut self) -> Read<Instr> {
        self.padding()?;
        let default = self.target32()?;
        let low = self.reader.i32()?;
        let high = self.reader.i32()?;
        let count = i64::from(high).saturating_sub(i64::from(low)).saturating_add(1);
        let count = self.fitting(count, 4)?;
        if count == 0 {
            return self.fault("tableswitch has high below low");
        }
        let targets = (0..count).map(|_| self.target32()).collect::<Read<Vec<u16>>>()?;
        Ok(Instr::TableSwitch(Box::new(TableSwitch { default, low, targets })))
    }

    fn lookup_switch(&mut self) -> Read<Instr> {
        self.padding()?;
        let default = self.target32()?;
        let count = self.reader.i32()?;
        let count = self.fitting(count.into(), 8)?;
        let mut cases: Vec<(i32, u16)> = Vec::with_capacity(count);
        for _ in 0..count {
            let key = self.reader.i32()?;
            if cases.last().is_some_and(|(last, _)| *last >= key) {
                return self.fault("lookupswitch keys are not sorted");
            }
            cases.push((key, self.target32()?));
        }
        Ok(Instr::LookupSwitch(Box::new(LookupSwitch { default, cases })))
    }

    /// Switch operands are aligned to four bytes from the start of the code.
    fn padding(&mut self) -> Read<()> {
        while self.reader.pos() & 3 != 0 {
            self.reader.u8()?;
        }
        Ok(())
    }

    /// A number of switch cases that the remaining code can hold, so that a lying count allocates nothing.
    fn fitting(&self, count: i64, size: usize) -> Read<usize> {
        let fits = self.reader.remaining().checked_div(size).unwrap_or(0);
        match usize::try_from(count) {
            Ok(count) if count <= fits => Ok(count),
            _ => self.fault("switch has more cases than the code has bytes"),
        }
    }

    fn target16(&mut self) -> Read<u16> {
        let offset = self.reader.i16()?;
        self.target(offset.into())
    }

    fn target32(&mut self) -> Read<u16> {
        let offset = self.reader.i32()?;
        self.target(offset.into())
    }

    fn target(&self, offset: i64) -> Read<u16> {
        let target = i64::from(self.pc).saturating_add(offset);
        match u16::try_from(target) {
            Ok(target) if usize::from(target) < self.len => Ok(target),
            _ => self.fault("branches out of the code"),
        }
    }

    fn kind(&self, number: u8) -> Read<Kind> {
        self.pick(number, &[Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Ref])
    }

    fn array_kind(&self, number: u8) -> Read<ArrayKind> {
        use ArrayKind::*;
        self.pick(number, &[Int, Long, Float, Double, Ref, ByteOrBoolean, Char, Short])
    }

    fn cond(&self, number: u8) -> Read<Cond> {
        use Cond::*;
        self.pick(number, &[Eq, Ne, Lt, Ge, Gt, Le])
    }

    fn conversion(&self, opcode: u8) -> Read<Conversion> {
        use Conversion::*;
        let all = [I2L, I2F, I2D, L2I, L2F, L2D, F2I, F2L, F2D, D2I, D2L, D2F, I2B, I2C, I2S];
        self.pick(opcode.wrapping_sub(0x85), &all)
    }

    fn element_kind(&mut self) -> Read<ElementKind> {
        use ElementKind::*;
        let number = self.reader.u8()?;
        self.pick(number.wrapping_sub(4), &[Boolean, Char, Float, Double, Byte, Short, Int, Long])
    }

    fn pick<T: Copy>(&self, number: u8, from: &[T]) -> Read<T> {
        match from.get(usize::from(number)) {
            Some(picked) => Ok(*picked),
            None => self.fault("operand is out of range"),
        }
    }

    fn fault<T>(&self, what: &'static str) -> Read<T> {
        fault(self.pc, what)
    }
}

fn words(kind: Kind) -> u16 {
    if matches!(kind, Kind::Long | Kind::Double) { 2 } else { 1 }
}

/// Arithmetic opcodes come as int, long, float, double, and each group starts at a multiple of four.
fn num_kind(opcode: u8) -> NumKind {
    match opcode & 3 {
        0 => NumKind::Int,
        1 => NumKind::Long,
        2 => NumKind::Float,
        _ => NumKind::Double,
    }
}

/// Shift and bit opcodes alternate between int and long.
fn int_kind(opcode: u8) -> NumKind {
    if opcode & 1 == 0 { NumKind::Int } else { NumKind::Long }
}

/// The mnemonic of an opcode, for messages and listings.
pub fn mnemonic(opcode: u8) -> Option<&'static str> {
    MNEMONICS.split_ascii_whitespace().nth(usize::from(opcode))
}

const MNEMONICS: &str = "nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 \
    lconst_0 lconst_1 fconst_0 fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w \
    iload lload fload dload aload iload_0 iload_1 iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 \
    fload_0 fload_1 fload_2 fload_3 dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2 aload_3 \
    iaload laload faload daload aaload baload caload saload istore lstore fstore dstore astore \
    istore_0 istore_1 istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 \
    fstore_0 fstore_1 fstore_2 fstore_3 dstore_0 dstore_1 dstore_2 dstore_3 \
    astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore aastore bastore castore sastore \
    pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub lsub fsub dsub \
    imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg \
    ishl lshl ishr lshr iushr lushr iand land ior lor ixor lxor iinc \
    i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s lcmp fcmpl fcmpg dcmpl dcmpg \
    ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple \
    if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch ireturn lreturn freturn dreturn areturn return \
    getstatic putstatic getfield putfield invokevirtual invokespecial invokestatic invokeinterface \
    invokedynamic new newarray anewarray arraylength athrow checkcast instanceof monitorenter monitorexit \
    wide multianewarray ifnull ifnonnull goto_w jsr_w";
