//! Means of measurements, and how far they can be trusted.

use fehu_data::generate::Rng;

/// The mean.
pub fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len().max(1) as f64
}

/// The standard deviation of the samples.
pub fn deviation(samples: &[f64]) -> f64 {
    if samples.len() < 2 {
        return 0.0;
    }
    let mean = mean(samples);
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (squares / (samples.len() - 1) as f64).sqrt()
}

/// The standard error of the mean, relative to the mean.
pub fn relative_error(samples: &[f64]) -> f64 {
    let mean = mean(samples);
    match mean > 0.0 {
        true => deviation(samples) / (samples.len().max(1) as f64).sqrt() / mean,
        false => 0.0,
    }
}

/// How much a sample resembles the one before it, from -1 to 1: runs that influence each other are worth less.
pub fn autocorrelation(samples: &[f64]) -> f64 {
    let mean = mean(samples);
    let variance: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let pairs = samples.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean));
    match variance > 0.0 {
        true => pairs.sum::<f64>() / variance,
        false => 0.0,
    }
}

/// The autocorrelations from which on the relative error has to be so small, the strictest first.
const ROBUST: [(f64, f64); 5] =
    [(0.95, 0.0010), (0.75, 0.0015), (0.65, 0.0025), (0.45, 0.0050), (0.0, 0.0100)];

/// Times below this, in microseconds, need not be known better than this one: programs count whole microseconds.
const COARSE: f64 = 10.0;

/// Whether there are enough samples, in microseconds: the more they hang together, the smaller the error has to be.
pub fn is_robust(samples: &[f64]) -> bool {
    let correlation = autocorrelation(samples).max(0.0);
    let error = relative_error(samples) * (mean(samples) / COARSE).min(1.0);
    let row = ROBUST.iter().find(|(least, _)| correlation >= *least);
    row.is_some_and(|(_, most)| error < *most)
}

/// How many means the confidence interval is made of.
const RESAMPLES: usize = 1000;
/// The most random numbers that are drawn for one interval; more samples make fewer means, of less spread.
const DRAWS: usize = 2_000_000;

/// The interval in which the mean lies in 95 of 100 cases, by bootstrap: the means of random choices from the
/// samples, always the same choices.
pub fn confidence(samples: &[f64]) -> (f64, f64) {
    let count = samples.len();
    if count < 2 {
        let mean = mean(samples);
        return (mean, mean);
    }
    let resamples = (DRAWS / count).clamp(100, RESAMPLES);
    let mut rng = Rng::new(count as u64);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| {
            let chosen = (0..count).map(|_| samples[rng.up_to(count as u64 - 1) as usize]);
            chosen.sum::<f64>() / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |part: f64| means[((resamples - 1) as f64 * part).round() as usize];
    (at(0.025), at(0.975))
}

/// The geometric mean.
pub fn geometric_mean(samples: &[f64]) -> f64 {
    mean(&samples.iter().map(|sample| sample.ln()).collect::<Vec<_>>()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let samples = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&samples), 5.0);
        assert!((deviation(&samples) - 2.138).abs() < 0.001);
        assert!((relative_error(&samples) - 2.138 / 8_f64.sqrt() / 5.0).abs() < 0.001);
        assert!((geometric_mean(&[1.0, 4.0]) - 2.0).abs() < 1e-12);
        assert_eq!(autocorrelation(&[1.0, 1.0, 1.0]), 0.0);
        assert!(autocorrelation(&[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]) < -0.7);
        let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
        assert!(autocorrelation(&ramp) > 0.99);
    }

    #[test]
    fn what_hangs_together_has_to_be_more_exact() {
        // The same values, mixed and in order.
        let mixed: Vec<f64> = (0..200).map(|i| 1000.0 + f64::from(i * 77 % 200)).collect();
        let mut sorted = mixed.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(is_robust(&mixed) && !is_robust(&sorted));
        assert!(is_robust(&[5.0; 10]));
        assert!(!is_robust(&[100.0, 900.0, 100.0, 300.0]));
        // A program of less than a microsecond takes none or one.
        assert!(is_robust(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn the_interval_has_the_mean_and_is_always_the_same() {
        let samples: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 100)).collect();
        let (low, high) = confidence(&samples);
        assert!(low < 49.5 && 49.5 < high, "{low} {high}");
        // The standard error is 2.9, so the interval is about 11.4 wide.
        assert!((9.0..14.0).contains(&(high - low)), "{low} {high}");
        assert_eq!(confidence(&samples), (low, high));
        assert_eq!(confidence(&[3.0]), (3.0, 3.0));
    }
}
