//! The parser: statements.

use super::parse::Parser;
use crate::{
    Arg, Asked, Exp, Extent, Foreign, From, Kernel, Kind, Lane, Message, Out, Part, Share, Stm,
    Tasks, Tile, V, Work,
};
use fehu_ir::text::cursor::{Lists, Parsed};
use fehu_ir::text::lex::Kind as Token;

/// A place, perhaps in the block of a handle.
type Address = ((V, Exp), Option<V>);

impl<'a> Parser<'a> {
    pub(super) fn stm(&mut self) -> Parsed<Stm> {
        let Token::Word(word) = self.kind() else { return Err(self.expected("a statement")) };
        let at = self.kind_at(1);
        // A name before one of these is a variable, whatever it is called.
        if matches!(at, Token::Sign("=" | "[" | ",")) {
            return self.setting();
        }
        self.advance();
        match *word {
            "comment" => Ok(Stm::Comment(self.string()?)),
            "var" => {
                let var = self.binding()?;
                let value = if self.eat("=") { Some(self.exp()?) } else { None };
                Ok(Stm::Declare(var, value))
            }
            "free" => Ok(Stm::Free(self.var()?)),
            "copy" => {
                let to = self.place()?;
                self.sign("<-")?;
                let from = self.place()?;
                self.sign(",")?;
                Ok(Stm::Copy { to, from, count: self.exp()? })
            }
            "if" => {
                let cond = self.exp()?;
                let yes = self.block()?;
                let no = if self.eat_word("else") { self.block()? } else { Vec::new() };
                Ok(Stm::If(cond, yes, no))
            }
            "switch" => self.switch(),
            "for" => self.for_(),
            "while" => Ok(Stm::While(self.exp()?, self.block()?)),
            "call" => self.call(Vec::new()),
            "foreign" => self.foreign(),
            "const" => {
                let number = self.count()?;
                let results = self.parens("a result", |p| {
                    let result = p.count()?;
                    p.sign("->")?;
                    Ok((result, p.var()?))
                })?;
                Ok(Stm::Const(number, results))
            }
            "assert" => {
                let cond = self.exp()?;
                self.sign(",")?;
                Ok(Stm::Assert(cond, self.message()?))
            }
            "trace" => {
                let (tag, e) = (self.string()?, self.exp()?);
                self.sign(":")?;
                Ok(Stm::Trace(tag, e, self.prim()?))
            }
            "trace_array" => {
                let (tag, p) = (self.string()?, self.var()?);
                self.sign("[")?;
                Ok(Stm::TraceArray(tag, p, self.list("]", "a size", Self::exp)?))
            }
            "atomic" => {
                let op = self.red_op()?;
                let (p, index) = self.place()?;
                self.sign(",")?;
                Ok(Stm::Atomic(op, p, index, self.exp()?))
            }
            "locked" => Ok(Stm::Locked(self.exp()?, self.block()?)),
            "tasks" => self.tasks(),
            "begin" => self.begin(),
            "end" => Ok(Stm::End),
            "launch" => self.launch(),
            "ask" => {
                let (p, index) = self.place()?;
                Ok(Stm::Ask(p, index))
            }
            "barrier" => Ok(Stm::Barrier),
            "warp" if self.eat_word("barrier") => Ok(Stm::WarpBarrier),
            "warp" => Ok(Stm::Warp(self.block()?)),
            "leave" => Ok(Stm::Leave),
            "section" => Ok(Stm::Section(self.block()?)),
            "exchange" => {
                let old = self.counter()?;
                self.sign("=")?;
                let (ptr, index) = self.place()?;
                let body = self.block()?;
                self.word("for")?;
                Ok(Stm::Exchange { ptr, index, old, body, new: self.exp()? })
            }
            "guarded" => {
                let (p, index) = self.place()?;
                Ok(Stm::Guarded(p, index, self.block()?))
            }
            _ => Err(self.error_before(format!("expected a statement, found `{word}`"))),
        }
    }

