//! From imperative code to C: a readable, self-contained C file for each program.
//!
//! * [`c`]: functions of [`fehu_imp`] as C functions;
//! * [`api`]: the public API: arrays, opaque values, entry points, with header and manifest;
//! * [`foreign`]: prototypes of the functions of other languages that programs call;
//! * [`runtime`]: the C sources in `runtime/`, in order; every program contains a copy of them;
//! * [`Target`]: the back ends, with all that distinguishes their programs.
//!
//! Nothing here knows what a program means; everything that affects its cost is decided earlier, in `imp`.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod api;
pub mod c;
pub mod foreign;
pub mod runtime;
mod target;

pub use target::Target;

/// What becomes of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A program that reads its arguments from standard input and writes its result.
    Executable,
    /// A program that obeys commands on standard input.
    Server,
    /// Something to be linked into another program.
    Library,
    /// The same as a file that is loaded by programs that know nothing of it: it describes itself by tables.
    Shared,
}

/// The texts that a program becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifacts {
    /// C code.
    pub c: String,
    /// The part of it that no program of this kind differs in, if it can be compiled separately ([`runtime::separate`]).
    pub runtime: Option<String>,
    /// The header, if it is a library.
    pub header: Option<String>,
    /// The description for tools, in JSON, if it is no executable.
    pub manifest: Option<String>,
    /// The foreign functions that it calls.
    pub foreign: Vec<foreign::Prototype>,
}
