//! The interface of a program whose functions are written in C by hand: a library, used by a C program that
//! knows its header, and the tables, used by one that knows only them.

use crate::cc::Folder;
use fehu_backend::api::{Api, TuningParam, generate};
use fehu_backend::runtime::{Floats, Program, assemble, separate};
use fehu_backend::{Mode, Target};
use fehu_ir::Prog;
use serde_json::Value;

const CONSTANTS: &str = "struct fe_constants {\n  struct fe_mem table;\n};";
const FUNCTIONS: &str = include_str!("c/api_functions.c");

fn prog() -> Prog {
    fehu_ir::text::parse(include_str!("c/api.ir")).expect("the program is right")
}

fn api(mode: Mode, target: Target) -> Api {
    let prog = prog();
    let param = |name: &str, class: &str, entries: &[&str]| TuningParam {
        name: name.to_owned(),
        class: class.to_owned(),
        entries: entries.iter().map(|&entry| entry.into()).collect(),
    };
    let tuning =
        [param("limit", "threshold(100)", &["dot"]), param("tile", "tile_size", &["dot", "area"])];
    let name = |fun| format!("my_{}", prog.funs[fun].name);
    generate(&prog, &name, target, mode, &tuning)
}

fn whole(mode: Mode, target: Target) -> (String, Api) {
    let api = api(mode, target);
    let program = Program {
        constants_struct: CONSTANTS,
        functions: FUNCTIONS,
        sites: 0,
        floats: Floats::Usual,
        profiled: false,
    };
    (assemble(mode, target, program, &api), api)
}

fn library() -> (String, Api) {
    whole(Mode::Library, Target::C)
}

#[test]
fn a_program_uses_the_library() {
    let (text, api) = library();
    let folder = Folder::new("api_library");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", include_str!("c/api_driver.c"));
    let sanitized = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    let options = [&sanitized[..], &["-pthread", "api.c"]].concat();
    let output = folder.compile_and_run("driver.c", &options);
    let lines: Vec<&str> = output.lines().collect();
    let [before, after, log @ .., "done"] = lines.as_slice() else { panic!("{output}") };
    assert_eq!(log, ["calling the entry point \"fail\""]);
    let report = |line: &str| serde_json::from_str::<Value>(line).expect("the report is JSON");
    // The table of 400 bytes is the only memory.
    assert_eq!(report(before)["memory"]["default space"], 448);
    let events = report(before)["events"].as_array().cloned().unwrap_or_default();
    assert_eq!(events.len(), 1, "profiling was paused for the second call");
    assert_eq!(events[0]["name"], "fail");
    assert!(events[0]["start"].as_i64() <= events[0]["end"].as_i64());
    assert_eq!(report(after)["events"], serde_json::json!([]));
}

#[test]
fn a_library_for_many_threads_can_be_used() {
    let (text, api) = whole(Mode::Library, Target::Multicore);
    let folder = Folder::new("api_multicore");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", MULTICORE_DRIVER);
    let options = ["-O0", "-pthread", "-fsanitize=address,undefined", "api.c"];
    assert_eq!(folder.compile_and_run("driver.c", &options), "1\n2\n3\n4\n");
}

/// Whether time does not matter.
fn thorough() -> bool {
    std::env::var("FEHU_SANITIZE").is_ok_and(|value| value == "all")
}

const MULTICORE_DRIVER: &str = r#"
#include "api.h"
int main(void) {
  for (int threads = 1; threads <= 4; threads++) {
    struct futhark_context_config *cfg = futhark_context_config_new();
    futhark_context_config_set_num_threads(cfg, threads);
    struct futhark_context *ctx = futhark_context_new(cfg);
    int64_t y = 0;
    if (futhark_entry_fail(ctx, &y, threads) == FUTHARK_SUCCESS) {
      printf("%d\n", (int)y);
    }
    futhark_context_free(ctx);
    futhark_context_config_free(cfg);
  }
  return 0;
}
"#;

