//! What passes need to know about programs.

mod consumed;
pub mod cost;
mod effects;
mod prints;
mod share;
mod uses;

pub use consumed::consumed;
pub use effects::Effects;
pub use prints::Prints;
pub use share::Share;
pub use uses::Uses;
