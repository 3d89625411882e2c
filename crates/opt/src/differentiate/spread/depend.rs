//! Which variables differ from direction to direction: those that depend on the seeds.

use super::Dependent;
use crate::differentiate::activity::Set;
use fehu_base::IdVec;
use fehu_ir::free::free_in_stm;
use fehu_ir::{AccInput, Atom, Body, Dim, Exp, Family, Lambda, LoopForm, Stm, Type, Var, VarInfo};

/// What depends on the variables of `seeds`.
pub(super) fn dependent(body: &Body, vars: &IdVec<Var, VarInfo>, seeds: Set) -> Dependent {
    let mut find = Find { vars, found: Dependent { vars: seeds, apart: Set::default() } };
    // Loops and accumulators lead back.
    loop {
        let before = (find.found.vars.len(), find.found.apart.len());
        find.body(body);
        if before == (find.found.vars.len(), find.found.apart.len()) {
            return find.found;
        }
    }
}

impl Dependent {
    /// Whether a variable does; an accumulator does if something that is contributed to it does.
    pub(super) fn has(&self, var: Var, vars: &IdVec<Var, VarInfo>) -> bool {
        match &vars[var].ty {
            Type::Acc(cert) => self.vars.contains(cert),
            Type::Scalar(_) | Type::Array(..) => self.vars.contains(&var),
        }
    }
}

struct Find<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    found: Dependent,
}

