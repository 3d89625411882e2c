//! Array operators: their functions have parameters and results for tangents, and so have the operators of reductions
//! and scans. If `op` is associative, then so is the *lifted* operator on pairs of values and tangents.

use super::Forward;
use crate::differentiate::Res;
use crate::differentiate::activity::{self, Set};
use crate::differentiate::num::{extend, outer, with_presence, zero};
use fehu_base::{OrBug, Prim};
use fehu_facts::operators::{is_sum, is_sum_after};
use fehu_ir::builder::Builder;
use fehu_ir::{
    AccInput, Atom, BinOp, Body, Exp, Hist, HistOp, Lambda, Red, Scan, Scatter, Screma, Stm, Type,
    Var,
};

/// A result of an operator's function.
#[derive(Clone, Copy)]
enum Part {
    Value(usize),
    Tangent(usize),
    /// That there is a value.
    There,
}

/// Whether a function of numbers may have kinks: where operands of an operator with kinks are equal, the result has the
/// tangent of one of them, so that its neutral element has to be told apart from elements that are equal to it. An
/// operator on several parts tells them apart by other means: by indices, for instance.
fn has_kinks(body: &Body) -> bool {
    let mut found = body.stms.iter().any(|stm| {
        let is_extremum = matches!(stm.exp, Exp::BinOp(BinOp::Min | BinOp::Max, ..));
        is_extremum || matches!(stm.exp, Exp::If(..) | Exp::Switch(..))
    });
    for stm in &body.stms {
        stm.exp.for_each_body(&mut |body| found |= has_kinks(body));
    }
    found
}

/// The operator of a histogram or an accumulator on elements that say whether they are there, with its neutral element.
/// What is in the bins at first is there.
fn say_there(
    b: &mut Builder<'_>,
    (op, mut neutral): (Lambda, Vec<Atom>),
    indices: usize,
    (shape, bins): (&[Atom], &mut Vec<Var>),
) -> (Lambda, Vec<Atom>) {
    bins.insert(0, b.exp("there", Exp::Replicate(shape.to_vec(), Atom::bool(true))));
    neutral.insert(0, Atom::bool(false));
    (with_presence(b, op, indices), neutral)
}

