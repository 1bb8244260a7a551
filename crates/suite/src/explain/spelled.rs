//! Inputs, numbers and relations as comments and names spell them.

/// Letters and digits of a name; elements become `a3`.
pub(super) fn identifier(name: &str) -> Option<String> {
    let name = &without_cases(name);
    let plain = |s: &str| s.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    let mut parts: Vec<String> = name.split('.').map(plain).filter(|part| !part.is_empty()).collect();
    for at in 0..parts.len().saturating_sub(3) {
        if is_call(&parts[at]) {
            parts[at + 2] = numbered(&parts[at + 2], &parts[at]);
        }
    }
    // Of a long path the end says most; of a call made before, only its parameter.
    let call = parts.iter().rposition(|part| is_call(part));
    let mut from = call.map_or(0, |at| match parts.get(at + 2).is_some_and(|part| part == "then") {
        true => at + 3,
        false => at + 1,
    });
    loop {
        let shown = parts.get(from..)?;
        let (first, rest) = shown.split_first()?;
        let text = rest.iter().fold(first.clone(), |text, part| text + &capitalised(part));
        if text.len() <= 24 {
            return Some(text);
        }
        from += 1;
    }
}

/// Whether a part of an input's name numbers a call that was made on an object before (`stack.call0.push.x`).
fn is_call(part: &str) -> bool {
    part.strip_prefix("call").is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
}

/// What objects that later calls were given are called: `p` of the first, `p2` of the second.
fn numbered(param: &str, call: &str) -> String {
    match call.strip_prefix("call").and_then(|n| n.parse::<u32>().ok()) {
        None | Some(0) => param.to_string(),
        Some(n) => format!("{param}{}", n + 1),
    }
}

/// An input as people write it: `xs.get0` is `xs.get(0)`, `stack.call0.push.x` is `stack.push(x)`, `mailer.send()#2` is
/// `the second mailer.send()`.
pub(super) fn spelled(name: &str) -> String {
    let mut text = String::new();
    // A field that is set directly has the mark of an assignment.
    let name = without_cases(&name.replace('=', ""));
    let mut parts = name.split('.').peekable();
    while let Some(part) = parts.next() {
        let dot = if text.is_empty() { "" } else { "." };
        let number =
            part.strip_prefix("get").filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
        if is_call(part) && parts.peek().is_some() {
            let mut method = parts.next().unwrap_or_default().to_string();
            let mut dot = dot;
            // An object that was made besides: `team.call0.newMember.points` is `new Member(points)`.
            if let Some(class) = method.strip_prefix("new").filter(|c| c.starts_with(char::is_uppercase)) {
                method = format!("new {class}");
                (text, dot) = (String::new(), "");
            }
            match parts.next() {
                // A call on what it returned: `bank.call0.open.then.post.amount` is `bank.open().post(amount)`.
                Some("then") if parts.peek().is_some() => {
                    let then = parts.next().unwrap_or_default();
                    let param = parts.next().unwrap_or_default();
                    text.push_str(&format!("{dot}{method}().{then}({param})"));
                }
                Some(param) if parts.peek().is_some() => {
                    text.push_str(&format!("{dot}{method}({})", numbered(param, part)));
                }
                Some(param) => text.push_str(&format!("{dot}{method}({param})")),
                None => text.push_str(&format!("{dot}{method}()")),
            }
        } else if let Some(number) = number {
            text.push_str(&format!("{dot}get({number})"));
        } else if let Some((part, number)) = entry(part).filter(|_| !text.is_empty()) {
            let one = format!("the {} {part} of {text}", ordinal(&(number + 1).to_string()));
            text = if parts.peek().is_some() { format!("({one})") } else { one };
        } else if let Some((call, number)) = part.split_once("()#") {
            let one = format!("the {} {text}{dot}{call}()", ordinal(number));
            text = if parts.peek().is_some() { format!("({one})") } else { one };
        } else if !text.is_empty() && part.starts_with(|c: char| c.is_ascii_uppercase()) {
            // What is known of an object of one class, where it could be of several.
            let cast = format!("({part}) {text}");
            text = if parts.peek().is_some() { format!("({cast})") } else { cast };
        } else {
            // Words that have a meaning of their own are marked where they are names.
            let word = |word: &&str| {
                ["null", "some", "set", "is", "way", "of", "length", "size", "then"].contains(word)
            };
            let part = part.strip_suffix('_').filter(word).unwrap_or(part);
            text.push_str(&format!("{dot}{part}"));
        }
    }
    text
}

