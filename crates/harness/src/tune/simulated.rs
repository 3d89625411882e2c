//! The search, tried on programs that are only simulated, so that the best thresholds are known.

use super::search::{Found, Run, Subject, Threshold, Wants, search};

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn threshold(name: &str, default: i64, wants: Wants, path: &[(usize, bool)]) -> Threshold {
    Threshold { name: name.to_owned(), default, wants, path: path.to_vec() }
}

/// One threshold; each data set has numbers, with what the guarded version and the other one cost for them.
struct Single {
    wants: Wants,
    datasets: Vec<Vec<(i64, f64, f64)>>,
}

impl Subject for Single {
    fn run(&mut self, dataset: usize, values: &[i64]) -> Run {
        let mut time = 10.0;
        for &(number, guarded, other) in &self.datasets[dataset] {
            let succeeds = match self.wants {
                Wants::AtLeast => number >= values[0],
                Wants::AtMost => number <= values[0],
            };
            time += if succeeds { guarded } else { other };
        }
        let compared = self.datasets[dataset].iter().map(|(number, ..)| (0, *number)).collect();
        Run { time: Ok(time), compared }
    }
}

impl Single {
    /// Numbers at which a version becomes the better one, whatever the data set.
    fn random(random: &mut Random) -> Single {
        let wants = if random.below(2) == 0 { Wants::AtLeast } else { Wants::AtMost };
        let turn = random.below(1000) as i64;
        let count = random.below(3) + 1;
        let mut dataset = || {
            let mut numbers: Vec<i64> =
                (0..random.below(40) + 1).map(|_| random.below(1000) as i64 + 2).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let cost = |number: i64| {
                let pays = (wants == Wants::AtLeast) == (number >= turn);
                let (less, more) = (random.below(50) as f64, random.below(50) as f64 + 51.0);
                if pays { (number, less, more) } else { (number, more, less) }
            };
            numbers.into_iter().map(cost).collect()
        };
        let datasets = (0..count).map(|_| dataset()).collect();
        Single { wants, datasets }
    }

    fn total(&mut self, value: i64) -> f64 {
        (0..self.datasets.len()).filter_map(|d| self.run(d, &[value]).time.ok()).sum()
    }

    fn search(&mut self) -> Found {
        let thresholds = [threshold("t", 300, self.wants, &[])];
        search(&thresholds, self.datasets.len(), self)
    }
}

#[test]
fn the_best_threshold_is_found_if_there_is_one() {
    for seed in 0..800 {
        let mut single = Single::random(&mut Random(seed));
        let found = single.search();
        let best = (1..1005).map(|value| single.total(value)).fold(f64::INFINITY, f64::min);
        // What is a little faster than the default is not worth it.
        let got = single.total(found.values[0]);
        assert!(got <= best * 1.021, "seed {seed}: {got} instead of {best}, {found:?}");
        let most: usize = single.datasets.iter().map(|set| runs(set.len())).sum();
        assert!(found.runs <= most, "seed {seed}: {} runs instead of {most}", found.runs);
    }
}

/// The most runs with a data set: with the defaults, with another value that does the same, without any guarded version, of
/// the search, and with what was found.
fn runs(numbers: usize) -> usize {
    4 + (1.4405 * (numbers as f64 + 1.0).log2()).ceil() as usize
}

#[test]
fn every_place_of_the_least_time_is_found() {
    for places in 1..60 {
        for least in 0..places {
            let mut best = (f64::INFINITY, 0);
            let mut calls = Vec::new();
            super::search::fibonacci(places, &mut |place| {
                let time = place.abs_diff(least) as f64;
                if time < best.0 {
                    best = (time, place);
                }
                if !calls.contains(&place) {
                    calls.push(place);
                }
                time
            });
            assert_eq!(best.1, least, "{places} places");
            assert!(calls.len() <= runs(places), "{places} places: {calls:?}");
        }
    }
}

