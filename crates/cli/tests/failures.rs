//! What goes wrong in a compiled program is said in the words of the interpreter, on every back end, and never by a fault.
#![cfg(unix)]

use crate::common::{both, fehu, folder, repository};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Recursion on the main thread, and in tasks.
const RECURSION: &str =
    "def down (n: i64) : i64 = if n == 0 then 0 else 1 + (if n % 7 == 8 then n else down (n - 1))
entry main (n: i64) : i64 = down n
entry tasks (ns: []i64) : []i64 = map down ns
";

fn run(program: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A program that fails at once may not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn too_deep(backend: &str) {
    let place = folder(&format!("failures-recursion-{backend}"));
    std::fs::write(place.join("a.fut"), RECURSION).expect("it can be written");
    let output = fehu()
        .args([backend, "a.fut"])
        .current_dir(&place)
        .env("CFLAGS", "-O0")
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
    for (entry, input) in
        [("main", "100000000000i64"), ("tasks", "[3i64, 100000000000i64, 4i64, 100000000000i64]")]
    {
        let output = run(&place.join("a"), &["-e", entry], input);
        assert_eq!(output.status.code(), Some(1), "{backend}: {}", both(&output));
        let said = both(&output);
        assert!(said.contains("Error: recursion of \"down\" is too deep"), "{backend}: {said}");
    }
    // What is deep, but not too deep, is computed.
    let output = run(&place.join("a"), &["-e", "tasks"], "[3i64, 10000i64]");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[3i64, 10000i64]\n", "{}", both(&output));
}

#[test]
fn recursion_that_is_too_deep_names_the_function_on_one_thread() {
    too_deep("c");
}

#[test]
fn recursion_that_is_too_deep_names_the_function_on_several_threads() {
    too_deep("multicore");
}

#[test]
fn recursion_that_is_too_deep_names_the_function_beside_a_device() {
    too_deep("opencl");
}

#[test]
fn recursion_that_is_too_deep_is_an_error_of_the_program_when_interpreted() {
    let place = folder("failures-recursion-interpreted");
    let block = "-- ==\n-- input { 100000000000i64 } error: recursion of \"down\" is too deep\n";
    std::fs::write(place.join("a.fut"), format!("{block}{RECURSION}")).expect("it can be written");
    // All of the stack is touched, which takes long on a busy machine.
    let output = fehu()
        .args(["test", "-i", "--limit=120", "a.fut"])
        .current_dir(&place)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
}

#[test]
fn errors_have_the_same_words_with_several_threads() {
    let output = fehu()
        .args([
            "test",
            "--limit=120",
            "--backend=multicore",
            "tests/programs/failures_with_values.fut",
        ])
        .current_dir(repository())
        .env("CFLAGS", "-O0")
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
    assert!(both(&output).contains("0 failed"), "{}", both(&output));
}

#[test]
fn functions_that_lead_to_recursion_are_no_part_of_kernels() {
    let place = folder("failures-kernel-recursion");
    let text = "def down (n: i64) : i64 = if n <= 1 then n else down (n - 1) + down (n - 2)
#[noinline]
def f (x: i64) = down (x % 10) + 1
entry main (xs: []i64) = map f xs
";
    std::fs::write(place.join("a.fut"), text).expect("it can be written");
    let output = fehu()
        .args(["opencl", "--library", "a.fut"])
        .current_dir(&place)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
}

/// Programs that fail, each with arguments and what is said, in the words of the reference implementation where it has some.
const FAILING: &[(&str, &str, &str)] = &[
    (
        "(xs: []i32) (i: i64) = xs[i]",
        "[1, 2, 3] 3i64",
        "Index [3] out of bounds for array of shape [3].",
    ),
    (
        "(xs: []i32) (i: i64) = xs[i]",
        "[1, 2, 3] -1i64",
        "Index [-1] out of bounds for array of shape [3].",
    ),
    (
        "(xs: [][]i32) (i: i64) = xs[i]",
        "[[1, 2, 3], [4, 5, 6]] 2i64",
        "Index [2] out of bounds for array of shape [2].",
    ),
    (
        "(xs: [][]i32) (i: i64) = xs[i, 3]",
        "[[1, 2, 3], [4, 5, 6]] 1i64",
        "Index [1, 3] out of bounds for array of shape [2][3].",
    ),
    (
        "(xs: [][]i32) (i: i64) = xs[i][0]",
        "[[1, 2, 3], [4, 5, 6]] 2i64",
        "Index [2] out of bounds for array of shape [2].",
    ),
    (
        "(xs: [][]i32) (i: i64) = xs[1][i]",
        "[[1, 2, 3], [4, 5, 6]] 3i64",
        "Index [3] out of bounds for array of shape [3].",
    ),
    (
        "(xs: []i32) (i: i64) = xs[1:i]",
        "[1, 2, 3] 5i64",
        "Index [1:5] out of bounds for array of shape [3].",
    ),
    (
        "(xs: [][]i32) (i: i64) = xs[1:i]",
        "[[1, 2, 3], [4, 5, 6]] 5i64",
        "Index [1:5] out of bounds for array of shape [2].",
    ),
    (
        "(xs: [][]i32) (i: i64) = xs[0, 1:i]",
        "[[1, 2, 3], [4, 5, 6]] 5i64",
        "Index [0, 1:5] out of bounds for array of shape [2][3].",
    ),
    (
        "(xs: []i32) (s: i64) = xs[::s]",
        "[1, 2, 3] 0i64",
        "Index [::0] out of bounds for array of shape [3].",
    ),
    ("(a: i64) (b: i64) = a..<b", "5i64 1i64", "Range 5..<1 is invalid."),
    ("(n: i64) = iota n", "-1i64", "Range 0..1..<-1 is invalid."),
    (
        "(xs: []i32) (n: i64) (m: i64) = unflatten (xs :> [n * m]i32)",
        "[1, 2, 3] 2i64 2i64",
        "Value of (desugared) shape [3] cannot match shape of type \"[4]i32\".",
    ),
    (
        "(xs: []i32) (n: i64) = xs :> [n]i32",
        "[1, 2, 3] 2i64",
        "Value of (desugared) shape [3] cannot match shape of type \"[2]i32\".",
    ),
    ("(a: i32) (b: i32) = a / b", "1 0", "division by zero"),
    ("(a: i32) (b: i32) = a % b", "1 0", "division by zero"),
    ("(a: i32) (b: i32) = a ** b", "2 -1", "negative exponent"),
    ("(x: i32) = assert (x > 3) (x + 1)", "1", "Assertion is false: (x > 3)"),
    (
        "(xs: *[]i32) (i: i64) = xs with [i] = 3",
        "[1, 2, 3] 7i64",
        "Index [7] out of bounds for array of shape [3].",
    ),
    (
        "(xs: *[]i32) (i: i64) = xs with [i:i + 2] = [1, 2]",
        "[1, 2, 3] 2i64",
        "Index [2:4] out of bounds for array of shape [3].",
    ),
    // A check before a compiled loop is about its last index; here that is also the first one that is wrong.
    (
        "(xs: []i32) (k: i64) = loop s = 0 for i < k do s + xs[i]",
        "[1, 2, 3] 4i64",
        "Index [3] out of bounds for array of shape [3].",
    ),
    (
        "(xss: [][]i32) (is: []i64) = map (\\i -> map (\\xs -> xs[i]) xss) is",
        "[[1, 2, 3], [4, 5, 6]] [0i64, 3i64]",
        "Index [3] out of bounds for array of shape [3].",
    ),
    (
        "(xs: []i32) (is: []i64) = map (element xs) is",
        "[1, 2, 3] [0i64, 5i64]",
        "Index [5] out of bounds for array of shape [3].",
    ),
    (
        "(xs: [][]i32) (is: []i64) = map (row_sum xs) is",
        "[[1, 2, 3], [4, 5, 6]] [0i64, 5i64]",
        "Index [5] out of bounds for array of shape [2].",
    ),
    ("(xs: []i32) (ys: []i32) = map (/ ys[0]) xs", "[1, 2, 3] [0]", "division by zero"),
    ("(xs: []i32) = map (\\x -> 100 / x) xs", "[1, 0, 3]", "division by zero"),
    ("(xs: []i32) = map (\\x -> 2 ** x) xs", "[1, -4, 3]", "negative exponent"),
    ("(xs: []i32) = head xs", "empty([0]i32)", "Index [0] out of bounds for array of shape [0]."),
    (
        "(xs: []i64) = map (\\n -> i64.sum (iota n)) xs",
        "[1i64, -3i64]",
        "Range 0..1..<-3 is invalid.",
    ),
];

/// All of them in one program.
fn failing_program() -> String {
    let mut text = String::from(
        "def element (xs: []i32) (i: i64) = xs[i] + 1
def row_sum [n][m] (xs: [n][m]i32) (i: i64) = i32.sum xs[i]
",
    );
    for (number, (entry, ..)) in FAILING.iter().enumerate() {
        text += &format!("entry e{number} {entry}\n");
    }
    text
}

fn says_what_failed(backend: Option<&str>) {
    let name = backend.unwrap_or("interpreted");
    let place = folder(&format!("failures-words-{name}"));
    std::fs::write(place.join("a.fut"), failing_program()).expect("it can be written");
    if let Some(backend) = backend {
        let mut command = fehu();
        command.args([backend, "a.fut"]).current_dir(&place).env("CFLAGS", "-O0");
        let output = command.output().expect("the binary runs");
        assert!(output.status.success(), "{}", both(&output));
    }
    let file = place.join("a.fut");
    let file = file.to_str().expect("a name of letters");
    for (number, (entry, input, words)) in FAILING.iter().enumerate() {
        let point = format!("e{number}");
        let output = match backend {
            Some(_) => run(&place.join("a"), &["-e", &point], input),
            None => run(
                Path::new(env!("CARGO_BIN_EXE_fehu")),
                &["run", "-i", "-e", &point, file],
                input,
            ),
        };
        let said = both(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {entry}: {said}");
        let place = format!("a.fut:{}:", number + 3);
        let is_right = said.contains(&format!("Error: {words}")) && said.contains(&place);
        // What a function says has its place, and then that of the call.
        assert!(is_right, "{name}: {entry}: {said}");
    }
}

#[test]
fn errors_have_the_words_of_the_reference_when_interpreted() {
    says_what_failed(None);
}

#[test]
fn errors_have_the_words_of_the_reference_on_one_thread() {
    says_what_failed(Some("c"));
}

#[test]
fn errors_have_the_words_of_the_reference_on_several_threads() {
    says_what_failed(Some("multicore"));
}

#[test]
fn errors_have_the_words_of_the_reference_on_a_device() {
    says_what_failed(Some("opencl"));
}
