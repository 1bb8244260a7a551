//! Native methods of the platform, written in Rust: one file a platform class, one table a file.
//!
//! A table's row says class, name, descriptor and function. Rows may also replace methods that have bytecode,
//! where running the body literally would drown the search or touch the world. See docs/add-a-native.md.

mod boxes;
mod java;
mod jdk;
mod outside;
mod state;
mod sun;
pub(crate) mod support;

pub use java::io::{Console, Files, tried_to_reach_out};
pub use java::lang::Clock;
pub(crate) use java::lang::{by_value, has_value_identity, same_by_value, thread_interrupted};
pub use jdk::Environment;
pub use outside::{describe, stack_trace, stderr, stdout, told};
pub(crate) use outside::{prime_thread, set_app_loader, set_unsafe_constants, thread_started};
pub use state::Saved;

use crate::world::Jvm;
use vm::{Native, NativeResult, ObjId, Raise, Stop, Val, Vm};

/// One native method.
pub struct Row {
    pub class: &'static str,
    pub name: &'static str,
    pub descriptor: &'static str,
    pub native: Native<Jvm>,
}

/// How a native fails to return.
pub(crate) enum Fail {
    Stop(Stop),
    Raise(Raise),
    Throw(ObjId),
}

pub(crate) type Vmj = Vm<Jvm>;
pub(crate) type Res<T> = Result<T, Fail>;

impl From<Stop> for Fail {
    fn from(stop: Stop) -> Fail {
        Fail::Stop(stop)
    }
}

impl From<Raise> for Fail {
    fn from(raise: Raise) -> Fail {
        Fail::Raise(raise)
    }
}

/// What a native may return besides a [`NativeResult`].
pub(crate) trait Outcome {
    fn settle(self) -> NativeResult<Jvm>;
}

impl Outcome for NativeResult<Jvm> {
    fn settle(self) -> NativeResult<Jvm> {
        self
    }
}

impl Outcome for () {
    fn settle(self) -> NativeResult<Jvm> {
        NativeResult::Void
    }
}

macro_rules! outcomes {
    ($($ty:ty = $make:expr;)*) => {
        $(impl Outcome for $ty {
            fn settle(self) -> NativeResult<Jvm> {
                NativeResult::Return($make(self))
            }
        })*
    };
}

outcomes! {
    Val = |val| val;
    bool = Val::bool;
    i32 = Val::i32;
    i64 = Val::i64;
    f32 = Val::f32;
    f64 = Val::f64;
    ObjId = Val::obj;
}

pub(crate) fn settle<T: Outcome>(result: Res<T>) -> NativeResult<Jvm> {
    match result {
        Ok(value) => value.settle(),
        Err(Fail::Stop(stop)) => NativeResult::Stop(stop),
        Err(Fail::Raise(raise)) => NativeResult::Raise(raise),
        Err(Fail::Throw(exception)) => NativeResult::Throw(exception),
    }
}

/// A table of natives: `"class" { "name" "descriptor" = function; … }`. A function is
/// `fn(&mut Vmj, &[Val]) -> Res<impl Outcome>`; `symbolic` before it says that it treats terms itself.
macro_rules! natives {
    ($($class:literal { $($name:literal $descriptor:literal = $($function:ident)+;)* })*) => {
        pub(crate) const ROWS: &[$crate::natives::Row] = &[$($(
            $crate::natives::Row {
                class: $class,
                name: $name,
                descriptor: $descriptor,
                native: $crate::natives::native!($($function)+),
            },
        )*)*];
    };
}

macro_rules! native {
    (symbolic $function:ident) => {
        vm::Native { run: |vm, args| $crate::natives::settle($function(vm, args)), symbolic: true }
    };
    ($function:ident) => {
        vm::Native { run: |vm, args| $crate::natives::settle($function(vm, args)), symbolic: false }
    };
}

pub(crate) use {native, natives};

/// Registers every native with the program.
pub fn register(jvm: &mut Jvm) {
    for table in java::tables().into_iter().chain(jdk::tables()).chain(sun::tables()) {
        for row in table {
            jvm.register(&format!("{}.{}{}", row.class, row.name, row.descriptor), row.native);
        }
    }
    for class in jdk::REGISTER {
        for name in ["registerNatives", "initIDs"] {
            jvm.register(&format!("{class}.{name}()V"), jdk::NOTHING);
        }
    }
}
