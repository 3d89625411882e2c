//! Programs for the eye: the pieces of a text that have a colour.
//!
//! Text that makes no sense has pieces, too: pages show programs as they are.

use crate::lexer;
use crate::token::TokenKind;
use fehu_base::id::Id;
use fehu_base::{FileId, Prim};

/// A piece of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it is.
    pub class: Class,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// What a piece of a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A word of the language.
    Keyword,
    /// The name of a primitive type.
    Primitive,
    /// Any other name.
    Name,
    /// `#name`
    Constructor,
    /// A number, a truth value or a character.
    Number,
    /// Text between quotes.
    String,
    /// An operator.
    Operator,
    /// Brackets, commas and the like.
    Punctuation,
    /// A comment.
    Comment,
    /// A documentation comment.
    Documentation,
    /// What the lexer refuses.
    Wrong,
}

impl Class {
    /// A short name, for style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Class::Keyword => "kw",
            Class::Primitive => "pt",
            Class::Name => "nm",
            Class::Constructor => "ct",
            Class::Number => "nu",
            Class::String => "st",
            Class::Operator => "op",
            Class::Punctuation => "pu",
            Class::Comment => "co",
            Class::Documentation => "dc",
            Class::Wrong => "wr",
        }
    }
}

/// The pieces of a text in order, without the blanks between them.
pub fn pieces(text: &str) -> Vec<Piece> {
    let lexed = lexer::lex(FileId::from_index(0), text, &mut Vec::new());
    let documented = |at: u32| {
        let next = lexed.docs.partition_point(|(doc, _)| doc.span.end <= at);
        lexed.docs.get(next).is_some_and(|(doc, _)| doc.span.start <= at)
    };
    let comments = lexed.comments.iter().map(|comment| {
        let doc = documented(comment.span.start);
        let class = if doc { Class::Documentation } else { Class::Comment };
        Piece { class, start: comment.span.start as usize, end: comment.span.end as usize }
    });
    let tokens = lexed.tokens.iter().filter(|token| token.kind != TokenKind::Eof).map(|token| {
        let (start, end) = (token.start as usize, token.end as usize);
        Piece { class: class(token.kind, text.get(start..end).unwrap_or_default()), start, end }
    });
    let mut pieces: Vec<Piece> = tokens.chain(comments).collect();
    pieces.sort_by_key(|piece| piece.start);
    pieces
}

fn class(kind: TokenKind, text: &str) -> Class {
    match kind {
        TokenKind::Ident if Prim::from_name(text).is_some() => Class::Primitive,
        TokenKind::Ident | TokenKind::Underscore => Class::Name,
        TokenKind::Ctor => Class::Constructor,
        TokenKind::Int
        | TokenKind::Float
        | TokenKind::Char
        | TokenKind::True
        | TokenKind::False => Class::Number,
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
        | TokenKind::Coerce
        | TokenKind::Backslash
        | TokenKind::Hole => Class::Operator,
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
        | TokenKind::Colon
        | TokenKind::Backtick
        | TokenKind::Tick
        | TokenKind::Tilde
        | TokenKind::Question
        | TokenKind::Eof => Class::Punctuation,
        TokenKind::Bad => Class::Wrong,
        TokenKind::Assert
        | TokenKind::Case
        | TokenKind::Def
        | TokenKind::Do
        | TokenKind::Else
        | TokenKind::Entry
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
        | TokenKind::Type
        | TokenKind::Val
        | TokenKind::While
        | TokenKind::With => Class::Keyword,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_blanks_is_in_a_piece() {
        let text = "-- | A sum.\ndef f (x: i64) = x + 1 -- one\n-- \u{e9}\nlet s = \"a\" \u{1}";
        let pieces = pieces(text);
        let mut at = 0;
        for piece in &pieces {
            assert!(text[at..piece.start].trim().is_empty(), "{:?}", &text[at..piece.start]);
            at = piece.end;
        }
        let words: Vec<(&str, &str)> = pieces
            .iter()
            .map(|piece| (piece.class.name(), &text[piece.start..piece.end]))
            .collect();
        for expected in [
            ("dc", "-- | A sum."),
            ("kw", "def"),
            ("nm", "f"),
            ("pt", "i64"),
            ("op", "+"),
            ("nu", "1"),
            ("co", "-- one"),
            ("st", "\"a\""),
        ] {
            assert!(words.contains(&expected), "{expected:?} is not in {words:?}");
        }
    }
}
