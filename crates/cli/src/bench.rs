//! `fehu bench` and `fehu benchcmp`: how long programs take, and what changed.

use crate::args::suites::{BenchArgs, BenchOrder, BenchSort, BenchcmpArgs};
use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use crate::progress::{self, Ticker};
use crate::run::wrong;
use fehu_base::render::Style;
use fehu_driver::foreign::Calls;
use fehu_driver::save::save;
use fehu_harness::bench::compare::{self, Change, Compared, SortBy};
use fehu_harness::bench::measure::{Limits, Progress, floats};
use fehu_harness::bench::statistics::{confidence, geometric_mean, mean};
use fehu_harness::bench::{self, Group, Measured, Options, Ready, Watch, json};
use fehu_harness::prepare::Compile;
use fehu_harness::suite;
use regex_lite::Regex;
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// `fehu bench`
pub(crate) fn bench(args: &BenchArgs) -> u8 {
    if args.profile && args.json.is_none() {
        return wrong("`--profile` needs `--json FILE`: the profile is written to that file");
    }
    let before = match args.compare.as_deref().map(read).transpose() {
        Ok(before) => before,
        Err(error) => return wrong(&error),
    };
    let paths = match paths(args) {
        Ok(paths) => paths,
        Err(error) => return wrong(&error),
    };
    let options = match options(args) {
        Ok(options) => options,
        Err(error) => return wrong(&error),
    };
    let what = match paths.as_slice() {
        [path] => format!("compiling {path}"),
        paths => format!("compiling {} programs", paths.len()),
    };
    let programs = match progress::during(&what, || prepare(args, &paths, &options)) {
        Ok(programs) => programs,
        Err(error) => return wrong(&error),
    };
    if programs.is_empty() {
        return wrong(
            "none of the programs has a case to measure; cases are comments such as `-- ==` and then \
             `-- random input { [1000]f32 }` before an entry point",
        );
    }
    let screen = Screen::new(args.verbose > 0);
    let mut groups: Vec<Group> = Vec::new();
    for program in programs {
        groups.extend(bench::run(program, &options, &screen));
    }
    let left_out = screen.left_out.take();
    drop(screen);
    if let (Some(limit), [_, ..]) = (args.total_limit, left_out.as_slice()) {
        output::stderr(&format!(
            "not measured, because the {limit} s of `--total-limit` were over: {}\n",
            left_out.join(", ")
        ));
    }
    let failed = groups.iter().any(|group| group.datasets.iter().any(|(_, r)| r.is_err()));
    if let Some(file) = &args.json
        && let Err(error) = save(file, json::write(&groups))
    {
        return wrong(&format!("cannot write \"{file}\": {error}"));
    }
    if let Some(before) = before {
        let compared = compare::compare(&before, &groups);
        output::stdout(&format!("\n{}", table(&compared, output::stdout_style(args.color))));
    }
    if failed { FAILURE } else { SUCCESS }
}

/// `fehu benchcmp`
pub(crate) fn benchcmp(args: &BenchcmpArgs) -> u8 {
    let (before, after) = match (read(&args.before), read(&args.after)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return wrong(&error),
    };
    let mut compared = compare::compare(&before, &after);
    let by = match args.sort_by {
        None => SortBy::Name,
        Some(BenchSort::Significant) => SortBy::Significant,
        Some(BenchSort::GeomeanSignificant) => SortBy::GeomeanSignificant,
        Some(BenchSort::GeomeanAll) => SortBy::GeomeanAll,
    };
    compare::sort(&mut compared, by, args.order == BenchOrder::BestFirst);
    output::stdout(&table(&compared, output::stdout_style(args.color)));
    SUCCESS
}

fn read(file: &str) -> Result<Vec<Group>, String> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("cannot read \"{file}\": {error}"))?;
    json::read(&text).map_err(|error| format!("\"{file}\": {error}"))
}

fn paths(args: &BenchArgs) -> Result<Vec<String>, String> {
    let ignored: Vec<Regex> = args
        .ignore_files
        .iter()
        .map(|text| Regex::new(text).map_err(|error| format!("`{text}`: {error}")))
        .collect::<Result<_, _>>()?;
    let paths = suite::programs(&args.paths);
    let mut paths = paths.map_err(|error| format!("cannot list the programs: {error}"))?;
    paths.retain(|path| !ignored.iter().any(|regex| regex.is_match(path)));
    if paths.is_empty() {
        return Err("nothing to measure: give programs or folders".to_owned());
    }
    Ok(paths)
}

fn options(args: &BenchArgs) -> Result<Options, String> {
    let server = &args.server;
    let foreign = server.foreign.read(Calls::Symbols).map_err(|error| error.message)?;
    let compile = Compile {
        futhark: server.futhark.clone(),
        compiler_options: server.pass_compiler_option.clone(),
        floats: server.floats.choice(),
        foreign,
        skip_compilation: args.skip_compilation,
        runner: server.runner.clone().filter(|runner| !runner.is_empty()),
        program_options: server.pass_option.clone(),
        tuning: server.tuning_extension(),
        cache_files: server.cache_extension.clone(),
        profiled: args.profile,
        ..Compile::new(args.backend.target())
    };
    let limits = Limits {
        runs: args.runs.max(1),
        converge: !args.no_convergence_phase,
        most: Duration::from_secs(args.convergence_max_seconds),
        deadline: args
            .total_limit
            .and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds))),
        ..Limits::default()
    };
    Ok(Options {
        compile,
        limits,
        timeout: u64::try_from(args.timeout).ok().map(Duration::from_secs),
        entry: args.entry.clone(),
        exclude: args.exclude_case.clone(),
        spec: args.spec_file.clone(),
        seed: args.seed,
        profile: args.profile,
    })
}

