//! The words of a text, for those who colour it: every token and comment with its class.
//!
//! This is the lexer of the compiler, so that editors and the compiler cannot disagree.

use crate::lexer::lex;
use crate::token::TokenKind;
use fehu_base::{FileId, Span};

/// A token or a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// What it is.
    pub class: Class,
    /// Where it is.
    pub span: Span,
}

/// The classes of lexemes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A reserved word, `true` and `false` included.
    Keyword,
    /// A name, or `_`.
    Name,
    /// `#name`
    Constructor,
    /// A number.
    Number,
    /// `'x'`
    Character,
    /// `"text"`
    String,
    /// An operator, with its qualifiers, or a sign such as `->`, `=` and `:`.
    Operator,
    /// A bracket, `#[`, a comma, a dot, or another sign.
    Punctuation,
    /// `-- text`
    Comment,
    /// Text that is not part of the language.
    Bad,
}

/// The reserved words, sorted.
pub const KEYWORDS: [&str; 24] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in",
    "include", "let", "local", "loop", "match", "module", "open", "then", "true", "type", "val",
    "while", "with",
];

/// The lexemes of a text, in order.
pub fn lexemes(file: FileId, text: &str) -> Vec<Lexeme> {
    let tokens = lex(file, text, &mut Vec::new());
    let comments = tokens.comments.iter().map(|c| Lexeme { class: Class::Comment, span: c.span });
    let words = tokens.tokens.iter().filter(|token| token.kind != TokenKind::Eof);
    let words = words.map(|token| Lexeme {
        class: class(token.kind),
        span: Span::new(file, token.start, token.end),
    });
    let mut all: Vec<Lexeme> = words.chain(comments).collect();
    all.sort_by_key(|lexeme| lexeme.span.start);
    all
}

fn class(kind: TokenKind) -> Class {
    match kind {
        TokenKind::Ident | TokenKind::Underscore => Class::Name,
        TokenKind::Ctor => Class::Constructor,
        TokenKind::Int | TokenKind::Float => Class::Number,
        TokenKind::Char => Class::Character,
        TokenKind::String => Class::String,
        TokenKind::Op
        | TokenKind::QualOp
        | TokenKind::Minus
        | TokenKind::Bang
        | TokenKind::Equals
        | TokenKind::Arrow
        | TokenKind::DotDot
        | TokenKind::Ellipsis
        | TokenKind::DotDotLess
        | TokenKind::DotDotGreater
        | TokenKind::Colon
        | TokenKind::Coerce
        | TokenKind::Backslash
        | TokenKind::Tilde
        | TokenKind::Question => Class::Operator,
        TokenKind::LParen
        | TokenKind::RParen
        | TokenKind::LBracket
        | TokenKind::RBracket
        | TokenKind::LBrace
        | TokenKind::RBrace
        | TokenKind::AttrStart
        | TokenKind::Comma
        | TokenKind::Semicolon
        | TokenKind::Dot
        | TokenKind::Backtick
        | TokenKind::Tick => Class::Punctuation,
        TokenKind::Bad | TokenKind::Eof => Class::Bad,
        TokenKind::Hole
        | TokenKind::Assert
        | TokenKind::Case
        | TokenKind::Def
        | TokenKind::Do
        | TokenKind::Else
        | TokenKind::Entry
        | TokenKind::False
        | TokenKind::For
        | TokenKind::If
        | TokenKind::Import
        | TokenKind::In
        | TokenKind::Include
        | TokenKind::Let
        | TokenKind::Local
        | TokenKind::Loop
        | TokenKind::Match
        | TokenKind::Module
        | TokenKind::Open
        | TokenKind::Then
        | TokenKind::True
        | TokenKind::Type
        | TokenKind::Val
        | TokenKind::While
        | TokenKind::With => Class::Keyword,
    }
}
