//! Paths of a method in the order of their cost.
//!
//! Every path is explored whose runs take up to so many steps; then up to twice as many, and so on. A run that the bound
//! stopped is the beginning of all paths that are missing: none of them costs less than what it had cost by then. So
//! whatever costs no more than the cheapest of these is final, and is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use coverage::{Flow, Projection};
use explore::{Exploration, Stopped};
use graph::Cost;
use ir::{FuncId, Function, Move, Origin};
use vm::{Stop, Trace};

use super::entries::{Entry, entries};
use super::explore::{ClassExplorer, load};
use super::outcome::{ClassResult, MethodResult, record};
use super::subject::{Stage, Subject};
use super::turns::{SHORT_PATIENCE, Turn};
use crate::config::{Config, Suite};
use crate::error::Error;
use crate::target::ClassTarget;

/// What a run executed of the method under test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Blocks that hold code of the source.
    pub blocks: u64,
    /// Statements, as the class file's table of lines tells them apart.
    pub statements: u64,
    /// Lines, again in each round of a loop.
    pub lines: Vec<u32>,
    /// The path itself: blocks that hold code of the source, the ways of its branches, and where exceptions came from.
    moves: Vec<Move>,
}

impl Way {
    pub fn cost(&self, unit: Cost) -> u64 {
        match unit {
            Cost::Blocks => self.blocks,
            Cost::Statements => self.statements,
            Cost::Lines => self.lines.len() as u64,
        }
    }
}

/// The paths of a class's methods, as tests of a result, and which methods have more that were not found.
pub struct Cheapest {
    pub result: ClassResult,
    /// By test: what it executes, and whether no other path of its method can be cheaper.
    pub ways: Vec<(Way, bool)>,
    /// By method: whether all of its paths are listed.
    pub complete: Vec<bool>,
}

/// Steps of the shortest runs that are looked at alone.
const FIRST_STEPS: u64 = 64;

impl ClassExplorer<'_> {
    /// Paths in the order of cost, so many a method at most.
    pub fn cheapest(&mut self, target: &ClassTarget, unit: Cost, most: usize) -> Result<Cheapest, Error> {
        let class = load(self.vm, target)?;
        let entries = entries(self.vm, class, target, self.config)?;
        self.nested = target.nested.iter().filter_map(|name| self.vm.lang.loaded(name)).collect();
        let mut all =
            Cheapest { result: ClassResult::new(&target.class), ways: Vec::new(), complete: Vec::new() };
        for (index, entry) in entries.iter().enumerate() {
            let waiting = (entries.len() - index) as u64;
            let now = Instant::now();
            let share = |end: Instant| now + end.saturating_duration_since(now) / waiting as u32;
            let turn = Turn {
                index,
                work: self.config.budget.work / entries.len() as u64,
                paths: None,
                spare: 0,
                deadline: self.deadline.map(share),
                question: u32::MAX,
                patience: SHORT_PATIENCE,
                whole: true,
            };
            let found = self.deepen(entry, turn, (unit, most), &mut all);
            all.complete.push(found);
        }
        Ok(all)
    }

    /// Lists the paths of a method; whether these are all.
    fn deepen(
        &mut self,
        entry: &Entry,
        mut turn: Turn,
        (unit, most): (Cost, usize),
        all: &mut Cheapest,
    ) -> bool {
        let func = entry.func;
        let mut found = MethodResult::new(&self.vm.lang, func);
        let (Some(mut subject), Some(function)) = (entry.subject(self.vm), self.vm.lang.ir(func)) else {
            all.result.methods.push(found);
            return false;
        };
        let starts = self.vm.lang.statement_starts(func);
        let measure = Measure::new(&function, starts, &self.vm.lang);
        let mut steps = FIRST_STEPS;
        loop {
            let mut config = Config { exhaustive: true, suite: Suite::Paths, ..self.config.clone() };
            config.budget.max_steps = steps.min(self.config.budget.max_steps);
            let nested = self.nested.clone();
            let worlds = (&mut *self.vm, None);
            let mut inner = ClassExplorer::new(worlds, &config, turn.deadline, None, &mut *self.events);
            inner.nested = nested;
            let goal = inner.goal(&subject);
            let mut exploration =
                inner.session(&mut subject, &goal, &turn, &found.name, &mut all.result.solver);
            turn.work = turn.work.saturating_sub(exploration.spent.work());
            let (ways, bound) = inner.measured(&mut subject, func, &measure, &exploration, unit);
            let complete = exploration.stopped == Stopped::Complete;
            let mut ways = different(ways, unit);
            let listed = ways.iter().filter(|(_, way)| bound.is_none_or(|b| way.cost(unit) <= b)).count();
            let last =
                bound.is_none() || !complete || turn.work == 0 || steps >= self.config.budget.max_steps;
            if !last && listed < most {
                steps = steps.saturating_mul(2);
                continue;
            }
            // What is cheaper than every beginning of another path comes first, whatever comes after.
            ways.truncate(most.min(if last { usize::MAX } else { listed }));
            let chosen: Vec<usize> = ways.iter().map(|(index, _)| *index).collect();
            record(&mut found, &exploration, &inner.vm.lang);
            exploration.finished = pick(exploration.finished, &chosen);
            let place = (entry, turn.index);
            let tests = inner.propose(
                place,
                &mut subject,
                &goal,
                (exploration.finished, &exploration.ledger),
                &mut found,
            );
            for test in tests {
                let way = inner.way(&mut subject, func, &measure, &test.inputs);
                all.result.tests.push(test);
                let is_final = complete && bound.is_none_or(|b| way.cost(unit) <= b);
                all.ways.push((way, is_final));
            }
            all.result.methods.push(found);
            return complete && bound.is_none() && chosen.len() < most;
        }
    }

    /// What each finished run executes, by its place, and the least that a run had cost when the bound stopped it.
    fn measured(
        &mut self,
        subject: &mut Subject,
        func: FuncId,
        measure: &Measure,
        exploration: &Exploration<Stage>,
        unit: Cost,
    ) -> (Vec<(usize, Way)>, Option<u64>) {
        let (mut ways, mut bound) = (Vec::new(), None);
        for (index, run) in exploration.finished.iter().enumerate() {
            let way = self.walked(|vm| {
                vm.start_run(run.model.clone());
                explore::Target::execute(subject, vm);
                measure.way(&vm.trace, func)
            });
            match &run.end {
                explore::End::Stopped(Stop::Steps) => {
                    bound = Some(bound.map_or(way.cost(unit), |b: u64| b.min(way.cost(unit))));
                }
                end if end.is_behaviour() => ways.push((index, way)),
                _ => {}
            }
        }
        (ways, bound)
    }

    /// What inputs execute.
    fn way(
        &mut self,
        subject: &mut Subject,
        func: FuncId,
        measure: &Measure,
        inputs: &BTreeMap<String, u128>,
    ) -> Way {
        self.walked(|vm| {
            let model = super::propose::assign(vm, subject, inputs);
            vm.start_run(model);
            explore::Target::execute(subject, vm);
            measure.way(&vm.trace, func)
        })
    }

    /// Does something while runs keep their way; what they note of imprecision was noted when they were found.
    fn walked<T>(&mut self, run: impl FnOnce(&mut vm::Vm<jvm::world::Jvm>) -> T) -> T {
        let ledger = self.vm.ledger.clone();
        self.vm.walking = true;
        let found = run(self.vm);
        self.vm.walking = false;
        self.vm.ledger = ledger;
        found
    }
}

