//! Messages about programs, sent to the client when they change.

use crate::place::range;
use crate::world::World;
use fehu_analysis::position::Encoding;
use fehu_base::{Diagnostic, Severity, SourceMap, Span};
use fehu_driver::files::{Disk, Files};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Checks one program that has changed, or publishes what has been found.
pub(crate) fn in_background(world: &mut World) {
    let overlay = world.overlay();
    for program in world.programs.values_mut() {
        // An edit has ended the check; it is in the queue.
        if !program.update(&overlay) {
            return;
        }
    }
    publish(world);
}

/// A message about a file.
struct Found {
    /// The name of the file.
    name: String,
    message: Value,
}

fn publish(world: &mut World) {
    world.closed = false;
    let encoding = world.client.encoding;
    let mut found: Vec<Found> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (identity, program) in &mut world.programs {
        program.unpublished = false;
        let sources = program.analysis.sources();
        let root = world.documents.get(identity).map(|document| document.source.name.clone());
        for diagnostic in program.analysis.diagnostics() {
            let place = diagnostic.primary.as_ref().map(|label| label.span);
            let name = match place {
                Some(span) => sources.file(span.file).name.clone(),
                None => root.clone().unwrap_or_default(),
            };
            // Who has a file open is told about it as a program of its own.
            let other = Disk.identity(&name);
            if other != *identity && world.documents.contains_key(&other) {
                continue;
            }
            names.extend(
                diagnostic.secondary.iter().map(|l| sources.file(l.span.file).name.clone()),
            );
            names.insert(name.clone());
            let message = full(encoding, sources, diagnostic);
            found.push(Found { name, message });
        }
    }
    let uris: BTreeMap<String, String> =
        names.into_iter().map(|name| (name.clone(), world.uri_of(&name))).collect();
    let mut new: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for document in world.documents.values() {
        new.insert(document.uri.clone(), Vec::new());
    }
    for Found { name, mut message } in found {
        for related in message["relatedInformation"].as_array_mut().into_iter().flatten() {
            let name = related["location"]["uri"].as_str().unwrap_or("");
            related["location"]["uri"] = uris.get(name).cloned().into();
        }
        let list = new.entry(uris.get(&name).cloned().unwrap_or_default()).or_default();
        if !list.contains(&message) {
            list.push(message);
        }
    }
    // What nobody speaks of any more has nothing wrong.
    let gone: Vec<String> =
        world.published.keys().filter(|uri| !new.contains_key(*uri)).cloned().collect();
    for uri in gone {
        world.published.remove(&uri);
        world.notify("textDocument/publishDiagnostics", &json!({"uri": uri, "diagnostics": []}));
    }
    for (uri, list) in new {
        let version = (world.documents.values().find(|document| document.uri == uri))
            .map(|document| document.version.clone());
        let mut params = json!({"uri": uri, "diagnostics": list});
        if let Some(version) = version {
            params["version"] = version;
        }
        if world.published.get(&uri) != Some(&params) {
            world.notify("textDocument/publishDiagnostics", &params);
            world.published.insert(uri, params);
        }
    }
}

/// A message without what is at other places.
pub(crate) fn brief(
    encoding: Encoding,
    sources: &SourceMap,
    found: &Diagnostic,
    span: Span,
) -> Value {
    let mut message = found.message.clone();
    if let Some(label) = found.primary.as_ref().filter(|label| !label.text.is_empty()) {
        message.push_str(&format!("\n{}", label.text));
    }
    for line in found.notes.iter().chain(&found.help) {
        message.push_str(&format!("\n{line}"));
    }
    let severity = match found.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    let mut answer = json!({
        "range": range(encoding, sources, span),
        "severity": severity,
        "code": found.code,
        "source": "fehu",
        "message": message,
    });
    if found.code.starts_with("unused") {
        answer["tags"] = json!([1]);
    }
    answer
}

/// The whole message. Files have their names for now, and not URIs.
fn full(encoding: Encoding, sources: &SourceMap, found: &Diagnostic) -> Value {
    let Some(label) = &found.primary else {
        let nowhere = json!({"line": 0, "character": 0});
        return json!({
            "range": {"start": nowhere, "end": nowhere},
            "severity": 1,
            "code": found.code,
            "source": "fehu",
            "message": found.message,
        });
    };
    let mut answer = brief(encoding, sources, found, label.span);
    let related: Vec<Value> = (found.secondary.iter())
        .map(|label| {
            let name = &sources.file(label.span.file).name;
            let range = range(encoding, sources, label.span);
            json!({"location": {"uri": name, "range": range}, "message": label.text})
        })
        .collect();
    if !related.is_empty() {
        answer["relatedInformation"] = related.into();
    }
    answer
}
