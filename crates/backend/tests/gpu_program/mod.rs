//! A program for devices whose functions and kernels are written by hand.

#![allow(dead_code, reason = "each test uses a part of it")]

use fehu_backend::api::{Api, TuningParam, generate};
use fehu_backend::runtime::{Program, assemble, device_source};
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
        strict_float: false,
    };
    (assemble(mode, target, program, &api), api)
}
