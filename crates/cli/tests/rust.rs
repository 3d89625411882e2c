//! The crates for Rust: `rust/example` is a project that uses them, with a build script that runs this compiler.
//!
//! What it needs of others is kept.
#![cfg(unix)]

use crate::common::{self, kept_for_all_clones, repository, succeed};
use std::process::Command;

#[test]
fn a_project_calls_its_programs() {
    let (folder, _lock) = kept_for_all_clones("rust-example");
    let (package, target) = (repository().join("rust/example"), folder.join("target"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked"]).current_dir(&package);
    cargo.env("CARGO_TARGET_DIR", &target).env("FEHU", env!("CARGO_BIN_EXE_fehu"));
    cargo.env("XDG_CACHE_HOME", common::cache()).env("COMPILER_STAMP", stamp());
    // Nobody looks at it with a debugger.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "none");
    common::compile_apart(&mut cargo);
    assert_eq!(succeed(&mut cargo), "all is well\n");
    common::remove_compiled(&target, &package, &["example", "fehu", "fehu-build"]);
}

/// Something that changes with the compiler, so that the programs are compiled anew.
fn stamp() -> String {
    let data = std::fs::metadata(env!("CARGO_BIN_EXE_fehu")).expect("the compiler is there");
    format!("{:?}", data.modified().expect("files have times"))
}
