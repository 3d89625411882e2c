//! Types and patterns to instructions.

use super::build::{Builder, Items};
use crate::ast::{
    Attr, Pat, PatField, PatKind, TypeArg, TypeExp, TypeExpKind, TypeParam, TypeParamKind,
};
use crate::token::TokenKind;

impl Builder<'_> {
    /// A type.
    pub(super) fn ty(&mut self, ty: &TypeExp) {
        match &ty.kind {
            TypeExpKind::Name(name, args) => {
                self.word(name.span);
                for arg in args {
                    self.space();
                    match arg {
                        TypeArg::Size(..) if self.kind_at(1) == TokenKind::RBracket => {
                            self.tok();
                            self.tok();
                        }
                        TypeArg::Size(size, span) => self.bracketed(span.end, |b| {
                            if let Some(size) = size {
                                b.exp(size);
                            }
                        }),
                        TypeArg::Type(ty) => {
                            self.ty(ty);
                        }
                    }
                }
            }
            TypeExpKind::Array(size, element) => {
                self.expect(TokenKind::LBracket);
                if let Some(size) = size {
                    self.align();
                    self.exp(size);
                    self.pop();
                }
                self.expect(TokenKind::RBracket);
                self.ty(element)
            }
            TypeExpKind::Tuple(items) => {
                self.list(ty.span.end, items, Items::Vertical, |b, t| b.ty(t))
            }
            TypeExpKind::Record(fields) => {
                self.list(ty.span.end, fields, Items::Vertical, |b, (name, t)| {
                    b.word(name.span);
                    b.expect(TokenKind::Colon);
                    b.body(|b| b.ty(t));
                })
            }
            TypeExpKind::Sum(ctors) => {
                self.align();
                let group = self.open();
                for (i, (name, payload)) in ctors.iter().enumerate() {
                    if i > 0 {
                        self.line_before_operator(group, 1);
                        self.tok();
                        self.space();
                    }
                    self.word(name.span);
                    for ty in payload {
                        self.space();
                        self.ty(ty);
                    }
                }
                self.close(group);
                self.pop();
            }
            TypeExpKind::Fun(..) => self.function_type(ty),
            TypeExpKind::Unique(inner) => {
                self.tok();
                self.ty(inner)
            }
            TypeExpKind::Exists(sizes, inner) => {
                self.expect(TokenKind::Question);
                for size in sizes {
                    self.word(size.span);
                }
                self.expect(TokenKind::Dot);
                self.ty(inner)
            }
            TypeExpKind::Paren(inner) => {
                self.bracketed(ty.span.end, |b| {
                    b.ty(inner);
                });
            }
            TypeExpKind::Error => {
                self.word(ty.span);
            }
        }
    }

    /// `a -> (x: b) -> c`
    fn function_type(&mut self, ty: &TypeExp) {
        self.align();
        let group = self.open();
        let mut rest = ty;
        while let TypeExpKind::Fun(_, param, result) = &rest.kind {
            let named = self.kind() == TokenKind::LParen
                && matches!(self.kind_at(1), TokenKind::Ident | TokenKind::Underscore)
                && self.kind_at(2) == TokenKind::Colon;
            if named {
                self.tok();
                self.align();
                self.tok();
                self.tok();
                self.space();
                self.ty(param);
                self.pop();
                self.expect(TokenKind::RParen);
            } else {
                self.ty(param);
            }
            self.line_before_operator(group, 1);
            self.expect(TokenKind::Arrow);
            self.space();
            rest = result;
        }
        self.ty(rest);
        self.close(group);
        self.pop();
    }

    /// `: t`, on the line of what precedes it or on the next one.
    pub(super) fn ret(&mut self, ty: Option<&TypeExp>) {
        if let Some(ty) = ty {
            let group = self.open();
            self.line(group);
            self.expect(TokenKind::Colon);
            self.space();
            self.ty(ty);
            self.close(group);
        }
    }

    /// Type and size parameters, each after a space.
    pub(super) fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            self.space();
            self.type_param(param);
        }
    }

    fn type_param(&mut self, param: &TypeParam) {
        match param.kind {
            TypeParamKind::Size | TypeParamKind::Type(_) => self.word(param.span),
        }
    }

    /// Sizes before a pattern, each before a space.
    pub(super) fn sizes(&mut self, sizes: &[TypeParam]) {
        for size in sizes {
            self.type_param(size);
            self.space();
        }
    }

    /// The parameters of a function after its name. They stand below each other: aligned with the
    /// first one if that is on the line of the name, and nothing is between them; otherwise
    /// indented.
    pub(super) fn all_params(&mut self, type_params: &[TypeParam], params: &[Pat]) {
        self.type_params(type_params);
        let hangs = type_params.is_empty() && !self.breaks_at(0);
        if hangs && !params.is_empty() {
            self.space();
        }
        self.params(params, hangs);
    }

    /// Value parameters, of which the first is either aligned with or treated like the others.
    pub(super) fn params(&mut self, params: &[Pat], hangs: bool) {
        let group = self.open();
        if hangs {
            self.align();
        }
        for (i, param) in params.iter().enumerate() {
            if i > 0 || !hangs {
                self.line(group);
            }
            self.pat(param);
        }
        if hangs {
            self.pop();
        }
        self.close(group);
    }

    /// `#[attr]`
    pub(super) fn attr(&mut self, attr: &Attr) {
        self.expect(TokenKind::AttrStart);
        let mut comma = false;
        while self.kind() != TokenKind::Eof && self.starts_before(attr.span.end) {
            if comma {
                self.space();
            }
            comma = self.kind() == TokenKind::Comma;
            self.tok();
        }
        self.expect(TokenKind::RBracket);
    }

    /// A pattern.
    pub(super) fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {
                self.word(pat.span);
            }
            PatKind::Paren(inner) => self.bracketed(pat.span.end, |b| b.pat(inner)),
            PatKind::Tuple(items) => {
                self.list(pat.span.end, items, Items::Vertical, |b, p| b.pat(p));
            }
            PatKind::Record(fields) => {
                self.list(pat.span.end, fields, Items::Vertical, |b, f| b.pat_field(f));
            }
            PatKind::Ctor(name, args) => {
                self.word(name.span);
                for arg in args {
                    self.space();
                    self.pat(arg);
                }
            }
            PatKind::Ascribe(inner, ty) => {
                self.pat(inner);
                self.expect(TokenKind::Colon);
                self.space();
                self.ty(ty);
            }
            PatKind::Attr(attr, inner) => {
                self.attr(attr);
                self.space();
                self.pat(inner);
            }
        }
    }

    fn pat_field(&mut self, field: &PatField) {
        self.word(field.name.span);
        let Some(pat) = &field.pat else { return };
        if self.kind() == TokenKind::Equals {
            self.space_tok(TokenKind::Equals);
            self.space();
            self.pat(pat);
        } else if let PatKind::Ascribe(_, ty) = &pat.kind {
            // `{f: t}`, whose variable is the field itself.
            self.expect(TokenKind::Colon);
            self.space();
            self.ty(ty);
        }
    }
}
