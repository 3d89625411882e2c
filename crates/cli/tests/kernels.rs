//! Programs for devices: executed by OpenCL on this machine's processor, and compiled for GPUs by NVRTC.
//!
//! The programs in `tests/kernels` are about one kind of kernel each; `fehu test` compares their results.

use crate::{common, nvrtc_compiler};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

fn fehu(args: &[&str]) -> (bool, String) {
    let output = common::fehu().args(args).current_dir(folder()).output().expect("fehu runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// OpenCL for processors takes seconds to compile a device program, so that each has a test of its own.
const TESTED: [&str; 4] = ["test", "--backend=opencl", "--limit", "120"];

fn agrees(name: &str) {
    agrees_with(name, &[]);
}

/// The same if the device were such that so many blocks keep it busy.
fn agrees_on(name: &str, blocks: u32) {
    agrees_with(name, &[&format!("--pass-option=--default-num-thread-blocks={blocks}")]);
}

fn agrees_with(name: &str, options: &[&str]) {
    let program = format!("{name}.fut");
    let (good, text) = fehu(&[&TESTED[..], options, &[program.as_str()]].concat());
    assert!(good, "{text}");
}

/// The C program for CUDA that is made of a file.
fn c_program(file: &str, name: &str) -> String {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cuda_{name}"));
    let out = out.to_str().expect("the folder has a name of letters");
    let (good, text) = fehu(&["cuda", "--library", file, "-o", out]);
    assert!(good, "{text}");
    std::fs::read_to_string(format!("{out}.c")).expect("there is a C file")
}

/// The device program for CUDA, taken from the C program.
fn device_program(name: &str) -> String {
    let c = c_program(&format!("{name}.fut"), name);
    strings(&c, "fe_device_prelude") + &strings(&c, "fe_device_source")
}

/// The text of an array of strings in C.
pub(crate) fn strings(c: &str, name: &str) -> String {
    let begin = c.find(&format!("char *const {name}[] = {{")).expect("the array is there");
    let mut text = String::new();
    for line in c[begin..].lines().skip(1).take_while(|line| *line != "};") {
        let Some(line) = line.trim().strip_prefix('"') else { continue };
        let line = line.trim_end_matches(',').trim_end().trim_end_matches('"');
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(other) => text.push(other),
                    None => {}
                },
                (c, false) => text.push(c),
            }
        }
    }
    text
}

#[test]
fn folds() {
    agrees_on("folds", 1056);
}

#[test]
fn again() {
    agrees("again");
}

/// Rows of differing lengths, by a warp for each, by a block for each, and flattened.
#[test]
fn ragged() {
    const HUGE: i64 = 1 << 40;
    for (warps, blocks) in [(HUGE, 1), (1, HUGE), (1, 1)] {
        let mut options = Vec::new();
        for entry in ["main", "long"] {
            for (who, value) in [("outer", 1), ("warp", warps), ("block", blocks)] {
                let param = format!("{entry}.suff_{who}_rows_0={value}");
                options.push(format!("--pass-option=--param={param}"));
            }
        }
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        agrees_with("ragged", &options);
    }
}

/// Loops of the host as the work of one block, and as launches.
#[test]
fn host_loops() {
    agrees("host_loops");
    let loops = [
        ("steps", 0),
        ("gradient", 0),
        ("gradient", 1),
        ("until", 0),
        ("nested", 0),
        ("nested", 1),
        ("slices", 0),
        ("fails", 0),
    ];
    let params = loops
        .map(|(entry, number)| format!("--pass-option=--param={entry}.suff_loop_par_{number}=1"));
    let options: Vec<&str> = params.iter().map(String::as_str).collect();
    agrees_with("host_loops", &options);
}

/// The loop of a thread is there once for each part, and its conditions are outside of it.
#[test]
fn conditions() {
    agrees("conditions");
    let program = device_program("conditions");
    let (_, kernel) = program.split_once("void entry_steps_map_").expect("there is a kernel");
    let kernel = &kernel[..kernel.find("\n}\n").expect("the kernel ends")];
    assert_eq!(kernel.matches("for (").count(), 3, "{kernel}");
}

