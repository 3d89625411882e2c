//! Answers that change texts: other names, formatted texts, and what messages advise.

use crate::navigate::{declared, each_program, files_with};
use crate::place::{self, range, range_in};
use crate::publish;
use crate::uri;
use crate::world::{Failure, World};
use fehu_analysis::rename::{self as renaming, Meaning};
use fehu_analysis::{View, hints};
use fehu_base::{Diagnostic, FileId, Fix, Span};
use fehu_driver::check;
use fehu_driver::files::Disk;
use fehu_driver::files::Files;
use fehu_driver::load::Root;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn uri_of(params: &Value) -> &str {
    params["textDocument"]["uri"].as_str().unwrap_or("")
}

/// `textDocument/prepareRename`
pub(crate) fn prepare_rename(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let index = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), &params["position"]);
    let (span, _) = renaming::target(&view, &index, offset).map_err(Failure::refused)?;
    let (range, name) = (range(encoding, view.sources, span), view.text(span));
    Ok(json!({"range": range, "placeholder": name}))
}

/// The edits of one file.
type Edits = Vec<(Span, String)>;

/// `textDocument/rename`
pub(crate) fn rename(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let name = params["newName"].as_str().unwrap_or("");
    renaming::check_name(name).map_err(Failure::refused)?;
    let (program, file) = world.program(uri_of(params))?;
    let index = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), &params["position"]);
    renaming::target(&view, &index, offset).map_err(Failure::refused)?;
    let declared = declared(world, uri_of(params), &params["position"])?
        .ok_or_else(|| Failure::refused("there is no name here"))?;
    // The texts after the change, and the change by file, because several programs may have the same file.
    let mut renamed = world.overlay();
    let mut changes: BTreeMap<String, (String, Vec<Value>)> = BTreeMap::new();
    each_program(world, &declared, &mut |program| {
        for (file, index, place) in files_with(program, &declared) {
            let view = program.view();
            let edits = renaming::edits(&view, &index, place, name);
            if edits.is_empty() {
                continue;
            }
            let source = view.sources.file(file);
            renamed.set(&source.name, &edited(&source.text, &edits));
            let edits = edits.iter().map(|(span, text)| {
                json!({"range": range(encoding, view.sources, *span), "newText": text})
            });
            let change = (source.name.clone(), edits.collect());
            changes.insert(Disk.identity(&source.name), change);
        }
        Ok(())
    })?;
    // Whether every program still means the same is decided by checking it.
    each_program(world, &declared, &mut |program| {
        let mut edits: FxHashMap<FileId, Edits> = FxHashMap::default();
        let mut before = Meaning::default();
        for (file, index, place) in files_with(program, &declared) {
            let view = program.view();
            edits.insert(file, renaming::edits(&view, &index, place, name));
            before.extend(renaming::meaning(&view, &index));
        }
        if edits.values().all(Vec::is_empty) {
            return Ok(());
        }
        let errors = |found: &[Diagnostic]| found.iter().filter(|d| d.is_error()).count();
        let known = errors(program.analysis.diagnostics());
        let texts: Vec<String> = before_texts(&program.view(), &edits);
        program.invalidate();
        let complete = program.update(&renamed);
        let refused = refusal(program, known, &before, &edits, &texts);
        program.invalidate();
        if !complete {
            return Err(Failure::overtaken());
        }
        refused.map_or(Ok(()), |why| Err(Failure::refused(why)))
    })?;
    let mut answer = json!({});
    for (path, edits) in changes.into_values() {
        answer[world.uri_of(&path)] = edits.into();
    }
    Ok(json!({"changes": answer}))
}

fn before_texts(view: &View<'_>, edits: &FxHashMap<FileId, Edits>) -> Vec<String> {
    view.sources
        .iter()
        .map(|(id, file)| if edits.contains_key(&id) { file.text.clone() } else { String::new() })
        .collect()
}

/// Why a change of names is refused, if it is.
fn refusal(
    program: &mut crate::world::Program,
    known: usize,
    before: &Meaning,
    edits: &FxHashMap<FileId, Edits>,
    texts: &[String],
) -> Option<String> {
    let found: Vec<&Diagnostic> =
        program.analysis.diagnostics().iter().filter(|d| d.is_error()).collect();
    if found.len() > known {
        return Some(format!("the program would be wrong: {}", found[0].message));
    }
    let files: Vec<FileId> = program.view().units.iter().map(|unit| unit.id).collect();
    let mut after = Meaning::default();
    for file in files.into_iter().filter(|file| edits.contains_key(file)) {
        let index = program.index(file);
        after.extend(renaming::meaning(&program.view(), &index));
    }
    let span = renaming::same(before, &after, edits).err()?;
    let text = texts.get(span.file.0 as usize).map_or("", String::as_str);
    let word = text.get(span.range()).unwrap_or("");
    let line = text.get(..span.start as usize).unwrap_or("").matches('\n').count() + 1;
    Some(format!("\"{word}\" on line {line} would mean something else"))
}

