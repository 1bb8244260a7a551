//! Calls and what comes of them: frames pushed and left, results delivered, exceptions unwound.

use crate::frame::{Frame, Ret, Then};
use crate::heap::ObjId;
use crate::lang::{Callable, Lang, NativeResult, Raise, Stop, Val};
use crate::machine::{Outcome, Thrown, Vm, WatchedLine};
use crate::trace::{Site, Step};
use ir::{BlockId, Check, ClassId, FuncId, Function, MemType, Move};
use std::sync::Arc;
use term::TermId;

const REGISTER_CHUNK: usize = 1 << 12;

/// So many places of tracked code are kept of an exception.
const THROWN_AT: usize = 8;

impl<L: Lang> Vm<L> {
    /// The code of a function.
    pub fn callable(&mut self, func: FuncId) -> Result<Callable<L>, Stop> {
        if let Some(Some(callable)) = self.callables.get(func.0 as usize) {
            return Ok(callable.clone());
        }
        let callable = L::function(self, func)?;
        let index = func.0 as usize;
        if index >= self.callables.len() {
            self.callables.resize_with(index + 1, || None);
        }
        self.callables[index] = Some(callable.clone());
        Ok(callable)
    }

    /// Enters a function from outside or from a native. An outcome means that it already ended the call.
    pub(crate) fn enter(&mut self, func: FuncId, args: &[Val], ret: Ret<L>) -> Result<Option<Outcome>, Stop> {
        match self.callable(func)? {
            Callable::Ir(function) => {
                let symbolic = args.iter().any(|a| a.term.is_some());
                let caller = self.frames.last().map(|frame| frame.func);
                if let Some(base) = self.push_frame(func, function, ret, symbolic)? {
                    for (i, arg) in args.iter().enumerate() {
                        self.vals[base + i] = arg.bits;
                        if symbolic {
                            self.terms[base + i] = arg.term;
                        }
                    }
                    if self.listening {
                        let args: Vec<u64> = args.iter().map(|arg| arg.bits).collect();
                        L::called(self, caller, func, &args);
                    }
                }
                Ok(None)
            }
            Callable::Native(native) => {
                let mut fixed;
                let mut args = args;
                if !native.symbolic && args.iter().any(|a| a.term.is_some()) {
                    fixed = args.to_vec();
                    let name = self.lang.function_name(func);
                    for arg in &mut fixed {
                        // One of a few objects: which one is a decision like any other.
                        *arg = match self.is_one_of(arg.term) {
                            true => Val::concrete(self.deref(*arg)?.0 as u64),
                            false => self.concretise(*arg, &name)?,
                        };
                    }
                    args = &fixed;
                }
                let result = (native.run)(self, args);
                self.settle_native(native.run, args, result, ret)
            }
        }
    }

    /// Does what a native's result asks for; blocking remembers the native.
    pub(crate) fn settle_native(
        &mut self,
        run: fn(&mut Vm<L>, &[Val]) -> NativeResult<L>,
        args: &[Val],
        result: NativeResult<L>,
        ret: Ret<L>,
    ) -> Result<Option<Outcome>, Stop> {
        match result {
            NativeResult::Block => self.block(run, args, ret),
            result => self.settle(result, ret),
        }
    }

