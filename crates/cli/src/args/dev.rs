//! The command line of `fehu dev`.

use super::{Backend, OutputArgs, PlanArgs};
use clap::{Args, Subcommand};

pub(crate) const DEV_EXAMPLES: &str = "\
Examples:
  fehu dev prog.fut                        Print the program after lowering.
  fehu dev --pipeline default prog.fut     Print it after the passes of a pipeline.
  fehu dev --passes fuse a.ir --count      Count the operators of each kind, before and after.
  fehu dev --passes fuse a.ir --interpret < a.in
  fehu dev --verify --pipeline default tests/programs/*.fut
  fehu dev reduce --check 'agree fuse' a.ir > small.ir";

const REDUCE_HELP: &str = "\
Example: fehu dev reduce --check 'agree fuse' a.ir > small.ir
The fault that is preserved (`--check`) is one of:
  agree PASSES     the results of the program differ after the passes
  verify PASSES    the verifier rejects the output of the passes
  panic PASSES     one of the passes panics
  COMMAND          `COMMAND FILE` has the same non-zero exit code as for the original program
PASSES is a comma-separated list of passes, or a pipeline.";

#[derive(Args, Debug)]
pub(crate) struct DevArgs {
    #[command(subcommand)]
    pub(crate) command: Option<DevCommand>,
    /// The program: source, `NAME.fut`, or the text form of the IR, `NAME.ir`.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Print the program after the last pass; this is the default if no other action is requested.
    #[arg(long)]
    pub(crate) print: bool,
    /// After each pass, check that the program is valid and that printing and parsing it gives the same program.
    #[arg(long)]
    pub(crate) verify: bool,
    /// A file with the names of more programs to verify, one per line.
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub(crate) list: Option<String>,
    /// Run an entry point, with arguments from standard input.
    #[arg(long)]
    pub(crate) interpret: bool,
    /// The entry point.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME", default_value = "main")]
    pub(crate) entry: String,
    /// Print how often each operator occurs.
    #[arg(long)]
    pub(crate) count: bool,
    /// Print what the passes did, and what they could not do.
    #[arg(long)]
    pub(crate) remarks: bool,
    /// Print how long each stage and each pass took, on standard error.
    #[arg(long)]
    pub(crate) timings: bool,
    /// Compile as usual for the back end, but only as far as this pass or stage, and print the program there.
    #[arg(long, value_name = "STAGE", conflicts_with_all = ["passes", "pipeline", "stages", "verify"])]
    pub(crate) after: Option<String>,
    /// The back end that stages are for.
    #[arg(long, value_name = "NAME", value_enum, default_value = "c")]
    pub(crate) backend: Backend,
    /// Print the program after this pass or stage; may be repeated.
    #[arg(long, value_name = "STAGE")]
    pub(crate) dump_after: Vec<String>,
    /// Write the output of `--dump-after` to files `01-STAGE.ir` in this folder.
    #[arg(long, value_name = "FOLDER", requires = "dump_after")]
    pub(crate) dump_to: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum DevCommand {
    /// Shrink a program while preserving a fault.
    #[command(after_help = REDUCE_HELP)]
    Reduce(ReduceArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ReduceArgs {
    /// The program, in the text form of the IR.
    pub(crate) file: String,
    /// The fault to preserve; see below.
    #[arg(long)]
    pub(crate) check: String,
    /// The maximum number of programs to try.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) budget: usize,
    /// The seed for random arguments.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}
