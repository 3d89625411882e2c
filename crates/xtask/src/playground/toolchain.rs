//! A Rust compiler that has a standard library for WebAssembly, or can build one.

use super::TARGET;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Who compiles for WebAssembly.
pub(super) enum Toolchain {
    /// The usual compiler, which has the library.
    Usual,
    /// A compiler of the distribution, which builds the library from its sources. The linker is another package.
    FromSource {
        /// The compiler.
        rustc: PathBuf,
        /// The linker.
        linker: PathBuf,
    },
}

impl Toolchain {
    /// The first that there is: the usual compiler; the same after rustup has installed the library; the packages of
    /// Debian. The error says what is missing.
    pub(super) fn find() -> Result<Toolchain, String> {
        if has_library("rustc") {
            return Ok(Toolchain::Usual);
        }
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", TARGET]).stdout(Stdio::null()).stderr(Stdio::null());
        if rustup.status().is_ok_and(|status| status.success()) && has_library("rustc") {
            return Ok(Toolchain::Usual);
        }
        let rustc = PathBuf::from("/usr/bin/rustc");
        let sources = has_sources(&rustc);
        match (sources, linker()) {
            (true, Some(linker)) => Ok(Toolchain::FromSource { rustc, linker }),
            (sources, linker) => {
                let mut missing = Vec::new();
                if !sources {
                    missing.push(
                        "a compiler with the sources of its library (rustc-web, rust-web-src)",
                    );
                }
                if linker.is_none() {
                    missing.push("the linker wasm-ld (lld-NN, with the number of the libllvm that rustc-web needs)");
                }
                Err(format!(
                    "There is no standard library of Rust for {TARGET}. Either `rustup target add {TARGET}` installs it, which did not \
                     work here; or it is built with packages of Debian, of which these are missing:\n  {}",
                    missing.join("\n  ")
                ))
            }
        }
    }

    /// Cargo, told whom to use.
    pub(super) fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        if let Toolchain::FromSource { rustc, linker } = self {
            // The library is built by an option of cargo that is not stable.
            cargo.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            cargo.arg("-Zbuild-std=std,panic_abort");
        }
        cargo
    }
}

/// Whether a compiler has the library.
fn has_library(rustc: &str) -> bool {
    let found = printed(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    let files = found.and_then(|folder| std::fs::read_dir(folder).ok());
    let mut names = files.into_iter().flatten().flatten().map(|file| file.file_name());
    names.any(|name| name.to_string_lossy().starts_with("libstd-"))
}

/// Whether a compiler has the sources of its library.
fn has_sources(rustc: &Path) -> bool {
    let sysroot = printed(Command::new(rustc).args(["--print", "sysroot"]));
    sysroot.is_some_and(|folder| Path::new(&folder).join("lib/rustlib/src/rust/library").is_dir())
}

/// The newest linker.
fn linker() -> Option<PathBuf> {
    let files = std::fs::read_dir("/usr/bin").ok()?.flatten();
    let versions = files.filter_map(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        let version: u32 = name.strip_prefix("wasm-ld-")?.parse().ok()?;
        Some((version, file.path()))
    });
    versions.max().map(|(_, path)| path)
}

/// What a command prints.
fn printed(command: &mut Command) -> Option<String> {
    let done = command.stderr(Stdio::null()).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
