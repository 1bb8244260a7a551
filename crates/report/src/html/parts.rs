//! What pages are made of.

use std::fmt::Write;

use super::Source;
use crate::cover::CoverDecision;
use crate::picture::{Drawing, escape, svg};
use crate::{Counts, Verdict};

const STYLE: &str = include_str!("style.css");

pub const LEGEND: &str = "<p class=\"legend\"><span><i style=\"background:#2b8a3e\"></i>covered</span>\
<span><i style=\"background:#b5b5c0\"></i>infeasible</span><span><i style=\"background:#e8933a\"></i>open</span>\
<span><i style=\"background:#fff;border:1px solid #5f6b7a\"></i>not executed; nothing asks for it, or only for ways through it that are infeasible</span></p>";

/// What stands in a field of a table.
pub enum Cell {
    Text(String),
    Code(String),
    /// As it is.
    Html(String),
}

pub fn text(text: &str) -> Cell {
    Cell::Text(text.to_string())
}

pub fn code(text: &str) -> Cell {
    Cell::Code(text.to_string())
}

pub fn link(to: &str, name: &str) -> Cell {
    Cell::Html(format!("<a href=\"{}\"><code>{}</code></a>", escape(to), escape(name)))
}

pub fn verdict(verdict: Verdict) -> Cell {
    let class = match verdict {
        Verdict::Covered => "covered",
        Verdict::Infeasible => "infeasible",
        Verdict::Open => "open",
    };
    Cell::Html(format!("<span class=\"tag {class}\">{class}</span>"))
}

pub fn table(body: &mut String, titles: &[&str], rows: impl Iterator<Item = Vec<Cell>>) {
    body.push_str("<div class=\"scroll\"><table><tr>");
    titles.iter().for_each(|title| {
        let _ = write!(body, "<th>{}</th>", escape(title));
    });
    body.push_str("</tr>\n");
    for row in rows {
        body.push_str("<tr>");
        for cell in row {
            let _ = match cell {
                Cell::Text(text) => write!(body, "<td>{}</td>", escape(&text)),
                Cell::Code(text) => write!(body, "<td class=\"code\">{}</td>", escape(&text)),
                Cell::Html(html) => write!(body, "<td>{html}</td>"),
            };
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</table></div>");
}

pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>\n{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n",
        escape(title)
    )
}

pub fn heading(body: &mut String, title: &str, sub: &str) {
    let _ = write!(body, "<h1>{}</h1><p class=\"sub\">{}</p>", escape(title), escape(sub));
}

pub fn cards(body: &mut String, counts: Counts, tests: usize) {
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

/// A graph, with the lines of the source that it is of beside it; all of them if none are named.
pub fn picture_beside(
    body: &mut String,
    drawing: &Drawing,
    source: Option<&Source>,
    lines: Option<(u32, u32)>,
) {
    let picture = format!("<div class=\"panel\">{}</div>", svg(drawing));
    match source {
        Some(source) => {
            body.push_str("<div class=\"beside\">");
            source_panel(body, source, lines);
            body.push_str(&picture);
            body.push_str("</div>");
        }
        None => body.push_str(&picture),
    }
}

/// Source text; with lines named, those and the ones around them, where the head and the end of a method stand.
pub fn source_panel(body: &mut String, source: &Source, lines: Option<(u32, u32)>) {
    body.push_str("<div class=\"panel source\">");
    for (number, line) in (1..).zip(source.text.lines()) {
        if lines.is_some_and(|(first, last)| number + 1 < first || number > last + 1) {
            continue;
        }
        let class = source.lines.get(&number).copied().unwrap_or_default().name();
        let _ = write!(body, "<div class=\"{class}\"><b>{number}</b>{}</div>", escape(line));
    }
    body.push_str("</div>");
}

/// MC/DC tables: which two rows show which condition.
pub fn decisions(body: &mut String, decisions: &[CoverDecision]) {
    if decisions.is_empty() {
        return;
    }
    body.push_str("<h2>Decisions</h2>");
    let truth = |value: Option<bool>| {
        Cell::Html(match value {
            Some(true) => "<span class=\"true\">T</span>".to_string(),
            Some(false) => "<span class=\"false\">F</span>".to_string(),
            None => "–".to_string(),
        })
    };
    for d in decisions {
        let _ = write!(
            body,
            "<section class=\"decision\"><h3>{}: <code>{}</code></h3>",
            escape(&d.node),
            escape(&d.text)
        );
        let titles: Vec<&str> = std::iter::once("Row")
            .chain(d.conditions.iter().map(String::as_str))
            .chain(["Outcome", "Test", "Independence pair"])
            .collect();
        let rows = d.rows.iter().enumerate().map(|(i, r)| {
            let mut row = vec![text(&(i + 1).to_string())];
            row.extend(r.values.iter().map(|value| truth(*value)));
            row.extend([truth(Some(r.outcome)), code(&r.test), text(&d.shows(i))]);
            row
        });
        table(body, &titles, rows);
        let shown = d.pairs.iter().filter(|pair| pair.is_some()).count();
        let _ = write!(
            body,
            "<p class=\"legend\">{shown} of {} conditions are shown to independently affect the outcome; – was not \
             evaluated.</p></section>",
            d.conditions.len()
        );
    }
}

pub fn list(body: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("<li>{}</li>", escape(&item))).collect();
    if !items.is_empty() {
        let _ = write!(body, "<h2>{title}</h2><ul>{}</ul>", items.concat());
    }
}
