//! The command line.

pub(crate) mod dev;
pub(crate) mod foreign;
pub(crate) mod pages;
pub(crate) mod pkg;
pub(crate) mod profile;
pub(crate) mod small;
pub(crate) mod suites;

use self::dev::{DEV_EXAMPLES, DevArgs};
use self::foreign::{FOREIGN_HELP, ForeignArgs, PrototypesArgs};
use self::pages::PagesCommand;
use self::pkg::{PKG_HELP, PkgArgs};
use self::profile::{PROFILE_HELP, ProfileArgs};
use self::small::SmallCommand;
use self::suites::{AutotuneArgs, BenchArgs, BenchcmpArgs, TestArgs};
use crate::dataset::Steps;
use clap::{Parser, Subcommand, ValueEnum};
use fehu_driver::compile::Floats;
use fehu_driver::stages::Target;

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
  fehu check prog.fut              Check a program.
  fehu check --format=json -       Check a program from standard input; messages for tools.
  fehu run prog.fut                Run it with arguments from standard input.
  fehu c prog.fut                  Compile it to an executable.
  fehu multicore --library x.fut   Compile it to a C library that uses all cores.
  fehu eval 'iota 10'              Evaluate an expression.
  fehu repl prog.fut               Try out its functions interactively.
  fehu test prog.fut               Run the tests that it contains.
  fehu bench prog.fut              Measure how fast it is.
  fehu autotune prog.fut           Find the best thresholds for this GPU.
  fehu report prog.fut             Find out why it is slow.
  fehu literate prog.fut           Make a page of its comments, code, pictures and plots.
  fehu doc -o doc lib/             Make pages of documentation comments.
  fehu fmt *.fut                   Format files in place.
  fehu explain import-cycle        Explain an error.

Exit codes: 0 success; 2 the program is wrong; 1 incorrect usage, a failed run or test, or a failure of the compiler.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a program: syntax, names, types, sizes and uniqueness.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Check the syntax of a single file, without its imports.
    #[command(after_help = "Example:\n  fehu check-syntax prog.fut")]
    CheckSyntax(CheckSyntaxArgs),
    /// Format files in place, or standard input to standard output.
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(FmtArgs),
    #[command(flatten)]
    Compile(CompileCommand),
    /// Run a program: arguments from standard input, results to standard output.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Evaluate expressions and print their values.
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(EvalArgs),
    /// Start an interactive session: declare functions, evaluate expressions, show types.
    #[command(after_help = REPL_HELP)]
    Repl(ReplArgs),
    /// Run the tests that programs contain, in comments after a line `-- ==`.
    #[command(after_help = TEST_EXAMPLES)]
    Test(Box<TestArgs>),
    /// Measure how long programs take on the data of their test blocks.
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArgs>),
    /// Compare two results of `bench --json`: what became faster or slower beyond noise.
    #[command(after_help = BENCHCMP_HELP)]
    Benchcmp(BenchcmpArgs),
    /// Find the thresholds that make programs run fastest on the data of their test blocks.
    #[command(after_help = AUTOTUNE_HELP)]
    Autotune(Box<AutotuneArgs>),
    /// Generate random values, or convert values from standard input.
    #[command(after_help = DATASET_EXAMPLES)]
    Dataset(Box<DatasetArgs>),
    /// Show, line by line, what the optimiser did with a program, and what it could not do.
    #[command(after_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Show where the time of a program goes, line by line, and what limits each line.
    #[command(after_help = PROFILE_HELP)]
    Profile(Box<ProfileArgs>),
    #[command(flatten)]
    Pages(PagesCommand),
    /// Print the prototypes of a program's foreign functions, as a header for C.
    #[command(after_help = FOREIGN_HELP)]
    Foreign(PrototypesArgs),
    /// Inspect a program in the core IR, between and after passes; for compiler developers.
    #[command(after_help = DEV_EXAMPLES, args_conflicts_with_subcommands = true)]
    Dev(Box<DevArgs>),
    /// Serve an editor: messages as you type, completion, definitions, names, formatting.
    #[command(after_help = LSP_HELP)]
    Lsp(LspArgs),
    /// Manage packages: what a program requires, and the folder lib/ that has it.
    #[command(after_help = PKG_HELP)]
    Pkg(PkgArgs),
    #[command(flatten)]
    Small(SmallCommand),
    /// Explain an error code, or list all codes.
    #[command(after_help = "Examples:\n  fehu explain import-cycle\n  fehu explain")]
    Explain(ExplainArgs),
}

