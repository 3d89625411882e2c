//! Profiles of reports whose numbers are known.

use crate::machine::Machine;
use crate::report::{Place, Report, Track};
use crate::spread::{self, Spread};
use crate::verdict::Verdict;
use crate::{Run, centres, compare, flame, json, lines, page, table, trace};

/// A call of 10 ms with a fused operator, a copy, and a loop around many short operators.
const REPORT: &str = r#"{"memory": {"default space": 64000000}, "events": [
  {"name": "map", "start": 1000, "end": 5001000, "duration": 5000.0, "provenance": "a.fut:4:3-9", "track": 0, "operator": 0, "details": {"memory": 64000000}},
  {"name": "fill", "start": 5101000, "end": 7101000, "duration": 2000.0, "provenance": "a.fut:6:3-9", "track": 0, "operator": 1, "details": {"memory": 1}},
  {"name": "map", "start": 7102000, "end": 7102500, "duration": 0.5, "provenance": "a.fut:8:3-9", "track": 0, "operator": 3, "details": {"memory": 1}},
  {"name": "loop", "start": 7101500, "end": 9101500, "duration": 2000.0, "provenance": "a.fut:7:3-9", "track": 0, "operator": 2, "details": {"memory": 1}},
  {"name": "main", "start": 0, "end": 10000000, "duration": 10000.0, "provenance": "unknown", "track": 0, "details": {"memory": 1}}],
 "operators": [
  {"name": "map", "function": "entry_main", "place": "a.fut:4:3-9", "exact": true, "calls": 1, "total": 5000000, "own": 5000000,
   "least": 5000000, "most": 5000000, "allocation": 0, "busy": 5000000, "busiest": 5000000, "device": 0, "kernels": 0,
   "parts": [{"place": "a.fut:4:3-9", "read": 8000000, "written": 0, "operations": 300000000},
             {"place": "a.fut:5:3-9", "read": 0, "written": 8000000, "operations": 100000000}]},
  {"name": "fill", "function": "entry_main", "place": "a.fut:6:3-9", "exact": true, "calls": 1, "total": 2000000, "own": 2000000,
   "least": 2000000, "most": 2000000, "allocation": 500000, "busy": 2000000, "busiest": 2000000, "device": 0, "kernels": 0,
   "parts": [{"place": "a.fut:6:3-9", "read": 0, "written": 14000000, "operations": 0}]},
  {"name": "loop", "function": "entry_main", "place": "a.fut:7:3-9", "exact": true, "calls": 1, "total": 2000000, "own": 100000,
   "least": 2000000, "most": 2000000, "allocation": 0, "busy": 2000000, "busiest": 2000000, "device": 0, "kernels": 0, "parts": []},
  {"name": "map", "function": "entry_main", "place": "a.fut:8:3-9", "exact": false, "calls": 19000, "total": 1900000, "own": 1900000,
   "least": 90, "most": 500, "allocation": 0, "busy": 1900000, "busiest": 1900000, "device": 0, "kernels": 0,
   "parts": [{"place": "a.fut:8:3-9", "read": 76000, "written": 76000, "operations": 19000}]}],
 "lost": 0, "allocation": {"count": 2, "time": 500000}, "threads": 1, "compared": [["main.suff_outer_par_0", 100]]}"#;

fn machine() -> Machine {
    let (memory, cache, arithmetic) = (10e9, 50e9, 100e9);
    Machine { name: "c".to_owned(), memory, cache, arithmetic, latency: 60.0 }
}

fn run(text: &str) -> Run {
    let report = Report::parse(text).expect("it is a report");
    let machine = Some(machine());
    let profile = lines::profile(&report, machine.as_ref());
    Run {
        program: "a.fut".to_owned(),
        entry: "main".to_owned(),
        dataset: "small".to_owned(),
        backend: "c".to_owned(),
        failed: None,
        spread: Spread::of(std::slice::from_ref(&profile)),
        profile,
        report,
        machine,
        sources: vec![(
            "a.fut".to_owned(),
            "-- 1\n-- 2\nentry main =\n  4\n  5\n  6\n  7\n  8\n".to_owned(),
        )],
    }
}

