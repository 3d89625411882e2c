//! What is around the command: strange names, caches that cannot be used, full disks, and readers who have gone.
#![cfg(target_os = "linux")]

use crate::common::random::{Rng, number};
use crate::common::{both, fehu, folder, succeed};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const PROGRAM: &str = "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32): i32 = x + 1\n";

/// Runs a command with some input.
fn with_input(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // Whoever fails early does not read it.
    let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// The command in a folder, for programs that nobody optimises.
fn quick(folder: &Path) -> Command {
    let mut command = fehu();
    command.current_dir(folder).env("CFLAGS", "-O0");
    command
}

fn runs(program: impl AsRef<OsStr>, folder: &Path) {
    let output = with_input(Command::new(program).current_dir(folder), "41");
    assert_eq!(both(&output), "42i32\n");
}

// ---- Names ----

/// None of these is a command, an option, or the end of anything. Those with a slash are in folders.
const STEMS: &[&str] = &[
    "it's \"quoted\" $(touch pwned) `touch pwned`; touch pwned & touch pwned |x",
    "new\nline\n#include \"pwned\"\n\\",
    "--output=pwned",
    "@list",
    "%s%n%d \\ ??- <script>alert(1) \u{e9}t\u{e9} \u{1f980}",
    "a b/$HOME/c",
];

#[test]
fn names_are_names_whatever_they_look_like() {
    let folder = folder("surroundings-names");
    let long = "l".repeat(200);
    for stem in STEMS.iter().copied().chain([long.as_str()]) {
        let file = format!("{stem}.fut");
        let path = folder.join(&file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        fs::write(&path, PROGRAM).expect("it can be written");
        for command in [&["check"][..], &["fmt"], &["test"], &["report"]] {
            succeed(quick(&folder).args(command).args(["--", &file]));
        }
        succeed(quick(&folder).args(["c", "--", &file]));
        runs(path.with_extension(""), &folder);
        // What comes after `--` is for the program here.
        let here = format!("./{file}");
        for backend in [None, Some("--backend=c")] {
            let output = with_input(quick(&folder).arg("run").args(backend).arg(&here), "41");
            assert_eq!(both(&output), "42i32\n", "{stem}");
        }
        // A wrong program names its file in its messages, and a failing one the place.
        fs::write(&path, "entry main (x: i32) (xs: []i32) = xs[x]\n").expect("it can be written");
        let output = with_input(quick(&folder).args(["run", "-i", &here]), "5 [1]");
        assert_eq!(output.status.code(), Some(1), "{stem}: {}", both(&output));
        assert!(both(&output).contains("out of bounds"), "{stem}: {}", both(&output));
        fs::write(&path, "entry main = nothing\n").expect("it can be written");
        let output = quick(&folder).args(["check", "--", &file]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{stem}: {}", both(&output));
        fs::remove_file(&path).expect("it is there");
    }
    assert!(!folder.join("pwned").exists() && !folder.join("pwned.c").exists());
}

#[test]
fn results_go_where_they_are_wanted() {
    let folder = folder("surroundings-results");
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    let long = "l".repeat(250);
    for stem in STEMS.iter().copied().chain([long.as_str()]).filter(|stem| !stem.contains('/')) {
        let option = format!("-o{stem}");
        succeed(quick(&folder).args(["c", "a.fut", &option]));
        runs(folder.join(stem), &folder);
        let html = format!("--html={stem}.h");
        succeed(quick(&folder).args(["report", "a.fut", &html]));
        let page = fs::read_to_string(folder.join(format!("{stem}.h"))).expect("it is there");
        assert!(page.contains("<html"), "{stem}");
    }
    // A device stays one.
    succeed(quick(&folder).args(["report", "a.fut", "--html=/dev/null"]));
    let device = fs::metadata("/dev/null").expect("it is there");
    assert!(std::os::unix::fs::FileTypeExt::is_char_device(&device.file_type()));
    // Too long, in a folder that is none, or a folder.
    fs::create_dir(folder.join("folder")).expect("it can be made");
    for name in [&"l".repeat(300), "a.fut/x", "absent/x", "folder", "/dev/full/x"] {
        let output = quick(&folder).args(["c", "a.fut", &format!("-o{name}")]).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", both(&output));
    }
    let left: Vec<PathBuf> =
        fs::read_dir(&folder).expect("it is there").flatten().map(|e| e.path()).collect();
    assert!(!left.iter().any(|path| path.extension().is_some_and(|e| e == "tmp")), "{left:?}");
    assert!(!folder.join("pwned").exists());
}

#[test]
fn names_that_are_no_text_are_refused() {
    let folder = folder("surroundings-bytes");
    let name = OsStr::from_bytes(b"\xff\xfe.fut");
    fs::write(folder.join(name), PROGRAM).expect("it can be written");
    for command in ["check", "fmt", "c", "run", "test", "report"] {
        let output = quick(&folder).arg(command).arg(name).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{command}: {}", both(&output));
        assert!(both(&output).contains("UTF-8"), "{command}: {}", both(&output));
    }
    let output = quick(&folder).arg(OsStr::from_bytes(b"\xff")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", both(&output));
    // In folders of any name, programs with usual names are programs.
    let inner = folder.join(OsStr::from_bytes(b"\xff\xfe"));
    fs::create_dir(&inner).expect("it can be made");
    fs::write(inner.join("a.fut"), PROGRAM).expect("it can be written");
    succeed(quick(&inner).args(["test", "a.fut"]));
    succeed(quick(&inner).args(["c", "a.fut"]));
    runs(inner.join("a"), &inner);
}

#[test]
fn the_c_compiler_may_have_arguments_and_blanks() {
    let folder = folder("surroundings-cc");
    let tools = folder.join("my $(touch pwned) tools");
    fs::create_dir(&tools).expect("it can be made");
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    let cc = tools.join("cc");
    // It keeps a list of its arguments.
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"$(dirname \"$0\")/seen\"\nexec cc \"$@\"\n";
    fs::write(&cc, script).expect("it can be written");
    succeed(Command::new("chmod").arg("+x").arg(&cc));
    for (i, variable) in [
        cc.display().to_string(),
        format!("'{}' -DONE='a b' \"-DTWO\"", cc.display()),
        format!("env \"{}\" -DONE='a b' -DTWO", cc.display()),
    ]
    .into_iter()
    .enumerate()
    {
        let mut command = quick(&folder);
        command
            .args(["c", "a.fut"])
            .env("CC", variable)
            .env("XDG_CACHE_HOME", folder.join(i.to_string()));
        succeed(&mut command);
        runs(folder.join("a"), &folder);
        let seen = fs::read_to_string(tools.join("seen")).expect("it was called");
        fs::remove_file(tools.join("seen")).expect("it was called");
        assert_eq!(seen.contains("-DONE=a b\n-DTWO\n"), i > 0, "{seen}");
    }
    for variable in ["'", "absent cc", "/", "$(touch pwned)"] {
        let output =
            quick(&folder).args(["c", "a.fut"]).env("CC", variable).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{variable}: {}", both(&output));
    }
    assert!(!folder.join("pwned").exists());
}

// ---- Caches ----

/// A C compiler that takes no time: whatever the text is, it becomes the program that adds one. It writes it in two parts.
fn instant(folder: &Path) -> PathBuf {
    fs::write(folder.join("made.fut"), PROGRAM).expect("it can be written");
    succeed(quick(folder).args(["c", "made.fut"]));
    let script = "#!/bin/sh\nout=\nwhile [ $# -gt 0 ]; do\n  if [ \"$1\" = -o ]; then out=$2; fi\n  shift\ndone\n\
                  [ -n \"$out\" ] || exit 0\nmade=$(dirname \"$0\")/made\nhead -c 9000 \"$made\" > \"$out\" || exit 1\n\
                  tail -c +9001 \"$made\" >> \"$out\" && chmod +x \"$out\"\n";
    let cc = folder.join("cc");
    fs::write(&cc, script).expect("it can be written");
    succeed(Command::new("chmod").arg("+x").arg(&cc));
    cc
}

/// Whether a program works with this folder for caches, run and compiled.
fn works_with(folder: &Path, cc: &Path, cache: &Path) {
    let command = |args: &[&str]| {
        let mut command = quick(folder);
        command.args(args).env("XDG_CACHE_HOME", cache).env("CC", cc);
        command
    };
    for args in [&["run", "a.fut"][..], &["run", "--backend=c", "a.fut"]] {
        let output = with_input(&mut command(args), "41");
        assert_eq!(both(&output), "42i32\n", "{}", cache.display());
    }
    succeed(&mut command(&["c", "a.fut"]));
    runs(folder.join("a"), folder);
}

#[test]
fn a_cache_is_a_help_and_no_condition() {
    let folder = folder("surroundings-caches");
    let cc = instant(&folder);
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    for _ in 0..2 {
        works_with(&folder, &cc, &folder.join("it's\n\"$(touch pwned)\" -x"));
    }
    // A file, a folder that is not ours, a path that is none.
    for cache in ["a.fut", "/proc/self", &"l".repeat(300)] {
        works_with(&folder, &cc, &folder.join(cache));
    }
    // Everything is there, but nothing can be written: nobody makes files in these folders.
    let locked = folder.join("locked/fehu");
    fs::create_dir_all(&locked).expect("it can be made");
    for name in ["objects", "programs"] {
        std::os::unix::fs::symlink("/proc/self", locked.join(name)).expect("a link can be made");
    }
    works_with(&folder, &cc, &folder.join("locked"));
    // Servers are executables like others.
    let mut command = quick(&folder);
    succeed(command.args(["test", "a.fut"]).env("XDG_CACHE_HOME", folder.join("locked")));
    assert!(!folder.join("pwned").exists());
}

#[test]
fn what_is_damaged_in_a_cache_is_made_again() {
    let folder = folder("surroundings-damaged");
    let cc = instant(&folder);
    let cache = folder.join("cache");
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    let mut rng = Rng(1);
    for round in 0..4 {
        works_with(&folder, &cc, &cache);
        for part in ["objects", "programs"] {
            for entry in fs::read_dir(cache.join("fehu").join(part)).expect("it is there").flatten()
            {
                let mut bytes = fs::read(entry.path()).expect("it can be read");
                let at = rng.below(bytes.len());
                match round {
                    0 => bytes.truncate(at),
                    1 => bytes[at] ^= 1,
                    2 => bytes.clear(),
                    _ => bytes.fill(0),
                }
                fs::write(entry.path(), bytes).expect("it can be written");
            }
        }
    }
    works_with(&folder, &cc, &cache);
}

#[test]
fn processes_that_are_killed_leave_a_cache_usable() {
    let folder = folder("surroundings-killed");
    let cc = instant(&folder);
    let cache = folder.join("cache");
    let mut rng = Rng(number("FEHU_SEED", 1));
    for round in 0..number("FEHU_KILLS", 15) {
        let mut children = Vec::new();
        for i in 0..3 {
            // Two of them want the same.
            let text = format!("entry main (x: i32): i32 = x + {}\n", 1 + round * (i % 2));
            fs::write(folder.join(format!("{i}.fut")), text).expect("it can be written");
            let mut command = quick(&folder);
            command.args(["run", "--backend=c", &format!("{i}.fut")]);
            command.env("XDG_CACHE_HOME", &cache).env("CC", &cc);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            children.push(command.spawn().expect("it starts"));
        }
        for child in &mut children {
            std::thread::sleep(Duration::from_millis(rng.bits() % 60));
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
        }
    }
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    works_with(&folder, &cc, &cache);
    for i in 0..3 {
        let mut command = quick(&folder);
        command.args(["run", "--backend=c", &format!("{i}.fut")]);
        command.env("XDG_CACHE_HOME", &cache).env("CC", &cc);
        assert_eq!(both(&with_input(&mut command, "41")), "42i32\n");
    }
}

// ---- Outputs ----

/// Commands that write to standard output, with an input.
const WRITERS: &[(&[&str], &str)] = &[
    (&["fmt"], "def x = 1"),
    (&["check", "--format=json", "-"], "def x = y"),
    (&["dataset", "-g", "[1000]i32"], ""),
    (&["dataset"], "1 2 3"),
    (&["dataset", "-b"], "1 2 3"),
    (&["report", "a.fut"], ""),
    (&["report", "--html=-", "a.fut"], ""),
    (&["run", "a.fut"], "1"),
    (&["run", "--backend=c", "a.fut"], "1"),
    (&["run", "-i", "a.fut"], "1"),
    (&["test", "-i", "a.fut"], ""),
    (&["test", "a.fut"], ""),
    (&["bench", "-r1", "--no-convergence-phase", "a.fut"], ""),
    (&["eval", "1 + 1"], ""),
    (&["explain"], ""),
    (&["dev", "a.fut"], ""),
    (&["--help"], ""),
    (&["check", "--help"], ""),
    (&["--version"], ""),
];

#[test]
fn a_full_disk_is_told() {
    let folder = folder("surroundings-full");
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    let full = || File::options().write(true).open("/dev/full").expect("it is there");
    for (args, input) in WRITERS {
        let mut command = quick(&folder);
        command.args(*args).stdin(Stdio::piped()).stdout(full()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", both(&output));
        assert!(both(&output).contains("No space left on device"), "{args:?}: {}", both(&output));
    }
    // Messages that nobody can read are no success.
    fs::write(folder.join("warns.fut"), "def f (x: i32) = 1\nentry main = 1\n")
        .expect("it can be written");
    let output = quick(&folder).args(["check", "warns.fut"]).output().expect("it runs");
    assert!(output.status.success() && !output.stderr.is_empty(), "{}", both(&output));
    let status = quick(&folder).args(["check", "warns.fut"]).stderr(full()).status();
    assert_eq!(status.expect("it runs").code(), Some(1));
}

#[test]
fn a_reader_who_has_gone_is_no_reason_to_complain() {
    let folder = folder("surroundings-pipe");
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    for (args, input) in WRITERS {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let mut command = quick(&folder);
        command.args(*args).stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        assert!(!output.status.success(), "{args:?}: {}", both(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panic") && !said.contains("internal"), "{args:?}: {said}");
    }
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = folder("surroundings-whole");
    let text: String = (0..2000).map(|i| format!("def   x{i}   =   {i}\n")).collect();
    fs::write(folder.join("a.fut"), text + PROGRAM).expect("it can be written");
    let before = fs::read(folder.join("a.fut")).expect("it is there");
    for name in ["page.html", "out.c", "out.h", "out.json", "out"] {
        fs::write(folder.join(name), "what was there before").expect("it can be written");
    }
    // No file may become larger than a block.
    let cache = folder.join("cache");
    for args in
        ["fmt a.fut", "report --html page.html a.fut", "c --library a.fut -o out", "c a.fut -o out"]
    {
        let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {args}");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_fehu")]).current_dir(&folder);
        let output = command.env("XDG_CACHE_HOME", &cache).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{args}: {}", both(&output));
        assert!(both(&output).contains("File too large"), "{args}: {}", both(&output));
    }
    assert_eq!(fs::read(folder.join("a.fut")).expect("it is there"), before);
    for entry in fs::read_dir(&folder).expect("it is there").flatten() {
        let path = entry.path();
        if path.is_file() && !path.ends_with("a.fut") {
            let now = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(now, "what was there before", "{}", path.display());
        }
    }
    for args in [
        &["report", "--html=/dev/full", "a.fut"][..],
        &["bench", "-r1", "--json=/dev/full", "a.fut"],
    ] {
        let output = quick(&folder).args(args).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", both(&output));
        assert!(both(&output).contains("No space left on device"), "{args:?}: {}", both(&output));
    }
}

#[test]
fn streams_that_are_closed_are_no_files() {
    let folder = folder("surroundings-closed");
    fs::write(folder.join("a.fut"), PROGRAM).expect("it can be written");
    succeed(quick(&folder).args(["c", "a.fut"]));
    let shell = |script: &str| {
        let mut command = Command::new("sh");
        let output = command.args(["-c", script]).current_dir(&folder).output().expect("it runs");
        (output.status.code(), both(&output))
    };
    // The file for times must not get the number of the stream that is not there.
    let (code, said) = shell("echo 1 | ./a -t times >&-");
    assert_eq!(code, Some(1), "{said}");
    let times = fs::read_to_string(folder.join("times")).expect("it is there");
    assert!(times.trim().parse::<u64>().is_ok(), "{times}");
    let (code, said) = shell("./a -t times <&-");
    assert!(code == Some(1) && said.contains("cannot read"), "{said}");
    let (code, _) = shell("echo x | ./a 2>&-");
    assert_eq!(code, Some(1));
    let (code, said) = shell("./a < .");
    assert!(code == Some(1) && said.contains("Is a directory"), "{said}");
    let (code, said) = shell("echo 1 | ./a -t /dev/full");
    assert!(code == Some(1) && said.contains("No space left"), "{said}");
    for script in
        ["./a --help > /dev/full", "echo 1 | ./a > /dev/full", "echo 1 | ./a -b > /dev/full"]
    {
        assert_eq!(shell(script).0, Some(1), "{script}");
    }
}
