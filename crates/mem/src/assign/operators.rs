//! Array operators: their results get blocks of their own, and the elements that their functions see are rows of the
//! inputs. Only a map that updates the rows of an input leaves them where they are.

use super::Assign;
use crate::lmad::Lmad;
use crate::table::Place;
use fehu_base::bug;
use fehu_facts::poly::Poly;
use fehu_facts::updated;
use fehu_ir::{AccInput, Atom, Exp, Hist, Lambda, Partition, Scatter, Screma, Type, Var};

impl Assign<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn operator(&mut self, pat: &[Var], exp: &mut Exp) {
        match exp {
            Exp::Screma(op) => self.screma(pat, op),
            Exp::Hist(op) => self.hist(pat, op),
            Exp::Scatter(op) => self.scatter(pat, op),
            Exp::Partition(op) => self.partition(pat, op),
            Exp::WithAcc(inputs, lambda) => self.with_acc(pat, inputs, lambda),
            Exp::UpdateAcc(_, _, values) => {
                for value in values {
                    *value = self.contiguous(*value);
                }
            }
            _ => bug("this is no array operator"),
        }
    }

    /// The function that is applied at each position: array parameters are rows of the inputs.
    fn elements(&mut self, pat: &[Var], inputs: &[Var], lambda: &mut Lambda) {
        let index = self.new_var("i", Type::I64);
        self.table.set_index(pat, lambda, index);
        for (param, input) in lambda.params.clone().into_iter().zip(inputs) {
            if self.vars[param].ty.is_array() {
                self.view(param, *input, |lmad| lmad.fix(&[Poly::var(index)]));
            }
        }
        self.plain_body(&mut lambda.body);
    }

    fn screma(&mut self, pat: &[Var], op: &mut Screma) {
        let Screma { inputs, map, scans, reds, .. } = op;
        self.elements(pat, inputs, map);
        let mut parts = map.body.results.iter().copied();
        let mut bound = pat.iter().copied();
        for scan in scans {
            let count = scan.neutral.len();
            let (parts, bound): (Vec<Atom>, Vec<Var>) =
                (parts.by_ref().take(count).collect(), bound.by_ref().take(count).collect());
            for var in &bound {
                self.fresh(*var, *var);
            }
            // The current value is kept in blocks of its own.
            for (param, var) in scan.op.params.clone().into_iter().zip(&bound) {
                self.fresh(param, *var);
            }
            self.combine(&mut scan.op, &parts);
        }
        for red in reds {
            let count = red.neutral.len();
            let (parts, bound): (Vec<Atom>, Vec<Var>) =
                (parts.by_ref().take(count).collect(), bound.by_ref().take(count).collect());
            for (param, var) in red.op.params.clone().into_iter().zip(&bound) {
                self.fresh(*var, *var);
                self.same(param, Atom::Var(*var));
            }
            self.combine(&mut red.op, &parts);
        }
        let rest: Vec<Var> = bound.collect();
        let first = map.body.results.len() - rest.len();
        for (k, var) in rest.into_iter().enumerate() {
            match self.updated_input(inputs, map, first + k) {
                Some(input) => self.same(var, Atom::Var(input)),
                None => self.fresh(var, var),
            }
        }
    }

    /// The input whose rows a result, by its number, consists of, updated in place: nothing else needs them any more.
    fn updated_input(&self, inputs: &[Var], map: &Lambda, k: usize) -> Option<Var> {
        let made = self.table.place(map.body.results[k].var()?)?;
        let mut rows = map.params.iter().zip(inputs);
        let (param, input) = rows.find(|(param, _)| self.table.place(**param) == Some(made))?;
        updated(self.prog, *param, &map.body, k).then_some(*input)
    }

    /// The operator of a scan or reduction: its current value already has a place, the other operand is where the
    /// elements are, and its results become the current value.
    fn combine(&mut self, op: &mut Lambda, elements: &[Atom]) {
        let (sofar, next) = op.params.split_at(elements.len());
        let targets: Vec<Option<Place>> =
            sofar.iter().map(|param| self.table.place(*param).cloned()).collect();
        for (param, element) in next.iter().copied().zip(elements) {
            self.same(param, *element);
        }
        self.body(&mut op.body, |this, body| this.settle(&mut body.results, &targets));
    }

    fn hist(&mut self, pat: &[Var], op: &mut Hist) {
        let Hist { inputs, map, ops, .. } = op;
        self.elements(pat, inputs, map);
        let indices: usize = ops.iter().map(|op| op.shape.len()).sum();
        let mut values = map.body.results.iter().copied().skip(indices);
        let mut bound = pat.iter().copied();
        for op in ops {
            for (dest, var) in op.dests.iter().zip(bound.by_ref()) {
                self.same(var, Atom::Var(*dest));
            }
            let values: Vec<Atom> = values.by_ref().take(op.dests.len()).collect();
            self.rows(&op.op.params.clone(), &op.dests, op.shape.len());
            self.combine(&mut op.op, &values);
        }
    }

    /// Parameters that are rows of some array: their block is determined at run time, but their layout is known.
    fn rows(&mut self, params: &[Var], arrays: &[Var], indexed: usize) {
        for (param, array) in params.iter().zip(arrays) {
            self.carried(*param);
            let Some(row) =
                self.table.place(*array).and_then(|place| place.lmad.dims.get(indexed..))
            else {
                continue;
            };
            let dims = row.to_vec();
            if let Some(place) = self.table.place(*param).cloned() {
                self.table
                    .set(*param, Place { lmad: Lmad { offset: Poly::default(), dims }, ..place });
            }
        }
    }

    fn scatter(&mut self, pat: &[Var], op: &mut Scatter) {
        self.elements(pat, &op.inputs, &mut op.map);
        for (var, (_, dest)) in pat.iter().zip(&op.dests) {
            self.same(*var, Atom::Var(*dest));
        }
    }

    fn partition(&mut self, pat: &[Var], op: &mut Partition) {
        self.elements(pat, &op.inputs, &mut op.map);
        for var in pat {
            self.fresh(*var, *var);
        }
    }

    fn with_acc(&mut self, pat: &[Var], inputs: &mut [AccInput], lambda: &mut Lambda) {
        let mut bound = pat.iter().copied();
        for AccInput { shape, arrays, op } in inputs.iter_mut() {
            for (array, var) in arrays.iter().zip(bound.by_ref()) {
                self.same(var, Atom::Var(*array));
            }
            let Some((op, _)) = op else { continue };
            // The parameters: indices, the rows so far, the contributions.
            let (rows, given) = op.params[shape.len()..].split_at(arrays.len());
            let (rows, given) = (rows.to_vec(), given.to_vec());
            self.rows(&rows, arrays, shape.len());
            given.iter().for_each(|param| self.carried(*param));
            let targets: Vec<Option<Place>> =
                rows.iter().map(|param| self.table.place(*param).cloned()).collect();
            self.body(&mut op.body, |this, body| this.settle(&mut body.results, &targets));
        }
        self.plain_body(&mut lambda.body);
        for (var, result) in bound.zip(&lambda.body.results[inputs.len()..]) {
            self.same(var, *result);
        }
    }
}
