//! The interpreter on programs in the text form.
//!
//! All tests are one program, because linking is what takes long.

mod random;
mod run;
mod scalar;
