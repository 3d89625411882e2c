//! Bindings and comparisons: `=`, `:=`, `x = x + 1`, `var x = 1`, `let` that is missing.

use super::super::Parser;
use super::super::explain::Want;
use super::{misspelled, no_keyword, words};
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn wrong_equals(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let before = self.back(1)?;
        if self.kind_of(before) == TokenKind::DotDot && self.touches(self.pos) {
            return Some(
                foreign(here, "A range that includes its end is written `a...b`")
                    .fix("write three dots", [(self.span_of(before).to(here), "...".to_owned())]),
            );
        }
        if self.kind_of(before) == TokenKind::Colon && self.touches(self.pos) {
            return Some(
                foreign(
                    self.span_of(before).to(here),
                    "A binding is written with `=`, not with `:=`",
                )
                .fix("leave out the `:`", [(self.span_of(before), String::new())]),
            );
        }
        match want {
            Want::FieldType => {
                return Some(
                    foreign(here, "The type of a field comes after `:`, not after `=`")
                        .fix("write `:`", [(here, ":".to_owned())]),
                );
            }
            Want::ForIn => {
                return Some(
                    foreign(here, "A loop counts from 0: `for i < n`, or goes through an array: `for x in xs`")
                        .at("there is no other form of `for`"),
                );
            }
            Want::Exp if self.kind_of(before) != TokenKind::LParen => return None,
            Want::Close(open) if self.kind_of(open) == TokenKind::LBrace => return None,
            Want::Close(_)
            | Want::In(_)
            | Want::Then(_)
            | Want::Else(_)
            | Want::Do(_)
            | Want::LoopForm
            | Want::Case(_)
            | Want::Exp
            | Want::Dec => {}
            Want::LambdaArrow
            | Want::CaseArrow
            | Want::DefEquals
            | Want::LetEquals
            | Want::Access
            | Want::Type
            | Want::Name
            | Want::Other => return None,
        }
        if self.in_head() {
            return None;
        }
        if let Some(place) = self.word_before(&["where"]) {
            return Some(where_clause(place));
        }
        if let Some(error) = self.wrong_binding(want) {
            return Some(error);
        }
        Some(
            foreign(here, "`=` does not compare values; `==` does")
                .at("`=` only gives a name to a value")
                .fix("compare by `==`", [(here, "==".to_owned())]),
        )
    }

    /// `x = e` and `var x = e` where `let` is needed, `f x = e` where `def` is.
    pub(super) fn wrong_binding(&self, want: Want) -> Option<Diagnostic> {
        let word = self.back(2).filter(|&i| i > self.dec_start);
        if let Some(word) = word
            && self.kind_of(word) == TokenKind::Ident
            && self.kind_of(word + 1) == TokenKind::Ident
        {
            let (text, place) = (self.text_of(word), self.span_of(word));
            if words::BINDERS.contains(&text) {
                return Some(
                    foreign(place, format!("A name is bound by `let`, not by `{text}`"))
                        .fix("write `let`", [(place, "let".to_owned())]),
                );
            }
            if words::similar(text, "let") {
                return Some(misspelled(place, text, "let"));
            }
            if text == "and" && matches!(want, Want::In(_)) {
                return Some(
                    foreign(place, "Each binding has a `let` of its own")
                        .fix("write `let`", [(place, "let".to_owned())]),
                );
            }
        }
        if matches!(want, Want::Close(_) | Want::Then(_) | Want::Do(_) | Want::Exp) {
            return None;
        }
        let first = self.first_of_line(self.pos);
        let column = self.line_column(first)?;
        let is_binding = first > self.dec_start
            && first < self.pos
            && self.kind_of(first) == TokenKind::Ident
            && self.is_left_side(first);
        if !is_binding {
            return None;
        }
        let place = self.span_of(first);
        if column <= self.dec_column {
            return Some(no_keyword(place));
        }
        let is_function = self.kind_of(first + 1) != TokenKind::Dot
            && self.pos > first + 1
            && !(self.kind_of(first + 1) == TokenKind::LBracket && self.tokens[first + 1].glued);
        let error = match is_function {
            true => foreign(place, "A local function starts with `let`"),
            false => foreign(place, "A variable cannot be assigned; `let` binds a new one").help(
                "A binding hides an earlier one of the same name: `let x = 1 let x = x + 1 in x`.",
            ),
        };
        Some(
            error
                .at("`let` is expected before this")
                .fix("insert it", [(place.before(), "let ".to_owned())]),
        )
    }

    /// Whether all from a token to the current one can be on the left of a `=`.
    pub(super) fn is_left_side(&self, first: usize) -> bool {
        let mut depth = 0usize;
        (first..self.pos).all(|i| match self.kind_of(i) {
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => {
                depth += 1;
                true
            }
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                depth = depth.saturating_sub(1);
                true
            }
            TokenKind::Ident
            | TokenKind::Underscore
            | TokenKind::Dot
            | TokenKind::Colon
            | TokenKind::Tick => true,
            _ => depth > 0,
        })
    }
}

fn where_clause(place: Span) -> Diagnostic {
    foreign(place, "Names are bound before they are used: `let y = e in ...`")
        .at("there is no `where`")
        .help("Write the bindings first: `def f (x: i32) = let y = x * 2 in y + 1`.")
}
