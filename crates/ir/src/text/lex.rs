//! Tokens of the text form; that of imperative code has the same ones, with other signs.

/// A token and where it begins.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind<'a>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind<'a> {
    /// A name or keyword, also `-f32.inf`.
    Word(&'a str),
    /// A number with its suffix.
    Number(&'a str),
    /// A string, without quotes and escapes.
    String(String),
    /// One of the signs.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// The signs of the text form of this IR.
pub const SIGNS: Signs =
    &["->", "#[", "(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "<", "*", "\\", "@", "$"];

/// The signs of a text form; where one begins with another, it comes first.
pub type Signs = &'static [&'static str];

impl Kind<'_> {
    /// The token in a message.
    pub fn show(&self) -> String {
        match self {
            Kind::Word(text) | Kind::Number(text) => format!("`{text}`"),
            Kind::String(_) => "a string".to_owned(),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::End => "the end of the text".to_owned(),
        }
    }
}

/// A problem: line, column, sentence.
pub type Problem = (usize, usize, String);

/// Cuts the text into tokens; also returns how deeply brackets are nested.
#[expect(clippy::wildcard_enum_match_arm, reason = "other tokens do not nest")]
pub fn tokens(text: &str, signs: Signs) -> Result<(Vec<Token<'_>>, usize), Problem> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1, signs };
    let mut tokens = Vec::new();
    let (mut depth, mut deepest) = (0usize, 0usize);
    loop {
        lexer.skip_blank();
        let (line, column) = (lexer.line, lexer.column);
        let kind = lexer.next().map_err(|message| (line, column, message))?;
        match kind {
            Kind::Sign("(" | "[" | "{" | "#[") => depth += 1,
            Kind::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        let end = kind == Kind::End;
        tokens.push(Token { kind, line, column });
        if end {
            return Ok((tokens, deepest));
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
    signs: Signs,
}

impl<'a> Lexer<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        match taken.rfind('\n') {
            None => self.column += taken.chars().count(),
            Some(last) => {
                self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
                self.column = taken[last..].chars().count();
            }
        }
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, f: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !f(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("--") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn next(&mut self) -> Result<Kind<'a>, String> {
        let mut chars = self.rest.chars();
        let Some(first) = chars.next() else { return Ok(Kind::End) };
        let second = chars.next().unwrap_or(' ');
        if first == '"' {
            return self.string();
        }
        let sign = usize::from(first == '-');
        let start = if sign == 1 { second } else { first };
        if start.is_ascii_digit() {
            let hex = self.rest[sign..].starts_with("0x");
            let body = &self.rest[sign..];
            let mut end = 0;
            let mut before = ' ';
            for (index, c) in body.char_indices() {
                let exponent = !hex && matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
                if !(c.is_ascii_alphanumeric() || c == '.' || exponent) {
                    break;
                }
                end = index + c.len_utf8();
                before = c;
            }
            return Ok(Kind::Number(self.take(sign + end)));
        }
        if start.is_ascii_alphabetic() || start == '_' {
            let rest = &self.rest[sign..];
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '.')))
                .unwrap_or(rest.len());
            return Ok(Kind::Word(self.take(sign + end)));
        }
        if let Some(sign) = self.signs.iter().find(|sign| self.rest.starts_with(**sign)) {
            self.take(sign.len());
            return Ok(Kind::Sign(sign));
        }
        Err(format!("unexpected character `{}`", first.escape_default()))
    }

    fn string(&mut self) -> Result<Kind<'a>, String> {
        self.take(1);
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| c != '"' && c != '\\' && c != '\n'));
            match self.rest.chars().next() {
                Some('"') => {
                    self.take(1);
                    return Ok(Kind::String(text));
                }
                Some('\\') => {
                    self.take(1);
                    text.push(self.escape()?);
                }
                _ => return Err("the string does not end on its line".to_owned()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let unknown = || "unknown escape in a string".to_owned();
        let c = self.rest.chars().next().ok_or_else(unknown)?;
        let plain = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '"' | '\\' => c,
            'u' => {
                let inside = self.rest.strip_prefix("u{").ok_or_else(unknown)?;
                let (digits, _) = inside.split_once('}').ok_or_else(unknown)?;
                let code = u32::from_str_radix(digits, 16).map_err(|_| unknown())?;
                let found = char::from_u32(code).ok_or_else(unknown)?;
                self.take(digits.len() + 3);
                return Ok(found);
            }
            _ => return Err(unknown()),
        };
        self.take(c.len_utf8());
        Ok(plain)
    }
}
