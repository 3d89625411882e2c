//! The whole compiler as a library.
//!
//! All tests are one program, because linking is what takes long.

mod compile;
mod error_pages;
mod externals;
mod fusion;
mod imp;
mod mutated_programs;
mod mutated_tokens;
mod optimiser;
mod prelude_depth;
mod programs;
mod random;
mod robustness;
mod sharing;
mod threads;
mod vectors;
