//! Handlers of exceptions. No branch leads into one, so no criterion but those of lines asks for it; whoever reads the tests
//! does. A run that comes to a handler which no test comes to becomes a test besides, and where none has, stand-ins are made to
//! throw what is caught there.

use std::collections::{BTreeMap, BTreeSet};

use explore::{End, Finished, RunId, Step, Target};
use ir::FuncId;
use jvm::load::Instr;
use term::Assignment;
use vm::Outcome;

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};

/// So many of the shortest runs are tried once more with stand-ins that throw, so often in all.
const MOST_RUNS: usize = 6;
const MOST_TRIED: usize = 24;
/// So many tests of a method are there for handlers alone.
const MOST_TESTS: usize = 3;

/// What a class throws that cannot be initialised: once in a JVM, so that no test can rely on it.
const INITIALISERS: [&str; 3] = ["ExceptionInInitializerError", "NoClassDefFoundError", "LinkageError"];

/// A handler: its function and where it begins.
type Handler = (FuncId, u32);

impl ClassExplorer<'_> {
    /// Adds runs that come to handlers which none came to.
    pub(super) fn failing(&mut self, subject: &mut Subject, finished: &mut Vec<Finished<Stage>>) {
        let mut handlers = Handlers::default();
        let mut missing = handlers.of(self, finished);
        for run in finished.iter().filter(|run| is_shown(run)) {
            missing.retain(|handler| !handlers.entered(self, run).contains(handler));
        }
        if missing.is_empty() {
            return;
        }
        let mut shortest = shortest(finished);
        // Those first that are inside of what a missing one is for.
        shortest.sort_by_key(|i| !handlers.guards(self, &finished[*i], &missing));
        // What these runs note is no imprecision of the search.
        let ledger = self.vm.ledger.clone();
        let mut tried = 0;
        for i in shortest.into_iter().take(MOST_RUNS) {
            let model = finished[i].model.clone();
            self.vm.start_run(model.clone());
            subject.execute(self.vm);
            for (name, count) in jvm::input::could_throw(self.vm) {
                let Some(variable) = self.vm.pool.var_by_name(&name) else { continue };
                for exception in 1..=count {
                    if missing.is_empty() || tried == MOST_TRIED {
                        self.vm.ledger = ledger;
                        return;
                    }
                    tried += 1;
                    let mut model = model.clone();
                    model.set_bits(variable, exception.into());
                    let Some(run) = self.ended(subject, model, finished.len()) else { continue };
                    let entered = handlers.entered(self, &run);
                    if entered.iter().any(|handler| missing.contains(handler)) {
                        missing.retain(|handler| !entered.contains(handler));
                        finished.push(run);
                    }
                }
            }
        }
        self.vm.ledger = ledger;
    }

    /// Runs to be tests besides those that were chosen: they come to handlers which those do not.
    pub(super) fn handling(&mut self, finished: &[Finished<Stage>], chosen: &[usize]) -> Vec<usize> {
        let mut handlers = Handlers::default();
        let mut missing = handlers.of(self, finished);
        for i in chosen {
            missing.retain(|handler| !handlers.entered(self, &finished[*i]).contains(handler));
        }
        let mut found = Vec::new();
        for i in shortest(finished) {
            if missing.is_empty() || found.len() == MOST_TESTS {
                break;
            }
            let entered = handlers.entered(self, &finished[i]);
            if entered.iter().any(|handler| missing.contains(handler)) {
                missing.retain(|handler| !entered.contains(handler));
                found.push(i);
            }
        }
        found
    }

    /// Whether simpler inputs come to all handlers that a run came to.
    pub(super) fn handles_alike(
        &mut self,
        subject: &mut Subject,
        run: &Finished<Stage>,
        simple: &Finished<Stage>,
    ) -> bool {
        let noted = self.vm.ledger.clone();
        let again = self.ended(subject, simple.model.clone(), 0);
        self.vm.ledger = noted;
        let mut handlers = Handlers::default();
        let wanted = handlers.entered(self, run);
        again.is_some_and(|again| again.end == run.end && wanted.is_subset(&handlers.entered(self, &again)))
    }

    /// Runs a model; none if that is no behaviour.
    pub(super) fn ended(
        &mut self,
        subject: &mut Subject,
        model: Assignment,
        number: usize,
    ) -> Option<Finished<Stage>> {
        let vm = &mut *self.vm;
        vm.start_run(model.clone());
        let before = vm.steps;
        let outcome = subject.execute(vm);
        let stage = subject.observe(vm, &outcome);
        if matches!(outcome, Outcome::Stopped(_)) || stage != Stage::Call {
            return None;
        }
        let mut blocks: Vec<_> = vm.trace.blocks.iter().copied().collect();
        blocks.sort_unstable();
        let elems = &vm.trace.elems;
        Some(Finished {
            id: RunId(number as u32),
            end: End::of(vm, &outcome),
            model,
            outcome,
            observation: stage,
            path: elems.iter().map(Step::of).collect(),
            condition: elems.iter().map(|e| vm.trace.taken(e)).collect(),
            edges: Vec::new(),
            blocks,
            meets: Vec::new(),
            new: Vec::new(),
            steps: vm.steps - before,
        })
    }
}

