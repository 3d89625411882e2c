//! The command as its users meet it: what it prints where, and its exit codes.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn fehu(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fehu")).args(args).output().expect("the binary runs")
}

fn fehu_with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fehu"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("the input is read");
    child.wait_with_output().expect("the binary ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_right_program_says_nothing() {
    let output = fehu_with_input(&["check", "-"], b"def x: i32 = 1\n");
    assert_eq!(
        (output.status.code(), stdout(&output), stderr(&output)),
        (Some(0), "".into(), "".into())
    );
}

#[test]
fn a_wrong_program_exits_with_2_and_names_the_place() {
    let output = fehu_with_input(&["check", "-"], b"import \"no/such/file\"\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(" --> <stdin>:1:8-22\n"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}

#[test]
fn json_goes_to_standard_output() {
    let output = fehu_with_input(&["check", "--format=json", "-"], b"import \"no/such/file\"\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output).lines().count(), 1);
    assert!(stdout(&output).starts_with(r#"{"severity":"error","code":"file-not-found","#));
    assert_eq!(stderr(&output), "");
}

#[test]
fn bad_usage_exits_with_1() {
    for args in [&["check"][..], &["nonsense"], &[], &["check", "--nonsense", "a.fut"]] {
        let output = fehu(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(stderr(&output).contains("Usage:"), "{args:?}");
    }
}

#[test]
fn help_and_version_exit_with_0() {
    for args in [&["--help"][..], &["check", "--help"], &["--version"], &["check", "-V"]] {
        let output = fehu(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(!stdout(&output).is_empty() && stderr(&output).is_empty(), "{args:?}");
    }
}

#[test]
fn a_missing_file_is_the_users_error() {
    let output = fehu(&["check", "no-such-file.fut"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error[file-not-found]: there is no file"));
}

#[test]
fn explain_prints_pages_and_helps_with_spelling() {
    let output = fehu(&["explain", "error[import-cycle]:"]);
    assert!(stdout(&output).starts_with("# import-cycle: "));
    let output = fehu(&["explain", "import-cylce"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("did you mean \"import-cycle\"?"));
    assert!(stdout(&fehu(&["explain"])).lines().any(|line| line.starts_with("not-utf8: ")));
}

#[test]
fn timings_are_a_table() {
    let output = fehu_with_input(&["check", "--timings", "-"], b"");
    assert!(stderr(&output).contains("parse ") && stderr(&output).contains("total "));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let script = format!("{} explain | true", env!("CARGO_BIN_EXE_fehu"));
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh runs");
    assert_eq!(stderr(&output), "");
}

#[cfg(unix)]
#[test]
fn called_as_futhark_it_is_a_drop_in() {
    let folder: PathBuf = env!("CARGO_TARGET_TMPDIR").into();
    let link = folder.join("futhark");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fehu"), &link).expect("a link can be made");
    let output = Command::new(&link).args(["check", "--help"]).output().expect("the link runs");
    assert!(stdout(&output).contains("Usage: futhark check"), "{}", stdout(&output));
    // Existing tools look for the version of the language; people should know what this is.
    for option in ["--version", "-V"] {
        let output = Command::new(&link).arg(option).output().expect("the link runs");
        assert!(stdout(&output).starts_with("Futhark 0.28.0.\n"), "{}", stdout(&output));
        assert!(stdout(&output).contains("fehu 0."), "{}", stdout(&output));
    }
    assert!(stdout(&fehu(&["--version"])).starts_with("fehu 0."));
}

/// A new folder with one file in it.
fn folder_with(name: &str, file: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join(file), text).expect("a file can be written");
    folder
}

#[test]
fn warnings_are_shown_hidden_or_refused() {
    let program = b"def f (x: i32) : i32 = let y = x in x\n";
    let output = fehu_with_input(&["check", "-"], program);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("warning[unused-name]"), "{}", stderr(&output));
    let output = fehu_with_input(&["check", "-w", "-"], program);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), "".into()));
    let output = fehu_with_input(&["check", "--Werror", "-"], program);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn several_errors_are_counted() {
    let output = fehu_with_input(&["check", "-"], b"def x : i32 = true\ndef y : bool = 1\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).ends_with("2 errors\n"), "{}", stderr(&output));
}

#[test]
fn every_line_of_json_is_an_object() {
    let program = b"def x : i32 = true\ndef y (a: i32) : bool = let b = \"\\n\" in a + q\n";
    let output = fehu_with_input(&["check", "--format=json", "-"], program);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).lines().count() >= 2);
    for line in stdout(&output).lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("the line is JSON");
        for key in ["severity", "code", "message"] {
            assert!(value[key].is_string(), "{key} is missing in {line}");
        }
    }
}

#[test]
fn check_syntax_does_not_look_at_names_and_imports() {
    let output = fehu_with_input(&["check-syntax", "-"], b"import \"nothing\" def x = y\n");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), "".into()));
    let output = fehu_with_input(&["check-syntax", "-"], b"def x = (\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_error_in_an_import_names_the_imported_file() {
    let folder = folder_with("imports", "main.fut", "import \"lib\"\ndef y = x\n");
    std::fs::write(folder.join("lib.fut"), "def x : i32 = true\n").expect("a file can be written");
    let output = fehu(&["check", &folder.join("main.fut").display().to_string()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("lib.fut:1:15-19"), "{}", stderr(&output));
}

#[test]
fn what_is_wrong_in_an_import_comes_before_what_follows_from_it() {
    let folder = folder_with("causes", "main.fut", "import \"other\"\ndef y : i32 = true\n");
    std::fs::write(folder.join("other.fut"), "def x : i32 = false\n")
        .expect("a file can be written");
    let output = fehu(&["check", &folder.join("main.fut").display().to_string()]);
    let text = stderr(&output);
    let (cause, effect) = (text.find("other.fut:1"), text.find("main.fut:2"));
    assert!(cause.is_some() && effect.is_some() && cause < effect, "{text}");
}

#[test]
fn warnings_are_about_the_users_own_files() {
    let folder =
        folder_with("packages", "main.fut", "import \"lib/github.com/a/b/c\"\ndef y = x 1\n");
    let package = folder.join("lib/github.com/a/b");
    std::fs::create_dir_all(&package).expect("a folder can be made");
    std::fs::write(package.join("c.fut"), "def x (z: i32) : i32 = 1\n")
        .expect("a file can be written");
    let output = fehu(&["check", &folder.join("main.fut").display().to_string()]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), "".into()));
    // Whoever works on the package is told.
    let output = fehu(&["check", &package.join("c.fut").display().to_string()]);
    assert!(stderr(&output).contains("warning[unused-name]"), "{}", stderr(&output));
}

#[test]
fn a_missing_package_says_how_packages_get_there() {
    let output = fehu_with_input(&["check", "-"], b"import \"lib/github.com/a/b/c\"\n");
    let text = stderr(&output);
    for part in ["file-not-found", "the package github.com/a/b", "fehu pkg add github.com/a/b"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn commands_of_the_peer_that_do_not_exist_are_known() {
    for command in ["pyopencl", "hip", "ispc", "wasm"] {
        let output = fehu(&[command, "x.fut"]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        let expected = format!("fehu does not have the command `{command}` yet");
        assert!(stderr(&output).contains(&expected), "{}", stderr(&output));
        assert!(!stderr(&output).contains("similar"), "{}", stderr(&output));
    }
}

#[test]
fn a_folder_is_refused() {
    let output = fehu(&["check", env!("CARGO_MANIFEST_DIR")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error[file-is-folder]"), "{}", stderr(&output));
}

#[test]
fn fmt_formats_standard_input() {
    let output = fehu_with_input(&["fmt"], b"def   x=1i32");
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "def x = 1i32\n".into()));
    let output = fehu_with_input(&["fmt", "--check"], b"def x = 1i32\n");
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "".into()));
    let output = fehu_with_input(&["fmt", "--check"], b"def   x=1i32");
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), "".into()));
}

