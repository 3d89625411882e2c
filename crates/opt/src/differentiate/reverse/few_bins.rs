//! Histograms of few values in loops, by other operators than sums: the return sweep looks at those bins only that have values.
//!
//! ```text
//! hs = reduce_by_index dest op e is vs                 -- m values, and more bins
//! ==>
//! js = map (\i -> a position with this index) is;  before = map (\i -> dest[i]) is
//! hs = reduce_by_index dest op e is vs
//! -- and the return sweep is that of
//! after = reduce_by_index before op e js vs
//! ```
//!
//! whose bins are numbered by positions of values; what is not one of these bins has the adjoint of its result. So an
//! iteration that has few values takes the time of a few, however many bins there are. If there are as many values as
//! bins, then `js` are indices of bins, and `before` is all of them.

use super::write::{gather, inside};
use super::{Reverse, Saved, Step};
use crate::differentiate::Res;
use crate::differentiate::num::{binary, identity, map, product, rows, select};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Hist, HistOp, Scatter, Stm, Type, Var};

/// What the return sweep needs.
pub(super) struct FewBins {
    /// Whether there are fewer values than bins, and the smaller of both numbers.
    is_few: Atom,
    count: Atom,
    /// The bins of the values among those, and what was in them.
    bins: Var,
    before: Vec<Var>,
}

impl Reverse {
    /// Whether a histogram with one operator may have few values, and is in a loop where it can be found out which bins
    /// they have.
    pub(super) fn may_have_few(&self, op: &Hist) -> bool {
        let shape = &op.ops[0].shape;
        let has_as_many = match (&shape[..], op.width) {
            ([Atom::Const(size)], Atom::Const(width)) => size.bits() <= width.bits(),
            ([size], width) => *size == width,
            _ => false,
        };
        !has_as_many && self.hands_on(shape)
    }

    pub(super) fn few_bins_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let Exp::Hist(op) = &stm.exp else { return self.refuse("this histogram") };
        let (hist, width) = (&op.ops[0], op.width);
        let indices = op.inputs[..hist.shape.len()].to_vec();
        let size = product(b, &hist.shape);
        let is_few: Atom = b.exp("few", Exp::CmpOp(CmpOp::Lt, width, size)).into();
        let count = binary(b, BinOp::Min, width, size);
        // Of many values, nobody asks for others in the same bin.
        let one = b.exp("few", Exp::Convert(Prim::I64, is_few)).into();
        let few = binary(b, BinOp::Mul, width, one);
        let asked: Vec<Var> =
            indices.iter().map(|index| rows(b, *index, 0.into(), few, 1)).collect();
        let who = self.writers(b, few, &asked, &hist.shape);
        let same = b.body(|b| vec![b.exp("bins", Exp::Reshape(who, vec![width])).into()]);
        let all = b.body(|b| vec![flat(b, width, &indices, &hist.shape).into()]);
        let ty = Type::array(Prim::I64.into(), vec![width]);
        let bins = b.typed("bins", ty, Exp::If(is_few, Box::new([same, all])));
        let mut before = Vec::new();
        for dest in &hist.dests {
            let compact = Compact { is_few, count, width, indices: &indices, hist };
            before.push(compact.read(b, *dest));
        }
        b.push(stm.clone());
        steps.push(Step {
            stm,
            saved: Saved::FewBins(Box::new(FewBins { is_few, count, bins, before })),
        });
        Ok(())
    }

    pub(super) fn few_bins_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        op: &Hist,
        FewBins { is_few, count, bins, before }: &FewBins,
    ) -> Res<()> {
        let adjoints = self.take_all(b, &stm.pat);
        let (hist, width) = (&op.ops[0], op.width);
        let (indices, values) = op.inputs.split_at(hist.shape.len());
        let compact = Compact { is_few: *is_few, count: *count, width, indices, hist };
        // One position of those that have a bin stands for it.
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        let mut inputs = vec![*bins, iota];
        inputs.extend(indices);
        let types = vec![Type::I64; indices.len()];
        let places = map(b, width, &inputs, types, |b, args| {
            let exp = Exp::CmpOp(CmpOp::Eq, args[0].into(), args[1].into());
            let is_first: Atom = b.exp("first", exp).into();
            let place = |index: &Var| {
                let index = Atom::Var(*index);
                select(b, is_first, &Type::I64, |_| index, |_| Atom::i64(-1))
            };
            args[2..].iter().map(place).collect()
        });
        let firsts = Compact { indices: &places, ..compact };
        let mut known: Vec<Option<Atom>> = Vec::new();
        for adjoint in &adjoints {
            let array = adjoint.and_then(|adjoint| adjoint.var());
            known.push(array.map(|array| firsts.read(b, array).into()));
        }
        for (before, dest) in before.iter().zip(&hist.dests) {
            if self.varied.contains(dest) {
                self.varied.insert(*before);
            }
        }
        let body = b.body(|b| {
            let dests: Vec<Var> =
                before.iter().map(|dest| b.exp("copy", Exp::Copy(*dest))).collect();
            let types = dests.iter().map(|dest| b.ty(*dest).clone()).collect();
            let small = HistOp {
                shape: vec![*count],
                dests,
                op: copy_lambda(&hist.op, b.vars_mut()),
                ..hist.clone()
            };
            let inputs = std::iter::once(*bins).chain(values.iter().copied()).collect();
            let elements: Vec<Type> =
                std::iter::once(Type::I64).chain(hist.op.ret.iter().cloned()).collect();
            let map = identity(b, &elements);
            let small = Hist { width, inputs, map, ops: vec![small] };
            let after = b.several("after", types, Exp::Hist(Box::new(small)));
            after.into_iter().map(Atom::Var).collect()
        });
        self.scope(b, body, &known)?;
        for ((before, dest), adjoint) in before.iter().zip(&hist.dests).zip(adjoints) {
            let new = self.take(b, *before).and_then(|new| new.var());
            if !self.varied.contains(dest) || new.is_none() && adjoint.is_none() {
                continue;
            }
            let all = match adjoint.and_then(|adjoint| adjoint.var()) {
                Some(all) => all,
                None => self.zero_like(b, *dest).var().or_bug("zeros of an array"),
            };
            let new = match new {
                Some(new) => new,
                None => self.zero_like(b, *before).var().or_bug("zeros of an array"),
            };
            let back = firsts.write(b, all, new);
            self.contribute(b, (*dest).into(), back.into());
        }
        Ok(())
    }
}

