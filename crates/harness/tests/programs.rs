//! The programs of `tests/programs`, through the same runner as `fehu test -i`; and what the runner
//! says about programs that do not pass.

use fehu_driver::code::Form;
use fehu_driver::passes::Plan;
use fehu_driver::stages::Target;
use fehu_harness::run::{self, Depth, Options, ProgramResult, Verdict};
use fehu_harness::suite::{self, Summary};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").display().to_string()
}

/// Programs with irregular nests; all the ways in which they are written have the same results.
fn irregular() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/irregular").display().to_string()
}

#[test]
fn all_programs_pass() {
    let programs = suite::programs(&[folder()]).expect("the folder can be listed");
    assert!(programs.len() >= 8, "{programs:?}");
    let results = suite::run(&programs, 2, &Options::default(), &|_| {});
    for result in &results {
        assert!(result.is_good(), "{result:#?}");
    }
    let summary = Summary::of(&results);
    // Programs may have cases with so much work that they are for compiled code only.
    let skipped = summary.programs.skipped;
    assert_eq!(summary.programs.passed + skipped, programs.len());
    assert!(skipped <= 1, "{summary}");
    assert!(summary.values.passed >= 18 && summary.errors.passed >= 5, "{summary}");
    assert!(summary.successes.passed >= 4 && summary.properties.passed >= 5, "{summary}");
}

#[test]
fn sequences_do_not_depend_on_how_they_are_cut() {
    let program = format!("{}/sequences.fut", folder());
    for chunk in [1, 2, 7, 1000] {
        let plan = Plan { chunk: Some(chunk), ..Plan::none() };
        let result = run::program(&program, &Options { plan, ..Options::default() });
        assert!(result.is_good(), "chunks of {chunk}: {result:#?}");
    }
}

/// In the interpreter: what `bench/sequences.py` compares is the same.
#[test]
fn benchmarks_of_sequences_agree_with_arrays() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sequences");
    let names = [folder.display().to_string()];
    let programs = suite::programs(&names).expect("the folder can be listed");
    let results = suite::run(&programs, 2, &Options::default(), &|_| {});
    for result in &results {
        assert!(result.is_good(), "{result:#?}");
    }
    assert_eq!(Summary::of(&results).values.passed, 11);
}

/// That so many cases of programs with irregular nests pass.
fn irregular_programs_pass(names: &[String], options: &Options, cases: usize) {
    let programs = suite::programs(names).expect("the folder can be listed");
    let results = suite::run(&programs, 2, options, &|_| {});
    for result in &results {
        assert!(result.is_good(), "{result:#?}");
    }
    assert!(Summary::of(&results).values.passed >= cases);
}

#[test]
fn irregular_programs_pass_interpreted() {
    irregular_programs_pass(&[irregular()], &Options::default(), 96);
}

/// A few of them; the nests of all kinds are in `tests/programs`.
#[test]
fn irregular_programs_pass_as_kernels() {
    let names = ["spmv", "bfs", "sieve"].map(|name| format!("{}/{name}.fut", irregular()));
    irregular_programs_pass(&names, &kernels(), 12);
}

/// Options for programs that run by what stages make of them.
fn staged(names: &str) -> Options {
    let stages = fehu_driver::pipelines::stages(names).expect("there are such stages");
    let passes = fehu_driver::pipelines::CPU.passes;
    let limit = Duration::from_secs(60);
    Options { plan: Plan { stages, ..Plan::of(passes) }, limit, ..Options::default() }
}

/// Options for programs that run as imperative code with kernels, whose threads a machine runs one by one: with few of them.
fn kernels() -> Options {
    let gpu = fehu_driver::pipelines::GPU;
    let stages = gpu.stages.iter().filter(|stage| stage.gives() != Form::C).copied().collect();
    let plan = Plan { stages, target: Target::Cuda, few: true, ..Plan::of(gpu.passes) };
    Options { plan, limit: Duration::from_secs(60), ..Options::default() }
}

