//! Evaluation: a set of terms compiled once into a flat program, run on many assignments without allocating.

use std::collections::BTreeMap;

use crate::map::TermMap;
use crate::op::{Float, Op, Sort};
use crate::pool::{Pool, TermId, VarId};
use crate::semantics::{apply, canonical, mask};

/// A total array: one default and where it differs.
#[derive(Clone, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub struct ArrayValue {
    pub default: u128,
    pub entries: BTreeMap<u128, u128>,
}

impl ArrayValue {
    pub fn get(&self, index: u128) -> u128 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }
}

/// The value of a variable.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Value {
    /// Bool (0 or 1), bit-vector, or float in its interchange format.
    Bits(u128),
    Array(ArrayValue),
}

impl Value {
    /// The bits of a scalar; 0 for an array, which a caller that knows the sort does not ask.
    pub fn bits(&self) -> u128 {
        match self {
            Value::Bits(bits) => *bits,
            Value::Array(_) => 0,
        }
    }
}

/// Values of variables, by id. A variable that is not mentioned is "don't care" and reads as 0.
#[derive(Clone, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub struct Assignment {
    values: BTreeMap<VarId, Value>,
}

impl Assignment {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.values.get(&var)
    }

    /// The bits of a scalar variable, 0 when it is not mentioned.
    pub fn bits(&self, var: VarId) -> u128 {
        self.get(var).map_or(0, Value::bits)
    }

    pub fn set(&mut self, var: VarId, value: Value) {
        self.values.insert(var, value);
    }

    pub fn set_bits(&mut self, var: VarId, bits: u128) {
        self.set(var, Value::Bits(bits));
    }

    pub fn remove(&mut self, var: VarId) -> Option<Value> {
        self.values.remove(&var)
    }

    /// By variable id.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &Value)> {
        self.values.iter().map(|(&var, value)| (var, value))
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes what `other` says about variables this one does not mention.
    pub fn fill_from(&mut self, other: &Assignment) {
        for (var, value) in other.iter() {
            self.values.entry(var).or_insert_with(|| value.clone());
        }
    }

    /// The value of a scalar term. For repeated use compile a [`Program`].
    pub fn eval(&self, pool: &Pool, t: TermId) -> u128 {
        let mut program = Program::compile(pool, &[t]);
        program.run_assignment(self)[0]
    }

    /// Whether all of these Boolean terms hold.
    pub fn satisfies(&self, pool: &Pool, terms: &[TermId]) -> bool {
        Program::compile(pool, terms).run_assignment(self).iter().all(|&v| v != 0)
    }
}

impl FromIterator<(VarId, Value)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (VarId, Value)>>(iter: I) -> Self {
        Assignment { values: iter.into_iter().collect() }
    }
}

/// One step: registers in, one register out.
#[derive(Clone, Copy)]
struct Instr {
    op: Op,
    /// As [`apply`] wants it.
    width: u32,
    args: [u32; 3],
}

/// Array terms are not computed but looked through: a select walks from stores to variables.
#[derive(Clone, Copy)]
enum ArrayNode {
    Input { slot: u32 },
    Constant { value: u32 },
    Store { array: u32, index: u32, value: u32 },
    Ite { cond: u32, then: u32, other: u32 },
}

/// A set of scalar terms as straight-line code over registers.
///
/// Registers: first the scalar variables in the order of [`Program::vars`], then constants, then one for each
/// instruction.
#[derive(Clone)]
pub struct Program {
    vars: Vec<VarId>,
    /// Mask and float format of each scalar variable.
    masks: Vec<(u128, Option<Float>)>,
    array_vars: Vec<(VarId, u32)>,
    arrays: Vec<ArrayValue>,
    array_nodes: Vec<ArrayNode>,
    first: usize,
    code: Vec<Instr>,
    registers: Vec<u128>,
    roots: Vec<u32>,
    outputs: Vec<u128>,
    /// The instructions that depend on one input, for [`Program::update`].
    dependents: Vec<u32>,
    dependents_of: usize,
}

impl Program {
    /// Compiles `roots`, which must be of scalar sort.
    pub fn compile(pool: &Pool, roots: &[TermId]) -> Program {
        let order = pool.postorder(roots);
        let mut program = Program {
            vars: Vec::new(),
            masks: Vec::new(),
            array_vars: Vec::new(),
            arrays: Vec::new(),
            array_nodes: Vec::new(),
            first: 0,
            code: Vec::new(),
            registers: Vec::new(),
            roots: Vec::new(),
            outputs: Vec::new(),
            dependents: Vec::new(),
            dependents_of: usize::MAX,
        };
        let mut place = TermMap::below(roots);
        program.place_leaves(pool, &order, &mut place);
        for &t in &order {
            program.compile_node(pool, t, &mut place);
        }
        program.roots = roots.iter().filter_map(|t| place.get(*t)).collect();
        program
    }

