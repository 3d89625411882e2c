//! Tuning: finds the values of a program's thresholds with which it is fastest.
//!
//! Compiled programs have several versions of some of their code, and thresholds decide between them when they run. A
//! program tells by the classes of its tuning parameters which thresholds there are and how they depend on each other
//! ([`mod@class`]), and by its report what it has compared them with. So all that is done here is to set parameters, to run
//! the data sets of test blocks, and to think about it.
//!
//! - `search`: which runs to make and what follows; `ladder`, `interval`: what a threshold can do, and what data sets agree on;
//! - `program`: runs a compiled program;
//! - [`mod@file`]: the results as a file, which `fehu bench` and `fehu test` read.

pub mod class;
pub mod file;
mod interval;
mod ladder;
mod program;
pub mod search;
#[cfg(test)]
mod simulated;

use crate::bench::{self, Options};
use crate::prepare;
use fehu_driver::check::Warnings;
use program::Program;
use search::{Found, Run, Subject, Threshold, search};

/// What came out of tuning a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// Its thresholds, by name.
    pub thresholds: Vec<Threshold>,
    /// All its tuning parameters, by name.
    pub params: Vec<String>,
    /// The data sets: `NAME`, or `ENTRY: NAME` unless the entry point is `main`.
    pub datasets: Vec<String>,
    /// What was found.
    pub found: Found,
}

/// A run, for those who want to see them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step<'a> {
    /// The data set.
    pub dataset: &'a str,
    /// The thresholds.
    pub thresholds: &'a [Threshold],
    /// Their values.
    pub values: &'a [i64],
    /// What came out.
    pub run: &'a Run,
}

/// Tunes a program. The error says why it cannot be tuned.
pub fn tune(
    path: &str,
    options: &Options,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<Tuned, String> {
    let Some(test) = bench::read_test(path, options)? else {
        return Err("there are no data sets to tune for; add test blocks with inputs".to_owned());
    };
    let (_, built) = prepare::server(path, &options.compile, Warnings::Hide);
    let (_, built) = built?;
    let mut program = Program::start(path, &test, built, options)?;
    let (thresholds, params) = program.thresholds()?;
    if thresholds.is_empty() {
        let backend = options.compile.target.name();
        return Err(format!(
            "nothing to tune: no entry point with data sets has thresholds with the back end `{backend}`"
        ));
    }
    let datasets = program.names();
    let mut watched = Watched { thresholds: &thresholds, datasets: &datasets, program, watch };
    let found = search(&thresholds, datasets.len(), &mut watched);
    if let Some(Err(why)) = found.before.iter().find(|time| time.is_err())
        && found.before.iter().chain(&found.after).all(Result::is_err)
    {
        return Err(format!("no data set can be run: {why}"));
    }
    Ok(Tuned { thresholds, params, datasets, found })
}

/// A program whose runs somebody wants to see.
struct Watched<'a> {
    thresholds: &'a [Threshold],
    datasets: &'a [String],
    program: Program<'a>,
    watch: &'a mut dyn FnMut(&Step<'_>),
}

impl Subject for Watched<'_> {
    fn run(&mut self, dataset: usize, values: &[i64]) -> Run {
        let run = self.program.run(self.thresholds, dataset, values);
        let name = self.datasets.get(dataset).map_or("", String::as_str);
        (self.watch)(&Step { dataset: name, thresholds: self.thresholds, values, run: &run });
        run
    }
}
