//! The tests of all our own programs, in code that is compiled with sanitizers: no access outside of an array, no use
//! of freed memory, no undefined behaviour, nothing that is never freed, no race.
//!
//! Here the C compiler does not optimise, because it would take most of the time, and the thread sanitizer sees a few
//! programs only. `FEHU_SANITIZE=all` takes all programs and `-O1`; `FEHU_SANITIZE_PATHS` names other programs.
#![cfg(unix)]

mod common;

use common::{SANITIZE, both, fehu, repository};

/// Programs with work for several threads.
const PARALLEL: [&str; 3] =
    ["examples/dot.fut", "examples/mandelbrot.fut", "tests/programs/streams_are_fused.fut"];

fn clean(backend: &str, flags: &str, programs: &[String]) {
    let mut command = fehu();
    command.args(["test", "--limit=120", &format!("--backend={backend}")]).args(programs);
    let all = std::env::var("FEHU_SANITIZE").is_ok_and(|value| value == "all");
    let optimise = if all { "-O1" } else { "-O0" };
    command.env("CFLAGS", format!("{optimise} {flags}")).current_dir(repository());
    command.env("TSAN_OPTIONS", "halt_on_error=1");
    let output = command.output().expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
    assert!(both(&output).contains("0 failed"), "{}", both(&output));
}

/// The programs that are to be tested: all of ours, or those that somebody asks for.
fn programs() -> Vec<String> {
    match std::env::var("FEHU_SANITIZE_PATHS") {
        Ok(paths) => paths.split_whitespace().map(str::to_owned).collect(),
        Err(_) => ["tests/programs", "examples"].map(str::to_owned).to_vec(),
    }
}

#[test]
fn no_program_misuses_memory() {
    clean("c", SANITIZE, &programs());
}

#[test]
fn no_program_has_a_race() {
    let all = std::env::var("FEHU_SANITIZE").is_ok_and(|value| value == "all");
    let few = PARALLEL.map(str::to_owned).to_vec();
    let flags = "-g1 -fsanitize=thread";
    clean("multicore", flags, &if all { programs() } else { few });
}
