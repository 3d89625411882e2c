//! The programs of `tests/programs`, through the same runner as `fehu test -i`; and what the runner
//! says about programs that do not pass.

use fehu_testing::run::{self, Options, ProgramResult, Verdict};
use fehu_testing::suite::{self, Summary};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").display().to_string()
}

#[test]
fn all_programs_pass() {
    let programs = suite::programs(&[folder()]).expect("the folder can be listed");
    assert!(programs.len() >= 5, "{programs:?}");
    let results = suite::run(&programs, 2, &Options::default(), &|_| {});
    for result in &results {
        assert!(result.is_good(), "{result:#?}");
    }
    let summary = Summary::of(&results);
    assert_eq!(summary.programs.passed, programs.len());
    assert!(summary.values.passed >= 10 && summary.errors.passed >= 4, "{summary}");
}

/// Tests a program that is written to a file of this name.
fn test(name: &str, text: &str, options: &Options) -> ProgramResult {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file can be written");
    run::program(&path.display().to_string(), options)
}

fn failure(name: &str, text: &str) -> String {
    let result = test(name, text, &Options::default());
    let all = std::iter::once(&result.verdict).chain(result.cases.iter().map(|c| &c.verdict));
    let mut failures = all.filter_map(|verdict| match verdict {
        Verdict::Failed(why) => Some(why.clone()),
        Verdict::Passed | Verdict::NotCompiled | Verdict::Timeout | Verdict::Skipped(_) => None,
    });
    failures.next().unwrap_or_else(|| panic!("{name} should fail: {result:?}"))
}

#[test]
fn differences_are_shown_with_their_place() {
    let text = "-- ==\n-- input { [1, 2] } output { [1, 3] }\nentry main (xs: []i32) = xs\n";
    let why = failure("differs.fut", text);
    assert!(why.contains('1') && why.contains("3i32") && why.contains("2i32"), "{why}");
}

#[test]
fn wrong_errors_and_missing_errors_fail() {
    let text = "-- ==\n-- input { 1 } error: x\nentry main (x: i32) = x\n";
    assert!(failure("succeeds.fut", text).contains("should fail"));
    let text = "-- ==\n-- input { 0 } error: overflow\nentry main (x: i32) = 1 / x\n";
    assert!(failure("other_error.fut", text).contains("not with `overflow`"));
    let text = "-- ==\n-- error: x\nentry main (x: i32) = x\n";
    assert!(failure("accepted.fut", text).contains("should be refused"));
    let text = "-- ==\n-- input { 0 }\nentry main (x: i32) = 1 / x\n";
    assert!(failure("fails.fut", text).starts_with("Error: "));
    let text = "-- ==\n-- warning: zebra\n-- input { 0 }\nentry main (x: i32) = x\n";
    assert!(failure("warning.fut", text).contains("zebra"));
}

#[test]
fn mistakes_in_tests_fail() {
    assert!(failure("block.fut", "-- ==\n-- input\n").contains("line"));
    let text = "-- ==\n-- entry: f\n-- input { 1 }\nentry main (x: i32) = x\n";
    assert!(failure("entry.fut", text).contains("no entry point \"f\""));
    let text = "-- ==\n-- input @ nowhere.in\nentry main (x: i32) = x\n";
    assert!(failure("file.fut", text).contains("nowhere.in"));
    let result = run::program("no such program.fut", &Options::default());
    assert!(!result.is_good());
}

#[test]
fn cases_of_programs_that_are_not_compiled_count_as_failed() {
    let text = "-- ==\n-- input { 1 } output { 1 }\nentry main (x: i32) = y\n";
    let result = test("not_compiled.fut", text, &Options::default());
    assert_eq!(result.cases[0].verdict, Verdict::NotCompiled);
    assert_eq!(Summary::of(&[result]).values.failed, 1);
}

#[test]
fn endless_programs_are_stopped() {
    let text = "-- ==\n-- input { 1 }\nentry main (x: i32) = loop y = x while y > 0 do y | 1\n";
    let options = Options { limit: Duration::from_millis(200), ..Options::default() };
    let result = test("endless.fut", text, &options);
    assert_eq!(result.cases[0].verdict, Verdict::Timeout);
    assert!(!result.is_good());
}

#[test]
fn what_cannot_be_tested_is_skipped() {
    let text = "-- ==\n-- compiled input { 1 } output { 2 }\n-- script input { 1 }\n\
                entry main (x: i32) = x\n";
    let result = test("skipped.fut", text, &Options::default());
    assert!(result.cases.iter().all(|case| matches!(case.verdict, Verdict::Skipped(_))));
    assert!(result.is_good());
    let result = test("disabled.fut", "-- ==\n-- tags { disable }\nx\n", &Options::default());
    assert!(matches!(result.verdict, Verdict::Skipped(_)));
}