    /// Makes room for a frame; `None` if the stack is full and the language's exception is being raised.
    pub(crate) fn push_frame(
        &mut self,
        func: FuncId,
        function: Arc<Function>,
        ret: Ret<L>,
        symbolic: bool,
    ) -> Result<Option<usize>, Stop> {
        if self.frames.len() >= self.limits.depth as usize {
            // Making the exception needs a little stack itself; more than that is our limit, not the program's.
            if self.frames.len() >= self.limits.depth as usize + 100 {
                return Err(Stop::Unsupported {
                    what: "exception",
                    which: "no stack left to make it".to_string(),
                });
            }
            // Whoever makes an exception may go a little deeper, or it could not be made at all.
            if !matches!(ret, Ret::Throw) && !self.raising_overflow() {
                self.raise(Raise::Check { check: Check::Stack, a: 0, b: 0 })?;
                return Ok(None);
            }
        }
        let base = self.frames.last().map_or(0, |f| f.base as usize + f.function.regs.len());
        let size = function.regs.len();
        let top = base + size;
        if self.vals.len() < top {
            self.vals.resize(top.next_multiple_of(REGISTER_CHUNK), 0);
            self.terms.resize(top.next_multiple_of(REGISTER_CHUNK), TermId::NONE);
        }
        if symbolic {
            self.terms[base..top].fill(TermId::NONE);
        }
        let tracked = self.lang.is_tracked(func);
        if tracked {
            self.trace.blocks.insert((func, BlockId(0)));
        }
        let walks = tracked && self.walking;
        if walks {
            self.trace.activations += 1;
        }
        let activation = if walks { self.trace.activations } else { 0 };
        self.frames.push(Frame {
            func,
            function,
            pc: 0,
            base: base as u32,
            ret,
            symbolic,
            tracked,
            activation,
            caught: ObjId::NULL,
        });
        if walks {
            self.walk(Move::Block(BlockId(0)));
        }
        Ok(Some(base))
    }

    fn raising_overflow(&self) -> bool {
        self.frames.iter().rev().take(100).any(|f| matches!(f.ret, Ret::Throw))
    }

    fn settle(&mut self, result: NativeResult<L>, ret: Ret<L>) -> Result<Option<Outcome>, Stop> {
        match result {
            NativeResult::Return(val) => self.deliver(Some(val), ret),
            NativeResult::Void => self.deliver(None, ret),
            NativeResult::Throw(exception) => match ret {
                // Natives throw what other code made, or what they made for a failure of their own.
                Ret::Done => Ok(Some(Outcome::Threw(exception))),
                _ => self.unwind(exception),
            },
            NativeResult::Raise(raise) => match ret {
                // Nothing of the guest is on the stack to catch it: make it, then hand it out.
                Ret::Done => {
                    let (func, args) = L::raise(self, raise)?;
                    self.enter(func, &args, Ret::Throw)
                }
                _ => {
                    self.raise(raise)?;
                    Ok(None)
                }
            },
            NativeResult::Call(func, args) => self.enter(func, &args, ret),
            NativeResult::CallThen { func, args, then, keep } => {
                self.enter(func, &args, Ret::Then(Box::new(Then { run: then, keep, ret })))
            }
            NativeResult::Stop(stop) => Err(stop),
            NativeResult::End => self.end_fiber(),
            // Natives come by `settle_native`, which takes this.
            NativeResult::Block => Err(Stop::Deadlock),
        }
    }

    /// Hands a result to whoever waits for it; the callee's frame is already gone.
    pub(crate) fn deliver(&mut self, val: Option<Val>, ret: Ret<L>) -> Result<Option<Outcome>, Stop> {
        match ret {
            Ret::Into(reg) => {
                if let (Some(val), Some(frame)) = (val, self.frames.last_mut())
                    && !reg.is_none()
                {
                    let at = frame.base as usize + reg.0 as usize;
                    self.vals[at] = val.bits;
                    if frame.symbolic {
                        self.terms[at] = val.term;
                    } else if val.term.is_some() {
                        frame.symbolic = true;
                        let (base, size) = (frame.base as usize, frame.function.regs.len());
                        self.terms[base..base + size].fill(TermId::NONE);
                        self.terms[at] = val.term;
                    }
                }
                if let Some(frame) = self.frames.last_mut() {
                    frame.pc += 1;
                }
                Ok(None)
            }
            Ret::Throw => {
                let exception = val.unwrap_or(Val::ZERO).as_obj();
                self.note_thrown(exception, false);
                self.unwind(exception)
            }
            Ret::Then(then) => {
                let mut args = vec![val.unwrap_or(Val::ZERO)];
                args.extend_from_slice(&then.keep);
                let result = (then.run)(self, &args);
                self.settle_native(then.run, &args, result, then.ret)
            }
            Ret::Done => Ok(Some(Outcome::Returned(val))),
        }
    }

