//! Control flow, array operators and accumulators in several directions.

use super::{Directions, Spread, outwards};
use crate::differentiate::Res;
use crate::differentiate::num::whole;
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_lambda;
use fehu_ir::subst::{Subst, copy_lambda, subst_lambda};
use fehu_ir::{
    AccInput, Atom, Body, Dim, Exp, Hist, HistOp, Lambda, LoopParam, Red, Scan, Scatter, Screma,
    Stm, Type, Var,
};

impl Spread {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are executed apart")]
    pub(super) fn operator(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        let Stm { pat, exp, certs, attrs, loc } = stm;
        let which = self.which(b, &pat);
        let (new_pat, exp) = match exp {
            Exp::If(cond, bodies) => {
                let [yes, no] = *bodies;
                let bodies = [self.body(b, yes, &which)?, self.body(b, no, &which)?];
                (self.bind(b, &pat), Exp::If(cond, Box::new(bodies)))
            }
            Exp::Switch(value, mut switch) => {
                for (_, body) in &mut switch.cases {
                    *body = self.body(b, std::mem::take(body), &which)?;
                }
                switch.default = self.body(b, std::mem::take(&mut switch.default), &which)?;
                (self.bind(b, &pat), Exp::Switch(value, switch))
            }
            Exp::Loop(params, form, body) => {
                let mut all = Vec::new();
                for param in params {
                    if !self.dependent.has(param.var, b.vars()) {
                        all.push(param);
                        continue;
                    }
                    let inits = self.lanes_of(b, param.init);
                    let vars = self.fresh(b, param.var);
                    all.extend(
                        vars.into_iter().zip(inits).map(|(var, init)| LoopParam { var, init }),
                    );
                }
                let body = self.body(b, *body, &which)?;
                (self.bind(b, &pat), Exp::Loop(all, form, Box::new(body)))
            }
            Exp::Screma(op) => {
                let op = self.screma(b, *op, &which)?;
                (self.bind(b, &pat), Exp::Screma(Box::new(op)))
            }
            Exp::Hist(op) => {
                let op = self.hist(b, *op, &which)?;
                (self.bind(b, &pat), Exp::Hist(Box::new(op)))
            }
            Exp::Scatter(op) => {
                let op = self.scatter(b, *op, &which)?;
                (self.bind(b, &pat), Exp::Scatter(Box::new(op)))
            }
            Exp::UpdateAcc(acc, indices, values) => {
                return self.update_acc(b, pat[0], acc, &indices, &values);
            }
            Exp::WithAcc(inputs, lambda) => return self.with_acc(b, &pat, inputs, *lambda),
            exp => return self.apart(b, Stm { pat, exp, certs, attrs, loc }),
        };
        let certs = self.certs(&certs);
        b.push(Stm { pat: new_pat, exp, certs, attrs, loc });
        Ok(())
    }

    /// Arrays that a function is applied to the elements of.
    fn inputs(&mut self, b: &Builder<'_>, inputs: &[Var]) -> Vec<Var> {
        let mut all = Vec::new();
        for input in inputs {
            match self.lanes.get(input) {
                Some(lanes) if self.dependent.has(*input, b.vars()) => {
                    all.extend(lanes.iter().filter_map(|lane| lane.var()));
                }
                Some(_) | None => all.push(*input),
            }
        }
        all
    }

    /// A function, with those of its results in all directions that `which` says.
    fn lambda(&mut self, b: &mut Builder<'_>, lambda: Lambda, which: &[bool]) -> Res<Lambda> {
        let params = self.bind(b, &lambda.params);
        let body = self.body(b, lambda.body, which)?;
        Ok(Lambda { params, body, ret: self.all_types(&lambda.ret, which) })
    }

