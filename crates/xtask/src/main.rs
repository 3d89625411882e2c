//! Tasks of the repository: `cargo xtask tidy | conformance | bench-check | bench-lower | bench-opt | random |
//! random-source | mutate | book | playground`.
#![expect(clippy::print_stdout, reason = "a tool for developers that prints tables")]

mod bench;
mod bench_lower;
mod bench_opt;
mod bench_shapes;
mod book;
mod conformance;
mod fmt_check;
mod mutate;
mod playground;
mod process;
mod random;
mod random_source;
mod tidy;

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tasks of the repository.
#[derive(Parser, Debug)]
enum Args {
    /// Check house rules that the Rust compiler and clippy do not know about.
    Tidy,
    /// Run `fehu check` on a folder of test programs, and compare the results with those that their test blocks expect.
    Conformance(conformance::Args),
    /// Measure `fehu check` on generated programs of 300 to 100,000 lines.
    BenchCheck(bench::Args),
    /// Measure lowering on generated programs with up to 10,000 calls, or on given files.
    BenchLower(bench_lower::Args),
    /// Measure translation from source to optimised IR, on given programs or on generated ones with 50,000 statements.
    BenchOpt(bench_opt::Args),
    /// Run random programs both in the interpreter and compiled by a back end, and compare the results.
    Random(random::Args),
    /// Put programs with mutations through the compiler, and look for internal errors, crashes and slowness.
    Mutate(mutate::Args),
    /// Run random programs in the language itself through the whole compiler, and compare.
    RandomSource(random_source::Args),
    /// Make HTML of the book, with mdBook, and of the prelude's documentation.
    Book,
    /// Build the playground, a folder of static files, and drive it in a browser (`--test`).
    Playground(playground::Args),
}

fn main() -> ExitCode {
    match Args::parse() {
        Args::Tidy => {
            let report = tidy::check(&root());
            for problem in &report.problems {
                println!("{problem}");
            }
            for remark in &report.remarks {
                println!("remark: {remark}");
            }
            ExitCode::from(u8::from(!report.problems.is_empty()))
        }
        Args::Conformance(args) => conformance::run(&args),
        Args::BenchCheck(args) => bench::run(&args),
        Args::BenchLower(args) => bench_lower::run(&args),
        Args::BenchOpt(args) => bench_opt::run(&args),
        Args::Random(args) => random::run(&args),
        Args::Mutate(args) => mutate::run(&args),
        Args::RandomSource(args) => random_source::run(&args),
        Args::Book => book::run(&root()),
        Args::Playground(args) => playground::run(&args, &root()),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// The release build of `fehu`, next to this program's own folder, unless another is given.
fn fehu_binary(given: Option<&PathBuf>) -> PathBuf {
    if let Some(path) = given {
        return path.clone();
    }
    let own = std::env::current_exe().unwrap_or_default();
    let target = own.parent().and_then(Path::parent).unwrap_or(Path::new("target"));
    target.join("release").join("fehu")
}
