//! The programs in `tests/ir/flatten/*.ir`, each of them one test; see [`fehu_irtest::file`] for what a file looks like
//! and what is checked. Besides, whatever is left at the host level is a nest.
//!
//! `BLESS=1` writes the results anew, if nothing else is wrong; read the difference before you commit it.

use fehu_ir::pass::Pass;
use fehu_irtest::file;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut trials = Vec::new();
    for pass in fehu_par::PASSES {
        let paths = entries(&root.join(pass.name));
        if paths.is_empty() {
            let missing = format!("there is no test in tests/ir/{}", pass.name);
            trials.push(Trial::test(pass.name, move || Err(missing.into())));
        }
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let title = format!("{}/{name}", pass.name);
            trials.push(Trial::test(title, move || run(&path, pass.name)));
        }
    }
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
    let passes: Vec<Pass> = fehu_par::PASSES.iter().chain(fehu_opt::PASSES).copied().collect();
    let new = file::check(&text, &passes)?;
    if new == text {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(path, new).map_err(Failed::from);
    }
    let advice = "if it is right, write it with `BLESS=1 cargo test -p fehu-par --test files`";
    let wanted = file::split(&text).1.unwrap_or("(none)\n");
    let found = file::split(&new).1.unwrap_or_default();
    Err(format!("the result differs; {advice}\n\nwritten down:\n{wanted}\nfound:\n{found}").into())
}

/// What is in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