    /// A statement that begins with a variable.
    fn setting(&mut self) -> Parsed<Stm> {
        let v = self.var()?;
        if self.eat("[") {
            let index = self.exp()?;
            self.sign("]")?;
            self.sign("=")?;
            return Ok(Stm::Store(v, index, self.exp()?));
        }
        if self.peek_sign(",") {
            let mut results = vec![v];
            while self.eat(",") {
                results.push(self.var()?);
            }
            self.sign("=")?;
            self.word("call")?;
            return self.call(results);
        }
        self.sign("=")?;
        if self.eat("&") {
            let (p, index) = self.place()?;
            return Ok(Stm::Point(v, From::Ptr(p), index));
        }
        let Token::Word(word) = self.kind() else { return Ok(Stm::Assign(v, self.exp()?)) };
        // A keyword is followed by what it is about; a variable, by nothing that could be.
        match (*word, self.kind_at(1)) {
            ("call", Token::Word(_)) => {
                self.advance();
                self.call(vec![v])
            }
            ("alloc", Token::Word(_)) => {
                self.advance();
                let prim = self.prim()?;
                self.sign("[")?;
                let count = self.exp()?;
                self.sign("]")?;
                Ok(Stm::Alloc(v, prim, count))
            }
            ("share", Token::Word(_)) => {
                self.advance();
                Ok(Stm::Share(v, self.var()?))
            }
            ("export", Token::Sign("&")) => {
                self.advance();
                let ((ptr, index), block) = self.address()?;
                Ok(Stm::Export { to: v, block, ptr, index })
            }
            ("data", Token::Word(_)) => {
                self.advance();
                let (mem, index) = self.place()?;
                Ok(Stm::Point(v, From::Mem(mem), index))
            }
            ("shared", Token::Sign("[")) => {
                self.advance();
                self.sign("[")?;
                let index = self.exp()?;
                self.sign("]")?;
                Ok(Stm::Point(v, From::Shared, index))
            }
            ("prefixes", Token::Word(_)) => {
                self.advance();
                let op = self.red_op()?;
                Ok(Stm::Prefixes(op, self.var()?, v))
            }
            ("chunks", Token::Number(_)) => {
                self.advance();
                let site = self.count()?;
                self.word("of")?;
                Ok(Stm::Chunks(v, site, self.exp()?))
            }
            ("tuning", Token::Number(_)) => {
                self.advance();
                let number = self.count()?;
                self.word("or")?;
                Ok(Stm::Tuning(v, number, self.exp()?))
            }
            ("threads", _) => {
                self.advance();
                Ok(Stm::Threads(v))
            }
            ("blocks", _) => {
                self.advance();
                Ok(Stm::Blocks(v))
            }
            ("receive", _) => {
                self.advance();
                Ok(Stm::Receive(v))
            }
            ("fetch" | "poll" | "count", Token::Word(_)) => {
                self.advance();
                let (p, index) = self.place()?;
                Ok(match *word {
                    "fetch" => Stm::Fetch(v, p, index),
                    "poll" => Stm::Poll(v, p, index),
                    _ => Stm::Count(v, p, index),
                })
            }
            ("arrive", Token::Word(_) | Token::Number(_) | Token::Sign("(")) => {
                self.advance();
                let counter = self.exp()?;
                self.word("of")?;
                Ok(Stm::Arrive { last: v, counter, of: self.exp()? })
            }
            ("shuffle", Token::Word(name)) => {
                let Some(lane) = Lane::from_name(name) else {
                    self.advance();
                    return Err(self.expected("`down`, `up` or `at`"));
                };
                self.advance();
                self.advance();
                let by = self.exp()?;
                self.word("of")?;
                Ok(Stm::Shuffle { to: v, lane, by, of: self.exp()? })
            }
            _ => Ok(Stm::Assign(v, self.exp()?)),
        }
    }

    fn switch(&mut self) -> Parsed<Stm> {
        let on = self.exp()?;
        self.sign("{")?;
        let mut cases = Vec::new();
        while self.eat_word("case") {
            let Some(value) = self.literal()? else { return Err(self.expected("a constant")) };
            cases.push((value, self.block()?));
        }
        if !self.eat_word("default") {
            return Err(self.expected("`case` or `default`"));
        }
        let default = self.block()?;
        self.sign("}")?;
        Ok(Stm::Switch(on, cases, default))
    }

    fn for_(&mut self) -> Parsed<Stm> {
        let var = self.counter()?;
        self.sign("=")?;
        let from = self.exp()?;
        self.sign("..")?;
        let to = self.exp()?;
        let step = if self.eat_word("by") { self.integer("a step")? } else { 1 };
        let tile = match () {
            () if self.eat_word("square") => Some(Tile::Square),
            () if self.eat_word("columns") => Some(Tile::Columns),
            () => None,
        };
        let asked = match self.eat_word("lanes") {
            true if self.eat_word("for") => Some(Asked(self.string()?)),
            true => Some(Asked::default()),
            false => None,
        };
        let kind = if let Some(tile) = tile {
            Kind::Tiles(tile, asked)
        } else if asked.is_some() || self.eat_word("independent") {
            let mut reductions = Vec::new();
            while !self.peek_sign("{") {
                let op = self.red_op()?;
                self.sign("(")?;
                reductions.push((self.var()?, op));
                self.sign(")")?;
            }
            match asked {
                Some(asked) => Kind::Lanes(reductions, asked),
                None => Kind::Independent(reductions),
            }
        } else if self.eat_word("few") {
            Kind::Few
        } else {
            Kind::Sequential
        };
        Ok(Stm::For { var, from, to, step, kind, body: self.block()? })
    }

