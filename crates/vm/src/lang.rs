//! What the VM asks of a language: the trait that a front end implements.

use crate::fiber::FiberId;
use crate::heap::ObjId;
use crate::machine::Vm;
use ir::{Check, ClassId, FuncId, Function, MemType, StrId};
use std::sync::Arc;
use term::TermId;

/// A value with its symbolic side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Val {
    pub bits: u64,
    pub term: TermId,
}

impl Val {
    pub const ZERO: Val = Val { bits: 0, term: TermId::NONE };

    pub fn concrete(bits: u64) -> Val {
        Val { bits, term: TermId::NONE }
    }

    pub fn i32(value: i32) -> Val {
        Val::concrete(value as u32 as u64)
    }

    pub fn bool(value: bool) -> Val {
        Val::concrete(value as u64)
    }

    pub fn i64(value: i64) -> Val {
        Val::concrete(value as u64)
    }

    pub fn f32(value: f32) -> Val {
        Val::concrete(value.to_bits() as u64)
    }

    pub fn f64(value: f64) -> Val {
        Val::concrete(value.to_bits())
    }

    pub fn obj(value: ObjId) -> Val {
        Val::concrete(value.0 as u64)
    }

    pub fn as_i32(self) -> i32 {
        self.bits as u32 as i32
    }

    pub fn as_i64(self) -> i64 {
        self.bits as i64
    }

    pub fn as_f32(self) -> f32 {
        f32::from_bits(self.bits as u32)
    }

    pub fn as_f64(self) -> f64 {
        f64::from_bits(self.bits)
    }

    pub fn as_obj(self) -> ObjId {
        ObjId(self.bits as u32)
    }
}

/// What the VM must know of a class at every step.
#[derive(Clone, Copy, Debug)]
pub struct ClassInfo {
    /// Payload size of an instance in bytes (plain classes).
    pub size: u32,
    /// Element type (array classes).
    pub elem: Option<MemType>,
}

/// What a function id stands for.
pub enum Callable<L: Lang> {
    Ir(Arc<Function>),
    Native(Native<L>),
}

impl<L: Lang> Clone for Callable<L> {
    fn clone(&self) -> Self {
        match self {
            Callable::Ir(function) => Callable::Ir(function.clone()),
            Callable::Native(native) => Callable::Native(*native),
        }
    }
}

/// A function written in Rust.
#[derive(Debug)]
pub struct Native<L: Lang> {
    pub run: fn(&mut Vm<L>, &[Val]) -> NativeResult<L>,
    /// Whether it treats symbolic arguments itself. If not, the VM fixes them to their concrete values first
    /// and says so in the ledger.
    pub symbolic: bool,
}

impl<L: Lang> Clone for Native<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lang> Copy for Native<L> {}

/// How a native ends.
pub enum NativeResult<L: Lang> {
    Return(Val),
    Void,
    /// Throws this exception object.
    Throw(ObjId),
    /// Raises what the language says for this failure.
    Raise(Raise),
    /// Calls a function; its result is the native's.
    Call(FuncId, Vec<Val>),
    /// Calls a function and goes on with its result put before the kept values.
    CallThen {
        func: FuncId,
        args: Vec<Val>,
        then: fn(&mut Vm<L>, &[Val]) -> NativeResult<L>,
        keep: Vec<Val>,
    },
    /// Cannot go on now: another fiber runs, and this native is asked again when this one goes on.
    Block,
    /// The fiber has ended.
    End,
    /// Ends the run.
    Stop(Stop),
}

/// A failure for which the language makes the exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raise {
    /// A check failed; the values are the operands of its guard.
    Check { check: Check, a: u64, b: u64 },
    /// Linking failed, or a native asks for an exception: the language's name of its class and the message.
    Named { class: String, message: Option<String> },
}

impl Raise {
    pub fn named(class: &str, message: impl Into<String>) -> Raise {
        Raise::Named { class: class.to_string(), message: Some(message.into()) }
    }
}

/// Why a run ended before the program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The step budget is spent.
    Steps,
    /// The memory budget is spent.
    Memory,
    /// The path grew beyond the limit on symbolic decisions.
    Decisions,
    /// The user stopped it.
    Interrupted,
    /// The time for it is over ([`crate::Vm::until`]).
    Time,
    /// The program asked the process to end.
    Exit(i32),
    /// Nothing can go on: every thread waits.
    Deadlock,
    /// We do not support something: the kind of thing, and which.
    Unsupported { what: &'static str, which: String },
    /// An assumption of the user's does not hold: the run is not a behaviour.
    Assumption,
}

/// Numbers of one machine in the contents of objects: other machines may have others for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Nothing,
    /// The number of a class, 32 bits at this offset.
    Class(u32),
    Others,
}

