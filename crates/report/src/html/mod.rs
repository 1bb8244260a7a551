//! Pages that open without a server: everything is in the page, nothing is loaded from elsewhere, no script runs.

mod parts;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::cover::CoverReport;
use crate::picture::{Drawing, State, escape};
use crate::{Counts, Obligation, Report, Target, Verdict};
use parts::{
    Cell, LEGEND, cards, code, decisions, heading, link, list, page, picture_beside, source_panel, table,
    text, verdict,
};

/// Source text with what became of its lines.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub file: String,
    pub text: String,
    pub lines: BTreeMap<u32, State>,
}

/// The graph of a method.
#[derive(Clone, Debug, Default)]
pub struct MethodPicture {
    /// As obligations name the function.
    pub function: String,
    /// As the source names it.
    pub name: String,
    pub drawing: Drawing,
    /// The first and the last line of its code.
    pub lines: Option<(u32, u32)>,
}

/// The page of a control-flow graph.
pub fn cover_page(report: &CoverReport, drawing: &Drawing, source: Option<&Source>) -> String {
    let mut body = String::new();
    let what = match &report.criterion {
        Some(criterion) => format!("criterion {criterion}"),
        None => "paths, cheapest first".to_string(),
    };
    heading(
        &mut body,
        &report.graph.name,
        &format!("{} · {what} · cost in {}", report.graph.file, report.cost),
    );
    if report.criterion.is_some() {
        cards(&mut body, report.counts, report.tests.len());
    }
    if report.cut {
        body.push_str("<p>There are more obligations than are listed here.</p>");
    }
    if let Some(why) = &report.stopped {
        let _ = write!(body, "<p>The search was stopped: {}</p>", escape(why));
    }
    let _ = write!(body, "<h2>Control flow</h2>{LEGEND}");
    picture_beside(&mut body, drawing, source, None);
    decisions(&mut body, &report.decisions);
    if !report.obligations.is_empty() {
        body.push_str("<h2>Obligations</h2>");
        let rows = report.obligations.iter().map(|o| {
            let mut why = match o.verdict {
                Verdict::Covered => o.by.join(", "),
                _ => o.why.clone().unwrap_or_default(),
            };
            if let Some(test) = &o.side_trips {
                let _ = write!(why, "; toured with side trips by {test}");
            }
            vec![text(&o.id), code(&o.text), verdict(o.verdict), text(&why)]
        });
        table(&mut body, &["", "Obligation", "Verdict", "Covered by, or why not"], rows);
    }
    body.push_str("<h2>Tests</h2>");
    let rows = report.tests.iter().map(|t| {
        let (inputs, path, cost) = (t.inputs_text(), t.nodes.join(" "), t.cost.to_string());
        vec![text(&t.id), code(&inputs), code(&path), text(&cost), text(&t.covers.join(", "))]
    });
    table(&mut body, &["", "Inputs", "Path", "Cost", "Covers"], rows);
    page(&report.graph.name, &body)
}

/// The page of a class.
pub fn class_page(
    target: &Target,
    criterion: &str,
    methods: &[MethodPicture],
    source: Option<&Source>,
) -> String {
    let mut body = String::from("<p class=\"sub\"><a href=\"index.html\">all classes</a></p>");
    heading(&mut body, &target.class, &format!("criterion {criterion}"));
    cards(&mut body, target.counts, target.tests.len());
    if !methods.is_empty() {
        let _ = write!(body, "<h2>Methods</h2>{LEGEND}");
        if source.is_none() {
            body.push_str("<p class=\"sub\">The source was not found; --source-path says where it is.</p>");
        }
        let (plain, branching): (Vec<_>, Vec<_>) = methods.iter().partition(|m| m.drawing.nodes.len() < 2);
        branching.into_iter().for_each(|method| method_section(&mut body, target, method, source));
        straight(&mut body, &plain);
    }
    decisions(&mut body, &target.decisions);
    body.push_str("<h2>Obligations</h2>");
    let rows = target.obligations.iter().map(obligation_row);
    table(&mut body, &["Line", "Method", "Obligation", "Verdict", "Covered by, or why not"], rows);
    for function in &target.cut {
        let _ = write!(body, "<p>{} owes more obligations than are listed.</p>", escape(function));
    }
    body.push_str("<h2>Tests</h2>");
    let rows = target.tests.iter().map(|t| {
        let covers = t.covers.iter().map(|c| escape(c)).collect::<Vec<_>>().join("<br>");
        vec![code(&t.name), text(&t.outcome), Cell::Html(covers)]
    });
    table(&mut body, &["Test", "Outcome", "First to cover"], rows);
    list(&mut body, "Suspected bugs", target.bugs.iter().map(|b| format!("{} ({})", b.what, b.test)));
    list(&mut body, "Not shipped", target.dropped.iter().map(|d| format!("{}: {}", d.name, d.why)));
    let ledger = target.ledger.iter();
    list(
        &mut body,
        "What was not exact",
        ledger.map(|l| format!("{} ({}) at {} ×{}", l.text, l.reason, l.place, l.count)),
    );
    if let Some(source) = source {
        let _ = write!(body, "<h2>Source</h2><details><summary>{}</summary>", escape(&source.file));
        source_panel(&mut body, source, None);
        body.push_str("</details>");
    }
    page(&target.class, &body)
}

