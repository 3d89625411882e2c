//! `fehu autotune`, with OpenCL on this machine's processor. Times are noise there, so what is tested is that thresholds are
//! found, tried and written, and that others read them; the search itself is tested where times are simulated.

use crate::common::{both, fehu_with_own_flags, folder};
use std::path::Path;
use std::process::Output;

const PROGRAM: &str = "\
-- ==
-- entry: main
-- \"few long rows\" input { 4i64 300i64 }
-- \"many short rows\" input { 400i64 3i64 }
-- entry: flat
-- \"nothing to choose\" input { 10i64 }

entry main (n: i64) (m: i64): i64 =
  tabulate_2d n m (\\i j -> i * j)
  |> map (\\row -> loop row for _i < 2i32 do scan (+) 0 (map (+ 1) row))
  |> flatten
  |> i64.sum

entry flat (n: i64): i64 = i64.sum (map (* 2) (iota n))
";

fn run(place: &Path, args: &[&str]) -> Output {
    fehu_with_own_flags().args(args).current_dir(place).output().expect("it runs")
}

/// The lines of a tuning file.
fn parameters(place: &Path, file: &str) -> Vec<(String, i64)> {
    let text = std::fs::read_to_string(place.join(file)).expect("it has been written");
    let line = |line: &str| {
        let (name, value) = line.split_once('=').expect("lines are NAME=INT");
        (name.to_owned(), value.parse().expect("the value is a number"))
    };
    text.lines().map(line).collect()
}

#[test]
fn thresholds_are_found_and_used() {
    let place = folder("autotune");
    std::fs::write(place.join("a.fut"), PROGRAM).expect("it can be written");
    // What does not exist any more must not stay.
    std::fs::write(place.join("a.fut.gpu"), "gone=7\n").expect("it can be written");
    let args = ["autotune", "--tuning=gpu", "-r", "1", "-vv", "a.fut"];
    let output = run(&place, &args);
    let text = both(&output);
    assert!(output.status.success(), "{text}");
    let names = ["main.suff_intra_par_1", "main.suff_outer_par_0"];
    let found = parameters(&place, "a.fut.gpu");
    assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names, "{text}");
    assert!(found.iter().all(|(_, value)| *value > 0), "{text}");
    for (name, value) in [(names[1], 4), (names[1], 400), (names[0], 300), (names[0], 3)] {
        let line = format!("    {name} was compared with {value}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
    for name in ["few long rows", "many short rows", "flat: nothing to choose"] {
        let is_row = |line: &str| {
            let cells = line.trim().strip_prefix(name).unwrap_or_default();
            cells.split_whitespace().any(|cell| cell.ends_with('x'))
        };
        assert!(text.lines().any(is_row), "{name}\n{text}");
    }
    // For each data set with two thresholds of one number each: the defaults, neither version, each of both, and what was found;
    // one with the defaults' effect may be another. The other data set needs no more than two.
    let trials = text.lines().find_map(|line| {
        line.trim().strip_prefix("wrote a.fut.gpu after ")?.strip_suffix(" trials")?.parse().ok()
    });
    let trials: usize = trials.expect("the number of trials is told");
    assert!((9..=16).contains(&trials), "{text}");

    let bench = ["bench", "--backend=opencl", "--tuning=gpu", "-r", "1"];
    let bench = [&bench[..], &["--no-convergence-phase", "-e", "main", "a.fut"]].concat();
    let output = run(&place, &bench);
    assert!(output.status.success(), "{}", both(&output));
    // That it reads the file is seen when there is something wrong with it.
    std::fs::write(place.join("a.fut.gpu"), "gone=7\n").expect("it can be written");
    let output = run(&place, &bench);
    assert!(output.status.success(), "{}", both(&output));
    assert!(both(&output).contains("such as \"gone\""), "{}", both(&output));
}

#[test]
fn what_cannot_be_tuned() {
    let place = folder("autotune-errors");
    let write = |name: &str, text: &str| {
        std::fs::write(place.join(name), text).expect("it can be written");
    };
    write("a.fut", PROGRAM);
    write("b.fut", "entry main (x: i32) = x\n");
    let fails = |args: &[&str], expected: &str| {
        let output = run(&place, args);
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        assert!(both(&output).contains(expected), "{}", both(&output));
    };
    fails(
        &["autotune", "--backend=c", "a.fut"],
        "no entry point with data sets has thresholds with the back end `c`",
    );
    fails(&["autotune", "b.fut"], "there are no data sets to tune for");
    fails(&["autotune", "c.fut"], "cannot be read");
    fails(&["autotune"], "<PROGRAM>");
    assert!(!place.join("a.fut.tuning").exists());
}
