//! What a report says, before it is drawn: a pure function of the sources, the program before and after optimisation, and
//! the remarks of the passes.

use super::checks::{self, CheckCounts};
use super::flow::{self, Flow};
use super::{copied, lanes, made, nests, orders};
use fehu_base::SourceMap;
use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::{Loc, Prog};
use std::collections::BTreeMap;

/// A report on a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The name of the program's file.
    pub program: String,
    /// The numbers.
    pub summary: Summary,
    /// The program's file, and then those that there is something to say about, by name.
    pub files: Vec<FileNotes>,
    /// What has no place in the user's files.
    pub elsewhere: Vec<Note>,
    /// The entry points.
    pub entries: Vec<EntryFlow>,
}

/// What optimisation changed, in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The array operators before and after.
    pub operators: (usize, usize),
    /// The arrays that they make, before and after.
    pub arrays: (usize, usize),
    /// The copies of arrays that are left.
    pub copies: usize,
    /// The most memory that each entry point needs, in bytes, in terms of sizes.
    pub memory: Vec<(String, String)>,
    /// The checks.
    pub checks: CheckCounts,
}

/// A file with notes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileNotes {
    /// Its name.
    pub name: String,
    /// Its lines.
    pub lines: Vec<String>,
    /// The notes, by line.
    pub notes: Vec<Note>,
}

/// Something to be said about a line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Note {
    /// The line, from 1; 0 if there is none.
    pub line: usize,
    /// What kind of thing.
    pub kind: NoteKind,
    /// The column, from 1; 0 if there is none.
    pub column: usize,
    /// A sentence without a full stop.
    pub text: String,
}

/// Kinds of notes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoteKind {
    /// Something was improved.
    Done,
    /// Something could not be improved.
    Missed,
    /// An array is made.
    Made,
    /// An array is copied.
    Copy,
    /// As much memory is in use as ever.
    Memory,
    /// An array is not in row-major order.
    Layout,
    /// Something is tested at run time.
    Check,
    /// How an operator differs between the positions of another.
    Nest,
}

impl NoteKind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::Done => "done",
            NoteKind::Missed => "missed",
            NoteKind::Made => "made",
            NoteKind::Copy => "copy",
            NoteKind::Memory => "memory",
            NoteKind::Layout => "layout",
            NoteKind::Check => "check",
            NoteKind::Nest => "nest",
        }
    }

    /// A sign for it.
    pub fn sign(self) -> char {
        match self {
            NoteKind::Done => '+',
            NoteKind::Missed => '-',
            NoteKind::Made => '=',
            NoteKind::Copy => '*',
            NoteKind::Memory => '^',
            NoteKind::Layout => '%',
            NoteKind::Check => '?',
            NoteKind::Nest => '~',
        }
    }
}

/// The dataflow of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryFlow {
    /// The name.
    pub name: String,
    /// Before optimisation.
    pub before: Flow,
    /// After it.
    pub after: Flow,
}

/// Makes the report. `before` is best the program with its calls inlined already, so that both programs have the same
/// functions. With `layouts`, those of the arrays of kernels are part of it.
pub fn report(
    program: &str,
    sources: &SourceMap,
    before: &Prog,
    after: &Prog,
    remarks: &Remarks,
    layouts: bool,
) -> Report {
    let mut notes = Notes::default();
    for remark in &remarks.list {
        let kind = match remark.kind {
            RemarkKind::Done => NoteKind::Done,
            RemarkKind::Missed => NoteKind::Missed,
            // What became of checks is seen in the programs.
            RemarkKind::Check => continue,
        };
        let text = remark.sentence(|other| show_place(remark.loc.as_ref(), other));
        notes.add(remark.loc.as_ref(), Note { line: 0, column: 0, kind, text });
    }
    made::explain(after, &show_place, &mut |loc, note| notes.add(loc, note));
    let (copies, memory) = copied::explain(after, &mut |loc, note| notes.add(loc, note));
    if layouts {
        orders::explain(after, &mut |loc, note| notes.add(loc, note));
    }
    nests::explain(after, &show_place, &mut |loc, note| notes.add(loc, note));
    lanes::explain(after, &mut |loc, note| notes.add(loc, note));
    let checks = checks::compare(before, after, &mut |loc, note| notes.add(loc, note));
    let (old, new) = (made::count(before), made::count(after));
    let (operators, arrays) = ((old.0, new.0), (old.1, new.1));
    let summary = Summary { operators, arrays, copies, memory, checks };
    let entries = entries(before, after);
    let (files, elsewhere) = notes.finish(program, sources);
    Report { program: program.to_owned(), summary, files, elsewhere, entries }
}

