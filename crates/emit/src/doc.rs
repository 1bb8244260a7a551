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
    /// Lines in braces, one step deeper than the line that opens them.
    Block(Vec<String>),
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

    /// The lines of a source in braces.
    pub fn block(source: Source) -> Doc {
        Doc::Block(source.text.lines().map(str::to_owned).collect())
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
            Doc::Block(lines) => {
                out.push_str("{ ");
                lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).for_each(|line| {
                    out.push_str(line);
                    out.push(' ');
                });
                out.push('}');
            }
        }
    }

    fn has_block(&self) -> bool {
        match self {
            Doc::Text(_) => false,
            Doc::Cat(items) | Doc::List { items, .. } | Doc::Chain { items, .. } => {
                items.iter().any(Doc::has_block)
            }
            Doc::Block(_) => true,
        }
    }

    /// Of a block what stands on the line that opens it.
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
            Doc::Block(_) => 1,
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
            Doc::Block(_) => (1, false),
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
    /// How much deeper the lines will stand in the end.
    margin: usize,
}

impl Source {
    pub fn new() -> Source {
        Source::default()
    }

    /// The lines of a [`Doc::block`] in a method of a test class.
    pub fn nested() -> Source {
        Source { margin: 3 * INDENT, ..Source::default() }
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
        let text = " ".repeat(indent);
        let (line, width) = (indent, WIDTH - self.margin);
        let mut layout = Layout { text, col: indent, indent: indent + CONTINUATION, line, width };
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
    /// Where the present line begins.
    line: usize,
    width: usize,
}

impl Layout {
    fn push(&mut self, s: &str) {
        self.text.push_str(s);
        self.col += s.chars().count();
    }

    fn newline(&mut self) {
        self.newline_at(self.indent);
    }

    fn newline_at(&mut self, col: usize) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', col));
        self.col = col;
        self.line = col;
    }

    fn block(&mut self, lines: &[String]) {
        let outer = self.line;
        self.push("{");
        for line in lines {
            self.newline_at(outer + INDENT);
            self.push(line);
        }
        self.newline_at(outer);
        self.push("}");
    }

    fn fits(&self, width: usize) -> bool {
        self.col + width <= self.width
    }

    /// On one line but for the lines of blocks.
    fn put_flat(&mut self, doc: &Doc) {
        match doc {
            doc if !doc.has_block() => self.push(&doc.flat()),
            Doc::Cat(items) => items.iter().for_each(|item| self.put_flat(item)),
            Doc::List { open, items, close, .. } => {
                self.push(open);
                self.put_between(items, ", ");
                self.push(close);
            }
            Doc::Chain { op, items } => self.put_between(items, &format!(" {op} ")),
            Doc::Block(lines) => self.block(lines),
            Doc::Text(text) => self.push(text),
        }
    }

    fn put_between(&mut self, items: &[Doc], between: &str) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(between);
            }
            self.put_flat(item);
        }
    }

    /// `reserve`: width of what must follow on the same line.
    fn put(&mut self, doc: &Doc, reserve: usize) {
        if self.fits(doc.width() + reserve) {
            return self.put_flat(doc);
        }
        match doc {
            Doc::Text(s) => self.push(s),
            Doc::Block(lines) => self.block(lines),
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
    fn blocks_stand_deeper_than_the_line_that_opens_them() {
        let mut body = Source::new();
        body.line("int f() {");
        body.indent();
        body.line("return 1;");
        body.dedent();
        body.line("}");
        let made = Doc::cat([Doc::call("new A", vec![name("x", 1)]), Doc::text(" "), Doc::block(body)]);
        let lambda = Doc::cat([Doc::text("() -> "), made]);
        let block = |outer: &str| {
            format!("new A(x) {{\n{outer}    int f() {{\n{outer}        return 1;\n{outer}    }}\n{outer}}}")
        };
        let text = lay(&Doc::call("f", vec![name("c", 1), lambda.clone()]));
        assert_eq!(text, format!("    f(c, () -> {});\n", block("    ")));
        let text = lay(&Doc::call("f", vec![name("c", 100), lambda]));
        let outer = " ".repeat(12);
        assert_eq!(text, format!("    f(\n{outer}{},\n{outer}() -> {});\n", "c".repeat(100), block(&outer)));
    }

    #[test]
    fn chains_break_before_the_operator() {
        let text = lay(&Doc::Chain { op: "+".into(), items: vec![name("a", 80), name("b", 80)] });
        assert_eq!(text, format!("    {}\n            + {};\n", "a".repeat(80), "b".repeat(80)));
    }
}