fn line(run: &Run, number: usize) -> &lines::Line {
    let found = run.profile.lines.iter().find(|line| line.place.line == number);
    found.expect("the line took time")
}

#[test]
fn the_shares_make_up_the_whole() {
    let run = run(REPORT);
    let profile = &run.profile;
    let lines: f64 = profile.lines.iter().map(|line| line.time).sum();
    let all = lines + profile.unknown + profile.copies + profile.allocation + profile.rest;
    assert!((all / 10e6 - 1.0).abs() < 1e-9, "{all}");
    assert!((profile.total - 10e6).abs() < 1.0);
    // What the loop and the operators do not have.
    assert!((profile.rest - 1e6).abs() < 1.0 && (profile.allocation - 0.5e6).abs() < 1.0);
}

#[test]
fn lines_of_an_operator_share_its_time_by_what_they_do() {
    let run = run(REPORT);
    // 0.8 ms for bytes and 3 ms for operations, 0.8 ms and 1 ms.
    let (first, second) = (line(&run, 4), line(&run, 5));
    assert!((first.time / second.time - 3.8 / 1.8).abs() < 1e-9);
    assert!((first.time + second.time - 5e6).abs() < 1.0);
    let other = Place { file: "a.fut".to_owned(), line: 5 };
    assert_eq!(first.fused, [other]);
    assert!(table::notes(&run, 10)[0].contains("(fused with line 5)"));
}

#[test]
fn verdicts_say_what_limits_a_line() {
    let run = run(REPORT);
    assert!(
        matches!(line(&run, 4).verdict, Verdict::Arithmetic(share) if (share - 0.8).abs() < 1e-9)
    );
    assert!(matches!(line(&run, 6).verdict, Verdict::Memory(share) if share > 0.9));
    assert!(
        matches!(line(&run, 8).verdict, Verdict::Latency(each, 19000) if (each - 100.0).abs() < 1e-9)
    );
    assert_eq!(line(&run, 7).verdict, Verdict::Nothing);
    assert!(!line(&run, 8).exact && line(&run, 4).exact);
    let text = table::table(&run, 2);
    assert!(
        text.contains("compute-bound, 80 % of the arithmetic")
            && text.contains("and 3 other lines")
    );
}

#[test]
fn one_thread_with_most_of_the_work_is_noticed() {
    let text = REPORT.replace("\"threads\": 1", "\"threads\": 4").replace(
        "\"busy\": 2000000, \"busiest\": 2000000, \"device\": 0, \"kernels\": 0,\n   \"parts\": [{\"place\": \"a.fut:6:3-9\", \"read\": 0, \"written\": 14000000",
        "\"busy\": 2400000, \"busiest\": 1500000, \"device\": 0, \"kernels\": 0,\n   \"parts\": [{\"place\": \"a.fut:6:3-9\", \"read\": 0, \"written\": 1400000",
    );
    let run = run(&text);
    assert!(
        matches!(line(&run, 6).verdict, Verdict::Imbalance(ratio) if (ratio - 2.5).abs() < 1e-9)
    );
}

#[test]
fn events_of_a_track_nest() {
    let overlapping = r#"{"events": [
      {"name": "a", "start": 0, "end": 100, "track": "device"},
      {"name": "b", "start": 50, "end": 150, "track": "device"},
      {"name": "c", "start": 60, "end": 90, "track": "device"},
      {"name": "d", "start": 200, "end": 210, "track": "device"}]}"#;
    for (text, track) in [(overlapping, Track::Device), (REPORT, Track::Thread(0))] {
        let report = Report::parse(text).expect("it is a report");
        let events = trace::nested(&report.events, track);
        assert_eq!(events.len(), report.events.len());
        for (_, start, end) in &events {
            assert!(start <= end);
            for (_, from, to) in &events {
                let apart = to <= start || from >= end;
                let inside = from >= start && to <= end || start >= from && end <= to;
                assert!(apart || inside, "{start}..{end} and {from}..{to}");
            }
        }
    }
}

#[test]
fn stacks_have_all_of_the_callers_time() {
    let run = run(REPORT);
    let folded = flame::folded(&run);
    let sum: u64 =
        folded.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum();
    assert_eq!(sum, 10_000_000);
    assert!(folded.contains("main;loop l7;map l8 500\n"), "{folded}");
}

