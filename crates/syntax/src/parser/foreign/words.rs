//! Words of other languages, and misspelled ones of this.

use super::super::Parser;
use super::super::explain::Want;
use super::{misspelled, no_keyword};
use crate::errors::foreign;
use crate::token::TokenKind;
use fehu_base::Diagnostic;

/// What other languages bind names with.
pub(super) const BINDERS: [&str; 8] =
    ["var", "const", "val", "auto", "mut", "my", "final", "static"];

/// What other languages start functions with.
pub(super) const LAMBDAS: [&str; 5] = ["fn", "fun", "func", "function", "lambda"];

/// What other languages call arrays.
pub(super) const ARRAYS: [&str; 8] =
    ["Vec", "Array", "List", "Vector", "array", "list", "vector", "Seq"];

/// Words that other languages start declarations with: the words, what to say, and an example.
const DECLARATIONS: [(&[&str], &str, &str); 9] = [
    (
        &["fn", "fun", "func", "function", "define", "defn", "proc", "sub", "fixed"],
        "Functions are defined by `def`",
        "def f (x: i32) : i32 = x + 1",
    ),
    (
        &["const", "var", "val", "static", "final", "auto"],
        "Values are defined by `def`",
        "def n : i64 = 10",
    ),
    (
        &["data", "enum", "newtype", "union", "variant"],
        "Types are defined by `type`",
        "type shape = #circle f32 | #square f32",
    ),
    (
        &["struct", "record", "class", "typedef", "interface", "trait", "impl", "instance"],
        "Types are defined by `type`",
        "type point = {x: f32, y: f32}",
    ),
    (
        &[
            "use",
            "using",
            "from",
            "require",
            "#include",
            "#define",
            "#import",
            "package",
            "namespace",
        ],
        "Other files are imported by `import`",
        "import \"file\"",
    ),
    (
        &["public", "pub", "private", "export", "extern", "inline"],
        "A declaration starts with a keyword: `def`, `entry`, `type` or `module`",
        "entry main (x: i32) : i32 = x + 1",
    ),
    (
        &["signature", "sig"],
        "The type of a module is defined by `module type`",
        "module type t = { val x : i32 }",
    ),
    (
        &["structure", "functor", "mod"],
        "Modules are defined by `module`",
        "module m = { def x = 1i32 }",
    ),
    (
        &["int", "void", "float", "double", "char", "long", "unsigned"],
        "Functions are defined by `def`, and types come after names",
        "def f (x: i32) : i32 = x + 1",
    ),
];

/// Types that people write before the name of a parameter.
const TYPES: [&str; 18] = [
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool", "int",
    "float", "double", "char", "long", "auto",
];

