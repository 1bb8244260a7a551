//! What reflection says of the classes of a case, and calls made from that.

use crate::call::{Call, Receiver};
use crate::expect::Method;
use crate::fixtures::Case;
use crate::methods::{JDK_CLASSES, Member, MemberKind, comparable, is_input, split_descriptor};
use crate::oracle::Oracle;
use crate::random::Generator;
use crate::value::Value;
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The members of a case's classes, and what is needed to call them.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Public constructors and methods, inherited ones included.
    pub members: Vec<Member>,
    /// Constants of the enums that occur, by class.
    pub enums: BTreeMap<String, Vec<String>>,
    /// Static fields that calls may change.
    pub mutable_statics: Vec<String>,
    classes: Vec<String>,
    source: String,
    fresh: bool,
}

impl Survey {
    /// Asks the oracle, which must have the case on its class path.
    pub fn of(case: &Case, oracle: &mut Oracle) -> Result<Survey> {
        let mut classes = case.classes();
        classes.extend(case.expect.method.iter().map(|method| case.class_of(method)));
        classes.sort();
        classes.dedup();
        let mut survey = Survey {
            members: Vec::new(),
            enums: BTreeMap::new(),
            mutable_statics: Vec::new(),
            classes,
            source: case.source_text()?,
            fresh: case.expect.stateful,
        };
        for class in &survey.classes {
            survey.members.extend(oracle.methods(class)?);
            survey.mutable_statics.extend(oracle.mutable_statics(class)?);
        }
        let mut candidates = survey.classes.clone();
        candidates.extend(survey.members.iter().flat_map(parameter_classes));
        candidates.retain(|class| class.starts_with("fx."));
        for class in candidates {
            let constants = oracle.enum_constants(&class)?;
            if !constants.is_empty() {
                survey.enums.insert(class, constants);
            }
        }
        Ok(survey)
    }

    /// The member an expectation is about.
    pub fn find(&self, case: &Case, method: &Method) -> Result<&Member> {
        let class = case.class_of(method);
        let named: Vec<&Member> = self
            .members
            .iter()
            .filter(|member| member.class == class && member.name == method.name)
            .filter(|member| method.desc.as_ref().is_none_or(|desc| *desc == member.desc))
            .collect();
        match named[..] {
            [member] => Ok(member),
            [] => Err(Error::Malformed(format!("no public method {class}.{}", method.name))),
            _ => Err(Error::Malformed(format!("{class}.{} is overloaded: desc needed", method.name))),
        }
    }

    pub fn constructors(&self, class: &str) -> Vec<Member> {
        let mut all = self.members.clone();
        all.retain(|member| member.class == class && member.kind == MemberKind::Constructor);
        all
    }

    /// Members that can be called: with parameters we make values of, static or on a receiver we can make. Methods
    /// inherited from the JDK are not among them.
    pub fn callable(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| {
            let parameters = split_descriptor(&member.desc).unwrap_or_default().0;
            let reachable = member.kind != MemberKind::Instance
                || self.enums.contains_key(&member.class)
                || !self.constructors(&member.class).is_empty();
            member.declared && reachable && parameters.iter().all(|desc| self.can_make(desc))
        })
    }

    /// Whether arguments of the type can be made: an own class must be an enum.
    pub fn can_make(&self, desc: &str) -> bool {
        let own = desc.trim_start_matches('[').strip_prefix("Lfx/").and_then(|rest| rest.strip_suffix(';'));
        is_input(desc)
            && own.is_none_or(|rest| self.enums.contains_key(&format!("fx.{}", rest.replace('/', "."))))
    }

    /// The calls of a method's examples.
    pub fn examples(&self, method: &Method, member: &Member) -> Result<Vec<Call>> {
        let constructors = self.constructors(&member.class);
        let made = method.examples.iter().map(|example| example.call(member, &constructors));
        made.map(|call| call.map(|call| Call { fresh: self.fresh, ..call })).collect()
    }

    /// So many random calls of a member; one, if all are the same.
    pub fn random(&self, member: &Member, seed: u64, number: usize) -> Vec<Call> {
        let constructors = self.constructors(&member.class);
        let mut generator = Generator::new(seed);
        generator.learn(&self.source);
        for (class, constants) in &self.enums {
            generator.learn_enum(class, constants.clone());
        }
        let varied = !member.desc.starts_with("()") || member.kind == MemberKind::Instance;
        (0..if varied { number } else { 1 })
            .filter_map(|_| generator.call(member, &constructors))
            .filter(|call| !matches!(call.receiver, Receiver::Value(Value::Null)))
            .map(|call| Call { fresh: self.fresh, ..call })
            .collect()
    }
}

/// Random calls over the JDK's classes that are compared, so many a method.
pub fn jdk_calls(oracle: &mut Oracle, seed: u64, per_method: usize) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    for class in JDK_CLASSES {
        let members = comparable(oracle, class)?;
        let constructors: Vec<Member> =
            members.iter().filter(|member| member.kind == MemberKind::Constructor).cloned().collect();
        let mut generator = Generator::new(seed);
        for member in &members {
            calls.extend((0..per_method).filter_map(|_| generator.call(member, &constructors)));
        }
    }
    Ok(calls)
}

fn parameter_classes(member: &Member) -> Vec<String> {
    let parameters = split_descriptor(&member.desc).unwrap_or_default().0;
    let class = |desc: &String| {
        let inner = desc.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';')?;
        Some(inner.replace('/', "."))
    };
    parameters.iter().filter_map(class).collect()
}
