//! A mistake of ours costs what was being done, not what was found and what is still to come.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jvm::world::Jvm;
use vm::Vm;

use super::explore::ClassExplorer;

/// Both machines as they were when nothing was under way: they know what explorations so far came across, which what
/// was found refers to.
pub(super) struct Spare {
    vm: Vm<Jvm>,
    other: Option<Vm<Jvm>>,
}

impl ClassExplorer<'_> {
    pub(super) fn spare_machines(&mut self) -> Spare {
        Spare { vm: self.vm.fork(), other: self.other.as_deref_mut().map(Vm::fork) }
    }

    /// Does something that may fail inside us; `None` if it did. Machines that failed are in no state to go on and are
    /// replaced by the spare ones, which are made anew where nothing failed (a fork takes half a millisecond).
    pub(super) fn guarded<R>(&mut self, spare: &mut Spare, work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(done) => {
                *spare = self.spare_machines();
                Some(done)
            }
            Err(_) => {
                *self.vm = spare.vm.fork();
                if let (Some(other), Some(spare)) = (self.other.as_deref_mut(), &mut spare.other) {
                    *other = spare.fork();
                }
                self.states.clear();
                self.in_call = false;
                None
            }
        }
    }
}
