//! Fibers: stacks of guest threads. One runs, the others lie aside; who runs next is the language's decision.
//!
//! A fiber gives up the machine only where it blocks ([`NativeResult::Block`], a monitor that is taken) or when its time
//! slice is over, so that a run has one schedule and is the same every time. A native that blocked is asked again when
//! its fiber goes on, and looks itself whether it may return now.

use crate::frame::{Frame, Ret};
use crate::lang::{Lang, NativeResult, Stop, Val};
use crate::machine::{Outcome, Vm};
use ir::FuncId;
use term::TermId;

/// A guest thread's stack, by the order of their starts. 0 is the one that calls from outside run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FiberId(pub u32);

impl FiberId {
    pub const MAIN: FiberId = FiberId(0);
}

/// What lies aside while a fiber does not run.
struct Stack<L: Lang> {
    frames: Vec<Frame<L>>,
    vals: Vec<u64>,
    terms: Vec<TermId>,
    pending: Option<Pending<L>>,
}

/// A native that blocked.
struct Pending<L: Lang> {
    run: fn(&mut Vm<L>, &[Val]) -> NativeResult<L>,
    args: Vec<Val>,
    ret: Ret<L>,
}

/// The fibers of a run.
pub(crate) struct Fibers<L: Lang> {
    /// Stacks of those that do not run; `None` for the one that does, and for those that ended.
    aside: Vec<Option<Stack<L>>>,
    current: FiberId,
    pending: Option<Pending<L>>,
    /// Where `steps` ends the time slice.
    slice_end: u64,
}

/// Steps after which a thread makes way for others that could run: a loop that waits for another thread would else
/// never end.
const SLICE: u64 = 200_000;

impl<L: Lang> Fibers<L> {
    pub fn new() -> Fibers<L> {
        Fibers { aside: vec![None], current: FiberId::MAIN, pending: None, slice_end: 0 }
    }
}

impl<L: Lang> Stack<L> {
    fn new() -> Stack<L> {
        Stack { frames: Vec::new(), vals: Vec::new(), terms: Vec::new(), pending: None }
    }
}

impl<L: Lang> Vm<L> {
    /// The fiber that runs.
    pub fn fiber(&self) -> FiberId {
        self.fibers.current
    }

    /// Makes a fiber that will call a function. The function must not return: its last act is
    /// [`NativeResult::End`].
    pub fn spawn(&mut self, func: FuncId, args: &[Val]) -> Result<FiberId, Stop> {
        let mut stack = Stack::new();
        self.exchange(&mut stack);
        let entered = self.enter(func, args, Ret::Done);
        self.exchange(&mut stack);
        entered?;
        self.fibers.aside.push(Some(stack));
        Ok(FiberId(self.fibers.aside.len() as u32 - 1))
    }

    /// Where a fiber is, for people.
    pub fn place_of(&mut self, fiber: FiberId) -> String {
        if fiber == self.fibers.current {
            return self.place();
        }
        let Some(mut stack) = self.fibers.aside.get_mut(fiber.0 as usize).and_then(Option::take) else {
            return "nowhere".to_string();
        };
        self.exchange(&mut stack);
        let place = self.place();
        self.exchange(&mut stack);
        self.fibers.aside[fiber.0 as usize] = Some(stack);
        place
    }

    /// Frames of all fibers are forgotten: a run begins.
    /// Whether other threads were started.
    pub(crate) fn has_fibers(&self) -> bool {
        self.fibers.aside.len() > 1 || self.fibers.pending.is_some()
    }

    pub(crate) fn forget_fibers(&mut self) {
        if self.fibers.aside.len() > 1 {
            self.go_to_main();
            self.fibers = Fibers::new();
        }
    }

    /// The call from outside ended while another fiber ran: its own stack comes back.
    pub(crate) fn go_to_main(&mut self) {
        self.fibers.pending = None;
        if self.fibers.current != FiberId::MAIN
            && let Some(mut stack) = self.fibers.aside[0].take()
        {
            self.exchange(&mut stack);
            self.fibers.aside[self.fibers.current.0 as usize] = Some(stack);
            self.fibers.current = FiberId::MAIN;
            self.fibers.pending = None;
        }
    }

    /// A native blocked: it is asked again when this fiber goes on.
    pub(crate) fn block(
        &mut self,
        run: fn(&mut Vm<L>, &[Val]) -> NativeResult<L>,
        args: &[Val],
        ret: Ret<L>,
    ) -> Result<Option<Outcome>, Stop> {
        self.fibers.pending = Some(Pending { run, args: args.to_vec(), ret });
        self.switch()
    }

    /// The fiber that runs has ended.
    pub(crate) fn end_fiber(&mut self) -> Result<Option<Outcome>, Stop> {
        let ended = self.fibers.current;
        let done = self.switch()?;
        self.fibers.aside[ended.0 as usize] = None;
        Ok(done)
    }

    /// Goes on in the fiber that the language chooses.
    pub(crate) fn switch(&mut self) -> Result<Option<Outcome>, Stop> {
        let next = L::next_fiber(self)?;
        self.fibers.slice_end = self.steps.saturating_add(SLICE);
        let current = self.fibers.current;
        if next != current {
            let Some(mut stack) = self.fibers.aside.get_mut(next.0 as usize).and_then(Option::take) else {
                return Err(Stop::Unsupported {
                    what: "thread",
                    which: "one that already ended".to_string(),
                });
            };
            self.exchange(&mut stack);
            self.fibers.aside[current.0 as usize] = Some(stack);
            self.fibers.current = next;
        }
        match self.fibers.pending.take() {
            Some(Pending { run, args, ret }) => {
                let result = run(self, &args);
                self.settle_native(run, &args, result, ret)
            }
            None => Ok(None),
        }
    }

    /// Whether the fiber has run for long enough; only if there are others.
    pub(crate) fn slice_over(&self) -> bool {
        self.fibers.aside.len() > 1 && self.steps >= self.fibers.slice_end
    }

    fn exchange(&mut self, stack: &mut Stack<L>) {
        std::mem::swap(&mut self.frames, &mut stack.frames);
        std::mem::swap(&mut self.vals, &mut stack.vals);
        std::mem::swap(&mut self.terms, &mut stack.terms);
        std::mem::swap(&mut self.fibers.pending, &mut stack.pending);
    }
}
