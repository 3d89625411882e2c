//! The scheduler of multicore programs, in C: `c/scheduler_test.c` under the thread sanitizer, and under those for
//! addresses, leaks and undefined behaviour.
//!
//! Each test of the C program is a test here; the program is compiled once for each sanitizer and test process.

use std::path::{Path, PathBuf};
use std::process::Command;

const CASES: [&str; 18] = [
    "each_iteration_runs_once",
    "unbalanced_loops_use_all_workers",
    "nested_loops",
    "errors_stop_nested_loops",
    "errors_stop_loops",
    "small_loops_are_one_call",
    "one_thread_means_one_call",
    "each_chunk_runs_once",
    "chunks_follow_the_time",
    "loops_that_have_become_slower_are_parallel",
    "contexts_in_several_threads",
    "one_context_in_turns",
    "contexts_come_and_go",
    "an_idle_context_sleeps",
    "estimates_are_not_poisoned_by_nesting",
    "pieces_that_were_shared_are_not_measured",
    "stacks_are_bounded_by_nesting",
    "portions_are_all_of_a_region",
];

#[test]
fn no_races() {
    run_all("thread", &["-fsanitize=thread"]);
}

#[test]
fn no_undefined_behaviour_and_no_leaks() {
    run_all("address", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
}

#[test]
fn optimised_code() {
    run_all("optimised", &["-O3", "-Werror", "-Wno-unused-function"]);
}

#[test]
fn compilers_without_atomics_get_a_sequential_program() {
    let flags = ["-D__STDC_NO_ATOMICS__", "-Werror", "-Wno-unused-function"];
    let program = compile("sequential", "scheduler_fallback.c", &flags);
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles the tests and runs each of them, one after the other: they measure time.
fn run_all(name: &str, flags: &[&str]) {
    let program = compile(name, "scheduler_test.c", flags);
    let failures: Vec<String> = CASES.iter().filter_map(|case| failure(&program, case)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What a test says if it fails.
fn failure(program: &Path, case: &str) -> Option<String> {
    let output = Command::new(program).arg(case).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    // The thread sanitizer's exit code is not 0 if it has something to say.
    (!output.status.success()).then(|| format!("{case}: {}\n{said}", output.status))
}

/// Compiles a file of `c/` against the runtime, with warnings.
fn compile(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scheduler_{name}"));
    let output = Command::new("cc")
        .args(["-std=c11", "-g", "-O1", "-Wall", "-Wextra"])
        .args(flags)
        // Not -I: the runtime has a math.h of its own.
        .arg("-iquote")
        .arg(package.join("runtime"))
        .arg(package.join("tests/c").join(source))
        .arg("-o")
        .arg(&program)
        .args(["-pthread"])
        .output()
        .expect("a C compiler is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}
