//! Types: `Vec<f32>`, `[f32]`, `def f<T>`, constructors without `#`.

use super::super::Parser;
use super::super::explain::Want;
use super::words;
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn angle_brackets(&self, here: Span) -> Diagnostic {
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

    pub(super) fn type_parameters_in_angles(&self, place: Span) -> Diagnostic {
        foreign(place, "Type parameters have an apostrophe and no brackets")
            .help("Write `def f 't (x: t) : t = x`.")
    }

    pub(super) fn constructor_without_sign(&self, here: Span) -> Diagnostic {
        // `type t = Foo i32 | Bar`
        let first = self.dec_start + 3;
        let place = if first < self.pos { self.span_of(first) } else { here };
        let name = self.text_of(first).to_lowercase();
        foreign(place, "Constructors start with `#`")
            .at(format!("for instance `#{name}`"))
            .help("A sum type is written `type t = #a i32 | #b`.")
    }

    /// `[f32]` or `[i32; 3]` as a type.
    pub(super) fn array_type(&self, want: Want) -> Option<Diagnostic> {
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

    pub(super) fn wrong_tick(&self, want: Want) -> Option<Diagnostic> {
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
}
