//! Formats all programs below a folder. Set `FEHU_FMT_CORPUS` to run it; the texts stay where they
//! are, and only those that parse are looked at.

use super::check;
use std::path::{Path, PathBuf};

#[test]
#[expect(clippy::print_stderr, reason = "says what was done, for whoever asked for it")]
fn corpus() {
    let Some(folder) = std::env::var_os("FEHU_FMT_CORPUS") else {
        eprintln!("skipped: FEHU_FMT_CORPUS names no folder");
        return;
    };
    let mut paths = Vec::new();
    collect(Path::new(&folder), &mut paths);
    paths.sort();
    let (mut formatted, mut unchanged) = (0, 0);
    let mut failures = Vec::new();
    for path in &paths {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        match check(&text) {
            None => {}
            Some(Ok(result)) => {
                formatted += 1;
                unchanged += usize::from(result == text);
            }
            Some(Err(why)) => failures.push(format!("{}: {why}", path.display())),
        }
    }
    eprintln!("{} files, {formatted} formatted, {unchanged} of them unchanged", paths.len());
    assert!(failures.is_empty(), "{} failures, such as {}", failures.len(), failures[0]);
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|e| e == "fut") {
            paths.push(path);
        }
    }
}
