//! C files in a folder of their own, compiled and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

    /// Runs a compiler in the folder, without any warnings, and says what it wrote to standard output.
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(program)
            .args(args)
            .current_dir(&self.0)
            // The sanitizer would rather stop than say that there is no memory.
            .env("ASAN_OPTIONS", "allocator_may_return_null=1")
            .output()
            .expect("the program can be started");
        succeeded(&output)
    }

    /// Compiles a C file and runs the program; yields what it writes.
    pub(crate) fn compile_and_run(&self, source: &str, options: &[&str]) -> String {
        let mut args =
            vec!["-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"];
        args.extend(options);
        args.extend(["-o", "program", source, "-lm"]);
        self.run("cc", &args);
        let program = self.0.join("program");
        self.run(&program.to_string_lossy(), &[])
    }
}

fn succeeded(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().take(40).collect();
    assert!(output.status.success(), "{}\n{}", output.status, first.join("\n"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
