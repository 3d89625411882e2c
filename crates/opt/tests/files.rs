//! The programs in `tests/ir/PASS/*.ir`, each of them one test of the passes that it names; see
//! [`fehu_irtest::file`] for what a file looks like and what is checked.
//!
//! The folder is the pass that the test is about. `BLESS=1` writes the results anew, if nothing else is wrong;
//! read the difference before you commit it.

use fehu_irtest::file;
use fehu_opt::PASSES;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folders that are read elsewhere: `crates/ir/tests/files.rs`, `crates/par/tests/files.rs`.
const OTHERS: [&str; 4] = ["expose", "flatten", "text", "verify"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut trials = Vec::new();
    let mut folders = entries(&root);
    folders.retain(|path| path.is_dir() && !OTHERS.contains(&name(path).as_str()));
    for folder in folders {
        for path in entries(&folder) {
            let title = format!("{}/{}", name(&folder), name(&path));
            let pass = name(&folder);
            trials.push(Trial::test(title, move || run(&path, &pass)));
        }
    }
    trials.push(Trial::test("each pass has tests", move || all_tested(&root)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn run(path: &Path, pass: &str) -> Result<(), Failed> {
    if path.extension().is_none_or(|extension| extension != "ir") {
        return Err("the file is not called NAME.ir".into());
    }
    let text = std::fs::read_to_string(path)?;
    let header = file::header(&text)?;
    if !header.passes.iter().any(|name| name == pass) {
        return Err(format!("the folder is that of \"{pass}\", which the file does not run").into());
    }
    let new = file::check(&text, PASSES)?;
    if new == text {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(path, new).map_err(Failed::from);
    }
    let advice = "if it is right, write it with `BLESS=1 cargo test -p fehu-opt --test files`";
    let wanted = file::split(&text).1.unwrap_or("(none)\n");
    let found = file::split(&new).1.unwrap_or_default();
    Err(format!("the result differs; {advice}\n\nwritten down:\n{wanted}\nfound:\n{found}").into())
}

fn all_tested(root: &Path) -> Result<(), Failed> {
    for pass in PASSES {
        if entries(&root.join(pass.name)).is_empty() {
            return Err(format!("there is no test in tests/ir/{}", pass.name).into());
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
