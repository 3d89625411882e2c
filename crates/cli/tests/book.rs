//! The book and the README tell the truth: their programs are checked and run, their sessions are repeated, their links
//! lead somewhere.
//!
//! A page is read as text and blocks (`page`). What a machine can say is computed anew and put in its place: the
//! answers of examples and the messages of the compiler (`programs`), and what commands print (`sessions`). The page
//! must then be what it was; with `BLESS=1` it is written. Blocks of Python are run by
//! `python/tests/test_documents.py`, which has the package.

mod page;
mod programs;
mod sessions;

use crate::common::{fehu, folder, repository, succeed};
use page::Page;
use programs::Programs;
use regex_lite::Regex;
use sessions::Sandbox;
use std::path::{Path, PathBuf};

#[test]
fn programs_and_sessions_are_right() {
    let mut programs = Programs::default();
    let cases = folder("book-cases");
    let mut stale = Vec::new();
    for path in pages() {
        let name = name(&path);
        let text = std::fs::read_to_string(&path).expect("the page can be read");
        let mut page = Page::parse(&name, &text);
        let sandbox = Sandbox::new(&name, &page);
        programs.renew(&mut page);
        sandbox.renew(&mut page);
        for (number, program) in page.with_cases().enumerate() {
            let file = format!("{}_{number}.fut", name.replace(['/', '.'], "_"));
            std::fs::write(cases.join(file), program).expect("it can be written");
        }
        let renewed = page.to_string();
        if renewed == text {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, renewed).expect("the page can be written");
        } else {
            let wrong = text.lines().zip(renewed.lines()).position(|(old, new)| old != new);
            let line = wrong.unwrap_or(text.lines().count().min(renewed.lines().count()));
            let shown = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
            stale.push(format!(
                "{name}:{}: {}\n  now: {}",
                line + 1,
                shown(&text),
                shown(&renewed)
            ));
        }
    }
    assert!(stale.is_empty(), "BLESS=1 writes these anew:\n{}", stale.join("\n"));
    // What test blocks say, all in one process.
    succeed(fehu().args(["test", "--jit"]).arg(&cases));
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for path in pages().into_iter().chain([summary()]) {
        let text = std::fs::read_to_string(&path).expect("the page can be read");
        for target in Page::parse(&name(&path), &text).links() {
            let file = path.parent().expect("it is in a folder").join(&target);
            // `cargo xtask book` writes the pages of the prelude.
            if !file.exists() && target != "prelude/index.html" {
                broken.push(format!("{}: {target}", name(&path)));
            }
        }
    }
    assert!(broken.is_empty(), "these lead nowhere:\n{}", broken.join("\n"));
}

/// Run with `BLESS=1` to write down the pages of errors.
#[test]
fn the_table_of_contents_is_complete() {
    let written = std::fs::read_to_string(summary()).expect("it can be read");
    let of_code = |line: &&str| line.starts_with("  - [") && line.contains("](errors/");
    let mut text = String::new();
    for line in written.lines().filter(|line| !of_code(line)) {
        text.push_str(&format!("{line}\n"));
        if line.ends_with("](errors/README.md)") {
            for (code, _) in fehu_driver::explain::codes() {
                text.push_str(&format!("  - [{code}](errors/{code}.md)\n"));
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(summary(), &text).expect("it can be written");
    } else {
        assert!(written == text, "not all errors are in SUMMARY.md; BLESS=1 writes them");
    }
    let listed = |path: &&PathBuf| text.contains(&format!("({})", name(path)));
    let chapters =
        pages().into_iter().filter(|path| !path.ends_with("README.md") || name(path).contains('/'));
    let missing: Vec<String> =
        chapters.filter(|path| !listed(&path)).map(|path| name(&path)).collect();
    assert!(missing.is_empty(), "SUMMARY.md does not have {missing:?}");
}

/// Run with `BLESS=1` to write it.
#[test]
fn the_rendered_program_is_current() {
    let (made, kept) = (folder("book-rendered"), repository().join("docs/book/src/rendered"));
    std::fs::copy(repository().join("examples/literate/fit.fut"), made.join("fit.fut"))
        .expect("it can be copied");
    succeed(fehu().args(["literate", "-i", "fit.fut"]).current_dir(&made));
    let shown = |folder: &Path| -> Vec<(String, String)> {
        let pictures = std::fs::read_dir(folder.join("fit-img")).into_iter().flatten();
        let pictures = pictures.map(|entry| entry.expect("it can be listed").path());
        let pictures = pictures.filter(|path| path.extension().is_some_and(|kind| kind == "svg"));
        let mut files: Vec<PathBuf> = pictures.chain([folder.join("fit.md")]).collect();
        files.sort();
        let within = |path: &Path| {
            path.strip_prefix(folder).expect("it is in the folder").display().to_string()
        };
        // The last digits depend on the order of operations in derivatives.
        let digits = Regex::new(r"(\.\d{6})\d+").expect("it is a pattern");
        let text = |path: &Path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            digits.replace_all(&text, "$1").into_owned()
        };
        files.iter().map(|path| (within(path), text(path))).collect()
    };
    if std::env::var_os("BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&kept);
        std::fs::create_dir_all(kept.join("fit-img")).expect("the folder can be made");
        for (name, text) in shown(&made) {
            std::fs::write(kept.join(name), text).expect("it can be written");
        }
    }
    assert!(shown(&made) == shown(&kept), "BLESS=1 renders examples/literate/fit.fut anew");
}

/// Every command has a place in the chapters with an example, besides what its `--help` says.
#[test]
fn every_command_is_in_the_book() {
    let help = succeed(fehu().arg("--help"));
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands =
        lines.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    let texts: Vec<String> = pages()
        .iter()
        .filter(|path| !path.ends_with("commands.md"))
        .map(|path| std::fs::read_to_string(path).expect("the page can be read"))
        .collect();
    let missing: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .filter(|command| {
            let example = format!("fehu {command}");
            !texts.iter().any(|text| text.contains(&example))
        })
        .collect();
    assert!(missing.is_empty(), "no chapter shows {missing:?}");
}

/// The table of contents.
fn summary() -> PathBuf {
    repository().join("docs/book/src/SUMMARY.md")
}

/// The chapters of the book, and the README.
fn pages() -> Vec<PathBuf> {
    let root = repository();
    let mut found = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs/book/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it is there") {
            let entry = entry.expect("it can be listed");
            let kind = entry.file_type().expect("it has a type");
            // `errors` is a link: `crates/driver/tests/error_pages.rs` is about those. What is rendered is checked above.
            if kind.is_dir() && entry.file_name() != "rendered" {
                folders.push(entry.path());
            } else if kind.is_file()
                && entry.path().extension().is_some_and(|found| found == "md")
                && entry.file_name() != "SUMMARY.md"
            {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// What a page is called in messages, and its sandbox.
fn name(path: &Path) -> String {
    let root = repository();
    let within = path.strip_prefix(root.join("docs/book/src")).or(path.strip_prefix(&root));
    within.expect("it is in the repository").display().to_string()
}
