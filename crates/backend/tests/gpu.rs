//! Programs for devices whose functions and kernels are written by hand: on OpenCL, which is here an implementation for
//! processors, as a library, an executable and a server.

use crate::cc::{Folder, runtime};
use crate::gpu_program::{assembled, numbers, whole};
use fehu_backend::api::TuningParam;
use fehu_backend::{Mode, Target};
use serde_json::Value;

fn lines_of(report: &str) -> Value {
    serde_json::from_str::<Value>(report).expect("the report is JSON")
}

#[test]
fn a_program_uses_the_library() {
    let (text, api) = whole(Mode::Library, Target::OpenCl);
    let folder = Folder::new("gpu_library");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", include_str!("c/api_driver.c"));
    let sanitized = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    let options = [&sanitized[..], &["-pthread", "api.c", "-ldl"]].concat();
    let output = folder.compile_and_run("driver.c", &options);
    let lines: Vec<&str> = output.lines().collect();
    let [before, after, log @ .., "done"] = lines.as_slice() else { panic!("{output}") };
    // The second context has launched nothing before.
    let ["calling the entry point \"fail\"", compiled] = log else { panic!("{log:?}") };
    assert!(compiled.starts_with("compiled all kernels in "), "{compiled}");
    // The table of 400 bytes and an element: blocks of 448 and 64 bytes.
    assert_eq!(lines_of(before)["memory"]["device"], 512);
    let events = lines_of(before)["events"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = events.iter().filter_map(|event| event["name"].as_str()).collect();
    // Profiling was paused for the second call.
    assert_eq!(names, ["zero_dev", "my_check", "my_check", "copy_dev_to_host", "fail"]);
    assert_eq!(events[1]["provenance"], "api.fut:4:5");
    assert!(events.iter().all(|event| event["start"].as_i64() <= event["end"].as_i64()));
    assert_eq!(lines_of(after)["events"], serde_json::json!([]));
}

#[test]
fn failures_come_to_light_when_somebody_waits() {
    let (text, api) = whole(Mode::Library, Target::OpenCl);
    let folder = Folder::new("gpu_asynchronous");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", ASYNCHRONOUS);
    let said = folder.compile_and_run("driver.c", &["-O0", "api.c", "-ldl"]);
    assert_eq!(said, "0 2 Error: nan is no number\n0\n".repeat(2));
}

#[test]
fn all_threads_of_a_block_go_on_when_a_check_fails_in_one() {
    let (text, api) = whole(Mode::Library, Target::OpenCl);
    let folder = Folder::new("gpu_one_thread");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", ONE_THREAD);
    let said = folder.compile_and_run("driver.c", &["-O0", "api.c", "-ldl"]);
    assert_eq!(said, "2 Error: not found, say 64 threads\n0 25\n");
}

/// A check fails in the first of the 64 threads of a block; the next call is none of its business.
const ONE_THREAD: &str = r#"
#include "api.h"
#include <stdlib.h>
int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  int32_t numbers[2][2] = {{404, 1}, {3, 4}}, sum = 0;
  for (int run = 0; run < 2; run++) {
    struct futhark_i32_1d *xs = futhark_new_i32_1d(ctx, numbers[run], 2);
    int code = futhark_entry_dot(ctx, &sum, xs, xs);
    char *error = futhark_context_get_error(ctx);
    if (error == NULL) {
      printf("%d %d\n", code, sum);
    } else {
      printf("%d %s\n", code, error);
    }
    free(error);
    futhark_free_i32_1d(ctx, xs);
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
"#;

#[test]
fn what_fails_in_a_call_is_not_of_the_next_one() {
    let (text, api) = whole(Mode::Library, Target::OpenCl);
    let folder = Folder::new("gpu_abandoned");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", ABANDONED);
    let said = folder.compile_and_run("driver.c", &["-O0", "api.c", "-ldl"]);
    assert_eq!(said, "2 Error: nan is no number\n2 Error: seven columns\n0\n");
}

/// The host gives up what has seven columns, after the kernel was launched, in which a check fails in the first call.
const ABANDONED: &str = r#"
#include "api.h"
#include <math.h>
#include <stdlib.h>
int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  float numbers[7] = {0};
  for (int run = 0; run < 2; run++) {
    struct futhark_f32_2d *xs = futhark_new_f32_2d(ctx, numbers, 1, 7), *ys = NULL;
    int code = futhark_entry_scalezq(ctx, &ys, xs, run == 0 ? NAN : 2);
    char *error = futhark_context_get_error(ctx);
    printf("%d %s\n", code, error == NULL ? "" : error);
    free(error);
    futhark_free_f32_2d(ctx, xs);
  }
  printf("%d\n", futhark_context_sync(ctx));
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
"#;

/// A large array is copied at once, and with debugging every kernel is waited for; what has failed is not forgotten.
const ASYNCHRONOUS: &str = r#"
#include "api.h"
#include <math.h>
#include <stdlib.h>
int main(void) {
  for (int debugging = 0; debugging < 2; debugging++) {
    struct futhark_context_config *cfg = futhark_context_config_new();
    futhark_context_config_set_debugging(cfg, debugging);
    struct futhark_context *ctx = futhark_context_new(cfg);
    float *numbers = calloc(100000, sizeof(float));
    struct futhark_f32_2d *xs = futhark_new_f32_2d(ctx, numbers, 1, 3), *ys = NULL;
    printf("%d ", futhark_entry_scalezq(ctx, &ys, xs, NAN));
    struct futhark_f32_1d *large = futhark_new_f32_1d(ctx, numbers, 100000);
    int code = futhark_context_sync(ctx);
    char *error = futhark_context_get_error(ctx);
    printf("%d %s\n%d\n", code, error == NULL ? "" : error, futhark_context_sync(ctx));
    free(error);
    free(numbers);
    futhark_free_f32_1d(ctx, large);
    futhark_free_f32_2d(ctx, xs);
    futhark_free_f32_2d(ctx, ys);
    futhark_context_free(ctx);
    futhark_context_config_free(cfg);
  }
  return 0;
}
"#;

#[test]
fn arrays_of_users_are_evicted_and_come_back() {
    let (text, api) = whole(Mode::Library, Target::OpenCl);
    let folder = Folder::new("gpu_eviction");
    folder.write("api.c", &text);
    folder.write("api.h", &api.header);
    folder.write("driver.c", include_str!("c/gpu_eviction.c"));
    let sanitized = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    let said = folder.compile_and_run("driver.c", &[&sanitized[..], &["api.c", "-ldl"]].concat());
    let lines: Vec<&str> = said.lines().collect();
    let [report, errors @ ..] = lines.as_slice() else { panic!("{said}") };
    // Sixteen arrays of 64 KiB, of which four fit.
    let (memory, eviction) = (&lines_of(report)["memory"], &lines_of(report)["eviction"]);
    let number = |value: &Value| value.as_i64().unwrap_or(-1);
    assert_eq!(number(&eviction["limit"]), 266_240);
    assert!((3 << 16..=266_240).contains(&number(&memory["device"])), "{report}");
    assert!(number(&eviction["blocks"]) >= 12, "{report}");
    assert!(number(&eviction["bytes_out"]) >= 12 << 16, "{report}");
    assert!(number(&eviction["bytes_in"]) >= 12 << 16, "{report}");
    let expected = [
        "3 Error: out of memory: cannot allocate 327680 bytes on the device (65536 are in use that cannot be evicted; \
         the limit is 266240)",
        "3 Error: out of memory: the kernel \"my_dot\" (api.fut:2:3) needs arrays of 262208 bytes on the device at once; \
         the limit is 266240 (65536 are taken by others that cannot be evicted)",
        "0",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn the_digest_is_sha_256() {
    let folder = Folder::new("gpu_digest");
    let main = format!(
        "int main(void) {{\n  char out[65];\n  const char *first[] = {{\"abc\"}}, *second[] = {{\"{}\", \"{}\"}};\n  \
         fe_digest_texts(first, 1, out);\n  puts(out);\n  fe_digest_texts(second, 2, out);\n  puts(out);\n}}\n",
        "a".repeat(100),
        "b".repeat(23)
    );
    let includes =
        "#include <inttypes.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <string.h>\n";
    folder.write("digest.c", &format!("{includes}{}{main}", runtime("gpu/digest.c")));
    let said = folder.compile_and_run("digest.c", &["-fsanitize=undefined"]);
    // Of the texts with a zero after each, by another program.
    let expected = [
        "dc1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc",
        "1a64d5e1176f876e462e97dbfff9bc1a416ca1468a7027fc7eb6c8e6f927dda9",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

fn executable(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("api.c", &whole(Mode::Executable, Target::OpenCl).0);
    folder.compile_once("api.c", &["-O0", "-ldl"]);
    folder
}

#[test]
fn an_executable_reads_and_writes_values() {
    let folder = executable("gpu_executable");
    let run = |entry: &str, input: &str| folder.run_program(&["-e", entry], input);
    assert_eq!(run("dot", "[1, 2, 3] [4, 5, 6]"), "32i32\n");
    assert_eq!(run("dot", "empty([0]i32) empty([0]i32)"), "0i32\n");
    assert_eq!(
        run("scale'", "[[1f32, 2f32], [3f32, 4f32]] 2f32"),
        "[[2f32, 4f32], [6f32, 8f32]]\n"
    );
    assert_eq!(run("evens", "[1, 2, 3, 4]"), "[2i32, 4i32]\n");
    assert_eq!(run("make_line", "1f32 2f32 2i64 [7i64, 8i64]"), "2f32\n1f32\n[7i64, 8i64]\n");
    // Arrays that do not go through the stage.
    let large: Vec<String> = (0..10_000).map(|i| format!("{i}i32")).collect();
    let ones = vec!["1i32"; 10_000];
    let input = format!("[{}] [{}]", large.join(", "), ones.join(", "));
    assert_eq!(run("dot", &input), "49995000i32\n");
}

#[test]
fn a_failed_check_in_a_kernel_is_an_error_of_the_program() {
    let folder = executable("gpu_failure");
    let said = folder.fail_program(&["-e", "fail"], "-5i64");
    assert!(said.ends_with("Error: -5 is negative\n"), "{said}");
    let said = folder.fail_program(&["-e", "fail", "-D"], "-5i64");
    assert!(said.contains("kernel my_check (api.fut:4:5): 1 blocks of 64 threads"), "{said}");
}

#[test]
fn devices_are_chosen_by_number_or_name() {
    let folder = executable("gpu_devices");
    let run = |options: &[&str]| {
        folder.run_program(&[options, &["-e", "fail"]].concat(), "3i64");
    };
    run(&["-d", "#0"]);
    run(&["-p", "Portable", "--device=pthread"]);
    let said = folder.fail_program(&["-d", "#7", "-e", "fail"], "3i64");
    assert!(said.contains("there is no OpenCL device \"#7\"; available: #0 pthread"), "{said}");
    let said = folder.fail_program(&["-p", "Elsewhere", "-e", "fail"], "3i64");
    assert!(
        said.contains("there is no OpenCL platform \"Elsewhere\"; available: #0 Portable"),
        "{said}"
    );
}

#[test]
fn compiled_kernels_are_kept_in_a_file() {
    let folder = executable("gpu_cache");
    let run = |options: &[&str]| {
        let options = [&["-L", "-e", "fail", "--cache-file", "kept"], options].concat();
        folder.said_by_program(&options, "3i64")
    };
    folder.write("kept", "something else");
    assert!(run(&[]).contains("cached the compiled kernels in kept"));
    assert!(run(&[]).contains("using the compiled kernels in kept"));
    // What goes into the compiler decides.
    assert!(run(&["--build-option", "-DMORE"]).contains("cached the compiled kernels in kept"));
    // A file that is cut is not used.
    let bytes = folder.read("kept");
    std::fs::write(folder.path("kept"), &bytes[..bytes.len() / 2]).expect("it can be written");
    assert!(run(&["--build-option", "-DMORE"]).contains("cached the compiled kernels in kept"));
    assert!(run(&["--build-option", "-DMORE"]).contains("using the compiled kernels in kept"));
}

#[test]
fn kernels_that_cannot_be_kept_are_compiled_again() {
    let folder = executable("gpu_cache_places");
    let run =
        |file: &str| folder.said_by_program(&["-L", "-e", "fail", "--cache-file", file], "3i64");
    folder.write("kept", "");
    assert!(run("kept").contains("cached the compiled kernels in kept"));
    let bytes = folder.read("kept");
    let start = bytes.iter().position(|&byte| byte == b'\n').expect("there is a first line") + 1;
    let mut huge = bytes[..start].to_vec();
    huge.extend(b"0 18446744073709551615 0\nabc");
    let mut wrong = bytes[..start].to_vec();
    wrong.extend(b"99999999999999999999 -1 zz\n\xff\0");
    for damaged in [&huge, &wrong, &bytes[..start].to_vec(), &vec![0; 1000]] {
        std::fs::write(folder.path("kept"), damaged).expect("it can be written");
        assert!(run("kept").contains("cached the compiled kernels in kept"));
    }
    // What is no file stays what it is.
    std::fs::create_dir_all(folder.path("folder")).expect("it can be made");
    for place in ["folder", "/dev/null", "/proc/self/nothing", "absent/kept"] {
        assert!(run(place).contains(&format!("cannot cache the compiled kernels in {place}")));
    }
    use std::os::unix::fs::FileTypeExt;
    let data = std::fs::metadata("/dev/null").expect("it is there");
    assert!(data.file_type().is_char_device());
}

#[test]
fn kernels_are_compiled_when_they_are_launched() {
    let folder = Folder::new("gpu_divided");
    folder.write("api.c", &whole(Mode::Executable, Target::OpenCl).0);
    folder.compile_once("api.c", &["-O0", "-DFE_DIVIDED", "-ldl"]);
    let run = |entry: &str, input: &str| {
        let said = folder.said_by_program(&["-L", "-e", entry, "--cache-file", "kept"], input);
        said.lines().filter(|line| line.starts_with("compiled my_")).count()
    };
    folder.write("kept", "of another run");
    let (dot, evens) = ("[1, 2] [3, 4]", "[1, 2]");
    let first = [run("dot", dot), run("dot", dot), run("evens", evens), run("evens", evens)];
    assert_eq!(first, [1, 0, 1, 0]);
    // What was kept by one is kept by the other, and what is damaged is compiled again: kernels with shared memory come last.
    assert_eq!(run("dot", dot), 0);
    let mut bytes = folder.read("kept");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(folder.path("kept"), &bytes).expect("it can be written");
    assert_eq!([run("evens", evens), run("dot", dot), run("dot", dot)], [0, 1, 0]);
}

#[test]
fn the_device_program_can_be_written_and_replaced() {
    let folder = executable("gpu_program");
    folder.run_program(&["--dump-opencl", "kernels.cl"], "");
    let text = String::from_utf8(folder.read("kernels.cl")).expect("it is text");
    assert!(text.contains("FE_KERNEL void my_scale") && text.contains("fe_add_i32"));
    folder.write("changed.cl", &text.replace("xs[i] * k", "xs[i] + k"));
    let options = ["--load-opencl=changed.cl", "-e", "scale'"];
    assert_eq!(folder.run_program(&options, "[[1f32]] 2f32"), "[[3f32]]\n");
    folder.write("wrong.cl", "this is no program");
    let said = folder.fail_program(&["--load-opencl=wrong.cl", "-e", "fail"], "1i64");
    assert!(said.contains("Error: the OpenCL compiler failed (error -11):\n"), "{said}");
}

#[test]
fn without_a_driver_the_message_says_what_to_install() {
    let folder = executable("gpu_driver");
    let said =
        folder.fail_program_with(&[("OCL_ICD_VENDORS", "/nowhere")], &["-e", "fail"], "1i64");
    assert!(said.contains("no OpenCL driver found") && said.contains("pocl-opencl-icd"), "{said}");
    // There is no CUDA driver where this test runs, or it is used.
    folder.write("cuda.c", &whole(Mode::Executable, Target::Cuda).0);
    folder.compile("cuda.c", &["-O0", "-ldl"]);
    if !std::path::Path::new("/dev/nvidiactl").exists() {
        let said = folder.fail_program(&["-e", "fail"], "1i64");
        assert!(said.contains("NVIDIA GPU"), "{said}");
    }
}

#[test]
fn a_server_obeys() {
    let folder = Folder::new("gpu_server");
    folder.write("api.c", &whole(Mode::Server, Target::OpenCl).0);
    folder.write("input", "1.5f32 2.5f32 [10, 20] 3i64 -3i64");
    folder.compile("api.c", &["-O0", "-fsanitize=address,undefined", "-ldl"]);
    let commands = "restore input x f32 y f32 a []i32 n i64 m i64\nnew p point x y\nproject z p y\n\
                    call points ps n\nset ps p 0\nindex q ps 0\nproject w q x\n\
                    construct c shape circle x\nvariant c\ndestruct c r\ncall dot d a a\n\
                    call fail f n\ntype ps\nshape ps\nstore output z w r d\nfree p ps q c\n";
    let output = folder.run_program(&[], commands);
    assert!(!output.contains("FAILURE"), "{output}");
    let lines: Vec<&str> =
        output.lines().filter(|line| *line != "%%% OK" && !line.starts_with("runtime: ")).collect();
    assert_eq!(lines, ["circle", "[]point", "3"], "{output}");
    assert!(folder.read("output").ends_with(&500_i32.to_le_bytes()));
    // After a failure everything goes on.
    let again = "restore input x f32 y f32 a []i32 n i64 m i64\ncall fail f m\ncall fail g n\nstore output g\n";
    let output = folder.run_program(&[], again);
    assert!(output.contains("%%% FAILURE\nError: -3 is negative\n"), "{output}");
    assert!(folder.read("output").ends_with(&3_i64.to_le_bytes()));
}

#[test]
fn memory_that_does_not_exist_is_an_error() {
    let folder = executable("gpu_memory");
    let said = folder.fail_program(&["-e", "fail"], "2000i64");
    assert!(said.contains("Error: out of memory"), "{said}");
    let said = folder.fail_program(&["-e", "points", "-n"], "1000000000000i64");
    assert!(said.contains("Error: out of memory: cannot allocate 4000000000000 bytes"), "{said}");
}

/// There are no kernels at all, and the host writes all tuning parameters, limits, and how many blocks it would start.
#[test]
fn tuning_parameters_and_the_number_of_blocks_have_defaults() {
    let classes = ["tile_size", "reg_tile_size", "threshold(x)", "param"];
    let param = |class: &&str| TuningParam {
        name: format!("main.{}", class.replace("(x)", "")),
        class: (*class).to_owned(),
        entries: Vec::new(),
    };
    let tuning: Vec<TuningParam> = classes.iter().map(param).collect();
    let host = "static void my_write(int64_t value) { fwrite(&value, sizeof value, 1, stdout); }\n\
                static int my_run(struct futhark_context *ctx, int64_t *out) {\n  \
                for (int i = 0; i < fe_program.num_tuning_params; i++) {\n    \
                my_write(fe_tuning_param(ctx, i, 5));\n  }\n  \
                for (int i = 0; i < FE_NUM_LIMITS; i++) {\n    my_write(ctx->gpu.limits[i]);\n  }\n  \
                my_write(fe_busy_blocks(ctx, 64));\n  my_write(fe_busy_blocks(ctx, 1 << 20));\n  \
                *out = 0;\n  return FUTHARK_SUCCESS;\n}\n";
    let folder = assembled("gpu_tuning", "", host, &tuning);
    let values = numbers(&folder, &[]);
    let [tile, register, threshold, other, most, shared, units, threads, blocks, least] =
        values[..]
    else {
        panic!("{values:?}")
    };
    assert_eq!([tile, register, threshold, other], [5; 4]);
    assert!(most >= 256 && shared >= 16384 && units >= 1, "{values:?}");
    assert_eq!([blocks, least], [units * (threads / 64), units]);
    let set = ["--default-num-thread-blocks=77", "--default-threshold=7", "--default-tile-size=8"];
    let more = ["--param", "main.reg_tile_size=3", "--param=main.tile_size=9"];
    let changed = numbers(&folder, &[&set[..], &more[..]].concat());
    assert_eq!(changed[..4], [9, 3, 7, 5]);
    assert_eq!(changed[8..], [77, 77]);
}

/// A device that refuses memory: free blocks are given back first, then others are evicted, and if there are none it is an error.
#[test]
fn free_blocks_are_given_back_when_there_is_no_memory() {
    let folder = assembled("gpu_full", "", include_str!("c/gpu_full.c"), &[]);
    let said = numbers(&folder, &[]);
    let million = 1 << 20;
    // Used, free and peak bytes, and error codes.
    let expected = [0, 5 * million, 5 * million, 0, 0, 3, 0, 0, 0, 10 * million, 0, 1, 12345];
    assert_eq!(said, expected);
}
