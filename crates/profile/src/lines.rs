//! The time of each line.
//!
//! The time of an operator is shared by the lines that are part of it, in proportion to what they do: the time that
//! their bytes and operations would take on this machine. So the shares of all lines, and of what is no operator, make
//! up the whole.

use crate::machine::Machine;
use crate::report::{Event, Operator, Place, Report, Track};
use crate::verdict::{self, Verdict};
use std::collections::BTreeMap;

/// Where the time of a run went, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// All of it.
    pub total: f64,
    /// The lines, the slowest first.
    pub lines: Vec<Line>,
    /// Operators whose line is not known.
    pub unknown: f64,
    /// Copies between device and host.
    pub copies: f64,
    /// Memory.
    pub allocation: f64,
    /// The rest: for a device, the time in which it had nothing to do; otherwise code outside of operators.
    pub rest: f64,
    /// What each operator took, and what limits it, by number.
    pub operators: Vec<Weighed>,
}

/// A line of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Which.
    pub place: Place,
    /// Its time.
    pub time: f64,
    /// How often the operators were executed that it is part of.
    pub calls: u64,
    /// The bytes that it moved.
    pub bytes: u64,
    /// Its operations.
    pub operations: u64,
    /// Whether these depend on sizes only.
    pub exact: bool,
    /// The operators, by number, the slowest first.
    pub operators: Vec<usize>,
    /// The other lines that are part of them.
    pub fused: Vec<Place>,
    /// Bytes per second of its operators.
    pub bandwidth: f64,
    /// Operations per second of its operators.
    pub rate: f64,
    /// The share of the machine's bandwidth, if that is known.
    pub of_bus: Option<f64>,
    /// What limits the slowest of them.
    pub verdict: Verdict,
}

/// The time of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// In nanoseconds.
    pub time: f64,
    /// What limits it.
    pub verdict: Verdict,
}

/// What is known of a line so far.
#[derive(Default)]
struct Found {
    time: f64,
    bytes: u64,
    operations: u64,
    inexact: bool,
    operators: BTreeMap<usize, f64>,
    kernels: u64,
}

/// Shares the time of a run.
pub fn profile(report: &Report, machine: Option<&Machine>) -> Profile {
    let mut profile = Profile { total: total(report), ..Profile::default() };
    let mut found: BTreeMap<Place, Found> = BTreeMap::new();
    for (number, operator) in report.operators.iter().enumerate() {
        let time = time_of(report, operator);
        let verdict = verdict::of(operator, time, report, machine);
        for (place, share, part) in shares(operator, machine) {
            let Some(place) = place else {
                profile.unknown += time * share;
                continue;
            };
            let line = found.entry(place).or_default();
            line.time += time * share;
            if let Some(part) = part.map(|part| &operator.parts[part]) {
                line.bytes += part.read + part.written;
                line.operations += part.operations;
            }
            line.inexact |= !operator.exact && operator.calls > 0;
            if operator.calls > 0 {
                *line.operators.entry(number).or_default() += time * share;
            }
        }
        profile.operators.push(Weighed { time, verdict });
    }
    for event in kernels_alone(report) {
        match &event.place {
            None => profile.unknown += event.duration() as f64,
            Some(place) => {
                let line = found.entry(place.clone()).or_default();
                line.time += event.duration() as f64;
                line.kernels += 1;
            }
        }
    }
    let bus = report.events.iter().filter(|event| event.track == Track::Bus);
    profile.copies = bus.map(|event| event.duration() as f64).sum();
    profile.allocation = if report.device.is_some() { 0.0 } else { report.allocation as f64 };
    for (place, line) in found {
        if line.time > 0.0 {
            profile.lines.push(finish(place, line, report, &profile.operators, machine));
        }
    }
    profile.lines.sort_by(|a, b| b.time.total_cmp(&a.time).then_with(|| a.place.cmp(&b.place)));
    let lines: f64 = profile.lines.iter().map(|line| line.time).sum();
    let known = lines + profile.unknown + profile.copies + profile.allocation;
    // Clocks of two sides, and copies beside kernels: the whole is no less than its parts.
    profile.total = profile.total.max(known);
    profile.rest = profile.total - known;
    profile
}