#[test]
fn an_executable_reads_and_writes_values() {
    for target in [Target::C, Target::Multicore] {
        let folder = Folder::new(&format!("api_executable_{target:?}"));
        folder.write("api.c", &whole(Mode::Executable, target).0);
        folder.compile("api.c", &["-O0", "-pthread"]);
        let run = |entry: &str, input: &str| folder.run_program(&["-e", entry], input);
        assert_eq!(run("dot", "[1, 2, 3] [4, 5, 6]"), "32i32\n");
        assert_eq!(
            run("scale'", "[[1f32, 2f32], [3f32, 4f32]] 2f32"),
            "[[2f32, 4f32], [6f32, 8f32]]\n"
        );
        assert_eq!(run("pair", "4"), "5i32\ntrue\n");
        assert_eq!(run("make_line", "1f32 2f32 2i64 [7i64, 8i64]"), "2f32\n1f32\n[7i64, 8i64]\n");
    }
}

#[test]
fn a_server_obeys() {
    // What only servers for one thread have is little, and not worth sanitizers.
    let options = ["-O0", "-pthread", "-fsanitize=address,undefined"];
    let few = if thorough() { &options[..] } else { &options[..2] };
    for (target, options) in [(Target::C, few), (Target::Multicore, &options)] {
        let folder = Folder::new(&format!("api_server_{target:?}"));
        folder.write("api.c", &whole(Mode::Server, target).0);
        folder.write("input", "1.5f32 2.5f32 [10, 20] 3i64");
        folder.compile("api.c", options);
        let commands = "restore input x f32 y f32 a []i32 n i64\nnew p point x y\nproject z p y\n\
                        call points ps n\nset ps p 0\nindex q ps 0\nproject w q x\n\
                        construct c shape circle x\nvariant c\ndestruct c r\ncall dot d a a\n\
                        call fail f n\ntype ps\nshape ps\nfields []point\nstore output z w r d\n\
                        output scale'\nattributes dot\nkind shape\nfree p ps q c\n";
        let output = folder.run_program(&[], commands);
        assert!(!output.contains("FAILURE"), "{output}");
        let lines: Vec<&str> = output
            .lines()
            .filter(|line| *line != "%%% OK" && !line.starts_with("runtime: "))
            .collect();
        let expected =
            ["circle", "[]point", "3", "x []f32", "y []f32", "*[][]f32", "fast", "level(3)", "sum"];
        assert_eq!(lines, expected, "{output}");
        let stored = folder.read("output");
        // The binary format: a header of six bytes and the type before each number.
        assert_eq!(stored.windows(4).filter(|bytes| **bytes == *b" f32").count(), 3);
        assert!(stored.ends_with(&500_i32.to_le_bytes()), "{stored:?}");
    }
}

#[test]
fn the_header_is_c_and_cpp() {
    let targets = [
        (Target::C, "c"),
        (Target::Multicore, "multicore"),
        (Target::Cuda, "cuda"),
        (Target::OpenCl, "opencl"),
    ];
    for (target, backend) in targets {
        let api = api(Mode::Library, target);
        assert!(api.manifest.contains(&format!("\"backend\": \"{backend}\"")));
        let folder = Folder::new(&format!("api_header_{target:?}"));
        folder.write("api.h", &api.header);
        let use_it = format!(
            "#include \"api.h\"\n#include \"api.h\"\n#ifndef FUTHARK_BACKEND_{backend}\n#error\n#endif\n\
             int run(struct futhark_context *ctx);\n\
             int run(struct futhark_context *ctx) {{ int64_t y; return futhark_entry_fail(ctx, &y, 1); }}\n"
        );
        folder.write("use.c", &use_it);
        folder.write("use.cpp", &use_it);
        let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"];
        folder.run("cc", &[&strict[..], &["-std=c99", "use.c"]].concat(), "");
        folder.run("c++", &[&strict[..], &["use.cpp"]].concat(), "");
    }
}

#[test]
fn a_program_uses_the_tables() {
    let folder = Folder::new("api_tables");
    // The program, and instead of the runtime's `main` another one.
    let (program, _) = whole(Mode::Server, Target::C);
    let text = format!(
        "#define main unused\n{program}\n#undef main\n{}",
        include_str!("c/tables_driver.c")
    );
    folder.write("tables.c", &text);
    let options = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    let output = folder.compile_and_run("tables.c", &options);
    assert_eq!(output, include_str!("c/tables_driver.out"));
}

