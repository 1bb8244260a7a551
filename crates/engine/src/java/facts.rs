//! Under which conditions a run is one: its path in source terms.

use std::collections::BTreeSet;

use explore::{Finished, Goal};
use jvm::world::Jvm;
use suite::explain::{Fact, fact};
use term::{Assignment, Op, Pool, TermId, semantics};
use vm::{ElemKind, Site, Vm};

use super::spelling::JavaSpelling;
use super::subject::{Detail, Stage};
use crate::goal::CoverageGoal;

/// So many conditions of a path are looked at for what to say of it.
const FACTS_OF: usize = 2000;

/// What a test is there for: the parts of the goal that no other test of the method shows.
pub struct Purpose<'a> {
    pub goal: &'a CoverageGoal,
    pub own: &'a BTreeSet<u32>,
}

/// The conditions that a run decided on, in order, each once; at the end those that it is there for, where they say more.
pub fn facts(
    vm: &mut Vm<Jvm>,
    finished: &Finished<Stage>,
    detail: &Detail,
    spelling: &mut JavaSpelling,
    purpose: &Purpose<'_>,
) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut said: BTreeSet<Site> = BTreeSet::new();
    let mut of_library: Vec<Fact> = Vec::new();
    let own = purpose.goal.edges().into_iter().filter(|(_, part)| purpose.own.contains(part));
    let own: BTreeSet<vm::Edge> = own.map(|(edge, _)| edge).filter(|e| finished.edges.contains(e)).collect();
    let mut own_facts: Vec<Fact> = Vec::new();
    let conditions = known_fields(vm, finished);
    spelling.variables = super::arrange::variables(&vm.lang, detail);
    for (step, condition) in finished.path.iter().zip(&conditions) {
        let shown = matches!(step.kind, ElemKind::Branch | ElemKind::Check(_) | ElemKind::Which);
        // What constructors asked of their arguments is seen where the test calls them; an index that is inside says
        // nothing.
        let inside = ElemKind::Check(ir::Check::Bounds);
        let passed = step.kind == inside && step.choice == 0;
        if step.input || passed || !shown || vm.pool.as_bool(*condition).is_some() {
            continue;
        }
        let tracked = vm.lang.funcs.get(step.site.func).is_some_and(|f| f.tracked);
        let asked = *condition;
        // Which arguments the call leaves out is said in words of its own.
        if vm.pool.vars(asked).iter().any(|var| vm.pool.var_name(*var) == jvm::input::LEFT_OUT) {
            continue;
        }
        let condition = plainly(&mut vm.pool, asked, &finished.model);
        if vm.pool.as_bool(condition).is_some() {
            continue;
        }
        if let Some(fact) = suite::explain::text_fact(&vm.pool, condition, spelling) {
            if facts.len() < LIBRARY_FACTS && !facts.contains(&fact) {
                facts.push(fact);
            }
            continue;
        }
        let of_inputs = fact(&vm.pool, condition, spelling);
        // Cases of a `switch` that lead to one place are one choice, but several ways out.
        let here = only_way(finished, step.site).unwrap_or_else(|| edge(step.site, step.choice));
        let of_source = match tracked && !other_way(finished, here) {
            true => source_fact(&vm.lang, purpose.goal, here, spelling),
            false => None,
        };
        let fact = match (of_inputs, of_source) {
            (Some(of_inputs), Some(of_source)) if is_involved(&of_inputs.text, &of_source.text) => {
                Some(of_source)
            }
            (of_inputs, of_source) => of_inputs.or(of_source),
        };
        if let Some(fact) = fact
            && !facts.contains(&fact)
        {
            let site = vm.lang.funcs.get(step.site.func);
            let of_optional = site.is_some_and(|f| &*vm.lang.classes[f.class].name == "java/util/Optional");
            if of_optional {
                facts.extend(optional(&fact).filter(|fact| !facts.contains(fact)));
                continue;
            }
            // Of what the library decided, only sizes say something about the source (`s.isEmpty()`).
            if step.kind == ElemKind::Which && !fact.text.ends_with(" null") {
                continue;
            }
            let plain = suite::explain::is_plain(&vm.pool, condition) && fact.word.is_some();
            // What it asks in other words is its own affair: how many digits a number has.
            let about_size =
                plain && condition == asked && fact.text.contains(".length") && is_small(&fact.text);
            // Of other classes of the program, what they ask of their objects as they are (`isMinor()`).
            let of_program = plain
                && site.is_some_and(|f| vm.lang.classes[f.class].origin == jvm::link::ClassOrigin::User);
            // `Objects.requireNonNull(room)` refuses it.
            let refused = plain && fact.text.ends_with(" == null");
            if tracked || (about_size || of_program || refused) && facts.len() < LIBRARY_FACTS {
                match tracked {
                    true => {
                        said.insert(step.site);
                        if own.contains(&here) && !other_way(finished, here) && !own_facts.contains(&fact) {
                            own_facts.push(fact.clone());
                        }
                    }
                    false if about_size => of_library.push(fact.clone()),
                    false => {}
                }
                // The same said twice: the later is the tighter.
                match facts.iter_mut().find(|known| known.word.is_some() && known.word == fact.word) {
                    Some(known) => *known = fact,
                    None => facts.push(fact),
                }
            }
        }
    }
    let mut reasons = reasons(&vm.lang, finished, purpose.goal, (&own, &said), spelling);
    // A field of the object that is called has its name in the source, and the variable's in front of it in the test.
    let receiver = spelling.variables.iter().find(|(input, _)| Some(input) == spelling.receiver.as_ref());
    if let Some((_, receiver)) = receiver {
        reasons.retain(|reason| {
            let of_test = format!("{receiver}.{}", reason.text);
            facts.iter().all(|fact| fact.text != of_test)
        });
    }
    own_facts.retain(|fact| fact.text.len() <= LONGEST);
    own_facts.extend(reasons.iter().cloned());
    let length: usize = facts.iter().chain(&reasons).map(|fact| fact.text.len() + 2).sum();
    if length > SHOWN && !own_facts.is_empty() {
        // Why the test is there says more than how a long path began.
        own_facts.dedup();
        return own_facts.split_off(own_facts.len().saturating_sub(MOST_REASONS));
    }
    if !reasons.is_empty() {
        facts.retain(|fact| !of_library.contains(fact));
        facts.retain(|fact| !reasons.iter().any(|reason| reason.text == fact.text));
        facts.extend(reasons);
    }
    suite::explain::joined(facts)
}

