//! The names that can stand at the end of a text.

use super::command::COMMANDS;
use fehu_check::program::Program;

/// What can replace the end of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// From which byte of the text on.
    pub start: usize,
    /// By what; sorted.
    pub candidates: Vec<String>,
}

/// Words of the language that begin or continue something.
const KEYWORDS: [&str; 22] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "let",
    "local", "loop", "match", "module", "open", "then", "true", "type", "while", "with",
];

/// Completes the last word of a text: a command, a keyword or a name, which may be qualified.
pub(super) fn complete(program: &Program, text: &str) -> Completion {
    let line = text.rfind('\n').map_or(text, |end| &text[end + 1..]);
    let command = line.trim_start();
    if let Some(begun) = command.strip_prefix(':')
        && !begun.contains(char::is_whitespace)
    {
        let start = text.len() - begun.len();
        let names = COMMANDS.iter().map(|command| command.name.to_owned());
        return Completion { start, candidates: names.filter(|n| n.starts_with(begun)).collect() };
    }
    let word = text
        .rfind(|c| !is_part(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    let mut path: Vec<&str> = text[word..].split('.').collect();
    let begun = path.pop().unwrap_or_default();
    let start = text.len() - begun.len();
    // Without a beginning, all names would do, and that helps nobody.
    if begun.is_empty() && path.is_empty() {
        return Completion { start, candidates: Vec::new() };
    }
    let mut candidates: Vec<String> = program
        .names_in(&path)
        .iter()
        .filter(|name| name.starts_with(begun) && name.starts_with(|c| c == '_' || is_part(c)))
        .map(ToString::to_string)
        .collect();
    if path.is_empty() {
        candidates
            .extend(KEYWORDS.iter().filter(|k| k.starts_with(begun)).map(|k| (*k).to_owned()));
    }
    candidates.sort();
    candidates.dedup();
    Completion { start, candidates }
}

/// Whether a letter can be in a name that may be qualified.
pub(super) fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '.')
}