    /// The beginning of an operator, after its keyword.
    fn begin(&mut self) -> Parsed<Stm> {
        let name = self.string()?;
        self.word("at")?;
        let (place, exact) = (self.string()?, self.eat_word("exact"));
        let parts = self.parens("a part", |p| {
            let place = p.string()?;
            p.word("read")?;
            let read = p.exp()?;
            p.word("written")?;
            let written = p.exp()?;
            p.word("operations")?;
            Ok(Share { place, read, written, operations: p.exp()? })
        })?;
        Ok(Stm::Begin(Box::new(Work { name, place, exact, parts })))
    }

    /// A call, after its keyword.
    fn call(&mut self, results: Vec<V>) -> Parsed<Stm> {
        let fun = self.fun_name()?;
        let args = self.parens("an argument", Self::arg)?;
        Ok(Stm::Call(fun, results, args))
    }

    /// A call of a function of another language, after its keyword.
    fn foreign(&mut self) -> Parsed<Stm> {
        let symbol = self.any_word("the name of a function")?.into();
        let stream = self.eat_word("stream");
        let args = self.parens("an argument", Self::arg)?;
        self.sign("->")?;
        let results = self.parens("a result", |p| {
            let is_elements = p.eat("*");
            let v = p.var()?;
            Ok(if is_elements { Out::Elements(v) } else { Out::Scalar(v) })
        })?;
        let status = if self.eat_word("status") { Some(self.var()?) } else { None };
        Ok(Stm::Foreign(Box::new(Foreign { symbol, stream, args, results, status })))
    }

    fn arg(&mut self) -> Parsed<Arg> {
        if !self.peek_sign("&") {
            return Ok(Arg::Scalar(self.exp()?));
        }
        let ((ptr, index), block) = self.address()?;
        Ok(Arg::Mem { block, ptr, index })
    }

    fn address(&mut self) -> Parsed<Address> {
        self.sign("&")?;
        let place = self.place()?;
        let block = if self.eat_word("in") { Some(self.var()?) } else { None };
        Ok((place, block))
    }

    fn message(&mut self) -> Parsed<Message> {
        let mut message = Message { parts: Vec::new(), trace: Vec::new() };
        loop {
            if matches!(self.kind(), Token::String(_)) {
                message.parts.push(Part::Text(self.string()?));
            } else if self.eat("$") {
                let e = self.exp()?;
                self.sign(":")?;
                message.parts.push(Part::Value(e, self.prim()?));
            } else {
                break;
            }
        }
        if self.eat_word("at") {
            while matches!(self.kind(), Token::String(_)) {
                message.trace.push(self.string()?);
            }
        }
        Ok(message)
    }

    fn tasks(&mut self) -> Parsed<Stm> {
        self.word("at")?;
        let site = self.count()?;
        let low = self.counter()?;
        self.sign("..")?;
        let high = self.counter()?;
        self.word("of")?;
        let total = self.exp()?;
        self.word("chunk")?;
        let chunk = self.counter()?;
        let chunks = if self.eat_word("of") { Some(self.var()?) } else { None };
        let grain = if self.eat_word("grain") { self.integer("a number")? } else { 1 };
        let body = self.block()?;
        Ok(Stm::Tasks(Box::new(Tasks { site, total, chunks, grain, chunk, low, high, body })))
    }

    fn launch(&mut self) -> Parsed<Stm> {
        let hint = self.string()?;
        self.word("at")?;
        let place = self.string()?;
        self.word("block")?;
        let block = self.counter()?;
        self.word("of")?;
        let blocks = self.exp()?;
        self.word("thread")?;
        let thread = self.counter()?;
        self.word("of")?;
        let threads = self.small("a number of threads")?;
        let residents = if self.eat_word("residents") { self.small("a number")? } else { 1 };
        let by_block = self.eat_word("by_block");
        let shared = if self.eat_word("shared") { Some(self.exp()?) } else { None };
        let mut changes = Vec::new();
        let mut more = self.eat_word("changes");
        while more {
            let (ptr, first) = self.place()?;
            self.word("of")?;
            changes.push(Extent { ptr, first, count: self.exp()? });
            more = self.eat(",");
        }
        let mut read_only = Vec::new();
        let mut more = self.eat_word("read_only");
        while more {
            read_only.push(self.var()?);
            more = self.eat(",");
        }
        let body = self.block()?;
        Ok(Stm::Launch(Box::new(Kernel {
            hint,
            place,
            blocks,
            threads,
            residents,
            block,
            thread,
            by_block,
            shared,
            changes,
            read_only,
            body,
        })))
    }
}
