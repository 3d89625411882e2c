//! What changed from one file of results to another.
//!
//! A difference is beyond noise if the means are further apart than half of the standard deviations together, and by
//! more than one in a hundred: on a quiet machine even a change of nothing is significant in the sense of a test.

use super::measure::floats;
use super::statistics::{deviation, geometric_mean, mean};
use super::{Group, Measured};
use std::collections::BTreeMap;

/// A case in both files.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The case.
    pub dataset: String,
    /// The mean before, in microseconds.
    pub before: f64,
    /// The mean after.
    pub after: f64,
    /// How often the new program runs in the time of the old.
    pub speedup: f64,
    /// What to think of it.
    pub change: Change,
}

/// Whether something changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It became faster.
    Faster,
    /// It became slower.
    Slower,
    /// Nothing that could be told from noise.
    Noise,
}

/// The comparison of one entry point.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// As in [`Group`].
    pub name: String,
    /// The cases that both have, by name.
    pub rows: Vec<Row>,
    /// The cases without numbers on both sides, and why.
    pub missing: Vec<(String, &'static str)>,
}

/// By what groups are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortBy {
    /// The name.
    Name,
    /// How many cases became slower.
    Significant,
    /// The geometric mean of what changed beyond noise.
    GeomeanSignificant,
    /// The geometric mean of everything.
    GeomeanAll,
}

/// Differences below this are never told: the speedup must be less than 0.99, or more than its inverse.
const LEAST: f64 = 0.99;

/// Compares results, the old ones first.
pub fn compare(before: &[Group], after: &[Group]) -> Vec<Compared> {
    let mut groups: BTreeMap<&str, (Option<&Group>, Option<&Group>)> = BTreeMap::new();
    for group in before {
        groups.entry(&group.name).or_default().0 = Some(group);
    }
    for group in after {
        groups.entry(&group.name).or_default().1 = Some(group);
    }
    let both = groups.into_iter();
    both.map(|(name, (before, after))| compared(name, before, after)).collect()
}

/// Sorts comparisons: the worst first, or the best.
pub fn sort(groups: &mut [Compared], by: SortBy, best_first: bool) {
    let key = |group: &Compared| match by {
        SortBy::Name => 0.0,
        SortBy::Significant => {
            -(group.rows.iter().filter(|row| row.change == Change::Slower).count() as f64)
        }
        SortBy::GeomeanSignificant => group.geomean(|row| row.change != Change::Noise),
        SortBy::GeomeanAll => group.geomean(|_| true),
    };
    // Sorting keeps the order of what is equal, which is by name.
    groups.sort_by(|a, b| {
        let order = key(a).total_cmp(&key(b));
        if best_first { order.reverse() } else { order }
    });
}

impl Compared {
    /// The geometric mean of some speedups; 1 if there are none.
    pub fn geomean(&self, chosen: impl Fn(&Row) -> bool) -> f64 {
        let speedups: Vec<f64> =
            self.rows.iter().filter(|row| chosen(row)).map(|row| row.speedup).collect();
        if speedups.is_empty() { 1.0 } else { geometric_mean(&speedups) }
    }
}

fn compared(name: &str, before: Option<&Group>, after: Option<&Group>) -> Compared {
    let mut cases: BTreeMap<&str, [Option<&Result<Measured, String>>; 2]> = BTreeMap::new();
    for (side, group) in [before, after].into_iter().enumerate() {
        for (dataset, result) in group.into_iter().flat_map(|group| &group.datasets) {
            cases.entry(dataset).or_default()[side] = Some(result);
        }
    }
    let mut compared = Compared { name: name.to_owned(), rows: Vec::new(), missing: Vec::new() };
    for (dataset, sides) in cases {
        let dataset = dataset.to_owned();
        match sides {
            [Some(Ok(before)), Some(Ok(after))] => {
                compared.rows.extend(row(&dataset, before, after));
            }
            [Some(Ok(_)), None] => compared.missing.push((dataset, "only before")),
            [None, Some(Ok(_))] => compared.missing.push((dataset, "only after")),
            [Some(Err(_)), Some(Ok(_))] => compared.missing.push((dataset, "failed before")),
            [_, Some(Err(_))] => compared.missing.push((dataset, "fails now")),
            [Some(Err(_)), None] | [None, None] => {
                compared.missing.push((dataset, "failed before, missing now"));
            }
        }
    }
    compared
}