/// Runs that can be tests, those that return first, then the shortest.
fn shortest(finished: &[Finished<Stage>]) -> Vec<usize> {
    let mut found: Vec<usize> = (0..finished.len()).filter(|i| is_shown(&finished[*i])).collect();
    found.sort_by_key(|i| (finished[*i].end != End::Returned, finished[*i].path.len(), *i));
    found
}

fn is_shown(run: &Finished<Stage>) -> bool {
    run.observation == Stage::Call && run.end.is_behaviour()
}

/// The handlers of functions, looked up once.
#[derive(Default)]
struct Handlers {
    known: BTreeMap<FuncId, BTreeSet<u32>>,
}

impl Handlers {
    /// All handlers of the functions that runs came to.
    fn of(&mut self, explorer: &ClassExplorer<'_>, finished: &[Finished<Stage>]) -> BTreeSet<Handler> {
        let funcs: BTreeSet<FuncId> =
            finished.iter().flat_map(|run| run.blocks.iter().map(|(func, _)| *func)).collect();
        let mut all = BTreeSet::new();
        for func in funcs {
            all.extend(self.begins(explorer, func).iter().map(|begin| (func, *begin)));
        }
        all
    }

    /// The handlers that a run came to.
    fn entered(&mut self, explorer: &mut ClassExplorer<'_>, run: &Finished<Stage>) -> BTreeSet<Handler> {
        let mut found = BTreeSet::new();
        for (func, block) in &run.blocks {
            if self.begins(explorer, *func).is_empty() {
                continue;
            }
            let Some(function) = explorer.vm.lang.ir(*func) else { continue };
            let start = function.blocks.get(*block).map(|block| block.start as usize);
            let offset = start.and_then(|start| function.positions.get(start)).map(|at| at.offset);
            found.extend(offset.filter(|at| self.begins(explorer, *func).contains(at)).map(|at| (*func, at)));
        }
        found
    }

    /// Whether a run came to code that one of these handlers is for.
    fn guards(
        &self,
        explorer: &ClassExplorer<'_>,
        run: &Finished<Stage>,
        wanted: &BTreeSet<Handler>,
    ) -> bool {
        let jvm = &explorer.vm.lang;
        run.blocks.iter().any(|(func, block)| {
            if !wanted.iter().any(|(of, _)| of == func) {
                return false;
            }
            let f = &jvm.funcs[*func];
            let file = jvm.classes[f.class].file.as_deref();
            let code = file.and_then(|file| file.method(&f.name, &f.descriptor)?.code.as_ref());
            let (Some(code), Some(function)) = (code, f.lowered()) else { return false };
            let Some(block) = function.blocks.get(*block) else { return false };
            let at = (block.start..block.end).filter_map(|i| function.positions.get(i as usize));
            let at: Vec<u32> = at.map(|position| position.offset).collect();
            code.handlers.iter().any(|handler| {
                let range = u32::from(handler.start)..u32::from(handler.end);
                wanted.contains(&(*func, u32::from(handler.handler)))
                    && at.iter().any(|at| range.contains(at))
            })
        })
    }

    /// Where the handlers of a function begin that its source has: `finally` and what closes resources are not among them.
    fn begins(&mut self, explorer: &ClassExplorer<'_>, func: FuncId) -> &BTreeSet<u32> {
        self.known.entry(func).or_insert_with(|| {
            let jvm = &explorer.vm.lang;
            let f = &jvm.funcs[func];
            let Some(file) = jvm.classes[f.class].file.as_deref().filter(|_| f.tracked) else {
                return BTreeSet::new();
            };
            let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
                return BTreeSet::new();
            };
            let closes = code.instrs.iter().any(|(_, instr)| {
                let Instr::InvokeVirtual(cp) = instr else { return false };
                file.pool.method(*cp).is_ok_and(|called| called.name == "addSuppressed")
            });
            let declared = file.method(&f.name, &f.descriptor).and_then(|m| m.code.as_ref());
            let handlers = declared.into_iter().flat_map(|code| &code.handlers);
            let written = handlers.filter(|handler| {
                let class = handler.catch_type.and_then(|cp| file.pool.class(cp).ok());
                let once = |class: &str| {
                    INITIALISERS.iter().any(|name| class.strip_prefix("java/lang/") == Some(name))
                };
                class.is_some_and(|class| !(once(class) || closes && class == "java/lang/Throwable"))
            });
            written.map(|handler| u32::from(handler.handler)).collect()
        })
    }
}
