//! From a state that is wanted to calls that lead there: a field that was set directly is what a method assigns to it,
//! called with what the field held.

use std::collections::{BTreeMap, BTreeSet};

use explore::{End, Finished, Goal, RunId, Step, Target};
use ir::ClassId;
use jvm::input::Event;
use jvm::load::FieldType;
use jvm::world::Jvm;
use vm::ObjId;

use super::beyond::is_beyond;
use super::explore::ClassExplorer;
use super::outcome::{Key, Proposed, key};
use super::propose::assign;
use super::subject::{Stage, Subject};
use crate::goal::CoverageGoal;

/// Inputs with fields that are set directly.
pub(super) struct State {
    inputs: BTreeMap<String, u128>,
    /// Objects by the names of their inputs.
    classes: Vec<(String, ClassId)>,
    /// What was set: the name of the object's input, the field and where it is declared.
    set: Vec<(String, String, ClassId)>,
    end: End,
}

/// A call that assigns what it is given: its number among those that change the object, its name and its parameter.
struct Setter {
    number: usize,
    method: String,
    param: String,
    reference: bool,
}

impl ClassExplorer<'_> {
    /// What a test sets directly. Fields must still be allowed to be set.
    pub(super) fn state(&mut self, subject: &mut Subject, test: &Proposed) -> Option<State> {
        if !is_beyond(&test.case) {
            return None;
        }
        let model = assign(self.vm, subject, &test.inputs);
        self.vm.start_run(model.clone());
        let outcome = subject.execute(self.vm);
        let end = End::of(self.vm, &outcome);
        let detail = subject.detail(self.vm, &model);
        let mut objects: Vec<(ObjId, String)> = Vec::new();
        let mut set = Vec::new();
        for event in &detail.before.script {
            match event {
                Event::Made { name, object, .. } => objects.push((*object, name.clone())),
                Event::Assigned { object, owner, field, reflective: true, .. } => {
                    let name =
                        objects.iter().find(|(other, _)| other == object).map(|(_, name)| name.clone())?;
                    set.push((name, field.to_string(), *owner));
                }
                _ => {}
            }
        }
        let classes = objects.into_iter().map(|(object, name)| (name, self.vm.heap.class(object))).collect();
        Some(State { inputs: test.inputs.clone(), classes, set, end })
    }

    /// A run that ends alike and meets something open, with calls in the place of fields that are set.
    pub(super) fn reach(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        open: &BTreeSet<Key>,
        mut state: State,
    ) -> Option<Finished<Stage>> {
        // The outermost first: what they hold moves with them.
        let mut set = std::mem::take(&mut state.set);
        set.sort_by_key(|(name, _, _)| name.len());
        let mut moved: Vec<(String, String)> = Vec::new();
        for (name, field, owner) in set {
            let class = state.classes.iter().find(|(other, _)| *other == name).map(|(_, class)| *class)?;
            let setter = setter(&self.vm.lang, class, owner, &field)?;
            let name = moved.iter().fold(name, |name, (from, to)| match name.strip_prefix(from.as_str()) {
                Some(rest) => format!("{to}{rest}"),
                None => name,
            });
            let calls = (0..jvm::input::MAX_CHANGES)
                .take_while(|i| state.inputs.get(&format!("{name}.call{i}")).is_some_and(|v| *v != 0));
            let call = format!("{name}.call{}", calls.count());
            let (from, to) =
                (format!("{name}.{field}="), format!("{call}.{}.{}", setter.method, setter.param));
            state.inputs = with_call(&state.inputs, &from, &to, setter.reference);
            state.inputs.insert(call, setter.number as u128 + 1);
            moved.push((from, to));
        }
        let model = assign(self.vm, subject, &state.inputs);
        self.vm.start_run(model.clone());
        let before = self.vm.steps;
        self.vm.walking = goal.walks();
        let outcome = subject.execute(self.vm);
        self.vm.walking = false;
        let meets = goal.met_by(&self.vm.trace);
        let new: Vec<u32> = meets
            .iter()
            .copied()
            .filter(|part| {
                goal.of_part(*part).any(|number| open.contains(&key(&goal.obligations()[number].1)))
            })
            .collect();
        let observation = subject.observe(self.vm, &outcome);
        let end = End::of(self.vm, &outcome);
        if observation != Stage::Call || end != state.end || new.is_empty() {
            return None;
        }
        let elems = &self.vm.trace.elems;
        Some(Finished {
            id: RunId(0),
            path: elems.iter().map(Step::of).collect(),
            condition: elems.iter().map(|e| self.vm.trace.taken(e)).collect(),
            model,
            outcome,
            end,
            observation,
            edges: Vec::new(),
            blocks: Vec::new(),
            meets,
            new,
            steps: self.vm.steps - before,
        })
    }
}

/// The method of an object that assigns a field and takes a value of its type.
fn setter(jvm: &Jvm, class: ClassId, owner: ClassId, field: &str) -> Option<Setter> {
    let recipe = jvm.worlds.recipes.values().filter(|recipe| recipe.class == class);
    let recipe = recipe.min_by_key(|recipe| recipe.args.len())?;
    let declared = jvm.classes[owner].fields.iter().find(|f| *f.name == *field)?;
    let ty = FieldType::parse(&declared.descriptor)?;
    recipe.changes.iter().enumerate().find_map(|(number, (way, written))| {
        let param = way.params.iter().find(|param| param.ty == ty)?;
        let method = jvm.funcs[way.func].name.to_string();
        let reference = ty.is_reference();
        let setter = Setter { number, method, param: param.name.clone(), reference };
        (way.is_plain() && written.contains(field)).then_some(setter)
    })
}

/// The inputs with what a field held given to a call.
fn with_call(
    inputs: &BTreeMap<String, u128>,
    from: &str,
    to: &str,
    reference: bool,
) -> BTreeMap<String, u128> {
    let mut moved = BTreeMap::new();
    if reference {
        // Null unless something says that it is there.
        moved.insert(format!("{to}.null"), 1);
    }
    for (name, value) in inputs {
        match name.strip_prefix(from) {
            Some("set") => {}
            Some(".some") => {
                moved.insert(format!("{to}.null"), u128::from(*value == 0));
            }
            Some(rest) => {
                moved.insert(format!("{to}{rest}"), *value);
            }
            None => {
                moved.insert(name.clone(), *value);
            }
        }
    }
    moved
}
