//! What commands leave behind in the folder for temporary files: nothing, or what their message names.
#![cfg(unix)]

use crate::common::{both, fehu, folder};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with a program, and in it one for temporary files.
fn place(name: &str) -> (PathBuf, PathBuf) {
    let place = folder(name);
    let temporary = place.join("temporary");
    fs::create_dir(&temporary).expect("the folder can be made");
    let text = "-- ==\n-- input { 20 } output { 21 }\nentry main (x: i32): i32 = x + 1\n";
    fs::write(place.join("a.fut"), text).expect("it can be written");
    (place, temporary)
}

/// A command there. Nothing is in the cache.
fn command(place: &Path, args: &[&str]) -> Command {
    let mut command = fehu();
    command.args(args).current_dir(place).env("TMPDIR", place.join("temporary"));
    command.env("XDG_CACHE_HOME", place.join("cache"));
    command
}

fn left(temporary: &Path) -> Vec<String> {
    let entries = fs::read_dir(temporary).expect("it can be listed");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry.expect("it can be listed"))).collect();
    names.sort();
    names
}

#[test]
fn results_that_cannot_be_written_leave_nothing() {
    let (place, temporary) = place("leftovers-full");
    for args in [&["bench", "-r", "2", "a.fut"][..], &["test", "a.fut"]] {
        let full = File::options().write(true).open("/dev/full").expect("there is such a device");
        let output = command(&place, args).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        assert!(both(&output).contains("cannot write the output"), "{}", both(&output));
        assert_eq!(left(&temporary), [""; 0], "{args:?}");
    }
}

#[test]
fn a_program_that_the_c_compiler_refuses_is_left_once() {
    let (place, temporary) = place("leftovers-refused");
    let cc = place.join("cc");
    // It says more than fits into a message.
    let text =
        "#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo no >&2; done\nexit 1\n";
    fs::write(&cc, text).expect("it can be written");
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&cc, all).expect("it can be executed");
    // The C text is beside the program, the complete output is a file.
    let cases =
        [(&["c", "a.fut"][..], 1), (&["run", "--backend=c", "a.fut"], 2), (&["test", "a.fut"], 2)];
    for (args, count) in cases {
        let output = command(&place, args).env("CC", &cc).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        let left = left(&temporary);
        assert_eq!(left.len(), count, "{args:?}: {left:?}");
        for name in left {
            assert!(both(&output).contains(&name), "{name} is not named: {}", both(&output));
            fs::remove_file(temporary.join(name)).expect("it is a file");
        }
    }
}

#[test]
fn a_reduction_leaves_nothing() {
    let (place, temporary) = place("leftovers-reduced");
    let text = "prog arrays\nfun f (x: i32) -> (r: i32) =\n  let (y: i32) = add x x\n  in (y)\n";
    fs::write(place.join("a.ir"), text).expect("it can be written");
    let args = ["dev", "reduce", "a.ir", "--check"];
    for (question, code) in [("! grep -q add", 0), ("true", 1)] {
        let output = command(&place, &args).arg(question).output().expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{question}: {}", both(&output));
        assert_eq!(left(&temporary), [""; 0], "{question}");
    }
}
