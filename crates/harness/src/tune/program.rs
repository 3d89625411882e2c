//! A compiled program that is tuned, behind its server.

use super::class;
use super::search::{Run, Threshold};
use crate::bench::{self, Options};
use crate::blocks::Test;
use crate::case::{self, Arguments};
use crate::executor::Executor;
use crate::executor::compiled::Compiled;
use crate::prepare::{self, Compile};
use fehu_driver::compile::Executable;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A program with its data sets.
pub(super) struct Program<'a> {
    server: Compiled,
    datasets: Vec<Dataset>,
    folder: &'a Path,
    runs: usize,
}

/// One of its data sets.
struct Dataset {
    entry: String,
    name: String,
    input: Arguments,
    /// How long its runs may take.
    limit: Duration,
    /// Whether there was a run already.
    known: bool,
}

/// How much longer than the first runs others may take: what is this much slower is not worth waiting for.
const SLOWER: u32 = 8;
/// What is waited for at least.
const PATIENCE: Duration = Duration::from_secs(1);

impl<'a> Program<'a> {
    /// A program, with the data sets of its test blocks.
    pub(super) fn start(
        path: &'a str,
        test: &Test,
        built: Executable,
        options: &Options,
    ) -> Result<Program<'a>, String> {
        // What was found before does not matter, and might name parameters that are gone. The log makes the program
        // take note of comparisons.
        let mut compile = Compile { tuning: None, ..options.compile.clone() };
        compile.program_options.push("--log".to_owned());
        let mut server = prepare::executor(path, &compile, built)?;
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        let limit = options.timeout.unwrap_or(Duration::MAX);
        let mut datasets = Vec::new();
        for (entry, case) in bench::cases(test, options) {
            let (entry, name) = (entry.clone(), case.name.clone());
            let input = case::read_input(&mut server, folder, &entry, &case.input, options.seed)
                .map_err(|why| format!("the data set \"{name}\" cannot be read: {why}"))?;
            datasets.push(Dataset { entry, name, input, limit, known: false });
        }
        Ok(Program { server, datasets, folder, runs: options.limits.runs.max(1) })
    }

    /// The names of the data sets.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |dataset: &Dataset| match dataset.entry.as_str() {
            "main" => dataset.name.clone(),
            entry => format!("{entry}: {}", dataset.name),
        };
        self.datasets.iter().map(name).collect()
    }

    /// The thresholds that matter to entry points with data sets, and the names of all parameters.
    pub(super) fn thresholds(&mut self) -> Result<(Vec<Threshold>, Vec<String>), String> {
        let told = |error: crate::executor::Failure| error.to_string();
        let (mut params, mut used) = (BTreeMap::new(), BTreeMap::new());
        for entry in self.server.command(&["entry_points"]).map_err(told)? {
            let is_used = self.datasets.iter().any(|dataset| dataset.entry == entry);
            for line in self.server.command(&["tuning_params", &entry]).map_err(told)? {
                let Some((name, class)) = line.split_once(' ') else { continue };
                params.insert(name.to_owned(), class.to_owned());
                if is_used {
                    used.insert(name.to_owned(), class.to_owned());
                }
            }
        }
        Ok((class::thresholds(&used), params.into_keys().collect()))
    }

    /// Runs a data set with values of thresholds: once without counting, and then some times, of which the median counts.
    pub(super) fn run(&mut self, thresholds: &[Threshold], dataset: usize, values: &[i64]) -> Run {
        let time = self.measure(thresholds, dataset, values);
        // A program that failed still knows what it has compared; one that was stopped does not.
        let report = match self.server.is_running() {
            true => self.server.command(&["report"]).unwrap_or_default().join("\n"),
            false => String::new(),
        };
        Run { time, compared: compared(thresholds, &report) }
    }

    fn measure(
        &mut self,
        thresholds: &[Threshold],
        dataset: usize,
        values: &[i64],
    ) -> Result<f64, String> {
        let Program { server, datasets, folder, runs } = self;
        let told = |error: crate::executor::Failure| error.to_string();
        let dataset = datasets.get_mut(dataset).ok_or("there is no such data set")?;
        // Starting a server may take longer than runs do, so it is done before the clock starts.
        server.command(&["clear"]).map_err(told)?;
        for (threshold, value) in thresholds.iter().zip(values) {
            let value = value.to_string();
            server.command(&["set_tuning_param", &threshold.name, &value]).map_err(told)?;
        }
        let begin = Instant::now();
        server.begin(dataset.limit);
        let mut measure = || -> Result<f64, String> {
            let args = bench::arguments(server, folder, &dataset.entry, &dataset.input)?;
            let kept = server.count();
            let mut times = Vec::new();
            for _ in 0..=*runs {
                times.push(server.timed(&dataset.entry, &args).map_err(told)?.microseconds);
                server.forget(kept);
            }
            let mut times = times.split_off(1);
            times.sort_unstable();
            let (low, high) = (times[(times.len() - 1) / 2], times[times.len() / 2]);
            Ok((low as f64 + high as f64) / 2.0)
        };
        let time = measure();
        server.end();
        if time.is_ok() && !dataset.known {
            dataset.known = true;
            let limit = begin.elapsed().saturating_mul(SLOWER).max(PATIENCE);
            dataset.limit = dataset.limit.min(limit);
        }
        time
    }
}

/// What a report says about comparisons of thresholds.
fn compared(thresholds: &[Threshold], report: &str) -> Vec<(usize, i64)> {
    let report: serde_json::Value = serde_json::from_str(report).unwrap_or_default();
    let pairs = report["compared"].as_array().into_iter().flatten();
    let pair = |pair: &serde_json::Value| {
        let (name, value) = (pair[0].as_str()?, pair[1].as_i64()?);
        let index = thresholds.iter().position(|threshold| threshold.name == name)?;
        Some((index, value))
    };
    pairs.filter_map(pair).collect()
}
