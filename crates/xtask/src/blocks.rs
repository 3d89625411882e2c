//! Test blocks: what a program's `-- ==` comment says about checking it.
//!
//! Only the first block can speak about compile time. It may start with `tags { ... }`; then
//! `error: REGEX` says that the program must be refused with a message in which the expression is
//! found. An `error:` after an `input` is about running the program, and is ignored here, like
//! everything else in the block but `warning: REGEX`.

use regex_lite::Regex;

/// What must happen when a program is checked.
#[derive(Debug)]
pub(crate) enum Expectation {
    /// It is accepted, and each expression is found among the warnings.
    Accept(Vec<String>),
    /// It is refused, and the expression is found in the message; an empty one is always found.
    Reject(String),
}

/// Reads the first block of a program. A program without one must be accepted.
pub(crate) fn expectation(program: &str) -> Expectation {
    let mut lines = program.lines().skip_while(|line| line.trim_end() != "-- ==").skip(1);
    let mut block = lines.by_ref().map_while(|line| line.strip_prefix("--"));
    let mut in_tags = false;
    let mut warnings = Vec::new();
    let mut at_start = true;
    for line in block.by_ref() {
        let line = line.trim();
        if in_tags || (at_start && line.starts_with("tags")) {
            in_tags = !line.contains('}');
        } else if at_start && let Some(regex) = line.strip_prefix("error:") {
            return Expectation::Reject(regex.trim().to_owned());
        } else if let Some(regex) = line.strip_prefix("warning:") {
            warnings.push(regex.trim().to_owned());
        } else if !line.is_empty() {
            at_start = false;
        }
    }
    Expectation::Accept(warnings)
}

/// Whether an expression is found anywhere in a text; a dot matches line breaks too. What this
/// engine cannot read is looked for literally.
pub(crate) fn found(expression: &str, text: &str) -> bool {
    match Regex::new(&format!("(?s){expression}")) {
        Ok(regex) => regex.is_match(text),
        Err(_) => text.contains(expression),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compile_time_error() {
        let program = "-- About it.\n-- ==\n-- tags { a\n-- b }\n-- error: un.*ed\ndef x = 1\n";
        let Expectation::Reject(regex) = expectation(program) else { panic!("rejected") };
        assert_eq!(regex, "un.*ed");
        assert!(found(&regex, "it was\nunsized\n"));
    }

    #[test]
    fn run_time_errors_and_later_blocks_do_not_count() {
        let program = "-- ==\n-- input { 1 }\n-- error: bounds\n\n-- ==\n-- error: x\n";
        assert!(
            matches!(expectation(program), Expectation::Accept(warnings) if warnings.is_empty())
        );
        assert!(matches!(expectation("def x = 1\n-- ==x\n"), Expectation::Accept(_)));
    }

    #[test]
    fn warnings_are_collected() {
        let program = "-- ==\n-- input { 1 } output { 1 }\n-- warning: unused\n";
        let Expectation::Accept(warnings) = expectation(program) else { panic!("accepted") };
        assert_eq!(warnings, ["unused"]);
    }

    #[test]
    fn odd_expressions_are_taken_literally() {
        assert!(found("a(", "b a( c"));
        assert!(found("a.*c", "a\nb\nc"));
    }
}
