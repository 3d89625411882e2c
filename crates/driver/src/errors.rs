//! The messages about files, one constructor for each code.

use crate::files::ReadError;
use crate::paths::{self, Location};
use crate::session::Crash;
use fehu_backend::foreign::{Caller, Prototype};
use fehu_base::{Diagnostic, Platform, Span};

/// A file could not be read; `import` is the place of the import, if it was imported.
pub(crate) fn unreadable(location: &Location, import: Option<Span>, why: &ReadError) -> Diagnostic {
    match why {
        ReadError::NotFound => not_found(location, import),
        ReadError::Directory => {
            let message = format!("\"{location}\" is a folder, not a file");
            placed("file-is-folder", import, message)
        }
        ReadError::TooLarge => {
            let message = format!("the file \"{location}\" is larger than 1 GiB");
            placed("file-too-large", import, message).help(
                "pass large data to the program as input instead of including it in the source",
            )
        }
        ReadError::Refused(why) => {
            let message = format!("cannot read the file \"{location}\": {why}");
            placed("file-unreadable", import, message)
        }
    }
}

fn not_found(location: &Location, import: Option<Span>) -> Diagnostic {
    match location {
        Location::Prelude(_) => {
            placed("file-not-found", import, format!("the prelude has no file \"{location}\""))
        }
        Location::File(path) => {
            let error = placed("file-not-found", import, format!("there is no file \"{path}\""));
            match import {
                Some(_) if path.ends_with(".fut.fut") => {
                    error.help("imports are written without the extension `.fut`")
                }
                Some(_) => match paths::package(path) {
                    Some(package) => missing_package(error, package),
                    None => error.note("imports are relative to the file that contains them"),
                },
                None => error,
            }
        }
    }
}

/// Adds how packages get to where they are looked for.
fn missing_package(error: Diagnostic, package: &str) -> Diagnostic {
    let name = package.split_once("lib/").map_or(package, |(_, name)| name);
    error
        .note(format!("this file is part of the package {name}, which is looked for in \"{package}\""))
        .help(format!(
            "`fehu pkg add {name}` installs it; if futhark.pkg requires it already, `fehu pkg sync` does"
        ))
}