    fn place_leaves(&mut self, pool: &Pool, order: &[TermId], place: &mut TermMap) {
        let mut vars: Vec<VarId> = order.iter().filter_map(|&t| pool.var_of(t)).collect();
        // By what they are, not by when they were declared: a search that goes through them takes the same way in
        // every pool.
        vars.sort_unstable_by_key(|&var| pool.hash128(pool.var_term(var)));
        for var in vars {
            let (t, sort) = (pool.var_term(var), pool.var_sort(var));
            if let Sort::Array { elem, .. } = sort {
                let slot = self.arrays.len() as u32;
                self.arrays.push(ArrayValue::default());
                self.array_vars.push((var, elem));
                place.insert(t, self.array_nodes.len() as u32);
                self.array_nodes.push(ArrayNode::Input { slot });
            } else {
                let register = self.vars.len() as u32;
                self.vars.push(var);
                self.masks.push((mask(sort.bits()), sort.float()));
                place.insert(t, register);
            }
        }
        self.registers.resize(self.vars.len(), 0);
        for &t in order {
            if let Some(value) = pool.as_const(t) {
                place.insert(t, self.registers.len() as u32);
                self.registers.push(value);
            }
        }
        self.first = self.registers.len();
    }

    fn compile_node(&mut self, pool: &Pool, t: TermId, place: &mut TermMap) {
        let (op, args) = pool.node(t);
        let mut at = [0u32; 3];
        for (slot, arg) in at.iter_mut().zip(args) {
            *slot = place.get(*arg).unwrap_or(0);
        }
        let array = match op {
            // Placed already.
            Op::Const | Op::Var => return,
            Op::ConstArray { .. } => Some(ArrayNode::Constant { value: at[0] }),
            Op::Store => Some(ArrayNode::Store { array: at[0], index: at[1], value: at[2] }),
            Op::Ite if pool.sort(t).is_array() => {
                Some(ArrayNode::Ite { cond: at[0], then: at[1], other: at[2] })
            }
            _ => None,
        };
        if let Some(node) = array {
            place.insert(t, self.array_nodes.len() as u32);
            self.array_nodes.push(node);
            return;
        }
        let sized_by = if op == Op::Concat { args[1] } else { args[0] };
        // Width 0 marks the comparison of arrays, the only scalar operator but Select over arrays.
        let width = match pool.sort(sized_by) {
            Sort::Array { index, .. } if op == Op::Select => index,
            sort => sort.bits(),
        };
        if width == 0
            && let Sort::Array { index, .. } = pool.sort(args[0])
        {
            at[2] = index;
        }
        place.insert(t, self.registers.len() as u32);
        self.code.push(Instr { op, width, args: at });
        self.registers.push(0);
    }

    /// The scalar variables, in the order in which [`run`](Self::run) takes their values.
    pub fn vars(&self) -> &[VarId] {
        &self.vars
    }

