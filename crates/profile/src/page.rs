//! One page with everything: no fonts, scripts or pictures from elsewhere.
//!
//! - the slowest lines and what to do about them;
//! - the source, with the share of each line;
//! - a timeline, which `timeline.js` draws on a canvas: the wheel zooms, dragging moves;
//! - a flame graph, memory over time, and the roofline ([`drawings`]);
//! - thresholds.

mod drawings;

use crate::Run;
use crate::lines::Line;
use crate::report::Track;
use crate::table;
use crate::trace::{name, nested};
use crate::units::{percent, short, time};
use fehu_base::markup::escape;
use serde_json::{Value, json};
use std::fmt::Write;

const STYLE: &str = include_str!("page/profile.css");
const SCRIPT: &str = include_str!("page/timeline.js");
/// More events than this are not drawn: the longest are.
const MOST_EVENTS: usize = 20_000;

/// The page of a run.
pub fn page(run: &Run) -> String {
    let title = table::title(run);
    let mut body = format!("<h1>{}</h1>\n", escape(&title));
    // A string takes whatever is written to it.
    if let Some(why) = &run.failed {
        let _ = writeln!(body, "<p class=\"failed\">The run failed: {}</p>", escape(why));
    }
    body.push_str(&bar(run));
    body.push_str(&lines(run));
    body.push_str(&sources(run));
    if !run.report.events.is_empty() {
        let data = events(run).to_string().replace("</", "<\\/");
        let _ = writeln!(
            body,
            "<h2>Timeline</h2>\n<p class=\"hint\">The wheel zooms, dragging moves, a double click shows all.</p>\n\
             <canvas id=\"timeline\"></canvas>\n<p id=\"told\" class=\"hint\">&nbsp;</p>\n\
             <script id=\"events\" type=\"application/json\">{data}</script>\n<script>{SCRIPT}</script>"
        );
        let _ = writeln!(body, "<h2>Flame graph</h2>\n{}", drawings::flame(run));
    }
    body.push_str(&drawings::memory(run).unwrap_or_default());
    body.push_str(&drawings::roofline(run).unwrap_or_default());
    body.push_str(&thresholds(run));
    let head = format!("<style>{}{STYLE}</style>\n", fehu_page::STYLE);
    fehu_page::page(&title, &head, &body)
}

/// What the whole consists of, as a bar.
fn bar(run: &Run) -> String {
    let profile = &run.profile;
    let lines: f64 = profile.lines.iter().map(|line| line.time).sum();
    let rest =
        if run.report.device.is_some() { "host and waiting" } else { "outside of operators" };
    let parts = [
        ("lines", lines, "a"),
        ("operators without a line", profile.unknown, "b"),
        ("copies", profile.copies, "c"),
        ("allocation", profile.allocation, "d"),
        (rest, profile.rest, "e"),
    ];
    let (mut bar, mut legend) = (String::new(), String::new());
    for (name, value, class) in parts.into_iter().filter(|(_, value, _)| *value > 0.0) {
        let share = value / profile.total;
        let _ =
            write!(bar, "<span class=\"{class}\" style=\"width:{:.2}%\"></span>", 100.0 * share);
        let _ = write!(legend, "<li><i class=\"{class}\"></i>{name} {}</li>", percent(share));
    }
    format!("<div class=\"bar\">{bar}</div>\n<ul class=\"legend\">{legend}</ul>\n")
}

fn lines(run: &Run) -> String {
    let mut out = String::from(
        "<h2>Lines</h2>\n<table>\n<thead><tr><th>line</th><th>share</th><th>time</th><th>calls</th>\
         <th>GB/s</th><th>of bus</th><th>Gop/s</th><th>what limits it, and what to do</th></tr></thead>\n",
    );
    for line in run.profile.lines.iter().take(30) {
        let about = if line.exact { "" } else { "≈ " };
        let amount = |value: f64| match value > 0.0 {
            true => format!("{about}{}", short(value / 1e9)),
            false => "–".to_owned(),
        };
        let of_bus = line.of_bus.filter(|share| *share > 0.0).map_or("–".to_owned(), percent);
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{of_bus}</td>\
             <td>{}</td><td>{}{}</td></tr>",
            anchor(line),
            escape(&table::name(run, line)),
            percent(line.time / run.profile.total),
            time(line.time),
            line.calls,
            amount(line.bandwidth),
            amount(line.rate),
            escape(&line.verdict.advice()),
            fused(line)
        );
    }
    out.push_str("</table>\n");
    out
}

