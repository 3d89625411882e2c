//! The parser: programs, functions, bodies, statements, types. Expressions are in `parse_exp`.

use super::cursor::{self, Cursor, Lists, Names, Parsed};
use super::lex::{self, Kind};
use super::names::{rename_entry, renumber, renumber_fun, without_number};
use crate::{
    Atom, Attr, Body, Check, CheckPart, Const, ConstId, Elem, Entry, Foreign, Fun, FunId, Lambda,
    Loc, Param, Platform, Prog, Stage, Stm, Symbol, Type, Var, VarInfo,
};
use ecow::EcoString;
use fehu_base::IdVec;
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};

/// Reads a program; its variables are numbered as the printer does.
pub fn parse(text: &str) -> Parsed<Prog> {
    cursor::read(text, lex::SIGNS, |cursor| {
        let (names, funs, consts) = (Names::default(), Globals::default(), Globals::default());
        Parser { cursor, names, funs, consts }.prog()
    })
}

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

pub(super) struct Parser<'a> {
    cursor: Cursor<'a>,
    names: Names<'a, Type>,
    funs: Globals<'a>,
    consts: Globals<'a>,
}

impl<'a> Deref for Parser<'a> {
    type Target = Cursor<'a>;

    fn deref(&self) -> &Cursor<'a> {
        &self.cursor
    }
}

impl<'a> DerefMut for Parser<'a> {
    fn deref_mut(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
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
            self.names = Names::default();
            if self.peek_word("const") {
                let item = self.constant()?;
                prog.consts.push(item);
            } else if self.peek_word("fun") || self.peek_word("foreign") || self.peek_sign("#[") {
                let (fun, names) = self.fun()?;
                prog.funs.push(fun);
                fun_names.push(names);
            } else if self.peek_word("entry") {
                // The sizes in its types are variables of the function, which may come later.
                let (entry, names) = self.entry()?;
                entries.push((entry, names, self.position()));
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
                    let message = format!("the function has no variable `{name}`");
                    return Err(self.error_at(first.min(at), message));
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
                    let name = self.shown(*at);
                    return Err(self.error_at(*at, format!("there is no {what} {name}")));
                }
            }
        }
        Ok(order)
    }

    fn constant(&mut self) -> Parsed<Const> {
        self.word("const")?;
        let at = self.position();
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
        let foreign = if self.eat_word("foreign") { Some(self.foreign()?) } else { None };
        self.word("fun")?;
        let at = self.position();
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
        let mut fun = Fun { name, vars, params, results, body, attrs, foreign };
        let rename = renumber_fun(&mut fun);
        let mut names = FxHashMap::default();
        for (number, (_, name, _)) in self.names.known().iter().enumerate() {
            if let Some(new) = rename.get(&Var(number as u32)) {
                names.insert(*name, *new);
            }
        }
        Ok((fun, names))
    }

    fn foreign(&mut self) -> Parsed<Foreign> {
        let symbols = self.parens("a symbol", Self::symbol)?;
        let vectorised = match self.eat_word("vectorised") {
            true => self.parens("a symbol", Self::symbol)?,
            false => Vec::new(),
        };
        Ok(Foreign { symbols, vectorised })
    }

    fn symbol(&mut self) -> Parsed<Symbol> {
        let name = self.any_word("a platform")?;
        let Some(platform) = Platform::from_name(name) else {
            return Err(self.error_before(format!("there is no platform `{name}`")));
        };
        Ok(Symbol { platform, name: self.any_word("the name of a symbol")?.into() })
    }

    /// The variables of the function that was read; all of them must have been bound.
    fn table(&self) -> Parsed<IdVec<Var, VarInfo>> {
        let mut table = IdVec::new();
        for (at, name, ty) in self.names.known() {
            let Some(ty) = ty else {
                let message = format!("variable `{name}` is not bound anywhere in the function");
                return Err(self.error_at(*at, message));
            };
            table.push(VarInfo { hint: without_number(name).into(), ty: ty.clone() });
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
        let known = self.names.known().iter().enumerate();
        let names = known.map(|(number, (at, name, _))| (*name, Var(number as u32), *at)).collect();
        Ok((Entry { name, fun, params, result, attrs, doc }, names))
    }

    pub(super) fn fun_name(&mut self) -> Parsed<FunId> {
        let at = self.position();
        let name = self.any_word("the name of a function")?;
        Ok(FunId(self.funs.id(name, at)))
    }

    pub(super) fn const_name(&mut self) -> Parsed<ConstId> {
        let at = self.position();
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
                self.advance();
                self.advance();
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
        self.advance();
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

    pub(super) fn bindings(&mut self) -> Parsed<Vec<Var>> {
        self.parens("a variable", Self::binding)
    }

    pub(super) fn binding(&mut self) -> Parsed<Var> {
        let at = self.position();
        let var = self.var()?;
        self.sign(":")?;
        let ty = self.ty()?;
        if self.names.bind(var.0, ty).is_err() {
            let name = self.shown(at);
            let message = format!("variable {name} was bound with another type before");
            return Err(self.error_at(at, message));
        }
        Ok(var)
    }

    pub(super) fn var(&mut self) -> Parsed<Var> {
        self.names.read(&mut self.cursor).map(Var)
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
}

/// Puts the final numbers of functions and constants in.
struct SetGlobals<'a> {
    funs: &'a [u32],
    consts: &'a [u32],
}

impl crate::visit::VisitMut for SetGlobals<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no names of other items")]
    fn exp(&mut self, exp: &mut crate::Exp) {
        match exp {
            crate::Exp::Call(fun, _) => *fun = FunId(self.funs[fun.0 as usize]),
            crate::Exp::Const(item) => *item = ConstId(self.consts[item.0 as usize]),
            _ => {}
        }
        crate::visit::walk_exp_mut(self, exp);
    }
}
