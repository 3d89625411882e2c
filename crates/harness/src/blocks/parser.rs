//! The grammar of one block.

use super::{BlockError, Case, Expected, Input, Test, Text};
use fehu_data::Reader;
use fehu_data::generate::Spec;

/// Reads a block and adds what it says.
pub(super) fn block(text: &Text, first: bool, test: &mut Test) -> Result<(), BlockError> {
    let mut parser = Parser { text, at: 0 };
    if test.error.is_some() {
        return parser.error("a program that must be rejected cannot have other test blocks");
    }
    if first && parser.word("tags") {
        let tags = parser.braces()?;
        test.tags.extend(tags.split_whitespace().map(str::to_owned));
    }
    if parser.sign("error:") {
        if !first {
            return parser.error("only the first block may expect a compile-time error");
        }
        test.error = Some(parser.line().to_owned());
        return parser.end();
    }
    let mut entries = vec!["main".to_owned()];
    let before = test.cases.len();
    while !parser.is_done() {
        if parser.sign("entry:") {
            entries = words(parser.line());
        } else if parser.sign("warning:") {
            test.warnings.push(parser.line().to_owned());
        } else if parser.sign("property:") {
            test.properties.extend(words(parser.line()));
        } else if parser.word("structure") {
            // The name of the stage; what is counted there depends on another compiler's inside.
            if parser.peek() != Some('{') {
                parser.take_word();
            }
            parser.braces()?;
        } else {
            let (case, named) = parser.case(&entries)?;
            let same = |other: &&Case| other.name == case.name;
            // Each block has names of its own: blocks of several entry points often use the same ones.
            let block = test.cases.get(before..).unwrap_or_default();
            if let Some(other) = block.iter().find(same).filter(|_| named) {
                let (name, line) = (&case.name, other.line);
                return parser
                    .error(&format!("the name \"{name}\" is already used on line {line}"));
            }
            test.cases.push(case);
        }
    }
    Ok(())
}

struct Parser<'a> {
    text: &'a Text,
    at: usize,
}

impl<'a> Parser<'a> {
    /// A case, and whether its name was given.
    fn case(&mut self, entries: &[String]) -> Result<(Case, bool), BlockError> {
        self.skip();
        let line = self.line_number();
        let given = self.string()?;
        let mut tags = Vec::new();
        while !self.word("input") {
            match self.take_word() {
                Some(tag) => tags.push(tag.to_owned()),
                None => return self.error("expected `input`, optionally after tags"),
            }
        }
        let has = |tag: &str| tags.iter().any(|found| found == tag);
        let start = self.at;
        let input = match self.file()? {
            Some(file) if has("random") => {
                return self.error(&format!("random input cannot come from the file \"{file}\""));
            }
            Some(file) if has("script") => Input::ScriptFile(file),
            Some(file) => Input::File(file),
            None if has("script") => Input::Script(self.braces()?.trim().to_owned()),
            None if has("random") => {
                let specs = self.braces()?;
                match Spec::parse_all(specs) {
                    Ok(specs) => Input::Random(specs),
                    Err(error) => return self.error(&format!("random input: {error}")),
                }
            }
            None => Input::Values(self.values()?),
        };
        let written = self.text.text[start..self.at].trim();
        let named = given.is_some();
        let name = given.unwrap_or_else(|| name_of(written));
        let expected = self.expected()?;
        Ok((Case { entries: entries.to_vec(), name, tags, line, input, expected }, named))
    }

    fn expected(&mut self) -> Result<Expected, BlockError> {
        let start = self.at;
        if self.word("auto") {
            if self.word("output") {
                return Ok(Expected::Auto);
            }
            // It is a tag of the next case.
            self.at = start;
            return Ok(Expected::Success);
        }
        if self.sign("error:") {
            return Ok(Expected::Error(self.line().to_owned()));
        }
        if !self.word("output") {
            return Ok(Expected::Success);
        }
        match self.file()? {
            Some(file) => Ok(Expected::File(file)),
            None => Ok(Expected::Values(self.values()?)),
        }
    }