/// So many conditions of the source are said besides.
const MOST_REASONS: usize = 2;

/// Longer conditions of the source say little.
const LONGEST: usize = 64;

/// Where all conditions together are longer, only those are said that the test is there for.
const SHOWN: usize = 72;

/// The branches that a test is there for and that no condition on its inputs told of, as the source says them: what was
/// computed of the inputs, what was chosen when they were made. A loop that went on and ended is no reason.
fn reasons(
    jvm: &Jvm,
    finished: &Finished<Stage>,
    goal: &CoverageGoal,
    (own, said): (&BTreeSet<vm::Edge>, &BTreeSet<Site>),
    spelling: &JavaSpelling,
) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    for taken in own.iter().rev().filter(|taken| !other_way(finished, **taken)) {
        let site = Site { func: taken.func, index: taken.index };
        let fact = source_fact(jvm, goal, *taken, spelling).filter(|_| !said.contains(&site));
        found.extend(fact.filter(|fact| !fact.text.ends_with(" != null")));
        if found.len() == MOST_REASONS {
            break;
        }
    }
    found.reverse();
    found.dedup();
    found
}

/// Whether a run took another way out of the same branch too.
fn other_way(finished: &Finished<Stage>, taken: vm::Edge) -> bool {
    let here = |other: &&vm::Edge| (other.func, other.index) == (taken.func, taken.index);
    finished.edges.iter().filter(here).any(|other| other.successor != taken.successor)
}

/// The way that a run took out of a branch, if it was always the same.
fn only_way(finished: &Finished<Stage>, site: Site) -> Option<vm::Edge> {
    let mut taken = finished.edges.iter().filter(|e| (e.func, e.index) == (site.func, site.index)).copied();
    let first = taken.next()?;
    taken.all(|other| other.successor == first.successor).then_some(first)
}

/// What a branch of the program asked, in words of its source.
fn source_fact(jvm: &Jvm, goal: &CoverageGoal, taken: vm::Edge, spelling: &JavaSpelling) -> Option<Fact> {
    let function = goal.function(taken.func)?;
    let text = match function.code.get(taken.index as usize)?.op {
        ir::Op::Br => coverage::condition_text(function, jvm, taken.index, taken.successor == 0)?,
        ir::Op::Switch => coverage::branch_text(function, jvm, taken.index, &[taken.successor]),
        _ => return None,
    };
    let text = spelling.in_test(taken.func, &text);
    // An iterator that the compiler made has no name, nor have other values that a switch asks for.
    let telling = text.len() <= LONGEST && !text.contains("hasNext()") && !text.starts_with("the value ");
    telling.then(|| Fact { word: suite::explain::word_of_source(&text), text })
}

fn edge(site: Site, successor: u32) -> vm::Edge {
    vm::Edge { func: site.func, index: site.index, successor }
}

/// Whether a condition on inputs is harder to read than what the source says: what a parser made of characters, what the
/// library asks in one go.
fn is_involved(text: &str, source: &str) -> bool {
    let of_characters = text.contains(".charAt(") && !source.contains('\'');
    let casts = ["(int) ", "(long) ", "(byte) ", "(short) "];
    let casts = casts.iter().any(|cast| text.contains(cast) && !source.contains(cast));
    text.contains(['?', '|', '&']) || of_characters || casts || text.len() > LONGEST
}

