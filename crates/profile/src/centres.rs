//! Reports that know no lines, such as those of other compilers: how long the events of each name took.

use crate::report::Report;
use crate::units::{bytes, percent, time};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The events of one name. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre {
    /// The name, or the place.
    pub name: String,
    /// How many there are.
    pub count: u64,
    /// Their time.
    pub sum: u64,
    /// The shortest.
    pub least: u64,
    /// The longest.
    pub most: u64,
}

/// The events by name, the slowest first.
pub fn by_name(report: &Report) -> Vec<Centre> {
    centres(report.events.iter().map(|event| (event.name.clone(), event.duration())))
}

/// The events by their places.
pub fn by_place(report: &Report) -> Vec<Centre> {
    centres(report.events.iter().map(|event| {
        let place = event.place.as_ref();
        let name = place.map_or("unknown".to_owned(), |p| format!("{}:{}", p.file, p.line));
        (name, event.duration())
    }))
}

fn centres(events: impl Iterator<Item = (String, u64)>) -> Vec<Centre> {
    let mut found: BTreeMap<String, Centre> = BTreeMap::new();
    for (name, time) in events {
        let centre = found.entry(name.clone()).or_insert(Centre {
            name,
            count: 0,
            sum: 0,
            least: u64::MAX,
            most: 0,
        });
        centre.count += 1;
        centre.sum += time;
        centre.least = centre.least.min(time);
        centre.most = centre.most.max(time);
    }
    let mut all: Vec<Centre> = found.into_values().collect();
    all.sort_by(|a, b| b.sum.cmp(&a.sum).then_with(|| a.name.cmp(&b.name)));
    all
}

/// A summary: memory, events by name, events by place.
pub fn summary(report: &Report) -> String {
    let mut out = String::new();
    for (space, size) in &report.memory {
        // A string takes whatever is written to it.
        let _ = writeln!(out, "Peak memory usage for space \"{space}\": {}", bytes(*size as f64));
    }
    for (title, centres) in
        [("cost centre", by_name(report)), ("source location", by_place(report))]
    {
        let all: u64 = centres.iter().map(|centre| centre.sum).sum();
        let width = centres.iter().map(|centre| centre.name.chars().count()).max().unwrap_or(0);
        let width = width.max(title.len());
        let _ = writeln!(
            out,
            "\n{title:<width$}  {:>8}  {:>9}  {:>9}  {:>9}  {:>9}  fraction",
            "count", "sum", "avg", "min", "max"
        );
        for centre in centres {
            let mean = centre.sum as f64 / centre.count.max(1) as f64;
            let _ = writeln!(
                out,
                "{:<width$}  {:>8}  {:>9}  {:>9}  {:>9}  {:>9}  {:>8}",
                centre.name,
                centre.count,
                time(centre.sum as f64),
                time(mean),
                time(centre.least as f64),
                time(centre.most as f64),
                percent(centre.sum as f64 / all.max(1) as f64)
            );
        }
    }
    out
}

/// One event after the other.
pub fn timeline(report: &Report) -> String {
    let mut out = String::new();
    for event in &report.events {
        let place = event.place.as_ref();
        let place = place.map_or("unknown".to_owned(), |p| format!("{}:{}", p.file, p.line));
        let _ = writeln!(
            out,
            "{}\n  at {}, for {}\n  {place}",
            event.name,
            time(event.start as f64),
            time(event.duration() as f64)
        );
    }
    out
}
