//! Functions and constants in kernels.
//!
//! A kernel cannot call functions of the host. It contains copies of small functions, and of those that are called only here
//! and there; the others become functions of the device, which exist once (see [`super::functions`]), or once for each
//! combination of memories that their arguments are in (see [`super::memories`]). Functions that nothing calls any more are
//! then removed. Constants are read by the host, before the kernel is launched.

use super::functions::{self, Made};
use super::memories::{self, Origins, Signature, to_bytes};
use ecow::{EcoString, eco_format};
use fehu_base::id::Id;
use fehu_base::{IdVec, OrBug, bug};
use fehu_imp::cost::count;
use fehu_imp::rewrite::{Vars, rename, replace_stms};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Arg, Block, Exp, From, Fun, FunId, Program, Space, Stm, Ty, V};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function with at most this many statements is copied wherever it is called.
const SMALL: usize = 24;

/// All copies of a larger function have at most this many statements together. Compilers for devices copy functions, too, and
/// know better when that is worth it; but only our own copies share the memory of the kernel that they are in.
const COPIES: usize = 4000;

/// Removes all calls of the host's functions and constants from kernels. Without `copies`, what can be called is.
pub(super) fn calls(program: &mut Program, copies: bool) {
    let ids: Vec<FunId> = program.funs.iter().map(|(id, _)| id).collect();
    let before = all_called(program);
    let mut inside = Inside::new(program, copies);
    for id in ids {
        let mut fun = std::mem::replace(&mut program.funs[id], empty());
        let body = std::mem::take(&mut fun.body);
        fun.body = host(body, &mut fun, &mut inside);
        program.funs[id] = fun;
    }
    remove(program, &before);
    let mut taken: FxHashSet<EcoString> =
        program.funs.iter().map(|(_, fun)| fun.name.clone()).collect();
    for Made { mut fun, .. } in inside.made {
        // The host may call the function, too.
        while !taken.insert(fun.name.clone()) {
            fun.name = eco_format!("{}_device", fun.name);
        }
        let id = program.funs.push(fun);
        program.inside.insert(id);
    }
}

/// What kernels make of the functions that they call.
struct Inside {
    /// The functions, with the number of places where they are called.
    called: FxHashMap<FunId, (Fun, usize)>,
    /// The functions that are being decided about: whoever asks is called by them.
    begun: FxHashSet<FunId>,
    /// What each version of a function becomes; nothing if there is no such version.
    ways: FxHashMap<Signature, Option<Way>>,
    /// The functions of the device, in the order in which they are added to those of the program.
    made: Vec<Made>,
    /// The number of the first one.
    first: usize,
    /// Whether functions are copied that could be called.
    copies: bool,
}

/// What a call becomes.
enum Way {
    /// A copy of this function.
    Copy(Box<Fun>),
    /// A call of the function of the device with this number.
    Call(usize),
}

impl Inside {
    fn new(program: &Program, copies: bool) -> Inside {
        let sites = called_inside(program);
        let called = sites.into_iter().map(|(id, sites)| (id, (program.funs[id].clone(), sites)));
        let (ways, made, first) = (FxHashMap::default(), Vec::new(), program.funs.len());
        let begun = FxHashSet::default();
        Inside { called: called.collect(), begun, ways, made, first, copies }
    }

    /// Decides about a version of a function, after those that it calls. (None that kernels call comes to call itself.)
    fn add(&mut self, signature: &Signature) {
        if self.ways.contains_key(signature) {
            return;
        }
        if !self.begun.insert(signature.0) {
            bug("a kernel calls a function that comes to call itself");
        }
        let (fun, sites) = self.called[&signature.0].clone();
        let version = memories::version(fun, &signature.1, &mut |callee| self.results(&callee));
        let way = version.map(|fun| self.way(fun, sites));
        self.begun.remove(&signature.0);
        self.ways.insert(signature.clone(), way);
    }

    fn way(&mut self, mut fun: Fun, sites: usize) -> Way {
        let body = std::mem::take(&mut fun.body);
        fun.body = self.resolved(body, &mut fun.vars);
        let size = count(&fun.body);
        let is_small = size <= SMALL || sites == 1 || size.saturating_mul(sites) <= COPIES;
        let is_copied = self.copies && is_small;
        let made = if is_copied { None } else { functions::make(&fun) };
        match made {
            Some(made) => {
                self.made.push(made);
                Way::Call(self.made.len() - 1)
            }
            None => Way::Copy(Box::new(fun)),
        }
    }

