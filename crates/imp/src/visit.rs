//! Traversals of expressions and statements, and what follows from them: which variables a block needs and sets.
//!
//! A variable is declared in one place of its function, so "free" means: used inside, and not declared inside.

use crate::{Arg, Block, Exp, From, Kind, Part, Stm, V};
use rustc_hash::FxHashSet;

/// The variables that a block uses or sets and that are declared outside it, in the order of their first occurrence.
pub fn free_vars(block: &[Stm]) -> Vec<V> {
    let mut declared = FxHashSet::default();
    each_stm(block, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        })
    });
    let mut free = Vec::new();
    let mut seen = FxHashSet::default();
    each_stm(block, &mut |stm| {
        let mut note = |v| {
            if !declared.contains(&v) && seen.insert(v) {
                free.push(v);
            }
        };
        stm.each_used(&mut note);
        stm.each_set(&mut note);
    });
    free
}

/// The variables that a block sets, at any depth: assigned or declared.
pub fn set_vars(block: &[Stm]) -> FxHashSet<V> {
    let mut set = FxHashSet::default();
    each_stm(block, &mut |stm| {
        stm.each_set(&mut |v| {
            set.insert(v);
        });
        stm.each_declared(&mut |v| {
            set.insert(v);
        });
    });
    set
}

/// All statements of a block, at any depth; each before those inside it.
pub fn each_stm<'a>(block: &'a [Stm], visit: &mut dyn FnMut(&'a Stm)) {
    for stm in block {
        visit(stm);
        stm.each_block(&mut |inner| each_stm(inner, visit));
    }
}

impl Exp {
    /// The expressions directly inside this one.
    pub fn each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Exp)) {
        match self {
            Exp::Const(_) | Exp::Var(_) | Exp::Index(_) => {}
            Exp::Un(_, _, a)
            | Exp::Convert(_, _, a)
            | Exp::Reinterpret(_, _, a)
            | Exp::Load(_, a) => visit(a),
            Exp::Bin(_, _, a, b) | Exp::Cmp(_, _, a, b) => {
                visit(a);
                visit(b);
            }
            Exp::Math(_, _, args) => args.iter().for_each(visit),
            Exp::Select(parts) => parts.iter().for_each(visit),
        }
    }

    /// The variables of this expression, as often as they occur: scalars, and what is loaded from.
    pub fn each_var(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Exp::Var(v) | Exp::Load(v, _) => visit(*v),
            Exp::Index(terms) => {
                terms.iter().flat_map(|(_, vars)| vars).for_each(|&v| visit(v));
            }
            Exp::Const(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Select(_) => {}
        }
        self.each_child(&mut |child| child.each_var(visit));
    }

    /// Whether this expression or one inside it satisfies a condition.
    pub fn any(&self, holds: &dyn Fn(&Exp) -> bool) -> bool {
        let mut found = holds(self);
        self.each_child(&mut |child| found = found || child.any(holds));
        found
    }

    /// Whether the value depends on a variable.
    pub fn mentions(&self, var: V) -> bool {
        let mut found = false;
        self.each_var(&mut |v| found |= v == var);
        found
    }
}

