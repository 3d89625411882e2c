//! Where an accumulation writes: its code without accumulators, which yields the indices of all contributions in place of their values.
//!
//! ```text
//! ys = withacc (xs) \acc -> map (\i v acc -> update_acc acc [i + 1] v) is vs acc
//! ==>
//! places = map (\i -> i + 1) is
//! ```
//!
//! A contribution in the functions of maps has a place for each of their positions, whatever else it depends on; in a branch that is not taken, the place is
//! outside of the array. How often a loop contributes is not known without running it, so accumulations with loops have no places.

use crate::differentiate::activity::Set;
use crate::differentiate::num::{binary, product};
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::free::{bound_in_lambda, free_in_stm};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{AccInput, Atom, BinOp, Body, Exp, Lambda, Screma, Stm, Type, Var};

/// An accumulation to an array.
#[derive(Clone)]
pub(super) struct Accumulation {
    lambda: Lambda,
    /// Which of its accumulators is that of the array.
    index: usize,
    /// For each contribution, the widths of the maps around it.
    sites: Vec<Vec<Atom>>,
}

impl Accumulation {
    /// That of an expression to one of its arrays.
    pub(super) fn of(
        b: &Builder<'_>,
        inputs: &[AccInput],
        lambda: &Lambda,
        index: usize,
    ) -> Option<Accumulation> {
        let own =
            bound_in_lambda(lambda).into_iter().chain(lambda.params.iter().copied()).collect();
        let find = Find { b, cert: lambda.params[index], own };
        let mut sites = Vec::new();
        let found = index < inputs.len() && find.sites(&lambda.body, &[], &mut sites);
        (found && !sites.is_empty()).then(|| Accumulation { lambda: lambda.clone(), index, sites })
    }

    /// How many places there are.
    pub(super) fn count(&self, b: &mut Builder<'_>) -> Atom {
        let mut total: Option<Atom> = None;
        for widths in &self.sites {
            let count = product(b, widths);
            total = Some(match total {
                Some(total) => binary(b, BinOp::Add, total, count),
                None => count,
            });
        }
        total.unwrap_or(0.into())
    }

    /// For each dimension, the indices of all places.
    pub(super) fn indices(&self, b: &mut Builder<'_>) -> Vec<Var> {
        let lambda = copy_lambda(&self.lambda, b.vars_mut());
        let cert = lambda.params[self.index];
        let mut body = places(b, lambda.body, cert, &|_| false);
        only_live(b, &mut body);
        body.stms.into_iter().for_each(|stm| b.push(stm));
        let rank = body.results.len() / self.sites.len();
        (0..rank)
            .map(|dim| {
                let of_site = body.results.iter().skip(dim).step_by(rank);
                let parts: Vec<Var> = of_site
                    .zip(&self.sites)
                    .map(|(index, widths)| flat(b, *index, widths))
                    .collect();
                match parts[..] {
                    [one] => one,
                    _ => {
                        let total = self.count(b);
                        b.exp("places", Exp::Concat(total, parts))
                    }
                }
            })
            .collect()
    }
}

/// Looks for the contributions to an accumulator.
struct Find<'b, 'a> {
    b: &'b Builder<'a>,
    cert: Var,
    /// What is bound inside of the accumulation.
    own: Set,
}

impl Find<'_, '_> {
    fn is_ours(&self, var: &Var) -> bool {
        is_acc_of(self.b, *var, self.cert)
    }

    /// Whether all of them are known.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "loops, and what has accumulators of its own, are not looked into"
    )]
    fn sites(&self, body: &Body, widths: &[Atom], found: &mut Vec<Vec<Atom>>) -> bool {
        body.stms.iter().all(|stm| match &stm.exp {
            Exp::UpdateAcc(acc, ..) => {
                if self.is_ours(acc) {
                    found.push(widths.to_vec());
                }
                true
            }
            Exp::Screma(op) if op.inputs.iter().any(|input| self.is_ours(input)) => {
                let is_known = op.width.var().is_none_or(|var| !self.own.contains(&var));
                let widths: Vec<Atom> = widths.iter().copied().chain([op.width]).collect();
                is_known && self.sites(&op.map.body, &widths, found)
            }
            Exp::If(..) | Exp::Switch(..) => {
                let mut all = true;
                stm.exp.for_each_body(&mut |body| all &= self.sites(body, widths, found));
                all
            }
            Exp::Atom(_) => true,
            _ => !stm.pat.iter().any(|var| self.is_ours(var)),
        })
    }
}

fn is_acc(b: &Builder<'_>, var: Var) -> bool {
    matches!(b.ty(var), Type::Acc(_))
}

fn is_acc_of(b: &Builder<'_>, var: Var, cert: Var) -> bool {
    *b.ty(var) == Type::Acc(cert)
}

