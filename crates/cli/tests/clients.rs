//! Programs that others wrote for `futhark`, used unchanged with our compiler in its place: packages of Python, a
//! crate of Rust, and the C interface. The clients are in `tests/clients`, the library that they use is
//! `tests/clients/library.fut`.
//!
//! What they need is installed from PyPI and crates.io on the first run, and kept in the target folder.
#![cfg(unix)]

use crate::common::{self, both, kept, path_with_futhark, repository, succeed};
use crate::python_packages::python;
use std::path::{Path, PathBuf};
use std::process::Command;

fn clients() -> PathBuf {
    repository().join("tests/clients")
}

/// `futhark`, found on PATH, as clients find it.
fn futhark(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.arg(format!("PATH={}", path_with_futhark(folder))).arg("futhark").args(args);
    command.current_dir(folder).env_remove("CC").env_remove("CFLAGS");
    command.env("XDG_CACHE_HOME", common::cache());
    command
}

#[test]
#[ignore = "installs and compiles packages of others; `./test --all` runs it"]
fn the_python_packages_work() {
    let (folder, _lock) = kept("clients-python");
    let python = python("clients/python/requirements.txt");
    let library = clients().join("library.fut").display().to_string();

    // Nobody waits for the optimiser here.
    succeed(futhark(&folder, &["c", "--server", &library, "-o", "server"]).env("CFLAGS", "-O0"));
    let script = clients().join("python/server_client.py");
    let said = succeed(Command::new(&python).arg(script).arg(folder.join("server")));
    assert_eq!(said, "all is well\n");

    succeed(&mut futhark(&folder, &["c", "--library", &library, "-o", "library"]));
    let mut build = Command::new(python.with_file_name("build_futhark_ffi"));
    succeed(build.arg("library").current_dir(&folder).env("CFLAGS", "-O0"));
    let script = clients().join("python/ffi_client.py");
    let mut client = Command::new(&python);
    let said = succeed(client.arg(script).current_dir(&folder).env("PYTHONPATH", &folder));
    assert_eq!(said, "all is well\n");
}

#[test]
#[ignore = "compiles many crates of others; `./test --all` runs it"]
fn the_crate_futhark_bindgen_works() {
    let (folder, _lock) = kept("clients-rust");
    let target = folder.join("target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked"]).current_dir(clients().join("rust"));
    cargo.env("CARGO_TARGET_DIR", &target).env("PATH", path_with_futhark(&folder));
    // What it asks of a library for one thread is a part of that.
    cargo.env("FUTHARK_BACKEND", "multicore").env("COMPILER_STAMP", stamp());
    common::compile_apart(&mut cargo);
    assert_eq!(succeed(&mut cargo), "all is well\n");
}

/// Something that changes with the compiler, so that the library is made anew.
fn stamp() -> String {
    let data = std::fs::metadata(env!("CARGO_BIN_EXE_fehu")).expect("the compiler is there");
    format!("{:?}", data.modified().expect("files have times"))
}

#[test]
fn a_c_program_uses_the_library() {
    let folder = common::folder("clients-c");
    let library = clients().join("library.fut").display().to_string();
    for backend in ["c", "multicore"] {
        succeed(&mut futhark(&folder, &[backend, "--library", &library, "-o", "library"]));
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "-o", "client.o", "-I."]);
        cc.args(common::SANITIZE.split(' ')).arg(clients().join("c/client.c"));
        succeed(cc.current_dir(&folder));
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-o", "client", "client.o", "library.c", "-lm", "-lpthread"]);
        succeed(cc.args(common::SANITIZE.split(' ')).current_dir(&folder));
        let mut client = Command::new(folder.join("client"));
        let output = client.env("ASAN_OPTIONS", common::ASAN_OPTIONS).output();
        let output = output.expect("the program runs");
        assert!(output.status.success(), "{backend}: {}", both(&output));
        assert!(output.stdout.ends_with(b"all is well\n"), "{backend}: {}", both(&output));
    }
}
