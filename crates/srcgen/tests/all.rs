//! Random programs in the language itself.
//!
//! All tests are one program, because linking is what takes long, and outside of the library, which would be compiled twice.

mod mutants;
mod programs;
