//! Tests that are written in programs.
//!
//! All tests are one program, because linking is what takes long.

mod programs;
mod servers;
