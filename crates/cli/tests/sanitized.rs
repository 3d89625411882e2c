//! The tests of our own programs, in code that is compiled with sanitizers: no access outside of an array, no use
//! of freed memory, no undefined behaviour, nothing that is never freed, no race.
//!
//! Here the C compiler does not optimise, because it would take most of the time, and the programs are those that do most with
//! memory: a machine that knows what is allowed runs the code of all of them (`harness/tests/programs.rs`).
//! `FEHU_SANITIZE=all` takes all programs and `-O1`; `FEHU_SANITIZE_PATHS` names other programs.
#![cfg(unix)]

use crate::common::{self, SANITIZE, both, fehu, repository};

/// Programs in which arrays are made, shared, updated and freed in all ways, also where something fails.
const MEMORY: [&str; 14] = [
    "examples/dot.fut",
    "tests/programs/branch_sizes.fut",
    "tests/programs/closures.fut",
    "tests/programs/failures_with_values.fut",
    "tests/programs/files.fut",
    "tests/programs/functions_with_data.fut",
    "tests/programs/globals.fut",
    "tests/programs/hidden_sizes.fut",
    "tests/programs/many_dimensions.fut",
    "tests/programs/memory.fut",
    "tests/programs/parallel.fut",
    "tests/programs/streams_are_fused.fut",
    "tests/programs/sums.fut",
    "tests/programs/updates_read_first.fut",
];

/// Programs with work for several threads.
const PARALLEL: [&str; 2] = ["examples/dot.fut", "tests/programs/parallel.fut"];

fn clean(backend: &str, flags: &str, programs: &[String]) {
    let mut command = fehu();
    command.args(["test", "--limit=120", &format!("--backend={backend}")]).args(programs);
    if backend == "multicore" {
        command.arg("--pass-option=--num-threads=4");
    }
    let optimise = if all() { "-O1" } else { "-O0" };
    command.env("CFLAGS", format!("{optimise} {flags}")).current_dir(repository());
    command.env("TSAN_OPTIONS", "halt_on_error=1");
    let output = command.output().expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
    assert!(both(&output).contains("0 failed"), "{}", both(&output));
}

#[test]
fn what_a_sanitizer_says_is_heard() {
    // Each of these is a mistake that is no business of the program's results.
    let mistakes = [
        ("leak", "LeakSanitizer", "void *p = malloc(100); memset(p, 1, 100);"),
        ("outside", "heap-buffer-overflow", "char *volatile p = malloc(8); p[8] = 1; free(p);"),
        ("overflow", "signed integer overflow", "volatile int x = 2147483647; x = x + 1;"),
    ];
    let folder = common::folder("sanitized-mistakes");
    let program = "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x + 1\n";
    std::fs::write(folder.join("a.fut"), program).expect("it can be written");
    // The program is compiled once, with all of them; a variable says which one happens.
    let cases = mistakes.map(|(name, _, statement)| {
        format!("  if (strcmp(getenv(\"MISTAKE\"), \"{name}\") == 0) {{ {statement} }}\n")
    });
    let text = format!(
        "#include <stdlib.h>\n#include <string.h>\n#ifdef FE_SEPARATE\n\
         __attribute__((constructor)) static void mistake(void) {{\n{}}}\n#endif\n",
        cases.concat()
    );
    let file = folder.join("mistakes.h");
    std::fs::write(&file, text).expect("it can be written");
    for (name, wanted, _) in mistakes {
        let mut command = fehu();
        command.args(["test", "a.fut"]).current_dir(&folder).env("MISTAKE", name);
        command.env("CFLAGS", format!("-O0 {SANITIZE} -include {}", file.display()));
        let output = command.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", both(&output));
        assert!(both(&output).contains(wanted), "{name}: {}", both(&output));
    }
}

/// Whether time does not matter.
fn all() -> bool {
    std::env::var("FEHU_SANITIZE").is_ok_and(|value| value == "all")
}

/// The programs that are to be tested: those that somebody asks for, all of ours, or a few.
fn programs(few: &[&str]) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    match std::env::var("FEHU_SANITIZE_PATHS") {
        Ok(paths) => paths.split_whitespace().map(str::to_owned).collect(),
        Err(_) if all() => owned(&["tests/programs", "examples"]),
        Err(_) => owned(few),
    }
}

#[test]
fn no_program_misuses_memory() {
    clean("c", SANITIZE, &programs(&MEMORY));
}

#[test]
fn no_program_has_a_race() {
    clean("multicore", "-g1 -DFE_EAGER -fsanitize=thread", &programs(&PARALLEL));
}
