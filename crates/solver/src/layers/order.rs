//! Contradictions of order alone: `a < b`, `b <= c`, `c <= a`.
//!
//! Comparisons are edges between what they compare, literals stand in their own order. What lies on a cycle is equal:
//! a strict comparison there cannot hold, nor can two terms there differ. The shortest such cycle is the core. Signed,
//! unsigned and float order are looked at one by one.

use rustc_hash::FxHashMap;
use term::semantics::{mask, signed};
use term::{Op, Pool, Sort, TermId};

use crate::ask::Core;

/// So many contradictions are compared for the smallest core.
const LOOK: usize = 8;

/// Assertions that no order of the compared terms satisfies.
pub fn cycle(pool: &Pool, assertions: &[TermId]) -> Option<Core> {
    [Order::Signed, Order::Unsigned, Order::Float].into_iter().find_map(|order| {
        let mut graph = Graph::default();
        for (i, &t) in assertions.iter().enumerate() {
            graph.note(pool, order, i, t);
        }
        // Equalities alone are rewritten elsewhere.
        if !graph.compares {
            return None;
        }
        graph.place_literals(pool, order);
        graph.contradiction()
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Signed,
    Unsigned,
    Float,
}

/// `from <= to`, or `<`; literals need no assertion for it.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    strict: bool,
    assertion: Option<usize>,
}

#[derive(Default)]
struct Graph {
    nodes: FxHashMap<TermId, u32>,
    terms: Vec<TermId>,
    edges: Vec<Edge>,
    differ: Vec<(u32, u32, usize)>,
    compares: bool,
}

impl Graph {
    fn node(&mut self, t: TermId) -> u32 {
        let next = self.terms.len() as u32;
        let node = *self.nodes.entry(t).or_insert(next);
        if node == next {
            self.terms.push(t);
        }
        node
    }

    fn edge(&mut self, a: TermId, b: TermId, strict: bool, i: usize) {
        let (from, to) = (self.node(a), self.node(b));
        self.edges.push(Edge { from, to, strict, assertion: Some(i) });
    }

    fn note(&mut self, pool: &Pool, order: Order, i: usize, t: TermId) {
        let (positive, (op, args)) = match pool.node(t) {
            (Op::Not, &[inner]) => (false, pool.node(inner)),
            node => (true, node),
        };
        let &[a, b] = args else { return };
        let strict = match (op, order) {
            (Op::Eq, Order::Signed | Order::Unsigned) if matches!(pool.sort(a), Sort::Bv(_)) => {
                match positive {
                    true => self.equal(a, b, i),
                    false => {
                        let (a, b) = (self.node(a), self.node(b));
                        self.differ.push((a, b, i));
                    }
                }
                return;
            }
            // What is compared and holds is not NaN; its negation may be.
            (Op::FpEq, Order::Float) if positive => return self.equal(a, b, i),
            (Op::FpLt, Order::Float) if positive => true,
            (Op::FpLe, Order::Float) if positive => false,
            (Op::BvSlt, Order::Signed) | (Op::BvUlt, Order::Unsigned) => true,
            (Op::BvSle, Order::Signed) | (Op::BvUle, Order::Unsigned) => false,
            _ => return,
        };
        self.compares = true;
        match positive {
            true => self.edge(a, b, strict, i),
            false => self.edge(b, a, !strict, i),
        }
    }

    fn equal(&mut self, a: TermId, b: TermId, i: usize) {
        self.edge(a, b, false, i);
        self.edge(b, a, false, i);
    }

    /// Literals of a width lie in a row.
    fn place_literals(&mut self, pool: &Pool, order: Order) {
        let key = |t: TermId| {
            let bits = pool.as_const(t)?;
            let value = match (order, pool.sort(t)) {
                (Order::Signed, sort @ Sort::Bv(width)) => {
                    // The sign's bit turned around makes it an unsigned order.
                    debug_assert!(signed(bits, width) >= 0 || bits >> (width - 1) == 1);
                    (bits ^ (1 << (sort.bits() - 1))) & mask(width)
                }
                (Order::Unsigned, Sort::Bv(_)) => bits,
                (Order::Float, Sort::F32) => float_key(f64::from(f32::from_bits(bits as u32)))?,
                (Order::Float, Sort::F64) => float_key(f64::from_bits(bits as u64))?,
                _ => return None,
            };
            Some((pool.sort(t).bits(), value))
        };
        let mut row: Vec<((u32, u128), u32)> =
            self.terms.iter().enumerate().filter_map(|(n, &t)| Some((key(t)?, n as u32))).collect();
        row.sort_unstable();
        for pair in row.windows(2) {
            let [((width, low), from), ((other, high), to)] = [pair[0], pair[1]];
            if width != other {
                continue;
            }
            let strict = low < high;
            self.edges.push(Edge { from, to, strict, assertion: None });
            if !strict {
                self.edges.push(Edge { from: to, to: from, strict, assertion: None });
            }
        }
    }

    fn contradiction(&self) -> Option<Core> {
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); self.terms.len()];
        for (e, edge) in self.edges.iter().enumerate() {
            next[edge.from as usize].push(e as u32);
        }
        let component = self.components(&next);
        let together = |a: u32, b: u32| component[a as usize] == component[b as usize];
        let strict = self.edges.iter().filter(|e| e.strict && together(e.from, e.to)).map(|edge| {
            let mut core = self.way(&next, edge.to, edge.from);
            core.extend(edge.assertion);
            core
        });
        let differ = self.differ.iter().filter(|(a, b, _)| together(*a, *b)).map(|&(a, b, i)| {
            let mut core = self.way(&next, a, b);
            core.extend(self.way(&next, b, a));
            core.push(i);
            core
        });
        let mut core = strict.chain(differ).take(LOOK).min_by_key(Vec::len)?;
        core.sort_unstable();
        core.dedup();
        Some(core)
    }

    /// The assertions on the shortest way from one node to another.
    fn way(&self, next: &[Vec<u32>], from: u32, to: u32) -> Core {
        let mut came: Vec<Option<u32>> = vec![None; next.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for &e in &next[node as usize] {
                let target = self.edges[e as usize].to;
                if target != from && came[target as usize].is_none() {
                    came[target as usize] = Some(e);
                    queue.push_back(target);
                }
            }
        }
        let mut core = Vec::new();
        let mut at = to;
        while at != from {
            let Some(e) = came[at as usize] else { break };
            let edge = self.edges[e as usize];
            core.extend(edge.assertion);
            at = edge.from;
        }
        core
    }

    /// The strongly connected component of each node (Tarjan, without recursion).
    fn components(&self, next: &[Vec<u32>]) -> Vec<u32> {
        const NEW: u32 = u32::MAX;
        let count = next.len();
        let (mut index, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
        let (mut stack, mut calls, mut numbered) = (Vec::new(), Vec::new(), 0);
        for root in 0..count as u32 {
            if index[root as usize] != NEW {
                continue;
            }
            calls.push((root, 0));
            while let Some((node, at)) = calls.pop() {
                let n = node as usize;
                if at == 0 {
                    (index[n], low[n]) = (numbered, numbered);
                    numbered += 1;
                    stack.push(node);
                }
                if let Some(&e) = next[n].get(at) {
                    calls.push((node, at + 1));
                    let to = self.edges[e as usize].to;
                    if index[to as usize] == NEW {
                        calls.push((to, 0));
                    } else if component[to as usize] == NEW {
                        low[n] = low[n].min(index[to as usize]);
                    }
                    continue;
                }
                if low[n] == index[n] {
                    while let Some(member) = stack.pop() {
                        component[member as usize] = node;
                        if member == node {
                            break;
                        }
                    }
                }
                if let Some((parent, _)) = calls.last() {
                    let p = *parent as usize;
                    low[p] = low[p].min(low[n]);
                }
            }
        }
        component
    }
}