#[test]
fn places_that_fail_are_left() {
    for places in 2..40 {
        for works in 0..places {
            // Either what is below fails, or what is above.
            for below in [true, false] {
                let time =
                    |place: usize| match (below && place < works) || (!below && place > works) {
                        true => f64::INFINITY,
                        false => place.abs_diff(works) as f64,
                    };
                let mut best = (f64::INFINITY, 0);
                super::search::fibonacci(places, &mut |place| {
                    if time(place) < best.0 {
                        best = (time(place), place);
                    }
                    time(place)
                });
                assert_eq!(best.1, works, "{places} places, below {below}");
            }
        }
    }
}

/// Maps of maps and scans on a device: a thread, a block or all threads for each of the `n` rows of `m` elements. The
/// data sets are pairs of these, as many as there are iterations of a loop.
struct Device {
    datasets: Vec<Vec<(i64, i64)>>,
    noise: Option<Random>,
}

/// How many threads there are.
const THREADS: f64 = 10000.0;

impl Device {
    fn thresholds() -> [Threshold; 2] {
        let outer = threshold("main.suff_outer_par_0", 32768, Wants::AtLeast, &[]);
        [outer, threshold("main.suff_intra_par_1", 2048, Wants::AtMost, &[(0, false)])]
    }

    fn time(&self, dataset: usize, values: &[i64]) -> Result<f64, String> {
        let mut time = 0.0;
        for &(n, m) in &self.datasets[dataset] {
            let (rows, columns) = (n as f64, m as f64);
            time += if n >= values[0] {
                10.0 + columns * (rows / THREADS).max(1.0)
            } else if m <= values[1] {
                if m > 8192 {
                    return Err("not enough shared memory".to_owned());
                }
                10.0 + (rows / 100.0).max(1.0) * (5.0 + columns / 100.0)
            } else {
                300.0 + 3.0 * (rows * columns / THREADS).max(1.0)
            };
        }
        Ok(time)
    }

    fn total(&self, values: &[i64]) -> f64 {
        (0..self.datasets.len())
            .map(|dataset| self.time(dataset, values).unwrap_or(f64::INFINITY).ln())
            .sum()
    }

    fn search(&mut self) -> Found {
        let count = self.datasets.len();
        search(&Device::thresholds(), count, self)
    }

    /// How much slower thresholds are than the best ones, as a factor for each data set.
    fn loss(&self, values: &[i64]) -> f64 {
        let all = |number: fn(&(i64, i64)) -> i64| {
            let numbers = self.datasets.iter().flatten().map(number);
            numbers.flat_map(|n| [n, n + 1]).chain([1]).collect::<Vec<i64>>()
        };
        let mut best = f64::INFINITY;
        for outer in all(|instance| instance.0) {
            for intra in all(|instance| instance.1) {
                best = best.min(self.total(&[outer, intra]));
            }
        }
        ((self.total(values) - best) / self.datasets.len() as f64).exp()
    }
}

impl Subject for Device {
    fn run(&mut self, dataset: usize, values: &[i64]) -> Run {
        let mut time = self.time(dataset, values);
        if let (Ok(time), Some(random)) = (&mut time, &mut self.noise) {
            *time *= 1.0 + random.below(1000) as f64 / 20000.0;
        }
        let mut compared = Vec::new();
        for &(n, m) in &self.datasets[dataset] {
            compared.push((0, n));
            if n < values[0] {
                compared.push((1, m));
                if m <= values[1] && m > 8192 {
                    break;
                }
            }
        }
        Run { time, compared }
    }
}

