//! Syntax trees to typed programs: names, modules, types, sizes, consumption, exhaustiveness.

pub mod exhaust;
pub mod program;
pub mod ty;
pub mod unused;
mod walk;
