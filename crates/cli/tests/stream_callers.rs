//! Entry points on sequences elsewhere than in an executable: in libraries, servers, and the interpreter; and on a device.
#![cfg(unix)]

use crate::common::{self, both, fehu, kept, repository};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", both(&output));
    output
}

#[test]
fn a_library_calls_functions_for_sequences() {
    let (place, _lock) = kept("streams-library");
    let examples = repository().join("examples/sequences");
    let source = examples.join("deviations.fut");
    succeed(fehu().args(["c", "--library", "-o", "library"]).arg(source).current_dir(&place));
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "-o", "client.o", "-I."]);
    cc.args(common::SANITIZE.split(' ')).arg(examples.join("deviations.c"));
    succeed(cc.current_dir(&place));
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-o", "client", "client.o", "library.c", "-lm", "-lpthread"]);
    succeed(cc.args(common::SANITIZE.split(' ')).current_dir(&place));
    for chunk in ["1000", "7"] {
        let mut client = Command::new(place.join("client"));
        let output = succeed(client.arg(chunk).env("ASAN_OPTIONS", common::ASAN_OPTIONS));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "100000 numbers, mean 49999.5, variance 833333333.25\n5\n3\n\
             Error: the sequence \"xs\" is read more than once, which its source does not allow\n\
             Error: the sequence \"1\" of the result was not taken: code 7\n"
        );
    }
}

const SERVED: &str = "
entry moments (xs: seq f64) : (f64, seq f64) =
  let m = seq.reduce (+) 0 xs / f64.i64 (seq.length xs)
  in (m, seq.map (\\x -> x - m) xs)
entry weighted [n] (c: [n]i32) (rows: seq ([n]i32)) (ys: seq i32) : i32 =
  seq.reduce (+) 0 (seq.map2 (\\r y -> y * i32.sum (map2 (*) c r)) rows ys)
entry next (ls: seq ([]u8)) : (seq ([]u8), i64) = (seq.map (map (+ 1)) ls, seq.length ls)
entry plain (x: i32) : i32 = x
";

fn values(place: &Path, name: &str, text: &str) {
    std::fs::write(place.join(name), text).expect("it can be written");
}

