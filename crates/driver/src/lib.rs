//! From file names to results: loads programs, runs the stages in order, and survives their bugs.
//!
//! - [`check`]: what `fehu check`, `fehu check-syntax` and `fehu fmt` do;
//! - [`run`]: what `fehu run -i` and `fehu test -i` do with a program;
//! - [`compile`]: executables, servers and libraries; [`cache`]: those that are kept, under digests ([`hash`]);
//! - [`repl`]: what `fehu repl` and `fehu eval` do: a session that remembers declarations;
//! - [`translate`]: from a file to the core IR; [`passes`] and [`pipelines`]: the optimiser's passes and their order;
//! - [`code`]: the stages beyond the core IR one at a time, printed and run for tests;
//! - [`dev`]: what `fehu dev` does;
//! - [`report`]: what `fehu report` does: what the optimiser made of a program, line by line;
//! - [`load`]: a root file and everything it imports, in dependency order;
//! - [`files`]: where texts come from: the disk, or memory in tests and editors;
//! - [`stages`]: the calls of the other crates, one function each;
//! - [`session`]: what a run collects, and how a panic becomes a message;
//! - [`explain`]: the pages about error codes, embedded in the program.
//!
//! Only this crate and those above it touch files.

pub mod cache;
pub mod check;
pub mod code;
pub mod compile;
pub mod dev;
mod errors;
pub mod explain;
pub mod files;
pub mod hash;
pub mod load;
pub mod passes;
pub mod paths;
pub mod pipelines;
pub mod prelude;
pub mod repl;
pub mod report;
pub mod run;
pub mod session;
pub mod stages;
pub mod translate;
pub mod without;