#[test]
fn all_programs_pass_by_their_memory_and_as_imperative_code() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [folder(), repository.join("examples").display().to_string()];
    let programs = suite::programs(&folders).expect("the folders can be listed");
    // What `assign` alone makes of programs is tested with random ones, in `oracle/tests/heap.rs`. Each program goes
    // one of the two ways; with `FEHU_WAYS=all`, both.
    let all = std::env::var("FEHU_WAYS").is_ok_and(|value| value == "all");
    for (way, names) in [
        "assign,short_circuit,overwrite,enlarge,merge",
        "assign,short_circuit,overwrite,enlarge,merge,lifetimes,emit,tile,empty,copies,delinearize,unswitch,peel,lanes",
    ]
    .into_iter()
    .enumerate()
    {
        let chosen = programs.iter().enumerate().filter(|(number, _)| all || number % 2 == way);
        let chosen: Vec<_> = chosen.map(|(_, program)| program.clone()).collect();
        let results = suite::run(&chosen, 2, &staged(names), &|_| {});
        for result in &results {
            assert!(result.is_good(), "{names}: {result:#?}");
        }
        assert!(Summary::of(&results).values.passed >= 10, "{names}");
    }
}

#[test]
fn all_programs_pass_as_kernels() {
    let programs = suite::programs(&[folder()]).expect("the folder can be listed");
    let results = suite::run(&programs, 2, &kernels(), &|_| {});
    for result in &results {
        assert!(result.is_good(), "{result:#?}");
    }
    assert!(Summary::of(&results).values.passed >= 18);
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
        Verdict::Passed | Verdict::NotCompiled | Verdict::Limit(_) | Verdict::Skipped(_) => None,
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
fn warnings_of_the_optimiser_count() {
    let text = "-- ==\n-- warning: no effect on this loop\n\
                entry main (n: i64) = #[unroll] loop x = 0 for i < n do x * i\n";
    for depth in [Depth::Check, Depth::Run] {
        let options = Options { depth, ..Options::default() };
        let result = test("unroll.fut", text, &options);
        assert!(result.is_good(), "{result:?}");
        let result = test("no_unroll.fut", &text.replace("< n", "< 3"), &options);
        assert!(!result.is_good(), "{result:?}");
    }
}

#[test]
fn wrong_errors_and_missing_errors_fail() {
    let text = "-- ==\n-- input { 1 } error: x\nentry main (x: i32) = x\n";
    assert!(failure("succeeds.fut", text).contains("should have failed"));
    let text = "-- ==\n-- input { 0 } error: overflow\nentry main (x: i32) = 1 / x\n";
    assert!(failure("other_error.fut", text).contains("not with `overflow`"));
    let text = "-- ==\n-- error: x\nentry main (x: i32) = x\n";
    assert!(failure("accepted.fut", text).contains("should have been rejected"));
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
    assert!(matches!(result.cases[0].verdict, Verdict::Limit(_)), "{result:?}");
    assert!(!result.is_good());
    // A script is stopped as well.
    let text = text.replace("input { 1 }", "script input { main 1 }");
    let result = test("endless_script.fut", &text, &options);
    assert!(matches!(result.cases[0].verdict, Verdict::Limit(_)), "{result:?}");
    assert_eq!(Summary::of(&[result]).programs.limits, 1);
}

#[test]
fn huge_arrays_are_over_a_limit_and_not_passed() {
    let text = "-- ==\n-- input { 1000i64 } output { 0 }\n-- input { 1000i64 } error: array\n\
                entry main (n: i64) = (replicate n 0i32)[n - 1]\n";
    let options = Options { max_array_bytes: 1000, ..Options::default() };
    let result = test("huge.fut", text, &options);
    for case in &result.cases {
        assert!(matches!(case.verdict, Verdict::Limit(_)), "{result:?}");
    }
    assert!(!result.is_good());
}

#[test]
fn what_is_not_tested_is_not_passed() {
    let text = "-- ==\n-- compiled input { 1 } output { 2 }\n-- notest input { 1 } error: x\n\
                -- slow input { 1 }\nentry main (x: i32) = x\n";
    let options = Options { exclude: vec!["slow".to_owned()], ..Options::default() };
    let result = test("skipped.fut", text, &options);
    assert_eq!(result.cases.len(), 3);
    assert!(result.cases.iter().all(|case| matches!(case.verdict, Verdict::Skipped(_))));
    let summary = Summary::of(std::slice::from_ref(&result));
    assert_eq!((summary.programs.passed, summary.programs.skipped), (0, 1));
    assert_eq!(
        (summary.values.skipped, summary.errors.skipped, summary.successes.skipped),
        (1, 1, 1)
    );
    assert!(result.is_good());
    let with = Options { compiled_too: true, ..options };
    assert!(matches!(test("skipped.fut", text, &with).cases[0].verdict, Verdict::Failed(_)));
    for tag in ["disable", "notest", "slow"] {
        let text = format!("-- ==\n-- tags {{ {tag} }}\nx\n");
        let result = test(&format!("{tag}.fut"), &text, &with);
        assert!(matches!(result.verdict, Verdict::Skipped(_)), "{result:?}");
    }
}

#[test]
fn programs_can_be_checked_only() {
    let text = "-- ==\n-- input { 1 } output { 2 }\n-- property: main\n\
                entry main (x: i32) = x\n";
    for depth in [Depth::Check, Depth::Compile] {
        let options = Options { depth, ..Options::default() };
        let result = test("not_run.fut", text, &options);
        assert_eq!(result.verdict, Verdict::Passed);
        assert_eq!(result.cases.len(), 2);
        assert!(result.cases.iter().all(|case| matches!(case.verdict, Verdict::Skipped(_))));
        let result = test("wrong.fut", "entry main (x: i32) = y\n", &options);
        assert!(matches!(result.verdict, Verdict::Failed(_)));
    }
}

#[test]
fn one_entry_point_can_be_chosen() {
    let text = "-- ==\n-- entry: f g\n-- input { 1 } output { 1 }\n\
                entry f (x: i32) = x\nentry g (x: i32) = x + 1\n";
    let options = Options { entry: Some("f".to_owned()), ..Options::default() };
    let result = test("chosen.fut", text, &options);
    assert_eq!(result.cases.len(), 1);
    assert!(result.is_good());
    assert!(failure("all_entries.fut", text).contains("expected 1i32, got 2i32"));
}

#[test]
fn mistakes_in_scripts_fail() {
    let program = |script: &str, expected: &str| {
        format!("-- ==\n-- script input {{ {script} }} {expected}\nentry main (x: i32) = x\n")
    };
    let why = failure("script_syntax.fut", &program("(1", ""));
    assert!(why.starts_with("script input: ") && why.contains("`)`"), "{why}");
    // A mistake in a script is not the error that the program should end with.
    let why = failure("script_error.fut", &program("nothing 1", "error: nothing"));
    assert!(why.contains("nothing"), "{why}");
    assert!(failure("script_type.fut", &program("1.5", "")).contains("has type i32"));
    assert!(failure("script_value.fut", &program("1", "output { 2 }")).contains("got 1i32"));
    assert!(failure("script_file.fut", &program("$loaddata \"x.in\"", "")).contains("x.in"));
}

#[test]
fn broken_compressed_files_fail() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("broken.in.gz"), b"1").expect("the file can be written");
    let text = "-- ==\n-- input @ broken.in.gz\nentry main (x: i32) = x\n";
    assert!(failure("broken.fut", text).contains("decompress"));
}