    /// The array variables.
    pub fn array_vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.array_vars.iter().map(|&(var, _)| var)
    }

    /// Number of steps in a run.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Sets an array variable for the runs to come. Variables the program does not have are ignored.
    pub fn set_array(&mut self, var: VarId, value: &ArrayValue) {
        if let Some(slot) = self.array_vars.iter().position(|&(v, _)| v == var) {
            let limit = mask(self.array_vars[slot].1);
            let target = &mut self.arrays[slot];
            target.default = value.default & limit;
            target.entries.clone_from(&value.entries);
            target.entries.values_mut().for_each(|v| *v &= limit);
        }
    }

    /// Evaluates under values for [`vars`](Self::vars), missing ones being 0; gives the roots' values.
    pub fn run(&mut self, inputs: &[u128]) -> &[u128] {
        self.set_inputs(inputs);
        self.step_all();
        let registers = &self.registers;
        self.outputs.clear();
        self.outputs.extend(self.roots.iter().map(|&r| registers[r as usize]));
        &self.outputs
    }

    /// Evaluates under an assignment, arrays included.
    pub fn run_assignment(&mut self, assignment: &Assignment) -> &[u128] {
        self.load(assignment);
        let registers = &self.registers;
        self.outputs.clear();
        self.outputs.extend(self.roots.iter().map(|&r| registers[r as usize]));
        &self.outputs
    }

    /// Evaluates under an assignment; then [`root`](Self::root) and [`update`](Self::update) may be used.
    pub fn load(&mut self, assignment: &Assignment) {
        for i in 0..self.array_vars.len() {
            match assignment.get(self.array_vars[i].0) {
                Some(Value::Array(value)) => self.set_array(self.array_vars[i].0, value),
                Some(Value::Bits(_)) | None => self.arrays[i] = ArrayValue::default(),
            }
        }
        let inputs: Vec<u128> = self.vars.iter().map(|&v| assignment.bits(v)).collect();
        self.set_inputs(&inputs);
        self.step_all();
    }

    /// Changes one input after a run and recomputes only what depends on it.
    pub fn update(&mut self, slot: usize, value: u128) {
        if self.dependents_of != slot {
            self.find_dependents(slot);
        }
        self.registers[slot] = self.clean(slot, value);
        for i in 0..self.dependents.len() {
            self.step(self.dependents[i] as usize);
        }
    }

    /// The current value of an input.
    #[inline]
    pub fn input(&self, slot: usize) -> u128 {
        self.registers[slot]
    }

    /// The current value of a root.
    #[inline]
    pub fn root(&self, i: usize) -> u128 {
        self.registers[self.roots[i] as usize]
    }

    /// Whether every root is currently non-zero.
    pub fn all_hold(&self) -> bool {
        self.roots.iter().all(|&r| self.registers[r as usize] != 0)
    }

    /// Evaluates and tells whether every root is non-zero.
    pub fn holds(&mut self, inputs: &[u128]) -> bool {
        self.set_inputs(inputs);
        self.step_all();
        self.all_hold()
    }

    fn set_inputs(&mut self, inputs: &[u128]) {
        for i in 0..self.vars.len() {
            self.registers[i] = self.clean(i, inputs.get(i).copied().unwrap_or(0));
        }
    }

    /// Masked to the variable's width, NaN made canonical.
    fn clean(&self, slot: usize, value: u128) -> u128 {
        let value = value & self.masks[slot].0;
        match self.masks[slot].1 {
            Some(float) => canonical(float, value),
            None => value,
        }
    }

    fn step_all(&mut self) {
        for i in 0..self.code.len() {
            self.step(i);
        }
    }

    #[inline]
    fn step(&mut self, i: usize) {
        let Instr { op, width, args: [a, b, c] } = self.code[i];
        let value = if op == Op::Select {
            self.select(a, self.registers[b as usize])
        } else if width == 0 {
            self.arrays_equal(a, b, c).into()
        } else {
            let r = &self.registers;
            apply(op, width, [r[a as usize], r[b as usize], r[c as usize]])
        };
        self.registers[self.first + i] = value;
    }

    fn find_dependents(&mut self, slot: usize) {
        let mut dirty = vec![false; self.registers.len()];
        dirty[slot] = true;
        self.dependents.clear();
        self.dependents_of = slot;
        for i in 0..self.code.len() {
            let Instr { op, width, args } = self.code[i];
            // What an array is made of is not followed: reads of arrays are recomputed always.
            let over_arrays = op == Op::Select || width == 0;
            if over_arrays || args[..op.row().arity].iter().any(|&r| dirty[r as usize]) {
                dirty[self.first + i] = true;
                self.dependents.push(i as u32);
            }
        }
    }

    fn select(&self, mut array: u32, at: u128) -> u128 {
        let r = &self.registers;
        loop {
            match self.array_nodes[array as usize] {
                ArrayNode::Input { slot } => return self.arrays[slot as usize].get(at),
                ArrayNode::Constant { value } => return r[value as usize],
                ArrayNode::Store { index, value, .. } if r[index as usize] == at => return r[value as usize],
                ArrayNode::Store { array: below, .. } => array = below,
                ArrayNode::Ite { cond, then, other } => {
                    array = if r[cond as usize] != 0 { then } else { other };
                }
            }
        }
    }

    /// The default of an array under the current registers, and the indices where it may differ.
    fn touched(&self, mut array: u32, indices: &mut Vec<u128>) -> u128 {
        let r = &self.registers;
        loop {
            match self.array_nodes[array as usize] {
                ArrayNode::Input { slot } => {
                    let value = &self.arrays[slot as usize];
                    indices.extend(value.entries.keys().copied());
                    return value.default;
                }
                ArrayNode::Constant { value } => return r[value as usize],
                ArrayNode::Store { array: below, index, .. } => {
                    indices.push(r[index as usize]);
                    array = below;
                }
                ArrayNode::Ite { cond, then, other } => {
                    array = if r[cond as usize] != 0 { then } else { other };
                }
            }
        }
    }

    /// Extensional equality: at every index touched, and elsewhere if there is an elsewhere.
    fn arrays_equal(&self, a: u32, b: u32, index_width: u32) -> bool {
        let mut indices = Vec::new();
        let default_a = self.touched(a, &mut indices);
        let default_b = self.touched(b, &mut indices);
        indices.sort_unstable();
        indices.dedup();
        let all_touched = index_width < 64 && indices.len() as u128 > mask(index_width);
        (default_a == default_b || all_touched)
            && indices.iter().all(|&i| self.select(a, i) == self.select(b, i))
    }
}
