//! The virtual machine: runs IR concolically.
//!
//! In: a language ([`Lang`]) that lowers code on demand, an entry function, inputs. Out: what the program did
//! ([`Outcome`]), its path condition and coverage ([`Trace`]), imprecisions in the ledger.
//! Every value is concrete and may carry a term besides. Does not know any language, does not solve, does
//! not choose what to run next.

mod calls;
mod choice;
mod digest;
mod fiber;
mod frame;
mod heap;
mod input;
mod lang;
mod machine;
mod memory;
pub mod ops;
mod refs;
mod run;
mod shadow;
pub mod text;
mod trace;

pub use choice::{Alternative, Way as ChoiceWay};
pub use fiber::FiberId;
pub use frame::Frame;
pub use heap::{Heap, Obj, ObjId, OutOfMemory};
pub use input::{InputId, Inputs, Sequence};
pub use lang::{Callable, ClassInfo, Holds, Lang, Native, NativeResult, Raise, Stop, Val};
pub use machine::{Limits, Outcome, Thrown, Vm, WatchedLine, sort_of};
pub use shadow::{Cell, CharMap, Maps, Origin, Shadow, View};
pub use text::TextLang;
pub use trace::{Edge, Elem, ElemKind, Site, Step, Trace};
