//! The whole job: obligations of a criterion, a verdict for each, and the tests.

mod finish;

use crate::cfg::{Cfg, Cost, Values};
use crate::concrete::{self, Run};
use crate::criteria::{self, Need, Obligation};
use crate::goal::{Decision, Follower, Goal, decisions};
use crate::mcdc::{Row, Table};
use crate::prove::Proof;
use crate::search::{Distances, End, Found, Search, Used};
use crate::symbolic::Symbolic;
use crate::tree::{Spent, Subpath, Tree};
use coverage::Times;
use coverage::graph::{GraphEdge, GraphNode, Limit, Path};
use entity::EntityId;
use solver::{Chain, Config, Stats, shrink::default_order};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// What is wanted, and how much it may cost.
#[derive(Clone, Debug)]
pub struct Options {
    pub cost: Cost,
    /// Obligations at most; exponential criteria are cut there, and it is said.
    pub max_obligations: usize,
    /// How often a complete path goes back along an edge at most.
    pub rounds: u32,
    /// Work units of about a microsecond, all together.
    pub work: u64,
    pub suite: Suite,
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// As few tests as do it.
    Minimal,
    /// The cheapest test of each obligation.
    Each,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cost: Cost::Blocks,
            max_obligations: 1_000,
            rounds: coverage::Options::default().rounds,
            work: 60_000_000,
            suite: Suite::Minimal,
            seed: 0,
        }
    }
}

/// What became of the obligations of a graph.
#[derive(Clone, Debug)]
pub struct Cover {
    pub obligations: Vec<(Obligation, Verdict)>,
    /// There are more obligations than were listed.
    pub cut: bool,
    pub tests: Vec<Test>,
    pub decisions: Vec<DecisionTable>,
    /// Subpaths that no run takes.
    pub learned: Vec<Subpath>,
    pub spent: Spent,
    pub solver: Stats,
}

/// An input, and what it does.
#[derive(Clone, Debug)]
pub struct Test {
    pub inputs: Values,
    pub start: GraphNode,
    pub edges: Vec<GraphEdge>,
    pub cost: u64,
    /// Indices of the obligations it meets, alone or with others.
    pub covers: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// By these tests: one, or two that together show a condition.
    Covered {
        by: Vec<usize>,
    },
    Infeasible {
        why: Why,
        side_trips: Option<usize>,
    },
    Open {
        why: String,
    },
}

/// Why nothing meets an obligation.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// No path leads there.
    Unreachable,
    /// From there no path leads to an exit.
    NoExit,
    /// A loop's body runs before anything can leave it.
    BodyFirst,
    /// Every way there contains one of these, which contradict themselves.
    Contradiction(Vec<Subpath>),
    /// Every way from there to an exit contains one of these, which contradict themselves.
    NeverEnds(Vec<Subpath>),
    /// All that can be run was searched.
    Exhausted,
    /// No two rows that can be made show the condition.
    NoPair(String),
}

/// The rows of a decision that were made, and which of them show which condition.
#[derive(Clone, Debug)]
pub struct DecisionTable {
    pub decision: Decision,
    pub rows: Vec<TableRow>,
    /// For each condition the rows, by index, that show it; true in the first.
    pub pairs: Vec<Option<(usize, usize)>>,
}

#[derive(Clone, Debug)]
pub struct TableRow {
    pub values: Vec<bool>,
    pub outcome: bool,
    /// The test that makes it.
    pub test: usize,
}

/// A criterion that graphs do not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a graph has no criterion {0}; it has {names}", names = criteria::NAMES.join(", "))]
pub struct NoSuchCriterion(pub String);

/// Told from time to time: obligations decided, and how many there are.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// Covers a graph.
pub fn cover(
    cfg: &Cfg,
    criterion: &str,
    options: &Options,
    interrupt: &AtomicBool,
    progress: Progress,
) -> Result<Cover, NoSuchCriterion> {
    let decisions = decisions(cfg);
    let limit = Limit { paths: options.max_obligations, ..Limit::default() };
    let listed = criteria::obligations(cfg, &decisions, criterion, limit, options.rounds)
        .ok_or_else(|| NoSuchCriterion(criterion.to_string()))?;
    let mut job = Job::new(cfg, &decisions, options, interrupt);
    let count = listed.all.len();
    let mut known: Vec<Known> = Vec::with_capacity(count);
    for (i, obligation) in listed.all.iter().enumerate() {
        progress(i, count);
        let share = job.share(count - i);
        known.push(match &obligation.need {
            Need::Any(goals) => job.any(goals, share),
            Need::Pair { decision, condition, variant } => job.pair(*decision, *condition, *variant, share),
        });
    }
    progress(count, count);
    let tours = job.tours(&listed.all, &known);
    Ok(finish::finish(job, listed, known, tours))
}