#[test]
fn accumulators() {
    agrees("accumulators");
}

#[test]
fn filters() {
    agrees("filters");
}

#[test]
fn scans() {
    agrees("scans");
}

#[test]
fn histograms() {
    agrees_on("hists", 40);
}

#[test]
fn histograms_of_types() {
    agrees_on("hists_of_types", 3);
}

#[test]
fn histograms_of_rows() {
    agrees("hists_of_rows");
}

#[test]
fn segments() {
    agrees_on("segments", 1056);
}

#[test]
fn coarsening() {
    agrees_on("coarsening", 1);
}

#[test]
fn writes() {
    agrees("writes");
}

#[test]
fn decided() {
    agrees("decided");
}

#[test]
fn ranks() {
    agrees("ranks");
}

#[test]
fn layouts() {
    agrees("layouts");
}

#[test]
fn reshaped() {
    agrees("reshaped");
}

#[test]
fn tiles() {
    // All matrices are large enough for tiles, of which there are so few that several blocks share the steps of each.
    let options =
        ["--pass-option=--default-threshold=1", "--pass-option=--default-num-thread-blocks=64"];
    agrees_with("tiles", &options);
}

#[test]
fn narrow_tiles() {
    let options =
        ["--pass-option=--default-threshold=1", "--pass-option=--default-num-thread-blocks=64"];
    agrees_with("narrow_tiles", &options);
}

#[test]
fn columns() {
    agrees("columns");
}

#[test]
fn norms() {
    // All matrices are large enough for tiles.
    agrees_with("norms", &["--pass-option=--default-threshold=1"]);
}

#[test]
fn streams() {
    agrees("streams");
}

#[test]
fn strips() {
    agrees("strips");
}

#[test]
fn blocks() {
    agrees_on("blocks", 1);
}

/// With the optimiser of OpenCL for processors.
fn agrees_optimised(name: &str) {
    let program = format!("{name}.fut");
    let (good, text) = fehu(&[&TESTED[..4], &[program.as_str()]].concat());
    assert!(good, "{text}");
}

/// What the optimiser did to two such loops was wrong.
#[test]
fn shared_loops() {
    agrees_optimised("shared_loops");
}

/// What it did to the ends of two such branches was wrong.
#[test]
fn branches() {
    agrees_optimised("branches");
}

#[test]
fn called_conditions() {
    agrees("called_conditions");
}

/// What threads allocate in loops is known before them; a thread for each position, and whatever the thresholds say.
#[test]
fn sizes_in_loops() {
    agrees("../programs/sizes_in_loops");
    let threads = ["at_each_position.suff_outer_par_0=1", "triangle.suff_outer_rows_0=1000000000"]
        .map(|param| format!("--pass-option=--param={param}"));
    agrees_with("../programs/sizes_in_loops", &threads.each_ref().map(String::as_str));
}

#[test]
fn threads() {
    agrees("threads");
}

#[test]
fn functions() {
    agrees("functions");
    // As if all were large.
    let (good, text) = fehu(&[&TESTED[..], &["--without=inlining", "functions.fut"]].concat());
    assert!(good, "{text}");
}

/// The size of the C program in which this many kernels call a function of many statements, twice each.
fn size_with(backend: &str, kernels: usize) -> usize {
    let mut text = String::from("def big (a: i32) (b: i32) : i32 =\n  let x0 = a + b\n");
    for i in 1..150 {
        let x = i - 1;
        text += &format!("  let x{i} = if x{x} % {i} == 0 then x{x} * {} else x{x} ^ b\n", i + 3);
    }
    text += "  in x149\n";
    for k in 0..kernels {
        text += &format!("entry e{k} (xs: []i32) = map (\\x -> big x {k} + big {k} x) xs\n");
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("size_{backend}_{kernels}"));
    std::fs::create_dir_all(&place).expect("a folder can be made");
    let (file, out) = (place.join("a.fut"), place.join("a"));
    std::fs::write(&file, text).expect("it can be written");
    let [file, out] = [&file, &out].map(|path| path.to_str().expect("a name of letters"));
    let (good, said) = fehu(&[backend, "--library", file, "-o", out]);
    assert!(good, "{said}");
    std::fs::read(format!("{out}.c")).expect("there is a C file").len()
}