fn fused(line: &Line) -> String {
    let others: Vec<String> = line.fused.iter().map(|place| place.line.to_string()).collect();
    match others.len() {
        0 => String::new(),
        1 => format!(" <small>fused with line {}</small>", others[0]),
        _ => format!(" <small>fused with lines {}</small>", others.join(", ")),
    }
}

fn anchor(line: &Line) -> String {
    let file: String =
        line.place.file.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{file}-{}", line.place.line)
}

/// The files with lines that took time.
fn sources(run: &Run) -> String {
    let mut out = String::new();
    for (file, text) in &run.sources {
        let here = |number: usize| {
            let mut lines = run.profile.lines.iter();
            lines.find(|line| line.place.file == *file && line.place.line == number)
        };
        if !run.profile.lines.iter().any(|line| line.place.file == *file) {
            continue;
        }
        let _ = writeln!(out, "<h2>{}</h2>\n<pre class=\"source\"><code>", escape(file));
        for (index, code) in fehu_page::code(text).lines().enumerate() {
            let (number, found) = (index + 1, here(index + 1));
            let (share, id, tip) = match found {
                Some(line) => (
                    line.time / run.profile.total,
                    format!(" id=\"{}\"", anchor(line)),
                    format!(" title=\"{}\"", escape(&line.verdict.advice())),
                ),
                None => (0.0, String::new(), String::new()),
            };
            let shown = if found.is_some() { percent(share) } else { String::new() };
            // A line of one per cent should still be seen.
            let heat = if found.is_some() { 8.0 + 60.0 * share } else { 0.0 };
            let _ = write!(
                out,
                "<span class=\"row\"{id}{tip} style=\"--heat:{heat:.0}%\"><b>{number}</b><u>{shown}</u>{code}</span>"
            );
        }
        out.push_str("</code></pre>\n");
    }
    out
}

/// The events, for the script: the names, and for each track its events as beginning, end, depth, name, line.
fn events(run: &Run) -> Value {
    let mut events: Vec<_> = run.report.events.iter().collect();
    if events.len() > MOST_EVENTS {
        events.sort_by_key(|event| std::cmp::Reverse(event.duration()));
        events.truncate(MOST_EVENTS);
    }
    let events: Vec<_> = events.into_iter().cloned().collect();
    let mut names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut tracks: Vec<Track> = events.iter().map(|event| event.track).collect();
    tracks.sort();
    tracks.dedup();
    let start = events.iter().map(|event| event.start).min().unwrap_or(0);
    let tracks: Vec<Value> = tracks
        .into_iter()
        .map(|track| {
            let mut open: Vec<u64> = Vec::new();
            let mut rows: Vec<Value> = Vec::new();
            for (event, from, to) in nested(&events, track) {
                while open.last().is_some_and(|end| *end <= from) {
                    open.pop();
                }
                let number = names.binary_search(&event.name.as_str()).unwrap_or(0);
                let line = event.place.as_ref().map_or(0, |place| place.line);
                rows.push(json!([from - start, to - start, open.len(), number, line]));
                open.push(to);
            }
            json!({ "name": name(track), "events": rows })
        })
        .collect();
    json!({ "names": names, "tracks": tracks })
}

fn thresholds(run: &Run) -> String {
    if run.report.compared.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<h2>Thresholds</h2>\n<p class=\"hint\">What thresholds between versions of the code were compared with; \
         <code>fehu autotune</code> sets them.</p>\n<table>\n<tr><th>threshold</th><th>compared with</th></tr>\n",
    );
    for (name, value) in &run.report.compared {
        let _ = writeln!(out, "<tr><td><code>{}</code></td><td>{value}</td></tr>", escape(name));
    }
    out.push_str("</table>\n");
    out
}
