//! Forms of other languages, recognised at a token that does not fit.
//!
//! Every function here looks for one habit (`=` for `==`, `x -> e` for a function, braces around
//! blocks) and says how it is written in this language; `words` has the words. They are asked in
//! turn, by the kind of token that does not fit.

mod binding;
mod block;
mod comment;
mod function;
mod types;
mod words;

use super::Parser;
use super::explain::Want;
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The form of another language that the current token belongs to, if it looks like one.
    pub(super) fn foreign_form(&self, want: Want) -> Option<Diagnostic> {
        if let Some(error) = self.colon_before_body() {
            return Some(error);
        }
        let by_token = match self.kind() {
            TokenKind::Semicolon => Some(self.semicolon(want)),
            TokenKind::Equals => self.wrong_equals(want),
            TokenKind::Op => self.wrong_operator(want),
            TokenKind::Arrow => self.wrong_arrow(want),
            TokenKind::Colon => self.wrong_colon(want),
            TokenKind::Dot => self.wrong_dot(want),
            TokenKind::Question => Some(self.conditional_operator()),
            TokenKind::Tick => self.wrong_tick(want),
            TokenKind::For | TokenKind::While => self.wrong_loop(want),
            TokenKind::If => self.wrong_if(want),
            TokenKind::Case | TokenKind::With => self.wrong_match(want),
            TokenKind::Tilde => self.wrong_tilde(want),
            TokenKind::Comma => self.wrong_comma(want),
            TokenKind::Ident | TokenKind::Ctor | TokenKind::String | TokenKind::Val => {
                self.wrong_word(want)
            }
            TokenKind::DotDot if want == Want::Name => Some(self.record_update(self.here())),
            _ => None,
        };
        by_token
            .or_else(|| self.misspelled(want))
            .or_else(|| self.array_type(want))
            .or_else(|| self.braces(want))
            .or_else(|| self.lambda_word(want))
            .or_else(|| self.case_colon(want))
            .or_else(|| self.assert_call(want))
            .or_else(|| self.increment(want))
    }

    fn semicolon(&self, want: Want) -> Diagnostic {
        let here = self.here();
        let in_brackets =
            matches!(want, Want::Close(open) if self.kind_of(open) != TokenKind::LParen);
        if let Want::Close(open) = want
            && let Some(error) = self.repeated_element(open)
        {
            return error;
        }
        if in_brackets {
            return foreign(here, "Elements are separated by `,`, not by `;`")
                .at("there is no `;` in this language")
                .fix("write a comma", [(here, ",".to_owned())]);
        }
        foreign(here, "There is no `;` in this language")
            .at("leave it out")
            .help("A binding ends at the next `let` or at its `in`, and a declaration at the next one.")
            .fix("remove it", [(here, String::new())])
    }

    /// `[i32; 3]` as a type, `[0; 3]` as a value.
    fn repeated_element(&self, open: usize) -> Option<Diagnostic> {
        let close = self.pos + 2;
        if self.kind_of(open) != TokenKind::LBracket
            || self.pos != open + 2
            || self.kind_of(close) != TokenKind::RBracket
        {
            return None;
        }
        let (element, size) = (self.text_of(open + 1), self.text_of(self.pos + 1));
        let place = self.span_of(open).to(self.span_of(close));
        Some(match self.in_head() {
            true => foreign(
                place,
                format!("An array of {size} {element} is written `[{size}]{element}`"),
            )
            .fix("write it like this", [(place, format!("[{size}]{element}"))]),
            false => foreign(
                place,
                format!("An array of equal elements is made by `replicate {size} {element}`"),
            )
            .fix("write it like this", [(place, format!("(replicate {size} {element})"))]),
        })
    }

    /// Whether no `=` has come since the last `def` or `let`.
    fn in_head(&self) -> bool {
        let binder = (self.dec_start..self.pos).rev().find(|&i| {
            matches!(
                self.kind_of(i),
                TokenKind::Def | TokenKind::Entry | TokenKind::Let | TokenKind::Loop
            )
        });
        binder.is_some_and(|b| !(b..self.pos).any(|i| self.kind_of(i) == TokenKind::Equals))
    }

    /// The place of the last of these words in the present declaration.
    fn word_before(&self, words: &[&str]) -> Option<Span> {
        let found = (self.dec_start..self.pos)
            .rev()
            .find(|&i| self.kind_of(i) == TokenKind::Ident && words.contains(&self.text_of(i)));
        found.map(|i| self.span_of(i))
    }

    fn wrong_operator(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let text = self.token_text(self.token());
        match (text, want) {
            ("=>", Want::LambdaArrow | Want::CaseArrow) => Some(
                foreign(here, "The arrow is `->`, not `=>`")
                    .fix("write `->`", [(here, "->".to_owned())]),
            ),
            ("=>", Want::DefEquals | Want::LetEquals) => Some(
                foreign(here, "The body of a definition comes after `=`")
                    .fix("write `=`", [(here, "=".to_owned())]),
            ),
            ("<=", Want::ForIn) => Some(
                foreign(here, "The bound of a loop is exclusive: `for i < n`")
                    .at("only `<` can stand here")
                    .help("`for i < n + 1` counts from 0 to n."),
            ),
            ("<-", Want::In(_) | Want::Dec | Want::LetEquals) => {
                let error = foreign(here, "A name is bound by `let x = e`");
                Some(match want {
                    Want::LetEquals => error.fix("write `=`", [(here, "=".to_owned())]),
                    _ => error,
                })
            }
            ("|", Want::Type) => Some(
                foreign(
                    here,
                    "The constructors of a type are separated by `|`; the first has none before it",
                )
                .fix("leave it out", [(here, String::new())]),
            ),
            ("|", Want::Dec) if self.kind_of(self.dec_start) == TokenKind::Type => {
                Some(self.constructor_without_sign(here))
            }
            ("|", Want::Access | Want::Case(_)) => self.wrong_match(want),
            ("|", Want::CaseArrow) => Some(
                foreign(here, "A case has one pattern")
                    .help("Write a case for each pattern: `case 0 -> 1 case 1 -> 1`."),
            ),
            ("<", Want::Close(_) | Want::DefEquals) if self.touches(self.pos) => {
                Some(self.angle_brackets(here))
            }
            (">", Want::DefEquals) if self.kind_of(self.dec_start + 2) == TokenKind::Op => {
                Some(self.type_parameters_in_angles(self.span_of(self.dec_start + 2)))
            }
            ("&" | "&&", Want::Type) => {
                let error = foreign(here, "There are no references; a type has no `&`");
                Some(match self.kind_at(1) {
                    TokenKind::Ident => error.fix("leave it out", [(here, String::new())]),
                    _ => error,
                })
            }
            ("++", Want::Exp) => Some(no_increment(here)),
            _ => None,
        }
    }

    /// Where a function without `\` starts, before the arrow at the cursor.
    fn start_of_lambda(&self) -> Option<usize> {
        let mut start = self.pos;
        let mut depth = 0usize;
        while start > self.dec_start + 1 {
            match self.kind_of(start - 1) {
                TokenKind::RParen => depth += 1,
                TokenKind::LParen if depth == 0 => break,
                TokenKind::LParen => depth -= 1,
                TokenKind::Ident | TokenKind::Underscore => {}
                _ if depth > 0 => {}
                _ => break,
            }
            start -= 1;
        }
        let opens = matches!(
            self.kind_of(start.checked_sub(1)?),
            TokenKind::LParen | TokenKind::Equals | TokenKind::Op | TokenKind::Comma
        );
        (opens && start < self.pos).then_some(start)
    }

    fn wrong_arrow(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        if want == Want::DefEquals {
            return Some(
                foreign(here, "The type of the result comes after `:`, not after `->`")
                    .fix("write `:`", [(here, ":".to_owned())]),
            );
        }
        if let Want::Case(_) | Want::Access = want {
            return self.wrong_match(want);
        }
        let start = self.start_of_lambda()?;
        Some(self.lambda_without_backslash(start))
    }

    fn lambda_without_backslash(&self, start: usize) -> Diagnostic {
        let place = self.span_of(start);
        let text = self.text_of(start);
        let error = foreign(place, "A function starts with `\\`: `\\x -> x + 1`");
        if words::LAMBDAS.contains(&text) && start + 1 < self.pos {
            let with_space = Span { end: self.span_of(start + 1).start, ..place };
            return error.fix("write `\\`", [(with_space, "\\".to_owned())]);
        }
        error
            .at("`\\` is expected before this")
            .fix("insert it", [(place.before(), "\\".to_owned())])
    }

    /// `(fun x ...`, `(lambda x: e)`: noticed anywhere inside of the parentheses.
    fn lambda_word(&self, want: Want) -> Option<Diagnostic> {
        let Want::Close(open) = want else { return None };
        let word = open + 1;
        let is_lambda = word + 1 < self.pos
            && words::LAMBDAS.contains(&self.text_of(word))
            && matches!(self.kind_of(word + 1), TokenKind::Ident | TokenKind::LParen);
        is_lambda.then(|| {
            foreign(self.span_of(word), "A function is written `\\x -> e`")
                .at(format!("`\\` is written, not `{}`", self.text_of(word)))
        })
    }

    fn wrong_colon(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let doubled = self.touches(self.pos)
            && self.back(1).is_some_and(|i| self.kind_of(i) == TokenKind::Colon);
        match want {
            Want::Close(open) if self.kind_of(open) == TokenKind::LBrace => Some(
                foreign(here, "The value of a field comes after `=`, not after `:`")
                    .at("`:` comes before types")
                    .fix("write `=`", [(here, " =".to_owned())]),
            ),
            Want::Type if doubled => {
                let place = self.span_of(self.pos - 1).to(here);
                Some(match self.in_head() {
                    true => foreign(place, "A type comes after `:`, not after `::`")
                        .fix("write `:`", [(place, ":".to_owned())]),
                    false => foreign(place, "There are no lists; arrays are concatenated by `++`")
                        .help("To put an element before an array, write `[x] ++ xs`."),
                })
            }
            _ => None,
        }
    }

    fn wrong_dot(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let next = self.pos + 1;
        if want == Want::LambdaArrow {
            return Some(
                foreign(here, "Between the parameters and the body of a function comes `->`")
                    .fix("write ` ->`", [(here, " ->".to_owned())]),
            );
        }
        if self.kind_of(next) == TokenKind::LBracket && self.touches(self.pos) {
            return Some(
                foreign(here, "An index directly follows the array: `xs[i]`")
                    .fix("leave out the dot", [(here, String::new())]),
            );
        }
        if self.back(1).is_some_and(|i| self.kind_of(i) == TokenKind::Int) && self.touches(self.pos)
        {
            let number = self.text_of(self.pos - 1);
            return Some(
                foreign(here, "A decimal point has digits on both sides")
                    .fix("add a zero", [(here, ".0".to_owned())])
                    .at(format!("write `{number}.0`")),
            );
        }
        if want == Want::Exp && self.kind_of(next) == TokenKind::Int && self.touches(next) {
            return Some(
                foreign(here, "A decimal point has digits on both sides")
                    .fix("add a zero", [(here, "0.".to_owned())]),
            );
        }
        if !self.touches(self.pos) && next < self.tokens.len() && !self.touches(next) {
            return Some(
                foreign(here, "Functions are composed by `>->`, not by a dot")
                    .help("`f >-> g` applies f first, and `g <-< f` means the same."),
            );
        }
        None
    }

    fn conditional_operator(&self) -> Diagnostic {
        foreign(self.here(), "A condition is written `if c then a else b`")
            .at("there is no operator `?`")
    }

    fn wrong_tilde(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let next = self.pos + 1;
        if self.kind_of(next) == TokenKind::Equals && self.touches(next) {
            let place = here.to(self.span_of(next));
            return Some(
                foreign(place, "The operator for \"not equal\" is `!=`")
                    .fix("write it", [(place, "!=".to_owned())]),
            );
        }
        (want == Want::Exp).then(|| {
            foreign(here, "The bits of a number are inverted by `!`")
                .fix("write `!`", [(here, "!".to_owned())])
        })
    }

    /// `assert(c, e)`
    fn assert_call(&self, want: Want) -> Option<Diagnostic> {
        let close = self.back(1).filter(|&i| self.kind_of(i) == TokenKind::RParen)?;
        let open = *self.open_brackets(close).last()?;
        let before = open.checked_sub(1)?;
        (want == Want::Exp && self.kind_of(before) == TokenKind::Assert).then(|| {
            foreign(
                self.span_of(before),
                "`assert` has a condition and a result: `assert (x > 0) x`",
            )
            .label(self.here(), "the result is expected before this")
        })
    }

    /// `x++`
    fn increment(&self, want: Want) -> Option<Diagnostic> {
        let before = self.back(1)?;
        let is_increment =
            want == Want::Exp && self.text_of(before) == "++" && self.touches(before);
        is_increment.then(|| no_increment(self.span_of(before)))
    }
}

fn no_increment(place: Span) -> Diagnostic {
    foreign(place, "A variable cannot be changed; `let` binds a new one")
        .at("`++` concatenates arrays")
        .help("Write `let x = x + 1`.")
}

fn no_keyword(place: Span) -> Diagnostic {
    foreign(place, "A declaration starts with a keyword: `def`, `entry`, `type` or `module`")
        .at("`def` is expected before this")
        .fix("insert it", [(place.before(), "def ".to_owned())])
}

fn misspelled(place: Span, word: &str, keyword: &str) -> Diagnostic {
    crate::errors::misspelled_keyword(place, word, keyword)
}
