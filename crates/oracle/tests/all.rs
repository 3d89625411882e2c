//! The machine that runs programs by their memory tables.
//!
//! All tests are one program, because linking is what takes long.

mod faults;
mod heap;
mod segs;
