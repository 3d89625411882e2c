//! Messages for programs: one JSON object on one line for each message.
//!
//! ```json
//! {"severity": "error", "code": "unknown-name", "message": "...",
//!  "spans": [{"file": "sum.fut", "start": 30, "end": 33, "line": 2, "column": 3,
//!             "end_line": 2, "end_column": 6, "label": "not defined", "primary": true}],
//!  "notes": [], "help": [],
//!  "fixes": [{"message": "...", "edits": [{"file": ..., "text": "dot"}]}]}
//! ```
//!
//! `start..end` are bytes counted from 0; lines and columns are counted from 1, columns in
//! characters, and `end_column` is one past the last. The only values are strings, numbers and
//! booleans that we make ourselves, so a writer of forty lines is enough and no crate is needed.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{SourceMap, Span};
use std::fmt::Write;

/// The message as one line of JSON, line break included.
pub fn line(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.field("severity", severity(diagnostic.severity));
        json.field("code", diagnostic.code);
        json.field("message", &diagnostic.message);
        json.key("spans");
        let primary = diagnostic.primary.iter().map(|label| (label, true));
        let secondary = diagnostic.secondary.iter().map(|label| (label, false));
        json.array(primary.chain(secondary), |json, (label, primary)| {
            json.object(|json| {
                place(json, sources, label.span);
                json.field("label", &label.text);
                json.key("primary");
                json.raw(if primary { "true" } else { "false" });
            });
        });
        json.key("notes");
        json.array(&diagnostic.notes, |json, note| json.string(note));
        json.key("help");
        json.array(&diagnostic.help, |json, help| json.string(help));
        json.key("fixes");
        json.array(&diagnostic.fixes, |json, fix| {
            json.object(|json| {
                json.field("message", &fix.message);
                json.key("edits");
                json.array(&fix.edits, |json, (span, text)| {
                    json.object(|json| {
                        place(json, sources, *span);
                        json.field("text", text);
                    });
                });
            });
        });
    });
    json.text.push('\n');
    json.text
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn place(json: &mut Json, sources: &SourceMap, span: Span) {
    let file = sources.file(span.file);
    let (line, column) = file.line_col(span.start);
    let (end_line, end_column) = file.line_col(span.end);
    json.field("file", &file.name);
    let numbers = [
        ("start", span.start as usize),
        ("end", span.end as usize),
        ("line", line),
        ("column", column),
        ("end_line", end_line),
        ("end_column", end_column),
    ];
    for (key, number) in numbers {
        json.key(key);
        json.raw(&number.to_string());
    }
}

/// JSON text in the making.
#[derive(Default)]
pub struct Json {
    /// What was written so far.
    pub text: String,
}

impl Json {
    /// Writes text as it is.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Puts a comma unless an object or array has just been opened.
    fn separate(&mut self) {
        if !self.text.ends_with(['{', '[']) && !self.text.is_empty() {
            self.text.push(',');
        }
    }

    /// Writes the name of a field; its value is to follow.
    pub fn key(&mut self, key: &str) {
        self.separate();
        self.string(key);
        self.text.push(':');
    }

    /// Writes a field whose value is a string.
    pub fn field(&mut self, key: &str, value: &str) {
        self.key(key);
        self.string(value);
    }

    /// Writes an object.
    pub fn object(&mut self, fields: impl FnOnce(&mut Json)) {
        self.text.push('{');
        fields(self);
        self.text.push('}');
    }

    /// Writes an array.
    pub fn array<T>(&mut self, items: impl IntoIterator<Item = T>, item: impl Fn(&mut Json, T)) {
        self.text.push('[');
        for (index, value) in items.into_iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            item(self, value);
        }
        self.text.push(']');
    }

    /// Writes a string.
    pub fn string(&mut self, string: &str) {
        self.text.push('"');
        for c in string.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("\\t"),
                c if c.is_control() => {
                    // Control characters are below U+00A0, so four digits are enough.
                    let _ = write!(self.text, "\\u{:04x}", u32::from(c));
                }
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }
}
