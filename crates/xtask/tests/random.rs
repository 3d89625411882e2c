//! A few random programs on back ends; `cargo xtask random` runs as many as one likes.

use std::path::Path;
use std::process::Command;

/// Runs so many programs, all of which agree.
fn agree(backend: &str, count: u64, options: &[&str]) -> String {
    // Kernels are kept by OpenCL; not in the folder of whoever runs the tests.
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let output = Command::new(env!("CARGO_BIN_EXE_fehu-xtask"))
        .args(["random", "--backend", backend, "--count", &count.to_string()])
        .args(["--batch", "20", "-j", "2"])
        .args(options)
        .env("XDG_CACHE_HOME", &kept)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A number of the summary.
fn number(text: &str, name: &str) -> u64 {
    let rest = text.lines().find_map(|line| line.trim().strip_prefix(name));
    rest.and_then(|rest| rest.trim().parse().ok()).expect("the summary has this line")
}

#[test]
fn random_programs_agree_on_opencl() {
    // OpenCL takes a second for a program; as many as one likes run as kernels without it.
    let text = agree("opencl", 4, &[]);
    assert_eq!(number(&text, "programs "), 4, "{text}");
    assert!(number(&text, "agreed") > 20, "{text}");
    // What the programs are for happens: several versions, and checks that fail.
    assert!(number(&text, "programs with versions") > 1, "{text}");
    assert!(number(&text, "failed as expected") > 0, "{text}");
}

#[test]
fn random_programs_agree_in_c() {
    let text = agree("multicore", 30, &[]);
    assert!(number(&text, "agreed") > 110, "{text}");
}

#[test]
fn random_programs_agree_as_machine_code() {
    let text = agree("jit", 40, &[]);
    assert!(number(&text, "agreed") > 150, "{text}");
    assert!(number(&text, "failed as expected") > 0, "{text}");
}

#[test]
fn random_irregular_nests_agree_in_c() {
    let text = agree("multicore", 10, &["--only", "irregular"]);
    assert!(number(&text, "agreed") > 50, "{text}");
}

#[test]
fn random_sequences_agree_in_c() {
    let text = agree("c", 8, &["--only", "sequences"]);
    assert_eq!(number(&text, "agreed"), 200, "{text}");
}

#[test]
fn random_derivatives_agree_with_differences() {
    let text = agree("c", 30, &["--only", "smooth"]);
    assert!(number(&text, "agreed") > 25, "{text}");
}

#[test]
fn random_derivatives_agree() {
    let text = agree("c", 40, &["--only", "derivatives"]);
    assert_eq!(number(&text, "programs"), 40, "{text}");
    // Most of them say something: they are not zero.
    assert!(number(&text, "derivative not zero") > 100, "{text}");
}
