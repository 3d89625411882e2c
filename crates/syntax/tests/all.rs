//! The parser and the formatter.
//!
//! All tests are one program, because linking is what takes long.

mod fmt;
mod syntax;
