//! Trees and their text to formatted text.
//!
//! The formatter decides white space only. It prints the tokens of the source in their order, so
//! that literals and names are spelled as they were and no comment can get lost; the tree says
//! what stands between the tokens. (Two tokens that say nothing may go: the `in` of `in let`, and
//! a comma before a closing bracket.)
//!
//! # Style
//!
//! Lines are kept as the author wrote them where that makes a difference in reading:
//!
//! - what was written on one line stays on one line if it fits in [`WIDTH`] columns;
//! - what was broken somewhere between its parts is broken between all of them: one argument,
//!   parameter, field or operator a line; operators, arrows and commas stand at the start of the
//!   line, brackets below each other;
//! - every `let` of a chain of several lines starts a line, and its `in` stands below;
//!   so do the cases of a `match` and the `else` of an `if`;
//! - a line break after `=`, `->`, `do`, `then` and `else`, and one before `then`, is kept; after
//!   the first three it is made when what follows takes several lines;
//! - arguments and parameters are aligned with the first one, or indented if there was a line break
//!   before that (or, for parameters, if there are type parameters before them);
//! - elements of arrays that are numbers, names or short tuples of them keep their lines, so that
//!   tables remain tables;
//! - between declarations, bindings and cases, and after comments, one empty line is kept.
//!
//! Indentation is two columns, four for what continues the head of a definition.
//!
//! ```text
//! -- | The centre of mass.
//! def centre [n]
//!     (bodies: [n]body)
//!     (masses: [n]f64) : vec =
//!   let total = f64.sum masses -- Not zero.
//!   let weighted =
//!     map2 (\b m ->
//!             let s = m / total
//!             in {x = s * b.x, y = s * b.y})
//!          bodies
//!          masses
//!   let start =
//!     { x = 0
//!     , y = 0
//!     }
//!   in if n == 0
//!      then start
//!      else weighted
//!           |> map scale
//!           |> reduce add start
//! ```
//!
//! # Comments
//!
//! A comment at the end of a line stays at the end of that line; one on its own line stays before
//! the token it preceded, at that token's indentation. Commas and operators that change from the
//! end of a line to the start of the next, or back, step over the comments between.
//!
//! # How
//!
//! `build` turns the tree into a flat list of instructions (`doc`): tokens, possible line breaks,
//! indentations, groups. Whether a group is broken is decided by the source's line breaks *at that
//! group's own places*, never by others; so the decisions are the same in the output, and
//! formatting twice is formatting once. `render` prints the list, and breaks groups that do not fit.

mod build;
mod dec;
mod doc;
mod exp;
mod render;
mod types;

use crate::ast::File;
use crate::lexer::lex;
use fehu_base::{Diagnostic, FileId};

/// The longest line that is made of what was written on one line.
pub const WIDTH: usize = 100;

/// Formats `file`, which was parsed without errors from `text`. Like parsing, this recurses over
/// the tree; call it inside [`fehu_base::stack::with_large_stack`].
pub fn format(text: &str, file: &File) -> String {
    let tokens = lex(FileId(0), text, &mut Vec::new());
    match build::build(text, &tokens, file) {
        Some(doc) => render::render(text, &tokens, doc),
        // The tree is not that of the text, or has errors. Better leave it as it is.
        None => text.to_owned(),
    }
}

/// Parses and formats a text; with errors in it, they are returned instead.
pub fn format_source(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let (tree, problems) = crate::parse(file, text);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(problems);
    }
    Ok(format(text, &tree))
}