/// Complete paths in order of their cost.
pub struct Paths<'c> {
    cfg: &'c Cfg,
    tree: Tree<'c>,
    search: Search<'c>,
    work: u64,
}

/// The next complete path, or why there is none.
#[derive(Clone, Debug)]
pub enum NextPath {
    Path(Test),
    /// There are no more.
    End,
    Stopped(String),
}

impl<'c> Paths<'c> {
    pub fn new(cfg: &'c Cfg, options: &Options) -> Paths<'c> {
        let costs = costs(cfg, options.cost);
        let mut tree = new_tree(cfg, options, costs.clone());
        let mut distances = Distances::new(cfg, costs);
        let search = Search::all(cfg, &mut tree, &mut distances);
        Paths { cfg, tree, search, work: options.work }
    }

    pub fn next(&mut self, interrupt: &AtomicBool) -> NextPath {
        let left = self.work.saturating_sub(self.tree.spent.work);
        match self.search.next(&mut self.tree, left, interrupt) {
            End::Found(found) => match realise(self.cfg, &mut self.tree, &found) {
                Ok((inputs, _)) => {
                    let Found { start, edges, cost, .. } = found;
                    NextPath::Path(Test { inputs, start, edges, cost, covers: Vec::new() })
                }
                Err(why) => NextPath::Stopped(why),
            },
            End::Exhausted => NextPath::End,
            other => NextPath::Stopped(stopped(&other)),
        }
    }

    pub fn spent(&self) -> Spent {
        self.tree.spent
    }

    pub fn learned(&self) -> &[Subpath] {
        &self.tree.learned.subpaths
    }
}

fn costs(cfg: &Cfg, cost: Cost) -> Vec<u64> {
    cfg.shape.nodes().map(|n| cfg.cost(n, cost)).collect()
}

fn new_tree<'c>(cfg: &'c Cfg, options: &Options, costs: Vec<u64>) -> Tree<'c> {
    let chain = Chain::new(Config { seed: Config::default().seed ^ options.seed, ..Config::default() });
    Tree::new(Symbolic::new(cfg), chain, costs)
}

/// The simplest input of a path, and its run. What is claimed is what the run shows.
fn realise(cfg: &Cfg, tree: &mut Tree, found: &Found) -> Result<(Values, Run), String> {
    let pool = &tree.symbolic.pool;
    let mut model = (*found.model).clone();
    solver::shrink(pool, &found.facts, &mut model, &default_order(pool, &found.facts));
    let inputs = tree.symbolic.values(&model);
    match concrete::follow(cfg, &inputs, found.start, &found.edges) {
        Ok(run) => Ok((inputs, run)),
        Err(strayed) => Err(format!("bug, please report: the input found does not take its path: {strayed}")),
    }
}

fn stopped(end: &End) -> String {
    match end {
        End::Budget => "its share of the work budget is spent".to_string(),
        End::Interrupted => "interrupted".to_string(),
        End::Unsure(count, cause) => format!("a prefix could not be decided ({count} in all): {cause}"),
        End::Found(_) | End::Exhausted => String::new(),
    }
}

/// What is known of a goal.
#[derive(Clone, Debug)]
enum Known {
    Met,
    /// By runs that make two rows; which ones is chosen in the end.
    Pair,
    Infeasible(Why),
    Open(String),
}

/// What a search may cost before it is asked whether runs end at all.
const FIRST_WORK: u64 = 500_000;
/// Of graphs with more edges it is not asked.
const MOST_EDGES: usize = 200;

/// What looking for one tour with side trips may cost: most that are not found soon do not exist.
const TOUR_WORK: u64 = 200_000;

/// What a tour of an obligation with side trips would be.
fn tour(obligation: &Obligation) -> Option<Goal> {
    let Need::Any(goals) = &obligation.need else { return None };
    match &goals[..] {
        // A single edge leaves no room for any.
        [Goal::Path(path)] if path.edges.len() > 1 => {
            Some(Goal::Tour { path: path.clone(), keeps: obligation.keeps })
        }
        _ => None,
    }
}

struct Job<'a> {
    cfg: &'a Cfg,
    decisions: &'a [Decision],
    options: &'a Options,
    interrupt: &'a AtomicBool,
    tree: Tree<'a>,
    distances: Distances,
    runs: Vec<(Test, Run)>,
    rows: BTreeMap<(usize, Row), Known>,
    reachable: Vec<bool>,
    used: Used,
    /// Of each edge why no run takes it, if that was asked.
    closed: Option<Vec<Option<Proof>>>,
}

