//! Entry points on sequences in executables: chunks and budgets, files, memory, faults.
#![cfg(unix)]

use crate::common::{both, fehu, kept, repository};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "
entry every (c: i32) (xs: seq i32) (ys: seq i32) : (seq i32, i32, []i32, [4]i64, seq (i32, i64), seq i32, seq ([3]i32)) =
  let total = seq.reduce (+) 0 xs
  in ( seq.filter (> c) (seq.map2 (+) xs ys)
     , total
     , seq.to_array (seq.map (\\x -> x - total) xs)
     , seq.hist (+) 0 4 (seq.map (\\x -> (i64.i32 x % 4, 1)) xs)
     , seq.map (\\(i, x) -> (x, i)) (seq.enumerate xs)
     , seq.scan (+) 0 ys
     , seq.windows 3 2 xs )
entry again (c: i32) (xs: seq i32) (ys: seq i32) : (i32, []i32) =
  let most = loop most = c for i < 3i32 do
    if i % 2 == 0 then most + seq.reduce (+) 0 (seq.map2 (\\x y -> x * i - y) xs ys)
    else let least = seq.minimum (<=) i32.highest xs in seq.reduce (+) 0 (seq.map (\\x -> x - least) ys)
  let (_, all) = loop (i, all) = (0, []) while i < 2 do
    (i + 1, all ++ seq.to_array (seq.filter (\\x -> x % 2 == i) ys))
  in (most, all)
entry left (c: i32) (xs: seq i32) (ys: seq i32) : (seq ([]i32), seq i32, i64) =
  let large = seq.filter (> c - 15) xs
  in ( seq.group_by (\\x y -> x <= y) ys
     , seq.map2 (-) large (seq.scan (+) 0 large)
     , seq.reduce i64.max 0 (seq.map length (seq.group_by (\\x y -> x / 9 == y / 9) large)) )
entry upper (ls: seq ([]u8)) : (seq ([]u8), i64) =
  (seq.map (map (\\c -> if c >= 97 && c <= 122 then c - 32 else c)) ls, seq.length ls)
entry squares (n: i64) : seq i64 = seq.map (\\i -> i * i) (seq.iota n)
entry dots [k] (w: [k]f32) (rows: seq ([k]f32)) : seq f32 = seq.map (\\r -> f32.sum (map2 (*) r w)) rows
entry swap (ps: seq (i16, f64)) : seq (f64, i16) = seq.map (\\(a, b) -> (b, a)) ps
entry total (xs: seq i32) : i64 = seq.reduce (+) 0 (seq.map i64.i32 xs)
entry plus (xs: seq i32) : seq i32 = seq.map (+ 1) xs
entry ahead (xs: seq i32) (ys: seq i32) : i32 = seq.reduce (+) 0 (seq.map2 (*) (seq.filter (> 0) xs) ys)
entry mean (xs: seq i32) : i64 =
  let n = seq.length xs
  in seq.reduce (+) 0 (seq.map (\\x -> i64.i32 x - n) xs)
";

/// The program, compiled; all tests share it.
fn compiled(backend: &str) -> (PathBuf, File) {
    let (place, lock) = kept(&format!("streams-{backend}"));
    std::fs::write(place.join("a.fut"), PROGRAM).expect("it can be written");
    let output = fehu()
        .args([backend, "a.fut"])
        .current_dir(&place)
        .env("CFLAGS", "-O0")
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", both(&output));
    (place, lock)
}

fn run(place: &Path, args: &str, input: &[u8]) -> Output {
    let mut program = Command::new(place.join("a"));
    fed(program.args(args.split_whitespace()).current_dir(place), input)
}

fn fed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A program that fails at once may not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

/// What it writes, if it succeeds.
fn printed(place: &Path, args: &str, input: &[u8]) -> Vec<u8> {
    let output = run(place, args, input);
    assert!(output.status.success(), "{args}: {}", both(&output));
    output.stdout
}

#[test]
fn results_do_not_depend_on_chunks_and_budgets() {
    let numbers = |seed: i32| -> String {
        let all: Vec<String> = (0..53).map(|i| ((i * seed) % 31).to_string()).collect();
        format!("[{}]", all.join(", "))
    };
    let input = format!("20 {} {}", numbers(7), numbers(11));
    let mut first = [None, None, None];
    for backend in ["c", "multicore"] {
        let (place, _lock) = compiled(backend);
        // The first is the program on arrays, all at once.
        for cut in [
            "-r 1",
            "",
            "--chunk 1",
            "--chunk 2",
            "--chunk 7",
            "--chunk 1000",
            "--memory-limit 10kB",
            "--memory-limit 10MB",
        ] {
            for (entry, first) in ["every", "again", "left"].into_iter().zip(&mut first) {
                let found = printed(&place, &format!("-e {entry} {cut}"), input.as_bytes());
                let text = String::from_utf8_lossy(&found);
                let first = first.get_or_insert(found.clone());
                assert_eq!(*first, found, "{entry} {backend} {cut}: {text}");
            }
        }
    }
}