impl Find<'_> {
    fn has(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.found.has(var, self.vars))
    }

    fn add(&mut self, var: Var) {
        let var = match &self.vars[var].ty {
            Type::Acc(cert) => *cert,
            Type::Scalar(_) | Type::Array(..) => var,
        };
        self.found.vars.insert(var);
    }

    /// The variable depends on what these operands depend on.
    fn flow(&mut self, from: Atom, to: Var) {
        if self.has(from) {
            self.add(to);
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            if stm.certs.iter().any(|cert| self.found.vars.contains(cert)) {
                self.apart(stm);
            } else {
                self.stm(stm);
            }
        }
    }

    /// The statement is executed for each direction on its own.
    fn apart(&mut self, stm: &Stm) {
        self.found.apart.extend(stm.pat.first());
        stm.pat.iter().for_each(|var| self.add(*var));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are treated alike")]
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::If(cond, _) if self.has(*cond) => self.apart(stm),
            Exp::Switch(value, _) if self.has(*value) => self.apart(stm),
            Exp::If(..) | Exp::Switch(..) => {
                stm.exp.for_each_body(&mut |body| {
                    self.body(body);
                    for (var, result) in stm.pat.iter().zip(&body.results) {
                        self.flow(*result, *var);
                    }
                });
            }
            Exp::Loop(params, form, body) => {
                for ((param, result), var) in params.iter().zip(&body.results).zip(&stm.pat) {
                    self.flow(param.init, param.var);
                    self.flow(*result, param.var);
                    self.flow(param.var.into(), *var);
                }
                let decides = match form {
                    LoopForm::For(_, bound) => *bound,
                    LoopForm::While(param) => (*param).into(),
                };
                if self.has(decides) {
                    return self.apart(stm);
                }
                self.body(body);
            }
            Exp::Screma(op) => {
                self.map(&op.inputs, &op.map);
                let mut at = 0;
                let scans = op.scans.iter().map(|scan| (&scan.op, &scan.neutral));
                let reds = op.reds.iter().map(|red| (&red.op, &red.neutral));
                for (fold, neutral) in scans.chain(reds) {
                    let mine = at..at + neutral.len();
                    at = mine.end;
                    self.fold(fold, neutral, &op.map.body.results[mine.clone()], &stm.pat[mine]);
                }
                for (result, var) in op.map.body.results[at..].iter().zip(&stm.pat[at..]) {
                    self.flow(*result, *var);
                }
            }
            Exp::Hist(op) => {
                self.map(&op.inputs, &op.map);
                let indices: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
                let (indices, values) = op.map.body.results.split_at(indices);
                if indices.iter().any(|index| self.has(*index)) {
                    return self.apart(stm);
                }
                let mut at = 0;
                for hist in &op.ops {
                    let mine = at..at + hist.dests.len();
                    at = mine.end;
                    for (dest, var) in hist.dests.iter().zip(&stm.pat[mine.clone()]) {
                        self.flow((*dest).into(), *var);
                    }
                    self.fold(&hist.op, &hist.neutral, &values[mine.clone()], &stm.pat[mine]);
                }
            }
            Exp::Scatter(op) => {
                self.map(&op.inputs, &op.map);
                let indices: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
                let (indices, values) = op.map.body.results.split_at(indices);
                if indices.iter().any(|index| self.has(*index)) {
                    return self.apart(stm);
                }
                for (((_, dest), value), var) in op.dests.iter().zip(values).zip(&stm.pat) {
                    self.flow((*dest).into(), *var);
                    self.flow(*value, *var);
                }
            }
            Exp::WithAcc(inputs, lambda) => self.with_acc(stm, inputs, lambda),
            Exp::UpdateAcc(acc, indices, values) => {
                if values.iter().chain(indices).any(|value| self.has(*value)) {
                    self.add(*acc);
                }
            }
            exp => {
                let free = free_in_stm(stm, self.vars);
                if !free.iter().any(|var| self.found.has(*var, self.vars)) {
                    return;
                }
                stm.pat.iter().for_each(|var| self.add(*var));
                let by_value = match exp {
                    Exp::Index(_, dims) | Exp::Update(_, dims, _) => {
                        dims.iter().any(|dim| match dim {
                            Dim::Fix(index) => self.has(*index),
                            Dim::Slice { start, len, stride } => {
                                self.has(*start) || self.has(*len) || self.has(*stride)
                            }
                        })
                    }
                    Exp::FlatIndex(_, offset, dims) | Exp::FlatUpdate(_, offset, dims, _) => {
                        let mut all = dims.iter().flat_map(|(len, stride)| [*len, *stride]);
                        self.has(*offset) || all.any(|atom| self.has(atom))
                    }
                    Exp::Iota(..) | Exp::Trace(..) | Exp::Notice(..) => true,
                    exp => matches!(
                        exp.family(),
                        Family::Reference | Family::Operator | Family::Check | Family::Asked
                    ),
                };
                if by_value {
                    self.apart(stm);
                }
            }
        }
    }

    /// The function of an operator on the elements of these inputs.
    fn map(&mut self, inputs: &[Var], map: &Lambda) {
        for (input, param) in inputs.iter().zip(&map.params) {
            self.flow((*input).into(), *param);
        }
        self.body(&map.body);
    }

    /// An operator that combines elements: a part of its operands, of its neutral element and of its results all depend
    /// on seeds, or none of them does.
    fn fold(&mut self, op: &Lambda, neutral: &[Atom], elements: &[Atom], pat: &[Var]) {
        self.body(&op.body);
        let (left, right) = op.params.split_at(neutral.len());
        for (index, var) in pat.iter().enumerate() {
            let from = [elements[index], neutral[index], op.body.results[index]];
            from.into_iter().for_each(|atom| self.flow(atom, *var));
            self.flow((*var).into(), left[index]);
            self.flow((*var).into(), right[index]);
        }
    }

    fn with_acc(&mut self, stm: &Stm, inputs: &[AccInput], lambda: &Lambda) {
        let mut pat = stm.pat.iter();
        for (input, cert) in inputs.iter().zip(&lambda.params) {
            for (array, var) in input.arrays.iter().zip(pat.by_ref()) {
                self.flow((*array).into(), *cert);
                self.flow((*var).into(), *cert);
            }
            if let Some((op, neutral)) = &input.op {
                if neutral.iter().any(|atom| self.has(*atom)) {
                    return self.apart(stm);
                }
                let free = fehu_ir::free::free_in_lambda(op, self.vars);
                if free.iter().any(|var| self.found.has(*var, self.vars)) {
                    self.add(*cert);
                }
            }
        }
        self.body(&lambda.body);
        let mut pat = stm.pat.iter();
        for (input, cert) in inputs.iter().zip(&lambda.params) {
            for var in pat.by_ref().take(input.arrays.len()) {
                self.flow((*cert).into(), *var);
            }
        }
        for (result, var) in lambda.body.results[inputs.len()..].iter().zip(pat) {
            self.flow(*result, *var);
        }
    }
}
