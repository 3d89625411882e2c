//! Analyses: what passes need to know about programs.

mod consumed;
pub mod cost;
mod effects;
pub mod flow;
pub mod poly;
mod prints;
pub mod ranges;
mod share;
mod uses;

pub use consumed::{consumed, consumed_by};
pub use effects::Effects;
pub use prints::Prints;
pub use ranges::Ranges;
pub use share::Share;
pub use uses::Uses;
