//! A small code-document model: what may break over lines, and how.
//!
//! A [`Doc`] is one statement or declaration. It is laid out on one line if it fits, otherwise the outermost
//! list breaks first. [`Source`] collects laid-out lines with their indentation.

/// Lines are no longer than this if anything in them can break.
pub const WIDTH: usize = 110;
const INDENT: usize = 4;
/// Continuation lines stand this much deeper than the statement.
const CONTINUATION: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doc {
    Text(String),
    Cat(Vec<Doc>),
    /// `open item, item close`. Broken: packed into lines if `fill`, otherwise all on the next line or, failing
    /// that, one a line.
    List {
        open: String,
        items: Vec<Doc>,
        close: String,
        fill: bool,
    },
    /// `item op item op item`. Broken: one a line, operator first.
    Chain {
        op: String,
        items: Vec<Doc>,
    },
}

impl Doc {
    pub fn text(s: impl Into<String>) -> Doc {
        Doc::Text(s.into())
    }

    pub fn cat(items: impl IntoIterator<Item = Doc>) -> Doc {
        Doc::Cat(items.into_iter().collect())
    }

    /// Arguments in parentheses.
    pub fn args(items: Vec<Doc>) -> Doc {
        Doc::List { open: "(".into(), items, close: ")".into(), fill: false }
    }

    /// `name(items)`
    pub fn call(name: impl Into<String>, items: Vec<Doc>) -> Doc {
        Doc::cat([Doc::text(name), Doc::args(items)])
    }

    pub fn flat(&self) -> String {
        let mut out = String::new();
        self.write_flat(&mut out);
        out
    }

    fn write_flat(&self, out: &mut String) {
        match self {
            Doc::Text(s) => out.push_str(s),
            Doc::Cat(items) => items.iter().for_each(|item| item.write_flat(out)),
            Doc::List { open, items, close, .. } => {
                out.push_str(open);
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    item.write_flat(out);
                }
                out.push_str(close);
            }
            Doc::Chain { op, items } => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(' ');
                        out.push_str(op);
                        out.push(' ');
                    }
                    item.write_flat(out);
                }
            }
        }
    }

    pub fn width(&self) -> usize {
        match self {
            Doc::Text(s) => s.chars().count(),
            Doc::Cat(items) => items.iter().map(Doc::width).sum(),
            Doc::List { open, items, close, .. } => {
                open.chars().count()
                    + close.chars().count()
                    + items.iter().map(|d| d.width() + 2).sum::<usize>().saturating_sub(2)
            }
            Doc::Chain { op, items } => {
                let gap = op.chars().count() + 2;
                items.iter().map(|d| d.width() + gap).sum::<usize>().saturating_sub(gap)
            }
        }
    }

    /// Width up to the first place that can break; the second value says whether there is none.
    fn rigid_prefix(&self) -> (usize, bool) {
        match self {
            Doc::Text(s) => (s.chars().count(), true),
            Doc::List { open, items, .. } if !items.is_empty() => (open.chars().count(), false),
            Doc::List { .. } => (self.width(), true),
            Doc::Chain { items, .. } => {
                let (width, rigid) = items.first().map_or((0, true), Doc::rigid_prefix);
                (width, rigid && items.len() < 2)
            }
            Doc::Cat(items) => rigid_prefix(items),
        }
    }
}

/// [`Doc::rigid_prefix`] of documents in a row.
fn rigid_prefix(docs: &[Doc]) -> (usize, bool) {
    let mut sum = 0;
    for doc in docs {
        let (width, rigid) = doc.rigid_prefix();
        sum += width;
        if !rigid {
            return (sum, false);
        }
    }
    (sum, true)
}

/// The lines of a source file.
#[derive(Debug, Default)]
pub struct Source {
    text: String,
    /// Number of complete lines written.
    lines: usize,
    depth: usize,
}

impl Source {
    pub fn new() -> Source {
        Source::default()
    }

    /// The 1-based number of the line that is written next.
    pub fn next_line(&self) -> usize {
        self.lines + 1
    }

    pub fn indent(&mut self) {
        self.depth += 1;
    }

