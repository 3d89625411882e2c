//! For build scripts: compiles a program, and writes a Rust module for it, which `fehu::module!` includes.
//!
//! ```no_run
//! fehu_build::Builder::new("src/stats.fut").backend("multicore").emit();
//! ```
//!
//! The compiler is the executable `fehu`: the one that the variable `FEHU` names, or that is on the path (`pip install fehu-lang` and
//! `cargo install` both put it there). It is not a part of this crate, because then every project would have to compile the compiler. A C
//! compiler is needed as well, which the crate `cc` finds.
//!
//! The program becomes a static library, with names of its own, so that several programs can be linked together.

mod bindings;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What to compile, and how.
#[derive(Clone, Debug)]
pub struct Builder {
    source: PathBuf,
    name: String,
    backend: String,
    arguments: Vec<String>,
}

impl Builder {
    /// A program, which becomes the module of its file's name, for one core.
    pub fn new(source: impl Into<PathBuf>) -> Builder {
        let source = source.into();
        let name = source.file_stem().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default().replace('-', "_");
        Builder { source, name, backend: "c".to_owned(), arguments: Vec::new() }
    }

    /// What executes it: `"c"`, one core, or `"multicore"`, all of them.
    #[must_use]
    pub fn backend(mut self, backend: &str) -> Builder {
        self.backend = backend.to_owned();
        self
    }

    /// Another name for the module.
    #[must_use]
    pub fn name(mut self, name: &str) -> Builder {
        self.name = name.to_owned();
        self
    }

    /// An option of the compiler, such as `--safe`.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Builder {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Compiles the program. If it is wrong, the build ends with the compiler's message.
    #[expect(clippy::disallowed_methods, reason = "that is how a build script fails")]
    pub fn emit(self) {
        if let Err(message) = self.try_emit() {
            for line in message.lines() {
                say(&format!("cargo::error={line}"));
            }
            std::process::exit(1);
        }
    }

    /// The same, with the message as a value.
    pub fn try_emit(self) -> Result<(), String> {
        if !matches!(self.backend.as_str(), "c" | "multicore") {
            let backend = &self.backend;
            return Err(format!("the back end must be \"c\" or \"multicore\", not {backend:?}"));
        }
        let folder = PathBuf::from(variable("OUT_DIR")?);
        let fehu = std::env::var("FEHU").unwrap_or_else(|_| "fehu".to_owned());
        say("cargo::rerun-if-env-changed=FEHU");
        say(&format!("cargo::rerun-if-changed={}", self.source.display()));
        // What it imports is beside it, mostly.
        if let Some(beside) = self.source.parent().filter(|folder| folder.join("lib").is_dir()) {
            say(&format!("cargo::rerun-if-changed={}", beside.join("lib").display()));
        }
        let output = folder.join(format!("{}_program", self.name));
        let mut command = Command::new(&fehu);
        command.args([self.backend.as_str(), "--library", "--shared", "-o"]).arg(&output);
        let done = command.args(&self.arguments).arg(&self.source).output();
        let done = done.map_err(|why| {
            format!("cannot run `{fehu}`: {why}; install the compiler, or set FEHU to its path")
        })?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        if !done.status.success() {
            return Err(said);
        }
        for line in said.lines() {
            say(&format!("cargo::warning={line}"));
        }
        let c = read(&output.with_extension("c"))?;
        let manifest = read(&output.with_extension("json"))?;
        let own = folder.join(format!("{}_own.c", self.name));
        write(&own, &renamed(&c, &self.name))?;
        let mut build = cc::Build::new();
        build.file(&own).opt_level(3).warnings(false).std("c11");
        for flag in [
            "-fno-math-errno",
            "-fno-trapping-math",
            "-ffp-contract=fast",
            "-fopenmp-simd",
            "-U_FORTIFY_SOURCE",
            "-fno-stack-protector",
        ] {
            build.flag_if_supported(flag);
        }
        build.try_compile(&format!("fehu_{}", self.name)).map_err(|why| why.to_string())?;
        for library in ["m", "pthread", "dl"] {
            say(&format!("cargo::rustc-link-lib={library}"));
        }
        write(&folder.join(format!("{}.rs", self.name)), &bindings::module(&manifest, &self.name)?)
    }
}

/// The program's public names with the module's name in them.
fn renamed(c: &str, name: &str) -> String {
    c.replace("futhark_", &format!("fehu_{name}_"))
        .replace("fehu_bindings(", &format!("fehu_{name}_bindings("))
}

fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("{name} is not set: this is for build scripts"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Tells cargo something.
#[expect(clippy::print_stdout, reason = "that is how build scripts talk to cargo")]
fn say(line: &str) {
    println!("{line}");
}
