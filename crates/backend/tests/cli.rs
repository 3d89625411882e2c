//! Executables: options, arguments from standard input, results, exit codes.

use crate::fake;
use std::path::PathBuf;
use std::process::Output;

fn program() -> PathBuf {
    fake::compile("program.c", &["-DFE_MULTICORE"])
}

fn run(args: &[&str], input: &str) -> Output {
    fake::run(&program(), args, input.as_bytes())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a run that succeeds prints.
fn prints(args: &[&str], input: &str) -> String {
    let output = run(args, input);
    assert_eq!(output.status.code(), Some(0), "{args:?} {input}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Why a run fails: what it says after the name of the program. It prints no result.
fn fails(args: &[&str], input: &str) -> String {
    let output = run(args, input);
    assert_eq!(output.status.code(), Some(1), "{args:?} {input}");
    assert_eq!(output.stdout, b"", "{args:?} {input}");
    let errors = stderr(&output);
    let name = format!("{}: ", program().display());
    errors.strip_prefix(&name).unwrap_or_else(|| panic!("{errors}")).to_owned()
}

#[test]
fn results_are_written_one_a_line() {
    assert_eq!(prints(&["-e", "add"], "1 2"), "3i32\n");
    assert_eq!(prints(&["--entry-point=add"], "1i32 -- and\n 2"), "3i32\n");
    assert_eq!(prints(&["-etranspose"], "[[1, 2.5], [3, 4]]"), "[[1f32, 3f32], [2.5f32, 4f32]]\n");
    assert_eq!(prints(&["-e", "transpose"], "empty([0][3]f32)"), "empty([3][0]f32)\n");
    assert_eq!(prints(&["-e", "pair"], "1"), "1i32\n[1i32, 2i32]\n");
    assert_eq!(prints(&["-e", "unit"], "1"), "");
    assert_eq!(prints(&["-e", "nothing"], "1"), "");
    // The default is "main"; records and arrays of records are several values.
    assert_eq!(prints(&[], "0.5 10 [1, 2] [3, 4]"), "[1.5f32, 2.5f32]\n[13i32, 14i32]\n");
}

#[test]
fn binary_input_and_output() {
    let mut input = b"[[1, 2]]".to_vec();
    let ty = fehu_data::ValueType::parse("[][]f32").expect("a type");
    let value = fehu_data::Reader::new(&input).next_value(Some(&ty)).expect("it is right");
    let value = value.expect("it is there");
    input = fehu_data::binary::to_bytes(&value);
    let output = fake::run(&program(), &["-e", "transpose", "-b"], &input);
    assert_eq!(
        output.stdout,
        b"b\x02\x02 f32\x02\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40\n"
    );
    let output = run(&["-b", "-e", "pair"], "7");
    let values = fehu_data::reader::read_all(&output.stdout).expect("they are values");
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    assert_eq!(values, ["7i32", "[7i32, 8i32]"]);
}

#[test]
fn wrong_input_is_told_with_its_place() {
    assert_eq!(
        fails(&["-e", "add"], "1"),
        "Error: standard input, argument \"b\" (2 of 2) of \"add\": 1:2: the input ends where a value of type i32 is missing\n"
    );
    assert!(fails(&["-e", "add"], "1\n x").contains("2:2: `x` is not a value"));
    assert!(fails(&["-e", "add"], "1 2i64").contains("1:3: `2i64` has type i64"));
    assert!(
        fails(&["-e", "add"], "1 2 3")
            .contains("1:5: there is more input after the last argument of \"add\"")
    );
    assert!(fails(&[], "0.5 10 [1, 2] 3").contains("argument \"b\" (2 of 2)"));
    // Parts that do not fit together are the program's to refuse.
    assert!(fails(&[], "0.5 10 [1, 2] [3]").contains("different sizes"));
}

#[test]
fn errors_of_the_program() {
    let reason = fails(&["-e", "fail"], "[1]");
    assert_eq!(
        reason,
        "Error: Index [5] out of bounds for array of shape [2].\n\nBacktrace:\n-> #0  a.fut:1:2-3\n"
    );
}

#[test]
fn runs_and_their_times() {
    let directory = fake::directory("times");
    let file = directory.join("times").to_string_lossy().into_owned();
    // Without a number of runs there is one, and none for warming up.
    for (args, runs, times) in [
        (&["-e", "count"][..], 1, 0),
        (&["-e", "count", "-t", &file], 1, 1),
        (&["-e", "count", "-r", "1", "-t", &file], 2, 1),
        (&["-e", "count", "--runs=3", "--write-runtime-to", &file, "-n"], 4, 3),
    ] {
        let _ = std::fs::remove_file(&file);
        let output = run(args, "");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(stderr(&output).matches("a run\n").count(), runs, "{args:?}");
        // The objects of earlier runs are gone.
        let expected = if args.contains(&"-n") { "" } else { "0i32\n" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(text.lines().filter(|line| line.parse::<u64>().is_ok()).count(), times);
        assert_eq!(text.lines().count(), times);
    }
    // Each run gets its argument anew, though it is consumed.
    assert_eq!(prints(&["-e", "increment", "-r", "5"], "[1, 2]"), "[2i32, 3i32]\n");
    let missing = directory.join("missing/file").to_string_lossy().into_owned();
    assert!(fails(&["-e", "count", "-t", &missing], "").contains("cannot open"));
    let reason = fails(&["-n", "-e", "unit", "-t", "/dev/full"], "1");
    assert!(reason.contains("cannot write \"/dev/full\""), "{reason}");
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn results_that_cannot_be_written() {
    assert!(
        fails(&["-e", "make_state"], "1")
            .contains("has type state, whose values cannot be written")
    );
    assert_eq!(prints(&["-n", "-e", "make_state"], "1"), "");
    assert!(
        fails(&["-e", "read_state"], "1").contains("has type state, whose values cannot be read")
    );
    // A full disk.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let child = std::process::Command::new(program())
        .args(["-e", "count"])
        .stdin(std::process::Stdio::null())
        .stdout(full)
        .stderr(std::process::Stdio::piped())
        .spawn();
    let output = child.and_then(std::process::Child::wait_with_output).expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write to standard output"));
}

#[test]
fn tuning_parameters() {
    assert_eq!(
        prints(&["--print-params"], ""),
        "main.tile (tile_size)\nmain.block (threshold(1024))\n"
    );
    let report = |args: &[&str]| {
        let output = run(&[args, &["-P", "-e", "add"]].concat(), "1 2");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(
        report(&["--param", "main.tile=32", "--num-threads=3"])
            .contains("{\"param\":32,\"threads\":3,")
    );
    assert!(report(&["--num-threads", "-4"]).contains("\"threads\":0,"));
    let directory = fake::directory("tuning");
    let file = directory.join("tuning").to_string_lossy().into_owned();
    let write = |text: &str| std::fs::write(&file, text).expect("it can be written");
    write("main.tile=1\nmain.tile=8\n");
    assert!(report(&["--tuning", &file]).contains("\"param\":8,"));
    write("main.tile=1\nnope=8\n");
    let said = report(&["--tuning", &file]);
    assert!(said.contains(":2: `nope=8` is ignored") && said.contains("\"param\":1,"), "{said}");
    write("main.tile\n");
    assert!(
        fails(&["--tuning", &file], "").contains(":1: `main.tile` is not of the form NAME=INT")
    );
    let missing = directory.join("missing").to_string_lossy().into_owned();
    assert!(fails(&["--tuning", &missing], "").contains("cannot open the tuning file"));
    assert!(fails(&["--param", "nope=1"], "").contains("does not exist"));
    assert!(fails(&["--param", "main.tile=-1"], "").contains("is not of the form"));
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn options() {
    let help = prints(&["--help"], "");
    for option in [
        "-e, --entry-point NAME",
        "-t, --write-runtime-to FILE",
        "-r, --runs INT",
        "-b, --binary-output",
        "-h, --help",
        "--num-threads INT",
    ] {
        assert!(help.contains(option), "{help}");
    }
    assert_eq!(prints(&["-h"], ""), help);
    assert_eq!(prints(&["-nDLe", "add", "--cache-file", "x", "--"], "1 2"), "");
    assert_eq!(prints(&["--entry", "add", "--no-print"], "1 2"), "");
    assert!(fails(&["--bogus"], "").contains("no option `--bogus`"));
    // Two options start like this.
    assert!(fails(&["--p"], "").contains("no option `--p`"));
    assert!(fails(&["-x"], "").contains("no option `-x`"));
    assert!(fails(&["extra"], "").contains("`extra` is not an option"));
    assert!(fails(&["-"], "").contains("`-` is not an option"));
    assert!(fails(&["-e"], "").contains("-e needs an argument"));
    assert!(fails(&["--runs"], "").contains("--runs needs an argument"));
    assert!(fails(&["--binary-output=yes"], "").contains("takes no argument"));
    for runs in ["0", "-1", "x", "99999999999999999999", ""] {
        assert!(fails(&["-r", runs], "").contains("must be a positive integer"), "{runs}");
    }
    assert!(fails(&["--num-threads", "many"], "").contains("must be an integer"));
    assert!(fails(&["--cache-file", "broken", "-e", "count"], "").contains("the cache is broken"));
    let reason = fails(&["-e", "nope"], "");
    assert!(reason.starts_with("there is no entry point \"nope\""), "{reason}");
    assert!(reason.contains("\nadd\ncount\n"), "{reason}");
}
