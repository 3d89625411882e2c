//! The interpreter.
pub mod scalar;
