//! `cargo xtask conformance`: an existing test suite of the language as an outside oracle.
//!
//! The suite is not part of this repository: `DIR` is a checkout of it somewhere else. Each program
//! says in its test block whether it must be accepted or refused; `fehu check` is run on each, and
//! the table says how often we agree. With `--fmt` the formatter is tested on the same programs.

use crate::{fmt_check, process};
use clap::ValueEnum;
use fehu_harness::blocks;
use fehu_harness::run::found;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder of programs.
    dir: PathBuf,
    /// A file with the names of programs, relative to the folder, one per line; by default, all programs.
    #[arg(long)]
    list: Option<PathBuf>,
    /// The compiler to test; by default, the release build of this repository.
    #[arg(long)]
    fehu: Option<PathBuf>,
    /// Which kind of disagreement to list; by default, all.
    #[arg(long, value_enum)]
    show: Option<Verdict>,
    /// Test `fehu fmt` instead: that it is idempotent and preserves the syntax tree.
    #[arg(long)]
    fmt: bool,
    /// How many programs to run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The time limit for each program, in seconds.
    #[arg(long, default_value_t = 10)]
    limit: u64,
}

/// How the result for one program compares with what its block expects.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// As expected.
    Agree,
    /// A valid program is rejected.
    WronglyRejected,
    /// An invalid program is accepted.
    WronglyAccepted,
    /// An invalid program is rejected, but the message does not contain the expected words.
    OtherMessage,
    /// A valid program is accepted, but an expected warning is missing.
    NoWarning,
    /// The compiler failed.
    Crash,
    /// The time limit was reached.
    Timeout,
    /// The program, or its test block, cannot be read.
    Missing,
}

struct Case {
    name: String,
    valid: bool,
    verdict: Verdict,
    /// The first line of the message, or what was expected.
    detail: String,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let fehu = crate::fehu_binary(args.fehu.as_ref());
    let names = match names(args) {
        Ok(names) => names,
        Err(error) => {
            println!("cannot list the programs: {error}");
            return ExitCode::FAILURE;
        }
    };
    let limit = Duration::from_secs(args.limit);
    let cases = in_parallel(args.jobs, &names, |name| {
        let path = args.dir.join(name);
        let Ok(bytes) = std::fs::read(&path) else {
            return case(name, true, Verdict::Missing, "the file cannot be read");
        };
        if args.fmt {
            match fmt_check::check(&fehu, &bytes, limit) {
                Ok(()) => case(name, true, Verdict::Agree, ""),
                Err((verdict, why)) => case(name, true, verdict, &why),
            }
        } else {
            check_program(&fehu, name, &path, &bytes, limit)
        }
    });
    report(&cases, args.show);
    let agree = cases.iter().all(|case| case.verdict == Verdict::Agree);
    ExitCode::from(u8::from(!agree))
}

fn check_program(fehu: &Path, name: &str, path: &Path, bytes: &[u8], limit: Duration) -> Case {
    let test = match blocks::read(&String::from_utf8_lossy(bytes)) {
        Ok(test) => test,
        Err(error) => return case(name, true, Verdict::Missing, &format!("test block, {error}")),
    };
    let valid = test.error.is_none();
    let path = path.display().to_string();
    let finished = match process::run(fehu, &["check", &path], b"", limit) {
        Ok(finished) => finished,
        Err(error) => {
            let why = format!("{} does not run: {error}", fehu.display());
            return case(name, valid, Verdict::Crash, &why);
        }
    };
    let first_line = finished.stderr.lines().next().unwrap_or("").to_owned();
    if finished.timed_out {
        return case(name, valid, Verdict::Timeout, &first_line);
    }
    match (finished.code, test.error) {
        (Some(0), None) => {
            let missing =
                |text: &str| test.warnings.iter().find(|warning| !found(warning, text)).cloned();
            let missing = missing(&finished.stderr)
                .and_then(|_| missing(&(finished.stderr.clone() + &compiled(fehu, &path, limit))));
            match missing {
                None => case(name, valid, Verdict::Agree, ""),
                Some(missing) => case(name, valid, Verdict::NoWarning, &format!("/{missing}/")),
            }
        }
        (Some(0), Some(regex)) => {
            case(name, valid, Verdict::WronglyAccepted, &format!("/{regex}/"))
        }
        (Some(2), None) => case(name, valid, Verdict::WronglyRejected, &first_line),
        (Some(2), Some(regex)) if found(&regex, &finished.stderr) => {
            case(name, valid, Verdict::Agree, "")
        }
        (Some(2), Some(regex)) => {
            case(name, valid, Verdict::OtherMessage, &format!("/{regex}/ not in: {first_line}"))
        }
        (_, _) => case(name, valid, Verdict::Crash, &first_line),
    }
}