#[test]
fn counterexamples_are_small() {
    let text = "-- ==\n-- property: short\n#[prop]\nentry short (xs: []i32) = length xs < 3\n";
    assert!(
        failure("short.fut", text).starts_with("false for the counterexample `[0i32, 0i32, 0i32]`")
    );
    let text = "-- ==\n-- property: low\n#[prop]\nentry low (x: i32) = x < 5\n";
    assert!(failure("low.fut", text).contains("`5i32`"));
    let text = "-- ==\n-- property: divides\n#[prop]\n\
                entry divides (p: (i32, []i32)) = all (\\x -> (x / p.0) * p.0 <= i32.max x x) p.1\n";
    assert!(failure("divides.fut", text).contains("ounterexample `0i32 [0i32]`"));
    // The program's own way: numbers stay odd.
    let text = "-- ==\n-- property: below\n#[prop(gen(odd), shrink(less), size(100))]\n\
                entry below (x: i64) = x < 50\n\
                entry odd (size: i64) (seed: u64) = i64.u64 (seed % u64.i64 size) | 1\n\
                entry less (x: i64) (_: u64) = i64.max 1 (x - 2)\n";
    assert!(failure("below.fut", text).contains("`51i64`"));
    // Without such a way, the generator is asked for smaller ones.
    let text = text.replace(", shrink(less)", "");
    let why = failure("asked.fut", &text);
    let small = (51..60).any(|n| why.contains(&format!("`{n}i64`")));
    assert!(small, "{why}");
}

