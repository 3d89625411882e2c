//! A report as JSON, for tools.
//!
//! ```json
//! {"program": "a.fut",
//!  "summary": {"operators_before": 4, "operators_after": 2, "arrays_before": 3, "arrays_after": 1, "copies": 0,
//!              "checks_proved": 1, "checks_hoisted": 0, "checks_once": 0, "checks_repeated": 0,
//!              "checks_positions": 0},
//!  "notes": [{"file": "a.fut", "line": 3, "column": 5, "kind": "done", "text": "..."}],
//!  "entries": [{"name": "main", "before": {"nodes": [{"kind": "operator", "label": "map", "place": "a.fut:3:5-9",
//!               "inner": null}], "edges": [{"from": 0, "to": 1, "type": "[n]f64", "array": true}]}, "after": ...}]}
//! ```
//!
//! The kinds of notes are `done`, `missed`, `made`, `copy`, `check` and `nest`; a note without a place has no file,
//! line and column.

use super::flow::Flow;
use super::model::{Note, Report};
use fehu_base::render::json::Json;

/// The whole report, as one line.
pub fn json(report: &Report) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.field("program", &report.program);
        json.key("summary");
        json.object(|json| summary(json, report));
        json.key("notes");
        let placed = report
            .files
            .iter()
            .flat_map(|file| file.notes.iter().map(|note| (Some(file.name.as_str()), note)));
        let elsewhere = report.elsewhere.iter().map(|note| (None, note));
        json.array(placed.chain(elsewhere), |json, (file, note)| self::note(json, file, note));
        json.key("entries");
        json.array(&report.entries, |json, entry| {
            json.object(|json| {
                json.field("name", &entry.name);
                json.key("before");
                flow(json, &entry.before);
                json.key("after");
                flow(json, &entry.after);
            });
        });
    });
    json.text.push('\n');
    json.text
}

fn summary(json: &mut Json, report: &Report) {
    let summary = &report.summary;
    number(json, "operators_before", summary.operators.0);
    number(json, "operators_after", summary.operators.1);
    number(json, "arrays_before", summary.arrays.0);
    number(json, "arrays_after", summary.arrays.1);
    number(json, "copies", summary.copies);
    number(json, "checks_proved", summary.checks.proved);
    number(json, "checks_hoisted", summary.checks.hoisted);
    number(json, "checks_once", summary.checks.once);
    number(json, "checks_repeated", summary.checks.repeated);
    number(json, "checks_positions", summary.checks.positions);
    json.key("memory");
    json.object(|json| summary.memory.iter().for_each(|(entry, bytes)| json.field(entry, bytes)));
}

fn note(json: &mut Json, file: Option<&str>, note: &Note) {
    json.object(|json| {
        if let Some(file) = file {
            json.field("file", file);
            number(json, "line", note.line);
            number(json, "column", note.column);
        }
        json.field("kind", note.kind.name());
        json.field("text", &note.text);
    });
}

fn flow(json: &mut Json, flow: &Flow) {
    json.object(|json| {
        json.key("nodes");
        json.array(&flow.nodes, |json, node| {
            json.object(|json| {
                json.field("kind", node.kind.name());
                json.field("label", &node.label);
                json.key("place");
                match &node.loc {
                    Some(loc) => json.string(&loc.0),
                    None => json.raw("null"),
                }
                json.key("inner");
                match &node.inner {
                    Some(inner) => self::flow(json, inner),
                    None => json.raw("null"),
                }
            });
        });
        json.key("edges");
        json.array(&flow.edges, |json, edge| {
            json.object(|json| {
                number(json, "from", edge.from);
                number(json, "to", edge.to);
                json.field("type", &edge.label);
                json.key("array");
                json.raw(if edge.array { "true" } else { "false" });
            });
        });
    });
}

fn number(json: &mut Json, key: &str, number: usize) {
    json.key(key);
    json.raw(&number.to_string());
}
