//! `cargo xtask book`: the book as HTML, by mdBook, with the pages of the prelude beside it.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Where the book is, and where mdBook puts its pages.
const BOOK: &str = "docs/book";
const PAGES: &str = "docs/book/book";

/// Builds the book.
pub(crate) fn run(root: &Path) -> ExitCode {
    let mut mdbook = Command::new("mdbook");
    mdbook.args(["build", BOOK]);
    let mut prelude = Command::new(env!("CARGO"));
    prelude.args(["run", "--quiet", "--package", "fehu-cli", "--", "doc", "--prelude", "-o"]);
    prelude.arg(format!("{PAGES}/prelude"));
    for command in [&mut mdbook, &mut prelude] {
        match command.current_dir(root).status() {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(why) => {
                let program = command.get_program().display();
                println!("cannot run `{program}`: {why}");
                println!("mdBook is installed by `cargo install mdbook`");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{PAGES}/index.html");
    ExitCode::SUCCESS
}