#[test]
fn fmt_formats_files_in_place() {
    let folder = folder_with("fmt", "a.fut", "def   x=1i32");
    let file = folder.join("a.fut").display().to_string();
    let text = || std::fs::read_to_string(&file).expect("the file is there");
    assert_eq!(fehu(&["fmt", "--check", &file]).status.code(), Some(1));
    assert_eq!(text(), "def   x=1i32");
    assert_eq!(fehu(&["fmt", &file]).status.code(), Some(0));
    assert_eq!(text(), "def x = 1i32\n");
    assert_eq!(fehu(&["fmt", "--check", &file]).status.code(), Some(0));
}

#[test]
fn fmt_leaves_wrong_programs_alone() {
    let folder = folder_with("fmt-wrong", "a.fut", "def x = (");
    let file = folder.join("a.fut").display().to_string();
    let output = fehu(&["fmt", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("unexpected-end-of-file"));
    assert_eq!(std::fs::read_to_string(&file).expect("the file is there"), "def x = (");
    let output = fehu_with_input(&["fmt"], b"def x = (");
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), "".into()));
}

#[test]
fn explain_has_a_page_for_the_codes_in_messages() {
    let output = fehu_with_input(&["check", "-"], b"def x : i32 = true\n");
    let text = stderr(&output);
    let code = text.split(['[', ']']).nth(1).expect("a message has a code");
    let output = fehu(&["explain", code]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("## How to fix it"));
}

