//! What users give for foreign functions: files and libraries that programs are compiled and linked with.
//!
//! ```text
//! --foreign fft.c --foreign -lfftw3f          C code, object files, archives, shared libraries, options -l, -L and -I
//! --foreign kernels.cu                        functions that kernels call: .cu for CUDA, .cl for OpenCL
//! ```
//!
//! C code is compiled with the prototypes of the functions in front, so that a definition with other types is an error.

use crate::check::{Outcome, Warnings};
use crate::errors;
use crate::files::Files;
use crate::load::{self, Root, Share};
use crate::session::{self, Session};
use crate::stages;
use fehu_backend::foreign::{self, Caller, Prototype};
use fehu_backend::{Artifacts, Target};
use fehu_base::{Diagnostic, Platform, hash};
use fehu_ir::Prog;
use fehu_opt::foreign::Choice;
use std::path::PathBuf;
use std::sync::Arc;

/// What is done with the foreign functions of programs.
#[derive(Clone, Debug, Default)]
pub struct Foreign {
    /// Whether they are called.
    pub calls: Calls,
    /// What has them.
    pub inputs: Arc<Inputs>,
}

/// Whether foreign functions are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Calls {
    /// Where the back end has one.
    #[default]
    Symbols,
    /// Likewise, and what they compute is compared with what the bodies compute.
    Checked,
    /// Never: bodies are what counts.
    Bodies,
}

/// Files and libraries.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// All files that are read.
    files: Vec<PathBuf>,
    /// C code.
    sources: Vec<PathBuf>,
    /// Arguments for the linker.
    linked: Vec<String>,
    /// Arguments for the compiler.
    options: Vec<String>,
    /// Code for kernels.
    kernels: Vec<(Platform, String)>,
    /// What all of it is.
    digest: String,
}

/// The kinds of files.
const KINDS: &str = ".c, .o, .a, .so, .cu (kernels of CUDA) and .cl (kernels of OpenCL)";

/// The platform whose symbols a back end calls.
pub fn platform(target: Target) -> Platform {
    match target {
        Target::C | Target::Multicore => Platform::C,
        Target::Cuda => Platform::Cuda,
        Target::OpenCl => Platform::OpenCl,
    }
}

impl Foreign {
    /// Which functions are called as such by programs for a target.
    pub fn choice(&self, target: Target) -> Choice {
        match self.calls {
            Calls::Symbols => Choice::Symbols(platform(target)),
            Calls::Checked => Choice::Checked(platform(target)),
            Calls::Bodies => Choice::Bodies,
        }
    }

    /// What is different about programs that use it, for the cache.
    pub fn identity(&self) -> String {
        format!("{:?} {}", self.calls, self.inputs.digest)
    }

    /// The code that precedes the kernels of programs.
    pub fn kernel_code(&self, target: Target) -> String {
        let platform = platform(target);
        let ours = self.inputs.kernels.iter().filter(|(of, _)| *of == platform);
        ours.map(|(_, text)| format!("{text}\n")).collect()
    }

    /// What is wrong with the foreign functions of a program, as far as that is known before it is linked.
    pub fn wrong(&self, prog: &Prog, target: Target) -> Option<Diagnostic> {
        let prototypes = foreign::prototypes(prog);
        if let Some((one, other)) = foreign::conflict(&prototypes) {
            return Some(errors::foreign_conflict(one, other));
        }
        let code = self.kernel_code(target);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let has = |symbol: &str| code.split(|c| !is_word(c)).any(|word| word == symbol);
        let mut kernels = prototypes.iter().filter(|p| p.caller == Caller::Kernels);
        let missing = kernels.find(|prototype| !has(&prototype.symbol))?;
        let others: Vec<&Prototype> = kernels.filter(|other| !has(&other.symbol)).collect();
        Some(errors::foreign_undefined(missing, &others))
    }
}

impl Inputs {
    /// Reads what the arguments of `--foreign` name.
    pub fn read(names: &[String]) -> Result<Inputs, Box<Diagnostic>> {
        let mut inputs = Inputs::default();
        let mut digests = Vec::new();
        for name in names {
            digests.push(name.clone());
            if name.starts_with('-') {
                inputs.option(name)?;
                continue;
            }
            let path = std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name));
            let bytes = std::fs::read(&path).map_err(|why| errors::foreign_file(name, &why))?;
            digests.push(hash::digest([bytes.as_slice()]));
            inputs.files.push(path.clone());
            let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
            let text = || String::from_utf8_lossy(&bytes).into_owned();
            match end {
                "c" => inputs.sources.push(path),
                "o" | "a" => inputs.linked.push(path.display().to_string()),
                "so" => {
                    if let Some(folder) = path.parent() {
                        inputs.linked.push(format!("-Wl,-rpath,{}", folder.display()));
                    }
                    inputs.linked.push(path.display().to_string());
                }
                "cu" | "cuh" => inputs.kernels.push((Platform::Cuda, text())),
                "cl" => inputs.kernels.push((Platform::OpenCl, text())),
                _ => return Err(Box::new(errors::foreign_kind(name, KINDS))),
            }
        }
        inputs.digest = hash::digest(digests.iter().map(String::as_bytes));
        Ok(inputs)
    }

    fn option(&mut self, option: &str) -> Result<(), Box<Diagnostic>> {
        match option.split_at_checked(2) {
            Some(("-l", name)) if !name.is_empty() => self.linked.push(option.to_owned()),
            Some(("-I", folder)) if !folder.is_empty() => self.options.push(option.to_owned()),
            Some(("-L", folder)) if !folder.is_empty() => {
                self.linked.push(option.to_owned());
                self.linked.push(format!("-Wl,-rpath,{folder}"));
            }
            _ => return Err(Box::new(errors::foreign_kind(option, KINDS))),
        }
        Ok(())
    }

    /// What the C compiler gets for them, given the file with prototypes.
    pub(crate) fn arguments(&self, prototypes: Option<&std::path::Path>) -> Vec<String> {
        let mut arguments = self.options.clone();
        if let Some(path) = prototypes.filter(|_| !self.sources.is_empty()) {
            arguments.extend(["-include".to_owned(), path.display().to_string()]);
        }
        arguments.extend(self.sources.iter().map(|path| path.display().to_string()));
        arguments.extend(self.linked.iter().cloned());
        arguments
    }

    /// Which of these files is to be written, although it is read.
    pub(crate) fn overwritten(&self, outputs: &[PathBuf]) -> Option<&PathBuf> {
        let same = |output: &PathBuf, file: &PathBuf| {
            let real = |path: &PathBuf| std::fs::canonicalize(path).ok();
            real(output).is_some_and(|output| real(file) == Some(output))
        };
        self.files.iter().find(|file| outputs.iter().any(|output| same(output, file)))
    }

    /// Whether C code is among them.
    pub(crate) fn has_sources(&self) -> bool {
        !self.sources.is_empty()
    }
}

