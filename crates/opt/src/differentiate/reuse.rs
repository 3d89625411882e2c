//! What both sweeps would evaluate is evaluated once, if it is expensive.
//!
//! The return sweep of a map evaluates its function again. If the map of the forward sweep is needed as well, then it
//! yields the results of the operators with folds and of the loops in its function, and the return sweep reads them:
//!
//! ```text
//! ys = map (\a -> let s = sum (map f a) in s * s) as;   ..;   map (\a g -> let s = sum (map f a) ..) as gs
//! ==>
//! (ys, ss) = map (\a -> let s = sum (map f a) in (s * s, s)) as;   ..;   map (\a s g -> ..) as ss gs
//! ```
//!
//! Everything else is arithmetic, and costs no more than what would have to be stored and read. A map that nothing
//! needs but its derivative has gone away before (`once`), and stays away. Where one of the two was copied since, as
//! parts of loops are, both evaluate.

use super::common::Common;
use fehu_base::{IdVec, OrBug};
use fehu_ir::free::bound_in_body;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Body, Exp, Family, Lambda, Scalar, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Folds of fewer elements are evaluated again.
const FEW: i64 = 8;

/// A function of a map that both sweeps evaluate.
#[derive(Debug)]
pub(super) struct Twice {
    /// The first parameter in the return sweep.
    back: Var,
    /// What expensive statements bind, in the forward and in the return sweep.
    names: Vec<(Vec<Var>, Vec<Var>)>,
}

/// Functions of maps, by their first parameters in the forward sweep.
pub(super) type Known = FxHashMap<Var, Vec<Twice>>;

impl Common {
    /// The return sweep of a map with this function has a copy of it.
    pub(super) fn copied(&self, original: &Lambda, copy: &Lambda) {
        let (Some(forward), Some(back)) = (original.params.first(), copy.params.first()) else {
            return;
        };
        let both = original.body.stms.iter().zip(&copy.body.stms);
        let expensive = both.filter(|(stm, _)| is_expensive(&stm.exp));
        let names: Vec<_> =
            expensive.map(|(stm, copy)| (stm.pat.clone(), copy.pat.clone())).collect();
        if !names.is_empty() {
            let mut known = self.twice.borrow_mut();
            known.entry(*forward).or_default().push(Twice { back: *back, names });
        }
    }
}

/// Whether there are folds or loops.
fn is_expensive(exp: &Exp) -> bool {
    #[derive(Default)]
    struct Find(bool);
    impl Visit for Find {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are cheap in themselves")]
        fn exp(&mut self, exp: &Exp) {
            let is_short = |width: Atom| matches!(width, Atom::Const(Scalar::I64(n)) if n < FEW);
            self.0 |= match exp {
                Exp::Screma(op) => op.folded() > 0 && !is_short(op.width),
                Exp::Hist(_) | Exp::Loop(..) | Exp::Stream(_) => true,
                _ => false,
            };
            walk_exp(self, exp);
        }
    }
    let mut find = Find::default();
    find.exp(exp);
    find.0
}

/// Lets the maps of the forward sweep yield what the return sweep would evaluate again.
pub(super) fn reuse(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, common: &Common) {
    let known = std::mem::take(&mut *common.twice.borrow_mut());
    if !known.is_empty() {
        in_body(body, vars, &known, false);
    }
}

/// `is_inside` says whether the body belongs to a function of an operator. There arrays are kept as well, for as long
/// as the function is evaluated; those of all positions together could take more memory than everything else.
fn in_body(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, known: &Known, is_inside: bool) {
    for index in 0..body.stms.len() {
        let (before, later) = body.stms.split_at_mut(index + 1);
        let stm = &mut before[index];
        if let Exp::Screma(op) = &stm.exp
            && op.folded() == 0
            && let Some(copies) = op.map.params.first().and_then(|param| known.get(param))
        {
            for twice in copies {
                if let Some(back) = find(later, twice.back) {
                    twice.join(stm, back, vars, is_inside);
                }
            }
        }
        let exp = &mut before[index].exp;
        let is_inside = is_inside || exp.family() == Family::Operator;
        exp.map_bodies(&mut |body| in_body(body, vars, known, is_inside));
    }
}

/// The map whose function has this first parameter.
#[expect(clippy::wildcard_enum_match_arm, reason = "the return sweep of a map is nowhere else")]
fn find(stms: &mut [Stm], param: Var) -> Option<&mut Screma> {
    fn has(exp: &Exp, param: Var) -> bool {
        let here = matches!(exp, Exp::Screma(op) if op.map.params.first() == Some(&param));
        let mut found = here;
        exp.for_each_body(&mut |body| found |= body.stms.iter().any(|stm| has(&stm.exp, param)));
        found
    }
    let stm = stms.iter_mut().find(|stm| has(&stm.exp, param))?;
    match &mut stm.exp {
        Exp::Screma(op) if op.map.params.first() == Some(&param) => Some(op),
        Exp::WithAcc(_, lambda) => find(&mut lambda.body.stms, param),
        Exp::If(_, bodies) => bodies.iter_mut().find_map(|body| find(&mut body.stms, param)),
        _ => None,
    }
}

impl Twice {
    /// The forward sweep's map yields what the return sweep's reads; arrays, too, if `arrays`.
    fn join(&self, stm: &mut Stm, back: &mut Screma, vars: &mut IdVec<Var, VarInfo>, arrays: bool) {
        let Exp::Screma(op) = &mut stm.exp else { return };
        let mut own = bound_in_body(&op.map.body);
        own.extend(&op.map.params);
        let is_own = |size: &Atom| size.var().is_some_and(|var| own.contains(&var));
        for (forward, again) in &self.names {
            let is_there =
                |stms: &[Stm], pat: &[Var]| stms.iter().position(|stm| stm.pat[..] == *pat);
            let Some(place) = is_there(&back.map.body.stms, again) else { continue };
            if is_there(&op.map.body.stms, forward).is_none() {
                continue;
            }
            let can_be_kept = |var: &Var| {
                let ty = &vars[*var].ty;
                let fits = arrays || !ty.is_array();
                fits && !matches!(ty, Type::Acc(_))
                    && *ty != Type::CERT
                    && !ty.shape().iter().any(is_own)
            };
            if !forward.iter().all(can_be_kept) {
                continue;
            }
            let mut named = Vec::new();
            for (var, again) in forward.iter().zip(again) {
                let array = yielded(&mut stm.pat, op, *var, vars);
                let param = vars.push(vars[*again].clone());
                let at = back.inputs.iter().take_while(|input| vars[**input].ty.is_array()).count();
                back.inputs.insert(at, array);
                back.map.params.insert(at, param);
                named.push(Stm::new(vec![*again], Exp::Atom(param.into())));
            }
            back.map.body.stms.splice(place..=place, named);
        }
    }
}

/// The results of a map that are this variable of its function.
fn yielded(pat: &mut Vec<Var>, op: &mut Screma, var: Var, vars: &mut IdVec<Var, VarInfo>) -> Var {
    if let Some(place) = op.map.body.results.iter().position(|result| *result == Atom::Var(var)) {
        return pat[place];
    }
    let VarInfo { ty, .. } = &vars[var];
    let (ty, outer) = (ty.clone(), ty.array_of(op.width).or_bug("array of kept values"));
    let array = vars.push(VarInfo { ty: outer, ..vars[var].clone() });
    pat.push(array);
    op.map.body.results.push(var.into());
    op.map.ret.push(ty);
    array
}
