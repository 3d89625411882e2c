//! A session for another process, such as the kernel of a notebook: requests and answers are lines of JSON.
//!
//! One request at a time; a client reads until an answer with the member `end`. Positions are counted in characters.
//!
//! ```text
//! {"feed": "def x = 1\nx + 1", "number": 3}      takes a cell, whose inputs are called [3] in messages
//!   {"event": "value", "text": "2", "type": "i32"}        the value of an expression; with "elements": true in the request, also
//!                                                         "elements", the binary form in hexadecimal digits, if it has one
//!   {"event": "text", "text": "..."}                      what a command tells
//!   {"event": "trace", "text": "..."}                     what the program traces, while it runs
//!   {"event": "messages", "messages": [...], "rendered": "...", "sources": {"[3]": "..."}}
//!                                                         what the compiler says; see `fehu_base::render::json`
//!   {"end": "done"}, or "refused", "failed", "misused" (the last two with "message"), "interrupted", "quit"
//! {"complete": "f32.sq", "at": 6}                 {"end": "done", "start": 4, "candidates": ["sqrt"]}
//! {"inspect": "map f", "at": 2}                   {"end": "done", "name": "map", "type": "...", "doc": "..."} or {"end": "unknown"}
//! {"is_complete": "f ("}                          {"end": "complete"}, "incomplete" or "invalid"
//! ```

use super::input::{self, Input};
use super::{Outcome, Repl};
use fehu_base::render::{self, Style};
use fehu_base::{Diagnostic, FileId, Span, id::Id, stack};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Takes the lines of answers, without line breaks.
pub type Sender = Arc<dyn Fn(&str) + Send + Sync>;

/// A session that answers requests.
pub struct Service {
    repl: Repl,
    send: Sender,
}

impl Service {
    /// A service for a session.
    pub fn new(mut repl: Repl, send: Sender) -> Service {
        let to = Arc::clone(&send);
        repl.set_trace(Box::new(move |line| {
            to(&json!({"event": "trace", "text": line}).to_string());
        }));
        Service { repl, send }
    }

    /// Answers a request. Whether there may be more: the user has not left.
    pub fn answer(&mut self, request: &str) -> bool {
        let end = match serde_json::from_str::<Value>(request) {
            Ok(Value::Object(request)) => self.end(&request),
            Ok(_) => misused("a request is an object"),
            Err(error) => misused(&format!("a request is an object of JSON: {error}")),
        };
        (self.send)(&end.to_string());
        end["end"] != "quit"
    }

    /// The last line of the answer to a request.
    fn end(&mut self, request: &Map<String, Value>) -> Value {
        let text = |name: &str| request.get(name).and_then(Value::as_str);
        let at = |text: &str| {
            let at =
                request.get("at").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
            at.map_or(text.len(), |at| byte_of(text, at))
        };
        if let Some(cell) = text("feed") {
            if let Some(number) = request.get("number").and_then(Value::as_u64) {
                self.repl.number = usize::try_from(number).unwrap_or(0);
            }
            let elements = request.get("elements").and_then(Value::as_bool).unwrap_or(false);
            return self.feed(cell, elements);
        }
        if let Some(text) = text("complete") {
            let before = &text[..at(text)];
            let found = self.repl.complete(before);
            let start = before[..found.start].chars().count();
            return json!({"end": "done", "start": start, "candidates": found.candidates});
        }
        if let Some(text) = text("inspect") {
            return match self.repl.inspect(text, at(text)) {
                Some(found) => {
                    json!({"end": "done", "name": found.name, "type": found.ty, "doc": found.doc})
                }
                None => json!({"end": "unknown"}),
            };
        }
        if let Some(text) = text("is_complete") {
            return json!({"end": completeness(text)});
        }
        misused("a request has one of the members feed, complete, inspect and is_complete")
    }

    /// Takes the inputs of a cell until one is refused or fails.
    fn feed(&mut self, cell: &str, elements: bool) -> Value {
        let number = self.repl.number;
        let mut line = 0;
        for input in Repl::inputs(cell) {
            let lines = input.split('\n').count();
            // With the lines before it, messages count them as the cell does.
            let answer = self.repl.feed_last(&format!("{}{input}", "\n".repeat(line)));
            line += lines;
            self.repl.number = number;
            self.messages(&answer.diagnostics);
            match answer.outcome {
                Outcome::Incomplete | Outcome::Done => {}
                Outcome::Value(shown) => {
                    let mut event =
                        json!({"event": "value", "text": shown.text, "type": shown.ty()});
                    if elements && let Some(value) = shown.primitive() {
                        event["elements"] =
                            hexadecimal(&fehu_data::binary::to_bytes(&value)).into();
                    }
                    self.event(&event);
                }
                Outcome::Text(text) | Outcome::Stopped(text) => {
                    self.event(&json!({"event": "text", "text": text}))
                }
                Outcome::Refused(_) => return json!({"end": "refused"}),
                Outcome::Misused(message) => return misused(&message),
                Outcome::Failed(error) => {
                    return json!({"end": "failed", "message": error.to_string()});
                }
                Outcome::Interrupted => return json!({"end": "interrupted"}),
                Outcome::Quit => return json!({"end": "quit"}),
            }
        }
        json!({"end": "done"})
    }

    fn messages(&self, found: &[Diagnostic]) {
        if found.is_empty() {
            return;
        }
        let sources = self.repl.sources();
        let data = |found: &Diagnostic| -> Value {
            serde_json::from_str(&render::json::line(sources, found)).unwrap_or_default()
        };
        let rendered: Vec<String> =
            found.iter().map(|found| render::text(sources, found, Style::Coloured)).collect();
        let mut texts = Map::new();
        for Span { file, .. } in found.iter().flat_map(spans) {
            let file = sources.file(file);
            texts.insert(file.name.clone(), file.text.clone().into());
        }
        self.event(&json!({
            "event": "messages",
            "messages": found.iter().map(data).collect::<Vec<Value>>(),
            "rendered": rendered.join("\n"),
            "sources": texts,
        }));
    }

    fn event(&self, event: &Value) {
        (self.send)(&event.to_string());
    }
}

/// All places that a message mentions.
fn spans(found: &Diagnostic) -> impl Iterator<Item = Span> {
    let labels = found.primary.iter().chain(&found.secondary).map(|label| label.span);
    let edits = found.fixes.iter().flat_map(|fix| fix.edits.iter().map(|(span, _)| *span));
    labels.chain(edits)
}

/// Whether a cell can be run, needs more, or is wrong.
fn completeness(cell: &str) -> &'static str {
    for input in Repl::inputs(cell) {
        if input.trim().is_empty() || input.trim().starts_with(':') {
            continue;
        }
        let read = stack::with_large_stack(|| input::read(FileId::from_index(0), &input));
        match read {
            Input::Declarations(_) | Input::Expression(_) => {}
            Input::Incomplete(_) => return "incomplete",
            Input::Wrong(_) => return "invalid",
        }
    }
    "complete"
}

fn misused(message: &str) -> Value {
    json!({"end": "misused", "message": message})
}

/// The byte at which a character begins; the end if there are not so many.
fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