/// What the compiler says about a program when it goes further than checking it: some warnings are only known then.
fn compiled(fehu: &Path, path: &str, limit: Duration) -> String {
    let plain: String = path.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = format!("fehu-conformance-{}-{plain}", std::process::id());
    let place = std::env::temp_dir().join(name);
    let name = place.display().to_string();
    let finished = process::run(fehu, &["c", "--library", path, "-o", &name], b"", limit);
    for extension in ["c", "h", "json"] {
        // It may not even have been made.
        let _ = std::fs::remove_file(place.with_extension(extension));
    }
    finished.map_or(String::new(), |finished| finished.stderr)
}

fn case(name: &str, valid: bool, verdict: Verdict, detail: &str) -> Case {
    Case { name: name.to_owned(), valid, verdict, detail: detail.to_owned() }
}

fn report(cases: &[Case], show: Option<Verdict>) {
    for case in cases {
        let listed = match show {
            Some(kind) => case.verdict == kind,
            None => case.verdict != Verdict::Agree,
        };
        if listed {
            println!("{:17} {}: {}", verdict_name(case.verdict), case.name, case.detail);
        }
    }
    let count = |verdicts: &[Verdict], valid: Option<bool>| {
        let fits = |case: &&Case| {
            verdicts.contains(&case.verdict) && valid.is_none_or(|valid| valid == case.valid)
        };
        cases.iter().filter(fits).count()
    };
    let valid = cases.iter().filter(|case| case.valid && case.verdict != Verdict::Missing).count();
    let invalid = cases.iter().filter(|case| !case.valid).count();
    let accepted = count(&[Verdict::Agree, Verdict::NoWarning], Some(true));
    let rejected = count(&[Verdict::Agree, Verdict::OtherMessage], Some(false));
    let worded = count(&[Verdict::Agree], Some(false));
    println!();
    row("valid programs accepted", accepted, valid);
    row("invalid programs rejected", rejected, invalid);
    row("  with the expected words", worded, rejected);
    row("warnings missing", count(&[Verdict::NoWarning], None), valid);
    row("crashes", count(&[Verdict::Crash], None), cases.len());
    row("timeouts", count(&[Verdict::Timeout], None), cases.len());
    row("not readable", count(&[Verdict::Missing], None), cases.len());
}

fn row(what: &str, part: usize, whole: usize) {
    let percent = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    println!("{what:27} {part:6} of {whole:6}  {percent:6.2} %");
}

fn verdict_name(verdict: Verdict) -> String {
    verdict.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// The names of the programs, relative to the folder, sorted if they are not listed.
fn names(args: &Args) -> std::io::Result<Vec<String>> {
    if let Some(list) = &args.list {
        let text = std::fs::read_to_string(list)?;
        let lines = text.lines().map(str::trim);
        return Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect());
    }
    let mut names = Vec::new();
    let mut folders = vec![args.dir.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fut")
                && let Ok(name) = path.strip_prefix(&args.dir)
            {
                names.push(name.display().to_string());
            }
        }
    }
    names.sort();
    Ok(names)
}

/// Applies `work` to all names with a few threads; the results are in the order of the names.
fn in_parallel<T: Send>(jobs: usize, names: &[String], work: impl Fn(&str) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = names.get(index) else { break };
                    let result = work(name);
                    if let Ok(mut results) = results.lock() {
                        results.push((index, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
