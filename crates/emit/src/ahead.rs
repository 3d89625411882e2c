//! Histograms whose indices and values are computed ahead of the updates.
//!
//! Updates of the same bin must happen one after the other, so the loop of a histogram cannot be vectorised as a whole.
//! If the function that computes indices and values is long, this wastes an opportunity: by itself it is an independent
//! loop. So the loop is strip-mined: the function is first executed for a block of positions, with its results in a
//! buffer, and then the bins are updated:
//!
//! ```text
//! for i, a block at a time {
//!   for k { bins[k], values[k] = f(xs[i + k]) }      independent
//!   for k { dest[bins[k]] += values[k] }             sequential
//! }
//! for the rest of i { bin, value = f(xs[i]); dest[bin] += value }
//! ```
//!
//! Conditions: the function produces only scalars, cannot fail, and contains loops, or floating-point functions or
//! divisions. Loops that read arrays at their own positions would not be vectorised, and then two loops take longer
//! than one.

use super::Emit;
use fehu_base::Prim;
use fehu_imp::rewrite::{end_of_blocks, sum};
use fehu_imp::{Exp, Kind, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, Body, Hist, Lambda, LoopForm, Type, Var};
use rustc_hash::FxHashSet;

/// The number of positions of a block.
const BLOCK: u32 = 128;

impl<'a> Emit<'a> {
    /// The blocks of a histogram in a range, if it is suitable for them; and where the rest begins.
    pub(super) fn hist_ahead(
        &mut self,
        pat: &[Var],
        op: &'a Hist,
        (low, high): (Exp, Exp),
    ) -> (Exp, Exp) {
        if self.options.device || !self.is_for_ahead(op) {
            return (low, high);
        }
        let end = end_of_blocks(&low, &high, BLOCK.into());
        let end = self.declare("whole", Prim::I64, Some(end));
        self.hist_blocks(pat, op, (low, Exp::Var(end)));
        (Exp::Var(end), high)
    }

    fn hist_blocks(&mut self, pat: &[Var], op: &'a Hist, (from, to): (Exp, Exp)) {
        let base = self.new_var("base", Ty::Scalar(Prim::I64));
        let results = &op.map.body.results;
        let body = self.block(|this| {
            let range = (Exp::Var(base), sum(&[(1, base)], BLOCK.into()));
            let kind = Kind::Independent(Vec::new());
            let mut held: Vec<(Var, V)> = Vec::new();
            let ahead = this.block(|this| {
                this.each_in(pat, &op.inputs, &op.map, range, kind, |this, index, _| {
                    held = this.hold(&op.map, index, base);
                });
            });
            this.out.extend(held.iter().map(|(_, array)| Stm::Declare(*array, None)));
            this.out.extend(ahead);
            let k = this.new_var("k", Ty::Scalar(Prim::I64));
            let body = this.block(|this| {
                for (part, array) in &held {
                    this.bind(*part, Exp::Load(*array, Box::new(Exp::Var(k))));
                }
                this.contribute_parts(op, results);
            });
            let (from, to) = (Exp::int(0), Exp::int(BLOCK.into()));
            let kind = Kind::Sequential;
            this.out.push(Stm::For { var: k, from, to, step: 1, kind, body });
        });
        let (step, kind) = (BLOCK.into(), Kind::Sequential);
        self.out.push(Stm::For { var: base, from, to, step, kind, body });
    }

    /// Stores those results of a histogram's function that it computes, in arrays of their own.
    fn hold(&mut self, map: &Lambda, index: Var, base: V) -> Vec<(Var, V)> {
        let bound = map.body.stms.iter().flat_map(|stm| &stm.pat).chain(&map.params);
        let bound: FxHashSet<Var> = bound.copied().collect();
        let at = self.in_block(index, base);
        let mut held: Vec<(Var, V)> = Vec::new();
        for result in &map.body.results {
            let (Atom::Var(part), Some(prim)) = (result, self.prim(*result)) else { continue };
            let value = self.atom(*result);
            let is_new = bound.contains(part) && held.iter().all(|(other, _)| other != part);
            if is_new && !matches!(value, Exp::Const(_)) {
                let array = self.new_var(&self.ir[*part].hint.clone(), Ty::Local(prim, BLOCK));
                self.out.push(Stm::Store(array, at.clone(), value));
                held.push((*part, array));
            }
        }
        held
    }

    fn is_for_ahead(&self, op: &Hist) -> bool {
        let is_scalar = |var: &Var| matches!(self.ir[*var].ty, Type::Scalar(_));
        let mut varying: FxHashSet<Var> = op.map.params.iter().copied().collect();
        op.map.params.iter().all(is_scalar)
            && self.is_for_vectors(&op.map.body, &mut varying, false)
            && self.is_worth_a_block(&op.map.body)
    }

    /// Whether a function produces only scalars, cannot fail, and in loops reads arrays only where all positions do.
    /// Variables that differ from position to position are added to the set.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others may be repeated")]
    fn is_for_vectors(&self, body: &Body, varying: &mut FxHashSet<Var>, in_loop: bool) -> bool {
        body.stms.iter().all(|stm| {
            let mut varies = false;
            stm.exp.for_each_operand(&mut |atom| {
                varies |= matches!(atom, Atom::Var(var) if varying.contains(&var));
            });
            if let ir::Exp::Loop(params, form, _) = &stm.exp {
                varying.extend(params.iter().map(|param| param.var));
                if let LoopForm::For(counter, Atom::Var(bound)) = form
                    && varying.contains(bound)
                {
                    varying.insert(*counter);
                }
            }
            let mut fits = stm.pat.iter().all(|var| matches!(self.ir[*var].ty, Type::Scalar(_)));
            let in_loop = in_loop || matches!(stm.exp, ir::Exp::Loop(..));
            stm.exp.for_each_body(&mut |body| {
                fits = fits && self.is_for_vectors(body, varying, in_loop);
                varies = true;
            });
            if varies {
                varying.extend(&stm.pat);
            }
            let is_other = match stm.exp {
                ir::Exp::Index(..) => in_loop && varies,
                ir::Exp::Assert(..)
                | ir::Exp::Fail(_)
                | ir::Exp::Call(..)
                | ir::Exp::Trace(..)
                | ir::Exp::Screma(_)
                | ir::Exp::WithAcc(..)
                | ir::Exp::UpdateAcc(..) => true,
                _ => false,
            };
            fits && !is_other
        })
    }

    /// Whether a function contains operations that take long, and less time in vectors.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others do not take long")]
    fn is_worth_a_block(&self, body: &Body) -> bool {
        body.stms.iter().any(|stm| {
            let float = |atom: Atom| matches!(self.prim(atom), Some(Prim::F32 | Prim::F64));
            let mut worth = match &stm.exp {
                ir::Exp::Loop(..) => true,
                ir::Exp::Math(_, args) => args.iter().any(|arg| float(*arg)),
                ir::Exp::BinOp(BinOp::Div | BinOp::Pow, a, _) => float(*a),
                _ => false,
            };
            stm.exp.for_each_body(&mut |body| worth = worth || self.is_worth_a_block(body));
            worth
        })
    }
}
