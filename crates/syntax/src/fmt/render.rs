//! Instructions to text.

use super::WIDTH;
use super::doc::{Doc, GroupId, Op, breaks_before};
use crate::lexer::is_operator_start;
use crate::token::{Token, TokenKind, Tokens};

/// Prints a file.
pub(super) fn render(text: &str, tokens: &Tokens, doc: Doc) -> String {
    let mut renderer = Renderer {
        text,
        tokens,
        doc,
        out: String::with_capacity(text.len() + text.len() / 8),
        column: 0,
        gap: Gap::None,
        token: 0,
        comment: 0,
        indents: Vec::new(),
        after_token: false,
    };
    renderer.run();
    renderer.out
}

/// Deeper indentation than this is cut, so that the output's size stays linear in the input's.
const MAX_INDENT: usize = 160;

/// What comes before the next thing printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Space,
    Line { may_be_blank: bool },
}

struct Renderer<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    doc: Doc,
    out: String,
    /// In characters, without the gap.
    column: usize,
    gap: Gap,
    /// The next token.
    token: usize,
    /// The next comment.
    comment: usize,
    /// The columns of new lines; nothing for an alignment whose token was not printed yet.
    indents: Vec<Option<usize>>,
    /// Whether the last thing printed was a token, and not a comment.
    after_token: bool,
}

