//! Functions of imp as C: the text, and what it does when it is compiled and run.
//!
//! Each program of `programs.rs` is printed for one thread and for several; the texts are in `snapshots/` (`BLESS=1` writes
//! them anew). Both are compiled without warnings together with the runtime, under the address and undefined-behaviour
//! sanitizers and as programs are, and print the same. The scheduler is one that cuts ranges and executes them in turn,
//! so that tasks are cut although they are small; the real one is tried, too.

mod agree;
mod build;
mod programs;

use fehu_backend::{Mode, Target, c};
use fehu_imp::Program;
use programs::Case;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_text_is_as_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/functions/snapshots");
    let mut wrong = Vec::new();
    for case in programs::all() {
        let one = c::functions(&case.program, Target::C, Mode::Server, "");
        let many = c::functions(&case.program, Target::Multicore, Mode::Server, "");
        let mut text = comment(&case.program.to_string());
        text.push_str(&format!("\n// One thread\n\n{}\n{}", one.constants_struct, one.text));
        if many != one {
            text.push_str(&format!("\n// Many threads\n\n{}", many.text));
        }
        let file = folder.join(format!("{}.c", case.name));
        if std::env::var_os("BLESS").is_some() {
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(&file, text).expect("the snapshot can be written");
        } else if fs::read_to_string(&file).ok().as_deref() != Some(&text) {
            wrong.push(format!("{} is now:\n{text}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect()
}

#[test]
fn programs_run_under_the_sanitizers() {
    let options = ["-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
    run_all("sanitized", Target::C, "", &options);
    run_all("sanitized_tasks", Target::Multicore, SCHEDULER, &options);
}

#[test]
fn programs_run_optimised() {
    let options = ["-O3", "-march=native"];
    run_all("optimised", Target::C, "", &options);
    run_all("optimised_tasks", Target::Multicore, SCHEDULER, &options);
}

#[test]
fn programs_run_with_the_real_scheduler() {
    let parts =
        ["clock.c", "cores.c", "deque.c", "portion.c", "pool.c", "scheduler.c"].map(runtime);
    run_all("scheduled", Target::Multicore, &parts.concat(), &["-O1"]);
}

/// All programs in one file, compiled with these options.
fn run_all(name: &str, target: Target, scheduler: &str, options: &[&str]) {
    let cases = programs::all();
    let tests: Vec<Test> = cases
        .iter()
        .map(|case| Test { name: case.name.to_owned(), main: case.main.to_owned() })
        .collect();
    let text = file(&programs::together(), target, scheduler, &tests);
    let program = compile(name, &text, options);
    let output = Command::new(&program).output().expect("the program runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let expected = |printed: fn(&Case) -> &str| {
        cases
            .iter()
            .map(|case| format!("== {}\n{}\n", case.name, printed(case)))
            .collect::<String>()
    };
    assert_eq!(stdout, expected(|case| case.output));
    assert_eq!(stderr, expected(|case| case.errors));
}

/// Statements of C that call functions of the program.
struct Test {
    name: String,
    main: String,
}

/// The whole C file.
fn file(program: &Program, target: Target, scheduler: &str, tests: &[Test]) -> String {
    let functions = c::functions(program, target, Mode::Server, "");
    let multicore = target == Target::Multicore;
    let mut text = String::new();
    if multicore {
        text.push_str("#define FE_MULTICORE\n");
    }
    for header in HEADERS {
        text.push_str(&runtime(header));
    }
    if multicore {
        text.push_str(&runtime("tasks.h"));
        text.push_str(&runtime("atomics.h"));
    }
    text.push_str(&runtime("types.h"));
    text.push_str(&runtime("entries.h"));
    text.push_str(&functions.constants_struct);
    text.push_str(&runtime("profile.h"));
    text.push_str(&runtime("context.h"));
    text.push_str(&functions.text);
    text.push_str(&format!(
        "static const struct fe_program fe_program = {{.num_sites = {}, \
         .constants_size = sizeof(struct fe_constants), .constants_init = fe_constants_init, \
         .constants_free = fe_constants_free}};\n",
        program.sites
    ));
    text.push_str(&runtime("memory.c"));
    text.push_str(&runtime("context.c"));
    text.push_str(&runtime("profile.c"));
    text.push_str(scheduler);
    text.push_str(REPORT);
    let mut calls = String::new();
    for Test { name, main } in tests {
        text.push_str(&format!(
            "static void test_{name}(struct futhark_context *ctx) {{\n  {main}\n}}\n"
        ));
        calls.push_str(&format!("  begin(\"{name}\");\n  test_{name}(ctx);\n  end();\n"));
    }
    text.push_str(&format!(
        "int main(void) {{
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
{calls}
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}}
"
    ));
    text
}

/// What comes before the program on any target.
const HEADERS: [&str; 9] = [
    "base.h",
    "scalar.h",
    "convert.h",
    "math_f32.h",
    "math_wide.h",
    "math.h",
    "memory.h",
    "program.h",
    "trace.h",
];

/// Ranges in turn, the last one first.
const SCHEDULER: &str = "
static int fe_scheduler_init(struct futhark_context *ctx) { (void)ctx; return 0; }
static void fe_scheduler_free(struct futhark_context *ctx) { (void)ctx; }
FE_SHARED int fe_chunks(struct futhark_context *ctx, int site, int64_t n) {
  (void)ctx;
  return site < fe_program.num_sites && n > 3 ? 3 : 1;
}
FE_SHARED int fe_worker(struct futhark_context *ctx) {
  (void)ctx;
  return 0;
}
FE_SHARED int fe_num_workers(struct futhark_context *ctx) {
  (void)ctx;
  return 1;
}
FE_SHARED int fe_parallel_chunks(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n, int chunks) {
  (void)site;
  int err = 0;
  for (int c = chunks - 1; c >= 0 && err == 0; c--) {
    err = f(ctx, env, c, n * c / chunks, n * (c + 1) / chunks);
  }
  return err;
}
FE_SHARED int fe_parallel_for(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n) {
  return fe_parallel_chunks(ctx, site, f, env, n, fe_chunks(ctx, site, n));
}
";

/// Prints an error, if there was one; and what separates the tests.
const REPORT: &str = "
static void report(struct futhark_context *ctx, int err) {
  if (err != 0) {
    char *error = futhark_context_get_error(ctx);
    printf(\"code %d: %s\\n\", err, error);
    free(error);
  }
}
static void begin(const char *name) {
  printf(\"== %s\\n\", name);
  fprintf(stderr, \"== %s\\n\", name);
}
static void end(void) {
  printf(\"\\n\");
  fprintf(stderr, \"\\n\");
}
";

fn runtime(header: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    fs::read_to_string(folder.join(header)).expect("the header exists")
}

/// Compiles a program without warnings and returns where it is. Variables that nothing uses are the program's own.
fn compile(name: &str, text: &str, options: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    fs::write(&source, text).expect("the program can be written");
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"])
        .args(["-Wno-unused-parameter", "-Wno-unused-variable", "-fopenmp-simd"])
        .args(options)
        .arg("-o")
        .args([&program, &source])
        .args(["-lm", "-pthread"])
        .output()
        .expect("there is a C compiler");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{name}: {}",
        errors.lines().take(40).collect::<Vec<_>>().join("\n")
    );
    program
}
