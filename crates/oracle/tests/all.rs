//! The machine that runs programs by their memory tables, and the one that runs imperative code.
//!
//! All tests are one program, because linking is what takes long.

mod device;
mod faults;
mod heap;
mod machine;
mod places;
mod races;
mod segs;
