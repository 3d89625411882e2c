//! The passes of the optimiser.
//!
//! All tests are one program, because linking is what takes long.

mod affine;
mod boxes;
mod checks;
mod deep;
mod files;
mod foreign;
mod linear;
mod random;
mod remarks;
mod rules;
mod views;