/// The graph of a method with its source beside it.
fn method_section(body: &mut String, target: &Target, method: &MethodPicture, source: Option<&Source>) {
    let mut counts = Counts::default();
    for o in target.obligations.iter().filter(|o| o.function == method.function) {
        match o.verdict {
            Verdict::Covered => counts.covered += 1,
            Verdict::Infeasible => counts.infeasible += 1,
            Verdict::Open => counts.open += 1,
        }
    }
    let Counts { covered, infeasible, open } = counts;
    let _ = write!(
        body,
        "<details open><summary>{}<span class=\"counts\">{covered} covered, {infeasible} infeasible, \
         {open} open</span></summary>",
        escape(&method.name)
    );
    picture_beside(body, &method.drawing, source, method.lines);
    body.push_str("</details>");
}

/// Methods without branches need no picture.
fn straight(body: &mut String, methods: &[&MethodPicture]) {
    if methods.is_empty() {
        return;
    }
    let _ = write!(body, "<details><summary>{} without branches</summary>", methods.len());
    let rows = methods.iter().map(|m| {
        let state = m.drawing.nodes.first().map_or(State::Plain, |node| node.state);
        let lines = match m.lines {
            Some((first, last)) if first != last => format!("{first}–{last}"),
            Some((first, _)) => first.to_string(),
            None => String::new(),
        };
        let executed = if state == State::Covered { "executed" } else { "not executed" };
        vec![text(&lines), code(&m.name), text(executed)]
    });
    table(body, &["Line", "Method", ""], rows);
    body.push_str("</details>");
}

fn obligation_row(o: &Obligation) -> Vec<Cell> {
    let why = o.by.as_deref().or(o.why.as_deref()).unwrap_or("");
    let line = if o.line == 0 { String::new() } else { o.line.to_string() };
    // The line has a column of its own.
    let what = o.text.strip_prefix(&format!("line {line}: ")).unwrap_or(&o.text);
    vec![text(&line), code(&o.method), code(what), verdict(o.verdict), text(why)]
}

/// The page that leads to the classes; each is in the file that [`class_file`] names.
pub fn index_page(report: &Report) -> String {
    let mut body = String::new();
    heading(
        &mut body,
        "Testwright report",
        &format!("Testwright {} · JDK {} · criterion {}", report.version, report.jdk, report.criterion),
    );
    let mut sum = Counts::default();
    for t in &report.targets {
        sum.covered += t.counts.covered;
        sum.infeasible += t.counts.infeasible;
        sum.open += t.counts.open;
    }
    cards(&mut body, sum, report.targets.iter().map(|t| t.tests.len()).sum());
    body.push_str("<h2>Classes</h2>");
    let rows = report.targets.iter().map(|t| {
        let Counts { covered, infeasible, open } = t.counts;
        let numbers = [covered as usize, infeasible as usize, open as usize, t.tests.len(), t.bugs.len()];
        let mut row = vec![link(&class_file(&t.class), &t.class)];
        row.extend(numbers.map(|n| text(&n.to_string())));
        row
    });
    table(&mut body, &["Class", "Covered", "Infeasible", "Open", "Tests", "Suspected bugs"], rows);
    page("Testwright report", &body)
}

/// The file of a class's page.
pub fn class_file(class: &str) -> String {
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '-') { c } else { '_' };
    format!("{}.html", class.chars().map(plain).collect::<String>())
}
