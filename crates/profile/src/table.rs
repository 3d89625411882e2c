//! A profile for terminals.

use crate::Run;
use crate::lines::Line;
use crate::units::{bytes, percent, short, time};
use std::fmt::Write;

/// What notes of an event cost about, in nanoseconds: two looks at the clock, and a place to write to.
const NOTED: f64 = 120.0;

/// The slowest lines, and what the rest of the time went to.
pub fn table(run: &Run, most: usize) -> String {
    let profile = &run.profile;
    let mut out = String::new();
    // A string takes whatever is written to it.
    let _ = writeln!(out, "{}", title(run));
    if let Some(why) = &run.failed {
        let _ = writeln!(out, "the run failed: {why}\nwhat follows is what came before");
    }
    out.push('\n');
    let mut rows = vec![
        ["line", "share", "time", "calls", "GB/s", "of bus", "Gop/s", "what limits it"]
            .map(str::to_owned),
    ];
    rows.extend(profile.lines.iter().take(most).map(|line| row(run, line)));
    out.push_str(&aligned(&rows));
    if profile.lines.len() > most {
        let rest: f64 = profile.lines[most..].iter().map(|line| line.time).sum();
        let count = profile.lines.len() - most;
        let _ = writeln!(out, "and {count} other lines: {}", percent(rest / profile.total));
    }
    out.push('\n');
    for note in notes(run, most) {
        let _ = writeln!(out, "{note}");
    }
    let _ = writeln!(out, "{}", totals(run));
    for remark in remarks(run) {
        let _ = writeln!(out, "{remark}");
    }
    out
}

/// What was run, and how long that took.
pub fn title(run: &Run) -> String {
    let mut what = run.program.clone();
    if run.entry != "main" && !run.entry.is_empty() {
        what.push_str(&format!(":{}", run.entry));
    }
    if !run.dataset.is_empty() {
        what.push_str(&format!(", {}", run.dataset));
    }
    let with = match (&run.report.device, run.report.threads) {
        (Some(device), _) => format!("{} on {device}", run.backend),
        (None, 1) => run.backend.clone(),
        (None, threads) => format!("{}, {threads} threads", run.backend),
    };
    format!("{what} ({with}): {}", time(run.profile.total))
}

/// The name of a line: the file only if there are several.
pub fn name(run: &Run, line: &Line) -> String {
    let file = &line.place.file;
    let is_alone = run.profile.lines.iter().all(|other| other.place.file == *file);
    let short = file.rsplit('/').next().unwrap_or(file);
    match is_alone {
        true => line.place.line.to_string(),
        false => format!("{short}:{}", line.place.line),
    }
}

fn row(run: &Run, line: &Line) -> [String; 8] {
    // What is more than was counted for certain.
    let about = if line.exact { "" } else { "~" };
    let amount = |value: f64| match value > 0.0 {
        true => format!("{about}{}", short(value / 1e9)),
        false => "-".to_owned(),
    };
    [
        name(run, line),
        percent(line.time / run.profile.total),
        time(line.time),
        line.calls.to_string(),
        amount(line.bandwidth),
        line.of_bus.filter(|share| *share > 0.0).map_or("-".to_owned(), percent),
        amount(line.rate),
        line.verdict.word().to_owned(),
    ]
}

/// Columns of the same width; the first and the last begin at the left.
fn aligned(rows: &[[String; 8]]) -> String {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (k, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match k {
                0 => write!(line, "{cell:<width$}"),
                7 => write!(line, "   {cell}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// What to do about the lines that matter.
pub fn notes(run: &Run, most: usize) -> Vec<String> {
    let profile = &run.profile;
    let slow = profile.lines.iter().take(most).filter(|line| line.time >= 0.05 * profile.total);
    slow.filter_map(|line| {
        let advice = line.verdict.advice();
        let others: Vec<String> = line.fused.iter().map(|place| place.line.to_string()).collect();
        let fused = match others.len() {
            0 => String::new(),
            1 => format!(" (fused with line {})", others[0]),
            _ => format!(" (fused with lines {})", others.join(", ")),
        };
        let share = percent(line.time / profile.total);
        (!advice.is_empty()).then(|| format!("line {}, {share}{fused}: {advice}", name(run, line)))
    })
    .collect()
}

fn totals(run: &Run) -> String {
    let profile = &run.profile;
    let lines: f64 = profile.lines.iter().map(|line| line.time).sum();
    let rest = match run.report.device {
        Some(_) => "host and waiting",
        None => "outside of operators",
    };
    let parts = [
        ("lines", lines),
        ("operators without a line", profile.unknown),
        ("copies", profile.copies),
        ("allocation", profile.allocation),
        (rest, profile.rest),
    ];
    let shown: Vec<String> = parts
        .iter()
        .filter(|(name, value)| *value > 0.0 || *name == "lines")
        .map(|(name, value)| format!("{name} {}", percent(value / profile.total.max(1.0))))
        .collect();
    let memory = run.report.memory.iter().map(|(_, size)| *size).max().unwrap_or(0);
    format!("all: {}; at most {} of memory", shown.join(", "), bytes(memory as f64))
}

fn remarks(run: &Run) -> Vec<String> {
    let mut remarks = Vec::new();
    let noted: u64 = run.report.operators.iter().map(|operator| operator.calls).sum();
    let overhead = noted as f64 * NOTED / run.profile.total.max(1.0);
    if overhead > 0.02 {
        remarks.push(format!(
            "profiling itself took about {}: {noted} operators were noted",
            percent(overhead)
        ));
    }
    if run.report.lost > 0 {
        remarks.push(format!(
            "{} events were only summed up; the trace and the timeline do not have them",
            run.report.lost
        ));
    }
    if let Some(machine) = &run.machine {
        remarks.push(format!(
            "this machine ({}): {} GB/s from memory, {} GB/s from a cache, {} Gop/s, {} for an operator",
            machine.name,
            short(machine.memory / 1e9),
            short(machine.cache / 1e9),
            short(machine.arithmetic / 1e9),
            time(machine.latency)
        ));
    }
    if run.profile.lines.iter().any(|line| !line.exact) {
        remarks.push("~: at most, or at least, because it depends on the data".to_owned());
    }
    remarks
}