impl Renderer<'_> {
    fn run(&mut self) {
        for i in 0..self.doc.ops.len() {
            match self.doc.ops[i] {
                Op::Token => {
                    self.comments_before(self.tokens.tokens[self.token].start);
                    self.print_token();
                }
                Op::Comma => self.print_token(),
                Op::RedundantIn(group) => {
                    if self.broken(group) {
                        self.token += 1;
                    } else {
                        self.print_token();
                        self.gap = Gap::Space;
                    }
                }
                Op::Skip => self.token += 1,
                Op::Comments(end) => self.comments_before(end),
                Op::Space => self.widen(Gap::Space),
                Op::Line(group) => self.line(group, Gap::Space, false),
                Op::LineOrBlank(group) => self.line(group, Gap::Space, true),
                Op::SoftLine(group) => self.line(group, Gap::None, false),
                Op::SpaceIfBroken(group) => {
                    if self.broken(group) {
                        self.widen(Gap::Space);
                    }
                }
                Op::Open(group) => {
                    let info = self.doc.groups[group as usize];
                    if info.has_lines && !info.broken && !self.fits(i, group) {
                        self.doc.groups[group as usize].broken = true;
                    }
                }
                Op::Close(_) => {}
                Op::Indent(by) => {
                    let column = self.indentation() + by as usize;
                    self.indents.push(Some(column));
                }
                Op::IndentIfBroken(group) => {
                    let column = self.indentation() + if self.broken(group) { 2 } else { 0 };
                    self.indents.push(Some(column));
                }
                Op::Align => self.indents.push(None),
                Op::Pop => {
                    self.indents.pop();
                }
            }
        }
        self.comments_before(self.text.len() as u32);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn broken(&self, group: GroupId) -> bool {
        self.doc.groups[group as usize].broken
    }

    fn indentation(&self) -> usize {
        let column = self.indents.iter().rev().find_map(|c| *c).unwrap_or(0);
        column.min(MAX_INDENT)
    }

    /// Makes the gap at least this large. A line break that a comment needs stays.
    fn widen(&mut self, gap: Gap) {
        if self.gap == Gap::None {
            self.gap = gap;
        }
    }

    fn line(&mut self, group: GroupId, flat: Gap, may_be_blank: bool) {
        if self.broken(group) {
            self.gap = Gap::Line { may_be_blank };
        } else {
            self.widen(flat);
        }
    }

    fn print_token(&mut self) {
        let tokens = self.tokens;
        let token = tokens.tokens[self.token];
        if self.gap == Gap::None && self.must_part(token) {
            self.gap = Gap::Space;
        }
        self.print_gap(token.start);
        for indent in self.indents.iter_mut().rev() {
            if indent.is_some() {
                break;
            }
            *indent = Some(self.column);
        }
        let text = self.text;
        self.print(&text[token.start as usize..token.end as usize]);
        self.token += 1;
        self.after_token = true;
    }

    fn print(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += width(text);
    }

    /// Prints what must stand before the thing at byte `at`.
    fn print_gap(&mut self, at: u32) {
        match std::mem::replace(&mut self.gap, Gap::None) {
            _ if self.out.is_empty() => {}
            Gap::None => {}
            Gap::Space => self.print(" "),
            Gap::Line { may_be_blank } => {
                if may_be_blank && breaks_before(self.text, at) > 1 {
                    self.out.push('\n');
                }
                self.out.push('\n');
                self.column = self.indentation();
                self.out.extend(std::iter::repeat_n(' ', self.column));
            }
        }
    }

    /// Prints the comments before byte `end` that were not printed yet.
    fn comments_before(&mut self, end: u32) {
        let tokens = self.tokens;
        while let Some(comment) = tokens.comments.get(self.comment).filter(|c| c.span.start < end) {
            let start = comment.span.start;
            let ends_line = self.after_token && breaks_before(self.text, start) == 0;
            if ends_line {
                self.gap = Gap::Space;
            } else if !matches!(self.gap, Gap::Line { .. }) {
                self.gap = Gap::Line { may_be_blank: false };
            }
            self.print_gap(start);
            let text = &self.text[comment.span.range()];
            self.print(text.trim_end_matches([' ', '\t', '\r', '\u{b}', '\u{c}']));
            self.gap = Gap::Line { may_be_blank: true };
            self.comment += 1;
            self.after_token = false;
        }
    }

    /// Whether a token would be read differently if it directly followed its predecessor.
    fn must_part(&self, token: Token) -> bool {
        let Some(before) = self.token.checked_sub(1) else {
            return false;
        };
        let before = self.tokens.tokens[before];
        must_part(self.text, self.is_field(), before, token)
    }

    /// Whether the token before the next one is the number of a field.
    fn is_field(&self) -> bool {
        let before = self.token.checked_sub(2).map(|i| self.tokens.tokens[i].kind);
        before == Some(TokenKind::Dot)
    }

    /// Whether the group that opens at this instruction, printed flat, fits into the line: up to
    /// its end, and on to the next place where the line may end.
    fn fits(&self, at: usize, group: GroupId) -> bool {
        let mut column = match self.gap {
            Gap::None => self.column,
            Gap::Space => self.column + 1,
            Gap::Line { .. } => self.indentation(),
        };
        let mut token = self.token;
        let mut inside = true;
        for op in &self.doc.ops[at..] {
            match *op {
                Op::Token | Op::Comma | Op::RedundantIn(_) => {
                    let Some(t) = self.tokens.tokens.get(token) else {
                        return true;
                    };
                    let comment = self.tokens.comments.get(self.comment);
                    if comment.is_some_and(|c| c.span.start < t.start) {
                        return true;
                    }
                    column += width(&self.text[t.start as usize..t.end as usize]);
                    column += usize::from(matches!(op, Op::RedundantIn(_)));
                    token += 1;
                }
                Op::Skip => token += 1,
                Op::Space => column += 1,
                Op::SpaceIfBroken(g) => column += usize::from(self.broken(g)),
                Op::Line(g) | Op::LineOrBlank(g) | Op::SoftLine(g) => {
                    if self.broken(g) || (!inside && g > group) {
                        return true;
                    }
                    column += usize::from(!matches!(op, Op::SoftLine(_)));
                }
                Op::Close(g) => inside &= g != group,
                Op::Comments(_)
                | Op::Open(_)
                | Op::Indent(_)
                | Op::IndentIfBroken(_)
                | Op::Align
                | Op::Pop => {}
            }
            if column > WIDTH {
                return false;
            }
        }
        true
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other tokens do not run together")]
fn must_part(text: &str, is_field: bool, before: Token, token: Token) -> bool {
    let bytes = text.as_bytes();
    let first = bytes.get(token.start as usize).copied().unwrap_or(b' ');
    match before.kind {
        TokenKind::Tick => bytes.get(token.start as usize + 1) == Some(&b'\''),
        TokenKind::Int | TokenKind::Float => token.kind == TokenKind::Dot && !is_field,
        TokenKind::Dot | TokenKind::DotDot => first == b'.',
        TokenKind::Op | TokenKind::QualOp | TokenKind::Minus | TokenKind::Bang => {
            is_operator_start(first) || first == b'.'
        }
        _ => false,
    }
}
