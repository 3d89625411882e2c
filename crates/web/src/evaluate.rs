//! Expressions, one at a time, with the declarations of a program in scope.

use crate::{NAME, Program, Say, done, messages, misused, refused};
use fehu_driver::repl::{Answer, Breaks, Outcome, Repl};
use serde_json::{Value, json};

/// A session for a program.
pub(crate) struct Evaluator {
    program: Program,
    repl: Repl,
}

impl Evaluator {
    /// The session of a program, or the answer that it is refused.
    pub(crate) fn new(program: Program, say: &Say) -> Result<Evaluator, Value> {
        let (files, _) = program.files();
        let mut repl = Repl::new(files, Breaks::WhenLong);
        let to = say.clone();
        repl.set_trace(Box::new(move |line| to(&json!({"event": "trace", "text": line}))));
        let Answer { outcome, diagnostics } = repl.load(NAME);
        if matches!(outcome, Outcome::Done) {
            return Ok(Evaluator { program, repl });
        }
        messages(say, repl.sources(), &diagnostics);
        Err(end(outcome, say))
    }

    /// Whether it is the session of this program.
    pub(crate) fn is_of(&self, program: &Program) -> bool {
        self.program == *program
    }

    /// Evaluates an expression, or takes declarations, which are then in scope, too.
    pub(crate) fn evaluate(&mut self, expression: &str, say: &Say) -> Value {
        let Answer { outcome, diagnostics } = self.repl.feed_last(expression);
        messages(say, self.repl.sources(), &diagnostics);
        end(outcome, say)
    }
}

/// The last line of an answer.
fn end(outcome: Outcome, say: &Say) -> Value {
    match outcome {
        Outcome::Done | Outcome::Incomplete | Outcome::Quit | Outcome::Interrupted => done(),
        Outcome::Value(shown) => {
            say(&json!({"event": "value", "text": shown.text, "type": shown.ty()}));
            done()
        }
        Outcome::Text(text) | Outcome::Stopped(text) => {
            say(&json!({"event": "value", "text": text, "type": null}));
            done()
        }
        Outcome::Refused(_) => refused(),
        Outcome::Misused(message) => misused(&message),
        Outcome::Failed(error) => json!({"end": "failed", "message": error.to_string()}),
    }
}