impl Forward {
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
    pub(super) fn screma(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::Screma(op) = exp else { return self.refuse("this operator") };
        let Screma { width, inputs, map, scans, reds } = *op;
        let (inputs, map, tangents) = self.map(b, &inputs, map)?;
        let Lambda { params, body, ret } = map;
        let mut order: Vec<Part> = Vec::new();
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
            let lifted = pat[mine.clone()].iter().any(|var| set.contains(var));
            let kinks = lifted && mine.len() == 1 && has_kinks(&op.body);
            if kinks {
                order.push(Part::There);
                let ty =
                    if red.is_some() { Type::BOOL } else { outer(&[Type::BOOL], width).remove(0) };
                new_pat.push(b.param("there", ty));
            }
            order.extend(mine.clone().map(Part::Value));
            new_pat.extend_from_slice(&pat[mine.clone()]);
            if lifted {
                order.extend(mine.clone().map(Part::Tangent));
                let all = vec![true; mine.len()];
                new_pat.extend(self.bind(b, &pat[mine.clone()], &all));
                (op, neutral) = self.lift(b, op, neutral, 0)?;
            }
            if kinks {
                op = with_presence(b, op, 0);
                neutral.insert(0, Atom::bool(false));
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
        order.extend(plain.clone().map(Part::Value));
        new_pat.extend_from_slice(&pat[plain.clone()]);
        let which: Vec<bool> = plain.clone().map(|index| tangents[index].is_some()).collect();
        for (index, which) in plain.clone().zip(&which) {
            if *which {
                order.push(Part::Tangent(index));
            }
        }
        new_pat.extend(self.bind_like(b, &pat[plain.clone()], &which, &tangents[plain]));
        let map = self.reorder(b, Lambda { params, body, ret }, &tangents, &order);
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

    pub(super) fn hist(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::Hist(op) = exp else { return self.refuse("this operator") };
        let Hist { width, inputs, map, ops } = *op;
        let (inputs, map, tangents) = self.map(b, &inputs, map)?;
        let indices: usize = ops.iter().map(|hist| hist.shape.len()).sum();
        let mut order: Vec<Part> = (0..indices).map(Part::Value).collect();
        let (mut at, mut new_pat, mut new_ops) = (0, Vec::new(), Vec::new());
        for hist in ops {
            let mine = at..at + hist.dests.len();
            at = mine.end;
            let HistOp { shape, race_factor, mut dests, mut op, mut neutral } = hist;
            let lifted = pat[mine.clone()].iter().any(|var| set.contains(var));
            let kinks = lifted && mine.len() == 1 && has_kinks(&op.body);
            if kinks {
                order.push(Part::There);
                new_pat.push(b.param("there", Type::array(Prim::Bool.into(), shape.clone())));
            }
            order.extend(mine.clone().map(|index| Part::Value(indices + index)));
            new_pat.extend_from_slice(&pat[mine.clone()]);
            if lifted {
                order.extend(mine.clone().map(|index| Part::Tangent(indices + index)));
                for dest in dests.clone() {
                    let tangent = self.array_or_zero(b, dest);
                    dests.push(b.exp("d", Exp::Copy(tangent)));
                }
                let all = vec![true; mine.len()];
                new_pat.extend(self.bind(b, &pat[mine], &all));
                (op, neutral) = self.lift(b, op, neutral, 0)?;
            }
            if kinks {
                (op, neutral) = say_there(b, (op, neutral), 0, (&shape, &mut dests));
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
        order: &[Part],
    ) -> Lambda {
        let Lambda { params, body, ret } = map;
        let results = body.results.clone();
        let mut new_ret = Vec::new();
        for part in order {
            new_ret.push(match part {
                Part::There => Type::BOOL,
                Part::Value(index) => ret[*index].clone(),
                Part::Tangent(index) => match (&ret[*index], tangents[*index]) {
                    (Type::Acc(_), Some(Atom::Var(acc))) => b.ty(acc).clone(),
                    (ty, _) => ty.clone(),
                },
            });
        }
        let body = extend(b, Body { results: Vec::new(), ..body }, |b| {
            let pick = |part: &Part| match part {
                Part::There => Atom::bool(true),
                Part::Value(index) => results[*index],
                Part::Tangent(index) => tangents[*index].unwrap_or_else(|| zero(b, &ret[*index])),
            };
            order.iter().map(pick).collect()
        });
        Lambda { params, body, ret: new_ret }
    }

    pub(super) fn scatter(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::Scatter(op) = exp else { return self.refuse("this operator") };
        let Scatter { width, inputs, map, dests } = *op;
        let (inputs, map, tangents) = self.map(b, &inputs, map)?;
        let indices: usize = dests.iter().map(|(shape, _)| shape.len()).sum();
        let which: Vec<bool> = pat.iter().map(|var| set.contains(var)).collect();
        let mut order: Vec<Part> = (0..indices).map(Part::Value).collect();
        let mut all = dests.clone();
        let mut start = 0;
        for ((shape, dest), which) in dests.iter().zip(&which) {
            if *which {
                order.extend((start..start + shape.len()).map(Part::Value));
                let tangent = self.array_or_zero(b, *dest);
                all.push((shape.clone(), b.exp("d", Exp::Copy(tangent))));
            }
            start += shape.len();
        }
        order.extend((0..dests.len()).map(|index| Part::Value(indices + index)));
        for (index, which) in which.iter().enumerate() {
            if *which {
                order.push(Part::Tangent(indices + index));
            }
        }
        let map = self.reorder(b, map, &tangents, &order);
        let mut new_pat = pat.clone();
        new_pat.extend(self.bind(b, &pat, &which));
        let op = Scatter { width, inputs, map, dests: all };
        b.push(Stm { pat: new_pat, exp: Exp::Scatter(Box::new(op)), certs, attrs, loc });
        Ok(())
    }

    /// Tangents are contributed to accumulators of their own, in the same places; with an operator that does not add,
    /// to the same accumulator, by the lifted operator, or with the values to one of their own, if directions share the
    /// values.
    pub(super) fn with_acc(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let set = self.varied(b, &stm);
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let Exp::WithAcc(inputs, lambda) = exp else { return self.refuse("this operator") };
        let count = inputs.len();
        let mut at = 0;
        let (mut new_inputs, mut new_certs, mut new_accs) =
            (inputs.clone(), Vec::new(), Vec::new());
        let (mut tangent_pat, mut tangent_ret, mut with) = (Vec::new(), Vec::new(), Vec::new());
        let mut new_pat = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let mine = &pat[at..at + input.arrays.len()];
            at += input.arrays.len();
            new_pat.extend_from_slice(mine);
            with.push(mine.iter().any(|var| set.contains(var)));
            if !with[index] {
                continue;
            }
            let mut arrays = Vec::new();
            for array in &input.arrays {
                let tangent = self.array_or_zero(b, *array);
                arrays.push(b.exp("d", Exp::Copy(tangent)));
            }
            let op = match &input.op {
                None => None,
                Some((op, neutral)) if is_sum_after(op, input.shape.len()) => {
                    Some((fehu_ir::subst::copy_lambda(op, b.vars_mut()), neutral.clone()))
                }
                Some((op, neutral)) => {
                    let kinks = mine.len() == 1 && has_kinks(&op.body);
                    let op = fehu_ir::subst::copy_lambda(op, b.vars_mut());
                    let indices = input.shape.len();
                    let mut lifted = self.lift(b, op, neutral.clone(), indices)?;
                    let mut all = input.arrays.clone();
                    if self.is_shared {
                        all =
                            all.into_iter().map(|array| b.exp("again", Exp::Copy(array))).collect();
                    }
                    all.extend(arrays);
                    let mut there = None;
                    if kinks {
                        lifted = say_there(b, lifted, indices, (&input.shape, &mut all));
                        let ty = Type::array(Prim::Bool.into(), input.shape.clone());
                        there = Some(b.param("there", ty));
                    }
                    if self.is_shared {
                        tangent_pat.extend(there);
                        let again = mine.iter().map(|var| b.param("again", b.ty(*var).clone()));
                        tangent_pat.extend(again);
                        self.again.insert(lambda.params[index], kinks);
                        arrays = all;
                        Some(lifted)
                    } else {
                        with[index] = false;
                        new_inputs[index] =
                            AccInput { arrays: all, op: Some(lifted), ..input.clone() };
                        let before = new_pat.len() - mine.len();
                        new_pat.splice(before..before, there);
                        new_pat.extend(self.bind(b, mine, &vec![true; mine.len()]));
                        self.lifted.insert(lambda.params[index], kinks);
                        continue;
                    }
                }
            };
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
