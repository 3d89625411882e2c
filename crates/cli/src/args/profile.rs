//! The arguments of `fehu profile`.

use super::Backend;
use super::suites::ServerArgs;

pub(crate) const PROFILE_HELP: &str = "\
The program runs on the data sets of its test blocks, or on values from standard input if it has none: once to warm up, and once
measured. The table has the slowest lines: their share of the time, how fast they move bytes and compute, what limits them, and
what to do about it. Lines that were fused into one operator share its time in proportion to what they do.

What the machine can do is measured when it is first needed, for each back end, and kept.

Examples:
  fehu profile prog.fut                        The slowest lines, on one core.
  fehu profile --backend multicore prog.fut    On all cores.
  fehu profile prog.fut < data.in              With these arguments.
  fehu profile --html prog.html prog.fut       One page: source, timeline, flame graph, memory, roofline.
  fehu profile --trace prog.json prog.fut      A trace for Perfetto (https://ui.perfetto.dev).
  fehu profile --runs 5 --json old.json prog.fut    Five runs; then change the program, and
  fehu profile --runs 5 --compare old.json prog.fut    say what became faster or slower beyond noise.
  fehu bench --profile --json r.json prog.fut && fehu profile r.json";

#[derive(clap::Args, Debug)]
pub(crate) struct ProfileArgs {
    /// A program; or results of `bench --profile --json`, or reports of programs that ran with `-P`.
    #[arg(value_name = "FILE", required_unless_present = "calibrate")]
    pub(crate) files: Vec<String>,
    /// The entry point; by default all of those with test blocks, otherwise `main`.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The back end.
    #[arg(long, value_enum, default_value = "c")]
    pub(crate) backend: Backend,
    /// Only data sets whose names contain this.
    #[arg(long, value_name = "TEXT")]
    pub(crate) dataset: Option<String>,
    /// Read the arguments from this file instead of using the data sets of the program; `-` is standard input.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) input: Option<String>,
    /// How often to measure: the run with the median time is shown, and how much they differ is kept for `--compare`.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) runs: u16,
    /// How many lines to show.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// Write a page with everything to this file. Of several data sets, files are about the slowest.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// Write a trace for Perfetto to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<String>,
    /// Write folded stacks for flame graphs to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) flame: Option<String>,
    /// Write the profile as JSON to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
    /// Say what changed since this file was written by `--json`.
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<String>,
    /// Measure anew what the machine can do with this back end.
    #[arg(long)]
    pub(crate) calibrate: bool,
    /// Do not measure what the machine can do: nothing is said about limits, unless it is known already.
    #[arg(long, conflicts_with = "calibrate")]
    pub(crate) no_calibration: bool,
    /// The time limit for a run, in seconds; negative means none.
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) timeout: i64,
    /// The seed for random inputs.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}