/// The text without what is between words.
fn words(output: &[u8]) -> String {
    String::from_utf8_lossy(output).split_whitespace().collect()
}

#[test]
fn files_are_read_and_written_in_all_formats() {
    let (place, _lock) = compiled("c");
    let put =
        |name: &str, data: &[u8]| std::fs::write(place.join(name), data).expect("it is written");
    let get = |name: &str| std::fs::read(place.join(name)).expect("it is there");
    put("a.txt", b"one\n\nthree words here");
    put("b.txt", b"more\n");
    for cut in ["", "--chunk 1", "--chunk 3"] {
        let count = printed(
            &place,
            &format!("-e upper {cut} --in ls=a.txt --in ls=b.txt --out 0=o.txt"),
            b"",
        );
        assert_eq!(
            (count, get("o.txt")),
            (b"4i64\n".to_vec(), b"ONE\n\nTHREE WORDS HERE\nMORE\n".to_vec())
        );
        printed(&place, &format!("-e upper {cut} --in ls=a.txt --out 0=binary:o.bin"), b"");
        printed(&place, &format!("-e upper {cut} --in ls=binary:o.bin --out 0=lines:o.txt"), b"");
        assert_eq!(get("o.txt"), b"ONE\n\nTHREE WORDS HERE\n");
        // From one format to the next, and from standard input.
        printed(&place, &format!("-e squares {cut} --out 0=s.npy"), b"5");
        printed(&place, &format!("-e squares {cut} --out 0=binary:s.bin"), b"5");
        printed(&place, &format!("-e squares {cut} --out 0=s.raw"), b"5");
        let raw: Vec<u8> = [0_i64, 1, 4, 9, 16].iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(get("s.raw"), raw);
        assert!(get("s.npy").ends_with(&raw) && get("s.npy").starts_with(b"\x93NUMPY"));
        assert_eq!(
            get("s.bin"),
            printed(&place, &format!("-e squares -b {cut}"), b"5")
                .strip_suffix(b"\n")
                .expect("a line")
        );
    }
    let rows: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    put("r.raw", &rows);
    assert_eq!(
        printed(&place, "-e dots --in rows=r.raw --chunk 2", b"[1f32, 10f32]"),
        b"[10f32, 32f32, 54f32]\n"
    );
    let pairs: Vec<u8> = (0..3_i16)
        .flat_map(|i| [&i.to_le_bytes()[..], &f64::from(i).to_le_bytes()].concat())
        .collect();
    put("p.raw", &pairs);
    assert_eq!(
        printed(&place, "-e swap --in ps=p.raw --chunk 2", b""),
        b"[0f64, 1f64, 2f64]\n[0i16, 1i16, 2i16]\n"
    );
    printed(&place, "-e swap --in ps=p.raw --out 0=q.raw", b"");
    assert_eq!(get("q.raw")[10..20], [&1_f64.to_le_bytes()[..], &1_i16.to_le_bytes()].concat());
    assert_eq!(printed(&place, "-e total --in xs=-", &[1, 0, 0, 0, 2, 0, 0, 0]), b"3i64\n");
}