impl<'a> Job<'a> {
    fn new(
        cfg: &'a Cfg,
        decisions: &'a [Decision],
        options: &'a Options,
        interrupt: &'a AtomicBool,
    ) -> Job<'a> {
        let costs = costs(cfg, options.cost);
        Job {
            cfg,
            decisions,
            options,
            interrupt,
            tree: new_tree(cfg, options, costs.clone()),
            distances: Distances::new(cfg, costs),
            runs: Vec::new(),
            rows: BTreeMap::new(),
            reachable: cfg.shape.reachable(),
            used: Used::default(),
            closed: None,
        }
    }

    /// What one of so many obligations may cost.
    fn share(&self, left: usize) -> u64 {
        let work = self.options.work.saturating_sub(self.tree.spent.work);
        work / (left.clamp(1, 8) as u64)
    }

    /// Whether one of some goals can be met.
    fn any(&mut self, goals: &[Goal], work: u64) -> Known {
        let mut last = Known::Infeasible(Why::Unreachable);
        // While there are few obligations the cheapest run of each is worth having: small suites come of it.
        let thorough = self.runs.len() < 200 && self.options.work / 2 > self.tree.spent.work;
        if !thorough && self.met(goals) {
            return Known::Met;
        }
        for goal in goals {
            match self.goal(goal, work / goals.len() as u64) {
                Known::Met => return Known::Met,
                open @ Known::Open(_) => last = open,
                other if !matches!(last, Known::Open(_)) => last = other,
                _ => {}
            }
        }
        if self.met(goals) { Known::Met } else { last }
    }

    /// Whether a run does one of these already.
    fn met(&self, goals: &[Goal]) -> bool {
        goals.iter().any(|goal| {
            let follower = Follower::new(self.cfg, goal);
            self.runs.iter().any(|(_, run)| follower.met_by(run, self.decisions))
        })
    }

    /// Of each obligation that is an infeasible path the tour with side trips that some run makes: the next best thing.
    fn tours(&mut self, obligations: &[Obligation], known: &[Known]) -> Vec<Option<Goal>> {
        let stop = self.tree.spent.work.saturating_add(self.share(1) / 4);
        let mut tours = Vec::new();
        for (obligation, known) in obligations.iter().zip(known) {
            let tour = tour(obligation).filter(|_| matches!(known, Known::Infeasible(_)));
            let work = stop.saturating_sub(self.tree.spent.work).min(TOUR_WORK);
            tours.push(tour.filter(|goal| {
                self.met(std::slice::from_ref(goal)) || matches!(self.goal(goal, work), Known::Met)
            }));
        }
        tours
    }

    fn goal(&mut self, goal: &Goal, work: u64) -> Known {
        if let Some(why) = self.by_shape(goal) {
            return Known::Infeasible(why);
        }
        let is_met = self.met(std::slice::from_ref(goal));
        if !is_met && let Some(Proof { subpaths }) = self.tree.prove(goal, self.decisions) {
            return Known::Infeasible(Why::Contradiction(subpaths));
        }
        let mut search =
            Search::goal(self.cfg, goal, self.decisions, &self.used, &mut self.tree, &mut self.distances);
        let first = work.min(FIRST_WORK);
        let mut end = search.next(&mut self.tree, first, self.interrupt);
        if matches!(end, End::Budget) && first < work {
            let (tree, decisions) = (&mut self.tree, self.decisions);
            let closed = self.closed.get_or_insert_with(|| closed(self.cfg, tree, decisions));
            let last = nodes(self.cfg, goal, decisions).pop();
            if let Some(subpaths) = last.and_then(|node| never_ends(self.cfg, closed, node)) {
                return Known::Infeasible(Why::NeverEnds(subpaths));
            }
            end = search.next(&mut self.tree, work - first, self.interrupt);
        }
        match end {
            End::Found(found) => match realise(self.cfg, &mut self.tree, &found) {
                Ok((inputs, run)) => {
                    self.add(found, inputs, run);
                    Known::Met
                }
                Err(why) => Known::Open(why),
            },
            End::Exhausted => Known::Infeasible(Why::Exhausted),
            other => Known::Open(stopped(&other)),
        }
    }

    fn add(&mut self, found: Found, inputs: Values, run: Run) {
        let same =
            |(t, _): &(Test, Run)| t.start == found.start && t.edges == found.edges && t.inputs == inputs;
        if !self.runs.iter().any(same) {
            let Found { start, edges, cost, .. } = found;
            self.used.add(&edges);
            self.runs.push((Test { inputs, start, edges, cost, covers: Vec::new() }, run));
        }
    }

    /// What the edges alone forbid.
    fn by_shape(&self, goal: &Goal) -> Option<Why> {
        if let Goal::Loop { shape, times: Times::Zero } = goal
            && !shape.tested_first
        {
            return Some(Why::BodyFirst);
        }
        let nodes = nodes(self.cfg, goal, self.decisions);
        if nodes.iter().any(|n| !self.reachable[n.index()]) {
            return Some(Why::Unreachable);
        }
        nodes.iter().any(|n| !self.distances.can_end(*n)).then_some(Why::NoExit)
    }

    /// Whether two rows can be made that show a condition. Rows that turn out impossible are planned around.
    fn pair(&mut self, decision: usize, condition: usize, variant: crate::mcdc::Variant, work: u64) -> Known {
        let Some(table) = Table::new(&self.decisions[decision]) else {
            return Known::Open(format!(
                "the decision has more than {} conditions",
                crate::mcdc::MAX_CONDITIONS
            ));
        };
        let stop = self.tree.spent.work.saturating_add(work);
        loop {
            let rows = &self.rows;
            let known = |row: Row| rows.get(&(decision, row));
            let usable = |row: Row| matches!(known(row), None | Some(Known::Met));
            let cost = |row: Row| if known(row).is_some() { 1 } else { 64 };
            let plan = table.plan(variant, &usable, &cost);
            let Some((t, f)) = plan[condition] else {
                return self.no_pair(decision, &table, condition, variant);
            };
            let wanted = [t, f].into_iter().find(|row| known(*row).is_none());
            let Some(row) = wanted else { return Known::Pair };
            let left = stop.saturating_sub(self.tree.spent.work);
            let found = self.row(decision, row, table.conditions, left);
            self.rows.insert((decision, row), found);
        }
    }

    fn row(&mut self, decision: usize, row: Row, conditions: usize, work: u64) -> Known {
        let values = (0..conditions).map(|i| Some(row >> i & 1 == 1)).collect();
        let goal = Goal::Row { decision, values, outcome: None };
        match self.met(std::slice::from_ref(&goal)) {
            true => Known::Met,
            false => self.goal(&goal, work),
        }
    }

    /// Why a condition cannot be shown, from what is known of the rows.
    fn no_pair(
        &self,
        decision: usize,
        table: &Table,
        condition: usize,
        variant: crate::mcdc::Variant,
    ) -> Known {
        let all = table.pairs(condition, variant, &|_| true);
        let open = |row: &Row| match self.rows.get(&(decision, *row)) {
            Some(Known::Open(why)) => Some(why.clone()),
            _ => None,
        };
        let impossible = |row: Row| matches!(self.rows.get(&(decision, row)), Some(Known::Infeasible(_)));
        if all.is_empty() {
            let why = "it never determines the outcome, whatever the others are".to_string();
            return Known::Infeasible(Why::NoPair(why));
        }
        match all.iter().find(|(t, f)| !impossible(*t) && !impossible(*f)) {
            Some((t, f)) => {
                let why =
                    open(t).or_else(|| open(f)).unwrap_or_else(|| "not all pairs were tried".to_string());
                Known::Open(why)
            }
            None => {
                let part = self.cfg.text(self.decisions[decision].conditions()[condition]);
                let why = format!("of each two evaluations that show {part} at least one is impossible");
                Known::Infeasible(Why::NoPair(why))
            }
        }
    }
}

