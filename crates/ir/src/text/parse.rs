//! The parser: programs, functions, bodies, statements, types. Expressions are in `parse_exp`.

use super::lex::{self, Kind, Token};
use super::literal;
use super::names::{rename_entry, renumber, renumber_fun, without_number};
use crate::{
    Atom, Attr, Body, Check, CheckPart, Const, ConstId, Elem, Entry, Fun, FunId, Lambda, Loc,
    Param, Prog, Scalar, Stage, Stm, Type, Var, VarInfo,
};
use ecow::EcoString;
use fehu_base::{IdVec, Prim};
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

/// How deeply brackets may be nested.
const MAX_DEPTH: usize = 4 * fehu_base::stack::MAX_DEPTH;
/// Texts nested deeper than this are read on a stack of their own.
const MAX_ORDINARY_DEPTH: usize = 100;

/// Reads a program; its variables are numbered as the printer does.
pub fn parse(text: &str) -> Result<Prog, ParseError> {
    let error = |(line, column, message)| ParseError { line, column, message };
    let (tokens, depth) = lex::tokens(text, lex::SIGNS).map_err(error)?;
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
            funs: Globals::default(),
            consts: Globals::default(),
        };
        parser.prog()
    };
    if depth > MAX_ORDINARY_DEPTH { fehu_base::stack::with_large_stack(work) } else { work() }
}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// Functions or constants: numbered when they are first mentioned, and put in order at the end.
#[derive(Default)]
struct Globals<'a> {
    ids: FxHashMap<&'a str, u32>,
    /// Where each one was first mentioned, and as what it was defined.
    mentions: Vec<(usize, Option<u32>)>,
    defined: u32,
}

impl<'a> Globals<'a> {
    fn id(&mut self, name: &'a str, at: usize) -> u32 {
        let next = self.mentions.len() as u32;
        let id = *self.ids.entry(name).or_insert(next);
        if id == next {
            self.mentions.push((at, None));
        }
        id
    }

    /// Whether it was not defined before.
    fn define(&mut self, name: &'a str, at: usize) -> bool {
        let id = self.id(name, at) as usize;
        let new = self.mentions[id].1.is_none();
        self.mentions[id].1.get_or_insert(self.defined);
        self.defined += 1;
        new
    }
}

/// A variable while its function is read.
struct Known {
    hint: EcoString,
    ty: Option<Type>,
    /// The token that mentioned it first.
    at: usize,
}

pub(super) struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    names: FxHashMap<&'a str, Var>,
    vars: Vec<Known>,
    funs: Globals<'a>,
    consts: Globals<'a>,
}

impl<'a> Parser<'a> {
    fn prog(&mut self) -> Parsed<Prog> {
        self.word("prog")?;
        let name = self.any_word("a stage")?;
        let Some(stage) = Stage::ALL.iter().copied().find(|s| s.name() == name) else {
            return Err(self.error_before(format!("there is no stage `{name}`")));
        };
        let mut prog =
            Prog { stage, consts: IdVec::new(), funs: IdVec::new(), entries: Vec::new() };
        let mut fun_names: Vec<FxHashMap<&'a str, Var>> = Vec::new();
        let mut entries = Vec::new();
        loop {
            self.names.clear();
            self.vars.clear();
            if self.peek_word("const") {
                let item = self.constant()?;
                prog.consts.push(item);
            } else if self.peek_word("fun") || self.peek_sign("#[") {
                let (fun, names) = self.fun()?;
                prog.funs.push(fun);
                fun_names.push(names);
            } else if self.peek_word("entry") {
                // The sizes in its types are variables of the function, which may come later.
                let (entry, names) = self.entry()?;
                entries.push((entry, names, self.at));
            } else if self.kind() == &Kind::End {
                break;
            } else {
                return Err(self.expected("`const`, `fun` or `entry`"));
            }
        }
        let funs = self.resolve(&self.funs, "function")?;
        let consts = self.resolve(&self.consts, "constant")?;
        let mut globals = SetGlobals { funs: &funs, consts: &consts };
        for index in 0..prog.funs.len() {
            let fun = &mut prog.funs[FunId(index as u32)];
            crate::visit::VisitMut::body(&mut globals, &mut fun.body);
        }
        for index in 0..prog.consts.len() {
            let item = &mut prog.consts[ConstId(index as u32)];
            crate::visit::VisitMut::body(&mut globals, &mut item.body);
        }
        for (mut entry, names, at) in entries {
            entry.fun = FunId(funs[entry.fun.0 as usize]);
            let known = &fun_names[entry.fun.0 as usize];
            let mut map = FxHashMap::default();
            for (name, var, first) in names {
                let Some(new) = known.get(name) else {
                    self.at = first.min(at);
                    return Err(self.error(format!("the function has no variable `{name}`")));
                };
                map.insert(var, *new);
            }
            rename_entry(&mut entry, &map);
            prog.entries.push(entry);
        }
        Ok(renumber(&prog))
    }

