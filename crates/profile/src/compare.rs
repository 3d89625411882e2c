//! What changed from one profile to another, line by line.

use crate::Run;
use crate::json::VERSION;
use crate::report::Place;
use crate::units::{percent, time};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The times of an earlier profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Before {
    /// All of it.
    pub total: f64,
    /// Of each line.
    pub lines: BTreeMap<Place, f64>,
}

/// A change of less than this share of what it was is noise, ...
const NOISE: f64 = 0.05;
/// ... and so is one of less than this share of the whole run.
const LITTLE: f64 = 0.01;

/// Reads what `--json` has written; the error says what is wrong.
pub fn read(text: &str) -> Result<Before, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.get("version").and_then(Value::as_u64) != Some(VERSION) {
        return Err(format!("this is no profile of version {VERSION}, as `--json` writes it"));
    }
    let total = value.get("total").and_then(Value::as_f64).ok_or("there is no \"total\"")?;
    let lines = value.get("lines").and_then(Value::as_array).into_iter().flatten();
    let line = |line: &Value| {
        let file = line.get("file")?.as_str()?.to_owned();
        let number = usize::try_from(line.get("line")?.as_u64()?).ok()?;
        Some((Place { file, line: number }, line.get("time")?.as_f64()?))
    };
    Ok(Before { total, lines: lines.filter_map(line).collect() })
}

/// The lines whose time changed beyond noise, the largest change first.
pub fn changes(before: &Before, run: &Run) -> Vec<(Place, f64, f64)> {
    let mut all: BTreeMap<Place, (f64, f64)> =
        before.lines.iter().map(|(place, time)| (place.clone(), (*time, 0.0))).collect();
    for line in &run.profile.lines {
        all.entry(line.place.clone()).or_default().1 = line.time;
    }
    let whole = before.total.max(run.profile.total);
    let mut changed: Vec<(Place, f64, f64)> = all
        .into_iter()
        .map(|(place, (old, new))| (place, old, new))
        .filter(|(_, old, new)| {
            let change = (new - old).abs();
            change > NOISE * old.max(*new) && change > LITTLE * whole
        })
        .collect();
    let size = |change: &(Place, f64, f64)| (change.2 - change.1).abs();
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
    changed
}

/// For terminals.
pub fn text(before: &Before, run: &Run) -> String {
    let mut out = String::new();
    let factor = run.profile.total / before.total.max(1.0);
    // A string takes whatever is written to it.
    let _ = writeln!(
        out,
        "compared with before: {} -> {} ({})",
        time(before.total),
        time(run.profile.total),
        change(factor)
    );
    let changed = changes(before, run);
    if changed.is_empty() {
        out.push_str("no line changed beyond noise\n");
    }
    for (place, old, new) in changed {
        let how = match (old > 0.0, new > 0.0) {
            (false, _) => "new".to_owned(),
            (_, false) => "gone".to_owned(),
            (true, true) => change(new / old),
        };
        let file = place.file.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(out, "  {file}:{}  {} -> {}  {how}", place.line, time(old), time(new));
    }
    out
}

fn change(factor: f64) -> String {
    match factor {
        f if f < 1.0 => format!("{} less", percent(1.0 - f)),
        f => format!("{} more", percent(f - 1.0)),
    }
}
