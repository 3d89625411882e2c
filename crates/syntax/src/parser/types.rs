//! Type expressions, and the parameters of types and functions.

use super::Parser;
use super::explain::Want;
use crate::ast::{Ident, Lifted, TypeArg, TypeExp, TypeExpKind, TypeParam, TypeParamKind};
use crate::token::TokenKind;
use fehu_base::Span;

impl Parser<'_> {
    /// A type.
    pub(super) fn type_exp(&mut self) -> TypeExp {
        if !self.enter() {
            return self.error_type();
        }
        let start = self.here();
        let ty = if self.at_named_param() {
            let open = self.pos;
            self.bump();
            let wildcard = self.kind() == TokenKind::Underscore;
            let name = Some(self.bump_ident()).filter(|_| !wildcard);
            self.bump();
            let param = self.type_exp();
            self.close(TokenKind::RParen, open);
            if self.expect_here(TokenKind::Arrow) {
                self.function_type(start, name, param)
            } else {
                self.error_type()
            }
        } else {
            let ty = self.type_term();
            if self.eat(TokenKind::Arrow) { self.function_type(start, None, ty) } else { ty }
        };
        self.leave();
        ty
    }

    /// A type that is not a function type, for places where `->` means something else.
    pub(super) fn type_without_arrow(&mut self) -> TypeExp {
        self.type_term()
    }

    fn function_type(&mut self, start: Span, name: Option<Ident>, param: TypeExp) -> TypeExp {
        let result = Box::new(self.type_exp());
        self.mk_type(start, TypeExpKind::Fun(name, Box::new(param), result))
    }

    /// Whether this is the `(x:` of a named parameter.
    fn at_named_param(&self) -> bool {
        self.kind() == TokenKind::LParen
            && matches!(self.kind_at(1), TokenKind::Ident | TokenKind::Underscore)
            && self.kind_at(2) == TokenKind::Colon
    }

    fn mk_type(&mut self, start: Span, kind: TypeExpKind) -> TypeExp {
        TypeExp { id: self.node(), span: self.span_from(start), kind }
    }

    fn error_type(&mut self) -> TypeExp {
        let span = self.here().before();
        TypeExp { id: self.node(), span, kind: TypeExpKind::Error }
    }

    /// `*t`, `[n]t`, `?[n].t`, `#a | #b`, or an application.
    fn type_term(&mut self) -> TypeExp {
        if !self.enter() {
            return self.error_type();
        }
        let start = self.here();
        let ty = match self.kind() {
            TokenKind::Op if self.at_op("*") => {
                self.bump();
                let inner = Box::new(self.type_term());
                self.mk_type(start, TypeExpKind::Unique(inner))
            }
            TokenKind::LBracket => {
                let size = self.bracketed_size();
                let element = Box::new(self.type_term());
                self.mk_type(start, TypeExpKind::Array(size, element))
            }
            TokenKind::Question => {
                self.bump();
                let mut sizes = vec![self.size_param()];
                while self.kind() == TokenKind::LBracket {
                    sizes.push(self.size_param());
                }
                self.expect_here(TokenKind::Dot);
                let inner = Box::new(self.type_exp());
                self.mk_type(start, TypeExpKind::Exists(sizes, inner))
            }
            TokenKind::Ctor => self.sum_type(start),
            TokenKind::Ident => {
                let name = self.qual_name("a type");
                let mut args = Vec::new();
                loop {
                    match self.kind() {
                        TokenKind::LBracket => {
                            let start = self.here();
                            let size = self.bracketed_size();
                            args.push(TypeArg::Size(size, self.span_from(start)));
                        }
                        // `(x:` is more likely the next parameter, the `)` before it missing.
                        _ if self.at_type_atom() && !self.at_named_param() => {
                            args.push(TypeArg::Type(self.type_atom()))
                        }
                        _ => break,
                    }
                }
                self.mk_type(start, TypeExpKind::Name(name, args))
            }
            _ => self.type_atom(),
        };
        self.leave();
        ty
    }

    /// `[e]` or `[]`
    fn bracketed_size(&mut self) -> Option<Box<crate::ast::Exp>> {
        let open = self.pos;
        self.bump();
        if self.eat(TokenKind::RBracket) {
            return None;
        }
        let size = Box::new(self.exp());
        self.close(TokenKind::RBracket, open);
        Some(size)
    }

    fn sum_type(&mut self, start: Span) -> TypeExp {
        let mut ctors = Vec::new();
        loop {
            if self.kind() != TokenKind::Ctor {
                self.unexpected(TokenKind::Ctor.describe());
                break;
            }
            let name = self.bump_ctor();
            let mut payload = Vec::new();
            while self.kind() == TokenKind::LBracket || self.at_type_atom() {
                payload.push(self.payload());
            }
            ctors.push((name, payload));
            if !self.at_op("|") {
                break;
            }
            self.bump();
        }
        self.mk_type(start, TypeExpKind::Sum(ctors))
    }

    /// One part of a constructor's payload: an atom, or an array of them.
    fn payload(&mut self) -> TypeExp {
        if self.kind() != TokenKind::LBracket {
            return self.type_atom();
        }
        if !self.enter() {
            return self.error_type();
        }
        let start = self.here();
        let size = self.bracketed_size();
        let element = Box::new(self.payload());
        self.leave();
        self.mk_type(start, TypeExpKind::Array(size, element))
    }

    fn at_type_atom(&self) -> bool {
        matches!(self.kind(), TokenKind::Ident | TokenKind::LParen | TokenKind::LBrace)
    }

    /// A name, or a type in brackets.
    fn type_atom(&mut self) -> TypeExp {
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Ident => TypeExpKind::Name(self.qual_name("a type"), Vec::new()),
            TokenKind::LParen => {
                let open = self.pos;
                self.bump();
                if self.eat(TokenKind::RParen) {
                    return self.mk_type(start, TypeExpKind::Tuple(Vec::new()));
                }
                let first = self.type_exp();
                if self.eat(TokenKind::Comma) {
                    if self.kind() == TokenKind::RParen {
                        self.unexpected("a type: there are no tuples of one element");
                    }
                    let (rest, _) =
                        self.list(open, TokenKind::RParen, "`,` or `)`", Self::type_exp);
                    let mut items = vec![first];
                    items.extend(rest);
                    if items.len() == 1 { TypeExpKind::Error } else { TypeExpKind::Tuple(items) }
                } else {
                    self.close(TokenKind::RParen, open);
                    TypeExpKind::Paren(Box::new(first))
                }
            }
            TokenKind::LBrace => {
                let open = self.pos;
                self.bump();
                let (fields, _) = self.list(open, TokenKind::RBrace, "`,` or `}`", |parser| {
                    let name = parser.field();
                    if !parser.eat(TokenKind::Colon) {
                        parser.unexpected_for(Want::FieldType, TokenKind::Colon.describe());
                    }
                    (name, parser.type_exp())
                });
                TypeExpKind::Record(fields)
            }
            TokenKind::Bad => {
                self.note_bad();
                self.bump();
                TypeExpKind::Error
            }
            _ => {
                self.unexpected_for(Want::Type, "a type");
                return self.error_type();
            }
        };
        self.mk_type(start, kind)
    }

    /// Type and size parameters, as many as there are.
    pub(super) fn type_params(&mut self) -> Vec<TypeParam> {
        let mut params = Vec::new();
        loop {
            match self.kind() {
                TokenKind::LBracket => params.push(self.size_param()),
                TokenKind::Tick => {
                    let start = self.here();
                    self.bump();
                    let kind = TypeParamKind::Type(self.lifted());
                    let name = self.ident("the name of a type parameter");
                    let id = self.node();
                    params.push(TypeParam { id, span: self.span_from(start), kind, name });
                }
                _ => return params,
            }
        }
    }

    /// `[n]`
    pub(super) fn size_param(&mut self) -> TypeParam {
        let start = self.here();
        let open = self.pos;
        self.expect_here(TokenKind::LBracket);
        let name = self.ident("the name of a size");
        self.close(TokenKind::RBracket, open);
        let span = self.span_from(start);
        TypeParam { id: self.node(), span, kind: TypeParamKind::Size, name }
    }

    /// The `~` or `^` after `type` or an apostrophe, if there is one.
    pub(super) fn lifted(&mut self) -> Lifted {
        if self.eat(TokenKind::Tilde) {
            Lifted::SizeLifted
        } else if self.at_op("^") {
            self.bump();
            Lifted::Lifted
        } else {
            Lifted::Unlifted
        }
    }
}
