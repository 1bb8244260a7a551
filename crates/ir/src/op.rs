//! The opcode table: one row an opcode.
//!
//! A row gives the variant, its spelling, its operands in order, its result and its documentation. The enum,
//! the printer, the parser, the verifier's typing and the reference page are made from these rows. Operand
//! kinds: registers of a type (`i1 i32 i64 f32 f64 ref`, `any` for any type, `same` for the type of the
//! destination), `imm32`/`imm64` (literals), `block`, `func`, `class`, `str`, `check`, `list` (argument
//! registers), `table` (a switch table), `off` (a field's byte offset), `slot` (a dispatch slot).

use crate::types::{MemType, Type};

/// What stands at one operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register of exactly this type.
    Reg(Type),
    /// A register of any type.
    Any,
    /// A register of the destination's type.
    Same,
    Imm32,
    /// A 64-bit literal; takes two operand words.
    Imm64,
    Block,
    Func,
    Class,
    Str,
    Check,
    /// Argument registers, stored in the function's list pool.
    List,
    /// A switch table, stored in the function's table pool.
    Table,
    /// A byte offset.
    Off,
    /// A slot of the dispatch table.
    Slot,
}

impl Operand {
    /// How many of an instruction's three operand words it takes.
    pub fn words(self) -> usize {
        match self {
            Operand::Imm64 => 2,
            _ => 1,
        }
    }
}

/// What an instruction leaves in its destination register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpResult {
    /// Nothing: there is no destination.
    None,
    /// A value of this type.
    Is(Type),
    /// A value of whatever type the destination has.
    Any,
    /// A value, or nothing when the callee returns nothing.
    Maybe,
}

/// What an instruction does besides computing its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing; the same operands give the same result.
    Pure,
    /// Reads memory.
    Read,
    /// Writes memory or allocates.
    Write,
    /// A guard: goes on, or raises and leaves by the block's exceptional edge. Can be flipped.
    Guard,
    /// Calls, or may run other code first (class initialisation).
    Call,
    /// Ends its block.
    End,
}

macro_rules! operand {
    (i1) => {
        Operand::Reg(Type::I1)
    };
    (i32) => {
        Operand::Reg(Type::I32)
    };
    (i64) => {
        Operand::Reg(Type::I64)
    };
    (f32) => {
        Operand::Reg(Type::F32)
    };
    (f64) => {
        Operand::Reg(Type::F64)
    };
    (r) => {
        Operand::Reg(Type::Ref)
    };
    (any) => {
        Operand::Any
    };
    (same) => {
        Operand::Same
    };
    (imm32) => {
        Operand::Imm32
    };
    (imm64) => {
        Operand::Imm64
    };
    (block) => {
        Operand::Block
    };
    (func) => {
        Operand::Func
    };
    (class) => {
        Operand::Class
    };
    (str) => {
        Operand::Str
    };
    (check) => {
        Operand::Check
    };
    (list) => {
        Operand::List
    };
    (table) => {
        Operand::Table
    };
    (off) => {
        Operand::Off
    };
    (slot) => {
        Operand::Slot
    };
}

macro_rules! result {
    (none) => {
        OpResult::None
    };
    (any) => {
        OpResult::Any
    };
    (maybe) => {
        OpResult::Maybe
    };
    (r) => {
        OpResult::Is(Type::Ref)
    };
    (i1) => {
        OpResult::Is(Type::I1)
    };
    (i32) => {
        OpResult::Is(Type::I32)
    };
    (i64) => {
        OpResult::Is(Type::I64)
    };
    (f32) => {
        OpResult::Is(Type::F32)
    };
    (f64) => {
        OpResult::Is(Type::F64)
    };
}

