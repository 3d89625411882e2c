//! A profile for tools. All times are in nanoseconds.
//!
//! ```text
//! { "version": 1, "program", "entry", "dataset", "backend", "digest" (of the sources), "failed" (or null), "total",
//!   "runs", "least", "most" (of the total; the others are of the run with the median time), "unknown", "copies", "allocation", "rest",
//!   "lines": [{ "file", "line", "time", "least", "most", "share", "calls", "bytes", "operations", "exact", "bandwidth", "of_bus" (or null), "rate",
//!               "verdict", "advice", "fused": [line] }],
//!   "machine": { "name", "memory", "cache", "arithmetic", "latency" } or null,
//!   "thresholds": [[name, value]], "memory": { space: bytes },
//!   "operators": [{ "name", "function", "file", "line", "time", "calls", "bytes", "operations", "exact", "verdict" }] }
//! ```

use crate::Run;
use crate::spread::Range;
use fehu_base::hash;
use serde_json::{Map, Value, json};

/// The number of the format.
pub const VERSION: u64 = 1;

/// The profile of a run.
pub fn json(run: &Run) -> String {
    let profile = &run.profile;
    let total = profile.total.max(1.0);
    let lines: Vec<Value> = profile
        .lines
        .iter()
        .map(|line| {
            let range = run.spread.lines.get(&line.place).copied();
            let range = range.unwrap_or(Range::one(line.time));
            let fused: Vec<usize> = line.fused.iter().map(|place| place.line).collect();
            json!({
                "file": line.place.file, "line": line.place.line, "time": line.time,
                "least": range.least, "most": range.most,
                "share": line.time / total, "calls": line.calls, "bytes": line.bytes,
                "operations": line.operations, "exact": line.exact, "bandwidth": line.bandwidth,
                "of_bus": line.of_bus, "rate": line.rate, "verdict": line.verdict.word(),
                "advice": line.verdict.advice(), "fused": fused,
            })
        })
        .collect();
    let operators = run.report.operators.iter().zip(&profile.operators);
    let operators: Vec<Value> = operators
        .map(|(operator, weighed)| {
            let place = operator.place.as_ref();
            json!({
                "name": operator.name, "function": operator.function,
                "file": place.map(|place| place.file.clone()), "line": place.map(|place| place.line),
                "time": weighed.time, "calls": operator.calls, "bytes": operator.bytes(),
                "operations": operator.operations(), "exact": operator.exact,
                "verdict": weighed.verdict.word(),
            })
        })
        .collect();
    let machine = run.machine.as_ref().map(|machine| {
        json!({
            "name": machine.name, "memory": machine.memory, "cache": machine.cache,
            "arithmetic": machine.arithmetic, "latency": machine.latency,
        })
    });
    let memory: Map<String, Value> =
        run.report.memory.iter().map(|(space, size)| (space.clone(), json!(size))).collect();
    let digest = hash::digest(run.sources.iter().map(|(_, text)| text.as_bytes()));
    let value = json!({
        "version": VERSION, "program": run.program, "entry": run.entry, "dataset": run.dataset,
        "backend": run.backend, "digest": digest, "failed": run.failed, "total": profile.total,
        "runs": run.spread.runs, "least": run.spread.total.least, "most": run.spread.total.most,
        "unknown": profile.unknown, "copies": profile.copies, "allocation": profile.allocation,
        "rest": profile.rest, "lines": lines, "machine": machine,
        "thresholds": run.report.compared, "memory": memory, "operators": operators,
    });
    format!("{value:#}\n")
}
