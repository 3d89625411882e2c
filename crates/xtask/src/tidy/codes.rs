//! Codes of diagnostics: in the source, in `docs/errors`, and in tests.

use super::{Report, TextFile};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose first argument may be a code. Helpers with other names can be added. A code may
/// also be bound by `let code = "..."`, or by `let code = match ... };` that yields one of several.
const CONSTRUCTORS: [&str; 4] = ["error", "warning", "error_without_place", "placed"];

/// Whether a code without a page is a problem, or only worth a remark.
const PAGES_REQUIRED: bool = true;
/// Whether a code that no test mentions is a problem, or only worth a remark.
const TESTS_REQUIRED: bool = true;

const PAGES: &str = "docs/errors/";
const SECTIONS: [&str; 3] = ["\n## What it means\n", "\n## Example\n", "\n## How to fix it\n"];

/// Compares codes, pages and tests.
pub(super) fn check(files: &[TextFile], report: &mut Report) {
    let used = used_codes(files);
    let pages: BTreeMap<&str, &TextFile> = files
        .iter()
        .filter_map(|file| Some((file.path.strip_prefix(PAGES)?.strip_suffix(".md")?, file)))
        .filter(|(code, _)| *code != "README")
        .collect();
    for (code, path) in &used {
        if !pages.contains_key(code.as_str()) {
            report.add(
                PAGES_REQUIRED,
                format!("{path}: the code {code} has no page {PAGES}{code}.md"),
            );
        }
    }
    for (code, page) in &pages {
        if !used.contains_key(*code) {
            report.problems.push(format!("{}: no diagnostic has this code", page.path));
        }
        report.problems.extend(page_problems(code, page));
    }
    let tested = tested_codes(files, used.keys().map(String::as_str));
    let untested = used.keys().filter(|code| !tested.contains(code.as_str()));
    for code in untested {
        if pages.get(code.as_str()).is_some_and(|page| has_tested_example(page)) {
            continue;
        }
        let message = format!("no test mentions the code {code}");
        report.add(TESTS_REQUIRED, message);
    }
}

fn page_problems(code: &str, page: &TextFile) -> Vec<String> {
    let mut problems = Vec::new();
    if !page.text.starts_with(&format!("# {code}: ")) {
        problems.push(format!("{}:1: the first line is not `# {code}: headline`", page.path));
    }
    let places: Vec<Option<usize>> = SECTIONS.iter().map(|title| page.text.find(title)).collect();
    if places.iter().any(Option::is_none) || !places.is_sorted() {
        let sections = SECTIONS.map(str::trim).join("`, `");
        problems.push(format!("{}: the sections are not `{sections}`", page.path));
    }
    problems
}

/// Each code with the path of a file that uses it.
fn used_codes(files: &[TextFile]) -> BTreeMap<String, &str> {
    let before = format!(r"(?:\b(?:{})\(|let code =)", CONSTRUCTORS.join("|"));
    let pattern = format!(r#"{before}\s*"([a-z0-9]+(?:-[a-z0-9]+)*)""#);
    let choice = Regex::new(r"let code = match(?s:.*?)\};");
    let chosen = Regex::new(r#""([a-z0-9]+(?:-[a-z0-9]+)*)""#);
    let (Ok(pattern), Ok(choice), Ok(chosen)) = (Regex::new(&pattern), choice, chosen) else {
        return BTreeMap::new();
    };
    let mut codes = BTreeMap::new();
    let is_source = |file: &&TextFile| {
        file.is_rust() && file.path.contains("/src/") && !file.path.contains("xtask/")
    };
    for file in files.iter().filter(is_source) {
        let (product, _) = split_tests(file);
        let code_lines: Vec<&str> =
            product.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let text = code_lines.join("\n");
        let several =
            choice.find_iter(&text).flat_map(|found| chosen.captures_iter(found.as_str()));
        for found in pattern.captures_iter(&text).chain(several) {
            codes.entry(found[1].to_owned()).or_insert(file.path.as_str());
        }
    }
    codes
}

/// The codes that stand in brackets or quotes, or in the first line of a program, in some test.
fn tested_codes<'a>(files: &[TextFile], codes: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let tests: Vec<&str> = files.iter().map(|file| split_tests(file).1).collect();
    let mentioned = |code: &str| {
        let spellings = [format!("[{code}]"), format!("\"{code}\""), format!(": {code}\n")];
        tests.iter().any(|test| spellings.iter().any(|spelling| test.contains(spelling)))
    };
    codes.filter(|code| mentioned(code)).collect()
}

/// Whether a page has an example that is run; see `crates/driver/tests/error_pages.rs`.
fn has_tested_example(page: &TextFile) -> bool {
    let example = page.text.split("\n## ").find(|section| section.starts_with("Example\n"));
    example.is_some_and(|section| section.contains("```futhark\n"))
}

/// The part of a file that is the product, and the part that is tests.
fn split_tests(file: &TextFile) -> (&str, &str) {
    let is_test = file.path.starts_with("tests/")
        || file.path.contains("/tests/")
        || file.path.ends_with("/tests.rs")
        || file.path.ends_with(".snap");
    if is_test {
        return ("", &file.text);
    }
    match file.text.find("#[cfg(test)]\nmod tests {") {
        Some(start) => file.text.split_at(start),
        None => (&file.text, ""),
    }
}
