//! Tests of programs that are written in the programs themselves.
//!
//! A comment block with the line `-- ==` says how a program is tested: which errors the compiler must
//! report, or which entry points give which results for which arguments.
//!
//! - [`blocks`]: reads these comments; what they say is plain data;
//! - [`run`]: gets a program ready once ([`prepare`]) and runs its cases (`case`) and properties (`property`);
//! - [`executor`]: what runs entry points, the interpreter or a compiled [`server`];
//! - [`script`]: the expressions with which blocks make inputs;
//! - [`suite`]: many programs in parallel, and counts of what came out;
//! - [`mod@bench`]: how long programs take, and whether two measurements differ;
//! - [`mod@tune`]: with which thresholds they are fastest.

pub mod bench;
pub mod blocks;
mod case;
pub mod executor;
mod files;
pub mod prepare;
mod property;
pub mod run;
pub mod script;
pub mod server;
pub mod suite;
pub mod temporary;
pub mod tune;
mod tuning;
