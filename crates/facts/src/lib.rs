//! Analyses: what passes need to know about a program in the core IR.
//!
//! A program comes in; what comes out is an answer about it, and the program is not changed. Every pass computes the facts
//! it needs anew: none is kept beside a program while it changes.
//!
//! - [`Uses`], [`consumed()`]: which variables are used and consumed, and how often; [`Reads`]: which arrays are
//!   read element by element;
//! - [`Share`]: which arrays may share memory; [`in_place()`], [`returned`]: which results are parameters that were
//!   changed; [`Effects`]: what may be left out, repeated or moved;
//! - [`Ranges`]: what is known about integers, from conditions, checks and loops ([`flow`] walks a body with them);
//!   [`poly`]: polynomials, in which sizes and offsets are compared;
//! - [`Regularity`]: which values are the same at all positions of a map, and which differ in shape;
//! - [`Variance`]: along which dimensions of a space values differ; [`Views`]: which elements of other arrays those of views are;
//! - [`operators`]: which operators add, or combine each component by itself; [`extremum`]: which choose an operand by a key;
//! - [`cost`]: what is cheap enough to be computed twice; [`Prints`]: what must be evaluated exactly as often as the
//!   program says.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod consumed;
pub mod cost;
mod effects;
pub mod extremum;
pub mod flow;
mod in_place;
pub mod operators;
pub mod poly;
mod prints;
pub mod ranges;
mod reads;
mod regularity;
mod share;
mod uses;
mod variance;
mod views;

pub use consumed::{consumed, consumed_by};
pub use effects::Effects;
pub use in_place::{changed, handed_on, in_place, returned, updated};
pub use prints::Prints;
pub use ranges::Ranges;
pub use reads::Reads;
pub use regularity::{Labels, Regularity};
pub use share::Share;
pub use uses::Uses;
pub use variance::{Variance, Varies, is_positions};
pub use views::{Element, Origin, Views};
