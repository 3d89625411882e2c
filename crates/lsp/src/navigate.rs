//! Where things are declared, and where they are used.

use crate::place::{self, range};
use crate::show::symbol_kind;
use crate::uri;
use crate::world::{Failure, Overlay, Program, World};
use fehu_analysis::symbols::{Symbol, symbols};
use fehu_analysis::{Unit, View, index, rename};
use fehu_base::{FileId, SourceMap, Span};
use fehu_driver::files::{Disk, Files};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// No more files of the folders are looked at.
const MAX_FILES: usize = 5000;

/// A thing that is declared somewhere, in terms that all programs share.
pub(crate) struct Declared {
    /// What it is called.
    pub(crate) name: String,
    /// What identifies the file.
    file: String,
    start: u32,
    end: u32,
    /// Whether other files can use it.
    exported: bool,
}

/// `textDocument/definition`
pub(crate) fn definition(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let root = params["textDocument"]["uri"].as_str().unwrap_or("");
    let (program, file) = world.program(root)?;
    let found_names = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), &params["position"]);
    let inside = |span: &Span| span.start <= offset && offset <= span.end;
    let place = match found_names.at(offset) {
        Some(found) => index::place(view.program, found.target),
        None => {
            let imports = view.unit(file).map_or(&[][..], |unit| &unit.imports);
            let import = imports.iter().find(|(span, _)| inside(span));
            import.map(|(_, target)| Span::new(*target, 0, 0))
        }
    };
    let Some(place) = place else { return Ok(Value::Null) };
    let name = view.sources.file(place.file).name.clone();
    let range = range(encoding, view.sources, place);
    Ok(json!({"uri": world.uri_of(&name), "range": range}))
}

/// `textDocument/documentHighlight`
pub(crate) fn highlights(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let root = params["textDocument"]["uri"].as_str().unwrap_or("");
    let (program, file) = world.program(root)?;
    let names = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), &params["position"]);
    let target = names.at(offset).map(|found| found.target);
    let Some(place) = target.and_then(|target| index::place(view.program, target)) else {
        return Ok(Value::Null);
    };
    let highlight = |found: index::Occurrence| {
        let kind = if found.definition { 3 } else { 2 };
        json!({"range": range(encoding, view.sources, found.span), "kind": kind})
    };
    Ok(names.of(&view, place).map(highlight).collect())
}

/// `textDocument/references`
pub(crate) fn references(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let encoding = world.client.encoding;
    let root = params["textDocument"]["uri"].as_str().unwrap_or("");
    let Some(declared) = declared(world, root, &params["position"])? else {
        return Ok(Value::Null);
    };
    let with_declaration = params["context"]["includeDeclaration"] != false;
    // By file and byte, because several programs may have the same file.
    let mut found: BTreeMap<(String, u32), (String, Value)> = BTreeMap::new();
    each_program(world, &declared, &mut |program| {
        for (file, names, place) in files_with(program, &declared) {
            let view = program.view();
            let source = view.sources.file(file);
            let identity = Disk.identity(&source.name);
            for used in names.of(&view, place).filter(|used| with_declaration || !used.definition) {
                let range = range(encoding, view.sources, used.span);
                let key = (identity.clone(), used.span.start);
                found.insert(key, (source.name.clone(), range));
            }
        }
        Ok(())
    })?;
    let location =
        |(name, range): (String, Value)| json!({"uri": world.uri_of(&name), "range": range});
    Ok(found.into_values().map(location).collect())
}

/// What the name at a position refers to.
pub(crate) fn declared(
    world: &mut World,
    root: &str,
    position: &Value,
) -> Result<Option<Declared>, Failure> {
    let encoding = world.client.encoding;
    let (program, file) = world.program(root)?;
    let names = program.index(file);
    let view = program.view();
    let offset = place::offset(encoding, view.sources.file(file), position);
    let Some(found) = names.at(offset) else { return Ok(None) };
    let Some(place) = index::place(view.program, found.target) else { return Ok(None) };
    let place = names.representative(place);
    Ok(Some(Declared {
        name: index::name_of(&view, found.target).to_owned(),
        file: Disk.identity(&view.sources.file(place.file).name),
        start: place.start,
        end: place.end,
        exported: rename::is_exported(&view, place),
    }))
}

