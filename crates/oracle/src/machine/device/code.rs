//! Kernels as a list of operations with jumps, so that a thread can stop anywhere and go on later.

use super::super::{Res, wrong};
use fehu_base::id::Id;
use fehu_base::{IdVec, OrBug, Prim};
use fehu_imp::rewrite::rename;
use fehu_imp::visit::{each_stm, free_vars, set_vars};
use fehu_imp::{
    Arg, Block, Exp, From, Fun, FunId, Kernel, Lane, Message, Program, RedOp, Stm, Ty, V, VarInfo,
};
use fehu_ir::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// A kernel. Its variables are numbered anew, without gaps.
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) vars: IdVec<V, VarInfo>,
    /// The variables of the host that the kernel uses, and its own ones for them.
    pub(super) captured: Vec<(V, V)>,
    /// Its own ones of those through which it reads what nobody changes.
    pub(super) read_only: FxHashSet<V>,
    /// The shared arrays.
    pub(super) shared: Vec<(V, Prim, u32)>,
    pub(super) block: V,
    pub(super) thread: V,
    /// How many loops, exchanges and private arrays there are: each has a place for what it remembers.
    pub(super) loops: usize,
    pub(super) exchanges: usize,
    pub(super) locals: usize,
}

/// What a thread does next. Numbers of operations are those to go on with.
pub(super) enum Op {
    Declare(V, Option<Exp>),
    /// A private array begins.
    Local(V, usize, Prim, u32),
    Assign(V, Exp),
    Store(V, Exp, Exp),
    Point(V, From, Exp),
    Copy {
        to: (V, Exp),
        from: (V, Exp),
        count: Exp,
    },
    Jump(usize),
    Unless(Exp, usize),
    Switch(Exp, Vec<(Scalar, usize)>, usize),
    /// A loop begins: its variable and its bound, which is remembered.
    Begin(V, Exp, Exp, usize),
    /// Goes on elsewhere if the loop is over.
    Test(V, usize, usize),
    Step(V, i64),
    /// Goes on elsewhere if the condition holds; otherwise the check has failed.
    Assert(Exp, Message, usize),
    /// The thread or section ends.
    Leave(usize),
    Atomic(RedOp, V, Exp, Exp),
    Lock(Exp),
    Guard(V, Exp),
    Unlock,
    /// Reads what is exchanged.
    Old {
        ptr: V,
        index: Exp,
        old: V,
        number: usize,
    },
    /// Exchanges it, or goes back.
    New {
        old: V,
        new: Exp,
        number: usize,
        back: usize,
    },
    Poll(V, V, Exp),
    Count(V, V, Exp),
    /// The variable, the counter, and how many blocks come there.
    Arrive(V, Exp, Exp),
    Barrier,
    WarpBarrier,
    Shuffle(V, Lane, Exp, Exp),
    /// Only the first warp does not go on elsewhere.
    Warp(usize),
    End,
}

impl Code {
    /// The operations of a kernel of a function.
    pub(super) fn new(program: &Program, fun: &Fun, kernel: &Kernel) -> Res<Code> {
        let (mut maker, body) = Maker::new(program, fun, kernel);
        maker.find_shared(&body);
        maker.block(&body)?;
        let end = maker.code.ops.len();
        maker.code.ops.push(Op::End);
        for at in std::mem::take(&mut maker.ends) {
            maker.patch(at, end);
        }
        Ok(maker.code)
    }
}

struct Maker<'a> {
    program: &'a Program,
    code: Code,
    /// The operations that end the thread.
    ends: Vec<usize>,
    /// For each section around, the operations that end it, and how many locks are held outside it.
    sections: Vec<(Vec<usize>, usize)>,
    /// How many locks are held.
    held: usize,
}

impl<'a> Maker<'a> {
    fn new(program: &'a Program, fun: &Fun, kernel: &Kernel) -> (Maker<'a>, Block) {
        let vars: RefCell<IdVec<V, VarInfo>> = RefCell::new(IdVec::default());
        let names: RefCell<FxHashMap<V, V>> = RefCell::new(FxHashMap::default());
        let name = |v: V| {
            *names
                .borrow_mut()
                .entry(v)
                .or_insert_with(|| vars.borrow_mut().push(fun.vars[v].clone()))
        };
        let (block, thread) = (name(kernel.block), name(kernel.thread));
        let own = [kernel.block, kernel.thread];
        let free = free_vars(&kernel.body).into_iter().filter(|v| !own.contains(v));
        let captured = free.map(|v| (v, name(v))).collect();
        let read_only = kernel.read_only.iter().map(|v| name(*v)).collect();
        let body = rename(&kernel.body, &|v| Some(name(v)));
        let code = Code {
            ops: Vec::new(),
            vars: vars.into_inner(),
            captured,
            read_only,
            shared: Vec::new(),
            block,
            thread,
            loops: 0,
            exchanges: 0,
            locals: 0,
        };
        (Maker { program, code, ends: Vec::new(), sections: Vec::new(), held: 0 }, body)
    }

