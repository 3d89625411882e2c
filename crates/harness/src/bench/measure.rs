//! The runs of one case: how many are enough.
//!
//! 1. The initial phase makes at least [`Limits::runs`] runs, for at least [`Limits::least`]. If they are robust
//!    ([`statistics::is_robust`]), that is it.
//! 2. Otherwise the machine was not quiet, or not warm. They are thrown away, and the convergence phase runs
//!    until a series is robust, or [`Limits::most`] is over.

use super::statistics;
use std::time::{Duration, Instant};

/// How often, and how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The fewest runs.
    pub runs: usize,
    /// The shortest time of the initial phase.
    pub least: Duration,
    /// Whether there is a convergence phase.
    pub converge: bool,
    /// The longest time of the convergence phase.
    pub most: Duration,
    /// When all is over, whatever is missing then; one run there is in any case.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// Whether the time for everything is over.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        let (least, most) = (Duration::from_millis(500), Duration::from_secs(300));
        Limits { runs: 10, least, converge: true, most, deadline: None }
    }
}

/// How far the runs of a case are.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// Whether this is the convergence phase.
    pub converging: bool,
    /// How many runs there were in this phase.
    pub runs: usize,
    /// How much of the phase is over, from 0 to 1.
    pub part: f64,
    /// The mean so far, in microseconds.
    pub mean: f64,
}

/// The most runs: the mean of so many short ones does not become better by more of them.
const MANY: usize = 20_000;

/// Makes as many runs as it takes; `once` makes one and tells its microseconds.
pub fn runs<E>(
    limits: &Limits,
    begin: Instant,
    mut once: impl FnMut() -> Result<u64, E>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Vec<u64>, E> {
    let mut runtimes = Vec::new();
    let mut total = 0.0;
    loop {
        let time = once()?;
        total += time as f64;
        runtimes.push(time);
        let by_time = begin.elapsed().as_secs_f64() / limits.least.as_secs_f64().max(1e-9);
        let by_count = runtimes.len() as f64 / limits.runs.max(1) as f64;
        let part = by_time.min(by_count).min(1.0);
        let mean = total / runtimes.len() as f64;
        progress(&Progress { converging: false, runs: runtimes.len(), part, mean });
        if part >= 1.0 || (by_count >= 1.0 && runtimes.len() >= MANY) {
            break;
        }
        if limits.is_over() {
            return Ok(runtimes);
        }
    }
    if !limits.converge || statistics::is_robust(&floats(&runtimes)) {
        return Ok(runtimes);
    }
    let begin = Instant::now();
    let mut samples: Vec<f64> = Vec::new();
    let mut checked = 0;
    total = 0.0;
    runtimes.clear();
    loop {
        let time = once()?;
        total += time as f64;
        runtimes.push(time);
        samples.push(time as f64);
        let count = runtimes.len();
        let part = begin.elapsed().as_secs_f64() / limits.most.as_secs_f64().max(1e-9);
        let mean = total / count as f64;
        progress(&Progress { converging: true, runs: count, part: part.min(1.0), mean });
        let over = part >= 1.0 || count >= MANY || limits.is_over();
        // Looking costs time in proportion to the samples, so it is done less and less often.
        let look = count >= limits.runs.max(2) && count > checked + checked / 8;
        if look {
            checked = count;
        }
        if over || (look && statistics::is_robust(&samples)) {
            return Ok(runtimes);
        }
    }
}

/// Times as numbers to reckon with.
pub fn floats(runtimes: &[u64]) -> Vec<f64> {
    runtimes.iter().map(|&time| time as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(converge: bool) -> Limits {
        let (least, most) = (Duration::ZERO, Duration::from_millis(200));
        Limits { runs: 10, least, converge, most, deadline: None }
    }

    #[test]
    fn the_deadline_ends_both_phases() {
        let over = Limits { deadline: Some(Instant::now()), ..limits(true) };
        assert_eq!(count(over, |_| 100), 1);
        let soon = Instant::now() + Duration::from_millis(20);
        let wait = |i: usize| {
            std::thread::sleep(Duration::from_millis(1));
            1000 << (i * 7 % 13)
        };
        let most = Duration::from_secs(60);
        assert!(count(Limits { most, deadline: Some(soon), ..limits(true) }, wait) >= 1);
        assert!(Instant::now() < soon + Duration::from_secs(20));
    }

    fn count(limits: Limits, time: impl Fn(usize) -> u64) -> usize {
        let mut calls = 0;
        let once = || {
            calls += 1;
            Ok::<u64, ()>(time(calls))
        };
        runs(&limits, Instant::now(), once, &mut |_| {}).expect("nothing fails").len()
    }

    #[test]
    fn steady_runs_need_no_second_phase() {
        assert_eq!(count(limits(true), |_| 100), 10);
        assert_eq!(count(limits(false), |i| i as u64 * 1000), 10);
    }

    #[test]
    fn a_cold_start_is_thrown_away() {
        // The first ten are slow and unsteady; what follows is steady.
        let runs = count(limits(true), |i| if i <= 10 { 1000 * i as u64 } else { 100 });
        assert_eq!(runs, 10);
    }

    #[test]
    fn what_never_settles_ends_in_time() {
        let begin = Instant::now();
        assert!(count(limits(true), |i| 1000 << (i * 7 % 13)) >= 10);
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn failures_end_it() {
        let result = runs(&limits(true), Instant::now(), || Err("no"), &mut |_| {});
        assert_eq!(result, Err("no"));
    }
}
