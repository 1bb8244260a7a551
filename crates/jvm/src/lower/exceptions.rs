//! Exceptions: `athrow`, and the landing blocks that find the handler.

use ir::{BlockId, Op, Origin, Reg, Type};

use super::Refusal;
use super::method::{Lowering, Next, Step};
use crate::load::Code;

impl Lowering<'_> {
    pub fn throw(&mut self) -> Step {
        let exception = self.pop_reg(Type::Ref)?;
        self.guard_nonnull(exception);
        self.out.effect(Op::Throw, exception.0, 0, 0);
        Ok(Next::Closed)
    }

    /// Where exceptions of the block at `start` land; `None` if they leave the method.
    pub fn landing(&mut self, code: &Code, start: u16) -> Result<Option<BlockId>, Refusal> {
        let mut chain: Vec<usize> = Vec::new();
        for (index, handler) in code.handlers.iter().enumerate() {
            if handler.start <= start && start < handler.end {
                chain.push(index);
                if handler.catch_type.is_none() {
                    break;
                }
            }
        }
        if chain.is_empty() && self.lock.is_none() {
            return Ok(None);
        }
        let key = (chain, self.context);
        if let Some(landing) = self.landings.get(&key) {
            return Ok(Some(*landing));
        }
        let landing = self.build_landing(code, &key.0)?;
        self.landings.insert(key, landing);
        Ok(Some(landing))
    }

    /// Tries the handlers in order; without one the exception goes on to the caller.
    fn build_landing(&mut self, code: &Code, chain: &[usize]) -> Result<BlockId, Refusal> {
        let caught = match self.caught {
            Some(caught) => caught,
            None => *self.caught.insert(self.out.reg(Type::Ref)),
        };
        let handlers = chain.iter().filter_map(|index| code.handlers.get(*index));
        let order = handlers.clone().map(|h| u32::from(h.handler)).min().unwrap_or(u32::MAX);
        let landing = self.out.block(order);
        self.out.switch_to(landing);
        // The search for a handler is on no line of the source.
        self.out.position.line = 0;
        self.out.write(caught, Op::Catch, 0, 0, 0);
        let file = self.file.clone();
        for handler in handlers {
            let class = match handler.catch_type {
                Some(cp) => self.jvm.class(file.pool.class(cp)?).map(Some),
                None => Ok(None),
            };
            let (block, wanted) = self.handler(handler.handler, caught)?;
            match class {
                Ok(Some(class)) if class != self.jvm.known.throwable => {
                    let next = self.out.block(order);
                    let is_it = self.out.value(Type::I1, Op::InstanceOf, caught.0, class.0, 0);
                    let found = self.hand_over(block, wanted, caught, order);
                    self.out.br(is_it, found, next, Origin::Synthetic);
                    self.out.switch_to(next);
                }
                Ok(_) => {
                    let found = self.hand_over(block, wanted, caught, order);
                    self.out.jump(found);
                    return Ok(landing);
                }
                // A handler for a class that does not exist: finding out is what fails.
                Err(error) => {
                    self.trap(&error)?;
                    return Ok(landing);
                }
            }
        }
        match self.lock {
            Some(lock) => {
                let unlocking = self.unlock_and_throw(lock, caught);
                self.out.jump(unlocking);
            }
            None => self.out.effect(Op::Throw, caught.0, 0, 0),
        }
        Ok(landing)
    }

    /// The edge to a handler that wants the exception in another register.
    fn hand_over(&mut self, block: BlockId, wanted: Reg, caught: Reg, order: u32) -> BlockId {
        if wanted == caught {
            return block;
        }
        let here = self.out.here();
        let between = self.out.block(order);
        self.out.switch_to(between);
        self.out.copy(wanted, caught);
        self.out.jump(block);
        self.out.switch_to(here);
        between
    }

    /// An exception leaves a synchronized method.
    fn unlock_and_throw(&mut self, lock: Reg, caught: Reg) -> BlockId {
        if let Some(block) = self.unlocking {
            return block;
        }
        let here = self.out.here();
        let block = self.out.block(u32::MAX);
        self.out.switch_to(block);
        self.out.effect(Op::MonitorExit, lock.0, 0, 0);
        self.out.effect(Op::Throw, caught.0, 0, 0);
        self.out.switch_to(here);
        self.unlocking = Some(block);
        block
    }
}