    fn screma(&mut self, b: &mut Builder<'_>, op: Screma, which: &[bool]) -> Res<Screma> {
        let inputs = self.inputs(b, &op.inputs);
        let map = self.lambda(b, op.map, which)?;
        let mut at = 0;
        let mut mine = |neutral: &[Atom]| {
            at += neutral.len();
            &which[at - neutral.len()..at]
        };
        let mut scans = Vec::new();
        for Scan { op, neutral } in op.scans {
            let which = mine(&neutral);
            let neutral = self.atoms(b, &neutral, which);
            scans.push(Scan { op: self.lambda(b, op, which)?, neutral });
        }
        let mut reds = Vec::new();
        for Red { op, neutral, commutative } in op.reds {
            let which = mine(&neutral);
            let neutral = self.atoms(b, &neutral, which);
            reds.push(Red { op: self.lambda(b, op, which)?, neutral, commutative });
        }
        Ok(Screma { width: op.width, inputs, map, scans, reds })
    }

    fn hist(&mut self, b: &mut Builder<'_>, op: Hist, which: &[bool]) -> Res<Hist> {
        let inputs = self.inputs(b, &op.inputs);
        let indices: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
        let mut results = vec![false; indices];
        results.extend_from_slice(which);
        let map = self.lambda(b, op.map, &results)?;
        let (mut at, mut ops) = (0, Vec::new());
        for HistOp { shape, race_factor, dests, op, neutral } in op.ops {
            let which = &which[at..at + dests.len()];
            at += dests.len();
            let mut all = Vec::new();
            for (dest, which) in dests.iter().zip(which) {
                match which {
                    true => all.extend(self.owned(b, *dest)),
                    false => all.push(*dest),
                }
            }
            let neutral = self.atoms(b, &neutral, which);
            let op = self.lambda(b, op, which)?;
            ops.push(HistOp { shape, race_factor, dests: all, op, neutral });
        }
        Ok(Hist { width: op.width, inputs, map, ops })
    }

    fn scatter(&mut self, b: &mut Builder<'_>, op: Scatter, which: &[bool]) -> Res<Scatter> {
        let inputs = self.inputs(b, &op.inputs);
        let indices: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
        let mut results = vec![false; indices];
        results.extend_from_slice(which);
        let Lambda { params, body, ret } = self.lambda(b, op.map, &results)?;
        // Each destination has indices of its own.
        let (mut dests, mut order, mut at) = (Vec::new(), Vec::new(), 0);
        for ((shape, dest), which) in op.dests.into_iter().zip(which) {
            let arrays = if *which { self.owned(b, dest) } else { vec![dest] };
            for array in arrays {
                dests.push((shape.clone(), array));
                order.extend(at..at + shape.len());
            }
            at += shape.len();
        }
        order.extend(indices..ret.len());
        let results = order.iter().map(|index| body.results[*index]).collect();
        let ret = order.iter().map(|index| ret[*index].clone()).collect();
        let map = Lambda { params, body: Body { results, ..body }, ret };
        Ok(Scatter { width: op.width, inputs, map, dests })
    }

