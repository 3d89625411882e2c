//! Programs through servers: `fehu test` and `fehu bench`, with a compiler and servers that are shell scripts.
#![cfg(unix)]

use fehu_driver::stages::Target;
use fehu_harness::bench::measure::{Limits, Progress};
use fehu_harness::bench::{self, Group, Measured, Watch};
use fehu_harness::prepare::Compile;
use fehu_harness::run::{self, Options, ProgramResult, Verdict};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the servers do, as a program; see `fake/server.sh`.
const PROGRAM: &str = "
entry same (xs: []i32) = xs
entry eat (xs: *[]i32) = xs
entry pair (xs: []i32) (ys: []i32) = (xs, ys)
entry left (p: ([]i32, []i32)) : []i32 = p.0
type s = #none | #some i32
entry wrap (xs: []i32) : s = if length xs == 0 then #none else #some xs[0]
entry fail (xs: []i32) = xs[length xs]
entry die (xs: []i32) = xs
entry spoil (xs: []i32) = xs
entry frail (xs: []i32) = xs
entry slow (xs: []i32) = xs
entry endless (xs: []i32) = xs
";

fn fake(script: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake").join(script);
    file.display().to_string()
}

fn compile() -> Compile {
    Compile { futhark: Some(fake("compiler.sh")), ..Compile::new(Target::C) }
}

/// The file of a program with these test blocks.
fn file(name: &str, blocks: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("servers_{name}.fut"));
    std::fs::write(&path, format!("{blocks}{PROGRAM}")).expect("the file can be written");
    path.display().to_string()
}

fn test(name: &str, blocks: &str, compile: Compile) -> ProgramResult {
    let limit = Duration::from_secs(20);
    let options = Options { compile: Some(compile), limit, ..Options::default() };
    run::program(&file(name, blocks), &options)
}

fn failures(result: &ProgramResult) -> Vec<String> {
    let failed = result.verdicts().filter_map(|verdict| match verdict {
        Verdict::Failed(why) => Some(why.clone()),
        Verdict::Limit(which) => Some(which.to_string()),
        Verdict::Passed | Verdict::NotCompiled | Verdict::Skipped(_) => None,
    });
    failed.collect()
}

const BLOCKS: &str = "
-- ==
-- entry: same eat
-- input { [1, 2] } output { [1, 2] }
-- compiled input { [1] } output { [1] }
-- random input { [10]i32 } auto output
-- script input { [3, 4] } output { [3, 4] }
-- script input { let x = same [5] in eat x } output { [5] }

-- ==
-- entry: pair
-- input { [1] [2] } output { [1] [2] }

-- ==
-- entry: left
-- input { [7] [8] } output { [7] }
-- script input { pair [1] [5] } output { [1] }
-- script input { let p = pair [1] [2] in (p.1, [3]) } output { [2] }
-- script input { let (a, b) = pair [1] [4] in (b, a) } output { [4] }

-- ==
-- entry: fail
-- input { [1] } error: it is br.ken
";

#[test]
fn values_scripts_records_and_errors() {
    let result = test("all", BLOCKS, compile());
    assert!(result.is_good() && result.cases.len() == 16, "{result:#?}");
}

#[test]
fn the_older_dialect_is_understood() {
    // Several outputs are a tuple, which need not be a type of the server.
    let old = fake("old.sh");
    let compile = Compile { futhark: Some(old), ..Compile::new(Target::C) };
    let result = test("old", BLOCKS, compile);
    assert!(result.is_good() && result.cases.len() == 16, "{result:#?}");
}

#[test]
fn what_cannot_be_seen_only_has_to_be_there() {
    let blocks = "-- ==\n-- entry: wrap\n-- input { [1] }\n-- input { [1] } auto output\n\
                  -- input { [1] } output { [1] }\n";
    let result = test("hidden", blocks, compile());
    let verdicts: Vec<&Verdict> = result.cases.iter().map(|case| &case.verdict).collect();
    assert_eq!(verdicts[..2], [&Verdict::Passed; 2]);
    let Verdict::Failed(why) = verdicts[2] else { panic!("{result:?}") };
    assert!(why.contains("type s cannot be shown"), "{why}");
}

