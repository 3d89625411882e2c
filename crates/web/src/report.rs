//! What the optimiser did with a program: the report of `fehu report`, in parts that a page can place itself.

use crate::{NAME, Program, Say, messages, refused};
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::report::flow::Flow;
use fehu_driver::report::model::{Note, Report};
use fehu_driver::report::svg::{Anchor, svg};
use fehu_driver::report::{make, text};
use fehu_ir::Loc;
use serde_json::{Value, json};

/// Optimises a program and reports on it.
pub(crate) fn report(program: &Program, say: &Say) -> Value {
    let (files, root) = program.files();
    let plan = Plan::of(pipelines::DEFAULT.passes);
    let (report, outcome) = make(&files, &root, &plan);
    let Some(report) = report else {
        messages(say, &outcome.sources, &outcome.diagnostics);
        return refused();
    };
    let placed = report.files.iter().filter(|file| file.name == NAME).flat_map(|file| &file.notes);
    let notes: Vec<Value> = placed.chain(&report.elsewhere).map(note).collect();
    let entries: Vec<Value> = (report.entries.iter())
        .map(|entry| {
            let (before, after) = (picture(&entry.before), picture(&entry.after));
            json!({"name": entry.name, "before": before, "after": after})
        })
        .collect();
    json!({"end": "done", "summary": summary(&report), "notes": notes, "entries": entries})
}

fn summary(report: &Report) -> Vec<Value> {
    text::summary(report).into_iter().map(|(what, number)| json!([what, number])).collect()
}

fn note(note: &Note) -> Value {
    json!({"line": note.line, "kind": note.kind.name(), "text": note.text})
}

/// A picture whose boxes lead to lines of the program; null if there is too much to draw.
fn picture(flow: &Flow) -> Value {
    let anchor = |loc: &Loc| {
        let place = loc.place().filter(|place| place.file == NAME)?;
        let line = place.line;
        Some(Anchor { link: format!("#line-{line}"), text: format!("line {line}") })
    };
    svg(flow, &anchor).into()
}