/// The body without accumulators, with those of its results that `keeps` knows, and after them the indices of its contributions.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others contribute nothing")]
fn places(b: &mut Builder<'_>, body: Body, cert: Var, keeps: &dyn Fn(usize) -> bool) -> Body {
    let mut indices: Vec<Atom> = Vec::new();
    let mut out: Vec<Stm> = Vec::with_capacity(body.stms.len());
    for mut stm in body.stms {
        let kept: Vec<bool> = stm.pat.iter().map(|var| !is_acc(b, *var)).collect();
        if kept.iter().all(|kept| *kept) {
            out.push(stm);
            continue;
        }
        let plain = kept.iter().filter(|kept| **kept).count();
        let mut new = Vec::new();
        match stm.exp {
            Exp::UpdateAcc(acc, places, _) => {
                if is_acc_of(b, acc, cert) {
                    indices.extend(places);
                }
                continue;
            }
            Exp::Screma(op) => {
                let op = *op;
                // What is folded comes first, both of the results and of those of the function.
                let body = places(b, op.map.body, cert, &|at| kept[at]);
                let inputs = op.inputs.into_iter().zip(op.map.params);
                let inputs = inputs.filter(|(input, _)| !is_acc(b, *input));
                let (inputs, params): (Vec<Var>, Vec<Var>) = inputs.unzip();
                let ret: Vec<Type> = body.results.iter().map(|atom| b.atom_ty(*atom)).collect();
                for ty in &ret[plain..] {
                    let ty = ty.array_of(op.width).unwrap_or_else(|| ty.clone());
                    new.push(b.param("place", ty));
                }
                let map = Lambda { params, body, ret };
                let (width, scans, reds) = (op.width, op.scans, op.reds);
                stm.exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
            }
            Exp::If(..) | Exp::Switch(..) => {
                let mut bodies = Vec::new();
                stm.exp.for_each_body(&mut |body| bodies.push(body.clone()));
                let mut bodies: Vec<Body> =
                    bodies.into_iter().map(|body| places(b, body, cert, &|at| kept[at])).collect();
                let all: Vec<Vec<Atom>> =
                    bodies.iter_mut().map(|body| body.results.split_off(plain)).collect();
                for (from, indices) in all.iter().enumerate() {
                    for index in indices {
                        let ty = b.atom_ty(*index);
                        new.push(b.param("place", ty.clone()));
                        for (number, body) in bodies.iter_mut().enumerate() {
                            let result =
                                if number == from { *index } else { nowhere(b, &ty, body) };
                            body.results.push(result);
                        }
                    }
                }
                let mut bodies = bodies.into_iter();
                stm.exp.map_bodies(&mut |body| {
                    if let Some(new) = bodies.next() {
                        *body = new;
                    }
                });
            }
            _ => continue,
        }
        let mut number = kept.into_iter();
        stm.pat.retain(|_| number.next().unwrap_or(true));
        stm.pat.extend(&new);
        indices.extend(new.into_iter().map(Atom::Var));
        out.push(stm);
    }
    let results = body.results.into_iter().enumerate().filter(|(at, _)| keeps(*at));
    let results = results.map(|(_, result)| result).chain(indices).collect();
    Body { stms: out, results }
}

/// Places outside of all arrays, made in the body.
fn nowhere(b: &mut Builder<'_>, ty: &Type, body: &mut Body) -> Atom {
    let outside = Atom::i64(-1);
    if !ty.is_array() {
        return outside;
    }
    let places = b.param("nowhere", ty.clone());
    body.stms.push(Stm::new(vec![places], Exp::Replicate(ty.shape().to_vec(), outside)));
    places.into()
}

/// Removes what the results do not need, checks included: the accumulation makes them.
fn only_live(b: &Builder<'_>, body: &mut Body) {
    let mut live: Set = body.results.iter().filter_map(|atom| atom.var()).collect();
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms).into_iter().rev() {
        if stm.pat.iter().any(|var| live.contains(var)) {
            stm.exp.map_bodies(&mut |body| only_live(b, body));
            live.extend(free_in_stm(&stm, b.vars()));
            out.push(stm);
        }
    }
    out.reverse();
    body.stms = out;
}

/// Indices for all positions of the maps around a contribution, as one dimension.
fn flat(b: &mut Builder<'_>, index: Atom, widths: &[Atom]) -> Var {
    match (index, widths) {
        (Atom::Var(indices), [_, ..]) if b.ty(indices).is_array() => {
            let count = product(b, widths);
            b.exp("places", Exp::Reshape(indices, vec![count]))
        }
        _ => b.exp("places", Exp::Array(Prim::I64.into(), vec![index])),
    }
}
