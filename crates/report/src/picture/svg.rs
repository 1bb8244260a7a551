//! A laid-out drawing as SVG text.

use super::layout::{CHAR, LINE, LONGEST, Rect, label_width, layout};
use super::{Drawing, State};
use std::fmt::Write;

/// Fill and stroke.
fn colours(state: State) -> (&'static str, &'static str) {
    match state {
        State::Plain => ("#ffffff", "#5f6b7a"),
        State::Covered => ("#e2f4e5", "#2b8a3e"),
        State::Infeasible => ("#ececf1", "#8d8d9b"),
        State::Open => ("#fff0dc", "#d9730d"),
    }
}

/// The picture of a graph; it stands alone and can be put into a page.
pub fn svg(drawing: &Drawing) -> String {
    let layout = layout(drawing);
    let mut out = String::new();
    let (w, h) = (layout.width, layout.height);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" \
         height=\"{h:.0}\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"12\" role=\"img\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(&drawing.title));
    out.push_str("<defs>\n");
    for state in [State::Plain, State::Covered, State::Infeasible, State::Open] {
        let _ = writeln!(
            out,
            "<marker id=\"arrow-{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0.5 L8 4 L0 7.5 z\" fill=\"{}\"/></marker>",
            state.name(),
            colours(state).1
        );
    }
    out.push_str("</defs>\n");
    let mut labels: Vec<(f64, f64)> = Vec::new();
    // Above all lines, so that none runs through them.
    let mut texts = String::new();
    for (edge, line) in drawing.edges.iter().zip(&layout.lines) {
        let stroke = colours(edge.state).1;
        let dash = if edge.state == State::Infeasible { " stroke-dasharray=\"5 4\"" } else { "" };
        let width = if edge.thin { 0.8 } else { 1.5 };
        let rect = layout.boxes[edge.from];
        let (path, mut label) = match line.is_empty() {
            true => round(rect),
            false => (curve(line), beside(line)),
        };
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"{dash} \
             marker-end=\"url(#arrow-{})\"/>",
            edge.state.name()
        );
        if !edge.text.is_empty() {
            // Several edges to one node have their texts one above the other.
            while labels.iter().any(|l| (l.0 - label.0).abs() < 4.0 && (l.1 - label.1).abs() < 9.0) {
                label.1 -= 11.0;
            }
            labels.push(label);
            let shown = shortened(&edge.text);
            let wide = label_width(&edge.text) - 4.0;
            let _ = writeln!(
                texts,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"12\" fill=\"#ffffff\" opacity=\"0.9\"/>",
                label.0 - wide / 2.0,
                label.1 - 9.5
            );
            let _ = writeln!(
                texts,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10.5\" fill=\"{stroke}\">{}\
                 <title>{}</title></text>",
                label.0,
                label.1,
                escape(&shown),
                escape(&edge.text)
            );
        }
    }
    out.push_str(&texts);
    for (node, rect) in drawing.nodes.iter().zip(&layout.boxes) {
        let (fill, stroke) = colours(node.state);
        let dash = if node.state == State::Infeasible { " stroke-dasharray=\"5 4\"" } else { "" };
        let (x, y) = (rect.x - rect.width / 2.0, rect.y - rect.height / 2.0);
        let _ = write!(out, "<g>");
        if !node.hint.is_empty() {
            let _ = write!(out, "<title>{}</title>", escape(&node.hint));
        }
        if node.exit {
            let _ = write!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" fill=\"none\" \
                 stroke=\"{stroke}\"/>",
                x - 3.0,
                y - 3.0,
                rect.width + 6.0,
                rect.height + 6.0
            );
        }
        let _ = write!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"{fill}\" \
             stroke=\"{stroke}\" stroke-width=\"1.3\"{dash}/>",
            rect.width, rect.height
        );
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-weight=\"600\" fill=\"#1c2430\">{}</text>",
            rect.x,
            y + LINE + 1.0,
            escape(&node.name)
        );
        for (i, text) in node.text.iter().enumerate() {
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#3c4858\">{}</text>",
                x + 10.0,
                y + LINE * (i as f64 + 2.0) + 1.0,
                escape(text)
            );
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// A smooth line through points, vertical at both ends of each piece.
fn curve(line: &[(f64, f64)]) -> String {
    let mut path = format!("M{:.1} {:.1}", line[0].0, line[0].1);
    for pair in line.windows(2) {
        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
        if (x1 - x2).abs() < 0.5 {
            let _ = write!(path, " L{x2:.1} {y2:.1}");
        } else {
            let middle = (y1 + y2) / 2.0;
            let _ = write!(path, " C{x1:.1} {middle:.1} {x2:.1} {middle:.1} {x2:.1} {y2:.1}");
        }
    }
    path
}

/// Where the text of an edge stands: where it comes to the next row.
fn beside(line: &[(f64, f64)]) -> (f64, f64) {
    let ((_, y1), (x2, y2)) = (line[0], line[1]);
    if y2 > y1 { (x2, y2 - 11.0) } else { (x2, y2 + 18.0) }
}

/// A loop at the right side of a node.
fn round(rect: Rect) -> (String, (f64, f64)) {
    let (x, y) = (rect.x + rect.width / 2.0, rect.y);
    let path = format!(
        "M{x:.1} {:.1} C{1:.1} {2:.1} {1:.1} {3:.1} {x:.1} {4:.1}",
        y + 7.0,
        x + 30.0,
        y + 20.0,
        y - 20.0,
        y - 7.0
    );
    (path, (x + CHAR, y - 16.0))
}

/// A long condition is told in full when one points at it.
fn shortened(text: &str) -> String {
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST - 1).chain("…".chars()).collect(),
        false => text.to_string(),
    }
}

/// Text for XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no way to write other control characters.
            c if c < ' ' && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
