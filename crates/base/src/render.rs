//! How messages look: the only code that knows a renderer.
//!
//! [`text`] draws a [`Diagnostic`] for people:
//!
//! ```text
//! error[unknown-name]: unknown name "dto"
//!  --> sum.fut:2:3-6
//!   |
//! 2 |   dto xs ys
//!   |   ^^^ not defined
//!   |
//!   = help: for more, run `fehu explain unknown-name`
//! ```
//!
//! The arrow line is `file:line:column-column`, the form of [`SourceMap::describe`], which editors
//! and existing test suites look for. [`json::line`] writes the same message for programs.
//!
//! The size of the output is bounded whatever the program looks like: only lines near a place are
//! handed to the drawing crate (see [`window`]), long lines are cut around their places, and long
//! texts are cut at their end. So the time depends on the message and not on the file.

pub mod json;
mod window;

use crate::bug::OrBug;
use crate::diagnostic::{Diagnostic, Fix, Label, Severity};
use crate::source::{SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use std::borrow::Cow;
use window::Window;

/// Whether the text has escape codes for colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// No escape codes: for files, pipes and tests.
    Plain,
    /// Colours: for terminals.
    Coloured,
}

/// Draws a message; the result ends with a line break.
pub fn text(sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let clusters = clusters(sources, diagnostic);
    let groups = groups(sources, diagnostic, &clusters);
    let mut output = renderer.term_width(TERMINAL_WIDTH).render(&groups);
    output.push('\n');
    for (index, cluster) in clusters.iter().enumerate() {
        output = name_place(output, index, &sources.describe(cluster.anchor));
    }
    output
}

/// The number of columns that a drawn source line may use.
const TERMINAL_WIDTH: usize = 120;
/// The most bytes of one headline, label, note or replacement that are shown.
const MAX_TEXT: usize = 4000;
/// The most places beside the primary one that are shown.
const MAX_SECONDARY: usize = 12;
/// Places of one file that are further apart than this many lines are drawn separately.
const CLUSTER_GAP: usize = 30;

/// Stands for the file name of a cluster until [`name_place`] puts the whole place there. It is from
/// a private area of Unicode, so that it does not occur in messages.
const PLACEHOLDER: char = '\u{F8EE}';

/// Replaces `placeholder:line:column`, which is what the drawing crate can write, by a range.
fn name_place(output: String, index: usize, place: &str) -> String {
    let placeholder = format!("{PLACEHOLDER}{index}:");
    let Some((before, after)) = output.split_once(&placeholder) else {
        return output;
    };
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    format!("{before}{place}{after}")
}

fn groups<'a>(
    sources: &'a SourceMap,
    diagnostic: &'a Diagnostic,
    clusters: &[Cluster<'a>],
) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let title = level.primary_title(cut(&diagnostic.message)).id(diagnostic.code);
    let mut main = Group::with_title(title);

    for (index, cluster) in clusters.iter().enumerate() {
        main = main.element(cluster.snippet(sources).path(format!("{PLACEHOLDER}{index}")));
    }
    let hidden = diagnostic.secondary.len().saturating_sub(MAX_SECONDARY);
    if hidden > 0 {
        main = main.element(Level::NOTE.message(format!("{hidden} more places are not shown")));
    }
    for note in &diagnostic.notes {
        main = main.element(Level::NOTE.message(cut(note)));
    }
    for help in &diagnostic.help {
        main = main.element(Level::HELP.message(cut(help)));
    }

    let mut groups = vec![main];
    for fix in &diagnostic.fixes {
        groups.push(fix_group(sources, fix));
    }
    let explain = format!("for more, run `fehu explain {}`", diagnostic.code);
    let last = groups.pop().or_bug("main group of a message");
    groups.push(last.element(Level::HELP.message(explain)));
    groups
}

/// Places of one file near enough to each other to be drawn in one frame.
struct Cluster<'a> {
    /// The place that the arrow line names.
    anchor: Span,
    /// First and last line, counted from 0.
    lines: (usize, usize),
    labels: Vec<(&'a Label, AnnotationKind)>,
}

/// Groups the places; the primary place's cluster is the first.
fn clusters<'a>(sources: &SourceMap, diagnostic: &'a Diagnostic) -> Vec<Cluster<'a>> {
    let primary = diagnostic.primary.iter().map(|label| (label, AnnotationKind::Primary));
    let secondary = diagnostic.secondary.iter().take(MAX_SECONDARY);
    let secondary = secondary.map(|label| (label, AnnotationKind::Context));

    let mut clusters: Vec<Cluster<'a>> = Vec::new();
    for (label, kind) in primary.chain(secondary) {
        let (first, last) = window::lines_of(sources.file(label.span.file), label.span);
        let near = clusters.iter_mut().find(|cluster| {
            cluster.anchor.file == label.span.file
                && first <= cluster.lines.1 + CLUSTER_GAP
                && cluster.lines.0 <= last + CLUSTER_GAP
        });
        match near {
            Some(cluster) => {
                cluster.lines = (cluster.lines.0.min(first), cluster.lines.1.max(last));
                cluster.labels.push((label, kind));
            }
            None => clusters.push(Cluster {
                anchor: label.span,
                lines: (first, last),
                labels: vec![(label, kind)],
            }),
        }
    }
    clusters
}

impl<'a> Cluster<'a> {
    fn snippet(&self, sources: &SourceMap) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let spans: Vec<Span> = self.labels.iter().map(|(label, _)| label.span).collect();
        let window = Window::new(sources.file(self.anchor.file), self.lines, &spans);
        let annotations: Vec<_> = self
            .labels
            .iter()
            .map(|(label, kind)| {
                let text = (!label.text.is_empty()).then(|| cut(&label.text));
                kind.span(window.range(label.span)).label(text)
            })
            .collect();
        Snippet::source(window.text).line_start(window.first_line + 1).annotations(annotations)
    }
}

/// A fix as a diff, if it is small and regular enough to be drawn, or else in words.
fn fix_group<'a>(sources: &'a SourceMap, fix: &'a Fix) -> Group<'a> {
    let group = Group::with_title(Level::HELP.secondary_title(cut(&fix.message)));
    let Some(span) = drawable(sources, fix) else {
        return group;
    };
    let file = sources.file(span.file);
    let window = Window::new(file, window::lines_of(file, span), &[]);
    let patches: Vec<_> = fix
        .edits
        .iter()
        .map(|(span, text)| Patch::new(window.range(*span), text.as_str()))
        .collect();
    let snippet = Snippet::source(window.text).line_start(window.first_line + 1).patches(patches);
    group.element(snippet)
}

/// The place that covers all edits, if the fix can be drawn.
fn drawable(sources: &SourceMap, fix: &Fix) -> Option<Span> {
    let mut spans: Vec<Span> = fix.edits.iter().map(|(span, _)| *span).collect();
    spans.sort();
    let first = *spans.first()?;
    let file = sources.file(first.file);
    let all = spans.iter().fold(first, |all, span| all.to(*span));
    let regular = spans.windows(2).all(|pair| pair[0].end <= pair[1].start)
        && spans.iter().all(|span| span.file == first.file)
        && spans.iter().all(|span| file.text.get(span.range()).is_some());
    let short = fix.edits.iter().all(|(_, text)| text.len() <= window::MAX_LINE);
    (regular && short && window::fits(file, all)).then_some(all)
}

/// A text of bounded length.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(MAX_TEXT);
    Cow::Owned(format!("{} [...]", &text[..end]))
}

#[cfg(test)]
mod tests;