macro_rules! ops {
    ($($variant:ident = $name:literal ($($operand:ident),*) -> $result:ident, $effect:ident, $doc:literal;)*) => {
        /// An opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Op { $(#[doc = $doc] $variant,)* }

        impl Op {
            pub const ALL: &[Op] = &[$(Op::$variant,)*];

            /// The spelling in the textual form.
            pub fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }

            pub fn from_name(name: &str) -> Option<Op> {
                match name { $($name => Some(Op::$variant),)* _ => None }
            }

            /// Operands in order.
            pub fn operands(self) -> &'static [Operand] {
                match self { $(Op::$variant => const { &[$(operand!($operand)),*] },)* }
            }

            pub fn result(self) -> OpResult {
                match self { $(Op::$variant => result!($result),)* }
            }

            pub fn effect(self) -> Effect {
                match self { $(Op::$variant => Effect::$effect,)* }
            }

            pub fn doc(self) -> &'static str {
                match self { $(Op::$variant => $doc,)* }
            }
        }
    };
}

ops! {
    // Constants and copies.
    ConstI1 = "const.i1" (imm32) -> i1, Pure, "The literal, 0 or 1.";
    ConstI32 = "const.i32" (imm32) -> i32, Pure, "The literal.";
    ConstI64 = "const.i64" (imm64) -> i64, Pure, "The literal.";
    ConstF32 = "const.f32" (imm32) -> f32, Pure, "The float with these bits.";
    ConstF64 = "const.f64" (imm64) -> f64, Pure, "The double with these bits.";
    Null = "null" () -> r, Pure, "The null reference.";
    Copy = "copy" (same) -> any, Pure, "The operand.";
    Select = "select" (i1, same, same) -> any, Pure, "The second operand if the first is 1, otherwise the third.";
    Str = "str" (str) -> r, Read, "The interned object of a string constant.";
    ClassRef = "class" (class) -> r, Read, "The object that represents a class at run time.";

    // 32-bit integers, wrapping.
    AddI32 = "add.i32" (i32, i32) -> i32, Pure, "Wrapping sum.";
    SubI32 = "sub.i32" (i32, i32) -> i32, Pure, "Wrapping difference.";
    MulI32 = "mul.i32" (i32, i32) -> i32, Pure, "Wrapping product.";
    SDivI32 = "sdiv.i32" (i32, i32) -> i32, Pure, "Signed quotient, rounded to zero, MIN / -1 = MIN; the divisor was guarded.";
    SRemI32 = "srem.i32" (i32, i32) -> i32, Pure, "Signed remainder, sign of the dividend; the divisor was guarded.";
    UDivI32 = "udiv.i32" (i32, i32) -> i32, Pure, "Unsigned quotient; the divisor was guarded.";
    URemI32 = "urem.i32" (i32, i32) -> i32, Pure, "Unsigned remainder; the divisor was guarded.";
    AndI32 = "and.i32" (i32, i32) -> i32, Pure, "Bitwise and.";
    OrI32 = "or.i32" (i32, i32) -> i32, Pure, "Bitwise or.";
    XorI32 = "xor.i32" (i32, i32) -> i32, Pure, "Bitwise exclusive or.";
    ShlI32 = "shl.i32" (i32, i32) -> i32, Pure, "Shift left by the low 5 bits.";
    LShrI32 = "lshr.i32" (i32, i32) -> i32, Pure, "Unsigned shift right by the low 5 bits.";
    AShrI32 = "ashr.i32" (i32, i32) -> i32, Pure, "Signed shift right by the low 5 bits.";
    NegI32 = "neg.i32" (i32) -> i32, Pure, "Wrapping negation.";

    // 64-bit integers, wrapping.
    AddI64 = "add.i64" (i64, i64) -> i64, Pure, "Wrapping sum.";
    SubI64 = "sub.i64" (i64, i64) -> i64, Pure, "Wrapping difference.";
    MulI64 = "mul.i64" (i64, i64) -> i64, Pure, "Wrapping product.";
    SDivI64 = "sdiv.i64" (i64, i64) -> i64, Pure, "Signed quotient, rounded to zero, MIN / -1 = MIN; the divisor was guarded.";
    SRemI64 = "srem.i64" (i64, i64) -> i64, Pure, "Signed remainder, sign of the dividend; the divisor was guarded.";
    UDivI64 = "udiv.i64" (i64, i64) -> i64, Pure, "Unsigned quotient; the divisor was guarded.";
    URemI64 = "urem.i64" (i64, i64) -> i64, Pure, "Unsigned remainder; the divisor was guarded.";
    AndI64 = "and.i64" (i64, i64) -> i64, Pure, "Bitwise and.";
    OrI64 = "or.i64" (i64, i64) -> i64, Pure, "Bitwise or.";
    XorI64 = "xor.i64" (i64, i64) -> i64, Pure, "Bitwise exclusive or.";
    ShlI64 = "shl.i64" (i64, i32) -> i64, Pure, "Shift left by the low 6 bits.";
    LShrI64 = "lshr.i64" (i64, i32) -> i64, Pure, "Unsigned shift right by the low 6 bits.";
    AShrI64 = "ashr.i64" (i64, i32) -> i64, Pure, "Signed shift right by the low 6 bits.";
    NegI64 = "neg.i64" (i64) -> i64, Pure, "Wrapping negation.";

    // Truth values.
    NotI1 = "not" (i1) -> i1, Pure, "Negation.";
    AndI1 = "and" (i1, i1) -> i1, Pure, "Conjunction; both operands are evaluated.";
    OrI1 = "or" (i1, i1) -> i1, Pure, "Disjunction; both operands are evaluated.";

    // Comparisons.
    EqI32 = "eq.i32" (i32, i32) -> i1, Pure, "Equal.";
    NeI32 = "ne.i32" (i32, i32) -> i1, Pure, "Not equal.";
    SltI32 = "slt.i32" (i32, i32) -> i1, Pure, "Signed less.";
    SleI32 = "sle.i32" (i32, i32) -> i1, Pure, "Signed less or equal.";
    UltI32 = "ult.i32" (i32, i32) -> i1, Pure, "Unsigned less.";
    UleI32 = "ule.i32" (i32, i32) -> i1, Pure, "Unsigned less or equal.";
    EqI64 = "eq.i64" (i64, i64) -> i1, Pure, "Equal.";
    NeI64 = "ne.i64" (i64, i64) -> i1, Pure, "Not equal.";
    SltI64 = "slt.i64" (i64, i64) -> i1, Pure, "Signed less.";
    SleI64 = "sle.i64" (i64, i64) -> i1, Pure, "Signed less or equal.";
    UltI64 = "ult.i64" (i64, i64) -> i1, Pure, "Unsigned less.";
    UleI64 = "ule.i64" (i64, i64) -> i1, Pure, "Unsigned less or equal.";
    EqF32 = "eq.f32" (f32, f32) -> i1, Pure, "IEEE equal: false on NaN, +0 equals -0.";
    LtF32 = "lt.f32" (f32, f32) -> i1, Pure, "IEEE less: false on NaN.";
    LeF32 = "le.f32" (f32, f32) -> i1, Pure, "IEEE less or equal: false on NaN.";
    EqF64 = "eq.f64" (f64, f64) -> i1, Pure, "IEEE equal: false on NaN, +0 equals -0.";
    LtF64 = "lt.f64" (f64, f64) -> i1, Pure, "IEEE less: false on NaN.";
    LeF64 = "le.f64" (f64, f64) -> i1, Pure, "IEEE less or equal: false on NaN.";
    EqRef = "eq.ref" (r, r) -> i1, Pure, "The same object, or both null.";
    IsNull = "isnull" (r) -> i1, Pure, "The reference is null.";
    CmpI64 = "cmp.i64" (i64, i64) -> i32, Pure, "-1, 0 or 1 as the first is less, equal or greater.";
    CmplF32 = "cmpl.f32" (f32, f32) -> i32, Pure, "-1, 0 or 1; -1 on NaN.";
    CmpgF32 = "cmpg.f32" (f32, f32) -> i32, Pure, "-1, 0 or 1; 1 on NaN.";
    CmplF64 = "cmpl.f64" (f64, f64) -> i32, Pure, "-1, 0 or 1; -1 on NaN.";
    CmpgF64 = "cmpg.f64" (f64, f64) -> i32, Pure, "-1, 0 or 1; 1 on NaN.";

    // Floats: IEEE 754, round to nearest even.
    AddF32 = "add.f32" (f32, f32) -> f32, Pure, "Sum.";
    SubF32 = "sub.f32" (f32, f32) -> f32, Pure, "Difference.";
    MulF32 = "mul.f32" (f32, f32) -> f32, Pure, "Product.";
    DivF32 = "div.f32" (f32, f32) -> f32, Pure, "Quotient.";
    RemF32 = "rem.f32" (f32, f32) -> f32, Pure, "C's fmod: the exact remainder of the truncated quotient.";
    NegF32 = "neg.f32" (f32) -> f32, Pure, "The sign flipped.";
    AddF64 = "add.f64" (f64, f64) -> f64, Pure, "Sum.";
    SubF64 = "sub.f64" (f64, f64) -> f64, Pure, "Difference.";
    MulF64 = "mul.f64" (f64, f64) -> f64, Pure, "Product.";
    DivF64 = "div.f64" (f64, f64) -> f64, Pure, "Quotient.";
    RemF64 = "rem.f64" (f64, f64) -> f64, Pure, "C's fmod: the exact remainder of the truncated quotient.";
    NegF64 = "neg.f64" (f64) -> f64, Pure, "The sign flipped.";

    // Conversions.
    I1ToI32 = "i1.to.i32" (i1) -> i32, Pure, "0 or 1.";
    I32ToI8 = "i32.to.i8" (i32) -> i32, Pure, "The low 8 bits, sign-extended.";
    I32ToU8 = "i32.to.u8" (i32) -> i32, Pure, "The low 8 bits, zero-extended.";
    I32ToI16 = "i32.to.i16" (i32) -> i32, Pure, "The low 16 bits, sign-extended.";
    I32ToU16 = "i32.to.u16" (i32) -> i32, Pure, "The low 16 bits, zero-extended.";
    I32ToI64 = "i32.to.i64" (i32) -> i64, Pure, "Sign-extended.";
    U32ToI64 = "u32.to.i64" (i32) -> i64, Pure, "Zero-extended.";
    I64ToI32 = "i64.to.i32" (i64) -> i32, Pure, "The low 32 bits.";
    I32ToF32 = "i32.to.f32" (i32) -> f32, Pure, "Nearest float.";
    I32ToF64 = "i32.to.f64" (i32) -> f64, Pure, "Exact.";
    I64ToF32 = "i64.to.f32" (i64) -> f32, Pure, "Nearest float.";
    I64ToF64 = "i64.to.f64" (i64) -> f64, Pure, "Nearest double.";
    F32ToF64 = "f32.to.f64" (f32) -> f64, Pure, "Exact.";
    F64ToF32 = "f64.to.f32" (f64) -> f32, Pure, "Nearest float.";
    F32ToI32 = "f32.to.i32" (f32) -> i32, Pure, "Truncated, saturating, NaN to 0.";
    F32ToI64 = "f32.to.i64" (f32) -> i64, Pure, "Truncated, saturating, NaN to 0.";
    F64ToI32 = "f64.to.i32" (f64) -> i32, Pure, "Truncated, saturating, NaN to 0.";
    F64ToI64 = "f64.to.i64" (f64) -> i64, Pure, "Truncated, saturating, NaN to 0.";
    F32Bits = "bits.f32" (f32) -> i32, Pure, "The bits as they are.";
    F64Bits = "bits.f64" (f64) -> i64, Pure, "The bits as they are.";
    BitsF32 = "float.i32" (i32) -> f32, Pure, "The float with these bits.";
    BitsF64 = "double.i64" (i64) -> f64, Pure, "The double with these bits.";

    // Guards: what can go two ways without a branch in the source.
    Guard = "guard" (check, i1) -> none, Guard, "Goes on if the condition is 1, otherwise raises for the check.";
    GuardNonNull = "guard.nonnull" (r) -> none, Guard, "The reference is not null.";
    GuardBounds = "guard.bounds" (r, i32) -> none, Guard, "The index lies inside the array.";
    GuardNonZeroI32 = "guard.nonzero.i32" (i32) -> none, Guard, "The divisor is not zero.";
    GuardNonZeroI64 = "guard.nonzero.i64" (i64) -> none, Guard, "The divisor is not zero.";
    GuardNonNegative = "guard.nonneg" (i32) -> none, Guard, "The array length is not negative.";
    GuardCast = "guard.cast" (r, class) -> none, Guard, "The object is null or of the class.";
    GuardStore = "guard.store" (r, r) -> none, Guard, "The array (first) may hold the element (second).";
    GuardInit = "guard.init" (class) -> none, Call, "The class is initialised; runs its initialiser if it is not.";

    // Memory. The reference was guarded before.
    LoadI8 = "load.i8" (r, off) -> i32, Read, "The field at this byte offset.";
    LoadU8 = "load.u8" (r, off) -> i32, Read, "The field at this byte offset.";
    LoadI16 = "load.i16" (r, off) -> i32, Read, "The field at this byte offset.";
    LoadU16 = "load.u16" (r, off) -> i32, Read, "The field at this byte offset.";
    LoadI32 = "load.i32" (r, off) -> i32, Read, "The field at this byte offset.";
    LoadI64 = "load.i64" (r, off) -> i64, Read, "The field at this byte offset.";
    LoadF32 = "load.f32" (r, off) -> f32, Read, "The field at this byte offset.";
    LoadF64 = "load.f64" (r, off) -> f64, Read, "The field at this byte offset.";
    LoadRef = "load.ref" (r, off) -> r, Read, "The field at this byte offset.";
    StoreI8 = "store.i8" (r, off, i32) -> none, Write, "Stores into the field at this byte offset.";
    StoreI16 = "store.i16" (r, off, i32) -> none, Write, "Stores into the field at this byte offset.";
    StoreI32 = "store.i32" (r, off, i32) -> none, Write, "Stores into the field at this byte offset.";
    StoreI64 = "store.i64" (r, off, i64) -> none, Write, "Stores into the field at this byte offset.";
    StoreF32 = "store.f32" (r, off, f32) -> none, Write, "Stores into the field at this byte offset.";
    StoreF64 = "store.f64" (r, off, f64) -> none, Write, "Stores into the field at this byte offset.";
    StoreRef = "store.ref" (r, off, r) -> none, Write, "Stores into the field at this byte offset.";
    Statics = "statics" (class) -> r, Read, "The object that holds a class's static fields.";
    ALoadI8 = "aload.i8" (r, i32) -> i32, Read, "The element at the index, which was guarded.";
    ALoadU8 = "aload.u8" (r, i32) -> i32, Read, "The element at the index, which was guarded.";
    ALoadI16 = "aload.i16" (r, i32) -> i32, Read, "The element at the index, which was guarded.";
    ALoadU16 = "aload.u16" (r, i32) -> i32, Read, "The element at the index, which was guarded.";
    ALoadI32 = "aload.i32" (r, i32) -> i32, Read, "The element at the index, which was guarded.";
    ALoadI64 = "aload.i64" (r, i32) -> i64, Read, "The element at the index, which was guarded.";
    ALoadF32 = "aload.f32" (r, i32) -> f32, Read, "The element at the index, which was guarded.";
    ALoadF64 = "aload.f64" (r, i32) -> f64, Read, "The element at the index, which was guarded.";
    ALoadRef = "aload.ref" (r, i32) -> r, Read, "The element at the index, which was guarded.";
    AStoreI8 = "astore.i8" (r, i32, i32) -> none, Write, "Stores the element at the index, which was guarded.";
    AStoreI16 = "astore.i16" (r, i32, i32) -> none, Write, "Stores the element at the index, which was guarded.";
    AStoreI32 = "astore.i32" (r, i32, i32) -> none, Write, "Stores the element at the index, which was guarded.";
    AStoreI64 = "astore.i64" (r, i32, i64) -> none, Write, "Stores the element at the index, which was guarded.";
    AStoreF32 = "astore.f32" (r, i32, f32) -> none, Write, "Stores the element at the index, which was guarded.";
    AStoreF64 = "astore.f64" (r, i32, f64) -> none, Write, "Stores the element at the index, which was guarded.";
    AStoreRef = "astore.ref" (r, i32, r) -> none, Write, "Stores the element at the index, which was guarded.";
    ArrayLen = "arraylen" (r) -> i32, Read, "The length of an array.";
    New = "new" (class) -> r, Write, "A fresh object, all fields zero.";
    NewArray = "newarray" (class, i32) -> r, Write, "A fresh array of this array class; the length was guarded.";
    InstanceOf = "instanceof" (r, class) -> i1, Read, "The object is of the class; null is of none.";
    MonitorEnter = "monitor.enter" (r) -> none, Write, "Enters the monitor of an object.";
    MonitorExit = "monitor.exit" (r) -> none, Write, "Leaves the monitor of an object; raises if it is not owned.";

    // Calls.
    Note = "note" (i1) -> none, Pure, "Goes on in any case; that the condition was 1, or was not, is a point of coverage and can be flipped.";
    Call = "call" (func, list) -> maybe, Call, "Calls a function.";
    CallVirt = "callvirt" (slot, list) -> maybe, Call, "Calls what the class of the first argument has in this slot.";
    CallIface = "calliface" (func, list) -> maybe, Call, "Calls the implementation of an interface's function in the class of the first argument.";
    Catch = "catch" () -> r, Read, "The exception that led to this block; first in a landing block.";

    // Ends of blocks.
    Jump = "jump" (block) -> none, End, "Goes to the block.";
    Br = "br" (i1, block, block) -> none, End, "Goes to the first block if the condition is 1, otherwise to the second.";
    Switch = "switch" (i32, table) -> none, End, "Goes where the table sends the value.";
    Ret = "ret" () -> none, End, "Returns nothing.";
    RetVal = "ret.val" (any) -> none, End, "Returns the value.";
    Throw = "throw" (r) -> none, End, "Raises an exception, which was guarded against null.";
    Trap = "trap" (check, str) -> none, End, "Raises for the check, with a message; what linking could not resolve ends here.";
}

