//! A server gets commands in any order, with arguments of any kind. Whatever it says to them, it says it, stays usable, and loses
//! nothing; when its client goes away or it is killed, that is all.
//!
//! `FEHU_RANDOM_COMMANDS=100000` makes a longer run, `FEHU_SEED` another one.
#![cfg(unix)]

use crate::common::random::{Rng, number};
use crate::common::server::{Server, program};
use crate::common::{self, ASAN_OPTIONS};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const VARIABLES: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "n", "k", "xs", "fs", "m", "p", "q", "s", "ps", "bytes", "u",
    "v", "w",
];
const TYPES: &[&str] = &[
    "i32",
    "i64",
    "f32",
    "bool",
    "[]i32",
    "[]f32",
    "[][]f64",
    "[]u8",
    "[]i64",
    "[]f16",
    "[]f64",
    "[]bool",
    "point",
    "[]point",
    "path",
    "shape",
    "extremes",
    "(i32, i32)",
    "()",
    "[]shape",
    "nothing",
    "",
];
/// All but those that take long.
const ENTRIES: &[&str] = &[
    "dot",
    "transposed",
    "scaled",
    "bytes",
    "flags",
    "halves",
    "extremes",
    "divmod",
    "unit",
    "midpoint",
    "polygon",
    "perimeter",
    "points",
    "area",
    "grown",
    "pick",
    "divided",
    "huge_array",
    "nothing",
];
const FILES: &[&str] =
    &["i64", "list", "matrix", "junk", "cut", "huge", "absent", ".", "absent/x", "out", "out2"];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "4",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
    "x",
    "1.5",
    "",
];
const NAMES: &[&str] =
    &["x", "y", "0", "1", "name", "points", "circle", "line", "empty", "samples", "z", ""];
const COMMANDS: &[&str] = &[
    "types",
    "entry_points",
    "call",
    "restore",
    "store",
    "free",
    "rename",
    "inputs",
    "output",
    "outputs",
    "clear",
    "kind",
    "type",
    "pause_profiling",
    "unpause_profiling",
    "report",
    "set_tuning_param",
    "tuning_params",
    "tuning_param_class",
    "attributes",
    "rank",
    "elemtype",
    "new_array",
    "set",
    "shape",
    "index",
    "zip",
    "unzip",
    "fields",
    "new",
    "project",
    "variants",
    "construct",
    "destruct",
    "variant",
    "nothing",
];

/// Files for `restore`, of which some are right.
fn files(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("it can be written");
    };
    write("i64", b"3i64");
    write("list", b"[1, 2, 3]");
    write("matrix", b"[[1.5, 2], [3, 4]]");
    write("junk", b"[1, 2\xff\0 empty([9]i8) \"");
    write("cut", b"b\x02\x01 i32\x03\0\0\0\0\0\0\0abc");
    write("huge", b"b\x02\x01 f32\xff\xff\xff\xff\xff\xff\0\0abc");
}

/// Commands that succeed, so that there is something to work with.
fn sensible(folder: &Path, rng: &mut Rng) -> String {
    let file = |name: &str| format!("\"{}/{name}\"", folder.display());
    let mut v = || rng.pick(VARIABLES);
    let lines = [
        format!("restore {} {} i64", file("i64"), v()),
        format!("restore {} {} []i32", file("list"), v()),
        format!("restore {} {} []f32", file("list"), v()),
        format!("restore {} {} [][]f64", file("matrix"), v()),
        format!("call polygon {} n", v()),
        format!("call points {} p", v()),
        format!("call dot {} xs xs", v()),
        format!("call extremes {} xs", v()),
        format!("call scaled {} k fs", v()),
        format!("call grown {} s", v()),
        format!("index k fs {}", v()),
        format!("new {} point k k", v()),
        format!("zip {} []point fs fs", v()),
        format!("new_array {} []point 2 q q", v()),
        format!("construct {} shape circle k", v()),
        format!("construct {} shape line q q", v()),
        format!("destruct s {}", v()),
        format!("set ps q 0 {}", if v() == "a" { "0" } else { "" }),
        format!("project {} p points", v()),
        format!("store {} {}", file("out"), v()),
        format!("restore {} {} path", file("out"), v()),
        format!("free {}", v()),
        format!("free {} {}", v(), v()),
        format!("rename {} {}", v(), v()),
    ];
    lines[rng.below(lines.len())].clone()
}

/// A command of any kind.
fn any(folder: &Path, rng: &mut Rng) -> Vec<u8> {
    if rng.one_in(40) {
        // Bytes, but no line break.
        let length = if rng.one_in(20) { 20_000 } else { 30 };
        let bytes = (0..rng.below(length)).map(|_| rng.bits() as u8);
        return bytes.filter(|byte| *byte != b'\n').collect();
    }
    let mut line = rng.pick(COMMANDS).to_owned();
    for _ in 0..rng.below(6) {
        let word = match rng.below(8) {
            0..=2 => rng.pick(VARIABLES).to_owned(),
            3 => rng.pick(TYPES).to_owned(),
            4 => rng.pick(ENTRIES).to_owned(),
            5 => format!("{}/{}", folder.display(), rng.pick(FILES)),
            6 => rng.pick(NUMBERS).to_owned(),
            _ => rng.pick(NAMES).to_owned(),
        };
        let quoted = word.is_empty() || word.contains(' ') || rng.one_in(20);
        line += &if quoted { format!(" \"{word}\"") } else { format!(" {word}") };
    }
    line.into_bytes()
}

