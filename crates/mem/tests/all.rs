//! Memory of arrays: index functions, what overlaps, what is proved, and where arrays are put.
//!
//! All tests are one program, because linking is what takes long, and outside of the library, which would be compiled twice.

mod arith;
mod early;
mod enlarge;
mod joins;
mod layouts;
mod lmad;
mod merge;
mod overlap;
mod overwrite;
mod print;
mod prove;
mod returns;
mod segs;
mod shapes;
mod short_circuit;
mod testing;
