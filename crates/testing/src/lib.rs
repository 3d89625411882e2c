//! Tests of programs that are written in the programs themselves.
//!
//! A comment block with the line `-- ==` says how a program is tested: which errors the compiler must
//! report, or which entry points give which results for which arguments.
//!
//! - [`blocks`]: reads these comments; what they say is plain data;
//! - [`run`]: compiles a program once and runs its cases (`case`) and properties (`property`);
//! - [`script`]: the expressions with which blocks make inputs;
//! - [`suite`]: many programs in parallel, and counts of what came out.

pub mod blocks;
mod case;
mod files;
mod limit;
mod property;
pub mod run;
pub mod script;
pub mod suite;
