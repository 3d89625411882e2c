//! The parser: programs, functions, types, expressions. Statements are in `parse_stm`.

use super::names::renumber_fun;
use crate::{
    Block, Constant, Exp, Fun, FunId, Prim, Program, RedOp, Space, Stm, Tuning, Ty, V, VarInfo,
};
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_ir::text::cursor::{self, Cursor, Lists, Names, Parsed};
use fehu_ir::text::lex::{Kind, Signs};
use fehu_ir::{BinOp, CmpOp, MathFn, UnOp};
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};

const SIGNS: Signs =
    &["->", "<-", "..", "(", ")", "[", "]", "{", "}", ",", ":", "=", "*", "+", "&", "$"];

/// Reads a program; its variables are numbered as the printer does.
pub fn parse(text: &str) -> Parsed<Program> {
    cursor::read(text, SIGNS, |cursor| {
        Parser { cursor, names: Names::default(), called: Vec::new() }.program()
    })
}

pub(super) struct Parser<'a> {
    cursor: Cursor<'a>,
    names: Names<'a, Ty>,
    /// Mentioned functions: the number of a mention stands for the function until all are known.
    called: Vec<(&'a str, usize)>,
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
                let entries = self.parens("a string", |p| p.string())?;
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
                let at = self.position();
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
        self.names = Names::default();
        let params = self.parens("a parameter", Self::binding)?;
        self.sign("->")?;
        let results = self.parens("a result", Self::binding)?;
        let body = self.block()?;
        let mut vars = IdVec::new();
        for (at, name, ty) in self.names.known() {
            let Some(ty) = *ty else {
                let message = format!("variable `{name}` is not declared anywhere in the function");
                return Err(self.error_at(*at, message));
            };
            vars.push(VarInfo { hint: without_number(name).into(), ty });
        }
        let mut fun = Fun { name: name.into(), vars, params, results, body };
        renumber_fun(&mut fun);
        Ok(fun)
    }

    pub(super) fn fun_name(&mut self) -> Parsed<FunId> {
        let at = self.position();
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
        let at = self.position();
        let var = self.var()?;
        self.sign(":")?;
        let ty = self.ty()?;
        self.bind(var, ty, at)
    }

    /// A variable that is an `i64` if nothing else is said.
    pub(super) fn counter(&mut self) -> Parsed<V> {
        let at = self.position();
        let var = self.var()?;
        let ty = if self.eat(":") { self.ty()? } else { Ty::Scalar(Prim::I64) };
        self.bind(var, ty, at)
    }

    fn bind(&mut self, var: V, ty: Ty, at: usize) -> Parsed<V> {
        if let Err(before) = self.names.bind(var.0, ty) {
            let name = self.shown(at);
            let message = format!("variable {name} was declared as {before} before");
            return Err(self.error_at(at, message));
        }
        Ok(var)
    }

    fn ty(&mut self) -> Parsed<Ty> {
        if self.eat_word("mem") {
            return Ok(Ty::Mem);
        }
        if self.eat("*") {
            let space = match self.kind() {
                Kind::Word("shared") => Space::Shared,
                Kind::Word("own") => Space::Own,
                Kind::Word(_) | Kind::Number(_) | Kind::String(_) | Kind::Sign(_) | Kind::End => {
                    return Ok(Ty::ptr(self.prim()?));
                }
            };
            self.advance();
            return Ok(Ty::Ptr(space, self.prim()?));
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

    pub(super) fn red_op(&mut self) -> Parsed<RedOp> {
        self.named("an operator like `add` or `min`", RedOp::from_name)
    }

    pub(super) fn var(&mut self) -> Parsed<V> {
        self.names.read(&mut self.cursor).map(V)
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
        let at = self.position();
        self.advance();
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
