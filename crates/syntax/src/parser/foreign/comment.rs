//! Comments of other languages. Their text is taken out, so that it is not read as a program.

use super::super::Parser;
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::Diagnostic;
use std::ops::Range;

impl Parser<'_> {
    /// The comment of another language that the current token is part of, if there is one.
    pub(in super::super) fn foreign_comment(&mut self) -> Option<Diagnostic> {
        let from = match self.error_at_top() {
            true => self.pos,
            false => self.dec_start,
        };
        let line = self.first_of_line(self.pos).max(from);
        let slashes = (line..=self.pos).find(|&i| self.is_line_comment(i));
        if let Some(start) = slashes {
            let token = self.span_of(start);
            let place = fehu_base::Span { end: token.start + 2, ..token };
            self.remove_line_comments(start);
            return Some(
                foreign(place, "A comment starts with `--`, not with `//`")
                    .at("this is an operator")
                    .fix("write `--`", [(place, "--".to_owned())]),
            );
        }
        let start = (from..=self.pos).find(|&i| self.is_block_comment(i))?;
        let place = self.span_of(start);
        self.remove(start..self.end_of_block_comment(start));
        Some(
            foreign(place, "A comment starts with `--` and ends with its line")
                .at("there are no multi-line comments"),
        )
    }

    /// Whether the cursor stands where a declaration is expected, so that what is before it is right.
    fn error_at_top(&self) -> bool {
        self.line_column(self.pos).is_some_and(|column| column <= self.dec_column)
    }

    fn is_line_comment(&self, index: usize) -> bool {
        self.kind_of(index) == TokenKind::Op
            && self.text_of(index).starts_with("//")
            && (index == 0 || !self.touches(index) || self.line_column(index).is_some())
    }

    fn is_block_comment(&self, index: usize) -> bool {
        let text = self.text_of(index);
        let next = index + 1;
        let marked = |sign: &str| {
            next < self.tokens.len() && self.touches(next) && self.text_of(next).starts_with(sign)
        };
        match self.kind_of(index) {
            TokenKind::Op => text.starts_with("/*"),
            TokenKind::LBrace => marked("-"),
            TokenKind::LParen => {
                marked("*")
                    && self.kind_of(next + 1) != TokenKind::RParen
                    && self.end_of_block_comment(index) < self.tokens.len()
            }
            _ => false,
        }
    }

    /// The index after the last token of a block comment, or of all tokens if it has no end.
    fn end_of_block_comment(&self, start: usize) -> usize {
        let last = self.tokens.len() - 1;
        let is_end = |i: usize| match self.kind_of(start) {
            TokenKind::LBrace => {
                self.text_of(i).ends_with('-')
                    && self.kind_of(i + 1) == TokenKind::RBrace
                    && self.touches(i + 1)
            }
            TokenKind::LParen => {
                self.text_of(i).ends_with('*')
                    && self.kind_of(i + 1) == TokenKind::RParen
                    && self.touches(i + 1)
            }
            _ => self.text_of(i).ends_with("*/"),
        };
        let length = if self.kind_of(start) == TokenKind::Op { 1 } else { 2 };
        let first = if length == 2 { start + 2 } else { start };
        match (first..last).find(|&i| is_end(i)) {
            Some(at) => at + length,
            None if self.kind_of(start) == TokenKind::LParen => self.tokens.len(),
            None => last,
        }
    }

    /// Takes out the comment at a token, and those further down that have a line of their own.
    fn remove_line_comments(&mut self, start: usize) {
        let first = self.end_of_line(start);
        self.remove(start..first);
        let mut index = self.pos;
        let mut kept: Vec<_> = self.tokens[..index].to_vec();
        while index < self.tokens.len() {
            if self.is_line_comment(index) && self.line_column(index).is_some() {
                index = self.end_of_line(index);
            } else {
                kept.push(self.tokens[index]);
                index += 1;
            }
        }
        self.tokens = kept;
    }

    /// The index of the first token that is not on the line of this one.
    fn end_of_line(&self, start: usize) -> usize {
        let rest = &self.text[self.tokens[start].start as usize..];
        let end = self.tokens[start].start as usize + rest.find('\n').unwrap_or(rest.len());
        let last = self.tokens.len() - 1;
        (start..last).find(|&i| self.tokens[i].start as usize > end).unwrap_or(last)
    }

    /// Takes out tokens, but for those that have been read.
    fn remove(&mut self, range: Range<usize>) {
        let last = self.tokens.len() - 1;
        let range = range.start.max(self.pos)..range.end.min(last);
        if range.start < range.end {
            self.tokens.drain(range);
        }
    }
}