#[test]
fn the_runtime_can_be_compiled_separately() {
    // Some warnings come from the optimiser only, so it sees the whole of the larger runtime.
    let little = if thorough() { "-O1" } else { "-O0" };
    for (target, level) in [(Target::C, little), (Target::Multicore, "-O1")] {
        let (program, _) = whole(Mode::Server, target);
        let folder = Folder::new(&format!("api_separate_{target:?}"));
        folder.write("program.c", &program);
        let runtime = separate(Mode::Server, target).expect("servers have a part in common");
        folder.write("runtime.c", &runtime);
        folder.compile("program.c", &[level, "-pthread", "-DFE_SEPARATE", "runtime.c"]);
        let said = folder.run_program(&[], "entry_points\nquit\n");
        assert!(said.contains("dot\n"), "{said}");
    }
    assert_eq!(separate(Mode::Library, Target::C), None);
}

#[test]
fn the_manifest_has_everything() {
    let api = api(Mode::Library, Target::Multicore);
    let manifest: Value = serde_json::from_str(&api.manifest).expect("the manifest is JSON");
    assert_eq!(manifest["backend"], "multicore");
    let dot = &manifest["entry_points"]["dot"];
    assert_eq!(
        *dot,
        serde_json::json!({
            "cfun": "futhark_entry_dot",
            "inputs": [{"name": "xs", "type": "[]i32", "unique": false}, {"name": "ys", "type": "[]i32", "unique": false}],
            "output": {"type": "i32", "unique": false},
            "outputs": [{"type": "i32", "unique": false}],
            "signature": {"sizes": ["n"], "inputs": ["[n]i32", "[n]i32"], "output": "i32"},
            "tuning_params": ["limit", "tile"],
            "attributes": ["fast", "level(3)"],
            "doc": "The sum of products.",
        })
    );
    let scale = &manifest["entry_points"]["scale'"];
    assert_eq!(scale["cfun"], "futhark_entry_scalezq");
    assert_eq!(scale["inputs"][0]["unique"], true);
    assert_eq!(scale["output"], serde_json::json!({"type": "[][]f32", "unique": true}));
    let types = &manifest["types"];
    assert_eq!(types["[][]f32"]["rank"], 2);
    assert_eq!(types["[][]f32"]["elemtype"], "f32");
    assert_eq!(types["[][]f32"]["ctype"], "struct futhark_f32_2d *");
    assert_eq!(types["point"]["record"]["fields"][1]["project"], "futhark_project_opaque_point_y");
    assert_eq!(types["line"]["record"]["fields"][0]["type"], "point");
    assert_eq!(types["[]point"]["record_array"]["zip"], "futhark_zip_opaque_arr1d_point");
    assert_eq!(types["[]point"]["record_array"]["fields"][0]["type"], "[]f32");
    assert_eq!(types["[]row"]["opaque_array"]["elemtype"], "row");
    let variants = &types["shape"]["sum"]["variants"];
    assert_eq!(variants[1]["name"], "poly");
    assert_eq!(variants[1]["payload"], serde_json::json!(["[][]i32"]));
    assert_eq!(variants[1]["construct"], "futhark_new_opaque_shape_poly");
}

/// Every function that the manifest mentions is in the header, and every type that it mentions is described.
#[test]
fn the_manifest_agrees_with_the_header_and_with_itself() {
    let api = api(Mode::Library, Target::C);
    let manifest: Value = serde_json::from_str(&api.manifest).expect("the manifest is JSON");
    let mut functions = 0;
    let mut walk = vec![(String::new(), &manifest)];
    while let Some((key, value)) = walk.pop() {
        match value {
            Value::Object(members) => walk.extend(members.iter().map(|(k, v)| (k.clone(), v))),
            Value::Array(items) => walk.extend(items.iter().map(|item| (key.clone(), item))),
            Value::String(text) if text.starts_with("futhark_") => {
                functions += 1;
                assert!(api.header.contains(&format!("{text}(")), "{text} is not declared");
            }
            Value::String(text) if ["type", "payload", "elemtype"].contains(&key.as_str()) => {
                let prim = fehu_base::Prim::ALL.iter().any(|prim| prim.name() == text.as_str());
                assert!(prim || manifest["types"].get(text).is_some(), "{text} is not described");
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    assert!(functions > 100, "{functions}");
    for ty in manifest["types"].as_object().into_iter().flat_map(|types| types.values()) {
        assert!(ty["kind"].is_string() && ty["ctype"].is_string() && ty["ops"].is_object());
    }
}
