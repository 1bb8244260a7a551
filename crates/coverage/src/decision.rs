//! Decisions of the source with their conditions, recovered from the branches that short-circuit evaluation compiles to.
//!
//! The front end numbers the branches of a decision ([`ir::BranchInfo`]). Here their jumps become a diagram: each
//! condition leads, true or false, to another condition or to the outcome. Which way is true is not in the code; a
//! condition is called true where that makes the outcome true, and the outcome where the code goes on, which is how
//! compilers lay out `if`, `while`, `? :` and assigned conditions; the front end says where it is another ([`ir::BranchInfo::far`]).

use crate::flow::Flow;
use crate::graph::{GraphEdge, GraphNode, Path};
use crate::projection::{Branch, Projection};
use ir::{BlockId, Function, Op, Ways};
use std::collections::BTreeMap;

/// Ways through all that chooses operands of a decision, at most; where there are more, its conditions stand alone.
const MOST_WAYS: usize = 256;

/// A decision of the source: a Boolean expression that steers, with its conditions in the order of evaluation.
#[derive(Clone, Debug)]
pub struct Decision {
    pub number: u32,
    pub line: u32,
    pub conditions: Vec<Condition>,
    /// In words of the source: `x > 0 && (y > 0 || !done)`.
    pub text: String,
    /// Code indices of the conditions in each copy that the compiler made; the first is the decision itself.
    copies: Vec<Vec<u32>>,
}

/// A condition: a Boolean expression without connectives.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What holds if it is false, and if it is true.
    pub texts: [String; 2],
    pub line: u32,
    /// The position of the branch's successor if it is false, and if it is true.
    pub positions: [u32; 2],
    /// What comes next if it is false, and if it is true.
    pub next: [Next; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Condition(usize),
    Outcome(bool),
}

/// How a decision was evaluated: a value for each condition, none for what was not evaluated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub values: Vec<Option<bool>>,
    pub outcome: bool,
}

/// The decisions of a function that have two outcomes, by number. Switches are not among them.
pub fn decisions(projection: &Projection) -> Vec<Decision> {
    let mut groups: BTreeMap<u32, Vec<&Branch>> = BTreeMap::new();
    let is_br = |b: &&Branch| projection.func.code[b.index as usize].op == Op::Br;
    for branch in projection.branches.iter().filter(is_br) {
        groups.entry(branch.info.decision).or_default().push(branch);
    }
    let mut found: Vec<Decision> = Vec::new();
    for (number, mut members) in groups {
        members.sort_by_key(|b| b.info.condition);
        match decision(projection, number, &members) {
            Some(decision) => found.push(decision),
            // Jumps that are no diagram with two outcomes: each is a decision of its own.
            None => found.extend(members.iter().filter_map(|m| decision(projection, number, &[*m]))),
        }
    }
    found.sort_by_key(|d| d.copies.first().and_then(|c| c.first().copied()));
    found
}

