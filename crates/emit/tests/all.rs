//! Imperative code does what programs mean.
//!
//! All tests are one program, because linking is what takes long.

mod copies;
mod emitted;
mod epilogue;
mod hist;
mod ragged;
mod random;
mod rows;
mod sums;
mod tiles;
mod uneven;
