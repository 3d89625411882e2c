//! The command line.

use crate::dataset::Steps;
use clap::{Parser, Subcommand, ValueEnum};

/// A compiler for the Futhark language.
///
/// Checks, formats, runs, tests and measures programs, and compiles them to executables, servers and libraries.
#[derive(Parser, Debug)]
#[command(version, about, long_about, after_help = EXAMPLES, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, propagate_version = true)]
// Existing tools abbreviate options: `--lib`.
#[command(infer_long_args = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  fehu check prog.fut              Is this program right?
  fehu check --format=json -       The same for a program from standard input, for tools.
  fehu run prog.fut                Run it, with arguments from standard input.
  fehu c prog.fut                  Make an executable of it.
  fehu multicore --library x.fut   Make a C library of it that uses all cores.
  fehu eval 'iota 10'              What is the value of this expression?
  fehu repl prog.fut               Try out its functions.
  fehu test prog.fut               Run the tests that it contains.
  fehu bench prog.fut              How fast is it?
  fehu autotune prog.fut           Which thresholds make it faster on this GPU?
  fehu report prog.fut             Why is it slow?
  fehu fmt *.fut                   Format files in place.
  fehu explain import-cycle        What does this error mean?

Exit codes: 0 success; 2 the program is wrong; 1 bad usage, or a failure of the compiler.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a program: syntax, names, types, sizes and uniqueness.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Check the syntax of one file only, without its imports.
    CheckSyntax(CheckSyntaxArgs),
    /// Format files in place, or standard input to standard output.
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(FmtArgs),
    /// Compile a program for one core: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    C(CompileArgs),
    /// Compile a program for all cores: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    Multicore(CompileArgs),
    /// Compile a program for GPUs of NVIDIA's: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    Cuda(CompileArgs),
    /// Compile a program for devices with OpenCL: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    Opencl(CompileArgs),
    /// Run a program: arguments from standard input, results to standard output.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Evaluate expressions and print their values.
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(EvalArgs),
    /// Start an interactive session: declare, evaluate, look at types.
    #[command(after_help = REPL_HELP)]
    Repl(ReplArgs),
    /// Run the tests that programs contain in comments after a line `-- ==`.
    #[command(after_help = TEST_EXAMPLES)]
    Test(Box<TestArgs>),
    /// Measure how long programs take, with the data of their test blocks.
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArgs>),
    /// Compare two results of `bench --json`: what became faster or slower beyond noise.
    #[command(after_help = BENCHCMP_HELP)]
    Benchcmp(BenchcmpArgs),
    /// Find the thresholds with which programs are fastest, with the data of their test blocks.
    #[command(after_help = AUTOTUNE_HELP)]
    Autotune(Box<AutotuneArgs>),
    /// Make random values, or convert values from standard input.
    #[command(after_help = DATASET_EXAMPLES)]
    Dataset(Box<DatasetArgs>),
    /// Say what the optimiser made of a program, line by line, and why not more.
    #[command(after_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Look at a program in the core IR, between passes and after them; for people who change the compiler.
    #[command(after_help = DEV_EXAMPLES, args_conflicts_with_subcommands = true)]
    Dev(Box<DevArgs>),
    /// Explain an error code, or list all codes.
    #[command(after_help = "Examples:\n  fehu explain import-cycle\n  fehu explain")]
    Explain(ExplainArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  fehu check prog.fut
  fehu check --Werror prog.fut           Warnings refuse the program too.
  fehu check --timings prog.fut          How long each stage took.
  cat prog.fut | fehu check --format=json -";

const FMT_EXAMPLES: &str = "\
Examples:
  fehu fmt prog.fut lib/*.fut
  fehu fmt --check prog.fut              Change nothing; fail if something would change.
  fehu fmt < ugly.fut > pretty.fut";

#[derive(clap::Args, Debug)]
pub(crate) struct CheckArgs {
    /// The program; `-` means standard input.
    pub(crate) file: String,
    /// Do not report warnings.
    #[arg(short = 'w', conflicts_with = "werror")]
    pub(crate) no_warnings: bool,
    /// Treat warnings as errors.
    #[arg(long = "Werror")]
    pub(crate) werror: bool,
    /// Print how long each stage took, on standard error.
    #[arg(long)]
    pub(crate) timings: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct CheckSyntaxArgs {
    /// The file; `-` means standard input.
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct FmtArgs {
    /// The files; none means standard input to standard output.
    pub(crate) files: Vec<String>,
    /// Change nothing; exit with code 1 if a file is not formatted.
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const RUN_EXAMPLES: &str = "\
Examples:
  echo '[1, 2, 3]' | fehu run prog.fut
  fehu run -e step prog.fut < state.in
  fehu dataset -b -g '[1000]f32' | fehu run -b prog.fut > result.bin
  fehu run prog.fut -- -t times.txt -r 10     Options for the program itself.
  fehu run -i prog.fut                        Interpret it, which needs no C compiler.

Programs are compiled once, and kept in fehu/ of $XDG_CACHE_HOME, or of ~/.cache.";

const COMPILE_EXAMPLES: &str = "\
Examples:
  fehu c prog.fut                        Makes prog.c and the executable prog.
  fehu multicore -o fast prog.fut        Makes fast.c and the executable fast.
  fehu opencl prog.fut                   Makes prog.c and an executable that compiles its kernels when it starts.
  fehu c --library prog.fut              Makes prog.c, prog.h and prog.json.
  fehu c --server prog.fut               Makes prog.c, prog.json and the server prog.

The environment variable CC names the C compiler, CFLAGS replaces the flags that fehu would choose.";

const EVAL_EXAMPLES: &str = "\
Examples:
  fehu eval 'reduce (+) 0 (iota 10)' 'f32.sqrt 2'
  fehu eval -f prog.fut 'main [1, 2, 3]'
  fehu eval -- '-1 + 2'                  An expression that begins with a minus.";

const REPL_HELP: &str = "\
In a session:
  1 + 2                  evaluates an expression;
  def f x = x + 1        declares something, here a function;
  :type EXPR             shows the type of an expression, or what a module provides;
  :load FILE, :reload    read a file, and read it again;
  :help, :quit           list the commands, and leave.

Tab completes names, Up recalls earlier input, Ctrl-C stops what is running, Ctrl-D leaves.
Earlier input is kept in the file that FEHU_HISTORY names (nowhere if it is empty), or else in
fehu/repl_history of the folder for such things. Without a terminal, lines come from standard input.";

const TEST_EXAMPLES: &str = "\
Examples:
  fehu test prog.fut
  fehu test tests/                       All programs of a folder.
  fehu test --backend=multicore --limit 60 -j 4 tests/
  fehu test -i --exclude slow tests/     In the interpreter, without what has the tag \"slow\".
  fehu test -t tests/                    Are they accepted, and refused, as they should be?

A block says what is tested:
  -- ==
  -- entry: f
  -- input { 1 [2.5, 3.0] } output { 4.5 }
  -- \"large\" compiled random input { 100i32 [1000000]f64 } auto output
  -- script input { make 10i64 } error: out of bounds
  -- input @ data.in.gz output @ data.out
  -- property: holds";

const AUTOTUNE_HELP: &str = "\
Examples:
  fehu autotune --backend=cuda prog.fut
  fehu autotune --backend=opencl --pass-option=-dNVIDIA -v prog.fut
  fehu autotune --backend=cuda --tuning=a100 prog.fut   Write prog.fut.a100, for `fehu bench --tuning=a100`.

Programs for GPUs have several versions of nested parallel code; thresholds decide which of them runs. They are good for
many data without tuning; this finds better ones for the data sets of the test blocks, which should be like those that
matter. The result is PROGRAM.tuning, which `fehu test` and `fehu bench` read by themselves, and executables with
`--tuning FILE`. What such a file says about other parameters stays.";

const BENCH_EXAMPLES: &str = "\
Examples:
  fehu bench prog.fut
  fehu bench --backend=multicore --json new.json benchmarks/
  fehu bench --compare old.json benchmarks/   What changed since then?
  fehu bench -r 100 --no-convergence-phase --exclude-case huge prog.fut

For each case of the test blocks there is one run that is not counted and whose result is compared with the expected
one; then at least 10 runs for at least half a second; if their mean cannot be trusted, as many more as it takes. The
figures are the mean and the interval in which it lies with a probability of 95 %.";

const BENCHCMP_HELP: &str = "\
Example:
  fehu bench --json old.json prog.fut
  fehu bench --json new.json prog.fut         After a change.
  fehu benchcmp old.json new.json

A speedup above 1 means that the second file is faster. A difference is noise if it is smaller than half of the two
standard deviations together, or than one percent.";

const REPORT_HELP: &str = "\
Examples:
  fehu report prog.fut                     As text.
  fehu report --html report.html prog.fut  As a page with pictures, which needs nothing else.
  fehu report --json report.json prog.fut  For tools.

Under each line of the program:
  + something was improved: operators were fused, a check always passes;
  - something could not be improved, and why;
  = an array is made in memory, and who needs it;
  ? something is tested at run time.";

const DEV_EXAMPLES: &str = "\
Examples:
  fehu dev prog.fut                        Print the program as it is lowered.
  fehu dev --pipeline default prog.fut     The same after the passes of a pipeline.
  fehu dev --passes fuse a.ir --count      How many operators of each kind there are, before and after.
  fehu dev --passes fuse a.ir --interpret < a.in
  fehu dev --verify --pipeline default tests/programs/*.fut
  fehu dev reduce --check 'agree fuse' a.ir > small.ir";

const REDUCE_HELP: &str = "\
What the program must show, `--check`:
  agree PASSES     it means something else after the passes;
  verify PASSES    the verifier refuses what they make;
  panic PASSES     one of them panics;
  COMMAND          `COMMAND FILE` ends with the same exit code as for the whole program, not 0.
PASSES are names with commas between them, or a pipeline.";

const DATASET_EXAMPLES: &str = "\
Examples:
  fehu dataset -g '[10]i32' -g f64
  fehu dataset --f32-bounds=-1:1 -s 42 -b -g '[100][100]f32' > data.in
  fehu dataset -g '[10]f32' --i64-bounds=0:9 -g '[100]i64'
  fehu dataset -b < data.txt             Text to binary.
  fehu dataset -t < data.in              What is in this file?";

#[derive(clap::Args, Debug)]
pub(crate) struct CompileArgs {
    /// The program.
    pub(crate) file: String,
    /// Where to write the result; without it, the name of the program without `.fut`.
    #[arg(short = 'o', value_name = "NAME")]
    pub(crate) output_name: Option<String>,
    /// Make an executable; this is the default.
    #[arg(long, conflicts_with_all = ["server", "library"])]
    pub(crate) executable: bool,
    /// Make an executable that obeys commands on standard input.
    #[arg(long, conflicts_with = "library")]
    pub(crate) server: bool,
    /// Make a C file, a header and a description in JSON.
    #[arg(long)]
    pub(crate) library: bool,
    /// Make this function an entry point, too; may be given several times.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry_points: Vec<String>,
    /// Keep the order of operations on floats, and the results of the C library.
    #[arg(long)]
    pub(crate) strict_float: bool,
    /// Check everything, whatever the program says about `#[unsafe]`.
    #[arg(long)]
    pub(crate) safe: bool,
    /// Show no warnings.
    #[arg(short = 'w', visible_short_alias = 'W', conflicts_with = "werror")]
    pub(crate) no_warnings: bool,
    /// Treat warnings as errors.
    #[arg(long = "Werror")]
    pub(crate) werror: bool,
    /// Print how long each stage took, on standard error.
    #[arg(long)]
    pub(crate) timings: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A back end.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backend {
    /// One core.
    C,
    /// All cores.
    Multicore,
    /// A GPU of NVIDIA's.
    Cuda,
    /// Any device with OpenCL.
    Opencl,
}

#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    /// The program.
    pub(crate) file: String,
    /// Options for the compiled program, after `--`.
    #[arg(last = true, value_name = "OPTIONS", conflicts_with = "interpret")]
    pub(crate) rest: Vec<String>,
    /// Interpret the program instead of compiling it.
    #[arg(short, long)]
    pub(crate) interpret: bool,
    /// How to compile the program.
    #[arg(long, value_enum, default_value = "c", conflicts_with = "interpret")]
    pub(crate) backend: Backend,
    /// The entry point.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME", default_value = "main")]
    pub(crate) entry: String,
    /// Write the results in the binary format.
    #[arg(short, long)]
    pub(crate) binary: bool,
    /// Show no warnings.
    #[arg(short = 'w', long = "no-warnings")]
    pub(crate) no_warnings: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which passes run before anything else is done with a program.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Passes")]
pub(crate) struct PlanArgs {
    /// Run the passes of this pipeline: `none` or `default`.
    #[arg(long, value_name = "NAME", conflicts_with = "passes")]
    pub(crate) pipeline: Option<String>,
    /// Run these passes in this order; their names have commas between them.
    #[arg(long, value_name = "NAMES")]
    pub(crate) passes: Option<String>,
    /// Do not verify the program after each pass.
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// For `dev` and interpreted programs: then go through these stages, with commas between them: `assign`, `circuit` (run
    /// on a heap with race detection), `emit`, `tile`, `copies`, `unflatten`, `unswitch`, `border`, `lanes`.
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) stages: Option<String>,
    /// Leave out parts of the compiler, to see what they are worth: `fusion`, `in-place` (updates), `coalescing` (interleaved
    /// memory of a GPU's threads) and `tiling`, with commas between them.
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) without: Option<String>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ReportArgs {
    /// The program; `-` means standard input.
    pub(crate) file: String,
    /// Write the report as one HTML page to this file; `-` means standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// Write the report as JSON to this file; likewise.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct DevArgs {
    #[command(subcommand)]
    pub(crate) command: Option<DevCommand>,
    /// The program, `NAME.fut` or the text form of the IR, `NAME.ir`.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Print the program after the last pass; this is what is done when nothing else is asked for.
    #[arg(long)]
    pub(crate) print: bool,
    /// Check that the program is valid and that its text reads as the same program, after each pass.
    #[arg(long)]
    pub(crate) verify: bool,
    /// A file with the names of more programs to verify, one a line.
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
    /// Print the program after this pass; may be given several times.
    #[arg(long, value_name = "PASS")]
    pub(crate) dump_after: Vec<String>,
    /// Write what `--dump-after` asks for to files `01-PASS.ir` in this folder.
    #[arg(long, value_name = "FOLDER", requires = "dump_after")]
    pub(crate) dump_to: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum DevCommand {
    /// Make a program smaller as long as it shows the same fault.
    #[command(after_help = REDUCE_HELP)]
    Reduce(ReduceArgs),
}

#[derive(clap::Args, Debug)]
pub(crate) struct ReduceArgs {
    /// The program, in the text form of the IR.
    pub(crate) file: String,
    /// What the program must show; see below.
    #[arg(long)]
    pub(crate) check: String,
    /// How many programs to try.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) budget: usize,
    /// The seed of random arguments.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(clap::Args, Debug)]
pub(crate) struct EvalArgs {
    /// The expressions.
    #[arg(required = true, value_name = "EXPR")]
    pub(crate) expressions: Vec<String>,
    /// A program whose declarations the expressions can use.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Show no warnings.
    #[arg(short = 'w', long = "no-warnings")]
    pub(crate) no_warnings: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ReplArgs {
    /// A program whose declarations are in scope.
    pub(crate) file: Option<String>,
    /// When to use colours.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(clap::Args, Debug)]
pub(crate) struct TestArgs {
    /// Programs, and folders of programs.
    pub(crate) paths: Vec<String>,
    /// Interpret the programs.
    #[arg(short, long)]
    pub(crate) interpret: bool,
    /// Compile the programs; this is the default.
    #[arg(short = 'c', conflicts_with = "interpret")]
    pub(crate) compiled: bool,
    /// How to compile the programs.
    #[arg(long, value_enum, default_value = "c")]
    pub(crate) backend: Backend,
    /// A file with the names of more programs, one a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<String>,
    /// How many programs to test at the same time; without it, as many as there are processors.
    #[arg(short, long, visible_alias = "concurrency", value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Check the programs, and do not run them.
    #[arg(short = 't', conflicts_with_all = ["interpret", "compile", "translate"])]
    pub(crate) check: bool,
    /// Compile the programs, and do not run them.
    #[arg(short = 'C', conflicts_with_all = ["interpret", "translate"])]
    pub(crate) compile: bool,
    /// Compile the programs as far as the interpreter needs it, and do not run them.
    #[arg(short = 'I', conflicts_with = "interpret")]
    pub(crate) translate: bool,
    /// Do not test programs and cases that have this tag; may be given several times.
    #[arg(long, value_name = "TAG")]
    pub(crate) exclude: Vec<String>,
    /// Test this entry point only.
    #[arg(long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Seconds after which a case is stopped.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) limit: u64,
    /// The most memory that one array may have, in MiB; a case that needs more is over the limit.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) max_array: u64,
    /// Run also the cases with the tag `compiled`, which are meant for compiled programs.
    #[arg(long)]
    pub(crate) compiled_too: bool,
    /// Say also what was skipped, and why.
    #[arg(long)]
    pub(crate) skipped: bool,
    /// The seed of random inputs and of candidates for properties.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Show no progress line, but a status about every minute.
    #[arg(long)]
    pub(crate) no_terminal: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// How programs are compiled to servers, and how these are started.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Compiled programs")]
pub(crate) struct ServerArgs {
    /// Let another compiler do it: `PROGRAM BACKEND --server FILE -o OUTPUT`.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) futhark: Option<String>,
    /// Pass an option to that compiler; may be given several times.
    #[arg(long, value_name = "OPTION", requires = "futhark", allow_hyphen_values = true)]
    pub(crate) pass_compiler_option: Vec<String>,
    /// Pass an option to the compiled programs; may be given several times.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) pass_option: Vec<String>,
    /// Keep the order of operations on floats, and the results of the C library.
    #[arg(long)]
    pub(crate) strict_float: bool,
    /// Start compiled programs as the first argument of this program.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) runner: Option<String>,
    /// Read tuning parameters of `FILE.fut` from `FILE.fut.EXTENSION`, if that exists.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    pub(crate) tuning: String,
    /// Let `FILE.fut` keep what speeds up its start in `FILE.fut.EXTENSION`.
    #[arg(long, value_name = "EXTENSION")]
    pub(crate) cache_extension: Option<String>,
    /// Read no tuning parameters.
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
    /// Programs, and folders of programs.
    pub(crate) paths: Vec<String>,
    /// How to compile the programs.
    #[arg(long, value_enum, default_value = "c")]
    pub(crate) backend: Backend,
    /// The fewest runs of each case.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: usize,
    /// Write the results to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
    /// Compare the results with those of this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<String>,
    /// Measure this entry point only.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Do not measure cases that have this tag; may be given several times.
    #[arg(long, value_name = "TAG")]
    pub(crate) exclude_case: Vec<String>,
    /// Leave out files whose names contain something that matches; may be given several times.
    #[arg(long, value_name = "REGEX")]
    pub(crate) ignore_files: Vec<String>,
    /// Take the test blocks from this file, where they are no comments.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec_file: Option<String>,
    /// Do not compile: each program has a server beside it already.
    #[arg(long)]
    pub(crate) skip_compilation: bool,
    /// Seconds after which the runs of a case are given up; negative means never.
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) timeout: i64,
    /// Take the first runs, whether or not they can be trusted.
    #[arg(long)]
    pub(crate) no_convergence_phase: bool,
    /// Seconds after which the search for runs that can be trusted ends.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) convergence_max_seconds: u64,
    /// How many programs to compile at the same time; without it, as many as there are processors.
    #[arg(short = 'j', long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// Let the programs keep account of what they do, and put it into the file of `--json`.
    #[arg(long)]
    pub(crate) profile: bool,
    /// The seed of random inputs.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// When to use colours.
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
    /// How to compile the programs.
    #[arg(long, value_enum, default_value = "opencl")]
    pub(crate) backend: Backend,
    /// How often each data set is run to try something out; the median counts.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: usize,
    /// Tell about every trial; twice: also what thresholds were compared with.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Write the thresholds of `FILE.fut` to `FILE.fut.EXTENSION`.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    pub(crate) tuning: String,
    /// Tune for this entry point only.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Do not use cases that have this tag; may be given several times.
    #[arg(long, value_name = "TAG")]
    pub(crate) exclude_case: Vec<String>,
    /// Take the test blocks from this file, where they are no comments.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec_file: Option<String>,
    /// Seconds after which the first trial of a data set is given up; negative means never. Later ones are given up when
    /// they take much longer than that one.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true)]
    pub(crate) timeout: i64,
    /// The seed of random inputs.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Pass an option to the compiled programs; may be given several times.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) pass_option: Vec<String>,
    /// Keep the order of operations on floats, and the results of the C library.
    #[arg(long)]
    pub(crate) strict_float: bool,
    /// Do not compile: each program has a server beside it already.
    #[arg(long)]
    pub(crate) skip_compilation: bool,
    /// Let another compiler do it: `PROGRAM BACKEND --server FILE -o OUTPUT`.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) futhark: Option<String>,
    /// Start compiled programs as the first argument of this program.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) runner: Option<String>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct BenchcmpArgs {
    /// The results before.
    #[arg(value_name = "FILE_A")]
    pub(crate) before: String,
    /// The results after.
    #[arg(value_name = "FILE_B")]
    pub(crate) after: String,
    /// Sort programs by this, instead of by their names.
    #[arg(long, value_enum, value_name = "METRIC")]
    pub(crate) sort_by: Option<BenchSort>,
    /// Which end comes first, with `--sort-by`.
    #[arg(long, value_enum, default_value = "worst-first")]
    pub(crate) order: BenchOrder,
    /// When to use colours.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

/// What comparisons are sorted by.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BenchSort {
    /// How many cases became slower.
    Significant,
    /// The geometric mean of what changed beyond noise.
    GeomeanSignificant,
    /// The geometric mean of everything.
    GeomeanAll,
}

/// Which end comes first.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BenchOrder {
    /// What became slower.
    WorstFirst,
    /// What became faster.
    BestFirst,
}

#[derive(clap::Args, Debug)]
pub(crate) struct DatasetArgs {
    /// The seed.
    #[arg(short, long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write the binary format.
    #[arg(short, long)]
    pub(crate) binary: bool,
    /// Write text, which is the default.
    #[arg(long, conflicts_with = "binary")]
    pub(crate) text: bool,
    /// Write the types of the values, with their sizes, instead of the values.
    #[arg(short = 't', long = "type", conflicts_with_all = ["binary", "text"])]
    pub(crate) types: bool,
    #[command(flatten)]
    pub(crate) steps: Steps,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The code, as in `error[code]`. Without it, all codes are listed.
    pub(crate) code: Option<String>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct OutputArgs {
    /// How messages are written: for people, on standard error, or one JSON object a line, on
    /// standard output.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// When to use colours.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Text,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}
