//! A report as text, for terminals.
//!
//! ```text
//! prog.fut
//!   array operators        4 before, 2 after
//!   arrays that they make  3 before, 1 after
//!   checks                 1 proved
//!
//! 12 | let ys = map f xs
//!    + map: fused into the reduction on line 14
//! ```

use super::checks::CheckCounts;
use super::model::{Note, NoteKind, Report};
use fehu_base::render::Style;
use std::fmt::Write;

/// The most characters of a source line that are shown.
const MAX_LINE: usize = 100;

/// The whole report.
pub fn text(report: &Report, style: Style) -> String {
    let paint = Paint(style);
    let mut out = format!("{}\n", paint.bold(&report.program));
    for (what, number) in summary(report) {
        let _ = writeln!(out, "  {what:15}  {number}");
    }
    for file in report.files.iter().filter(|file| !file.notes.is_empty()) {
        out.push('\n');
        if file.name != report.program {
            let _ = writeln!(out, "{}", paint.bold(&file.name));
        }
        let width = file.notes.last().map_or(1, |note| note.line.to_string().len());
        for (line, notes) in by_line(&file.notes) {
            let source = file.lines.get(line.wrapping_sub(1)).map_or("", String::as_str);
            let number = paint.blue(&format!("{line:>width$} |"));
            let _ = writeln!(out, "{number} {}", cut(source));
            list(&mut out, notes, width, paint);
        }
    }
    if !report.elsewhere.is_empty() {
        out.push_str("\nwithout a location in the source\n");
        list(&mut out, &report.elsewhere, 1, paint);
    }
    out
}

/// The numbers, each with what it is about.
pub fn summary(report: &Report) -> Vec<(&'static str, String)> {
    let summary = &report.summary;
    let change = |(before, after): (usize, usize)| format!("{before} before, {after} after");
    let mut rows = vec![
        ("array operators", change(summary.operators)),
        ("arrays created", change(summary.arrays)),
        ("copies", summary.copies.to_string()),
        ("checks", checks(summary.checks)),
    ];
    for (entry, bytes) in &summary.memory {
        rows.push(("peak memory", format!("{entry}: {bytes} bytes")));
    }
    rows
}

fn checks(counts: CheckCounts) -> String {
    let CheckCounts { proved, hoisted, once, repeated, positions } = counts;
    let parts = [
        (proved, "proved"),
        (hoisted, "tested once, before a loop"),
        (once, "tested once"),
        (repeated, "tested in every iteration"),
        (positions, "tested at every position"),
    ];
    let parts: Vec<String> = (parts.iter().filter(|(number, _)| *number > 0))
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() {
        return "none".to_owned();
    }
    parts.join(", ")
}

/// The notes of each line.
pub(super) fn by_line(notes: &[Note]) -> impl Iterator<Item = (usize, &[Note])> {
    notes.chunk_by(|a, b| a.line == b.line).map(|notes| (notes[0].line, notes))
}

fn list(out: &mut String, notes: &[Note], width: usize, paint: Paint) {
    for note in notes {
        let sign = paint.note(note.kind, &note.kind.sign().to_string());
        let _ = writeln!(out, "{:width$} {sign} {}", "", note.text);
    }
}

fn cut(line: &str) -> String {
    let line = line.trim_end().replace('\t', "    ");
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{} [...]", &line[..end]),
        None => line,
    }
}

#[derive(Clone, Copy)]
struct Paint(Style);

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        match self.0 {
            Style::Plain => text.to_owned(),
            Style::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }

    fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn blue(self, text: &str) -> String {
        self.with("1;94", text)
    }

    fn note(self, kind: NoteKind, text: &str) -> String {
        let code = match kind {
            NoteKind::Done => "1;32",
            NoteKind::Missed => "1;31",
            NoteKind::Made | NoteKind::Copy | NoteKind::Memory | NoteKind::Layout => "1;36",
            NoteKind::Check => "1;33",
            NoteKind::Nest => "1;35",
        };
        self.with(code, text)
    }
}
