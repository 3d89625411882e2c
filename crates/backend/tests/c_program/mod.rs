//! C programs made of the runtime's headers, compiled and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runtime's headers that these tests are about, in their order.
pub(crate) fn runtime() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    let mut text = String::new();
    for file in ["fast_math.h", "scalar.h", "convert.h", "math_f32.h", "math_wide.h", "math.h"] {
        text.push_str(&fs::read_to_string(folder.join(file)).expect("the header exists"));
    }
    text
}

/// Compiles a program without warnings and returns where it is.
pub(crate) fn compile(name: &str, text: &str, options: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    fs::write(&source, text).expect("the program can be written");
    let output = Command::new("cc")
        .args([
            "-std=c11",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-function",
        ])
        .args(options)
        .arg("-o")
        .args([&program, &source])
        .arg("-lm")
        .output()
        .expect("there is a C compiler");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", errors.lines().take(40).collect::<Vec<_>>().join("\n"));
    program
}

/// Runs a program that prints 64-bit numbers.
pub(crate) fn run(program: &Path, args: &[&str]) -> Vec<u64> {
    let output = Command::new(program).args(args).output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let bytes = output.stdout.chunks_exact(8);
    bytes.map(|b| u64::from_ne_bytes(b.try_into().unwrap_or_default())).collect()
}