    fn find_shared(&mut self, body: &[Stm]) {
        each_stm(body, &mut |stm| {
            if let Stm::Declare(v, _) = stm
                && let Ty::Shared(prim, count) = self.code.vars[*v].ty
            {
                self.code.shared.push((*v, prim, count));
            }
        });
    }

    fn push(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.ops.len() - 1
    }

    fn here(&self) -> usize {
        self.code.ops.len()
    }

    /// A jump goes here.
    fn patch(&mut self, at: usize, here: usize) {
        match &mut self.code.ops[at] {
            Op::Jump(to)
            | Op::Unless(_, to)
            | Op::Test(_, _, to)
            | Op::Assert(_, _, to)
            | Op::Leave(to)
            | Op::Warp(to) => *to = here,
            Op::Switch(_, _, default) => *default = here,
            Op::Declare(..)
            | Op::Local(..)
            | Op::Assign(..)
            | Op::Store(..)
            | Op::Point(..)
            | Op::Copy { .. }
            | Op::Begin(..)
            | Op::Step(..)
            | Op::Atomic(..)
            | Op::Lock(_)
            | Op::Guard(..)
            | Op::Unlock
            | Op::Old { .. }
            | Op::New { .. }
            | Op::Poll(..)
            | Op::Count(..)
            | Op::Arrive(..)
            | Op::Barrier
            | Op::WarpBarrier
            | Op::Shuffle(..)
            | Op::End => {}
        }
    }

    /// Gives locks back, and ends the section or thread.
    fn leave(&mut self) {
        let outside = self.sections.last().map_or(0, |(_, outside)| *outside);
        for _ in outside..self.held {
            self.push(Op::Unlock);
        }
        let at = self.push(Op::Leave(0));
        match self.sections.last_mut() {
            Some((ends, _)) => ends.push(at),
            None => self.ends.push(at),
        }
    }

    fn block(&mut self, block: &[Stm]) -> Res<()> {
        block.iter().try_for_each(|stm| self.stm(stm))
    }

