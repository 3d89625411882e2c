//! The crates for Rust: `rust/example` is a project that uses them, with a build script that runs this compiler.
//!
//! What it needs is kept in the target folder.
#![cfg(unix)]

use crate::common::{self, kept, repository, succeed};
use std::process::Command;

#[test]
fn a_project_calls_its_programs() {
    let (folder, _lock) = kept("rust-example");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked"]).current_dir(repository().join("rust/example"));
    cargo.env("CARGO_TARGET_DIR", folder.join("target")).env("FEHU", env!("CARGO_BIN_EXE_fehu"));
    cargo.env("XDG_CACHE_HOME", common::cache()).env("COMPILER_STAMP", stamp());
    common::compile_apart(&mut cargo);
    assert_eq!(succeed(&mut cargo), "all is well\n");
}

/// Something that changes with the compiler, so that the programs are compiled anew.
fn stamp() -> String {
    let data = std::fs::metadata(env!("CARGO_BIN_EXE_fehu")).expect("the compiler is there");
    format!("{:?}", data.modified().expect("files have times"))
}
