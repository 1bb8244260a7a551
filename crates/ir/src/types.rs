//! Types of registers and of memory cells, and the ids that instructions name.

use entity::entity;
use std::fmt;

entity! {
    /// A virtual register of a function.
    pub struct Reg = "%";
}
entity! {
    /// A basic block of a function.
    pub struct BlockId = "b";
}
entity! {
    /// A function of the program; the front end owns the table.
    pub struct FuncId = "f";
}
entity! {
    /// A class or array type of the program; the front end owns the table.
    pub struct ClassId = "c";
}
entity! {
    /// A string constant of the program; the front end owns the table.
    pub struct StrId = "s";
}

impl Reg {
    /// "No register": the destination of an instruction without a result.
    pub const NONE: Reg = Reg(u32::MAX);

    pub fn is_none(self) -> bool {
        self == Reg::NONE
    }
}

macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The spelling in the textual form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// The type of a register. A register is one 64-bit slot; narrower values sit in its low bits, `i32` and
    /// narrower zero-extended, floats as their bits, references as object ids with 0 for null.
    pub enum Type {
        I1 = "i1",
        I32 = "i32",
        I64 = "i64",
        F32 = "f32",
        F64 = "f64",
        /// A reference to a heap object.
        Ref = "ref",
        /// A flat address.
        Ptr = "ptr",
    }
}

impl Type {
    /// Width in bits of the value.
    pub fn bits(self) -> u32 {
        match self {
            Type::I1 => 1,
            Type::I32 | Type::F32 | Type::Ref => 32,
            Type::I64 | Type::F64 | Type::Ptr => 64,
        }
    }
}

named! {
    /// The type of a memory cell: how many bytes, and how a load widens them to a register.
    pub enum MemType {
        /// Signed byte, widened to `i32`.
        I8 = "i8",
        /// Unsigned byte (Java's boolean too), widened to `i32`.
        U8 = "u8",
        /// Signed 16 bits, widened to `i32`.
        I16 = "i16",
        /// Unsigned 16 bits (Java's char), widened to `i32`.
        U16 = "u16",
        I32 = "i32",
        I64 = "i64",
        F32 = "f32",
        F64 = "f64",
        /// An object id, four bytes.
        Ref = "ref",
    }
}

impl MemType {
    /// Size in bytes.
    #[inline]
    pub fn size(self) -> u32 {
        match self {
            MemType::I8 | MemType::U8 => 1,
            MemType::I16 | MemType::U16 => 2,
            MemType::I32 | MemType::F32 | MemType::Ref => 4,
            MemType::I64 | MemType::F64 => 8,
        }
    }

    /// The register type a load gives.
    pub fn reg_type(self) -> Type {
        match self {
            MemType::I8 | MemType::U8 | MemType::I16 | MemType::U16 | MemType::I32 => Type::I32,
            MemType::I64 => Type::I64,
            MemType::F32 => Type::F32,
            MemType::F64 => Type::F64,
            MemType::Ref => Type::Ref,
        }
    }
}

named! {
    /// Kinds of implicit checks. A failing check raises what the language says for its kind.
    pub enum Check {
        /// A reference is not null.
        Null = "null",
        /// An index lies inside an array.
        Bounds = "bounds",
        /// A divisor is not zero.
        DivZero = "div-zero",
        /// An object is of the class it is cast to.
        Cast = "cast",
        /// An element may be stored in an array of that element type.
        Store = "store",
        /// An array length is not negative.
        NegativeSize = "negative-size",
        /// A class is initialised, or its initialisation succeeds.
        Init = "init",
        /// Linking found the class, field or method.
        Link = "link",
        /// A monitor is owned by the thread that leaves it.
        Monitor = "monitor",
        /// The call stack has room.
        Stack = "stack",
        /// The heap has room.
        Memory = "memory",
        /// A call found an implementation.
        Dispatch = "dispatch",
    }
}
