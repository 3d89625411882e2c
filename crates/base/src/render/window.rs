//! The lines of a file that are drawn, cut to a bounded size.
//!
//! The drawing crate looks at every byte it is given and panics on ranges outside of them. So it
//! gets a [`Window`]: few lines, each of bounded length, and ranges translated into it. Nothing is
//! assumed of the spans: wrong ones are moved to the nearest character.

use crate::source::{SourceFile, Span};
use std::ops::Range;

/// The most bytes of one line that are kept.
pub(super) const MAX_LINE: usize = 600;
/// The most lines of one place that are kept; of longer ones only the first line is shown.
const MAX_LINES: usize = 40;
/// The bytes kept before the first place of a line that is cut.
const LEAD: usize = 60;

/// Consecutive lines of one file.
pub(super) struct Window {
    /// The lines, each with a line break.
    pub(super) text: String,
    /// The number of the first line, counted from 0.
    pub(super) first_line: usize,
    /// For every line: what was kept of the file, and where that starts in `text`.
    kept: Vec<(Range<usize>, usize)>,
}

impl Window {
    /// The given lines; long ones are cut around the first of `spans` that they contain.
    pub(super) fn new(file: &SourceFile, lines: (usize, usize), spans: &[Span]) -> Window {
        let mut window = Window { text: String::new(), first_line: lines.0, kept: Vec::new() };
        for line in lines.0..=lines.1 {
            let full = file.line_range(line);
            let focus = spans
                .iter()
                .map(|span| span.start as usize)
                .find(|start| full.contains(start))
                .unwrap_or(full.start);
            let kept = keep(&file.text, full.clone(), focus);
            if kept.start > full.start {
                window.text.push_str("...");
            }
            window.kept.push((kept.clone(), window.text.len()));
            window.text.push_str(&file.text[kept.clone()]);
            if kept.end < full.end {
                window.text.push_str("...");
            }
            window.text.push('\n');
        }
        window
    }

    /// Where a place of the file is in the window's text.
    pub(super) fn range(&self, span: Span) -> Range<usize> {
        let start = self.position(span.start as usize);
        let end = self.position(span.end as usize);
        start..end.max(start)
    }

    fn position(&self, offset: usize) -> usize {
        let after = self.kept.partition_point(|(kept, _)| kept.start <= offset);
        let Some((kept, start)) = self.kept.get(after.saturating_sub(1)) else {
            return 0;
        };
        let offset = offset.clamp(kept.start, kept.end);
        self.text.floor_char_boundary(start + (offset - kept.start))
    }
}

/// The first and last line of a place, counted from 0; only the first if there are too many.
pub(super) fn lines_of(file: &SourceFile, span: Span) -> (usize, usize) {
    let first = file.line_col(span.start).0 - 1;
    let last = file.line_col(span.end.max(span.start + 1) - 1).0 - 1;
    if last - first < MAX_LINES { (first, last) } else { (first, first) }
}

/// Whether a place would be drawn without any cut.
pub(super) fn fits(file: &SourceFile, span: Span) -> bool {
    let first = file.line_col(span.start).0 - 1;
    let last = file.line_col(span.end).0 - 1;
    last - first < MAX_LINES && (first..=last).all(|line| file.line_range(line).len() <= MAX_LINE)
}

/// The part of a line that is kept, at least from a little before `focus`.
fn keep(text: &str, line: Range<usize>, focus: usize) -> Range<usize> {
    if line.len() <= MAX_LINE {
        return line;
    }
    let start = focus.saturating_sub(LEAD).max(line.start).min(line.end - MAX_LINE);
    let start = text.floor_char_boundary(start).max(line.start);
    let end = text.floor_char_boundary(start + MAX_LINE).min(line.end);
    start..end
}