    /// A contribution in all directions: accumulators have one more index, that of the direction, which comes after the others.
    fn update_acc(
        &mut self,
        b: &mut Builder<'_>,
        to: Var,
        acc: Var,
        indices: &[Atom],
        values: &[Atom],
    ) -> Res<()> {
        if indices.iter().any(|index| self.depends(b, *index)) {
            return self.refuse("several directions of contributions to different places");
        }
        let accs = self.lanes.get(&acc).or_bug("accumulator in several directions").clone();
        let accs: Vec<Var> = accs.iter().filter_map(|acc| acc.var()).collect();
        let lanes = match self.directions {
            Directions::Lanes(_) => {
                let mut parts = Vec::new();
                for value in values {
                    parts.push(self.lanes_of(b, *value));
                }
                let one = |b: &mut Builder<'_>, lane: usize| {
                    let values = parts.iter().map(|part| part[lane]).collect();
                    b.exp("acc", Exp::UpdateAcc(accs[lane], indices.to_vec(), values)).into()
                };
                (0..accs.len()).map(|lane| one(b, lane)).collect()
            }
            Directions::Vector(count) => {
                let iota = b.exp("iota", Exp::Iota(Prim::I64, count, 0.into(), 1.into()));
                let ty = b.ty(accs[0]).clone();
                let mut inputs = vec![accs[0], iota];
                let mut params = vec![("acc".into(), ty.clone()), ("k".into(), Type::I64)];
                for value in values
                    .iter()
                    .filter(|value| self.depends(b, **value))
                    .copied()
                    .collect::<Vec<_>>()
                {
                    let lane =
                        self.lanes_of(b, value)[0].var().or_bug("value in several directions");
                    inputs.push(outwards(b, lane));
                    params.push(("x".into(), b.atom_ty(value)));
                }
                let depends: Vec<bool> =
                    values.iter().map(|value| self.depends(b, *value)).collect();
                let map = b.lambda(params, vec![ty.clone()], |b, args| {
                    let mut own = args[2..].iter();
                    let mut all = Vec::new();
                    for (value, depends) in values.iter().zip(depends) {
                        all.push(match depends {
                            true => (*own.next().or_bug("value of a direction")).into(),
                            false => *value,
                        });
                    }
                    let mut place = indices.to_vec();
                    place.push(args[1].into());
                    vec![b.exp("acc", Exp::UpdateAcc(args[0], place, all)).into()]
                });
                let (scans, reds) = (Vec::new(), Vec::new());
                let op = Screma { width: count, inputs, map, scans, reds };
                vec![b.typed("acc", ty, Exp::Screma(Box::new(op))).into()]
            }
        };
        self.lanes.insert(to, lanes);
        Ok(())
    }

    /// What is accumulated in different directions has nothing to do with each other.
    fn with_acc(
        &mut self,
        b: &mut Builder<'_>,
        pat: &[Var],
        inputs: Vec<AccInput>,
        lambda: Lambda,
    ) -> Res<()> {
        let count = inputs.len();
        let (certs, accs) = lambda.params.split_at(count);
        let (mut new_inputs, mut new_certs, mut new_accs) = (Vec::new(), Vec::new(), Vec::new());
        let mut new_pat = Vec::new();
        // Arrays whose rows are accumulated, and the number of dimensions that are indexed.
        let mut back = Vec::new();
        let mut pat = pat.iter().copied();
        for ((input, cert), acc) in inputs.into_iter().zip(certs).zip(accs) {
            let mine: Vec<Var> = pat.by_ref().take(input.arrays.len()).collect();
            if !self.dependent.vars.contains(cert) {
                new_certs.push(*cert);
                new_accs.push(*acc);
                new_pat.extend(mine);
                new_inputs.push(input);
                continue;
            }
            let made = self.acc_inputs(b, &input);
            let lanes: Vec<Var> = made.iter().map(|_| b.param("cert", Type::CERT)).collect();
            self.lanes.insert(*cert, lanes.iter().map(|cert| Atom::Var(*cert)).collect());
            new_certs.extend(lanes);
            new_accs.extend(self.fresh(b, *acc));
            let fresh: Vec<Vec<Var>> = mine.iter().map(|var| self.fresh(b, *var)).collect();
            for lane in 0..made.len() {
                for (vars, var) in fresh.iter().zip(&mine) {
                    new_pat.push(vars[lane]);
                    if let (Directions::Vector(size), true) =
                        (self.directions, b.ty(*var).rank() > input.shape.len())
                    {
                        let mut shape = b.ty(*var).shape().to_vec();
                        shape.insert(input.shape.len(), size);
                        let elem = b.ty(*var).elem().or_bug("type of elements");
                        let rows = b.param("rows", Type::array(elem, shape));
                        if let Some(last) = new_pat.last_mut() {
                            *last = rows;
                        }
                        back.push((vars[lane], rows, input.shape.len()));
                    }
                }
            }
            new_inputs.extend(made);
        }
        let rest: Vec<Var> = pat.collect();
        let mut which: Vec<bool> =
            certs.iter().map(|cert| self.dependent.vars.contains(cert)).collect();
        which.extend(self.which(b, &rest));
        new_pat.extend(self.bind(b, &rest));
        new_certs.extend(new_accs);
        let body = self.body(b, lambda.body, &which)?;
        let lambda = Lambda { params: new_certs, body, ret: self.all_types(&lambda.ret, &which) };
        b.stm(new_pat, Exp::WithAcc(new_inputs, Box::new(lambda)));
        for (var, rows, at) in back {
            let rank = b.ty(rows).rank();
            let perm = (0..at).chain(at + 1..rank).chain([at]).collect();
            b.stm(vec![var], Exp::Rearrange(rows, perm));
        }
        Ok(())
    }

    /// The arrays of an accumulator in all directions.
    fn acc_inputs(&mut self, b: &mut Builder<'_>, input: &AccInput) -> Vec<AccInput> {
        let rank = input.shape.len();
        let mut arrays = Vec::new();
        for array in &input.arrays {
            arrays.push(self.owned(b, *array));
        }
        let count = match self.directions {
            Directions::Vector(count) => count,
            Directions::Lanes(count) => {
                let one = |this: &mut Self, b: &mut Builder<'_>, lane: usize| {
                    let op = input.op.as_ref().map(|(op, neutral)| {
                        let subst = this.captured(b, op, |_, lanes| lanes[lane]);
                        let mut op = copy_lambda(op, b.vars_mut());
                        subst_lambda(&mut op, b.vars_mut(), &subst);
                        (op, neutral.clone())
                    });
                    let arrays = arrays.iter().map(|array| array[lane]).collect();
                    AccInput { shape: input.shape.clone(), arrays, op }
                };
                return (0..count).map(|lane| one(self, b, lane)).collect();
            }
        };
        let mut shape = input.shape.clone();
        shape.push(count);
        let mut turned = Vec::new();
        for array in arrays {
            let full = b.ty(array[0]).rank();
            if full == rank + 1 {
                turned.push(array[0]);
                continue;
            }
            let perm = (0..rank).chain([full - 1]).chain(rank..full - 1).collect();
            let rows = b.exp("rows", Exp::Rearrange(array[0], perm));
            turned.push(b.exp("own", Exp::Copy(rows)));
        }
        let op = input.op.as_ref().map(|(op, neutral)| {
            let mut op = copy_lambda(op, b.vars_mut());
            let direction = b.param("k", Type::I64);
            op.params.insert(rank, direction);
            let mut inner = Builder::new(b.vars_mut());
            let subst = self.captured(&mut inner, &op, |b, lanes| {
                let array = lanes[0].var().or_bug("value in several directions");
                let (_, rest) = b.ty(array).shape().split_last().or_bug("directions");
                let mut dims: Vec<Dim> = rest.iter().map(|size| whole(*size)).collect();
                dims.push(Dim::Fix(direction.into()));
                b.exp("captured", Exp::Index(array, dims)).into()
            });
            let before = inner.finish(Vec::new()).stms;
            subst_lambda(&mut op, b.vars_mut(), &subst);
            op.body.stms.splice(0..0, before);
            (op, neutral.clone())
        });
        vec![AccInput { shape, arrays: turned, op }]
    }

    /// What stands in one direction for that which an operator captures.
    fn captured(
        &mut self,
        b: &mut Builder<'_>,
        op: &Lambda,
        mut pick: impl FnMut(&mut Builder<'_>, &[Atom]) -> Atom,
    ) -> Subst {
        let mut subst = Subst::default();
        for var in free_in_lambda(op, b.vars()) {
            if self.dependent.has(var, b.vars()) {
                let lanes = self.lanes_of(b, var.into());
                subst.insert(var, pick(b, &lanes));
            }
        }
        subst
    }
}
