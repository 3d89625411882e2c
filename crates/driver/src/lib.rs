//! From file names to results: loads programs, runs the stages in order, and survives their bugs.
//!
//! - [`check`]: implements `fehu check`, `fehu check-syntax` and `fehu fmt`;
//! - [`analyse`]: a program that is being written, kept checked while its texts change, for editors;
//! - [`run`]: implements `fehu run -i` and `fehu test -i`;
//! - [`compile`]: builds executables, servers and libraries; [`cache`]: caches them under digests ([`fehu_base::hash`]);
//! - [`repl`]: implements `fehu repl` and `fehu eval`: a session that remembers declarations;
//! - [`translate`]: from a file to the core IR; [`passes`] and [`pipelines`]: the optimiser's passes and their order;
//! - [`code`]: the stages after the core IR, one at a time, printed and run for tests;
//! - [`dev`]: implements `fehu dev`;
//! - [`report`]: implements `fehu report`: what the optimiser did with a program, line by line;
//! - [`load`]: loads a root file and everything it imports, in dependency order;
//! - [`files`]: where source texts come from: the disk, or memory in tests and editors;
//! - [`stages`]: the calls into the other crates, one function each;
//! - [`session`]: what a run collects, and how a panic becomes a message;
//! - [`save`]: files that are written whole or not at all; [`temporary`]: those that nobody needs for long;
//! - [`explain`]: the pages about error codes, embedded in the program.
//!
//! Only this crate and those that depend on it access files.

pub mod analyse;
pub mod cache;
pub mod check;
pub mod code;
pub mod compile;
pub mod dev;
mod errors;
pub mod explain;
pub mod files;
pub mod foreign;
mod late;
pub mod load;
mod machine_code;
pub mod passes;
pub mod paths;
pub mod pipelines;
pub mod prelude;
pub mod repl;
pub mod report;
pub mod run;
pub mod save;
pub mod session;
pub mod stages;
pub mod temporary;
pub mod translate;
pub mod without;
