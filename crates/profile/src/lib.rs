//! Profiles: where the time of a program goes, line by line, and whether it could go faster.
//!
//! A program that was compiled to be profiled counts, for each operator of the optimised program, how long it took, and
//! what it did: the bytes that it had to move and the operations, for each line of the source that is part of it.
//! Nothing here runs programs or reads files; everything is a function of what a run has reported.
//!
//! ```text
//! report (JSON) ── report ──▶ Report ──┐
//!                                      ├── lines ──▶ Profile ──▶ table, page, trace, flame, json, compare
//! calibration ───── machine ─▶ Machine ┘
//! ```
//!
//! - [`report`]: what programs report, ours and others;
//! - [`machine`]: what a machine can do, as measured once;
//! - [`lines`]: the time of each line: operators are shared by their lines in proportion to what these do;
//! - [`spread`]: how much several runs differ;
//! - [`verdict`]: what limits an operator, with the numbers;
//! - [`table`]: for terminals; [`page`]: one page with everything; [`trace`]: for Perfetto; [`flame`]: stacks; [`json`]: for
//!   tools; [`compare`]: what changed from one profile to another; [`centres`]: reports that know no lines.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod centres;
pub mod compare;
pub mod flame;
pub mod json;
pub mod lines;
pub mod machine;
pub mod page;
pub mod report;
pub mod spread;
pub mod table;
pub mod trace;
pub mod units;
pub mod verdict;

#[cfg(test)]
mod tests;

use lines::Profile;
use machine::Machine;
use report::Report;
use spread::Spread;

/// A profiled run, with all that is known about it.
#[derive(Clone, Debug)]
pub struct Run {
    /// The program.
    pub program: String,
    /// The entry point.
    pub entry: String,
    /// The data set.
    pub dataset: String,
    /// The back end.
    pub backend: String,
    /// Why the run failed, if it did. The profile is of what came before.
    pub failed: Option<String>,
    /// What the program reported.
    pub report: Report,
    /// What the machine can do, if that is known.
    pub machine: Option<Machine>,
    /// Where the time went; of several runs, in the one with the median time.
    pub profile: Profile,
    /// How much the runs differ.
    pub spread: Spread,
    /// The files of the program, by name, with their texts.
    pub sources: Vec<(String, String)>,
}
