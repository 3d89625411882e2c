//! What goes wrong in a compiled program is said in the words of the interpreter, on every back end, and never by a fault.
#![cfg(unix)]

mod common;

use common::{both, fehu, folder, repository};
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
    let output =
        fehu().args(["test", "-i", "a.fut"]).current_dir(&place).output().expect("the binary runs");
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
