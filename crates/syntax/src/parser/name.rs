//! Names, fields, strings and attributes.

use super::Parser;
use super::explain::Want;
use crate::ast::{self, Attr, AttrKind, Ident, QualName};
use crate::errors;
use crate::literal;
use crate::token::TokenKind;
use ecow::EcoString;
use fehu_base::{Span, bug};

impl Parser<'_> {
    /// A name that is being bound or selected.
    pub(super) fn ident(&mut self, expected: &str) -> Ident {
        if self.kind() == TokenKind::Ident {
            return self.bump_ident();
        }
        self.unexpected_for(Want::Name, expected);
        if self.keyword_is_name() {
            return self.bump_ident();
        }
        Ident { name: EcoString::new(), span: self.here().before() }
    }

    /// The current token as a name.
    pub(super) fn bump_ident(&mut self) -> Ident {
        let token = self.bump();
        Ident { name: self.token_text(token).into(), span: self.token_span(token) }
    }

    /// The current token, a constructor, without its `#`.
    pub(super) fn bump_ctor(&mut self) -> Ident {
        let token = self.bump();
        let text = self.token_text(token);
        Ident { name: text.strip_prefix('#').unwrap_or(text).into(), span: self.token_span(token) }
    }

    /// A field: a name or a number.
    pub(super) fn field(&mut self) -> Ident {
        match self.kind() {
            TokenKind::Int => {
                let token = self.token();
                let text = self.token_text(token);
                if !text.bytes().all(|b| b.is_ascii_digit()) {
                    let error = errors::invalid_literal(
                        self.token_span(token),
                        "a field must be a name or a number without a suffix",
                    );
                    self.report(error);
                }
                self.bump_ident()
            }
            _ => self.ident("the name of a field"),
        }
    }

    /// `m.n.x` where only names may occur.
    pub(super) fn qual_name(&mut self, expected: &str) -> QualName {
        let mut name = self.ident(expected);
        let start = name.span;
        let mut quals = Vec::new();
        while self.kind() == TokenKind::Dot && self.kind_at(1) == TokenKind::Ident {
            self.bump();
            quals.push(std::mem::replace(&mut name, self.bump_ident()));
        }
        let span = start.to(name.span);
        QualName { quals, name, span }
    }

    /// The value of the string token at the cursor, with its place.
    pub(super) fn bump_string(&mut self) -> (EcoString, Span) {
        let token = self.bump();
        let span = self.token_span(token);
        let (value, problem) = literal::string(self.token_text(token));
        if let Some(why) = problem {
            self.errors.push(errors::invalid_literal(span, &why));
        }
        (value, span)
    }

    /// `#[attr]`
    pub(super) fn attr(&mut self) -> Attr {
        let open = self.pos;
        self.bump();
        let attr = self.attr_body();
        self.close(TokenKind::RBracket, open);
        attr
    }

    pub(super) fn attr_body(&mut self) -> Attr {
        let start = self.here();
        if self.kind() == TokenKind::Int {
            let token = self.bump();
            let (lit, problem) = literal::int(self.token_text(token));
            if let Some(why) = problem {
                self.errors.push(errors::invalid_literal(start, &why));
            }
            let value = match lit {
                ast::Lit::Int { value, .. } => i128::try_from(value).unwrap_or(i128::MAX),
                ast::Lit::Float { .. }
                | ast::Lit::Char(_)
                | ast::Lit::String(_)
                | ast::Lit::Bool(_) => bug("an integer is read as another literal"),
            };
            return Attr { span: start, kind: AttrKind::Int(value) };
        }
        let name = self.ident("an attribute: a name or a number").name;
        if self.kind() == TokenKind::LParen && self.enter() {
            let open = self.pos;
            self.bump();
            let (args, _) = self.list(open, TokenKind::RParen, "`,` or `)`", Self::attr_body);
            self.leave();
            return Attr { span: self.span_from(start), kind: AttrKind::Call(name, args) };
        }
        Attr { span: self.span_from(start), kind: AttrKind::Name(name) }
    }
}
