//! Foreign functions: called, linked, compared with their bodies, and what is said if something is wrong with them.
#![cfg(unix)]

use crate::common::{fehu, folder, repository};
use crate::nvrtc_compiler;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

/// Runs the compiler in a folder; whether it succeeded, and all that it said.
fn run(place: &PathBuf, args: &[&str], input: &str) -> (bool, String) {
    let mut command = fehu();
    command.args(args).current_dir(place);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    // It may not want to know.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// The folder with our foreign functions.
fn ours() -> PathBuf {
    repository().join("tests/foreign")
}

/// A copy of it in which files can be changed.
fn copied(name: &str) -> PathBuf {
    let place = folder(name);
    for file in ["functions.fut", "functions.c"] {
        std::fs::copy(ours().join(file), place.join(file)).expect("it can be copied");
    }
    place
}

fn succeeds(place: &PathBuf, args: &[&str]) {
    let (good, text) = run(place, args, "");
    assert!(good, "{args:?}: {text}");
}

/// Runs an entry point of our functions; what it says.
fn says(place: &PathBuf, args: &[&str], entry: &str, input: &str) -> String {
    run(place, &[&["run"], args, &["-e", entry, "functions.fut"]].concat(), input).1
}

#[test]
fn they_compute_what_their_bodies_do() {
    for backend in ["c", "multicore"] {
        let backend = format!("--backend={backend}");
        succeeds(&ours(), &["test", &backend, "--foreign", "functions.c", "functions.fut"]);
    }
    let test = ["test", "--no-check-foreign", "--foreign", "functions.c", "functions.fut"];
    succeeds(&ours(), &test);
    succeeds(&ours(), &["test", "--no-foreign", "functions.fut"]);
}

#[test]
fn examples_can_be_linked() {
    let examples = repository().join("examples/foreign");
    let ours = ours().display().to_string();
    let (cblas, include) = (format!("{ours}/cblas.c"), format!("-I{ours}"));
    let blas = ["--foreign", "blas.c", "--foreign", &include, "--foreign", &cblas];
    succeeds(&examples, &[&["test"], &blas[..], &["blas.fut"]].concat());
    succeeds(&examples, &["test", "--foreign", "fft.c", "fft.fut"]);
}

/// What is wrong in a changed copy of the C file is noticed: by a comparison, or by the C compiler.
#[test]
fn they_are_called_and_compared() {
    let place = copied("foreign-compared");
    let good = std::fs::read_to_string(place.join("functions.c")).expect("it is there");
    let wrong =
        good.replace("return x / 2;", "return x / 4;").replace("= i * x;", "= i * x + i / 2;");
    std::fs::write(place.join("wrong.c"), wrong).expect("it can be written");
    let (wrong, input) = (&["--foreign", "wrong.c"][..], "[1.0] 0i32");
    // Who does not ask gets what they compute.
    let text = says(&place, wrong, "scalars", input);
    assert!(text.starts_with("[0.25f64]"), "{text}");
    let checked = [wrong, &["--check-foreign"]].concat();
    let text = says(&place, &checked, "scalars", input);
    let expected = "the foreign function \"half\" differs from the body of \"half\": it yields 0.250000, the body 0.500000";
    assert!(text.contains(expected) && text.contains("functions.fut:"), "{text}");
    let text = says(&place, &checked, "fails", "5i64");
    let expected = "of \"ramp\": element 2 is 5, the body yields 4";
    assert!(text.contains(expected), "{text}");
    // The status of a call is an error, at the place of the call.
    let text = says(&place, &["--foreign", "functions.c"], "fails", "13i64");
    let expected = "the foreign function \"ramp\" failed with status 13";
    assert!(text.contains(expected) && text.contains("functions.fut:5"), "{text}");
}

#[test]
fn what_cannot_be_linked_is_explained() {
    let place = copied("foreign-explained");
    let good = std::fs::read_to_string(place.join("functions.c")).expect("it is there");
    let types = good.replace("double half(double x)", "float half(float x)");
    std::fs::write(place.join("types.c"), types).expect("it can be written");
    let symbols = good.replace("int ramp(", "int ramps(");
    std::fs::write(place.join("symbols.c"), symbols).expect("it can be written");
    std::fs::write(place.join("notes.txt"), "").expect("it can be written");
    let cases: [(&[&str], &[&str]); 6] = [
        (&[], &["[foreign-symbol]", "nothing defines", "double half(double x);", "--no-foreign"]),
        (
            &["symbols.c"],
            &["[foreign-symbol]", "nothing defines \"ramp\", the foreign function of \"ramp\""],
        ),
        (
            &["types.c"],
            &[
                "[foreign-symbol]",
                "\"half\"",
                "is defined with other types",
                "double half(double x);",
            ],
        ),
        (&["functions.c", "-lthere_is_no_such"], &["[foreign-file]", "\"there_is_no_such\""]),
        (&["missing.c"], &["[foreign-file]", "\"missing.c\""]),
        (&["notes.txt"], &["[foreign-file]", "\"notes.txt\"", ".cl"]),
    ];
    for (files, expected) in cases {
        let args: Vec<&str> = files.iter().flat_map(|file| ["--foreign", *file]).collect();
        let text = says(&place, &args, "fails", "3i64");
        assert!(expected.iter().all(|part| text.contains(part)), "{files:?}: {text}");
    }
    // The output has the name of a file that is read.
    let (fine, text) = run(&place, &["c", "--foreign", "functions.c", "functions.fut"], "");
    assert!(!fine && text.contains("would be overwritten"), "{text}");
    let kept = std::fs::read_to_string(place.join("functions.c")).expect("it is there");
    assert_eq!(kept, good);
    // One that is called in two places.
    let program = "#[foreign(c(f), vectorised(f_of_many))]\ndef f (x: f64) : {a: f64, b: f64} = {a = x, b = x}\n\
                   entry main (xs: []f64) = map f xs |> map (\\r -> (r.a, r.b)) |> unzip\n";
    std::fs::write(place.join("pairs.fut"), program).expect("it can be written");
    let (fine, text) = run(&place, &["c", "pairs.fut"], "");
    assert!(!fine && text.matches("int f_of_many(").count() == 1, "{text}");
    // One symbol for two functions.
    let program = "#[foreign(c(f))]\ndef f (x: f64) : f64 = x\n#[foreign(c(f))]\ndef g (x: f32) : f32 = x\n\
                   entry main (x: f64) = f x + f64.f32 (g 1)\n";
    std::fs::write(place.join("two.fut"), program).expect("it can be written");
    let (fine, text) = run(&place, &["c", "--library", "two.fut"], "");
    assert!(
        !fine && text.contains("\"f\" and \"g\" have the same foreign function \"f\""),
        "{text}"
    );
}

#[test]
fn prototypes_are_printed_and_described() {
    let place = copied("foreign-described");
    let (_, text) = run(&place, &["foreign", "--backend=c", "functions.fut"], "");
    for prototype in [
        "double half(double x);",
        // A keyword of C is another name there.
        "int ramp(int64_t n, int64_t int_v, int64_t *out);",
        // Nobody calls it.
        "uint8_t uncalled(uint8_t x);",
        "int divided(int32_t x, int32_t y_by, bool y_up, int32_t *out_0, bool *out_1);",
        "int dot(int64_t n, const float *xs, const float *ys, float *out);",
        "int turned_all(int64_t count, int64_t n, int64_t m, const int32_t *k, const int32_t *xs_0, const uint8_t *xs_1, \
         int32_t *out_0, uint8_t *out_1);",
    ] {
        assert!(text.contains(prototype), "{prototype}: {text}");
    }
    assert!(!text.contains("half_of"), "{text}");
    // A library leaves it to its user to link it.
    succeeds(&place, &["c", "--library", "-o", "library", "functions.fut"]);
    let read = |name: &str| std::fs::read_to_string(place.join(name)).expect("it is there");
    assert!(read("library.c").contains("extern double half(double x);"));
    let manifest = read("library.json");
    assert!(manifest.contains("\"symbol\": \"turned_all\""), "{manifest}");
}

/// Kernels call functions whose text comes before them; the host calls others, with its stream.
#[test]
fn devices_have_their_own() {
    let place = copied("foreign-devices");
    let code = ours().join("functions.cl");
    std::fs::copy(&code, place.join("functions.cu")).expect("it can be copied");
    let (_, text) =
        run(&place, &["run", "--backend=opencl", "-e", "fails", "functions.fut"], "3i64");
    assert!(text.contains("[foreign-symbol]") && text.contains("FILE.cl"), "{text}");
    let library =
        ["cuda", "--library", "-o", "library", "--foreign", "functions.cu", "functions.fut"];
    succeeds(&place, &library);
    let read = |name: &str| std::fs::read_to_string(place.join(name)).expect("it is there");
    let c = read("library.c");
    let (prelude, source) = ("fe_device_prelude", "fe_device_source");
    let device = crate::kernels::strings(&c, prelude) + &crate::kernels::strings(&c, source);
    assert!(device.contains(" = half_of(") && !c.contains(" = dot("), "the host uses bodies");
    nvrtc_compiler::accepts(&[("foreign".to_owned(), device)]);
    let blas = repository().join("examples/foreign/blas.fut").display().to_string();
    succeeds(&place, &["cuda", "--library", "-o", "blas", &blas]);
    let blas = read("blas.c");
    assert!(blas.contains("= cublas_product(fe_foreign_stream(ctx), "), "the host calls it");
}

/// On OpenCL for processors.
#[test]
fn kernels_call_them() {
    let test = ["test", "--backend=opencl", "--foreign", "functions.cl", "functions.fut"];
    succeeds(&ours(), &[&test[..], &["--limit", "120"]].concat());
}
