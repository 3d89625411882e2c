//! The C sources that every program contains, and their order.
//!
//! A program is a single C file, so that it can be compiled, read and linked anywhere. The files in `runtime/` are parts of
//! it, not headers that could be included separately: each uses what comes before it. The files whose names end in `.h`
//! come before the program, those that end in `.c` after it.
//!
//! The latter are the same for all programs of a kind. To compile many programs, compile them once ([`separate`]), and the
//! program with `FE_SEPARATE` defined, which leaves them out of its file; see `base.h`.

use crate::api::{self, Api};
use crate::target::{Files, files};
use crate::{Mode, Target};

/// A program's own part of the C file.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// `struct fe_constants { ... };`, with at least one member.
    pub constants_struct: &'a str,
    /// All functions, with `fe_constants_init` and `fe_constants_free`, and before them what they need. For devices also
    /// `fe_device_source` (see [`device_source`]), the table `fe_kernels`, whose last row is empty, `FE_NUM_CHECKS` and
    /// `fe_device_error`: `struct fe_program` of `entries.h` says what they are.
    pub functions: &'a str,
    /// The number of places with a parallel operation; the scheduler knows something of each.
    pub sites: usize,
    /// How floats are computed.
    pub floats: Floats,
    /// Whether there are tables of operators for profiles, `fe_operators` and `fe_operator_parts`.
    pub profiled: bool,
}

/// How the functions of a program compute floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Floats {
    /// Elementary functions are the C library's.
    Strict,
    /// Elementary functions are those of the headers, where these have them.
    Usual,
    /// Likewise, quotients and roots may be approximate, and no number is NaN or infinite.
    Fast,
}

/// Puts the C file together.
pub fn assemble(mode: Mode, target: Target, program: Program<'_>, api: &Api) -> String {
    let mut out = String::from("// Made by fehu. The parts begin with lines of dashes.\n");
    match program.floats {
        Floats::Strict => out.push_str("#define FE_STRICT_FLOAT\n"),
        Floats::Usual => {}
        Floats::Fast => out.push_str("#define FE_FAST_MATH\n"),
    }
    headers(&mut out, target, &api.declarations);
    part(&mut out, "constants", program.constants_struct);
    part(&mut out, "the program", program.functions);
    out.push_str("FE_FAST_MATH_END\n");
    part(&mut out, "functions of the interface", &api.definitions);
    if mode == Mode::Shared {
        parts(&mut out, BINDINGS);
    }
    part(&mut out, "tables", &format!("{}{}", api.tables, table(mode, target, program)));
    out.push_str("\n#ifndef FE_SEPARATE\n");
    sources(&mut out, mode, target, api.streams);
    out.push_str("\n#endif // FE_SEPARATE\n");
    out
}

/// The rest of a program that is compiled with `FE_SEPARATE`, as a C file of its own. Libraries are one file.
pub fn separate(mode: Mode, target: Target) -> Option<String> {
    match mode {
        Mode::Library => None,
        Mode::Executable | Mode::Server | Mode::Shared => {
            let mut out = String::from("// What all programs compiled by fehu have in common.\n");
            out.push_str("#define FE_SEPARATE 1\n");
            headers(&mut out, target, &api::common_declarations(target));
            sources(&mut out, mode, target, true);
            Some(out)
        }
    }
}

/// Types, and functions that are worth inlining.
fn headers(out: &mut String, target: Target, declarations: &str) {
    out.push_str(target.facts().define);
    parts(out, BASE);
    parts(out, target.facts().state);
    part(out, "the interface", declarations);
    parts(out, CONTEXT);
}

/// Definitions that no program differs in. `streams`: a library has entry points on sequences.
fn sources(out: &mut String, mode: Mode, target: Target, streams: bool) {
    parts(out, CONTEXTS);
    if target.is_gpu() {
        let prelude = strings("fe_device_prelude", &device_prelude(target));
        part(out, "what device programs begin with", &prelude);
    }
    target.facts().sources.iter().for_each(|files| parts(out, files));
    parts(out, INTERFACE);
    if mode != Mode::Library || streams {
        parts(out, STEPS);
    }
    let main = match mode {
        Mode::Library | Mode::Shared => {
            if streams {
                parts(out, CALLS);
            }
            return;
        }
        Mode::Executable => CLI,
        Mode::Server => SERVER,
    };
    out.push_str(LESS_OPTIMISED);
    parts(out, VALUES);
    parts(out, main);
}

