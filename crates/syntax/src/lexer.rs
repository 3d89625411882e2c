//! Text to tokens.
//!
//! One pass over the bytes, linear in their number. Problems are reported once for each run of bad
//! text and leave at most one token behind. Literals are only delimited here; their values are
//! computed when the parser meets them, see `literal`.
//!
//! Three decisions are made here because they depend on white space or on the previous token:
//! whether a `[` is an index (see [`Token::glued`]), that the number in `x.0.1` is `0` and not
//! `0.1`, and that `m.+` is one operator.

use crate::ast::{Comment, Doc};
use crate::errors;
use crate::token::{Token, TokenKind, Tokens};
use ecow::EcoString;
use fehu_base::{Diagnostic, FileId, Span};

/// Splits a text into tokens.
pub(crate) fn lex(file: FileId, text: &str, errors: &mut Vec<Diagnostic>) -> Tokens {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        pos: 0,
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        comments: Vec::new(),
        docs: Vec::new(),
        doc_lines: Vec::new(),
        errors,
    };
    lexer.run();
    Tokens { tokens: lexer.tokens, comments: lexer.comments, docs: lexer.docs }
}

/// Whether an operator may start with this byte.
pub(crate) fn is_operator_start(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'!' | b'>' | b'<' | b'|' | b'&' | b'^'
    )
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    docs: Vec<(Doc, usize)>,
    /// The lines of the documentation comment that is being read.
    doc_lines: Vec<Span>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.pos = 3;
        }
        // Line breaks since the last comment; two of them end a documentation comment.
        let mut line_breaks = 0;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    line_breaks += 1;
                    if line_breaks > 1 {
                        self.finish_doc();
                    }
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'-' if self.peek(1) == Some(b'-') => {
                    self.comment();
                    line_breaks = 0;
                }
                _ => {
                    self.finish_doc();
                    self.token(byte);
                }
            }
        }
        self.finish_doc();
        let end = self.pos;
        self.push(TokenKind::Eof, end);
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    /// Adds the token from `start` to the current position.
    fn push(&mut self, kind: TokenKind, start: usize) {
        let glued = self.tokens.last().is_some_and(|last| {
            last.end as usize == start
                && matches!(
                    last.kind,
                    TokenKind::Ident | TokenKind::RParen | TokenKind::RBracket | TokenKind::Int
                )
                && (last.kind != TokenKind::Int || self.is_field(self.tokens.len() - 1))
        });
        self.tokens.push(Token { kind, glued, start: start as u32, end: self.pos as u32 });
    }

    /// Whether the number at this index of the tokens is the name of a field.
    fn is_field(&self, index: usize) -> bool {
        index > 0 && self.tokens[index - 1].kind == TokenKind::Dot
    }

    fn comment(&mut self) {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let mut len = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        if rest[..len].last() == Some(&b'\r') {
            len -= 1;
        }
        self.pos += len;
        let span = self.span(start, self.pos);
        self.comments.push(Comment { span });
        let starts_doc = self.text[span.range()].starts_with("-- |");
        if starts_doc {
            self.finish_doc();
        }
        if starts_doc || !self.doc_lines.is_empty() {
            self.doc_lines.push(span);
        }
    }

    fn finish_doc(&mut self) {
        let (Some(first), Some(last)) = (self.doc_lines.first(), self.doc_lines.last()) else {
            return;
        };
        let span = first.to(*last);
        let mut doc = EcoString::with_capacity(span.range().len());
        for (i, line) in self.doc_lines.iter().enumerate() {
            let text = &self.text[line.range()];
            let text = if i == 0 { &text["-- |".len()..] } else { &text["--".len()..] };
            if i > 0 {
                doc.push('\n');
            }
            doc.push_str(text.strip_prefix(' ').unwrap_or(text).trim_end());
        }
        self.docs.push((Doc { text: doc, span }, self.tokens.len()));
        self.doc_lines.clear();
    }

    fn token(&mut self, byte: u8) {
        let start = self.pos;
        match byte {
            _ if is_name_start(byte) => self.name(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'\'' => self.tick(),
            b'#' => self.hash(),
            b'.' => self.dots(),
            _ if is_operator_start(byte) => {
                let kind = self.operator();
                self.push(kind, start);
            }
            _ => {
                let (kind, len) = match byte {
                    b'(' => (TokenKind::LParen, 1),
                    b')' => (TokenKind::RParen, 1),
                    b'[' => (TokenKind::LBracket, 1),
                    b']' => (TokenKind::RBracket, 1),
                    b'{' => (TokenKind::LBrace, 1),
                    b'}' => (TokenKind::RBrace, 1),
                    b',' => (TokenKind::Comma, 1),
                    b';' => (TokenKind::Semicolon, 1),
                    b':' if self.peek(1) == Some(b'>') => (TokenKind::Coerce, 2),
                    b':' => (TokenKind::Colon, 1),
                    b'\\' => (TokenKind::Backslash, 1),
                    b'`' => (TokenKind::Backtick, 1),
                    b'~' => (TokenKind::Tilde, 1),
                    b'?' if self.bytes[start..].starts_with(b"???") => (TokenKind::Hole, 3),
                    b'?' => (TokenKind::Question, 1),
                    _ => return self.bad_characters(),
                };
                self.pos += len;
                self.push(kind, start);
            }
        }
    }

    /// A name or keyword, with everything that dots attach to it, so that `m.n.+` can be told from
    /// `r.f` without looking at any byte twice.
    fn name(&mut self) {
        let first = self.tokens.len();
        let after_dot = self.tokens.last().is_some_and(|t| t.kind == TokenKind::Dot);
        let chain_start = self.pos;
        loop {
            let start = self.pos;
            while self.peek(0).is_some_and(is_name_part) {
                self.pos += 1;
            }
            let text = &self.text[start..self.pos];
            let kind = match TokenKind::keyword(text) {
                Some(keyword) => keyword,
                None if text == "_" => TokenKind::Underscore,
                None => TokenKind::Ident,
            };
            self.push(kind, start);
            if kind != TokenKind::Ident || self.peek(0) != Some(b'.') {
                return;
            }
            match self.peek(1) {
                Some(next) if is_name_start(next) => {
                    let dot = self.pos;
                    self.pos += 1;
                    self.push(TokenKind::Dot, dot);
                }
                Some(next) if is_operator_start(next) && !after_dot => {
                    self.pos += 1;
                    self.operator();
                    self.tokens.truncate(first);
                    return self.push(TokenKind::QualOp, chain_start);
                }
                _ => return,
            }
        }
    }

    /// Steps over an operator.
    fn operator(&mut self) -> TokenKind {
        let start = self.pos;
        while self.peek(0).is_some_and(|b| is_operator_start(b) || b == b'.') {
            self.pos += 1;
        }
        match &self.bytes[start..self.pos] {
            b"-" => TokenKind::Minus,
            b"!" => TokenKind::Bang,
            b"=" => TokenKind::Equals,
            b"->" => TokenKind::Arrow,
            _ => TokenKind::Op,
        }
    }

    fn dots(&mut self) {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let (kind, len) = if rest.starts_with(b"...") {
            (TokenKind::Ellipsis, 3)
        } else if rest.starts_with(b"..<") {
            (TokenKind::DotDotLess, 3)
        } else if rest.starts_with(b"..>") {
            (TokenKind::DotDotGreater, 3)
        } else if rest.starts_with(b"..") {
            (TokenKind::DotDot, 2)
        } else {
            (TokenKind::Dot, 1)
        };
        self.pos += len;
        self.push(kind, start);
    }

    fn hash(&mut self) {
        let start = self.pos;
        match self.peek(1) {
            Some(b'[') => {
                self.pos += 2;
                self.push(TokenKind::AttrStart, start);
            }
            Some(next) if is_name_start(next) => {
                self.pos += 1;
                while self.peek(0).is_some_and(is_name_part) {
                    self.pos += 1;
                }
                self.push(TokenKind::Ctor, start);
            }
            _ => self.bad_characters(),
        }
    }

    fn number(&mut self) {
        let start = self.pos;
        if self.tokens.last().is_some_and(|t| t.kind == TokenKind::Dot) {
            self.digits(|b| b.is_ascii_digit());
            return self.push(TokenKind::Int, start);
        }
        let mut kind = TokenKind::Int;
        match (self.peek(0), self.peek(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => {
                self.pos += 2;
                self.digits(|b| b.is_ascii_hexdigit());
                let before_fraction = self.pos;
                if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|b| b.is_ascii_hexdigit())
                {
                    self.pos += 1;
                    self.digits(|b| b.is_ascii_hexdigit());
                    if self.exponent(b'p') {
                        kind = TokenKind::Float;
                    } else {
                        self.pos = before_fraction;
                    }
                }
            }
            (Some(b'0'), Some(b'b' | b'B' | b'r' | b'R')) => self.pos += 2,
            _ => {
                self.digits(|b| b.is_ascii_digit());
                if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|b| b.is_ascii_digit()) {
                    self.pos += 1;
                    self.digits(|b| b.is_ascii_digit());
                    kind = TokenKind::Float;
                }
                if self.exponent(b'e') {
                    kind = TokenKind::Float;
                }
            }
        }
        // Suffixes, the digits of other bases, and whatever else would look like one word.
        while self.peek(0).is_some_and(is_name_part) {
            self.pos += 1;
        }
        self.push(kind, start);
    }

    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(|b| is_digit(b) || b == b'_') {
            self.pos += 1;
        }
    }

    /// Steps over an exponent, if there is one.
    fn exponent(&mut self, letter: u8) -> bool {
        if !self.peek(0).is_some_and(|b| b.eq_ignore_ascii_case(&letter)) {
            return false;
        }
        let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
        if !self.peek(1 + sign).is_some_and(|b| b.is_ascii_digit()) {
            return false;
        }
        self.pos += 1 + sign;
        self.digits(|b| b.is_ascii_digit());
        true
    }

    fn string(&mut self) {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.peek(0) {
                None | Some(b'\n') => {
                    self.errors.push(errors::unterminated_string(self.span(start, self.pos)));
                    return self.push(TokenKind::Bad, start);
                }
                Some(b'"') => {
                    self.pos += 1;
                    return self.push(TokenKind::String, start);
                }
                // An escaped quote does not end the string, nor does one after an escaped backslash.
                Some(b'\\') if matches!(self.peek(1), Some(b'"' | b'\\')) => self.pos += 2,
                Some(_) => self.pos += 1,
            }
        }
    }

    /// A character literal, or the apostrophe of a type parameter.
    fn tick(&mut self) {
        let start = self.pos;
        let mut rest = self.text[start + 1..].chars();
        match (rest.next(), rest.next()) {
            (Some('\\'), Some(escaped)) if escaped != '\n' => {
                self.pos += 2 + escaped.len_utf8();
                while self.peek(0).is_some_and(is_escape_part) {
                    self.pos += 1;
                }
                if self.peek(0) == Some(b'\'') {
                    self.pos += 1;
                    self.push(TokenKind::Char, start);
                } else {
                    self.errors.push(errors::unterminated_char(self.span(start, self.pos)));
                    self.push(TokenKind::Bad, start);
                }
            }
            (Some(c), Some('\'')) if c != '\n' && c != '\'' => {
                self.pos += 2 + c.len_utf8();
                self.push(TokenKind::Char, start);
            }
            _ => {
                self.pos += 1;
                self.push(TokenKind::Tick, start);
            }
        }
    }

    /// A run of characters that belong to no token, reported once.
    fn bad_characters(&mut self) {
        let start = self.pos;
        let first = self.text[start..].chars().next().unwrap_or('\0');
        self.pos += first.len_utf8();
        while let Some(c) = self.text[self.pos..].chars().next() {
            let starts_token = match c {
                '@' | '$' => false,
                '#' => self.peek(1).is_some_and(|b| b == b'[' || is_name_start(b)),
                _ => c.is_ascii() && !c.is_ascii_control(),
            };
            if starts_token || c.is_ascii_whitespace() {
                break;
            }
            self.pos += c.len_utf8();
        }
        // Of several in a row only the first is reported, even with spaces between them.
        if self.tokens.last().is_none_or(|last| last.kind != TokenKind::Bad) {
            self.errors.push(errors::unexpected_character(self.span(start, self.pos), first));
        }
        self.push(TokenKind::Bad, start);
    }
}

/// Bytes of a long escape such as `\x1F`, `\SOH` or `\^A` after its first character.
fn is_escape_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'[' | b'\\' | b']' | b'^' | b'_')
}
