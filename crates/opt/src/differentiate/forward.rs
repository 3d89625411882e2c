//! Forward mode: every statement is followed by a statement for the tangents of its results. A variable without a tangent has a tangent
//! of zero, which is only written down where something needs it.

use super::activity::{self, Set};
use super::num::{add, extend, has_numbers, zero};
use super::scalar::partials;
use super::{Refused, Res};
use fehu_base::OrBug;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::{
    AccInput, Atom, Body, Exp, Hist, HistOp, Lambda, Loc, LoopParam, Red, Scan, Scatter, Screma,
    Stm, Type, Var,
};
use rustc_hash::FxHashMap;

/// The results of a function, which is applied here, and their tangents.
pub(super) fn jvp(
    b: &mut Builder<'_>,
    fun: Lambda,
    args: &[Atom],
    seeds: &[Atom],
    loc: Option<Loc>,
) -> Res<Vec<Atom>> {
    let mut forward = Forward { tangents: FxHashMap::default(), loc };
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

struct Forward {
    tangents: FxHashMap<Var, Atom>,
    loc: Option<Loc>,
}

impl Forward {
    fn tangent(&self, atom: Atom) -> Option<Atom> {
        self.tangents.get(&atom.var()?).copied()
    }

    fn or_zero(&self, b: &mut Builder<'_>, atom: Atom) -> Atom {
        self.tangent(atom).unwrap_or_else(|| {
            let ty = b.atom_ty(atom);
            zero(b, &ty)
        })
    }

    fn array_or_zero(&self, b: &mut Builder<'_>, array: Var) -> Var {
        self.or_zero(b, array.into()).var().or_bug("tangent of an array")
    }

    fn refuse<T>(&self, what: &str) -> Res<T> {
        Err(Refused { loc: self.loc.clone(), what: what.to_owned() })
    }

    fn stms(&mut self, b: &mut Builder<'_>, stms: Vec<Stm>) -> Res<()> {
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
    fn bind(&mut self, b: &mut Builder<'_>, vars: &[Var], which: &[bool]) -> Vec<Var> {
        let mut new = Vec::new();
        for (var, which) in vars.iter().zip(which) {
            if *which {
                let tangent = b.param("d", b.ty(*var).clone());
                self.tangents.insert(*var, tangent.into());
                new.push(tangent);
            }
        }
        new
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
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
                b.push(stm);
                if let Some(Atom::Var(tangent)) = self.tangent(acc.into()) {
                    let values = values.iter().map(|value| self.or_zero(b, *value)).collect();
                    let next = b.exp("d", Exp::UpdateAcc(tangent, indices, values));
                    self.tangents.insert(first.or_bug("accumulator"), next.into());
                }
                Ok(())
            }
            Exp::Stream(_) | Exp::Partition(_) | Exp::Flatmap(_) | Exp::Seg(_) | Exp::Call(..)
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
        let which: Vec<bool> = params.iter().map(|param| set.contains(&param.var)).collect();
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

    /// The function of an operator, with parameters for tangents of the inputs that have some, and these tangents.
    fn map(
        &mut self,
        b: &mut Builder<'_>,
        inputs: &[Var],
        map: Lambda,
    ) -> Res<(Vec<Var>, Lambda, Vec<Option<Atom>>)> {
        let which: Vec<bool> =
            inputs.iter().map(|input| self.tangents.contains_key(input)).collect();
        let mut all = inputs.to_vec();
        all.extend(inputs.iter().filter_map(|input| self.tangent((*input).into())?.var()));
        let mut params = map.params.clone();
        let like: Vec<Option<Atom>> =
            inputs.iter().map(|input| self.tangent((*input).into())).collect();
        params.extend(self.bind_like(b, &map.params, &which, &like));
        let (body, tangents) = self.body(b, map.body)?;
        Ok((all, Lambda { params, body, ret: map.ret }, tangents))
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

    /// An operator on values and their tangents. All parts have tangents.
    fn lift(
        &mut self,
        b: &mut Builder<'_>,
        op: Lambda,
        neutral: Vec<Atom>,
        indices: usize,
    ) -> Res<(Lambda, Vec<Atom>)> {
        let count = neutral.len();
        let (index, values) = op.params.split_at(indices);
        let (left, right) = values.split_at(count);
        let all = vec![true; count];
        let mut params = index.to_vec();
        params.extend_from_slice(left);
        params.extend(self.bind(b, left, &all));
        params.extend_from_slice(right);
        params.extend(self.bind(b, right, &all));
        let (body, tangents) = self.body(b, op.body)?;
        let body = self.complete(b, body, &tangents, &all);
        let mut ret = op.ret;
        ret.extend(ret.clone());
        let mut all = neutral.clone();
        all.extend(neutral.iter().map(|atom| self.or_zero(b, *atom)));
        Ok((Lambda { params, body, ret }, all))
    }

    /// For each fold, whether it has to be lifted.
    fn screma(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::Screma(op) = exp else { return self.refuse("this operator") };
        let Screma { width, inputs, map, scans, reds } = *op;
        let (inputs, map, tangents) = self.map(b, &inputs, map)?;
        let Lambda { params, body, ret } = map;
        let mut order: Vec<(usize, bool)> = Vec::new();
        let mut new_pat = Vec::new();
        let mut at = 0;
        let (mut new_scans, mut new_reds) = (Vec::new(), Vec::new());
        let folds = scans
            .into_iter()
            .map(|scan| (scan.op, scan.neutral, None))
            .chain(reds.into_iter().map(|red| (red.op, red.neutral, Some(red.commutative))));
        for (mut op, mut neutral, red) in folds.collect::<Vec<_>>() {
            let mine = at..at + neutral.len();
            at = mine.end;
            order.extend(mine.clone().map(|index| (index, false)));
            new_pat.extend_from_slice(&pat[mine.clone()]);
            let lifted = pat[mine.clone()].iter().any(|var| set.contains(var));
            if lifted {
                order.extend(mine.clone().map(|index| (index, true)));
                let all = vec![true; mine.len()];
                new_pat.extend(self.bind(b, &pat[mine.clone()], &all));
                (op, neutral) = self.lift(b, op, neutral, 0)?;
            }
            match red {
                None => new_scans.push(Scan { op, neutral }),
                // Where two are equal, the tangent is that of the left one.
                Some(commutative) => {
                    let commutative = commutative && (!lifted || is_sum(&op));
                    new_reds.push(Red { op, neutral, commutative });
                }
            }
        }
        let plain = at..pat.len();
        order.extend(plain.clone().map(|index| (index, false)));
        new_pat.extend_from_slice(&pat[plain.clone()]);
        let which: Vec<bool> = plain.clone().map(|index| tangents[index].is_some()).collect();
        for (index, which) in plain.clone().zip(&which) {
            if *which {
                order.push((index, true));
            }
        }
        new_pat.extend(self.bind_like(b, &pat[plain.clone()], &which, &tangents[plain]));
        let results = body.results.clone();
        let mut new_ret = Vec::new();
        for (index, is_tangent) in &order {
            new_ret.push(match (&ret[*index], tangents[*index]) {
                (Type::Acc(_), Some(Atom::Var(acc))) if *is_tangent => b.ty(acc).clone(),
                (ty, _) => ty.clone(),
            });
        }
        let body = extend(b, Body { results: Vec::new(), ..body }, |b| {
            let mut all = Vec::new();
            for (index, is_tangent) in &order {
                all.push(match (is_tangent, tangents[*index]) {
                    (false, _) => results[*index],
                    (true, Some(tangent)) => tangent,
                    (true, None) => zero(b, &ret[*index]),
                });
            }
            all
        });
        let map = Lambda { params, body, ret: new_ret };
        let op = Screma { width, inputs, map, scans: new_scans, reds: new_reds };
        b.push(Stm { pat: new_pat, exp: Exp::Screma(Box::new(op)), certs, attrs, loc });
        Ok(())
    }

    /// What the statement binds that depends on something with a tangent.
    fn varied(&self, b: &Builder<'_>, stm: &Stm) -> Set {
        let mut set: Set = self.tangents.keys().copied().collect();
        let only = Body { stms: vec![stm.clone()], results: Vec::new() };
        activity::varied(&only, b.vars(), &mut set);
        set
    }

    fn hist(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::Hist(op) = exp else { return self.refuse("this operator") };
        let Hist { width, inputs, map, ops } = *op;
        let (inputs, map, tangents) = self.map(b, &inputs, map)?;
        let indices: usize = ops.iter().map(|hist| hist.shape.len()).sum();
        let mut order: Vec<(usize, bool)> = (0..indices).map(|index| (index, false)).collect();
        let (mut at, mut new_pat, mut new_ops) = (0, Vec::new(), Vec::new());
        for hist in ops {
            let mine = at..at + hist.dests.len();
            at = mine.end;
            let HistOp { shape, race_factor, mut dests, mut op, mut neutral } = hist;
            order.extend(mine.clone().map(|index| (indices + index, false)));
            new_pat.extend_from_slice(&pat[mine.clone()]);
            if pat[mine.clone()].iter().any(|var| set.contains(var)) {
                order.extend(mine.clone().map(|index| (indices + index, true)));
                for dest in dests.clone() {
                    let tangent = self.array_or_zero(b, dest);
                    dests.push(b.exp("d", Exp::Copy(tangent)));
                }
                let all = vec![true; mine.len()];
                new_pat.extend(self.bind(b, &pat[mine], &all));
                (op, neutral) = self.lift(b, op, neutral, 0)?;
            }
            new_ops.push(HistOp { shape, race_factor, dests, op, neutral });
        }
        let map = self.reorder(b, map, &tangents, &order);
        let op = Hist { width, inputs, map, ops: new_ops };
        b.push(Stm { pat: new_pat, exp: Exp::Hist(Box::new(op)), certs, attrs, loc });
        Ok(())
    }

    /// The function with results and tangents in another order.
    fn reorder(
        &self,
        b: &mut Builder<'_>,
        map: Lambda,
        tangents: &[Option<Atom>],
        order: &[(usize, bool)],
    ) -> Lambda {
        let Lambda { params, body, ret } = map;
        let results = body.results.clone();
        let body = extend(b, Body { results: Vec::new(), ..body }, |b| {
            let pick = |(index, is_tangent): &(usize, bool)| match (is_tangent, tangents[*index]) {
                (false, _) => results[*index],
                (true, Some(tangent)) => tangent,
                (true, None) => zero(b, &ret[*index]),
            };
            order.iter().map(pick).collect()
        });
        let ret = order.iter().map(|(index, _)| ret[*index].clone()).collect();
        Lambda { params, body, ret }
    }

    fn scatter(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::Scatter(op) = exp else { return self.refuse("this operator") };
        let Scatter { width, inputs, map, dests } = *op;
        let (inputs, map, tangents) = self.map(b, &inputs, map)?;
        let indices: usize = dests.iter().map(|(shape, _)| shape.len()).sum();
        let which: Vec<bool> = pat.iter().map(|var| set.contains(var)).collect();
        let mut order: Vec<(usize, bool)> = (0..indices).map(|index| (index, false)).collect();
        let mut all = dests.clone();
        let mut start = 0;
        for ((shape, dest), which) in dests.iter().zip(&which) {
            if *which {
                order.extend((start..start + shape.len()).map(|index| (index, false)));
                let tangent = self.array_or_zero(b, *dest);
                all.push((shape.clone(), b.exp("d", Exp::Copy(tangent))));
            }
            start += shape.len();
        }
        order.extend((0..dests.len()).map(|index| (indices + index, false)));
        for (index, which) in which.iter().enumerate() {
            if *which {
                order.push((indices + index, true));
            }
        }
        let map = self.reorder(b, map, &tangents, &order);
        let mut new_pat = pat.clone();
        new_pat.extend(self.bind(b, &pat, &which));
        let op = Scatter { width, inputs, map, dests: all };
        b.push(Stm { pat: new_pat, exp: Exp::Scatter(Box::new(op)), certs, attrs, loc });
        Ok(())
    }

    /// Tangents are contributed to accumulators of their own, in the same places.
    fn with_acc(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::WithAcc(inputs, lambda) = exp else { return self.refuse("this operator") };
        let count = inputs.len();
        let mut at = 0;
        let (mut new_inputs, mut new_certs, mut new_accs) =
            (inputs.clone(), Vec::new(), Vec::new());
        let (mut tangent_pat, mut tangent_ret, mut with) = (Vec::new(), Vec::new(), Vec::new());
        for (index, input) in inputs.iter().enumerate() {
            let mine = &pat[at..at + input.arrays.len()];
            at += input.arrays.len();
            with.push(mine.iter().any(|var| set.contains(var)));
            if !with[index] {
                continue;
            }
            let op = match &input.op {
                None => None,
                Some((op, neutral)) if is_sum_after(op, input.shape.len()) => {
                    Some((fehu_ir::subst::copy_lambda(op, b.vars_mut()), neutral.clone()))
                }
                Some(_) => {
                    return self.refuse("the derivative of an accumulation by this operator");
                }
            };
            let mut arrays = Vec::new();
            for array in &input.arrays {
                let tangent = self.array_or_zero(b, *array);
                arrays.push(b.exp("d", Exp::Copy(tangent)));
            }
            new_inputs.push(AccInput { shape: input.shape.clone(), arrays, op });
            let cert = b.param("cert", Type::CERT);
            let acc = b.param("d", Type::Acc(cert));
            self.tangents.insert(lambda.params[count + index], acc.into());
            new_certs.push(cert);
            new_accs.push(acc);
            tangent_ret.push(Type::Acc(cert));
            tangent_pat.extend(self.bind(b, mine, &vec![true; mine.len()]));
        }
        let (certs_before, accs_before) = lambda.params.split_at(count);
        let params = [certs_before, &new_certs[..], accs_before, &new_accs[..]].concat();
        let (body, tangents) = self.body(b, lambda.body)?;
        let mut results: Vec<Atom> = body.results[..count].to_vec();
        for (index, with) in with.iter().enumerate() {
            if *with {
                results.push(tangents[index].or_bug("tangent of an accumulator"));
            }
        }
        results.extend_from_slice(&body.results[count..]);
        let mut ret = lambda.ret[..count].to_vec();
        ret.extend(tangent_ret);
        ret.extend_from_slice(&lambda.ret[count..]);
        let mut new_pat = pat[..at].to_vec();
        new_pat.extend(tangent_pat);
        new_pat.extend_from_slice(&pat[at..]);
        for (index, var) in pat[at..].iter().enumerate() {
            if let Some(tangent) = tangents[count + index] {
                results.push(tangent);
                ret.push(lambda.ret[count + index].clone());
                new_pat.extend(self.bind(b, &[*var], &[true]));
            }
        }
        let lambda = Lambda { params, body: Body { results, ..body }, ret };
        let exp = Exp::WithAcc(new_inputs, Box::new(lambda));
        b.push(Stm { pat: new_pat, exp, certs, attrs, loc });
        Ok(())
    }
}

/// Whether an operator adds its operands, part by part, and all of its parts.
pub(super) fn is_sum(op: &Lambda) -> bool {
    is_sum_after(op, 0)
}

/// Likewise, with parameters for indices before the operands.
pub(super) fn is_sum_after(op: &Lambda, indices: usize) -> bool {
    let Some(values) = op.params.get(indices..) else { return false };
    let (left, right) = values.split_at(values.len() / 2);
    op.body.results.iter().zip(left.iter().zip(right)).all(|(result, (x, y))| {
        let Some(stm) =
            op.body.stms.iter().find(|stm| stm.pat.iter().any(|var| *result == Atom::Var(*var)))
        else {
            return false;
        };
        let both = |a: Atom, b: Atom| {
            (a, b) == ((*x).into(), (*y).into()) || (a, b) == ((*y).into(), (*x).into())
        };
        match &stm.exp {
            Exp::BinOp(fehu_ir::BinOp::Add, a, b) => both(*a, *b),
            Exp::Screma(op) => {
                op.scans.is_empty()
                    && op.reds.is_empty()
                    && op.inputs.len() == 2
                    && both(op.inputs[0].into(), op.inputs[1].into())
                    && is_sum(&op.map)
            }
            _ => false,
        }
    })
}
