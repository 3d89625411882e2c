//! Programs of loops that are tiled, split or blocked, compiled and compared with the interpreter: `tests/vector`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vector")
}

/// Tests a program with a back end, and perhaps with other flags for the C compiler.
fn passes(program: &str, backend: &str, flags: Option<&str>) {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vector-cache");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    command.args(["test", "--backend", backend]).arg(folder().join(program));
    command.env("XDG_CACHE_HOME", cache).env_remove("CFLAGS").env_remove("CC");
    if let Some(flags) = flags {
        command.env("CFLAGS", flags);
    }
    let output = command.output().expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Sanitizers stop at the first thing that is wrong.
const SANITIZED: &str =
    "-std=c11 -O1 -g -fopenmp-simd -fsanitize=address,undefined -fno-sanitize-recover=all";

#[test]
fn products() {
    passes("products.fut", "c", None);
}

#[test]
fn products_in_tasks() {
    passes("products.fut", "multicore", None);
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
    passes("columns.fut", "multicore", None);
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
    passes("stencils.fut", "multicore", None);
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
    passes("prefixes.fut", "multicore", None);
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
    passes("bins.fut", "multicore", None);
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
    passes("rows.fut", "multicore", None);
}

#[test]
fn rows_with_sanitizers() {
    passes("rows.fut", "c", Some(SANITIZED));
}
