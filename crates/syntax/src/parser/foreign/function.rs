//! Anonymous functions as other languages write them.

use super::super::Parser;
use super::words::LAMBDAS;
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// `function(x) { return x + 1; }`, with its brace at `open`.
    pub(super) fn function_block(&self, open: usize) -> Option<Diagnostic> {
        let end_of_params =
            open.checked_sub(1).filter(|&i| self.kind_of(i) == TokenKind::RParen)?;
        let params = *self.open_brackets(end_of_params).last()?;
        let word = params.checked_sub(1).filter(|&i| LAMBDAS.contains(&self.text_of(i)))?;
        let error = foreign(self.span_of(word), "A function is written `\\x -> e`")
            .at(format!("`\\` is written, not `{}`", self.text_of(word)));
        Some(match self.function_block_edit(word, params, open) {
            Some(edit) => error.fix("write it like this", edit),
            None => error,
        })
    }

    /// What to change, if the parameters are names and the block is an expression.
    fn function_block_edit(
        &self,
        word: usize,
        params: usize,
        open: usize,
    ) -> Option<[(Span, String); 2]> {
        let names = self.names_with_commas(params + 1, open - 1)?;
        let close = self.closing_brace(open)?;
        let returns = self.text_of(open + 1) == "return";
        let first = open + 1 + usize::from(returns);
        let ends = self.kind_of(close - 1) == TokenKind::Semicolon;
        let last = close - 1 - usize::from(ends);
        let is_expression = first <= last
            && (first..=last).all(|i| {
                !matches!(self.kind_of(i), TokenKind::Semicolon | TokenKind::Equals)
                    && self.text_of(i) != "return"
            });
        let head = Span { end: self.span_of(first).start, ..self.span_of(word) };
        let tail = Span { start: self.span_of(last).end, ..self.span_of(close) };
        is_expression.then(|| [(head, format!("\\{names} -> ")), (tail, String::new())])
    }

    /// `|x, y| e`, whose first bar is at `bar`.
    pub(super) fn function_between_bars(&self, bar: usize) -> Option<Diagnostic> {
        let is_bar = |i: usize| self.kind_of(i) == TokenKind::Op && self.text_of(i) == "|";
        let second = (bar + 1..self.tokens.len())
            .find(|&i| !matches!(self.kind_of(i), TokenKind::Ident | TokenKind::Comma))?;
        if !is_bar(bar) || !is_bar(second) {
            return None;
        }
        let names = self.names_with_commas(bar + 1, second)?;
        let place = self.span_of(bar).to(self.span_of(second));
        Some(
            foreign(place, "A function is written `\\x y -> e`, not `|x, y| e`")
                .at("`|` is an operator")
                .fix("write it like this", [(place, format!("\\{names} ->"))]),
        )
    }

    /// The names in `x, y`, separated by spaces.
    fn names_with_commas(&self, start: usize, end: usize) -> Option<String> {
        let mut names = Vec::new();
        for (i, index) in (start..end).enumerate() {
            match (i % 2, self.kind_of(index)) {
                (0, TokenKind::Ident) => names.push(self.text_of(index)),
                (1, TokenKind::Comma) => {}
                _ => return None,
            }
        }
        (!names.is_empty()).then(|| names.join(" "))
    }

    /// The brace that closes the one at `open`.
    fn closing_brace(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        (open..self.tokens.len()).find(|&i| {
            match self.kind_of(i) {
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }
}