/// Orders floats as numbers: both zeros are one. None for NaN, which has no place.
fn float_key(value: f64) -> Option<u128> {
    if value.is_nan() {
        return None;
    }
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    let key = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    Some(key.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_contradict_and_chains_do_not() {
        let mut pool = Pool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.declare(name, Sort::Bv(32)));
        let (seven, minus) = (pool.bv(32, 7), pool.bv(32, 0xffff_fff0));
        let (ab, bc, ca) = (pool.slt(a, b), pool.sle(b, c), pool.sle(c, a));
        let other = pool.slt(c, d);
        assert_eq!(cycle(&pool, &[ab, bc, other]), None);
        assert_eq!(cycle(&pool, &[other, ab, bc, ca]), Some(vec![1, 2, 3]));
        // All equal is fine, but not two of them different.
        let ab = pool.sle(a, b);
        let apart = pool.ne(a, c);
        assert_eq!(cycle(&pool, &[ab, bc, ca]), None);
        assert_eq!(cycle(&pool, &[ab, bc, ca, apart]), Some(vec![0, 1, 2, 3]));
        // Literals: 7 <= a < b <= -16 in signed order, but not in unsigned order.
        let signed = [pool.sle(seven, a), pool.slt(a, b), pool.sle(b, minus)];
        assert_eq!(cycle(&pool, &signed), Some(vec![0, 1, 2]));
        let unsigned = [pool.ule(seven, a), pool.ult(a, b), pool.ule(b, minus)];
        assert_eq!(cycle(&pool, &unsigned), None);
    }

    #[test]
    fn floats_have_their_own_order() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::F64));
        let [plus, minus] = [0.0f64, -0.0].map(|k| pool.constant(Sort::F64, k.to_bits().into()));
        let (xy, yx) = (pool.raw(Op::FpLt, &[x, y]), pool.raw(Op::FpLe, &[y, x]));
        assert_eq!(cycle(&pool, &[xy, yx]), Some(vec![0, 1]));
        let not = pool.raw(Op::Not, &[xy]);
        assert_eq!(cycle(&pool, &[not, yx]), None);
        // Both zeros are one number.
        let around = [pool.raw(Op::FpLe, &[plus, x]), pool.raw(Op::FpLe, &[x, minus])];
        assert_eq!(cycle(&pool, &around), None);
        let between = [pool.raw(Op::FpLt, &[minus, x]), pool.raw(Op::FpLt, &[x, plus])];
        assert!(cycle(&pool, &between).is_some());
    }
}