    /// The memories of the results of a version, if there is one.
    fn results(&mut self, signature: &Signature) -> Option<Vec<Option<Space>>> {
        self.add(signature);
        let fun = match self.ways[signature].as_ref()? {
            Way::Copy(fun) => fun,
            Way::Call(number) => &self.made[*number].fun,
        };
        let space = |result: &V| match fun.vars[*result].ty {
            Ty::Mem => Some(Space::Global),
            ty @ (Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..)) => ty.space(),
        };
        Some(fun.results.iter().map(space).collect())
    }

    /// Code of the device without calls of the host's functions.
    fn resolved(&mut self, mut block: Block, vars: &mut IdVec<V, fehu_imp::VarInfo>) -> Block {
        let origins = Origins::new(&block, vars);
        replace_stms(&mut block, &mut |stm| {
            let Stm::Call(callee, results, args) = stm else { return None };
            let mut signature = memories::signature(*callee, args, vars);
            self.add(&signature);
            let (mut out, mut passed) = (Block::new(), args.clone());
            if self.ways[&signature].is_none() {
                (out, passed) = origins.copied(args, vars);
                signature = memories::signature(*callee, &passed, vars);
                self.add(&signature);
            }
            let way = self.ways[&signature].as_ref();
            out.append(&mut match way.or_bug("version of a function with all arrays in blocks") {
                Way::Copy(fun) => copy_of(fun, results, &passed, vars),
                Way::Call(number) => {
                    let id = FunId::from_index(self.first + number);
                    self.made[*number].call(id, results, &passed, vars)
                }
            });
            Some(out)
        });
        block
    }
}

/// The functions that kernels call, by way of others, too, each with the number of places where it is called.
fn called_inside(program: &Program) -> FxHashMap<FunId, usize> {
    let mut sites: FxHashMap<FunId, usize> = FxHashMap::default();
    let mut waiting: Vec<FunId> = Vec::new();
    let mut note = |body: &Block, waiting: &mut Vec<FunId>| {
        each_stm(body, &mut |stm| {
            if let Stm::Call(callee, ..) = stm {
                let count = sites.entry(*callee).or_default();
                *count += 1;
                if *count == 1 {
                    waiting.push(*callee);
                }
            }
        });
    };
    for (_, fun) in program.funs.iter() {
        each_stm(&fun.body, &mut |stm| {
            if let Stm::Launch(kernel) = stm {
                note(&kernel.body, &mut waiting);
            }
        });
    }
    while let Some(fun) = waiting.pop() {
        note(&program.funs[fun].body, &mut waiting);
    }
    sites
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
pub(super) fn remove(program: &mut Program, before: &FxHashSet<FunId>) {
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

/// The functions that other functions call.
pub(super) fn all_called(program: &Program) -> FxHashSet<FunId> {
    called(program, &mut |_| true)
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
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others contain what is looked for only in their bodies"
)]
fn host(block: Block, fun: &mut Fun, inside: &mut Inside) -> Block {
    let mut out = Block::with_capacity(block.len());
    for mut stm in block {
        match &mut stm {
            Stm::Launch(kernel) => {
                let body = std::mem::take(&mut kernel.body);
                let body = inside.resolved(body, &mut fun.vars);
                let mut constants = Constants::default();
                constants.find(&body);
                kernel.body = constants.without(body);
                out.append(&mut constants.lifted);
            }
            Stm::If(_, yes, no) => {
                *yes = host(std::mem::take(yes), fun, inside);
                *no = host(std::mem::take(no), fun, inside);
            }
            Stm::Switch(_, cases, default) => {
                for (_, body) in cases {
                    *body = host(std::mem::take(body), fun, inside);
                }
                *default = host(std::mem::take(default), fun, inside);
            }
            Stm::For { body, .. } | Stm::While(_, body) => {
                *body = host(std::mem::take(body), fun, inside);
            }
            _ => {}
        }
        out.push(stm);
    }
    out
}

/// The body of a function with arguments for parameters and variables for results.
pub(super) fn copy_of(
    callee: &Fun,
    results: &[V],
    args: &[Arg],
    vars: &mut IdVec<V, fehu_imp::VarInfo>,
) -> Block {
    let mut new: FxHashMap<V, V> = FxHashMap::default();
    for (v, info) in callee.vars.iter() {
        new.insert(v, vars.push(info.clone()));
    }
    let mut out = Block::new();
    for (param, arg) in callee.params.iter().zip(args) {
        let own = new[param];
        match arg {
            Arg::Scalar(e) => out.push(Stm::Declare(own, Some(e.clone()))),
            Arg::Mem { block, ptr, index } => {
                out.push(Stm::Declare(own, None));
                match callee.vars[*param].ty {
                    Ty::Ptr(..) => out.append(&mut to_bytes(own, *ptr, index, vars)),
                    Ty::Mem | Ty::Scalar(_) | Ty::Local(..) | Ty::Shared(..) => {
                        let (block, ptr, index) = (*block, *ptr, index.clone());
                        out.push(Stm::Export { to: own, block, ptr, index });
                    }
                }
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
            Ty::Ptr(..) => Stm::Point(*to, From::Ptr(new[result]), Exp::int(0)),
            Ty::Scalar(_) | Ty::Local(..) | Ty::Shared(..) => {
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
            // A constant of which nothing is left is not read.
            if let Stm::Const(_, results) = stm
                && !results.is_empty()
            {
                self.vars.extend(results.iter().map(|(_, v)| *v));
                self.lifted.extend(results.iter().map(|(_, v)| Stm::Declare(*v, None)));
                self.lifted.push(stm.clone());
            }
        });
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn without(&self, mut body: Block) -> Block {
        replace_stms(&mut body, &mut |stm| match stm {
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
