//! `fehu dev`, and passes in `fehu run` and `fehu test`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SOURCE: &str = "-- ==
-- input { [1, 2, 3] } output { 9 }
entry main (xs: []i32) = reduce (+) 0 (map (+ 1) xs)
";

const IR: &str = "prog arrays
fun main (n: i64, xs: [n]i32) -> (r: [n]i32) =
  let (ys: [n]i32) =
    screma n (xs)
      map \\(x: i32) -> (i32) {
        let (y: i32) = add x 1i32
        in (y)
      }
  let (zs: [n]i32) =
    screma n (ys)
      map \\(y2: i32) -> (i32) {
        let (z: i32) = mul y2 2i32
        in (z)
      }
  in (zs)
entry \"main\" = main (\"xs\": [n]i32) -> [n]i32
";

/// A file for one test.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.display().to_string()
}

/// Exit code, standard output, standard error.
fn fehu(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fehu"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn programs_are_printed_and_read_again() {
    let source = file("dev_print.fut", SOURCE);
    let (code, printed, _) = fehu(&["dev", &source], "");
    assert!(code == Some(0) && printed.starts_with("prog arrays\n"), "{printed}");
    let (code, again, errors) = fehu(&["dev", &file("dev_print.ir", &printed)], "");
    assert_eq!((code, again, errors), (Some(0), printed, String::new()));
}

#[test]
fn passes_run_in_order_and_can_be_watched() {
    let ir = file("dev_passes.ir", IR);
    let (code, table, _) = fehu(&["dev", "--passes", "fuse", "--count", &ir], "");
    let row = table.lines().find(|line| line.starts_with("map ")).expect("there are maps");
    let numbers: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((code, numbers), (Some(0), vec!["map", "2", "1"]), "{table}");
    let (code, dump, _) = fehu(&["dev", "--passes", "fuse", "--dump-after", "fuse", &ir], "");
    assert!(code == Some(0) && dump.starts_with("-- after fuse\nprog arrays\n"), "{dump}");
    let (code, _, times) = fehu(&["dev", "--passes", "fuse", "--timings", &ir], "");
    assert!(code == Some(0) && times.contains("fuse ") && times.contains("verify "), "{times}");
    let (code, _, error) = fehu(&["dev", "--passes", "nonsense", &ir], "");
    assert!(code == Some(1) && error.contains("\"nonsense\""), "{error}");
    let (code, _, error) = fehu(&["dev", "--dump-after", "fuse", &ir], "");
    assert!(code == Some(1) && error.contains("does not run"), "{error}");
}

#[test]
fn a_program_can_be_printed_after_every_stage() {
    let source = file("dev_after.fut", SOURCE);
    for (backend, stage, start) in [
        ("c", "lower", "prog arrays\n"),
        ("c", "fuse", "prog arrays\n"),
        ("multicore", "short_circuit", "prog segs\n"),
        ("multicore", "lanes", "prog imp"),
        ("opencl", "device", "prog imp"),
        ("cuda", "c", "//"),
    ] {
        let (code, text, errors) =
            fehu(&["dev", "--after", stage, "--backend", backend, &source], "");
        assert!(code == Some(0) && text.starts_with(start), "{backend} {stage}: {text}{errors}");
    }
    let dumped = ["dev", "--stages", "assign,emit", "--dump-after", "emit", &source];
    let (code, text, _) = fehu(&dumped, "");
    assert!(code == Some(0) && text.starts_with("-- after emit\nprog imp"), "{text}");
    let (code, _, error) = fehu(&["dev", "--after", "device", &source], "");
    assert!(code == Some(1) && error.contains("no stage \"device\" for this back end"), "{error}");
}

#[test]
fn programs_are_interpreted_after_passes() {
    let ir = file("dev_interpret.ir", IR);
    for passes in [&[][..], &["--passes", "fuse"], &["--pipeline", "default"]] {
        let args = [&["dev", "--interpret"][..], passes, &[&ir]].concat();
        let result = fehu(&args, "[1, 2, 3]");
        assert_eq!(result, (Some(0), "[4i32, 6i32, 8i32]\n".to_owned(), String::new()));
    }
    let source = file("dev_run.fut", SOURCE);
    let (code, result, _) = fehu(&["run", "-i", "--pipeline", "default", &source], "[1, 2, 3]");
    assert_eq!((code, result.as_str()), (Some(0), "9i32\n"));
    let (code, report, _) = fehu(&["test", "-i", "--pipeline", "default", &source], "");
    assert_eq!(code, Some(0), "{report}");
    let (code, _, error) = fehu(&["test", "-i", "--pipeline", "nonsense", &source], "");
    assert!(code == Some(1) && error.contains("no pipeline \"nonsense\""), "{error}");
}

#[test]
fn programs_are_verified() {
    let (good, ir) = (file("dev_good.fut", SOURCE), file("dev_good.ir", IR));
    let wrong = file("dev_wrong.fut", "entry main (x: i32) = x + true\n");
    let (code, report, _) =
        fehu(&["dev", "--verify", "--pipeline", "default", &good, &ir, &wrong], "");
    assert_eq!((code, report.as_str()), (Some(0), "2 good, 0 bad, 1 rejected by the checker\n"));
    let broken = file("dev_broken.ir", &IR.replace("in (zs)", "in (n)"));
    let (code, report, _) = fehu(&["dev", "--verify", &good, &broken], "");
    assert!(code == Some(1) && report.contains("the program is rejected"), "{report}");
    let (code, _, error) = fehu(&["dev", &file("dev_text.ir", "prog nonsense")], "");
    assert!(code == Some(1) && error.contains("dev_text.ir:1:"), "{error}");
}

#[test]
fn programs_are_reduced() {
    let ir = file("dev_reduce.ir", IR);
    let (code, small, error) = fehu(&["dev", "reduce", &ir, "--check", "! grep -q mul"], "");
    assert_eq!(code, Some(0), "{error}");
    assert!(small.contains("mul") && !small.contains("add"), "{small}");
    let (code, _, error) = fehu(&["dev", "reduce", &ir, "--check", "agree fuse"], "");
    assert!(code == Some(1) && error.contains("do not show this fault"), "{error}");
}

#[test]
fn derivatives_of_parallel_programs_are_parallel() {
    let program = "tests/programs/parallel_derivatives.fut";
    let (code, text, errors) = fehu(&["dev", "--passes", "differentiate", program], "");
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    // Loops of the host are not indented further than its other statements.
    let mut function = "";
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("fun ") {
            function = rest.split(' ').next().unwrap_or_default();
        }
        let is_loop = line.starts_with("    loop ")
            || line.starts_with("  let ") && line.contains(" = loop ");
        if is_loop {
            found.push(function);
        }
    }
    assert_eq!(found, ["sequential"; 2]);
}
