//! A call to be made, and what came of it.

use crate::value::{Value, encode_list};
use crate::{Error, Result};
use std::fmt;

/// One call of a method or constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Class with dots.
    pub class: String,
    /// `<init>` calls a constructor.
    pub method: String,
    pub desc: String,
    pub receiver: Receiver,
    pub args: Vec<Value>,
    /// Run in a world of its own, so that static state of earlier calls does not show.
    pub fresh: bool,
}

/// What an instance method is called on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// A static method or a constructor.
    None,
    /// A new object of the class, made by the constructor with this descriptor.
    New { desc: String, args: Vec<Value> },
    /// A string or box.
    Value(Value),
}

/// What a call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub outcome: Outcome,
    /// The arguments after the call: arrays may have changed.
    pub args_after: Vec<Value>,
    /// Instance fields of a [`Receiver::New`] after the call, superclasses first.
    pub fields_after: Vec<(String, Value)>,
    /// Bytes written to `System.out`, as UTF-8.
    pub stdout: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Returned(Value),
    Threw {
        class: String,
        message: Option<Vec<u16>>,
    },
    /// The receiver's constructor threw; the method was not reached.
    ConstructionThrew {
        class: String,
        message: Option<Vec<u16>>,
    },
    /// No answer, and why: out of time or memory, too large, exited, not supported by the subject.
    Unanswered(String),
}

impl Call {
    pub fn of_static(class: &str, method: &str, desc: &str, args: Vec<Value>) -> Call {
        Call {
            class: class.into(),
            method: method.into(),
            desc: desc.into(),
            receiver: Receiver::None,
            args,
            fresh: false,
        }
    }

    /// The request line for the oracle, without line end.
    pub fn encode(&self, out: &mut String) {
        out.push_str(if self.fresh { "C 1 " } else { "C 0 " });
        for field in [&self.class, &self.method, &self.desc] {
            out.push_str(field);
            out.push(' ');
        }
        match &self.receiver {
            Receiver::None => out.push_str("- "),
            Receiver::New { desc, args } => {
                out.push_str("new ");
                out.push_str(desc);
                out.push(' ');
                encode_list(args, out);
                out.push(' ');
            }
            Receiver::Value(value) => {
                out.push_str("on ");
                value.encode(out);
                out.push(' ');
            }
        }
        encode_list(&self.args, out);
    }
}

impl Answer {
    pub fn unanswered(reason: impl Into<String>) -> Answer {
        Answer {
            outcome: Outcome::Unanswered(reason.into()),
            args_after: Vec::new(),
            fields_after: Vec::new(),
            stdout: Vec::new(),
        }
    }

    /// Reads an answer line of the oracle.
    pub fn decode(line: &str) -> Result<Answer> {
        if let Some(reason) = line.strip_prefix("X ") {
            return Ok(Answer::unanswered(reason));
        }
        let wrong =
            || Error::Oracle(format!("not an answer: {:?}", line.chars().take(200).collect::<String>()));
        let fields: Vec<&str> = line.split(' ').collect();
        let (outcome, rest) = match fields.as_slice() {
            ["R", value, rest @ ..] => (Outcome::Returned(Value::decode(value)?), rest),
            [kind @ ("T" | "U"), class, message, rest @ ..] => {
                let class = class.to_string();
                let message = match Value::decode(message)? {
                    Value::Str(units) => Some(units),
                    _ => None,
                };
                let outcome = if *kind == "T" {
                    Outcome::Threw { class, message }
                } else {
                    Outcome::ConstructionThrew { class, message }
                };
                (outcome, rest)
            }
            _ => return Err(wrong()),
        };
        let [args, state, stdout] = rest else { return Err(wrong()) };
        Ok(Answer {
            outcome,
            args_after: Value::decode_list(args)?,
            fields_after: if *state == "-" { Vec::new() } else { Value::decode_fields(state)? },
            stdout: if *stdout == "-" { Vec::new() } else { bytes(stdout).ok_or_else(wrong)? },
        })
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok()).collect()
}

fn list(f: &mut fmt::Formatter<'_>, values: &[Value]) -> fmt::Result {
    write!(f, "(")?;
    for (i, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
    }
    write!(f, ")")
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.receiver {
            Receiver::None => write!(f, "{}.{}", self.class, self.method)?,
            Receiver::New { args, .. } => {
                write!(f, "new {}", self.class)?;
                list(f, args)?;
                write!(f, ".{}", self.method)?;
            }
            Receiver::Value(value) => write!(f, "{value}.{}", self.method)?,
        }
        list(f, &self.args)
    }
}

/// The spelling that `expect.toml` uses.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, class, message) = match self {
            Outcome::Returned(value) => return write!(f, "returns {value}"),
            Outcome::Unanswered(reason) => return write!(f, "unanswered: {reason}"),
            Outcome::Threw { class, message } => ("throws", class, message),
            Outcome::ConstructionThrew { class, message } => ("constructor throws", class, message),
        };
        write!(f, "{verb} {class}")?;
        match message {
            Some(units) => write!(f, " {}", Value::Str(units.clone())),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.outcome)?;
        if !self.args_after.is_empty() {
            write!(f, ", arguments after ")?;
            list(f, &self.args_after)?;
        }
        for (name, value) in &self.fields_after {
            write!(f, ", {name} = {value}")?;
        }
        if !self.stdout.is_empty() {
            write!(f, ", prints {}", Value::str(&String::from_utf8_lossy(&self.stdout)))?;
        }
        Ok(())
    }
}
