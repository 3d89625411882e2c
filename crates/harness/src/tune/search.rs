//! The search for thresholds: which runs to make, and what to conclude from them.
//!
//! A threshold guards one version of some code, and another one is taken if its test fails. Tests form a tree, and a
//! number that the program computes, mostly a degree of parallelism, is what a threshold is compared with. The
//! assumption is that a version that pays for some number pays for all larger ones ([`Wants::AtLeast`]), or for all
//! smaller ones ([`Wants::AtMost`]).
//!
//! For each data set, thresholds are tuned from the deepest ones up, while those above are set such that what is below
//! them is reached: then the test of a threshold is between one version and the best of everything below. A run that
//! takes none of the guarded versions shows all numbers that thresholds are compared with. With `m` different numbers
//! there are `m + 1` things that a threshold can do, and by the assumption their times first fall and then rise, so
//! that a search finds the best ([`fibonacci`]). What is found is an interval: every threshold in it does the same for
//! this data set. The intervals of the data sets have something in common if the assumption holds; if it does not,
//! those count for which it matters most.
//!
//! How many runs are made depends on the numbers of thresholds and data sets only, up to a logarithm, and not on how
//! long they take.

use super::interval::{Interval, Opinion, agree};
use super::ladder::Ladder;
use std::collections::{BTreeMap, BTreeSet};

/// When the version that a threshold guards is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wants {
    /// If the program's number is at least the threshold.
    AtLeast,
    /// If it is at most the threshold.
    AtMost,
}

/// A threshold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// The name of the tuning parameter.
    pub name: String,
    /// Its value unless somebody sets it.
    pub default: i64,
    /// When its test succeeds.
    pub wants: Wants,
    /// The tests before this one, and whether they have succeeded when this one is reached.
    pub path: Vec<(usize, bool)>,
}

/// What a program does that is tuned.
pub trait Subject {
    /// Runs it with a data set and values of all thresholds.
    fn run(&mut self, dataset: usize, values: &[i64]) -> Run;
}

/// What came out of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// How long it took, in microseconds, or why it failed.
    pub time: Result<f64, String>,
    /// Thresholds, and what they were compared with.
    pub compared: Vec<(usize, i64)>,
}

/// What came out of the search.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The values of the thresholds.
    pub values: Vec<i64>,
    /// Whether a threshold is tested with any data set; the value of another one is the default.
    pub tested: Vec<bool>,
    /// The thresholds on which data sets disagree.
    pub disputed: Vec<usize>,
    /// The time of each data set with the defaults.
    pub before: Vec<Result<f64, String>>,
    /// The time of each data set with these values.
    pub after: Vec<Result<f64, String>>,
    /// Whether what was found turned out to be slower than the defaults, so that these are the values.
    pub reverted: bool,
    /// How many runs were made.
    pub runs: usize,
}

/// What is slower by less than this factor is as good: differences are noise, or not worth another value than the default.
const WORTH: f64 = 1.02;

/// Finds values for thresholds that are good for all data sets.
pub fn search(thresholds: &[Threshold], datasets: usize, subject: &mut dyn Subject) -> Found {
    let defaults: Vec<i64> = thresholds.iter().map(|threshold| threshold.default).collect();
    let mut opinions: Vec<Vec<Opinion>> = vec![Vec::new(); thresholds.len()];
    let (mut before, mut runs) = (Vec::new(), 0);
    for dataset in 0..datasets {
        let mut one = One::new(thresholds, dataset, subject);
        before.push(one.run(&defaults));
        one.tune(&mut opinions);
        runs += one.cache.len();
    }
    let agreed = thresholds.iter().zip(&opinions);
    let agreed: Vec<_> = agreed.map(|(t, opinions)| agree(opinions, t.default)).collect();
    let mut values: Vec<i64> = agreed.iter().map(|agreed| agreed.value).collect();
    let disputed = (0..thresholds.len()).filter(|&i| agreed[i].disputed).collect();
    let mut after = before.clone();
    if values != defaults {
        after = (0..datasets).map(|dataset| subject.run(dataset, &values).time).collect();
        runs += datasets;
    }
    let reverted = is_worse(&before, &after);
    if reverted {
        values.clone_from(&defaults);
        after.clone_from(&before);
    }
    let tested = opinions.iter().map(|opinions| !opinions.is_empty()).collect();
    Found { values, tested, disputed, before, after, reverted, runs }
}

/// Whether times have become worse on the whole: more fail, or their ratios are above one in the geometric mean.
fn is_worse(before: &[Result<f64, String>], after: &[Result<f64, String>]) -> bool {
    let failures = |times: &[Result<f64, String>]| times.iter().filter(|t| t.is_err()).count();
    let ratios = before.iter().zip(after).filter_map(|pair| match pair {
        (Ok(before), Ok(after)) => Some((after.max(1e-3) / before.max(1e-3)).ln()),
        (Err(_), _) | (_, Err(_)) => None,
    });
    match failures(after).cmp(&failures(before)) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => ratios.sum::<f64>() > 0.0,
    }
}

/// The search with one data set.
struct One<'a> {
    thresholds: &'a [Threshold],
    dataset: usize,
    subject: &'a mut dyn Subject,
    cache: BTreeMap<Vec<i64>, Run>,
    /// What each threshold was compared with in any run.
    seen: Vec<BTreeSet<i64>>,
}

