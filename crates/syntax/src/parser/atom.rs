//! The innermost expressions: literals, names, everything in brackets, and what follows them
//! directly (`.f`, `[i]`).

use super::Parser;
use super::explain::Want;
use super::operator::{Context, RANGE};
use crate::ast::{Access, DimIndex, Exp, ExpKind, Lit, QualName, RecordField};
use crate::errors;
use crate::literal;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Whether the current token starts an atom.
    pub(super) fn at_atom(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Ident
                | TokenKind::Underscore
                | TokenKind::Ctor
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Char
                | TokenKind::String
                | TokenKind::True
                | TokenKind::False
                | TokenKind::Hole
                | TokenKind::LParen
                | TokenKind::LBracket
                | TokenKind::LBrace
                | TokenKind::Bad
        )
    }

    /// An atom with its projections and indices.
    pub(super) fn atom(&mut self) -> Exp {
        if !self.enter() {
            return self.error_exp();
        }
        let chain = self.start_chain();
        let start = self.here();
        let mut exp = self.primary();
        loop {
            let kind = match self.kind() {
                TokenKind::Dot if self.field_follows() => {
                    if !self.deepen_chain() {
                        exp = self.error_exp();
                        break;
                    }
                    self.bump();
                    let field = self.field();
                    ExpKind::Project(Box::new(exp), field)
                }
                TokenKind::LBracket if self.token().glued => {
                    if !self.deepen_chain() {
                        exp = self.error_exp();
                        break;
                    }
                    let indices = self.indices();
                    ExpKind::Index(Box::new(exp), indices)
                }
                _ => break,
            };
            exp = self.mk_exp(start, kind);
        }
        self.end_chain(chain);
        self.leave();
        exp
    }

    fn field_follows(&self) -> bool {
        let next = self.pos + 1;
        match self.kind_at(1) {
            TokenKind::Ident | TokenKind::Int => true,
            // `r.type`: this is not right, but nothing else can be meant.
            _ => {
                self.touches(self.pos)
                    && next < self.tokens.len()
                    && self.touches(next)
                    && TokenKind::keyword(self.text_of(next)).is_some()
            }
        }
    }

    fn primary(&mut self) -> Exp {
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Ident => return self.variable(),
            TokenKind::Underscore => {
                self.report(errors::underscore_use(start, "_"));
                self.bump();
                ExpKind::Error
            }
            TokenKind::Ctor => ExpKind::Ctor(self.bump_ctor(), Vec::new()),
            TokenKind::Int
            | TokenKind::Float
            | TokenKind::Char
            | TokenKind::String
            | TokenKind::True
            | TokenKind::False => ExpKind::Lit(self.literal()),
            TokenKind::Hole => {
                self.bump();
                ExpKind::Hole
            }
            TokenKind::LParen => return self.parenthesised(),
            TokenKind::LBracket => {
                let open = self.pos;
                self.bump();
                let (items, _) = self.list(open, TokenKind::RBracket, "`,` or `]`", Self::exp);
                ExpKind::Array(items)
            }
            TokenKind::LBrace => {
                let open = self.pos;
                self.bump();
                let (fields, _) =
                    self.list(open, TokenKind::RBrace, "`,` or `}`", Self::record_field);
                ExpKind::Record(fields)
            }
            TokenKind::Bad => {
                // The lexer reported it; treat it as the atom it was probably meant to be.
                self.note_bad();
                self.bump();
                ExpKind::Error
            }
            _ => {
                let before = self.tokens.len();
                self.unexpected_for(Want::Exp, "an expression");
                // Without the comment that was in the way, there may be one.
                if self.tokens.len() < before {
                    return self.primary();
                }
                return self.error_exp();
            }
        };
        self.mk_exp(start, kind)
    }

    /// The literal at the cursor.
    pub(super) fn literal(&mut self) -> Lit {
        let token = self.bump();
        let text = self.token_text(token);
        let (lit, problem) = match token.kind {
            TokenKind::Int => literal::int(text),
            TokenKind::Float => literal::float(text),
            TokenKind::Char => literal::character(text),
            TokenKind::String => {
                let (value, problem) = literal::string(text);
                (Lit::String(value), problem)
            }
            kind => (Lit::Bool(kind == TokenKind::True), None),
        };
        if let Some(why) = problem {
            self.errors.push(errors::invalid_literal(self.token_span(token), &why));
        }
        lit
    }

    /// `x`, `m.x`, `r.f`, `m.(e)`
    fn variable(&mut self) -> Exp {
        let start = self.here();
        let mut name = self.bump_ident();
        if name.name.starts_with('_') {
            self.errors.push(errors::underscore_use(name.span, &name.name));
        }
        let mut quals = Vec::new();
        while self.kind() == TokenKind::Dot && self.field_follows() {
            self.bump();
            let field = self.field();
            quals.push(std::mem::replace(&mut name, field));
        }
        let name = QualName { quals, name, span: self.span_from(start) };
        if self.kind() == TokenKind::Dot && self.kind_at(1) == TokenKind::LParen {
            self.bump();
            let open = self.pos;
            self.bump();
            let body = self.exp();
            self.close(TokenKind::RParen, open);
            return self.mk_exp(start, ExpKind::LocalOpen(name, Box::new(body)));
        }
        self.mk_exp(start, ExpKind::Var(name))
    }

    fn record_field(&mut self) -> RecordField {
        let id = self.node();
        let name = self.field();
        let is_number = name.name.starts_with(|c: char| c.is_ascii_digit());
        let value = if is_number {
            self.expect_here(TokenKind::Equals);
            Some(self.exp())
        } else if self.eat(TokenKind::Equals) {
            Some(self.exp())
        } else {
            None
        };
        RecordField { id, name, value }
    }

    /// Everything that starts with `(`.
    fn parenthesised(&mut self) -> Exp {
        let start = self.here();
        let open = self.pos;
        self.bump();
        let kind = match self.kind() {
            TokenKind::RParen => {
                self.bump();
                ExpKind::Tuple(Vec::new())
            }
            TokenKind::Dot => {
                let path = self.section_path();
                self.close(TokenKind::RParen, open);
                if path.is_empty() { ExpKind::Error } else { ExpKind::SectionAccess(path) }
            }
            TokenKind::Minus if self.kind_at(1) != TokenKind::RParen => self.inside_parens(open),
            TokenKind::Op | TokenKind::QualOp | TokenKind::Minus | TokenKind::Backtick => {
                let op = self.operator();
                if self.eat(TokenKind::RParen) {
                    ExpKind::Section(op)
                } else {
                    let operand = self.operators(RANGE, Context::Plain);
                    self.close(TokenKind::RParen, open);
                    ExpKind::SectionRight(op, Box::new(operand))
                }
            }
            _ => self.inside_parens(open),
        };
        self.mk_exp(start, kind)
    }

    /// `e)`, `e op)` or `e, e, ...)`
    fn inside_parens(&mut self, open: usize) -> ExpKind {
        let first = self.exp_in(Context::Paren);
        match self.kind() {
            TokenKind::Comma => {
                self.bump();
                if self.kind() == TokenKind::RParen {
                    self.unexpected("an expression: there are no tuples of one element");
                }
                let (rest, _) = self.list(open, TokenKind::RParen, "`,` or `)`", Self::exp);
                let mut items = vec![first];
                items.extend(rest);
                if items.len() == 1 { ExpKind::Error } else { ExpKind::Tuple(items) }
            }
            TokenKind::Op | TokenKind::QualOp | TokenKind::Minus | TokenKind::Backtick
                if self.at_section_end() =>
            {
                let op = self.operator();
                self.close(TokenKind::RParen, open);
                ExpKind::SectionLeft(Box::new(first), op)
            }
            _ => {
                self.close(TokenKind::RParen, open);
                ExpKind::Paren(Box::new(first))
            }
        }
    }

    /// `.f[i].g` or `.[i]`
    fn section_path(&mut self) -> Vec<Access> {
        self.bump();
        self.access_path()
    }

    /// `f[i].g`, `[i].f`: reports and is empty when there is no first step.
    pub(super) fn access_path(&mut self) -> Vec<Access> {
        let mut path = Vec::new();
        match self.kind() {
            TokenKind::LBracket => {
                let start = self.here();
                let indices = self.indices();
                path.push(Access::Index(indices, self.span_from(start)));
            }
            TokenKind::Ident | TokenKind::Int => path.push(Access::Field(self.field())),
            _ => {
                self.unexpected_for(Want::Access, "a field or an index");
                return path;
            }
        }
        self.more_access(&mut path);
        path
    }

    /// Further steps of a path.
    pub(super) fn more_access(&mut self, path: &mut Vec<Access>) {
        loop {
            match self.kind() {
                // Only `=` can come after a path, so spaces do not matter here.
                TokenKind::LBracket => {
                    let start = self.here();
                    let indices = self.indices();
                    path.push(Access::Index(indices, self.span_from(start)));
                }
                TokenKind::Dot => {
                    self.bump();
                    path.push(Access::Field(self.field()));
                }
                _ => return,
            }
        }
    }

    /// `[i, j:k]`
    fn indices(&mut self) -> Vec<DimIndex> {
        let open = self.pos;
        self.bump();
        if self.kind() == TokenKind::RBracket {
            self.unexpected("an index");
        }
        self.list(open, TokenKind::RBracket, "`,`, `:` or `]`", Self::dim_index).0
    }

    fn dim_index(&mut self) -> DimIndex {
        let start = self.here();
        let first = self.slice_part();
        let colon = |parser: &Self| parser.kind() == TokenKind::Colon;
        if !colon(self) {
            return match first {
                Some(index) => DimIndex::Fix(*index),
                None => {
                    self.unexpected("an index");
                    DimIndex::Fix(self.error_exp())
                }
            };
        }
        self.bump();
        let end = self.slice_part();
        let step = if self.eat(TokenKind::Colon) { self.slice_part() } else { None };
        DimIndex::Slice { start: first, end, step, span: self.span_from(start) }
    }

    /// A part of a slice; without ascriptions, whose `:` would be ambiguous.
    fn slice_part(&mut self) -> Option<Box<Exp>> {
        match self.kind() {
            TokenKind::Colon | TokenKind::Comma | TokenKind::RBracket => None,
            _ => Some(Box::new(self.operators(RANGE, Context::Plain))),
        }
    }
}
