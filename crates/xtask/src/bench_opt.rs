//! `cargo xtask bench-opt`: how long the way from source to optimised IR takes, and what is left at its end.
//!
//! Takes a folder of programs, or programs, or makes its own with `--generated`. Every program with an entry point
//! is a row: the times of all stages, and what it consists of before and after the default pipeline. What is wrong
//! is said after the rows: programs that are refused, that a stage fails on, or that take longer than the limit.

mod generated;
mod measure;
mod table;

use fehu_driver::load::Root;
use measure::{Measured, Verdict, measure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Programs, or folders of which all programs with an entry point are measured.
    paths: Vec<PathBuf>,
    /// Measure generated programs of up to 50,000 statements instead.
    #[arg(long, conflicts_with = "paths")]
    generated: bool,
    /// How often each program is translated; the shortest time counts.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Programs that take longer than this many milliseconds are flagged.
    #[arg(long)]
    limit: Option<u64>,
    /// Call the functions of each program this many times with random arguments, before and after the passes, and
    /// compare the results.
    #[arg(long, default_value_t = 0)]
    agree: usize,
    /// Print which program is being measured, in case one does not terminate.
    #[arg(long)]
    progress: bool,
}

/// From source to optimised IR, for a program that somebody wrote and for a generated one.
const LIMIT: u64 = 1_000;
const GENERATED_LIMIT: u64 = 10_000;

pub(crate) fn run(args: &Args) -> ExitCode {
    let mut rows = Vec::new();
    if args.generated {
        for (name, text) in generated::programs() {
            progress(args, &name);
            let root = Root::Bytes("program.fut".to_owned(), text.into_bytes());
            rows.push(best(args, name, &root));
        }
    } else {
        let mut files = BTreeSet::new();
        for path in &args.paths {
            if let Err(error) = find(path, &mut files) {
                println!("{}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        }
        for file in files {
            let name = file.display().to_string();
            progress(args, &name);
            rows.push(best(args, name.clone(), &Root::Path(name)));
        }
    }
    let limit = args.limit.unwrap_or(if args.generated { GENERATED_LIMIT } else { LIMIT });
    let limit = Duration::from_millis(limit);
    // A file without entry points is a library: what it is worth is seen in the programs that use it.
    rows.retain(|row| row.has_entry);
    if !args.generated {
        rows.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    }
    table::print(&rows, limit);
    let wrong = |row: &Measured| row.cpu > limit || matches!(row.verdict, Verdict::Failed(_));
    ExitCode::from(u8::from(rows.iter().any(wrong)))
}

fn progress(args: &Args, name: &str) {
    if args.progress {
        println!("{name}");
    }
}

/// The quickest of several runs.
fn best(args: &Args, name: String, root: &Root) -> Measured {
    let first = measure(name.clone(), root, args.agree);
    let others = (1..args.runs).map(|_| measure(name.clone(), root, args.agree));
    others.fold(first, |best, next| if next.total < best.total { next } else { best })
}

/// Adds a file, or all programs in a folder.
fn find(path: &Path, found: &mut BTreeSet<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        found.insert(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "fut") {
            find(&path, found)?;
        }
    }
    Ok(())
}