/// The ways in the order of cost, each path once: runs that differ only in what callees and the library did take the same.
fn different(mut ways: Vec<(usize, Way)>, unit: Cost) -> Vec<(usize, Way)> {
    ways.sort_by_key(|(index, way)| (way.cost(unit), *index));
    let mut seen: BTreeSet<Vec<Move>> = BTreeSet::new();
    ways.retain(|(_, way)| seen.insert(way.moves.clone()));
    ways
}

/// The items at some places, in the order of the places.
fn pick<T>(items: Vec<T>, places: &[usize]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    places.iter().filter_map(|place| items.get_mut(*place)?.take()).collect()
}

/// How a method's executions are counted.
struct Measure {
    function: std::sync::Arc<Function>,
    /// By block: it holds code of the source.
    shown: Vec<bool>,
    /// By code index: a statement begins here.
    begins: Vec<bool>,
}

impl Measure {
    fn new(function: &std::sync::Arc<Function>, mut starts: Vec<u32>, names: &dyn ir::Names) -> Measure {
        let projection = Projection::new(function, names);
        let flow = Flow::new(&projection);
        let shown = function.blocks.keys().map(|block| flow.node(block).is_some()).collect();
        starts.sort_unstable();
        // The statement of an instruction is the last that starts at or before it; it begins at its first instruction.
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, position) in function.positions.iter().enumerate().filter(|(_, p)| p.line != 0) {
            let statement = starts.partition_point(|start| *start <= position.offset);
            first.entry(statement).or_insert(index);
        }
        let mut begins = vec![false; function.code.len()];
        first.values().for_each(|index| begins[*index] = true);
        Measure { function: function.clone(), shown, begins }
    }

    /// What the first activation of the method executes.
    fn way(&self, trace: &Trace, func: FuncId) -> Way {
        let mut way = Way::default();
        let Some(first) = trace.walk.iter().find(|step| step.func == func) else { return way };
        let moves: Vec<Move> =
            trace.walk.iter().filter(|s| s.activation == first.activation).map(|s| s.what).collect();
        let of_source =
            |index: u32| self.function.branch_info(index).is_some_and(|info| info.origin == Origin::Source);
        way.moves = moves
            .iter()
            .copied()
            .filter(|what| match what {
                Move::Block(block) => self.shown[block.0 as usize],
                Move::Take { index, .. } => of_source(*index),
                Move::Raise(_) => true,
            })
            .collect();
        for (i, what) in moves.iter().enumerate() {
            let Move::Block(block) = what else { continue };
            let range = self.function.blocks[*block];
            let raised =
                moves[i + 1..].iter().take_while(|m| !matches!(m, Move::Block(_))).find_map(|m| match m {
                    Move::Raise(index) => Some(*index),
                    _ => None,
                });
            let end = raised.map_or(range.end, |index| (index + 1).min(range.end));
            way.blocks += u64::from(self.shown[block.0 as usize]);
            for index in (range.start..end).map(|i| i as usize) {
                way.statements += u64::from(self.begins[index]);
                let line = self.function.positions[index].line;
                // A line counts again where it begins anew.
                if line != 0 && (way.lines.last() != Some(&line) || self.begins[index]) {
                    way.lines.push(line);
                }
            }
        }
        way
    }
}
