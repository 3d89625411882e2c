//! Patterns.

use super::Parser;
use super::explain::Want;
use crate::ast::{Ident, Pat, PatField, PatKind, PatLit};
use crate::errors;
use crate::token::TokenKind;
use fehu_base::Span;

impl Parser<'_> {
    /// A pattern with everything: attributes, constructors with payload, ascription.
    pub(super) fn pattern(&mut self) -> Pat {
        self.pattern_with(Self::type_exp)
    }

    /// The pattern of a `case`, after which comes `->`: an ascribed type has no arrow.
    pub(super) fn case_pattern(&mut self) -> Pat {
        self.pattern_with(Self::type_without_arrow)
    }

    fn pattern_with(&mut self, ty: fn(&mut Self) -> crate::ast::TypeExp) -> Pat {
        if !self.enter() {
            return self.error_pat();
        }
        let start = self.here();
        let pat = match self.kind() {
            TokenKind::AttrStart => {
                let attr = self.attr();
                let inner = Box::new(self.pattern_with(ty));
                self.mk_pat(start, PatKind::Attr(attr, inner))
            }
            TokenKind::Ctor => {
                let name = self.bump_ctor();
                let args = self.params();
                self.mk_pat(start, PatKind::Ctor(name, args))
            }
            _ => self.pattern_atom(),
        };
        let pat = if self.eat(TokenKind::Colon) {
            let ty = Box::new(ty(self));
            self.mk_pat(start, PatKind::Ascribe(Box::new(pat), ty))
        } else {
            pat
        };
        self.leave();
        pat
    }

    fn mk_pat(&mut self, start: Span, kind: PatKind) -> Pat {
        Pat { id: self.node(), span: self.span_from(start), kind }
    }

    fn error_pat(&mut self) -> Pat {
        let span = self.here().before();
        Pat { id: self.node(), span, kind: PatKind::Error }
    }

    /// Whether the current token starts a pattern that can be a parameter.
    pub(super) fn at_pattern_atom(&self) -> bool {
        self.is_pattern_atom_at(0)
    }

    /// Whether a later token does.
    pub(super) fn is_pattern_atom_at(&self, ahead: usize) -> bool {
        match self.kind_at(ahead) {
            TokenKind::Ident
            | TokenKind::Underscore
            | TokenKind::Ctor
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Char
            | TokenKind::True
            | TokenKind::False
            | TokenKind::LParen
            | TokenKind::LBrace => true,
            TokenKind::Minus => {
                matches!(self.kind_at(ahead + 1), TokenKind::Int | TokenKind::Float)
            }
            _ => false,
        }
    }

    /// A pattern that needs no parentheses as a parameter.
    pub(super) fn pattern_atom(&mut self) -> Pat {
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Ident => PatKind::Var(self.bump_ident()),
            TokenKind::Underscore => {
                self.bump();
                PatKind::Wildcard
            }
            TokenKind::Ctor => PatKind::Ctor(self.bump_ctor(), Vec::new()),
            TokenKind::Int
            | TokenKind::Float
            | TokenKind::Char
            | TokenKind::True
            | TokenKind::False => PatKind::Lit(PatLit { negative: false, lit: self.literal() }),
            TokenKind::Minus => {
                self.bump();
                if matches!(self.kind(), TokenKind::Int | TokenKind::Float) {
                    PatKind::Lit(PatLit { negative: true, lit: self.literal() })
                } else {
                    self.unexpected("a number");
                    PatKind::Error
                }
            }
            TokenKind::LParen => self.pattern_in_parens(),
            TokenKind::LBrace => {
                if !self.enter() {
                    return self.error_pat();
                }
                let open = self.pos;
                self.bump();
                let (fields, _) =
                    self.list(open, TokenKind::RBrace, "`,` or `}`", Self::pattern_field);
                self.leave();
                PatKind::Record(fields)
            }
            TokenKind::Bad => {
                self.note_bad();
                self.bump();
                PatKind::Error
            }
            _ => {
                self.unexpected_for(Want::Name, "a pattern");
                if self.keyword_is_name() {
                    let name = self.bump_ident();
                    return self.mk_pat(start, PatKind::Var(name));
                }
                return self.error_pat();
            }
        };
        self.mk_pat(start, kind)
    }

    fn pattern_in_parens(&mut self) -> PatKind {
        if let Some(name) = self.operator_in_parens() {
            return PatKind::Var(name);
        }
        let open = self.pos;
        self.bump();
        if self.eat(TokenKind::RParen) {
            return PatKind::Tuple(Vec::new());
        }
        let first = self.pattern();
        if self.eat(TokenKind::Comma) {
            if self.kind() == TokenKind::RParen {
                self.unexpected("a pattern: there are no tuples of one element");
            }
            let (rest, _) = self.list(open, TokenKind::RParen, "`,` or `)`", Self::pattern);
            let mut items = vec![first];
            items.extend(rest);
            return if items.len() == 1 { PatKind::Error } else { PatKind::Tuple(items) };
        }
        if matches!(self.kind(), TokenKind::LParen | TokenKind::Equals) {
            // The next parameter or the body; only this `)` is missing.
            self.unexpected_for(Want::Close(open), TokenKind::RParen.describe());
        } else {
            self.close(TokenKind::RParen, open);
        }
        PatKind::Paren(Box::new(first))
    }

    fn pattern_field(&mut self) -> PatField {
        let id = self.node();
        let name = self.field();
        let is_number = name.name.starts_with(|c: char| c.is_ascii_digit());
        let pat = if is_number {
            self.expect_here(TokenKind::Equals);
            Some(self.pattern())
        } else if self.eat(TokenKind::Equals) {
            Some(self.pattern())
        } else if self.eat(TokenKind::Colon) {
            // `{f: t}` is short for `{f = f: t}`.
            let ty = Box::new(self.type_exp());
            let start = name.span;
            let var = Pat { id: self.node(), span: start, kind: PatKind::Var(name.clone()) };
            Some(self.mk_pat(start, PatKind::Ascribe(Box::new(var), ty)))
        } else {
            None
        };
        PatField { id, name, pat }
    }

    /// `(+)`: the operator as a name that is bound here.
    pub(super) fn operator_in_parens(&mut self) -> Option<Ident> {
        let is_operator = matches!(
            self.kind_at(1),
            TokenKind::Op | TokenKind::Minus | TokenKind::Bang | TokenKind::Equals
        );
        if self.kind() != TokenKind::LParen || !is_operator || self.kind_at(2) != TokenKind::RParen
        {
            return None;
        }
        self.bump();
        let name = self.bound_operator();
        self.bump();
        Some(name)
    }

    /// The operator at the cursor as a name that is bound here.
    pub(super) fn bound_operator(&mut self) -> Ident {
        let kind = self.kind();
        let name = self.bump_ident();
        match (kind, name.name.as_str()) {
            (_, "&&" | "||") => {
                self.errors.push(errors::may_not_be_redefined(name.span, &name.name))
            }
            (TokenKind::Bang, _) => self.errors.push(errors::prefix_operator(name.span, "!")),
            (TokenKind::Equals, _) => self.errors.push(errors::reserved_operator(name.span, "=")),
            _ => {}
        }
        name
    }
}
