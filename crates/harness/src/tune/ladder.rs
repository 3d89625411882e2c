//! What a threshold can do with a data set: the numbers that it is compared with, and the values that tell them apart.
//!
//! Rung `j` of the ladder is where the test fails for `j` of the `m` numbers. All thresholds of an interval do this; for example,
//! with the numbers 10 and 100, of which those count that are at least the threshold:
//!
//! | rung | test succeeds for | thresholds |
//! |---|---|---|
//! | 0 | 10, 100 | 1 to 10 |
//! | 1 | 100 | 11 to 100 |
//! | 2 | none | 101 and more |

use super::interval::Interval;
use super::search::{ALL, Wants};
use std::collections::BTreeSet;

/// The ladder of one threshold with one data set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ladder {
    wants: Wants,
    /// In the order of their growth.
    numbers: Vec<i64>,
}

impl Ladder {
    pub(super) fn new(wants: Wants, seen: &BTreeSet<i64>) -> Ladder {
        // No threshold that can be set decides anything else about smaller ones.
        let least = match wants {
            Wants::AtLeast => ALL.low,
            Wants::AtMost => ALL.low + 1,
        };
        Ladder { wants, numbers: seen.range(least..).copied().collect() }
    }

    /// How many rungs there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len() + 1
    }

    /// The thresholds of a rung.
    pub(super) fn interval(&self, rung: usize) -> Interval {
        let count = self.numbers.len();
        let number =
            |index: Option<usize>| index.and_then(|index| self.numbers.get(index)).copied();
        match self.wants {
            Wants::AtLeast => Interval {
                low: number(rung.checked_sub(1)).map_or(ALL.low, |n| n.saturating_add(1)),
                high: number(Some(rung)).unwrap_or(ALL.high),
            },
            Wants::AtMost => Interval {
                low: number(count.checked_sub(rung + 1)).unwrap_or(ALL.low),
                high: number(count.checked_sub(rung)).map_or(ALL.high, |n| n - 1),
            },
        }
    }

    /// The threshold of a rung that is tried.
    pub(super) fn setting(&self, rung: usize) -> i64 {
        let Interval { low, high } = self.interval(rung);
        match self.wants {
            Wants::AtLeast => high,
            Wants::AtMost => low,
        }
    }

    /// The rung of a threshold.
    pub(super) fn rung(&self, threshold: i64) -> usize {
        let fails = |number: &&i64| match self.wants {
            Wants::AtLeast => **number < threshold,
            Wants::AtMost => **number > threshold,
        };
        self.numbers.iter().filter(fails).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_cover_all_thresholds_once() {
        for wants in [Wants::AtLeast, Wants::AtMost] {
            for numbers in [&[][..], &[2], &[10, 100], &[2, 3, 4], &[0, 1, 7, 8, 9000]] {
                let ladder = Ladder::new(wants, &numbers.iter().copied().collect());
                let mut intervals: Vec<Interval> =
                    (0..ladder.len()).map(|rung| ladder.interval(rung)).collect();
                for (rung, interval) in intervals.iter().enumerate() {
                    assert!(interval.low <= interval.high, "{ladder:?} {interval:?}");
                    for value in [interval.low, interval.high, ladder.setting(rung)] {
                        assert_eq!(ladder.rung(value), rung, "{ladder:?} {value}");
                    }
                }
                intervals.sort_by_key(|interval| interval.low);
                assert_eq!(intervals.first().map(|i| i.low), Some(1));
                assert_eq!(intervals.last().map(|i| i.high), Some(i64::MAX));
                assert!(intervals.windows(2).all(|pair| pair[0].high + 1 == pair[1].low));
            }
        }
    }

    #[test]
    fn ends_take_all_or_nothing() {
        for wants in [Wants::AtLeast, Wants::AtMost] {
            let ladder = Ladder::new(wants, &[10, 100].into());
            assert_eq!(ladder.setting(2), wants.never());
            assert_eq!(ladder.rung(wants.never()), 2);
            assert_eq!(ladder.rung(wants.always()), 0);
        }
        let ladder = Ladder::new(Wants::AtMost, &[10, 100].into());
        assert_eq!(ladder.interval(1), Interval { low: 10, high: 99 });
    }
}
