//! Rules for the crates that a program passes through.
//!
//! - Their first page turns on [`LINTS`], which are for code that goes on with something wrong: an `expect` that says nothing
//!   to the user, and a `_` that swallows a new variant. Tests may do both, so these lints are not in `Cargo.toml`.
//! - They do not touch files, processes and the environment: the same input gives the same output.

use super::{Report, TextFile};

/// The crates from text to C.
const STAGES: [&str; 17] = [
    "base", "syntax", "check", "analysis", "ir", "lower", "interp", "facts", "opt", "par", "mem",
    "imp", "emit", "loops", "device", "oracle", "backend",
];

/// What each of them says in its `lib.rs`.
pub(super) const LINTS: &str =
    "#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]";

/// The world outside.
const OUTSIDE: [&str; 4] = ["std::fs", "std::env", "std::process", "std::net"];

/// Checks all stages.
pub(super) fn check(files: &[TextFile], report: &mut Report) {
    for name in STAGES {
        let folder = format!("crates/{name}/src/");
        let page = format!("{folder}lib.rs");
        match files.iter().find(|file| file.path == page) {
            Some(file) if file.text.lines().any(|line| line == LINTS) => {}
            Some(_) => report.problems.push(format!("{page}: `{LINTS}` is missing")),
            None => report.problems.push(format!("{page}: there is no such file")),
        }
        let own = files.iter().filter(|file| file.path.starts_with(&folder) && !is_test(file));
        for file in own.filter(|file| file.is_rust()) {
            report.problems.extend(outside(file));
        }
    }
}

fn is_test(file: &TextFile) -> bool {
    file.path.ends_with("/tests.rs") || file.path.contains("/tests/")
}

fn outside(file: &TextFile) -> impl Iterator<Item = String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter(|(_, line)| OUTSIDE.iter().any(|word| line.contains(word)));
    found.map(|(index, _)| {
        format!(
            "{}:{}: a stage of the compiler does not touch files, processes or the environment",
            file.path,
            index + 1
        )
    })
}
