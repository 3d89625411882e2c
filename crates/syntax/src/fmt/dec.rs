//! Files, declarations and modules to instructions.

use super::build::{Builder, Items};
use crate::ast::{
    Attr, Dec, DecKind, File, Ident, ModExp, ModExpKind, ModParam, ModTypeExp, ModTypeExpKind,
    Spec, SpecKind, TypeBind, TypeParam, ValBind,
};
use crate::token::TokenKind;
use fehu_base::Span;

impl Builder<'_> {
    /// A whole file.
    pub(super) fn file(&mut self, file: &File) {
        let group = self.open();
        self.break_group(group);
        for dec in &file.decs {
            self.line_or_blank(group);
            self.dec(dec);
        }
        self.line_or_blank(group);
        self.close(group);
    }

    fn dec(&mut self, dec: &Dec) {
        self.attrs(&dec.attrs);
        match &dec.kind {
            DecKind::Val(bind) => self.val_bind(bind),
            DecKind::Type(bind) => self.type_bind(bind),
            DecKind::Module(bind) => {
                self.expect(TokenKind::Module);
                self.space();
                self.indent(4);
                self.word(bind.name.span);
                let group = self.open();
                for param in &bind.params {
                    self.line(group);
                    self.mod_param(param);
                }
                self.close(group);
                if let Some(ty) = &bind.ty {
                    let group = self.open();
                    self.line(group);
                    self.expect(TokenKind::Colon);
                    self.space();
                    self.align();
                    self.mod_type(ty);
                    self.pop();
                    self.close(group);
                }
                self.space_tok(TokenKind::Equals);
                self.pop();
                self.mod_body(&bind.body);
            }
            DecKind::ModuleType(bind) => {
                self.expect(TokenKind::Module);
                self.space_tok(TokenKind::Type);
                self.space();
                self.word(bind.name.span);
                self.space_tok(TokenKind::Equals);
                self.mod_type_body(&bind.body);
            }
            DecKind::Open(inner) => {
                self.expect(TokenKind::Open);
                self.space();
                self.mod_exp(inner);
            }
            DecKind::Import(_, span) => self.import(*span),
            DecKind::Local(inner) => {
                self.expect(TokenKind::Local);
                let group = self.open();
                self.line(group);
                self.close(group);
                self.dec(inner);
            }
            DecKind::Error => self.word(dec.span),
        }
    }

    fn attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            self.attr(attr);
            let group = self.open();
            self.line(group);
            self.close(group);
        }
    }

    fn import(&mut self, name: Span) {
        self.expect(TokenKind::Import);
        self.space();
        self.word(name);
    }

    fn val_bind(&mut self, bind: &ValBind) {
        self.tok();
        self.space();
        self.indent(4);
        if bind.infix {
            for (i, param) in bind.params.iter().enumerate() {
                if i > 0 {
                    self.space();
                    self.bound_name(&bind.name);
                    self.space();
                }
                self.pat(param);
            }
        } else {
            self.bound_name(&bind.name);
            self.all_params(&bind.type_params, &bind.params);
        }
        self.ret(bind.ret.as_ref());
        self.space_tok(TokenKind::Equals);
        self.pop();
        self.body(|b| b.exp(&bind.body));
    }

    /// A name, an operator, or either in parentheses or backticks.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other tokens close nothing")]
    fn bound_name(&mut self, name: &Ident) {
        let closing = match self.kind() {
            TokenKind::LParen => Some(TokenKind::RParen),
            TokenKind::Backtick => Some(TokenKind::Backtick),
            _ => None,
        };
        self.word(name.span);
        if let Some(closing) = closing {
            self.expect(closing);
        }
    }

    /// `type~ t 'a [n]`
    fn type_head(&mut self, name: &Ident, params: &[TypeParam]) {
        self.expect(TokenKind::Type);
        if matches!(self.kind(), TokenKind::Tilde | TokenKind::Op) {
            self.tok();
        }
        self.space();
        self.indent(4);
        self.word(name.span);
        self.type_params(params);
        self.pop();
    }

    fn type_bind(&mut self, bind: &TypeBind) {
        self.type_head(&bind.name, &bind.params);
        self.space_tok(TokenKind::Equals);
        self.body(|b| b.ty(&bind.body));
    }

    /// `(P: mt)`
    fn mod_param(&mut self, param: &ModParam) {
        self.bracketed(param.span.end, |b| {
            b.word(param.name.span);
            b.expect(TokenKind::Colon);
            b.space();
            b.mod_type(&param.ty);
        });
    }

    /// A module after `=` or `->`: its braces open on the same line.
    fn mod_body(&mut self, exp: &ModExp) {
        if matches!(exp.kind, ModExpKind::Decs(_)) && !self.comments_here() {
            self.space();
            self.mod_exp(exp);
        } else {
            self.body(|b| b.mod_exp(exp));
        }
    }

    fn mod_exp(&mut self, exp: &ModExp) {
        match &exp.kind {
            ModExpKind::Name(name) => self.word(name.span),
            ModExpKind::Paren(inner) => self.bracketed(exp.span.end, |b| b.mod_exp(inner)),
            ModExpKind::Decs(decs) => self.braces(exp.span.end, decs, |b, dec| b.dec(dec)),
            ModExpKind::Import(_, span) => self.import(*span),
            ModExpKind::Ascribe(inner, ty) => {
                let group = self.open();
                self.mod_exp(inner);
                self.indent(2);
                self.line(group);
                self.expect(TokenKind::Colon);
                self.space();
                self.mod_type(ty);
                self.pop();
                self.close(group);
            }
            // No line breaks here: an import on a new line would be a declaration.
            ModExpKind::Apply(function, arg) => {
                self.mod_exp(function);
                self.space();
                self.mod_exp(arg);
            }
            ModExpKind::Lambda(param, ty, body) => {
                self.expect(TokenKind::Backslash);
                self.mod_param(param);
                if let Some(ty) = ty {
                    self.space_tok(TokenKind::Colon);
                    self.space();
                    self.mod_type(ty);
                }
                self.space_tok(TokenKind::Arrow);
                self.mod_body(body);
            }
            ModExpKind::Error => self.word(exp.span),
        }
    }

    /// `{ a b c }` on one line, or each on its own line.
    fn braces<T>(&mut self, end: u32, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            self.list(end, items, Items::Vertical, item);
            return;
        }
        let before = self.broken_lines;
        let group = self.open();
        self.expect(TokenKind::LBrace);
        self.indent(2);
        for (i, x) in items.iter().enumerate() {
            if i == 0 {
                self.line(group);
            } else {
                self.line_or_blank(group);
            }
            item(self, x);
        }
        self.comments_before(end.saturating_sub(1));
        self.pop();
        self.line(group);
        self.expect(TokenKind::RBrace);
        self.close(group);
        if self.broken_lines > before {
            self.break_group(group);
        }
    }

    /// A module type after `=` or `:`.
    fn mod_type_body(&mut self, ty: &ModTypeExp) {
        if matches!(ty.kind, ModTypeExpKind::Specs(_)) && !self.comments_here() {
            self.space();
            self.mod_type(ty);
        } else {
            self.body(|b| b.mod_type(ty));
        }
    }

    fn mod_type(&mut self, ty: &ModTypeExp) {
        match &ty.kind {
            ModTypeExpKind::Name(name) => self.word(name.span),
            ModTypeExpKind::Paren(inner) => self.bracketed(ty.span.end, |b| {
                b.mod_type(inner);
            }),
            ModTypeExpKind::Specs(specs) => {
                self.braces(ty.span.end, specs, |b, spec| b.spec(spec));
            }
            ModTypeExpKind::With(..) => self.refined(ty),
            ModTypeExpKind::Arrow(..) => {
                self.align();
                let group = self.open();
                let mut rest = ty;
                while let ModTypeExpKind::Arrow(name, param, result) = &rest.kind {
                    if let Some(name) = name {
                        self.expect(TokenKind::LParen);
                        self.word(name.span);
                        self.expect(TokenKind::Colon);
                        self.space();
                        self.mod_type(param);
                        self.expect(TokenKind::RParen);
                    } else {
                        self.mod_type(param);
                    }
                    self.line_before_operator(group, 1);
                    self.expect(TokenKind::Arrow);
                    self.space();
                    rest = result;
                }
                self.mod_type(rest);
                self.close(group);
                self.pop();
            }
            ModTypeExpKind::Error => self.word(ty.span),
        }
    }

    /// `mt with t = a with u = b`
    fn refined(&mut self, ty: &ModTypeExp) {
        let mut base = ty;
        let mut refinements = Vec::new();
        while let ModTypeExpKind::With(inner, name, params, body) = &base.kind {
            refinements.push((name, params, body));
            base = inner;
        }
        let group = self.open();
        self.mod_type(base);
        self.indent(2);
        for (name, params, body) in refinements.into_iter().rev() {
            self.line(group);
            self.expect(TokenKind::With);
            self.space();
            self.word(name.span);
            self.type_params(params);
            self.space_tok(TokenKind::Equals);
            self.body(|b| b.ty(body));
        }
        self.pop();
        self.close(group);
    }

    fn spec(&mut self, spec: &Spec) {
        self.attrs(&spec.attrs);
        match &spec.kind {
            SpecKind::Val { name, type_params, ty } => {
                self.expect(TokenKind::Val);
                self.space();
                self.indent(4);
                self.bound_name(name);
                self.type_params(type_params);
                self.space_tok(TokenKind::Colon);
                self.pop();
                self.body(|b| b.ty(ty));
            }
            SpecKind::TypeAbstract { name, params, .. } => self.type_head(name, params),
            SpecKind::Type(bind) => self.type_bind(bind),
            SpecKind::Module(name, ty) => {
                self.expect(TokenKind::Module);
                self.space();
                self.word(name.span);
                self.space_tok(TokenKind::Colon);
                self.mod_type_body(ty);
            }
            SpecKind::Include(ty) => {
                self.expect(TokenKind::Include);
                self.space();
                self.mod_type(ty);
            }
            SpecKind::Error => self.word(spec.span),
        }
    }
}
