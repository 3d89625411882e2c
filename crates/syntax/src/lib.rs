//! From text to tokens to syntax trees, and back to formatted text.
//!
//! [`parse`] never fails: it returns a tree, which contains error nodes where the text made no
//! sense, and a list of diagnostics. Nothing here looks at files, names or types.
//!
//! The parser is recursive. Call it inside [`fehu_base::stack::with_large_stack`]; the depth of the
//! recursion and of the tree is bounded by [`fehu_base::stack::MAX_DEPTH`].

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod ast;
pub mod dump;
mod errors;
pub mod fmt;
pub mod lexeme;
mod lexer;
mod literal;
pub mod needed;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a parser names the tokens that it wants; any other ends what it reads, or is a mistake"
)]
mod parser;
mod token;

pub use parser::{parse, parse_as_value, parse_exp, parse_needed, parse_type};