/// The text after edits, which are in order.
fn edited(text: &str, edits: &Edits) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        out.push_str(&text[at..span.start as usize]);
        out.push_str(new);
        at = span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// `textDocument/formatting`
pub(crate) fn format(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let uri = uri_of(params);
    let document = world.documents.get(&world.identity(uri));
    let document = document.ok_or_else(|| Failure::refused("this text is not open"))?;
    let root = Root::Bytes(uri::to_path(uri), document.source.text.clone().into_bytes());
    let (formatted, outcome) = check::format(&Disk, &root);
    let Some(formatted) = formatted else {
        let message = outcome.diagnostics.first().map_or("", |d| d.message.as_str());
        // The code is that of the peer.
        return Err(Failure { code: -32700, message: format!("it does not parse: {message}") });
    };
    let old = &document.source.text;
    if *old == formatted {
        return Ok(Value::Null);
    }
    // Only the lines between the first and the last that differ.
    let same = |(a, b): &(&str, &str)| a == b;
    let lines = old.split_inclusive('\n').zip(formatted.split_inclusive('\n'));
    let start: usize = lines.take_while(same).map(|(line, _)| line.len()).sum();
    let (left, right) = (&old[start..], &formatted[start..]);
    let lines = left.split_inclusive('\n').rev().zip(right.split_inclusive('\n').rev());
    let end: usize = lines.take_while(same).map(|(line, _)| line.len()).sum();
    let range = range_in(encoding, &document.source, start as u32, (old.len() - end) as u32);
    Ok(json!([{"range": range, "newText": &right[..right.len() - end]}]))
}

/// `textDocument/codeAction`
pub(crate) fn actions(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let uri = uri_of(params).to_owned();
    let only = params["context"]["only"].as_array();
    let wanted = |kind: &str| {
        let begins = |wanted: &Value| wanted.as_str().is_some_and(|w| kind.starts_with(w));
        only.is_none_or(|only| only.iter().any(begins))
    };
    let (program, file) = world.program(&uri)?;
    let index = program.index(file);
    let view = program.view();
    let source = view.sources.file(file);
    let at = |end: &str| place::offset(encoding, source, &params["range"][end]);
    let (start, end) = (at("start"), at("end"));
    let touches = |span: Span| span.file == file && span.start <= end && start <= span.end;
    let mut answer = Vec::new();
    let edit = |fix: &Fix| -> Option<Value> {
        let own = fix.edits.iter().all(|(span, _)| span.file == file);
        let edits = fix.edits.iter().map(
            |(span, text)| json!({"range": range(encoding, view.sources, *span), "newText": text}),
        );
        own.then(|| edits.collect())
    };
    let change = |edits: Value| json!({"changes": {uri.as_str(): edits}});
    let diagnostics = program.analysis.diagnostics();
    for found in diagnostics.iter().filter(|_| wanted("quickfix")) {
        let Some(label) = found.primary.as_ref().filter(|label| touches(label.span)) else {
            continue;
        };
        for fix in &found.fixes {
            let Some(edits) = edit(fix) else { continue };
            answer.push(json!({
                "title": fix.message,
                "kind": "quickfix",
                "isPreferred": found.fixes.len() == 1,
                "diagnostics": [publish::brief(encoding, view.sources, found, label.span)],
                "edit": change(edits),
            }));
        }
    }
    if wanted("source.fixAll") {
        let edits = all_fixes(diagnostics, file);
        let edits: Vec<Value> = (edits.iter())
            .map(|(span, text)| {
                json!({"range": range(encoding, view.sources, *span), "newText": text})
            })
            .collect();
        if !edits.is_empty() {
            let title = "apply all fixes that leave no choice";
            let edit = change(edits.into());
            answer.push(json!({"title": title, "kind": "source.fixAll", "edit": edit}));
        }
    }
    if wanted("refactor.rewrite") {
        for hint in hints::hints(&view, &index, file, (start, end)) {
            if hint.edits.is_empty() {
                continue;
            }
            let edits: Vec<Value> = (hint.edits.iter())
                .map(|(at, text)| {
                    json!({"range": range_in(encoding, source, *at, *at), "newText": text})
                })
                .collect();
            let what = match hint.kind {
                hints::Kind::Type => "type",
                hints::Kind::Size => "size",
                hints::Kind::Parameter => "name",
            };
            let title = format!("write the {what} `{}`", hint.text.trim_start_matches(": "));
            let edit = change(edits.into());
            answer.push(json!({"title": title, "kind": "refactor.rewrite", "edit": edit}));
        }
    }
    Ok(answer.into())
}

/// The edits of all messages with one fix, as far as they do not overlap.
fn all_fixes(diagnostics: &[Diagnostic], file: FileId) -> Edits {
    let mut all: Edits = Vec::new();
    for found in diagnostics {
        let [fix] = found.fixes.as_slice() else { continue };
        let apart = |span: &Span| {
            let before = |other: &Span| other.end < span.start || span.end < other.start;
            span.file == file && all.iter().all(|(other, _)| before(other))
        };
        if fix.edits.iter().all(|(span, _)| apart(span)) {
            all.extend(fix.edits.iter().cloned());
        }
    }
    all
}
