//! Answers that show something about a text.

use crate::capabilities::TOKEN_TYPES;
use crate::place::{self, position, range, range_in};
use crate::world::{Failure, World};
use crate::{notes, uri};
use fehu_analysis::hints::Kind as HintKind;
use fehu_analysis::paint::Paint;
use fehu_analysis::position::Encoding;
use fehu_analysis::ranges::Folded;
use fehu_analysis::symbols::{Kind as SymbolKind, Symbol};
use fehu_analysis::{
    complete, hints as hinting, hover as hovering, paint, ranges, symbols as tree,
};
use fehu_base::SourceFile;
use serde_json::{Value, json};

fn uri_of(params: &Value) -> &str {
    params["textDocument"]["uri"].as_str().unwrap_or("")
}

/// `textDocument/hover`
pub(crate) fn hover(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let index = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), &params["position"]);
    let Some(found) = hovering::hover(&view, &index, file, offset) else { return Ok(Value::Null) };
    let range = range(encoding, view.sources, found.span);
    Ok(json!({"contents": world.client.markup(&markdown(&found), false), "range": range}))
}

fn markdown(hover: &hovering::Hover) -> String {
    let mut text = format!("```futhark\n{}\n```", hover.code);
    for part in hover.doc.iter().chain(&hover.notes) {
        text.push_str("\n\n");
        text.push_str(part);
    }
    text
}

/// `textDocument/completion`
pub(crate) fn completion(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let root = uri_of(params);
    let identity = world.identity(root);
    let mut overlay = world.overlay();
    let document = world.documents.get(&identity);
    let document = document.ok_or_else(|| Failure::refused("this text is not open"))?;
    let offset = place::offset(encoding, &document.source, &params["position"]);
    let text = &document.source.text;
    let replaced = complete::wants_placeholder(text, offset as usize);
    if replaced {
        let (before, after) = text.split_at(offset as usize);
        let text = format!("{before}{}{after}", complete::PLACEHOLDER);
        overlay.set(&uri::to_path(root), &text);
    }
    let source = SourceFile::new(String::new(), text.clone());
    let program = world.programs.get_mut(&identity);
    let program = program.ok_or_else(|| Failure::refused("this text is not a program"))?;
    if replaced {
        program.invalidate();
    }
    if !program.update(&overlay) {
        return Err(Failure::overtaken());
    }
    let Some(file) = program.analysis.root() else { return Ok(Value::Null) };
    let view = program.view();
    let found = complete::complete(&view, file, offset);
    let replace = range_in(encoding, &source, found.start, offset);
    let begun = source.text[found.start as usize..offset as usize].chars().next();
    let begins =
        |name: &str| begun.is_none_or(|c| name.to_lowercase().starts_with(c.to_ascii_lowercase()));
    let mut items = Vec::new();
    for (at, item) in found.items.iter().enumerate().filter(|(_, item)| begins(&item.name)) {
        let place = item.target.and_then(|t| fehu_analysis::index::place(view.program, t));
        let data = place.map(|place| {
            let name = &view.sources.file(place.file).name;
            json!({"uri": root, "file": name, "offset": place.start})
        });
        items.push(json!({
            "label": item.name,
            "kind": completion_kind(item.kind),
            "detail": item.detail,
            "sortText": format!("{}{at:05}", item.rank),
            "textEdit": {"range": replace, "newText": item.name},
            "data": data,
        }));
    }
    if let Some(written) = &found.import {
        let folder = uri::to_path(root);
        let files = files_for(&folder, written).into_iter().filter(|(name, _)| begins(name));
        items.extend(files.map(|(name, kind)| {
            json!({"label": name, "kind": kind, "textEdit": {"range": replace, "newText": name}})
        }));
    }
    if replaced {
        program.invalidate();
    }
    Ok(json!({"isIncomplete": false, "items": items}))
}

fn completion_kind(kind: complete::Kind) -> u8 {
    match kind {
        complete::Kind::Function => 3,
        complete::Kind::Field => 5,
        complete::Kind::Variable => 6,
        complete::Kind::ModuleType => 8,
        complete::Kind::Module => 9,
        complete::Kind::Attribute => 10,
        complete::Kind::Keyword => 14,
        complete::Kind::Constructor => 20,
        complete::Kind::Constant => 21,
        complete::Kind::Type => 22,
    }
}

