//! The options of the commands that make pages of programs, and of scripts.

use super::{Backend, OutputArgs};
use clap::Subcommand;

/// The commands that make pages of programs, and evaluate scripts.
#[derive(Subcommand, Debug)]
pub(crate) enum PagesCommand {
    /// Make a page of a literate program: its comments, its code, and what directives (`-- > ...`) show.
    #[command(after_help = LITERATE_HELP)]
    Literate(LiterateArgs),
    /// Evaluate a script: a small expression over the entry points of a program.
    #[command(after_help = SCRIPT_HELP)]
    Script(ScriptArgs),
    /// Make pages of the comments (`-- |`) and declarations of programs.
    #[command(after_help = DOC_HELP)]
    Doc(DocArgs),
}

const LITERATE_HELP: &str = "\
Examples:
  fehu literate prog.fut                    Writes prog.md, and pictures to prog-img/.
  fehu literate --html prog.html prog.fut   Writes one page with everything in it.

Comments are Markdown. A comment that starts with `-- > ` after an empty line is a directive:
  -- > f 10                          The value of an expression.
  -- > :img mandelbrot 600 400       A picture: [][]u32 (0xRRGGBB), or grey: f32, f64, u8, bool.
  -- > :video (step, start, 100i64)  A film: pictures, or a function (state to picture and state), a state and a number.
  -- > :audio tone 440f32            Sound: samples from -1 to 1.
  -- > :plot {a = xy 1, b = xy 2};   A plot of columns. Parameters follow, one on each line:
  -- log: y
  -- > :table {n = ns, time = ts}    A table.
  -- > :text message                 Bytes as text.
`:brief` before a directive hides its parameters, `:covert` all of it. Results are kept in prog-img/ and computed again only if
what they depend on has changed. docs/book/src/literate.md has all of it.";

const SCRIPT_HELP: &str = "\
Examples:
  fehu script prog.fut 'f (g 10) [1, 2, 3]'
  fehu script prog.fut -e 'let (n, xs) = $loaddata \"a.in\" in f n xs'
  fehu script prog.fut -e '$store \"out.bin\" (f 10)'
  fehu script -b prog.fut 'f 10' > out.bin

Every name of the program that the script mentions becomes an entry point. Functions with `$` read and write files: $loaddata,
$loadbytes, $loadimg, $loadaudio, $restore, $store.";

const DOC_HELP: &str = "\
Examples:
  fehu doc -o doc lib/            One page for each program in a folder; open doc/index.html.
  fehu doc -o doc --prelude       What every program can use.
  fehu test --doc lib/            Try the examples in the comments.

In a comment, lines `>>> expression` and the answer after it are an example. docs/book/src/doc.md has more.";

#[derive(clap::Args, Debug)]
pub(crate) struct DocArgs {
    /// Programs and folders of programs.
    pub(crate) paths: Vec<String>,
    /// The folder that the pages are written to.
    #[arg(short = 'o', long = "output-directory", value_name = "FOLDER", default_value = "doc")]
    pub(crate) folder: String,
    /// The title of the pages; by default, the name of the folder.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Document the prelude, too.
    #[arg(long)]
    pub(crate) prelude: bool,
    /// Say on standard error what is written.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How the program of a script is run.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Running the program")]
pub(crate) struct ProgramArgs {
    /// Interpret the program instead of compiling it.
    #[arg(short, long)]
    pub(crate) interpret: bool,
    /// The back end.
    #[arg(long, value_enum, default_value = "c", conflicts_with = "interpret")]
    pub(crate) backend: Backend,
    /// Use another compiler: it is called as `PROGRAM BACKEND --server FILE -o OUTPUT`.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) futhark: Option<String>,
    /// Pass an option to that compiler; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "futhark", allow_hyphen_values = true)]
    pub(crate) pass_compiler_option: Vec<String>,
    /// Pass an option to the compiled program; may be repeated.
    #[arg(short = 'p', long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) pass_option: Vec<String>,
    /// Do not compile; use the server that already exists next to the program.
    #[arg(long)]
    pub(crate) skip_compilation: bool,
    /// Say on standard error what happens.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct LiterateArgs {
    /// The program.
    pub(crate) file: String,
    /// Write Markdown to this file; by default, the name of the program with `.md`.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) markdown: Option<String>,
    /// Write one page with everything in it to this file, and Markdown only if `--output` is given, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// Write nothing if a directive fails.
    #[arg(long)]
    pub(crate) stop_on_error: bool,
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ScriptArgs {
    /// The program; one whose name does not end in `.fut` is a server, which is started.
    pub(crate) file: String,
    /// The script.
    pub(crate) script: Option<String>,
    /// A script; if there are several, all are evaluated, and the value of the last is written.
    #[arg(short = 'e', long = "expression", value_name = "SCRIPT")]
    pub(crate) expressions: Vec<String>,
    /// A file with a script; evaluated after those of `-e`.
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Write the value in the binary format.
    #[arg(short, long)]
    pub(crate) binary: bool,
    /// Pass `-D` to the compiled program: it says what it does.
    #[arg(short = 'D', long)]
    pub(crate) debug: bool,
    /// Pass `-L` to the compiled program: it logs what it does.
    #[arg(short = 'L', long)]
    pub(crate) log: bool,
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
}
