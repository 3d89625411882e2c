//! Imperative code: its text, its rules, and how it is walked and rewritten.
//!
//! All tests are one program, because linking is what takes long, and outside of the library, which would be compiled twice.

mod rewrite;
mod text;
mod verify;
mod visit;
