//! Folders of files that are tests: the one runner for all of them.
//!
//! A file goes in, and is right, or what is wrong with it comes out. What a file is about, and how it is checked, is the
//! business of the caller. `ONLY=fuse/scan` runs those files only whose path contains this; `BLESS=1` writes down what is
//! found instead of what was expected.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The line between what goes in and what is expected, in files that have both.
const RESULT: &str = "-- result";

/// All files in a folder of the repository, and in the folders in it, sorted.
///
/// # Panics
///
/// If there are none: such a test would say nothing.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(&root().join(folder), &mut files);
    files.sort();
    assert!(!files.is_empty(), "there is no file in {folder}");
    files
}

/// Checks each file, on all processors.
///
/// # Panics
///
/// If some file is wrong, with all that are.
pub fn each(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let only = env::var("ONLY").unwrap_or_default();
    let chosen: Vec<&PathBuf> =
        files.iter().filter(|path| path.to_string_lossy().contains(&only)).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = catch_unwind(AssertUnwindSafe(|| check(path)));
            if let Err(why) = result.unwrap_or_else(|_| Err("panics; see above".to_owned())) {
                let message = format!("{}: {why}", shown(path));
                wrong.lock().expect("no thread panics with it").push((path, message));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut wrong = wrong.into_inner().expect("no thread panics with it");
    wrong.sort();
    let messages: Vec<String> = wrong.into_iter().map(|(_, message)| message).collect();
    let (bad, all) = (messages.len(), chosen.len());
    assert!(bad == 0, "{bad} of {all} files are wrong\n\n{}", messages.join("\n\n"));
}

/// The text of a file that is called `NAME.extension`.
pub fn read(path: &Path, extension: &str) -> Result<String, String> {
    if path.extension().is_none_or(|other| other != extension) {
        return Err(format!("the file is not called NAME.{extension}"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

/// Compares a file with the text that it should have, or writes that.
pub fn expect(path: &Path, found: &str) -> Result<(), String> {
    let old = fs::read_to_string(path).unwrap_or_default();
    if old == found {
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        return fs::write(path, found).map_err(|error| error.to_string());
    }
    let (wanted, found) = match (split(&old), split(found)) {
        ((_, wanted), (_, Some(found))) => (wanted.unwrap_or_default(), found),
        ((_, _), (_, None)) => (old.as_str(), found),
    };
    let wanted = if wanted.is_empty() { "(nothing)\n" } else { wanted };
    Err(format!(
        "the result differs; if it is right, BLESS=1 writes it\n\nold:\n{wanted}\nnew:\n{found}"
    ))
}

/// What goes in, and what is expected, if the file says so.
pub fn split(text: &str) -> (&str, Option<&str>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == RESULT {
            return (&text[..start], Some(&text[start + line.len()..]));
        }
        start += line.len();
    }
    (text, None)
}

/// A file with what goes in and what comes out.
pub fn join(input: &str, result: &str) -> String {
    format!("{}\n{RESULT}\n{result}", input.trim_end())
}

/// The name of the folder that a file is in.
pub fn folder(path: &Path) -> &str {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
}

/// The path of a file as it is called from the root of the repository.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