/// A kernel more costs what an entry point and a kernel cost, and not the functions that it calls.
#[test]
fn functions_are_not_copied_into_every_kernel() {
    for backend in ["c", "cuda"] {
        let (few, many) = (size_with(backend, 20), size_with(backend, 30));
        let function = 150 * 80;
        let each = (many - few) / 10;
        assert!(each < function, "{backend}: {few} and {many} bytes");
    }
}

/// Kernels that differ only in names have one text; where they come from is still known, also in messages of checks.
#[test]
fn kernels_that_are_alike_have_one_text() {
    let text = "entry a (xs: []i32) = map (+ 1) xs\n\
                entry b (numbers: []i32) = map (\\number -> 1 + number) numbers\n\
                entry c (xs: []i32) = map (+ 2) xs\n\
                entry d (xs: []i32) (i: i64) = map (\\x -> x + xs[i + i64.i32 x]) xs\n\
                entry e (xs: []i32) (i: i64) = map (\\x -> x + xs[i + i64.i32 x]) xs\n";
    let file = common::folder("alike").join("alike.fut");
    std::fs::write(&file, text).expect("it can be written");
    let c = c_program(file.to_str().expect("a name of letters"), "alike");
    let rows = c.split("fe_kernels[] = {\n").nth(1).and_then(|rest| rest.split("};").next());
    let rows = rows.expect("there is a table");
    let codes: Vec<&str> =
        rows.lines().filter_map(|row| row.rsplit_once(", ")?.1.strip_suffix("},")).collect();
    assert_eq!(codes, ["0", "0", "2", "3", "4", "0"], "{rows}");
    for (line, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
        assert!(rows.contains(&format!("entry_{name}_map_{line}")), "{rows}");
        assert!(rows.contains(&format!("alike.fut:{}:", line + 1)), "{rows}");
    }
    assert_eq!(strings(&c, "fe_device_source").matches("FE_KERNEL ").count(), 4);
}

#[test]
fn follow() {
    agrees("follow");
}

