//! The printer: one statement per line.

use super::names::{hint, order};
use crate::{
    Arg, Asked, Exp, Foreign, From, Fun, Kernel, Kind, Message, Out, Part, Prim, Program, Share,
    Space, Stm, Tasks, Tile, Ty, V, Work,
};
use fehu_base::IdVec;
use fehu_ir::Scalar;
use fehu_ir::text::literal::{write_scalar, write_string};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("prog imp")?;
        match self.sites {
            0 => writeln!(f)?,
            sites => writeln!(f, " sites {sites}")?,
        }
        for tuning in &self.tuning {
            let entries: Vec<String> = tuning.entries.iter().map(|entry| string(entry)).collect();
            writeln!(f, "tuning {} ({})", string(&tuning.name), entries.join(", "))?;
        }
        for constant in &self.consts {
            let name = self.funs.get(constant.fun).map_or("?", |fun| &fun.name);
            writeln!(f, "constant {name}")?;
        }
        for (id, fun) in self.funs.iter() {
            f.write_str("\n")?;
            if self.inside.contains(&id) {
                f.write_str("device ")?;
            }
            f.write_str(&Printer::new(Some(self), fun).fun())?;
        }
        Ok(())
    }
}

impl fmt::Display for Fun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(None, self).fun())
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Scalar(prim) => write!(f, "{prim}"),
            Ty::Mem => f.write_str("mem"),
            Ty::Ptr(Space::Global, prim) => write!(f, "*{prim}"),
            Ty::Ptr(space @ (Space::Shared | Space::Own), prim) => write!(f, "*{space} {prim}"),
            Ty::Local(prim, n) => write!(f, "{prim}[{n}]"),
            Ty::Shared(prim, n) => write!(f, "shared {prim}[{n}]"),
        }
    }
}

/// The names of the variables of a function; those that do not occur have none.
pub fn names(fun: &Fun) -> IdVec<V, String> {
    let mut names = IdVec::filled(String::new(), fun.vars.len());
    for (number, v) in order(fun).into_iter().enumerate() {
        // A variable that the function does not have at all is printed by its own number.
        if fun.vars.get(v).is_some() {
            names[v] = format!("{}.{number}", hint(fun, v));
        }
    }
    names
}

/// Prints what a function consists of.
pub struct Printer<'a> {
    program: Option<&'a Program>,
    fun: &'a Fun,
    names: IdVec<V, String>,
}

