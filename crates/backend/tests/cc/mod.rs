//! C files in a folder of their own, compiled and run.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What leaks in libraries of others.
const LEAKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cc/leaks.txt");

/// What saves the C compiler a fifth of its time when it does not optimise: an access through a null pointer ends a
/// program anyway, sizes of objects are known to the optimiser only, and addresses are checked in functions.
const QUICK: [&str; 2] =
    ["-fno-sanitize=null,object-size", "--param=asan-instrumentation-with-call-threshold=0"];

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

    /// Where a file is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs a program in the folder to its end.
    fn output(
        &self,
        variables: &[(&str, &str)],
        program: &str,
        args: &[&str],
        input: &str,
    ) -> Output {
        let mut child = Command::new(program)
            .args(args)
            .current_dir(&self.0)
            // The sanitizer would rather stop than say that there is no memory.
            .env("ASAN_OPTIONS", "allocator_may_return_null=1")
            // Only programs for devices keep something, and only their libraries leak.
            .env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .env("LSAN_OPTIONS", format!("suppressions={LEAKS}:print_suppressions=0"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut pipe = child.stdin.take().expect("there is an input");
        let input = input.to_owned();
        // A program that ends early does not read everything.
        let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()).is_ok());
        let output = child.wait_with_output().expect("the program ends");
        let _ = writer.join();
        output
    }

    /// Runs a program in the folder, and says what it wrote to standard output.
    pub(crate) fn run(&self, program: &str, args: &[&str], input: &str) -> String {
        let mut output = self.output(&[], program, args, input);
        // What looks for leaks may crash itself while threads of another library end; then it has found nothing.
        for _ in 0..2 {
            if String::from_utf8_lossy(&output.stderr).contains(CRASHED) {
                output = self.output(&[], program, args, input);
            }
        }
        succeeded(&output)
    }

    /// Compiles a C file, without any warnings.
    pub(crate) fn compile(&self, source: &str, options: &[&str]) {
        let mut args =
            vec!["-std=c11", "-g1", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"];
        args.extend(options);
        if options.contains(&"-O0") && options.contains(&"-fsanitize=address,undefined") {
            args.extend(QUICK);
        }
        args.extend(["-o", "program", source, "-lm"]);
        self.run("cc", &args, "");
    }

    /// Compiles a C file that several tests have, with the same options, only once: what was made is kept under a name that
    /// says what is in it.
    pub(crate) fn compile_once(&self, source: &str, options: &[&str]) {
        let mut hasher = DefaultHasher::new();
        options.hash(&mut hasher);
        self.read(source).hash(&mut hasher);
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("kept-program-{:016x}", hasher.finish()));
        // Tests that need it at the same time wait for the first of them.
        let turn = fs::File::create(kept.with_extension("lock")).expect("the lock can be made");
        turn.lock().expect("it can be locked");
        if !kept.exists() {
            self.compile(source, options);
            let unfinished = kept.with_extension(std::process::id().to_string());
            fs::copy(self.path("program"), &unfinished).expect("it can be copied");
            fs::rename(&unfinished, &kept).expect("it can be renamed");
        }
        let _ = fs::remove_file(self.path("program"));
        fs::hard_link(&kept, self.path("program")).expect("it can be linked");
    }

    /// Runs what was compiled.
    pub(crate) fn run_program(&self, args: &[&str], input: &str) -> String {
        self.run(&self.0.join("program").to_string_lossy(), args, input)
    }

    /// Runs what was compiled, which fails; yields what it says on standard error.
    pub(crate) fn fail_program(&self, args: &[&str], input: &str) -> String {
        self.fail_program_with(&[], args, input)
    }

    /// The same with variables of the environment.
    pub(crate) fn fail_program_with(
        &self,
        variables: &[(&str, &str)],
        args: &[&str],
        input: &str,
    ) -> String {
        let output = self.output(variables, &self.path("program").to_string_lossy(), args, input);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        said
    }

    /// Runs what was compiled; yields what it says on standard error.
    pub(crate) fn said_by_program(&self, args: &[&str], input: &str) -> String {
        let output = self.output(&[], &self.path("program").to_string_lossy(), args, input);
        succeeded(&output);
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Runs what was compiled; yields the bytes that it writes.
    pub(crate) fn bytes_of_program(&self, args: &[&str]) -> Vec<u8> {
        let output = self.output(&[], &self.path("program").to_string_lossy(), args, "");
        succeeded(&output);
        output.stdout
    }

    /// Compiles a C file and runs the program; yields what it writes.
    pub(crate) fn compile_and_run(&self, source: &str, options: &[&str]) -> String {
        self.compile(source, options);
        self.run_program(&[], "")
    }
}

/// What LeakSanitizer says if it does not end well.
const CRASHED: &str = "LeakSanitizer has encountered a fatal error";

fn succeeded(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().take(40).collect();
    assert!(output.status.success(), "{}\n{}", output.status, first.join("\n"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