#[test]
fn mistakes_are_told() {
    let blocks = "-- ==\n-- entry: same\n-- input { [1] } output { [2] }\n-- input { 1 }\n\
                  -- input { [1] [2] }\n-- input { [1] } error: x\n\n-- ==\n-- entry: absent\n\
                  -- input { [1] }\n\n-- ==\n-- entry: fail\n-- input { [1] }\n";
    let result = test("mistakes", blocks, compile());
    let failures = failures(&result);
    let expected = [
        "expected 2i32, got 1i32",
        "has type []i32, but got i32",
        "takes 1 value, but got 2",
        "should have failed with `x`",
        "no entry point \"absent\"; there is \"same\"",
        "Error: it is broken.",
    ];
    assert_eq!(failures.len(), expected.len(), "{failures:#?}");
    for (failure, expected) in failures.iter().zip(expected) {
        assert!(failure.contains(expected), "{failure}");
    }
}

#[test]
fn a_dead_or_stopped_server_does_not_matter_to_the_next_case() {
    let blocks = "-- ==\n-- entry: die endless same\n-- input { [1] } output { [1] }\n\
                  -- input { [2] } output { [2] }\n";
    let options =
        Options { compile: Some(compile()), limit: Duration::from_secs(2), ..Options::default() };
    let begin = Instant::now();
    let result = run::program(&file("dead", blocks), &options);
    assert!(begin.elapsed() < Duration::from_secs(60));
    let verdicts: Vec<&Verdict> = result.cases.iter().map(|case| &case.verdict).collect();
    assert_eq!(verdicts.len(), 6);
    for case in verdicts.chunks(3) {
        let Verdict::Failed(why) = case[0] else { panic!("{result:?}") };
        assert!(why.contains("exit status: 3") && why.contains("I am dying"), "{why}");
        assert!(matches!(case[1], Verdict::Limit(_)), "{result:?}");
        assert_eq!(case[2], &Verdict::Passed);
    }
}

#[test]
fn a_server_has_to_end_well() {
    let blocks = "-- ==\n-- entry: spoil\n-- input { [1] } output { [1] }\n";
    let result = test("spoil", blocks, compile());
    assert_eq!(result.cases[0].verdict, Verdict::Passed);
    let Verdict::Failed(why) = &result.verdict else { panic!("{result:?}") };
    assert!(why.contains("exit status: 23") && why.contains("I have lost memory"), "{why}");
}

#[test]
fn programs_that_are_not_compiled_fail() {
    let absent = Compile { futhark: Some(fake("no-such-compiler")), ..compile() };
    let result = test("absent_compiler", BLOCKS, absent);
    assert!(failures(&result)[0].contains("cannot be started"), "{result:?}");
    let broken = Compile { futhark: Some(fake("broken.sh")), ..compile() };
    let result = test("broken_compiler", BLOCKS, broken);
    assert!(failures(&result)[0].contains("this is no program"), "{result:?}");
    assert!(result.cases.iter().all(|case| case.verdict == Verdict::NotCompiled));
}

#[test]
fn tags_exclude_back_ends() {
    let blocks = "-- ==\n-- entry: same\n-- no_c input { [1] } output { [2] }\n\
                  -- no_multicore input { [1] } output { [1] }\n\
                  -- no_interpreter input { [1] } output { [1] }\n";
    let result = test("tags", blocks, compile());
    let verdicts: Vec<&Verdict> = result.cases.iter().map(|case| &case.verdict).collect();
    assert!(
        matches!(verdicts[..], [Verdict::Skipped(_), Verdict::Passed, Verdict::Passed]),
        "{result:?}"
    );
}

struct Nobody;

