//! The command line.

use clap::{Parser, Subcommand, ValueEnum};

/// A compiler for the Futhark language.
///
/// This version has the front end: it parses, checks and formats programs.
#[derive(Parser, Debug)]
#[command(version, about, long_about, after_help = EXAMPLES, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  fehu check prog.fut              Is this program right?
  fehu check --format=json -       The same for a program from standard input, for tools.
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