fn command(folder: &Path, rng: &mut Rng) -> Vec<u8> {
    if rng.one_in(3) { any(folder, rng) } else { sensible(folder, rng).into_bytes() }
}

#[test]
fn any_commands_in_any_order_are_answered() {
    let folder = common::folder("protocol-random");
    files(&folder);
    let seed = number("FEHU_SEED", 1);
    let count = number("FEHU_RANDOM_COMMANDS", 2000);
    let mut rng = Rng(seed);
    // Some of the words that it is given are names of files.
    let mut server = Server::start_in(&folder);
    let (mut succeeded, mut sent) = (0, 0);
    // As many at a time as fit into a pipe, so that both sides never wait for each other.
    for round in 0.. {
        if sent >= count {
            break;
        }
        // Names that are taken, by values of other types, and files that were written to let most commands fail: now and
        // then it begins anew.
        if round % 25 == 24 {
            files(&folder);
            for name in VARIABLES {
                let _ = server.command(format!("free {name}"));
            }
        }
        let lines: Vec<Vec<u8>> = (0..40).map(|_| command(&folder, &mut rng)).collect();
        let lines: Vec<Vec<u8>> = lines.into_iter().filter(|line| line.len() < 1000).collect();
        for line in &lines {
            server.send(line);
        }
        succeeded += lines.iter().filter(|_| server.answer().is_ok()).count() as u64;
        sent += lines.len() as u64;
        // And long ones alone.
        let line = command(&folder, &mut rng);
        let _ = server.command(line);
        sent += 1;
    }
    assert!(succeeded * 10 > sent, "only {succeeded} of {sent} commands succeed");
    for name in VARIABLES {
        let _ = server.command(format!("free {name}"));
        server.fails(&format!("free {name}"), "there is no variable");
    }
    server.works(&folder);
    server.finish();
}

#[test]
fn what_was_freed_or_consumed_is_gone() {
    let folder = common::folder("protocol-gone");
    let mut server = Server::start();
    server.put(&folder, "k", "f32", "2f32");
    server.put(&folder, "fs", "[]f32", "[1, 2]");
    server.fails("call scaled out k fs extra", "takes 2 inputs");
    server.ok("call scaled out k fs");
    for line in [
        "call scaled out2 k fs",
        "store /dev/null fs",
        "shape fs",
        "index i fs 0",
        "rename fs gs",
        "type fs",
    ] {
        server.fails(line, "consumed");
    }
    server.fails("call scaled out k k", "[]f32");
    server.ok("free fs out");
    server.fails("free fs", "there is no variable");
    server.fails("free k out", "there is no variable");
    // Nothing is freed if one of them is not there.
    server.ok("type k");
    server.ok("free k k");
    server.works(&folder);
    server.finish();
}

/// Waits for a server to end; what it has written to standard error.
fn ended(mut server: std::process::Child) -> String {
    let begin = Instant::now();
    while server.try_wait().expect("it can be asked").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(30), "it goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut said = String::new();
    let errors = server.stderr.as_mut().expect("it has standard error");
    errors.read_to_string(&mut said).expect("it can be read");
    said
}

#[test]
fn clients_may_go_away_at_any_moment() {
    let folder = common::folder("protocol-away");
    files(&folder);
    let mut rng = Rng(number("FEHU_SEED", 1));
    let program = program("--server");
    for round in 0..number("FEHU_RANDOM_COMMANDS", 2000) / 250 {
        let mut command = Command::new(&program);
        command
            .current_dir(&folder)
            .env("ASAN_OPTIONS", ASAN_OPTIONS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut server = command.stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut text: Vec<u8> = Vec::new();
        for _ in 0..rng.below(30) {
            text.extend(self::command(&folder, &mut rng));
            text.push(b'\n');
        }
        text.truncate(text.len() - rng.below(text.len().min(10)));
        let mut input = server.stdin.take().expect("it has an input");
        let mut output = server.stdout.take().expect("it has an output");
        if round % 2 == 0 {
            // Some of the answers are read, and then nobody listens.
            drop(text.split_off(text.len().min(60_000)));
            let _ = input.write_all(&text);
            let mut some = vec![0; rng.below(100)];
            let _ = output.read(&mut some);
            drop(output);
            drop(input);
        } else {
            // Nothing more comes, in the middle of a command.
            let _ = input.write_all(&text[..text.len().min(60_000)]);
            drop(input);
            let mut answers = Vec::new();
            let _ = output.read_to_end(&mut answers);
            assert!(answers.starts_with(b"%%% OK\n") && answers.ends_with(b"%%% OK\n"));
        }
        if round % 8 == 0 {
            let _ = server.kill();
        }
        let said = ended(server);
        assert!(!said.contains("Sanitizer") && !said.contains("runtime error"), "{said}");
    }
}
