//! Text to tokens to syntax trees, and back to formatted text.
//!
//! [`parse`] never fails: it yields a tree, which contains error nodes where the text made no
//! sense, and a list of diagnostics. Nothing here looks at files, names or types.

pub mod ast;
