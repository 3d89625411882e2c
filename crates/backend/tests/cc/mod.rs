//! C files in a folder of their own, compiled and run.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A file of the runtime.
pub(crate) fn runtime(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime").join(name);
    fs::read_to_string(path).expect("the file of the runtime exists")
}

/// A folder for the files of a test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A folder with this name, which no other test may have.
    pub(crate) fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("the folder can be made");
        Folder(path)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("the file can be written");
    }

    /// The bytes of a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("the file can be read")
    }

    /// Runs a program in the folder, and says what it wrote to standard output.
    pub(crate) fn run(&self, program: &str, args: &[&str], input: &str) -> String {
        let mut child = Command::new(program)
            .args(args)
            .current_dir(&self.0)
            // The sanitizer would rather stop than say that there is no memory.
            .env("ASAN_OPTIONS", "allocator_may_return_null=1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        // Inputs are small: they fit into the pipe, and a program that ends early does not read them.
        let _ = child.stdin.take().expect("there is an input").write_all(input.as_bytes());
        succeeded(&child.wait_with_output().expect("the program ends"))
    }

    /// Compiles a C file, without any warnings.
    pub(crate) fn compile(&self, source: &str, options: &[&str]) {
        let mut args =
            vec!["-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"];
        args.extend(options);
        args.extend(["-o", "program", source, "-lm"]);
        self.run("cc", &args, "");
    }

    /// Runs what was compiled.
    pub(crate) fn run_program(&self, args: &[&str], input: &str) -> String {
        self.run(&self.0.join("program").to_string_lossy(), args, input)
    }

    /// Compiles a C file and runs the program; yields what it writes.
    pub(crate) fn compile_and_run(&self, source: &str, options: &[&str]) -> String {
        self.compile(source, options);
        self.run_program(&[], "")
    }
}

fn succeeded(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().take(40).collect();
    assert!(output.status.success(), "{}\n{}", output.status, first.join("\n"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