    pub fn dedent(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// An empty line, unless the last one is empty or opens a block.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") && !self.text.ends_with("{\n") {
            self.end_line();
        }
    }

    /// One line as it is; it must not contain a line end.
    pub fn line(&mut self, line: &str) {
        for _ in 0..self.depth * INDENT {
            self.text.push(' ');
        }
        self.text.push_str(line);
        self.end_line();
    }

    /// A document laid out at the present depth, `end` after it.
    pub fn put(&mut self, doc: &Doc, end: &str) {
        let indent = self.depth * INDENT;
        let mut layout = Layout { text: " ".repeat(indent), col: indent, indent: indent + CONTINUATION };
        layout.put(doc, end.len());
        layout.push(end);
        for line in layout.text.lines() {
            self.text.push_str(line);
            self.end_line();
        }
    }

    pub fn finish(self) -> String {
        self.text
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.lines += 1;
    }
}

struct Layout {
    text: String,
    col: usize,
    /// Where continuation lines begin.
    indent: usize,
}

impl Layout {
    fn push(&mut self, s: &str) {
        self.text.push_str(s);
        self.col += s.chars().count();
    }

    fn newline(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', self.indent));
        self.col = self.indent;
    }

    fn fits(&self, width: usize) -> bool {
        self.col + width <= WIDTH
    }

    /// `reserve`: width of what must follow on the same line.
    fn put(&mut self, doc: &Doc, reserve: usize) {
        if self.fits(doc.width() + reserve) {
            let flat = doc.flat();
            return self.push(&flat);
        }
        match doc {
            Doc::Text(s) => self.push(s),
            Doc::Cat(items) => {
                for (i, item) in items.iter().enumerate() {
                    let (tail, rigid) = rigid_prefix(&items[i + 1..]);
                    self.put(item, if rigid { tail + reserve } else { tail });
                }
            }
            Doc::List { open, items, close, fill } => {
                self.push(open);
                let outer = self.indent;
                self.newline();
                let end = close.chars().count() + reserve;
                let one_line = items.iter().map(|d| d.width() + 2).sum::<usize>().saturating_sub(2) + end;
                let packed = *fill || self.fits(one_line);
                self.indent += CONTINUATION;
                for (i, item) in items.iter().enumerate() {
                    let last = i + 1 == items.len();
                    let after = if last { end } else { 1 };
                    if i > 0 {
                        if packed && self.fits(1 + item.width() + after) {
                            self.push(" ");
                        } else {
                            self.indent -= CONTINUATION;
                            self.newline();
                            self.indent += CONTINUATION;
                        }
                    }
                    self.put(item, after);
                    if !last {
                        self.push(",");
                    }
                }
                self.indent = outer;
                self.push(close);
            }
            Doc::Chain { op, items } => {
                for (i, item) in items.iter().enumerate() {
                    let last = i + 1 == items.len();
                    if i > 0 {
                        self.newline();
                        self.push(op);
                        self.push(" ");
                    }
                    self.put(item, if last { reserve } else { 0 });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(doc: &Doc) -> String {
        let mut source = Source::new();
        source.indent();
        source.put(doc, ";");
        source.finish()
    }

    fn name(c: &str, n: usize) -> Doc {
        Doc::text(c.repeat(n))
    }

    #[test]
    fn what_fits_stays_on_one_line() {
        assert_eq!(lay(&Doc::call("f", vec![name("a", 1), name("b", 1)])), "    f(a, b);\n");
    }

    #[test]
    fn the_outermost_list_breaks_first_then_one_a_line() {
        let inner = Doc::call("g", vec![name("x", 30), name("y", 30)]);
        let text = lay(&Doc::call("f", vec![inner.clone(), name("z", 50)]));
        let (x, y, z) = ("x".repeat(30), "y".repeat(30), "z".repeat(50));
        assert_eq!(text, format!("    f(\n            g({x}, {y}),\n            {z});\n"));
        let text = lay(&Doc::call("f".repeat(20), vec![inner, name("z", 20)]));
        let z = "z".repeat(20);
        assert_eq!(text, format!("    {}(\n            g({x}, {y}), {z});\n", "f".repeat(20)));
    }

    #[test]
    fn filled_lists_pack_and_no_line_is_too_long() {
        let items = (0..200).map(|i| Doc::text(i.to_string())).collect();
        let list = Doc::List { open: "new int[] {".into(), items, close: "}".into(), fill: true };
        let text = lay(&Doc::call("assertArrayEquals", vec![list, Doc::text("actual")]));
        assert!(text.lines().all(|l| l.len() <= WIDTH && l == l.trim_end()), "{text}");
        assert!(text.lines().count() < 16, "{text}");
    }

    #[test]
    fn chains_break_before_the_operator() {
        let text = lay(&Doc::Chain { op: "+".into(), items: vec![name("a", 80), name("b", 80)] });
        assert_eq!(text, format!("    {}\n            + {};\n", "a".repeat(80), "b".repeat(80)));
    }
}
