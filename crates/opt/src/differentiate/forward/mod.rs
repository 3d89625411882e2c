//! Forward mode: every statement is followed by a statement for the tangents of its results. A variable without a
//! tangent has a tangent of zero, which is only written down where something needs it.

mod operators;

use super::activity::{self, Set};
use super::common::Common;
use super::num::{add, extend, has_numbers, zero};
use super::scalar::partials;
use super::{Refused, Res};
use fehu_base::OrBug;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::{Atom, Body, Exp, Lambda, Loc, LoopParam, Stm, Type, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The results of a function, which is applied here, and their tangents.
pub(super) fn jvp(
    b: &mut Builder<'_>,
    mut forward: Forward,
    fun: Lambda,
    args: &[Atom],
    seeds: &[Atom],
) -> Res<Vec<Atom>> {
    for ((param, arg), seed) in fun.params.iter().zip(args).zip(seeds) {
        b.stm(vec![*param], Exp::Atom(*arg));
        if has_numbers(b.ty(*param)) && !is_zero(*seed) {
            forward.tangents.insert(*param, *seed);
        }
    }
    forward.stms(b, fun.body.stms)?;
    let mut results = fun.body.results;
    let tangents: Vec<Atom> = results.iter().map(|atom| forward.or_zero(b, *atom)).collect();
    results.extend(tangents);
    Ok(results)
}

fn is_zero(atom: Atom) -> bool {
    matches!(atom, Atom::Const(value) if value.bits() == 0)
}

pub(super) struct Forward {
    tangents: FxHashMap<Var, Atom>,
    /// Accumulators, by their certificates, that tangents are contributed to as well, and whether contributions say
    /// that they are there.
    lifted: FxHashMap<Var, bool>,
    /// Those whose tangents are in another accumulator, with the values again, likewise.
    again: FxHashMap<Var, bool>,
    /// Whether the code will be for several directions, which share the values: then no statement yields both values and
    /// tangents if it may be executed for each direction.
    pub(super) is_shared: bool,
    pub(super) common: Rc<Common>,
    loc: Option<Loc>,
}

impl Forward {
    pub(super) fn new(common: Rc<Common>, loc: Option<Loc>) -> Forward {
        let (lifted, again) = (FxHashMap::default(), FxHashMap::default());
        Forward { tangents: FxHashMap::default(), lifted, again, is_shared: false, common, loc }
    }

    /// A parameter for the tangent of a variable.
    pub(super) fn tangent_param(&mut self, b: &mut Builder<'_>, var: Var) -> Var {
        let tangent = b.param("d", b.ty(var).clone());
        self.tangents.insert(var, tangent.into());
        tangent
    }

    pub(super) fn tangent(&self, atom: Atom) -> Option<Atom> {
        self.tangents.get(&atom.var()?).copied()
    }

    pub(super) fn or_zero(&self, b: &mut Builder<'_>, atom: Atom) -> Atom {
        self.tangent(atom).unwrap_or_else(|| {
            let ty = b.atom_ty(atom);
            zero(b, &ty)
        })
    }

    fn array_or_zero(&self, b: &mut Builder<'_>, array: Var) -> Var {
        self.or_zero(b, array.into()).var().or_bug("tangent of an array")
    }

    pub(super) fn refuse<T>(&self, what: &str) -> Res<T> {
        Err(Refused { loc: self.loc.clone(), what: what.to_owned() })
    }

    pub(super) fn stms(&mut self, b: &mut Builder<'_>, stms: Vec<Stm>) -> Res<()> {
        for stm in stms {
            let outer = stm.loc.clone().map(|loc| self.loc.replace(loc));
            b.set_loc(stm.loc.clone());
            let certs = b.set_certs(stm.certs.clone());
            self.stm(b, stm)?;
            b.set_certs(certs);
            if let Some(loc) = outer {
                self.loc = loc;
            }
        }
        Ok(())
    }

    /// A body inside, with its tangents where it has some.
    fn body(&mut self, b: &mut Builder<'_>, body: Body) -> Res<(Body, Vec<Option<Atom>>)> {
        let mut inner = Builder::new(b.vars_mut());
        self.stms(&mut inner, body.stms)?;
        let tangents = body.results.iter().map(|atom| self.tangent(*atom)).collect();
        Ok((inner.finish(body.results), tangents))
    }

    /// The body with the tangents of the results for which `which` holds.
    fn complete(
        &self,
        b: &mut Builder<'_>,
        body: Body,
        tangents: &[Option<Atom>],
        which: &[bool],
    ) -> Body {
        let results = body.results.clone();
        extend(b, body, |b| {
            let mut all = Vec::new();
            for ((result, tangent), which) in results.iter().zip(tangents).zip(which) {
                if *which {
                    all.push(tangent.unwrap_or_else(|| {
                        let ty = b.atom_ty(*result);
                        zero(b, &ty)
                    }));
                }
            }
            all
        })
    }

    /// New variables for the tangents of these.
    pub(super) fn bind(&mut self, b: &mut Builder<'_>, vars: &[Var], which: &[bool]) -> Vec<Var> {
        let mut new = Vec::new();
        for (var, which) in vars.iter().zip(which) {
            if *which {
                new.push(self.tangent_param(b, *var));
            }
        }
        new
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are linear, or have no derivative"
    )]
    fn stm(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let first = stm.pat.first().copied();
        let linear = |exp: Exp, b: &mut Builder<'_>, this: &mut Self| {
            let var = first.or_bug("result of an operation");
            let tangent = b.typed("d", b.ty(var).clone(), exp);
            this.tangents.insert(var, tangent.into());
        };
        let links = activity::links(&stm.exp);
        let active = links.iter().any(|atom| self.tangent(*atom).is_some());
        match &stm.exp {
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..) => {
                let exp = stm.exp.clone();
                b.push(stm);
                if active {
                    self.scalar(b, &exp, first.or_bug("result of an operation"));
                }
                Ok(())
            }
            Exp::If(..) | Exp::Switch(..) => self.branch(b, stm),
            Exp::Loop(..) => self.repeat(b, stm),
            Exp::Screma(_) => self.screma(b, stm),
            Exp::Hist(_) => self.hist(b, stm),
            Exp::Scatter(_) => self.scatter(b, stm),
            Exp::WithAcc(..) => self.with_acc(b, stm),
            Exp::UpdateAcc(acc, indices, values) => {
                let (acc, indices, values) = (*acc, indices.clone(), values.clone());
                let Type::Acc(cert) = *b.ty(acc) else { return self.refuse("this accumulation") };
                let lifted = self.lifted.get(&cert).copied();
                let other = self.tangent(acc.into()).and_then(Atom::var);
                if lifted.is_none() && other.is_none() {
                    b.push(stm);
                    return Ok(());
                }
                let mut all: Vec<Atom> = Vec::new();
                if let Some(says) = lifted.or_else(|| self.again.get(&cert).copied()) {
                    all.extend(says.then_some(Atom::bool(true)));
                    all.extend(&values);
                }
                for value in values {
                    all.push(self.or_zero(b, value));
                }
                let Some(other) = other else {
                    b.push(Stm { exp: Exp::UpdateAcc(acc, indices, all), ..stm });
                    return Ok(());
                };
                b.push(stm);
                let next = b.exp("d", Exp::UpdateAcc(other, indices, all));
                self.tangents.insert(first.or_bug("accumulator"), next.into());
                Ok(())
            }
            Exp::Call(id, args) if active => {
                let (id, args) = (*id, args.clone());
                self.call(b, stm, id, args)
            }
            Exp::Stream(_) | Exp::Partition(_) | Exp::Flatmap(_) | Exp::Seg(_)
                if self.uses(b, &stm) =>
            {
                self.refuse("the derivative of this operation")
            }
            exp if !active => {
                let _ = exp;
                b.push(stm);
                Ok(())
            }
            Exp::Update(array, dims, value) => {
                let (array, dims, value) = (*array, dims.clone(), *value);
                b.push(stm);
                let array = self.array_or_zero(b, array);
                let array = b.exp("d", Exp::Copy(array));
                let value = self.or_zero(b, value);
                linear(Exp::Update(array, dims, value), b, self);
                Ok(())
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let (array, offset, dims, value) = (*array, *offset, dims.clone(), *value);
                b.push(stm);
                let array = self.array_or_zero(b, array);
                let array = b.exp("d", Exp::Copy(array));
                let value = self.array_or_zero(b, value);
                linear(Exp::FlatUpdate(array, offset, dims, value), b, self);
                Ok(())
            }
            Exp::Iota(prim, count, start, step) => {
                let (prim, count, start, step) = (*prim, *count, *start, *step);
                b.push(stm);
                if self.tangent(start).is_some() || self.tangent(step).is_some() {
                    let (start, step) = (self.or_zero(b, start), self.or_zero(b, step));
                    linear(Exp::Iota(prim, count, start, step), b, self);
                }
                Ok(())
            }
            _ => {
                // All others are linear: the same operation on tangents.
                let mut exp = stm.exp.clone();
                let pat = stm.pat.clone();
                b.push(stm);
                match &mut exp {
                    Exp::Trace(_, atom) => exp = Exp::Atom(self.or_zero(b, *atom)),
                    Exp::Array(_, atoms) => {
                        atoms.iter_mut().for_each(|atom| *atom = self.or_zero(b, *atom));
                    }
                    Exp::Concat(_, arrays) => {
                        arrays.iter_mut().for_each(|array| *array = self.array_or_zero(b, *array));
                    }
                    Exp::Atom(atom) | Exp::Opaque(atom) | Exp::Replicate(_, atom) => {
                        *atom = self.or_zero(b, *atom);
                    }
                    Exp::Index(array, _)
                    | Exp::FlatIndex(array, ..)
                    | Exp::Reshape(array, _)
                    | Exp::Rearrange(array, _)
                    | Exp::Copy(array)
                    | Exp::Manifest(array) => *array = self.array_or_zero(b, *array),
                    _ => return self.refuse("the derivative of this operation"),
                }
                let tangent = b.typed("d", b.ty(pat[0]).clone(), exp);
                self.tangents.insert(pat[0], tangent.into());
                Ok(())
            }
        }
    }

    /// Whether the statement uses something with a tangent.
    fn uses(&self, b: &Builder<'_>, stm: &Stm) -> bool {
        let free = fehu_ir::free::free_in_stm(stm, b.vars());
        free.iter().any(|var| self.tangents.contains_key(var))
    }

    fn scalar(&mut self, b: &mut Builder<'_>, exp: &Exp, y: Var) {
        let tangents = &self.tangents;
        let has = |atom: Atom| atom.var().is_some_and(|var| tangents.contains_key(&var));
        let prim = prim_of(b.ty(y)).or_bug("type of a scalar");
        let parts = partials(b, exp, y.into(), &has).or_bug("operation on scalars");
        let mut total: Option<Atom> = None;
        for (operand, partial) in parts {
            let Some(tangent) = self.tangent(operand) else { continue };
            if let Some(part) = partial.times(b, tangent, prim) {
                total = Some(match total {
                    Some(total) => add(b, total, part),
                    None => part,
                });
            }
        }
        if let Some(total) = total {
            self.tangents.insert(y, total);
        }
    }

    fn branch(&mut self, b: &mut Builder<'_>, mut stm: Stm) -> Res<()> {
        let mut bodies = Vec::new();
        stm.exp.map_bodies(&mut |body| bodies.push(std::mem::take(body)));
        let mut made = Vec::new();
        for body in bodies {
            made.push(self.body(b, body)?);
        }
        let which: Vec<bool> = (0..stm.pat.len())
            .map(|index| made.iter().any(|(_, tangents)| tangents[index].is_some()))
            .collect();
        let like: Vec<Option<Atom>> = (0..stm.pat.len())
            .map(|index| made.iter().find_map(|(_, tangents)| tangents[index]))
            .collect();
        let mut bodies = Vec::new();
        for (body, tangents) in made {
            bodies.push(self.complete(b, body, &tangents, &which));
        }
        let mut bodies = bodies.into_iter();
        stm.exp.map_bodies(&mut |body| *body = bodies.next().or_bug("body of a branch"));
        let pat = stm.pat.clone();
        stm.pat.extend(self.bind_like(b, &pat, &which, &like));
        b.push(stm);
        Ok(())
    }

    fn repeat(&mut self, b: &mut Builder<'_>, mut stm: Stm) -> Res<()> {
        let Exp::Loop(params, form, body) = stm.exp else { return self.refuse("this loop") };
        let mut set: Set = self.tangents.keys().copied().collect();
        let only = Body {
            stms: vec![Stm::new(stm.pat.clone(), Exp::Loop(params.clone(), form, body.clone()))],
            results: Vec::new(),
        };
        activity::varied(&only, b.vars(), &mut set);
        // Tangents are in accumulators with lifted operators themselves.
        let is_lifted =
            |var: Var| matches!(b.ty(var), Type::Acc(cert) if self.lifted.contains_key(cert));
        let has_tangent = |param: &LoopParam| set.contains(&param.var) && !is_lifted(param.var);
        let which: Vec<bool> = params.iter().map(has_tangent).collect();
        let mut all = params.clone();
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let inits: Vec<Atom> = params
            .iter()
            .zip(&which)
            .filter(|(_, which)| **which)
            .map(|(param, _)| self.or_zero(b, param.init))
            .collect();
        let like: Vec<Option<Atom>> = params.iter().map(|param| self.tangent(param.init)).collect();
        let tangents = self.bind_like(b, &vars, &which, &like);
        all.extend(tangents.into_iter().zip(inits).map(|(var, init)| LoopParam { var, init }));
        let (body, tangents) = self.body(b, *body)?;
        let body = self.complete(b, body, &tangents, &which);
        stm.exp = Exp::Loop(all, form, Box::new(body));
        let pat = stm.pat.clone();
        stm.pat.extend(self.bind_like(b, &pat, &which, &like));
        b.push(stm);
        Ok(())
    }

    /// As `bind`; the tangents of accumulators are accumulators of their own, those of `like`.
    fn bind_like(
        &mut self,
        b: &mut Builder<'_>,
        vars: &[Var],
        which: &[bool],
        like: &[Option<Atom>],
    ) -> Vec<Var> {
        let mut new = Vec::new();
        for ((var, like), which) in vars.iter().zip(like).zip(which) {
            if !which {
                continue;
            }
            let ty = match (b.ty(*var), like) {
                (Type::Acc(_), Some(Atom::Var(acc))) => b.ty(*acc).clone(),
                (ty, _) => ty.clone(),
            };
            let tangent = b.param("d", ty);
            self.tangents.insert(*var, tangent.into());
            new.push(tangent);
        }
        new
    }
}