#[test]
fn a_server_is_fed_and_drained() {
    let (place, _lock) = kept("streams-server");
    values(&place, "a.fut", SERVED);
    let mut compile = fehu();
    let flags = format!("-O0 {}", common::SANITIZE);
    compile.args(["c", "--server", "a.fut"]).current_dir(&place).env("CFLAGS", flags);
    succeed(&mut compile);
    for (name, text) in [
        ("d0", "[1f64, 2f64, 3f64]"),
        ("d1", "[4f64, 5f64]"),
        ("c", "[1i32, 2i32, 3i32]"),
        ("r", "[[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]]"),
        ("y", "[10i32, 100i32]"),
        ("z", "[2i64, 0i64, 1i64]"),
        ("b", "[1u8, 2u8, 3u8]"),
    ] {
        values(&place, name, text);
    }
    let types = [
        ("d0", "[]f64"),
        ("d1", "[]f64"),
        ("c", "[]i32"),
        ("r", "[][]i32"),
        ("y", "[]i32"),
        ("z", "[]i64"),
        ("b", "[]u8"),
    ];
    let mut commands: Vec<String> =
        types.iter().map(|(name, ty)| format!("restore {name} {name} {ty}")).collect();
    // A command, and what is answered besides that it succeeded.
    let told = [
        // Two passes: the second wants the sequence again.
        ("stream_open s moments", "xs"),
        ("stream_feed s d0", ""),
        ("stream_feed s d1", ""),
        ("stream_end s", "xs"),
        ("stream_feed s d0", ""),
        ("stream_take s 1 t0", ""),
        ("stream_results s m", "%%% FAILURE the stream \"s\" is not at its end"),
        ("stream_feed s d1", ""),
        ("stream_end s", ""),
        ("stream_take s 1 t1", ""),
        ("stream_results s m", ""),
        ("stream_feed s d1", "%%% FAILURE the stream \"s\" is at its end"),
        ("store moments m t0 t1", ""),
        // Several sources, whose rows say how large they are, and an argument.
        ("stream_open w weighted c", "rows ys"),
        ("stream_feed w r y", ""),
        (
            "stream_feed w r c",
            "%%% FAILURE sequences that are read in step get chunks of one size, but \"ys\" has another one",
        ),
        ("stream_feed w r y", ""),
        ("stream_end w", ""),
        ("stream_results w n", ""),
        // Elements that differ in size.
        ("stream_open l next", "ls"),
        ("stream_feed l z b", ""),
        (
            "stream_feed l z c",
            "%%% FAILURE part 1 of the elements of \"ls\" is an array of 1 dimensions of u8, but \"c\" has the type []i32",
        ),
        ("stream_end l", ""),
        ("stream_take l 0 sizes bytes", ""),
        ("stream_results l k", ""),
        ("store next n sizes bytes k", ""),
        ("stream_close l", ""),
        ("stream_feed l z b", "%%% FAILURE there is no stream \"l\""),
        ("stream_open s plain c", "%%% FAILURE \"plain\" is not executed chunk by chunk"),
        ("stream_open s moments", "%%% FAILURE there is already a stream \"s\""),
    ];
    commands.extend(told.iter().map(|(command, _)| (*command).to_owned()));
    let mut server = Command::new(place.join("a"));
    server.current_dir(&place).env("ASAN_OPTIONS", common::ASAN_OPTIONS);
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = server.spawn().expect("it runs");
    let input = child.stdin.take();
    input.expect("a pipe").write_all((commands.join("\n") + "\n").as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", both(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers: Vec<String> =
        text.split("%%% OK\n").map(|answer| answer.trim().replace('\n', " ")).collect();
    let found: Vec<&str> =
        answers[1 + types.len()..][..told.len()].iter().map(String::as_str).collect();
    assert_eq!(found, told.map(|(_, answer)| answer));
    let mut values = Vec::new();
    for file in ["moments", "next"] {
        let bytes = std::fs::read(place.join(file)).expect("it was written");
        values.extend(fehu_data::reader::read_all(&bytes).expect("they are values"));
    }
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    let expected = [
        "3.0f64",
        "[-2.0f64, -1.0f64, 0.0f64]",
        "[1.0f64, 2.0f64]",
        "6680i32",
        "[2i64, 0i64, 1i64]",
        "[2u8, 3u8, 4u8]",
        "3i64",
    ];
    assert_eq!(values, expected);
}

#[test]
fn the_interpreter_reads_the_same_files() {
    let (place, _lock) = kept("streams-interpreter");
    values(&place, "a.fut", SERVED);
    values(&place, "lines", "ab\n\ncde");
    values(&place, "c", "[1i32, 2i32, 3i32]");
    let raw = |name: &str, numbers: &[i32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(place.join(name), bytes).expect("it can be written");
    };
    raw("rows", &[1, 2, 3, 4, 5, 6]);
    raw("ys", &[10, 100]);
    succeed(fehu().args(["c", "a.fut"]).current_dir(&place).env("CFLAGS", "-O0"));
    for args in [
        "-e next --in ls=lines",
        "-e weighted --in rows=rows --in ys=ys --in rows=rows --in ys=raw:ys",
        "-e weighted --in rows=rows --in ys=raw:lines",
        "-e weighted --in xs=rows",
    ] {
        let ran = |command: &mut Command| {
            let input = std::fs::File::open(place.join("c")).expect("it can be read");
            let output =
                command.args(args.split_whitespace()).current_dir(&place).stdin(input).output();
            let output = output.expect("it runs");
            (output.status.success(), output.stdout)
        };
        let interpreted = ran(fehu().args(["run", "-i", "-w", "a.fut"]));
        assert_eq!(interpreted, ran(&mut Command::new(place.join("a"))), "{args}");
        assert_eq!(interpreted.0, args.ends_with("ls=lines") || args.ends_with("raw:ys"));
    }
}

#[test]
fn chunks_go_to_a_device() {
    let (place, _lock) = kept("streams-opencl");
    let program = "entry main (xs: seq i32) (ys: seq i32) : (i32, seq i32) =
        (seq.reduce (+) 0 xs, seq.filter (> 10) (seq.map2 (+) xs ys))";
    values(&place, "a.fut", program);
    succeed(fehu().args(["opencl", "a.fut"]).current_dir(&place).env("CFLAGS", "-O0"));
    let numbers: Vec<u8> = (0..5000).flat_map(|i: i32| (i % 17).to_le_bytes()).collect();
    std::fs::write(place.join("x"), numbers).expect("it can be written");
    let expected = succeed(
        fehu().args(["run", "-i", "a.fut", "--in", "xs=x", "--in", "ys=x"]).current_dir(&place),
    );
    // Several chunks are on their way at once, all of it is one, and that is repeated in halves because the device may
    // not hold it.
    for (chunk, limit) in [("700", "1GB"), ("100000", "1GB"), ("100000", "30kB")] {
        let mut program = Command::new(place.join("a"));
        program.args(["--in", "xs=x", "--in", "ys=x", "--chunk", chunk]).current_dir(&place);
        program.args(["--device-memory-limit", limit]);
        program.args(["--cache-file=kernels"]);
        assert_eq!(succeed(&mut program).stdout, expected.stdout);
    }
}
