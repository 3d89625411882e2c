//! Blocks, branches and loops: braces, `elif`, `for`, `switch`, bodies after a colon.

use super::super::Parser;
use super::super::explain::Want;
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn wrong_loop(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let word = self.text_of(self.pos);
        match want {
            Want::Close(open) if self.kind_of(open) == TokenKind::LBracket => Some(
                foreign(
                    here,
                    "There are no list comprehensions; `map` applies a function to all elements",
                )
                .help("Write `map (\\x -> x + 1) xs`, and `filter` for a condition."),
            ),
            Want::Exp | Want::In(_) | Want::Dec | Want::Else(_) | Want::Close(_) | Want::Other => {
                let error = foreign(
                    here,
                    format!("`{word}` only occurs in a `loop`, which names what changes"),
                )
                .at("`loop`, a name and its first value come before this");
                Some(match word {
                    "for" => error.help(
                        "Write `loop sum = 0 for x in xs do sum + x`; often `map` or `reduce` is what you want.",
                    ),
                    _ => error.help("Write `loop x = 100 while x > 1 do x / 2`."),
                })
            }
            _ => None,
        }
    }

    pub(super) fn wrong_if(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        if want == Want::CaseArrow {
            return Some(
                foreign(here, "A case has no condition")
                    .help("Decide after the arrow: `case x -> if x > 0 then a else b`."),
            );
        }
        if !matches!(want, Want::Dec | Want::Close(_) | Want::In(_)) {
            return None;
        }
        let mut rest = self.tokens[self.pos..].iter().map(|token| token.kind).take(60);
        let keyword = rest.find(|kind| matches!(kind, TokenKind::Else | TokenKind::Then));
        if keyword != Some(TokenKind::Else) || self.line_column(self.pos).is_some() {
            return None;
        }
        Some(
            foreign(here, "The condition comes first: `if c then a else b`")
                .at("the value before this belongs after `then`"),
        )
    }

    /// Cases that are not written as cases.
    pub(super) fn wrong_match(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let help = "Write `match x case 0 -> a case _ -> b`.";
        match (self.kind(), want) {
            (TokenKind::With, Want::Close(open)) if self.kind_of(open) == TokenKind::LBrace => {
                Some(self.record_update(here))
            }
            (TokenKind::Case, Want::Access) if self.follows_match() => {
                let with = self.span_of(self.pos - 1);
                let with_space = Span { start: self.tokens[self.pos - 2].end, ..with };
                Some(
                    foreign(with, "The cases directly follow the value that is matched")
                        .fix("leave out `with`", [(with_space, String::new())]),
                )
            }
            (TokenKind::Case, Want::Exp | Want::Name) => {
                Some(foreign(here, "A value is matched by `match`").help(help))
            }
            (TokenKind::Op, Want::Access) if !self.follows_match() => None,
            (TokenKind::Op | TokenKind::Arrow, Want::Access | Want::Case(_)) => {
                let bar = (self.dec_start..=self.pos).find(|&i| self.text_of(i) == "|");
                let place = bar.map_or(here, |i| self.span_of(i));
                Some(foreign(place, "Every case starts with the word `case`").help(help))
            }
            _ => None,
        }
    }

    /// Whether the token before the cursor is the `with` of `match x with`.
    pub(super) fn follows_match(&self) -> bool {
        self.back(1).is_some_and(|i| self.kind_of(i) == TokenKind::With)
            && (self.dec_start..self.pos).any(|i| self.kind_of(i) == TokenKind::Match)
    }

    pub(super) fn record_update(&self, place: Span) -> Diagnostic {
        foreign(place, "A record update is written without braces").help("Write `r with x = 1`.")
    }

    /// `def f(x):` and the body on the next line.
    pub(super) fn colon_before_body(&self) -> Option<Diagnostic> {
        if !matches!(self.kind_of(self.dec_start), TokenKind::Def | TokenKind::Entry) {
            return None;
        }
        let mut depth = 0usize;
        for index in self.dec_start + 1..self.pos {
            match self.kind_of(index) {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => depth += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Equals if depth == 0 => return None,
                TokenKind::Colon if depth == 0 => {
                    self.line_column(index + 1)?;
                    let after_call =
                        self.touches(index) && self.kind_of(index - 1) == TokenKind::RParen;
                    if !after_call {
                        return None;
                    }
                    let place = self.span_of(index);
                    return Some(
                        foreign(place, "The body of a definition comes after `=`")
                            .fix("write `=`", [(place, " =".to_owned())]),
                    );
                }
                _ => {}
            }
        }
        None
    }

    /// Blocks in braces.
    pub(super) fn braces(&self, want: Want) -> Option<Diagnostic> {
        let dec = self.kind_of(self.dec_start);
        if matches!(dec, TokenKind::Module | TokenKind::Open | TokenKind::Include) {
            return None;
        }
        let is_open =
            |&open: &usize| open > self.dec_start && self.kind_of(open) == TokenKind::LBrace;
        let open = match self.open_brackets(self.pos).into_iter().rev().find(is_open) {
            Some(open) => open,
            // `if c { x } else`: this was read as a record.
            None => {
                let close = self.back(1).filter(|&i| self.kind_of(i) == TokenKind::RBrace)?;
                let is_head =
                    matches!(want, Want::Then(_) | Want::Do(_) | Want::DefEquals | Want::Case(_));
                self.open_brackets(close).last().copied().filter(|_| is_head)?
            }
        };
        let is_record = self.kind_of(open + 1) == TokenKind::Ident
            && matches!(
                self.kind_of(open + 2),
                TokenKind::Equals | TokenKind::Comma | TokenKind::Colon
            );
        if is_record || self.pos == open + 1 && self.kind_of(open + 1) == TokenKind::Eof {
            return None;
        }
        if let Some(error) = self.function_block(open) {
            return Some(error);
        }
        let owner = (self.dec_start..open).rev().find(|&i| {
            matches!(
                self.kind_of(i),
                TokenKind::If
                    | TokenKind::Then
                    | TokenKind::Else
                    | TokenKind::Do
                    | TokenKind::For
                    | TokenKind::While
                    | TokenKind::Match
                    | TokenKind::Equals
                    | TokenKind::Def
                    | TokenKind::Entry
                    | TokenKind::Let
                    | TokenKind::Arrow
                    | TokenKind::Module
                    | TokenKind::Type
            )
        })?;
        let place = self.span_of(open);
        let directly = owner + 1 == open;
        let error =
            |headline: &str| Some(foreign(place, headline).at("braces are only for records"));
        match self.kind_of(owner) {
            TokenKind::If => {
                error("The branches of an `if` are not in braces: `if c then a else b`")
            }
            TokenKind::For | TokenKind::While => {
                error("The body of a loop comes after `do`, without braces")
            }
            TokenKind::Match => {
                error("The cases of a `match` are not in braces: `match x case 0 -> a case _ -> b`")
            }
            TokenKind::Def | TokenKind::Entry | TokenKind::Let => {
                error("The body of a definition comes after `=`, without braces")
            }
            TokenKind::Then | TokenKind::Else | TokenKind::Do | TokenKind::Arrow if directly => {
                error("A block needs no braces")
            }
            TokenKind::Equals if directly => error("The body of a definition needs no braces"),
            TokenKind::Module | TokenKind::Type => None,
            _ => Some(
                foreign(place, "Braces make a record: `{x = 1, y = 2}`").at("this is not a record"),
            ),
        }
    }

    /// `case 0: e`
    pub(super) fn case_colon(&self, want: Want) -> Option<Diagnostic> {
        let colon = self.back(1).filter(|&i| self.kind_of(i) == TokenKind::Colon)?;
        let last = (self.dec_start..colon).rev().find(|&i| {
            matches!(self.kind_of(i), TokenKind::Case | TokenKind::Arrow | TokenKind::Equals)
        })?;
        (want == Want::Type && self.kind_of(last) == TokenKind::Case).then(|| {
            let place = self.span_of(colon);
            foreign(place, "Between the pattern and the value of a case comes `->`")
                .fix("write it", [(place, " ->".to_owned())])
        })
    }

    pub(super) fn wrong_comma(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        if let Want::Close(open) = want {
            return self.function_between_bars(open + 1);
        }
        if let Want::In(_) = want {
            return Some(
                foreign(here, "Each binding has a `let` of its own")
                    .fix("write it", [(here, " let".to_owned())]),
            );
        }
        (want == Want::Dec && self.kind_at(1) == TokenKind::Case).then(|| {
            foreign(here, "Cases follow each other without a comma")
                .fix("leave it out", [(here, String::new())])
        })
    }
}
