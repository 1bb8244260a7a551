//! The pool: owns all terms, makes each once, and knows variables and constants.
//!
//! A term is an index. Equal structure means equal index, so comparing terms is comparing numbers. Children
//! always have smaller indices than their parents; walkers may rely on it.

use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex};

use entity::{EntityId, PrimaryMap, entity};
use rustc_hash::FxHashMap;

use crate::hash;
use crate::map::TermMap;
use crate::op::{Op, Sort, result_sort};
use crate::rules;
use crate::semantics::{canonical, mask};
use crate::vars::Vars;

/// A term of a [`Pool`]. 0 is "no term", so that a parallel `u32` array can say where terms are.
#[derive(Copy, Clone, Eq, PartialEq, Hash, PartialOrd, Ord, Default)]
pub struct TermId(pub u32);

impl TermId {
    pub const NONE: TermId = TermId(0);

    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub fn is_some(self) -> bool {
        self.0 != 0
    }
}

impl std::fmt::Debug for TermId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "t{}", self.0)
    }
}

entity! {
    /// A variable of a [`Pool`], numbered in order of declaration.
    pub struct VarId = "v";
}

struct Variable {
    name: Box<str>,
    term: TermId,
}

#[derive(Clone, Copy)]
struct Node {
    op: Op,
    sort: Sort,
    /// Where the arguments start in `Pool::args`; for a leaf, the index of its variable or constant.
    start: u32,
    hash: u128,
}

/// How deep rules may call each other before terms are made as they are. Rules walk down terms by calling
/// [`Pool::mk`]; the limit keeps the host's stack flat however deep the term is.
const MAX_RULE_DEPTH: u32 = 48;

#[expect(clippy::disallowed_types, reason = "its hasher is not random, and nobody goes through it")]
type ByHash = std::collections::HashMap<u128, TermId, BuildHasherDefault<hash::Mixed>>;

/// Places for what was made before.
const MADE: usize = 512;
/// Terms that a new pool has room for.
const ROOM: usize = 256;

/// Owns terms. See the crate's documentation.
pub struct Pool {
    nodes: Vec<Node>,
    args: Vec<TermId>,
    constants: Vec<u128>,
    variables: PrimaryMap<VarId, Variable>,
    by_name: FxHashMap<Box<str>, VarId>,
    /// Keyed by the structural hash: 128 well mixed bits, so a collision is out of reach (and asserted away
    /// in debug builds).
    interned: ByHash,
    /// What some operators over some arguments became, each in one place: a machine makes the same condition again and again.
    made: Vec<(Op, [TermId; 3], TermId)>,
    vars_of: Mutex<Vars>,
    rules: bool,
    depth: u32,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    pub fn new() -> Pool {
        let mut pool = Pool {
            nodes: Vec::with_capacity(ROOM),
            args: Vec::with_capacity(ROOM * 2),
            constants: Vec::new(),
            variables: PrimaryMap::new(),
            by_name: FxHashMap::default(),
            interned: ByHash::with_capacity_and_hasher(ROOM, BuildHasherDefault::default()),
            made: Vec::new(),
            vars_of: Mutex::default(),
            rules: true,
            depth: 0,
        };
        // Index 0 is `TermId::NONE`; nobody may look at the node that fills the place.
        pool.nodes.push(Node { op: Op::Const, sort: Sort::Bool, start: 0, hash: 0 });
        pool.constants.push(0);
        pool
    }

