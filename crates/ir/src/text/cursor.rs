//! A place in a text that is being read, and what all text forms have in common: signs, words, numbers, strings, scalars,
//! lists, and the variables of a function.
//!
//! A parser has a [`Cursor`] and lends it by `Deref`, so that what is here looks like methods of the parser. Those that
//! take a part of the parser as an argument are in [`Lists`].

use super::lex::{self, Kind, Signs, Token};
use super::literal;
use crate::Scalar;
use ecow::EcoString;
use fehu_base::Prim;
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::DerefMut;

/// Why a text is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// What was read, or why it could not be.
pub type Parsed<T> = Result<T, ParseError>;

/// How deeply brackets may be nested.
const MAX_DEPTH: usize = 4 * fehu_base::stack::MAX_DEPTH;
/// Texts nested deeper than this are read on a stack of their own.
const MAX_ORDINARY_DEPTH: usize = 100;

/// Reads a text that has these signs.
pub fn read<T: Send>(
    text: &str,
    signs: Signs,
    work: impl FnOnce(Cursor<'_>) -> Parsed<T> + Send,
) -> Parsed<T> {
    let error = |(line, column, message)| ParseError { line, column, message };
    let (tokens, depth) = lex::tokens(text, signs).map_err(error)?;
    if depth > MAX_DEPTH {
        let message = format!("brackets are nested deeper than {MAX_DEPTH}");
        return Err(ParseError { line: 1, column: 1, message });
    }
    let work = || work(Cursor { tokens: &tokens, at: 0 });
    if depth > MAX_ORDINARY_DEPTH { fehu_base::stack::with_large_stack(work) } else { work() }
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next token.
    pub fn kind(&self) -> &'a Kind<'a> {
        self.kind_at(0)
    }

    /// The token after so many others.
    pub fn kind_at(&self, ahead: usize) -> &'a Kind<'a> {
        self.tokens.get(self.at + ahead).map_or(&Kind::End, |token| &token.kind)
    }

    /// Goes on by one token.
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// The number of the next token.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a token.
    pub fn retreat(&mut self, position: usize) {
        self.at = position;
    }

    /// Whether this sign is next.
    pub fn peek_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if *found == sign)
    }

    /// Whether this word is next.
    pub fn peek_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(found) if *found == word)
    }

    /// Reads the sign if it is next; whether it was.
    pub fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek_sign(sign);
        self.at += usize::from(found);
        found
    }

    /// Reads the word if it is next; whether it was.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        self.at += usize::from(found);
        found
    }

    /// This sign.
    pub fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// This word.
    pub fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// A word; what it stands for is for messages.
    pub fn any_word(&mut self, what: &str) -> Parsed<&'a str> {
        let Kind::Word(word) = self.kind() else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(word)
    }

    /// A word that is the name of something.
    pub fn named<T>(&mut self, what: &str, find: impl FnOnce(&str) -> Option<T>) -> Parsed<T> {
        let found = match self.kind() {
            Kind::Word(word) => find(word),
            Kind::Number(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => None,
        };
        let Some(found) = found else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(found)
    }

    /// A type of numbers, or `bool`.
    pub fn prim(&mut self) -> Parsed<Prim> {
        self.named("a type", Prim::from_name)
    }

    /// A string.
    pub fn string(&mut self) -> Parsed<EcoString> {
        let Kind::String(text) = self.kind() else { return Err(self.expected("a string")) };
        let text = EcoString::from(text.as_str());
        self.at += 1;
        Ok(text)
    }

    /// A number without a type.
    pub fn integer(&mut self, what: &str) -> Parsed<i64> {
        let number = match self.kind() {
            Kind::Number(text) => text.parse().ok(),
            Kind::Word(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => None,
        };
        let Some(number) = number else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(number)
    }

    /// A small number without a type.
    pub fn small(&mut self, what: &str) -> Parsed<u32> {
        let at = self.at;
        let number = self.integer(what)?;
        u32::try_from(number).map_err(|_| self.error_at(at, format!("`{number}` is not {what}")))
    }

    /// How many, or which one.
    pub fn count(&mut self) -> Parsed<usize> {
        self.small("a number").map(|number| number as usize)
    }

    /// A constant scalar, if there is one.
    pub fn literal(&mut self) -> Parsed<Option<Scalar>> {
        let value = match self.kind() {
            Kind::Number(text) => match literal::number(text) {
                Ok(value) => value,
                Err(message) => return Err(self.error(message)),
            },
            Kind::Word(word) => match *word {
                "true" => Scalar::Bool(true),
                "false" => Scalar::Bool(false),
                _ => match literal::special_from_word(word) {
                    Some(value) => value,
                    None => return self.bits(),
                },
            },
            Kind::Sign("(") if matches!(self.kind_at(1), Kind::Sign(")")) => {
                self.at += 1;
                Scalar::Unit
            }
            Kind::Sign(_) | Kind::String(_) | Kind::End => return Ok(None),
        };
        self.at += 1;
        Ok(Some(value))
    }

    /// `f32.bits(0x7fc00001)`
    fn bits(&mut self) -> Parsed<Option<Scalar>> {
        let Kind::Word(word) = self.kind() else { return Ok(None) };
        let prim = word.strip_suffix(".bits").and_then(Prim::from_name).filter(|p| p.is_float());
        let Some(prim) = prim else { return Ok(None) };
        self.at += 1;
        self.sign("(")?;
        let value = match self.kind() {
            Kind::Number(text) => literal::bits(prim, text),
            Kind::Word(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => None,
        };
        let Some(value) = value else {
            return Err(self.expected("the bits as a hexadecimal number that fits"));
        };
        self.at += 1;
        self.sign(")")?;
        Ok(Some(value))
    }

    /// Something else than the next token should be here.
    pub fn expected(&self, what: &str) -> ParseError {
        self.error(format!("expected {what}, found {}", self.kind().show()))
    }

    /// About the next token.
    pub fn error(&self, message: String) -> ParseError {
        self.error_at(self.at, message)
    }

    /// About the token that was read last.
    pub fn error_before(&self, message: String) -> ParseError {
        self.error_at(self.at.saturating_sub(1), message)
    }

    /// About a token, by its number.
    pub fn error_at(&self, at: usize, message: String) -> ParseError {
        let token = self.tokens.get(at).or(self.tokens.last());
        let (line, column) = token.map_or((1, 1), |token| (token.line, token.column));
        ParseError { line, column, message }
    }

    /// The text of a token in a message.
    pub fn shown(&self, at: usize) -> String {
        self.tokens.get(at).map_or(String::new(), |token| token.kind.show())
    }
}

/// Lists of what a parser reads.
pub trait Lists<'a>: DerefMut<Target = Cursor<'a>> {
    /// Items in parentheses, with commas between them.
    fn parens<T>(
        &mut self,
        what: &str,
        each: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.sign("(")?;
        self.list(")", what, each)
    }

    /// Items with commas between them, up to and including the closing sign.
    fn list<T>(
        &mut self,
        close: &'static str,
        what: &str,
        mut each: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            if self.peek_sign(close) {
                return Err(self.expected(what));
            }
            items.push(each(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }
}

impl<'a, P: DerefMut<Target = Cursor<'a>>> Lists<'a> for P {}

/// The variables of a function that is being read: a name stands for one variable in the whole function, and its type
/// becomes known where it is bound.
#[derive(Debug)]
pub struct Names<'a, T> {
    numbers: FxHashMap<&'a str, u32>,
    /// The token that mentioned each one first, its name, and its type.
    known: Vec<(usize, &'a str, Option<T>)>,
}

impl<T> Default for Names<'_, T> {
    fn default() -> Self {
        Names { numbers: FxHashMap::default(), known: Vec::new() }
    }
}

impl<'a, T: PartialEq + Clone> Names<'a, T> {
    /// The number of the variable that comes next.
    pub fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<u32> {
        let at = cursor.position();
        let Kind::Word(name) = cursor.kind() else { return Err(cursor.expected("a variable")) };
        if name.starts_with('-') || matches!(*name, "true" | "false") {
            return Err(cursor.expected("a variable"));
        }
        let next = self.known.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.known.push((at, name, None));
        }
        cursor.advance();
        Ok(number)
    }

    /// Binds a variable; its type, if it has another one already.
    pub fn bind(&mut self, number: u32, ty: T) -> Result<(), T> {
        let known = &mut self.known[number as usize].2;
        match known {
            Some(before) if *before != ty => return Err(before.clone()),
            Some(_) | None => *known = Some(ty),
        }
        Ok(())
    }

    /// All variables by number: where they were first mentioned, their names and types.
    pub fn known(&self) -> &[(usize, &'a str, Option<T>)] {
        &self.known
    }
}
