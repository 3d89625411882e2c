//! `arguments`: parameters for which all calls have the same constant are that constant.
//!
//! ```text
//! fun f (a: bool, x: f32) -> (r: f32) =                fun f (x: f32) -> (r: f32) =
//!   let (y: f32) = if a then {...} else {...} in (y)     let (y: f32) = if false then {...} else {...} in (y)
//! fun main (x: f32) -> (r: f32, s: f32) =        ==>   fun main (x: f32) -> (r: f32, s: f32) =
//!   let (y: f32) = call f (false, x)                     let (y: f32) = call f (x)
//!   let (z: f32) = call f (false, y) in (y, z)           let (z: f32) = call f (y) in (y, z)
//! ```
//!
//! A parameter that is handed on, also to the function itself, is as constant as what it was handed. Functions that
//! are called from outside may be given anything. Parameters that are sizes of other parameters or of results stay:
//! the types of a function are in terms of them. After simplification, because that leaves constants as arguments.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut};
use fehu_ir::{Atom, Exp, Fun, FunId, Item, Param, Prog, Scalar, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const ARGUMENTS: Pass = Pass {
    name: "arguments",
    about: "removes parameters for which all calls have the same constant",
    run,
};

/// What is known of a parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Known {
    /// No call has been seen.
    Nothing,
    Constant(Scalar),
    Different,
}

fn run(prog: &mut Prog, _: &mut Remarks) {
    let known = all(prog);
    let mut kept: IdVec<FunId, Vec<bool>> = IdVec::new();
    for index in 0..prog.funs.len() {
        let id = FunId::from_index(index);
        let fixed = sizes(&prog.funs[id]);
        let mut subst = Subst::default();
        for (param, known) in prog.funs[id].params.iter().zip(&known[id]) {
            if let Known::Constant(value) = known
                && !fixed.contains(&param.var)
            {
                subst.insert(param.var, Atom::Const(*value));
            }
        }
        let stays = |param: &Param| !subst.contains_key(&param.var);
        kept.push(prog.funs[id].params.iter().map(stays).collect());
        prog.funs[id].params.retain(stays);
        prog.change(Item::Fun(id), |_, vars, body| subst_body(body, vars, &subst));
    }
    if kept.iter().any(|(_, kept)| kept.contains(&false)) {
        prog.for_each_body(|_, _, body| Shorten { kept: &kept }.body(body));
    }
}

/// Leaves out arguments.
struct Shorten<'a> {
    kept: &'a IdVec<FunId, Vec<bool>>,
}

impl VisitMut for Shorten<'_> {
    fn exp(&mut self, exp: &mut Exp) {
        if let Exp::Call(id, args) = exp {
            let mut kept = self.kept[*id].iter();
            args.retain(|_| kept.next() != Some(&false));
        }
        walk_exp_mut(self, exp);
    }
}

/// The variables that the types of a function mention.
fn sizes(fun: &Fun) -> FxHashSet<Var> {
    let vars = fun.params.iter().map(|param| param.var).chain(fun.results.iter().copied());
    vars.flat_map(|var| match &fun.vars[var].ty {
        Type::Array(_, shape) => shape.iter().filter_map(|size| size.var()).collect(),
        Type::Scalar(_) | Type::Acc(_) => Vec::new(),
    })
    .collect()
}

/// What is known of all parameters: the optimistic solution, which recursion does not spoil.
fn all(prog: &Prog) -> IdVec<FunId, Vec<Known>> {
    let mut known = IdVec::new();
    for (id, fun) in prog.funs.iter() {
        let is_open = prog.is_called_from_outside(id) || fun.foreign.is_some();
        let first = if is_open { Known::Different } else { Known::Nothing };
        known.push(vec![first; fun.params.len()]);
    }
    loop {
        let mut calls = Calls { known, params: FxHashMap::default(), changed: false };
        for item in prog.items() {
            calls.params.clear();
            if let Item::Fun(id) = item {
                let params = prog.funs[id].params.iter().enumerate();
                calls.params.extend(params.map(|(at, param)| (param.var, (id, at))));
            }
            calls.body(prog.body(item));
        }
        known = calls.known;
        if !calls.changed {
            return known;
        }
    }
}

struct Calls {
    known: IdVec<FunId, Vec<Known>>,
    /// The parameters of the function that this is in.
    params: FxHashMap<Var, (FunId, usize)>,
    changed: bool,
}

impl Calls {
    fn value(&self, atom: Atom) -> Known {
        match atom {
            Atom::Const(value) => Known::Constant(value),
            Atom::Var(var) => match self.params.get(&var) {
                Some((id, at)) => self.known[*id][*at],
                None => Known::Different,
            },
        }
    }
}

impl Visit for Calls {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Call(id, args) = exp {
            for (at, arg) in args.iter().enumerate() {
                let before = self.known[*id][at];
                let after = match (before, self.value(*arg)) {
                    (Known::Nothing, value) | (value, Known::Nothing) => value,
                    (Known::Constant(one), Known::Constant(other)) if one == other => before,
                    _ => Known::Different,
                };
                self.changed |= before != after;
                self.known[*id][at] = after;
            }
        }
        walk_exp(self, exp);
    }
}