impl Stm {
    /// The blocks directly inside this statement.
    pub fn each_block<'a>(&'a self, visit: &mut dyn FnMut(&'a Block)) {
        match self {
            Stm::If(_, yes, no) => {
                visit(yes);
                visit(no);
            }
            Stm::Switch(_, cases, default) => {
                cases.iter().for_each(|(_, block)| visit(block));
                visit(default);
            }
            Stm::For { body, .. }
            | Stm::While(_, body)
            | Stm::Locked(_, body)
            | Stm::Exchange { body, .. }
            | Stm::Guarded(_, _, body)
            | Stm::Warp(body)
            | Stm::Section(body) => visit(body),
            Stm::Tasks(tasks) => visit(&tasks.body),
            Stm::Launch(kernel) => visit(&kernel.body),
            Stm::Comment(_)
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Point(..)
            | Stm::Copy { .. }
            | Stm::Call(..)
            | Stm::Const(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Atomic(..)
            | Stm::Sums(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Fetch(..)
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Leave
            | Stm::Barrier
            | Stm::WarpBarrier => {}
        }
    }

    /// The expressions of this statement itself, without those of the blocks inside it.
    pub fn each_exp<'a>(&'a self, visit: &mut dyn FnMut(&'a Exp)) {
        match self {
            Stm::Comment(_)
            | Stm::Share(..)
            | Stm::Free(_)
            | Stm::Const(..)
            | Stm::Sums(..)
            | Stm::Threads(_)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Leave
            | Stm::Section(_) => {}
            Stm::Declare(_, e) => e.iter().for_each(visit),
            Stm::Export { index: e, .. }
            | Stm::Assign(_, e)
            | Stm::Alloc(_, _, e)
            | Stm::Point(_, _, e)
            | Stm::If(e, ..)
            | Stm::Switch(e, ..)
            | Stm::While(e, _)
            | Stm::Trace(_, e, _)
            | Stm::Locked(e, _)
            | Stm::Guarded(_, e, _)
            | Stm::Fetch(_, _, e)
            | Stm::Poll(_, _, e)
            | Stm::Count(_, _, e)
            | Stm::Chunks(_, _, e)
            | Stm::Tuning(_, _, e) => visit(e),
            Stm::Store(_, index, e)
            | Stm::Atomic(_, _, index, e)
            | Stm::Exchange { index, new: e, .. } => {
                visit(index);
                visit(e);
            }
            Stm::Copy { to, from, count } => {
                visit(&to.1);
                visit(&from.1);
                visit(count);
            }
            Stm::For { from, to, .. } => {
                visit(from);
                visit(to);
            }
            Stm::Call(_, _, args) => args.iter().for_each(|arg| match arg {
                Arg::Scalar(e) => visit(e),
                Arg::Mem { index, .. } => visit(index),
            }),
            Stm::Assert(e, message) => {
                visit(e);
                message.parts.iter().for_each(|part| match part {
                    Part::Value(e, _) => visit(e),
                    Part::Text(_) => {}
                });
            }
            Stm::TraceArray(_, _, shape) => shape.iter().for_each(visit),
            Stm::Tasks(tasks) => visit(&tasks.total),
            Stm::Launch(kernel) => {
                visit(&kernel.blocks);
                kernel.shared.iter().for_each(visit);
            }
        }
    }

    /// The variables whose value this statement itself uses, also those in its expressions and those that it reads or
    /// writes memory through.
    pub fn each_used(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Stm::Store(v, ..)
            | Stm::Share(_, v)
            | Stm::Free(v)
            | Stm::Point(_, From::Mem(v) | From::Ptr(v), _)
            | Stm::TraceArray(_, v, _)
            | Stm::Fetch(_, v, _)
            | Stm::Poll(_, v, _)
            | Stm::Count(_, v, _)
            | Stm::Exchange { ptr: v, .. }
            | Stm::Guarded(v, ..)
            | Stm::Atomic(_, v, ..) => visit(*v),
            Stm::Sums(array, sum) => [array, sum].into_iter().for_each(|v| visit(*v)),
            Stm::Export { block, ptr, .. } => block.iter().chain([ptr]).for_each(|v| visit(*v)),
            Stm::Copy { to, from, .. } => {
                visit(to.0);
                visit(from.0);
            }
            Stm::For { kind: Kind::Independent(reductions), .. } => {
                reductions.iter().for_each(|(v, _)| visit(*v));
            }
            Stm::Call(_, _, args) => args.iter().for_each(|arg| match arg {
                Arg::Mem { block, ptr, .. } => block.iter().chain([ptr]).for_each(|v| visit(*v)),
                Arg::Scalar(_) => {}
            }),
            Stm::Tasks(tasks) => tasks.chunks.iter().for_each(|&v| visit(v)),
            Stm::For { kind: Kind::Sequential, .. }
            | Stm::Comment(_)
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Alloc(..)
            | Stm::Point(_, From::Shared, _)
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::While(..)
            | Stm::Const(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::Locked(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Launch(_)
            | Stm::Leave
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Section(_) => {}
        }
        self.each_exp(&mut |e| e.each_var(visit));
    }

    /// The variables that this statement itself gives a value to without declaring them.
    pub fn each_set(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Stm::Assign(v, _)
            | Stm::Alloc(v, ..)
            | Stm::Share(v, _)
            | Stm::Export { to: v, .. }
            | Stm::Free(v)
            | Stm::Point(v, ..)
            | Stm::Chunks(v, ..)
            | Stm::Fetch(v, ..)
            | Stm::Poll(v, ..)
            | Stm::Count(v, ..)
            | Stm::Sums(_, v)
            | Stm::Tuning(v, ..)
            | Stm::Threads(v) => visit(*v),
            Stm::Call(_, results, _) => results.iter().for_each(|&v| visit(v)),
            Stm::Const(_, results) => results.iter().for_each(|&(_, v)| visit(v)),
            Stm::Comment(_)
            | Stm::Declare(..)
            | Stm::Store(..)
            | Stm::Copy { .. }
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Atomic(..)
            | Stm::Locked(..)
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Tasks(_)
            | Stm::Launch(_)
            | Stm::Leave
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Section(_) => {}
        }
    }

    /// The variables that this statement itself declares: for the rest of its block, or for the block inside it.
    pub fn each_declared(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Stm::Declare(v, _) | Stm::For { var: v, .. } | Stm::Exchange { old: v, .. } => {
                visit(*v)
            }
            Stm::Tasks(tasks) => {
                [tasks.chunk, tasks.low, tasks.high].into_iter().for_each(visit);
            }
            Stm::Launch(kernel) => [kernel.block, kernel.thread].into_iter().for_each(visit),
            Stm::Comment(_)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Point(..)
            | Stm::Copy { .. }
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::While(..)
            | Stm::Call(..)
            | Stm::Const(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Atomic(..)
            | Stm::Sums(..)
            | Stm::Locked(..)
            | Stm::Guarded(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Fetch(..)
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Leave
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Section(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prim, RedOp, Tasks};

    fn for_loop(var: V, kind: Kind, body: Block) -> Stm {
        Stm::For { var, from: Exp::int(0), to: Exp::Var(V(1)), step: 1, kind, body }
    }

    fn tasks(body: Block) -> Stm {
        let (chunk, low, high) = (V(10), V(11), V(12));
        let total = Exp::Var(V(13));
        let chunks = Some(V(14));
        Stm::Tasks(Box::new(Tasks { site: 0, total, chunks, grain: 1, chunk, low, high, body }))
    }

    #[test]
    fn what_is_used_or_set_and_not_declared_is_free() {
        let index = Exp::Index(vec![(1, vec![V(2), V(3)]), (4, vec![])]);
        let block = vec![
            Stm::Declare(V(5), Some(Exp::Load(V(4), Box::new(index)))),
            for_loop(
                V(3),
                Kind::Independent(vec![(V(6), RedOp::Add)]),
                vec![tasks(vec![Stm::Store(V(7), Exp::Var(V(11)), Exp::Var(V(5)))])],
            ),
            Stm::Alloc(V(8), Prim::I64, Exp::Var(V(5))),
            Stm::Call(
                crate::FunId(0),
                vec![V(9)],
                vec![Arg::Mem { block: Some(V(8)), ptr: V(4), index: Exp::Var(V(15)) }],
            ),
        ];
        let free = [4, 2, 6, 1, 14, 13, 7, 8, 15, 9].map(V);
        assert_eq!(free_vars(&block), free);
    }

    #[test]
    fn what_is_set_at_any_depth_counts() {
        let inner = vec![Stm::Assign(V(2), Exp::Var(V(1))), Stm::Share(V(4), V(5))];
        let block =
            vec![Stm::If(Exp::Var(V(0)), vec![for_loop(V(3), Kind::Sequential, inner)], vec![])];
        let set = set_vars(&block);
        let expected = [V(2), V(3), V(4)];
        assert!(expected.iter().all(|v| set.contains(v)) && set.len() == expected.len(), "{set:?}");
    }
}
