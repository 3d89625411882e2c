//! Why a token does not fit: looks for the mistake behind it.
//!
//! The parser calls this when it has found a token that cannot stand where it stands, so nothing
//! here can make a right program wrong. A mistake is looked for in three places, the surest first:
//! the token itself and those around it may be a form of another language (`foreign`); what was
//! wanted may have been forgotten at an earlier place (`missing`); or a keyword was meant as a name.

use super::Parser;
use crate::errors;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

/// What a token was wanted for. The numbers are indices of the tokens that started the construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    /// To close this bracket, or to go on inside of it.
    Close(usize),
    /// The `in` of this `let`.
    In(usize),
    /// The `then` of this `if`.
    Then(usize),
    /// The `else` of this `if`.
    Else(usize),
    /// The `do` of this `loop`.
    Do(usize),
    /// The `in` of `for x in xs`.
    ForIn,
    /// The `for` or `while` of a loop.
    LoopForm,
    /// The `->` of a function.
    LambdaArrow,
    /// The `->` of a case.
    CaseArrow,
    /// The first case of this `match`.
    Case(usize),
    /// The `=` of a declaration.
    DefEquals,
    /// The `=` of a binding.
    LetEquals,
    /// The `:` after the name of a field, in a type.
    FieldType,
    /// A field or an index, after `with`.
    Access,
    /// A declaration, or the end of what contains it.
    Dec,
    /// An expression.
    Exp,
    /// A type.
    Type,
    /// A name that is bound or selected, or a pattern.
    Name,
    /// Anything else.
    Other,
}

impl Parser<'_> {
    /// The mistake that makes the current token unexpected, if it can be told.
    pub(super) fn explain(&mut self, want: Want, expected: &str) -> Option<Diagnostic> {
        self.foreign_comment()
            .or_else(|| self.keyword_as_name(want))
            .or_else(|| self.foreign_form(want))
            .or_else(|| self.missing(want, expected))
    }

    /// A keyword that was meant as a name.
    fn keyword_as_name(&self, want: Want) -> Option<Diagnostic> {
        if want != Want::Name || !self.keyword_is_name() {
            return None;
        }
        let token = self.token();
        Some(errors::keyword_as_name(self.token_span(token), self.token_text(token)))
    }

    /// Whether the current token is a keyword in a place where only a name makes sense, judging by
    /// what comes before and after it.
    pub(super) fn keyword_is_name(&self) -> bool {
        let is_keyword = TokenKind::keyword(self.token_text(self.token())).is_some();
        let before = self.back(1).map_or(TokenKind::Eof, |index| self.kind_of(index));
        let is_bound = matches!(
            before,
            TokenKind::Def
                | TokenKind::Entry
                | TokenKind::Val
                | TokenKind::Type
                | TokenKind::Module
        );
        let next = self.kind_at(1);
        let ends_name = matches!(
            next,
            TokenKind::Equals
                | TokenKind::Colon
                | TokenKind::Comma
                | TokenKind::RParen
                | TokenKind::RBrace
                | TokenKind::Arrow
        );
        let is_selected = before == TokenKind::Dot;
        is_keyword && (is_selected || ends_name || is_bound && next != TokenKind::Eof)
    }

    // ---- looking around ----

    /// The index of an earlier token.
    pub(super) fn back(&self, count: usize) -> Option<usize> {
        self.pos.checked_sub(count)
    }

    /// The text of the token at an index.
    pub(super) fn text_of(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |&token| self.token_text(token))
    }

    /// The kind of the token at an index.
    pub(super) fn kind_of(&self, index: usize) -> TokenKind {
        self.tokens.get(index).map_or(TokenKind::Eof, |token| token.kind)
    }

    /// The place of the token at an index.
    pub(super) fn span_of(&self, index: usize) -> Span {
        self.token_span(self.tokens[index])
    }

    /// Whether no space is between a token and the one before it.
    pub(super) fn touches(&self, index: usize) -> bool {
        index > 0 && self.tokens[index - 1].end == self.tokens[index].start
    }

    /// The index of the first token of the line on which a token stands.
    pub(super) fn first_of_line(&self, index: usize) -> usize {
        let mut first = index;
        while first > 0 && self.line_column(first).is_none() {
            first -= 1;
        }
        first
    }

    /// Whether the current token starts the next declaration, or ends the file.
    pub(super) fn at_end_of_dec(&self) -> bool {
        self.at_dec_keyword()
            && (self.kind() == TokenKind::Eof || self.line_column(self.pos).is_some())
    }

    /// The brackets that are open before a token of the present declaration, the innermost last.
    pub(super) fn open_brackets(&self, before: usize) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        for index in self.dec_start..before {
            match self.tokens[index].kind {
                TokenKind::LParen
                | TokenKind::LBracket
                | TokenKind::LBrace
                | TokenKind::AttrStart => open.push(index),
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    // A wrong one closes what it fits, if there is something.
                    if let Some(at) = open
                        .iter()
                        .rposition(|&o| closer(self.tokens[o].kind) == self.tokens[index].kind)
                    {
                        open.truncate(at);
                    }
                }
                _ => {}
            }
        }
        open
    }
}

/// What closes a bracket.
pub(super) fn closer(open: TokenKind) -> TokenKind {
    match open {
        TokenKind::LParen => TokenKind::RParen,
        TokenKind::LBrace => TokenKind::RBrace,
        _ => TokenKind::RBracket,
    }
}
