//! The tree to instructions: the primitives. The constructs are in `exp`, `types` and `dec`.

use super::doc::{Doc, Group, GroupId, Op, breaks_before};
use crate::ast::{Comment, File};
use crate::token::{Token, TokenKind, Tokens};
use fehu_base::Span;

/// The instructions for a file, or nothing if tree and text do not belong together.
pub(super) fn build(text: &str, tokens: &Tokens, file: &File) -> Option<Doc> {
    let mut builder = Builder {
        text,
        tokens: &tokens.tokens,
        comments: &tokens.comments,
        pos: 0,
        next_comment: 0,
        ops: Vec::with_capacity(tokens.tokens.len() * 3),
        groups: Vec::new(),
        broken_lines: 0,
        failed: false,
    };
    builder.file(file);
    let at_end = builder.kind() == TokenKind::Eof;
    (at_end && !builder.failed).then_some(Doc { ops: builder.ops, groups: builder.groups })
}

/// How the items of a list are separated when they span lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    /// Each on its own line, after its comma.
    Vertical,
    /// On the lines on which they were written.
    AsWritten,
}

pub(super) struct Builder<'a> {
    pub(super) text: &'a str,
    tokens: &'a [Token],
    comments: &'a [Comment],
    pos: usize,
    next_comment: usize,
    ops: Vec<Op>,
    groups: Vec<Group>,
    /// The number of places so far where the source's lines make a new line in the output. If it
    /// grew while a part was built, that part spans several lines.
    pub(super) broken_lines: usize,
    failed: bool,
}

