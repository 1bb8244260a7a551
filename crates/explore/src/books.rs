//! What is known of the workers apart from them: it is looked up while they work.

use crate::finished::End;
use crate::worker::{Run, covered};
use ir::{ClassId, FuncId};
use rustc_hash::FxHashMap;
use solver::News;
use term::{Pool, TermId};
use vm::{Edge, Lang, Site};

#[derive(Default)]
pub(crate) struct Books {
    workers: Vec<Names>,
    /// What was learned in the last round and is yet to be told to all.
    news: Vec<News>,
    /// Pools of runs that are merged, for their workers to free: that takes a while, and others need not wait.
    waste: Vec<Vec<Pool>>,
}

/// What functions and classes of a worker's machine are called in the session's.
#[derive(Default)]
struct Names {
    funcs: FxHashMap<FuncId, FuncId>,
    classes: FxHashMap<ClassId, ClassId>,
    /// Some are called otherwise there.
    moved: bool,
}

impl Books {
    pub fn new(workers: usize) -> Books {
        let names = (0..workers).map(|_| Names::default()).collect();
        Books { workers: names, news: Vec::new(), waste: (0..workers).map(|_| Vec::new()).collect() }
    }

    /// To be told to all workers before the next round, in this order.
    pub fn teach(&mut self, news: News) {
        if !news.is_empty() {
            self.news.push(news);
        }
    }

    pub fn news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    /// What each worker is to free.
    pub fn waste(&mut self) -> Vec<Vec<Pool>> {
        self.waste.iter_mut().map(std::mem::take).collect()
    }

    /// A worker has another machine.
    pub fn forget(&mut self, worker: usize) {
        self.workers[worker] = Names::default();
    }

    /// Whether a worker's run can be understood without asking it.
    pub fn knows<O>(&self, worker: usize, run: &Run<O>) -> bool {
        let names = &self.workers[worker];
        let class = match &run.end {
            End::Threw { class, .. } => names.classes.contains_key(class),
            _ => true,
        };
        class && run.funcs.iter().all(|func| names.funcs.contains_key(func))
    }

    /// Looks up what is not known yet; `None` if the session's machine has not seen it either.
    pub fn learn<L: Lang, O>(&mut self, worker: usize, run: &Run<O>, here: &L, there: &L) -> Option<()> {
        let names = &mut self.workers[worker];
        for func in &run.funcs {
            if !names.funcs.contains_key(func) {
                let known = here.func_of(there, *func)?;
                names.moved |= known != *func;
                names.funcs.insert(*func, known);
            }
        }
        if let End::Threw { class, .. } = &run.end
            && !names.classes.contains_key(class)
        {
            let known = here.class_of(there, *class)?;
            names.moved |= known != *class;
            names.classes.insert(*class, known);
        }
        Some(())
    }

    /// A worker's run, whose names are known, in the session's numbering and terms.
    pub fn translate<O>(&mut self, pool: &mut Pool, worker: usize, run: &mut Run<O>) {
        let names = &self.workers[worker];
        // Mostly both have met the same code in the same order.
        if names.moved {
            names.rename(run);
        }
        let trace = &mut run.trace;
        trace.conditions = pool.import(&run.pool, &trace.conditions);
        let wanted: Vec<TermId> = trace.demands.iter().map(|(_, wanted)| *wanted).collect();
        let wanted = pool.import(&run.pool, &wanted);
        trace.demands.iter_mut().zip(wanted).for_each(|((_, term), here)| *term = here);
        let implied: Vec<TermId> = trace.implied.iter().map(|(_, implied)| *implied).collect();
        let implied = pool.import(&run.pool, &implied);
        trace.implied.iter_mut().zip(implied).for_each(|((_, term), here)| *term = here);
        run.model = pool.import_assignment(&run.pool, &run.model);
        self.waste[worker].push(std::mem::take(&mut run.pool));
    }
}

impl Names {
    fn rename<O>(&self, run: &mut Run<O>) {
        let func = |func: FuncId| self.funcs.get(&func).copied().unwrap_or(func);
        let site = |site: Site| Site { func: func(site.func), ..site };
        let trace = &mut run.trace;
        trace.walk.iter_mut().for_each(|step| step.func = func(step.func));
        for elem in &mut trace.elems {
            elem.site = site(elem.site);
            elem.caller = site(elem.caller);
        }
        trace.raised = trace.raised.iter().map(|at| site(*at)).collect();
        if let End::Threw { class, site: at, .. } = &mut run.end {
            *class = self.classes.get(class).copied().unwrap_or(*class);
            *at = at.map(site);
        }
        trace.edges = trace.edges.iter().map(|e| Edge { func: func(e.func), ..*e }).collect();
        trace.blocks = trace.blocks.iter().map(|(f, b)| (func(*f), *b)).collect();
        (run.edges, run.blocks) = covered(trace);
    }
}
