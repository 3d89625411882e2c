//! How long the stages took, for `--timings`.
//!
//! A stage that runs several times, such as parsing of each file, is one row. In WebAssembly there is no clock, and all
//! stages take no time.

use std::fmt;
use std::time::{Duration, Instant};

/// Named durations in the order in which the stages first ran.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    rows: Vec<(&'static str, Duration)>,
}

impl Timings {
    /// No stages.
    pub fn new() -> Timings {
        Timings::default()
    }

    /// Runs `work` and adds its time to the stage `name`.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = (!cfg!(target_family = "wasm")).then(Instant::now);
        let result = work();
        self.add(name, start.map_or(Duration::ZERO, |start| start.elapsed()));
        result
    }

    /// Adds a duration to the stage `name`.
    pub fn add(&mut self, name: &'static str, duration: Duration) {
        match self.rows.iter_mut().find(|(row, _)| *row == name) {
            Some((_, sum)) => *sum += duration,
            None => self.rows.push((name, duration)),
        }
    }

    /// The stages with their times.
    pub fn rows(&self) -> &[(&'static str, Duration)] {
        &self.rows
    }
}

impl fmt::Display for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: Duration = self.rows.iter().map(|(_, duration)| *duration).sum();
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(5);
        for (name, duration) in self.rows.iter().copied().chain([("total", total)]) {
            writeln!(f, "{name:width$} {:10.3} ms", duration.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_runs_twice_is_one_row() {
        let mut timings = Timings::new();
        timings.add("load", Duration::from_millis(1));
        timings.add("parse", Duration::from_micros(500));
        timings.add("load", Duration::from_millis(2));
        let expected = "load       3.000 ms\nparse      0.500 ms\ntotal      3.500 ms\n";
        assert_eq!(timings.to_string(), expected);
    }
}