fn decision(projection: &Projection, number: u32, members: &[&Branch]) -> Option<Decision> {
    let func = projection.func;
    let blocks: Vec<BlockId> = members.iter().map(|b| func.block_at(b.index)).collect();
    let ways = Ways::new(func);
    let firsts: Vec<Vec<BlockId>> =
        members.iter().map(|branch| branch.choices.iter().take(2).map(|c| c.target).collect()).collect();
    if firsts.iter().any(|firsts| firsts.len() != 2) {
        return None;
    }
    // Behind the head only: a loop that comes back to its own condition leaves the decision.
    let position = |block: BlockId| blocks.iter().skip(1).position(|b| *b == block).map(|i| i + 1);
    let straight = |first: BlockId| ways.straight(first, |b| position(b).is_some()).and_then(position);
    let reached: Vec<usize> = firsts.iter().flatten().filter_map(|first| straight(*first)).collect();
    let chooses = (1..members.len()).any(|i| !reached.contains(&i));
    let mut behind: BTreeMap<BlockId, usize> = BTreeMap::new();
    if chooses {
        let mut ways = 1;
        for first in firsts.iter().flatten().filter(|first| straight(**first).is_none()) {
            if let Some((next, count)) = behind_choice(func, *first, &blocks)?
                && behind.insert(*first, next).is_none()
            {
                ways *= count;
            }
        }
        if ways > MOST_WAYS {
            return None;
        }
    }
    let member = |first: BlockId| straight(first).or_else(|| behind.get(&first).copied());
    let out: Vec<BlockId> =
        firsts.iter().flatten().copied().filter(|first| member(*first).is_none()).collect();
    // Which edges out make the outcome true.
    let truths: Vec<bool> = match ways.two(&out) {
        Some(both) => {
            let way = ways.way(true_way(members.last()?, firsts.last()?)?);
            // A guard that fails goes on with the next case.
            let truth = match both.into_iter().find(|end| *end != way) {
                Some(other) if projection.tries_next_case(way) => other,
                _ => way,
            };
            out.iter().map(|first| ways.way(*first) == truth).collect()
        }
        // Nothing depends on it: the way the branch goes is the outcome.
        None if members.len() == 1 => vec![true, false],
        None => return None,
    };
    let mut truths = truths.into_iter();
    let mut raw: Vec<[Next; 2]> = Vec::new();
    for firsts in &firsts {
        let mut next = [Next::Outcome(false); 2];
        for (next, first) in next.iter_mut().zip(firsts) {
            *next = match member(*first) {
                Some(i) => Next::Condition(i),
                None => Next::Outcome(truths.next()?),
            };
        }
        raw.push(next);
    }
    // A diagram leads forward: what leads back is no evaluation of one expression.
    for (i, next) in raw.iter().enumerate() {
        if next.iter().any(|n| matches!(n, Next::Condition(j) if *j <= i)) {
            return None;
        }
    }
    let true_positions = true_positions(&raw);
    let conditions: Vec<Condition> = members
        .iter()
        .zip(raw.iter().zip(true_positions))
        .map(|(branch, (next, truth))| {
            let positions = [1 - truth, truth];
            Condition {
                texts: positions.map(|p: usize| branch.choices[p].text.clone()),
                line: branch.line,
                positions: positions.map(|p| p as u32),
                next: positions.map(|p| next[p]),
            }
        })
        .collect();
    let text = formula(&conditions);
    // Compilers say the line of an operator where a pattern is asked for.
    let line = members.iter().map(|b| b.line).filter(|line| *line != 0).min().unwrap_or(0);
    Some(Decision { number, line, conditions, text, copies: copies(members) })
}

/// The condition of a decision that a block leads to by way of what chooses an operand of it (`f(c ? x : y) > 3`), and in how many ways;
/// `Some(None)` if to none, `None` if to several.
#[expect(clippy::option_option)]
fn behind_choice(func: &Function, first: BlockId, conditions: &[BlockId]) -> Option<Option<(usize, usize)>> {
    let mut found: Option<usize> = None;
    // In order of their ends: what comes after a block is known before it.
    let mut ways: BTreeMap<BlockId, usize> = BTreeMap::new();
    let mut open: Vec<(BlockId, bool)> = vec![(first, false)];
    while let Some((block, is_end)) = open.pop() {
        if is_end {
            let after = |to: &BlockId| ways.get(to).copied().unwrap_or(0);
            let sum = func.successors(block).iter().map(after).fold(0, usize::saturating_add);
            ways.insert(block, sum);
            continue;
        }
        if ways.contains_key(&block) {
            continue;
        }
        match conditions.iter().position(|condition| *condition == block) {
            // The decision is begun again.
            Some(0) => {
                ways.insert(block, 0);
            }
            Some(one) if found.is_some_and(|other| other != one) => return None,
            Some(one) => {
                found = Some(one);
                ways.insert(block, 1);
            }
            None => {
                ways.insert(block, 0);
                open.push((block, true));
                open.extend(func.successors(block).into_iter().map(|to| (to, false)));
            }
        }
    }
    Some(found.map(|one| (one, ways.get(&first).copied().unwrap_or(1).max(1))))
}

/// Which way of a decision's last condition makes the outcome true.
fn true_way(last: &Branch, ways: &[BlockId]) -> Option<BlockId> {
    let ways = ways.iter().copied();
    if last.info.far { ways.max() } else { ways.min() }
}