/// The peak memory of a thousand threads of an entry point of `thread_memory.fut`, which gets these arguments first.
fn peak_of_threads(program: &Path, entry: &str, first: &str) -> u64 {
    let mut child = Command::new(program)
        .args(["-e", entry, "--report"])
        .args(["--device-memory-limit", "3GB"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let input = format!("{first} {}", ones(1000, "i64"));
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let report = String::from_utf8(output.stderr).expect("it is text");
    assert!(output.status.success(), "{entry}: {report}");
    counted(&report, "peak memory: ")[0]
}

fn ones(count: usize, ty: &str) -> String {
    format!("[{}]", vec![format!("1{ty}"); count].join(", "))
}

/// Threads reserve what the largest iteration needs, and nothing for what does not happen.
#[test]
fn memory_of_threads() {
    agrees("thread_memory");
    let program = common::folder("thread_memory").join("memory");
    let to = program.to_str().expect("a name of letters");
    let mut command = common::fehu();
    command.args(["opencl", "thread_memory.fut", "-o", to]).current_dir(folder());
    let output = command.env("CFLAGS", "-O0").output().expect("fehu runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let peak = |entry: &str, first: &str| peak_of_threads(&program, entry, first);
    let (many, few) = (ones(100_000, "u8"), ones(200, "u8"));
    // All positions of 100 numbers; guesses are 16 MiB for all of them at first.
    assert!(peak("grows", "100i64") < 1 << 20);
    assert!(peak("rows", &format!("20i64 {few}")) < 32 << 20);
    // Nothing is made; as much would not even fit.
    assert!(peak("idle", "0i64 1000000000000i64") < 1 << 20);
    // What nobody makes would be 800 KB for each thread.
    assert!(peak("besides", &format!("0i64 {many} 100i64")) < 1 << 20);
    assert!(peak("beside", &format!("{many} 100i64")) < 32 << 20);
    assert!(peak("seldom", "100i64 4000i64") < 32 << 20);
    // An array that is handed on once is one: two of 15 KB fit into the first guess, and three would not.
    let some = ones(1900, "u8");
    assert!(peak("appended", &format!("{some} 1i64")) < 20 << 20);
    assert!(peak("appended", &format!("{some} 2i64")) > 40 << 20);
}

/// A program in which sixteen arrays of 160 KiB are alive, with a limit on device memory; what it writes, and what it
/// says of itself.
fn limited(program: &Path, limit: &str) -> (String, String) {
    let options = ["-e", "alive", "--report"];
    let mut child = Command::new(program)
        .args(options)
        .args(["--device-memory-limit", limit])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    child.stdin.take().expect("a pipe").write_all(b"20000i64").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (text(output.stdout), text(output.stderr))
}

/// The numbers in the line of a report that begins like this.
fn counted(report: &str, line: &str) -> Vec<u64> {
    let line = report.lines().find_map(|found| found.strip_prefix(line)).unwrap_or(report);
    line.split(' ').filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn a_program_needs_four_times_as_much_as_it_may_have() {
    let place = common::folder("eviction");
    let compiled = |name: &str, flags: &str| {
        let program = place.join(name);
        let to = program.to_str().expect("a name of letters");
        let mut command = common::fehu();
        command.args(["opencl", "eviction.fut", "-o", to]).current_dir(folder());
        let output = command.env("CFLAGS", flags).output().expect("fehu runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        program
    };
    let program = compiled("limited", "-O0");
    let (result, report) = limited(&program, "640KiB");
    assert_eq!(result.trim(), "99979i64", "{report}");
    assert_eq!(counted(&report, "limit of device memory: "), [655_360]);
    assert!(counted(&report, "peak memory: ")[0] <= 655_360, "{report}");
    // All that are alive go at least once, and come back; nobody changes them, so that they are copied once.
    let [blocks, out, back] = counted(&report, "evicted: ")[..] else { panic!("{report}") };
    assert!(blocks >= 32 && back >= 32 * 160_000, "{report}");
    assert!((12 * 160_000..=17 * 163_840).contains(&out), "{report}");
    let (result, report) = limited(&program, "2MB");
    let few = counted(&report, "evicted: ");
    assert!(result.trim() == "99979i64" && few[0] < blocks, "{report}");
    let (result, report) = limited(&program, "4MB");
    assert_eq!((result.trim(), counted(&report, "evicted: ")), ("99979i64", vec![0, 0, 0]));
    let (_, error) = limited(&program, "200kB");
    assert!(error.contains("out of memory: the kernel \"entry_alive_scan_"), "{error}");
    assert!(error.contains(" bytes on the device at once; the limit is 200000 "), "{error}");
    // Nothing stays on the device for longer than a request.
    let (result, report) = limited(&compiled("restless", "-O0 -DFE_RESTLESS"), "4MB");
    assert_eq!(result.trim(), "99979i64", "{report}");
    assert!(counted(&report, "evicted: ")[0] >= 32 * 3, "{report}");
}

#[test]
fn gpus_accept_them() {
    // One is compiled to the end; `backend/tests/nvrtc.rs` does that with everything that kernels are made of.
    let ptx = nvrtc_compiler::ptx("cuda_folds", &device_program("folds"));
    assert!(ptx.contains(".visible .entry"), "there are kernels");
    let names = [
        "accumulators",
        "filters",
        "scans",
        "segments",
        "writes",
        "tiles",
        "narrow_tiles",
        "columns",
        "norms",
        "strips",
        "threads",
        "blocks",
        "follow",
        "functions",
        "hists",
        "hists_of_types",
        "hists_of_rows",
        "checked_reductions",
        "host_loops",
        "branches",
    ];
    let programs = names.map(|name| (format!("cuda_{name}"), device_program(name)));
    nvrtc_compiler::accepts(&programs);
}
