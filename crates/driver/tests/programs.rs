//! The programs of `tests/` and `examples/`, each of them one test, through the whole front end.
//!
//! - `tests/check/**/accept/*.fut` are accepted;
//! - `tests/check/**/reject/*.fut` are refused, and the text of the messages is the one beside the
//!   program, in `NAME.snap`. That file starts with the program, so that a reader sees both;
//! - `tests/prelude/*.fut` and `examples/*.fut` are accepted.
//!
//! The first lines of a program say which messages it gets, in order: `-- error: CODE` or
//! `-- warning: CODE`, one line for each. A program without such lines gets none, not even a
//! warning. `BLESS=1` writes the snapshots anew; read the difference before you commit it.
//!
//! A program may import others; those lie in folders with other names, such as `lib`.

use fehu_base::Severity;
use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit, Outcome, Warnings};
use fehu_driver::files::{Disk, Files, ReadError};
use fehu_driver::load::Root;
use fehu_irtest::folder;
use std::path::Path;

/// Longer programs are not repeated in their snapshots.
const MAX_LINES: usize = 60;
/// What stands between the program and the messages.
const SEPARATOR: &str =
    "------------------------------------------------------------------------\n";

#[test]
fn programs_are_accepted_or_rejected() {
    let mut files = Vec::new();
    for place in ["tests/check", "tests/prelude", "examples"] {
        files.extend(folder::files(place));
    }
    folder::each(&files, |path| match (extension(path), folder::folder(path)) {
        ("fut", "accept" | "prelude" | "examples") => accept(path),
        ("fut", "reject") => reject(path),
        ("snap", _) if !path.with_extension("fut").exists() => {
            Err("there is no such program; remove the snapshot".to_owned())
        }
        _ => Ok(()),
    });
}

fn accept(path: &Path) -> Result<(), String> {
    let (text, outcome) = run(path)?;
    let messages = messages(&outcome);
    if outcome.exit != Exit::Success {
        return Err(format!("this should be accepted:\n\n{messages}"));
    }
    // The prelude's tests use what programs should not, and say so in words.
    if folder::folder(path) == "prelude" {
        Ok(())
    } else {
        compare_codes(&text, &outcome, &messages)
    }
}

fn reject(path: &Path) -> Result<(), String> {
    let (text, outcome) = run(path)?;
    let messages = messages(&outcome);
    match outcome.exit {
        Exit::Rejected => {}
        Exit::Success => return Err("this should be refused, but is accepted".to_owned()),
        Exit::Internal => return Err(format!("the compiler failed:\n\n{messages}")),
    }
    compare_codes(&text, &outcome, &messages)?;
    let program = match text.lines().count() > MAX_LINES {
        true => format!("(a program of {} lines)\n", text.lines().count()),
        false => text,
    };
    folder::expect(&path.with_extension("snap"), &format!("{program}{SEPARATOR}{messages}"))
}

/// Whether the messages are those that the first lines promise.
fn compare_codes(text: &str, outcome: &Outcome, messages: &str) -> Result<(), String> {
    let promised: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("-- "))
        .filter(|line| line.starts_with("error: ") || line.starts_with("warning: "))
        .collect();
    let found: Vec<String> = outcome
        .diagnostics
        .iter()
        .map(|diagnostic| match diagnostic.severity {
            Severity::Error => format!("error: {}", diagnostic.code),
            Severity::Warning => format!("warning: {}", diagnostic.code),
        })
        .collect();
    if promised == found {
        return Ok(());
    }
    let (promised, found) = (promised.join(", "), found.join(", "));
    Err(format!("promised: {promised}\nfound:    {found}\n\n{messages}"))
}

fn run(path: &Path) -> Result<(String, Outcome), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let outcome = check::check(&Repository, &Root::Path(folder::shown(path)), Warnings::Show);
    Ok((String::from_utf8_lossy(&bytes).into_owned(), outcome))
}

fn messages(outcome: &Outcome) -> String {
    let draw = |diagnostic| render::text(&outcome.sources, diagnostic, Style::Plain);
    outcome.diagnostics.iter().map(draw).collect::<Vec<_>>().join("\n")
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// The files of the repository, by the paths that messages show: relative to its root.
struct Repository;

impl Files for Repository {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        Disk.read(&folder::root().join(path).display().to_string())
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(&folder::root().join(path).display().to_string())
    }
}