    /// From the order of first mention to that of definition.
    fn resolve(&self, globals: &Globals, what: &str) -> Parsed<Vec<u32>> {
        let mut order = Vec::new();
        for (at, defined) in &globals.mentions {
            match defined {
                Some(id) => order.push(*id),
                None => {
                    let name = self.tokens.get(*at).map_or(String::new(), |t| t.kind.show());
                    return Err(self.error_at(*at, format!("there is no {what} {name}")));
                }
            }
        }
        Ok(order)
    }

    fn constant(&mut self) -> Parsed<Const> {
        self.word("const")?;
        let at = self.at;
        let name = self.any_word("the name of the constant")?;
        if !self.consts.define(name, at) {
            return Err(self.error_at(at, format!("constant `{name}` is defined twice")));
        }
        self.sign("->")?;
        let results = self.bindings()?;
        self.sign("=")?;
        let body = self.body()?;
        let vars = self.table()?;
        Ok(Const { name: without_number(name).into(), vars, results, body })
    }

    fn fun(&mut self) -> Parsed<(Fun, FxHashMap<&'a str, Var>)> {
        let attrs = if self.peek_sign("#[") { self.attrs()? } else { Vec::new() };
        self.word("fun")?;
        let at = self.at;
        let name = self.any_word("the name of the function")?;
        if !self.funs.define(name, at) {
            return Err(self.error_at(at, format!("function `{name}` is defined twice")));
        }
        let params = self.parens("a parameter", |p| {
            let consumed = p.eat("*");
            Ok(Param { var: p.binding()?, consumed })
        })?;
        self.sign("->")?;
        let results = self.bindings()?;
        self.sign("=")?;
        let body = self.body()?;
        let vars = self.table()?;
        let name = without_number(name).into();
        let mut fun = Fun { name, vars, params, results, body, attrs };
        let rename = renumber_fun(&mut fun);
        let mut names = std::mem::take(&mut self.names);
        names.retain(|_, var| match rename.get(var) {
            Some(new) => {
                *var = *new;
                true
            }
            None => false,
        });
        Ok((fun, names))
    }

    /// The variables of the function that was read; all of them must have been bound.
    fn table(&self) -> Parsed<IdVec<Var, VarInfo>> {
        let mut table = IdVec::new();
        for var in &self.vars {
            let Some(ty) = &var.ty else {
                let name = self.tokens[var.at].kind.show();
                let message = format!("variable {name} is not bound anywhere in the function");
                return Err(self.error_at(var.at, message));
            };
            table.push(VarInfo { hint: var.hint.clone(), ty: ty.clone() });
        }
        Ok(table)
    }

