//! Programs as text, for compiler developers: one statement per line, variables as `hint.number`.

use crate::{Arg, Exp, From, Fun, Kind, Message, Part, Program, RedOp, Stm, Tasks, Ty, V};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use std::fmt::{self, Formatter, Write};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, constant) in self.consts.iter().enumerate() {
            let name = self.funs.get(constant.fun).map_or("?", |fun| &fun.name);
            writeln!(f, "constant {i} = {name}()")?;
        }
        for (i, (_, fun)) in self.funs.iter().enumerate() {
            if i > 0 || !self.consts.is_empty() {
                writeln!(f)?;
            }
            Printer { program: Some(self), fun }.fun(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Fun {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer { program: None, fun: self }.fun(f)
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Scalar(prim) => write!(f, "{prim}"),
            Ty::Mem => f.write_str("mem"),
            Ty::Ptr(prim) => write!(f, "*{prim}"),
            Ty::Local(prim, n) => write!(f, "{prim}[{n}]"),
            Ty::Shared(prim, n) => write!(f, "shared {prim}[{n}]"),
        }
    }
}

impl RedOp {
    /// The operator's name.
    pub fn name(self) -> &'static str {
        match self {
            RedOp::Add => "add",
            RedOp::Mul => "mul",
            RedOp::Min => "min",
            RedOp::Max => "max",
            RedOp::And => "and",
            RedOp::Or => "or",
            RedOp::Xor => "xor",
        }
    }

    /// The operator on two operands.
    pub fn bin_op(self) -> BinOp {
        match self {
            RedOp::Add => BinOp::Add,
            RedOp::Mul => BinOp::Mul,
            RedOp::Min => BinOp::Min,
            RedOp::Max => BinOp::Max,
            RedOp::And => BinOp::And,
            RedOp::Or => BinOp::Or,
            RedOp::Xor => BinOp::Xor,
        }
    }
}

/// The name of an operator of one operand.
pub fn un_op_name(op: UnOp) -> &'static str {
    match op {
        UnOp::Neg => "neg",
        UnOp::Not => "not",
        UnOp::Abs => "abs",
        UnOp::Sgn => "sgn",
    }
}

/// The name of an operator of two operands.
pub fn bin_op_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "add",
        BinOp::Sub => "sub",
        BinOp::Mul => "mul",
        BinOp::Div => "div",
        BinOp::Mod => "mod",
        BinOp::Quot => "quot",
        BinOp::Rem => "rem",
        BinOp::Pow => "pow",
        BinOp::Min => "min",
        BinOp::Max => "max",
        BinOp::And => "and",
        BinOp::Or => "or",
        BinOp::Xor => "xor",
        BinOp::Shl => "shl",
        BinOp::Shr => "shr",
        BinOp::Lshr => "lshr",
        BinOp::Ashr => "ashr",
    }
}

/// The name of a comparison.
pub fn cmp_op_name(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "eq",
        CmpOp::Lt => "lt",
        CmpOp::Le => "le",
    }
}

struct Printer<'a> {
    program: Option<&'a Program>,
    fun: &'a Fun,
}

