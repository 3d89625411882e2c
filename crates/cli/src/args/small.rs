//! The command lines of small commands: about data, about the parts of programs, and for starting a project.

use super::OutputArgs;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Subcommand, Debug)]
pub(crate) enum SmallCommand {
    /// Compare the values in two files.
    #[command(after_help = DATACMP_HELP)]
    Datacmp(DatacmpArgs),
    /// Write the input of one case of a program's test blocks.
    #[command(after_help = DATAGET_HELP)]
    Dataget(DatagetArgs),
    /// List everything that a program defines, with places.
    #[command(after_help = DEFS_HELP)]
    Defs(DefsArgs),
    /// Say what is on this machine, and which back ends work.
    #[command(after_help = DOCTOR_HELP)]
    Doctor,
    /// Print a digest of a program that does not depend on its layout.
    #[command(after_help = HASH_HELP)]
    Hash(ProgramArgs),
    /// List the files that a program consists of.
    #[command(after_help = IMPORTS_HELP)]
    Imports(ImportsArgs),
    /// Say what is at a place in a program: name, type, definition.
    #[command(after_help = QUERY_HELP)]
    Query(QueryArgs),
    /// Print the tokens of a file.
    #[command(after_help = TOKENS_HELP)]
    Tokens(ProgramArgs),
    /// Be polite.
    #[command(after_help = "Example:\n  fehu thanks")]
    Thanks,
    /// Make a folder with a new project.
    #[command(after_help = NEW_HELP)]
    New(NewArgs),
    /// Print a script with which a shell completes commands and options.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page of a command, or write those of all commands to a folder.
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
}

const DATACMP_HELP: &str = "\
Examples:
  fehu datacmp result.out expected.out
  fehu datacmp --tolerance 1e-6 --limit 5 result.npy expected.npy

Files have values as text, in the binary format, or as .npy. Numbers that are not whole may differ by 0.002 times the largest
value, or 0.002 if that is below 1. Exit code: 0 if they are equal, 2 if they differ, 1 if a file cannot be read.";

const DATAGET_HELP: &str = "\
Examples:
  fehu dataget prog.fut large > large.in
  fehu dataget --output prog.fut large | fehu datacmp result.out -
  fehu dataget --npy folder prog.fut large     One file for each value.

The case is the one with this name, or the only one whose name contains it. Values that the program itself contains
are written as text, and others in the binary format, unless an option says otherwise. Scripts are run.";

const DEFS_HELP: &str = "\
Examples:
  fehu defs prog.fut
  fehu defs --format=json prog.fut        Each with its type and its documentation.";

const DOCTOR_HELP: &str = "\
Example:
  fehu doctor

Prints versions, the C compiler and its flags, the processor's vectors and the cache, and runs a program of two lines by each
back end; please paste it when you report a problem. Exit code: 1 if a back end fails though all that it needs is there.";

const HASH_HELP: &str = "\
Example:
  fehu hash prog.fut

Layout, names of files, and comments that are no documentation make no difference. The number before the digits says how it is
computed: as long as that is the same, so is the digest. Those of other compilers are different.";

const IMPORTS_HELP: &str = "\
Examples:
  fehu imports prog.fut
  fehu imports --format=make prog.fut > prog.d     For make: `include prog.d`.
  fehu imports --format=dot prog.fut | dot -Tsvg > imports.svg";

const QUERY_HELP: &str = "\
Examples:
  fehu query prog.fut 12 5                 Line and column, counted from 1.
  fehu query --format=json prog.fut 12 5";

const TOKENS_HELP: &str = "\
Example:
  fehu tokens prog.fut";

const NEW_HELP: &str = "\
Examples:
  fehu new heat                      A program with tests, a README and a Makefile.
  fehu new heat --host rust          Called from a program in Rust.
  fehu new heat --host python        Called from a program in Python.
  fehu new rotate --package github.com/me/rotate";

const COMPLETIONS_HELP: &str = "\
Examples:
  fehu completions bash > ~/.local/share/bash-completion/completions/fehu
  fehu completions zsh > \"${fpath[1]}/_fehu\"
  fehu completions fish > ~/.config/fish/completions/fehu.fish";

const MAN_HELP: &str = "\
Examples:
  fehu man check | man -l -
  fehu man --folder ~/.local/share/man/man1";

#[derive(Args, Debug)]
pub(crate) struct DatacmpArgs {
    /// The file with the values to be compared; `-` means standard input.
    pub(crate) got: String,
    /// The file with the values that are expected.
    pub(crate) expected: String,
    /// How far numbers may be apart, relative to the largest value that is expected.
    #[arg(long, value_name = "X", default_value_t = 0.002, value_parser = tolerance)]
    pub(crate) tolerance: f64,
    /// The most differences to show.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Args, Debug)]
pub(crate) struct DatagetArgs {
    /// The program.
    pub(crate) program: String,
    /// The name of the case, or a part of it.
    pub(crate) name: String,
    /// Write what should come out instead of the input; if the test does not say it, what comes out.
    #[arg(long)]
    pub(crate) output: bool,
    /// Write the binary format.
    #[arg(short, long, conflicts_with = "text")]
    pub(crate) binary: bool,
    /// Write text.
    #[arg(long)]
    pub(crate) text: bool,
    /// Write each value to a file 0.npy, 1.npy, … in this folder.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["binary", "text"])]
    pub(crate) npy: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ProgramArgs {
    /// The program; `-` means standard input.
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DefsArgs {
    /// The program.
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct QueryArgs {
    /// The program.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The column, counted from 1.
    pub(crate) column: usize,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ImportsArgs {
    /// The program.
    pub(crate) file: String,
    /// How to list the files.
    #[arg(long, value_enum, default_value = "lines")]
    pub(crate) format: ImportsFormat,
    /// What the rule for make is about; by default, the name of the program without `.fut`.
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ImportsFormat {
    /// One on each line, after those that it imports.
    Lines,
    /// A rule for make.
    Make,
    /// A graph for the program `dot`.
    Dot,
}

#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// The folder, which must not exist; its last part is the name of the project.
    pub(crate) folder: String,
    /// A program that calls it.
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "package")]
    pub(crate) host: Option<Host>,
    /// Make a package for others, with this path.
    #[arg(long, value_name = "PATH")]
    pub(crate) package: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Host {
    /// C, with a Makefile.
    C,
    /// Rust, with the crates `fehu` and `fehu-build`.
    Rust,
    /// Python, with the package `fehu`.
    Python,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command, such as `check` or `pkg-add`; without one, the page of `fehu` itself.
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder.
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) folder: Option<String>,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "this is not a number".to_owned())?;
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        Err("this is no tolerance".to_owned())
    }
}
