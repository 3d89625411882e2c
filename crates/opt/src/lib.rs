//! The optimiser: from IR to IR, at the level of arrays.
//!
//! Every pass is a [`Pass`] with a unique name, listed in [`PASSES`]; the order in which the compiler runs them is in
//! `driver/src/pipelines.rs`. A pass preserves the meaning of a program:
//!
//! * **Values.** Results are identical to the bit, except that the operators of reductions and scans are associative by
//!   contract, and may be regrouped.
//! * **Errors.** A program that ends with an error still does, and one that does not still does not. A check
//!   ([`Exp::Assert`](fehu_ir::Exp::Assert)) is therefore never dead: it is proved, merged with an equal one, or moved
//!   to where it is evaluated under the same condition, including guards for empty loops. If several checks fail, a
//!   pass may change which of them is reported. Divisions, indices and calls are not moved to where they would not have
//!   been evaluated ([`fehu_facts::Effects::speculable`]). It is not sufficient that the certificate is in scope there: a
//!   check that was hoisted out of a loop guarantees nothing if the loop is empty.
//! * **Work.** Nothing is computed twice unless it is cheap according to [`fehu_facts::cost`], and nothing else moves into a
//!   loop or into the function of an array operator.
//! * **Memory.** Arrays that are updated in place are not shared with anything else: [`fehu_facts::Share`] says which arrays
//!   may be shared.
//!
//! Analyses that several passes need are in [`fehu_facts`]. Every pass computes them anew: none of them is kept beside a
//! program while it changes.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod approximate;
mod arguments;
mod checks;
mod constants;
mod copyupdates;
mod cse;
mod delay;
pub mod differentiate;
mod distribute;
pub mod foreign;
mod fuse;
mod hoist;
mod inline;
mod scalarise;
mod simplify;
mod steps;
mod streamed;
mod tables;
mod unaccumulate;
mod unpartition;
mod unpass;
mod unroll;
mod unscatter;
mod unstream;

pub use approximate::APPROXIMATE;
pub use arguments::ARGUMENTS;
pub use checks::CHECKS;
pub use constants::CONSTANTS;
pub use copyupdates::COPYUPDATES;
pub use cse::CSE;
pub use delay::DELAY;
pub use differentiate::DIFFERENTIATE;
pub use distribute::DISTRIBUTE;
pub use foreign::VECTORISE;
pub use fuse::{FUSE, GRID_FUSE};
pub use hoist::HOIST;
pub use inline::INLINE;
pub use scalarise::SCALARISE;
pub use simplify::{SIMPLIFY, simplify_and_tell};
pub use steps::STEPS;
pub use streamed::STREAMED;
pub use tables::TABLES;
pub use unaccumulate::UNACCUMULATE;
pub use unpartition::UNPARTITION;
pub use unpass::{UNPASS, has_passes};
pub use unroll::UNROLL;
pub use unscatter::UNSCATTER;
pub use unstream::{GRID_UNSTREAM, UNSTREAM, UNSTREAM_1, UNSTREAM_3};

use fehu_ir::pass::Pass;

/// All passes, by name.
pub const PASSES: &[Pass] = &[
    INLINE,   //
    SIMPLIFY, //
    CSE,      //
    HOIST,    //
    CHECKS,   //
    FUSE,     //
    GRID_FUSE,
    STREAMED,
    STEPS,
    UNPASS,
    UNSTREAM,
    GRID_UNSTREAM,
    UNSTREAM_1,
    UNSTREAM_3, //
    UNPARTITION,
    SCALARISE,
    COPYUPDATES,
    APPROXIMATE,
    DIFFERENTIATE,
    UNACCUMULATE,
    UNROLL,
    ARGUMENTS,
    CONSTANTS,
    TABLES,
    UNSCATTER,
    VECTORISE,
    DELAY,
    DISTRIBUTE,
];
