//! What was forgotten: the `in` of a `let`, the `else` of an `if`, the `)` of a `(`. Such a mistake is
//! noticed late, often at the next declaration, and reported where the construct started; the layout
//! of the text tells where the missing word belongs.

use super::Parser;
use super::explain::{Want, closer};
use crate::errors;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The message about what is missing, if it can be told where.
    pub(super) fn missing(&self, want: Want, expected: &str) -> Option<Diagnostic> {
        match want {
            Want::Close(open) => self.unclosed(open),
            Want::In(start) => Some(self.missing_in(start, expected)),
            Want::Then(start) => self.missing_then(start),
            Want::Else(start) => self.missing_else(start, expected),
            Want::Do(start) => self.missing_do(start),
            Want::DefEquals => self
                .late_type_params(self.dec_start)
                .or_else(|| self.missing_equals(self.dec_start, "definition")),
            Want::LetEquals => {
                let start = (self.dec_start..self.pos)
                    .rev()
                    .find(|&i| self.kind_of(i) == TokenKind::Let)?;
                self.late_type_params(start).or_else(|| self.missing_equals(start, "binding"))
            }
            Want::Dec => self.unopened(),
            Want::Exp => self.missing_expression(),
            Want::ForIn
            | Want::LoopForm
            | Want::LambdaArrow
            | Want::CaseArrow
            | Want::Case(_)
            | Want::FieldType
            | Want::Access
            | Want::Type
            | Want::Name
            | Want::Other => None,
        }
    }

    /// `(x + 1` and then something that cannot be inside of parentheses.
    fn unclosed(&self, open: usize) -> Option<Diagnostic> {
        let found = self.kind();
        let is_closer =
            matches!(found, TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace);
        let ends_it = matches!(
            found,
            TokenKind::In
                | TokenKind::Then
                | TokenKind::Else
                | TokenKind::Do
                | TokenKind::Case
                | TokenKind::For
                | TokenKind::While
        );
        // In the head of a definition, the body or the next parameter.
        let ends_param = matches!(found, TokenKind::Equals | TokenKind::LParen)
            && !(self.dec_start..open).any(|i| self.kind_of(i) == TokenKind::Equals);
        if !(is_closer || ends_it || ends_param || self.at_end_of_dec()) {
            return None;
        }
        let sign = self.text_of(open);
        let close = match closer(self.kind_of(open)) {
            TokenKind::RParen => ")",
            TokenKind::RBrace => "}",
            _ => "]",
        };
        let place = self.end_of_previous();
        let fix = place.map(|place| (place, close.to_owned()));
        let here = self.here();
        let label = match () {
            () if found == TokenKind::Eof => "the file ends without it".to_owned(),
            () if is_closer => format!("`{close}` is expected before this"),
            () if self.at_dec_keyword() => "the next declaration starts without it".to_owned(),
            () => format!("`{close}` is expected before this"),
        };
        Some(errors::unclosed(self.span_of(open), sign, close, here, &label, fix))
    }

    /// The end of the last token before the current one.
    fn end_of_previous(&self) -> Option<Span> {
        let end = self.tokens[self.back(1)?].end;
        Some(Span { start: end, end, ..self.here() })
    }

    /// `)` where nothing is open; `then` where there is no `if`.
    fn unopened(&self) -> Option<Diagnostic> {
        let here = self.here();
        let partner = match self.kind() {
            TokenKind::RParen => "(",
            TokenKind::RBracket => "[",
            TokenKind::RBrace => "{",
            TokenKind::Then | TokenKind::Else => "if",
            TokenKind::In => "let",
            TokenKind::Do => "loop",
            TokenKind::Case => "match",
            _ => return None,
        };
        Some(errors::unopened(here, self.text_of(self.pos), partner))
    }

    fn missing_in(&self, start: usize, expected: &str) -> Diagnostic {
        let mut error = errors::missing_in(self.span_of(start));
        match self.body_of_let(start) {
            Some(body) => {
                let place = self.span_of(body).before();
                error = error
                    .label(self.span_of(body), "`in` is expected before this")
                    .fix("insert it", [(place, "in ".to_owned())]);
            }
            None => {
                error =
                    error.help("The result comes after the last binding: `let x = 1 in x + 1`.");
                if let Some(place) = self.end_of_previous() {
                    error = error.fix(
                        "insert it, with a hole for the result",
                        [(place, " in ???".to_owned())],
                    );
                }
            }
        }
        if self.kind() == TokenKind::Eof {
            error = error
                .label(self.here(), "the file ends without it")
                .note(format!("Unexpected end of file, expected {expected}."));
        }
        error
    }

    /// Where the body of a `let` without `in` seems to start: on a new line that is not indented more
    /// than the `let`; or, in one line, after a number, which cannot be applied.
    fn body_of_let(&self, start: usize) -> Option<usize> {
        let column = self.line_column(start);
        let mut depth = 0usize;
        let end = if self.at_dec_keyword() { self.pos } else { self.pos + 1 };
        for index in start + 1..end {
            let kind = self.kind_of(index);
            match kind {
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    depth = depth.checked_sub(1)?;
                }
                _ if depth > 0 => {}
                _ => {
                    let outside = column
                        .zip(self.line_column(index))
                        .is_some_and(|(own, column)| column <= own);
                    let after_literal = matches!(
                        self.kind_of(index - 1),
                        TokenKind::Int | TokenKind::Float | TokenKind::True | TokenKind::False
                    ) && matches!(
                        kind,
                        TokenKind::Ident | TokenKind::Int | TokenKind::Float | TokenKind::LParen
                    ) && !self.touches(index);
                    if outside || after_literal {
                        return Some(index);
                    }
                }
            }
            if matches!(kind, TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace) {
                depth += 1;
            }
        }
        let here = self.kind();
        let starts_exp =
            matches!(here, TokenKind::If | TokenKind::Loop | TokenKind::Match | TokenKind::Assert);
        starts_exp.then_some(self.pos)
    }

    fn missing_then(&self, start: usize) -> Option<Diagnostic> {
        if !(self.kind() == TokenKind::Else || self.at_end_of_dec()) {
            return None;
        }
        // The first token on a line of its own, or what cannot be an argument of what is before it.
        let inside = start + 1..self.pos;
        let on_new_line = inside.clone().find(|&i| self.line_column(i).is_some());
        let after_operand = inside.skip(2).find(|&i| {
            let before = self.kind_of(i - 1);
            matches!(before, TokenKind::Int | TokenKind::Float | TokenKind::True | TokenKind::False)
                || before == TokenKind::RParen
                    && i - 1 > start
                    && self.kind_of(start + 1) == TokenKind::LParen
        });
        let place = on_new_line.or(after_operand).map(|i| self.span_of(i));
        Some(errors::missing_then(self.span_of(start), self.here(), place))
    }

    fn missing_else(&self, start: usize, expected: &str) -> Option<Diagnostic> {
        let ends = matches!(
            self.kind(),
            TokenKind::In
                | TokenKind::RParen
                | TokenKind::RBracket
                | TokenKind::RBrace
                | TokenKind::Comma
                | TokenKind::Then
                | TokenKind::Do
                | TokenKind::Case
                | TokenKind::Let
                | TokenKind::If
                | TokenKind::Loop
                | TokenKind::Match
        );
        if !ends && !self.at_end_of_dec() {
            return None;
        }
        // What starts a line and is not indented more than the `if` was perhaps meant to come after.
        let column = self.line_column(start).unwrap_or(usize::MAX);
        let branch = (start + 1..=self.pos)
            .find(|&i| self.line_column(i).is_some_and(|own| own <= column) && i > start)
            .filter(|&i| column != usize::MAX && i < self.pos || self.starts_expression(i));
        let mut error = errors::missing_else(self.span_of(start));
        error = match branch {
            Some(branch) => {
                let place = self.span_of(branch);
                error
                    .label(place, "`else` is expected before this")
                    .fix("insert it", [(place.before(), "else ".to_owned())])
            }
            None => {
                let error = error
                    .label(self.here(), "`else` is expected before this")
                    .help("An `if` has a value in both cases: `if x > 0 then x else 0`.");
                match self.end_of_previous() {
                    Some(place) => error.fix(
                        "insert it, with a hole for the value",
                        [(place, " else ???".to_owned())],
                    ),
                    None => error,
                }
            }
        };
        if self.kind() == TokenKind::Eof {
            error = error.note(format!("Unexpected end of file, expected {expected}."));
        }
        Some(error)
    }

    fn starts_expression(&self, index: usize) -> bool {
        index == self.pos
            && matches!(
                self.kind(),
                TokenKind::If | TokenKind::Loop | TokenKind::Match | TokenKind::Let
            )
            && !self.at_dec_keyword()
    }

    fn missing_do(&self, start: usize) -> Option<Diagnostic> {
        if !self.at_end_of_dec()
            && !matches!(self.kind(), TokenKind::In | TokenKind::RParen | TokenKind::Let)
        {
            return None;
        }
        let on_new_line = (start + 1..self.pos).rev().find(|&i| self.line_column(i).is_some());
        let place = on_new_line.map(|i| self.span_of(i));
        Some(errors::missing_do(self.span_of(start), self.here(), place))
    }

    /// `def f (x: i32) [n] (xs: [n]i32) = 1`
    fn late_type_params(&self, start: usize) -> Option<Diagnostic> {
        let end = self.skip_type_params(self.pos);
        // Otherwise it is the body, an array.
        let head_goes_on = matches!(
            self.kind_of(end),
            TokenKind::LParen | TokenKind::Ident | TokenKind::Colon | TokenKind::Equals
        );
        let is_named = self.kind_of(start + 1) == TokenKind::Ident;
        if end == self.pos || !head_goes_on || !is_named {
            return None;
        }
        let late = self.span_of(self.pos).to(self.span_of(end - 1));
        let before = self.span_of(self.skip_type_params(start + 2) - 1).after();
        let gap = self.span_of(self.pos - 1).after();
        Some(errors::late_type_params(gap.to(late), late, &self.text[late.range()], before))
    }

    /// The first token that does not belong to type and size parameters.
    fn skip_type_params(&self, mut index: usize) -> usize {
        loop {
            let kind = |i: usize| self.kind_of(index + i);
            index += match kind(0) {
                TokenKind::LBracket
                    if kind(1) == TokenKind::Ident && kind(2) == TokenKind::RBracket =>
                {
                    3
                }
                TokenKind::Tick if kind(1) == TokenKind::Ident => 2,
                TokenKind::Tick if kind(2) == TokenKind::Ident => 3,
                _ => return index,
            };
        }
    }

    /// `def f (x: i32) x + 1`
    fn missing_equals(&self, start: usize, what: &str) -> Option<Diagnostic> {
        let is_operator = matches!(
            self.kind(),
            TokenKind::Op
                | TokenKind::QualOp
                | TokenKind::Minus
                | TokenKind::Dot
                | TokenKind::Backslash
                | TokenKind::If
                | TokenKind::Loop
                | TokenKind::Match
                | TokenKind::Let
                | TokenKind::LBracket
                | TokenKind::String
        );
        if !is_operator || self.at_dec_keyword() {
            return None;
        }
        let starts_body = matches!(
            self.kind(),
            TokenKind::If
                | TokenKind::Loop
                | TokenKind::Match
                | TokenKind::Let
                | TokenKind::Backslash
                | TokenKind::String
        ) || self.kind() == TokenKind::LBracket && !self.touches(self.pos);
        let on_new_line = (start + 2..=self.pos).find(|&i| self.line_column(i).is_some());
        let operand = self.pos - usize::from(!starts_body);
        let body = on_new_line.unwrap_or(operand);
        if body <= start + 1 {
            return None;
        }
        Some(errors::missing_equals(self.span_of(body), what))
    }

    /// An operator or keyword after which nothing comes.
    fn missing_expression(&self) -> Option<Diagnostic> {
        let before = self.back(1)?;
        let place = self.span_of(before);
        let is_end = self.at_end_of_dec()
            || matches!(
                self.kind(),
                TokenKind::RParen
                    | TokenKind::RBracket
                    | TokenKind::RBrace
                    | TokenKind::In
                    | TokenKind::Then
                    | TokenKind::Else
                    | TokenKind::Do
                    | TokenKind::Comma
            );
        let opens = matches!(
            self.kind_of(before),
            TokenKind::Op
                | TokenKind::QualOp
                | TokenKind::Minus
                | TokenKind::Equals
                | TokenKind::In
                | TokenKind::Then
                | TokenKind::Else
                | TokenKind::Do
                | TokenKind::Arrow
        );
        // At the end of the file, that is what there is to say.
        if !is_end || !opens || self.kind() == TokenKind::Eof {
            return None;
        }
        Some(errors::nothing_after(
            place,
            self.text_of(before),
            self.here(),
            self.text_of(self.pos),
        ))
    }
}
