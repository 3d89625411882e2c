//! The Python package: built as a wheel with this compiler, installed into an environment of its own, and tested there
//! by `python/tests`.
//!
//! What it needs is installed from PyPI on the first run, and kept.
#![cfg(unix)]

use crate::common::{self, kept_for_all_clones, repository, succeed};
use crate::python_packages::{environment, pip};
use std::path::Path;
use std::process::Command;

/// What the package needs, a library whose arrays it takes, what its wheel is built and checked with, the engine for
/// clusters, and what of Jupyter its notebooks are tested with.
const REQUIREMENTS: [&str; 9] = [
    "numpy",
    "jax==0.10.2",
    "maturin==1.16.0",
    "mypy==2.4.1",
    "dask[array]==2026.8.0",
    "distributed==2026.8.0",
    "ipykernel==7.4.0",
    "nbclient==0.11.0",
    "jupyter_kernel_test==0.7.0",
];

#[test]
fn the_package_works() {
    let (folder, _lock) = kept_for_all_clones("python-package");
    let mut requirements = REQUIREMENTS.to_vec();
    if !is_debian_12() {
        requirements.push("torch");
    }
    let python = environment(&folder, &requirements);
    install(&python, &folder);
    let tests = repository().join("python/tests");
    let mut run = if is_debian_12() { with_torch(&tests) } else { Command::new("env") };
    run.arg(&python).args(["-m", "unittest", "discover", "--quiet", "-s"]).arg(tests);
    run.current_dir(&folder);
    run.env("XDG_CACHE_HOME", common::cache()).env_remove("FEHU").env_remove("CC");
    // Nobody waits for the optimiser here.
    run.env("CFLAGS", "-O1");
    succeed(&mut run);
    let mut check = Command::new(&python);
    check.args(["-m", "mypy", "--strict", "-p", "fehu", "-p", "typed"]);
    check.arg("--cache-dir").arg(folder.join("mypy"));
    check.current_dir(&folder).env("MYPYPATH", repository().join("python/tests"));
    succeed(&mut check);
}

/// Whether this is Debian 12, which has a PyTorch of a tenth of the size of PyPI's.
fn is_debian_12() -> bool {
    std::fs::read_to_string("/etc/debian_version").is_ok_and(|version| version.starts_with("12"))
}

/// Runs what follows with the PyTorch of Debian.
fn with_torch(tests: &Path) -> Command {
    let (folder, _) = kept_for_all_clones("torch");
    let mut command = Command::new("sh");
    command.arg(tests.join("with_torch")).arg(folder);
    command
}

/// Builds the wheel, as pip does, and installs it.
fn install(python: &Path, folder: &Path) {
    let wheels = folder.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let metadata = folder.join("metadata");
    let _ = std::fs::remove_dir_all(&metadata);
    for folder in [&wheels, &metadata] {
        std::fs::create_dir_all(folder).expect("the folder can be made");
    }
    let package = repository().join("python");
    let mut build = Command::new(python);
    let steps = "import sys, backend
backend.prepare_metadata_for_build_wheel(sys.argv[1] + '/../metadata')
backend.build_wheel(sys.argv[1])";
    build.args(["-c", steps]).arg(&wheels);
    build.current_dir(&package).env("PYTHONPATH", package.join("packaging"));
    build.env("FEHU_EXECUTABLE", env!("CARGO_BIN_EXE_fehu"));
    // Nobody waits for the optimiser here, either.
    build.env("MATURIN_PEP517_ARGS", "--profile dev");
    let target = folder.join("target");
    build.env("CARGO_TARGET_DIR", &target);
    build.env("PATH", path_with(python));
    common::compile_apart(&mut build);
    succeed(&mut build);
    common::remove_compiled(&target, &package, &["fehu-python", "fehu"]);
    let wheel = std::fs::read_dir(&wheels).expect("it can be listed").flatten().next();
    let wheel = wheel.expect("there is a wheel").path();
    succeed(pip(python).args(["--no-deps", "--force-reinstall"]).arg(wheel));
}

/// The programs of an environment first.
fn path_with(python: &Path) -> String {
    let bin = python.parent().expect("it is in a folder");
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default())
}