/// What a program tells the runtime, and a shared library those who load it; see `entries.h` and `bindings.h`.
fn table(mode: Mode, target: Target, program: Program<'_>) -> String {
    let sites = program.sites;
    let mut out = format!(
        "\nFE_SHARED_DEFINED const struct fe_program fe_program = {{
  .num_tuning_params = sizeof fe_tuning_names / sizeof fe_tuning_names[0] - 1,
  .tuning_names = fe_tuning_names,
  .tuning_classes = fe_tuning_classes,
  .num_sites = {sites},
  .constants_size = sizeof(struct fe_constants),
  .constants_init = fe_constants_init,
  .constants_free = fe_constants_free,
"
    );
    if program.profiled {
        out.push_str(
            "  .num_operators = sizeof fe_operators / sizeof fe_operators[0],
  .operators = fe_operators,
  .operator_parts = fe_operator_parts,
",
        );
    }
    if target.is_gpu() {
        out.push_str(
            "  .num_kernels = sizeof fe_kernels / sizeof fe_kernels[0] - 1,
  .kernels = fe_kernels,
  .device_source = fe_device_source,
  .num_checks = FE_NUM_CHECKS,
  .device_error = fe_device_error,
",
        );
        let floats = match program.floats {
            Floats::Strict => "STRICT",
            Floats::Usual => "CONTRACTED",
            Floats::Fast => "FAST",
        };
        out.push_str(&format!("  .floats = FE_FLOATS_{floats},\n"));
    }
    match mode {
        Mode::Library | Mode::Shared => {}
        Mode::Executable | Mode::Server => out.push_str(
            "  .num_types = sizeof fe_type_list / sizeof fe_type_list[0] - 1,
  .types = fe_type_list,
  .num_entries = sizeof fe_entries / sizeof fe_entries[0] - 1,
  .entries = fe_entries,
",
        ),
    }
    out.push_str("};\n");
    if mode == Mode::Shared {
        out.push_str(START);
    }
    out
}

/// Where whoever loads a shared library begins.
const START: &str = "
const struct fehu_bindings *fehu_bindings(void) {
  static const struct fehu_bindings bindings = {
    .size = sizeof bindings,
    .version = FEHU_BINDINGS,
    .num_types = sizeof fe_type_list / sizeof fe_type_list[0] - 1,
    .num_entries = sizeof fe_entries / sizeof fe_entries[0] - 1,
    .types = fe_type_list,
    .entries = fe_entries,
  };
  return &bindings;
}
";

/// What comes after the interface waits for files and clients: it is compiled with less effort, which halves the
/// time of the C compiler.
const LESS_OPTIMISED: &str = "
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize (\"O1\")
#endif
";

/// The text that comes before the kernels of a program, in the language of the target's devices. Empty if it has none.
pub fn device_prelude(target: Target) -> String {
    let mut out = String::new();
    parts(&mut out, target.facts().prelude);
    out
}

/// The text of kernels as C code: the array `fe_device_source`.
pub fn device_source(kernels: &str) -> String {
    strings("fe_device_source", kernels)
}

/// A text as an array of C strings that ends with NULL. C compilers need not accept strings that are longer than a page.
fn strings(name: &str, text: &str) -> String {
    let mut out = format!("static const char *const {name}[] = {{\n");
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if length > 4000 {
            out.push_str("  ,\n");
            length = line.len();
        }
        out.push_str("  \"");
        for c in line.chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                // Two of them begin a trigraph.
                '?' => out.push_str("\\?"),
                c => out.push(c),
            }
        }
        out.push_str("\"\n");
    }
    out.push_str(if text.is_empty() { "  NULL\n};\n" } else { "  , NULL\n};\n" });
    out
}

fn parts(out: &mut String, files: &[(&str, &str)]) {
    for (name, text) in files {
        part(out, name, text);
    }
}

fn part(out: &mut String, name: &str, text: &str) {
    let line = format!("// ---- {name} ");
    out.push_str(&format!(
        "\n{line}{}\n\n{}\n",
        "-".repeat(100_usize.saturating_sub(line.len())),
        text.trim_end()
    ));
}

/// Headers of C, error codes, arithmetic, memory, and what else the functions of programs use.
const BASE: Files = files![
    "base.h",
    "fast_math.h",
    "scalar.h",
    "convert.h",
    "math_f32.h",
    "math_wide.h",
    "math.h",
    "prefixes.h",
    "memory.h",
    "program.h",
    "trace.h",
];
/// What functions that call themselves use.
pub(crate) const STACK: &str = include_str!("../runtime/stack.h");
/// What programs tell of themselves, contexts, and what the functions of the interface have in common.
const CONTEXT: Files =
    files!["types.h", "entries.h", "streams.h", "profile.h", "context.h", "interface.h"];
/// What shared libraries tell those who load them.
const BINDINGS: Files = files!["bindings.h"];
/// Memory and contexts.
const CONTEXTS: Files = files!["memory.c", "context.c", "profile.c"];
/// Objects of the interface.
const INTERFACE: Files = files!["interface.c"];
/// Entry points on sequences.
const STEPS: Files = files!["prims.c", "steps.c"];
/// Those of a library.
const CALLS: Files = files!["stream_feed.c", "stream_call.c"];
/// Reading and writing of values, values of any type in the tables, and options that all programs have.
const VALUES: Files = files![
    "values.c",
    "values_scalar.c",
    "values_number.c",
    "values_print.c",
    "values_text.c",
    "values_binary.c",
    "objects.c",
    "options.c",
];
/// `main` of an executable.
const CLI: Files = files![
    "stream_buffer.c",
    "stream_courier.c",
    "stream_source.c",
    "stream_sink.c",
    "stream_pace.c",
    "stream_threads.c",
    "stream_run.c",
    "stream_cli.c",
    "cli.c",
];
/// `main` of a server.
const SERVER: Files = files![
    "stream_feed.c",
    "server_vars.c",
    "server_files.c",
    "server_general.c",
    "server_parts.c",
    "server_streams.c",
    "server.c",
];