#[test]
fn versions_for_their_data() {
    let datasets = vec![vec![(100_000, 50)], vec![(50, 1000)], vec![(4, 1_000_000)]];
    let mut device = Device { datasets, noise: None };
    let found = device.search();
    // The defaults are right for all of them.
    assert_eq!(found.values, [32768, 2048]);
    assert_eq!((found.tested, found.disputed, found.reverted), (vec![true, true], vec![], false));
    let mut device = Device { datasets: vec![vec![(8000, 20)], vec![(2000, 6000)]], noise: None };
    let found = device.search();
    assert!((2001..=8000).contains(&found.values[0]), "{found:?}");
    assert!(device.loss(&found.values) < 1.02, "{found:?}");
    // It is the same every time.
    assert_eq!(device.search(), found);
}

#[test]
fn a_version_that_fails_is_avoided() {
    let thresholds = [threshold("t", 100_000, Wants::AtMost, &[])];
    let mut device = Device { datasets: vec![vec![(50, 20_000)], vec![(60, 7000)]], noise: None };
    struct Inner<'a>(&'a mut Device);
    impl Subject for Inner<'_> {
        fn run(&mut self, dataset: usize, values: &[i64]) -> Run {
            let run = self.0.run(dataset, &[i64::MAX, values[0]]);
            let inner = run.compared.iter().filter(|(i, _)| *i == 1).map(|(_, n)| (0, *n));
            Run { time: run.time, compared: inner.collect() }
        }
    }
    let found = search(&thresholds, 2, &mut Inner(&mut device));
    assert!(found.before[0].is_err() && found.after.iter().all(Result::is_ok), "{found:?}");
    assert!((7000..20_000).contains(&found.values[0]), "{found:?}");
}

#[test]
fn loops_with_many_sizes_and_noise() {
    let mut random = Random(5);
    let mut worst: f64 = 1.0;
    for seed in 0..200 {
        let mut instances = |count: u64| -> Vec<(i64, i64)> {
            (0..count).map(|_| (1 << random.below(18), 1 << random.below(13))).collect()
        };
        let datasets = vec![instances(12), instances(1), instances(3)];
        let mut device = Device { datasets, noise: None };
        let exact = device.search();
        let before = device.loss(&[32768, 2048]);
        let after = device.loss(&exact.values);
        assert!(after <= before + 1e-9, "seed {seed}: {before} {after} {exact:?}");
        device.noise = Some(Random(seed));
        let noisy = device.search();
        worst = worst.max(device.loss(&noisy.values) / after);
        // Noise decides where little is at stake; it can never cost more than it is.
        assert!(device.loss(&noisy.values) <= before * 1.06, "seed {seed}: {noisy:?}");
    }
    assert!(worst < 1.5, "{worst}");
}

#[test]
fn tests_that_have_to_succeed_first() {
    // The second threshold is tested where the first test has succeeded.
    struct Nested;
    impl Subject for Nested {
        fn run(&mut self, _: usize, values: &[i64]) -> Run {
            let mut compared = vec![(0, 500)];
            let mut time = 100.0;
            if 500 >= values[0] {
                compared.push((1, 40));
                time = if 40 >= values[1] { 20.0 } else { 300.0 };
            }
            Run { time: Ok(time), compared }
        }
    }
    let thresholds = [
        threshold("a", 1000, Wants::AtLeast, &[]),
        threshold("b", 1000, Wants::AtLeast, &[(0, true)]),
    ];
    let found = search(&thresholds, 1, &mut Nested);
    assert!(found.values[0] <= 500 && found.values[1] <= 40, "{found:?}");
    assert_eq!((&found.before, &found.after), (&vec![Ok(100.0)], &vec![Ok(20.0)]));
}

#[test]
fn nothing_is_known_of_what_is_not_tested() {
    struct Idle;
    impl Subject for Idle {
        fn run(&mut self, _: usize, _: &[i64]) -> Run {
            Run { time: Ok(1.0), compared: Vec::new() }
        }
    }
    let found = search(&[threshold("a", 7, Wants::AtLeast, &[])], 2, &mut Idle);
    assert_eq!((found.values, found.tested), (vec![7], vec![false]));
}
