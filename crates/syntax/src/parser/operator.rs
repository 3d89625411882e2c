//! Operators: how tightly they bind, and the parsing of operands by it.

use super::Parser;
use crate::ast::{BinOp, Exp, ExpKind, Ident, Operator, QualName, Range, RangeKind, Update};
use crate::errors;
use crate::token::TokenKind;
use fehu_base::Span;

/// How tightly something binds; larger is tighter.
pub(super) type Level = u8;

/// Ranges, the loosest of all.
pub(super) const RANGE: Level = 0;
const BACKTICK: Level = 1;
const WITH: Level = 2;
/// The value of an update extends over all that binds tighter than `=`.
const UPDATE_VALUE: Level = 3;

/// Which operand an operator of the same level goes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assoc {
    Left,
    Right,
}

/// The level of an operator, by the longest built-in operator that is a prefix of its name.
fn fixity(name: &str) -> (Level, Assoc) {
    const BUILTIN: [(&str, Level); 26] = [
        // Longer names first.
        ("|>", 3),
        ("<|", 4),
        ("||", 5),
        ("&&", 6),
        ("<=", 7),
        (">=", 7),
        ("==", 7),
        ("!=", 7),
        ("<<", 9),
        (">>", 9),
        ("//", 11),
        ("%%", 11),
        ("**", 12),
        ("<", 7),
        (">", 7),
        ("=", 7),
        ("!", 7),
        ("&", 8),
        ("^", 8),
        ("|", 8),
        ("+", 10),
        ("-", 10),
        ("*", 11),
        ("/", 11),
        ("%", 11),
        ("", 11),
    ];
    let found = BUILTIN.iter().find(|(prefix, _)| name.starts_with(prefix));
    let (prefix, level) = found.copied().unwrap_or(("", 11));
    (level, if prefix == "<|" { Assoc::Right } else { Assoc::Left })
}

/// How tightly an operator binds; operators of one level form one chain in formatted text.
pub(crate) fn level_of(op: &Operator) -> u8 {
    if op.backticks { BACKTICK } else { fixity(&op.name.name.name).0 }
}

/// What follows an operand.
enum Next {
    Range,
    With,
    Op(Level, Assoc),
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Directly after `(`, where an operator before `)` makes a section.
    Paren,
    /// Anywhere else.
    Plain,
}

impl Parser<'_> {
    /// An operand with all operators at least as tight as `level`. In parentheses, stops at an
    /// operator that is the last thing before the closing one.
    pub(super) fn operators(&mut self, level: Level, context: Context) -> Exp {
        if !self.enter() {
            return self.error_exp();
        }
        let chain = self.start_chain();
        let start = self.here();
        let mut lhs = self.operand();
        while let Some(next) = self.next_operator() {
            let tight = match next {
                Next::Range => RANGE,
                Next::With => WITH,
                Next::Op(level, _) => level,
            };
            if tight < level || (context == Context::Paren && self.at_section_end()) {
                break;
            }
            if !self.deepen_chain() {
                lhs = self.error_exp();
                break;
            }
            let kind = match next {
                Next::Range => self.range(lhs),
                Next::With => self.update(lhs),
                Next::Op(level, assoc) => {
                    let op = self.operator();
                    let level = if assoc == Assoc::Left { level + 1 } else { level };
                    let rhs = self.operators(level, Context::Plain);
                    ExpKind::BinOp(Box::new(BinOp { op, lhs, rhs }))
                }
            };
            lhs = self.mk_exp(start, kind);
        }
        if self.kind() == TokenKind::Bang {
            self.report(errors::prefix_operator(self.here(), "!"));
        }
        self.end_chain(chain);
        self.leave();
        lhs
    }

    fn next_operator(&self) -> Option<Next> {
        match self.kind() {
            TokenKind::DotDot
            | TokenKind::Ellipsis
            | TokenKind::DotDotLess
            | TokenKind::DotDotGreater => Some(Next::Range),
            TokenKind::With => Some(Next::With),
            TokenKind::Backtick => Some(Next::Op(BACKTICK, Assoc::Left)),
            TokenKind::Op | TokenKind::Minus => {
                let (level, assoc) = fixity(self.token_text(self.token()));
                Some(Next::Op(level, assoc))
            }
            TokenKind::QualOp => {
                let (level, assoc) = fixity(symbol_of(self.token_text(self.token())));
                Some(Next::Op(level, assoc))
            }
            _ => None,
        }
    }

    /// Whether the operator at the cursor is followed by `)`.
    pub(super) fn at_section_end(&self) -> bool {
        match self.kind() {
            TokenKind::Op | TokenKind::Minus | TokenKind::QualOp => {
                self.kind_at(1) == TokenKind::RParen
            }
            TokenKind::Backtick => {
                let mut ahead = 1;
                while matches!(self.kind_at(ahead), TokenKind::Ident | TokenKind::Dot) {
                    ahead += 1;
                }
                self.kind_at(ahead) == TokenKind::Backtick
                    && self.kind_at(ahead + 1) == TokenKind::RParen
            }
            _ => false,
        }
    }

    /// The operator at the cursor.
    pub(super) fn operator(&mut self) -> Operator {
        let id = self.node();
        if self.eat(TokenKind::Backtick) {
            let name = self.qual_name("the name of a function");
            self.expect_here(TokenKind::Backtick);
            return Operator { id, name, backticks: true };
        }
        let token = self.bump();
        let span = self.token_span(token);
        let text = self.token_text(token);
        let symbol = symbol_of(text);
        let mut at = token.start;
        let mut quals = Vec::new();
        for part in text[..text.len() - symbol.len()].split_terminator('.') {
            let end = at + part.len() as u32;
            quals.push(Ident { name: part.into(), span: Span { start: at, end, ..span } });
            at = end + 1;
        }
        let name = Ident { name: symbol.into(), span: Span { start: at, ..span } };
        Operator { id, name: QualName { quals, name, span }, backticks: false }
    }

    fn range(&mut self, start: Exp) -> ExpKind {
        let second = if self.kind() == TokenKind::DotDot {
            let dots = self.here();
            self.bump();
            let second = self.operators(RANGE + 1, Context::Plain);
            let has_end = matches!(
                self.kind(),
                TokenKind::Ellipsis | TokenKind::DotDotLess | TokenKind::DotDotGreater
            );
            if !has_end {
                self.report(errors::range_without_end(dots));
                let end = self.error_exp();
                let kind = RangeKind::Inclusive;
                return ExpKind::Range(Box::new(Range { start, second: Some(second), kind, end }));
            }
            Some(second)
        } else {
            None
        };
        let kind = match self.bump().kind {
            TokenKind::DotDotLess => RangeKind::UpTo,
            TokenKind::DotDotGreater => RangeKind::DownTo,
            _ => RangeKind::Inclusive,
        };
        let end = self.operators(RANGE, Context::Plain);
        ExpKind::Range(Box::new(Range { start, second, kind, end }))
    }

    fn update(&mut self, base: Exp) -> ExpKind {
        self.bump();
        let path = self.access_path();
        if path.is_empty() {
            return ExpKind::Error;
        }
        if !self.expect(TokenKind::Equals) {
            return ExpKind::Error;
        }
        let value = self.operators(UPDATE_VALUE, Context::Plain);
        ExpKind::Update(Box::new(Update { base, path, value }))
    }
}

/// The last part of a qualified operator. The symbol may contain dots, the names do not.
fn symbol_of(text: &str) -> &str {
    let start = text.bytes().position(crate::lexer::is_operator_start).unwrap_or(0);
    &text[start..]
}
