//! The inputs of an exploration: scalars and sequences that symbolic variables stand for.
//!
//! The tree outlives single runs: a name always means the same variable. Each run brings a model, the values
//! of the variables; what the model does not mention is zero. How a language builds an object from inputs
//! (a string, a box, an array) is the language's business; here are the variables only.

use entity::{PrimaryMap, entity};
use rustc_hash::FxHashMap;
use term::{Assignment, Pool, Sort, TermId, VarId};

entity! {
    /// A sequence input.
    pub struct InputId = "in";
}

/// A sequence whose elements are variables that come into being when touched.
#[derive(Clone, Debug)]
pub struct Sequence {
    pub name: String,
    /// Sort of an element.
    pub elem: Sort,
    /// The length, a 32-bit variable.
    pub len: TermId,
    elems: FxHashMap<u32, TermId>,
}

#[derive(Default)]
pub struct Inputs {
    sequences: PrimaryMap<InputId, Sequence>,
    by_name: FxHashMap<String, InputId>,
    /// The values of the current run.
    pub model: Assignment,
    /// What was asked for in this run, in order, some of it more than once: scalars, and lengths of sequences.
    pub asked: Vec<VarId>,
    plain: bool,
}

impl Inputs {
    /// A scalar input: its variable and its value in this run.
    pub fn scalar(&mut self, pool: &mut Pool, name: &str, sort: Sort) -> (TermId, u64) {
        let term = pool.declare(name, sort);
        self.asked.extend(pool.var_of(term));
        let value = self.value(pool, term);
        match self.plain {
            true => (pool.constant(sort, value.into()), value),
            false => (term, value),
        }
    }

    /// A sequence input; its length variable is called `name.length`.
    pub fn sequence(&mut self, pool: &mut Pool, name: &str, elem: Sort) -> InputId {
        if let Some(id) = self.by_name.get(name).copied() {
            self.asked.extend(pool.var_of(self.sequences[id].len));
            return id;
        }
        let len = self.scalar(pool, &format!("{name}.length"), Sort::Bv(32)).0;
        let id =
            self.sequences.push(Sequence { name: name.to_string(), elem, len, elems: FxHashMap::default() });
        self.by_name.insert(name.to_string(), id);
        id
    }

    /// Whether runs only show where they go: inputs are their values then, no variables.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Says so, before a run.
    pub fn set_plain(&mut self, plain: bool) {
        self.plain = plain;
        self.forget_sequences();
    }

    /// A run begins.
    pub(crate) fn start_run(&mut self, model: Assignment) {
        self.model = model;
        self.asked.clear();
        // What they are made of is this run's alone.
        if self.plain {
            self.forget_sequences();
        }
    }

    fn forget_sequences(&mut self) {
        self.sequences = PrimaryMap::default();
        self.by_name.clear();
    }

    /// The sequences of this exploration, or of this run where runs are plain.
    pub fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        self.sequences.values()
    }

    /// Names of the sequences of 16-bit elements, which are texts or arrays of characters, in order.
    pub fn texts(&self) -> Vec<String> {
        self.sequences.values().filter(|s| s.elem == Sort::Bv(16)).map(|s| s.name.clone()).collect()
    }

    pub fn by_name(&self, name: &str) -> Option<InputId> {
        self.by_name.get(name).copied()
    }

    pub fn get(&self, id: InputId) -> &Sequence {
        &self.sequences[id]
    }

    /// The variable of an element, made on first use.
    pub fn elem(&mut self, pool: &mut Pool, id: InputId, index: u32) -> TermId {
        let sequence = &mut self.sequences[id];
        if let Some(term) = sequence.elems.get(&index) {
            return *term;
        }
        let mut term = pool.declare(&format!("{}[{index}]", sequence.name), sequence.elem);
        if self.plain {
            let value = pool.var_of(term).map_or(0, |var| self.model.bits(var));
            term = pool.constant(sequence.elem, value);
        }
        sequence.elems.insert(index, term);
        term
    }

    /// The value of an element in this run.
    pub fn elem_value(&self, pool: &Pool, id: InputId, index: u32) -> u64 {
        let sequence = &self.sequences[id];
        match sequence.elems.get(&index) {
            Some(term) => self.value(pool, *term),
            // Not touched by this run yet; the model may speak of it all the same.
            None => pool
                .var_by_name(&format!("{}[{index}]", sequence.name))
                .map_or(0, |var| self.model.bits(var) as u64),
        }
    }

    /// The value of a variable in this run, or of what stands for it in a plain one.
    pub fn value(&self, pool: &Pool, variable: TermId) -> u64 {
        match pool.var_of(variable) {
            Some(var) => self.model.bits(var) as u64,
            None => pool.as_const(variable).unwrap_or(0) as u64,
        }
    }
}
