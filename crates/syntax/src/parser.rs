//! Tokens to trees: recursive descent, with precedences for operators.
//!
//! The parser never fails. Where a token does not fit, it reports what was found and expected,
//! leaves an error node, and goes on at a token that is likely to be meant as what was expected.
//! Two rules prevent cascades: a declaration has at most one error, so that what follows from it is
//! not reported; and what is left of a declaration after an error that was not overcome is skipped.
//! `explain` looks for the mistake behind a token that does not fit.
//!
//! The depth of the tree is bounded, because later stages and even the tree's destruction recurse
//! over it. [`Parser::enter`] counts the recursion; `reach` is the depth of the deepest node so far
//! in the part that is being parsed, which also counts chains such as `a + b + c` that nest to the
//! left without recursion here.

mod atom;
mod dec;
mod exp;
mod explain;
mod foreign;
mod missing;
mod module;
mod name;
mod operator;
mod pattern;
mod types;

use self::explain::Want;
use crate::ast::{self, Exp, ExpKind, Ident, NodeId, TypeExp};
use crate::errors;
use crate::lexer::lex;
use crate::needed::Names;
use crate::token::{Token, TokenKind, Tokens};
use fehu_base::stack::MAX_DEPTH;
use fehu_base::{Diagnostic, FileId, Span};

pub(crate) use operator::level_of;

/// Parses a file.
pub fn parse(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    parse_with(Parser::new(file, text))
}

/// Parses a file that is known to be right, for those who need the definitions of these names only: in modules that have a
/// module type, there are no others, and nothing at all where the module itself is not needed.
pub fn parse_needed(file: FileId, text: &str, names: &Names) -> (ast::File, Vec<Diagnostic>) {
    parse_with(Parser { needed: Some(names), ..Parser::new(file, text) })
}

fn parse_with(mut parser: Parser<'_>) -> (ast::File, Vec<Diagnostic>) {
    let (doc, decs) = parser.file();
    let comments = std::mem::take(&mut parser.comments);
    let broken = std::mem::take(&mut parser.broken_decs);
    (ast::File { doc, decs, comments, node_count: parser.next_node, broken }, parser.finish())
}

/// Parses a text that is one expression. Its nodes are numbered from zero.
pub fn parse_exp(file: FileId, text: &str) -> (Exp, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let exp = parser.exp();
    parser.expect_end();
    (exp, parser.finish())
}

/// Parses a text that is one expression, as a file that only declares a value of this name.
pub fn parse_as_value(file: FileId, text: &str, name: &str) -> (ast::File, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let body = parser.exp();
    parser.expect_end();
    let span = body.span;
    let bind = ast::ValBind {
        keyword: ast::ValKeyword::Def,
        name: Ident { name: name.into(), span },
        infix: false,
        type_params: Vec::new(),
        params: Vec::new(),
        ret: None,
        body,
    };
    let kind = ast::DecKind::Val(Box::new(bind));
    let dec = ast::Dec { id: parser.node(), span, doc: None, attrs: Vec::new(), kind };
    let comments = std::mem::take(&mut parser.comments);
    let node_count = parser.next_node;
    let broken = Vec::new();
    (ast::File { doc: None, decs: vec![dec], comments, node_count, broken }, parser.finish())
}

/// Parses a text that is one type. Its nodes are numbered from zero.
pub fn parse_type(file: FileId, text: &str) -> (TypeExp, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let ty = parser.type_exp();
    parser.expect_end();
    (ty, parser.finish())
}