impl<'a> Printer<'a> {
    /// For a function; without its program, those that it calls have numbers for names.
    pub fn new(program: Option<&'a Program>, fun: &'a Fun) -> Printer<'a> {
        Printer { program, fun, names: names(fun) }
    }

    fn fun(&self) -> String {
        if self.fun.name.is_empty() {
            return "removed\n".to_owned();
        }
        let bindings =
            |vars: &[V]| vars.iter().map(|&v| self.binding(v)).collect::<Vec<String>>().join(", ");
        let mut out = format!(
            "fun {}({}) -> ({}) {{\n",
            self.fun.name,
            bindings(&self.fun.params),
            bindings(&self.fun.results)
        );
        self.block(&mut out, 1, &self.fun.body);
        out.push_str("}\n");
        out
    }

    /// A variable.
    pub fn var(&self, v: V) -> String {
        match self.names.get(v) {
            Some(name) if !name.is_empty() => name.clone(),
            Some(_) | None => format!("unknown.{}", v.0),
        }
    }

    /// The first line of a statement, without those inside it.
    pub fn head(&self, stm: &Stm) -> String {
        let mut out = String::new();
        self.stm(&mut out, 0, stm);
        out.lines().next().unwrap_or_default().trim_end_matches(" {").to_owned()
    }

    fn binding(&self, v: V) -> String {
        match self.fun.vars.get(v) {
            Some(info) => format!("{}: {}", self.var(v), info.ty),
            None => self.var(v),
        }
    }

    /// A variable that counts something.
    fn counter(&self, v: V) -> String {
        match self.fun.vars.get(v) {
            Some(info) if info.ty != Ty::Scalar(Prim::I64) => self.binding(v),
            Some(_) | None => self.var(v),
        }
    }

    fn vars(&self, vars: &[V]) -> String {
        vars.iter().map(|&v| self.var(v)).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, v: V, index: &Exp) -> String {
        format!("{}[{}]", self.var(v), self.exp(index))
    }

    fn block(&self, out: &mut String, depth: usize, block: &[Stm]) {
        block.iter().for_each(|stm| self.stm(out, depth, stm));
    }

    /// Writes the head of a block and its statements; the end is still to be written.
    fn around(&self, out: &mut String, depth: usize, head: &str, block: &[Stm]) -> String {
        out.push_str(head);
        out.push_str(" {\n");
        self.block(out, depth + 1, block);
        format!("{}}}", "  ".repeat(depth))
    }

    fn stm(&self, out: &mut String, depth: usize, stm: &Stm) {
        let pad = "  ".repeat(depth);
        out.push_str(&pad);
        let set = |v: &V, what: String| format!("{} = {what}", self.var(*v));
        let line = match stm {
            Stm::If(cond, yes, no) => {
                let end = self.around(out, depth, &format!("if {}", self.exp(cond)), yes);
                if no.is_empty() {
                    end
                } else {
                    self.around(out, depth, &format!("{end} else"), no)
                }
            }
            Stm::Switch(e, cases, default) => {
                out.push_str(&format!("switch {} {{\n", self.exp(e)));
                for (value, block) in cases {
                    let head = format!("{pad}case {}", constant(*value));
                    let end = self.around(out, depth, &head, block);
                    out.push_str(&end);
                    out.push('\n');
                }
                let end = self.around(out, depth, &format!("{pad}default"), default);
                format!("{end}\n{pad}}}")
            }
            Stm::For { var, from, to, step, kind, body } => {
                let (var, from, to) = (self.counter(*var), self.exp(from), self.exp(to));
                let by = if *step == 1 { String::new() } else { format!(" by {step}") };
                let (word, asked) = match kind {
                    Kind::Sequential => ("", None),
                    Kind::Few => (" few", None),
                    Kind::Independent(_) => (" independent", None),
                    Kind::Lanes(_, asked) => ("", Some(asked)),
                    Kind::Tiles(Tile::Square, asked) => (" square", asked.as_ref()),
                    Kind::Tiles(Tile::Columns, asked) => (" columns", asked.as_ref()),
                };
                let lanes = match asked {
                    Some(Asked(place)) if place.is_empty() => " lanes".to_owned(),
                    Some(Asked(place)) => format!(" lanes for {}", string(place)),
                    None => String::new(),
                };
                let reductions = kind.reductions().into_iter().flatten();
                let kind = reductions.fold(format!("{word}{lanes}"), |text, (v, op)| {
                    format!("{text} {}({})", op.name(), self.var(*v))
                });
                self.around(out, depth, &format!("for {var} = {from} .. {to}{by}{kind}"), body)
            }
            Stm::While(cond, body) => {
                self.around(out, depth, &format!("while {}", self.exp(cond)), body)
            }
            Stm::Locked(number, body) => {
                self.around(out, depth, &format!("locked {}", self.exp(number)), body)
            }
            Stm::Tasks(tasks) => self.around(out, depth, &self.tasks(tasks), &tasks.body),
            Stm::Launch(kernel) => self.around(out, depth, &self.launch(kernel), &kernel.body),
            Stm::Exchange { ptr, index, old, body, new } => {
                let head = format!("exchange {} = {}", self.counter(*old), self.place(*ptr, index));
                let end = self.around(out, depth, &head, body);
                format!("{end} for {}", self.exp(new))
            }
            Stm::Guarded(p, at, body) => {
                self.around(out, depth, &format!("guarded {}", self.place(*p, at)), body)
            }
            Stm::Warp(body) => self.around(out, depth, "warp", body),
            Stm::Section(body) => self.around(out, depth, "section", body),
            Stm::Comment(text) => format!("comment {}", string(text)),
            Stm::Begin(work) => self.begin(work),
            Stm::End => "end".to_owned(),
            Stm::Declare(v, None) => format!("var {}", self.binding(*v)),
            Stm::Declare(v, Some(e)) => format!("var {} = {}", self.binding(*v), self.exp(e)),
            Stm::Assign(v, e) => set(v, self.exp(e)),
            Stm::Store(v, index, e) => format!("{} = {}", self.place(*v, index), self.exp(e)),
            Stm::Alloc(v, prim, count) => set(v, format!("alloc {prim}[{}]", self.exp(count))),
            Stm::Share(to, from) => set(to, format!("share {}", self.var(*from))),
            Stm::Export { to, block, ptr, index } => {
                set(to, format!("export {}", self.address(*block, *ptr, index)))
            }
            Stm::Free(v) => format!("free {}", self.var(*v)),
            Stm::Point(p, From::Mem(v), index) => set(p, format!("data {}", self.place(*v, index))),
            Stm::Point(p, From::Ptr(v), index) => set(p, format!("&{}", self.place(*v, index))),
            Stm::Point(p, From::Shared, index) => set(p, format!("shared[{}]", self.exp(index))),
            Stm::Copy { to, from, count } => {
                let (to, from) = (self.place(to.0, &to.1), self.place(from.0, &from.1));
                format!("copy {to} <- {from}, {}", self.exp(count))
            }
            Stm::Call(fun, results, args) => {
                let name = self.program.and_then(|p| p.funs.get(*fun)).map(|fun| fun.name.clone());
                let name = name.unwrap_or_else(|| format!("{fun:?}").into());
                let args: Vec<String> = args.iter().map(|arg| self.arg(arg)).collect();
                let equals = if results.is_empty() { "" } else { " = " };
                format!("{}{equals}call {name}({})", self.vars(results), args.join(", "))
            }
            Stm::Foreign(call) => {
                let Foreign { symbol, stream, args, results, status } = &**call;
                let args: Vec<String> = args.iter().map(|arg| self.arg(arg)).collect();
                let out = |out: &Out| match out {
                    Out::Scalar(v) => self.var(*v).to_string(),
                    Out::Elements(v) => format!("*{}", self.var(*v)),
                };
                let results: Vec<String> = results.iter().map(out).collect();
                let stream = if *stream { " stream" } else { "" };
                let status = status.map_or(String::new(), |v| format!(" status {}", self.var(v)));
                let (args, results) = (args.join(", "), results.join(", "));
                format!("foreign {symbol}{stream} ({args}) -> ({results}){status}")
            }
            Stm::Const(number, results) => {
                let result = |(n, v): &(usize, V)| format!("{n} -> {}", self.var(*v));
                let results: Vec<String> = results.iter().map(result).collect();
                format!("const {number} ({})", results.join(", "))
            }
            Stm::Assert(cond, message) => {
                format!("assert {},{}", self.exp(cond), self.message(message))
            }
            Stm::Trace(tag, e, prim) => format!("trace {} {}: {prim}", string(tag), self.exp(e)),
            Stm::TraceArray(tag, p, shape) => {
                format!("trace_array {} {}[{}]", string(tag), self.var(*p), self.exps(shape))
            }
            Stm::Atomic(op, p, index, e) => {
                format!("atomic {} {}, {}", op.name(), self.place(*p, index), self.exp(e))
            }
            Stm::Prefixes(op, array, sum) => {
                set(sum, format!("prefixes {} {}", op.name(), self.var(*array)))
            }
            Stm::Tuning(v, number, standard) => {
                set(v, format!("tuning {number} or {}", self.exp(standard)))
            }
            Stm::Threads(v) => set(v, "threads".to_owned()),
            Stm::Blocks(v) => set(v, "blocks".to_owned()),
            Stm::Chunks(v, site, n) => set(v, format!("chunks {site} of {}", self.exp(n))),
            Stm::Fetch(v, p, at) => set(v, format!("fetch {}", self.place(*p, at))),
            Stm::Ask(p, at) => format!("ask {}", self.place(*p, at)),
            Stm::Receive(v) => set(v, "receive".to_owned()),
            Stm::Poll(v, p, at) => set(v, format!("poll {}", self.place(*p, at))),
            Stm::Count(v, p, at) => set(v, format!("count {}", self.place(*p, at))),
            Stm::Arrive { last, counter, of } => {
                set(last, format!("arrive {} of {}", self.exp(counter), self.exp(of)))
            }
            Stm::Shuffle { to, lane, by, of } => {
                set(to, format!("shuffle {} {} of {}", lane.name(), self.exp(by), self.exp(of)))
            }
            Stm::Leave => "leave".to_owned(),
            Stm::Barrier => "barrier".to_owned(),
            Stm::WarpBarrier => "warp barrier".to_owned(),
        };
        out.push_str(&line);
        out.push('\n');
    }

    fn tasks(&self, tasks: &Tasks) -> String {
        let (low, high) = (self.counter(tasks.low), self.counter(tasks.high));
        let (total, chunk) = (self.exp(&tasks.total), self.counter(tasks.chunk));
        let mut head = format!("tasks at {} {low} .. {high} of {total} chunk {chunk}", tasks.site);
        if let Some(chunks) = tasks.chunks {
            head.push_str(&format!(" of {}", self.var(chunks)));
        }
        if tasks.grain != 1 {
            head.push_str(&format!(" grain {}", tasks.grain));
        }
        head
    }

    fn begin(&self, work: &Work) -> String {
        let part = |part: &Share| {
            let [read, written, operations] = part.amounts().map(|e| self.exp(e));
            let place = string(&part.place);
            format!("{place} read {read} written {written} operations {operations}")
        };
        let parts: Vec<String> = work.parts.iter().map(part).collect();
        let exact = if work.exact { " exact" } else { "" };
        let (name, place) = (string(&work.name), string(&work.place));
        format!("begin {name} at {place}{exact} ({})", parts.join(", "))
    }

    fn launch(&self, kernel: &Kernel) -> String {
        let (block, thread) = (self.counter(kernel.block), self.counter(kernel.thread));
        let mut head = format!(
            "launch {} at {} block {block} of {} thread {thread} of {}",
            string(&kernel.hint),
            string(&kernel.place),
            self.exp(&kernel.blocks),
            kernel.threads
        );
        if kernel.residents != 1 {
            head.push_str(&format!(" residents {}", kernel.residents));
        }
        if kernel.by_block {
            head.push_str(" by_block");
        }
        if let Some(shared) = &kernel.shared {
            head.push_str(&format!(" shared {}", self.exp(shared)));
        }
        for (number, extent) in kernel.changes.iter().enumerate() {
            head.push_str(if number == 0 { " changes " } else { ", " });
            let first = self.place(extent.ptr, &extent.first);
            head.push_str(&format!("{first} of {}", self.exp(&extent.count)));
        }
        for (number, ptr) in kernel.read_only.iter().enumerate() {
            head.push_str(if number == 0 { " read_only " } else { ", " });
            head.push_str(&self.var(*ptr));
        }
        head
    }

    fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Scalar(e) => self.exp(e),
            Arg::Mem { block, ptr, index } => self.address(*block, *ptr, index),
        }
    }

    fn address(&self, block: Option<V>, ptr: V, index: &Exp) -> String {
        let place = self.place(ptr, index);
        match block {
            Some(block) => format!("&{place} in {}", self.var(block)),
            None => format!("&{place}"),
        }
    }

    fn message(&self, message: &Message) -> String {
        let mut text = String::new();
        for part in &message.parts {
            text.push_str(&match part {
                Part::Text(fixed) => format!(" {}", string(fixed)),
                Part::Value(e, prim) => format!(" ${}: {prim}", self.exp(e)),
            });
        }
        if !message.trace.is_empty() {
            text.push_str(" at");
            message.trace.iter().for_each(|place| text.push_str(&format!(" {}", string(place))));
        }
        text
    }

    fn exps(&self, exps: &[Exp]) -> String {
        exps.iter().map(|e| self.exp(e)).collect::<Vec<_>>().join(", ")
    }

    /// Operators are written like functions, so that nothing needs parentheses.
    pub fn exp(&self, e: &Exp) -> String {
        match e {
            Exp::Const(value) => constant(*value),
            Exp::Var(v) => self.var(*v),
            Exp::Un(op, prim, a) => format!("{}_{prim}({})", op.name(), self.exp(a)),
            Exp::Bin(op, prim, a, b) => {
                format!("{}_{prim}({}, {})", op.name(), self.exp(a), self.exp(b))
            }
            Exp::Cmp(op, prim, a, b) => {
                format!("{}_{prim}({}, {})", op.name(), self.exp(a), self.exp(b))
            }
            Exp::Math(function, prim, args) => {
                format!("{}_{prim}({})", function.name(), self.exps(args))
            }
            Exp::Convert(from, to, a) => format!("{from}_to_{to}({})", self.exp(a)),
            Exp::Reinterpret(from, to, a) => format!("{from}_bits_{to}({})", self.exp(a)),
            Exp::Index(terms) => self.index(terms),
            Exp::Load(p, index) => self.place(*p, index),
            Exp::Select(parts) => format!("select({})", self.exps(&**parts)),
        }
    }

    fn index(&self, terms: &[(i64, Vec<V>)]) -> String {
        let product = |(factor, vars): &(i64, Vec<V>)| {
            let mut factors: Vec<String> = vars.iter().map(|&v| self.var(v)).collect();
            if *factor != 1 || factors.is_empty() {
                factors.insert(0, factor.to_string());
            }
            factors.join("*")
        };
        match terms {
            [] => "(+)".to_owned(),
            terms => format!("({})", terms.iter().map(product).collect::<Vec<_>>().join(" + ")),
        }
    }
}

fn constant(value: Scalar) -> String {
    let mut out = String::new();
    write_scalar(&mut out, value);
    out
}

fn string(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}
