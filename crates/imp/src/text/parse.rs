//! The parser: programs, functions, types, expressions. Statements are in `parse_stm`.

use super::names::renumber_fun;
use crate::{Block, Constant, Exp, Fun, FunId, Prim, Program, RedOp, Stm, Tuning, Ty, V, VarInfo};
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_ir::text::lex::{self, Kind, Signs, Token};
use fehu_ir::text::literal;
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};
use rustc_hash::FxHashMap;
use std::fmt;

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

const SIGNS: Signs =
    &["->", "<-", "..", "(", ")", "[", "]", "{", "}", ",", ":", "=", "*", "+", "&", "$"];

/// How deeply brackets may be nested.
const MAX_DEPTH: usize = 4 * fehu_base::stack::MAX_DEPTH;
/// Texts nested deeper than this are read on a stack of their own.
const MAX_ORDINARY_DEPTH: usize = 100;

/// Reads a program; its variables are numbered as the printer does.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let error = |(line, column, message)| ParseError { line, column, message };
    let (tokens, depth) = lex::tokens(text, SIGNS).map_err(error)?;
    if depth > MAX_DEPTH {
        let message = format!("brackets are nested deeper than {MAX_DEPTH}");
        return Err(ParseError { line: 1, column: 1, message });
    }
    let work = || {
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            names: FxHashMap::default(),
            vars: Vec::new(),
            called: Vec::new(),
        };
        parser.program()
    };
    if depth > MAX_ORDINARY_DEPTH { fehu_base::stack::with_large_stack(work) } else { work() }
}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// A variable while its function is read.
struct Known {
    hint: EcoString,
    ty: Option<Ty>,
    /// The token that mentioned it first.
    at: usize,
}

pub(super) struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    names: FxHashMap<&'a str, V>,
    vars: Vec<Known>,
    /// Mentioned functions: the number of a mention stands for the function until all are known.
    called: Vec<(&'a str, usize)>,
}

impl<'a> Parser<'a> {
    fn program(&mut self) -> Parsed<Program> {
        self.word("prog")?;
        self.word("imp")?;
        let mut program = Program::default();
        if self.eat_word("sites") {
            program.sites = self.count()?;
        }
        let mut names: FxHashMap<&'a str, FunId> = FxHashMap::default();
        loop {
            if self.eat_word("tuning") {
                let name = self.string()?;
                let entries = self.parens("a string", Self::string)?;
                program.tuning.push(Tuning { name, entries });
            } else if self.eat_word("constant") {
                let fun = self.fun_name()?;
                program.consts.push(Constant { fun });
            } else if self.eat_word("removed") {
                program.funs.push(Fun {
                    name: EcoString::new(),
                    vars: IdVec::new(),
                    params: Vec::new(),
                    results: Vec::new(),
                    body: Block::new(),
                });
            } else if let device = self.eat_word("device")
                && (device || self.peek_word("fun"))
            {
                self.word("fun")?;
                let at = self.at;
                let name = self.any_word("the name of the function")?;
                let fun = self.fun(name)?;
                let id = program.funs.push(fun);
                if device {
                    program.inside.insert(id);
                }
                if names.insert(name, id).is_some() {
                    let message = format!("function `{name}` is defined twice");
                    return Err(self.error_at(at, message));
                }
            } else if self.kind() == &Kind::End {
                break;
            } else {
                return Err(self.expected("`tuning`, `constant`, `fun`, `device fun` or `removed`"));
            }
        }
        self.resolve(&mut program, &names)?;
        Ok(program)
    }

    /// Replaces mentions of functions by the functions.
    fn resolve(&self, program: &mut Program, names: &FxHashMap<&'a str, FunId>) -> Parsed<()> {
        let mut found = Vec::new();
        for (name, at) in &self.called {
            match names.get(name) {
                Some(id) => found.push(*id),
                None => return Err(self.error_at(*at, format!("there is no function `{name}`"))),
            }
        }
        let of = |mention: FunId| found[mention.0 as usize];
        program.consts.iter_mut().for_each(|constant| constant.fun = of(constant.fun));
        program.funs.values_mut().for_each(|fun| set_calls(&mut fun.body, &of));
        Ok(())
    }

    fn fun(&mut self, name: &'a str) -> Parsed<Fun> {
        self.names.clear();
        self.vars.clear();
        let params = self.parens("a parameter", Self::binding)?;
        self.sign("->")?;
        let results = self.parens("a result", Self::binding)?;
        let body = self.block()?;
        let mut vars = IdVec::new();
        for var in &self.vars {
            let Some(ty) = var.ty else {
                let name = self.tokens[var.at].kind.show();
                let message = format!("variable {name} is not declared anywhere in the function");
                return Err(self.error_at(var.at, message));
            };
            vars.push(VarInfo { hint: var.hint.clone(), ty });
        }
        let mut fun = Fun { name: name.into(), vars, params, results, body };
        renumber_fun(&mut fun);
        Ok(fun)
    }

