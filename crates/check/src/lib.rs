//! Syntax trees to typed programs: names, modules, types, sizes, consumption, exhaustiveness.

pub mod consume;
pub mod program;
pub mod ty;