/// More errors than this are not kept; a file with so many is no program.
const MAX_ERRORS: usize = 500;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    comments: Vec<ast::Comment>,
    /// Documentation comments that were not taken yet, with the index of the following token, the
    /// first one last.
    docs: Vec<(ast::Doc, usize)>,
    /// The index of the current token.
    pos: usize,
    errors: Vec<Diagnostic>,
    /// How many of the errors are the lexer's; they come first.
    lexical: usize,
    /// From where to where, in bytes, a declaration is broken: what the lexer has to say about that
    /// text follows from what the parser has said, as in comments of other languages.
    broken: Vec<(u32, u32)>,
    /// The token of the last error in this declaration, reported or not; see the module's rules.
    error_at: Option<usize>,
    /// See [`ast::File::broken`].
    broken_decs: Vec<NodeId>,
    /// The first token of the present declaration.
    dec_start: usize,
    /// How many braces were opened in text that was skipped, and not closed there.
    skipped_braces: usize,
    /// The column, in bytes, where the present declaration starts; helps to tell declarations from
    /// local bindings after an error.
    dec_column: usize,
    next_node: u32,
    depth: usize,
    reach: usize,
    /// Whether a sign of too deep nesting was given; once is enough.
    too_deep: bool,
    /// See [`parse_needed`].
    needed: Option<&'a Names>,
    /// Whether we are inside of a module of which only some definitions are needed.
    partial: bool,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str) -> Parser<'a> {
        let mut errors = Vec::new();
        let Tokens { tokens, comments, mut docs } = lex(file, text, &mut errors);
        docs.reverse();
        Parser {
            lexical: errors.len(),
            broken: Vec::new(),
            broken_decs: Vec::new(),
            dec_start: 0,
            skipped_braces: 0,
            file,
            text,
            tokens,
            comments,
            docs,
            pos: 0,
            errors,
            error_at: None,
            dec_column: 0,
            next_node: 0,
            depth: 0,
            reach: 0,
            too_deep: false,
            needed: None,
            partial: false,
        }
    }

    /// The diagnostics in the order of their places.
    fn finish(mut self) -> Vec<Diagnostic> {
        self.end_broken();
        let broken = std::mem::take(&mut self.broken);
        let mut index = 0;
        self.errors.retain(|error| {
            let start = error.primary.as_ref().map_or(0, |label| label.span.start);
            index += 1;
            // The ranges are in order, and do not overlap.
            let before = broken.partition_point(|range| range.0 <= start);
            index > self.lexical || before.checked_sub(1).is_none_or(|i| start >= broken[i].1)
        });
        self.errors.sort_by_key(|e| e.primary.as_ref().map_or(0, |label| label.span.start));
        self.errors
    }

    fn expect_end(&mut self) {
        if self.kind() != TokenKind::Eof {
            self.unexpected_for(Want::Dec, "the end of the text");
        }
    }

    // ---- the cursor ----

    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    /// The kind of a later token.
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::Eof, |t| t.kind)
    }

    fn token_text(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Whether the current token is this operator.
    fn at_op(&self, text: &str) -> bool {
        self.is_op(0, text)
    }

    /// Whether a later token is this operator.
    fn is_op(&self, ahead: usize, text: &str) -> bool {
        self.tokens
            .get(self.pos + ahead)
            .is_some_and(|&t| t.kind == TokenKind::Op && self.token_text(t) == text)
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.pos];
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn token_span(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    /// The place of the current token.
    fn here(&self) -> Span {
        self.token_span(self.token())
    }

    /// From `start` to the last token that was consumed.
    fn span_from(&self, start: Span) -> Span {
        let end = self.pos.checked_sub(1).map_or(start.end, |i| self.tokens[i].end);
        Span { end: end.max(start.start), ..start }
    }

    fn node(&mut self) -> NodeId {
        let id = NodeId(self.next_node);
        self.next_node += 1;
        id
    }

    fn mk_exp(&mut self, start: Span, kind: ExpKind) -> Exp {
        Exp { id: self.node(), span: self.span_from(start), kind }
    }

    fn error_exp(&mut self) -> Exp {
        let span = self.here().before();
        Exp { id: self.node(), span, kind: ExpKind::Error }
    }

    // ---- nesting ----

    /// Goes one level deeper. If that is too deep, reports it, skips to the next declaration and
    /// says so; the caller then returns an error node. Otherwise the caller calls [`Self::leave`].
    fn enter(&mut self) -> bool {
        self.depth += 1;
        self.reach = self.reach.max(self.depth);
        if self.reach <= MAX_DEPTH {
            return true;
        }
        self.depth -= 1;
        self.refuse_depth();
        false
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Starts a part that may become a chain to the left; yields what [`Self::end_chain`] wants.
    fn start_chain(&mut self) -> usize {
        std::mem::replace(&mut self.reach, self.depth)
    }

    /// Notes that all that was parsed since [`Self::start_chain`] goes one level deeper, because
    /// it becomes the left child of a new node. Like [`Self::enter`] when that is too deep.
    fn deepen_chain(&mut self) -> bool {
        self.reach += 1;
        if self.reach <= MAX_DEPTH {
            return true;
        }
        self.refuse_depth();
        false
    }

    fn end_chain(&mut self, before: usize) {
        self.reach = self.reach.max(before);
    }

    fn refuse_depth(&mut self) {
        if !self.too_deep {
            self.too_deep = true;
            let span = self.here();
            self.errors.push(errors::nesting_too_deep(span));
        }
        while !self.at_dec_keyword() {
            self.bump();
        }
        self.error_at = Some(self.pos);
        self.reach = self.depth;
    }

    // ---- errors and recovery ----

    fn report(&mut self, error: Diagnostic) {
        let first = self.error_at.is_none();
        self.error_at = Some(self.pos);
        if first && self.errors.len() < MAX_ERRORS {
            let here = self.token().start;
            let cause = error.primary.as_ref().map_or(here, |label| label.span.start);
            self.broken.push((cause.min(here), u32::MAX));
            self.errors.push(error);
        }
    }

    /// Notes that the lexer has reported the current token; it is the error of this declaration.
    fn note_bad(&mut self) {
        if self.error_at.is_none() {
            self.broken.push((self.token().end, u32::MAX));
        }
        self.error_at = Some(self.pos);
    }

    /// Notes that the declaration around the node that comes next has an error, if it has one.
    fn note_broken(&mut self) {
        if self.error_at.is_some() {
            self.broken_decs.push(NodeId(self.next_node));
        }
    }

    /// Notes that text after the current token does not belong to the broken declaration.
    fn end_broken(&mut self) {
        let here = self.token().start;
        if let Some(range) = self.broken.last_mut() {
            range.1 = range.1.min(here.max(range.0 + 1));
        }
    }

    /// Reports the current token.
    fn unexpected(&mut self, expected: &str) {
        self.unexpected_for(Want::Other, expected);
    }

    /// Likewise, where it is known what the token was wanted for.
    fn unexpected_for(&mut self, want: Want, expected: &str) {
        let token = self.token();
        // The lexer reported it, or it follows from another error.
        let many = self.errors.len() >= MAX_ERRORS;
        if token.kind == TokenKind::Bad {
            return self.note_bad();
        }
        if self.error_at.is_some() || many {
            self.error_at = Some(self.pos);
            return;
        }
        let error = self.explain(want, expected).unwrap_or_else(|| match token.kind {
            TokenKind::Eof => errors::unexpected_end(self.token_span(token), expected),
            _ => {
                let text = self.token_text(token);
                errors::unexpected_token(self.token_span(token), text, expected)
            }
        });
        self.report(error);
    }

    /// Consumes a token of this kind. Otherwise reports the current one, and looks for the token
    /// up to the end of what encloses it.
    fn expect(&mut self, kind: TokenKind) -> bool {
        self.expect_or(kind, kind.describe())
    }

    fn expect_or(&mut self, kind: TokenKind, expected: &str) -> bool {
        self.expect_for(Want::Other, kind, expected)
    }

    /// Consumes the bracket that closes the one at token `open`, like [`Self::expect`].
    fn close(&mut self, kind: TokenKind, open: usize) -> bool {
        self.expect_for(Want::Close(open), kind, kind.describe())
    }

    fn expect_for(&mut self, want: Want, kind: TokenKind, expected: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        self.unexpected_for(want, expected);
        let found = self.skip_to(kind);
        self.error_at = Some(self.pos);
        found && self.eat(kind)
    }

    /// Consumes a token of this kind, or reports the current one and stays.
    fn expect_here(&mut self, kind: TokenKind) -> bool {
        let found = self.eat(kind);
        if !found {
            self.unexpected(kind.describe());
        }
        found
    }

    /// Skips to a token of this kind, see [`Self::skip_to_any`].
    fn skip_to(&mut self, kind: TokenKind) -> bool {
        self.skip_to_any(&[kind]).is_some()
    }

    /// Skips to a token of one of these kinds at the present level of brackets, if it comes before
    /// anything that must belong to an enclosing construct.
    fn skip_to_any(&mut self, kinds: &[TokenKind]) -> Option<TokenKind> {
        let mut open = 0usize;
        loop {
            let here = self.kind();
            if open == 0 && kinds.contains(&here) {
                return Some(here);
            }
            if self.at_dec_keyword() {
                return None;
            }
            match here {
                TokenKind::LParen
                | TokenKind::LBracket
                | TokenKind::LBrace
                | TokenKind::AttrStart => open += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => match open {
                    0 => return None,
                    _ => open -= 1,
                },
                TokenKind::In
                | TokenKind::Then
                | TokenKind::Else
                | TokenKind::Do
                | TokenKind::Case
                    if open == 0 =>
                {
                    return None;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether the current token can only start a declaration, or ends the file. A `let` counts if
    /// it starts a line and is not indented more than the present declaration.
    fn at_dec_keyword(&self) -> bool {
        match self.kind() {
            TokenKind::Def
            | TokenKind::Entry
            | TokenKind::Type
            | TokenKind::Module
            | TokenKind::Open
            | TokenKind::Import
            | TokenKind::Local
            | TokenKind::Val
            | TokenKind::Include
            | TokenKind::Eof => true,
            TokenKind::Let | TokenKind::AttrStart => {
                self.column_on_line_start().is_some_and(|column| column <= self.dec_column)
            }
            _ => false,
        }
    }

    /// The column of the current token, in bytes, if it is the first of its line.
    fn column_on_line_start(&self) -> Option<usize> {
        self.line_column(self.pos)
    }

    /// Likewise of the token at an index.
    fn line_column(&self, index: usize) -> Option<usize> {
        let before = &self.text.as_bytes()[..self.tokens[index].start as usize];
        let blanks = before.iter().rev().take_while(|&&b| b == b' ' || b == b'\t').count();
        let starts_line = before.len() == blanks || before[before.len() - blanks - 1] == b'\n';
        starts_line.then_some(blanks)
    }

    // ---- small things that occur everywhere ----

    /// Parses `item (, item)* [,]` up to the closing token, which is consumed. The bracket that it
    /// closes is token `open`. Says whether there was a comma.
    fn list<T>(
        &mut self,
        open: usize,
        close: TokenKind,
        expected: &str,
        mut item: impl FnMut(&mut Self) -> T,
    ) -> (Vec<T>, bool) {
        let mut items = Vec::new();
        let mut comma = false;
        while self.kind() != close {
            let before = self.pos;
            items.push(item(self));
            if self.kind() == TokenKind::Semicolon {
                self.unexpected_for(Want::Close(open), expected);
                self.tokens[self.pos].kind = TokenKind::Comma;
            }
            if self.kind() == TokenKind::Comma {
                comma = true;
                self.bump();
            } else if self.kind() != close {
                self.unexpected_for(Want::Close(open), expected);
                // Go on after the next comma of this list, if there is one.
                let found = self.skip_to_any(&[TokenKind::Comma, close]) == Some(TokenKind::Comma);
                self.error_at = Some(self.pos);
                if found {
                    comma = true;
                    self.bump();
                } else {
                    break;
                }
            }
            if self.pos == before {
                break;
            }
        }
        self.close(close, open);
        (items, comma)
    }
}