/// The files and folders that an import could go on with, and their kinds.
fn files_for(root: &str, written: &str) -> Vec<(String, u8)> {
    let folder = written.rfind('/').map_or("", |at| &written[..=at]);
    if let Some(inside) = folder.strip_prefix(fehu_driver::paths::PRELUDE) {
        let names = fehu_driver::prelude::files().map(|(name, _)| (name.to_owned(), 17));
        return if inside.is_empty() { names.collect() } else { Vec::new() };
    }
    let beside = root.rfind('/').map_or("", |at| &root[..=at]);
    let path =
        if folder.starts_with('/') { folder.to_owned() } else { format!("{beside}{folder}") };
    let path = if path.is_empty() { "." } else { &path };
    let mut found: Vec<(String, u8)> = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            if entry.path().is_dir() {
                return (!name.starts_with('.')).then_some((name, 19));
            }
            let own = format!("{beside}{name}") == root;
            name.strip_suffix(".fut").filter(|_| !own).map(|name| (name.to_owned(), 17))
        })
        .collect();
    found.sort();
    found
}

/// `completionItem/resolve`
pub(crate) fn resolve(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let mut item = params.clone();
    let data = &params["data"];
    let Some(root) = data["uri"].as_str() else { return Ok(item) };
    let (program, _) = world.program(root)?;
    let name = data["file"].as_str().unwrap_or("");
    let file = program.view().sources.iter().find(|(_, f)| f.name == name).map(|(id, _)| id);
    let Some(file) = file else { return Ok(item) };
    let index = program.index(file);
    let view = program.view();
    let offset = u32::try_from(data["offset"].as_u64().unwrap_or(0)).unwrap_or(0);
    if let Some(found) = hovering::hover(&view, &index, file, offset) {
        item["detail"] = hovering::one_line(&found.code).into();
        if let Some(doc) = found.doc {
            item["documentation"] = world.client.markup(&doc, true);
        }
    }
    Ok(item)
}

/// `textDocument/signatureHelp`
pub(crate) fn signature(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let index = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), &params["position"]);
    let found = fehu_analysis::signature::signature(&view, &index, file, offset);
    let Some(found) = found else { return Ok(Value::Null) };
    let params: Vec<Value> = found
        .params
        .iter()
        .map(|(start, end)| json!({"label": &found.text[*start..*end]}))
        .collect();
    let doc = found.doc.map(|doc| world.client.markup(&doc, false));
    Ok(json!({
        "signatures": [{
            "label": found.text,
            "documentation": doc,
            "parameters": params,
            "activeParameter": found.active,
        }],
        "activeSignature": 0,
        "activeParameter": found.active,
    }))
}

/// `textDocument/inlayHint`
pub(crate) fn hints(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let root = uri_of(params);
    let identity = world.identity(root);
    let (program, file) = world.program(root)?;
    let index = program.index(file);
    let view = program.view();
    let source = view.sources.file(file);
    let at = |end: &str| place::offset(encoding, source, &params["range"][end]);
    let (start, end) = (at("start"), at("end"));
    let found = hinting::hints(&view, &index, file, (start, end));
    let source = source.clone();
    let wanted = &world.client.settings;
    let mut answer = Vec::new();
    for hint in found {
        let (shown, kind, left, right) = match hint.kind {
            HintKind::Type => (wanted.types, 1, false, false),
            HintKind::Size => (wanted.sizes, 1, false, false),
            HintKind::Parameter => (wanted.parameters, 2, false, true),
        };
        if !shown {
            continue;
        }
        let edits: Vec<Value> = (hint.edits.iter())
            .map(|(at, text)| {
                json!({"range": range_in(encoding, &source, *at, *at), "newText": text})
            })
            .collect();
        answer.push(json!({
            "position": position(encoding, &source, hint.at),
            "label": hint.text,
            "kind": kind,
            "textEdits": edits,
            "paddingLeft": left,
            "paddingRight": right,
        }));
    }
    if wanted.performance {
        answer.extend(notes::hints(world, &identity, &source, (start, end)));
    }
    Ok(answer.into())
}

