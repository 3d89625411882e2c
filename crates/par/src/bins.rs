//! Histograms of rows become histograms of their elements, as reductions do.
//!
//! ```text
//! hist n (is, vss) dest [k] bss (map2 op)
//! ==>
//! hist (n * d) (iota (n * d), reshape (n * d) vss)
//!   map (\t v -> (is[t / d], t % d, v)) dest [k][d] bss op
//! ```
//!
//! Operators on elements can be atomic. The neutral element must be a row of equal elements.

use crate::build::Inside;
use crate::context::Cx;
use crate::vector::{element_operator, identity};
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Dim, Exp, Hist, HistOp, Lambda, Stm, Type, Var};

impl Cx<'_> {
    /// Whether the operator of a histogram can be applied to elements.
    pub(crate) fn has_elements(&self, op: &HistOp) -> bool {
        let known = |atom: &Atom| atom.var().is_some_and(|var| self.equal.contains_key(&var));
        let found = element_operator(&op.op, self.vars);
        let scalar = |op: &Lambda| op.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        found.is_some_and(|(inner, width)| scalar(&inner) && self.is_host(width))
            && op.neutral.iter().all(known)
    }

    /// A histogram, each of its operators for itself: first the function, then elements where there are rows.
    pub(crate) fn by_bins(&mut self, stm: &Stm, op: &Hist) -> Vec<Var> {
        let arrays = self.function_first(stm, op.width, &op.inputs, &op.map);
        let indices: usize = op.ops.iter().map(|op| op.shape.len()).sum();
        let (mut places, mut values) = arrays.split_at(indices.min(arrays.len()));
        let mut results = Vec::new();
        let mut pat = &stm.pat[..];
        for hist in &op.ops {
            let (mine, rest) = places.split_at(hist.shape.len().min(places.len()));
            places = rest;
            let (rows, rest) = values.split_at(hist.dests.len().min(values.len()));
            values = rest;
            let (bound, rest) = pat.split_at(hist.dests.len().min(pat.len()));
            pat = rest;
            let mut leaf = match self.has_elements(hist) {
                true => self.elements(op.width, mine, rows, hist),
                false => self.alone(op.width, mine, rows, hist),
            };
            if let Some(last) = leaf.last_mut() {
                *last = Stm { pat: bound.to_vec(), exp: last.exp.clone(), ..stm.clone() };
            }
            let atoms: Vec<Atom> = bound.iter().map(|var| Atom::Var(*var)).collect();
            results.extend(self.nest_of(Inside::Operator, leaf, &atoms));
        }
        results
    }

    /// One of the operators.
    fn alone(&mut self, width: Atom, places: &[Var], values: &[Var], op: &HistOp) -> Vec<Stm> {
        let inputs: Vec<Var> = places.iter().chain(values).copied().collect();
        let map = identity(self, &inputs);
        let hist = Hist { width, inputs, map, ops: vec![op.clone()] };
        vec![Stm::new(Vec::new(), Exp::Hist(Box::new(hist)))]
    }

    /// The same by elements.
    fn elements(&mut self, width: Atom, places: &[Var], values: &[Var], op: &HistOp) -> Vec<Stm> {
        let Some((inner, row)) = element_operator(&op.op, self.vars) else { return Vec::new() };
        let equal = |atom: &Atom| self.equal.get(&atom.var()?).copied();
        let neutral: Vec<Atom> = op.neutral.iter().filter_map(equal).collect();
        let total: Atom = self.named("elements", Exp::BinOp(BinOp::Mul, width, row)).into();
        let mut builder = Builder::new(self.vars);
        let count = builder.exp("is", Exp::Iota(Prim::I64, total, Atom::i64(0), Atom::i64(1)));
        let mut inputs = vec![count];
        let mut params = vec![("t".into(), Type::I64)];
        for (array, ty) in values.iter().zip(&inner.ret) {
            inputs.push(builder.exp("flat", Exp::Reshape(*array, vec![total])));
            params.push(("v".into(), ty.clone()));
        }
        let mut ret = vec![Type::I64; places.len() + 1];
        ret.extend(inner.ret.iter().cloned());
        let map = builder.lambda(params, ret, |b, params| {
            let [t, elements @ ..] = params else { return Vec::new() };
            let at = b.exp("i", Exp::BinOp(BinOp::Quot, (*t).into(), row));
            let column = b.exp("j", Exp::BinOp(BinOp::Rem, (*t).into(), row));
            let mut results = Vec::new();
            for array in places {
                let place = vec![Dim::Fix(at.into())];
                results.push(b.exp("place", Exp::Index(*array, place)).into());
            }
            results.push(column.into());
            results.extend(elements.iter().map(|element| Atom::Var(*element)));
            results
        });
        let shape = op.shape.iter().copied().chain([row]).collect();
        let ops = vec![HistOp { shape, op: inner, neutral, ..op.clone() }];
        let hist = Hist { width: total, inputs, map, ops };
        builder.push(Stm::new(Vec::new(), Exp::Hist(Box::new(hist))));
        builder.finish(Vec::new()).stms
    }
}
