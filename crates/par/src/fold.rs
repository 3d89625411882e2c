//! Reductions and scans below levels, or on the host.
//!
//! If the function before the operator contains parallelism, they are separated: first the map, then the reduction.
//! What the function only passes on, such as positions in a search for the smallest element, the reduction reads
//! itself. If the operator combines arrays, `vector` turns it into an operator on their elements.

use crate::build::Inside;
use crate::context::Cx;
use crate::distribute::{only_inner, only_outer};
use crate::vector::{Fold, folding};
use fehu_ir::{Atom, Body, Exp, Screma, Stm, Var};

impl Cx<'_> {
    /// A reduction or scan below the levels; the arrays of the host with its results, or the values without levels.
    pub(crate) fn fold(&mut self, stm: &Stm) -> Vec<Var> {
        let Exp::Screma(op) = &stm.exp else { return Vec::new() };
        let vector = folds(op).iter().any(Fold::is_vector);
        self.enter(stm, op.width, &op.inputs, &op.map);
        let plan = self.plan(&op.map.body);
        let may_suffice = self.may_suffice() && !only_inner(stm);
        let body = &op.map.body;
        let is_tiled = !vector && plan.has_operators() && self.has_tiles(body);
        if !vector && plan.has_operators() && !is_tiled {
            let again = |cx: &mut Self| cx.below(|cx| cx.fold(stm));
            if let Some(arrays) = self.choose_tiles(stm, body, again) {
                self.levels.pop();
                return arrays;
            }
        }
        self.levels.pop();
        match (vector, plan.has_operators()) {
            (true, _) => self.taken_apart(stm, op),
            _ if is_tiled => self.taken_apart(stm, op),
            (false, _) if only_outer(stm) => self.leaf(stm),
            (false, false) => self.leaf(stm),
            (false, true) if may_suffice => {
                // The guard counts the positions of the operator, too.
                self.enter(stm, op.width, &op.inputs, &op.map);
                let arrays = self.choose(body, &mut |cx| cx.below(|cx| cx.leaf(stm)), &mut |cx| {
                    cx.below(|cx| cx.taken_apart(stm, op))
                });
                self.levels.pop();
                arrays
            }
            (false, true) => self.taken_apart(stm, op),
        }
    }

    /// Does something without the innermost level.
    pub(crate) fn below(&mut self, work: impl FnOnce(&mut Self) -> Vec<Var>) -> Vec<Var> {
        let level = self.levels.pop();
        let result = work(self);
        self.levels.extend(level);
        result
    }

    /// First the map, then the operators.
    fn taken_apart(&mut self, stm: &Stm, op: &Screma) -> Vec<Var> {
        let mark = self.vars.len();
        let is_vector = folds(op).iter().any(Fold::is_vector);
        let passed = if is_vector { vec![None; op.folded()] } else { passed(op) };
        let mut body = op.map.body.clone();
        let mut passes = passed.iter().map(Option::is_some);
        body.results.retain(|_| !passes.next().unwrap_or(false));
        self.enter(stm, op.width, &op.inputs, &op.map);
        let arrays = match is_vector {
            true => self.before_rows(stm, &body),
            false => self.inside_of(stm, &body),
        };
        self.levels.pop();
        let mapped = passed.iter().filter(|input| input.is_none()).count();
        let (mapped, plain) = arrays.split_at(mapped.min(arrays.len()));
        let mut mapped = mapped.iter();
        let mut inputs = Vec::with_capacity(op.folded());
        for input in passed {
            inputs.extend(match input {
                Some(input) => Some(input),
                None => mapped.next().map(|array| self.level_var(*array)),
            });
        }
        let mut results: Vec<Option<Var>> = vec![None; op.folded()];
        let mut rest: (Vec<Var>, Vec<Fold>, Vec<usize>) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        for fold in folds(op) {
            let range = at..at + fold.neutral().len();
            at = range.end;
            let mine = &inputs[range.clone()];
            let found = match fold.is_vector() {
                true => self.by_elements(stm, op.width, mine, &fold),
                false => None,
            };
            match found {
                Some(arrays) => {
                    for (index, array) in range.zip(arrays) {
                        results[index] = Some(array);
                    }
                }
                None => {
                    rest.0.extend(mine);
                    rest.1.push(fold);
                    rest.2.extend(range);
                }
            }
        }
        let (inputs, folds, places) = rest;
        if !folds.is_empty() {
            let pat: Vec<Var> = places.iter().map(|place| stm.pat[*place]).collect();
            let op = folding(self, op.width, inputs, folds);
            let exp = Exp::Screma(Box::new(op));
            let leaf = Stm { pat: pat.clone(), exp, ..stm.clone() };
            let atoms: Vec<Atom> = pat.into_iter().map(Atom::Var).collect();
            let arrays = self.nest_of(Inside::Operator, vec![leaf], &atoms);
            for (place, array) in places.into_iter().zip(arrays) {
                results[place] = Some(array);
            }
        }
        let plain = self.own(plain.to_vec(), &stm.pat[op.folded()..], mark);
        results.into_iter().flatten().chain(plain).collect()
    }

    /// The function of the innermost level before rows are folded. Others may be computed where they are folded, by the
    /// version for the outer parallelism; these cannot, so that this is a choice of its own.
    fn before_rows(&mut self, stm: &Stm, body: &Body) -> Vec<Var> {
        if only_outer(stm) {
            return self.whole(body);
        }
        let plan = self.plan(body);
        let suffices = self.may_suffice() && !only_inner(stm);
        match suffices && plan.is_parallel() && !plan.is_free(body, self.vars) {
            true => self.choose(body, &mut |cx| cx.whole(body), &mut |cx| cx.inside_of(stm, body)),
            false => self.inside_of(stm, body),
        }
    }

    /// The variable of the innermost level for an array that has one dimension more than the levels.
    pub(crate) fn level_var(&mut self, array: Var) -> Var {
        if self.levels.is_empty() {
            return array;
        }
        let mut ty = self.vars[array].ty.clone();
        for _ in &self.levels {
            ty = ty.row().unwrap_or(ty);
        }
        let var = self.fresh(array.into(), ty);
        self.store(var, array);
        var
    }
}

/// For each operand of reductions and scans, the array whose elements it is, if the function before them only passes these on.
fn passed(op: &Screma) -> Vec<Option<Var>> {
    let input = |result: &Atom| {
        let param = op.map.params.iter().position(|param| result.var() == Some(*param))?;
        Some(op.inputs[param])
    };
    op.map.body.results[..op.folded()].iter().map(input).collect()
}

/// The reductions and scans, in the order of their operands.
pub(crate) fn folds(op: &Screma) -> Vec<Fold> {
    let scans = op.scans.iter().cloned().map(Fold::Scan);
    scans.chain(op.reds.iter().cloned().map(Fold::Red)).collect()
}
