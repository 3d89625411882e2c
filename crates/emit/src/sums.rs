//! Prefix sums in vectors.
//!
//! A sequential scan by addition must finish each sum before it adds the next element. Here the elements of a vector
//! are first summed among themselves, with a few vector additions, and then the preceding sum is added to all of them.
//! This is strip-mined: the sums are computed in a buffer the size of a block of elements, so that the C compiler can
//! vectorise the loops before and after:
//!
//! ```text
//! for i, a block at a time {
//!   for k { parts[k] = f(xs[i + k]) }
//!   sum = sums parts                     parts[k] becomes the sum of `sum`, parts[0], ..., parts[k]; `sum` the last one
//!   for k { ys[i + k] = parts[k] }
//! }
//! for the rest of i { sum = sum + f(xs[i]); ys[i] = sum }
//! ```
//!
//! The function is executed twice for each element, so that none of its other results must be kept. Conditions:
//! nothing else combines elements; the function and the operators that follow the scan are short and have no checks;
//! and there is no surrounding loop that could be vectorised instead. (Only for wide numbers: sums of narrow ones are
//! rarely a bottleneck.)

use super::Emit;
use super::combine::{Partial, Sofar};
use super::tasks::is_cheap;
use fehu_base::Prim;
use fehu_imp::rewrite::{bin, end_of_blocks, sum};
use fehu_imp::{Exp, Kind, RedOp, Stm, Ty, V};
use fehu_ir::{self as ir, BinOp, Body, Screma, Type, Var};

/// The size of a block in bytes: large enough that what is read was written a while ago. (Reading a vector in a
/// different size than it was written in must wait for the write.)
const BLOCK: u32 = 1024;

impl<'a> Emit<'a> {
    /// Executes an operator with scans for a range, one position after the other or in blocks.
    pub(super) fn scan_range(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        (low, high): (Exp, Exp),
        scanned: &[Partial<'a>],
        reduced: &[Partial<'a>],
    ) {
        let low = match self.sum_of(pat, op, scanned) {
            Some((before, prim)) => {
                let low = self.declare("low", Prim::I64, Some(low));
                let end = end_of_blocks(&Exp::Var(low), &high, width(prim).into());
                let end = self.declare("whole", Prim::I64, Some(end));
                self.blocks(pat, op, (low, end), before, prim);
                Exp::Var(end)
            }
            None => low,
        };
        self.each_in(
            pat,
            &op.inputs,
            &op.map,
            (low, high),
            Kind::Sequential,
            |this, index, parts| {
                this.combine_all(pat, index, op, parts, scanned, reduced);
            },
        );
    }

    /// The current value of the only scan of an operator, and its type, if it is suitable for blocks.
    fn sum_of(&self, pat: &[Var], op: &Screma, scanned: &[Partial<'a>]) -> Option<(V, Prim)> {
        let ([scan], [parts]) = (op.scans.as_slice(), scanned) else { return None };
        let [Sofar::Scalar(before)] = parts.parts.as_slice() else { return None };
        let Ty::Scalar(prim) = self.vars[*before].ty else { return None };
        let is_wide = prim != Prim::Bool && prim.bits() >= 32;
        let has_acc = |var: &Var| matches!(self.ir[*var].ty, Type::Acc(_));
        let follows = self.following(pat).is_none_or(|follower| follower.is_short());
        let fits = is_wide
            && follows
            && op.reds.is_empty()
            && !self.options.device
            && !op.inputs.iter().any(has_acc)
            && self.vector_ops(&scan.op)? == [RedOp::Add]
            && is_short(&op.map.body);
        fits.then_some((*before, prim))
    }

    /// Where an element is in a block.
    pub(super) fn in_block(&self, index: Var, base: V) -> Exp {
        match self.atom(index.into()) {
            Exp::Var(i) => sum(&[(1, i), (-1, base)], 0),
            index => bin(BinOp::Sub, index, Exp::Var(base)),
        }
    }

    fn blocks(&mut self, pat: &[Var], op: &'a Screma, (low, end): (V, V), before: V, prim: Prim) {
        let size = width(prim);
        let base = self.new_var("base", Ty::Scalar(Prim::I64));
        let range = || (Exp::Var(base), sum(&[(1, base)], size.into()));
        let independent = || Kind::Independent(Vec::new());
        let body = self.block(|this| {
            let sums = this.new_var("parts", Ty::Local(prim, size));
            this.out.push(Stm::Declare(sums, None));
            this.each_in(pat, &op.inputs, &op.map, range(), independent(), |this, index, parts| {
                let (at, part) = (this.in_block(index, base), this.atom(parts[0]));
                this.out.push(Stm::Store(sums, at, part));
            });
            this.out.push(Stm::Sums(sums, before));
            this.each_in(pat, &op.inputs, &op.map, range(), independent(), |this, index, parts| {
                let part = Exp::Load(sums, Box::new(this.in_block(index, base)));
                let here = this.declare("sum", prim, Some(part));
                let scan = Partial { op: &op.scans[0].op, parts: vec![Sofar::Scalar(here)] };
                this.give(pat, index, op, parts, &[scan]);
            });
        });
        let (from, to) = (Exp::Var(low), Exp::Var(end));
        let (step, kind) = (size.into(), Kind::Sequential);
        self.out.push(Stm::For { var: base, from, to, step, kind, body });
    }
}

/// The number of elements of a block.
fn width(prim: Prim) -> u32 {
    BLOCK * 8 / prim.bits()
}

/// Whether a function consists of a few operations that cannot fail.
pub(super) fn is_short(body: &Body) -> bool {
    let can_fail = |stm: &ir::Stm| matches!(stm.exp, ir::Exp::Assert(..) | ir::Exp::Fail(_));
    let straight = |stm: &ir::Stm| {
        let mut bodies = 0;
        stm.exp.for_each_body(&mut |_| bodies += 1);
        bodies == 0 && !can_fail(stm)
    };
    is_cheap(body) && body.stms.iter().all(straight)
}
