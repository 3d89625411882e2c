//! One structure for every message to the user.
//!
//! Stages build [`Diagnostic`] values, never text for a terminal; rendering is elsewhere. A code is
//! a slug such as `use-after-consume`: stable, readable by itself, and the name of its page in
//! `docs/errors/`. Names of the user's program stand in double quotes in every message.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The program is accepted.
    Warning,
    /// The program is refused.
    Error,
}

/// A place with a few words about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// A change of the source that would help: every span is replaced by its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What the change does, in the imperative: `insert a copy`.
    pub message: String,
    /// The replacements, which do not overlap. An empty span inserts.
    pub edits: Vec<(Span, String)>,
}

/// A message: what is wrong, where, why, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The stable code, a slug.
    pub code: &'static str,
    /// The headline; makes sense alone.
    pub message: String,
    /// The place to blame. `None` only for problems without a place, such as a missing file.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Sentences that explain: expected and found, where an expectation came from.
    pub notes: Vec<String>,
    /// Advice in words.
    pub help: Vec<String>,
    /// Advice that a tool can apply.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, Some(span), message.into())
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, Some(span), message.into())
    }

    /// An error that has no place in any source text.
    pub fn error_without_place(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, None, message.into())
    }

    fn new(
        severity: Severity,
        code: &'static str,
        span: Option<Span>,
        message: String,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message,
            primary: span.map(|span| Label { span, text: String::new() }),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// The same message after its places have moved; `None` if one of them is no longer there.
    #[must_use]
    pub fn moved(&self, to: impl Fn(Span) -> Option<Span>) -> Option<Diagnostic> {
        let mut moved = self.clone();
        let labels = moved.primary.iter_mut().chain(&mut moved.secondary);
        let places = labels.map(|label| &mut label.span);
        let edits = moved.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|(span, _)| span);
        for span in places.chain(edits) {
            *span = to(*span)?;
        }
        Some(moved)
    }

    /// Puts words under the primary place.
    #[must_use]
    pub fn at(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(label) = &mut self.primary {
            label.text = text.into();
        }
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds an explaining sentence.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds advice in words.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Adds advice that a tool can apply.
    #[must_use]
    pub fn fix(
        mut self,
        message: impl Into<String>,
        edits: impl IntoIterator<Item = (Span, String)>,
    ) -> Diagnostic {
        self.fixes.push(Fix { message: message.into(), edits: edits.into_iter().collect() });
        self
    }

    /// Whether this refuses the program.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