impl Op {
    pub fn is_terminator(self) -> bool {
        self.effect() == Effect::End
    }

    /// Whether the instruction can leave its block by the exceptional edge: guards, calls, what writes or
    /// allocates (memory can run out, a monitor may not be owned), `throw` and `trap`.
    pub fn can_raise(self) -> bool {
        match self.effect() {
            Effect::Pure | Effect::Read => false,
            Effect::Write | Effect::Guard | Effect::Call => true,
            Effect::End => matches!(self, Op::Throw | Op::Trap),
        }
    }

    pub fn load(ty: MemType) -> Op {
        match ty {
            MemType::I8 => Op::LoadI8,
            MemType::U8 => Op::LoadU8,
            MemType::I16 => Op::LoadI16,
            MemType::U16 => Op::LoadU16,
            MemType::I32 => Op::LoadI32,
            MemType::I64 => Op::LoadI64,
            MemType::F32 => Op::LoadF32,
            MemType::F64 => Op::LoadF64,
            MemType::Ref => Op::LoadRef,
        }
    }

    pub fn store(ty: MemType) -> Op {
        match ty {
            MemType::I8 | MemType::U8 => Op::StoreI8,
            MemType::I16 | MemType::U16 => Op::StoreI16,
            MemType::I32 => Op::StoreI32,
            MemType::I64 => Op::StoreI64,
            MemType::F32 => Op::StoreF32,
            MemType::F64 => Op::StoreF64,
            MemType::Ref => Op::StoreRef,
        }
    }

    pub fn aload(ty: MemType) -> Op {
        match ty {
            MemType::I8 => Op::ALoadI8,
            MemType::U8 => Op::ALoadU8,
            MemType::I16 => Op::ALoadI16,
            MemType::U16 => Op::ALoadU16,
            MemType::I32 => Op::ALoadI32,
            MemType::I64 => Op::ALoadI64,
            MemType::F32 => Op::ALoadF32,
            MemType::F64 => Op::ALoadF64,
            MemType::Ref => Op::ALoadRef,
        }
    }

    pub fn astore(ty: MemType) -> Op {
        match ty {
            MemType::I8 | MemType::U8 => Op::AStoreI8,
            MemType::I16 | MemType::U16 => Op::AStoreI16,
            MemType::I32 => Op::AStoreI32,
            MemType::I64 => Op::AStoreI64,
            MemType::F32 => Op::AStoreF32,
            MemType::F64 => Op::AStoreF64,
            MemType::Ref => Op::AStoreRef,
        }
    }
}
