//! The grammar of scripts.

use super::lexer::Lexer;
use super::{Exp, Name, Shape};
use std::fmt;

/// Reads an expression.
pub fn parse(text: &str) -> Result<Exp, SyntaxError> {
    let mut parser = Parser { lexer: Lexer::new(text), depth: 0 };
    let exp = parser.exp()?;
    match parser.lexer.peek() {
        None => Ok(exp),
        Some(sign) => parser.lexer.error(&format!("expected the end, found `{sign}`")),
    }
}

/// Text that is no expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The line of the script, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the script: {}", self.line, self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// No sensible script is nested deeper, and the stack is safe.
const MAX_DEPTH: usize = 200;

struct Parser<'a> {
    lexer: Lexer<'a>,
    depth: usize,
}

/// Something that may be an argument.
enum Atom {
    /// A name that stands for itself: it can be applied to arguments.
    Function(Name),
    /// Anything else.
    Exp(Exp),
}

impl Atom {
    fn exp(self) -> Exp {
        match self {
            Atom::Function(name) => Exp::Call(name, Vec::new()),
            Atom::Exp(exp) => exp,
        }
    }
}

type Res<T> = Result<T, SyntaxError>;

impl Parser<'_> {
    fn exp(&mut self) -> Res<Exp> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.lexer.error("the script is nested too deeply");
        }
        let exp = self.exp_inside();
        self.depth -= 1;
        exp
    }

    fn exp_inside(&mut self) -> Res<Exp> {
        if self.lexer.keyword("let") {
            let (names, shape) = self.pattern()?;
            self.lexer.expect('=')?;
            let bound = self.exp()?;
            // Between two bindings there is no need for a word.
            if !self.lexer.keyword("in") && !self.lexer.next_is("let") {
                return self.lexer.error("expected `in`");
            }
            let body = self.exp()?;
            return Ok(Exp::Let(names, shape, Box::new(bound), Box::new(body)));
        }
        match self.atom()? {
            Some(Atom::Function(name)) => {
                let mut args = Vec::new();
                while let Some(arg) = self.atom()? {
                    args.push(arg.exp());
                }
                Ok(Exp::Call(name, args))
            }
            Some(Atom::Exp(exp)) => Ok(exp),
            None => self.lexer.error("expected an expression"),
        }
    }

    fn pattern(&mut self) -> Res<(Vec<String>, Shape)> {
        if !self.lexer.sign('(') {
            return Ok((vec![self.name()?], Shape::Whole));
        }
        let names = self.list(')', Parser::name)?;
        let shape = if names.len() == 1 { Shape::Whole } else { Shape::Tuple };
        Ok((names, shape))
    }

    fn name(&mut self) -> Res<String> {
        match self.lexer.name() {
            Some(name) => Ok(name.to_owned()),
            None => self.lexer.error("expected a name"),
        }
    }

    /// An atom with the fields and elements taken of it, if one comes next.
    fn atom(&mut self) -> Res<Option<Atom>> {
        let Some(mut atom) = self.bare_atom()? else { return Ok(None) };
        let mut depth = self.depth;
        loop {
            // A chain is as deep as it is long.
            depth += 1;
            if depth > MAX_DEPTH {
                return self.lexer.error("the script is nested too deeply");
            }
            match self.lexer.here() {
                Some('.') => {
                    self.lexer.expect('.')?;
                    let field = self.lexer.field()?.to_owned();
                    atom = Atom::Exp(Exp::Field(Box::new(atom.exp()), field));
                }
                Some('[') => {
                    self.lexer.expect('[')?;
                    let indices = self.list(']', Parser::exp)?;
                    atom = Atom::Exp(Exp::Index(Box::new(atom.exp()), indices));
                }
                _ => return Ok(Some(atom)),
            }
        }
    }

    fn bare_atom(&mut self) -> Res<Option<Atom>> {
        if let Some(literal) = self.lexer.literal()? {
            return Ok(Some(Atom::Exp(literal)));
        }
        if let Some(name) = self.lexer.name() {
            return Ok(Some(Atom::Function(Name::Plain(name.to_owned()))));
        }
        if self.lexer.sign('$') {
            return Ok(Some(Atom::Function(Name::Builtin(self.name()?))));
        }
        let exp = if self.lexer.sign('"') {
            Exp::String(self.lexer.string()?)
        } else if self.lexer.sign('(') {
            let mut parts = self.list(')', Parser::exp)?;
            match parts.pop() {
                Some(only) if parts.is_empty() => only,
                last => {
                    parts.extend(last);
                    Exp::Tuple(parts)
                }
            }
        } else if self.lexer.sign('[') {
            let elements = self.list(']', Parser::exp)?;
            if elements.is_empty() {
                return self.lexer.error("write an empty array as `empty([0]i32)`");
            }
            Exp::Array(elements)
        } else if self.lexer.sign('{') {
            Exp::Record(self.list('}', Parser::field)?)
        } else {
            return Ok(None);
        };
        Ok(Some(Atom::Exp(exp)))
    }

    fn field(&mut self) -> Res<(String, Exp)> {
        let name = self.name()?;
        self.lexer.expect('=')?;
        Ok((name, self.exp()?))
    }

    /// Things with commas between them, and perhaps after the last, up to a closing sign.
    fn list<T>(&mut self, close: char, mut part: impl FnMut(&mut Self) -> Res<T>) -> Res<Vec<T>> {
        let mut parts = Vec::new();
        while !self.lexer.sign(close) {
            parts.push(part(self)?);
            if !self.lexer.sign(',') {
                self.lexer.expect(close)?;
                break;
            }
        }
        Ok(parts)
    }
}