/// Calls a function on every program that may use a thing: those that are open, and those of the folders.
pub(crate) fn each_program(
    world: &mut World,
    declared: &Declared,
    f: &mut dyn FnMut(&mut Program) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let overlay = world.overlay();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (identity, program) in &mut world.programs {
        seen.insert(identity.clone());
        if !program.update(&overlay) {
            return Err(Failure::overtaken());
        }
        f(program)?;
    }
    if !declared.exported || declared.file.starts_with(fehu_driver::paths::PRELUDE) {
        return Ok(());
    }
    for path in files_below(&world.folders) {
        let identity = Disk.identity(&path);
        // Without the name in it, a file does not use the thing.
        let mentions = || {
            let text = overlay.read(&path).unwrap_or_default();
            String::from_utf8_lossy(&text).contains(&declared.name)
        };
        if !seen.insert(identity) || !mentions() {
            continue;
        }
        let mut program = Program::new(&path, &world.queue);
        if !program.update(&overlay) {
            return Err(Failure::overtaken());
        }
        f(&mut program)?;
    }
    Ok(())
}

/// The user's files of a program, if it has the file in which a thing is declared: with the names in them, and with the
/// declaration as a place of that program.
pub(crate) fn files_with(
    program: &mut Program,
    declared: &Declared,
) -> Vec<(FileId, std::rc::Rc<index::Index>, Span)> {
    let files: Vec<FileId> =
        program.view().units.iter().filter(|unit| !unit.in_prelude).map(|unit| unit.id).collect();
    let view = program.view();
    let all = view.units.iter().map(|unit| unit.id);
    let is_declared = |id: &FileId| Disk.identity(&view.sources.file(*id).name) == declared.file;
    let Some(home) = all.into_iter().find(is_declared) else { return Vec::new() };
    let place = Span::new(home, declared.start, declared.end);
    files.into_iter().map(|file| (file, program.index(file), place)).collect()
}

/// The source files below folders, sorted.
fn files_below(folders: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<String> = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(Path::new(&folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{}/{name}", folder.trim_end_matches('/'));
            // Links may lead in circles.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !["target", "node_modules"].contains(&&*name)
            {
                open.push(path);
            } else if name.ends_with(".fut") && found.len() < MAX_FILES {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `workspace/symbol`
pub(crate) fn workspace_symbols(world: &mut World, params: &Value) -> Result<Value, Failure> {
    let query = params["query"].as_str().unwrap_or("").to_lowercase();
    let overlay = world.overlay();
    let open = world.documents.values().map(|document| uri::to_path(&document.uri));
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    for path in open.chain(files_below(&world.folders)) {
        paths.insert(Disk.identity(&path), path);
    }
    let mut answer = Vec::new();
    for path in paths.into_values() {
        let uri = world.uri_of(&path);
        symbols_of(world, &overlay, &path, &uri, &query, &mut answer);
    }
    Ok(answer.into())
}

/// The declarations of a file whose names contain a text. Types are not asked for, so that parsing is enough.
fn symbols_of(
    world: &World,
    overlay: &Overlay,
    path: &str,
    uri: &str,
    query: &str,
    answer: &mut Vec<Value>,
) {
    let Ok(text) = overlay.read(path) else { return };
    let mut sources = SourceMap::new();
    let file = sources.add(path, String::from_utf8_lossy(&text));
    let (ast, _) = fehu_syntax::parse(file, &sources.file(file).text);
    let program = Default::default();
    let unit = Unit { id: file, ast: &ast, imports: Vec::new(), in_prelude: false };
    let view = View { sources: &sources, program: &program, units: vec![unit] };
    let mut left: Vec<(Symbol, String)> =
        symbols(&view, file).into_iter().rev().map(|symbol| (symbol, String::new())).collect();
    while let Some((symbol, container)) = left.pop() {
        if symbol.name.to_lowercase().contains(query) {
            let range = range(world.client.encoding, &sources, symbol.name_span);
            answer.push(json!({
                "name": symbol.name,
                "kind": symbol_kind(symbol.kind),
                "location": {"uri": uri, "range": range},
                "containerName": container,
            }));
        }
        let inside = symbol.children.into_iter().rev();
        left.extend(inside.map(|child| (child, symbol.name.clone())));
    }
}
