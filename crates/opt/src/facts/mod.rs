//! What passes need to know about programs.

pub mod cost;
mod effects;
mod share;
mod uses;

pub use effects::Effects;
pub use share::Share;
pub use uses::Uses;
