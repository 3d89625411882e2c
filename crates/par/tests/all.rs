//! Flattening.
//!
//! All tests are one program, because linking is what takes long, and outside of the library, which would be compiled twice.

mod files;
mod hosted;
mod irregular;
mod nested;
mod random;
mod tree;
