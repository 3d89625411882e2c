//! Files and declarations.

use super::Parser;
use super::explain::Want;
use crate::ast::{
    Attr, Dec, DecKind, Doc, Ident, Pat, PatKind, TypeBind, TypeExp, TypeParam, ValBind, ValKeyword,
};
use crate::errors;
use crate::needed::declared;
use crate::token::TokenKind;
use ecow::EcoString;

impl Parser<'_> {
    /// A whole file: its own documentation and its declarations.
    pub(super) fn file(&mut self) -> (Option<Doc>, Vec<Dec>) {
        let doc = self.file_doc();
        (doc, self.decs(TokenKind::Eof))
    }

    /// The documentation of the file: a documentation comment at its start that is followed by
    /// another one, or by an empty line.
    fn file_doc(&mut self) -> Option<Doc> {
        let (doc, next) = self.docs.last()?;
        if *next > 0 {
            return None;
        }
        let followed_by_doc = self.docs.len().checked_sub(2).is_some_and(|i| self.docs[i].1 == 0);
        let between = &self.text[doc.span.end as usize..self.tokens[0].start as usize];
        let apart = between.bytes().filter(|&b| b == b'\n').count() > 1;
        if followed_by_doc || apart || self.kind() == TokenKind::Eof {
            return self.docs.pop().map(|(doc, _)| doc);
        }
        None
    }

    /// The documentation comment directly before the current token.
    pub(super) fn take_doc(&mut self) -> Option<Doc> {
        let mut found = None;
        while self.docs.last().is_some_and(|(_, next)| *next <= self.pos) {
            found = self.docs.pop().filter(|(_, next)| *next == self.pos);
        }
        found.map(|(doc, _)| doc)
    }

    /// Declarations up to `end`, which is not consumed.
    pub(super) fn decs(&mut self, end: TokenKind) -> Vec<Dec> {
        let mut decs = Vec::new();
        loop {
            let kind = self.kind();
            if kind == end || kind == TokenKind::Eof {
                return decs;
            }
            if self.partial && self.skip_unneeded(end) {
                continue;
            }
            // After an error, a `let` or an attribute may well belong to the broken expression.
            if self.at_dec() && (self.error_at.is_none() || self.at_dec_keyword()) {
                decs.push(self.dec());
                continue;
            }
            if kind == TokenKind::RBrace && self.skipped_braces > 0 {
                self.skipped_braces -= 1;
                self.bump();
                continue;
            }
            let start = self.here();
            if self.error_at.is_none() {
                if let Some((keyword, error)) = self.misspelled_declaration() {
                    self.report(error);
                    self.tokens[self.pos].kind = keyword;
                    continue;
                }
                let before = self.tokens.len();
                self.unexpected_for(
                    Want::Dec,
                    if end == TokenKind::Eof {
                        "a declaration or the end of the file"
                    } else {
                        "a declaration or `}`"
                    },
                );
                // A comment of another language was taken out, or is to be stepped over.
                if self.tokens.len() < before || self.eat(TokenKind::Semicolon) {
                    continue;
                }
            } else if self.eat(TokenKind::Semicolon) {
                continue;
            }
            self.skip_to_dec(end);
            self.note_broken();
            let (id, span) = (self.node(), self.span_from(start));
            decs.push(Dec { id, span, doc: None, attrs: Vec::new(), kind: DecKind::Error });
        }
    }

    /// Steps over a definition whose name nobody needs, if it is one.
    fn skip_unneeded(&mut self, end: TokenKind) -> bool {
        let local = usize::from(self.kind() == TokenKind::Local);
        let unneeded = self.kind_at(local) == TokenKind::Def
            && declared(self.text, &self.tokens[self.pos..])
                .is_some_and(|name| self.needed.is_some_and(|names| !names.contains(name)));
        if unneeded {
            self.dec_column = self.column_on_line_start().unwrap_or(self.dec_column);
            self.pos += local + 1;
            self.skip_to_dec(end);
        }
        unneeded
    }

    fn at_dec(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Def
                | TokenKind::Let
                | TokenKind::Entry
                | TokenKind::Type
                | TokenKind::Module
                | TokenKind::Open
                | TokenKind::Import
                | TokenKind::Local
                | TokenKind::AttrStart
        )
    }

    /// Skips what cannot be read, to the next declaration or to `end`.
    fn skip_to_dec(&mut self, end: TokenKind) {
        let mut open = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                kind if kind == end && open == 0 => return,
                TokenKind::Val | TokenKind::Include => {}
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace => open = open.saturating_sub(1),
                // In the middle of a line this is a word of `from m import f`.
                TokenKind::Import if self.column_on_line_start().is_none() => {}
                _ if self.at_dec_keyword() => break,
                _ => {}
            }
            self.bump();
        }
        self.skipped_braces += open;
    }

    fn dec(&mut self) -> Dec {
        self.end_broken();
        self.error_at = None;
        self.dec_start = self.pos;
        self.dec_column = self.column_on_line_start().unwrap_or(self.dec_column);
        let mut doc = self.take_doc();
        let mut attrs: Vec<Attr> = Vec::new();
        while self.kind() == TokenKind::AttrStart {
            attrs.push(self.attr());
            doc = self.take_doc().or(doc);
        }
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Def | TokenKind::Let | TokenKind::Entry => self.val_bind(),
            TokenKind::Type => self.type_bind().map_or(DecKind::Error, DecKind::Type),
            TokenKind::Module => self.module_dec(),
            TokenKind::Open => {
                self.bump();
                DecKind::Open(self.mod_exp())
            }
            TokenKind::Import => match self.import() {
                Some((name, span)) => DecKind::Import(name, span),
                None => DecKind::Error,
            },
            TokenKind::Local => self.local_dec(),
            _ => {
                self.unexpected("a declaration");
                DecKind::Error
            }
        };
        self.note_broken();
        let id = self.node();
        Dec { id, span: self.span_from(start), doc, attrs, kind }
    }

    fn local_dec(&mut self) -> DecKind {
        self.bump();
        if !self.at_dec() {
            self.unexpected("a declaration");
            return DecKind::Error;
        }
        if !self.enter() {
            return DecKind::Error;
        }
        let inner = Box::new(self.dec());
        self.leave();
        DecKind::Local(inner)
    }

    /// `import "file"`
    pub(super) fn import(&mut self) -> Option<(EcoString, fehu_base::Span)> {
        self.bump();
        if self.kind() != TokenKind::String {
            self.unexpected("the name of a file in double quotes");
            return None;
        }
        Some(self.bump_string())
    }

    /// `type t 'a = ...`, from the keyword on.
    fn type_bind(&mut self) -> Option<TypeBind> {
        let (lifted, name, params) = self.type_head();
        if !self.expect(TokenKind::Equals) {
            return None;
        }
        let body = self.type_exp();
        Some(TypeBind { lifted, name, params, body })
    }

    /// `type~ t 'a [n]`
    pub(super) fn type_head(&mut self) -> (crate::ast::Lifted, Ident, Vec<TypeParam>) {
        self.bump();
        let lifted = self.lifted();
        let name = self.ident("the name of a type");
        (lifted, name, self.type_params())
    }

    fn val_bind(&mut self) -> DecKind {
        let keyword = match self.bump().kind {
            TokenKind::Let => ValKeyword::Let,
            TokenKind::Entry => ValKeyword::Entry,
            _ => ValKeyword::Def,
        };
        if let Some(name) = self.operator_in_parens() {
            return self.named_val_bind(keyword, name);
        }
        let infix_follows = matches!(
            self.kind_at(1),
            TokenKind::Op | TokenKind::Minus | TokenKind::Bang | TokenKind::Backtick
        );
        if self.kind() == TokenKind::Ident && !infix_follows {
            let name = self.bump_ident();
            return self.named_val_bind(keyword, name);
        }
        self.infix_val_bind(keyword)
    }

    /// `f 'a [n] p q : t = e`, after the name.
    fn named_val_bind(&mut self, keyword: ValKeyword, name: Ident) -> DecKind {
        let type_params = self.type_params();
        let params = self.params();
        self.rest_of_val_bind(keyword, name, false, type_params, params)
    }

    /// `p op q : t = e`
    fn infix_val_bind(&mut self, keyword: ValKeyword) -> DecKind {
        if !self.at_pattern_atom() {
            self.unexpected_for(Want::Name, "the name of a function or value");
            if !self.keyword_is_name() {
                return DecKind::Error;
            }
            let name = self.bump_ident();
            return self.named_val_bind(keyword, name);
        }
        let left = self.pattern_atom();
        let name = match self.kind() {
            TokenKind::Op | TokenKind::Minus | TokenKind::Bang => self.bound_operator(),
            TokenKind::Backtick => {
                self.bump();
                let name = self.ident("a name");
                self.expect_here(TokenKind::Backtick);
                name
            }
            TokenKind::Equals | TokenKind::Colon if is_top_level_pattern(&left) => {
                self.report(errors::pattern_at_top_level(left.span));
                return DecKind::Error;
            }
            _ => {
                self.unexpected("an infix operator");
                return DecKind::Error;
            }
        };
        if !self.at_pattern_atom() {
            self.unexpected_for(Want::Name, "a parameter");
            return DecKind::Error;
        }
        let right = self.pattern_atom();
        self.rest_of_val_bind(keyword, name, true, Vec::new(), vec![left, right])
    }

    /// `: t = e`
    fn rest_of_val_bind(
        &mut self,
        keyword: ValKeyword,
        name: Ident,
        infix: bool,
        type_params: Vec<TypeParam>,
        params: Vec<Pat>,
    ) -> DecKind {
        let ret: Option<TypeExp> = self.eat(TokenKind::Colon).then(|| self.type_exp());
        let expected = if ret.is_some() { "`=`" } else { "`=`, `:` or a parameter" };
        let body = match self.expect_for(Want::DefEquals, TokenKind::Equals, expected) {
            true => self.exp(),
            false => self.error_exp(),
        };
        DecKind::Val(Box::new(ValBind { keyword, name, infix, type_params, params, ret, body }))
    }
}

fn is_top_level_pattern(pat: &Pat) -> bool {
    !matches!(pat.kind, PatKind::Error)
}