    /// Starts making the exception for a failure; when it is made it is thrown where the program is now.
    pub(crate) fn raise(&mut self, raise: Raise) -> Result<(), Stop> {
        let (func, args) = L::raise(self, raise)?;
        match self.enter(func, &args, Ret::Throw)? {
            None => Ok(()),
            // The maker of exceptions is IR, so it never ends the call by itself.
            Some(_) => Err(Stop::Unsupported { what: "exception", which: "made by a native".to_string() }),
        }
    }

    /// Finds the landing block of an exception thrown at the top frame's current instruction.
    pub(crate) fn unwind(&mut self, exception: ObjId) -> Result<Option<Outcome>, Stop> {
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(Some(Outcome::Threw(exception))) };
            if frame.tracked {
                let site = Site { func: frame.func, index: frame.pc };
                self.trace.raised.insert(site);
                if frame.activation != 0 {
                    let what = Move::Raise(site.index);
                    self.trace.walk.push(Step { activation: frame.activation, func: site.func, what });
                }
            }
            let block = frame.function.block_at(frame.pc);
            if let Some(landing) = frame.function.blocks[block].unwind {
                frame.caught = exception;
                frame.pc = frame.function.blocks[landing].start;
                if frame.tracked {
                    self.trace.blocks.insert((frame.func, landing));
                    if frame.activation != 0 {
                        let what = Move::Block(landing);
                        self.trace.walk.push(Step { activation: frame.activation, func: frame.func, what });
                    }
                }
                return Ok(None);
            }
            let Some(frame) = self.frames.pop() else { return Ok(Some(Outcome::Threw(exception))) };
            if matches!(frame.ret, Ret::Done) {
                return Ok(Some(Outcome::Threw(exception)));
            }
        }
    }

    /// Keeps a step of the function on top.
    #[cold]
    pub(crate) fn walk(&mut self, what: Move) {
        if let Some(frame) = self.frames.last().filter(|f| f.activation != 0) {
            self.trace.walk.push(Step { activation: frame.activation, func: frame.func, what });
        }
    }

    /// Remembers where an exception came from; throwing it again does not change that.
    pub(crate) fn note_thrown(&mut self, exception: ObjId, explicit: bool) {
        if self.thrown.is_none_or(|t| t.exception != exception) {
            self.thrown = Some(Thrown { exception, site: self.site(), explicit });
            self.thrown_at.clear();
            self.thrown_by = None;
            for frame in self.frames.iter().rev() {
                if frame.tracked {
                    self.thrown_at.push(Site { func: frame.func, index: frame.pc });
                    if self.thrown_at.len() == THROWN_AT {
                        break;
                    }
                } else if self.thrown_at.is_empty() {
                    self.thrown_by = Some(frame.func);
                }
            }
        }
    }

    /// Remembers that a line of tracked code is run, unless it still is.
    pub(crate) fn watch_line(&mut self, func: FuncId, line: u32) {
        let depth = self.frames.iter().filter(|f| f.tracked).count() as u32;
        let step = WatchedLine { func, line, depth };
        if let Some(lines) = &mut self.watch
            && line != 0
            && lines.last() != Some(&step)
        {
            lines.push(step);
        }
    }

    /// From now on the frame keeps terms.
    pub(crate) fn promote(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && !frame.symbolic
        {
            frame.symbolic = true;
            let (base, size) = (frame.base as usize, frame.function.regs.len());
            self.terms[base..base + size].fill(TermId::NONE);
        }
    }

    fn alloc(&mut self, class: ClassId, size: u32, len: u32) -> Result<ObjId, Stop> {
        self.heap.alloc(class, size, len).map_err(|_| Stop::Memory)
    }

    /// A fresh object of a class.
    pub fn new_object(&mut self, class: ClassId) -> Result<ObjId, Stop> {
        let size = self.lang.class_info(class).size;
        self.alloc(class, size, 0)
    }

    /// A fresh array of an array class.
    pub fn new_array(&mut self, class: ClassId, len: u32) -> Result<ObjId, Stop> {
        let elem = self.lang.class_info(class).elem.map_or(1, MemType::size);
        let size = len.checked_mul(elem).ok_or(Stop::Memory)?;
        self.alloc(class, size, len)
    }
}
