//! Tests of the formatter.
//!
//! - `cases`: the files in `cases/`, each an input and what it becomes;
//! - `random`: programs with line breaks and comments in random places;
//! - `corpus`: all programs below the folder that `FEHU_FMT_CORPUS` names.
//!
//! All of them check the same properties, see [`check`].

mod cases;
mod corpus;
mod random;

use fehu_base::stack::with_large_stack;
use fehu_base::{Diagnostic, FileId};
use fehu_syntax::{ast, dump, fmt, parse};

const FILE: FileId = FileId(0);

/// The tree of a text, if it is a program.
fn tree(text: &str) -> Option<ast::File> {
    let (file, problems) = parse(FILE, text);
    (!problems.iter().any(Diagnostic::is_error)).then_some(file)
}

/// The comments of a program, without spaces at their ends.
fn comments(text: &str, file: &ast::File) -> Vec<String> {
    let mut comments: Vec<String> =
        file.comments.iter().map(|c| text[c.span.range()].trim_end().to_owned()).collect();
    comments.sort();
    comments
}

/// Formats a program and checks that the result is the same program with the same comments, and
/// that formatting it again changes nothing. `None` if the text is no program.
fn check(text: &str) -> Option<Result<String, String>> {
    with_large_stack(|| {
        let before = tree(text)?;
        let formatted = fmt::format(text, &before);
        Some(check_formatted(text, &before, &formatted).map(|()| formatted))
    })
}

fn check_formatted(text: &str, before: &ast::File, formatted: &str) -> Result<(), String> {
    let Some(after) = tree(formatted) else {
        return Err(format!("the result is no program:\n{formatted}"));
    };
    if dump::file(before) != dump::file(&after) {
        return Err(format!("the tree changed:\n{formatted}"));
    }
    if comments(text, before) != comments(formatted, &after) {
        return Err(format!("the comments changed:\n{formatted}"));
    }
    let again = fmt::format(formatted, &after);
    if again != formatted {
        return Err(format!("once:\n{formatted}\ntwice:\n{again}"));
    }
    // A formatter that gave up would leave the empty lines.
    let apart = format!("\n\n\n{text}\n\n\n");
    if tree(&apart)
        .is_none_or(|file| file.doc == before.doc && fmt::format(&apart, &file) != formatted)
    {
        return Err(format!("not formatted:\n{formatted}"));
    }
    if formatted.lines().any(|l| l.ends_with([' ', '\t'])) {
        return Err(format!("a line ends in a space:\n{formatted}"));
    }
    Ok(())
}