const LSP_HELP: &str = "\
Editors start this command and speak the Language Server Protocol with it, over standard input and output.
How to set up VS Code, Neovim, Helix, Emacs and Zed is in docs/book/src/editors.md.

Examples:
  fehu lsp                               What an editor is to run for files *.fut.";

#[derive(clap::Args, Debug)]
pub(crate) struct LspArgs {
    /// What some editors pass; there is no other way.
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  fehu check prog.fut
  fehu check --Werror prog.fut           Treat warnings as errors.
  fehu check --timings prog.fut          Print how long each stage took.
  cat prog.fut | fehu check --format=json -";

const FMT_EXAMPLES: &str = "\
Examples:
  fehu fmt prog.fut lib/*.fut
  fehu fmt --check prog.fut              Change nothing; fail if a file is not formatted.
  fehu fmt < ugly.fut > pretty.fut";

#[derive(clap::Args, Debug)]
pub(crate) struct CheckArgs {
    /// The program; `-` means standard input.
    pub(crate) file: String,
    /// Do not show warnings.
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
    /// The files; without any, standard input is formatted to standard output.
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
  fehu run prog.fut -- -t times.txt -r 10     Pass options to the program itself.
  fehu run -i prog.fut                        Interpret it; this needs no C compiler.

Machine code is made at once, for one thread, and needs no C compiler. What runs for more than two seconds is also compiled by the
back end `c`, which goes on from there, and which later runs begin with. Both compute floats in the order of the program, so that a
sum is the same every time; only functions such as `sin` and `exp` may differ in the last place. A back end that is asked for by
`--backend` computes in any order that is fast. Programs that are compiled are cached, in fehu/ under $XDG_CACHE_HOME or ~/.cache.";

const COMPILE_EXAMPLES: &str = "\
Examples:
  fehu c prog.fut                        Writes prog.c and the executable prog.
  fehu multicore -o fast prog.fut        Writes fast.c and the executable fast.
  fehu opencl prog.fut                   Writes prog.c and an executable that compiles its kernels at run time.
  fehu c --library prog.fut              Writes prog.c, prog.h and prog.json.
  fehu c --library --shared prog.fut     Writes prog.so, too.
  fehu c --server prog.fut               Writes prog.c, prog.json and the server prog.

The environment variable CC names the C compiler, and CFLAGS replaces the flags that fehu would choose.";

const EVAL_EXAMPLES: &str = "\
Examples:
  fehu eval 'reduce (+) 0 (iota 10)' 'f32.sqrt 2'
  fehu eval -f prog.fut 'main [1, 2, 3]'
  fehu eval -- '-1 + 2'                  An expression that starts with a minus sign.";

const REPL_HELP: &str = "\
Example: fehu repl prog.fut, and then:
  1 + 2                  evaluates an expression
  def f x = x + 1        adds a declaration
  :type EXPR             shows the type of an expression, or the contents of a module
  :load FILE, :reload    loads a file, or loads it again
  :string EXPR           shows bytes as text
  :format TEXT           shows a text with the values of expressions: `:format half of it is {n / 2}`
  :cd FOLDER, :pwd       goes to another folder, or shows which one it is
  :help, :quit           lists the commands, or leaves

Tab completes names, Up recalls earlier input, Ctrl-C interrupts an evaluation, Ctrl-D leaves.
The history is saved in the file named by FEHU_HISTORY (if that is empty, it is not saved), or otherwise in
fehu/repl_history under $XDG_STATE_HOME or ~/.local/state. Without a terminal, input is read from standard input.";

const TEST_EXAMPLES: &str = "\
Examples:
  fehu test prog.fut
  fehu test tests/                       Test all programs in a folder.
  fehu test --backend=multicore --limit 60 -j 4 tests/
  fehu test -i --exclude slow tests/     Interpret; skip tests with the tag \"slow\".
  fehu test -t tests/                    Only check which programs are accepted and rejected.

A test block describes what to test:
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
  fehu autotune --backend=cuda --tuning=a100 prog.fut   Writes prog.fut.a100, for `fehu bench --tuning=a100`.

GPU programs contain several versions of nested parallel code; thresholds decide which of them runs. The defaults suit
most data; this command finds better thresholds for the data sets of the test blocks, which should resemble the data
that matters to you. The result is PROGRAM.tuning, which `fehu test` and `fehu bench` read automatically, and executables
read with `--tuning FILE`. Other parameters in such a file are left unchanged.";

const BENCH_EXAMPLES: &str = "\
Examples:
  fehu bench prog.fut
  fehu bench --backend=multicore --json new.json benchmarks/
  fehu bench --compare old.json benchmarks/   Show what has changed since then.
  fehu bench -r 100 --no-convergence-phase --exclude-case huge prog.fut

Each case of the test blocks is first run once without being measured, and its result is compared with the expected one.
Then it is run at least 10 times, for at least half a second, and if the mean is not reliable, as often as necessary. The
output shows the mean and its 95% confidence interval.";

const BENCHCMP_HELP: &str = "\
Example:
  fehu bench --json old.json prog.fut
  fehu bench --json new.json prog.fut         After a change.
  fehu benchcmp old.json new.json

A speedup above 1 means that the second file is faster. A difference counts as noise if it is smaller than half the sum of
the two standard deviations, or smaller than one percent.";

const REPORT_HELP: &str = "\
Examples:
  fehu report prog.fut                     As text.
  fehu report --html report.html prog.fut  As a self-contained page with diagrams.
  fehu report --json report.json prog.fut  For tools.

Under each line of the program:
  + something was optimised: operators were fused, or a check was removed because it always passes;
  - something could not be optimised, and why;
  = an array is written to memory, and who reads it;
  ? a check remains at run time.";

const DATASET_EXAMPLES: &str = "\
Examples:
  fehu dataset -g '[10]i32' -g f64
  fehu dataset --f32-bounds=-1:1 -s 42 -b -g '[100][100]f32' > data.in
  fehu dataset -g '[10]f32' --i64-bounds=0:9 -g '[100]i64'
  fehu dataset -b < data.txt             Convert text to binary.
  fehu dataset -t < data.in              Show the types of the values in a file.";

#[derive(clap::Args, Debug)]
pub(crate) struct CompileArgs {
    /// The program.
    pub(crate) file: String,
    /// The name of the output; by default, the name of the program without `.fut`.
    #[arg(short = 'o', value_name = "NAME")]
    pub(crate) output_name: Option<String>,
    /// Build an executable; this is the default.
    #[arg(long, conflicts_with_all = ["server", "library"])]
    pub(crate) executable: bool,
    /// Build a server: an executable that takes commands on standard input.
    #[arg(long, conflicts_with = "library")]
    pub(crate) server: bool,
    /// Build a library: a C file, a header and a manifest in JSON.
    #[arg(long)]
    pub(crate) library: bool,
    /// With `--library`: also have it compiled to a file that programs can load at run time, as the Python package does.
    #[arg(long, requires = "library")]
    pub(crate) shared: bool,
    /// Make this function an entry point as well; may be repeated.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    pub(crate) entry_points: Vec<String>,
    #[command(flatten)]
    pub(crate) floats: FloatArgs,
    /// Perform all run-time checks, even where the program says `#[unsafe]`.
    #[arg(long)]
    pub(crate) safe: bool,
    /// Have the program note what its operators do when it runs with `-P`; see `fehu profile`.
    #[arg(long)]
    pub(crate) profiling: bool,
    #[command(flatten)]
    pub(crate) foreign: ForeignArgs,
    /// Do not show warnings.
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

/// How compiled programs compute floats.
#[derive(clap::Args, Debug)]
pub(crate) struct FloatArgs {
    /// Preserve the order of floating-point operations, and the exact results of the C library's functions.
    #[arg(long, conflicts_with = "fast_math")]
    strict_float: bool,
    /// Allow approximate quotients and roots, and assume that no number is NaN or infinite: results may differ in the
    /// last places.
    #[arg(long)]
    fast_math: bool,
}

impl FloatArgs {
    pub(crate) fn choice(&self) -> Floats {
        floats(self.strict_float, self.fast_math)
    }
}

/// At most one of them is asked for.
fn floats(strict: bool, fast: bool) -> Floats {
    match (strict, fast) {
        (true, _) => Floats::Strict,
        (false, true) => Floats::Fast,
        (false, false) => Floats::Contracted,
    }
}

/// The commands that compile programs.
#[derive(Subcommand, Debug)]
pub(crate) enum CompileCommand {
    /// Compile a program for one core: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    C(CompileArgs),
    /// Compile a program for all cores: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    Multicore(CompileArgs),
    /// Compile a program for NVIDIA GPUs (CUDA): an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    Cuda(CompileArgs),
    /// Compile a program for OpenCL devices: an executable, a server or a library.
    #[command(after_help = COMPILE_EXAMPLES)]
    Opencl(CompileArgs),
}

impl CompileCommand {
    /// The program, and what it is compiled for.
    pub(crate) fn target(&self) -> (&CompileArgs, Target) {
        match self {
            CompileCommand::C(args) => (args, Target::C),
            CompileCommand::Multicore(args) => (args, Target::Multicore),
            CompileCommand::Cuda(args) => (args, Target::Cuda),
            CompileCommand::Opencl(args) => (args, Target::OpenCl),
        }
    }
}

/// A back end.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backend {
    /// One core.
    C,
    /// All cores.
    Multicore,
    /// An NVIDIA GPU.
    Cuda,
    /// Any OpenCL device.
    Opencl,
}

impl Backend {
    pub(crate) fn target(self) -> Target {
        match self {
            Backend::C => Target::C,
            Backend::Multicore => Target::Multicore,
            Backend::Cuda => Target::Cuda,
            Backend::Opencl => Target::OpenCl,
        }
    }
}

#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    /// The program.
    pub(crate) file: String,
    /// Options for the compiled program, after `--`.
    #[arg(last = true, value_name = "OPTIONS", conflicts_with = "interpret")]
    pub(crate) rest: Vec<String>,
    /// Interpret the program instead of making machine code of it.
    #[arg(short, long)]
    pub(crate) interpret: bool,
    /// Compile the program by this back end, and keep it, instead of making machine code at once.
    #[arg(long, value_enum, conflicts_with = "interpret")]
    pub(crate) backend: Option<Backend>,
    /// Only compile the program and keep it; do not run it.
    #[arg(long, requires = "backend")]
    pub(crate) only_compile: bool,
    /// With a back end: preserve the order of floating-point operations.
    #[arg(long, requires = "backend", conflicts_with = "fast_math")]
    strict_float: bool,
    /// With a back end: allow approximate quotients and roots, and assume that no number is NaN or infinite.
    #[arg(long, requires = "backend")]
    fast_math: bool,
    /// With a back end: round the result of every floating-point operation, as is done without one.
    #[arg(long, requires = "backend", conflicts_with_all = ["strict_float", "fast_math"], hide = true)]
    rounded_float: bool,
    /// The entry point.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME", default_value = "main")]
    pub(crate) entry: String,
    /// Write results in the binary format.
    #[arg(short, long)]
    pub(crate) binary: bool,
    /// For interpreted programs: read a sequence from a file, as compiled programs do; several, one after the other, if
    /// it is repeated.
    #[arg(long = "in", value_name = "NAME=FILE", requires = "interpret")]
    pub(crate) ins: Vec<String>,
    /// Do not show warnings.
    #[arg(short = 'w', long = "no-warnings")]
    pub(crate) no_warnings: bool,
    #[command(flatten)]
    pub(crate) foreign: ForeignArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl RunArgs {
    /// What is asked for. What takes the place of machine code computes what that does.
    pub(crate) fn floats(&self) -> Floats {
        match floats(self.strict_float, self.fast_math) {
            Floats::Contracted if self.rounded_float || self.backend.is_none() => Floats::Rounded,
            floats => floats,
        }
    }
}

/// Which passes to run on the program first.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Passes")]
pub(crate) struct PlanArgs {
    /// Run the passes of this pipeline: `none` or `default`.
    #[arg(long, value_name = "NAME", conflicts_with = "passes")]
    pub(crate) pipeline: Option<String>,
    /// Run these passes, in this order; a comma-separated list.
    #[arg(long, value_name = "NAMES")]
    pub(crate) passes: Option<String>,
    /// Do not verify the program after each pass.
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// For `dev` and interpreted programs: then run these stages, a comma-separated list: `assign`, `short_circuit`
    /// (interpreted on a heap with race detection), `emit`, `unit`, `tile`, `empty`, `copies`, `delinearize`,
    /// `unswitch`, `peel`, `lanes`, `short`, `partials`, `device`, `c`, `machine`.
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) stages: Option<String>,
    /// For interpreted programs: read sequences in chunks of so many elements, and not all at once. Results do not depend on it.
    #[arg(long, value_name = "SIZE", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: Option<u32>,
    /// Disable parts of the compiler, to measure what they contribute; a comma-separated list of `fusion`,
    /// `unaccumulation` (sums instead of single contributions in derivatives), `in-place` (in-place updates),
    /// `coalescing` (storing arrays of GPU kernels so that neighbouring threads access neighbouring elements),
    /// `tiling`, `short-circuiting` (making arrays where they would be copied to), `inlining` (copying functions into
    /// GPU kernels) and `host-free-loops` (GPU programs that wait only for what the host itself needs).
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) without: Option<String>,
    /// In reverse mode, `for` loops whose states in all iterations take more than so many bytes keep those of about the
    /// square root of their iterations, and are evaluated once more for the derivative.
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    pub(crate) derivative_memory: Option<u64>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ReportArgs {
    /// The program; `-` means standard input.
    pub(crate) file: String,
    /// Write the report to this file as an HTML page; `-` means standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// Write the report to this file as JSON; `-` means standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct EvalArgs {
    /// The expressions.
    #[arg(required = true, value_name = "EXPR")]
    pub(crate) expressions: Vec<String>,
    /// A program whose declarations the expressions can use.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Do not show warnings.
    #[arg(short = 'w', long = "no-warnings")]
    pub(crate) no_warnings: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ReplArgs {
    /// A program whose declarations are in scope.
    pub(crate) file: Option<String>,
    /// For notebooks and editors: read requests and write answers as lines of JSON.
    #[arg(long, conflicts_with = "file")]
    pub(crate) json: bool,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(clap::Args, Debug)]
pub(crate) struct DatasetArgs {
    /// The seed for random values.
    #[arg(short, long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write the binary format.
    #[arg(short, long)]
    pub(crate) binary: bool,
    /// Write the text format; this is the default.
    #[arg(long, conflicts_with = "binary")]
    pub(crate) text: bool,
    /// Write the types of the values, including sizes, instead of the values.
    #[arg(short = 't', long = "type", conflicts_with_all = ["binary", "text"])]
    pub(crate) types: bool,
    #[command(flatten)]
    pub(crate) steps: Steps,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The code, as in `error[code]`; without it, all codes are listed.
    pub(crate) code: Option<String>,
}

#[derive(clap::Args, Default, Debug)]
pub(crate) struct OutputArgs {
    /// The format of messages: text on standard error, or one JSON object per line on standard output.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}
