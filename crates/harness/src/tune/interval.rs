//! Intervals of thresholds, and what several data sets agree on.

/// Thresholds from one to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Interval {
    /// The interval of both, and of what is between them.
    pub(super) fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// What a data set says about a threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Opinion {
    /// The values that are best for it.
    pub(super) interval: Interval,
    /// How much it matters: the logarithm of how much longer others take.
    pub(super) weight: f64,
}

/// What is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Agreed {
    pub(super) value: i64,
    /// Whether it is not what all want to whom it matters.
    pub(super) disputed: bool,
}

/// The value that suits the data sets, or those for which it matters most. The default is taken if it is as good as any.
pub(super) fn agree(opinions: &[Opinion], default: i64) -> Agreed {
    if opinions.is_empty() {
        return Agreed { value: default, disputed: false };
    }
    let weight = |value: i64| -> f64 {
        let covers = |o: &&Opinion| o.interval.low <= value && value <= o.interval.high;
        opinions.iter().filter(covers).map(|opinion| opinion.weight).sum()
    };
    // Between these values nothing changes.
    let mut starts: Vec<i64> = opinions
        .iter()
        .flat_map(|o| [Some(o.interval.low), o.interval.high.checked_add(1)])
        .flatten()
        .chain([1])
        .collect();
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([i64::MAX]);
    let pieces: Vec<(Interval, f64)> =
        starts.iter().zip(ends).map(|(&low, high)| (Interval { low, high }, weight(low))).collect();
    let most = pieces.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    let mut regions: Vec<Interval> = Vec::new();
    for (piece, weight) in pieces {
        // Sums in another order may differ by a little.
        if weight < most - 1e-9 {
            continue;
        }
        match regions.last_mut() {
            Some(last) if last.high + 1 == piece.low => last.high = piece.high,
            Some(_) | None => regions.push(piece),
        }
    }
    let distance = |region: &Interval| {
        let (low, high) = (region.low as f64, region.high as f64);
        let default = default as f64;
        if default < low { low / default } else { default / high }
    };
    let nearest = regions.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let value = nearest.map_or(default, |region| inside(region, default));
    let wants =
        |o: &Opinion| o.weight < MATTERS || (o.interval.low <= value && value <= o.interval.high);
    Agreed { value, disputed: !opinions.iter().all(wants) }
}

/// Differences that are smaller than this nobody complains about.
const MATTERS: f64 = 0.02;

/// A value of an interval: the default if it is there, otherwise one that is not too near to an end, since other data
/// may be a bit smaller or larger.
fn inside(Interval { low, high }: Interval, default: i64) -> i64 {
    if low <= default && default <= high {
        return default;
    }
    if high == i64::MAX {
        return low.saturating_mul(2);
    }
    if low <= 1 {
        return (high / 2).max(1);
    }
    let middle = (low as f64 * high as f64).sqrt() as i64;
    middle.clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(low: i64, high: i64, weight: f64) -> Opinion {
        Opinion { interval: Interval { low, high }, weight }
    }

    fn agreed(opinions: &[Opinion]) -> (i64, bool) {
        let Agreed { value, disputed } = agree(opinions, 32768);
        (value, disputed)
    }

    #[test]
    fn what_all_want() {
        assert_eq!(agreed(&[]), (32768, false));
        assert_eq!(agreed(&[opinion(1, 50000, 1.0)]), (32768, false));
        assert_eq!(
            agreed(&[opinion(1, 50000, 1.0), opinion(40000, i64::MAX, 2.0)]),
            (44721, false)
        );
        assert_eq!(agreed(&[opinion(40000, i64::MAX, 2.0)]), (80000, false));
        assert_eq!(agreed(&[opinion(1, 100, 2.0), opinion(1, 80, 1.0)]), (40, false));
        assert_eq!(agreed(&[opinion(1, 1, 2.0)]), (1, false));
        assert_eq!(agreed(&[opinion(i64::MAX, i64::MAX, 2.0)]), (i64::MAX, false));
    }

    #[test]
    fn those_for_which_it_matters() {
        let two = [opinion(1, 100, 0.1), opinion(1000, i64::MAX, 2.0)];
        assert_eq!(agreed(&two), (32768, true));
        let two = [opinion(1, 100, 2.0), opinion(1000, i64::MAX, 0.1)];
        assert_eq!(agreed(&two), (50, true));
        // What matters to nobody stays as it is.
        let two = [opinion(1, 100, 0.0), opinion(1000, 2000, 0.0)];
        assert_eq!(agreed(&two), (32768, false));
    }
}
