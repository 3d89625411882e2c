//! Imperative code does what programs mean.
//!
//! All tests are one program, because linking is what takes long.

mod emitted;
mod epilogue;
mod hist;
mod random;
mod rows;
mod sums;
mod uneven;
