//! What the optimiser did with each line: the notes of `fehu report`, as hints at the ends of lines.
//!
//! They are made on a thread of their own when a file is saved, or when the command asks for them, one program at a time. A note
//! stays while its line is as it was.

use crate::place::position;
use crate::queue::Event;
use crate::world::World;
use fehu_base::SourceFile;
use fehu_driver::files::{Disk, Files};
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::report::{self, model::NoteKind};
use serde_json::{Value, json};

/// What the optimiser had to say about a program.
pub(crate) struct Notes {
    /// What identifies the root.
    root: String,
    notes: Vec<Note>,
}

struct Note {
    /// What identifies the file.
    file: String,
    /// Counted from 0.
    line: usize,
    /// The line as it was.
    text: String,
    words: Vec<String>,
}

/// Somebody wants to know about a program.
pub(crate) fn wanted(world: &mut World, identity: String) {
    if world.client.settings.performance && world.programs.contains_key(&identity) {
        world.to_optimise = Some(identity);
        start(world);
    }
}

/// The optimiser is done.
pub(crate) fn arrived(world: &mut World, found: Notes) {
    world.optimising = false;
    world.notes.insert(found.root.clone(), found);
    start(world);
    if world.client.refreshes_hints {
        world.ask("workspace/inlayHint/refresh");
    }
}

fn start(world: &mut World) {
    // In WebAssembly there are no threads, and pages have a report of their own: they do not load the optimiser with the editor.
    if world.optimising || cfg!(target_family = "wasm") {
        return;
    }
    let Some(identity) = world.to_optimise.take() else { return };
    let Some(document) = world.documents.get(&identity) else { return };
    let (overlay, queue) = (world.overlay(), world.queue.clone());
    let root = Root::Path(document.source.name.clone());
    world.optimising = true;
    std::thread::spawn(move || {
        let plan = Plan::of(pipelines::DEFAULT.passes);
        // A program that is wrong has no report.
        let (report, _) = report::make(&overlay, &root, &plan);
        let mut notes: Vec<Note> = Vec::new();
        for file in report.into_iter().flat_map(|report| report.files) {
            let identity = Disk.identity(&file.name);
            for note in file.notes.iter().filter(|note| note.line > 0) {
                let line = note.line - 1;
                let words = format!("{}{}", sign(note.kind), note.text);
                match notes.last_mut() {
                    Some(last) if last.line == line && last.file == identity => {
                        last.words.push(words);
                    }
                    _ => notes.push(Note {
                        file: identity.clone(),
                        line,
                        text: file.lines.get(line).cloned().unwrap_or_default(),
                        words: vec![words],
                    }),
                }
            }
        }
        queue.push(Event::Notes(Notes { root: identity, notes }));
    });
}

fn sign(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Missed | NoteKind::Copy | NoteKind::Check => "! ",
        NoteKind::Done | NoteKind::Made | NoteKind::Memory | NoteKind::Layout | NoteKind::Nest => {
            ""
        }
    }
}

/// The notes at the lines of a file, between two bytes.
pub(crate) fn hints(
    world: &World,
    identity: &str,
    source: &SourceFile,
    (start, end): (u32, u32),
) -> Vec<Value> {
    let encoding = world.client.encoding;
    let mut found = Vec::new();
    for note in world.notes.values().flat_map(|notes| &notes.notes) {
        let range = source.line_range(note.line);
        let inside = start as usize <= range.end && range.end <= end as usize;
        if note.file != identity || !inside || source.text[range.clone()] != note.text {
            continue;
        }
        let more = match note.words.len() {
            1 => String::new(),
            count => format!(" (+{})", count - 1),
        };
        let label = format!("{}{more}", note.words.first().map_or("", String::as_str));
        found.push(json!({
            "position": position(encoding, source, range.end as u32),
            "label": label,
            "tooltip": note.words.join("\n"),
            "paddingLeft": true,
        }));
    }
    found
}