/// Between all bins and those that have values.
#[derive(Clone, Copy)]
struct Compact<'a> {
    is_few: Atom,
    count: Atom,
    width: Atom,
    indices: &'a [Var],
    hist: &'a HistOp,
}

impl Compact<'_> {
    /// The elements of an array with a place for each bin that these bins have.
    fn read(&self, b: &mut Builder<'_>, array: Var) -> Var {
        let mut shape = vec![self.count];
        shape.extend_from_slice(&b.ty(array).shape()[self.hist.shape.len()..]);
        let ty = Type::array(b.ty(array).elem().or_bug("type of elements"), shape.clone());
        let few = b.body(|b| {
            let few = gather(b, self.width, self.indices, array, &self.hist.shape, None);
            vec![b.exp("few", Exp::Reshape(few, shape.clone())).into()]
        });
        let all = b.body(|b| {
            let all = b.exp("all", Exp::Reshape(array, shape.clone()));
            vec![b.exp("all", Exp::Copy(all)).into()]
        });
        b.typed("bins", ty, Exp::If(self.is_few, Box::new([few, all])))
    }

    /// The array with other elements there.
    fn write(&self, b: &mut Builder<'_>, array: Var, elements: Var) -> Var {
        let ty = b.ty(array).clone();
        let row = ty.shape()[self.hist.shape.len()..].to_vec();
        let few = b.body(|b| {
            let dest = b.exp("copy", Exp::Copy(array));
            let shape = std::iter::once(self.width).chain(row).collect();
            let values = b.exp("few", Exp::Reshape(elements, shape));
            let mut types = vec![Type::I64; self.indices.len()];
            types.extend(b.ty(values).row());
            let (map, mut inputs) = (identity(b, &types), self.indices.to_vec());
            inputs.push(values);
            let dests = vec![(self.hist.shape.clone(), dest)];
            let scatter = Scatter { width: self.width, inputs, map, dests };
            vec![b.typed("adjoint", ty.clone(), Exp::Scatter(Box::new(scatter))).into()]
        });
        let all = b.body(|b| {
            let all = b.exp("all", Exp::Reshape(elements, ty.shape().to_vec()));
            vec![b.exp("all", Exp::Copy(all)).into()]
        });
        b.typed("adjoint", ty.clone(), Exp::If(self.is_few, Box::new([few, all])))
    }
}

/// The numbers of bins, or -1 for what is in none.
fn flat(b: &mut Builder<'_>, width: Atom, indices: &[Var], shape: &[Atom]) -> Var {
    map(b, width, indices, vec![Type::I64], |b, args| {
        let args: Vec<Atom> = args.iter().map(|arg| Atom::Var(*arg)).collect();
        let here = inside(b, &args, shape);
        let mut number = args[0];
        for (index, size) in args.iter().zip(shape).skip(1) {
            let before = binary(b, BinOp::Mul, number, *size);
            number = binary(b, BinOp::Add, before, *index);
        }
        vec![select(b, here, &Type::I64, |_| number, |_| Atom::i64(-1))]
    })[0]
}
