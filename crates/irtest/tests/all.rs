//! The oracle of passes, and random programs.
//!
//! All tests are one program, because linking is what takes long.

mod segs;
mod wrong_passes;