impl Builder<'_> {
    // ---- the cursor ----

    pub(super) fn kind(&self) -> TokenKind {
        self.kind_at(0)
    }

    pub(super) fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::Eof, |t| t.kind)
    }

    fn start_at(&self, ahead: usize) -> u32 {
        self.tokens.get(self.pos + ahead).map_or(self.text.len() as u32, |t| t.start)
    }

    /// Whether the next token starts before this byte.
    pub(super) fn starts_before(&self, end: u32) -> bool {
        self.start_at(0) < end
    }

    /// Whether there is a line break before a later token.
    pub(super) fn breaks_at(&self, ahead: usize) -> bool {
        breaks_before(self.text, self.start_at(ahead)) > 0
    }

    /// Whether white space precedes a later token.
    pub(super) fn spaced_at(&self, ahead: usize) -> bool {
        let at = self.start_at(ahead) as usize;
        at > 0 && self.text.as_bytes().get(at - 1).is_some_and(u8::is_ascii_whitespace)
    }

    /// Whether there are comments before the next token.
    pub(super) fn comments_here(&self) -> bool {
        let next = self.comments.get(self.next_comment);
        next.is_some_and(|c| c.span.start < self.start_at(0))
    }

    fn advance(&mut self, op: Op) {
        if self.kind() == TokenKind::Eof {
            self.failed = true;
            return;
        }
        if self.comments_here() {
            self.broken_lines += 1;
            let start = self.start_at(0);
            while self.comments.get(self.next_comment).is_some_and(|c| c.span.start < start) {
                self.next_comment += 1;
            }
        }
        self.ops.push(op);
        self.pos += 1;
    }

    // ---- instructions ----

    /// The next token.
    pub(super) fn tok(&mut self) {
        self.advance(Op::Token);
    }

    /// The next token if it is of this kind.
    pub(super) fn tok_if(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.tok();
        }
        found
    }

    /// The next token, which must be of this kind: the one that the tree says comes here.
    pub(super) fn expect(&mut self, kind: TokenKind) {
        if !self.tok_if(kind) {
            self.failed = true;
        }
    }

    /// All tokens before the end of `span`, with nothing between them.
    pub(super) fn word(&mut self, span: Span) {
        while self.starts_before(span.end) && self.kind() != TokenKind::Eof {
            self.tok();
        }
    }

    pub(super) fn space(&mut self) {
        self.ops.push(Op::Space);
    }

    /// A space and a token of this kind.
    pub(super) fn space_tok(&mut self, kind: TokenKind) {
        self.space();
        self.expect(kind);
    }

    /// Prints the comments before byte `end` here, rather than with the next token.
    pub(super) fn comments_before(&mut self, end: u32) {
        self.ops.push(Op::Comments(end));
    }

    pub(super) fn redundant_in(&mut self, group: GroupId) {
        self.advance(Op::RedundantIn(group));
    }

    pub(super) fn open(&mut self) -> GroupId {
        let id = self.groups.len() as GroupId;
        self.groups.push(Group::default());
        self.ops.push(Op::Open(id));
        id
    }

    pub(super) fn close(&mut self, group: GroupId) {
        self.ops.push(Op::Close(group));
    }

    pub(super) fn break_group(&mut self, group: GroupId) {
        self.groups[group as usize].broken = true;
    }

    fn add_line(&mut self, group: GroupId, op: Op, broken: bool) {
        self.groups[group as usize].has_lines = true;
        if broken {
            self.break_group(group);
            self.broken_lines += 1;
        }
        self.ops.push(op);
    }

    /// A space or line break before the next token, as the group is.
    pub(super) fn line(&mut self, group: GroupId) {
        let broken = self.breaks_at(0);
        self.add_line(group, Op::Line(group), broken);
    }

    /// The same between things that may stand apart.
    pub(super) fn line_or_blank(&mut self, group: GroupId) {
        let broken = self.breaks_at(0);
        self.add_line(group, Op::LineOrBlank(group), broken);
    }

    /// The same before a redundant `in` and the `let` after it.
    pub(super) fn line_around_in(&mut self, group: GroupId) {
        let broken = self.breaks_at(0) || self.breaks_at(1);
        self.add_line(group, Op::LineOrBlank(group), broken);
    }

    /// A space or line break before the operator of `tokens` tokens that comes next, also when it
    /// was written at the end of the line before. Prints the comments around it.
    pub(super) fn line_before_operator(&mut self, group: GroupId, tokens: usize) {
        let broken = self.breaks_at(0) || self.breaks_at(tokens);
        self.add_line(group, Op::Line(group), broken);
        let end = self.start_at(tokens);
        self.comments_before(end);
    }

    pub(super) fn indent(&mut self, by: u32) {
        self.ops.push(Op::Indent(by));
    }

    pub(super) fn align(&mut self) {
        self.ops.push(Op::Align);
    }

    pub(super) fn pop(&mut self) {
        self.ops.push(Op::Pop);
    }

    // ---- combinations ----

    /// Something after `=`, `->` and the like: on the same line, or indented on the next one if it
    /// was there or spans several lines.
    pub(super) fn body(&mut self, part: impl FnOnce(&mut Self)) {
        let group = self.open();
        self.ops.push(Op::IndentIfBroken(group));
        self.line(group);
        let before = self.broken_lines;
        part(self);
        if self.broken_lines > before {
            self.break_group(group);
        }
        self.pop();
        self.close(group);
    }

    /// The same after `then` and `else`: on the next line only if it was there.
    pub(super) fn branch(&mut self, part: impl FnOnce(&mut Self)) {
        let group = self.open();
        self.ops.push(Op::IndentIfBroken(group));
        self.line(group);
        part(self);
        self.pop();
        self.close(group);
    }

    /// One thing in brackets. The tokens of the brackets come from the source.
    pub(super) fn bracketed(&mut self, end: u32, part: impl FnOnce(&mut Self)) {
        let block = self.breaks_at(1);
        let group = self.open();
        self.tok();
        self.open_bracket(group, block);
        part(self);
        self.close_bracket(group, block, end);
    }

    /// A list in brackets, separated by commas. The byte `end` is one past the closing bracket.
    pub(super) fn list<T>(
        &mut self,
        end: u32,
        items: &[T],
        layout: Items,
        item: impl FnMut(&mut Self, &T),
    ) {
        match layout {
            Items::Vertical if !items.is_empty() => self.vertical_list(end, items, item),
            Items::Vertical | Items::AsWritten => self.written_list(end, items, item),
        }
    }

    /// `(a, b)`, or the brackets and commas below each other.
    fn vertical_list<T>(&mut self, end: u32, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.align();
        let group = self.open();
        self.tok();
        self.add_line(group, Op::SpaceIfBroken(group), self.breaks_at(0));
        self.indent(2);
        for (i, x) in items.iter().enumerate() {
            if i > 0 {
                self.pop();
                let broken = self.breaks_at(0) || self.breaks_at(1);
                self.add_line(group, Op::SoftLine(group), broken);
                let next = self.start_at(1);
                self.comments_before(next);
                self.expect(TokenKind::Comma);
                self.space();
                self.indent(2);
            }
            item(self, x);
        }
        if self.kind() == TokenKind::Comma {
            self.advance(Op::Skip);
        }
        self.comments_before(end.saturating_sub(1));
        self.pop();
        self.add_line(group, Op::SoftLine(group), self.breaks_at(0));
        self.tok();
        self.close(group);
        self.pop();
    }

    /// A list whose items stay on their lines. A last comma is kept if the closing bracket has its
    /// own line.
    fn written_list<T>(&mut self, end: u32, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        let close = end.saturating_sub(1);
        let block = !items.is_empty() && (self.breaks_at(1) || breaks_before(self.text, close) > 0);
        let group = self.open();
        self.tok();
        self.open_bracket(group, block);
        let mut broken = false;
        for (i, x) in items.iter().enumerate() {
            let own = self.open();
            if i > 0 {
                broken |= self.breaks_at(0);
                self.add_line(own, Op::LineOrBlank(own), broken);
            }
            item(self, x);
            self.close(own);
            broken = self.breaks_at(0);
            if self.kind() == TokenKind::Comma {
                let last = i + 1 == items.len();
                self.advance(if last && !block { Op::Skip } else { Op::Comma });
            }
        }
        self.close_bracket(group, block, end);
    }

    fn open_bracket(&mut self, group: GroupId, block: bool) {
        if block {
            self.indent(2);
            self.add_line(group, Op::SoftLine(group), true);
        } else {
            self.align();
        }
    }

    fn close_bracket(&mut self, group: GroupId, block: bool, end: u32) {
        self.comments_before(end.saturating_sub(1));
        self.pop();
        if block {
            self.add_line(group, Op::SoftLine(group), true);
        }
        self.tok();
        self.close(group);
    }
}
