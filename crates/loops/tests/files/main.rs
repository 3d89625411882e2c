//! The programs in `tests/imp/NAME/*.imp`, each of them one test of the transformations that it names; see `file.rs` for
//! what a file looks like and what is checked.
//!
//! The folder is the transformation that the test is about. `BLESS=1` writes the results anew, if nothing else is wrong;
//! read the difference before you commit it.

mod file;
mod header;

use fehu_loops::TRANSFORMATIONS;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/imp");
    let mut trials = Vec::new();
    for folder in entries(&root) {
        for path in entries(&folder) {
            let title = format!("{}/{}", name(&folder), name(&path));
            let about = name(&folder);
            trials.push(Trial::test(title, move || run(&path, &about)));
        }
    }
    trials.push(Trial::test("each transformation has tests", move || all_tested(&root)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn run(path: &Path, about: &str) -> Result<(), Failed> {
    if path.extension().is_none_or(|extension| extension != "imp") {
        return Err("the file is not called NAME.imp".into());
    }
    let text = std::fs::read_to_string(path)?;
    let new = file::check(&text, about)?;
    if new == text {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(path, new).map_err(Failed::from);
    }
    let advice = "if it is right, write it with `BLESS=1 cargo test -p fehu-loops --test files`";
    let wanted = file::split(&text).1.unwrap_or("(none)\n");
    let found = file::split(&new).1.unwrap_or_default();
    Err(format!("the result differs; {advice}\n\nwritten down:\n{wanted}\nfound:\n{found}").into())
}

fn all_tested(root: &Path) -> Result<(), Failed> {
    for transformation in TRANSFORMATIONS {
        let name = transformation.name;
        if entries(&root.join(name)).is_empty() {
            return Err(format!("there is no test in tests/imp/{name}").into());
        }
    }
    Ok(())
}

/// What is in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
