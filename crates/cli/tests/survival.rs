//! Servers of real programs survive what clients do to them. They are compiled with sanitizers, so a wrong access in
//! the handling of a bad command ends them, which is noticed.
#![cfg(unix)]

use crate::common::server::{Server, program};
use crate::common::{self, ASAN_OPTIONS, both, fehu};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MALFORMED: &[&str] = &[
    " ",
    "\t\t",
    "\"",
    "\"\"",
    "\"unfinished word",
    "call",
    "call dot",
    "call dot out",
    "call dot out a b c",
    "call \"\" out",
    "%%% OK",
    "free nothing",
    "rename",
    "rename a",
    "rename a b c",
    "store",
    "restore",
    "restore x",
    "restore x y",
    "inputs",
    "inputs nothing",
    "output nothing",
    "outputs nothing",
    "fields",
    "fields i32",
    "fields nothing",
    "variants point",
    "variant nothing",
    "new",
    "new x",
    "new x point",
    "new x point a",
    "new x i32 1",
    "project a b c",
    "project a",
    "zip a",
    "unzip a b",
    "index a b 0",
    "index",
    "set a b",
    "shape",
    "shape nothing",
    "rank point",
    "rank",
    "elemtype nothing",
    "new_array x []i32 99999999999999999999",
    "new_array x []i32 -1",
    "new_array x []i32 9223372036854775807",
    "new_array x [][]f64 4294967296 4294967296",
    "construct x shape nothing",
    "construct x point x",
    "construct x shape circle",
    "destruct nothing",
    "set_tuning_param",
    "set_tuning_param nothing 1",
    "set_tuning_param nothing x",
    "tuning_param_class nothing",
    "tuning_params nothing",
    "attributes nothing",
    "type",
    "kind nothing",
    "\u{e9}t\u{e9} \u{1f980}",
];

#[test]
fn malformed_commands_are_refused() {
    let folder = common::folder("survival-malformed");
    let mut server = Server::start();
    for line in MALFORMED {
        let answer = server.command(line);
        // A line without words may mean nothing at all.
        assert!(answer.is_err() || line.trim().is_empty(), "{line}: {answer:?}");
    }
    // A word of a megabyte, many words, bytes that are no text.
    let long = "x".repeat(1 << 20);
    for line in [long.clone(), format!("free {long}"), format!("free{}", " x".repeat(100_000))] {
        assert!(server.command(line).is_err());
    }
    for line in [&b"free \xff\xfe\x80"[..], b"free a\0b", b"\0", b"call dot \x01\x02\x03\x1b[31m"] {
        let _ = server.command(line);
    }
    server.works(&folder);
    server.finish();
}

#[test]
fn wrong_types_and_names_are_refused() {
    let folder = common::folder("survival-types");
    let mut server = Server::start();
    server.put(&folder, "n", "i64", "3i64");
    server.put(&folder, "k", "f32", "3f32");
    server.put(&folder, "xs", "[]i32", "[1, 2, 3]");
    server.put(&folder, "ys", "[]i32", "[1, 2]");
    server.put(&folder, "fs", "[]f32", "[1f32]");
    server.fails("call dot out n n", "i64");
    server.fails("call dot out xs fs", "[]f32");
    server.fails("call dot out xs ys", "invalid size");
    server.fails("call dot xs xs xs", "xs");
    server.fails("call dot out xs absent", "absent");
    server.fails("call absent out", "absent");
    server.fails("rename n k", "k");
    server.fails("new p point n n", "i64");
    server.fails("construct s shape circle n", "i64");
    server.fails("index i xs 3", "out of bounds");
    server.fails("index i xs -1", "out of bounds");
    server.fails("project p xs x", "");
    // Consumed variables are gone, or still have a value: both are fine, as long as the server is.
    server.ok("call scaled out k fs");
    let _ = server.command("call scaled out2 k fs");
    let _ = server.command("store /dev/null fs");
    server.works(&folder);
    server.finish();
}