impl Parser<'_> {
    /// A word that cannot stand here, in the hope that it is known.
    pub(super) fn wrong_word(&self, want: Want) -> Option<Diagnostic> {
        let here = self.here();
        let text = self.text_of(self.pos);
        let before = self.back(1);
        if let Some(before) = before {
            match self.kind_of(before) {
                TokenKind::Import if self.kind() == TokenKind::Ident => {
                    return Some(
                        foreign(here, "The name of a file is written in double quotes")
                            .fix("write them", [(here, format!("\"{text}\""))]),
                    );
                }
                TokenKind::Open if self.kind() == TokenKind::String => {
                    return Some(
                        foreign(here, "A file is opened by `open import`")
                            .fix("insert `import`", [(here.before(), "import ".to_owned())]),
                    );
                }
                TokenKind::String
                    if text == "as"
                        && self.back(2).is_some_and(|i| self.kind_of(i) == TokenKind::Import) =>
                {
                    let file = self.text_of(before);
                    let name = self.text_of(self.pos + 1);
                    return Some(
                        foreign(here, "An import is named by a module")
                            .help(format!("Write `module {name} = import {file}`.")),
                    );
                }
                _ => {}
            }
        }
        if let Want::Close(open) = want
            && self.kind_of(open) == TokenKind::LParen
            && before == Some(open + 1)
            && TYPES.contains(&self.text_of(open + 1))
        {
            let ty = self.text_of(open + 1);
            let place = self.span_of(open + 1).to(here);
            return Some(
                foreign(place, "The type of a parameter comes after its name")
                    .fix("write it like this", [(place, format!("{text}: {ty}"))]),
            );
        }
        (want == Want::Dec).then(|| self.wrong_declaration()).flatten()
    }

    /// A word where a declaration should start.
    fn wrong_declaration(&self) -> Option<Diagnostic> {
        let here = self.here();
        let text = self.text_of(self.pos);
        let starts_line = self.line_column(self.pos).is_some();
        if let Some(before) = self.back(1)
            && matches!(self.text_of(before), "sig" | "struct")
        {
            return Some(
                foreign(self.span_of(before), "The contents of a module are in braces").help(
                    "Write `module m = { def x = 1i32 }`, and `module type t = { val x : i32 }`.",
                ),
            );
        }
        if !starts_line && self.pos > 0 {
            return None;
        }
        if let Some((_, headline, example)) =
            DECLARATIONS.iter().find(|(words, ..)| words.contains(&text))
        {
            return Some(
                foreign(here, *headline)
                    .at(format!("`{text}` is not a keyword here"))
                    .help(format!("For instance: `{example}`.")),
            );
        }
        if self.kind() != TokenKind::Ident {
            return None;
        }
        let is_signature =
            self.kind_at(1) == TokenKind::Colon && self.kind_at(2) == TokenKind::Colon;
        if is_signature {
            return Some(
                foreign(here, "The type of a function is part of its definition")
                    .help("Write `def f (x: i32) : i32 = x + 1`."),
            );
        }
        let rest = &self.tokens[self.pos..];
        let same_line = rest
            .iter()
            .enumerate()
            .skip(1)
            .take_while(|(i, _)| self.line_column(self.pos + i).is_none());
        let defines = same_line.map(|(_, token)| token.kind).any(|kind| kind == TokenKind::Equals);
        defines.then(|| no_keyword(here))
    }

    /// The keyword that the word at the cursor was probably meant to be, where a declaration starts.
    pub(in super::super) fn misspelled_declaration(&self) -> Option<(TokenKind, Diagnostic)> {
        const KEYWORDS: [(&str, TokenKind); 7] = [
            ("def", TokenKind::Def),
            ("entry", TokenKind::Entry),
            ("type", TokenKind::Type),
            ("module", TokenKind::Module),
            ("import", TokenKind::Import),
            ("local", TokenKind::Local),
            ("open", TokenKind::Open),
        ];
        let text = self.text_of(self.pos);
        let names =
            matches!(self.kind_at(1), TokenKind::Ident | TokenKind::String | TokenKind::LParen)
                || TokenKind::keyword(self.text_of(self.pos + 1)).is_some();
        if self.kind() != TokenKind::Ident || !names || self.line_column(self.pos).is_none() {
            return None;
        }
        let known = DECLARATIONS.iter().any(|(words, ..)| words.contains(&text));
        let (keyword, kind) =
            *KEYWORDS.iter().find(|(keyword, _)| !known && similar(text, keyword))?;
        Some((kind, misspelled(self.here(), text, keyword)))
    }

    /// A misspelled keyword inside of the construct that needs it, or another language's word for it.
    pub(super) fn misspelled(&self, want: Want) -> Option<Diagnostic> {
        let (start, keyword) = match want {
            Want::Then(start) => (start, "then"),
            Want::Else(start) => (start, "else"),
            Want::Case(start) => (start, "case"),
            _ => return None,
        };
        let words = (start + 1..self.pos).filter(|&i| self.kind_of(i) == TokenKind::Ident);
        for index in words {
            let (text, place) = (self.text_of(index), self.span_of(index));
            if keyword == "else" && matches!(text, "elif" | "elsif" | "elseif" | "elsef") {
                return Some(
                    foreign(place, "Another condition is written `else if`")
                        .fix("write it", [(place, "else if".to_owned())]),
                );
            }
            if similar(text, keyword) {
                return Some(misspelled(place, text, keyword));
            }
        }
        None
    }
}

/// Whether a word is another one but for one wrong, missing, superfluous or moved letter, or for
/// capital letters.
pub(super) fn similar(word: &str, keyword: &str) -> bool {
    let (a, b) = (word.as_bytes(), keyword.as_bytes());
    if word == keyword {
        return false;
    }
    if word.eq_ignore_ascii_case(keyword) {
        return true;
    }
    let same_start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    let swapped = a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..];
    let dropped = !b.is_empty() && *a == b[1..];
    let added = !a.is_empty() && a[1..] == *b;
    // Short words have too many neighbours that are names.
    let replaced = keyword.len() > 4 && !a.is_empty() && !b.is_empty() && a[1..] == b[1..];
    swapped || (keyword.len() > 3 && (dropped || added || replaced))
}
