//! The text form of the IR, and its verifier.
//!
//! All tests are one program, because linking is what takes long.

mod files;
mod parser;
mod segs;
