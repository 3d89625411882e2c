//! Commands around compiled programs: what they write, print and keep, and their exit codes.
#![cfg(unix)]

use crate::common::fehu;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compile-{name}"));
        // What an earlier run has left would hide what is not written.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        Place(folder)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the file can be written");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = fehu();
        command.args(args).current_dir(&self.0);
        command
    }

    fn fehu(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the binary runs")
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn compiler() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/fake");
    folder.join("compiler.sh").display().to_string()
}

#[test]
fn wrong_programs_are_refused_and_nothing_is_written() {
    let place = Place::new("wrong");
    place.write("a.fut", "entry main (x: i32) = y\n");
    for args in [&["c", "a.fut"][..], &["multicore", "--library", "a.fut"], &["run", "a.fut"]] {
        let output = place.fehu(args);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("error[unknown-name]"), "{}", stderr(&output));
    }
    place.write("b.fut", "entry main (x: i32) = let y = x in x\n");
    let output = place.fehu(&["c", "--Werror", "b.fut"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let mut files: Vec<_> = std::fs::read_dir(&place.0)
        .expect("it can be listed")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "cache")
        .collect();
    files.sort();
    assert_eq!(files, ["a.fut", "b.fut"]);
}

#[test]
fn bad_usage_is_told() {
    let place = Place::new("usage");
    place.write("a", "entry main (x: i32) = x\n");
    let output = place.fehu(&["c", "--server", "--library", "a"]);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("Usage:"));
    let output = place.fehu(&["c", "a"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("with `-o`"), "{}", stderr(&output));
    let output = place.fehu(&["bench", "--profile", "a"]);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("`--json FILE`"));
    let output = place.fehu(&["bench", "--ignore-files", "a", "a"]);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("nothing to measure"));
    let output = place.fehu(&["benchcmp", "a", "b"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
}

#[test]
fn a_missing_c_compiler_is_told() {
    let place = Place::new("no-cc");
    place.write("a.fut", "entry main (x: i32) = x\n");
    // Machine code needs none.
    let output = piped(place.command(&["run", "a.fut"]).env("PATH", &place.0), "5");
    assert_eq!((stdout(&output).as_str(), output.status.code()), ("5i32\n", Some(0)));
    let run = ["run", "--backend=c", "a.fut"];
    for args in [&run[..], &["c", "a.fut"], &["multicore", "--server", "a.fut"]] {
        let output = place.command(args).env("CC", "no-such-compiler").output();
        let output = output.expect("the binary runs");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("error[c-compiler-not-found]"), "{}", stderr(&output));
        assert!(stderr(&output).contains("\"no-such-compiler\""), "{}", stderr(&output));
        // An empty folder has none of the usual ones.
        let output = place.command(args).env("PATH", &place.0).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("error[c-compiler-not-found]"), "{}", stderr(&output));
    }
    assert!(!place.0.join("a").exists());
    // A library needs no C compiler.
    let library = place.command(&["c", "--library", "a.fut"]).env("PATH", &place.0).output();
    let library = library.expect("the binary runs");
    assert_eq!(library.status.code(), Some(0), "{}", stderr(&library));
    for file in ["a.c", "a.h", "a.json"] {
        assert!(place.0.join(file).exists(), "{file}");
    }
}

#[test]
fn without_a_c_compiler_the_one_of_a_python_package_is_used() {
    let place = Place::new("brought-cc");
    place.write("a.fut", "entry main (x: i32) = x + 1\n");
    place.write("input", "41");
    let script = |name: &str, text: &str| {
        let path = place.0.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("it can be made a program");
        path
    };
    // A Python that has the package, and one that does not.
    let path = std::env::var("PATH").expect("there is a path");
    let tell = place.0.join("called");
    let with = script(
        "with",
        &format!(
            "test \"$1\" = -c && exit 0\ntest \"$1 $2 $3\" = \"-m ziglang cc\" || exit 3\n\
             echo yes >> '{}'\nshift 3\nPATH='{path}' exec cc \"$@\"",
            tell.display()
        ),
    );
    let without = script("without", "exit 1");
    let empty = place.0.join("empty");
    std::fs::create_dir_all(&empty).expect("the folder can be made");
    let run = |args: &[&str], python: &std::path::Path| {
        let mut command = place.command(args);
        command.env("PATH", &empty).env("FEHU_PYTHON", python).env_remove("CC");
        let input = std::fs::File::open(place.0.join("input")).expect("it is there");
        command.stdin(input).output().expect("the binary runs")
    };
    let output = run(&["run", "--backend=c", "a.fut"], &with);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "42i32");
    assert!(stderr(&output).contains("-m ziglang cc"), "{}", stderr(&output));
    assert!(tell.exists(), "it was another compiler");
    let output = run(&["c", "a.fut"], &with);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = run(&["run", "--backend=c", "a.fut"], &without);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error[c-compiler-not-found]"), "{}", stderr(&output));
    assert!(stderr(&output).contains("pip install ziglang"), "{}", stderr(&output));
}

