//! The types of expressions, and what statements want of the types of their operands.

use crate::{
    Arg, Exp, Extent, Foreign, From, Fun, Out, Part, Prim, Program, Share, Space, Stm, Ty, V,
};
use fehu_ir::{CmpOp, Elem, MathFn, Scalar};

type Checked<T> = Result<T, String>;

/// Whether the types of a statement itself are right; what is wrong if not.
pub(super) fn stm(program: &Program, fun: &Fun, stm: &Stm, memories: Memories) -> Checked<()> {
    let types = Types { program, fun, memories };
    types.stm(stm)
}

/// How many memories there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Memories {
    /// That of a CPU, in which the stack and the blocks are.
    One,
    /// Those of a device.
    Several,
}

struct Types<'a> {
    program: &'a Program,
    fun: &'a Fun,
    memories: Memories,
}

impl Types<'_> {
    fn ty(&self, v: V) -> Checked<Ty> {
        let info = self.fun.vars.get(v);
        info.map(|info| info.ty).ok_or_else(|| format!("there is no variable {}", v.0))
    }

    fn hint(&self, v: V) -> &str {
        self.fun.vars.get(v).map_or("?", |info| &info.hint)
    }

    fn wrong(&self, v: V, what: &str) -> String {
        match self.ty(v) {
            Ok(ty) => format!("\"{}\" is of type {ty}, not {what}", self.hint(v)),
            Err(message) => message,
        }
    }

    fn scalar(&self, v: V) -> Checked<Prim> {
        match self.ty(v)? {
            Ty::Scalar(prim) => Ok(prim),
            Ty::Mem | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {
                Err(self.wrong(v, "a scalar"))
            }
        }
    }

    fn handle(&self, v: V) -> Checked<()> {
        if self.ty(v)? == Ty::Mem { Ok(()) } else { Err(self.wrong(v, "a handle")) }
    }

    fn pointer(&self, v: V) -> Checked<(Space, Prim)> {
        match self.ty(v)? {
            Ty::Ptr(space, prim) => Ok((space, prim)),
            Ty::Mem | Ty::Scalar(_) | Ty::Local(..) | Ty::Shared(..) => {
                Err(self.wrong(v, "a pointer"))
            }
        }
    }

    /// The elements of a pointer or an array.
    fn elem(&self, v: V) -> Checked<Prim> {
        match self.ty(v)? {
            Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => Ok(prim),
            Ty::Mem | Ty::Scalar(_) => Err(self.wrong(v, "a pointer or an array")),
        }
    }

    fn is(&self, e: &Exp, wanted: Prim) -> Checked<()> {
        let found = self.exp(e)?;
        if found == wanted {
            return Ok(());
        }
        Err(format!("an expression of type {found} stands where {wanted} is wanted"))
    }

    fn set(&self, v: V, prim: Prim) -> Checked<()> {
        if self.scalar(v)? == prim { Ok(()) } else { Err(self.wrong(v, prim.name())) }
    }

    /// The elements at a place. The index is of any type of integers: kernels have short ones.
    fn place(&self, p: V, index: &Exp) -> Checked<Prim> {
        match self.exp(index)? {
            prim if prim.is_integer() => self.elem(p),
            prim => Err(format!("an index is of type {prim}")),
        }
    }

    fn exp(&self, e: &Exp) -> Checked<Prim> {
        match e {
            Exp::Const(value) => match value.elem() {
                Elem::Prim(prim) => Ok(prim),
                Elem::Unit => Err("the value () has no type here".to_owned()),
            },
            Exp::Var(v) => self.scalar(*v),
            Exp::Un(_, prim, a) => {
                self.is(a, *prim)?;
                Ok(*prim)
            }
            Exp::Bin(_, prim, a, b) => {
                self.is(a, *prim)?;
                self.is(b, *prim)?;
                Ok(*prim)
            }
            // Addresses can be compared, as numbers.
            Exp::Cmp(CmpOp::Eq | CmpOp::Lt | CmpOp::Le, Prim::U64, a, b)
                if let (Exp::Var(p), Exp::Var(q)) = (&**a, &**b)
                    && let (Ok((one, _)), Ok((other, _))) =
                        (self.pointer(*p), self.pointer(*q)) =>
            {
                match one == other {
                    true => Ok(Prim::Bool),
                    false => Err(format!("addresses in {one} and {other} memory are compared")),
                }
            }
            Exp::Cmp(_, prim, a, b) => {
                self.is(a, *prim)?;
                self.is(b, *prim)?;
                Ok(Prim::Bool)
            }
            Exp::Math(function, prim, args) => self.math(*function, *prim, args),
            Exp::Convert(from, to, a) => {
                self.is(a, *from)?;
                Ok(*to)
            }
            Exp::Reinterpret(from, to, a) => {
                self.is(a, *from)?;
                if from.bits() != to.bits() {
                    return Err(format!("{from} and {to} do not have as many bits"));
                }
                Ok(*to)
            }
            Exp::Index(terms) => {
                for v in terms.iter().flat_map(|(_, vars)| vars) {
                    self.set(*v, Prim::I64)?;
                }
                Ok(Prim::I64)
            }
            Exp::Load(p, index) => self.place(*p, index),
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                self.is(cond, Prim::Bool)?;
                let prim = self.exp(yes)?;
                self.is(no, prim)?;
                Ok(prim)
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most functions keep the type")]
    fn math(&self, function: MathFn, prim: Prim, args: &[Exp]) -> Checked<Prim> {
        if args.len() != function.arity() {
            return Err(format!("{} has {} operands", function.name(), args.len()));
        }
        for (number, arg) in args.iter().enumerate() {
            let wanted = if function == MathFn::Ldexp && number == 1 { Prim::I32 } else { prim };
            self.is(arg, wanted)?;
        }
        Ok(match function {
            MathFn::Isnan | MathFn::Isinf => Prim::Bool,
            MathFn::Popc | MathFn::Clz | MathFn::Ctz => Prim::I32,
            _ => prim,
        })
    }

    fn stm(&self, stm: &Stm) -> Checked<()> {
        match stm {
            Stm::Comment(_)
            | Stm::End
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Leave
            | Stm::Section(_) => Ok(()),
            Stm::Declare(v, value) => match (self.ty(*v)?, value) {
                (Ty::Scalar(prim), Some(e)) => self.is(e, prim),
                (_, None) => Ok(()),
                (_, Some(_)) => Err(self.wrong(*v, "a scalar")),
            },
            Stm::Assign(v, e) => self.is(e, self.scalar(*v)?),
            Stm::Store(p, index, e) => self.is(e, self.place(*p, index)?),
            Stm::Atomic(_, p, index, e) => self.is(e, self.common(*p, index)?),
            Stm::Alloc(v, _, count) => {
                self.handle(*v)?;
                self.is(count, Prim::I64)
            }
            Stm::Share(to, from) => {
                self.handle(*to)?;
                self.handle(*from)
            }
            Stm::Export { to, block, ptr, index } => {
                self.handle(*to)?;
                self.points_to(*ptr, Space::Global)?;
                self.address(*block, *ptr, index)
            }
            Stm::Free(v) => self.handle(*v),
            Stm::Point(p, from, index) => {
                let (space, elem) = self.pointer(*p)?;
                self.is(index, Prim::I64)?;
                match from {
                    From::Mem(mem) => {
                        self.points_to(*p, Space::Global)?;
                        self.handle(*mem)
                    }
                    From::Shared => self.points_to(*p, Space::Global),
                    From::Ptr(q) => {
                        self.points_to(*q, space)?;
                        let other = self.elem(*q)?;
                        // Memory without a type is in bytes.
                        if elem == other || elem == Prim::U8 || other == Prim::U8 {
                            return Ok(());
                        }
                        Err(format!("a pointer to {elem} is derived from one to {other}"))
                    }
                }
            }
            Stm::Copy { to, from, count } => {
                self.is(count, Prim::I64)?;
                let (to, from) = (self.place(to.0, &to.1)?, self.place(from.0, &from.1)?);
                if to == from { Ok(()) } else { Err(format!("{from} is copied to {to}")) }
            }
            Stm::If(cond, ..) | Stm::While(cond, _) => self.is(cond, Prim::Bool),
            Stm::Switch(on, cases, _) => self.switch(on, cases.iter().map(|(value, _)| *value)),
            Stm::For { var, from, to, step, kind, .. } => {
                let prim = self.scalar(*var)?;
                if !prim.is_integer() {
                    return Err(self.wrong(*var, "an integer"));
                }
                self.is(from, prim)?;
                self.is(to, prim)?;
                if *step <= 0 {
                    return Err(format!("the step {step} is not positive"));
                }
                let reductions = kind.reductions().unwrap_or_default();
                reductions.iter().try_for_each(|(v, _)| self.scalar(*v).map(|_| ()))
            }
            Stm::Call(callee, results, args) => self.call(*callee, results, args),
            Stm::Foreign(call) => self.foreign(call),
            Stm::Const(number, results) => {
                let constant = self.program.consts.get(*number);
                let fun = constant.and_then(|constant| self.program.funs.get(constant.fun));
                let fun = fun.ok_or_else(|| format!("there is no constant {number}"))?;
                results.iter().try_for_each(|(result, v)| match fun.results.get(*result) {
                    Some(theirs) if fun.vars[*theirs].ty == self.ty(*v)? => Ok(()),
                    Some(theirs) => Err(self.wrong(*v, &fun.vars[*theirs].ty.to_string())),
                    None => Err(format!("constant {number} has no result {result}")),
                })
            }
            Stm::Assert(cond, message) => {
                self.is(cond, Prim::Bool)?;
                message.parts.iter().try_for_each(|part| match part {
                    Part::Text(_) => Ok(()),
                    Part::Value(e, prim) => self.is(e, *prim),
                })
            }
            Stm::Trace(_, e, prim) => self.is(e, *prim),
            Stm::TraceArray(_, p, shape) => {
                self.elem(*p)?;
                shape.iter().try_for_each(|size| self.is(size, Prim::I64))
            }
            Stm::Locked(number, _) => self.is(number, Prim::I64),
            Stm::Tasks(tasks) => {
                self.is(&tasks.total, Prim::I64)?;
                let own = [tasks.low, tasks.high, tasks.chunk];
                own.iter().chain(&tasks.chunks).try_for_each(|v| self.set(*v, Prim::I64))?;
                if tasks.grain <= 0 {
                    return Err(format!("the grain {} is not positive", tasks.grain));
                }
                self.site(tasks.site)
            }
            Stm::Prefixes(op, array, sum) => match self.ty(*array)? {
                Ty::Local(prim, _) if op.has_prefixes(prim) => self.set(*sum, prim),
                Ty::Local(prim, _) => {
                    Err(format!("there are no prefixes of {prim} by \"{}\"", op.name()))
                }
                Ty::Scalar(_) | Ty::Mem | Ty::Ptr(..) | Ty::Shared(..) => {
                    Err(self.wrong(*array, "a local array"))
                }
            },
            Stm::Chunks(v, site, total) => {
                self.set(*v, Prim::I64)?;
                self.is(total, Prim::I64)?;
                self.site(*site)
            }
            Stm::Tuning(v, number, standard) => {
                if self.program.tuning.get(*number).is_none() {
                    return Err(format!("there is no tuning parameter {number}"));
                }
                self.set(*v, Prim::I64)?;
                self.is(standard, Prim::I64)
            }
            Stm::Threads(v) | Stm::Blocks(v) => self.set(*v, Prim::I64),
            Stm::Begin(work) => {
                let mut amounts = work.parts.iter().flat_map(Share::amounts);
                amounts.try_for_each(|e| self.is(e, Prim::I64))
            }
            Stm::Launch(kernel) => {
                self.is(&kernel.blocks, Prim::I64)?;
                self.set(kernel.block, Prim::I64)?;
                self.set(kernel.thread, Prim::I64)?;
                if kernel.threads == 0 {
                    return Err("a block has no threads".to_owned());
                }
                for Extent { ptr, first, count } in &kernel.changes {
                    self.place(*ptr, first)?;
                    self.is(count, Prim::I64)?;
                }
                kernel.shared.iter().try_for_each(|bytes| self.is(bytes, Prim::I64))
            }
            Stm::Fetch(v, p, index) | Stm::Poll(v, p, index) => {
                self.set(*v, self.common(*p, index)?)
            }
            Stm::Ask(p, index) => self.common(*p, index).map(|_| ()),
            Stm::Receive(v) => self.set(*v, self.scalar(*v)?),
            Stm::Count(v, p, index) => {
                self.guard(*p, index)?;
                self.set(*v, Prim::I32)
            }
            Stm::Arrive { last, counter, of } => {
                self.is(counter, Prim::I64)?;
                self.is(of, Prim::I64)?;
                self.set(*last, Prim::Bool)
            }
            Stm::Shuffle { to, by, of, .. } => {
                let Ty::Scalar(prim) = self.ty(*to)? else {
                    return Err(self.wrong(*to, "a scalar"));
                };
                self.is(by, Prim::I64)?;
                self.is(of, prim)
            }
            Stm::Exchange { ptr, index, old, new, .. } => {
                let prim = self.common(*ptr, index)?;
                self.set(*old, prim)?;
                self.is(new, prim)
            }
            Stm::Guarded(p, index, _) => self.guard(*p, index),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
    fn guard(&self, p: V, index: &Exp) -> Checked<()> {
        match self.common(p, index)? {
            Prim::I32 => Ok(()),
            _ => Err(self.wrong(p, "a pointer to i32")),
        }
    }

    /// The elements at a place that several threads can reach.
    fn common(&self, p: V, index: &Exp) -> Checked<Prim> {
        if self.memories == Memories::Several && self.ty(p)?.space() == Some(Space::Own) {
            return Err(format!("\"{}\" is in the memory of one thread", self.hint(p)));
        }
        self.place(p, index)
    }

    /// Whether a pointer or an array can be taken for one in a memory.
    fn points_to(&self, p: V, space: Space) -> Checked<()> {
        let found = self.ty(p)?.space();
        if found == Some(space)
            || (self.memories, found, space) == (Memories::One, Some(Space::Own), Space::Global)
        {
            return Ok(());
        }
        match found {
            Some(found) => {
                Err(format!("\"{}\" is in {found} memory, not in {space}", self.hint(p)))
            }
            None => Err(self.wrong(p, "a pointer or an array")),
        }
    }

    fn address(&self, block: Option<V>, ptr: V, index: &Exp) -> Checked<()> {
        block.map_or(Ok(()), |block| self.handle(block))?;
        self.place(ptr, index).map(|_| ())
    }

    fn site(&self, site: usize) -> Checked<()> {
        if site < self.program.sites {
            return Ok(());
        }
        Err(format!("site {site} is not one of {}", self.program.sites))
    }

    fn switch(&self, on: &Exp, cases: impl Iterator<Item = Scalar>) -> Checked<()> {
        let prim = self.exp(on)?;
        if prim.is_float() {
            return Err(format!("the cases are of type {prim}"));
        }
        let mut seen = Vec::new();
        for value in cases {
            if value.elem() != Elem::Prim(prim) {
                return Err(format!("a case is not of type {prim}"));
            }
            if seen.contains(&value) {
                return Err("two cases are the same".to_owned());
            }
            seen.push(value);
        }
        Ok(())
    }

    fn foreign(&self, call: &Foreign) -> Checked<()> {
        for arg in &call.args {
            match arg {
                Arg::Scalar(e) => self.exp(e).map(|_| ())?,
                Arg::Mem { block, ptr, index } => {
                    self.place(*ptr, index)?;
                    block.iter().try_for_each(|block| self.handle(*block))?;
                }
            }
        }
        for out in &call.results {
            match out {
                Out::Scalar(v) => self.scalar(*v).map(|_| ())?,
                Out::Elements(v) => self.pointer(*v).map(|_| ())?,
            }
        }
        match (call.status, call.results.as_slice()) {
            (Some(status), _) => self.set(status, Prim::I32),
            (None, [Out::Scalar(_)]) => Ok(()),
            (None, _) => Err(format!("\"{}\" has no status", call.symbol)),
        }
    }

    fn call(&self, callee: crate::FunId, results: &[V], args: &[Arg]) -> Checked<()> {
        let Some(fun) = self.program.funs.get(callee).filter(|fun| !fun.name.is_empty()) else {
            return Err(format!("there is no function {}", callee.0));
        };
        if fun.params.len() != args.len() || fun.results.len() != results.len() {
            return Err(format!("{} has other parameters or results", fun.name));
        }
        for (param, arg) in fun.params.iter().zip(args) {
            match (fun.vars[*param].ty, arg) {
                (Ty::Scalar(prim), Arg::Scalar(e)) => self.is(e, prim)?,
                // What becomes of arrays that are in no block is for the stage `device` to decide.
                (Ty::Mem, Arg::Mem { block, ptr, index }) => self.address(*block, *ptr, index)?,
                // A function of the device has pointers to bytes for handles.
                (Ty::Ptr(space, Prim::U8), Arg::Mem { block, ptr, index }) => {
                    self.points_to(*ptr, space)?;
                    self.address(*block, *ptr, index)?;
                }
                (ty, _) => return Err(format!("an argument is not of type {ty}")),
            }
        }
        for (theirs, own) in fun.results.iter().zip(results) {
            let ty = fun.vars[*theirs].ty;
            if self.ty(*own)? != ty {
                return Err(self.wrong(*own, &ty.to_string()));
            }
        }
        Ok(())
    }
}
