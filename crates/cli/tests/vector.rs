//! Programs of loops that are tiled, split, blocked or executed in lanes, compiled and compared with the interpreter: `tests/vector`.
#![cfg(unix)]

use crate::common::{fehu, fehu_with_own_flags};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vector")
}

/// Tests a program with a back end, and perhaps with other flags for the C compiler.
fn passes(program: &str, backend: &str, flags: Option<&str>) {
    let mut command = fehu_with_own_flags();
    command.args(["test", "--backend", backend]).arg(folder().join(program));
    if let Some(flags) = flags {
        command.env("CFLAGS", flags);
    }
    let output = command.output().expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Sanitizers stop at the first thing that is wrong. The C compiler does not optimise: it would take most of the time.
const SANITIZED: &str =
    "-std=c11 -O0 -fopenmp-simd -fsanitize=address,undefined -fno-sanitize-recover=all";

/// What tasks add to loops is theirs; that loops survive the optimiser is seen on one thread.
const LITTLE: &str = "-std=c11 -O0 -march=native -fopenmp-simd";

/// Entry points of `lanes.fut` of which the loop is not worth lanes: elements at different places, and checks.
const WITHOUT_LANES: [&str; 2] = ["updates", "guarded"];

#[test]
fn loops_that_differ_run_in_lanes() {
    let program = folder().join("lanes.fut");
    let name = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lanes");
    let mut command = fehu();
    let status = command.args(["c", "--library", "-o"]).arg(&name).arg(&program).status();
    assert!(status.expect("the binary runs").success());
    let c = std::fs::read_to_string(name.with_extension("c")).expect("the C code has been written");
    let text = std::fs::read_to_string(program).expect("the program is there");
    let entries = text.lines().filter_map(|line| line.strip_prefix("entry ")?.split(' ').next());
    for entry in entries {
        let head = format!("static int fe_fun_entry_{entry}(");
        let mut bodies = c.split(&head).skip(1).filter_map(|rest| rest.split("\n}\n").next());
        let has_lanes = bodies.any(|body| body.contains("[lane"));
        assert_eq!(has_lanes, !WITHOUT_LANES.contains(&entry), "{entry}");
    }
}

#[test]
fn lanes() {
    passes("lanes.fut", "c", None);
}

#[test]
fn lanes_in_tasks() {
    passes("lanes.fut", "multicore", Some(LITTLE));
}

#[test]
fn lanes_with_sanitizers() {
    passes("lanes.fut", "c", Some(SANITIZED));
}

#[test]
fn products() {
    passes("products.fut", "c", None);
}

#[test]
fn products_in_tasks() {
    passes("products.fut", "multicore", Some(LITTLE));
}

#[test]
fn products_with_sanitizers() {
    passes("products.fut", "c", Some(SANITIZED));
}

#[test]
fn columns() {
    passes("columns.fut", "c", None);
}

#[test]
fn columns_in_tasks() {
    passes("columns.fut", "multicore", Some(LITTLE));
}

#[test]
fn columns_with_sanitizers() {
    passes("columns.fut", "c", Some(SANITIZED));
}

#[test]
fn stencils() {
    passes("stencils.fut", "c", None);
}

#[test]
fn stencils_in_tasks() {
    passes("stencils.fut", "multicore", Some(LITTLE));
}

#[test]
fn stencils_with_sanitizers() {
    passes("stencils.fut", "c", Some(SANITIZED));
}

#[test]
fn prefixes() {
    passes("prefixes.fut", "c", None);
}

#[test]
fn prefixes_in_tasks() {
    passes("prefixes.fut", "multicore", Some(LITTLE));
}

#[test]
fn prefixes_with_sanitizers() {
    passes("prefixes.fut", "c", Some(SANITIZED));
}

#[test]
fn zeros() {
    passes("zeros.fut", "c", None);
}

#[test]
fn bins() {
    passes("bins.fut", "c", None);
}

#[test]
fn bins_in_tasks() {
    passes("bins.fut", "multicore", Some(LITTLE));
}

#[test]
fn bins_with_sanitizers() {
    passes("bins.fut", "c", Some(SANITIZED));
}

#[test]
fn rows() {
    passes("rows.fut", "c", None);
}

#[test]
fn rows_in_tasks() {
    passes("rows.fut", "multicore", Some(LITTLE));
}

#[test]
fn rows_with_sanitizers() {
    passes("rows.fut", "c", Some(SANITIZED));
}