/// `user.value == null` as what an `Optional` is asked: `user.isEmpty()`.
fn optional(fact: &Fact) -> Option<Fact> {
    let (of, empty) = match fact.text.strip_suffix(".value == null") {
        Some(of) => (of, true),
        None => (fact.text.strip_suffix(".value != null")?, false),
    };
    let asked = if empty { "isEmpty()" } else { "isPresent()" };
    let word = fact.word.as_deref().and_then(|word| {
        word.strip_suffix("ValueNull")
            .map(|of| format!("{of}Empty"))
            .or_else(|| word.strip_suffix("ValueNotNull").map(|of| format!("{of}Present")))
    });
    Some(Fact { text: format!("{of}.{asked}"), word })
}

/// Whether a condition speaks of small numbers only: others are the library's own (where it sorts in another way).
fn is_small(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit())
        .all(|number| number.len() < 2 || number <= "16" && number.len() == 2)
}

/// The conditions with it decided which setters were called and which fields set directly: that shows in the test, and
/// conditions speak of what was set.
fn known_fields(vm: &mut Vm<Jvm>, finished: &Finished<Stage>) -> Vec<TermId> {
    let is_set = |name: &str| name.ends_with(".set") || jvm::input::says_field_is_set(name);
    let flags = (0..vm.pool.var_count()).map(|index| term::VarId(index as u32));
    let flags: Vec<term::VarId> = flags.filter(|var| is_set(vm.pool.var_name(*var))).collect();
    // Of a long path the beginning says enough.
    let first = &finished.condition[..finished.condition.len().min(FACTS_OF)];
    if flags.is_empty() {
        return first.to_vec();
    }
    let known = flags.into_iter().map(|var| (var, vm.pool.bool(finished.model.bits(var) != 0)));
    let known = known.collect();
    vm.pool.substitute(first, &known)
}

/// Beyond so many conditions, the library's are left out.
const LIBRARY_FACTS: usize = 6;

/// Larger conditions are not worth reading anyway.
const MOST_NODES: usize = 200;

/// A condition as it is for these inputs: of what is chosen by a condition (`Math.min`), what was chosen; unsigned
/// comparisons, by which the machine asks whether an index is inside, as signed ones; nothing negated that need not be.
fn plainly(pool: &mut Pool, condition: TermId, model: &Assignment) -> TermId {
    let order = pool.postorder(&[condition]);
    if order.len() > MOST_NODES {
        return condition;
    }
    let mut image: std::collections::BTreeMap<TermId, TermId> = std::collections::BTreeMap::new();
    for term in order {
        let (op, args) = pool.node(term);
        let old = args.to_vec();
        let args: Vec<TermId> = old.iter().map(|arg| image[arg]).collect();
        let plain = match (op, args.as_slice()) {
            (Op::Ite, [_, a, b]) if pool.as_const(*a).is_none() || pool.as_const(*b).is_none() => {
                if model.eval(pool, old[0]) != 0 { *a } else { *b }
            }
            (Op::BvUlt | Op::BvUle, [a, b]) if matches!(pool.sort(*a).bits(), 32 | 64) => {
                let bits = pool.sort(*a).bits();
                let negative = |term: TermId| semantics::signed(model.eval(pool, term), bits) < 0;
                let zero = |pool: &mut Pool| pool.bv(bits, 0);
                match (negative(old[0]), negative(old[1])) {
                    (true, false) => {
                        let zero = zero(pool);
                        pool.sge(*a, zero)
                    }
                    (false, true) => {
                        let zero = zero(pool);
                        pool.slt(*b, zero)
                    }
                    _ if op == Op::BvUlt => pool.slt(*a, *b),
                    _ => pool.sle(*a, *b),
                }
            }
            (Op::BvSlt | Op::BvSle, [a, b]) => match (negated(pool, *a, *b), negated(pool, *b, *a)) {
                (Some((a, b)), _) => pool.mk(op, &[b, a]),
                (_, Some((b, a))) => pool.mk(op, &[b, a]),
                _ if args == old => term,
                _ => pool.mk(op, &args),
            },
            _ if args == old => term,
            _ => pool.mk(op, &args),
        };
        image.insert(term, plain);
    }
    image[&condition]
}

/// `n - x` and a constant `c`, all of them small, as `x` and `n - c`.
fn negated(pool: &mut Pool, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
    let width = pool.sort(b).bits();
    let small = |pool: &Pool, term: TermId| {
        let value = semantics::signed(pool.as_const(term)?, width);
        (-(1 << 16)..1 << 16).contains(&value).then_some(value)
    };
    let (from, inner) = match pool.node(a) {
        (Op::BvNeg, [inner]) => (0, *inner),
        (Op::BvSub, [from, inner]) => (small(pool, *from)?, *inner),
        _ => return None,
    };
    // Sizes are small: nothing wraps around.
    let is_size = pool.var_of(inner).is_some_and(|var| pool.var_name(var).ends_with(".length"));
    let value = from - small(pool, b)?;
    is_size.then(|| (inner, pool.bv128(width, value as u128 & semantics::mask(width))))
}