/// A language: how its code is found, laid out, dispatched, initialised and how it fails.
pub trait Lang: Sized + 'static {
    /// The code of a function, lowered on first use.
    fn function(vm: &mut Vm<Self>, func: FuncId) -> Result<Callable<Self>, Stop>;

    /// A name for messages and traces.
    fn function_name(&self, func: FuncId) -> String;

    fn class_info(&self, class: ClassId) -> ClassInfo;

    fn is_subclass(&self, class: ClassId, of: ClassId) -> bool;

    /// Whether an array of class `array` may hold an element of class `elem`.
    fn may_store(&self, array: ClassId, elem: ClassId) -> bool;

    /// What a class has in a slot of its dispatch table.
    fn virtual_function(&self, class: ClassId, slot: u32) -> Option<FuncId>;

    /// The implementation of an interface's function in a class.
    fn interface_function(&mut self, class: ClassId, func: FuncId) -> Result<FuncId, Raise>;

    /// Whether code may use the class without running its initialiser first.
    fn is_initialised(vm: &Vm<Self>, class: ClassId) -> bool;

    /// The function that initialises a class (no parameters, no result).
    fn initialiser(vm: &mut Vm<Self>, class: ClassId) -> Result<FuncId, Stop>;

    fn string(vm: &mut Vm<Self>, string: StrId) -> Result<ObjId, Stop>;

    /// The object that stands for a class at run time.
    fn class_object(vm: &mut Vm<Self>, class: ClassId) -> Result<ObjId, Stop>;

    /// The object that holds a class's static fields.
    fn statics(vm: &mut Vm<Self>, class: ClassId) -> Result<ObjId, Stop>;

    /// A function, and its arguments, that returns the exception for a failure.
    fn raise(vm: &mut Vm<Self>, raise: Raise) -> Result<(FuncId, Vec<Val>), Stop>;

    /// `false` if another fiber owns the monitor: this one makes way and tries again.
    fn monitor_enter(_vm: &mut Vm<Self>, _object: ObjId) -> Result<bool, Stop> {
        Ok(true)
    }

    /// `false` if the monitor is not owned.
    fn monitor_exit(_vm: &mut Vm<Self>, _object: ObjId) -> Result<bool, Stop> {
        Ok(true)
    }

    /// Who runs now that the current fiber made way: one that can go on. It may be the current one.
    fn next_fiber(_vm: &mut Vm<Self>) -> Result<FiberId, Stop> {
        Err(Stop::Deadlock)
    }

    /// What the threads of a deadlock wait for, for people.
    fn waiting(vm: &mut Vm<Self>) -> String {
        vm.place()
    }

    /// Whether objects of a class may be told apart by value ([`Lang::same_by_value`]).
    fn has_value_identity(&self, _class: ClassId) -> bool {
        false
    }

    /// Whether two objects of the heap are one to the program because their values say so: constants that every part
    /// of a program shares. `None` if they are two objects whatever they hold. Asked only if [`Vm::by_value`] is set.
    fn same_by_value(_vm: &mut Vm<Self>, _a: ObjId, _b: ObjId) -> Result<Option<Val>, Stop> {
        Ok(None)
    }

    /// The text of a string constant's message in a `trap`.
    fn trap_raise(&self, check: Check, message: StrId) -> Raise;

    /// The class that a function initialises, if that is what it is for.
    fn initialised_by(&self, _func: FuncId) -> Option<ClassId> {
        None
    }

    /// A function is called with these arguments, from code of the caller if there is one. Asked only while
    /// [`Vm::listening`].
    fn called(_vm: &mut Vm<Self>, _caller: Option<FuncId>, _func: FuncId, _args: &[u64]) {}

    /// Whether coverage of this function is recorded.
    fn is_tracked(&self, func: FuncId) -> bool;

    /// Whether a function is the platform's own and no part of the program.
    fn is_library(&self, _func: FuncId) -> bool {
        false
    }

    /// What a function of a [fork](Vm::fork) is called here; `None` if this machine has not come across it.
    /// Code is found as it is reached, so machines number what they found since the fork differently.
    fn func_of(&self, fork: &Self, func: FuncId) -> Option<FuncId>;

    /// The same for a class.
    fn class_of(&self, fork: &Self, class: ClassId) -> Option<ClassId>;

    /// A hash of what a run's state is besides heap and registers; `None` where that is more than a hash can tell, and
    /// states are then never taken for the same.
    fn aside(&self) -> Option<u128> {
        None
    }

    /// A class by its name: the same on every machine.
    fn class_key(&self, _class: ClassId) -> u128 {
        0
    }

    /// Which numbers of this machine objects of a class hold.
    fn holds(&self, _class: ClassId) -> Holds {
        Holds::Others
    }

    /// Whether what a function under test returns is looked at by whoever called it.
    fn result_decides(&self, _func: FuncId) -> bool {
        true
    }

    /// Everything so far belongs to the snapshot.
    fn freeze(&mut self);

    /// Forget what came since the snapshot.
    fn reset(&mut self);
}