impl<'a> One<'a> {
    fn new(thresholds: &'a [Threshold], dataset: usize, subject: &'a mut dyn Subject) -> One<'a> {
        let seen = vec![BTreeSet::new(); thresholds.len()];
        One { thresholds, dataset, subject, cache: BTreeMap::new(), seen }
    }

    /// A run, unless there was the same one before.
    fn run(&mut self, values: &[i64]) -> Result<f64, String> {
        if let Some(known) = self.cache.get(values) {
            return known.time.clone();
        }
        let run = self.subject.run(self.dataset, values);
        for (threshold, value) in &run.compared {
            if let Some(seen) = self.seen.get_mut(*threshold) {
                seen.insert(*value);
            }
        }
        let time = run.time.clone();
        self.cache.insert(values.to_vec(), run);
        time
    }

    /// What this data set says about each threshold.
    fn tune(&mut self, opinions: &mut [Vec<Opinion>]) {
        let thresholds = self.thresholds;
        let mut order: Vec<usize> = (0..thresholds.len()).collect();
        // Whatever comes before a test has a shorter path.
        order.sort_by_key(|&i| std::cmp::Reverse(thresholds[i].path.len()));
        let mut values: Vec<i64> = thresholds.iter().map(|t| t.wants.never()).collect();
        let mut found: Vec<(usize, Opinion)> = Vec::new();
        for i in order {
            let mut here = values.clone();
            for &(above, succeeds) in &thresholds[i].path {
                let wants = thresholds[above].wants;
                here[above] = if succeeds { wants.always() } else { wants.never() };
            }
            // This run also shows what the threshold is compared with.
            let _ = self.run(&here);
            let ladder = Ladder::new(thresholds[i].wants, &self.seen[i]);
            if ladder.len() < 2 {
                continue;
            }
            let (rung, opinion) = self.climb(i, &ladder, &here);
            values[i] = ladder.setting(rung);
            found.push((i, opinion));
        }
        // What is not even tested when all is at its best does not matter.
        let _ = self.run(&values);
        let best = self.cache.get(&values);
        for (i, mut opinion) in found {
            if !best.is_some_and(|run| run.compared.iter().any(|(tested, _)| *tested == i)) {
                opinion.weight = 0.0;
            }
            opinions[i].push(opinion);
        }
    }

    /// The best of the things that a threshold can do, and what follows for it.
    fn climb(&mut self, i: usize, ladder: &Ladder, here: &[i64]) -> (usize, Opinion) {
        let default = ladder.rung(self.thresholds[i].default);
        let mut times: BTreeMap<usize, f64> = BTreeMap::new();
        let mut time = |rung: usize| {
            let mut values = here.to_vec();
            values[i] = ladder.setting(rung);
            let time = self.run(&values).unwrap_or(f64::INFINITY);
            times.insert(rung, time);
            time
        };
        time(default);
        fibonacci(ladder.len(), &mut time);
        let (mut best, mut least, mut most) = (default, f64::INFINITY, 0.0f64);
        for (&rung, &time) in &times {
            if time < least {
                (best, least) = (rung, time);
            }
            most = most.max(time);
        }
        let weight = match (least.is_finite(), most.is_finite()) {
            (true, true) => (most.max(1e-3) / least.max(1e-3)).ln(),
            // What fails must be avoided.
            (true, false) => MUST,
            (false, _) => 0.0,
        };
        // What is between two rungs is no slower than the slower one of them.
        let good = times.iter().filter(|(_, time)| **time <= least * WORTH);
        let good = good.map(|(rung, _)| ladder.interval(*rung)).chain([ladder.interval(best)]);
        let interval = good.reduce(Interval::hull).unwrap_or(ALL);
        (best, Opinion { interval, weight })
    }
}

/// How much it matters to a data set that a version is avoided that fails: more than any time.
const MUST: f64 = 1e3;

/// Finds where times are least that first fall and then rise. The places that are looked at are far apart as long as possible, so
/// that their difference is more than noise; with `n` places they are about `1.44 log2 n`.
///
/// The result is the least of what was looked at. Failures count as endless times; where both of two places fail, the side is
/// taken whose end, that of the last place, has been seen to work.
pub(super) fn fibonacci(places: usize, time: &mut dyn FnMut(usize) -> f64) {
    let last = time(places.saturating_sub(1));
    // The place is strictly between `low` and `low + size`, where places have numbers from one on.
    let (mut smaller, mut size) = (1, 2);
    while size < places + 1 {
        (smaller, size) = (size, smaller + size);
    }
    let mut low = 0;
    while size > 2 {
        let (near, far) = (low + size - smaller, low + smaller);
        let rises = if far > places {
            true
        } else {
            let (near, far) = (time(near - 1), time(far - 1));
            if near.is_infinite() && far.is_infinite() { last.is_infinite() } else { near <= far }
        };
        if !rises {
            low = near;
        }
        (smaller, size) = (size - smaller, smaller);
    }
    time(low.min(places.saturating_sub(1)));
}

/// All values that a threshold can have.
pub(super) const ALL: Interval = Interval { low: 1, high: i64::MAX };

impl Wants {
    /// The threshold whose test fails for all numbers for which any does. Zero would mean the default.
    pub(super) fn never(self) -> i64 {
        match self {
            Wants::AtLeast => ALL.high,
            Wants::AtMost => ALL.low,
        }
    }

    /// The threshold whose test succeeds.
    pub(super) fn always(self) -> i64 {
        match self {
            Wants::AtLeast => ALL.low,
            Wants::AtMost => ALL.high,
        }
    }
}
