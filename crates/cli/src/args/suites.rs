//! The options of the commands that test, measure and tune programs.

use super::foreign::ForeignArgs;
use super::{Backend, Color, FloatArgs, PlanArgs};
use clap::ValueEnum;

#[derive(clap::Args, Debug)]
pub(crate) struct TestArgs {
    /// Programs and folders of programs.
    pub(crate) paths: Vec<String>,
    /// Instead of test blocks, try the examples (`>>>`) in documentation comments; without programs, those of the prelude.
    #[arg(long)]
    pub(crate) doc: bool,
    /// Interpret the programs.
    #[arg(short, long, visible_alias = "interpreted")]
    pub(crate) interpret: bool,
    /// Make machine code of the programs in this process, without a C compiler.
    #[arg(long, conflicts_with_all = ["interpret", "backend"])]
    pub(crate) jit: bool,
    /// Compile the programs; this is the default.
    #[arg(short = 'c', long = "compiled", conflicts_with = "interpret")]
    pub(crate) compiled: bool,
    /// The back end.
    #[arg(long, value_enum, default_value = "c")]
    pub(crate) backend: Backend,
    /// A file with the names of more programs, one per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<String>,
    /// How many programs to test at the same time; by default, the number of processors.
    #[arg(short, long, visible_alias = "concurrency", value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Only type-check the programs; do not run them.
    #[arg(short = 't', long = "typecheck", conflicts_with_all = ["interpret", "compile", "translate"])]
    pub(crate) check: bool,
    /// Only compile the programs; do not run them.
    #[arg(short = 'C', long = "compile", conflicts_with_all = ["interpret", "translate"])]
    pub(crate) compile: bool,
    /// Only compile the programs as far as the interpreter needs; do not run them.
    #[arg(short = 'I', long = "internalise", conflicts_with = "interpret")]
    pub(crate) translate: bool,
    /// Accepted with a warning: `structure` blocks count the nodes of another compiler's IR, and are not tested.
    #[arg(short = 's', long = "structure")]
    pub(crate) structure: bool,
    /// Skip programs and cases that have this tag; may be repeated.
    #[arg(long, value_name = "TAG")]
    pub(crate) exclude: Vec<String>,
    /// Test only this entry point.
    #[arg(long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The time limit for each case, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) limit: u64,
    /// The maximum size of an array, in MiB; a case that needs more counts as over the limit.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) max_array: u64,
    /// Also run cases with the tag `compiled`, which are intended for compiled programs.
    #[arg(long)]
    pub(crate) compiled_too: bool,
    /// Also list what was skipped, and why.
    #[arg(long)]
    pub(crate) skipped: bool,
    /// The seed for random inputs, and for candidates for counterexamples to properties.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Instead of a progress line, print the status about once a minute.
    #[arg(long, visible_alias = "notty")]
    pub(crate) no_terminal: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// How programs are compiled to servers, and how the servers are started.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Compiled programs")]
pub(crate) struct ServerArgs {
    /// Use another compiler: it is called as `PROGRAM BACKEND --server FILE -o OUTPUT`.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) futhark: Option<String>,
    /// Pass an option to that compiler; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "futhark", allow_hyphen_values = true)]
    pub(crate) pass_compiler_option: Vec<String>,
    /// Pass an option to the compiled programs; may be repeated.
    #[arg(short = 'p', long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) pass_option: Vec<String>,
    #[command(flatten)]
    pub(crate) floats: FloatArgs,
    #[command(flatten)]
    pub(crate) foreign: ForeignArgs,
    /// Run compiled programs through this program, as its first argument.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) runner: Option<String>,
    /// Read the tuning parameters of `FILE.fut` from `FILE.fut.EXTENSION`, if it exists.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    pub(crate) tuning: String,
    /// Let `FILE.fut` cache data that speeds up its startup in `FILE.fut.EXTENSION`.
    #[arg(long, value_name = "EXTENSION")]
    pub(crate) cache_extension: Option<String>,
    /// Do not read tuning parameters.
    #[arg(long, conflicts_with = "tuning")]
    pub(crate) no_tuning: bool,
}

impl ServerArgs {
    /// The extension of tuning files, if they are read.
    pub(crate) fn tuning_extension(&self) -> Option<String> {
        (!self.no_tuning).then(|| self.tuning.clone())
    }
}

#[derive(clap::Args, Debug)]
pub(crate) struct BenchArgs {
    /// Programs and folders of programs.
    pub(crate) paths: Vec<String>,
    /// The back end.
    #[arg(long, value_enum, default_value = "c")]
    pub(crate) backend: Backend,
    /// The minimum number of runs of each case.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: usize,
    /// Write the results to this file as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
    /// Compare the results with those in this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<String>,
    /// Measure only this entry point.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Skip cases that have this tag; may be repeated.
    #[arg(long, value_name = "TAG")]
    pub(crate) exclude_case: Vec<String>,
    /// Skip files whose names match this regular expression; may be repeated.
    #[arg(long, value_name = "REGEX")]
    pub(crate) ignore_files: Vec<String>,
    /// Read the test blocks from this file, in which they are not comments.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec_file: Option<String>,
    /// Do not compile; use the servers that already exist next to the programs.
    #[arg(long)]
    pub(crate) skip_compilation: bool,
    /// The time limit for all the runs of a case, in seconds; negative means none.
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) timeout: i64,
    /// Use only the initial runs, whether or not their mean is reliable.
    #[arg(long)]
    pub(crate) no_convergence_phase: bool,
    /// The maximum time spent on making the mean reliable, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) convergence_max_seconds: u64,
    /// How many programs to compile at the same time; by default, the number of processors.
    #[arg(short = 'j', long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// The time limit for everything, in seconds: after it, the runs of the current case end, and the cases that are left
    /// out are listed.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) total_limit: Option<u64>,
    /// Print which programs are compiled and which cases begin, on standard error.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Collect profiling information, and include it in the file written by `--json`.
    #[arg(short = 'P', long)]
    pub(crate) profile: bool,
    /// The seed for random inputs.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct AutotuneArgs {
    /// Programs.
    #[arg(required = true, value_name = "PROGRAM")]
    pub(crate) programs: Vec<String>,
    #[command(flatten)]
    pub(crate) foreign: ForeignArgs,
    /// The back end.
    #[arg(long, value_enum, default_value = "opencl")]
    pub(crate) backend: Backend,
    /// How often each data set is run per trial; the median counts.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: usize,
    /// Print every trial; if given twice, also what the thresholds were compared with.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Write the thresholds of `FILE.fut` to `FILE.fut.EXTENSION`.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    pub(crate) tuning: String,
    /// Tune only for this entry point.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Skip cases that have this tag; may be repeated.
    #[arg(long, value_name = "TAG")]
    pub(crate) exclude_case: Vec<String>,
    /// Read the test blocks from this file, in which they are not comments.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec_file: Option<String>,
    /// The time limit for the first trial of a data set, in seconds; negative means none. Later trials are stopped when they
    /// take much longer than the first.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true)]
    pub(crate) timeout: i64,
    /// The seed for random inputs.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Pass an option to the compiled programs; may be repeated.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) pass_option: Vec<String>,
    #[command(flatten)]
    pub(crate) floats: FloatArgs,
    /// Do not compile; use the servers that already exist next to the programs.
    #[arg(long)]
    pub(crate) skip_compilation: bool,
    /// Use another compiler: it is called as `PROGRAM BACKEND --server FILE -o OUTPUT`.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) futhark: Option<String>,
    /// Run compiled programs through this program, as its first argument.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) runner: Option<String>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct BenchcmpArgs {
    /// The earlier results.
    #[arg(value_name = "FILE_A")]
    pub(crate) before: String,
    /// The later results.
    #[arg(value_name = "FILE_B")]
    pub(crate) after: String,
    /// Sort programs by this metric instead of by name.
    #[arg(long, value_enum, value_name = "METRIC")]
    pub(crate) sort_by: Option<BenchSort>,
    /// The order for `--sort-by`.
    #[arg(long, value_enum, default_value = "worst-first")]
    pub(crate) order: BenchOrder,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

/// The metric by which comparisons are sorted.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BenchSort {
    /// The number of cases that became slower.
    Significant,
    /// The geometric mean of the cases that changed beyond noise.
    GeomeanSignificant,
    /// The geometric mean of all cases.
    GeomeanAll,
}

/// The order of comparisons.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BenchOrder {
    /// The largest slowdowns first.
    WorstFirst,
    /// The largest speedups first.
    BestFirst,
}
