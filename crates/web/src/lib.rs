//! The compiler for the page of the playground: requests and answers in JSON, without files, threads and processes.
//!
//! A [`Playground`] is a language server, an interpreter and an optimiser in one. `cargo xtask playground` compiles this crate to
//! WebAssembly, and [`abi`](mod@abi) is how the page calls it there; on other machines the same functions are called by tests.
//!
//! ```text
//! {"do": "lsp", "messages": [...]}            {"messages": [...]}: what the language server says to these messages
//! {"do": "run", "text": "..."}                {"end": "done"} or {"end": "refused"}, after events:
//!   {"event": "html", "html": "..."}            a part of the output: text, a value, a picture, a plot, the result of a test
//!   {"event": "trace", "text": "..."}           what the program traces, while it runs
//!   {"event": "messages", "text": "..."}        what the compiler says about a program that it refuses
//! {"do": "evaluate", "text": "...", "expression": "..."}
//!                                             likewise, and {"end": "failed", "message": "..."}, after the same events and
//!   {"event": "value", "text": "...", "type": "..."}
//! {"do": "report", "text": "..."}             {"end": "done", "summary": [[what, number]], "notes": [{"line", "kind", "text"}],
//!                                              "entries": [{"name", "before", "after"}]}, with pictures in SVG; or
//!                                             {"end": "refused"}, after messages
//! {"do": "code", "text": "...", "view": "optimised"}
//!                                             {"end": "done", "text": "..."} or {"end": "refused"}; see [`view`](mod@view)
//! ```
//!
//! Requests with a text may have other files, which the program imports: `"files": {"lib.fut": "..."}`.
//!
//! What is wrong with a request is told as `{"end": "misused", "message": "..."}`.
//!
//! - `run`: what a program shows when it runs; `evaluate`: single expressions;
//! - `report`: what the optimiser did; [`view`](mod@view): what the compiler made of the program.
//!
//! The page has two modules: one without the feature `looks`, which it needs at once, and one with it, for reports and code, when
//! somebody wants to see these.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

#[cfg(target_family = "wasm")]
pub mod abi;
mod evaluate;
#[cfg(feature = "looks")]
mod report;
mod run;
#[cfg(test)]
mod tests;
#[cfg(feature = "looks")]
mod view;

use evaluate::Evaluator;
use fehu_base::render::{self, Style};
use fehu_base::{Diagnostic, SourceMap};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_lsp::Local;
use serde_json::{Value, json};
use std::sync::Arc;

/// Takes events.
pub type Say = Arc<dyn Fn(&Value) + Send + Sync>;

/// The name of the program in messages.
const NAME: &str = "program.fut";

/// See the module's documentation.
pub struct Playground {
    say: Say,
    server: Local,
    evaluator: Option<Evaluator>,
}

impl Playground {
    /// A playground that sends events there.
    pub fn new(say: Say) -> Playground {
        Playground { say, server: Local::default(), evaluator: None }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Value) -> Value {
        let member = |name: &str| request[name].as_str();
        let program = Program::of(request);
        match member("do") {
            Some("lsp") => {
                let messages = request["messages"].as_array().cloned().unwrap_or_default();
                json!({"messages": self.server.take(messages)})
            }
            Some("run") => run::run(&program, &self.say),
            Some("evaluate") => {
                let expression = member("expression").unwrap_or_default();
                let evaluator = self.evaluator.take().filter(|evaluator| evaluator.is_of(&program));
                let evaluator = match evaluator {
                    Some(evaluator) => evaluator,
                    None => match Evaluator::new(program, &self.say) {
                        Ok(evaluator) => evaluator,
                        Err(end) => return end,
                    },
                };
                self.evaluator.insert(evaluator).evaluate(expression, &self.say)
            }
            #[cfg(feature = "looks")]
            Some("report") => report::report(&program, &self.say),
            #[cfg(feature = "looks")]
            Some("code") => view::view(&program, member("view").unwrap_or_default(), &self.say),
            Some(_) | None => misused("\"do\" is lsp, run, evaluate, report or code"),
        }
    }
}

/// A program: its text, and the other files that there are, with their names.
#[derive(PartialEq)]
struct Program {
    text: String,
    others: Vec<(String, String)>,
}

impl Program {
    /// That of a request.
    fn of(request: &Value) -> Program {
        let text = request["text"].as_str().unwrap_or_default().to_owned();
        let others = request["files"].as_object().into_iter().flatten();
        let others =
            others.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())));
        Program { text, others: others.collect() }
    }

    /// All files that there are, and which one is the program.
    fn files(&self) -> (Memory, Root) {
        let others = self.others.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let files = others.chain([(NAME, self.text.as_str())]);
        (Memory::new(files), Root::Path(NAME.to_owned()))
    }
}

/// Says what the compiler says.
fn messages(say: &Say, sources: &SourceMap, found: &[Diagnostic]) {
    if !found.is_empty() {
        let texts = found.iter().map(|found| render::text(sources, found, Style::Plain));
        let texts: Vec<String> = texts.collect();
        say(&json!({"event": "messages", "text": texts.join("\n")}));
    }
}

fn misused(message: &str) -> Value {
    json!({"end": "misused", "message": message})
}

fn refused() -> Value {
    json!({"end": "refused"})
}

fn done() -> Value {
    json!({"end": "done"})
}
