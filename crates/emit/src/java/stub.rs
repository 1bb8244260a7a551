//! Classes of a test file that stand for interfaces of many methods: each test overrides only what its call asks for.

use std::collections::BTreeSet;

use suite::case::{Call, FakeMethod, Outcome, Step, TestCase, Throws, Type, Value};

use super::expr::Scope;
use super::names::Names;
use super::plan::plan;
use crate::doc::Source;

/// Interfaces with more methods get a class of their own.
const MANY: usize = 4;
/// The same of smaller ones that so many tests want.
const OFTEN: usize = 3;

/// A class that implements all methods of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    pub name: String,
    ty: Type,
    methods: Vec<FakeMethod>,
}

impl Stub {
    /// Whether it stands for a type with these methods.
    pub fn is_of(&self, ty: &Type, methods: &[FakeMethod]) -> bool {
        let alike = |(a, b): (&FakeMethod, &FakeMethod)| {
            a.of == b.of && a.params == b.params && a.returns == b.returns
        };
        self.ty == *ty && self.methods.len() == methods.len() && self.methods.iter().zip(methods).all(alike)
    }
}

/// The stubs that cases need. `taken`: simple names of other classes.
pub fn of(cases: &[TestCase], taken: &BTreeSet<String>) -> Vec<Stub> {
    let mut found: Vec<Stub> = Vec::new();
    let mut wanted: Vec<(Stub, usize)> = Vec::new();
    let planned: Vec<TestCase> = cases.iter().map(plan).collect();
    let partly = |methods: &[FakeMethod]| methods.len() > 1 && methods.iter().any(|method| !method.called);
    for step in planned.iter().flat_map(|case| &case.arrange) {
        if let Step::Bind { value: Value::Fake { ty, constructor: None, methods }, .. } = step
            && partly(methods)
        {
            match wanted.iter_mut().find(|(stub, _)| stub.is_of(ty, methods)) {
                Some((_, count)) => *count += 1,
                None => {
                    let stub = Stub { name: String::new(), ty: ty.clone(), methods: methods.clone() };
                    wanted.push((stub, 1));
                }
            }
        }
    }
    for case in planned {
        for step in case.arrange {
            let Step::Bind { value: Value::Fake { ty, constructor: None, methods }, .. } = step else {
                continue;
            };
            let often = wanted.iter().any(|(stub, count)| *count >= OFTEN && stub.is_of(&ty, &methods));
            let many = partly(&methods) && (methods.len() > MANY || often);
            let Type::Class { name: class, .. } = &ty else { continue };
            if !many || found.iter().any(|stub| stub.is_of(&ty, &methods)) {
                continue;
            }
            let wish = format!("{}Stub", class.simple_name());
            let is_free =
                |name: &String| !taken.contains(name) && found.iter().all(|stub| stub.name != *name);
            let numbered = (2..).map(|n| format!("{wish}{n}"));
            let Some(name) = std::iter::once(wish.clone()).chain(numbered).find(is_free) else { continue };
            found.push(Stub { name, ty, methods });
        }
    }
    found
}

/// Writes the classes, whose methods return zero and null; the first and last line of each.
pub fn classes(stubs: &[Stub], names: &mut Names, release: u16, source: &mut Source) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    for stub in stubs {
        let Type::Class { name: class, .. } = &stub.ty else { continue };
        let nothing = Call::constructor(class.clone(), Vec::new(), Vec::new());
        let case = TestCase::new("", nothing, Outcome::Returns);
        let ty = names.ty(&stub.ty);
        let mut scope = Scope {
            names: &mut *names,
            case: &case,
            release,
            result: String::new(),
            large: Vec::new(),
            stubs: &[],
        };
        source.gap();
        let first = source.next_line();
        source.line(&format!("private static class {} implements {ty} {{", stub.name));
        source.indent();
        for (i, method) in stub.methods.iter().enumerate() {
            if i > 0 {
                source.gap();
            }
            let result = (method.returns != Type::Void).then(|| Value::zero(&method.returns));
            // What the tests override may throw.
            let declared: Vec<String> =
                method.exceptions.iter().map(|class| scope.names.class(class)).collect();
            let method =
                FakeMethod { result, throws: Throws::Never, runs: None, records: None, ..method.clone() };
            scope.fake_method(&method, declared, source);
        }
        source.dedent();
        source.line("}");
        lines.push((first, source.next_line() - 1));
    }
    lines
}
