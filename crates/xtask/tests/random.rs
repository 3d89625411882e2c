//! A few random programs on back ends; `cargo xtask random` runs as many as one likes.

use std::path::Path;
use std::process::Command;

/// Runs so many programs, all of which agree.
fn agree(backend: &str, count: u64) -> String {
    // Kernels are kept by OpenCL; not in the folder of whoever runs the tests.
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_kernels");
    let output = Command::new(env!("CARGO_BIN_EXE_fehu-xtask"))
        .args(["random", "--backend", backend, "--count", &count.to_string()])
        .args(["--batch", "20", "--jobs", "2"])
        .env("POCL_CACHE_DIR", &kept)
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
    let text = agree("opencl", 40);
    assert_eq!(number(&text, "programs "), 40, "{text}");
    assert!(number(&text, "agreed") > 250, "{text}");
    // What the programs are for happens: several versions, and checks that fail.
    assert!(number(&text, "programs with versions") > 5, "{text}");
    assert!(number(&text, "failed as expected") > 3, "{text}");
}

#[test]
fn random_programs_agree_in_c() {
    let text = agree("multicore", 40);
    assert!(number(&text, "agreed") > 150, "{text}");
}
