//! Calls become the bodies of the functions that they call, where that pays, and what nothing refers to goes.
//!
//! ```text
//! fun square (x: i32) -> (r: i32) =          fun main (a: i32) -> (s: i32) =
//!   let (y: i32) = mul x x in (y)       =>     let (y: i32) = mul a a
//! fun main (a: i32) -> (s: i32) =              let (z: i32) = add y 1i32
//!   let (y: i32) = call square (a)             in (z)
//!   let (z: i32) = add y 1i32 in (z)
//! ```
//!
//! Other passes look at one function at a time, so this is what lets them see what belongs together. It runs
//! before them; lowering has left one function for each combination of shapes and static arguments.
//!
//! # The measure
//!
//! The size of a function is the number of its statements, those of bodies inside included, once its own calls
//! are inlined. A call is replaced if its function is not recursive, neither the function nor the call says
//! `noinline`, and one of these holds:
//!
//! 1. it is the only call of a function that is no entry point: nothing grows;
//! 2. the size is at most [`SMALL`](decide::SMALL);
//! 3. the function or the call says `inline`, or the function makes arrays or has array operators, or the call
//!    stands in the function of an array operator; the size is at most [`LARGE`](decide::LARGE) (unless it says
//!    `inline`); and the caller and the program stay within their budgets, which are proportional to their sizes
//!    before.
//!
//! So the result is at most proportional to the program, and the time to the result: every statement of it is
//! copied once, from the original function (`expand`).
//!
//! A constant is put where it is referred to if its values are scalars and it is cheap to compute by
//! [`facts::cost`](fehu_facts::cost). Functions and constants that no entry point needs are removed; a program
//! without entry points keeps all functions.
//!
//! # What is kept
//!
//! The checks of an inlined body have the place of the call at the end of their trace. The place of a
//! statement is the innermost one that the user wrote: where a function of the prelude is inlined, that of its call.
//! Certificates of the call go to the statements that may rely on them, its attributes to loops and operators.

mod decide;
mod expand;

use fehu_ir::Prog;
use fehu_ir::pass::{Pass, Remarks};

/// Inlines functions and cheap constants, and removes what is not needed.
pub const INLINE: Pass =
    Pass { name: "inline", about: "inlines calls, and removes unused functions", run };

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    let plan = decide::plan(prog, remarks);
    *prog = expand::expand(prog, &plan);
}
