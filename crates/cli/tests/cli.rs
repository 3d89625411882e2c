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
}
