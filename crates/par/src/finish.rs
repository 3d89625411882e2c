//! What is done with the results of a segmented reduction is done by the thread that has them.
//!
//! ```text
//! ss = seg grid [n] { s = reduce (+) 0 xss[i] }
//! ys = seg grid [] { map f ss us }                 ==>    ys = seg grid [n] { s = reduce (+) 0 xss[i];  u = us[i];  y = f s u  in y }
//! ```
//!
//! On devices this is a kernel less, and nothing is stored in between. The map must have the positions of the segments,
//! be straight-line code on scalars, and use the reduced values only at its own position. What others need of the
//! results is stored as well.

use crate::epilogue::uses;
use fehu_base::IdVec;
use fehu_facts::cost::has_effects;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::subst::{Subst, copy_lambda, copy_stm, subst_stm};
use fehu_ir::{
    After, Atom, Body, Dim, Exp, Family, Lambda, Level, Screma, Seg, SegParts, Stm, Type, Var,
    VarInfo,
};
use rustc_hash::FxHashMap;

/// The most statements of a map that becomes the finish of a reduction.
const MOST: usize = 100;

/// Joins reductions of the host's bodies with the maps that follow them. `known` are arrays whose elements are computed
/// where they are read.
pub(super) fn finish(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, known: &mut Vec<Var>) {
    let outside = known.len();
    for stm in &mut body.stms {
        if matches!(stm.exp, Exp::Iota(..) | Exp::Replicate(..)) {
            known.extend(&stm.pat);
        }
        if !matches!(stm.exp, Exp::Seg(_)) {
            stm.exp.map_bodies(&mut |body| finish(body, vars, known));
        }
    }
    if body.stms.iter().any(|stm| segmented(stm).is_some()) {
        in_body(body, vars, known);
    }
    known.truncate(outside);
}

fn in_body(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, known: &[Var]) {
    let uses = uses(body, vars);
    let mut at = 0;
    while at + 1 < body.stms.len() {
        if let Some(next) = follower(body, at, vars)
            && !free_in_stm(&body.stms[next], vars).iter().any(|var| known.contains(var))
            && let Some(joined) = joined(&body.stms[at], &body.stms[next], vars, &uses)
        {
            body.stms[next] = joined;
            body.stms.remove(at);
        } else {
            at += 1;
        }
    }
}

/// The statement that first needs what a reduction makes, if all in between could be before it.
fn follower(body: &Body, at: usize, vars: &IdVec<Var, VarInfo>) -> Option<usize> {
    segmented(&body.stms[at])?;
    let pat = &body.stms[at].pat;
    for (next, stm) in body.stms.iter().enumerate().skip(at + 1) {
        if free_in_stm(stm, vars).iter().any(|var| pat.contains(var)) {
            return Some(next);
        }
        if !matches!(stm.exp.family(), Family::Scalar | Family::View) {
            return None;
        }
    }
    None
}

/// A reduction to scalars of segments, without a finish.
fn segmented(stm: &Stm) -> Option<(&Seg, SegParts<'_>)> {
    let Exp::Seg(seg) = &stm.exp else { return None };
    let parts = seg.parts()?;
    let Exp::Screma(op) = &parts.op.exp else { return None };
    let scalars = op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
    let fits = seg.level == Level::Grid
        && !seg.space.is_empty()
        && seg.rows.is_none()
        && seg.tiling.is_none()
        && parts.after == After::Nothing
        && op.scans.is_empty()
        && !op.reds.is_empty()
        && op.folded() == op.map.ret.len()
        && scalars
        && stm.pat.len() == parts.op.pat.len();
    fits.then_some((seg, parts))
}

/// A map of scalars on a device.
fn mapped(stm: &Stm) -> Option<(&Seg, SegParts<'_>, &Screma)> {
    let Exp::Seg(seg) = &stm.exp else { return None };
    let parts = seg.parts()?;
    let Exp::Screma(op) = &parts.op.exp else { return None };
    let is_scalar = |ty: &Type| matches!(ty, Type::Scalar(_));
    let fits = seg.level == Level::Grid
        && seg.rows.is_none()
        && parts.after == After::Nothing
        && op.folded() == 0
        && op.map.ret.iter().all(is_scalar)
        && op.map.body.stms.len() + parts.before.len() <= MOST
        && op.map.body.stms.iter().chain(parts.before).all(Seg::allows_after)
        && !has_effects(&op.map.body);
    fits.then_some((seg, parts, op))
}