impl Watch for Nobody {
    fn warning(&self, _: &str, _: &str) {}
    fn group(&self, _: &str) {}
    fn begin(&self, _: &str) {}
    fn left_out(&self, _: &str, _: &str) {}
    fn step(&self, _: &str, progress: &Progress) {
        assert!((0.0..=1.0).contains(&progress.part));
    }
    fn dataset(&self, _: &str, _: &Result<Measured, String>) {}
}

fn measure(name: &str, blocks: &str) -> Vec<Group> {
    let limits = Limits { least: Duration::from_millis(20), ..Limits::default() };
    let options = bench::Options {
        compile: compile(),
        limits,
        timeout: Some(Duration::from_secs(5)),
        entry: None,
        exclude: vec!["excluded".to_owned()],
        spec: None,
        seed: 1,
        profile: false,
    };
    let ready = bench::ready(&file(name, blocks), &options).expect("it compiles");
    ready.map(|ready| bench::run(ready, &options, &Nobody)).unwrap_or_default()
}

#[test]
fn cases_are_measured_as_the_server_tells() {
    let blocks = "-- ==\n-- entry: same eat\n-- \"one\" input { [1] } output { [1] }\n\
                  -- \"wrong\" input { [1] } output { [2] }\n-- nobench input { [1] }\n\
                  -- excluded input { [1] }\n-- \"script\" script input { same [1] }\n\n\
                  -- ==\n-- entry: fail\n-- input { [1] } error: x\n";
    let groups = measure("measured", blocks);
    let names: Vec<_> = groups.iter().map(|g| g.name.rsplit(':').next().unwrap_or("")).collect();
    assert_eq!(names, ["same", "eat"]);
    for (group, time) in groups.iter().zip([100, 200]) {
        let datasets: Vec<&str> = group.datasets.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(datasets, ["one", "wrong", "script"]);
        let one = group.datasets[0].1.as_ref().expect("it runs");
        assert!(one.runtimes.len() >= 10 && one.runtimes.iter().all(|&t| t == time), "{one:?}");
        assert_eq!(one.bytes, [("default space".to_owned(), 64)]);
        let wrong = group.datasets[1].1.as_ref().expect_err("the result is another");
        assert!(wrong.contains("expected 2i32"), "{wrong}");
        assert!(group.datasets[2].1.is_ok());
    }
}

#[test]
fn failures_do_not_end_the_measurement() {
    let blocks = "-- ==\n-- entry: fail die endless slow\n-- input { [1] }\n";
    let groups = measure("failing", blocks);
    let results: Vec<_> = groups.iter().map(|group| &group.datasets[0].1).collect();
    let told = |i: usize| results[i].as_ref().expect_err("it does not end well").as_str();
    assert!(told(0).contains("it is broken") && told(1).contains("I am dying"));
    assert!(told(2).contains("`--timeout SECONDS`"));
    assert!(results[3].as_ref().is_ok_and(|measured| measured.runtimes[0] == 10_000));
}

#[test]
fn a_server_that_dies_between_two_runs_is_told() {
    let blocks = "-- ==\n-- entry: frail\n-- input { [1] }\n-- input { [1, 2] }\n";
    let groups = measure("frail", blocks);
    for (_, result) in &groups[0].datasets {
        let why = result.as_ref().expect_err("the server cannot go on");
        assert!(why.contains("the server ended (exit status: 4): I break"), "{why}");
    }
    assert_eq!(groups[0].datasets.len(), 2);
}

#[test]
fn nothing_to_measure_is_not_even_compiled() {
    let options = bench::Options {
        compile: Compile { futhark: Some(fake("no-such-compiler")), ..compile() },
        limits: Limits::default(),
        timeout: None,
        entry: None,
        exclude: Vec::new(),
        spec: None,
        seed: 1,
        profile: false,
    };
    let blocks = "-- ==\n-- entry: same\n-- nobench input { [1] }\n";
    let ready = bench::ready(&file("nothing", blocks), &options);
    assert!(matches!(ready, Ok(None)));
    let blocks = "-- ==\n-- entry: same\n-- input { [1] }\n";
    assert!(bench::ready(&file("something", blocks), &options).is_err());
}
