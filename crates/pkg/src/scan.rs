//! The words of manifests and of our own files, which are written in the same way: words, braces, and comments (`-- …`).

use crate::{Error, PackagePath, Result, Version};

/// A piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    /// Anything else, up to the next blank, brace or `#`.
    Word(&'a str),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `#`
    Hash,
    /// A comment, from `--` to the end of the line.
    Comment(&'a str),
    /// The end of the file.
    End,
}

/// Reads words, one after the other.
pub(crate) struct Scanner<'a> {
    /// The name of the file, for messages.
    file: &'a str,
    text: &'a str,
    /// The token that is next, where it starts, and where it ends.
    next: Token<'a>,
    start: usize,
    end: usize,
    /// The line on which the last token that was taken ended.
    line: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> Scanner<'a> {
        let mut scanner = Scanner { file, text, next: Token::End, start: 0, end: 0, line: 0 };
        scanner.advance();
        scanner.line = 0;
        scanner
    }

    /// The next token, which stays.
    pub(crate) fn peek(&self) -> Token<'a> {
        self.next
    }

    /// The next token, which is taken.
    pub(crate) fn take(&mut self) -> Token<'a> {
        let token = self.next;
        self.advance();
        token
    }

    /// Takes a word if it is this one.
    pub(crate) fn takes(&mut self, word: Token<'_>) -> bool {
        let found = self.next == word;
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token that has to be there.
    pub(crate) fn expect(&mut self, token: Token<'_>, what: &str) -> Result<()> {
        if self.takes(token) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    /// Takes a word.
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.next {
            Token::Word(word) => {
                self.advance();
                Ok(word)
            }
            Token::Open | Token::Close | Token::Hash | Token::Comment(_) | Token::End => {
                Err(self.unexpected(what))
            }
        }
    }

    /// Takes comments.
    pub(crate) fn comments(&mut self) -> Vec<String> {
        let mut comments = Vec::new();
        while let Token::Comment(text) = self.next {
            comments.push(text.trim_end().to_owned());
            self.advance();
        }
        comments
    }

    /// Takes a comment on the same line as what was taken last.
    pub(crate) fn comment_beside(&mut self) -> Option<String> {
        if let Token::Comment(text) = self.next
            && self.line_of(self.start) == self.line
        {
            self.advance();
            return Some(text.trim_end().to_owned());
        }
        None
    }

    /// Takes the name of a package.
    pub(crate) fn path(&mut self) -> Result<PackagePath> {
        let at = self.start;
        let word = self.word("the path of a package, such as github.com/diku-dk/sorts")?;
        PackagePath::parse(word).map_err(|why| self.error(at, &why))
    }

    /// Takes a version.
    pub(crate) fn version(&mut self) -> Result<Version> {
        const WHAT: &str = "a version, such as 1.2.3";
        let at = self.start;
        let word = self.word(WHAT)?;
        Version::parse(word)
            .ok_or_else(|| self.error(at, &format!("expected {WHAT}, but found \"{word}\"")))
    }

    /// Takes `#COMMIT`, if it is there.
    pub(crate) fn commit(&mut self) -> Result<Option<String>> {
        if !self.takes(Token::Hash) {
            return Ok(None);
        }
        const WHAT: &str = "a commit, in hexadecimal digits";
        let at = self.start;
        let word = self.word(WHAT)?;
        match crate::version::is_commit(word) {
            true => Ok(Some(word.to_ascii_lowercase())),
            false => Err(self.error(at, &format!("expected {WHAT}, but found \"{word}\""))),
        }
    }

    /// The error that something else is next.
    pub(crate) fn unexpected(&self, what: &str) -> Error {
        let found = match self.next {
            Token::Word(word) => format!("\"{word}\""),
            Token::Open => "\"{\"".to_owned(),
            Token::Close => "\"}\"".to_owned(),
            Token::Hash => "\"#\"".to_owned(),
            Token::Comment(_) => "a comment".to_owned(),
            Token::End => "the end of the file".to_owned(),
        };
        self.error(self.start, &format!("expected {what}, but found {found}"))
    }

    /// Where the next token is.
    pub(crate) fn position(&self) -> usize {
        self.start
    }

    /// An error at a position.
    pub(crate) fn error(&self, at: usize, message: &str) -> Error {
        let before = &self.text[..at];
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Error::new(format!("{}:{}:{column}: {message}", self.file, self.line_of(at)))
    }

    fn line_of(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    fn advance(&mut self) {
        self.line = self.line_of(self.end);
        let rest = &self.text[self.end..];
        self.start = self.end + (rest.len() - rest.trim_start().len());
        let rest = &self.text[self.start..];
        let (token, length) = if rest.starts_with("--") {
            let line = rest.split('\n').next().unwrap_or(rest);
            (Token::Comment(line), line.len())
        } else {
            match rest.chars().next() {
                None => (Token::End, 0),
                Some('{') => (Token::Open, 1),
                Some('}') => (Token::Close, 1),
                Some('#') => (Token::Hash, 1),
                Some(_) => {
                    let stop = |c: char| c.is_whitespace() || "{}#".contains(c);
                    let word = &rest[..rest.find(stop).unwrap_or(rest.len())];
                    (Token::Word(word), word.len())
                }
            }
        };
        (self.next, self.end) = (token, self.start + length);
    }
}
