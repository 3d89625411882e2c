//! A report as text, for terminals.
//!
//! ```text
//! prog.fut: 4 array operators become 2; 3 arrays become 1; 1 check: 1 proved
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
    for line in summary(report) {
        let _ = writeln!(out, "  {line}");
    }
    for (index, file) in report.files.iter().enumerate() {
        out.push('\n');
        if index > 0 || file.name != report.program {
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
        out.push_str("\nwithout a place in the source\n");
        list(&mut out, &report.elsewhere, 1, paint);
    }
    out
}

/// The numbers, in sentences.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let summary = &report.summary;
    let change = |(before, after): (usize, usize), what: &str| match (before, after) {
        (0, 0) => format!("no {what}s"),
        (before, after) if before == after => format!("{}, as written", count(after, what)),
        (before, after) => format!("{} of {before}", count(after, what)),
    };
    vec![
        format!("array operators: {}", change(summary.operators, "operator")),
        format!("arrays that they make: {}", change(summary.arrays, "array")),
        checks(summary.checks),
    ]
}

fn checks(counts: CheckCounts) -> String {
    let CheckCounts { proved, hoisted, once, repeated } = counts;
    let parts = [
        (proved, "proved"),
        (hoisted, "tested once, before a loop"),
        (once, "tested once"),
        (repeated, "tested in every iteration"),
    ];
    let parts: Vec<String> = (parts.iter().filter(|(number, _)| *number > 0))
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() {
        return "checks at run time: none".to_owned();
    }
    format!("checks at run time: {}", parts.join(", "))
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
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
            NoteKind::Made => "1;36",
            NoteKind::Check => "1;33",
        };
        self.with(code, text)
    }
}
