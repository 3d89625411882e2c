//! The `fehu` command: parses arguments, calls the driver, prints, and chooses the exit code.
//!
//! Exit codes: 0 success; 2 the user's program is wrong; 1 incorrect usage, the program that was run
//! failed, or the compiler failed.
//! When the file is called `futhark`, for example through a link, it is a drop-in replacement for the commands
//! of the reference compiler that exist here: names, options and exit codes are the same.

mod absent;
mod args;
mod autotune;
mod bench;
mod commands;
mod compile;
mod dataset;
mod dev;
mod doc;
mod literate;
mod output;
mod pkg;
mod profile;
mod progress;
mod repl;
mod report;
mod run;
mod small;
mod test;

use args::pages::PagesCommand;
use args::{Args, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use std::io::Write;
use std::process::ExitCode;

/// The version of the language that this is compatible with.
const LANGUAGE: &str = "0.28.0";

fn main() -> ExitCode {
    let name = program_name();
    if name == "futhark" && asks_for_version() {
        // The first line is what existing tools look at.
        output::stdout(&format!(
            "Futhark {LANGUAGE}.\nThis is fehu {}, another compiler for the language, compatible with that version.\n",
            env!("CARGO_PKG_VERSION")
        ));
        return ExitCode::SUCCESS;
    }
    let command = Args::command().name(name).bin_name(name);
    let parsed = command.try_get_matches().and_then(|found| Args::from_arg_matches(&found));
    let args = match parsed {
        Ok(args) => args,
        Err(error) => {
            // It may be no text.
            let command = std::env::args_os().nth(1).unwrap_or_default();
            let command = command.to_string_lossy();
            if error.kind() == ErrorKind::InvalidSubcommand
                && let Some(message) = absent::message(name, &command)
            {
                output::stderr(&format!("{message}\n"));
                return ExitCode::from(1);
            }
            output::finish(error.print().and_then(|()| std::io::stdout().flush()));
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let code = match &args.command {
        Command::Check(args) => commands::check(args),
        Command::CheckSyntax(args) => commands::check_syntax(args),
        Command::Fmt(args) => commands::fmt(args),
        Command::Compile(command) => compile::compile(command),
        Command::Run(args) => run::run(args),
        Command::Test(args) => test::test(args),
        Command::Bench(args) => bench::bench(args),
        Command::Benchcmp(args) => bench::benchcmp(args),
        Command::Autotune(args) => autotune::autotune(args),
        Command::Dataset(args) => dataset::dataset(args),
        Command::Eval(args) => repl::eval(args),
        Command::Repl(args) => repl::repl(args),
        Command::Report(args) => report::report(args),
        Command::Profile(args) => profile::profile(args, name),
        Command::Pages(PagesCommand::Literate(args)) => literate::literate(args),
        Command::Pages(PagesCommand::Doc(args)) => doc::doc(args),
        Command::Pages(PagesCommand::Script(args)) => literate::script(args),
        Command::Foreign(args) => compile::prototypes(args),
        Command::Dev(args) => dev::dev(args),
        Command::Lsp(args) => commands::lsp(args),
        Command::Pkg(args) => pkg::pkg(args),
        Command::Small(command) => small::small(command),
        Command::Explain(args) => commands::explain(args),
    };
    ExitCode::from(output::exit_code(code))
}

/// Whether the first argument is `--version`, or `-V`; the other command lines are for the parser.
fn asks_for_version() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == "--version" || first == "-V")
}

/// `futhark` if that is how the program was called, else `fehu`.
fn program_name() -> &'static str {
    let called = std::env::args_os().next().unwrap_or_default();
    match std::path::Path::new(&called).file_stem() {
        Some(stem) if stem == "futhark" => "futhark",
        _ => "fehu",
    }
}