#[test]
fn a_c_compiler_that_fails_is_told() {
    let place = Place::new("bad-cc");
    place.write("a.fut", "entry main (x: i32) = x\n");
    place.write("a", "an older program");
    let output = place.command(&["c", "a.fut"]).env("CFLAGS", "-fno-such-flag-exists").output();
    let output = output.expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error[c-compiler-failed]"), "{}", stderr(&output));
    assert!(stderr(&output).contains("-fno-such-flag-exists"), "{}", stderr(&output));
    let left = std::fs::read_to_string(place.0.join("a")).expect("it is still there");
    assert_eq!(left, "an older program");
    // One that is killed, and one that says very much.
    for (name, script) in [("dies", "kill -9 $$"), ("talks", "yes | head -c 1000000 >&2; exit 7")] {
        let path = place.0.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("it can be made a program");
        let output = place.command(&["c", "a.fut"]).env("CC", &path).env("CFLAGS", "-O0").output();
        let output = output.expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stderr(&output).contains("error[c-compiler-failed]"), "{}", stderr(&output));
        assert!(stderr(&output).len() < 10_000, "{name}");
    }
}

#[test]
fn a_program_without_a_place_is_told() {
    let place = Place::new("no-place");
    place.write("a.fut", "entry main (x: i32) = x\n");
    for mode in ["--server", "--library", "--executable"] {
        let output = place.fehu(&["c", mode, "-o", "absent/a", "a.fut"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("absent/a"), "{}", stderr(&output));
    }
}

#[test]
fn errors_of_a_program_are_its_exit_code() {
    let place = Place::new("program-errors");
    place.write(
        "a.fut",
        "entry main (n: i64) : []i64 = map (\\i -> i * i) (iota n)\n\
         entry sized (n: i64) (xs: [n + 1]i32) = xs[n]\n\
         entry picked (xs: []i32) (i: i64) = xs[i]\n",
    );
    let output = place.fehu(&["c", "a.fut"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = |entry: &str, input: &str| {
        place.write("input", input);
        let input = std::fs::File::open(place.0.join("input")).expect("it is there");
        let mut command = Command::new(place.0.join("a"));
        let output = command.args(["-e", entry]).stdin(input).output().expect("it runs");
        (output.status.code(), stdout(&output), stderr(&output))
    };
    assert_eq!(run("main", "3i64"), (Some(0), "[0i64, 1i64, 4i64]\n".to_owned(), String::new()));
    for (entry, input, wanted) in [
        ("main", "1125899906842624i64", "out of memory"),
        ("main", "-1i64", "-1"),
        ("main", "", "i64"),
        ("main", "[1i64]", "i64"),
        ("main", "3i64 4i64", ""),
        ("absent", "3i64", "absent"),
        ("sized", "1i64 [1, 2, 3]", "invalid size"),
        ("picked", "[1, 2] 2i64", "out of bounds"),
    ] {
        let (code, said, error) = run(entry, input);
        assert_eq!(code, Some(1), "{entry} {input}: {error}");
        assert!(said.is_empty() && error.contains(wanted), "{entry} {input}: {said} {error}");
    }
}

/// What a program writes for this input.
fn piped(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    // A program that fails at once may not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

const SUM: &str = "-- ==\n-- input { [1, 2] } output { 3 }\n\
                   entry main (xs: []i32) = i32.sum xs\nentry first (xs: []i32) = xs[0]\n";

#[test]
fn executables_servers_and_libraries_are_made() {
    let place = Place::new("modes");
    place.write("a.fut", SUM);
    for command in ["c", "multicore"] {
        let output = place.fehu(&[command, "a.fut"]);
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
        let output = piped(&mut Command::new(place.0.join("a")), "[1, 2, 3]");
        assert_eq!((output.status.code(), stdout(&output)), (Some(0), "6i32\n".to_owned()));
        let output = piped(Command::new(place.0.join("a")).args(["-e", "first"]), "empty([0]i32)");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("out of bounds"), "{}", stderr(&output));
        let output = place.fehu(&[command, "--server", "-o", "s", "a.fut"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let output = piped(&mut Command::new(place.0.join("s")), "entry_points\n");
        assert!(stdout(&output).contains("first\n"), "{}", stdout(&output));
        let output = place.fehu(&[command, "--library", "-o", "l", "a.fut"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        for file in ["a", "a.c", "s", "s.c", "s.json", "l.c", "l.h", "l.json"] {
            assert!(place.0.join(file).is_file(), "{file}");
            std::fs::remove_file(place.0.join(file)).expect("it is ours");
        }
        assert!(!place.0.join("l").exists());
    }
}

#[test]
fn a_program_is_compiled_once() {
    let place = Place::new("once");
    place.write("a.fut", "import \"b\"\nentry main (x: i32) = f x\n");
    place.write("b.fut", "def f (x: i32) = x + 1\n");
    place.write("cc.sh", "#!/bin/sh\necho called >> calls\nexec cc \"$@\"\n");
    let run = || {
        let mut command = place.command(&["run", "--backend=c", "a.fut"]);
        command.env("XDG_CACHE_HOME", place.0.join("cache"));
        let output = piped(command.env("CC", "sh cc.sh").env("CFLAGS", "-O0"), "5");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let calls = std::fs::read_to_string(place.0.join("calls")).expect("it was called");
        (stdout(&output), calls.lines().count())
    };
    // The runtime is compiled once for all programs, the program once for itself.
    assert_eq!(run(), ("6i32\n".to_owned(), 2));
    assert_eq!(run(), ("6i32\n".to_owned(), 2));
    place.write("b.fut", "def f (x: i32) = x + 2\n");
    assert_eq!(run(), ("7i32\n".to_owned(), 3));
    // A program that was there before is still known.
    place.write("b.fut", "def f (x: i32) = x + 1\n");
    assert_eq!(run(), ("6i32\n".to_owned(), 3));
    // It can be compiled for later, to compute floats as machine code does.
    let mut command = place.command(&["run", "--backend=c", "--rounded-float", "--only-compile"]);
    command.arg("a.fut");
    command.env("XDG_CACHE_HOME", place.0.join("cache")).env("CC", "sh cc.sh");
    let output = piped(command.env("CFLAGS", "-O0"), "5");
    assert_eq!((stdout(&output).as_str(), output.status.code()), ("", Some(0)));
    // That is what runs if nobody says how, and what computes them otherwise does not; executables name the argument
    // that is wrong.
    for (text, is_known) in [("x + 1", true), ("x + 2", false)] {
        place.write("b.fut", &format!("def f (x: i32) = {text}\n"));
        let mut command = place.command(&["run", "a.fut"]);
        command.env("XDG_CACHE_HOME", place.0.join("cache")).env("CC", "sh cc.sh");
        let output = piped(command.env("CFLAGS", "-O0"), "true");
        let named = stderr(&output).contains("argument \"x\"");
        assert_eq!((named, output.status.code()), (is_known, Some(1)), "{}", stderr(&output));
    }
    let output = place.fehu(&["run", "a.fut", "--", "--help"]);
    assert!(stdout(&output).contains("--entry-point"), "{}", stdout(&output));
}

#[test]
fn programs_that_need_a_runtime_at_the_same_time_wait_for_it() {
    let place = Place::new("turns");
    let names = ["a.fut", "b.fut", "c.fut"];
    for (i, name) in names.iter().enumerate() {
        let test = format!("-- ==\n-- input {{ 1 }} output {{ {} }}\n", i + 1);
        place.write(name, &format!("{test}entry main (x: i32) = x + {i}\n"));
    }
    // It takes so long that all of them come to need it.
    let script = "#!/bin/sh\ncase \" $* \" in *\" -c \"*) echo called >> calls; sleep 2;; esac\n\
                  exec cc \"$@\"\n";
    place.write("cc.sh", script);
    let mut command = place.command(&["test", "-j", "3"]);
    command.args(names).env("XDG_CACHE_HOME", place.0.join("cache"));
    let output = piped(command.env("CC", "sh cc.sh").env("CFLAGS", "-O0"), "");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let calls = std::fs::read_to_string(place.0.join("calls")).expect("it was called");
    assert_eq!(calls, "called\n");
}

/// Roots and quotients are approximate, and everything that is exact stays so: quotients of integers, subnormal numbers
/// that are handed on, and NaN, which is found.
#[test]
fn fast_math_is_for_the_program_and_not_for_its_values() {
    let place = Place::new("fast-math");
    let text = "entry roots [n] (xs: [n]f32) = map (\\x -> 1 / f32.sqrt x) xs\n\
                entry values (x: f32) (y: f64) = (x, y, f32.isnan x, f64.isinf y, f32.minimum [x, 2], f32.minimum (take 0 [x]))\n\
                entry wholes (a: u16) (b: i8) = unzip (map (\\i -> (u16.i64 (i % 60) * a / a, i8.i64 (i % 9) * b % b)) (iota 1000))\n";
    place.write("a.fut", text);
    let run = |option: &[&str], entry: &str, input: &str| {
        let args = [&["c", "a.fut", "-o", "a"], option].concat();
        // Where nothing else is said, tests do without most of the C compiler's optimiser.
        let output = place.command(&args).env_remove("CFLAGS").output().expect("the binary runs");
        assert!(output.status.success(), "{}", stderr(&output));
        let output = piped(Command::new(place.0.join("a")).args(["-e", entry]), input);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let (fast, usual) = (&["--fast-math"][..], &[][..]);
    let numbers = |text: &str| -> Vec<f64> {
        let parts = text.trim_matches(['[', ']', '\n']).split(", ");
        parts.map(|part| part.trim_end_matches("f32").parse().expect("a number")).collect()
    };
    let input = (0..5000).map(|i| format!("{}.5", i + 3)).collect::<Vec<_>>().join(", ");
    let input = format!("[{input}]");
    let (exact, near) = (run(usual, "roots", &input), run(fast, "roots", &input));
    let (exact, near) = (numbers(&exact), numbers(&near));
    assert_eq!((exact.len(), near.len()), (5000, 5000));
    let error = exact.iter().zip(&near).map(|(a, b)| (a - b).abs() / a).fold(0.0, f64::max);
    assert!(error < 1e-6, "{error}");
    // gcc and clang do it on these processors.
    assert_eq!(error > 0.0, cfg!(target_arch = "x86_64"), "{error}");
    assert_eq!(run(fast, "wholes", "41u16 7i8"), run(usual, "wholes", "41u16 7i8"));
    for input in ["1e-42f32 1e-310", "f32.nan f64.inf", "-f32.inf f64.nan", "1f32 2f64"] {
        let (exact, near) = (run(usual, "values", input), run(fast, "values", input));
        let head = |text: &str| text.lines().take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(head(&near), head(&exact), "{input}");
        if !input.contains("nan") {
            assert_eq!(near, exact, "{input}");
        }
    }
    let output = place.fehu(&["c", "--fast-math", "--strict-float", "a.fut"]);
    assert!(stderr(&output).contains("cannot be used with"), "{}", stderr(&output));
    let output = place.fehu(&["run", "--fast-math", "a.fut"]);
    assert!(stderr(&output).contains("--backend"), "{}", stderr(&output));
}

#[test]
fn own_servers_are_tested_and_measured() {
    let place = Place::new("own");
    place.write("a.fut", SUM);
    for backend in ["--backend=c", "--backend=multicore"] {
        let output = place.fehu(&["test", backend, "a.fut"]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        let output = place.fehu(&["bench", backend, "-r", "2", "--no-convergence-phase", "a.fut"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("µs (95% CI: ["), "{}", stdout(&output));
    }
    // A tuning file of another compiler is no reason to fail.
    place.write("a.fut.tuning", "main.suff_outer_par_1=10\nmain.tile_size_2=16\n");
    let warning = "a.fut: warning: \"a.fut.tuning\" is ignored";
    let output = place.fehu(&["test", "a.fut"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains(warning), "{}", stdout(&output));
    let output = place.fehu(&["bench", "-r", "2", "--no-convergence-phase", "a.fut"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
    let output = place.fehu(&["test", "--no-tuning", "a.fut"]);
    assert!(!stdout(&output).contains(warning), "{}", stdout(&output));
    std::fs::remove_file(place.0.join("a.fut.tuning")).expect("it can be removed");
    let output = place.fehu(&["bench", "--skip-compilation", "a.fut"]);
    assert!(stdout(&output).contains("cannot be started"), "{}", stdout(&output));
    assert_eq!(place.fehu(&["c", "--server", "a.fut"]).status.code(), Some(0));
    let args = ["bench", "--skip-compilation", "-r", "2", "--no-convergence-phase", "a.fut"];
    assert_eq!(place.fehu(&args).status.code(), Some(0));
}

#[test]
fn tests_run_compiled_programs() {
    let place = Place::new("test");
    place.write("a.fut", PROGRAM);
    let output = place.fehu(&["test", "--backend=multicore", "--futhark", &compiler(), "a.fut"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    place.write("a.fut", &PROGRAM.replace("output { [1] }", "output { [2] }"));
    let output = place.fehu(&["test", "-c", "--futhark", &compiler(), "a.fut"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("expected 2i32, got 1i32"), "{}", stdout(&output));
}

#[test]
fn measurements_are_written_and_compared() {
    let place = Place::new("bench");
    place.write("a.fut", PROGRAM);
    let compiler = compiler();
    let bench = ["bench", "--futhark", &compiler, "-r", "3", "--no-convergence-phase", "a.fut"];
    let with = |more: &[&str]| place.fehu(&[&bench[..], more].concat());
    let output = with(&["--json", "old.json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("a.fut:same:\n  one "), "{text}");
    assert!(text.contains("100.0 µs (95% CI: [100.0 µs, 100.0 µs]; "), "{text}");
    let old = std::fs::read_to_string(place.0.join("old.json")).expect("it has been written");
    let value: serde_json::Value = serde_json::from_str(&old).expect("it is JSON");
    let runtimes = value["a.fut:same"]["datasets"]["one"]["runtimes"].as_array();
    assert!(runtimes.is_some_and(|runtimes| runtimes.len() >= 3), "{old}");
    // No time at all: nothing is measured, and that is said.
    let output = with(&["--total-limit", "0", "-v"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()));
    let text = stderr(&output);
    assert!(text.contains("compiling a.fut\n"), "{text}");
    assert!(text.contains("`--total-limit` were over: a.fut:same one\n"), "{text}");
    let output = with(&["--compare", "old.json"]);
    let text = stdout(&output);
    assert!(text.contains("1.00x  within noise"), "{text}");
    let new = r#"{"a.fut:same": {"datasets": {"one": {"runtimes": [50, 50]}}}}"#;
    place.write("new.json", new);
    let output = place.fehu(&["benchcmp", "old.json", "new.json"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("2.00x  faster") && text.contains("\n1 faster, 0 slower"), "{text}");
    let output = place.fehu(&["benchcmp", "--sort-by=geomean-all", "new.json", "old.json"]);
    assert!(stdout(&output).contains("0.50x  slower"), "{}", stdout(&output));
}

#[test]
fn failed_measurements_are_failures() {
    let place = Place::new("bench-fails");
    place.write("a.fut", &PROGRAM.replace("output { [1] }", "output { [2] }"));
    let output = place.fehu(&["bench", "--futhark", &compiler(), "--json", "x.json", "a.fut"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("failed: value #0 index [0]: expected 2i32"),
        "{}",
        stdout(&output)
    );
    let json = std::fs::read_to_string(place.0.join("x.json")).expect("it has been written");
    assert!(json.contains("\"one\":\"value #0"), "{json}");
    place.write("b.fut", "-- ==\n-- input { 1 }\nentry main (x: i32) = x\n");
    let output = place.fehu(&["bench", "--futhark", "no-such-program", "b.fut"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("b.fut: \"no-such-program\" cannot be started"));
}

#[test]
fn the_drop_in_has_the_names_of_the_commands() {
    let place = Place::new("drop-in");
    let link = place.0.join("futhark");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fehu"), &link).expect("a link can be made");
    for command in [
        "c",
        "multicore",
        "cuda",
        "opencl",
        "run",
        "test",
        "bench",
        "benchcmp",
        "autotune",
        "check",
        "dataset",
        "repl",
        "fmt",
    ] {
        let output = Command::new(&link).args([command, "--help"]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(stdout(&output).contains(&format!("Usage: futhark {command}")), "{command}");
    }
}

const PROGRAM: &str = "-- ==\n-- entry: same\n-- \"one\" input { [1] } output { [1] }\n\
                       entry same (xs: []i32) = xs\n";
