//! Modules, module types and their specifications.

use super::Parser;
use super::explain::Want;
use crate::ast::{
    Attr, DecKind, Ident, ModBind, ModExp, ModExpKind, ModParam, ModTypeBind, ModTypeExp,
    ModTypeExpKind, Spec, SpecKind, TypeBind,
};
use crate::errors;
use crate::token::TokenKind;
use fehu_base::Span;

/// Whether a module type may be a function, or `->` means something else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrows {
    Allowed,
    Outside,
}

impl Parser<'_> {
    /// `module m = ...` or `module type m = ...`
    pub(super) fn module_dec(&mut self) -> DecKind {
        self.bump();
        if self.eat(TokenKind::Type) {
            let name = self.ident("the name of a module type");
            if !self.expect(TokenKind::Equals) {
                return DecKind::Error;
            }
            let body = self.mod_type();
            return DecKind::ModuleType(ModTypeBind { name, body });
        }
        let name = self.ident("the name of a module");
        let mut params = Vec::new();
        while self.kind() == TokenKind::LParen {
            params.push(self.mod_param());
        }
        let ty = self.eat(TokenKind::Colon).then(|| self.mod_type());
        if !self.expect(TokenKind::Equals) {
            return DecKind::Error;
        }
        let body = match self.needed {
            Some(names) if ty.is_some() && self.kind() == TokenKind::LBrace => {
                if names.contains(&name.name) {
                    let outer = std::mem::replace(&mut self.partial, true);
                    let body = self.mod_exp();
                    self.partial = outer;
                    body
                } else {
                    self.skip_mod_body()
                }
            }
            Some(_) | None => self.mod_exp(),
        };
        DecKind::Module(ModBind { name, params, ty, body })
    }

    /// `{ ... }` without a look at what is inside.
    fn skip_mod_body(&mut self) -> ModExp {
        let start = self.here();
        let mut open = 0usize;
        loop {
            match self.bump().kind {
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace => open -= 1,
                TokenKind::Eof => break,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        self.mk_mod(start, ModExpKind::Decs(Vec::new()))
    }

    /// `(P: mt)`
    fn mod_param(&mut self) -> ModParam {
        let start = self.here();
        let open = self.pos;
        self.expect_here(TokenKind::LParen);
        let name = self.ident("the name of a module parameter");
        self.expect_here(TokenKind::Colon);
        let ty = self.mod_type();
        self.close(TokenKind::RParen, open);
        ModParam { id: self.node(), span: self.span_from(start), name, ty }
    }

    fn mk_mod(&mut self, start: Span, kind: ModExpKind) -> ModExp {
        ModExp { id: self.node(), span: self.span_from(start), kind }
    }

    fn error_mod(&mut self) -> ModExp {
        let span = self.here().before();
        ModExp { id: self.node(), span, kind: ModExpKind::Error }
    }

    /// A module expression.
    pub(super) fn mod_exp(&mut self) -> ModExp {
        if !self.enter() {
            return self.error_mod();
        }
        let chain = self.start_chain();
        let start = self.here();
        let mut exp = if self.kind() == TokenKind::Backslash {
            self.mod_lambda()
        } else {
            self.mod_application()
        };
        while self.kind() == TokenKind::Colon {
            if !self.deepen_chain() {
                exp = self.error_mod();
                break;
            }
            self.bump();
            let ty = Box::new(self.mod_type());
            exp = self.mk_mod(start, ModExpKind::Ascribe(Box::new(exp), ty));
        }
        self.end_chain(chain);
        self.leave();
        exp
    }

    fn mod_lambda(&mut self) -> ModExp {
        let start = self.here();
        self.bump();
        let param = Box::new(self.mod_param());
        let ty = self.eat(TokenKind::Colon).then(|| Box::new(self.mod_type_with(Arrows::Outside)));
        if !self.expect(TokenKind::Arrow) {
            return self.error_mod();
        }
        let body = Box::new(self.mod_exp());
        self.mk_mod(start, ModExpKind::Lambda(param, ty, body))
    }

    fn mod_application(&mut self) -> ModExp {
        let chain = self.start_chain();
        let start = self.here();
        let mut exp = self.mod_atom();
        loop {
            match self.kind() {
                TokenKind::Ident | TokenKind::LParen | TokenKind::LBrace => {}
                // `f import "x"` is an application, an import on a new line is a declaration.
                TokenKind::Import if !self.at_new_line() => {}
                _ => break,
            }
            if !self.deepen_chain() {
                exp = self.error_mod();
                break;
            }
            let arg = Box::new(self.mod_atom());
            exp = self.mk_mod(start, ModExpKind::Apply(Box::new(exp), arg));
        }
        self.end_chain(chain);
        exp
    }

    /// Whether a declaration starts a line and is indented no more than this.
    fn is_outside(&self, span: Span, column: usize) -> bool {
        let line = &self.text[..span.start as usize];
        let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
        line.trim_start().is_empty() && line.len() <= column
    }

    fn at_new_line(&self) -> bool {
        let Some(before) = self.pos.checked_sub(1) else {
            return true;
        };
        let gap = self.tokens[before].end as usize..self.token().start as usize;
        self.text[gap].contains('\n')
    }

    fn mod_atom(&mut self) -> ModExp {
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Ident => ModExpKind::Name(self.qual_name("a module")),
            TokenKind::LParen => {
                let open = self.pos;
                self.bump();
                let inner = Box::new(self.mod_exp());
                self.close(TokenKind::RParen, open);
                ModExpKind::Paren(inner)
            }
            TokenKind::LBrace => {
                if !self.enter() {
                    return self.error_mod();
                }
                self.bump();
                let column = self.dec_column;
                let decs = self.decs(TokenKind::RBrace);
                self.dec_column = column;
                self.leave();
                if !self.eat(TokenKind::RBrace) {
                    let indented =
                        decs.first().is_some_and(|dec| !self.is_outside(dec.span, column));
                    let outside =
                        decs.iter().find(|dec| indented && self.is_outside(dec.span, column));
                    let outside = outside.map(|dec| dec.span);
                    self.report(errors::unclosed_module(start, self.here(), outside));
                }
                ModExpKind::Decs(decs)
            }
            TokenKind::Import => match self.import() {
                Some((name, span)) => ModExpKind::Import(name, span),
                None => ModExpKind::Error,
            },
            _ => {
                self.unexpected("a module");
                return self.error_mod();
            }
        };
        self.mk_mod(start, kind)
    }

    fn mk_mod_type(&mut self, start: Span, kind: ModTypeExpKind) -> ModTypeExp {
        ModTypeExp { id: self.node(), span: self.span_from(start), kind }
    }

    fn error_mod_type(&mut self) -> ModTypeExp {
        let span = self.here().before();
        ModTypeExp { id: self.node(), span, kind: ModTypeExpKind::Error }
    }

    /// A module type.
    fn mod_type(&mut self) -> ModTypeExp {
        self.mod_type_with(Arrows::Allowed)
    }

    fn mod_type_with(&mut self, arrows: Arrows) -> ModTypeExp {
        if !self.enter() {
            return self.error_mod_type();
        }
        let start = self.here();
        let named = self.kind() == TokenKind::LParen
            && self.kind_at(1) == TokenKind::Ident
            && self.kind_at(2) == TokenKind::Colon;
        let ty = if named {
            let open = self.pos;
            self.bump();
            let name = self.bump_ident();
            self.bump();
            let param = self.mod_type();
            self.close(TokenKind::RParen, open);
            if self.expect_here(TokenKind::Arrow) {
                self.mod_arrow(start, Some(name), param)
            } else {
                self.error_mod_type()
            }
        } else {
            let ty = self.mod_type_refined();
            if arrows == Arrows::Allowed && self.eat(TokenKind::Arrow) {
                self.mod_arrow(start, None, ty)
            } else {
                ty
            }
        };
        self.leave();
        ty
    }

    fn mod_arrow(&mut self, start: Span, name: Option<Ident>, param: ModTypeExp) -> ModTypeExp {
        let result = Box::new(self.mod_type());
        self.mk_mod_type(start, ModTypeExpKind::Arrow(name, Box::new(param), result))
    }

    /// `mt with t = ... with u = ...`
    fn mod_type_refined(&mut self) -> ModTypeExp {
        let chain = self.start_chain();
        let start = self.here();
        let mut ty = self.mod_type_atom();
        while self.kind() == TokenKind::With {
            if !self.deepen_chain() {
                ty = self.error_mod_type();
                break;
            }
            self.bump();
            let name = self.qual_name("the name of a type");
            let params = self.type_params();
            if !self.expect(TokenKind::Equals) {
                break;
            }
            let body = self.type_exp();
            ty = self.mk_mod_type(start, ModTypeExpKind::With(Box::new(ty), name, params, body));
        }
        self.end_chain(chain);
        ty
    }

    fn mod_type_atom(&mut self) -> ModTypeExp {
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Ident => ModTypeExpKind::Name(self.qual_name("a module type")),
            TokenKind::LParen => {
                let open = self.pos;
                self.bump();
                let inner = Box::new(self.mod_type());
                self.close(TokenKind::RParen, open);
                ModTypeExpKind::Paren(inner)
            }
            TokenKind::LBrace => {
                if !self.enter() {
                    return self.error_mod_type();
                }
                let open = self.pos;
                self.bump();
                let specs = self.specs(open);
                self.leave();
                ModTypeExpKind::Specs(specs)
            }
            _ => {
                self.unexpected("a module type");
                return self.error_mod_type();
            }
        };
        self.mk_mod_type(start, kind)
    }

    /// Specifications up to the `}`, which is consumed.
    fn specs(&mut self, open: usize) -> Vec<Spec> {
        let mut specs = Vec::new();
        loop {
            match self.kind() {
                TokenKind::RBrace => {
                    self.bump();
                    return specs;
                }
                TokenKind::Val
                | TokenKind::Type
                | TokenKind::Module
                | TokenKind::Include
                | TokenKind::AttrStart => specs.push(self.spec()),
                _ => {
                    let start = self.here();
                    self.unexpected_for(Want::Close(open), "a specification or `}`");
                    if !self.skip_to_spec() {
                        return specs;
                    }
                    let (id, span) = (self.node(), self.span_from(start));
                    let kind = SpecKind::Error;
                    specs.push(Spec { id, span, doc: None, attrs: Vec::new(), kind });
                }
            }
        }
    }

    /// Skips to the next specification or the end of them; says no if a declaration comes first.
    fn skip_to_spec(&mut self) -> bool {
        loop {
            match self.kind() {
                TokenKind::Val
                | TokenKind::Type
                | TokenKind::Module
                | TokenKind::Include
                | TokenKind::RBrace => return true,
                _ if self.at_dec_keyword() => return false,
                _ => {}
            }
            self.bump();
        }
    }

    fn spec(&mut self) -> Spec {
        self.end_broken();
        self.note_broken();
        self.error_at = None;
        self.dec_start = self.pos;
        let mut doc = self.take_doc();
        let mut attrs: Vec<Attr> = Vec::new();
        while self.kind() == TokenKind::AttrStart {
            attrs.push(self.attr());
            doc = self.take_doc().or(doc);
        }
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Val => self.val_spec(),
            TokenKind::Type => {
                let (lifted, name, params) = self.type_head();
                if self.eat(TokenKind::Equals) {
                    let body = self.type_exp();
                    SpecKind::Type(TypeBind { lifted, name, params, body })
                } else {
                    SpecKind::TypeAbstract { lifted, name, params }
                }
            }
            TokenKind::Module => {
                self.bump();
                let name = self.ident("the name of a module");
                if self.expect_here(TokenKind::Colon) {
                    SpecKind::Module(name, self.mod_type())
                } else {
                    SpecKind::Error
                }
            }
            TokenKind::Include => {
                self.bump();
                SpecKind::Include(self.mod_type())
            }
            _ => {
                self.unexpected("a specification");
                SpecKind::Error
            }
        };
        Spec { id: self.node(), span: self.span_from(start), doc, attrs, kind }
    }

    fn val_spec(&mut self) -> SpecKind {
        self.bump();
        let name = match self.kind() {
            TokenKind::Op | TokenKind::Minus | TokenKind::Bang => self.bound_operator(),
            TokenKind::LParen => match self.operator_in_parens() {
                Some(name) => name,
                None => {
                    self.unexpected("a name or an operator in parentheses");
                    return SpecKind::Error;
                }
            },
            _ => self.ident("the name of a value"),
        };
        let type_params = self.type_params();
        if !self.expect(TokenKind::Colon) {
            return SpecKind::Error;
        }
        let ty = self.type_exp();
        SpecKind::Val { name, type_params, ty }
    }
}
