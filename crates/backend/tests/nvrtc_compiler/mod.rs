//! The compiler of CUDA kernels, from a Python package.

use crate::python_packages::python;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a device program to PTX. The name is that of its file, which no other test may have.
pub(crate) fn ptx(name: &str, source: &str) -> String {
    let path = written(name, source);
    succeed(compiler().arg(&path));
    std::fs::read_to_string(path.with_extension("ptx")).expect("there is PTX")
}

/// The same with approximate functions.
#[allow(dead_code, reason = "the tests of commands need no code")]
pub(crate) fn fast_ptx(name: &str, source: &str) -> String {
    let path = written(name, source);
    succeed(compiler().arg("--fast-math").arg(&path));
    std::fs::read_to_string(path.with_extension("ptx")).expect("there is PTX")
}

/// Makes sure that device programs, each with a name, are accepted; nothing is made of them.
#[allow(dead_code, reason = "the tests of the runtime need code")]
pub(crate) fn accepts(programs: &[(String, String)]) {
    let paths: Vec<PathBuf> = programs.iter().map(|(name, source)| written(name, source)).collect();
    let said = succeed(compiler().arg("--accept").args(&paths));
    assert_eq!(said.matches(": accepted").count(), programs.len(), "{said}");
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvrtc");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn written(name: &str, source: &str) -> PathBuf {
    let path = folder().join(format!("{name}.cu"));
    std::fs::write(&path, source).expect("the program can be written");
    path
}

fn compiler() -> Command {
    let mut command = Command::new(python("nvrtc/requirements.txt"));
    command.arg(scripts().join("compile.py"));
    command
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/nvrtc")
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}
