//! Array operators: what is known in their functions.

use super::{Counter, Flow, Level};
use crate::operators::is_sum;
use crate::poly::Poly;
use crate::ranges::{Certs, int_range, int_value, join};
use fehu_base::Prim;
use fehu_ir::builder::prim_of;
use fehu_ir::{Atom, Exp, Lambda, Scalar, Screma, Stm, StreamForm, Type, Var};

impl<'a> Flow<'a, '_> {
    pub(super) fn soac(&mut self, stm: &'a Stm) {
        if self.enters(stm) {
            self.functions(stm);
        }
        self.bind(stm);
        if let Exp::Partition(op) = &stm.exp {
            let width = self.ranges.poly(op.width).map(|(width, _)| width);
            for count in stm.pat.iter().take(op.classes) {
                self.ranges.between(*count, Some(Poly::default()), width.clone(), &Certs::new());
            }
        }
        if let Exp::Screma(op) = &stm.exp {
            let width = self.ranges.poly(op.width).map(|(width, _)| width);
            for count in self.counts(op) {
                let count = stm.pat[count];
                self.ranges.between(count, Some(Poly::default()), width.clone(), &Certs::new());
            }
        }
    }

    /// The functions of an operator.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no functions")]
    fn functions(&mut self, stm: &'a Stm) {
        match &stm.exp {
            Exp::Screma(op) => {
                self.each(op.width, &op.inputs, &op.map);
                for scan in &op.scans {
                    self.operator(&scan.op);
                }
                for red in &op.reds {
                    self.operator(&red.op);
                }
            }
            Exp::Hist(op) => {
                self.each(op.width, &op.inputs, &op.map);
                for hist in &op.ops {
                    self.operator(&hist.op);
                }
            }
            Exp::Scatter(op) => self.each(op.width, &op.inputs, &op.map),
            Exp::Partition(op) => self.each(op.width, &op.inputs, &op.map),
            Exp::Flatmap(op) => self.each(op.width, &op.inputs, &op.map),
            Exp::Stream(op) => {
                self.inside(Level::Repeated, |flow| {
                    flow.params(&op.chunk);
                    if let Some(size) = op.chunk.params.first() {
                        let width = flow.ranges.poly(op.width).map(|(width, _)| width);
                        flow.ranges.between(*size, Some(Poly::default()), width, &Certs::new());
                    }
                    flow.body(&op.chunk.body);
                });
                match &op.form {
                    StreamForm::Red(lambda, _) => self.operator(lambda),
                    StreamForm::Map | StreamForm::Seq | StreamForm::Pass(_) => {}
                }
            }
            Exp::Seg(seg) => {
                // Nothing is moved out of it.
                self.inside(Level::Repeated, |flow| {
                    flow.params(&seg.body);
                    for (index, size) in seg.indices().iter().zip(&seg.space) {
                        let last = flow.ranges.poly(*size).and_then(|(size, _)| size.plus(-1));
                        flow.ranges.between(*index, Some(Poly::default()), last, &Certs::new());
                    }
                    for number in seg.row().into_iter().flatten() {
                        flow.ranges.between(number, Some(Poly::default()), None, &Certs::new());
                    }
                    flow.body(&seg.body.body);
                });
            }
            Exp::WithAcc(inputs, lambda) => {
                for input in inputs {
                    if let Some((op, _)) = &input.op {
                        self.operator(op);
                    }
                }
                // The function is evaluated once, but nothing is moved out of it.
                self.inside(Level::Branch, |flow| {
                    flow.params(lambda);
                    flow.body(&lambda.body);
                });
            }
            _ => {}
        }
    }

    /// A function that is applied once at every position.
    fn each(&mut self, width: Atom, inputs: &[Var], map: &'a Lambda) {
        let counters = map.params.iter().zip(inputs);
        let counters = counters.filter_map(|(param, input)| self.counter(*param, *input)).collect();
        let level =
            Level::Each { counters, bound: width, start: self.ranges.now(), operator: true };
        self.inside(level, |flow| {
            flow.params(map);
            if let Some((width, certs)) = flow.ranges.poly(width)
                && let Some(more) = width.plus(-1)
            {
                // There is at least one position, since this is one.
                flow.ranges.assume_nonneg(&more, &certs);
            }
            for (param, input) in map.params.iter().zip(inputs) {
                flow.progression(*param, *input);
            }
            flow.body(&map.body);
        });
    }

    /// A parameter that stands for the elements of a progression, as a variable that says which position it is.
    fn counter(&self, var: Var, input: Var) -> Option<Counter> {
        let iota = self.iotas.get(&input)?;
        let Atom::Const(step) = iota.step else { return None };
        let step = i64::try_from(int_value(step)?).ok()?;
        Some(Counter { var, first: iota.start, step })
    }

    /// A parameter that stands for the elements of a progression.
    pub(super) fn progression(&mut self, param: Var, input: Var) {
        let Some(iota) = self.iotas.get(&input).cloned() else { return };
        let parts = (
            self.ranges.settled(iota.count),
            self.ranges.settled(iota.start),
            self.ranges.settled(iota.step),
        );
        let (Some((count, mut certs)), Some((start, why)), Some((step, _))) = parts else { return };
        join(&mut certs, &why);
        let Some(step) = step.as_constant() else { return };
        // The last element. All lie between it and the first, unless it wraps.
        let last = (|| count.plus(-1)?.scale(step)?.add(&start))();
        let Some(last) = last else { return };
        let vars = self.ranges.vars();
        let range = prim_of(&vars[param].ty).and_then(int_range);
        let Some((low, high)) = range else { return };
        let Some(why) = self.ranges.prove_within(&last, low, high) else { return };
        join(&mut certs, &why);
        let (low, high) = if step >= 0 { (start, last) } else { (last, start) };
        self.ranges.between(param, Some(low), Some(high), &certs);
    }

    /// The operator of a reduction or the like.
    fn operator(&mut self, lambda: &'a Lambda) {
        self.inside(Level::Repeated, |flow| {
            flow.params(lambda);
            flow.body(&lambda.body);
        });
    }

    pub(super) fn params(&mut self, lambda: &Lambda) {
        for param in &lambda.params {
            self.ranges.bind(*param);
        }
        let vars = self.ranges.vars();
        for param in &lambda.params {
            // What a function is applied to exists.
            self.sizes(vars[*param].ty.shape(), &Certs::new());
        }
    }
}

impl Flow<'_, '_> {
    /// The results of reductions that count positions: sums of truth values as numbers.
    fn counts(&self, op: &Screma) -> Vec<usize> {
        let (mut found, mut at) = (Vec::new(), op.scanned());
        for red in &op.reds {
            if let ([part], [Atom::Const(Scalar::I64(0))]) =
                (&op.map.body.results[at..at + red.neutral.len()], red.neutral.as_slice())
                && is_sum(&red.op)
                && op.map.body.stms.iter().any(|stm| {
                    stm.pat.iter().any(|var| Atom::Var(*var) == *part)
                        && matches!(stm.exp, Exp::Convert(Prim::I64, from) if self.is_truth(from))
                })
            {
                found.push(at);
            }
            at += red.neutral.len();
        }
        found
    }

    fn is_truth(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.ranges.vars()[var].ty == Type::BOOL)
    }
}