    /// A pool whose [`mk`](Self::mk) neither simplifies, folds nor reorders: what was asked for is what there is.
    pub fn without_rules() -> Pool {
        Pool { rules: false, ..Pool::new() }
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn sort(&self, t: TermId) -> Sort {
        self.get(t).sort
    }

    /// Width of a bit-vector term, 1 for Booleans, the format's for floats, 0 for arrays.
    #[inline]
    pub fn width(&self, t: TermId) -> u32 {
        self.sort(t).bits()
    }

    // Variables.

    /// The variable of that name, declared if it is new. The same name must come with the same sort.
    pub fn declare(&mut self, name: &str, sort: Sort) -> TermId {
        if let Some(&var) = self.by_name.get(name) {
            let term = self.variables[var].term;
            debug_assert_eq!(self.sort(term), sort, "{name} was declared with another sort");
            return term;
        }
        let hash = hash::leaf(Op::Var, sort, hash::bytes(name.as_bytes()));
        let var = self.variables.next_key();
        let term = self.push(Node { op: Op::Var, sort, start: var.0, hash });
        self.variables.push(Variable { name: name.into(), term });
        self.by_name.insert(name.into(), var);
        term
    }

    #[inline]
    pub fn var_of(&self, t: TermId) -> Option<VarId> {
        let node = self.get(t);
        (node.op == Op::Var).then_some(VarId(node.start))
    }

    pub fn var_by_name(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }

    pub fn var_name(&self, v: VarId) -> &str {
        &self.variables[v].name
    }

    pub fn var_sort(&self, v: VarId) -> Sort {
        self.sort(self.variables[v].term)
    }

    pub fn var_term(&self, v: VarId) -> TermId {
        self.variables[v].term
    }

    /// Number of variables declared.
    pub fn var_count(&self) -> usize {
        self.variables.len()
    }

    // Constants.

    pub fn bool(&mut self, b: bool) -> TermId {
        self.constant(Sort::Bool, b.into())
    }

    pub fn bv(&mut self, width: u32, value: u64) -> TermId {
        self.constant(Sort::Bv(width), value.into())
    }

    pub fn bv128(&mut self, width: u32, value: u128) -> TermId {
        self.constant(Sort::Bv(width), value)
    }

    /// A float by its bits; every NaN becomes the canonical one.
    pub fn f32(&mut self, bits: u32) -> TermId {
        self.constant(Sort::F32, bits.into())
    }

    /// A double by its bits; every NaN becomes the canonical one.
    pub fn f64(&mut self, bits: u64) -> TermId {
        self.constant(Sort::F64, bits.into())
    }

    /// A literal of any scalar sort; excess bits are dropped.
    pub fn constant(&mut self, sort: Sort, value: u128) -> TermId {
        debug_assert!(!sort.is_array(), "there are no array literals; use ConstArray and Store");
        let mut value = value & mask(sort.bits());
        if let Some(float) = sort.float() {
            value = canonical(float, value);
        }
        let hash = hash::leaf(Op::Const, sort, value);
        if let Some(&t) = self.interned.get(&hash) {
            debug_assert!(self.as_const(t) == Some(value) && self.sort(t) == sort, "hash collision");
            return t;
        }
        let start = self.constants.len() as u32;
        self.constants.push(value);
        self.push(Node { op: Op::Const, sort, start, hash })
    }

    /// The value of a literal: Booleans 0 or 1, bit-vectors masked, floats as bits.
    #[inline]
    pub fn as_const(&self, t: TermId) -> Option<u128> {
        let node = self.get(t);
        (node.op == Op::Const && t.is_some()).then(|| self.constants[node.start as usize])
    }

    #[inline]
    pub fn as_bool(&self, t: TermId) -> Option<bool> {
        if self.sort(t) == Sort::Bool { self.as_const(t).map(|v| v != 0) } else { None }
    }

    // Terms.

    /// The simplified term of `op` over `args`.
    ///
    /// # Panics
    /// When the arguments' sorts do not fit the operator: that is a bug of the caller.
    pub fn mk(&mut self, op: Op, args: &[TermId]) -> TermId {
        if !self.rules {
            return self.raw(op, args);
        }
        let mut buffer = [TermId::NONE; 3];
        let args = match buffer.get_mut(..args.len()) {
            Some(copy) => {
                copy.copy_from_slice(args);
                copy
            }
            // No operator has more than three; `raw` reports it.
            None => return self.raw(op, args),
        };
        if op.commutes() && self.swapped(args[0], args[1]) {
            args.swap(0, 1);
        }
        if let Some(folded) = rules::fold(self, op, args) {
            return folded;
        }
        // Always, however deep: rules rely on extensions being strict.
        if let Op::ZeroExt { to } | Op::SignExt { to } = op
            && self.sort(args[0]) == Sort::Bv(to)
        {
            return args[0];
        }
        if self.depth >= MAX_RULE_DEPTH {
            return self.raw(op, args);
        }
        // Further down it may be made as it is.
        if self.depth > 0 {
            return self.simplified(op, args);
        }
        let mut key = [TermId::NONE; 3];
        key[..args.len()].copy_from_slice(args);
        let [first, second, third] = key.map(|t| t.0);
        let mixed =
            (u32::from(op.code()) ^ first.rotate_left(7) ^ second.rotate_left(17) ^ third.rotate_left(25))
                .wrapping_mul(0x9e37_79b9);
        let place = (mixed >> 16) as usize % MADE;
        if let Some((known, of, made)) = self.made.get(place)
            && (*known, *of) == (op, key)
        {
            return *made;
        }
        let made = self.simplified(op, args);
        if self.made.is_empty() {
            self.made = vec![(Op::Const, [TermId::NONE; 3], TermId::NONE); MADE];
        }
        self.made[place] = (op, key, made);
        made
    }

    fn simplified(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.depth += 1;
        let simpler = rules::simplify(self, op, args);
        self.depth -= 1;
        match simpler {
            Some(t) => t,
            None => self.raw(op, args),
        }
    }

    /// Hash-conses without simplifying.
    pub fn raw(&mut self, op: Op, args: &[TermId]) -> TermId {
        let hash = hash::node(op, args.iter().map(|&a| self.get(a).hash));
        if let Some(&t) = self.interned.get(&hash) {
            debug_assert!(self.node(t) == (op, args), "hash collision");
            return t;
        }
        let mut sorts = [Sort::Bool; 3];
        for (sort, &arg) in sorts.iter_mut().zip(args) {
            debug_assert!(arg.is_some(), "{op:?} over no term");
            *sort = self.sort(arg);
        }
        let fitting = sorts.get(..args.len()).and_then(|sorts| result_sort(op, sorts));
        let Some(sort) = fitting else {
            let sorts: Vec<_> = args.iter().map(|&a| self.sort(a)).collect();
            panic!("bug: {op:?} does not take {sorts:?}");
        };
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.push(Node { op, sort, start, hash })
    }

    /// A term of another pool whose arguments are here: what is known of it is the same.
    pub(crate) fn adopt(&mut self, from: &Pool, t: TermId, args: &[TermId]) -> TermId {
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.push(Node { start, ..*from.get(t) })
    }

    /// The operator and arguments of a term, for walkers.
    #[inline]
    pub fn node(&self, t: TermId) -> (Op, &[TermId]) {
        let node = self.get(t);
        let arity = node.op.row().arity;
        if arity == 0 {
            return (node.op, &[]);
        }
        let start = node.start as usize;
        (node.op, &self.args[start..start + arity])
    }

    /// Structural hash: the same for the same term in every pool, whatever was made before. Variables count by name.
    #[inline]
    pub fn hash128(&self, t: TermId) -> u128 {
        self.get(t).hash
    }

    /// The term of a structural hash, if the pool has it.
    pub(crate) fn by_hash(&self, hash: u128) -> Option<TermId> {
        self.interned.get(&hash).copied()
    }

    /// The variables of a term, by id. Computed when first asked for, then kept.
    pub fn vars(&self, t: TermId) -> Arc<[VarId]> {
        // A poisoned lock means a panic while inserting a finished value: what is known is still sound.
        self.vars_of.lock().unwrap_or_else(std::sync::PoisonError::into_inner).of(self, t)
    }

    /// The variables of several terms, by id, each once.
    pub fn vars_of(&self, terms: &[TermId]) -> Vec<VarId> {
        let mut known = self.vars_of.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut found = vec![false; self.variables.len()];
        for &t in terms {
            known.of(self, t).iter().for_each(|var| found[var.index()] = true);
        }
        (0..found.len()).filter(|&i| found[i]).map(VarId::from_index).collect()
    }

    /// All terms below `roots`, each once, children before parents.
    pub fn postorder(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = TermMap::below(roots);
        let mut order = Vec::new();
        // A term comes twice: to have its arguments put before it, then to be put itself.
        let mut work: Vec<(TermId, bool)> = roots.iter().rev().map(|&t| (t, false)).collect();
        while let Some((t, ready)) = work.pop() {
            if ready {
                order.push(t);
            } else if seen.insert(t, 0) {
                let args = self.node(t).1;
                if args.is_empty() {
                    order.push(t);
                    continue;
                }
                work.push((t, true));
                work.extend(args.iter().rev().filter(|a| seen.get(**a).is_none()).map(|&a| (a, false)));
            }
        }
        order
    }

    /// Rewrites `roots` bottom-up, replacing variables by other terms of the same sort.
    pub fn substitute(&mut self, roots: &[TermId], with: &FxHashMap<VarId, TermId>) -> Vec<TermId> {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for t in self.postorder(roots) {
            let new = match self.var_of(t) {
                Some(var) => with.get(&var).copied().unwrap_or(t),
                None => {
                    let (op, args) = self.node(t);
                    let new_args: Vec<TermId> = args.iter().map(|a| image[a]).collect();
                    if new_args == args { t } else { self.mk(op, &new_args) }
                }
            };
            image.insert(t, new);
        }
        roots.iter().map(|t| image[t]).collect()
    }

    /// Whether the arguments of a commutative operator are to change places: constants go last, variables by
    /// name, others by hash. Not by id, because ids depend on what the pool made before.
    #[inline]
    fn swapped(&self, a: TermId, b: TermId) -> bool {
        let (x, y) = (self.get(a), self.get(b));
        match (x.op, y.op) {
            (Op::Const, Op::Const) => x.hash > y.hash,
            (Op::Const, _) => true,
            (_, Op::Const) => false,
            (Op::Var, Op::Var) => self.var_name(VarId(x.start)) > self.var_name(VarId(y.start)),
            _ => x.hash > y.hash,
        }
    }

    #[inline]
    fn get(&self, t: TermId) -> &Node {
        &self.nodes[t.0 as usize]
    }

    fn push(&mut self, node: Node) -> TermId {
        let t = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.interned.insert(node.hash, t);
        t
    }
}

impl EntityId for TermId {
    fn from_index(index: usize) -> Self {
        TermId(index as u32)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}
