//! `cargo xtask tidy`: house rules that neither rustc nor clippy can check. Also a test.
//!
//! - files of integration tests are modules of the one program `tests/all.rs`, if there is one, and a library that is
//!   not compiled for tests has none;
//! - Rust files start with `//!`, have no tabs, and are not longer than [`MAX_LINES`];
//! - text files have no trailing blanks and no paths of somebody's machine;
//! - each code of a diagnostic has a page `docs/errors/CODE.md` of the right shape, and each page
//!   belongs to a code;
//! - each code is mentioned by a test;
//! - the stages of the compiler turn on their lints, and do not touch the world outside.
//!
//! What is not required yet is a remark: see the constants in `tidy/codes.rs`.

mod codes;
mod crates;

use std::path::{Path, PathBuf};

/// The most lines of a Rust file.
const MAX_LINES: usize = 1000;
/// Longer files, each with the reason why it is not split.
const LONG_FILES: &[(&str, &str)] = &[];

/// Folders (and in a work tree the file `.git`) that are not ours to check.
const SKIPPED: [&str; 3] = [".git", "target", "corpus"];
/// The kinds of files that are checked.
const TEXT: [&str; 8] = ["rs", "md", "toml", "fut", "sh", "yml", "snap", ""];

/// What was found.
#[derive(Default)]
pub(crate) struct Report {
    /// Things to repair.
    pub(crate) problems: Vec<String>,
    /// Things to know.
    pub(crate) remarks: Vec<String>,
}

impl Report {
    fn add(&mut self, required: bool, message: String) {
        if required { &mut self.problems } else { &mut self.remarks }.push(message);
    }
}

/// A file of the repository.
struct TextFile {
    /// Relative to the root, with `/`.
    path: String,
    text: String,
}

impl TextFile {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// Checks the repository.
pub(crate) fn check(root: &Path) -> Report {
    let mut report = Report::default();
    let files = text_files(root);
    for file in &files {
        report.problems.extend(line_problems(file));
        if file.is_rust() {
            report.problems.extend(rust_problems(file));
        }
    }
    report.problems.extend(lost_tests(&files));
    codes::check(&files, &mut report);
    crates::check(&files, &mut report);
    report
}

/// Tests that would never run: files of integration tests that are no part of the program, and tests in libraries that are not
/// compiled for tests.
fn lost_tests(files: &[TextFile]) -> Vec<String> {
    let mut problems = Vec::new();
    for all in files.iter().filter(|file| file.path.ends_with("/tests/all.rs")) {
        let folder = all.path.trim_end_matches("all.rs");
        for file in files {
            let Some(name) = file.path.strip_prefix(folder) else { continue };
            let module = name.strip_suffix("/mod.rs").or(name.strip_suffix(".rs"));
            let Some(module) = module.filter(|name| !name.contains('/') && *name != "all") else {
                continue;
            };
            if !all.text.lines().any(|line| line == format!("mod {module};")) {
                problems.push(format!("{}: it is not a module of {}", file.path, all.path));
            }
        }
    }
    for manifest in files.iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let lib = manifest.text.split("[lib]").nth(1).and_then(|rest| rest.split('[').next());
        if !lib.is_some_and(|lib| lib.lines().any(|line| line == "test = false")) {
            continue;
        }
        let folder = manifest.path.replace("Cargo.toml", "src/");
        for file in files.iter().filter(|file| file.path.starts_with(&folder)) {
            if file.text.lines().any(|line| line.trim() == "#[test]") {
                let why = "the library is not compiled for tests; they belong into `tests`";
                problems.push(format!("{}: {why}", file.path));
            }
        }
    }
    problems
}

fn rust_problems(file: &TextFile) -> Vec<String> {
    let mut problems = Vec::new();
    let path = &file.path;
    if !file.text.starts_with("//!") {
        problems.push(format!(
            "{path}:1: the file does not start with a `//!` comment that says what it is for"
        ));
    }
    let lines = file.text.lines().count();
    let excused = LONG_FILES.iter().any(|(long, _)| long == path);
    if lines > MAX_LINES && !excused {
        problems.push(format!("{path}: {lines} lines; split it, or explain in LONG_FILES why not"));
    }
    if let Some(line) = file.text.lines().position(|line| line.contains('\t')) {
        problems.push(format!("{path}:{}: a tab", line + 1));
    }
    problems
}

fn line_problems(file: &TextFile) -> Vec<String> {
    // Spelled in two parts so that this file does not contain them.
    let machine_paths = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Us", "ers/"),
    ];
    // Snapshots, and texts that the formatter has to tidy up.
    let blanks_allowed = file.path.ends_with(".snap") || file.path.contains("/fmt/cases/");
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let place = format!("{}:{}", file.path, index + 1);
        if line.trim_end() != line && !blanks_allowed {
            problems.push(format!("{place}: trailing whitespace"));
        }
        if machine_paths.iter().any(|path| line.contains(path)) {
            problems.push(format!("{place}: a path that exists only on somebody's machine"));
        }
    }
    problems
}

/// All text files, sorted by path.
fn text_files(root: &Path) -> Vec<TextFile> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if TEXT.contains(&extension.as_str())
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                let path = path.strip_prefix(root).unwrap_or(&path);
                files.push(TextFile { path: path.display().to_string(), text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_repository_is_tidy() {
        let report = super::check(&crate::root());
        assert!(report.problems.is_empty(), "\n{}\n", report.problems.join("\n"));
    }

    #[test]
    fn tests_that_would_never_run_are_found() {
        let file = |path: &str, text: &str| super::TextFile {
            path: format!("crates/a/tests/{path}"),
            text: text.to_owned(),
        };
        let files = [
            file("all.rs", "mod one;\n// mod three;\nmod common;\n"),
            file("one.rs", ""),
            file("common/mod.rs", ""),
            file("common/part.rs", ""),
            file("two.rs", ""),
            file("three/mod.rs", ""),
        ];
        let found = super::lost_tests(&files);
        let wanted = ["two.rs", "three/mod.rs"].map(|name| {
            format!("crates/a/tests/{name}: it is not a module of crates/a/tests/all.rs")
        });
        assert_eq!(found, wanted);
    }

    #[test]
    fn tests_in_libraries_without_tests_are_found() {
        let file = |path: &str, text: &str| super::TextFile {
            path: format!("crates/{path}"),
            text: text.to_owned(),
        };
        let test = "mod tests {\n    #[test]\n    fn f() {}\n}\n";
        let files = [
            file("a/Cargo.toml", "[package]\n\n[lib]\ntest = false\n\n[dependencies]\n"),
            file("a/src/lib.rs", "//! `#[test]`\n"),
            file("a/src/lost.rs", test),
            file("a/tests/all.rs", test),
            file("b/Cargo.toml", "[lib]\ndoctest = false\n\n[[bin]]\ntest = false\n"),
            file("b/src/lib.rs", test),
        ];
        let found = super::lost_tests(&files);
        let why = "the library is not compiled for tests; they belong into `tests`";
        assert_eq!(found, [format!("crates/a/src/lost.rs: {why}")]);
    }
}
