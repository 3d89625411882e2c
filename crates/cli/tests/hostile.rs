//! Test blocks that somebody else wrote: they read values, and that is all. Nothing is written beside the program or anywhere
//! else, no command is run, and nothing is waited for without end. Likewise values that somebody else wrote.
#![cfg(target_os = "linux")]

use crate::common::{both, fehu, folder};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// All files below a folder with their contents. Pipes and devices have none.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("it is there").flatten() {
        let path = entry.path();
        let data = fs::symlink_metadata(&path).expect("it is there");
        match () {
            () if data.is_dir() => found.extend(everything(&path)),
            () if data.is_file() => {
                drop(found.insert(path.clone(), fs::read(path).expect("it can be read")))
            }
            () => drop(found.insert(path, Vec::new())),
        }
    }
    found
}

/// Tests a program in a folder of its own, inside of one that is watched: compiled and interpreted.
fn tested(name: &str, block: &str, prepare: impl Fn(&Path)) -> Vec<Output> {
    let outside = folder(name);
    let inside = outside.join("a/b");
    let temporary = outside.join("temporary");
    fs::create_dir_all(&inside).expect("it can be made");
    fs::create_dir(&temporary).expect("it can be made");
    let text = format!(
        "{block}\nentry main (x: i32): i32 = x + 1\n\nentry bytes (xs: []u8): i64 = length xs\n"
    );
    fs::write(inside.join("p.fut"), text).expect("it can be written");
    fs::write(outside.join("target"), "5i32").expect("it can be written");
    prepare(&inside);
    let before = everything(&outside);
    let mut outputs = Vec::new();
    for args in [&["test", "--limit=20", "p.fut"][..], &["test", "-i", "--limit=20", "p.fut"]] {
        let mut command = fehu();
        command.args(args).current_dir(&inside).env("TMPDIR", &temporary).env("CFLAGS", "-O0");
        outputs.push(command.output().expect("it runs"));
        assert!(before == everything(&outside), "{block}: something was written");
    }
    outputs
}

#[test]
fn names_of_datasets_are_no_places() {
    let block = "-- ==\n-- \"../../target\" input { 1 } output { 2 }\n-- \"/tmp/fehu-hostile\" input { 2 } output { 3 }\n\
                 -- \"$(touch ../../pwned)\" input { 3 } output { 4 }\n-- \"`touch ../../pwned`; touch pwned\" input { 4 } output { 5 }\n";
    for output in tested("hostile-names", block, |_| {}) {
        assert!(output.status.success(), "{}", both(&output));
    }
    assert!(!Path::new("/tmp/fehu-hostile").exists());
}

#[test]
fn expected_results_are_only_read() {
    // One is right, one is wrong, and one is not there; none is changed or made.
    let block = "-- ==\n-- input { 4 } output @ ../../target\n-- input { 1 } output @ ../../target\n\
                 -- input { 1 } output @ ../../absent\n-- input { 1 } output @ link\n-- input { 1 } auto output\n\
                 -- random input { i32 } auto output\n";
    let outputs = tested("hostile-expected", block, |inside| {
        symlink("../../target", inside.join("link")).expect("a link can be made");
        symlink("../../nowhere", inside.join("data")).expect("a link can be made");
    });
    for output in outputs {
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        assert!(both(&output).contains("cannot read \"../../absent\""), "{}", both(&output));
    }
}

#[test]
fn scripts_can_read_and_do_nothing_else() {
    let block = "-- ==\n-- entry: bytes\n-- script input { $loadbytes \"../../target\" } output { 4i64 }\n\
                 -- script input { $loadbytes \"| touch ../../pwned\" }\n-- script input { $store \"../../pwned\" }\n\
                 -- script input { $system \"touch ../../pwned\" }\n-- script input { $loadbytes \"$(touch ../../pwned)\" }\n\
                 -- script input { bytes \"a\" }\n-- script input @ ../../target\n\n\
                 -- ==\n-- entry: \"main; touch ../../pwned\"\n-- input { 1 }\n";
    for output in tested("hostile-scripts", block, |_| {}) {
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        assert!(!both(&output).contains("internal"), "{}", both(&output));
    }
}

#[test]
fn what_never_ends_is_not_read() {
    let block = "-- ==\n-- input @ /dev/zero\n-- input @ pipe\n-- input @ .\n-- input @ link\n-- input { 1 } output @ pipe\n\
                 -- input @ /dev/stdin\n-- input @ loop\n-- random input { [100000000000]i8 }\n";
    let outputs = tested("hostile-endless", block, |inside| {
        let made =
            Command::new("mkfifo").arg(inside.join("pipe")).status().expect("there is mkfifo");
        assert!(made.success());
        symlink("/dev/zero", inside.join("link")).expect("a link can be made");
        symlink("loop", inside.join("loop")).expect("a link can be made");
    });
    for output in outputs {
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        for file in ["/dev/zero", "pipe", "link"] {
            let wanted = format!("cannot read \"{file}\": it is not a regular file");
            assert!(both(&output).contains(&wanted), "{file}: {}", both(&output));
        }
        assert!(both(&output).contains("random input `[100000000000]i8`"), "{}", both(&output));
    }
}

