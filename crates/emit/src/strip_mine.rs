//! Strip-mining through a small buffer, on CPUs.
//!
//! An operator whose positions depend on each other is one sequential loop, even if its function does not, and then the
//! C compiler vectorises nothing. Here the function is executed for a block of positions at a time, with its results in
//! a buffer; then the buffer is consumed in order:
//!
//! ```text
//! for i, a block at a time {
//!   for k { buffer[k] = f(xs[i + k]) }      independent
//!   consume buffer                          in order
//! }
//! for the rest of i { as usual }
//! ```
//!
//! **Histograms** whose functions are long: the buffer has bins and values, and the bins are updated in a second loop.
//! Conditions: the function produces only scalars, cannot fail, and contains loops, or floating-point functions or
//! divisions. Loops that read arrays at their own positions would not be vectorised, and then two loops take longer
//! than one.
//!
//! **Scans by addition, minimum and maximum**, which must otherwise finish each sum before they add the next element: a
//! maximum of floats, which passes over NaN and knows the zeros apart, takes eight cycles. The buffer is consumed by a
//! statement of its own: the elements of a vector are first summed among themselves, with a few vector additions, and
//! then the preceding sum is added to all of them. What comes after the scan is a third loop, in which the function is
//! executed again, so that none of its other results must be kept. Conditions: nothing else combines elements; the
//! function and the epilogue are short and have no checks; and there is no surrounding loop that could be vectorised
//! instead. ([`RedOp::has_prefixes`] says for which numbers.)
//!
//! On devices, the threads of a block fill a buffer in shared memory: see `grid/stage`.

use super::Emit;
use super::combine::{Partial, Sofar};
use super::screma::Over;
use fehu_base::Prim;
use fehu_facts::cost::is_repeatable;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{bin, end_of_blocks, sum};
use fehu_imp::{Exp, Kind, RedOp, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, Body, Hist, Lambda, LoopForm, Screma, Type, Var};
use rustc_hash::FxHashSet;

/// The size of a block of sums in bytes: large enough that what is read was written a while ago. (Reading a vector in a
/// different size than it was written in must wait for the write.)
const BYTES: u32 = 16 * CPU.vector_bytes;

/// The number of positions of a block of a histogram.
const POSITIONS: u32 = BYTES / 8;

/// Buffers, and the results of the function that they hold, if these are consumed by name.
type Buffers = Vec<(Option<Var>, V)>;

impl<'a> Emit<'a> {
    /// The whole blocks of a range; returns the rest. `fill` stores the results of the function in buffers, at a
    /// position of the block; `consume` gets the buffers, and the range of the block.
    fn strip_mine(
        &mut self,
        (pat, inputs, map): (&[Var], &[Var], &'a Lambda),
        (low, high): (Exp, Exp),
        size: u32,
        fill: impl FnOnce(&mut Self, &Exp) -> Buffers,
        consume: impl FnOnce(&mut Self, &Buffers, V),
    ) -> (Exp, Exp) {
        let end = end_of_blocks(&low, &high, size.into());
        let end = self.declare("whole", Prim::I64, Some(end));
        let base = self.new_var("base", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let (mut buffers, kind) = (Buffers::new(), Kind::Independent(Vec::new()));
            let filled = this.block(|this| {
                this.each_in(
                    pat,
                    Over::function(inputs, map),
                    block_at(base, size),
                    kind,
                    |this, index, _| {
                        let at = this.in_block(index, base);
                        buffers = fill(this, &at);
                    },
                );
            });
            this.out.extend(buffers.iter().map(|(_, array)| Stm::Declare(*array, None)));
            this.out.extend(filled);
            consume(this, &buffers, base);
        });
        let (from, to, step, kind) = (low, Exp::Var(end), size.into(), Kind::Sequential);
        self.out.push(Stm::For { var: base, from, to, step, kind, body });
        (Exp::Var(end), high)
    }

    /// Where an element is in a block.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other indices are subtracted from")]
    fn in_block(&self, index: Var, base: V) -> Exp {
        match self.atom(index.into()) {
            Exp::Var(i) => sum(&[(1, i), (-1, base)], 0),
            index => bin(BinOp::Sub, index, Exp::Var(base)),
        }
    }