#[test]
fn values_of_properties_have_the_sizes_of_their_types() {
    let text = "-- ==\n-- property: named more square constant product less\n\
                def k : i64 = 3\ntype few = [k]i32\n\
                #[prop]\nentry named [n] (p: ([n]i32, [n][2]u8)) = length p.0 == n && length p.1 == n\n\
                #[prop]\nentry more [n] (p: ([n + 1]i32, [n]i32)) = length p.0 == n + 1\n\
                #[prop]\nentry square [n] (p: [n](bool, [n]i32)) = all (\\(_, xs) -> length xs == n) p\n\
                #[prop]\nentry constant (p: ([]few, [k + 1]i8)) = length p.1 == 4\n\
                #[prop(size(6))]\nentry product [n] [m] (p: ([n * m]i32, [n]i32, [m]i32)) =\n  \
                length p.0 == n * m\n\
                #[prop]\nentry less [n] (p: ([n]i32, [n - 1]i32)) = length p.1 < n\n";
    let result = test("sizes.fut", text, &Options::default());
    assert!(result.is_good() && result.cases.len() == 6, "{result:#?}");
    // A counterexample keeps the rules while it is made smaller.
    let text = "-- ==\n-- property: p\n#[prop]\nentry p [n] (p: ([n + 1]i32, [n]i32)) = n < 2\n";
    let why = failure("smaller.fut", text);
    assert!(why.contains("`[0i32, 0i32, 0i32] [0i32, 0i32]`"), "{why}");
}

#[test]
fn the_reference_is_the_program_without_passes() {
    let text = "-- ==\n-- random input { [10]i32 } auto output\n-- input { [1] } auto output\n\
                -- script input { main [0] } auto output\n\
                entry main (xs: []i32) = map (\\x -> 6 / x + 1) (map (+ 1) xs)\n";
    let passes = fehu_driver::pipelines::DEFAULT.passes;
    let options = Options { plan: Plan::of(passes), ..Options::default() };
    let result = test("reference.fut", text, &options);
    assert!(result.is_good() && result.cases.len() == 3, "{result:?}");
    let text = text.replace("[1]", "[-1]");
    let result = test("reference_fails.fut", &text, &options);
    let Verdict::Failed(why) = &result.cases[1].verdict else { panic!("{result:?}") };
    assert!(why.starts_with("the reference fails"), "{why}");
}

#[test]
fn properties_must_be_properties() {
    let property = |rest: &str| format!("-- ==\n-- property: p\n{rest}\n");
    let why = failure("no_attribute.fut", &property("entry p (x: i32) = x == x"));
    assert!(why.contains("#[prop]"), "{why}");
    let why = failure("no_bool.fut", &property("#[prop]\nentry p (x: i32) = x"));
    assert!(why.contains("bool"), "{why}");
    let why = failure("two.fut", &property("#[prop]\nentry p (x: i32) (y: i32) = x == y"));
    assert!(why.contains("one parameter"), "{why}");
    let why = failure("absent.fut", &property("entry q (x: i32) = x"));
    assert!(why.contains("no entry point \"p\""), "{why}");
    let sum = "entry p (x: #a i32 | #b) = match x case #a _ -> true case #b -> true";
    let why = failure("sum.fut", &property(&format!("#[prop]\n{sum}")));
    assert!(why.contains("gen(f)"), "{why}");
    let why = failure("argument.fut", &property("#[prop(size(x))]\nentry p (x: i32) = x == x"));
    assert!(why.contains("size(n)"), "{why}");
    let why = failure("generator.fut", &property("#[prop(gen(g))]\nentry p (x: i32) = x == x"));
    assert!(why.contains("\"g\""), "{why}");
    // What should be there and what is there are named.
    let with = |helper: &str| {
        let settings = if helper.contains("entry g") { "gen(g)" } else { "gen(h), shrink(s)" };
        let right = "entry h (size: i64) (_: u64) = map i32.i64 (iota size)";
        failure(
            "helper.fut",
            &property(&format!(
                "#[prop({settings})]\nentry p (xs: []i32) = and (map (< 100) xs)\n{right}\n{helper}"
            )),
        )
    };
    let why = with("entry g (size: i64) (_: u64) = iota size");
    assert!(why.contains("returns []i64, but the property takes a value of type []i32"), "{why}");
    let why = with("entry g (size: i32) = [size]");
    assert!(why.contains("should take i64 and u64, but takes i32"), "{why}");
    let why = with("entry s (xs: []i64) (_: u64) = xs");
    assert!(why.contains("should take []i32 and u64, but takes []i64 and u64"), "{why}");
}
