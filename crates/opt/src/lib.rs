//! The optimiser: from IR to IR at the array level.
//!
//! Every pass is a [`Pass`] with one name, listed in [`PASSES`]; the order in which the compiler runs them is
//! in `driver/src/pipelines.rs`. A pass keeps what a program means:
//!
//! * **Values.** Results are the same to the bit, except that the operators of reductions and scans are
//!   associative by contract, and may be regrouped.
//! * **Errors.** A program that ends with an error still does, and one that does not still does not. A check
//!   ([`Exp::Assert`](fehu_ir::Exp::Assert)) is therefore never dead: it is proved, merged with an equal one,
//!   or moved to where it is evaluated under the same condition, guards for empty loops included. When several
//!   checks fail, which one is reported first may change. Divisions, indices and calls are not moved to where they
//!   would not have been evaluated ([`facts::Effects::speculable`]). That the certificate is in scope there is no
//!   licence: a check that has moved out of a loop says nothing if the loop is empty.
//! * **Work.** Nothing is computed twice unless it is cheap by the measure of [`facts::cost`], and nothing moves
//!   into a loop or an array operator's function unless that.
//! * **Places in memory.** Arrays that are updated in place are not shared with anything else:
//!   [`facts::Share`] tells which arrays may be.
//!
//! What several passes need to know of a program is in [`facts`], computed anew by every pass: none of it is
//! kept beside a program while it changes.

mod checks;
mod copyupdates;
mod cse;
pub mod facts;
mod fuse;
mod hoist;
mod inline;
mod simplify;
mod unpartition;
mod unroll;
mod unstream;

pub use checks::CHECKS;
pub use copyupdates::COPYUPDATES;
pub use cse::CSE;
pub use fuse::FUSE;
pub use hoist::HOIST;
pub use inline::INLINE;
pub use simplify::SIMPLIFY;
pub use unpartition::UNPARTITION;
pub use unroll::UNROLL;
pub use unstream::UNSTREAM;

use fehu_ir::pass::Pass;

/// All passes, by name.
pub const PASSES: &[Pass] = &[
    INLINE,   //
    SIMPLIFY, //
    CSE,      //
    HOIST,    //
    CHECKS,   //
    FUSE,     //
    UNSTREAM, //
    UNPARTITION,
    COPYUPDATES,
    UNROLL,
];