/// Of each condition the way that it is called true on, by position: where the outcome is likelier true. One that only chooses what
/// is asked next (those of `a` in `a ? b : c`) is true where that is what comes first.
fn true_positions(next: &[[Next; 2]]) -> Vec<usize> {
    let chances = chances(next);
    let chance = |next: Next| match next {
        Next::Condition(i) => chances[i],
        Next::Outcome(outcome) => f64::from(u8::from(outcome)),
    };
    // What is chosen from, and how likely the first of both is.
    let mut choices: Vec<Option<(usize, usize, f64)>> = vec![None; next.len()];
    for (i, ways) in next.iter().enumerate().rev() {
        let [Next::Condition(x), Next::Condition(y)] = *ways else { continue };
        if x == y || chances[x] != chances[y] {
            continue;
        }
        let (near, far) = (x.min(y), x.max(y));
        // Several conditions choose together: `a || b ? c : d`.
        let together = choices[near].and_then(|(first, second, by_near)| {
            let by_far = match choices[far] {
                _ if far == first => 1.0,
                _ if far == second => 0.0,
                Some((a, b, by_far)) if (a, b) == (first, second) => by_far,
                _ => return None,
            };
            Some((first, second, (by_near + by_far) / 2.0))
        });
        choices[i] = Some(together.unwrap_or((near, far, 0.5)));
    }
    let truth = |(ways, choice): (&[Next; 2], &Option<(usize, usize, f64)>)| {
        let value = |next: Next| match (choice, next) {
            (Some((first, _, _)), Next::Condition(i)) if i == *first => 1.0,
            (Some((_, second, _)), Next::Condition(i)) if i == *second => 0.0,
            (Some(_), Next::Condition(i)) => choices[i].map_or(0.0, |(_, _, first)| first),
            (_, next) => chance(next),
        };
        usize::from(value(ways[1]) > value(ways[0]))
    };
    next.iter().zip(&choices).map(truth).collect()
}

/// How likely each condition leads to the outcome "true" if all are tosses of a coin.
fn chances(next: &[[Next; 2]]) -> Vec<f64> {
    let mut chances = vec![0.0; next.len()];
    for i in (0..next.len()).rev() {
        let of = |next: Next| match next {
            Next::Condition(j) => chances[j],
            Next::Outcome(outcome) => f64::from(u8::from(outcome)),
        };
        chances[i] = (of(next[i][0]) + of(next[i][1])) / 2.0;
    }
    chances
}

/// Copies that are complete, by the decision they make up.
fn copies(members: &[&Branch]) -> Vec<Vec<u32>> {
    let mut all = vec![members.iter().map(|b| b.index).collect::<Vec<u32>>()];
    let first = members.first().map(|b| &b.copies[..]).unwrap_or(&[]);
    for copy in first {
        let of = |b: &&Branch| {
            let same = |c: &&Branch| c.info.decision == copy.info.decision;
            b.copies.iter().find(same).map(|c| c.index)
        };
        let indices: Vec<u32> = members.iter().filter_map(of).collect();
        if indices.len() == members.len() {
            all.push(indices);
        }
    }
    all
}