#[test]
fn missing_and_damaged_files_are_refused() {
    let folder = common::folder("survival-files");
    let mut server = Server::start();
    let path = |name: &str| folder.join(name).display().to_string();
    server.fails(&format!("restore {} x i32", path("absent")), "absent");
    server.fails(&format!("restore {} x i32", folder.display()), "");
    server.put(&folder, "xs", "[]i32", "[1, 2, 3]");
    server.fails(&format!("store {} xs", path("absent/file")), "absent");
    server.fails(&format!("store {} xs", folder.display()), "");
    server.ok(&format!("store {} xs", path("whole")));
    server.put(&folder, "n", "i64", "4i64");
    server.ok("call polygon square n");
    server.ok(&format!("store {} square", path("square")));
    for (file, ty) in [("whole", "[]i32"), ("square", "path")] {
        let bytes = std::fs::read(folder.join(file)).expect("it was stored");
        // Every beginning of it, and it with any one bit of its head wrong.
        for end in 0..bytes.len() {
            std::fs::write(folder.join("damaged"), &bytes[..end]).expect("it can be written");
            server.fails(&format!("restore {} x {ty}", path("damaged")), "");
        }
        for bit in 0..8 * bytes.len().min(64) {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(folder.join("damaged"), damaged).expect("it can be written");
            // Some bits are just other values.
            if server.command(format!("restore {} x {ty}", path("damaged"))).is_ok() {
                server.ok("free x");
            }
        }
    }
    for text in ["", "[1, 2", "[1, [2]]", "[1.5]", "1", "[1, 2] 3", "empty([1]i32)", "\u{0}b"] {
        std::fs::write(folder.join("text"), text).expect("it can be written");
        server.fails(&format!("restore {} x []i32", path("text")), "");
    }
    server.works(&folder);
    server.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = common::folder("survival-full");
    let mut server = Server::start();
    server.put(&folder, "n", "i64", "100000i64");
    server.ok("call huge_array xs n");
    server.ok("call polygon p n");
    server.put(&folder, "small", "i32", "1");
    for name in ["xs", "p", "small"] {
        server.fails(&format!("store /dev/full {name}"), "/dev/full");
    }
    server.works(&folder);
    server.finish();
    // An executable cannot write its result then, and says so.
    let mut command = Command::new(program(""));
    command.args(["-e", "bytes"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    command.stdout(std::fs::File::options().write(true).open("/dev/full").expect("it is there"));
    let mut child = command.env("ASAN_OPTIONS", ASAN_OPTIONS).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it has an input");
    input.write_all(b"10i64").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.code().is_some_and(|code| code != 0), "{}", both(&output));
    assert!(!output.stderr.is_empty());
}

#[test]
fn running_out_of_memory_is_an_error() {
    let folder = common::folder("survival-memory");
    let mut server = Server::start();
    for (name, size) in [("a", "1125899906842624i64"), ("b", "9223372036854775807i64")] {
        server.put(&folder, name, "i64", size);
        server.fails(&format!("call huge_array out {name}"), "out of memory");
    }
    server.put(&folder, "c", "i64", "-1i64");
    server.fails("call huge_array out c", "-1");
    server.works(&folder);
    server.finish();
    let mut command = Command::new(program(""));
    command.args(["-e", "huge_array"]).env("ASAN_OPTIONS", ASAN_OPTIONS);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it has an input");
    input.write_all(b"1125899906842624i64").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", both(&output));
    assert!(
        output.stdout.is_empty() && both(&output).contains("out of memory"),
        "{}",
        both(&output)
    );
}

#[test]
fn one_that_is_killed_in_a_call_does_not_matter_to_the_next() {
    let folder = common::folder("survival-killed");
    let mut server = Server::start();
    server.put(&folder, "n", "i64", "1000000000000i64");
    server.send(b"call busy out n");
    std::thread::sleep(Duration::from_millis(200));
    assert!(server.child.try_wait().expect("it can be asked").is_none(), "it is at work");
    server.child.kill().expect("it can be killed");
    server.child.wait().expect("it ends");
    let mut server = Server::start();
    server.works(&folder);
    server.finish();
}

#[test]
fn a_client_that_goes_away_ends_it() {
    let mut server = Server::start();
    // In the middle of a command.
    let input = server.input.as_mut().expect("it takes commands");
    input.write_all(b"call dot").expect("it reads commands");
    server.input = None;
    let begin = Instant::now();
    while server.child.try_wait().expect("it can be asked").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_test_command_goes_on_after_a_case_that_hangs() {
    let folder = common::folder("survival-hangs");
    let text = "-- ==\n-- entry: hang\n-- input { 1000000000000i64 }\n\n-- ==\n-- entry: fine\n\
                -- input { 1i64 } output { 2i64 }\n\n\
                entry hang (n: i64) : i64 =\n  loop acc = 1 for i < n do acc * 6364136223846793005 + i\n\n\
                entry fine (n: i64) : i64 = n + 1\n";
    std::fs::write(folder.join("hangs.fut"), text).expect("it can be written");
    let output = fehu().args(["test", "--limit=1", "hangs.fut"]).current_dir(&folder).output();
    let output = output.expect("the binary runs");
    let text = both(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let has = |start: &str, end: &str| {
        lines.iter().any(|line| line.starts_with(start) && line.contains(end))
    };
    let values = " 1 passed      0 failed    0 out of time";
    assert!(has("cases with an expected result", values), "{text}");
    let other = " 0 passed      0 failed    1 out of time";
    assert!(has("cases that only have to succeed", other), "{text}");
    // The option that sets the limit is named.
    assert!(has("hangs.fut: line 3", "stopped after 1 s; `--limit SECONDS`"), "{text}");
}
