//! The account of a function's obligations: which execution covers which, and what became of the others.

use crate::obligation::{Obligation, ObligationId, Target};
use entity::entity;
use ir::{EdgeMap, EdgeSet, Function};

entity! {
    /// An execution, numbered by whoever runs it.
    pub struct ExecId = "run";
}

/// What became of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first execution that covers it.
    Covered { by: ExecId },
    /// No execution can cover it, and why that is known.
    Infeasible { reason: String },
    /// Neither is known, and why.
    Open { reason: String },
}

/// How many obligations have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub covered: u32,
    pub infeasible: u32,
    pub open: u32,
}

impl Counts {
    pub fn total(self) -> u32 {
        self.covered + self.infeasible + self.open
    }

    /// Everything that can be covered is.
    pub fn is_complete(self) -> bool {
        self.open == 0
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.covered += other.covered;
        self.infeasible += other.infeasible;
        self.open += other.open;
    }
}

/// Obligations of one function, and their verdicts.
pub struct Account {
    map: EdgeMap,
    obligations: Vec<Obligation>,
    verdicts: Vec<Verdict>,
    contradictions: Vec<(ObligationId, String)>,
}

impl Account {
    /// All obligations are open at first: not explored yet.
    pub fn new(func: &Function, obligations: Vec<Obligation>) -> Account {
        let verdicts = vec![Verdict::Open { reason: "not reached yet".to_string() }; obligations.len()];
        Account { map: EdgeMap::new(func), obligations, verdicts, contradictions: Vec::new() }
    }

    pub fn map(&self) -> &EdgeMap {
        &self.map
    }

    pub fn obligations(&self) -> &[Obligation] {
        &self.obligations
    }

    pub fn get(&self, id: ObligationId) -> Option<(&Obligation, &Verdict)> {
        Some((self.obligations.get(id.0 as usize)?, self.verdicts.get(id.0 as usize)?))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Obligation, &Verdict)> {
        self.obligations.iter().zip(&self.verdicts)
    }

    /// Everything an execution covers, whatever was covered before.
    pub fn covers(&self, func: &Function, points: &EdgeSet) -> Vec<ObligationId> {
        // Most criteria ask for points only; what they imply is worked out where a line is asked for.
        let by_instruction = |o: &Obligation| o.targets.iter().any(|t| matches!(t, Target::Execute(_)));
        let executed = match self.obligations.iter().any(by_instruction) {
            true => self.map.executed(func, points),
            false => EdgeSet::new(),
        };
        let covered = self.obligations.iter().filter(|o| o.is_covered(func, &self.map, points, &executed));
        covered.map(|o| o.id).collect()
    }

    /// Enters an execution; what it covers first is returned. What was held infeasible and is covered now is
    /// covered, and the contradiction is kept: it is a bug of ours.
    pub fn record(&mut self, func: &Function, by: ExecId, points: &EdgeSet) -> Vec<ObligationId> {
        let mut new = Vec::new();
        for id in self.covers(func, points) {
            let verdict = &mut self.verdicts[id.0 as usize];
            match std::mem::replace(verdict, Verdict::Covered { by }) {
                Verdict::Covered { by: earlier } => {
                    *verdict = Verdict::Covered { by: earlier };
                    continue;
                }
                Verdict::Infeasible { reason } => self.contradictions.push((id, reason)),
                Verdict::Open { .. } => {}
            }
            new.push(id);
        }
        new
    }

    /// Says that nothing can cover it. Covered stays covered, and the contradiction is kept.
    pub fn infeasible(&mut self, id: ObligationId, reason: impl Into<String>) {
        match self.verdicts.get_mut(id.0 as usize) {
            Some(Verdict::Covered { .. }) => self.contradictions.push((id, reason.into())),
            Some(verdict) => *verdict = Verdict::Infeasible { reason: reason.into() },
            None => {}
        }
    }

    /// Says why it is still open. A verdict that is known stays.
    pub fn open(&mut self, id: ObligationId, reason: impl Into<String>) {
        if let Some(Verdict::Open { reason: known }) = self.verdicts.get_mut(id.0 as usize) {
            *known = reason.into();
        }
    }

    /// Obligations that are neither covered nor infeasible.
    pub fn unmet(&self) -> impl Iterator<Item = &Obligation> {
        self.iter().filter(|(_, v)| matches!(v, Verdict::Open { .. })).map(|(o, _)| o)
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for verdict in &self.verdicts {
            match verdict {
                Verdict::Covered { .. } => counts.covered += 1,
                Verdict::Infeasible { .. } => counts.infeasible += 1,
                Verdict::Open { .. } => counts.open += 1,
            }
        }
        counts
    }

    /// Obligations that were both covered and said to be infeasible, and why they were.
    pub fn contradictions(&self) -> &[(ObligationId, String)] {
        &self.contradictions
    }
}