fn row(dataset: &str, before: &Measured, after: &Measured) -> Option<Row> {
    if before.runtimes.is_empty() || after.runtimes.is_empty() {
        return None;
    }
    let (old, new) = (floats(&before.runtimes), floats(&after.runtimes));
    let (before, after) = (mean(&old), mean(&new));
    // Less than a microsecond is measured as nothing.
    let speedup = before.max(0.5) / after.max(0.5);
    let noise = (deviation(&old) + deviation(&new)) / 2.0;
    let change = match (before - after).abs() > noise {
        true if speedup > 1.0 / LEAST => Change::Faster,
        true if speedup < LEAST => Change::Slower,
        _ => Change::Noise,
    };
    Some(Row { dataset: dataset.to_owned(), before, after, speedup, change })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, datasets: &[(&str, &[u64])]) -> Group {
        let datasets = datasets.iter().map(|(name, runtimes)| {
            let result = match runtimes {
                [] => Err("no".to_owned()),
                runtimes => Ok(Measured { runtimes: runtimes.to_vec(), ..Measured::default() }),
            };
            ((*name).to_owned(), result)
        });
        Group { name: name.to_owned(), datasets: datasets.collect() }
    }

    fn changes(before: &[(&str, &[u64])], after: &[(&str, &[u64])]) -> Vec<Change> {
        let compared = compare(&[group("a", before)], &[group("a", after)]);
        compared[0].rows.iter().map(|row| row.change).collect()
    }

    #[test]
    fn noise_is_no_change() {
        let noisy: &[u64] = &[100, 150, 90, 160, 100];
        let similar: &[u64] = &[110, 140, 100, 150, 110];
        assert_eq!(changes(&[("d", noisy)], &[("d", similar)]), [Change::Noise]);
        let exact: &[u64] = &[1000, 1000, 1000];
        assert_eq!(changes(&[("d", exact)], &[("d", &[1001, 1001])]), [Change::Noise]);
        assert_eq!(changes(&[("d", exact)], &[("d", &[500, 501])]), [Change::Faster]);
        assert_eq!(changes(&[("d", exact)], &[("d", &[1100, 1101])]), [Change::Slower]);
        assert_eq!(changes(&[("d", &[0, 0])], &[("d", &[0])]), [Change::Noise]);
    }

    #[test]
    fn what_is_on_one_side_only_is_told() {
        let before = group("a", &[("x", &[1]), ("y", &[]), ("z", &[1])]);
        let after = group("a", &[("y", &[1]), ("z", &[])]);
        let compared = compare(&[before], &[after, group("b", &[("x", &[1])])]);
        let missing: Vec<_> = compared.iter().flat_map(|group| &group.missing).collect();
        assert_eq!(
            missing,
            [
                &("x".to_owned(), "only before"),
                &("y".to_owned(), "failed before"),
                &("z".to_owned(), "fails now"),
                &("x".to_owned(), "only after"),
            ]
        );
    }

    #[test]
    fn groups_are_sorted_by_what_matters() {
        let all = |a: u64, b: u64, c: u64| {
            [("a", a), ("b", b), ("c", c)].map(|(name, time)| group(name, &[("d", &[time; 3])]))
        };
        let names = |by, best_first| {
            let mut groups = compare(&all(100, 100, 100), &all(90, 200, 100));
            sort(&mut groups, by, best_first);
            groups.iter().map(|group| group.name.clone()).collect::<String>()
        };
        assert_eq!(names(SortBy::Name, false), "abc");
        assert_eq!(names(SortBy::GeomeanAll, false), "bca");
        assert_eq!(names(SortBy::GeomeanAll, true), "acb");
        assert_eq!(names(SortBy::Significant, false), "bac");
    }
}
