//! `fehu autotune`: finds the thresholds with which programs are fastest, and writes them to files.

use crate::args::suites::AutotuneArgs;
use crate::bench::time;
use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use crate::run::wrong;
use fehu_driver::foreign::Calls;
use fehu_driver::save::save;
use fehu_harness::bench::Options;
use fehu_harness::bench::measure::Limits;
use fehu_harness::prepare::Compile;
use fehu_harness::tune::search::{Threshold, Wants};
use fehu_harness::tune::{self, Step, Tuned, file};
use std::time::Duration;

/// `fehu autotune`
pub(crate) fn autotune(args: &AutotuneArgs) -> u8 {
    let options = match options(args) {
        Ok(options) => options,
        Err(why) => return wrong(&why),
    };
    let mut code = SUCCESS;
    for path in &args.programs {
        if let Err(why) = program(path, args, &options) {
            output::stderr(&format!("fehu: {path}: {why}\n"));
            code = FAILURE;
        }
    }
    code
}

fn options(args: &AutotuneArgs) -> Result<Options, String> {
    let foreign = args.foreign.read(Calls::Symbols).map_err(|error| error.message)?;
    let compile = Compile {
        futhark: args.futhark.clone(),
        floats: args.floats.choice(),
        foreign,
        skip_compilation: args.skip_compilation,
        runner: args.runner.clone().filter(|runner| !runner.is_empty()),
        program_options: args.pass_option.clone(),
        ..Compile::new(args.backend.target())
    };
    Ok(Options {
        compile,
        limits: Limits { runs: args.runs.max(1), ..Limits::default() },
        timeout: u64::try_from(args.timeout).ok().map(Duration::from_secs),
        entry: args.entry.clone(),
        exclude: args.exclude_case.clone(),
        spec: args.spec_file.clone(),
        seed: args.seed,
        profile: false,
    })
}

fn program(path: &str, args: &AutotuneArgs, options: &Options) -> Result<(), String> {
    output::stdout(&format!("{path}:\n"));
    let mut watch = |step: &Step<'_>| {
        if args.verbose > 0 {
            output::stderr(&trial(step, args.verbose > 1));
        }
    };
    let tuned = tune::tune(path, options, &mut watch)?;
    output::stdout(&table(&tuned));
    let name = format!("{path}.{}", args.tuning);
    let before = match std::fs::read_to_string(&name) {
        Ok(before) => before,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(why) => return Err(format!("cannot read \"{name}\": {why}")),
    };
    save(&name, file::text(&tuned, &before))
        .map_err(|why| format!("cannot write \"{name}\": {why}"))?;
    output::stdout(&format!("  wrote {name} after {} trials\n", tuned.found.runs));
    Ok(())
}

/// A line about a trial.
fn trial(step: &Step<'_>, compared: bool) -> String {
    let result = shown(&step.run.time);
    let mut text = format!("  {}: {result} with", step.dataset);
    for (threshold, value) in step.thresholds.iter().zip(step.values) {
        text.push_str(&format!(" {}={}", threshold.name, number(*value)));
    }
    text.push('\n');
    for (index, value) in step.run.compared.iter().filter(|_| compared) {
        let name = step.thresholds.get(*index).map_or("", |threshold| &threshold.name);
        text.push_str(&format!("    {name} was compared with {value}\n"));
    }
    text
}

/// What was found, and what it is good for.
fn table(tuned: &Tuned) -> String {
    let Tuned { thresholds, datasets, found, .. } = tuned;
    let width = thresholds.iter().map(|t| t.name.len()).max().unwrap_or(0).max(9);
    let mut text = format!("  {:<width$} {:>20} {:>12}\n", "threshold", "value", "default");
    for (i, threshold) in thresholds.iter().enumerate() {
        let note = match (found.tested.get(i), found.disputed.contains(&i)) {
            (Some(false), _) => "  no data set depends on it",
            (_, true) => "  the data sets disagree",
            (_, false) => "",
        };
        let value = found.values.get(i).copied().unwrap_or(threshold.default);
        text.push_str(&format!(
            "  {:<width$} {:>20} {:>12}{note}\n",
            threshold.name,
            bound(threshold, value),
            bound(threshold, threshold.default)
        ));
    }
    text.push_str(&format!(
        "  {:<30} {:>12} {:>12} {:>9}\n",
        "data set", "before", "after", "speedup"
    ));
    for ((dataset, before), after) in datasets.iter().zip(&found.before).zip(&found.after) {
        let (speedup, warning) = match (before, after) {
            (Ok(before), Ok(after)) => {
                let slower = *after > before * SLOWER;
                let warning = if slower { "  warning: slower than before" } else { "" };
                (format!("{:.2}x", before.max(1e-3) / after.max(1e-3)), warning)
            }
            (Ok(_), Err(_)) => (String::new(), "  warning: now fails"),
            (Err(_), _) => (String::new(), ""),
        };
        let [before, after] = [before, after].map(shown);
        text.push_str(&format!("  {dataset:<30} {before:>12} {after:>12} {speedup:>9}{warning}\n"));
    }
    if found.reverted {
        text.push_str(
            "  the best thresholds found were slower overall, so the defaults are kept\n",
        );
    }
    text
}

/// What is slower by this factor is worth a warning.
const SLOWER: f64 = 1.05;

/// A threshold as a condition for the version that it guards.
fn bound(threshold: &Threshold, value: i64) -> String {
    match threshold.wants {
        Wants::AtLeast => format!(">= {}", number(value)),
        Wants::AtMost => format!("<= {}", number(value)),
    }
}

fn number(value: i64) -> String {
    if value == i64::MAX { "max".to_owned() } else { value.to_string() }
}

fn shown(result: &Result<f64, String>) -> String {
    match result {
        Ok(microseconds) => time(*microseconds),
        Err(why) => format!("failed ({})", why.lines().next().unwrap_or_default()),
    }
}
