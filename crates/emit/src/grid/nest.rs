//! Nests: maps whose function consists of a single operator and code that is cheap enough to be executed by every
//! thread.
//!
//! Every thread of the inner operator enters the level. Code before that operator is therefore executed once for each
//! position of the operator, so it must be cheap; and it is not executed at all if there are no positions, so it must
//! not contain checks.

use super::super::Emit;
use super::super::screma::NO_INDEX;
use super::is_by_block;
use fehu_base::Prim;
use fehu_facts::poly::Poly;
use fehu_imp::{Exp, Stm as Imp};
use fehu_ir::{Atom, Body, Exp as IrExp, Lambda, Screma, Stm, Var, free};
use fehu_mem::table::Place;

/// A level of a nest.
pub(crate) struct Level<'a> {
    /// What it binds.
    pub(super) pat: &'a [Var],
    /// The map.
    pub(super) op: &'a Screma,
}

/// Maps around an operator.
pub(crate) struct Nest<'a> {
    /// The maps, outermost first.
    pub(super) levels: Vec<Level<'a>>,
    /// The operator.
    pub(super) inner: &'a Stm,
}

impl<'a> Emit<'a> {
    /// The nest whose outermost level a map is.
    pub(super) fn nest_of(&self, stm: &'a Stm) -> Nest<'a> {
        let mut levels = Vec::new();
        let mut inner = stm;
        // What the functions of the levels bind.
        let mut bound: Vec<Var> = Vec::new();
        while let IrExp::Screma(op) = &inner.exp
            && !is_by_block(inner)
        {
            bound.extend(&op.map.params);
            bound.extend(op.map.body.stms.iter().flat_map(|stm| stm.pat.iter().copied()));
            let Some(next) = self.inner_operator(&inner.pat, op, &bound) else { break };
            levels.push(Level { pat: &inner.pat, op });
            inner = next;
        }
        Nest { levels, inner }
    }

    /// The operator that the function of a map consists of.
    fn inner_operator(&self, pat: &[Var], op: &'a Screma, bound: &[Var]) -> Option<&'a Stm> {
        if op.folded() > 0 {
            return None;
        }
        let body = &op.map.body;
        let (inner, before) = body.stms.split_last()?;
        let fits = before.iter().all(|stm| self.is_cheap(stm))
            && self.yields(body, inner)
            && self.is_parallel_inside(inner, bound)
            && self.stays(pat, op, inner);
        fits.then_some(inner)
    }

    /// Whether the results of a function are those of an operator, in order. Some of its scalars may be unused.
    fn yields(&self, body: &Body, inner: &Stm) -> bool {
        let is_result = |var: &Var| body.results.contains(&Atom::Var(*var));
        let is_scalar = |var: &Var| !self.ir[*var].ty.is_array();
        let names = inner.pat.iter().filter(|var| is_result(var)).map(|var| Atom::Var(*var));
        names.eq(body.results.iter().copied())
            && inner.pat.iter().all(|var| is_result(var) || is_scalar(var))
    }

    /// Whether every thread may execute a statement.
    pub(crate) fn is_cheap(&self, stm: &Stm) -> bool {
        if stm.pat.iter().any(|var| self.allocations.contains_key(var)) {
            return false;
        }
        match &stm.exp {
            IrExp::Atom(_)
            | IrExp::UnOp(..)
            | IrExp::BinOp(..)
            | IrExp::CmpOp(..)
            | IrExp::Math(..)
            | IrExp::Convert(..)
            | IrExp::Reinterpret(..)
            | IrExp::Index(..)
            | IrExp::FlatIndex(..)
            | IrExp::Reshape(..)
            | IrExp::Rearrange(..)
            | IrExp::Opaque(_) => true,
            IrExp::If(_, bodies) => {
                self.yields_scalars(stm) && bodies.iter().all(|body| self.is_cheap_body(body))
            }
            IrExp::Switch(_, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body);
                self.yields_scalars(stm)
                    && cases.chain([&switch.default]).all(|body| self.is_cheap_body(body))
            }
            // Arrays that need no memory.
            IrExp::Iota(..) | IrExp::Replicate(..) => {
                stm.pat.iter().all(|var| self.place(*var).is_none())
            }
            _ => false,
        }
    }

    pub(super) fn is_cheap_body(&self, body: &Body) -> bool {
        body.stms.iter().all(|stm| self.is_cheap(stm))
    }

    fn yields_scalars(&self, stm: &Stm) -> bool {
        stm.pat.iter().all(|var| !self.ir[*var].ty.is_array())
    }

    /// Whether an operator in the function of a map can be part of the nest.
    fn is_parallel_inside(&self, inner: &'a Stm, bound: &[Var]) -> bool {
        if inner.attrs.iter().any(|attr| attr.name == "sequential") {
            return false;
        }
        let known = |atom: Atom| atom.var().is_none_or(|var| self.scalars.contains_key(&var));
        // The operands of an operator must be the same for all segments, or known before.
        let outside = |lambda: &Lambda| {
            free::free_in_lambda(lambda, self.ir).iter().all(|var| !bound.contains(var))
        };
        match &inner.exp {
            IrExp::Screma(op) => {
                let is_pure =
                    op.folded() == 0 || op.inputs.iter().all(|input| !self.is_accumulator(*input));
                let scans = op.scans.iter().all(|scan| {
                    outside(&scan.op) && scan.neutral.iter().all(|neutral| known(*neutral))
                });
                known(op.width)
                    && is_pure
                    && scans
                    && self.combines_scalars(op)
                    && self.may_repeat(op)
            }
            IrExp::Scatter(op) => known(op.width),
            IrExp::Hist(op) => known(op.width),
            IrExp::Copy(_)
            | IrExp::Manifest(_)
            | IrExp::Concat(..)
            | IrExp::Replicate(..)
            | IrExp::Iota(..) => {
                let has_size = |var: &Var| self.ir[*var].ty.shape().iter().all(|d| known(*d));
                let parts: &[Var] = match &inner.exp {
                    IrExp::Concat(_, arrays) => arrays,
                    _ => &[],
                };
                let is_placed = inner.pat.iter().all(|var| self.place(*var).is_some());
                is_placed && inner.pat.iter().chain(parts).all(has_size)
            }
            _ => false,
        }
    }

    /// Whether the result of the operator is constructed where the map needs it.
    fn stays(&self, pat: &[Var], op: &Screma, inner: &Stm) -> bool {
        let index = self.table.index(pat, &op.map).unwrap_or(NO_INDEX);
        let is_result = |var: &&Var| op.map.body.results.contains(&Atom::Var(**var));
        pat.iter().zip(inner.pat.iter().filter(is_result)).all(|(var, result)| {
            match (self.place(*var), self.place(*result)) {
                (Some(outer), Some(made)) => outer
                    .lmad
                    .fix(&[Poly::var(index)])
                    .is_some_and(|row| outer.block == made.block && row.same(&made.lmad)),
                (Some(_), None) => !self.ir[*result].ty.is_array(),
                (None, _) => true,
            }
        })
    }

    /// Enters the levels of a nest at these indices; the remaining indices are those of the operator inside.
    pub(super) fn enter_levels(&mut self, nest: &Nest<'a>, indices: &[Exp]) -> Exp {
        for (level, at) in nest.levels.iter().zip(indices) {
            self.enter(level.pat, &level.op.inputs, &level.op.map, at.clone());
            if let Some((_, before)) = level.op.map.body.stms.split_last() {
                before.iter().for_each(|stm| self.stm(stm));
            }
        }
        indices.last().cloned().unwrap_or(Exp::int(0))
    }

    /// The parameters of an operator's function at a position; yields the variable that stands for it.
    pub(crate) fn enter(&mut self, pat: &[Var], inputs: &[Var], map: &Lambda, at: Exp) -> Var {
        let index = self.table.index(pat, map).unwrap_or(NO_INDEX);
        let at = match at {
            Exp::Var(_) | Exp::Const(_) => at,
            other => Exp::Var(self.declare("i", Prim::I64, Some(other))),
        };
        self.scalars.insert(index, at);
        for (param, input) in map.params.iter().zip(inputs) {
            self.element_param(*param, *input, index);
        }
        index
    }

    /// Stores a scalar result of the inner operator as an element of the result of the innermost level, at the position
    /// that has been entered.
    pub(super) fn store_result(&mut self, nest: &Nest<'a>, number: usize, value: Exp) {
        let Some(level) = nest.levels.last() else { return };
        let Some(name) = nest.inner.pat.get(number).map(|var| Atom::Var(*var)) else { return };
        let results = &level.op.map.body.results;
        let Some(position) = results.iter().position(|result| *result == name) else { return };
        let Some(var) = level.pat.get(position) else { return };
        let index = self.table.index(level.pat, &level.op.map).unwrap_or(NO_INDEX);
        let Some(Place { block, lmad }) = self.place(*var) else { return };
        if let Some(lmad) = lmad.fix(&[Poly::var(index)]) {
            let (ptr, at) = (self.mem(*block).ptr, self.poly(&lmad.offset));
            self.out.push(Imp::Store(ptr, at, value));
        }
    }
}
