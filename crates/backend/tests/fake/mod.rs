//! C programs written by hand, compiled with the files of the runtime and with sanitizers.

pub(crate) mod client;

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Compiles `tests/fake/FILE` with some options; the program. Warnings are errors.
pub(crate) fn compile(file: &str, options: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runtime = root.join("runtime");
    let source = root.join("tests/fake").join(file);
    let mut hasher = DefaultHasher::new();
    options.hash(&mut hasher);
    std::fs::read(&source).expect("the source is there").hash(&mut hasher);
    let entries = std::fs::read_dir(&runtime).expect("the runtime is there");
    // What is in folders is for devices, and no part of these programs.
    let entries = entries.map(|entry| entry.expect("it can be listed").path());
    let mut headers: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    headers.sort();
    for header in headers {
        std::fs::read(header).expect("it can be read").hash(&mut hasher);
    }
    // The name says what is in it, so that tests in several processes can share it.
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = directory.join(format!("{file}-{:016x}", hasher.finish()));
    let lock = File::create(directory.join(format!("{file}.lock"))).expect("a lock can be made");
    lock.lock().expect("it can be locked");
    if !program.exists() {
        let unfinished = directory.join(format!("{file}-{}", std::process::id()));
        let output = Command::new("cc")
            .args(["-std=c11", "-g1", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"])
            .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
            .args(options)
            // Only for names in quotes: the runtime has a math.h of its own.
            .arg("-iquote")
            .arg(&runtime)
            .arg(&source)
            .arg("-o")
            .arg(&unfinished)
            .output()
            .expect("there is a C compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::rename(&unfinished, &program).expect("it can be renamed");
    }
    program
}

/// Runs a program to its end.
pub(crate) fn run(program: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A program that fails early does not read everything, which is its right.
    let writer = std::thread::spawn(move || pipe.write_all(&input).is_ok());
    let output = child.wait_with_output().expect("the program ends");
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("Sanitizer") && !errors.contains("runtime error"), "{errors}");
    output
}

/// A directory of its own for a test.
pub(crate) fn directory(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("it can be made");
    path
}
