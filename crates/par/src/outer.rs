//! Maps with the attribute `sequential_outer` become loops, so that only the parallelism inside their functions
//! remains.
//!
//! ```text
//! #[sequential_outer] map f xs    ==>    loop out = scratch for i < n do out with [i] = f xs[i]
//! ```

use crate::has_attr;
use fehu_base::IdVec;
use fehu_facts::consumed_by;
use fehu_ir::builder::Builder;
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Dim, Exp, LoopForm, LoopParam, Prog, Screma, Stm, Type, Var, VarInfo};

/// The attribute.
pub(crate) const OUTER: &str = "sequential_outer";

/// Rewrites all such maps of a body.
pub(crate) fn loops(prog: &Prog, body: &mut Body, vars: &mut IdVec<Var, VarInfo>) {
    Loops { prog, vars }.body(body);
}

struct Loops<'a> {
    prog: &'a Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
}

impl VisitMut for Loops<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(|stm| has_attr(stm, OUTER)) {
            return;
        }
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            let outer = has_attr(&stm, OUTER);
            match stm.exp {
                Exp::Screma(op) if outer && self.fits(&op) => {
                    stm.exp = Exp::Atom(Atom::bool(true));
                    self.map(stm, *op, &mut out);
                }
                exp => out.push(Stm { exp, ..stm }),
            }
        }
        body.stms = out;
    }
}

impl Loops<'_> {
    /// Reductions, scans and accumulators stay.
    fn fits(&self, op: &Screma) -> bool {
        let arrays = |vars: &[Var]| vars.iter().all(|var| self.vars[*var].ty.is_array());
        op.folded() == 0 && arrays(&op.inputs)
    }

    fn map(&mut self, stm: Stm, op: Screma, out: &mut Vec<Stm>) {
        let changes = !consumed_by(self.prog, &op.map).is_empty();
        let mut builder = Builder::new(self.vars);
        let counter = builder.param("i", Type::I64);
        let mut params = Vec::new();
        for var in &stm.pat {
            let Type::Array(elem, shape) = builder.ty(*var).clone() else { continue };
            let init = builder.exp("out", Exp::Scratch(elem, shape));
            let var = builder.param("out", builder.ty(*var).clone());
            params.push(LoopParam { var, init: init.into() });
        }
        let body = builder.body(|b| {
            let place = vec![Dim::Fix(counter.into())];
            for (param, input) in op.map.params.iter().zip(&op.inputs) {
                let row = Exp::Index(*input, place.clone());
                if changes && b.ty(*param).is_array() {
                    let row = b.exp("row", row);
                    b.stm(vec![*param], Exp::Copy(row));
                } else {
                    b.stm(vec![*param], row);
                }
            }
            op.map.body.stms.into_iter().for_each(|stm| b.push(stm));
            let mut results = Vec::new();
            for (param, result) in params.iter().zip(op.map.body.results) {
                results.push(b.exp("out", Exp::Update(param.var, place.clone(), result)).into());
            }
            results
        });
        let exp = Exp::Loop(params, LoopForm::For(counter, op.width), Box::new(body));
        builder.push(Stm { exp, attrs: Vec::new(), ..stm });
        out.extend(builder.finish(Vec::new()).stms);
    }
}