#[test]
fn what_changed_beyond_noise_is_told() {
    let old = run(REPORT);
    let before = compare::read(&json::json(&old)).expect("it was written by us");
    assert!(compare::changes(&before, &old).is_empty());
    let faster = REPORT.replace("\"own\": 2000000", "\"own\": 1000000");
    let changed = compare::changes(&before, &run(&faster));
    let lines: Vec<usize> = changed.iter().map(|change| change.place.line).collect();
    assert_eq!(lines, [6]);
    // The same change, where runs differ by as much: noise, and the median is the one in the middle.
    let profiles = [&faster, REPORT, &faster].map(|text| run(text).profile);
    assert_eq!(spread::median(&profiles).map(|at| profiles[at].total), Some(profiles[0].total));
    let noisy = Run { spread: Spread::of(&profiles), ..run(&faster) };
    assert!(compare::changes(&before, &noisy).is_empty());
    assert!(compare::text(&before, &noisy).contains("no line changed beyond noise"));
    let before = compare::read(&json::json(&noisy)).expect("it can be read");
    assert_eq!((before.runs, before.total.range), (3, noisy.spread.total));
    assert!(compare::changes(&before, &old).is_empty());
    assert!(compare::read("{}").is_err() && compare::read("[").is_err());
}

#[test]
fn pages_and_traces_contain_everything() {
    let run = run(REPORT);
    let page = page::page(&run);
    for part in [
        "Timeline",
        "Flame graph",
        "Memory",
        "Roofline",
        "Thresholds",
        "main.suff_outer_par_0",
        "a-fut-4",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http://") && !page.contains("https://"));
    let trace: serde_json::Value = serde_json::from_str(&trace::trace(&run)).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 5);
    assert!(events.iter().any(|event| event["ph"] == "C"));
    assert!(!events.iter().any(|event| event["ph"] == "s"));
}

#[test]
fn arrows_lead_from_the_caller_to_those_who_work() {
    // A thread works for the second of two executions of operator 3, and for nobody.
    let more = r#""events": [
      {"name": "map", "start": 7000000, "end": 7000900, "duration": 0.9, "provenance": "a.fut:8:3-9", "track": 0, "operator": 3, "details": {}},
      {"name": "map", "start": 7102100, "end": 7102400, "duration": 0.3, "provenance": "a.fut:8:3-9", "track": 1, "operator": 3, "details": {}},
      {"name": "map", "start": 10, "end": 20, "duration": 0.01, "provenance": "a.fut:8:3-9", "track": 1, "operator": 3, "details": {}},"#;
    let run = run(&REPORT.replacen("\"events\": [", more, 1));
    let trace: serde_json::Value = serde_json::from_str(&trace::trace(&run)).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let ends: Vec<(&str, u64, f64, u64)> = events
        .iter()
        .filter_map(|event| {
            let phase = event["ph"].as_str().filter(|phase| ["s", "f"].contains(phase))?;
            Some((phase, event["tid"].as_u64()?, event["ts"].as_f64()?, event["id"].as_u64()?))
        })
        .collect();
    assert_eq!(ends, [("s", 0, 7102.0, 0), ("f", 1, 7102.1, 0)]);
}

#[test]
fn reports_of_others_are_read() {
    let text = r#"{"memory": {"device": 12}, "events": [
      {"name": "k", "duration": 2.5, "provenance": "b.fut:3:1-4:2->c.fut:1:1-2", "details": {"grid": 1}},
      {"name": "k", "duration": 1.5, "provenance": "unknown", "details": {}}]}"#;
    let report = Report::parse(text).expect("it is a report");
    let [centre] = centres::by_name(&report).try_into().expect("one name");
    assert_eq!((centre.count, centre.sum, centre.least, centre.most), (2, 4000, 1500, 2500));
    let places: Vec<String> = centres::by_place(&report).into_iter().map(|c| c.name).collect();
    assert_eq!(places, ["b.fut:3", "unknown"]);
    assert_eq!(Report::parse("{}"), Err("a report has a list \"events\"".to_owned()));
    let machine = machine();
    assert_eq!(Machine::read(&machine.write()), Some(machine));
}