    /// Values between braces.
    fn values(&mut self) -> Result<Vec<fehu_data::Value>, BlockError> {
        if !self.sign("{") {
            return self.error("expected `{` or `@`");
        }
        let rest = &self.text.text[self.at..];
        let mut reader = Reader::new(rest.as_bytes());
        let mut values = Vec::new();
        while reader.peek() != Some(b'}') {
            let value = reader.next_value(None);
            self.at += reader.offset();
            reader = Reader::new(&self.text.text.as_bytes()[self.at..]);
            match value {
                Ok(Some(value)) => values.push(value),
                Ok(None) => return self.error("the braces are not closed"),
                Err(error) => return self.error(&format!("not a value: {}", error.message)),
            }
        }
        self.at += reader.offset() + 1;
        Ok(values)
    }

    /// The text between braces, which may contain others.
    fn braces(&mut self) -> Result<&'a str, BlockError> {
        if !self.sign("{") {
            return self.error("expected `{`");
        }
        let rest = &self.text.text[self.at..];
        let mut depth = 1;
        let mut quoted = false;
        for (index, sign) in rest.char_indices() {
            match sign {
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += index + 1;
                return Ok(&rest[..index]);
            }
        }
        self.error("the braces are not closed")
    }

    /// The name of a file after `@`.
    fn file(&mut self) -> Result<Option<String>, BlockError> {
        if !self.sign("@") {
            return Ok(None);
        }
        self.skip();
        let rest = &self.text.text[self.at..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if end == 0 {
            return self.error("expected the name of a file after `@`");
        }
        self.at += end;
        Ok(Some(rest[..end].to_owned()))
    }

    /// A string between quotes, if there is one.
    fn string(&mut self) -> Result<Option<String>, BlockError> {
        if !self.sign("\"") {
            return Ok(None);
        }
        let rest = &self.text.text[self.at..];
        match rest.find('"') {
            Some(end) => {
                self.at += end + 1;
                Ok(Some(rest[..end].to_owned()))
            }
            None => self.error("the name is not closed by `\"`"),
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> &'a str {
        let rest = &self.text.text[self.at..];
        let line = rest.split('\n').next().unwrap_or("");
        self.at += line.len();
        line.trim()
    }

    /// Skips this word, if it comes next.
    fn word(&mut self, word: &str) -> bool {
        let start = self.at;
        let found = self.take_word() == Some(word);
        if !found {
            self.at = start;
        }
        found
    }

    /// The next word: letters, digits, `-` and `_`.
    fn take_word(&mut self) -> Option<&'a str> {
        self.skip();
        let rest = &self.text.text[self.at..];
        let part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '-';
        let end = rest.find(|sign| !part(sign)).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then_some(&rest[..end])
    }

    /// Skips these signs, if they come next.
    fn sign(&mut self, sign: &str) -> bool {
        self.skip();
        let found = self.text.text[self.at..].starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.text.text[self.at..].chars().next()
    }

    fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    fn end(&mut self) -> Result<(), BlockError> {
        if self.is_done() { Ok(()) } else { self.error("expected the end of the block") }
    }

    /// Skips blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("--") {
                return;
            }
            self.line();
        }
    }

    fn line_number(&self) -> usize {
        let before = self.text.text[..self.at].bytes();
        self.text.line + before.filter(|&byte| byte == b'\n').count()
    }

    fn error<T>(&self, message: &str) -> Result<T, BlockError> {
        Err(BlockError { line: self.line_number(), message: message.to_owned() })
    }
}

/// A name for a case that has none: the start of what is written between the braces, or the file.
fn name_of(written: &str) -> String {
    const MOST: usize = 50;
    let written = written.trim_start_matches(['{', '@']).trim_end_matches('}').trim();
    let written = written.strip_suffix(".gz").unwrap_or(written);
    let line = written.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