/// `textDocument/semanticTokens/full`
pub(crate) fn tokens(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let index = program.index(file);
    let view = program.view();
    let source = view.sources.file(file);
    let mut data: Vec<u32> = Vec::new();
    let (mut line, mut column) = (0, 0);
    for token in paint::paint(&view, &index, file) {
        let start = encoding.position(source, token.span.start);
        let end = encoding.position(source, token.span.end);
        // What goes over several lines is not for this request.
        if end.line != start.line || end.column <= start.column {
            continue;
        }
        let delta = if start.line == line { start.column - column } else { start.column };
        let (kind, size) = token_type(token.paint);
        let modifiers =
            u32::from(token.definition) | u32::from(token.library) << 1 | u32::from(size) << 2;
        data.extend([start.line - line, delta, end.column - start.column, kind, modifiers]);
        (line, column) = (start.line, start.column);
    }
    Ok(json!({"data": data}))
}

/// The kind of a token in [`TOKEN_TYPES`], and whether it is a size.
fn token_type(paint: Paint) -> (u32, bool) {
    let name = match paint {
        Paint::Module => "namespace",
        Paint::Type => "type",
        Paint::TypeParameter => "typeParameter",
        Paint::ModuleType => "interface",
        Paint::Parameter => "parameter",
        Paint::Variable | Paint::Size => "variable",
        Paint::Field => "property",
        Paint::Constructor => "enumMember",
        Paint::Function => "function",
        Paint::Keyword => "keyword",
        Paint::Number => "number",
        Paint::String => "string",
        Paint::Operator => "operator",
        Paint::Comment => "comment",
        Paint::Attribute => "macro",
    };
    let at = TOKEN_TYPES.iter().position(|other| *other == name).unwrap_or(0);
    (at as u32, paint == Paint::Size)
}

/// `textDocument/documentSymbol`
pub(crate) fn symbols(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let view = program.view();
    let source = view.sources.file(file);
    let all = tree::symbols(&view, file);
    Ok(all.iter().map(|symbol| symbol_json(encoding, source, symbol)).collect())
}

fn symbol_json(encoding: Encoding, source: &SourceFile, symbol: &Symbol) -> Value {
    let children: Value =
        symbol.children.iter().map(|child| symbol_json(encoding, source, child)).collect();
    json!({
        "name": symbol.name,
        "detail": symbol.detail,
        "kind": symbol_kind(symbol.kind),
        "range": range_in(encoding, source, symbol.span.start, symbol.span.end),
        "selectionRange": range_in(encoding, source, symbol.name_span.start, symbol.name_span.end),
        "children": children,
    })
}

/// The number of a kind in the protocol.
pub(crate) fn symbol_kind(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Module => 2,
        SymbolKind::Type => 23,
        SymbolKind::ModuleType => 11,
        SymbolKind::Function | SymbolKind::Entry => 12,
        SymbolKind::Constant => 14,
    }
}

/// `textDocument/foldingRange`
pub(crate) fn folds(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let (program, file) = world.program(uri_of(params))?;
    let found = ranges::folds(&program.view(), file);
    let fold = |fold: &ranges::Fold| {
        let mut answer = json!({"startLine": fold.first, "endLine": fold.last});
        match fold.kind {
            Folded::Code => {}
            Folded::Comment => answer["kind"] = "comment".into(),
            Folded::Imports => answer["kind"] = "imports".into(),
        }
        answer
    };
    Ok(found.iter().map(fold).collect())
}

/// `textDocument/selectionRange`
pub(crate) fn selections(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let view = program.view();
    let source = view.sources.file(file);
    let answer = |wanted: &Value| {
        let spans = ranges::around(&view, file, place::offset(encoding, source, wanted));
        let mut outer = Value::Null;
        for span in spans.iter().rev() {
            let mut selection = json!({"range": range(encoding, view.sources, *span)});
            if !outer.is_null() {
                selection["parent"] = outer;
            }
            outer = selection;
        }
        outer
    };
    Ok(params["positions"].as_array().into_iter().flatten().map(answer).collect())
}

/// `textDocument/documentLink`
pub(crate) fn links(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(uri_of(params))?;
    let view = program.view();
    let imports = view.unit(file).map_or(&[][..], |unit| &unit.imports);
    let found: Vec<(Value, String)> = (imports.iter())
        .map(|(span, to)| {
            (range(encoding, view.sources, *span), view.sources.file(*to).name.clone())
        })
        .collect();
    let link =
        |(range, name): (Value, String)| json!({"range": range, "target": world.uri_of(&name)});
    Ok(found.into_iter().map(link).collect())
}