fn entries(before: &Prog, after: &Prog) -> Vec<EntryFlow> {
    let flow = |entry: &fehu_ir::Entry| {
        let old = before.entries.iter().find(|old| old.name == entry.name);
        EntryFlow {
            name: entry.name.to_string(),
            before: old.map_or(Flow::default(), |old| flow::of_entry(before, old)),
            after: flow::of_entry(after, entry),
        }
    };
    after.entries.iter().map(flow).collect()
}

/// A place in words, as seen from another one: `on line 4`.
pub(super) fn show_place(from: Option<&Loc>, to: Option<&Loc>) -> String {
    let Some(place) = to.and_then(Loc::place) else { return "at an unknown location".to_owned() };
    if to.is_some_and(Loc::in_prelude) {
        return "in the prelude".to_owned();
    }
    match from.and_then(Loc::place) {
        Some(from) if from.file == place.file && from.line == place.line => {
            "on this line".to_owned()
        }
        Some(from) if from.file == place.file => format!("on line {}", place.line),
        _ => format!("on line {} of {}", place.line, place.file),
    }
}

/// Notes, by file.
#[derive(Default)]
struct Notes {
    files: BTreeMap<String, Vec<Note>>,
    elsewhere: Vec<Note>,
}

impl Notes {
    fn add(&mut self, loc: Option<&Loc>, mut note: Note) {
        match loc.filter(|loc| !loc.in_prelude()).and_then(Loc::place) {
            Some(place) => {
                (note.line, note.column) = (place.line, place.column);
                self.files.entry(place.file.to_owned()).or_default().push(note);
            }
            None => self.elsewhere.push(note),
        }
    }

    /// In order, each once; the columns tell copies of one thing apart, but not what is said about them.
    fn finish(mut self, program: &str, sources: &SourceMap) -> (Vec<FileNotes>, Vec<Note>) {
        // The program is shown even if there is nothing to say about it.
        self.files.entry(program.to_owned()).or_default();
        let tidy = |mut notes: Vec<Note>| {
            notes.sort_unstable();
            notes.dedup_by(|a, b| (a.line, a.kind, &a.text) == (b.line, b.kind, &b.text));
            notes
        };
        let mut files: Vec<FileNotes> = (self.files.into_iter())
            .map(|(name, notes)| {
                let text = sources.iter().find(|(_, file)| file.name == name);
                let text = text.map_or("", |(_, file)| file.text.as_str());
                FileNotes {
                    lines: text.lines().map(str::to_owned).collect(),
                    notes: tidy(notes),
                    name,
                }
            })
            .collect();
        files.sort_by_key(|file| file.name != program);
        (files, tidy(self.elsewhere))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_as_seen_from_the_line() {
        let loc = |text: &str| Loc(text.into());
        let (a, b, c) = (loc("a.fut:4:1-5"), loc("a.fut:4:7-9:1"), loc("lib/b.fut:7:2"));
        assert_eq!(show_place(Some(&a), Some(&b)), "on this line");
        assert_eq!(show_place(Some(&c), Some(&b)), "on line 4 of a.fut");
        assert_eq!(show_place(None, Some(&c)), "on line 7 of lib/b.fut");
        assert_eq!(show_place(Some(&a), Some(&loc("/prelude/soacs.fut:1:1"))), "in the prelude");
        assert_eq!(show_place(Some(&a), None), "at an unknown location");
    }
}