#[test]
fn data_may_have_any_name() {
    let name = "it's-$(touch${IFS}pwned)`x`\"";
    let block = format!("-- ==\n-- input @ {name} output {{ 42 }}\n");
    let outputs = tested("hostile-data", &block, |inside| {
        fs::write(inside.join(name), "41").expect("it can be written");
    });
    for output in outputs {
        assert!(output.status.success(), "{}", both(&output));
    }
}

#[test]
fn deep_scripts_and_values_are_refused() {
    let many = |text: &str| text.repeat(100_000);
    let inputs = [
        format!("script input {{ {}1{} }}", many("("), many(")")),
        format!("script input {{ {}1 }}", many("let x = ")),
        format!("script input {{ 1{} }}", many(".a")),
        format!("script input {{ 1{} }}", many("[0]")),
        format!("input {{ {}1{} }}", many("["), many("]")),
        format!("random input {{ {}i32 }}", many("[1]")),
        format!("input {{ 1 }} error: {}", many("(")),
    ];
    for (i, input) in inputs.iter().enumerate() {
        let folder = folder(&format!("hostile-deep-{i}"));
        let text = format!("-- ==\n-- {input}\nentry main (x: i32): i32 = 1 / (x - 1)\n");
        fs::write(folder.join("p.fut"), text).expect("it can be written");
        let output = fehu().args(["test", "-i", "p.fut"]).current_dir(&folder).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}: {}", &input[..40], both(&output));
    }
}

/// What is done to arrays that have more rows than can be counted, all of them empty.
const ROWS: &str = "entry same [n][m] (xss: [n][m]i32) = xss
entry copied [n][m] (xss: [n][m]i32) = copy xss
entry rotated [n][m] (xss: [n][m]i32) = rotate 1 xss
entry reversed [n][m] (xss: [n][m]i32) = reverse xss
entry mapped [n][m] (xss: [n][m]i32) = map (\\xs -> xs) xss
entry added [n][m] (xss: [n][m]i32) = map (map (+ 1)) xss
entry turned [n][m] (xss: [n][m]i32) = map (rotate 1) xss
entry rows_reversed [n][m] (xss: [n][m]i32) = map reverse xss
entry compared [n][m] (xss: [n][m]i32) = map2 (map2 (\\x y -> if x == y then x else y)) xss (reverse xss)
entry updated [n][m] (xss: *[n][m]i32) = xss with [n - 1] = replicate m 1
entry transposed [n][m] (xss: [n][m]i32) = transpose xss
entry flattened [n][m] (xss: [n][m]i32) = flatten xss
";

fn rows_without_elements(backend: &str) {
    let place = folder(&format!("hostile-rows-{backend}"));
    fs::write(place.join("a.fut"), ROWS).expect("it can be written");
    if backend != "run" {
        let output = fehu().args([backend, "a.fut"]).current_dir(&place).output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{}", both(&output));
    }
    let entries = ROWS.lines().filter_map(|line| line.split(' ').nth(1));
    for entry in entries {
        let mut command = Command::new("timeout");
        match backend {
            "run" => {
                command.args(["60", env!("CARGO_BIN_EXE_fehu"), "run", "-i", "a.fut", "-e", entry])
            }
            _ => command.args(["60", "./a", "-e", entry]),
        };
        let mut child = command
            .current_dir(&place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(b"empty([2305843009213693952][0]i32)").expect("it is read");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let expected = match entry {
            // The positions of the rows are an array, which only compiled code does without.
            "rotated" if backend == "run" => {
                "Error: an array [2305843009213693952]i64 is larger than the limit of 8589934592 bytes\n"
            }
            "transposed" => "empty([0][2305843009213693952]i32)\n",
            "flattened" => "empty([0]i32)\n",
            _ => "empty([2305843009213693952][0]i32)\n",
        };
        assert_eq!(both(&output), expected, "{backend}, {entry}: {}", output.status);
    }
}

#[test]
fn rows_without_elements_are_not_counted_by_the_interpreter() {
    rows_without_elements("run");
}

#[test]
fn rows_without_elements_are_not_counted_on_one_thread() {
    rows_without_elements("c");
}

#[test]
fn rows_without_elements_are_not_counted_on_several_threads() {
    rows_without_elements("multicore");
}

#[test]
fn rows_without_elements_are_not_counted_on_a_device() {
    rows_without_elements("opencl");
}