    /// Executes an operator with scans for a range, one position after the other or in blocks.
    pub(super) fn scan_range(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        range: (Exp, Exp),
        scanned: &[Partial<'a>],
        reduced: &[Partial<'a>],
    ) {
        let rest = match self.prefixes_of(pat, op, scanned) {
            Some(prefixes) => self.prefix_blocks(pat, op, range, prefixes),
            None => range,
        };
        let kind = Kind::Sequential;
        self.each_in(pat, Over::of(op), rest, kind, |this, index, parts| {
            this.combine_all(pat, index, op, parts, scanned, reduced);
        });
    }

    fn prefix_blocks(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        range: (Exp, Exp),
        (red, before, prim): (RedOp, V, Prim),
    ) -> (Exp, Exp) {
        let size = BYTES * 8 / prim.bits();
        let sums = self.new_var("parts", Ty::Local(prim, size));
        let fill = |this: &mut Self, at: &Exp| {
            let part = this.atom(op.map.body.results[0]);
            this.out.push(Stm::Store(sums, at.clone(), part));
            vec![(None, sums)]
        };
        self.strip_mine((pat, &op.inputs, &op.map), range, size, fill, |this, _, base| {
            this.out.push(Stm::Prefixes(red, sums, before));
            let (range, kind) = (block_at(base, size), Kind::Independent(Vec::new()));
            this.each_in(pat, Over::of(op), range, kind, |this, index, parts| {
                let part = Exp::Load(sums, Box::new(this.in_block(index, base)));
                let here = this.declare("sum", prim, Some(part));
                let scan = Partial { op: &op.scans[0].op, parts: vec![Sofar::Scalar(here)] };
                this.give(pat, index, op, parts, &[scan]);
            });
        })
    }

    /// The blocks of a histogram in a range, if it is suitable for them; and the rest of the range.
    pub(super) fn hist_ahead(
        &mut self,
        pat: &[Var],
        op: &'a Hist,
        range: (Exp, Exp),
    ) -> (Exp, Exp) {
        if self.options.device || !self.is_for_ahead(op) {
            return range;
        }
        let map = (pat, op.inputs.as_slice(), &op.map);
        let fill = |this: &mut Self, at: &Exp| this.hold(&op.map, at);
        self.strip_mine(map, range, POSITIONS, fill, |this, held, _| {
            let k = this.new_var("k", Ty::Scalar(Prim::I64));
            let body = this.block(|this| {
                for (part, array) in held {
                    part.iter().for_each(|part| {
                        this.bind(*part, Exp::Load(*array, Box::new(Exp::Var(k))));
                    });
                }
                this.contribute_parts(op, &op.map.body.results);
            });
            this.count_up(k, Exp::int(POSITIONS.into()), body);
        })
    }

    /// Stores those results of a histogram's function that it computes, in buffers of their own.
    fn hold(&mut self, map: &Lambda, at: &Exp) -> Buffers {
        let bound = map.body.stms.iter().flat_map(|stm| &stm.pat).chain(&map.params);
        let bound: FxHashSet<Var> = bound.copied().collect();
        let mut held = Buffers::new();
        for result in &map.body.results {
            let (Atom::Var(part), Some(prim)) = (result, self.prim(*result)) else { continue };
            let value = self.atom(*result);
            let is_new =
                bound.contains(part) && held.iter().all(|(other, _)| *other != Some(*part));
            if is_new && !matches!(value, Exp::Const(_)) {
                let array = self.new_var(&self.ir[*part].hint.clone(), Ty::Local(prim, POSITIONS));
                self.out.push(Stm::Store(array, at.clone(), value));
                held.push((Some(*part), array));
            }
        }
        held
    }

    /// The operator of the only scan, its current value, and its type, if it is suitable for blocks.
    fn prefixes_of(
        &self,
        pat: &[Var],
        op: &Screma,
        scanned: &[Partial<'a>],
    ) -> Option<(RedOp, V, Prim)> {
        let ([scan], [parts]) = (op.scans.as_slice(), scanned) else { return None };
        let [Sofar::Scalar(before)] = parts.parts.as_slice() else { return None };
        let Ty::Scalar(prim) = self.vars[*before].ty else { return None };
        let [red] = self.vector_ops(&scan.op)?[..] else { return None };
        let has_acc = |var: &Var| matches!(self.ir[*var].ty, Type::Acc(_));
        let epilogue = self.epilogue(pat).is_none_or(|epilogue| epilogue.is_short());
        let fits = red.has_prefixes(prim)
            && epilogue
            && op.reds.is_empty()
            && !self.options.device
            && !op.inputs.iter().any(has_acc)
            && is_short(&op.map.body);
        fits.then_some((red, *before, prim))
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

/// The positions of a block.
fn block_at(base: V, size: u32) -> (Exp, Exp) {
    (Exp::Var(base), sum(&[(1, base)], size.into()))
}

/// Whether a function consists of a few operations that cannot fail.
pub(super) fn is_short(body: &Body) -> bool {
    let can_fail = |stm: &ir::Stm| matches!(stm.exp, ir::Exp::Assert(..) | ir::Exp::Fail(_));
    let straight = |stm: &ir::Stm| {
        let mut bodies = 0;
        stm.exp.for_each_body(&mut |_| bodies += 1);
        bodies == 0 && !can_fail(stm)
    };
    is_repeatable(body) && body.stms.iter().all(straight)
}