/// Nodes that a run comes to if it meets a goal, in order.
fn nodes(cfg: &Cfg, goal: &Goal, decisions: &[Decision]) -> Vec<GraphNode> {
    match goal {
        Goal::Path(path) | Goal::Tour { path, .. } | Goal::Whole(path) => {
            vec![path.start, path.end(&cfg.shape)]
        }
        Goal::Loop { shape, .. } => vec![shape.header],
        Goal::DefUse { def, .. } => vec![*def],
        Goal::Row { decision, .. } => decisions.get(*decision).map(|d| d.node).into_iter().collect(),
    }
}

/// Of each edge why no run takes it.
fn closed(cfg: &Cfg, tree: &mut Tree, decisions: &[Decision]) -> Vec<Option<Proof>> {
    if cfg.edges.len() > MOST_EDGES {
        return vec![None; cfg.edges.len()];
    }
    let path = |edge| Goal::Path(Path { start: cfg.shape.from(edge), edges: vec![edge] });
    cfg.shape.edges().map(|edge| tree.prove(&path(edge), decisions)).collect()
}

/// Subpaths that no run takes and that every way from a node to an exit contains, if there are such.
fn never_ends(cfg: &Cfg, closed: &[Option<Proof>], from: GraphNode) -> Option<Vec<Subpath>> {
    let mut seen = vec![false; cfg.nodes.len()];
    let mut open = vec![from];
    let mut subpaths: Vec<Subpath> = Vec::new();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        if cfg.shape.is_final(node) {
            return None;
        }
        for edge in cfg.shape.succs(node) {
            match closed.get(edge.index()) {
                Some(Some(proof)) => {
                    let new = proof.subpaths.iter().filter(|s| !subpaths.contains(s));
                    let new: Vec<Subpath> = new.cloned().collect();
                    subpaths.extend(new);
                }
                _ => open.push(cfg.shape.to(*edge)),
            }
        }
    }
    Some(subpaths)
}