    fn stm(&mut self, stm: &Stm) -> Res<()> {
        match stm {
            // There is nowhere to print to.
            Stm::Comment(_) | Stm::Trace(..) | Stm::TraceArray(..) => {}
            Stm::Declare(v, e) => match self.code.vars[*v].ty {
                Ty::Scalar(_) | Ty::Ptr(..) => drop(self.push(Op::Declare(*v, e.clone()))),
                Ty::Local(prim, count) => {
                    let number = self.code.locals;
                    self.code.locals += 1;
                    self.push(Op::Local(*v, number, prim, count));
                }
                Ty::Shared(..) => {}
                Ty::Mem => return Err(wrong("a kernel has a handle")),
            },
            Stm::Assign(v, e) => drop(self.push(Op::Assign(*v, e.clone()))),
            Stm::Store(p, at, e) => drop(self.push(Op::Store(*p, at.clone(), e.clone()))),
            Stm::Point(p, from, at) => drop(self.push(Op::Point(*p, *from, at.clone()))),
            Stm::Copy { to, from, count } => {
                let (to, from, count) = (to.clone(), from.clone(), count.clone());
                self.push(Op::Copy { to, from, count });
            }
            Stm::If(cond, yes, no) => {
                let test = self.push(Op::Unless(cond.clone(), 0));
                self.block(yes)?;
                let over = self.push(Op::Jump(0));
                self.patch(test, self.here());
                self.block(no)?;
                self.patch(over, self.here());
            }
            Stm::Switch(on, cases, default) => {
                let test = self.push(Op::Switch(on.clone(), Vec::new(), 0));
                let (mut begins, mut ends) = (Vec::new(), Vec::new());
                for (value, body) in cases {
                    begins.push((*value, self.here()));
                    self.block(body)?;
                    ends.push(self.push(Op::Jump(0)));
                }
                self.patch(test, self.here());
                if let Op::Switch(_, known, _) = &mut self.code.ops[test] {
                    *known = begins;
                }
                self.block(default)?;
                for end in ends {
                    self.patch(end, self.here());
                }
            }
            Stm::For { var, from, to, step, body, .. } => {
                let number = self.code.loops;
                self.code.loops += 1;
                self.push(Op::Begin(*var, from.clone(), to.clone(), number));
                let test = self.push(Op::Test(*var, number, 0));
                self.block(body)?;
                self.push(Op::Step(*var, *step));
                self.push(Op::Jump(test));
                self.patch(test, self.here());
            }
            Stm::While(cond, body) => {
                let test = self.push(Op::Unless(cond.clone(), 0));
                self.block(body)?;
                self.push(Op::Jump(test));
                self.patch(test, self.here());
            }
            Stm::Assert(cond, message) => {
                let test = self.push(Op::Assert(cond.clone(), message.clone(), 0));
                self.leave();
                self.patch(test, self.here());
            }
            Stm::Leave => self.leave(),
            Stm::Section(body) => {
                self.sections.push((Vec::new(), self.held));
                self.block(body)?;
                let (ends, _) = self.sections.pop().or_bug("section that ends");
                for end in ends {
                    self.patch(end, self.here());
                }
            }
            Stm::Atomic(op, p, at, e) => {
                self.push(Op::Atomic(*op, *p, at.clone(), e.clone()));
            }
            Stm::Locked(number, body) => {
                self.push(Op::Lock(number.clone()));
                self.locked(body)?;
            }
            Stm::Guarded(p, at, body) => {
                self.push(Op::Guard(*p, at.clone()));
                self.locked(body)?;
            }
            Stm::Exchange { ptr, index, old, body, new } => {
                let number = self.code.exchanges;
                self.code.exchanges += 1;
                self.push(Op::Old { ptr: *ptr, index: index.clone(), old: *old, number });
                let back = self.here();
                self.block(body)?;
                self.push(Op::New { old: *old, new: new.clone(), number, back });
            }
            Stm::Poll(v, p, at) => drop(self.push(Op::Poll(*v, *p, at.clone()))),
            Stm::Count(v, p, at) => drop(self.push(Op::Count(*v, *p, at.clone()))),
            Stm::Arrive { last, counter, of } => {
                self.push(Op::Arrive(*last, counter.clone(), of.clone()));
            }
            Stm::Barrier => drop(self.push(Op::Barrier)),
            Stm::WarpBarrier => drop(self.push(Op::WarpBarrier)),
            Stm::Shuffle { to, lane, by, of } => {
                self.push(Op::Shuffle(*to, *lane, by.clone(), of.clone()));
            }
            Stm::Warp(body) => {
                let test = self.push(Op::Warp(0));
                self.block(body)?;
                self.patch(test, self.here());
            }
            Stm::Call(callee, results, args) => self.call(*callee, results, args)?,
            Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Const(..)
            | Stm::Tasks(_)
            | Stm::Prefixes(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Blocks(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Launch(_)
            | Stm::Foreign(_)
            | Stm::Fetch(..)
            | Stm::Ask(..)
            | Stm::Receive(_) => return Err(wrong(format!("a kernel cannot do this: {stm:?}"))),
        }
        Ok(())
    }

    /// A function of the device, which is not recursive: its operations, on variables of this call.
    fn call(&mut self, callee: FunId, results: &[V], args: &[Arg]) -> Res<()> {
        let fun = self.program.funs.get(callee).filter(|_| self.program.inside.contains(&callee));
        let fun = fun.ok_or_else(|| wrong("a kernel calls a function of the host"))?;
        let first = self.code.vars.len();
        for (_, info) in fun.vars.iter() {
            self.code.vars.push(info.clone());
        }
        let own = |v: V| V::from_index(first + v.index());
        for (param, arg) in fun.params.iter().zip(args) {
            match arg {
                Arg::Scalar(e) => drop(self.push(Op::Declare(own(*param), Some(e.clone())))),
                Arg::Mem { ptr, index, .. } => {
                    self.push(Op::Declare(own(*param), None));
                    // The index counts the elements of the pointer, and not those of the parameter.
                    let ty = self.code.vars[*ptr].ty;
                    let ty = match ty {
                        Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => {
                            ty.pointer_into(prim)
                        }
                        Ty::Scalar(_) | Ty::Mem => return Err(wrong("an argument is no array")),
                    };
                    let there = self.code.vars.push(VarInfo { hint: "there".into(), ty });
                    self.push(Op::Point(there, From::Ptr(*ptr), index.clone()));
                    self.push(Op::Point(own(*param), From::Ptr(there), Exp::int(0)));
                }
            }
        }
        for result in &fun.results {
            self.push(Op::Declare(own(*result), None));
        }
        self.block(&rename(&fun.body, &|v| Some(own(v))))?;
        for (to, result) in results.iter().zip(&fun.results) {
            let from = own(*result);
            self.push(match self.code.vars[from].ty {
                Ty::Ptr(..) => Op::Point(*to, From::Ptr(from), Exp::int(0)),
                Ty::Scalar(_) | Ty::Mem | Ty::Local(..) | Ty::Shared(..) => {
                    Op::Assign(*to, Exp::Var(from))
                }
            });
        }
        Ok(())
    }

    fn locked(&mut self, body: &[Stm]) -> Res<()> {
        self.held += 1;
        self.block(body)?;
        self.held -= 1;
        self.push(Op::Unlock);
        Ok(())
    }
}

/// The variables of the host that a kernel sets, which it cannot.
pub(super) fn sets_outside(kernel: &Kernel) -> Option<V> {
    let free = free_vars(&kernel.body);
    let set = set_vars(&kernel.body);
    let own = [kernel.block, kernel.thread];
    free.into_iter().chain(own).find(|v| set.contains(v))
}

/// A variable for readers.
pub(super) fn shown(vars: &IdVec<V, VarInfo>, v: V) -> String {
    format!("\"{}\" (variable {})", vars[v].hint, v.index())
}
