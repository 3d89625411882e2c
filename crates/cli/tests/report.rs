//! `fehu report`: to the terminal, to files, and for programs that are wrong.

use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = "entry main (xs: []i32) =
  let ys = map (+ 1) xs
  in reduce (+) 0 ys
";

/// A file for one test.
fn path(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

fn file(name: &str, text: &str) -> String {
    std::fs::write(path(name), text).expect("the file can be written");
    path(name)
}

/// Exit code, standard output, standard error.
fn fehu(args: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_fehu")).args(args).output().expect("the binary runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_text_says_what_was_fused_on_which_line() {
    let source = file("report_text.fut", SOURCE);
    let (code, text, errors) = fehu(&["report", &source]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let expected = format!(
        "{source}
  array operators  2 before, 1 after
  arrays created   1 before, 0 after
  copies           0
  checks           none
  peak memory      main: 4*d1 bytes

2 |   let ys = map (+ 1) xs
  + map: fused into the reduction on line 3
3 |   in reduce (+) 0 ys
  + reduction: absorbs the map on line 2
"
    );
    assert_eq!(text, expected);
    let (_, coloured, _) = fehu(&["report", "--color=always", &source]);
    assert!(coloured.contains("\u{1b}[1;32m+\u{1b}[0m map: fused"), "{coloured}");
}

#[test]
fn pages_and_json_go_to_files() {
    let source = file("report_files.fut", SOURCE);
    let (page, data) = (path("report.html"), path("report.json"));
    let (code, text, errors) = fehu(&["report", &source, "--html", &page, "--json", &data]);
    assert_eq!((code, text.as_str(), errors.as_str()), (Some(0), "", ""));
    let page = std::fs::read_to_string(page).expect("there is a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"), "{page}");
    let data = std::fs::read_to_string(data).expect("there is a file");
    let data: serde_json::Value = serde_json::from_str(&data).expect("it is JSON");
    assert_eq!(data["summary"]["operators_before"], 2);
    assert_eq!(data["summary"]["operators_after"], 1);
    assert_eq!(data["notes"][0]["line"], 2);
    assert_eq!(data["notes"][0]["kind"], "done");
    assert_eq!(data["entries"][0]["after"]["nodes"][1]["label"], "reduction");
    assert_eq!(data["entries"][0]["before"]["edges"][0]["array"], true);
}

#[test]
fn a_wrong_program_and_a_wrong_file_are_told() {
    let source = file("report_wrong.fut", "entry main = unknown\n");
    let (code, text, errors) = fehu(&["report", &source]);
    assert_eq!((code, text.as_str()), (Some(2), ""));
    assert!(errors.contains("\"unknown\""), "{errors}");
    let source = file("report_right.fut", SOURCE);
    let (code, _, errors) = fehu(&["report", &source, "--html", "/nowhere/at/all.html"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("cannot write \"/nowhere/at/all.html\""), "{errors}");
    let (code, _, errors) = fehu(&["report", &source, "--passes", "nonsense"]);
    assert!(code == Some(1) && errors.contains("\"nonsense\""), "{errors}");
}

#[test]
fn what_a_loop_keeps_for_its_derivative_is_told() {
    let text = "entry main (n: i64) (x: f64) =\n  vjp (\\x -> loop y = x for _i < n do f64.sin y * f64.cos y) x 1\n";
    let source = file("report_derivative.fut", text);
    let (_, text, _) = fehu(&["report", &source]);
    let kept = "each iteration of the loop keeps `x` (8 bytes)";
    assert!(text.contains("peak memory      main: 8*n"), "{text}");
    assert_eq!(text.matches(kept).count(), 1, "{text}");
    // In strips: the loop of strips keeps where each begins.
    let (_, text, _) = fehu(&["report", &source, "--derivative-memory", "1000"]);
    assert_eq!(text.matches(kept).count(), 2, "{text}");
    for limit in ["0", "100000"] {
        let args = ["test", "-i", "--derivative-memory", limit];
        let program = "../../tests/programs/derivatives_of_loops_and_calls.fut";
        let (code, text, errors) = fehu(&[&args[..], &[program]].concat());
        assert_eq!(code, Some(0), "{text}{errors}");
    }
}

/// Loops of which each iteration needs the whole array that it changes. None keeps an array; without being undone, each would.
#[test]
fn loops_that_change_arrays_keep_what_they_overwrite() {
    let sum = "let s = f64.sum (map (\\k -> f64.sin xs[k]) [i, i - 1]) in";
    let bodies = [
        "let k = i % 3 in xs with [i:i + k] = map (* s) xs[i:i + k]",
        "match i % 3 case 0 -> xs with [i] = s case 1 -> xs with [i - 1] = s case _ -> xs",
        "if s > 0 then (xs with [i] = s * xs[i]) with [i - 1] = s else xs",
        "scatter xs [i, i / 2] [s, 2 * s]",
        "reduce_by_index xs (\\x y -> x + y + x * y) 0 [i, i / 2] [s, 2 * s]",
    ];
    let mut program = String::new();
    for (number, body) in bodies.iter().enumerate() {
        let lines = format!("loop xs = copy a for i in 1..<n - 3 do {sum} {body}");
        program += &format!("def f{number} [n] (a: [n]f64) = f64.sum ({lines})\n");
        program += &format!("entry g{number} [n] (a: [n]f64) = vjp f{number} a 1\n");
    }
    program += "entry g5 (n: i64) (x: f64) = vjp (\\x -> let (_, y) = loop (rs, y) = (map u32.i64 (iota n), x) for i < n do \
         (map (\\r -> (r * 1664525 + 1013904223) ^ u32.i64 i) rs, f64.sum (map (\\r -> f64.sin (y + f64.u32 r)) rs)) in y) x 1\n";
    let source = file("report_changes.fut", &program);
    let (code, text, errors) = fehu(&["report", &source]);
    assert_eq!(code, Some(0), "{text}{errors}");
    let is_kept = |line: &&str| line.contains("each iteration of the loop keeps");
    let kept: Vec<&str> = text.lines().filter(is_kept).collect();
    assert!(!kept.iter().any(|line| line.contains(" n bytes")), "{kept:#?}");
    let overwrites = kept.iter().filter(|line| line.contains("what it overwrites in"));
    assert_eq!(overwrites.count(), bodies.len(), "{kept:#?}");
}
