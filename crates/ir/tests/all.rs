//! The text form of the IR, its verifier, and remarks.
//!
//! All tests are one program, because linking is what takes long.

mod files;
mod parser;
mod remarks;
mod segs;