    #[expect(clippy::type_complexity, reason = "the names are used once, by the caller")]
    fn entry(&mut self) -> Parsed<(Entry, Vec<(&'a str, Var, usize)>)> {
        self.word("entry")?;
        let name = self.string()?;
        self.sign("=")?;
        let fun = self.fun_name()?;
        let params = self.parens("a parameter", |p| {
            let name = p.string()?;
            p.sign(":")?;
            Ok((name, p.external()?))
        })?;
        self.sign("->")?;
        let result = self.external()?;
        let doc = if self.eat_word("doc") { Some(self.string()?) } else { None };
        let attrs = if self.eat_word("with") { self.attrs()? } else { Vec::new() };
        let mut names: Vec<_> = Vec::new();
        for (index, var) in self.vars.iter().enumerate() {
            let Kind::Word(name) = &self.tokens[var.at].kind else { continue };
            names.push((*name, Var(index as u32), var.at));
        }
        Ok((Entry { name, fun, params, result, attrs, doc }, names))
    }

    pub(super) fn fun_name(&mut self) -> Parsed<FunId> {
        let at = self.at;
        let name = self.any_word("the name of a function")?;
        Ok(FunId(self.funs.id(name, at)))
    }

    pub(super) fn const_name(&mut self) -> Parsed<ConstId> {
        let at = self.at;
        let name = self.any_word("the name of a constant")?;
        Ok(ConstId(self.consts.id(name, at)))
    }

    pub(super) fn body(&mut self) -> Parsed<Body> {
        let mut stms = Vec::new();
        while self.peek_word("let") || self.peek_sign("#[") || self.peek_sign("@") {
            stms.push(self.stm()?);
        }
        if !stms.is_empty() {
            self.word("in")?;
        } else {
            self.eat_word("in");
        }
        Ok(Body { stms, results: self.atoms()? })
    }

    pub(super) fn block(&mut self) -> Parsed<Body> {
        self.sign("{")?;
        let body = self.body()?;
        self.sign("}")?;
        Ok(body)
    }

    pub(super) fn lambda(&mut self) -> Parsed<Lambda> {
        self.sign("\\")?;
        let params = self.bindings()?;
        self.sign("->")?;
        let ret = self.parens("a type", Self::ty)?;
        let body = self.block()?;
        Ok(Lambda { params, body, ret })
    }

    fn stm(&mut self) -> Parsed<Stm> {
        let loc = if self.eat("@") { Some(Loc(self.string()?)) } else { None };
        let (mut attrs, mut certs) = (Vec::new(), Vec::new());
        while self.peek_sign("#[") {
            if matches!(self.kind_at(1), Kind::Word("cert")) {
                self.at += 2;
                certs.extend(self.list("]", "a certificate", Self::var)?);
            } else {
                attrs.extend(self.attrs()?);
            }
        }
        self.word("let")?;
        let pat = self.bindings()?;
        self.sign("=")?;
        let exp = self.exp()?;
        Ok(Stm { pat, certs, attrs, loc, exp })
    }

    fn attrs(&mut self) -> Parsed<Vec<Attr>> {
        self.sign("#[")?;
        self.word("attr")?;
        self.list("]", "an attribute", Self::attr)
    }

    fn attr(&mut self) -> Parsed<Attr> {
        let name = match self.kind() {
            Kind::Word(text) | Kind::Number(text) => EcoString::from(*text),
            Kind::String(text) => EcoString::from(text.as_str()),
            Kind::Sign(_) | Kind::End => return Err(self.expected("an attribute")),
        };
        self.at += 1;
        let args =
            if self.peek_sign("(") { self.parens("an attribute", Self::attr)? } else { Vec::new() };
        Ok(Attr { name, args })
    }

    pub(super) fn check(&mut self) -> Parsed<Check> {
        let mut check = Check { parts: Vec::new(), trace: Vec::new() };
        loop {
            if matches!(self.kind(), Kind::String(_)) {
                check.parts.push(CheckPart::Text(self.string()?));
            } else if self.eat("$") {
                check.parts.push(CheckPart::Value(self.atom()?));
            } else {
                break;
            }
        }
        if self.eat_word("at") {
            while matches!(self.kind(), Kind::String(_)) {
                check.trace.push(Loc(self.string()?));
            }
        }
        Ok(check)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let mut shape = Vec::new();
        while self.eat("[") {
            shape.push(self.atom()?);
            self.sign("]")?;
        }
        if shape.is_empty() && self.eat_word("acc") {
            self.sign("(")?;
            let var = self.var()?;
            self.sign(")")?;
            return Ok(Type::Acc(var));
        }
        Ok(Type::array(self.elem()?, shape))
    }

    pub(super) fn elem(&mut self) -> Parsed<Elem> {
        if self.eat_word("unit") {
            return Ok(Elem::Unit);
        }
        Ok(Elem::Prim(self.prim()?))
    }

    pub(super) fn prim(&mut self) -> Parsed<Prim> {
        let prim = match self.kind() {
            Kind::Word(word) => Prim::from_name(word),
            _ => None,
        };
        let Some(prim) = prim else { return Err(self.expected("a type")) };
        self.at += 1;
        Ok(prim)
    }

    pub(super) fn bindings(&mut self) -> Parsed<Vec<Var>> {
        self.parens("a variable", Self::binding)
    }

    pub(super) fn binding(&mut self) -> Parsed<Var> {
        let at = self.at;
        let var = self.var()?;
        self.sign(":")?;
        let ty = self.ty()?;
        let known = &mut self.vars[var.0 as usize];
        match &known.ty {
            Some(before) if *before != ty => {
                let name = self.tokens[at].kind.show();
                let message = format!("variable {name} was bound with another type before");
                return Err(self.error_at(at, message));
            }
            _ => known.ty = Some(ty),
        }
        Ok(var)
    }

    pub(super) fn var(&mut self) -> Parsed<Var> {
        let Kind::Word(name) = self.kind() else { return Err(self.expected("a variable")) };
        if name.starts_with('-') || matches!(*name, "true" | "false") {
            return Err(self.expected("a variable"));
        }
        let next = Var(self.vars.len() as u32);
        let var = *self.names.entry(name).or_insert(next);
        if var == next {
            let hint = without_number(name).into();
            self.vars.push(Known { hint, ty: None, at: self.at });
        }
        self.at += 1;
        Ok(var)
    }

    pub(super) fn vars(&mut self) -> Parsed<Vec<Var>> {
        self.parens("a variable", Self::var)
    }

    pub(super) fn atoms(&mut self) -> Parsed<Vec<Atom>> {
        self.parens("an operand", Self::atom)
    }

    pub(super) fn atom(&mut self) -> Parsed<Atom> {
        match self.literal()? {
            Some(value) => Ok(Atom::Const(value)),
            None if matches!(self.kind(), Kind::Word(_)) => Ok(Atom::Var(self.var()?)),
            None => Err(self.expected("an operand")),
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
            _ => None,
        };
        let Some(value) = value else {
            return Err(self.expected("the bits as a hexadecimal number that fits"));
        };
        self.at += 1;
        self.sign(")")?;
        Ok(Some(value))
    }

    /// A small number without a type.
    pub(super) fn count(&mut self) -> Parsed<usize> {
        let number = match self.kind() {
            Kind::Number(text) => text.parse::<u32>().ok(),
            _ => None,
        };
        let Some(number) = number else { return Err(self.expected("a number")) };
        self.at += 1;
        Ok(number as usize)
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

    fn kind_at(&self, ahead: usize) -> &'a Kind<'a> {
        self.tokens.get(self.at + ahead).map_or(&Kind::End, |token| &token.kind)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn retreat(&mut self, position: usize) {
        self.at = position;
    }

    pub(super) fn peek_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if *found == sign)
    }

    fn peek_word(&self, word: &str) -> bool {
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

    fn error_before(&self, message: String) -> ParseError {
        self.error_at(self.at.saturating_sub(1), message)
    }

    fn error_at(&self, at: usize, message: String) -> ParseError {
        let token = self.tokens.get(at).or(self.tokens.last());
        let (line, column) = token.map_or((1, 1), |token| (token.line, token.column));
        ParseError { line, column, message }
    }
}

/// Puts the final numbers of functions and constants in.
struct SetGlobals<'a> {
    funs: &'a [u32],
    consts: &'a [u32],
}

impl crate::visit::VisitMut for SetGlobals<'_> {
    fn exp(&mut self, exp: &mut crate::Exp) {
        match exp {
            crate::Exp::Call(fun, _) => *fun = FunId(self.funs[fun.0 as usize]),
            crate::Exp::Const(item) => *item = ConstId(self.consts[item.0 as usize]),
            _ => {}
        }
        crate::visit::walk_exp_mut(self, exp);
    }
}
