//! The classes of tuning parameters that are thresholds: `threshold(DEFAULT, TESTS)`.
//!
//! The default stands after `<=` if the test succeeds for numbers that are at most the threshold. The tests are those
//! that come before: names of thresholds, with a `!` in front of those that have failed, and blanks between them.

use super::search::{Threshold, Wants};
use std::collections::BTreeMap;

/// The thresholds among parameters with their classes, by name. What a class says of parameters that do not exist is left out.
pub fn thresholds(params: &BTreeMap<String, String>) -> Vec<Threshold> {
    let parsed: Vec<(&String, i64, Wants, Vec<&str>)> = params
        .iter()
        .filter_map(|(name, class)| {
            let (default, wants, tests) = parse(class)?;
            Some((name, default, wants, tests))
        })
        .collect();
    let test = |test: &&str| {
        let (name, succeeds) = match test.strip_prefix('!') {
            Some(name) => (name, false),
            None => (*test, true),
        };
        let index = parsed.iter().position(|(other, ..)| *other == name)?;
        Some((index, succeeds))
    };
    parsed
        .iter()
        .map(|(name, default, wants, tests)| Threshold {
            name: (*name).clone(),
            default: *default,
            wants: *wants,
            path: tests.iter().filter_map(test).collect(),
        })
        .collect()
}

/// The parts of a class, if it is that of a threshold.
fn parse(class: &str) -> Option<(i64, Wants, Vec<&str>)> {
    let inside = class.strip_prefix("threshold(")?.strip_suffix(')')?;
    let (default, tests) = inside.split_once(',').unwrap_or((inside, ""));
    let (default, wants) = match default.trim().strip_prefix("<=") {
        Some(default) => (default, Wants::AtMost),
        None => (default, Wants::AtLeast),
    };
    Some((default.trim().parse().ok()?, wants, tests.split_whitespace().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_make_a_tree() {
        let params = [
            ("a", "threshold(32768)"),
            ("b", "threshold(<=2048, !a)"),
            ("c", "threshold(7, !a b gone)"),
            ("d", "tile_size"),
            ("e", "threshold"),
        ];
        let params = params.map(|(name, class)| (name.to_owned(), class.to_owned()));
        let found = thresholds(&params.into());
        let expected = |name: &str, default, wants, path: &[(usize, bool)]| Threshold {
            name: name.to_owned(),
            default,
            wants,
            path: path.to_vec(),
        };
        assert_eq!(
            found,
            [
                expected("a", 32768, Wants::AtLeast, &[]),
                expected("b", 2048, Wants::AtMost, &[(0, false)]),
                expected("c", 7, Wants::AtLeast, &[(0, false), (1, true)]),
            ]
        );
    }
}
