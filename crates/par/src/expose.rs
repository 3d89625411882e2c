//! `expose`: functions that contain operators, over more than a few elements, are inlined where the functions of
//! operators call them.
//!
//! ```text
//! fun sum xs = reduce (+) 0 xs
//! map (\xs -> sum xs) xss    ==>    map (\xs -> reduce (+) 0 xs) xss
//! ```
//!
//! `inline` leaves large functions alone, to limit code growth. But `flatten` cannot see parallelism that a call hides
//! below a map: one thread would do all of the work. Recursive functions and those marked `noinline` stay calls, and so
//! do all calls after the program has grown by [`MOST`] statements.

use crate::calls::containing;
use crate::plan;
use fehu_base::IdVec;
use fehu_ir::builder::count_stms;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, import_body, subst_atom, subst_stm};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_exp, walk_exp_mut};
use fehu_ir::{Atom, Body, Exp, Fun, FunId, Lambda, Prog, Stm, Var, VarInfo};
use rustc_hash::FxHashSet;

/// The pass.
pub const EXPOSE: Pass = Pass {
    name: "expose",
    about: "inlines parallel functions that are called inside operators",
    run: |prog, _: &mut Remarks| run(prog),
};

/// By how many statements a program may grow: flattening makes two versions of many of them.
const MOST: usize = 4000;

fn run(prog: &mut Prog) {
    let funs = prog.funs.clone();
    let mut worth = containing(&funs, is_worth);
    for (id, fun) in funs.iter() {
        let stays = fun.attrs.iter().any(|attr| attr.name == "noinline") || recursive(&funs, id);
        worth[id] &= !stays;
    }
    let mut left = MOST;
    prog.for_each_body(|_, vars, body| {
        let left = &mut left;
        Expose { funs: &funs, worth: &worth, vars, left, inside: false }.body(body);
    });
}

struct Expose<'a> {
    funs: &'a IdVec<FunId, Fun>,
    /// The functions that are inlined.
    worth: &'a IdVec<FunId, bool>,
    vars: &'a mut IdVec<Var, VarInfo>,
    /// By how many statements the program may still grow.
    left: &'a mut usize,
    /// Whether this is the function of an operator.
    inside: bool,
}

impl VisitMut for Expose<'_> {
    fn body(&mut self, body: &mut Body) {
        if self.inside {
            self.inlined(body);
        }
        walk_body_mut(self, body);
    }

    fn exp(&mut self, exp: &mut Exp) {
        let was = self.inside;
        // What an accumulation does is the host's, if it is.
        self.inside |= exp.operator().is_some() && !matches!(exp, Exp::WithAcc(..));
        walk_exp_mut(self, exp);
        self.inside = was;
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        self.body(&mut lambda.body);
    }
}

impl Expose<'_> {
    /// Puts bodies in the place of calls; those that come with them are left to the traversal.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn inlined(&mut self, body: &mut Body) {
        let is_call = |stm: &Stm| matches!(stm.exp, Exp::Call(..));
        while body.stms.iter().any(is_call) {
            let before = *self.left;
            let mut subst = Subst::default();
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                subst_stm(&mut stm, self.vars, &subst);
                match &stm.exp {
                    Exp::Call(id, args) if self.fits(*id) => {
                        let results = self.callee(*id, args, &stm, &mut out);
                        subst.extend(stm.pat.iter().copied().zip(results));
                    }
                    _ => out.push(stm),
                }
            }
            for result in &mut body.results {
                *result = subst_atom(*result, &subst);
            }
            body.stms = out;
            if *self.left == before {
                return;
            }
        }
    }

    fn fits(&self, id: FunId) -> bool {
        let worth = self.worth.get(id).is_some_and(|worth| *worth);
        worth && self.funs.get(id).is_some_and(|fun| count_stms(&fun.body) < *self.left)
    }

    /// Adds the statements of a function; its results.
    fn callee(&mut self, id: FunId, args: &[Atom], call: &Stm, out: &mut Vec<Stm>) -> Vec<Atom> {
        let fun = &self.funs[id];
        *self.left -= count_stms(&fun.body) + 1;
        let params = fun.params.iter().map(|param| param.var);
        let subst: Subst = params.zip(args.iter().copied()).collect();
        let mut body = import_body(&fun.body, &fun.vars, self.vars, subst);
        for stm in &mut body.stms {
            for cert in &call.certs {
                if !stm.certs.contains(cert) {
                    stm.certs.push(*cert);
                }
            }
        }
        out.extend(body.stms);
        body.results
    }
}

/// Whether an expression is an operator that several threads may share.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no operators")]
fn is_worth(exp: &Exp) -> bool {
    match exp {
        Exp::Screma(op) => plan::worth(op.width),
        Exp::Hist(op) => plan::worth(op.width),
        Exp::Scatter(op) => plan::worth(op.width),
        _ => false,
    }
}

/// Whether a function can come to call itself.
fn recursive(funs: &IdVec<FunId, Fun>, id: FunId) -> bool {
    let mut seen: FxHashSet<FunId> = FxHashSet::default();
    let mut work = vec![id];
    while let Some(next) = work.pop() {
        let mut calls = Calls(Vec::new());
        if let Some(fun) = funs.get(next) {
            calls.body(&fun.body);
        }
        for callee in calls.0 {
            if callee == id {
                return true;
            }
            if seen.insert(callee) {
                work.push(callee);
            }
        }
    }
    false
}

struct Calls(Vec<FunId>);

impl Visit for Calls {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Call(id, _) = exp {
            self.0.push(*id);
        }
        walk_exp(self, exp);
    }
}