/// How long the run took.
fn total(report: &Report) -> f64 {
    if report.device.is_some() || report.operators.is_empty() {
        let start = report.events.iter().map(|event| event.start).min().unwrap_or(0);
        let end = report.events.iter().map(|event| event.end).max().unwrap_or(0);
        return end.saturating_sub(start) as f64;
    }
    let is_call = |event: &&Event| event.operator.is_none() && event.track == Track::Thread(0);
    report.events.iter().filter(is_call).map(|event| event.duration() as f64).sum()
}

/// The time that is an operator's own.
fn time_of(report: &Report, operator: &Operator) -> f64 {
    match report.device {
        Some(_) => operator.device as f64,
        None => operator.own.saturating_sub(operator.allocation) as f64,
    }
}

/// Kernels that belong to no operator.
fn kernels_alone(report: &Report) -> impl Iterator<Item = &Event> {
    let events = report.events.iter();
    events.filter(|event| event.track == Track::Device && event.operator.is_none())
}

/// The lines of an operator with their shares, which make up one, and the numbers of the parts.
fn shares(
    operator: &Operator,
    machine: Option<&Machine>,
) -> Vec<(Option<Place>, f64, Option<usize>)> {
    if operator.parts.is_empty() {
        return vec![(operator.place.clone(), 1.0, None)];
    }
    // Without a machine: a byte is worth an operation.
    let (memory, arithmetic) = machine.map_or((1.0, 1.0), |m| (m.memory, m.arithmetic));
    let weights: Vec<f64> = operator
        .parts
        .iter()
        .map(|part| {
            (part.read + part.written) as f64 / memory + part.operations as f64 / arithmetic
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    let share = |number: usize, weight: f64| match sum > 0.0 {
        true => weight / sum,
        false => f64::from(u8::from(number == 0)),
    };
    let parts = operator.parts.iter().zip(weights).enumerate();
    parts.map(|(k, (part, weight))| (part.place.clone(), share(k, weight), Some(k))).collect()
}

fn finish(
    place: Place,
    found: Found,
    report: &Report,
    weighed: &[Weighed],
    machine: Option<&Machine>,
) -> Line {
    let mut operators: Vec<usize> = found.operators.keys().copied().collect();
    operators.sort_by(|a, b| found.operators[b].total_cmp(&found.operators[a]));
    let (mut bytes, mut operations, mut time, mut calls) = (0.0, 0.0, 0.0, found.kernels);
    let (mut moved, mut fused) = (0.0, Vec::new());
    for &number in &operators {
        let operator = &report.operators[number];
        bytes += operator.bytes() as f64;
        operations += operator.operations() as f64;
        time += weighed[number].time;
        calls += operator.calls;
        if let Some(machine) = machine {
            let each = operator.bytes() as f64 / operator.calls.max(1) as f64;
            moved += operator.bytes() as f64 / machine.bandwidth(each);
        }
        fused.extend(operator.parts.iter().filter_map(|part| part.place.clone()));
    }
    fused.retain(|other| *other != place);
    fused.sort();
    fused.dedup();
    let per_second = |amount: f64| if time > 0.0 { amount / time * 1e9 } else { 0.0 };
    let verdict = operators.first().map(|number| weighed[*number].verdict.clone());
    Line {
        place,
        time: found.time,
        calls,
        bytes: found.bytes,
        operations: found.operations,
        exact: !found.inexact,
        operators,
        fused,
        bandwidth: per_second(bytes),
        rate: per_second(operations),
        of_bus: machine.map(|_| per_second(moved)),
        verdict: verdict.unwrap_or(Verdict::Nothing),
    }
}
