//! Memory for arrays: where their elements are stored, and which arrays may share a block.
//!
//! # What this stage does
//!
//! Before this stage, arrays are values: a slice, a transposition or a concatenation says nothing about addresses, and
//! every operation could create a new array. This stage gives each array a *block* of memory and an *index function*,
//! which maps the indices of an element to its position in the block. Both are kept in a table beside the program, not
//! in it. Erasing the table leaves the same program with the same meaning: a pass over memory can make a program use
//! memory incorrectly, but what the program should compute is still there, and the heap machine (`fehu-oracle`) can
//! compare the two.
//!
//! Index functions are linear memory access descriptors, LMADs: an offset, and for each dimension the number of
//! elements and the stride. Slices (including strided and reversed ones), transpositions, rows and many reshapes of an
//! array with an LMAD are described by another LMAD on the same block, so none of them costs anything. No code may
//! assume that an array owns its block, that its offset is zero, or that it is row-major.
//!
//! Optimisations change the table: *short-circuiting* constructs an array in the place it would be copied to later,
//! which requires that this place does not overlap anything that is still needed; *reuse* merges blocks with disjoint
//! lifetimes; *expansion* moves allocations out of parallel code; *double buffering* and *hoisting* move them out of
//! loops.
//!
//! # What is implemented
//!
//! * [`table`]: blocks, and the place of each array;
//! * [`layout`]: for devices, in which order the dimensions of arrays lie in memory;
//! * [`uncopy`]: what is only read is not copied;
//! * [`unview`]: views do not cross calls, which would copy them;
//! * [`destinations`]: functions get the memory for results that become parts of other arrays;
//! * [`assign`]: creates a simple initial table for a program;
//! * [`short_circuit`]: short-circuiting: arrays are constructed where they would be copied to; `early`, `late`:
//!   checks, scalars and updates move to where it needs them;
//! * [`overwrite`]: maps that may overwrite their input do;
//! * [`enlarge`]: what an iteration allocates is as large as the largest iteration needs;
//! * [`merge`]: in the functions of operators, arrays that do not live at the same time have one block;
//! * [`lifetimes`]: when blocks end;
//! * [`peak`]: which blocks exist at the same time, and how large they are;
//! * [`copies`]: the copies that are left, and why;
//! * [`lmad`]: LMADs with symbolic offsets, sizes and strides, and operations on them;
//! * [`overlap`]: proves that two LMADs have no address in common, from what is known about the variables;
//! * [`prove`]: proves inequalities of polynomials, from the facts of [`fehu_facts::Ranges`];
//! * [`arith`]: operations on polynomials that [`fehu_facts::poly`] lacks.
//!
//! Polynomials are about mathematical integers. Code that constructs an LMAD from variables of a program must know that
//! the arithmetic it stands for does not wrap; `Ranges` knows this for index arithmetic that was checked. Addresses of
//! elements that exist do not wrap.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod arith;
pub mod assign;
pub mod copies;
pub mod destinations;
mod early;
pub mod enlarge;
mod late;
pub mod layout;
pub mod lifetimes;
pub mod lmad;
pub mod merge;
pub mod overlap;
pub mod overwrite;
pub mod peak;
mod print;
pub mod prove;
mod roots;
pub mod short_circuit;
pub mod table;
pub mod uncopy;
pub mod unview;
