//! How conditions on Java inputs are spelled.

use ir::FuncId;
use jvm::input::Kind;
use jvm::load::FieldType;
use jvm::world::Jvm;
use suite::explain::Spelling;

use super::subject::Subject;

/// The parameters of a subject, by name.
pub struct JavaSpelling {
    params: Vec<(String, Kind)>,
    /// The input that the method is called on.
    pub receiver: Option<String>,
    /// Names of the constants of each input that is one of an enum.
    enums: Vec<(String, Vec<String>)>,
    /// Inputs that are texts.
    texts: Vec<String>,
    /// The method itself, and its parameters that the test calls otherwise than the source does.
    pub renamed: (FuncId, Vec<(String, String)>),
    /// The variables of the test, by the inputs that they hold.
    pub variables: Vec<(String, String)>,
}

impl JavaSpelling {
    pub fn new(
        jvm: &Jvm,
        subject: &Subject,
        enums: Vec<(String, Vec<String>)>,
        texts: Vec<String>,
    ) -> JavaSpelling {
        let names = jvm::input::param_names(jvm, subject.func).into_iter();
        let pairs = names.zip(subject.params.iter().map(|param| param.name.clone()));
        let renamed = (subject.func, pairs.filter(|(source, test)| source != test).collect());
        let params = subject.inputs().map(|p| (p.name.clone(), p.kind.clone())).collect();
        let receiver = subject.receiver.as_ref().map(|receiver| receiver.name.clone());
        JavaSpelling { params, receiver, enums, texts, renamed, variables: Vec::new() }
    }

    /// What the source says in a function, with the parameters as the test calls them.
    pub fn in_test(&self, func: FuncId, text: &str) -> String {
        if self.renamed.0 != func || self.renamed.1.is_empty() {
            return text.to_string();
        }
        let mut found = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (word, tail) = rest.split_at(length);
            // A member of something else, and text in quotes, only look alike.
            let quoted = found.matches('"').count() % 2 == 1;
            let known = self.renamed.1.iter().find(|(source, _)| source == word);
            match known.filter(|_| !found.ends_with('.') && !quoted && !tail.starts_with('(')) {
                Some((_, test)) => found.push_str(test),
                None => found.push_str(word),
            }
            rest = tail;
        }
        found
    }

    /// Whether a variable is a character of a text inside of something else.
    fn is_inner_character(&self, variable: &str) -> bool {
        let text = variable.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
        text.is_some_and(|(of, _)| of.contains('.') && self.texts.iter().any(|text| text == of))
    }

    /// Whether something that has a length is an array: a parameter by its type, what is inside of others unless it is a text.
    fn is_array(&self, of: &str) -> bool {
        match self.kind(of) {
            Some(kind) => matches!(kind, Kind::Array { .. }),
            None => !self.texts.iter().any(|text| text == of),
        }
    }

    /// The kind of a parameter or of an element of one (`a[3]`).
    fn kind(&self, name: &str) -> Option<&Kind> {
        let (root, elements) = match name.find('[') {
            Some(at) => (&name[..at], name[at..].matches('[').count()),
            None => (name, 0),
        };
        let mut parts = root.split('.');
        let first = parts.next().unwrap_or_default();
        let mut kind = &self.params.iter().find(|(n, _)| n == first)?.1;
        for part in parts {
            kind = inside(kind, part)?;
        }
        for _ in 0..elements {
            kind = match peel(kind) {
                Kind::Array { elem, .. } => elem,
                other => return Some(other),
            };
        }
        Some(peel(kind))
    }
}

/// The kind of what a collection holds: `stack.element0`, `names.get2`, `prices.value1`.
fn inside<'a>(kind: &'a Kind, part: &str) -> Option<&'a Kind> {
    let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
    match (peel(kind), word) {
        _ if word == part => None,
        (Kind::List { elem, .. }, "get") => Some(elem),
        (Kind::Filled { elems, .. }, "value") => elems.get(1),
        (Kind::Filled { elems, .. }, "element" | "key") => elems.first(),
        _ => None,
    }
}

fn peel(kind: &Kind) -> &Kind {
    match kind {
        Kind::Only { kind, .. } => kind,
        other => other,
    }
}

impl Spelling for JavaSpelling {
    fn known_as(&self, path: &str) -> Option<(usize, &str)> {
        let starts = |of: &str| {
            path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let fitting = self.variables.iter().filter(|(of, _)| starts(of));
        fitting.max_by_key(|(of, _)| of.len()).map(|(of, variable)| (of.len(), variable.as_str()))
    }

    fn length(&self, of: &str) -> String {
        if self.is_array(of) { format!("{of}.length") } else { format!("{of}.length()") }
    }

    fn element(&self, of: &str, index: &str) -> String {
        if self.is_array(of) { format!("{of}[{index}]") } else { format!("{of}.charAt({index})") }
    }

    fn constant(&self, variable: &str, value: i128) -> Option<String> {
        if let Some((_, names)) = self.enums.iter().find(|(name, _)| name == variable) {
            return names.get(usize::try_from(value).ok()?).cloned();
        }
        let is_char = match self.kind(variable) {
            Some(Kind::Scalar(FieldType::Char) | Kind::Str) => !variable.ends_with(".length"),
            Some(Kind::Boxed { prim, .. }) => *prim == FieldType::Char,
            _ => self.is_inner_character(variable),
        };
        let c = char::from_u32(u32::try_from(value).ok()?)?;
        (is_char && (c.is_ascii_graphic() || c == ' ')).then(|| match c {
            '\'' => "'\\''".to_string(),
            '\\' => "'\\\\'".to_string(),
            c => format!("'{c}'"),
        })
    }
}
