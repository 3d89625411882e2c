//! What a text that somebody types is: declarations, an expression, or the beginning of one.
//!
//! A text that can be read both ways, which only attributes make possible, is a declaration. A text is a
//! beginning if the parser misses something at its end and finds nothing wrong before.

use super::unit::VALUE;
use crate::stages;
use fehu_base::{Diagnostic, FileId};
use fehu_syntax::ast;

/// See the module's page.
pub(super) enum Input {
    Declarations(ast::File),
    /// A file that declares the value [`VALUE`].
    Expression(ast::File),
    /// More has to come. If nothing comes, these are the messages.
    Incomplete(Vec<Diagnostic>),
    Wrong(Vec<Diagnostic>),
}

/// Reads a text.
pub(super) fn read(file: FileId, text: &str) -> Input {
    let (decs, wrong_decs) = stages::parse(file, text);
    if wrong_decs.is_empty() {
        return Input::Declarations(decs);
    }
    let (exp, wrong_exp) = stages::parse_as_value(file, text, VALUE);
    if wrong_exp.is_empty() {
        return Input::Expression(exp);
    }
    // The reading that made sense for longer is what was meant.
    let reach = |found: &[Diagnostic]| {
        let labels =
            found.iter().take(1).flat_map(|first| first.primary.iter().chain(&first.secondary));
        labels.map(|label| label.span.start).max().unwrap_or(0)
    };
    let found = if reach(&wrong_decs) > reach(&wrong_exp) { wrong_decs } else { wrong_exp };
    // What is missing at the end of the text may still be typed.
    let at_end = reach(&found) as usize >= text.trim_end().len();
    if at_end { Input::Incomplete(found) } else { Input::Wrong(found) }
}

/// Reads a text that has to be an expression.
pub(super) fn read_expression(file: FileId, text: &str) -> Input {
    match stages::parse_as_value(file, text, VALUE) {
        (exp, wrong) if wrong.is_empty() => Input::Expression(exp),
        (_, wrong) => Input::Wrong(wrong),
    }
}

/// Whether the last line of several is a `case`, after which another may come. An empty line says
/// that none does.
pub(super) fn may_have_more_cases(text: &str) -> bool {
    let mut lines = text.lines().rev();
    let last = lines.next().unwrap_or_default().trim_start();
    let is_case = last == "case" || last.starts_with("case ");
    is_case && lines.next().is_some() && !text.ends_with('\n')
}

/// Whether a text has nothing but comments, one at least.
pub(super) fn is_comment(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with("--"))
}

/// Whether a line cannot begin an input.
pub(super) fn goes_on(line: &str) -> bool {
    let indented = line.starts_with([' ', '\t', ')', ']', '}', '|', ',', '=']);
    let word = line.split_whitespace().next().unwrap_or_default();
    indented || matches!(word, "in" | "then" | "else" | "case" | "with" | "do")
}