/// Compiles all programs, several at the same time. The first that cannot be compiled ends it all.
fn prepare(args: &BenchArgs, paths: &[String], options: &Options) -> Result<Vec<Ready>, String> {
    let jobs = args
        .concurrency
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let ready = suite::parallel(paths, jobs, |path| {
        if args.verbose > 0 {
            output::stderr(&format!("compiling {path}\n"));
        }
        bench::ready(path, options).map_err(|why| format!("{path}: {why}"))
    });
    let ready = ready.into_iter().collect::<Result<Vec<_>, String>>()?;
    Ok(ready.into_iter().flatten().collect())
}

/// What people see while it goes on.
struct Screen {
    terminal: bool,
    verbose: bool,
    /// When the bar was drawn last.
    drawn: Cell<Option<Instant>>,
    /// Draws while no bar is drawn.
    ticker: Ticker,
    /// The cases that there was no time for.
    left_out: Cell<Vec<String>>,
}

/// How often the bar moves.
const FRAME: Duration = Duration::from_millis(100);
/// How many characters the bar has.
const BAR: usize = 20;

impl Screen {
    fn new(verbose: bool) -> Screen {
        let terminal = std::io::stderr().is_terminal();
        let (drawn, left_out) = Default::default();
        Screen { terminal, verbose, drawn, ticker: Ticker::start(""), left_out }
    }
}

impl Watch for Screen {
    fn warning(&self, path: &str, text: &str) {
        output::stderr(&format!("{path}: warning: {text}\n"));
    }

    fn group(&self, name: &str) {
        output::stdout(&format!("{name}:\n"));
    }

    fn begin(&self, dataset: &str) {
        self.ticker.say(&format!("  {dataset}: running"));
        if self.verbose {
            output::stderr(&format!("measuring {dataset}\n"));
        }
    }

    fn left_out(&self, group: &str, dataset: &str) {
        let mut all = self.left_out.take();
        all.push(format!("{group} {dataset}"));
        self.left_out.set(all);
    }

    fn step(&self, dataset: &str, progress: &Progress) {
        self.ticker.say(&format!("  {dataset}: running"));
        let due = self.drawn.get().is_none_or(|drawn| drawn.elapsed() >= FRAME);
        if !self.terminal || !due {
            return;
        }
        self.drawn.set(Some(Instant::now()));
        let full = (progress.part * BAR as f64) as usize;
        let bar: String = (0..BAR).map(|i| if i < full { '#' } else { ' ' }).collect();
        let phase = if progress.converging { ", converging" } else { "" };
        output::stderr(&format!(
            "\r\x1b[K  {dataset} [{bar}] {} runs, {}{phase}",
            progress.runs,
            time(progress.mean)
        ));
    }

    fn dataset(&self, dataset: &str, result: &Result<Measured, String>) {
        self.ticker.say("");
        if self.terminal {
            output::stderr("\r\x1b[K");
        }
        output::stdout(&match result {
            Ok(measured) => {
                let samples = floats(&measured.runtimes);
                let (low, high) = confidence(&samples);
                let memory: u64 = measured.bytes.iter().map(|(_, bytes)| bytes).sum();
                format!(
                    "  {dataset:<30} {:>12} (95% CI: [{}, {}]; {} runs; {:.1} MiB)\n",
                    time(mean(&samples)),
                    time(low),
                    time(high),
                    samples.len(),
                    memory as f64 / f64::from(1 << 20)
                )
            }
            Err(why) => format!("  {dataset:<30} failed: {}\n", why.replace('\n', "\n    ")),
        });
    }
}

/// Microseconds as people read them.
pub(crate) fn time(microseconds: f64) -> String {
    match microseconds {
        us if us < 9_999.5 => format!("{us:.1} µs"),
        us if us < 9_999_500.0 => format!("{:.2} ms", us / 1e3),
        us => format!("{:.2} s", us / 1e6),
    }
}

fn table(groups: &[Compared], style: Style) -> String {
    let painted = |change: Change, text: String| match (style, change) {
        (Style::Coloured, Change::Faster) => format!("\x1b[32m{text}\x1b[0m"),
        (Style::Coloured, Change::Slower) => format!("\x1b[31m{text}\x1b[0m"),
        (Style::Coloured | Style::Plain, _) => text,
    };
    let mut text = String::new();
    for group in groups {
        text.push_str(&format!("{}\n", group.name));
        for row in &group.rows {
            let verdict = match row.change {
                Change::Faster => "faster",
                Change::Slower => "slower",
                Change::Noise => "within noise",
            };
            let line = format!(
                "  {:<30} {:>12} {:>12} {:>8.2}x  {verdict}",
                row.dataset,
                time(row.before),
                time(row.after),
                row.speedup
            );
            text.push_str(&painted(row.change, line));
            text.push('\n');
        }
        for (dataset, why) in &group.missing {
            text.push_str(&format!("  {dataset:<30} {why}\n"));
        }
    }
    let rows: Vec<_> = groups.iter().flat_map(|group| &group.rows).collect();
    let count = |change| rows.iter().filter(|row| row.change == change).count();
    let missing: usize = groups.iter().map(|group| group.missing.len()).sum();
    if rows.is_empty() {
        text.push_str("nothing to compare\n");
        return text;
    }
    let speedups: Vec<f64> = rows.iter().map(|row| row.speedup).collect();
    text.push_str(&format!(
        "{} faster, {} slower, {} within noise, {missing} not compared; geometric mean {:.2}x\n",
        count(Change::Faster),
        count(Change::Slower),
        count(Change::Noise),
        geometric_mean(&speedups)
    ));
    text
}
