//! What executables read and write besides plain values: sums, tuning parameters, their cost.
#![cfg(unix)]

use crate::common::{both, fehu, folder};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Compiles a program to an executable `a`.
fn compiled(name: &str, text: &str, more: &[&str]) -> std::path::PathBuf {
    compiled_for("c", name, text, more)
}

/// The same, with a back end.
fn compiled_for(backend: &str, name: &str, text: &str, more: &[&str]) -> std::path::PathBuf {
    let place = folder(name);
    std::fs::write(place.join("a.fut"), text).expect("it can be written");
    let output = fehu()
        .args([backend, "a.fut"])
        .args(more)
        .current_dir(&place)
        .env("CFLAGS", "-O0")
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
    place
}

fn run(place: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(place.join("a"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A program that fails at once may not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

#[test]
fn sums_are_the_number_of_the_variant_and_what_it_carries() {
    let text = "type t = #a i32 | #b [2]f64 (i8, bool) | #c\n\
        entry make (x: i32) : t = if x > 0 then #a x else if x < 0 then #b [1, 2] (3, true) else #c\n\
        entry same (x: t) : t = x\n\
        entry pair (x: (t, i32)) : (i32, t) = (x.1, x.0)\n";
    let place = compiled("values-sums", text, &[]);
    for (entry, input, expected) in [
        ("make", "5", "0u8\n5i32\n"),
        ("make", "0", "2u8\n"),
        ("same", "0u8 7", "0u8\n7i32\n"),
        ("same", "1 [1.0, 2.0] 3i8 true", "1u8\n[1f64, 2f64]\n3i8\ntrue\n"),
        ("same", "2u8", "2u8\n"),
        ("pair", "2u8 9", "9i32\n2u8\n"),
    ] {
        let output = run(&place, &["-e", entry], input.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", both(&output));
    }
    // Also in the binary format, from one run to the next.
    let written = run(&place, &["-b", "-e", "make"], b"-1");
    let output = run(&place, &["-e", "same"], &written.stdout);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1u8\n[1f64, 2f64]\n3i8\ntrue\n");
    for (input, wanted) in [("3u8", "no constructor 3"), ("0u8", "i32"), ("true", "u8")] {
        let output = run(&place, &["-e", "same"], input.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        assert!(both(&output).contains(wanted), "{}", both(&output));
    }
}

#[test]
fn streams_give_the_same_in_any_number_of_chunks() {
    let text = "entry counted (k: i64) (n: i64) : ([k]i64, i64, i64) =\n\
        let add (a: ([k]i64, i64)) (b: ([k]i64, i64)) = (map2 (+) a.0 b.0, if b.1 < 0 then a.1 else b.1)\n\
        let chunk (m: i64) (acc: *([k]i64, i64)) (c: [m]i64) : (([k]i64, i64), [m]i64) =\n\
        let bins = loop bins = acc.0 for i in c do bins with [i % k] = bins[i % k] + i\n\
        in ((bins, c[m - 1]), map (* 3) c)\n\
        let ((bins, last), tripled) = stream.red add chunk (replicate k 0, -1) (iota n)\n\
        in (bins, last, i64.sum (map2 (*) tripled (iota n)))\n";
    let place = compiled_for("multicore", "values-chunks", text, &[]);
    for (input, expected) in [
        ("3i64 0i64", "[0i64, 0i64, 0i64]\n-1i64\n0i64\n"),
        ("3i64 10i64", "[18i64, 12i64, 15i64]\n9i64\n855i64\n"),
    ] {
        for chunks in ["", "0", "1", "2", "3", "7", "9", "10", "11", "1000"] {
            let set = format!("counted.chunks_0={chunks}");
            let args = ["-e", "counted", "--param", &set];
            let args = if chunks.is_empty() { &args[..2] } else { &args[..] };
            let output = run(&place, args, input.as_bytes());
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                expected,
                "{set} {}",
                both(&output)
            );
        }
    }
}

#[test]
fn tuning_parameters_are_listed_and_set() {
    let text = "def half (x: i64) = #[param(half)] (x / 2)\n\
        entry main (x: i64) = half x + 1\n\
        entry inside (xs: []i64) = map (\\x -> #[param(each)] x) xs\n\
        entry ignored (x: i32) = #[param(other)] (x + 1)\n";
    let place = compiled("values-params", text, &[]);
    let said = |args: &[&str], input: &str| {
        let output = run(&place, args, input.as_bytes());
        assert!(output.status.success(), "{}", both(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // Only an i64 can be tuned.
    assert_eq!(said(&["--print-params"], ""), "each (param)\nhalf (param)\n");
    assert_eq!(said(&[], "10i64"), "6i64\n");
    assert_eq!(said(&["--param", "half=7"], "10i64"), "8i64\n");
    std::fs::write(place.join("file"), "each=3\nhalf=1\n").expect("it can be written");
    let tuning = format!("--tuning={}", place.join("file").display());
    assert_eq!(said(&[&tuning], "10i64"), "2i64\n");
    assert_eq!(said(&[&tuning, "-e", "inside"], "[5i64, 6i64]"), "[3i64, 3i64]\n");
    let output = run(&place, &["--param", "other=1"], b"10i64");
    assert_eq!(output.status.code(), Some(1), "{}", both(&output));
    // In a file it may be another compiler's.
    std::fs::write(place.join("file"), "a.suff=3\nhalf=1\nb.suff=2\n").expect("it can be written");
    let output = run(&place, &[&tuning], b"10i64");
    assert!(output.status.success() && output.stdout == b"2i64\n", "{}", both(&output));
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warning.contains("file:1: `a.suff=3` is ignored: there is no such"), "{warning}");
    assert!(warning.contains("1 more lines are ignored"), "{warning}");
    std::fs::write(place.join("file"), "half\n").expect("it can be written");
    assert_eq!(run(&place, &[&tuning], b"10i64").status.code(), Some(1));
    // The manifest says which entry points depend on which.
    let output = fehu().args(["c", "--library", "a.fut", "-o", "l"]).current_dir(&place).output();
    assert!(output.expect("the binary runs").status.success());
    let manifest = std::fs::read_to_string(place.join("l.json")).expect("there is a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("it is JSON");
    let of = |entry: &str| manifest["entry_points"][entry]["tuning_params"].clone();
    assert_eq!(of("main"), serde_json::json!(["half"]));
    assert_eq!(of("inside"), serde_json::json!(["each"]));
}

#[test]
fn programs_tell_what_they_took() {
    let text = "entry main (n: i64) = let xs = iota n in (i64.sum xs, xs[n / 2], scan (+) 0 xs)\n";
    let place = compiled("values-report", text, &[]);
    let output = run(&place, &["--report", "-n"], b"1000000i64");
    assert!(output.status.success(), "{}", both(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start));
    assert!(line("time: ").is_some_and(|time| time.ends_with("microseconds")), "{text}");
    let bytes = line("peak memory: ").and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    // At least the scanned numbers, at most a few arrays of that size.
    assert!(bytes.is_some_and(|bytes| (8_000_000..40_000_000).contains(&bytes)), "{text}");
}
