//! Functions and constants in kernels.
//!
//! A kernel cannot call functions of the host, so their bodies are copied into it; functions that nothing else calls
//! are then removed. Constants are read by the host, before the kernel is launched.

use fehu_base::IdVec;
use fehu_imp::rewrite::{Vars, rename};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Arg, Block, Exp, Fun, FunId, Program, Stm, Ty, V};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes all calls and constants from kernels.
pub(super) fn calls(program: &mut Program) {
    let ids: Vec<FunId> = program.funs.iter().map(|(id, _)| id).collect();
    let called = called(program, &mut |_| true);
    for id in ids {
        let mut fun = std::mem::replace(&mut program.funs[id], empty());
        let body = std::mem::take(&mut fun.body);
        fun.body = host(body, &mut fun, &program.funs);
        program.funs[id] = fun;
    }
    remove(program, &called);
}

/// The functions that are called from functions of a kind.
fn called(program: &Program, from: &mut dyn FnMut(FunId) -> bool) -> FxHashSet<FunId> {
    let mut found = FxHashSet::default();
    for (_, fun) in program.funs.iter().filter(|(id, _)| from(*id)) {
        each_stm(&fun.body, &mut |stm| {
            if let Stm::Call(callee, ..) = stm {
                found.insert(*callee);
            }
        });
    }
    found
}

/// Removes functions that were called, and now are not, unless from such a function.
fn remove(program: &mut Program, before: &FxHashSet<FunId>) {
    let mut kept: FxHashSet<FunId> =
        program.funs.iter().map(|(id, _)| id).filter(|id| !before.contains(id)).collect();
    kept.extend(program.consts.iter().map(|constant| constant.fun));
    let mut known = 0;
    while known < kept.len() {
        known = kept.len();
        let more = called(program, &mut |id| kept.contains(&id));
        kept.extend(more);
    }
    for id in before.difference(&kept) {
        program.funs[*id] = empty();
    }
}

fn empty() -> Fun {
    Fun {
        name: ecow::EcoString::new(),
        vars: IdVec::default(),
        params: Vec::new(),
        results: Vec::new(),
        body: Block::new(),
    }
}

/// Looks for kernels.
fn host(block: Block, fun: &mut Fun, funs: &IdVec<FunId, Fun>) -> Block {
    let mut out = Block::with_capacity(block.len());
    for mut stm in block {
        match &mut stm {
            Stm::Launch(kernel) => {
                let body = std::mem::take(&mut kernel.body);
                let body = inline(body, fun, funs);
                let mut constants = Constants::default();
                constants.find(&body);
                kernel.body = constants.without(body);
                out.append(&mut constants.lifted);
            }
            Stm::If(_, yes, no) => {
                *yes = host(std::mem::take(yes), fun, funs);
                *no = host(std::mem::take(no), fun, funs);
            }
            Stm::Switch(_, cases, default) => {
                for (_, body) in cases {
                    *body = host(std::mem::take(body), fun, funs);
                }
                *default = host(std::mem::take(default), fun, funs);
            }
            Stm::For { body, .. } | Stm::While(_, body) => {
                *body = host(std::mem::take(body), fun, funs);
            }
            _ => {}
        }
        out.push(stm);
    }
    out
}

/// Replaces calls by the bodies of the functions, at any depth.
fn inline(mut block: Block, fun: &mut Fun, funs: &IdVec<FunId, Fun>) -> Block {
    fehu_imp::rewrite::replace_stms(&mut block, &mut |stm| {
        let Stm::Call(callee, results, args) = stm else { return None };
        let callee = funs.get(*callee)?;
        let body = copy_of(callee, results, args, fun);
        Some(inline(body, fun, funs))
    });
    block
}

/// The body of a function with arguments for parameters and variables for results.
fn copy_of(callee: &Fun, results: &[V], args: &[Arg], fun: &mut Fun) -> Block {
    let mut new: FxHashMap<V, V> = FxHashMap::default();
    for (v, info) in callee.vars.iter() {
        new.insert(v, fun.vars.push(info.clone()));
    }
    let mut out = Block::new();
    for (param, arg) in callee.params.iter().zip(args) {
        let own = new[param];
        match arg {
            Arg::Scalar(e) => out.push(Stm::Declare(own, Some(e.clone()))),
            Arg::Mem { block, ptr, index } => {
                out.push(Stm::Declare(own, None));
                let (block, ptr, index) = (*block, *ptr, index.clone());
                out.push(Stm::Export { to: own, block, ptr, index });
            }
        }
    }
    for result in &callee.results {
        out.push(Stm::Declare(new[result], None));
    }
    out.extend(rename(&callee.body, &|v| new.get(&v).copied()));
    for (to, result) in results.iter().zip(&callee.results) {
        out.push(match callee.vars[*result].ty {
            Ty::Mem => Stm::Share(*to, new[result]),
            Ty::Scalar(_) | Ty::Ptr(_) | Ty::Local(..) | Ty::Shared(..) => {
                Stm::Assign(*to, Exp::Var(new[result]))
            }
        });
    }
    out
}

/// Constants that a kernel uses.
#[derive(Default)]
struct Constants {
    /// What is assigned by them.
    vars: FxHashSet<V>,
    /// What the host does before the kernel.
    lifted: Block,
}

impl Constants {
    fn find(&mut self, body: &[Stm]) {
        each_stm(body, &mut |stm| {
            if let Stm::Const(_, results) = stm {
                self.vars.extend(results.iter().map(|(_, v)| *v));
                self.lifted.extend(results.iter().map(|(_, v)| Stm::Declare(*v, None)));
                self.lifted.push(stm.clone());
            }
        });
    }

    fn without(&self, mut body: Block) -> Block {
        if self.vars.is_empty() {
            return body;
        }
        fehu_imp::rewrite::replace_stms(&mut body, &mut |stm| match stm {
            Stm::Const(..) => Some(Block::new()),
            Stm::Declare(v, None) if self.vars.contains(v) => Some(Block::new()),
            _ => None,
        });
        body
    }
}

/// A block that a kernel will execute, with copies of the variables that it assigns and that exist outside.
pub(super) fn closed(block: Block, vars: &mut IdVec<V, fehu_imp::VarInfo>) -> (Block, Vec<(V, V)>) {
    let mut declared = FxHashSet::default();
    each_stm(&block, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        });
    });
    let mut outer: Vec<V> =
        set_vars(&block).into_iter().filter(|v| !declared.contains(v)).collect();
    outer.sort_unstable();
    let mut vars = Vars(vars);
    let copies: Vec<(V, V)> = outer.iter().map(|v| (*v, vars.like(*v))).collect();
    let body = rename(&block, &|v| copies.iter().find(|(old, _)| *old == v).map(|(_, new)| *new));
    (body, copies)
}
