//! `fehu profile` on programs of which it is known where their time goes.

use crate::common::{fehu, folder};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Line 4 does a hundred times as much as line 5, with which it is fused; line 10 fails.
const PROGRAM: &str = "\
-- ==
-- input { 20000i64 }
entry main (n: i64) =
  let ys = map (\\i -> loop x = f64.i64 i for _j < 100 do x * 0.5 + 1) (iota n)
  let zs = map (+ 1) ys
  in (f64.sum zs, scan (+) 0 zs)

entry fails (n: i64) =
  let ys = scan (+) 0 (iota n)
  in ys[n]
";

fn profile(place: &Path, backend: &str, args: &[&str]) -> (Option<i32>, String) {
    std::fs::write(place.join("a.fut"), PROGRAM).expect("it can be written");
    let mut command: Command = fehu();
    command.current_dir(place).args(["profile", "--no-calibration", "--backend", backend]);
    let output = command.args(args).arg("a.fut").output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &said)
}

fn json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The profile has the slow line first, and all shares make up the whole.
fn check(place: &Path) {
    let value = json(&place.join("p.json"));
    let number = |value: &Value| value.as_f64().expect("a number");
    let lines = value["lines"].as_array().expect("a list");
    let of_lines: f64 = lines.iter().map(|line| number(&line["time"])).sum();
    let rest = ["unknown", "copies", "allocation", "rest"].map(|name| number(&value[name]));
    let whole = of_lines + rest.iter().sum::<f64>();
    assert!((whole / number(&value["total"]) - 1.0).abs() < 0.01, "{value:#}");
    assert_eq!(lines[0]["line"], 4, "{value:#}");
    assert!(lines[0]["fused"].as_array().is_some_and(|lines| lines.contains(&5.into())));
    // A multiplication and an addition for each element and iteration, at least.
    let operations: f64 = lines.iter().map(|line| number(&line["operations"])).sum();
    assert!(
        number(&lines[0]["operations"]) >= 2.0 * 20000.0 * 100.0 && operations < 2e7,
        "{value:#}"
    );
}

#[test]
fn the_slow_line_comes_first_and_the_shares_are_the_whole() {
    for backend in ["c", "multicore"] {
        let place = folder(&format!("profile_{backend}"));
        let files = ["--json", "p.json", "--trace", "t.json", "--flame", "f", "--html", "p.html"];
        let (code, text) = profile(&place, backend, &files);
        assert_eq!(code, Some(0), "{text}");
        assert!(
            text.contains("line") && text.contains("fused") || text.contains("all: lines"),
            "{text}"
        );
        check(&place);
        nests(&json(&place.join("t.json")));
        let stacks = std::fs::read_to_string(place.join("f")).expect("it was written");
        assert!(stacks.lines().all(|line| line.starts_with("main")), "{stacks}");
        let (_, text) = profile(&place, backend, &["--compare", "p.json"]);
        assert!(text.contains("compared with before"), "{text}");
    }
}

/// Of two events of one track, either one is in the other, or they are apart.
fn nests(trace: &Value) {
    let events = trace["traceEvents"].as_array().expect("a list");
    let spans: Vec<(u64, f64, f64)> = events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| {
            let (ts, dur) =
                (event["ts"].as_f64().expect("ts"), event["dur"].as_f64().expect("dur"));
            (event["tid"].as_u64().expect("tid"), ts, ts + dur)
        })
        .collect();
    assert!(spans.len() >= 2);
    for (track, start, end) in &spans {
        for (other, from, to) in spans.iter().filter(|other| other.0 == *track) {
            assert_eq!(track, other);
            // Sums of microseconds may differ by less than a nanosecond.
            let (apart, near) = (*to <= start + 1e-3 || *from >= end - 1e-3, 1e-3);
            let inside = from + near >= *start && *to <= end + near;
            let around = start + near >= *from && *end <= to + near;
            assert!(apart || inside || around, "{start}..{end} and {from}..{to}");
        }
    }
}

#[test]
fn a_run_that_fails_has_a_profile() {
    let place = folder("profile_fails");
    std::fs::write(place.join("in"), "1000i64").expect("it can be written");
    let args = ["-e", "fails", "--input", "in", "--json", "p.json"];
    let (code, text) = profile(&place, "c", &args);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the run failed") && text.contains("out of bounds"), "{text}");
    let value = json(&place.join("p.json"));
    assert_eq!(value["lines"][0]["line"], 9, "{value:#}");
    assert!(value["failed"].is_string());
}

#[test]
fn reports_and_results_of_benchmarks_are_shown() {
    let place = folder("profile_files");
    let report = r#"{"memory": {"device": 1}, "events": [{"name": "k", "duration": 2.5, "provenance": "b.fut:3:1-9", "details": {}}]}"#;
    let bench = format!(
        r#"{{"b.fut": {{"datasets": {{"small": {{"runtimes": [3], "bytes": {{}}, "stderr": "", "profiling": {report}}}}}}}}}"#
    );
    for (name, text) in [("raw.json", report), ("r.json", &bench)] {
        std::fs::write(place.join(name), text).expect("it can be written");
        let output = fehu().current_dir(&place).args(["profile", name]).output();
        let output = output.expect("it can be started");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.contains("k ") && text.contains("b.fut:3") && text.contains("2.50 us"),
            "{text}"
        );
    }
    let bin = crate::common::path_with_futhark(&place);
    let mut futhark = Command::new("futhark");
    futhark.env("PATH", bin).current_dir(&place).args(["profile", "r.json"]);
    let output = futhark.output().expect("it can be started");
    assert!(output.status.success());
    let folder = place.join("r.prof/b.fut");
    for file in ["small.log", "small.summary", "small.timeline", "small-index.html"] {
        assert!(folder.join(file).exists(), "{file}");
    }
}
