//! The calls of the other crates, one function each: the only place where stages are wired.

use crate::load::Loaded;
use fehu_base::{Diagnostic, FileId, SourceMap};
use fehu_syntax::ast;

/// Text to tree.
pub fn parse(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    fehu_syntax::parse(file, text)
}

/// Tree to typed tree; the messages are the result so far.
pub fn check(loaded: &Loaded, sources: &SourceMap) -> Vec<Diagnostic> {
    // WIRE: the call of `fehu_check` replaces the body.
    let _ = (loaded, sources);
    Vec::new()
}

/// Tree to formatted text; `None` while there is no formatter.
pub fn format(tree: &ast::File, text: &str) -> Option<String> {
    // WIRE: `Some(fehu_syntax::fmt::...)` replaces the body.
    let _ = (tree, text);
    None
}
