//! Programs of loops that are tiled, split, blocked or executed in lanes, compiled and compared with the interpreter:
//! `tests/vector`.
#![cfg(unix)]

use crate::common::{SANITIZE, fehu, fehu_with_own_flags};
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

/// In tasks, and with sanitizers, which stop at the first thing that is wrong; the C compiler does not optimise: it
/// would take most of the time. The same loops survive the optimiser on one thread. `FEHU_SANITIZE=all` has sanitizers
/// there as well.
fn sanitized(program: &str) {
    let flags = format!("-std=c11 -O0 -fopenmp-simd {SANITIZE}");
    passes(program, "multicore", Some(&flags));
    if std::env::var("FEHU_SANITIZE").is_ok_and(|value| value == "all") {
        passes(program, "c", Some(&flags));
    }
}

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
fn lanes_in_tasks_with_sanitizers() {
    sanitized("lanes.fut");
}

#[test]
fn products() {
    passes("products.fut", "c", None);
}

#[test]
fn products_in_tasks_with_sanitizers() {
    sanitized("products.fut");
}

#[test]
fn columns() {
    passes("columns.fut", "c", None);
}

#[test]
fn columns_in_tasks_with_sanitizers() {
    sanitized("columns.fut");
}

#[test]
fn stencils() {
    passes("stencils.fut", "c", None);
}

#[test]
fn stencils_in_tasks_with_sanitizers() {
    sanitized("stencils.fut");
}

#[test]
fn prefixes() {
    passes("prefixes.fut", "c", None);
}

#[test]
fn prefixes_in_tasks_with_sanitizers() {
    sanitized("prefixes.fut");
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
fn bins_in_tasks_with_sanitizers() {
    sanitized("bins.fut");
}

#[test]
fn rows() {
    passes("rows.fut", "c", None);
}

#[test]
fn rows_in_tasks_with_sanitizers() {
    sanitized("rows.fut");
}
