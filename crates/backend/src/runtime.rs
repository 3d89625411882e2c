//! The C sources that every program has a copy of, and their order.
//!
//! A program is one C file, so that it can be compiled, read and linked anywhere. The files in `runtime/`
//! are parts of it and not headers that could be included alone: each uses what comes before it.

use crate::api::Api;
use crate::{Mode, Target};

/// A program's own part of the C file.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// `struct fe_constants { ... };`, with at least one member.
    pub constants_struct: &'a str,
    /// All functions, with `fe_constants_init` and `fe_constants_free`, and before them what they need. For
    /// devices also what `runtime/gpu/interface.h` lists: the kernels (see [`device_source`]), their table, and
    /// `fe_device_error`.
    pub functions: &'a str,
    /// The number of places with a parallel operation; the scheduler knows something of each.
    pub sites: usize,
    /// Whether functions of floats are the C library's.
    pub strict_float: bool,
}

/// Puts the C file together.
pub fn assemble(mode: Mode, target: Target, program: Program<'_>, api: &Api) -> String {
    let mut out = String::from("// Made by fehu. The parts begin with lines of dashes.\n");
    if program.strict_float {
        out.push_str("#define FE_STRICT_FLOAT\n");
    }
    match target {
        Target::C => {}
        // The scheduler has a table with a row for each site, of at least one.
        Target::Multicore => out.push_str(&format!(
            "#define FE_MULTICORE\n#define FE_NUM_SITES {}\n",
            program.sites.max(1)
        )),
        Target::Cuda => out.push_str("#define FE_CUDA\n"),
        Target::OpenCl => out.push_str("#define FE_OPENCL\n"),
    }
    parts(&mut out, BASE);
    match target {
        Target::C => {}
        Target::Multicore => parts(&mut out, TASKS),
        Target::Cuda => parts(&mut out, CUDA_STATE),
        Target::OpenCl => parts(&mut out, OPENCL_STATE),
    }
    part(&mut out, "the interface", &api.declarations);
    part(&mut out, "constants", program.constants_struct);
    parts(&mut out, CONTEXT);
    if target == Target::Multicore {
        parts(&mut out, SCHEDULER);
    }
    part(&mut out, "the program", program.functions);
    if target.is_gpu() {
        let prelude = strings("fe_device_prelude", &device_prelude(target));
        part(&mut out, "what device programs begin with", &prelude);
        parts(&mut out, DEVICES);
        parts(&mut out, if target == Target::Cuda { CUDA } else { OPENCL });
        parts(&mut out, DEVICE_PROGRAMS);
    }
    parts(&mut out, INTERFACE);
    part(&mut out, "functions of the interface", &api.definitions);
    match mode {
        Mode::Library => return out,
        Mode::Executable | Mode::Server => {}
    }
    out.push_str(LESS_OPTIMISED);
    parts(&mut out, VALUES);
    part(&mut out, "tables", &api.tables);
    parts(&mut out, OBJECTS);
    parts(&mut out, if mode == Mode::Server { SERVER } else { CLI });
    out
}

/// What comes after the interface waits for files and clients: it is compiled with less effort, which halves the
/// time of the C compiler.
const LESS_OPTIMISED: &str = "
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize (\"O1\")
#endif
";

/// The text that comes before the kernels of a program, in the language of the target's devices. Empty if it has none.
pub fn device_prelude(target: Target) -> String {
    let files = match target {
        Target::C | Target::Multicore => return String::new(),
        Target::Cuda => CUDA_PRELUDE,
        Target::OpenCl => OPENCL_PRELUDE,
    };
    let mut out = String::new();
    parts(&mut out, files);
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

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../runtime/", $name)))),*]
    };
}

type Files = &'static [(&'static str, &'static str)];

/// Headers of C, error codes, arithmetic, memory, and what else the functions of programs use.
const BASE: Files = files![
    "base.h",
    "scalar.h",
    "convert.h",
    "math_f32.h",
    "math_wide.h",
    "math.h",
    "sums.h",
    "memory.h",
    "program.h",
    "trace.h",
];
/// What the functions of programs use if there are several threads.
const TASKS: Files = files!["tasks.h", "atomics.h"];
/// Configurations and contexts.
const CONTEXT: Files = files!["context.h"];
/// The scheduler, which looks into the context.
const SCHEDULER: Files =
    files!["clock.h", "cores.h", "deque.h", "portion.h", "pool.h", "scheduler.h"];
/// What contexts know of devices, and what programs ask of them.
const CUDA_STATE: Files = files!["gpu/interface.h", "gpu/cuda_api.h", "gpu/state.h"];
const OPENCL_STATE: Files = files!["gpu/interface.h", "gpu/opencl_api.h", "gpu/state.h"];
/// Devices, in parts that all of them have, ...
const DEVICES: Files = files!["gpu/config.h", "gpu/driver.h", "gpu/library.h", "gpu/choose.h"];
/// ... that are each driver's own, ...
const CUDA: Files = files!["gpu/cuda.h", "gpu/cuda_kernels.h"];
const OPENCL: Files = files!["gpu/opencl.h", "gpu/opencl_kernels.h"];
/// ... and that use the driver.
const DEVICE_PROGRAMS: Files = files![
    "gpu/digest.h",
    "gpu/cache.h",
    "gpu/build.h",
    "gpu/profile.h",
    "gpu/transfer.h",
    "gpu/memory.h",
    "gpu/launch.h",
    "gpu/start.h",
];
/// What kernels can use.
const CUDA_PRELUDE: Files = files![
    "device/cuda.h",
    "scalar.h",
    "convert.h",
    "math.h",
    "device/atomics.h",
    "device/atomics_cuda.h",
    "device/exchange.h",
    "device/warp_cuda.h",
    "device/failure.h",
];
const OPENCL_PRELUDE: Files = files![
    "device/opencl.h",
    "scalar.h",
    "convert.h",
    "math.h",
    "device/atomics.h",
    "device/atomics_opencl.h",
    "device/exchange.h",
    "device/warp_opencl.h",
    "device/failure.h",
];
/// What the functions of the interface have in common.
const INTERFACE: Files = files!["interface.h"];
/// Reading and writing of values, and what the tables look like.
const VALUES: Files = files![
    "values.h",
    "values_scalar.h",
    "values_number.h",
    "values_print.h",
    "values_text.h",
    "values_binary.h",
    "types.h",
];
/// Values of any type in the tables, and options that all programs have.
const OBJECTS: Files = files!["objects.h", "options.h"];
/// `main` of an executable.
const CLI: Files = files!["cli.h"];
/// `main` of a server.
const SERVER: Files =
    files!["server_vars.h", "server_files.h", "server_general.h", "server_parts.h", "server.h"];
