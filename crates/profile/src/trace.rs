//! Traces for Perfetto and `chrome://tracing`: JSON with complete events, counters, and arrows from what the caller does to what
//! threads and the device do for it. Events of one track nest.

use crate::Run;
use crate::report::{Event, Track};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The trace of a run.
pub fn trace(run: &Run) -> String {
    let mut events = Vec::new();
    let mut tracks: Vec<Track> = run.report.events.iter().map(|event| event.track).collect();
    tracks.sort();
    tracks.dedup();
    let mut arrows = 0u64;
    // When the caller has begun each operator.
    let mut starts: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for track in &tracks {
        events.push(json!({
            "ph": "M", "name": "thread_name", "pid": 1, "tid": number(*track),
            "args": { "name": name(*track) },
        }));
        for (event, start, end) in nested(&run.report.events, *track) {
            events.push(complete(run, event, start, end));
            let Some(operator) = event.operator else { continue };
            let starts = starts.entry(operator).or_default();
            // The caller's track comes first, and what is on a track is in order.
            if *track == Track::Thread(0) {
                starts.push(start);
            } else if let Some(before) = starts.partition_point(|at| *at <= start).checked_sub(1) {
                arrows += 1;
                let arrow = |phase: &str, track: Track, at: u64| {
                    json!({
                        "ph": phase, "bp": "e", "id": arrows - 1, "name": "for", "cat": "for",
                        "pid": 1, "tid": number(track), "ts": micro(at),
                    })
                };
                events.push(arrow("s", Track::Thread(0), starts[before]));
                events.push(arrow("f", *track, start));
            }
        }
    }
    events.extend(run.report.events.iter().filter_map(|event| {
        let memory = event.memory.filter(|_| event.track == Track::Thread(0))?;
        Some(json!({
            "ph": "C", "name": "bytes in use", "pid": 1, "ts": micro(event.end),
            "args": { "bytes": memory },
        }))
    }));
    format!("{}\n", json!({ "displayTimeUnit": "ns", "traceEvents": events }))
}

fn complete(run: &Run, event: &Event, start: u64, end: u64) -> Value {
    let mut args = serde_json::Map::new();
    if let Some(place) = &event.place {
        args.insert("place".to_owned(), format!("{}:{}", place.file, place.line).into());
    }
    if let Some(bytes) = event.bytes {
        args.insert("bytes".to_owned(), bytes.into());
    }
    if let Some(operator) = event.operator.and_then(|number| run.report.operators.get(number)) {
        args.insert("function".to_owned(), operator.function.clone().into());
        // What all executions did, divided by their number: they are of one operator.
        let calls = operator.calls.max(1);
        args.insert("bytes moved".to_owned(), (operator.bytes() / calls).into());
        args.insert("operations".to_owned(), (operator.operations() / calls).into());
    }
    json!({
        "ph": "X", "name": event.name, "cat": name(event.track), "pid": 1,
        "tid": number(event.track), "ts": micro(start), "dur": micro(end - start), "args": args,
    })
}

/// The events of a track with their beginnings and ends, so that of any two either one is in the other, or they are
/// apart: clocks of devices are not exact, and kernels may begin before others have ended.
pub fn nested(events: &[Event], track: Track) -> Vec<(&Event, u64, u64)> {
    let mut own: Vec<&Event> = events.iter().filter(|event| event.track == track).collect();
    own.sort_by_key(|event| (event.start, std::cmp::Reverse(event.end)));
    let mut open: Vec<u64> = Vec::new();
    let mut out = Vec::new();
    for event in own {
        let mut start = event.start;
        while open.last().is_some_and(|end| *end <= start) {
            open.pop();
        }
        // It begins inside of another, and ends after it: then it begins at its end.
        while let Some(around) = open.last().filter(|around| **around < event.end) {
            start = *around;
            open.pop();
        }
        open.push(event.end);
        out.push((event, start, event.end.max(start)));
    }
    out
}

fn micro(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1000.0
}

fn number(track: Track) -> u64 {
    match track {
        Track::Device => 10_000,
        Track::Bus => 10_001,
        Track::Thread(thread) => thread,
    }
}

/// What people call a track.
pub fn name(track: Track) -> String {
    match track {
        Track::Device => "device".to_owned(),
        Track::Bus => "copies".to_owned(),
        Track::Thread(0) => "caller".to_owned(),
        Track::Thread(thread) => format!("thread {thread}"),
    }
}
