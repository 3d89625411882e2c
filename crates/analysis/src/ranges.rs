//! Ranges of a text that belong together: to fold them, and to select more and more.

use crate::View;
use crate::tree::{self, Node};
use fehu_base::{FileId, Span};
use fehu_syntax::ast::{DecKind, ExpKind, ModExpKind, ModTypeExpKind};

/// Lines that can be folded, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fold {
    /// The line that stays.
    pub first: u32,
    /// The last that is hidden.
    pub last: u32,
    /// What is folded.
    pub kind: Folded,
}

/// What a [`Fold`] hides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Folded {
    /// Code.
    Code,
    /// Comments.
    Comment,
    /// Imports.
    Imports,
}

/// What can be folded in a file, in order, at most one from each line on.
pub fn folds(view: &View<'_>, file: FileId) -> Vec<Fold> {
    let Some(ast) = view.ast(file) else { return Vec::new() };
    let source = view.sources.file(file);
    let line = |offset: u32| source.line_col(offset).0 as u32 - 1;
    let mut found = Vec::new();
    let mut add = |first: u32, last: u32, kind| {
        if last > first {
            found.push(Fold { first, last, kind });
        }
    };
    tree::walk(ast, &mut |node| {
        if folds_at(node) {
            add(line(node.span().start), line(node.span().end), Folded::Code);
        }
    });
    let mut group: Option<(u32, u32)> = None;
    for comment in &ast.comments {
        let at = line(comment.span.start);
        // A comment behind code is not one of a group.
        let alone = source.text[source.line_range(at as usize)].trim_start().starts_with("--");
        group = match group {
            Some((first, last)) if alone && at == last + 1 => Some((first, at)),
            other => {
                if let Some((first, last)) = other {
                    add(first, last, Folded::Comment);
                }
                alone.then_some((at, at))
            }
        };
    }
    if let Some((first, last)) = group {
        add(first, last, Folded::Comment);
    }
    let is_import = |kind: &DecKind| match kind {
        DecKind::Import(..) => true,
        DecKind::Local(inner) => matches!(inner.kind, DecKind::Import(..)),
        DecKind::Val(_)
        | DecKind::Type(_)
        | DecKind::Module(_)
        | DecKind::ModuleType(_)
        | DecKind::Open(_)
        | DecKind::Error => false,
    };
    for run in ast.decs.chunk_by(|a, b| is_import(&a.kind) && is_import(&b.kind)) {
        if let [first, .., last] = run {
            add(line(first.span.start), line(last.span.end), Folded::Imports);
        }
    }
    // The longest of those that begin on a line.
    found.sort_by_key(|fold| (fold.first, std::cmp::Reverse(fold.last)));
    found.dedup_by_key(|fold| fold.first);
    found
}

fn folds_at(node: Node<'_>) -> bool {
    match node {
        Node::Dec(_) | Node::Bind(_) | Node::Case(_) => true,
        Node::Mod(exp) => matches!(exp.kind, ModExpKind::Decs(_)),
        Node::ModType(exp) => matches!(exp.kind, ModTypeExpKind::Specs(_)),
        Node::Exp(exp) => matches!(
            exp.kind,
            ExpKind::Lambda(_)
                | ExpKind::Loop(_)
                | ExpKind::If(_)
                | ExpKind::Match(..)
                | ExpKind::Record(_)
                | ExpKind::Array(_)
        ),
        _ => false,
    }
}

/// The ranges around a place, innermost first: each is larger than the one before.
pub fn around(view: &View<'_>, file: FileId, offset: u32) -> Vec<Span> {
    let Some(ast) = view.ast(file) else { return Vec::new() };
    let mut spans: Vec<Span> =
        tree::around(ast, offset).into_iter().rev().map(Node::span).collect();
    let text = &view.sources.file(file).text;
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'';
    let at = (offset as usize).min(text.len());
    let before = text.as_bytes()[..at].iter().rev().take_while(|b| is_part(**b)).count();
    let after = text.as_bytes()[at..].iter().take_while(|b| is_part(**b)).count();
    if before + after > 0 {
        spans.insert(0, Span::new(file, (at - before) as u32, (at + after) as u32));
    }
    spans.push(Span::new(file, 0, text.len() as u32));
    let mut grown: Vec<Span> = Vec::new();
    for span in spans {
        let larger = grown
            .last()
            .is_none_or(|last| span != *last && span.start <= last.start && last.end <= span.end);
        if larger {
            grown.push(span);
        }
    }
    grown
}
