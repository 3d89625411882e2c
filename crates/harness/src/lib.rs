//! Tests of programs that are written in the programs themselves.
//!
//! A comment block with the line `-- ==` says how a program is tested: which errors the compiler must
//! report, or which results the entry points return for which arguments.
//!
//! - [`blocks`]: parses these comments into plain data;
//! - [`run`]: prepares a program once ([`prepare`]) and runs its cases ([`mod@case`]) and properties (`property`);
//! - [`dataget`]: the data of one case;
//! - [`executor`]: runs entry points, in the interpreter or in a compiled [`server`];
//! - [`script`]: the expressions with which blocks construct inputs;
//! - [`suite`]: runs many programs in parallel, and summarises the results;
//! - [`mod@bench`]: measures how long programs take, and whether two measurements differ;
//! - [`profile`]: has programs report what takes their time;
//! - [`mod@tune`]: finds the thresholds with which programs are fastest.

#![expect(
    clippy::disallowed_methods,
    reason = "statistics of measurements differ from run to run anyway"
)]

pub mod bench;
pub mod blocks;
pub mod case;
pub mod dataget;
pub mod executor;
mod files;
pub mod prepare;
pub mod profile;
mod property;
pub mod run;
pub mod script;
pub mod server;
pub mod suite;
pub mod tune;
mod tuning;
