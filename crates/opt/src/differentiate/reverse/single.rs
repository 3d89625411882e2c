//! Branches whose bodies change arrays in loops, as loops of at most one iteration.
//!
//! ```text
//! ys = if c then loop (us = xs) for k < m do us with [k] = f us[k] else xs
//! ==>
//! ys = loop (zs = xs) for _ < i64.bool c do  loop (us = zs) for k < m do us with [k] = f us[k]
//! ```
//!
//! The return sweep evaluates the bodies of a branch again, for which it needs the arrays from before. In a loop, these
//! are had by undoing what was changed, and that is known of loops: they keep what they overwrite, and their return
//! sweeps yield the arrays from before (`undo`). So does a branch, if it is a loop.

use super::undo_change::{Change, Changes};
use crate::differentiate::num::{binary, zero};
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::free::{bound_in_body, free_in_stm};
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, LoopForm, LoopParam, Stm, Type, UnOp, Var};

/// The loops in place of a branch, if one of its bodies has a loop that changes an array from outside.
pub(super) fn as_loops(b: &mut Builder<'_>, stm: &Stm) -> Option<Vec<Stm>> {
    let bases = bases(b, stm)?;
    let types: Vec<Type> = stm.pat.iter().map(|var| b.ty(*var).clone()).collect();
    let is_own = |size: &Atom| size.var().is_some_and(|size| stm.pat.contains(&size));
    let is_plain = |ty: &Type| !matches!(ty, Type::Acc(_)) && !ty.shape().iter().any(is_own);
    if !types.iter().all(is_plain) {
        return None;
    }
    let mut out = Builder::new(b.vars_mut());
    out.set_loc(stm.loc.clone());
    let bodies = counted_bodies(&mut out, &stm.exp);
    // What is not an array with changes is something from outside in one body, or nothing before the one that is
    // executed has been.
    let mut current: Vec<Atom> = Vec::new();
    for (index, (ty, base)) in types.iter().zip(&bases).enumerate() {
        let known = bodies.iter().find_map(|(_, body)| {
            let result = body.results[index];
            let is_outside = result.var().is_none_or(|var| !bound_in_body(body).contains(&var));
            (is_outside && out.atom_ty(result) == *ty).then_some(result)
        });
        current.push(match (base, known) {
            (Some(base), _) => (*base).into(),
            (None, Some(known)) => known,
            (None, None) => zero(&mut out, ty),
        });
    }
    // A body that only yields these does nothing.
    let first = current.clone();
    for (iterations, mut body) in bodies {
        if body.stms.is_empty() && body.results == first {
            continue;
        }
        let (mut params, mut names) = (Vec::new(), Subst::default());
        for ((ty, base), init) in types.iter().zip(&bases).zip(&current) {
            let var = out.param("x", ty.clone());
            params.push(LoopParam { var, init: *init });
            names.extend(base.map(|base| (base, Atom::Var(var))));
        }
        subst_body(&mut body, out.vars_mut(), &names);
        let mut inner = Builder::new(out.vars_mut());
        std::mem::take(&mut body.stms).into_iter().for_each(|stm| inner.push(stm));
        let mut results = Vec::new();
        for (result, ty) in body.results.into_iter().zip(&types) {
            // The sizes of results have other names inside.
            results.push(match result {
                Atom::Var(array) if ty.is_array() && inner.ty(array) != ty => {
                    inner.exp("x", Exp::Reshape(array, ty.shape().to_vec())).into()
                }
                Atom::Var(_) | Atom::Const(_) => result,
            });
        }
        let body = inner.finish(results);
        let counter = out.param("i", Type::I64);
        let pat: Vec<Var> = types.iter().map(|ty| out.param("x", ty.clone())).collect();
        current = pat.iter().map(|var| Atom::Var(*var)).collect();
        let form = LoopForm::For(counter, iterations);
        out.push(Stm { pat, exp: Exp::Loop(params, form, Box::new(body)), ..stm.clone() });
    }
    for (var, last) in stm.pat.iter().zip(current) {
        out.stm(vec![*var], Exp::Atom(last));
    }
    Some(out.finish(Vec::new()).stms)
}

/// By result, the array from outside that all bodies yield with changes, if there are any and some are made by loops.
fn bases(b: &Builder<'_>, stm: &Stm) -> Option<Vec<Option<Var>>> {
    let free = free_in_stm(stm, b.vars());
    let mut all: Vec<Option<Var>> = Vec::new();
    let mut has_loops = false;
    for (index, result) in stm.pat.iter().enumerate() {
        let is_known = |array: &Var| all.contains(&Some(*array));
        let fits = |array: &&Var| b.ty(**array).is_array() && b.ty(**array) == b.ty(*result);
        let found = free.iter().filter(fits).filter(|array| !is_known(array)).find_map(|array| {
            let (mut changed, mut loops) = (true, false);
            stm.exp.for_each_body(&mut |body| {
                let changes = Changes::of(b, body, &[*array], index, &Some);
                changed &= changes.is_some();
                let all = changes.iter().flat_map(|changes| &changes.all);
                loops |= all.into_iter().any(Change::is_by_loop);
            });
            (changed && loops).then_some(*array)
        });
        has_loops |= found.is_some();
        all.push(found);
    }
    has_loops.then_some(all)
}

/// The bodies of a branch, and how often each is executed.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a branch")]
fn counted_bodies(b: &mut Builder<'_>, exp: &Exp) -> Vec<(Atom, Body)> {
    let count = |b: &mut Builder<'_>, c: Atom| b.exp("n", Exp::Convert(Prim::I64, c)).into();
    match exp {
        Exp::If(c, bodies) => {
            let [yes, no] = (**bodies).clone();
            let not = b.exp("not", Exp::UnOp(UnOp::Not, *c)).into();
            vec![(count(b, *c), yes), (count(b, not), no)]
        }
        Exp::Switch(value, switch) => {
            let (mut all, mut other) = (Vec::new(), Atom::bool(true));
            for (case, body) in &switch.cases {
                let same = Exp::CmpOp(CmpOp::Eq, *value, (*case).into());
                let same: Atom = b.exp("same", same).into();
                all.push((count(b, same), body.clone()));
                let differs = b.exp("not", Exp::UnOp(UnOp::Not, same)).into();
                other = binary(b, BinOp::And, other, differs);
            }
            all.push((count(b, other), switch.default.clone()));
            all
        }
        _ => Vec::new(),
    }
}
