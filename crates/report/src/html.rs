//! Pages that open without a server: everything is in the page, nothing is loaded from elsewhere, no script runs.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::cover::{CoverDecision, CoverReport};
use crate::picture::{Drawing, State, escape, svg};
use crate::{Counts, Report, Target, Verdict};

const STYLE: &str = "
:root { --ink: #1c2430; --soft: #5f6b7a; --line: #dfe3e8; --covered: #2b8a3e; --covered-bg: #e2f4e5;
  --infeasible: #6f6f7d; --infeasible-bg: #ececf1; --open: #b85c00; --open-bg: #fff0dc; }
* { box-sizing: border-box; }
body { margin: 0; padding: 28px 36px 60px; color: var(--ink); background: #fafbfc;
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 34px 0 10px; }
h3 { font-size: 15px; margin: 0 0 8px; }
p.sub { color: var(--soft); margin: 0 0 18px; }
code, pre, td.code, .source { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 13px; }
.cards { display: flex; gap: 12px; flex-wrap: wrap; }
.card { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 10px 18px; min-width: 110px; }
.card b { display: block; font-size: 24px; line-height: 1.2; } .card span { color: var(--soft); font-size: 13px; }
.card.covered b { color: var(--covered); } .card.infeasible b { color: var(--infeasible); }
.card.open b { color: var(--open); }
.bar { display: flex; height: 8px; border-radius: 4px; overflow: hidden; background: var(--line); margin: 14px 0 0; max-width: 620px; }
.bar i { display: block; height: 100%; } .bar .covered { background: var(--covered); }
.bar .infeasible { background: #b5b5c0; } .bar .open { background: #e8933a; }
.panel { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 16px; overflow: auto; }
.beside { display: grid; grid-template-columns: minmax(320px, 1fr) minmax(360px, 1.2fr); gap: 16px; align-items: start; }
@media (max-width: 1000px) { .beside { grid-template-columns: 1fr; } }
svg { max-width: 100%; height: auto; display: block; margin: 0 auto; }
table { border-collapse: collapse; background: #fff; border: 1px solid var(--line); border-radius: 10px; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; }
th, td { padding: 6px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.tag { display: inline-block; border-radius: 10px; padding: 0 9px; font-size: 12.5px; white-space: nowrap; }
.tag.covered { background: var(--covered-bg); color: var(--covered); }
.tag.infeasible { background: var(--infeasible-bg); color: var(--infeasible); }
.tag.open { background: var(--open-bg); color: var(--open); }
.source { white-space: pre; line-height: 1.55; }
.source div { display: block; padding: 0 10px; border-left: 4px solid transparent; }
.source div b { display: inline-block; width: 3.2em; text-align: right; margin-right: 1.2em; color: #a0a8b3; font-weight: 400; }
.source .covered { border-color: var(--covered); background: #f1faf2; }
.source .infeasible { border-color: #b5b5c0; background: #f5f5f8; }
.source .open { border-color: #e8933a; background: #fff7ec; }
.legend { color: var(--soft); font-size: 13px; margin: 8px 0 0; }
.legend span { margin-right: 14px; } .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 5px; }
.true { color: var(--covered); font-weight: 600; } .false { color: #b02a37; font-weight: 600; }
details { margin: 8px 0; } summary { cursor: pointer; font-weight: 600; }
";

const LEGEND: &str = "<p class=\"legend\"><span><i style=\"background:#2b8a3e\"></i>covered</span>\
<span><i style=\"background:#b5b5c0\"></i>infeasible</span><span><i style=\"background:#e8933a\"></i>open</span></p>";

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
    pub name: String,
    pub drawing: Drawing,
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
    body.push_str("<h2>Control flow</h2>");
    picture_beside(&mut body, drawing, source);
    tables(&mut body, &report.decisions);
    if !report.obligations.is_empty() {
        body.push_str(
            "<h2>Obligations</h2><table><tr><th></th><th>Obligation</th><th>Verdict</th><th>Why</th></tr>",
        );
        for o in &report.obligations {
            let mut why = match o.verdict {
                Verdict::Covered => o.by.join(", "),
                _ => o.why.clone().unwrap_or_default(),
            };
            if let Some(test) = &o.side_trips {
                let _ = write!(why, "; toured with side trips by {test}");
            }
            row(&mut body, &o.id, &o.text, o.verdict, &why);
        }
        body.push_str("</table>");
    }
    body.push_str(
        "<h2>Tests</h2><table><tr><th></th><th>Inputs</th><th>Path</th><th>Cost</th><th>Covers</th></tr>",
    );
    for t in &report.tests {
        let _ = write!(
            body,
            "<tr><td>{}</td><td class=\"code\">{}</td><td class=\"code\">{}</td><td>{}</td><td>{}</td></tr>",
            escape(&t.id),
            escape(&t.inputs_text()),
            escape(&t.nodes.join(" ")),
            t.cost,
            escape(&t.covers.join(", "))
        );
    }
    body.push_str("</table>");
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
    if let Some(source) = source {
        let _ = write!(body, "<h2>{}</h2>", escape(&source.file));
        source_panel(&mut body, source);
    }
    body.push_str("<h2>Methods</h2>");
    for method in methods {
        let _ = write!(body, "<details open><summary>{}</summary>", escape(&method.name));
        let _ = write!(body, "<div class=\"panel\">{}</div>{LEGEND}", svg(&method.drawing));
        body.push_str("</details>");
    }
    tables(&mut body, &target.decisions);
    body.push_str(
        "<h2>Obligations</h2><table><tr><th>Line</th><th>Obligation</th><th>Verdict</th><th>Why</th></tr>",
    );
    for o in &target.obligations {
        let why = o.by.as_deref().or(o.why.as_deref()).unwrap_or("");
        let line = if o.line == 0 { String::new() } else { o.line.to_string() };
        let method = o.function.split('(').next().unwrap_or(&o.function);
        let method = method.rsplit('.').next().unwrap_or(method);
        row(&mut body, &line, &format!("{method}: {}", o.text), o.verdict, why);
    }
    body.push_str(
        "</table><h2>Tests</h2><table><tr><th>Test</th><th>Outcome</th><th>First to cover</th></tr>",
    );
    for t in &target.tests {
        let _ = write!(
            body,
            "<tr><td class=\"code\">{}</td><td>{}</td><td>{}</td></tr>",
            escape(&t.name),
            escape(&t.outcome),
            t.covers.iter().map(|c| escape(c)).collect::<Vec<_>>().join("<br>")
        );
    }
    body.push_str("</table>");
    list(&mut body, "Suspected bugs", target.bugs.iter().map(|b| format!("{} ({})", b.what, b.test)));
    list(&mut body, "Not shipped", target.dropped.iter().map(|d| format!("{}: {}", d.name, d.why)));
    let ledger = target.ledger.iter();
    list(
        &mut body,
        "What was not exact",
        ledger.map(|l| format!("{} ({}) at {} ×{}", l.text, l.reason, l.place, l.count)),
    );
    page(&target.class, &body)
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
    body.push_str(
        "<h2>Classes</h2><table><tr><th>Class</th><th>Covered</th><th>Infeasible</th><th>Open</th><th>Tests</th><th>Suspected bugs</th></tr>",
    );
    for t in &report.targets {
        let _ = write!(
            body,
            "<tr><td class=\"code\"><a href=\"{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&class_file(&t.class)),
            escape(&t.class),
            t.counts.covered,
            t.counts.infeasible,
            t.counts.open,
            t.tests.len(),
            t.bugs.len()
        );
    }
    body.push_str("</table>");
    page("Testwright report", &body)
}

/// The file of a class's page.
pub fn class_file(class: &str) -> String {
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '-') { c } else { '_' };
    format!("{}.html", class.chars().map(plain).collect::<String>())
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n",
        escape(title)
    )
}

fn heading(body: &mut String, title: &str, sub: &str) {
    let _ = write!(body, "<h1>{}</h1><p class=\"sub\">{}</p>", escape(title), escape(sub));
}

fn cards(body: &mut String, counts: Counts, tests: usize) {
    let Counts { covered, infeasible, open } = counts;
    let card =
        |class: &str, n: usize| format!("<div class=\"card {class}\"><b>{n}</b><span>{class}</span></div>");
    let _ = write!(
        body,
        "<div class=\"cards\">{}{}{}{}</div>",
        card("covered", covered as usize),
        card("infeasible", infeasible as usize),
        card("open", open as usize),
        card("tests", tests)
    );
    let part = |class: &str, n: u32| match n {
        0 => String::new(),
        n => format!("<i class=\"{class}\" style=\"flex:{n}\"></i>"),
    };
    let parts = part("covered", covered) + &part("infeasible", infeasible) + &part("open", open);
    let _ = write!(body, "<div class=\"bar\">{parts}</div>");
}

fn picture_beside(body: &mut String, drawing: &Drawing, source: Option<&Source>) {
    match source {
        Some(source) => {
            body.push_str("<div class=\"beside\"><div>");
            source_panel(body, source);
            let _ = write!(body, "</div><div class=\"panel\">{}</div></div>{LEGEND}", svg(drawing));
        }
        None => {
            let _ = write!(body, "<div class=\"panel\">{}</div>{LEGEND}", svg(drawing));
        }
    }
}

fn source_panel(body: &mut String, source: &Source) {
    body.push_str("<div class=\"panel source\">");
    for (i, line) in source.text.lines().enumerate() {
        let number = i as u32 + 1;
        let class = source.lines.get(&number).copied().unwrap_or_default().name();
        let _ = write!(body, "<div class=\"{class}\"><b>{number}</b>{}</div>", escape(line));
    }
    body.push_str("</div>");
}

/// MC/DC tables: which two rows show which condition.
fn tables(body: &mut String, decisions: &[CoverDecision]) {
    if decisions.is_empty() {
        return;
    }
    body.push_str("<h2>Decisions</h2>");
    for d in decisions {
        let _ = write!(
            body,
            "<h3><code>{}: {}</code></h3><table><tr><th>Row</th>",
            escape(&d.node),
            escape(&d.text)
        );
        d.conditions.iter().for_each(|c| {
            let _ = write!(body, "<th><code>{}</code></th>", escape(c));
        });
        body.push_str("<th>Outcome</th><th>Test</th><th>Independence pair</th></tr>");
        let truth = |v: Option<bool>| match v {
            Some(true) => "<td class=\"true\">T</td>",
            Some(false) => "<td class=\"false\">F</td>",
            None => "<td>–</td>",
        };
        for (i, r) in d.rows.iter().enumerate() {
            let values: String = r.values.iter().map(|v| truth(*v)).collect();
            let _ = write!(
                body,
                "<tr><td>{}</td>{values}{}<td class=\"code\">{}</td><td>{}</td></tr>",
                i + 1,
                truth(Some(r.outcome)),
                escape(&r.test),
                escape(&d.shows(i))
            );
        }
        body.push_str("</table><br>");
    }
}

fn row(body: &mut String, id: &str, text: &str, verdict: Verdict, why: &str) {
    let class = match verdict {
        Verdict::Covered => "covered",
        Verdict::Infeasible => "infeasible",
        Verdict::Open => "open",
    };
    let _ = write!(
        body,
        "<tr><td>{}</td><td class=\"code\">{}</td><td><span class=\"tag {class}\">{class}</span></td><td>{}</td></tr>",
        escape(id),
        escape(text),
        escape(why)
    );
}

fn list(body: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("<li>{}</li>", escape(&item))).collect();
    if !items.is_empty() {
        let _ = write!(body, "<h2>{title}</h2><ul>{}</ul>", items.concat());
    }
}