impl Printer<'_> {
    fn fun(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let typed = |&v: &V| match self.fun.vars.get(v) {
            Some(info) => format!("{}: {}", self.var(v), info.ty),
            None => self.var(v),
        };
        let params: Vec<String> = self.fun.params.iter().map(typed).collect();
        let results: Vec<String> = self.fun.results.iter().map(typed).collect();
        let name = &self.fun.name;
        writeln!(f, "fun {name}({}) -> ({}) {{", params.join(", "), results.join(", "))?;
        self.block(f, 1, &self.fun.body)?;
        writeln!(f, "}}")
    }

    fn var(&self, v: V) -> String {
        match self.fun.vars.get(v) {
            Some(info) if !info.hint.is_empty() => format!("{}.{}", info.hint, v.0),
            Some(_) | None => format!("{v:?}"),
        }
    }

    fn vars(&self, vars: &[V]) -> String {
        vars.iter().map(|&v| self.var(v)).collect::<Vec<_>>().join(", ")
    }

    fn block(&self, f: &mut Formatter<'_>, depth: usize, block: &[Stm]) -> fmt::Result {
        block.iter().try_for_each(|stm| self.stm(f, depth, stm))
    }

    fn stm(&self, f: &mut Formatter<'_>, depth: usize, stm: &Stm) -> fmt::Result {
        let pad = "  ".repeat(depth);
        f.write_str(&pad)?;
        match stm {
            Stm::Comment(text) => writeln!(f, "// {}", text.replace("\n", " ")),
            Stm::Declare(v, value) => {
                write!(f, "var {}", self.var(*v))?;
                if let Some(info) = self.fun.vars.get(*v) {
                    write!(f, ": {}", info.ty)?;
                }
                match value {
                    Some(e) => writeln!(f, " = {}", self.exp(e)),
                    None => writeln!(f),
                }
            }
            Stm::Assign(v, e) => writeln!(f, "{} = {}", self.var(*v), self.exp(e)),
            Stm::Store(v, index, e) => {
                writeln!(f, "{}[{}] = {}", self.var(*v), self.exp(index), self.exp(e))
            }
            Stm::Export { to, ptr, index, .. } => {
                writeln!(f, "{} = share &{}[{}]", self.var(*to), self.var(*ptr), self.exp(index))
            }
            Stm::Alloc(v, prim, count) => {
                writeln!(f, "{} = alloc {prim}[{}]", self.var(*v), self.exp(count))
            }
            Stm::Share(to, from) => writeln!(f, "{} = share {}", self.var(*to), self.var(*from)),
            Stm::Free(v) => writeln!(f, "free {}", self.var(*v)),
            Stm::Point(p, from, index) => {
                let from = match from {
                    From::Mem(v) | From::Ptr(v) => self.var(*v),
                    From::Shared => return writeln!(f, "{} = shared or as it is", self.var(*p)),
                };
                writeln!(f, "{} = &{from}[{}]", self.var(*p), self.exp(index))
            }
            Stm::Copy { to, from, count } => writeln!(
                f,
                "copy {}[{}] <- {}[{}], {}",
                self.var(to.0),
                self.exp(&to.1),
                self.var(from.0),
                self.exp(&from.1),
                self.exp(count)
            ),
            Stm::If(cond, yes, no) => {
                writeln!(f, "if {} {{", self.exp(cond))?;
                self.block(f, depth + 1, yes)?;
                if !no.is_empty() {
                    writeln!(f, "{pad}}} else {{")?;
                    self.block(f, depth + 1, no)?;
                }
                writeln!(f, "{pad}}}")
            }
            Stm::Switch(e, cases, default) => {
                writeln!(f, "switch {} {{", self.exp(e))?;
                for (value, block) in cases {
                    writeln!(f, "{pad}case {}:", constant(*value))?;
                    self.block(f, depth + 1, block)?;
                }
                writeln!(f, "{pad}default:")?;
                self.block(f, depth + 1, default)?;
                writeln!(f, "{pad}}}")
            }
            Stm::For { var, from, to, step, kind, body } => {
                write!(f, "for {} = {} .. {}", self.var(*var), self.exp(from), self.exp(to))?;
                if *step != 1 {
                    write!(f, " by {step}")?;
                }
                if let Kind::Independent(reductions) = kind {
                    write!(f, " independent")?;
                    for (v, op) in reductions {
                        write!(f, " {}({})", op.name(), self.var(*v))?;
                    }
                }
                writeln!(f, " {{")?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::While(cond, body) => {
                writeln!(f, "while {} {{", self.exp(cond))?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::Call(fun, results, args) => {
                let name = self.program.and_then(|p| p.funs.get(*fun)).map(|fun| fun.name.clone());
                let name = name.unwrap_or_else(|| format!("{fun:?}").into());
                let args: Vec<String> = args.iter().map(|arg| self.arg(arg)).collect();
                writeln!(f, "{} = {name}({})", self.vars(results), args.join(", "))
            }
            Stm::Const(number, results) => {
                for (i, (result, v)) in results.iter().enumerate() {
                    let separator = if i > 0 { ", " } else { "" };
                    write!(f, "{separator}{} = constant {number}.{result}", self.var(*v))?;
                }
                writeln!(f)
            }
            Stm::Assert(cond, message) => {
                writeln!(f, "assert {}, {}", self.exp(cond), self.message(message))
            }
            Stm::Trace(tag, e, prim) => writeln!(f, "trace {tag:?} {}: {prim}", self.exp(e)),
            Stm::TraceArray(tag, p, shape) => {
                writeln!(f, "trace {tag:?} {}[{}]", self.var(*p), self.exps(shape))
            }
            Stm::Atomic(op, p, index, e) => {
                let (p, index, e) = (self.var(*p), self.exp(index), self.exp(e));
                writeln!(f, "atomic {p}[{index}] {}= {e}", op.name())
            }
            Stm::Locked(number, body) => {
                writeln!(f, "locked {} {{", self.exp(number))?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::Tasks(tasks) => {
                self.tasks_head(f, tasks)?;
                self.block(f, depth + 1, &tasks.body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::Tuning(v, number, standard) => {
                writeln!(f, "{} = tuning {number} or {}", self.var(*v), self.exp(standard))
            }
            Stm::Threads(v) => writeln!(f, "{} = threads", self.var(*v)),
            Stm::Chunks(v, site, n) => {
                writeln!(f, "{} = chunks at {site} of {}", self.var(*v), self.exp(n))
            }
            Stm::Launch(kernel) => {
                let (block, thread) = (self.var(kernel.block), self.var(kernel.thread));
                let (blocks, threads) = (self.exp(&kernel.blocks), kernel.threads);
                write!(
                    f,
                    "launch {}{} block {block} of {blocks} thread {thread} of {threads}",
                    kernel.hint,
                    if kernel.by_block { " together" } else { "" }
                )?;
                if kernel.residents > 1 {
                    write!(f, " residents {}", kernel.residents)?;
                }
                writeln!(f, " {{")?;
                self.block(f, depth + 1, &kernel.body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::Fetch(v, p, at) => {
                writeln!(f, "{} = fetch {}[{}]", self.var(*v), self.var(*p), self.exp(at))
            }
            Stm::Poll(v, p, at) => {
                writeln!(f, "{} = poll {}[{}]", self.var(*v), self.var(*p), self.exp(at))
            }
            Stm::Count(v, p, at) => {
                writeln!(f, "{} = count {}[{}]", self.var(*v), self.var(*p), self.exp(at))
            }
            Stm::Exchange { ptr, index, old, body, new } => {
                let (ptr, index) = (self.var(*ptr), self.exp(index));
                writeln!(f, "exchange {} = {ptr}[{index}] {{", self.var(*old))?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}} for {}", self.exp(new))
            }
            Stm::Guarded(p, at, body) => {
                writeln!(f, "guarded {}[{}] {{", self.var(*p), self.exp(at))?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::Sums(array, sum) => {
                writeln!(f, "{} = sums {}", self.var(*sum), self.var(*array))
            }
            Stm::Leave => writeln!(f, "leave"),
            Stm::Barrier => writeln!(f, "barrier"),
            Stm::WarpBarrier => writeln!(f, "warp barrier"),
            Stm::Warp(body) => {
                writeln!(f, "warp {{")?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}}")
            }
            Stm::Section(body) => {
                writeln!(f, "section {{")?;
                self.block(f, depth + 1, body)?;
                writeln!(f, "{pad}}}")
            }
        }
    }

    fn tasks_head(&self, f: &mut Formatter<'_>, tasks: &Tasks) -> fmt::Result {
        let (low, high) = (self.var(tasks.low), self.var(tasks.high));
        write!(f, "tasks at {} {low} .. {high} of {}", tasks.site, self.exp(&tasks.total))?;
        if let Some(chunks) = tasks.chunks {
            write!(f, " chunk {} of {}", self.var(tasks.chunk), self.var(chunks))?;
        }
        writeln!(f, " {{")
    }

    fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Scalar(e) => self.exp(e),
            Arg::Mem { ptr, index, .. } => format!("&{}[{}]", self.var(*ptr), self.exp(index)),
        }
    }

    fn message(&self, message: &Message) -> String {
        let mut text = String::new();
        for (i, part) in message.parts.iter().enumerate() {
            let separator = if i > 0 { " " } else { "" };
            // A string takes whatever is written to it.
            let _ = match part {
                Part::Text(fixed) => write!(text, "{separator}{fixed:?}"),
                Part::Value(e, prim) => write!(text, "{separator}{}: {prim}", self.exp(e)),
            };
        }
        text
    }

    fn exps(&self, exps: &[Exp]) -> String {
        exps.iter().map(|e| self.exp(e)).collect::<Vec<_>>().join(", ")
    }

    /// Operators are written like functions, so that nothing needs parentheses.
    fn exp(&self, e: &Exp) -> String {
        match e {
            Exp::Const(value) => constant(*value),
            Exp::Var(v) => self.var(*v),
            Exp::Un(op, prim, a) => format!("{}_{prim}({})", un_op_name(*op), self.exp(a)),
            Exp::Bin(op, prim, a, b) => {
                format!("{}_{prim}({}, {})", bin_op_name(*op), self.exp(a), self.exp(b))
            }
            Exp::Cmp(op, prim, a, b) => {
                format!("{}_{prim}({}, {})", cmp_op_name(*op), self.exp(a), self.exp(b))
            }
            Exp::Math(function, prim, args) => {
                format!("{}_{prim}({})", function.name(), self.exps(args))
            }
            Exp::Convert(from, to, a) => format!("{from}_to_{to}({})", self.exp(a)),
            Exp::Reinterpret(from, to, a) => format!("{from}_bits_{to}({})", self.exp(a)),
            Exp::Index(terms) => self.index(terms),
            Exp::Load(p, index) => format!("{}[{}]", self.var(*p), self.exp(index)),
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                format!("select({}, {}, {})", self.exp(cond), self.exp(yes), self.exp(no))
            }
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
            [] => "0".to_owned(),
            [term] => product(term),
            terms => format!("({})", terms.iter().map(product).collect::<Vec<_>>().join(" + ")),
        }
    }
}

fn constant(value: Scalar) -> String {
    match value {
        Scalar::I8(a) => format!("{a}i8"),
        Scalar::I16(a) => format!("{a}i16"),
        Scalar::I32(a) => format!("{a}i32"),
        // Most constants are sizes and indices.
        Scalar::I64(a) => a.to_string(),
        Scalar::U8(a) => format!("{a}u8"),
        Scalar::U16(a) => format!("{a}u16"),
        Scalar::U32(a) => format!("{a}u32"),
        Scalar::U64(a) => format!("{a}u64"),
        Scalar::F16(a) => format!("{a:?}f16"),
        Scalar::F32(a) => format!("{a:?}f32"),
        Scalar::F64(a) => format!("{a:?}f64"),
        Scalar::Bool(a) => a.to_string(),
        Scalar::Unit => "()".to_owned(),
    }
}
