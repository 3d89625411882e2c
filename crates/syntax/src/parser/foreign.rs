//! Forms of other languages, recognised at a token that does not fit.
//!
//! Every function here looks for one habit (`=` for `==`, `x -> e` for a function, braces around
//! blocks) and says how it is written in this language; `words` has the words. They are asked in
//! turn, by the kind of token that does not fit.

mod comment;
mod words;

use super::Parser;
use super::explain::Want;
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The form of another language that the current token belongs to, if it looks like one.
    pub(super) fn foreign_form(&self, want: Want) -> Option<Diagnostic> {
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
            .or_else(|| self.colon_before_body())
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

    fn wrong_equals(&self, want: Want) -> Option<Diagnostic> {
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

    /// The place of the last of these words in the present declaration.
    fn word_before(&self, words: &[&str]) -> Option<Span> {
        let found = (self.dec_start..self.pos)
            .rev()
            .find(|&i| self.kind_of(i) == TokenKind::Ident && words.contains(&self.text_of(i)));
        found.map(|i| self.span_of(i))
    }

    /// `x = e` and `var x = e` where `let` is needed, `f x = e` where `def` is.
    fn wrong_binding(&self, want: Want) -> Option<Diagnostic> {
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
    fn is_left_side(&self, first: usize) -> bool {
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
                Some(foreign(here, "A name is bound by `let x = e`"))
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

    fn angle_brackets(&self, here: Span) -> Diagnostic {
        let before = self.pos.saturating_sub(1);
        let name = self.text_of(before);
        let error = foreign(here, "Type arguments are written without brackets: `t a b`");
        let inside = self.text_of(self.pos + 1);
        let is_array = words::ARRAYS.contains(&name)
            && self.kind_of(self.pos + 1) == TokenKind::Ident
            && self.text_of(self.pos + 2) == ">";
        if is_array {
            let place = self.span_of(before).to(self.span_of(self.pos + 2));
            return foreign(place, format!("An array of {inside} is written `[]{inside}`"))
                .fix("write it like this", [(place, format!("[]{inside}"))]);
        }
        error
    }

    fn type_parameters_in_angles(&self, place: Span) -> Diagnostic {
        foreign(place, "Type parameters have an apostrophe and no brackets")
            .help("Write `def f 't (x: t) : t = x`.")
    }

    fn constructor_without_sign(&self, here: Span) -> Diagnostic {
        // `type t = Foo i32 | Bar`
        let first = self.dec_start + 3;
        let place = if first < self.pos { self.span_of(first) } else { here };
        let name = self.text_of(first).to_lowercase();
        foreign(place, "Constructors start with `#`")
            .at(format!("for instance `#{name}`"))
            .help("A sum type is written `type t = #a i32 | #b`.")
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

    fn wrong_tick(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let next = self.pos + 1;
        match want {
            Want::Type => Some(
                foreign(here, "A type parameter has its apostrophe only where it is declared")
                    .fix("leave it out", [(here, String::new())]),
            ),
            Want::Name if self.back(1).is_some_and(|i| self.text_of(i) == "<") => {
                Some(self.type_parameters_in_angles(self.span_of(self.pos - 1)))
            }
            Want::Exp if self.kind_of(next) == TokenKind::Ident && self.touches(next) => {
                let word = self.text_of(next);
                let rest = &self.text[self.tokens[next].end as usize..];
                let line = rest.lines().next().unwrap_or_default();
                // The apostrophe at the end is part of the name.
                let length = match word.ends_with('\'') {
                    true => Some(0),
                    false => line.find('\'').map(|at| at + 1),
                };
                let Some(length) = length else {
                    let place = here.to(self.span_of(next));
                    return Some(crate::errors::unterminated_char(place));
                };
                let place = here.to(self.span_of(next));
                let place = Span { end: place.end + length as u32, ..place };
                let text = &self.text[place.range()];
                let inner = &text[1..text.len() - 1];
                if inner.contains('\\') || inner.contains('"') {
                    return Some(foreign(place, "A string is written in double quotes"));
                }
                Some(
                    foreign(place, "A string is written in double quotes")
                        .at("single quotes are for one character")
                        .fix("write them", [(place, format!("\"{inner}\""))]),
                )
            }
            _ => None,
        }
    }

    fn wrong_loop(&self, want: Want) -> Option<Diagnostic> {
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

    fn wrong_if(&self, want: Want) -> Option<Diagnostic> {
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
    fn wrong_match(&self, want: Want) -> Option<Diagnostic> {
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
    fn follows_match(&self) -> bool {
        self.back(1).is_some_and(|i| self.kind_of(i) == TokenKind::With)
            && (self.dec_start..self.pos).any(|i| self.kind_of(i) == TokenKind::Match)
    }

    fn record_update(&self, place: Span) -> Diagnostic {
        foreign(place, "A record update is written without braces").help("Write `r with x = 1`.")
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

    fn wrong_comma(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
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

    /// `[f32]` or `[i32; 3]` as a type.
    fn array_type(&self, want: Want) -> Option<Diagnostic> {
        let close = self.back(1)?;
        if want != Want::Type || self.kind_of(close) != TokenKind::RBracket {
            return None;
        }
        let open = *self.open_brackets(close).last()?;
        let element = self.text_of(open + 1);
        let place = self.span_of(open).to(self.span_of(close));
        let headline = "The size of an array comes before its element type: `[n]t`";
        if open + 2 != close || self.kind_of(open + 1) != TokenKind::Ident {
            return Some(foreign(place, headline));
        }
        Some(
            foreign(place, format!("An array of {element} is written `[]{element}`"))
                .fix("write it like this", [(place, format!("[]{element}"))]),
        )
    }

    /// `def f(x):` and the body on the next line.
    fn colon_before_body(&self) -> Option<Diagnostic> {
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
    fn braces(&self, want: Want) -> Option<Diagnostic> {
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
    fn case_colon(&self, want: Want) -> Option<Diagnostic> {
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

fn where_clause(place: Span) -> Diagnostic {
    foreign(place, "Names are bound before they are used: `let y = e in ...`")
        .at("there is no `where`")
        .help("Write the bindings first: `def f (x: i32) = let y = x * 2 in y + 1`.")
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
