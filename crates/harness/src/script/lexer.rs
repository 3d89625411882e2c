//! Where the parser stands in a script: blanks, names, signs and literals.

use super::Exp;
use super::parse::SyntaxError;
use fehu_base::Prim;
use fehu_data::Reader;

/// A script and a place in it.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

/// Words that are no names.
const KEYWORDS: [&str; 2] = ["let", "in"];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// Skips blanks, and comments to the end of a line.
    fn skip(&mut self) {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with("--") {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// The next sign, after blanks.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip();
        self.here()
    }

    /// The sign right here; a blank is one.
    pub(super) fn here(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Skips this sign, if it comes next.
    pub(super) fn sign(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    /// Skips this sign, which must come next.
    pub(super) fn expect(&mut self, sign: char) -> Result<(), SyntaxError> {
        if self.sign(sign) { Ok(()) } else { self.error(&format!("expected `{sign}`")) }
    }

    /// Whether this keyword comes next.
    pub(super) fn next_is(&mut self, keyword: &str) -> bool {
        self.word() == keyword
    }

    /// Skips this keyword, if it comes next.
    pub(super) fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.next_is(keyword);
        if found {
            self.at += keyword.len();
        }
        found
    }

    /// The next name, if there is one.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        let word = self.word();
        if word.is_empty() || KEYWORDS.contains(&word) {
            return None;
        }
        self.at += word.len();
        Some(word)
    }

    /// The letters of the next word, which stays there; empty if there is something else.
    fn word(&mut self) -> &'a str {
        self.skip();
        let rest = &self.text[self.at..];
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return "";
        }
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())]
    }

    /// A field after a point: a name, or a number.
    pub(super) fn field(&mut self) -> Result<&'a str, SyntaxError> {
        let rest = &self.text[self.at..];
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        if end == 0 {
            return self.error("expected the name of a field after `.`");
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// The characters up to the next quote; the first quote has been read.
    pub(super) fn string(&mut self) -> Result<String, SyntaxError> {
        let rest = &self.text[self.at..];
        let Some(end) = rest.find('"') else {
            return self.error("the string is not closed by `\"`");
        };
        self.at += end + 1;
        Ok(rest[..end].to_owned())
    }

    /// A number, a truth value or an empty array, if one comes next.
    pub(super) fn literal(&mut self) -> Result<Option<Exp>, SyntaxError> {
        let word = self.word();
        let rest = &self.text[self.at..];
        let float = Prim::from_name(word).is_some_and(Prim::is_float);
        let special = float && rest[word.len()..].starts_with('.');
        let number = rest.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        let empty = word == "empty" && rest[word.len()..].trim_start().starts_with('(');
        if !(special || number || empty || word == "true" || word == "false") {
            return Ok(None);
        }
        // The reader of values wants a blank, a bracket or a comma after a number. A parenthesis or
        // brace is as good here, so it only sees what comes before.
        let end = match empty {
            true => rest.find(')').map_or(rest.len(), |end| end + 1),
            false => rest
                .find(|c: char| c.is_whitespace() || "()[]{},".contains(c))
                .unwrap_or(rest.len()),
        };
        let mut reader = Reader::new(&rest.as_bytes()[..end]);
        match reader.next_value(None) {
            Ok(Some(value)) if reader.rest().is_empty() => {
                self.at += end;
                let text = &rest[..end];
                match number && !text.ends_with(value.elem().name()) {
                    true => Ok(Some(Exp::Number(text.to_owned()))),
                    false => Ok(Some(Exp::Literal(value))),
                }
            }
            Ok(_) => self.error(&format!("`{}` is not a value", &rest[..end])),
            Err(error) => self.error(&error.message),
        }
    }

    /// An error at this place.
    pub(super) fn error<T>(&self, message: &str) -> Result<T, SyntaxError> {
        let line = self.text[..self.at].matches('\n').count() + 1;
        Err(SyntaxError { line, message: message.to_owned() })
    }
}