/// A program in a file of this name.
fn program(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.display().to_string()
}

#[test]
fn run_reads_arguments_and_writes_results() {
    let file = program("run.fut", "entry double (xs: []f32) (k: i64) = (map (* 2) xs, k + 1)\n");
    let output = fehu_with_input(&["run", "-i", "-e", "double", &file], b"[1, 2.5] 3");
    assert_eq!(stderr(&output), "");
    assert_eq!(stdout(&output), "[2f32, 5f32]\n4i64\n");
    assert_eq!(output.status.code(), Some(0));
    let output = fehu_with_input(&["run", "-i", "-b", "-e", "double", &file], b"[1, 2.5] 3");
    assert!(output.stdout.starts_with(b"b\x02\x01 f32"), "{:?}", output.stdout);
    let output = fehu_with_input(&["run", "-i", &file], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("there is \"double\""), "{}", stderr(&output));
    let output = fehu_with_input(&["run", "-i", "-e", "double", &file], b"true 3");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("Error: standard input: 1:1: "), "{}", stderr(&output));
}

#[test]
fn run_tells_failures_of_the_program_and_of_its_text_apart() {
    let file = program("run_fails.fut", "entry main (x: i32) = 1 / x\n");
    let output = fehu_with_input(&["run", "-i", &file], b"0");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("Error: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("\nBacktrace:\n-> #0  "), "{}", stderr(&output));
    let file = program("run_wrong.fut", "entry main (x: i32) = y\n");
    assert_eq!(fehu_with_input(&["run", "-i", &file], b"").status.code(), Some(2));
}

#[test]
fn test_counts_and_shows_what_differed() {
    let good = program("good.fut", "-- ==\n-- input { 1 } output { 2 }\nentry main x = x + 1i32\n");
    let output = fehu(&["test", "-i", &good]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let bad = program("bad.fut", "-- ==\n-- input { 1 } output { 3 }\nentry main x = x + 1i32\n");
    let output = fehu(&["test", "-i", &good, &bad]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("bad.fut: line 2, entry \"main\""), "{}", stdout(&output));
    // The names that other tools have for the same options.
    for args in [&["--interpreted", "--notty"][..], &["--typecheck"], &["--internalise"]] {
        let output = fehu(&[&["test"], args, &[&good]].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    }
    let output = fehu(&["test", "-i", "-s", &good]);
    assert!(stderr(&output).contains("not tested"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn dataset_makes_and_converts_values() {
    let args = ["dataset", "-s", "1", "--i32-bounds=-1:1", "-g", "[5]i32", "-g", "7u8"];
    let output = fehu(&args);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), stdout(&fehu(&args)));
    assert!(stdout(&output).ends_with("\n7u8\n"), "{}", stdout(&output));
    let binary = fehu_with_input(&["dataset", "-b"], b"[1, 2]").stdout;
    let output = fehu_with_input(&["dataset"], &binary);
    assert_eq!(stdout(&output), "[1i32, 2i32]\n");
    let output = fehu_with_input(&["dataset", "-t"], b"[[1, 2], [3, 4]] true");
    assert_eq!(stdout(&output), "[2][2]i32\nbool\n");
    // Bounds apply to what comes after them.
    let args =
        ["dataset", "-g", "u64", "--u64-bounds=5:5", "-g", "u64", "--u64-bounds=6:6", "-g", "u64"];
    let output = stdout(&fehu(&args));
    assert!(output.ends_with("\n5u64\n6u64\n") && !output.starts_with("5u64"), "{output}");
    assert_eq!(fehu(&["dataset", "-g", "[x]i32"]).status.code(), Some(1));
    assert_eq!(fehu(&["dataset", "--i8-bounds=3:1", "-g", "i8"]).status.code(), Some(1));
}

#[test]
fn eval_prints_values() {
    let output = fehu(&["eval", "1 + 2", "(1, [true])", "--", "-5 + 1"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert_eq!(stdout(&output), "3\n(1,\n [true])\n-4\n");
}

#[test]
fn eval_uses_a_program() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("eval.fut");
    std::fs::write(&path, "def f (x: i32) = let unused = 1i32 in x * 7\n")
        .expect("a file is written");
    let path = path.to_str().expect("a plain path");
    let output = fehu(&["eval", "-f", path, "f 6"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "42\n".into()));
    assert!(stderr(&output).contains("unused-name"), "{}", stderr(&output));
    let output = fehu(&["eval", "-w", "-f", path, "f 6"]);
    assert_eq!((stdout(&output), stderr(&output)), ("42\n".into(), String::new()));
    let output = fehu(&["eval", "-f", "no-such-file.fut", "1"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()));
}

#[test]
fn eval_tells_wrong_expressions_from_failures() {
    let output = fehu(&["eval", "1", "1 + true", "2"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), "1\n".into()));
    assert!(stderr(&output).contains(" --> <argument 2>:1:5-9\n"), "{}", stderr(&output));
    let output = fehu(&["eval", "[1, 2][5]"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
    assert!(stderr(&output).starts_with("Error: Index [5] out of bounds"), "{}", stderr(&output));
    assert!(stderr(&output).contains("-> #0  <argument 1>:1:1-10"), "{}", stderr(&output));
    assert_eq!(fehu(&["eval"]).status.code(), Some(1));
}

#[test]
fn a_session_without_a_terminal_prints_values_only() {
    let input = "def f x =\n  x + 1i32\nf 1\nf true\nmatch f 2\ncase 3 -> 10i32\ncase _ -> 20\n\n\
                 #[trace(t)] (f 9)\n:type f\n(1,\n2)\n[1][f";
    let output = fehu_with_input(&["repl"], input.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "2\n10\n10\ni32 -> i32\n(1, 2)\n");
    let errors = stderr(&output);
    for part in ["error[type-mismatch]", "t: 10i32\n", "error[unclosed-bracket]"] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    assert!(!errors.contains("[0]>"), "{errors}");
    let output = fehu_with_input(&["repl", "no-such-file.fut"], b"1 + 1\n:quit\n3\n");
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "2\n".into()));
    assert!(stderr(&output).contains("file-not-found"));
}