/// The bytes of a file are not UTF-8 from `offset` on.
pub(crate) fn not_utf8(
    location: &Location,
    import: Option<Span>,
    bytes: &[u8],
    offset: usize,
) -> Diagnostic {
    let line = bytes[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let found = bytes.get(offset).map_or(String::new(), |byte| format!(" (0x{byte:02x})"));
    let message = format!("the file \"{location}\" is not UTF-8 text");
    placed("not-utf8", import, message)
        .note(format!("the first invalid byte{found} is at offset {offset}, on line {line}"))
        .help("save the file as UTF-8")
}

/// A file imports itself through the files of `cycle`: names, with the places of their imports.
pub(crate) fn import_cycle(cycle: &[(String, Span)]) -> Diagnostic {
    let names: Vec<String> = cycle.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let first = names.first().cloned().unwrap_or_default();
    let (_, place) = cycle.last().expect("a cycle has at least one import");
    let message = if names.len() == 1 {
        format!("the file {first} imports itself")
    } else {
        format!("the file {first} imports itself through other files")
    };
    let mut error = Diagnostic::error("import-cycle", *place, message)
        .at(format!("this imports {first} again"))
        .note(format!("{} -> {first}", names.join(" -> ")))
        .help("move the shared definitions to a separate file, and import that");
    for (index, (_, span)) in cycle.iter().enumerate().take(cycle.len() - 1) {
        error = error.label(*span, format!("imports {}", names[index + 1]));
    }
    error
}

/// A stage panicked.
pub(crate) fn internal_error(crash: &Crash) -> Diagnostic {
    let message = format!("the compiler itself failed in the stage \"{}\"", crash.stage);
    Diagnostic::error_without_place("internal-error", message)
        .note(format!("at {}: {}", crash.place, crash.message))
        .note(format!("fehu {}", env!("CARGO_PKG_VERSION")))
        .help(
            "this is a bug in fehu, not in your program: please report it, and include the program",
        )
}

/// The program may be right, but this compiler cannot translate it.
pub(crate) fn not_supported(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error("not-supported", span, format!("not supported yet: {message}"))
        .note("the program may well be correct; this is a limitation of fehu")
}

/// There is no rule for the derivative of something.
pub(crate) fn no_derivative(span: Option<Span>, message: &str) -> Diagnostic {
    match span {
        Some(span) => not_supported(span, message),
        None => {
            let message = format!("not supported yet: {message}");
            Diagnostic::error_without_place("not-supported", message)
        }
    }
}

/// Where an array is in memory cannot be said in the words that the compiler has for it.
pub(crate) fn too_complex(array: &str) -> Diagnostic {
    let message = format!("not supported yet: the memory layout of \"{array}\" is too complicated");
    Diagnostic::error_without_place("not-supported", message)
        .note("it depends on too many variables: the array has more than 30 dimensions, or is a slice of a slice of an array with many")
        .help("use `copy` where it is sliced from another array, or fewer dimensions, for example by `flatten`")
}

/// There is no C compiler.
pub(crate) fn no_c_compiler(tried: &[String]) -> Diagnostic {
    let tried: Vec<String> = tried.iter().map(|name| format!("\"{name}\"")).collect();
    let message = "no C compiler was found; one is needed to build executables";
    Diagnostic::error_without_place("c-compiler-not-found", message)
        .note(format!("looked for {}", tried.join(", ")))
        .help("install gcc or clang, or set the environment variable CC to the C compiler")
        .help("`pip install ziglang` brings one, which is found if that Python is on the path")
}

/// The C compiler refused what we made.
pub(crate) fn c_compiler_failed(command: &str, status: &str, lines: &[&str]) -> Diagnostic {
    let message = "the C compiler failed";
    let mut error = Diagnostic::error_without_place("c-compiler-failed", message)
        .note(format!("`{command}` exited with {status}"));
    if !lines.is_empty() {
        error = error.note(lines.join("\n"));
    }
    error
}

/// What `--foreign` names cannot be read.
pub(crate) fn foreign_file(name: &str, why: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read \"{name}\", which `--foreign` names: {why}");
    Diagnostic::error_without_place("foreign-file", message)
        .help("the option takes the name of a file, or an option for the linker, as in `--foreign -lopenblas`")
}

/// A file that is needed would be lost.
pub(crate) fn foreign_overwritten(name: &str) -> Diagnostic {
    let message =
        format!("\"{name}\", which `--foreign` names, would be overwritten by the output");
    Diagnostic::error_without_place("foreign-file", message)
        .help("give the output another name with `-o`")
}

/// What `--foreign` names is of no use.
pub(crate) fn foreign_kind(name: &str, kinds: &str) -> Diagnostic {
    let message = format!("`--foreign` does not know what to do with \"{name}\"");
    Diagnostic::error_without_place("foreign-file", message).note(format!(
        "it takes files that end in {kinds}, and the options -lNAME, -LFOLDER and -IFOLDER"
    ))
}

/// A library is not there.
pub(crate) fn foreign_library(name: &str) -> Diagnostic {
    let message = format!("the linker finds no library \"{name}\"");
    Diagnostic::error_without_place("foreign-file", message).help(format!(
        "install it, or say in which folder it is with `--foreign -LFOLDER`; `-l{name}` means lib{name}.so or lib{name}.a"
    ))
}

/// Nobody defines a foreign function, and perhaps others.
pub(crate) fn foreign_undefined(prototype: &Prototype, others: &[&Prototype]) -> Diagnostic {
    let (symbol, name) = (&prototype.symbol, &prototype.function);
    let message = format!("nothing defines \"{symbol}\", the foreign function of \"{name}\"");
    let file = match (prototype.caller, prototype.platform) {
        (Caller::Kernels, Platform::OpenCl) => "a file of OpenCL C: `--foreign FILE.cl`",
        (Caller::Kernels, _) => "a file of CUDA: `--foreign FILE.cu`",
        (Caller::Host, _) => "`--foreign FILE.c`, an object file or a library (`--foreign -lNAME`)",
    };
    // A function may be called in several places, from the host and by kernels.
    let mut missing = vec![format!("{};", prototype.text())];
    for other in others {
        let text = format!("{};", other.text());
        if !missing.contains(&text) {
            missing.push(text);
        }
    }
    let mut error = Diagnostic::error_without_place("foreign-symbol", message)
        .note(format!("it should be {}", missing[0]));
    if missing.len() > 1 {
        error = error.note(format!("also missing:\n{}", missing[1..].join("\n")));
    }
    error.help(format!(
        "name what defines it: {file}; or use the body of \"{name}\": `--no-foreign`"
    ))
}

