//! Executables, with C that is as small as can be: what is tested is everything around it.

use fehu_base::Diagnostic;
use fehu_driver::cache::Cache;
use fehu_driver::check::{Exit, Warnings};
use fehu_driver::compile::{self, CCompiler, Floats, Generated, Request};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::stages::{Mode, Target};
use fehu_ir::Entry;
use std::path::{Path, PathBuf};
use std::process::Command;

fn request(mode: Mode) -> Request {
    Request {
        target: Target::C,
        mode,
        warnings: Warnings::Show,
        entry_points: Vec::new(),
        safe: false,
        floats: Floats::default(),
        foreign: Default::default(),
        plan: Plan::none(),
        profiled: false,
    }
}

const PROGRAM: &str = "def g (x: i32) = x + 1\nentry f (x: i32) = g x\n";

/// The program with this C in the place of its own.
fn with(request: &Request, c: impl FnOnce(&Generated) -> String) -> Generated {
    let root = Root::Bytes("test.fut".to_owned(), PROGRAM.as_bytes().to_vec());
    let (outcome, generated) = compile::generate(&Memory::default(), &root, request);
    let mut generated = generated.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
    generated.artifacts.c = c(&generated);
    generated.artifacts.runtime = None;
    generated
}

/// The program, which only prints the names of its entry points.
fn names(request: &Request) -> Generated {
    with(request, |generated| {
        let puts = |entry: &Entry| format!("  puts(\"{}\");\n", entry.name);
        let puts: String = generated.entries.iter().map(puts).collect();
        format!("#include <stdio.h>\nint main(void) {{\n{puts}  return 0;\n}}\n")
    })
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run has left would hide that something is not written.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it can be listed").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn output(path: &Path) -> String {
    let output = Command::new(path).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn each_mode_has_its_files() {
    for (mode, expected) in [
        (Mode::Executable, &["out", "out.c"][..]),
        (Mode::Server, &["out", "out.c", "out.json"]),
        (Mode::Library, &["out.c", "out.h", "out.json"]),
        (Mode::Shared, &["out.c", "out.h", "out.json", "out.so"]),
    ] {
        let folder = folder(&format!("modes-{mode:?}"));
        let request = request(mode);
        compile::write(&names(&request), &request, &folder.join("out"), None)
            .unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(files(&folder), expected, "{mode:?}");
        if matches!(mode, Mode::Executable | Mode::Server) {
            assert_eq!(output(&folder.join("out")), "f\n");
        }
    }
}

#[test]
fn functions_can_become_entry_points() {
    let folder = folder("entry-points");
    let request = Request { entry_points: vec!["g".to_owned()], ..request(Mode::Executable) };
    let path = folder.join("out");
    compile::write(&names(&request), &request, &path, None)
        .unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(output(&path), "g\nf\n");
    let request = Request { entry_points: vec!["h".to_owned()], ..request };
    let root = Root::Bytes("test.fut".to_owned(), PROGRAM.as_bytes().to_vec());
    let (outcome, generated) = compile::generate(&Memory::default(), &root, &request);
    assert!(generated.is_none() && outcome.exit == Exit::Rejected);
    assert_eq!(outcome.diagnostics[0].code, "unknown-entry-point");
}

#[test]
fn unsafe_code_can_be_checked() {
    let text = "entry f (xs: []i32) (i: i64) = #[unsafe] xs[i]";
    let root = Root::Bytes("test.fut".to_owned(), text.as_bytes().to_vec());
    let has_check = |safe| {
        let request = Request { safe, ..request(Mode::Library) };
        let (_, generated) = compile::generate(&Memory::default(), &root, &request);
        generated.expect("it is right").artifacts.c.contains("\"] out of bounds")
    };
    assert_eq!((has_check(false), has_check(true)), (false, true));
}

#[test]
fn what_the_c_compiler_says_is_shown() {
    let request = request(Mode::Executable);
    let path = folder("broken").join("out");
    let error = compile::write(
        &with(&request, |_| "int main(void) { return zebra; }\n".to_owned()),
        &request,
        &path,
        None,
    )
    .expect_err("the text makes no sense");
    assert_eq!(error.code, "c-compiler-failed");
    assert!(error.notes.iter().any(|note| note.contains("zebra")), "{error:?}");
    assert!(!path.exists());
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let request = request(Mode::Library);
    let path = folder("absent").join("no/such/folder/out");
    let error = compile::write(&names(&request), &request, &path, None)
        .expect_err("there is no such folder");
    assert_eq!(error.code, "file-unwritable");
}

#[test]
fn executables_are_made_once() {
    let cache = Cache::at(folder("cache"), 1 << 30).expect("the folder can be made");
    let compiler =
        CCompiler::find(Some(&cache), Target::C, Floats::default()).expect("there is a C compiler");
    let artifacts = names(&request(Mode::Executable)).artifacts;
    let first = compile::object(&cache, &compiler, &artifacts, None).expect("it compiles");
    assert_eq!(output(&first), "f\n");
    let made = std::fs::metadata(&first).and_then(|data| data.created());
    let again = compile::object(&cache, &compiler, &artifacts, None).expect("it compiles");
    assert_eq!(first, again);
    let still = std::fs::metadata(&again).and_then(|data| data.created());
    assert_eq!(made.expect("it is there"), still.expect("it is there"));
    let strict =
        CCompiler::find(Some(&cache), Target::C, Floats::Strict).expect("there is a C compiler");
    let other = compile::object(&cache, &strict, &artifacts, None).expect("it compiles");
    assert_ne!(first, other);
}

/// What devices' runtimes pass to the compiler of kernels is in a table of the program, because they are compiled once
/// for all programs.
#[test]
fn programs_tell_the_runtime_of_devices_how_floats_are_computed() {
    for (floats, name, defined, root) in [
        (Floats::Strict, "STRICT", "#define FE_STRICT_FLOAT\n", "fe_sqrt_f32(x)"),
        (Floats::Contracted, "CONTRACTED", "", "fe_sqrt_f32(x)"),
        (Floats::Fast, "FAST", "#define FE_FAST_MATH\n", "fe_rsqrt_f32(x)"),
    ] {
        let request = Request { floats, target: Target::Cuda, ..request(Mode::Server) };
        let text = b"entry main (x: f32) = 1 / f32.sqrt x".to_vec();
        let file = Root::Bytes("a.fut".to_owned(), text);
        let (_, generated) = compile::generate(&Memory::default(), &file, &request);
        let artifacts = generated.expect("it is right").artifacts;
        assert!(artifacts.c.contains(&format!("  .floats = FE_FLOATS_{name},\n")), "{name}");
        let first = artifacts.c.split_once('\n').map_or("", |(_, rest)| rest);
        assert!(first.starts_with(defined), "{name}");
        assert!(artifacts.c.contains(root), "{name}");
        let runtime = artifacts.runtime.expect("it is apart");
        assert!(runtime.contains("switch (fe_program.floats)"), "{name}");
    }
}

/// The codes and places of the warnings that compiling a program gives.
fn warnings(text: &str, plan: Plan) -> Vec<String> {
    let root = Root::Bytes("a.fut".to_owned(), text.as_bytes().to_vec());
    let request = Request { plan, ..request(Mode::Library) };
    let (outcome, generated) = compile::generate(&Memory::default(), &root, &request);
    assert!(generated.is_some(), "{:?}", outcome.diagnostics);
    let shown = |found: &Diagnostic| {
        let place = found.primary.as_ref().map(|label| outcome.sources.describe(label.span));
        format!("{} {}", found.code, place.unwrap_or_default())
    };
    outcome.diagnostics.iter().map(shown).collect()
}

#[test]
fn marks_of_loops_without_effect_are_warnings() {
    let cpu = || Plan::of(fehu_driver::pipelines::CPU.passes);
    let text = "entry f (n: i64) (x: i32) =\n  #[unroll]\n  loop x for i < n do x * i32.i64 i\n";
    assert_eq!(warnings(text, cpu()), ["unroll-without-effect a.fut:3:3-36"]);
    // A function that is used several times is one function.
    let text = "def f (n: i64) (x: i32) = #[unroll] loop x for _i < n do x * 3\n\
                entry g (x: i32) = f 4 x\nentry h (n: i64) = f n 1 + f (n + 1) 2\n";
    assert_eq!(warnings(text, cpu()), ["unroll-without-effect a.fut:1:37-63"]);
    let text = "def n = 2i64 + 2\nentry f (x: i32) = #[unroll] loop x for i < n do x * i32.i64 i\n";
    assert!(warnings(text, cpu()).is_empty());
}

#[test]
fn watched_checks_that_are_left_are_warnings() {
    let cpu = || Plan::of(fehu_driver::pipelines::CPU.passes);
    let text =
        "entry f (xs: []f32) (is: []i64) =\n  #[warn(safety_checks)] map (\\i -> xs[i]) is\n";
    assert_eq!(warnings(text, cpu()), ["safety-check-required a.fut:2:37-42"]);
    // Without passes nothing has been tried.
    assert!(warnings(text, Plan::none()).is_empty());
    // The check is where it is written, also if that is in another function.
    let text = "def g (xs: []f32) (i: i64) =\n  xs[i]\n\
                entry f (xs: []f32) (is: []i64) = #[warn(safety_checks)] map (g xs) is\n\
                entry h (xs: []f32) (is: []i64) = map (g xs) is\n";
    assert_eq!(warnings(text, cpu()), ["safety-check-required a.fut:2:3-8"]);
    // Functions that stay functions.
    let text = "#[noinline]\ndef g (xs: []f32) (i: i64) = xs[i]\n\
                entry f (xs: []f32) (i: i64) = #[warn(safety_checks)] (g xs i)\n";
    assert_eq!(warnings(text, cpu()), ["safety-check-required a.fut:2:30-35"]);
    // What is proved is not left, and other places are not watched.
    let text = "entry f [n] (xs: [n]f32) (j: i64) =\n  \
                let ys = #[warn(safety_checks)] map (\\i -> xs[i]) (iota n)\n  in ys[j]\n";
    assert!(warnings(text, cpu()).is_empty(), "{:?}", warnings(text, cpu()));
}
