//! Flattening.
//!
//! All tests are one program, because linking is what takes long.

mod files;
mod nested;
mod random;
