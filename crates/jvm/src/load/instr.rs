//! Decoded bytecode: every opcode of JVMS §6.5, grouped by what it does.
//!
//! Short forms are folded into their long ones (`iload_1` is `Load(Int, 1)`, `bipush 7` is `Int(7)`), `wide`
//! disappears, branch targets are absolute. All pcs fit 16 bits because code is at most 65535 bytes long.

/// The code of one method, in pc order.
#[derive(Clone, Debug, PartialEq)]
pub struct Bytecode {
    /// Pc and instruction. Never empty; the first pc is 0. Every branch target in it is the pc of an instruction.
    pub instrs: Vec<(u16, Instr)>,
}

impl Bytecode {
    /// The position in `instrs` of the instruction at a pc.
    pub fn index_of(&self, pc: u16) -> Option<usize> {
        self.instrs.binary_search_by_key(&pc, |(at, _)| *at).ok()
    }
}

/// `cp` operands are constant-pool indices, not checked here: the pool's accessors do.
#[derive(Clone, Debug, PartialEq)]
pub enum Instr {
    Nop,
    /// `aconst_null`.
    Null,
    /// `iconst_*`, `bipush`, `sipush`.
    Int(i32),
    /// `lconst_*`.
    Long(i64),
    /// `fconst_*`.
    Float(f32),
    /// `dconst_*`.
    Double(f64),
    /// `ldc`, `ldc_w`: a constant of one word.
    Ldc(u16),
    /// `ldc2_w`: a long, a double, or a dynamic constant of such a type.
    Ldc2(u16),
    Load(Kind, u16),
    Store(Kind, u16),
    ArrayLoad(ArrayKind),
    ArrayStore(ArrayKind),
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
    /// Shifts and bit operations are of ints and longs only; a shift's right operand is always an int.
    Binary(BinaryOp, NumKind),
    Neg(NumKind),
    /// Slot and increment.
    Iinc(u16, i16),
    Convert(Conversion),
    Compare(Comparison),
    /// Int against zero.
    If(Cond, u16),
    /// Two ints.
    IfInts(Cond, u16),
    /// Two references; `true` branches when they are the same.
    IfRefs(bool, u16),
    /// `true` branches on null.
    IfNull(bool, u16),
    Goto(u16),
    /// Pushes the pc of the next instruction and goes to the target. `ret` continues at the pc in the slot.
    Jsr(u16),
    Ret(u16),
    TableSwitch(Box<TableSwitch>),
    LookupSwitch(Box<LookupSwitch>),
    /// `None` returns nothing.
    Return(Option<Kind>),
    GetStatic(u16),
    PutStatic(u16),
    GetField(u16),
    PutField(u16),
    InvokeVirtual(u16),
    InvokeSpecial(u16),
    InvokeStatic(u16),
    InvokeInterface(u16),
    InvokeDynamic(u16),
    New(u16),
    NewArray(ElementKind),
    ANewArray(u16),
    /// Class and number of dimensions to allocate, at least 1.
    MultiANewArray(u16, u8),
    ArrayLength,
    AThrow,
    CheckCast(u16),
    InstanceOf(u16),
    MonitorEnter,
    MonitorExit,
}

/// The index `low + i` goes to `targets[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSwitch {
    pub default: u16,
    pub low: i32,
    /// At least one.
    pub targets: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupSwitch {
    pub default: u16,
    /// Key and target, strictly increasing keys.
    pub cases: Vec<(i32, u16)>,
}

/// Computational type of a local or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Int,
    Long,
    Float,
    Double,
    /// Also a return address, for `astore` in subroutines.
    Ref,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumKind {
    Int,
    Long,
    Float,
    Double,
}

/// What `xaload` and `xastore` access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayKind {
    Int,
    Long,
    Float,
    Double,
    Ref,
    /// `byte[]` or `boolean[]`: only the array itself knows.
    ByteOrBoolean,
    Char,
    Short,
}

/// What `newarray` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    Boolean,
    Char,
    Float,
    Double,
    Byte,
    Short,
    Int,
    Long,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    /// Arithmetic.
    Shr,
    /// Logical.
    Ushr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    I2L,
    I2F,
    I2D,
    L2I,
    L2F,
    L2D,
    F2I,
    F2L,
    F2D,
    D2I,
    D2L,
    D2F,
    I2B,
    I2C,
    I2S,
}

/// Pushes -1, 0 or 1; the letter is the answer for NaN: `L` less, `G` greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Long,
    FloatL,
    FloatG,
    DoubleL,
    DoubleG,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

impl Instr {
    /// True when control never passes to the next instruction.
    pub fn ends_flow(&self) -> bool {
        matches!(
            self,
            Instr::Goto(_)
                | Instr::Jsr(_)
                | Instr::Ret(_)
                | Instr::TableSwitch(_)
                | Instr::LookupSwitch(_)
                | Instr::Return(_)
                | Instr::AThrow
        )
    }

    /// Calls `visit` with every branch target, defaults first, repeats included.
    pub fn targets(&self, mut visit: impl FnMut(u16)) {
        match self {
            Instr::If(_, target)
            | Instr::IfInts(_, target)
            | Instr::IfRefs(_, target)
            | Instr::IfNull(_, target)
            | Instr::Goto(target)
            | Instr::Jsr(target) => visit(*target),
            Instr::TableSwitch(switch) => {
                visit(switch.default);
                switch.targets.iter().for_each(|target| visit(*target));
            }
            Instr::LookupSwitch(switch) => {
                visit(switch.default);
                switch.cases.iter().for_each(|(_, target)| visit(*target));
            }
            _ => {}
        }
    }
}
