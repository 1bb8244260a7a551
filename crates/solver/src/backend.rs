//! The complete solver at the end of the chain, replaceable.
//!
//! [`InProcess`] is Z3 in this process; [`Remote`](crate::remote::Remote) the same behind a pipe, so that a crash, a
//! stop or too much memory ends a helper and not us. Another solver is another implementation.

use std::time::Instant;

use term::{Pool, TermId};

use crate::ask::{Answer, Cause};
use crate::z3::Context;

/// Decides questions. One a chain.
pub trait Backend: Send {
    /// Is there an assignment under which all assertions hold? The model is the solver's own, unchecked; what the
    /// solver does not know ([`term::Op::only_evaluated`]) it may take for anything, so that only "unsat" is sure then.
    fn ask(&mut self, pool: &Pool, assertions: &[TermId], rlimit: u32) -> Answer;

    /// Resource units used so far.
    fn used(&self) -> u64;

    /// Forgets all questions, because answers may depend on earlier ones.
    fn forget(&mut self);
}

/// Z3 as a library.
#[derive(Default)]
pub struct InProcess {
    context: Option<Context>,
    used: u64,
    deadline: Option<Instant>,
}

impl InProcess {
    /// Gives up at a point in time, as far as Z3 lets itself be interrupted.
    pub fn until(deadline: Option<Instant>) -> InProcess {
        InProcess { deadline, ..InProcess::default() }
    }
}

impl Backend for InProcess {
    fn ask(&mut self, pool: &Pool, assertions: &[TermId], rlimit: u32) -> Answer {
        if self.context.is_none() {
            self.context = Context::new().map(|context| context.until(self.deadline));
        }
        let Some(context) = &mut self.context else {
            return Answer::Unknown(Cause::Crashed("no Z3 context".to_string()));
        };
        let before = context.used();
        let answer = context.ask(pool, assertions, rlimit);
        self.used += context.used() - before;
        // A context that failed is not asked again.
        if matches!(answer, Answer::Unknown(Cause::Crashed(_) | Cause::Memory)) {
            self.context = None;
        }
        answer
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn forget(&mut self) {
        self.context = None;
    }
}