/// The expression: neighbours are joined to `&&` and `||` until one is left. What is neither is listed.
fn formula(conditions: &[Condition]) -> String {
    struct Part {
        text: String,
        /// 0 a condition, 1 a conjunction, 2 a disjunction, 3 a choice.
        kind: u8,
        /// What it says if it is false.
        negated: Option<String>,
        next: [Next; 2],
        first: usize,
    }
    let wrap = |part: &Part, text: &str, kind: u8| match part.kind == 0 || part.kind == kind {
        true => text.to_string(),
        false => format!("({text})"),
    };
    let mut parts: Vec<Part> = conditions
        .iter()
        .enumerate()
        .map(|(first, c)| Part {
            text: c.texts[1].clone(),
            kind: 0,
            negated: Some(c.texts[0].clone()),
            next: c.next,
            first,
        })
        .collect();
    while parts.len() > 1 {
        let entered = |parts: &[Part], first: usize| {
            parts.iter().flat_map(|p| p.next).filter(|n| *n == Next::Condition(first)).count()
        };
        let joined = (0..parts.len() - 1).find_map(|i| {
            let (a, b) = (&parts[i], &parts[i + 1]);
            let here = Next::Condition(b.first);
            if entered(&parts, b.first) != 1 {
                return None;
            }
            let kind = match a.next {
                [f, t] if t == here && f == b.next[0] => 1,
                [f, t] if f == here && t == b.next[1] => 2,
                _ => return None,
            };
            let (word, other) = if kind == 1 { ("&&", "||") } else { ("||", "&&") };
            let text = format!("{} {word} {}", wrap(a, &a.text, kind), wrap(b, &b.text, kind));
            // Not both is: not the one or not the other.
            let negated = a.negated.as_ref().zip(b.negated.as_ref());
            let negated = negated.map(|(x, y)| format!("{} {other} {}", wrap(a, x, kind), wrap(b, y, kind)));
            Some((i, 2, Part { text, kind, negated, next: b.next, first: a.first }))
        });
        // `a ? b : c`, either way round.
        let joined = joined.or_else(|| {
            (0..parts.len().saturating_sub(2)).find_map(|i| {
                let (a, b, c) = (&parts[i], &parts[i + 1], &parts[i + 2]);
                let (then, other) = (Next::Condition(b.first), Next::Condition(c.first));
                let alone = [b.first, c.first].iter().all(|first| entered(&parts, *first) == 1);
                let asked = match a.next {
                    [f, t] if t == then && f == other => Some(&a.text),
                    [f, t] if f == then && t == other => a.negated.as_ref(),
                    _ => None,
                }?;
                let choice = |part: &Part, text: &str| match part.kind {
                    0 => text.to_string(),
                    _ => format!("({text})"),
                };
                let asked = choice(a, asked);
                let text = format!("{asked} ? {} : {}", choice(b, &b.text), choice(c, &c.text));
                let negated = b.negated.as_ref().zip(c.negated.as_ref());
                let negated = negated.map(|(x, y)| format!("{asked} ? {} : {}", choice(b, x), choice(c, y)));
                let part = Part { text, kind: 3, negated, next: b.next, first: a.first };
                (alone && b.next == c.next).then_some((i, 3, part))
            })
        });
        let Some((i, count, part)) = joined else {
            let all: Vec<&str> = conditions.iter().map(|c| c.texts[1].as_str()).collect();
            return format!("a decision of {}", all.join(", "));
        };
        parts[i] = part;
        parts.drain(i + 1..i + count);
    }
    parts.pop().map(|p| p.text).unwrap_or_default()
}

impl Decision {
    /// The ways to evaluate it, at most so many; and whether there are more.
    pub fn rows(&self, most: usize) -> (Vec<Row>, bool) {
        let mut rows = Vec::new();
        let mut open = vec![(Next::Condition(0), vec![None; self.conditions.len()])];
        while let Some((next, values)) = open.pop() {
            match next {
                Next::Outcome(outcome) => {
                    if rows.len() == most {
                        return (rows, true);
                    }
                    rows.push(Row { values, outcome });
                }
                Next::Condition(i) => {
                    // True first, as the stack is taken from its end.
                    for truth in [false, true] {
                        let mut values = values.clone();
                        values[i] = Some(truth);
                        open.push((self.conditions[i].next[usize::from(truth)], values));
                    }
                }
            }
        }
        (rows, false)
    }

    /// The outcome for a value of each condition.
    pub fn outcome(&self, values: &[bool]) -> bool {
        let mut at = Next::Condition(0);
        loop {
            match at {
                Next::Outcome(outcome) => return outcome,
                Next::Condition(i) => at = self.conditions[i].next[usize::from(values[i])],
            }
        }
    }

    /// Whether a condition decides the outcome of a row: were it the other way, the outcome could be too, all else that
    /// was evaluated being the same.
    pub fn determines(&self, row: &Row, condition: usize) -> bool {
        let Some(value) = row.values[condition] else { return false };
        let mut open = vec![Next::Condition(0)];
        let mut seen = vec![false; self.conditions.len()];
        while let Some(next) = open.pop() {
            if matches!(next, Next::Condition(i) if std::mem::replace(&mut seen[i], true)) {
                continue;
            }
            match next {
                Next::Outcome(outcome) if outcome != row.outcome => return true,
                Next::Outcome(_) => {}
                Next::Condition(i) if i == condition => {
                    open.push(self.conditions[i].next[usize::from(!value)]);
                }
                Next::Condition(i) => match row.values[i] {
                    Some(value) => open.push(self.conditions[i].next[usize::from(value)]),
                    None => open.extend(self.conditions[i].next),
                },
            }
        }
        false
    }

    /// What makes a condition go one way: code index and position, of the decision and of its copies.
    pub fn takes(&self, condition: usize, truth: bool) -> Vec<(u32, u32)> {
        let position = self.conditions[condition].positions[usize::from(truth)];
        self.copies.iter().map(|indices| (indices[condition], position)).collect()
    }