    pub(super) fn fun_name(&mut self) -> Parsed<FunId> {
        let at = self.at;
        let name = self.any_word("the name of a function")?;
        let mention = FunId(self.called.len() as u32);
        self.called.push((name, at));
        Ok(mention)
    }

    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.sign("{")?;
        let mut block = Block::new();
        while !self.eat("}") {
            block.push(self.stm()?);
        }
        Ok(block)
    }

    /// A variable and its type.
    pub(super) fn binding(&mut self) -> Parsed<V> {
        let at = self.at;
        let var = self.var()?;
        self.sign(":")?;
        let ty = self.ty()?;
        self.bind(var, ty, at)
    }

    /// A variable that is an `i64` if nothing else is said.
    pub(super) fn counter(&mut self) -> Parsed<V> {
        let at = self.at;
        let var = self.var()?;
        let ty = if self.eat(":") { self.ty()? } else { Ty::Scalar(Prim::I64) };
        self.bind(var, ty, at)
    }

    fn bind(&mut self, var: V, ty: Ty, at: usize) -> Parsed<V> {
        let known = &mut self.vars[var.0 as usize];
        match known.ty {
            Some(before) if before != ty => {
                let name = self.tokens[at].kind.show();
                let message = format!("variable {name} was declared as {before} before");
                return Err(self.error_at(at, message));
            }
            Some(_) | None => known.ty = Some(ty),
        }
        Ok(var)
    }

    fn ty(&mut self) -> Parsed<Ty> {
        if self.eat_word("mem") {
            return Ok(Ty::Mem);
        }
        if self.eat("*") {
            return Ok(Ty::Ptr(self.prim()?));
        }
        let shared = self.eat_word("shared");
        let prim = self.prim()?;
        if !shared && !self.peek_sign("[") {
            return Ok(Ty::Scalar(prim));
        }
        self.sign("[")?;
        let size = self.small("a number of elements")?;
        self.sign("]")?;
        Ok(if shared { Ty::Shared(prim, size) } else { Ty::Local(prim, size) })
    }

    pub(super) fn prim(&mut self) -> Parsed<Prim> {
        let prim = match self.kind() {
            Kind::Word(word) => Prim::from_name(word),
            Kind::Number(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => None,
        };
        let Some(prim) = prim else { return Err(self.expected("a type")) };
        self.at += 1;
        Ok(prim)
    }

    pub(super) fn red_op(&mut self) -> Parsed<RedOp> {
        let op = match self.kind() {
            Kind::Word(word) => RedOp::from_name(word),
            Kind::Number(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => None,
        };
        let Some(op) = op else { return Err(self.expected("an operator like `add` or `min`")) };
        self.at += 1;
        Ok(op)
    }

    pub(super) fn var(&mut self) -> Parsed<V> {
        let Kind::Word(name) = self.kind() else { return Err(self.expected("a variable")) };
        if name.starts_with('-') || matches!(*name, "true" | "false") {
            return Err(self.expected("a variable"));
        }
        let next = V(self.vars.len() as u32);
        let var = *self.names.entry(name).or_insert(next);
        if var == next {
            let hint = without_number(name).into();
            self.vars.push(Known { hint, ty: None, at: self.at });
        }
        self.at += 1;
        Ok(var)
    }

    /// `p[index]`
    pub(super) fn place(&mut self) -> Parsed<(V, Exp)> {
        let var = self.var()?;
        self.sign("[")?;
        let index = self.exp()?;
        self.sign("]")?;
        Ok((var, index))
    }

    pub(super) fn exp(&mut self) -> Parsed<Exp> {
        if let Some(value) = self.literal()? {
            return Ok(Exp::Const(value));
        }
        if self.eat("(") {
            return self.index();
        }
        let Kind::Word(word) = self.kind() else { return Err(self.expected("an expression")) };
        if matches!(self.kind_at(1), Kind::Sign("(")) {
            return self.application(word);
        }
        let var = self.var()?;
        if !self.eat("[") {
            return Ok(Exp::Var(var));
        }
        let index = self.exp()?;
        self.sign("]")?;
        Ok(Exp::Load(var, Box::new(index)))
    }

    /// An operator, a function, a conversion, a choice: a word before a parenthesis.
    fn application(&mut self, word: &str) -> Parsed<Exp> {
        let at = self.at;
        self.at += 1;
        let mut args = self.parens("an operand", Self::exp)?;
        let count = args.len();
        let wrong = |operands: usize| {
            let s = if operands == 1 { "" } else { "s" };
            self.error_at(at, format!("`{word}` has {operands} operand{s}, not {count}"))
        };
        let mut next = || Box::new(args.remove(0));
        if word == "select" {
            return match <[Exp; 3]>::try_from(args) {
                Ok(parts) => Ok(Exp::Select(Box::new(parts))),
                Err(_) => Err(wrong(3)),
            };
        }
        let parts = word.rsplit_once('_').and_then(|(op, to)| Some((op, Prim::from_name(to)?)));
        let Some((name, prim)) = parts else {
            let what = "`select` or an operator with a type, as in `add_i64`";
            return Err(self.error_at(at, format!("expected {what}, found `{word}`")));
        };
        let from = |suffix| name.strip_suffix(suffix).and_then(Prim::from_name);
        if let Some(op) = UnOp::from_name(name) {
            return if count == 1 { Ok(Exp::Un(op, prim, next())) } else { Err(wrong(1)) };
        }
        if let Some(op) = BinOp::from_name(name) {
            return if count == 2 { Ok(Exp::Bin(op, prim, next(), next())) } else { Err(wrong(2)) };
        }
        if let Some(op) = CmpOp::from_name(name) {
            return if count == 2 { Ok(Exp::Cmp(op, prim, next(), next())) } else { Err(wrong(2)) };
        }
        if let Some(from) = from("_to") {
            return if count == 1 { Ok(Exp::Convert(from, prim, next())) } else { Err(wrong(1)) };
        }
        if let Some(from) = from("_bits") {
            return if count == 1 {
                Ok(Exp::Reinterpret(from, prim, next()))
            } else {
                Err(wrong(1))
            };
        }
        if let Some(function) = MathFn::from_name(name) {
            let arity = function.arity();
            return if count == arity {
                Ok(Exp::Math(function, prim, args))
            } else {
                Err(wrong(arity))
            };
        }
        Err(self.error_at(at, format!("there is no operator `{name}`")))
    }

    /// A sum of products, after its parenthesis.
    fn index(&mut self) -> Parsed<Exp> {
        let mut terms = Vec::new();
        if self.eat("+") {
            self.sign(")")?;
            return Ok(Exp::Index(terms));
        }
        loop {
            let (factor, mut vars) = match self.kind() {
                Kind::Number(_) => (self.integer("a number")?, Vec::new()),
                Kind::Word(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => {
                    (1, vec![self.var()?])
                }
            };
            while self.eat("*") {
                vars.push(self.var()?);
            }
            terms.push((factor, vars));
            if self.eat(")") {
                return Ok(Exp::Index(terms));
            }
            if !self.eat("+") {
                return Err(self.expected("`*`, `+` or `)`"));
            }
        }
    }

    /// A constant scalar, if there is one.
    pub(super) fn literal(&mut self) -> Parsed<Option<Scalar>> {
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

    /// An `i64`.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<i64> {
        let number = match self.kind() {
            Kind::Number(text) => text.parse().ok(),
            Kind::Word(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => None,
        };
        let Some(number) = number else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(number)
    }

    pub(super) fn small(&mut self, what: &str) -> Parsed<u32> {
        let at = self.at;
        let number = self.integer(what)?;
        u32::try_from(number).map_err(|_| self.error_at(at, format!("`{number}` is not {what}")))
    }

    pub(super) fn count(&mut self) -> Parsed<usize> {
        self.small("a number").map(|number| number as usize)
    }

    pub(super) fn string(&mut self) -> Parsed<EcoString> {
        let Kind::String(text) = self.kind() else { return Err(self.expected("a string")) };
        let text = EcoString::from(text.as_str());
        self.at += 1;
        Ok(text)
    }

    pub(super) fn parens<T>(
        &mut self,
        what: &str,
        each: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.sign("(")?;
        self.list(")", what, each)
    }

    /// Items with commas between them, up to and including the closing sign.
    pub(super) fn list<T>(
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

    pub(super) fn kind(&self) -> &'a Kind<'a> {
        self.kind_at(0)
    }

    pub(super) fn kind_at(&self, ahead: usize) -> &'a Kind<'a> {
        self.tokens.get(self.at + ahead).map_or(&Kind::End, |token| &token.kind)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn peek_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if *found == sign)
    }

    pub(super) fn peek_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(found) if *found == word)
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn any_word(&mut self, what: &str) -> Parsed<&'a str> {
        let Kind::Word(word) = self.kind() else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(word)
    }

    pub(super) fn expected(&self, what: &str) -> ParseError {
        self.error(format!("expected {what}, found {}", self.kind().show()))
    }

    fn error(&self, message: String) -> ParseError {
        self.error_at(self.at, message)
    }

    /// About the token that was read last.
    pub(super) fn error_before(&self, message: String) -> ParseError {
        self.error_at(self.at.saturating_sub(1), message)
    }

    fn error_at(&self, at: usize, message: String) -> ParseError {
        let token = self.tokens.get(at).or(self.tokens.last());
        let (line, column) = token.map_or((1, 1), |token| (token.line, token.column));
        ParseError { line, column, message }
    }
}

/// A name without the number behind its last point.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((hint, number))
            if !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && !hint.is_empty() =>
        {
            hint
        }
        Some(_) | None => name,
    }
}

fn set_calls(block: &mut Block, of: &dyn Fn(FunId) -> FunId) {
    for stm in block {
        if let Stm::Call(fun, ..) = stm {
            *fun = of(*fun);
        }
        stm.each_block_mut(&mut |inner| set_calls(inner, of));
    }
}
