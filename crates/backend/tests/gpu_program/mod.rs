//! A program for devices whose functions and kernels are written by hand.

use crate::cc::Folder;
use fehu_backend::api::{Api, TuningParam, generate};
use fehu_backend::runtime::{Floats, Program, assemble, device_source};
use fehu_backend::{Mode, Target};

/// The kernels.
pub(crate) const KERNELS: &str = include_str!("../c/gpu_kernels.c");

/// The C file, and its interface.
pub(crate) fn whole(mode: Mode, target: Target) -> (String, Api) {
    let prog = fehu_ir::text::parse(include_str!("../c/api.ir")).expect("the program is right");
    let param = |name: &str, class: &str| TuningParam {
        name: name.to_owned(),
        class: class.to_owned(),
        entries: vec!["dot".into()],
    };
    let tuning = [param("limit", "threshold(100)"), param("tile", "tile_size")];
    let name = |fun| format!("my_{}", prog.funs[fun].name);
    let api = generate(&prog, &name, target, mode, &tuning);
    let functions = format!("{}\n{}", device_source(KERNELS), include_str!("../c/gpu_functions.c"));
    let program = Program {
        constants_struct: "struct fe_constants {\n  struct fe_mem table;\n};",
        functions: &functions,
        sites: 0,
        floats: Floats::Usual,
        profiled: false,
    };
    (assemble(mode, target, program, &api), api)
}

/// A program for OpenCL of kernels, and of a host's part with a function `my_run` that writes 64-bit numbers; compiled in a
/// folder of this name. Functions of floats are strict.
pub(crate) fn assembled(name: &str, kernels: &str, host: &str, tuning: &[TuningParam]) -> Folder {
    let prog = "prog arrays\nfun run () -> (r: i64) = (0i64)\nentry \"main\" = run () -> i64\n";
    let prog = fehu_ir::text::parse(prog).expect("the program is right");
    let api = generate(&prog, &|_| "my_run".to_owned(), Target::OpenCl, Mode::Executable, tuning);
    let names: Vec<String> = kernels
        .split("FE_KERNEL void ")
        .skip(1)
        .enumerate()
        .filter_map(|(i, text)| Some(format!("{{\"{}\", \"\", {i}}}, ", text.split_once('(')?.0)))
        .collect();
    let functions = format!(
        "{}static const struct fe_kernel fe_kernels[] = {{{}{{NULL, NULL, 0}}}};\n{}{host}",
        device_source(kernels),
        names.concat(),
        include_str!("../c/gpu_common.c")
    );
    let program = Program {
        constants_struct: "struct fe_constants {\n  char nothing;\n};",
        functions: &functions,
        sites: 0,
        floats: Floats::Strict,
        profiled: false,
    };
    let folder = Folder::new(name);
    folder.write("test.c", &assemble(Mode::Executable, Target::OpenCl, program, &api));
    folder.compile("test.c", &["-O0", "-ldl"]);
    folder
}

/// The numbers that such a program writes.
pub(crate) fn numbers(folder: &Folder, args: &[&str]) -> Vec<u64> {
    let output = folder.bytes_of_program(&[args, &["-n"]].concat());
    output.chunks_exact(8).map(|b| u64::from_ne_bytes(b.try_into().unwrap_or_default())).collect()
}
