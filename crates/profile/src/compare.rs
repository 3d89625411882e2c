//! What changed from one profile to another, line by line.

use crate::Run;
use crate::json::VERSION;
use crate::report::Place;
use crate::spread::Range;
use crate::units::{percent, time};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The times of an earlier profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Before {
    /// All of it.
    pub total: Times,
    /// Of each line.
    pub lines: BTreeMap<Place, Times>,
    /// How many runs there were.
    pub runs: u64,
}

/// The time in the run with the median, and of all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The median.
    pub time: f64,
    /// How much runs differ.
    pub range: Range,
}

impl Times {
    /// Of one run.
    fn one(time: f64) -> Times {
        Times { time, range: Range::one(time) }
    }

    /// As `--json` writes it. Profiles of one run may say nothing of others.
    fn read(value: &Value, name: &str) -> Option<Times> {
        let number = |name: &str| value.get(name).and_then(Value::as_f64);
        let time = number(name)?;
        let (least, most) = (number("least").unwrap_or(time), number("most").unwrap_or(time));
        Some(Times { time, range: Range { least, most } })
    }
}

/// A line whose time has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The line.
    pub place: Place,
    /// Its time before, ...
    pub old: f64,
    /// ... and now.
    pub new: f64,
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
    let total = Times::read(&value, "total").ok_or("there is no \"total\"")?;
    let lines = value.get("lines").and_then(Value::as_array).into_iter().flatten();
    let line = |line: &Value| {
        let file = line.get("file")?.as_str()?.to_owned();
        let number = usize::try_from(line.get("line")?.as_u64()?).ok()?;
        Some((Place { file, line: number }, Times::read(line, "time")?))
    };
    let runs = value.get("runs").and_then(Value::as_u64).unwrap_or(1);
    Ok(Before { total, lines: lines.filter_map(line).collect(), runs })
}

/// Whether times differ by more than noise in a run of this length.
fn differ(old: Times, new: Times, whole: f64) -> bool {
    let change = (new.time - old.time).abs();
    change > NOISE * old.time.max(new.time)
        && change > LITTLE * whole
        && old.range.is_apart(new.range)
}

/// The lines whose time changed beyond noise, the largest change first.
pub fn changes(before: &Before, run: &Run) -> Vec<Change> {
    let none = Times::one(0.0);
    let mut all: BTreeMap<Place, (Times, Times)> =
        before.lines.iter().map(|(place, times)| (place.clone(), (*times, none))).collect();
    for line in &run.profile.lines {
        let range = run.spread.lines.get(&line.place).copied();
        let range = range.unwrap_or(Range::one(line.time));
        all.entry(line.place.clone()).or_insert((none, none)).1 = Times { time: line.time, range };
    }
    let whole = before.total.time.max(run.profile.total);
    let mut changed: Vec<Change> = all
        .into_iter()
        .filter(|(_, (old, new))| differ(*old, *new, whole))
        .map(|(place, (old, new))| Change { place, old: old.time, new: new.time })
        .collect();
    let size = |change: &Change| (change.new - change.old).abs();
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
    changed
}

/// For terminals.
pub fn text(before: &Before, run: &Run) -> String {
    let mut out = String::new();
    let old = before.total;
    let new = Times { time: run.profile.total, range: run.spread.total };
    let how = match differ(old, new, old.time.max(new.time)) {
        true => change(new.time / old.time.max(1.0)),
        false => "within noise".to_owned(),
    };
    // A string takes whatever is written to it.
    let _ = writeln!(out, "compared with before: {} -> {} ({how})", time(old.time), time(new.time));
    if before.runs.min(run.spread.runs as u64) > 1 {
        let range = |range: Range| format!("{} to {}", time(range.least), time(range.most));
        let (was, is) = (range(old.range), range(new.range));
        let _ = writeln!(out, "  {} runs: {was}; {} runs: {is}", before.runs, run.spread.runs);
    } else {
        let _ =
            writeln!(out, "  how much runs differ is not known: `--runs 5` for both would tell");
    }
    let changed = changes(before, run);
    if changed.is_empty() {
        out.push_str("no line changed beyond noise\n");
    }
    for Change { place, old, new } in changed {
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
