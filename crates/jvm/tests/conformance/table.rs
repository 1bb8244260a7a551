//! The results as a page.

use std::collections::BTreeMap;
use std::fmt::Write;

use testkit::Jdk;
use testkit::conform::Conform;

use crate::driver::{Results, Tally};

/// So many agreeing calls make a method count as supported.
const ENOUGH: u32 = 20;

#[derive(Default)]
struct Row {
    members: u32,
    called: u32,
    enough: u32,
    total: Tally,
}

pub fn table(jdk: &Jdk, conform: &Conform, results: &Results) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut excluded: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut weak: Vec<String> = Vec::new();
    for member in &conform.members {
        let row = rows.entry(member.package()).or_default();
        row.members += 1;
        match &member.calls {
            Ok(place) => {
                let tally = results.tallies.get(place).cloned().unwrap_or_default();
                row.called += 1;
                row.enough += u32::from(tally.agreed >= ENOUGH);
                add(&mut row.total, &tally);
                if tally.agreed < ENOUGH {
                    let Tally { agreed, differed, unsupported, .. } = tally;
                    weak.push(format!(
                        "* `{}`: {agreed} agreed, {differed} differed, {unsupported} unsupported",
                        member.name
                    ));
                }
            }
            Err(reason) => excluded.entry(reason).or_default().push(&member.name),
        }
    }
    let mut text = String::from(INTRODUCTION);
    let others = "The same on [17](conformance.md), [25](conformance-25.md).";
    let _ = writeln!(text, "JDK {}, {} public members. {others}\n", jdk.version, conform.members.len());
    text.push_str("| package | members | compared | with 20 agreeing calls | calls | agreed | differed | unsupported |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    let mut all = Row::default();
    for (package, row) in &rows {
        line(&mut text, &format!("`{package}`"), row);
        all.members += row.members;
        all.called += row.called;
        all.enough += row.enough;
        add(&mut all.total, &row.total);
    }
    line(&mut text, "all", &all);
    if results.alone > 0 {
        let _ = writeln!(
            text,
            "\nAsked again in a JVM of their own, as earlier calls had filled its caches: {}.",
            results.alone
        );
    }
    if !results.reasons.is_empty() {
        text.push_str("\n## What was not supported\n\nCalls, and why.\n\n");
        let mut reasons: Vec<_> = results.reasons.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), reason.as_str()));
        for (reason, count) in reasons {
            let _ = writeln!(text, "* {count}: {reason}");
        }
    }
    text.push_str("\n## Members with fewer than 20 agreeing calls\n\n");
    text.push_str("Some of them have no more than a few calls that come to an end on the JVM.\n\n");
    text.push_str(&weak.join("\n"));
    text.push_str("\n\n## Not compared\n\n");
    for (reason, members) in excluded {
        let classes: std::collections::BTreeSet<&str> =
            members.iter().filter_map(|name| name.split('#').next()).collect();
        let classes: Vec<String> = classes.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "* {reason}: {} members of {}", members.len(), classes.join(", "));
    }
    text
}

fn add(to: &mut Tally, tally: &Tally) {
    to.calls += tally.calls;
    to.agreed += tally.agreed;
    to.differed += tally.differed;
    to.unsupported += tally.unsupported;
}

fn line(text: &mut String, name: &str, row: &Row) {
    let Row { members, called, enough, total } = row;
    let percent = 100.0 * f64::from(*enough) / f64::from((*called).max(1));
    let Tally { calls, agreed, differed, unsupported } = total;
    let _ = writeln!(
        text,
        "| {name} | {members} | {called} | {enough} ({percent:.1} %) | {calls} | {agreed} | {differed} | {unsupported} |"
    );
}

const INTRODUCTION: &str = "# Conformance of the Java platform

Written by `make conformance`. Every public constructor and method of the public classes of the packages below is
called with random and boundary arguments in our VM and in the real JVM (`crates/testkit/java/conform`). A receiver is
made by public constructors and factories and then changed by up to two other calls. Compared are the result or the
exception (class, and message unless the machine itself makes it up), and the receiver and arguments after the call,
shown as text by one Java program that runs in both machines: numbers, strings, arrays, collections and streams by
their contents, functions by what they do to a few values, other objects by their class, `toString` and getters. A call
that waits for ever on the JVM agrees if our VM reports a deadlock.

";
