//! Loops in lanes, end to end: compiled programs compute what the interpreter does, for all kinds of sizes, and under the
//! sanitizers of the C compiler.
#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = include_str!("programs/lanes.fut");

/// Sizes: none, fewer than lanes, all lanes, and some more than a block or several.
const SIZES: [usize; 5] = [0, 1, 16, 77, 200];

/// Entry points of which the loop is not worth lanes: elements at different places, and checks.
const AS_THEY_ARE: [&str; 2] = ["updates", "guarded"];

fn entries() -> impl Iterator<Item = &'static str> {
    PROGRAM.lines().filter_map(|line| line.strip_prefix("entry ")?.split(' ').next())
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lanes-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join("lanes.fut"), PROGRAM).expect("the program can be written");
    folder
}

/// What a command prints for an input.
fn output(command: &mut Command, input: &str) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("it has an input").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} with {input}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn agrees(backend: &str, name: &str, flags: Option<&str>) {
    let folder = folder(name);
    let fehu = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
        command.current_dir(&folder).env("XDG_CACHE_HOME", folder.join("cache"));
        command.env_remove("CC").env_remove("CFLAGS");
        command
    };
    let mut compile = fehu();
    compile.args([backend, "lanes.fut"]);
    compile.envs(flags.map(|flags| ("CFLAGS", flags)));
    output(&mut compile, "");
    for entry in entries() {
        for size in SIZES {
            let input = format!("{size}i64\n");
            let expected = output(fehu().args(["run", "-i", "-e", entry, "lanes.fut"]), &input);
            let found = output(Command::new(folder.join("lanes")).args(["-e", entry]), &input);
            assert_eq!(found, expected, "{entry} of {size}");
        }
    }
    let c = std::fs::read_to_string(folder.join("lanes.c")).expect("the C code has been written");
    for entry in entries().filter(|_| backend == "c") {
        let head = format!("static int fe_fun_entry_{entry}(");
        let bodies = c.split(&head).skip(1).filter_map(|rest| rest.split("\n}\n").next());
        let has_lanes = bodies.into_iter().any(|body| body.contains("[lane"));
        assert_eq!(has_lanes, !AS_THEY_ARE.contains(&entry), "{entry}");
    }
}

#[test]
fn vectorised_programs_agree_with_the_interpreter() {
    agrees("c", "vectors", None);
}

#[test]
fn nothing_is_read_or_computed_that_must_not_be() {
    let flags =
        "-O1 -g -std=c11 -fopenmp-simd -fsanitize=address,undefined -fno-sanitize-recover=all";
    agrees("c", "sanitized", Some(flags));
}

#[test]
fn tasks_have_lanes_too() {
    agrees("multicore", "tasks", None);
}