#[test]
fn memory_stays_below_the_limit() {
    let (place, _lock) = compiled("c");
    let block = |add: i32| -> Vec<u8> {
        (0..1 << 18).flat_map(|i: i32| (i % 1000 + add).to_le_bytes()).collect()
    };
    std::fs::write(place.join("x.raw"), block(0).repeat(64)).expect("it is written");
    std::fs::write(place.join("one.raw"), 1_i32.to_le_bytes()).expect("it is written");
    // What the kernel has counted, in KiB.
    let peak = |args: &str, input: &str| -> u64 {
        let args = format!("{args} --in xs={input} --memory-limit 8MB --stream-report");
        let output = run(&place, &args, b"");
        assert!(output.status.success(), "{}", both(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let peak = text.split("peak memory: ").nth(1).and_then(|rest| rest.split(' ').next());
        peak.and_then(|peak| peak.parse().ok()).expect("the report has it")
    };
    for args in ["-e total", "-e plus --out 0=y.raw", "-e mean"] {
        // The limit is for arrays and buffers, here of 64 MiB of input. What a process needs without them, mostly
        // pages of the C library, differs from one run to the next.
        let (alone, all) = (peak(args, "one.raw"), peak(args, "x.raw"));
        assert!(all <= alone + 8_000_000 / 1024 + 1024, "{args}: {alone} KiB, then {all} KiB");
    }
    // Here the elements that are left by the filter wait for those of a sequence of another length.
    let limit = "--memory-limit 8MB";
    let output = run(&place, &format!("-e ahead --in xs=x.raw --in ys=one.raw {limit}"), b"");
    assert!(
        both(&output).contains("out of memory: a sequence is collected in an array, which has")
    );
    let written = std::fs::read(place.join("y.raw")).expect("it is there");
    assert!(written == block(1).repeat(64));
    for name in ["one.raw", "x.raw", "y.raw"] {
        std::fs::remove_file(place.join(name)).expect("it is removed");
    }
}

#[test]
fn faults_are_told_with_their_place() {
    let (place, _lock) = compiled("c");
    let put =
        |name: &str, data: &[u8]| std::fs::write(place.join(name), data).expect("it is written");
    put("odd.raw", &[0; 11]);
    put("even.raw", &[0; 12]);
    put(
        "short.npy",
        b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<i4', 'fortran_order': False, 'shape': (9,), }\n1234",
    );
    put(
        "wrong.npy",
        b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }\n1234",
    );
    put("bad.bin", b"b\x02\x01  u8\x03\0\0\0\0\0\0\0abcb\x02\x01 i32");
    for (args, input, wanted) in [
        (
            "-e total --in xs=odd.raw",
            "",
            "odd.raw: byte 11: the file ends within element 2, which has 4 bytes",
        ),
        (
            "-e total --in xs=short.npy",
            "",
            "short.npy: byte 72: the file ends within element 1, which has 4 bytes",
        ),
        (
            "-e total --in xs=wrong.npy",
            "",
            "wrong.npy: byte 10: the elements are no little-endian i32",
        ),
        (
            "-e upper --in ls=binary:bad.bin",
            "",
            "bad.bin: element 1: byte 18: expected a value of type []u8, found []i32",
        ),
        ("-e total --in xs=none.raw", "", "none.raw: cannot open: No such file"),
        ("-e total --in zs=odd.raw", "", "has no parameter \"zs\" that is a sequence"),
        ("-e total --in xs=lines:odd.raw", "", "only elements of type []u8 are lines"),
        ("-e mean --in xs=-", "", "the sequence \"xs\" is read more than once"),
        ("-e every --in xs=odd.raw --in ys=even.raw", "1", "odd.raw: byte 11"),
        (
            "-e every --in xs=even.raw --in xs=even.raw --in ys=even.raw --chunk 2",
            "1",
            "different lengths",
        ),
        ("-e dots --in rows=even.raw", "", "argument \"w\""),
        ("-e plus --in xs=even.raw --out 0=/dev/full", "", "cannot write \"/dev/full\" after"),
        ("-e plus --in xs=even.raw --out 0=/nowhere/x", "", "cannot open \"/nowhere/x\""),
        ("-e plus --chunk 0", "", "must be a positive integer"),
        ("-e plus --memory-limit lots", "", "number of bytes"),
    ] {
        let output = run(&place, args, input.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{args}: {}", both(&output));
        assert!(both(&output).contains(wanted), "{args}: {}", both(&output));
    }
    // What was written before is whole.
    run(&place, "-e plus --in xs=odd.raw --chunk 1 --out 0=part.npy", b"");
    let part = std::fs::read(place.join("part.npy")).expect("it is there");
    assert!(part.len() >= 512 && part.len() % 4 == 0, "{}", part.len());
}

#[test]
fn an_interrupt_ends_a_run_that_waits() {
    let (place, _lock) = compiled("c");
    let mut child = Command::new(place.join("a"))
        .args(["-e", "plus", "--in", "xs=-", "--out", "0=cut.npy", "--chunk", "1"])
        .current_dir(&place)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(&[1, 0, 0, 0, 2, 0, 0, 0]).expect("it reads");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", both(&output));
    assert!(both(&output).contains("interrupted after 2 elements"), "{}", both(&output));
    let file = std::fs::read(place.join("cut.npy")).expect("it is there");
    assert!(
        String::from_utf8_lossy(&file[..128]).contains("'shape': (2,"),
        "what was written is whole"
    );
    drop(input);
}

#[test]
fn examples_read_files() {
    let (place, _lock) = kept("streams-examples");
    let run = |name: &str, args: &str, input: &str| -> String {
        let source = repository().join(format!("examples/sequences/{name}.fut"));
        let output = fehu()
            .args(["c", "-o", name])
            .arg(source)
            .current_dir(&place)
            .env("CFLAGS", "-O0")
            .output()
            .expect("the binary runs");
        assert!(output.status.success(), "{}", both(&output));
        let mut program = Command::new(place.join(name));
        let output =
            fed(program.args(args.split_whitespace()).current_dir(&place), input.as_bytes());
        assert!(output.status.success(), "{}", both(&output));
        words(&output.stdout)
    };
    let text = std::fs::read_to_string(repository().join("README.md")).expect("it can be read");
    std::fs::write(place.join("text"), &text).expect("it can be written");
    let counts = format!(
        "{}i64{}i64{}i64[",
        text.lines().count(),
        text.split_ascii_whitespace().count(),
        text.len()
    );
    for chunk in ["1000000", "7"] {
        let found = run("words", &format!("--in lines=text --chunk {chunk}"), "");
        assert!(found.starts_with(&counts), "{found}, not {counts}");
    }
    let points: Vec<u8> = (0..3000).flat_map(|i: i32| ((i % 2 * 8) as f32).to_le_bytes()).collect();
    std::fs::write(place.join("points"), points).expect("it can be written");
    let centres = "[[1f32, 1f32], [9f32, 9f32]]";
    let found = run("kmeans", "--in points=raw:points --chunk 100", centres);
    assert_eq!(found, "[[0f32,8f32],[9f32,9f32]]75000f64");
}