/// A part of what a map or set was filled with: `value0`.
fn entry(part: &str) -> Option<(&'static str, usize)> {
    let parts = ["key", "value", "element"].into_iter();
    let mut found = parts.filter_map(|kind| Some((kind, part.strip_prefix(kind)?.parse::<usize>().ok()?)));
    found.next()
}

/// Without the numbers of the cases of arguments in which something returned a value: `rate()/2`.
fn without_cases(name: &str) -> String {
    let mut pieces = name.split('/');
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        text.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

/// `second` for 2.
fn ordinal(number: &str) -> String {
    if number == "1" {
        return "first".to_string();
    }
    let words = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let at = number.parse::<usize>().ok().and_then(|n| n.checked_sub(2));
    at.and_then(|at| words.get(at)).map_or_else(|| format!("{number}th"), |word| word.to_string())
}

/// A number as part of an identifier.
pub fn number_word(value: i128) -> Option<String> {
    let text = match value {
        v if v == i32::MIN as i128 || v == i64::MIN as i128 => "MinValue".to_string(),
        v if v == i32::MAX as i128 || v == i64::MAX as i128 => "MaxValue".to_string(),
        v if v < 0 => format!("Minus{}", v.unsigned_abs()),
        v => v.to_string(),
    };
    (text.len() <= 12).then_some(text)
}

/// With a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + chars.as_str())
}

/// As in a name of a size: `sLength3`.
pub(super) fn relation_word(relation: &str) -> &str {
    if relation == "Is" { "" } else { relation }
}

/// How something compares with zero.
pub(super) fn zero_word(relation: &str) -> Option<String> {
    Some(
        match relation {
            "Is" => "Zero",
            "IsNot" => "NotZero",
            "LessThan" => "Negative",
            "AtLeast" => "NotNegative",
            "GreaterThan" => "Positive",
            "AtMost" => "NotPositive",
            _ => return None,
        }
        .to_string(),
    )
}

/// `IN_PROGRESS` as `InProgress`.
pub fn camel(constant: &str) -> String {
    if constant.chars().any(|c| c.is_lowercase()) {
        return capitalised(constant);
    }
    constant.split('_').map(|part| capitalised(&part.to_lowercase())).collect()
}

/// What a character that is neither letter nor digit is called.
fn sign(text: &str) -> Option<&'static str> {
    Some(match text {
        " " => "Space",
        "." => "Dot",
        "," => "Comma",
        ":" => "Colon",
        ";" => "Semicolon",
        "-" => "Minus",
        "+" => "Plus",
        "*" => "Star",
        "/" => "Slash",
        "%" => "Percent",
        "=" => "EqualsSign",
        "<" => "Less",
        ">" => "Greater",
        "!" => "Exclamation",
        "?" => "Question",
        "#" => "Hash",
        "@" => "At",
        "&" => "Ampersand",
        "|" => "Bar",
        "^" => "Caret",
        "~" => "Tilde",
        "$" => "Dollar",
        "_" => "Underscore",
        "\"" => "Quote",
        "(" => "OpenParenthesis",
        ")" => "CloseParenthesis",
        "[" => "OpenBracket",
        "]" => "CloseBracket",
        "{" => "OpenBrace",
        "}" => "CloseBrace",
        _ => return None,
    })
}

/// A constant as part of a name: `'x'` is `X`, `DISCONTINUED` is `Discontinued`; `None` if it has no letters.
pub(super) fn constant_word(text: &str) -> Option<String> {
    let inner = match text.len() {
        3 => text.trim_matches('\''),
        _ => text,
    };
    if let Some(name) = sign(inner) {
        return Some(name.to_string());
    }
    let plain = inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && !inner.is_empty()).then(|| if inner.len() == 1 { inner.to_uppercase() } else { camel(inner) })
}