/// The prototypes of a program, for the C code that comes with it.
pub(crate) fn header(artifacts: &Artifacts) -> String {
    let host = artifacts.foreign.iter().filter(|prototype| prototype.caller == Caller::Host);
    host.map(|prototype| format!("{};\n", prototype.without_headers())).collect()
}

/// What the C compiler said about foreign functions, in our words.
pub(crate) fn explained(said: &str, foreign: &[Prototype]) -> Option<Diagnostic> {
    // Linkers quote in different ways, or not at all.
    let undefined = |prototype: &&Prototype| {
        said.lines().any(|line| {
            ["undefined reference to ", "undefined symbol: "].iter().any(|before| {
                let name = line.split_once(before).map(|(_, name)| name);
                name.is_some_and(|name| name.trim_matches(['`', '\'']) == prototype.symbol)
            })
        })
    };
    let missing: Vec<&Prototype> = foreign.iter().filter(undefined).collect();
    if let [prototype, others @ ..] = missing.as_slice() {
        return Some(errors::foreign_undefined(prototype, others));
    }
    let differs = |prototype: &&Prototype| {
        let quotes = [('\'', '\''), ('‘', '’')];
        quotes.iter().any(|(open, close)| {
            said.contains(&format!("conflicting types for {open}{}{close}", prototype.symbol))
        })
    };
    if let Some(prototype) = foreign.iter().find(differs) {
        return Some(errors::foreign_types(prototype, said.trim_end()));
    }
    let library =
        said.split_once("cannot find -l").or(said.split_once("unable to find library -l"));
    library.map(|(_, rest)| {
        let name: String = rest.chars().take_while(|c| !c.is_whitespace() && *c != ':').collect();
        errors::foreign_library(&name)
    })
}

/// Whether an error is about foreign functions, so that nothing is gained by another attempt.
pub(crate) fn is_about(error: &Diagnostic) -> bool {
    error.code.starts_with("foreign-")
}

/// The prototypes of the foreign functions of a program, as a header that users can include; nothing if there are none.
/// With a target, those that its programs call.
pub fn prototypes(
    files: &dyn Files,
    root: &Root,
    name: &str,
    target: Option<Target>,
) -> (Outcome, Option<String>) {
    let mut session = Session::default();
    let mut text = None;
    session::run(&mut session, |session| {
        let loaded = load::load(session, files, root, Share::Needed(&[]));
        let check = |sources: &mut _| stages::check(&loaded, sources);
        let (program, found) = session.stage("check", check);
        session.diagnostics.extend(found);
        if session.has_errors() {
            return;
        }
        let lower = |sources: &mut _| stages::lower_foreign(&loaded, &program, sources);
        match session.stage("lower", lower) {
            Ok(prog) => text = describe(&prog, name, target.map(platform)),
            Err(limit) => {
                session.limited = true;
                session.diagnostics.push(errors::not_supported(limit.span, &limit.message));
            }
        }
    });
    (Outcome::new(session, Warnings::Hide), text)
}

fn describe(prog: &Prog, name: &str, only: Option<Platform>) -> Option<String> {
    let mut prototypes = foreign::prototypes(prog);
    prototypes.retain(|prototype| only.is_none_or(|only| prototype.platform == only));
    if prototypes.is_empty() {
        return None;
    }
    let mut text = format!("// Foreign functions of {name}, made by `fehu foreign`.\n");
    text.push_str("#include <stdbool.h>\n#include <stdint.h>\n");
    for prototype in &prototypes {
        let Prototype { function, platform, vectorised, caller, .. } = prototype;
        let what = if *vectorised { "a whole map of " } else { "" };
        let who = match (platform, caller) {
            (Platform::C, _) => "",
            (_, Caller::Kernels) => ", called by kernels",
            (_, Caller::Host) => ", called by the host with addresses of device memory",
        };
        let language = platform.name();
        text.push_str(&format!("\n// {what}\"{function}\" for {language}{who}\n"));
        let prefix = match (platform, caller) {
            (Platform::Cuda, Caller::Kernels) => "__device__ ",
            _ => "",
        };
        text.push_str(&format!("{prefix}{};\n", prototype.text()));
    }
    Some(text)
}
