//! How much the runs of a program differ.

use crate::lines::Profile;
use crate::report::Place;
use std::collections::BTreeMap;

/// The least and the greatest time of several runs, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

impl Range {
    /// Of one run.
    pub fn one(time: f64) -> Range {
        Range { least: time, most: time }
    }

    /// With one more run.
    fn with(self, time: f64) -> Range {
        Range { least: self.least.min(time), most: self.most.max(time) }
    }

    /// Whether all times of one are less than all times of the other.
    pub fn is_apart(self, other: Range) -> bool {
        self.most < other.least || other.most < self.least
    }
}

/// How much runs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// How many there were.
    pub runs: usize,
    /// All of the time.
    pub total: Range,
    /// That of each line.
    pub lines: BTreeMap<Place, Range>,
}

impl Spread {
    /// Of some runs. A line that is not in one of them took no time there.
    pub fn of(profiles: &[Profile]) -> Spread {
        let total = |profile: &Profile| profile.total;
        let mut lines: BTreeMap<Place, (usize, Range)> = BTreeMap::new();
        for line in profiles.iter().flat_map(|profile| &profile.lines) {
            let found = lines.entry(line.place.clone());
            let (count, range) = found.or_insert((0, Range::one(line.time)));
            (*count, *range) = (*count + 1, range.with(line.time));
        }
        let everywhere = |(count, range): (usize, Range)| match count < profiles.len() {
            true => range.with(0.0),
            false => range,
        };
        let first = Range::one(profiles.first().map_or(0.0, total));
        Spread {
            runs: profiles.len(),
            total: profiles.iter().map(total).fold(first, Range::with),
            lines: lines.into_iter().map(|(place, found)| (place, everywhere(found))).collect(),
        }
    }
}

/// The index of the profile with the median time.
pub fn median(profiles: &[Profile]) -> Option<usize> {
    let mut order: Vec<usize> = (0..profiles.len()).collect();
    order.sort_by(|&a, &b| profiles[a].total.total_cmp(&profiles[b].total));
    order.get(order.len().checked_sub(1)? / 2).copied()
}