    /// How an activation evaluated it, from the branches it took, in order. What an exception cut short is no evaluation.
    pub fn evaluations(&self, takes: impl IntoIterator<Item = (u32, u32)>) -> Vec<Row> {
        let mut rows = Vec::new();
        // The copy, the values so far, and which condition must come next.
        let mut open: Option<(usize, Vec<Option<bool>>, usize)> = None;
        for (index, position) in takes {
            let place =
                |(copy, indices): (usize, &Vec<u32>)| Some((copy, indices.iter().position(|i| *i == index)?));
            let Some((copy, condition)) = self.copies.iter().enumerate().find_map(place) else { continue };
            let mut values = match open.take() {
                Some((at, values, next)) if (at, next) == (copy, condition) => values,
                _ if condition == 0 => vec![None; self.conditions.len()],
                _ => continue,
            };
            let truth = self.conditions[condition].positions[1] == position;
            values[condition] = Some(truth);
            match self.conditions[condition].next[usize::from(truth)] {
                Next::Outcome(outcome) => rows.push(Row { values, outcome }),
                Next::Condition(next) => open = Some((copy, values, next)),
            }
        }
        rows
    }

    /// The row as a path of the graph; several where the code was duplicated or the last way divides.
    pub fn paths(&self, func: &Function, flow: &Flow, row: &Row) -> Vec<Path> {
        let mut all = Vec::new();
        for indices in &self.copies {
            let steps: Vec<(u32, u32)> = (0..self.conditions.len())
                .filter_map(|c| Some((c, row.values[c]?)))
                .map(|(c, truth)| (indices[c], self.conditions[c].positions[usize::from(truth)]))
                .collect();
            let members: Vec<GraphNode> =
                indices.iter().filter_map(|index| flow.node(func.block_at(*index))).collect();
            let mut ways: Vec<Vec<GraphEdge>> = vec![Vec::new()];
            for (i, (index, position)) in steps.iter().enumerate() {
                let next = steps.get(i + 1).and_then(|(index, _)| flow.node(func.block_at(*index)));
                let on: Vec<Vec<GraphEdge>> = flow
                    .edges_by(*index, *position)
                    .flat_map(|edge| match next {
                        Some(node) => between(flow, edge, node, &members),
                        None => vec![vec![edge]],
                    })
                    .collect();
                ways = ways
                    .iter()
                    .flat_map(|way| on.iter().map(move |on| way.iter().chain(on).copied().collect()))
                    .collect();
            }
            let head = indices.first().and_then(|index| flow.node(func.block_at(*index)));
            if let Some(start) = head {
                all.extend(ways.into_iter().filter(|w| !w.is_empty()).map(|edges| Path { start, edges }));
            }
        }
        all
    }

    /// A row in words: `x > 0 is true, y > 0 is false`.
    pub fn row_text(&self, row: &Row) -> String {
        let one = |(c, value): (&Condition, &Option<bool>)| value.map(|v| c.texts[usize::from(v)].clone());
        let all: Vec<String> = self.conditions.iter().zip(&row.values).filter_map(one).collect();
        all.join(", ")
    }
}

/// The ways to the node of the next condition, from an edge on: what a record pattern takes apart and what chooses an operand lies
/// between, no other condition does.
fn between(flow: &Flow, first: GraphEdge, node: GraphNode, members: &[GraphNode]) -> Vec<Vec<GraphEdge>> {
    let graph = &flow.graph;
    // What leads to the node without passing a condition of the decision.
    let mut leads = vec![false; graph.len()];
    let mut open = vec![node];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut leads[at.0 as usize], true) {
            let before = graph.preds(at).iter().map(|edge| graph.from(*edge));
            open.extend(before.filter(|before| !members.contains(before)));
        }
    }
    let mut found = Vec::new();
    let mut open = vec![vec![first]];
    while let Some(way) = open.pop() {
        let Some(at) = way.last().map(|edge| graph.to(*edge)) else { continue };
        if at == node {
            found.push(way);
        } else if leads[at.0 as usize] && found.len() < MOST_WAYS {
            // The first stays on top.
            for edge in graph.succs(at).iter().rev() {
                let comes_back = way.iter().any(|before| graph.from(*before) == graph.to(*edge));
                if !comes_back {
                    open.push(way.iter().copied().chain([*edge]).collect());
                }
            }
        }
    }
    found
}
