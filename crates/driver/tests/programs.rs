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
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Longer programs are not repeated in their snapshots.
const MAX_LINES: usize = 60;
/// What stands between the program and the messages.
const SEPARATOR: &str =
    "------------------------------------------------------------------------\n";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // Paths in messages are relative to the root of the repository.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if let Err(error) = std::env::set_current_dir(&root) {
        return fail(&format!("{}: {error}", root.display()));
    }
    let mut files = Vec::new();
    for folder in ["tests/check", "tests/prelude", "examples"] {
        collect(Path::new(folder), &mut files);
    }
    files.sort();
    libtest_mimic::run(&arguments, trials(&files)).exit_code()
}

fn trials(files: &[PathBuf]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in files {
        let program = path.clone();
        let name = path.display().to_string();
        match (extension(path), folder(path)) {
            ("fut", "accept" | "prelude" | "examples") => {
                trials.push(Trial::test(name, move || accept(&program)));
            }
            ("fut", "reject") => trials.push(Trial::test(name, move || reject(&program))),
            _ => {}
        }
    }
    let stale: Vec<String> = files
        .iter()
        .filter(|path| extension(path) == "snap" && !files.contains(&path.with_extension("fut")))
        .map(|path| format!("{}: there is no such program; remove the snapshot", path.display()))
        .collect();
    let verdict = if stale.is_empty() { Ok(()) } else { Err(stale.join("\n").into()) };
    trials.push(Trial::test("each snapshot has its program", || verdict));
    trials
}

fn accept(path: &Path) -> Result<(), Failed> {
    let (text, outcome) = run(path)?;
    let messages = messages(&outcome);
    if outcome.exit != Exit::Success {
        return Err(format!("this should be accepted:\n\n{messages}").into());
    }
    // The prelude's tests use what programs should not, and say so in words.
    if folder(path) == "prelude" { Ok(()) } else { compare_codes(&text, &outcome, &messages) }
}

fn reject(path: &Path) -> Result<(), Failed> {
    let (text, outcome) = run(path)?;
    let messages = messages(&outcome);
    match outcome.exit {
        Exit::Rejected => {}
        Exit::Success => return Err("this should be refused, but is accepted".into()),
        Exit::Internal => return Err(format!("the compiler failed:\n\n{messages}").into()),
    }
    compare_codes(&text, &outcome, &messages)?;
    let program = match text.lines().count() > MAX_LINES {
        true => format!("(a program of {} lines)\n", text.lines().count()),
        false => text,
    };
    compare_snapshot(&path.with_extension("snap"), &format!("{program}{SEPARATOR}{messages}"))
}

/// Whether the messages are those that the first lines promise.
fn compare_codes(text: &str, outcome: &Outcome, messages: &str) -> Result<(), Failed> {
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
    Err(format!("promised: {promised}\nfound:    {found}\n\n{messages}").into())
}

fn compare_snapshot(path: &Path, text: &str) -> Result<(), Failed> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    if old == text {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(path, text).map_err(Failed::from);
    }
    let advice = "if the new text is right, write it with `BLESS=1 cargo test --test programs`";
    let path = path.display();
    Err(match old.is_empty() {
        true => format!("{path} is missing; {advice}\n\n{text}"),
        false => format!("{path} differs; {advice}\n\nold:\n{old}\nnew:\n{text}"),
    }
    .into())
}

fn run(path: &Path) -> Result<(String, Outcome), Failed> {
    let bytes = std::fs::read(path)?;
    let outcome = check::check(&Disk, &Root::Path(path.display().to_string()), Warnings::Show);
    Ok((String::from_utf8_lossy(&bytes).into_owned(), outcome))
}

fn messages(outcome: &Outcome) -> String {
    let draw = |diagnostic| render::text(&outcome.sources, diagnostic, Style::Plain);
    outcome.diagnostics.iter().map(draw).collect::<Vec<_>>().join("\n")
}

/// All programs and snapshots in a folder and the folders in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if matches!(extension(&path), "fut" | "snap") {
            files.push(path);
        }
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// The name of the folder that a file is in.
fn folder(path: &Path) -> &str {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("")
}

#[expect(clippy::print_stderr, reason = "there is no test yet that could fail")]
fn fail(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}
