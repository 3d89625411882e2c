//! Blocks as people write them.

use super::*;

fn cases(program: &str) -> Vec<Case> {
    read(program).expect("the block is right").cases
}

fn values(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value} ")).collect()
}

#[test]
fn programs_without_blocks_have_no_cases() {
    assert_eq!(read("-- about\ndef x = 1\n -- ==\n-- ==x\n"), Ok(Test::default()));
}

#[test]
fn a_case_with_values() {
    let program = "-- About.\n-- ==\n-- input { 1 [2.5f32,\n--   3] } output { true }\n";
    let cases = cases(program);
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0].entries, ["main"]);
    assert_eq!(cases[0].line, 3);
    assert_eq!(cases[0].name, "1 [2.5f32, 3]");
    let Input::Values(input) = &cases[0].input else { panic!("values") };
    assert_eq!(values(input), "1i32 [2.5f32, 3.0f32] ");
    let Expected::Values(expected) = &cases[0].expected else { panic!("values") };
    assert_eq!(values(expected), "true ");
}

#[test]
fn entries_names_and_tags() {
    let program = "-- ==\n-- tags { a b-c }\n-- entry: f g\n-- \"big\" compiled input {}\n\
                   -- nobench input { 1 }\n-- auto output\n\n-- ==\n-- entry: h\n-- input { 2 }\n";
    let test = read(program).expect("the blocks are right");
    assert_eq!(test.tags, ["a", "b-c"]);
    let cases = test.cases;
    assert_eq!(cases[0].entries, ["f", "g"]);
    assert_eq!(cases[0].name, "big");
    assert_eq!(cases[0].tags, ["compiled"]);
    assert_eq!(cases[0].expected, Expected::Success);
    assert_eq!(cases[1].expected, Expected::Auto);
    assert_eq!(cases[1].tags, ["nobench"]);
    assert_eq!(cases[2].entries, ["h"]);
}

#[test]
fn errors_at_run_time_and_compile_time() {
    let cases = cases("-- ==\n-- input { 1 } error: bounds.*\n-- input { 2 }\n-- error:\n");
    assert_eq!(cases[0].expected, Expected::Error("bounds.*".to_owned()));
    assert_eq!(cases[1].expected, Expected::Error(String::new()));
    let test = read("-- ==\n-- error: un.*ed\n").expect("the block is right");
    assert_eq!(test.error.as_deref(), Some("un.*ed"));
    let error = read("-- ==\n-- input {}\n\n-- ==\n-- error: x\n").expect_err("a later block");
    assert_eq!(error.line, 5);
}

#[test]
fn random_script_and_file_inputs() {
    let cases = cases(
        "-- ==\n-- random input { [10]i32 i64 42i32 }\n-- script input { f {a=1} }\n\
         -- input @ data/a.in\n-- output @data/a.out.gz\n",
    );
    let Input::Random(specs) = &cases[0].input else { panic!("random") };
    assert_eq!(specs.len(), 3);
    assert_eq!(cases[1].input, Input::Script("f {a=1}".to_owned()));
    assert_eq!(cases[2].input, Input::File("data/a.in".to_owned()));
    assert_eq!(cases[2].expected, Expected::File("data/a.out.gz".to_owned()));
    assert_eq!(cases[2].name, "data/a.in");
}

#[test]
fn structures_warnings_and_properties() {
    let program = "-- ==\n-- input { 1 }\n-- structure { Map 1 }\n-- structure gpu-mem { A/B 0 }\n\
                   -- warning: unused.*\n-- property: p q\n-- input { 2 }\n";
    let test = read(program).expect("the block is right");
    assert_eq!(test.cases.len(), 2);
    assert_eq!(test.warnings, ["unused.*"]);
    assert_eq!(test.properties, ["p", "q"]);
}

#[test]
fn comments_inside_blocks() {
    let cases = cases("-- ==\n-- -- nothing { here\n-- input { 1 -- one }\n-- 2 }\n-- -- end\n");
    let Input::Values(input) = &cases[0].input else { panic!("values") };
    assert_eq!(values(input), "1i32 2i32 ");
}

#[test]
fn mistakes_have_lines() {
    for (program, line, words) in [
        ("-- ==\n-- inptu { 1 }\n", 2, "`input`"),
        ("-- ==\n--\n-- input { 1 x }\n", 3, "not a value"),
        ("-- ==\n-- input { 1\n", 3, "not closed"),
        ("-- ==\n-- input 1\n", 2, "`{`"),
        ("-- ==\n-- \"name input { 1 }\n", 2, "`\"`"),
        ("-- ==\n-- random input @ file\n", 2, "random"),
    ] {
        let error = read(program).expect_err(program);
        assert!(error.message.contains(words), "{program}: {error}");
        assert_eq!(error.line, line, "{program}: {error}");
    }
}

#[test]
fn braces_between_quotes_are_not_those_of_the_block() {
    let cases = cases("-- ==\n-- script input { f {a = \"}\"} } output { 1 }\n");
    assert_eq!(cases[0].input, Input::Script("f {a = \"}\"}".to_owned()));
}

#[test]
fn given_names_are_unique() {
    let error = read("-- ==\n-- \"a\" input { 1 }\n-- \"a\" input { 2 }\n").expect_err("twice");
    assert!(error.message.contains("\"a\"") && error.message.contains('2'), "{error}");
    // Blocks have names of their own.
    assert_eq!(cases("-- ==\n-- \"a\" input { 1 }\n\n-- ==\n-- \"a\" input { 2 }\n").len(), 2);
    // Names that are made up may repeat, as the same input may be there for several entry points.
    assert_eq!(cases("-- ==\n-- input { 1 }\n\n-- ==\n-- entry: f\n-- input { 1 }\n").len(), 2);
}

#[test]
fn refused_programs_have_one_block() {
    let error = read("-- ==\n-- error: x\n\n-- ==\n-- input { 1 }\n").expect_err("a second block");
    assert_eq!(error.line, 5);
}
