//! Memory for arrays: where their elements are, and what may share a block.
//!
//! # What this stage is
//!
//! Up to here arrays are values: a slice, a transposition or a concatenation says nothing of addresses, and every
//! array that an operation makes could be a new one. This stage gives each array a *block* of memory and an *index
//! function*, which says where in the block the element with given indices is. Both are kept in a table beside the
//! program, not in it: erasing the table leaves the same program with the same meaning, so that a pass over memory
//! can make a program use memory badly, but what it computes is still written there, and the interpreter can compare
//! the two readings.
//!
//! Index functions are linear memory access descriptors, LMADs: an offset, and for each dimension a number of elements
//! and the distance between neighbours. Slices, strided and reversed ones too, transpositions, rows and many reshapes
//! of an array described by an LMAD are described by another LMAD on the same block, so that none of them costs
//! anything. Nothing may assume that an array owns its block, that its offset is zero or that it is row-major.
//!
//! Optimisations are changes of the table: *short-circuiting* builds an array where it would be copied to later,
//! which asks whether that place overlaps what is still needed; *reuse* lets blocks with disjoint lifetimes be one;
//! *expansion* moves allocations out of parallel code; *double buffering* and *hoisting* move them out of loops.
//!
//! # What exists now
//!
//! * [`table`]: blocks, and the place of each array;
//! * [`assign`]: a first, simple table for a program;
//! * [`circuit`]: arrays are made where they would be copied to;
//! * [`heap`]: a machine that runs a program by its table, as an oracle for the others;
//! * [`lmad`]: LMADs with symbolic offsets, sizes and strides, and what can be done with them;
//! * [`overlap`]: whether two LMADs have no address in common, by what is known of the variables;
//! * [`prove`]: inequalities of polynomials, from the facts of [`fehu_opt::facts::Ranges`];
//! * [`arith`]: what the others need of polynomials besides [`fehu_opt::facts::poly`].
//!
//! Polynomials are about mathematical integers. Whoever makes an LMAD of a program's variables has to know that the
//! arithmetic it stands for does not wrap; `Ranges` knows this of index arithmetic that was checked. Addresses of
//! elements that exist do not wrap.

pub mod arith;
pub mod assign;
pub mod circuit;
pub mod heap;
pub mod lmad;
pub mod overlap;
mod print;
pub mod prove;
pub mod table;

#[cfg(test)]
mod testing;