/// A foreign function is defined with other types.
pub(crate) fn foreign_types(prototype: &Prototype, said: &str) -> Diagnostic {
    let (symbol, name) = (&prototype.symbol, &prototype.function);
    let message =
        format!("\"{symbol}\", the foreign function of \"{name}\", is defined with other types");
    Diagnostic::error_without_place("foreign-symbol", message)
        .note(format!("it should be {};", prototype.text()))
        .note(said)
}

/// Two functions have one symbol.
pub(crate) fn foreign_conflict(one: &Prototype, other: &Prototype) -> Diagnostic {
    let symbol = &one.symbol;
    let message = format!(
        "\"{}\" and \"{}\" have the same foreign function \"{symbol}\", but differ in their types",
        one.function, other.function
    );
    Diagnostic::error_without_place("foreign-symbol", message)
        .note(format!("the first needs {};", one.text()))
        .note(format!("the second needs {};", other.text()))
        .help("give one of them another name")
}

/// A file that should have been written was not.
pub(crate) fn unwritable(path: &str, why: &std::io::Error) -> Diagnostic {
    let message = format!("cannot write \"{path}\": {why}");
    Diagnostic::error_without_place("file-unwritable", message)
}

/// A function that should become an entry point is not there.
pub(crate) fn no_such_function(name: &str) -> Diagnostic {
    let message = format!("there is no function \"{name}\" that could become an entry point");
    Diagnostic::error_without_place("unknown-entry-point", message)
        .note("only top-level functions of the program's main file can be entry points")
}

/// What a stage made breaks the rules of the IR.
pub(crate) fn broken_ir(stage: &str, message: &str) -> Diagnostic {
    let headline =
        format!("the compiler itself failed: the result of the stage \"{stage}\" is wrong");
    Diagnostic::error_without_place("internal-error", headline)
        .note(message)
        .note(format!("fehu {}", env!("CARGO_PKG_VERSION")))
        .help(
            "this is a bug in fehu, not in your program: please report it, and include the program",
        )
}

fn placed(code: &'static str, import: Option<Span>, message: String) -> Diagnostic {
    match import {
        Some(span) => Diagnostic::error(code, span, message).at("imported here"),
        None => Diagnostic::error_without_place(code, message),
    }
}

/// A loop is marked, but stays as it is; `why` is what the pass said.
pub(crate) fn unroll_without_effect(span: Span, why: &str) -> Diagnostic {
    let why = why.strip_prefix("the loop is not unrolled: ").unwrap_or(why);
    Diagnostic::warning("unroll-without-effect", span, "#[unroll] has no effect on this loop")
        .at(why.to_owned())
        .help("a loop is unrolled if the number of its iterations is a constant, and not too large")
}

/// A check is left that the user would like to know of; `callers` are the places that lead there, innermost first.
pub(crate) fn safety_check_required(span: Span, callers: &[String]) -> Diagnostic {
    let message = "Safety check required at run time";
    let warning = Diagnostic::warning("safety-check-required", span, message)
        .at("this may fail, as far as the compiler knows");
    let warning = match callers {
        [] => warning,
        callers => warning.note(format!("it is reached by way of {}", callers.join(", "))),
    };
    warning.note("`#[warn(safety_checks)]` asks for this warning")
}

/// A parameter that is marked `#[stream]` is needed as a whole.
pub(crate) fn not_streamed(span: Span, message: &str) -> Diagnostic {
    Diagnostic::warning("not-streamed", span, message)
        .at("this needs all of it")
        .note("`#[stream]` asks for an array that is read once, from the first element to the last")
        .help("compute everything that is needed of it in one pass, or remove the attribute")
}
