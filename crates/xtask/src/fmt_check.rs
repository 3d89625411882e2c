//! `cargo xtask conformance --fmt`: is the formatter idempotent, and does it keep the tree?

use crate::conformance::Verdict;
use crate::process;
use fehu_base::{FileId, stack};
use fehu_driver::stages;
use regex_lite::Regex;
use std::path::Path;
use std::time::Duration;

/// Formats a program twice and compares. Programs that do not parse are left out.
pub(crate) fn check(fehu: &Path, program: &[u8], limit: Duration) -> Result<(), (Verdict, String)> {
    let Some(before) = std::str::from_utf8(program).ok().and_then(tree) else {
        return Ok(());
    };
    let once = format(fehu, program, limit)?;
    let twice = format(fehu, once.as_bytes(), limit)?;
    if once != twice {
        let difference = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
        let line = difference.map_or("", |(line, _)| line);
        return Err((Verdict::OtherMessage, format!("not idempotent: {line}")));
    }
    match tree(&once) {
        Some(after) if after == before => Ok(()),
        Some(_) => Err((Verdict::WronglyAccepted, "the tree has changed".to_owned())),
        None => Err((Verdict::WronglyRejected, "the result does not parse".to_owned())),
    }
}

fn format(fehu: &Path, program: &[u8], limit: Duration) -> Result<String, (Verdict, String)> {
    let finished = process::run(fehu, &["fmt"], program, limit)
        .map_err(|error| (Verdict::Crash, error.to_string()))?;
    let first_line = finished.stderr.lines().next().unwrap_or("").to_owned();
    match finished.code {
        _ if finished.timed_out => Err((Verdict::Timeout, first_line)),
        Some(0) => Ok(finished.stdout),
        Some(2) => Err((Verdict::WronglyRejected, first_line)),
        _ => Err((Verdict::Crash, first_line)),
    }
}

/// The declarations as text without places, or `None` if the program does not parse.
fn tree(program: &str) -> Option<String> {
    let (tree, errors) = stack::with_large_stack(|| {
        let (tree, found) = stages::parse(FileId(0), program);
        (format!("{:?}", tree.decs), found)
    });
    let places = Regex::new(r"Span \{[^}]*\}|node[0-9]+").ok()?;
    let refused = errors.iter().any(fehu_base::Diagnostic::is_error);
    (!refused).then(|| places.replace_all(&tree, "_").into_owned())
}
