//! What a program needs of a library, judged by words alone.
//!
//! A program of a few lines uses little of a library of thousands, and reading and checking all of it would take most
//! of the time. [`Names`] are words; [`Names::close`] adds those of every definition that they may refer to, as
//! [`Outline`] knows them without a tree. A word may be anything, a local variable or a field, so this is more than the
//! program needs, but never less: whoever uses a definition writes its name, and that of the module that it is in.
//!
//! - [`crate::parse_needed`] leaves out what has another name and a module type that says what it is;
//! - the checker does not look at definitions with other names, where their types are declared.

use crate::lexer::{is_operator_start, lex};
use crate::token::{Token, TokenKind};
use ecow::EcoString;
use fehu_base::FileId;
use fehu_base::id::Id;
use rustc_hash::FxHashSet;

/// Words of programs.
#[derive(Clone, Debug, Default)]
pub struct Names(FxHashSet<EcoString>);

impl Names {
    /// Whether a word is among them.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// Adds all words of a text.
    pub fn mention(&mut self, text: &str) {
        for token in lex(FileId::from_index(0), text, &mut Vec::new()).tokens {
            each_word(text, token, |word| _ = self.0.insert(word.into()));
        }
    }

    /// Adds all words of definitions whose names are among them, and of those whose names are among these, and so on.
    pub fn close(&mut self, outline: &Outline<'_>) {
        let mut taken = vec![false; outline.pieces.len()];
        let mut more = true;
        while more {
            more = false;
            for (index, piece) in outline.pieces.iter().enumerate() {
                let reached = piece.inside.is_none_or(|module| taken[module])
                    && piece.name.is_none_or(|name| self.contains(name));
                if reached && !taken[index] {
                    taken[index] = true;
                    more = true;
                    self.0.extend(piece.words.iter().map(|word| EcoString::from(*word)));
                }
            }
        }
    }
}

/// The declarations of texts, and the words in each.
#[derive(Debug, Default)]
pub struct Outline<'a> {
    pieces: Vec<Piece<'a>>,
}

/// A declaration. That of a module has what comes before its body; module types, which mention no values, have no pieces.
#[derive(Debug)]
struct Piece<'a> {
    /// The module that it is in.
    inside: Option<usize>,
    /// What it declares; nothing if it has no name of its own.
    name: Option<&'a str>,
    words: Vec<&'a str>,
}

/// A module whose body has begun.
struct Open {
    piece: usize,
    /// How many braces were open before.
    depth: usize,
}

impl<'a> Outline<'a> {
    /// Adds a text that is known to be right.
    pub fn add(&mut self, text: &'a str) {
        let tokens = lex(FileId::from_index(0), text, &mut Vec::new()).tokens;
        let mut modules: Vec<Open> = Vec::new();
        let mut depth = 0;
        // The declaration that we are in, and whether it is that of a module.
        let mut present: Option<(usize, bool)> = None;
        for (at, token) in tokens.iter().enumerate() {
            let body = modules.last().map_or(0, |module| module.depth + 1);
            let before = at.checked_sub(1).map(|before| tokens[before].kind);
            // `local def`, `module type` and `open import` begin one declaration.
            if depth == body && starts(token.kind) && !before.is_some_and(starts) {
                let kinds = kinds(&tokens[at..]);
                let is_type = kinds == [TokenKind::Module, TokenKind::Type];
                present = (!is_type).then_some((self.pieces.len(), kinds[0] == TokenKind::Module));
                if present.is_some() {
                    let inside = modules.last().map(|module| module.piece);
                    let name = declared(text, &tokens[at..]);
                    self.pieces.push(Piece { inside, name, words: Vec::new() });
                }
            }
            if token.kind == TokenKind::LBrace {
                if let Some((piece, true)) = present
                    && depth == body
                    && before == Some(TokenKind::Equals)
                {
                    modules.push(Open { piece, depth });
                }
                depth += 1;
            } else if token.kind == TokenKind::RBrace {
                if depth == body {
                    modules.pop();
                    present = None;
                }
                depth = depth.saturating_sub(1);
            }
            if let Some((piece, _)) = present {
                each_word(text, *token, |word| self.pieces[piece].words.push(word));
            }
        }
    }
}

/// Whether a declaration begins with this, in a text that is known to be right.
fn starts(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Def
            | TokenKind::Entry
            | TokenKind::Type
            | TokenKind::Module
            | TokenKind::Open
            | TokenKind::Import
            | TokenKind::Local
    )
}

/// The first two kinds of tokens of a declaration, without `local`.
fn kinds(tokens: &[Token]) -> [TokenKind; 2] {
    let mut kinds = tokens.iter().map(|token| token.kind).skip_while(|k| *k == TokenKind::Local);
    [(); 2].map(|()| kinds.next().unwrap_or(TokenKind::Eof))
}

/// What a declaration declares, from its first token on. A function that is defined in infix form has no name here, and
/// so is always needed.
pub(crate) fn declared<'a>(text: &'a str, tokens: &[Token]) -> Option<&'a str> {
    let first = tokens.iter().position(|token| token.kind != TokenKind::Local)?;
    let names = [TokenKind::Def, TokenKind::Entry, TokenKind::Type, TokenKind::Module];
    if !names.contains(&tokens[first].kind) {
        return None;
    }
    let operators = [TokenKind::Op, TokenKind::Minus, TokenKind::Bang, TokenKind::Backtick];
    let [_, second, third, fourth, ..] = tokens[first..] else { return None };
    let infix = operators.contains(&third.kind);
    let name = if second.kind == TokenKind::Ident && !infix {
        second
    } else if second.kind == TokenKind::LParen && infix && fourth.kind == TokenKind::RParen {
        third
    } else {
        return None;
    };
    Some(&text[name.start as usize..name.end as usize])
}

/// Names and operators.
fn each_word<'a>(text: &'a str, token: Token, mut take: impl FnMut(&'a str)) {
    let word = &text[token.start as usize..token.end as usize];
    if [TokenKind::Ident, TokenKind::Op, TokenKind::Minus, TokenKind::Bang].contains(&token.kind) {
        take(word);
    } else if token.kind == TokenKind::QualOp {
        // `m.n.+`: an operator may have dots, too, but begins with something else.
        let operator = word.bytes().position(is_operator_start).unwrap_or(word.len());
        let (modules, operator) = word.split_at(operator);
        modules.split('.').for_each(&mut take);
        take(operator);
    }
}
