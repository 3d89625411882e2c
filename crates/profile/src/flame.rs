//! Folded stacks, `a;b;c nanoseconds`: entry point, functions and loops, operator, and the lines that are part of it. Inferno and
//! speedscope read them.

use crate::Run;
use crate::report::{Operator, Place, Track};
use crate::trace::nested;
use std::collections::BTreeMap;

/// The stacks of a run, in order of their names.
pub fn folded(run: &Run) -> String {
    let lines = stacks(run).into_iter().filter(|(_, time)| *time > 0);
    lines.map(|(stack, time)| format!("{} {time}\n", stack.join(";"))).collect()
}

/// The stacks with their own times in nanoseconds.
pub fn stacks(run: &Run) -> BTreeMap<Vec<String>, u64> {
    let mut out: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    // Of those around: the name, the end, and the time that is its own.
    let mut open: Vec<(Vec<String>, u64, u64)> = Vec::new();
    let mut found: Vec<(Vec<String>, u64)> = Vec::new();
    for (event, start, end) in nested(&run.report.events, Track::Thread(0)) {
        while open.last().is_some_and(|(_, until, _)| *until <= start) {
            found.extend(open.pop().map(|(names, _, own)| (names, own)));
        }
        let mut names = open.last().map(|(names, ..)| names.clone()).unwrap_or_default();
        names.push(label(run, &event.name, event.operator, event.place.as_ref()));
        if let Some((_, _, own)) = open.last_mut() {
            *own = own.saturating_sub(end - start);
        }
        open.push((names, end, end - start));
    }
    found.extend(open.into_iter().rev().map(|(names, _, own)| (names, own)));
    for track in [Track::Device, Track::Bus] {
        for (event, start, end) in nested(&run.report.events, track) {
            let mut names = vec![crate::trace::name(track)];
            if let Some(operator) = event.operator.and_then(|k| run.report.operators.get(k)) {
                names.push(titled(&operator.name, operator.place.as_ref()));
            }
            names.push(event.name.replace(';', ","));
            found.push((names, end - start));
        }
    }
    for (names, own) in found {
        *out.entry(names).or_default() += own;
    }
    out
}

fn label(run: &Run, name: &str, operator: Option<usize>, place: Option<&Place>) -> String {
    let operator: Option<&Operator> = operator.and_then(|k| run.report.operators.get(k));
    let place = operator.and_then(|operator| operator.place.as_ref()).or(place);
    titled(name, place)
}

fn titled(name: &str, place: Option<&Place>) -> String {
    let name = name.replace(';', ",");
    match place {
        Some(place) => format!("{name} l{}", place.line),
        None => name,
    }
}