fn joined(
    reduction: &Stm,
    map: &Stm,
    vars: &mut IdVec<Var, VarInfo>,
    uses: &FxHashMap<Var, usize>,
) -> Option<Stm> {
    let (first, reduced) = segmented(reduction)?;
    let (second, parts, op) = mapped(map)?;
    let positions = second.space.iter().chain([&op.width]);
    if !positions.eq(&first.space) {
        return None;
    }
    // What others need, too, is stored.
    let read = free_in_stm(map, vars);
    let pairs = reduction.pat.iter().copied().zip(reduced.op.pat.iter().copied());
    let kept: Vec<(Var, Var)> = pairs
        .filter(|(array, _)| {
            uses.get(array).copied().unwrap_or(0) > usize::from(read.contains(array))
        })
        .collect();
    let mut join = Join { reduction, first, second, parts, vars, code: Vec::new() };
    let results = join.results(op, reduced)?;
    let mut body = first.body.body.clone();
    body.stms.append(&mut join.code);
    let values = kept.iter().map(|(_, value)| *value);
    let (pat, ret) = (kept.iter().map(|(array, _)| *array), op.map.ret.iter().cloned());
    let ret = values.clone().map(|value| vars[value].ty.clone()).chain(ret).collect();
    let pat = pat.chain(map.pat.iter().copied()).collect();
    body.results = values.chain(results).map(Atom::Var).collect();
    let body = Lambda { params: first.body.params.clone(), body, ret };
    let seg = Seg { body, ..first.clone() };
    let mut certs = map.certs.clone();
    certs.extend(reduction.certs.iter().filter(|cert| !map.certs.contains(cert)));
    Some(Stm { pat, exp: Exp::Seg(Box::new(seg)), certs, ..map.clone() })
}

struct Join<'a> {
    reduction: &'a Stm,
    first: &'a Seg,
    second: &'a Seg,
    parts: SegParts<'a>,
    vars: &'a mut IdVec<Var, VarInfo>,
    /// The finish.
    code: Vec<Stm>,
}

impl Join<'_> {
    /// Makes the finish; the results of the map at a position.
    fn results(&mut self, op: &Screma, reduced: SegParts<'_>) -> Option<Vec<Var>> {
        let indices: Vec<Atom> = self.first.indices().iter().map(|var| (*var).into()).collect();
        let (last, outer) = indices.split_last()?;
        // Rows of what was reduced, which are no arrays any more, with the values at this position.
        let mut rows: FxHashMap<Var, Var> = FxHashMap::default();
        let values = self.reduction.pat.iter().copied().zip(&reduced.op.pat);
        let values: FxHashMap<Var, Var> = values.map(|(array, value)| (array, *value)).collect();
        let mut names: Subst =
            self.second.indices().iter().copied().zip(outer.iter().copied()).collect();
        for (element, input) in self.second.elements().iter().zip(&self.second.inputs) {
            if !matches!(self.vars[*input].ty, Type::Array(..)) {
                return None;
            }
            if let Some(value) = values.get(input) {
                rows.insert(*element, *value);
            } else {
                let dims = outer.iter().map(|at| Dim::Fix(*at)).collect();
                let row = self.named(*element, Exp::Index(*input, dims));
                names.insert(*element, row.into());
            }
        }
        for stm in self.parts.before {
            if let Exp::Index(array, dims) = &stm.exp
                && let Some(value) = values.get(array)
            {
                let own = self.second.indices().iter().map(|var| Dim::Fix((*var).into()));
                if !dims.iter().cloned().eq(own) {
                    return None;
                }
                rows.insert(stm.pat[0], *value);
            } else {
                self.again(stm, &mut names);
            }
        }
        let free = free_in_lambda(&op.map, self.vars);
        let function = copy_lambda(&op.map, self.vars);
        for (param, input) in function.params.iter().zip(&op.inputs) {
            let value = rows.get(input).or_else(|| values.get(input)).copied();
            let exp = match (value, &self.vars[*param].ty) {
                (Some(value), _) => Exp::Atom(value.into()),
                (None, Type::Scalar(_)) => {
                    let array = names.get(input).map_or(Some(*input), |atom| atom.var())?;
                    Exp::Index(array, vec![Dim::Fix(*last)])
                }
                (None, Type::Array(..) | Type::Acc(_)) => return None,
            };
            self.code.push(Stm::new(vec![*param], exp));
        }
        for stm in &function.body.stms {
            self.again(stm, &mut names);
        }
        let mut results = Vec::new();
        for (result, ty) in function.body.results.iter().zip(&function.ret) {
            let atom = result.var().and_then(|var| names.get(&var).copied()).unwrap_or(*result);
            let info = VarInfo { hint: "x".into(), ty: ty.clone() };
            let var = self.vars.push(info);
            self.code.push(Stm::new(vec![var], Exp::Atom(atom)));
            results.push(var);
        }
        // Nothing else of the reduction is mentioned.
        let is_gone = |var: &Var| values.contains_key(var) || rows.contains_key(var);
        let mentioned = self.code.iter().flat_map(|stm| free_in_stm(stm, self.vars));
        (!free.iter().any(is_gone) && !mentioned.into_iter().any(|var| is_gone(&var)))
            .then_some(results)
    }

    fn named(&mut self, like: Var, exp: Exp) -> Var {
        let var = self.vars.push(self.vars[like].clone());
        self.code.push(Stm::new(vec![var], exp));
        var
    }

    /// A statement by other names.
    fn again(&mut self, stm: &Stm, names: &mut Subst) {
        let mut again = copy_stm(stm, self.vars);
        subst_stm(&mut again, self.vars, names);
        names.extend(stm.pat.iter().copied().zip(again.pat.iter().map(|var| Atom::Var(*var))));
        self.code.push(again);
    }
}
