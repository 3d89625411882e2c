//! Analyses of the IR.
//!
//! All tests are one program, because linking is what takes long, and outside of the library, which would be compiled twice.

mod extremum;
mod poly;
mod ranges;
