//! Histograms of products of floating-point numbers.
//!
//! ```text
//! hs = reduce_by_index dest (*) 1 is vs
//!
//! z = the product of the values of a bin that are not zero;  k = the number of its zeros
//! the bin gets z times its adjoint, if k = 0
//! v_i gets the adjoint of its bin times what stood there, and times: z / v_i if k = 0; z if k = 1 and v_i is the zero
//! ```
//!
//! That is two histograms and two maps, all of them parallel. As for single products (`product`), quotients are useless
//! if some z is too large or too small for a number; values are then combined as by any operator (`bins`).

use super::Reverse;
use super::bins::in_parallel;
use super::product::{of_floats, regular};
use super::regular::holds_of_all;
use super::select::Bins;
use super::write::at_or_zero;
use crate::differentiate::Res;
use crate::differentiate::num::{add_lambda, binary, map, mul, number, select};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Hist, HistOp, Type, Var};

/// The type of the numbers, if a histogram multiplies some that have fractions.
pub(super) fn multiplied(op: &Hist, b: &Builder<'_>) -> Option<Prim> {
    let [hist] = &op.ops[..] else { return None };
    of_floats(&hist.op, b.vars())
}

impl Reverse {
    pub(super) fn product_bins_back(
        &mut self,
        b: &mut Builder<'_>,
        op: &Hist,
        bins: Bins,
        prim: Prim,
    ) -> Res<()> {
        let Some(adjoint) = self.take(b, bins.after) else { return Ok(()) };
        let adjoint = adjoint.var().or_bug("adjoint of a histogram");
        let rank = op.ops[0].shape.len();
        let (indices, values) = (op.inputs[..rank].to_vec(), op.inputs[rank]);
        let (products, zeros) = of_others(b, op, prim);
        let all_regular = are_regular(b, products, prim);
        let yes = b.body(|b| {
            let sides = Sides { products, zeros, adjoint, before: bins.before };
            vec![
                sides.of_values(b, op, (&indices, values), prim).into(),
                sides.of_bins(b, prim).into(),
            ]
        });
        let mut only = Reverse::of(self.common.clone(), self.loc.clone());
        only.is_host = self.is_host;
        only.varied.extend([values, bins.before]);
        let mut inner = Builder::new(b.vars_mut());
        let body = in_parallel(&mut inner, op, &[bins.before]);
        only.scope(&mut inner, body, &[Some(adjoint.into())])?;
        let results = [values, bins.before].map(|var| only.take_or_zero(&mut inner, var));
        let no = inner.finish(results.to_vec());
        let types = vec![b.ty(values).clone(), b.ty(bins.before).clone()];
        let exp = Exp::If(all_regular, Box::new([yes, no]));
        let made = b.several("adjoint", types, exp);
        self.contribute(b, values.into(), made[0].into());
        self.contribute(b, bins.dest.into(), made[1].into());
        Ok(())
    }
}

/// What adjoints are made of, bin by bin.
struct Sides {
    products: Var,
    zeros: Var,
    adjoint: Var,
    before: Var,
}

impl Sides {
    /// The adjoints of the values.
    fn of_values(
        &self,
        b: &mut Builder<'_>,
        op: &Hist,
        (indices, values): (&[Var], Var),
        prim: Prim,
    ) -> Var {
        let ty = Type::prim(prim);
        let mut inputs = indices.to_vec();
        inputs.push(values);
        map(b, op.width, &inputs, vec![ty.clone()], |b, args| {
            let (value, place) = args.split_last().or_bug("value of a histogram");
            let value: Atom = (*value).into();
            let place: Vec<Atom> = place.iter().map(|index| Atom::Var(*index)).collect();
            let mut at = |array: Var| at_or_zero(b, array, &place, &op.ops[0].shape);
            let [product, zeros, adjoint, before] =
                [self.products, self.zeros, self.adjoint, self.before].map(&mut at);
            let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Eq, zeros, 0.into())).into();
            let single: Atom = b.exp("single", Exp::CmpOp(CmpOp::Eq, zeros, 1.into())).into();
            let is_zero: Atom =
                b.exp("is_zero", Exp::CmpOp(CmpOp::Eq, value, number(prim, 0.0))).into();
            let others = select(
                b,
                none,
                &ty,
                |b| binary(b, BinOp::Div, product, value),
                |b| {
                    let alone = binary(b, BinOp::And, single, is_zero);
                    select(b, alone, &ty, |_| product, |_| number(prim, 0.0))
                },
            );
            let times = mul(b, adjoint, before);
            // Values outside of all bins are nowhere.
            let inside = super::write::inside(b, &place, &op.ops[0].shape);
            let part = mul(b, times, others);
            vec![select(b, inside, &ty, |_| part, |_| number(prim, 0.0))]
        })[0]
    }

    /// The adjoints of the bins.
    fn of_bins(&self, b: &mut Builder<'_>, prim: Prim) -> Var {
        let shape = b.ty(self.before).shape().to_vec();
        nest(
            b,
            &shape,
            &[self.products, self.zeros, self.adjoint],
            &Type::prim(prim),
            &|b, args| {
                let [product, zeros, adjoint] =
                    [0, 1, 2].map(|index: usize| Atom::Var(args[index]));
                let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Eq, zeros, 0.into())).into();
                let part = mul(b, adjoint, product);
                select(b, none, &Type::prim(prim), |_| part, |_| number(prim, 0.0))
            },
        )
    }
}

/// A function of scalars at all positions of arrays.
fn nest(
    b: &mut Builder<'_>,
    shape: &[Atom],
    inputs: &[Var],
    elem: &Type,
    make: &dyn Fn(&mut Builder<'_>, &[Var]) -> Atom,
) -> Var {
    let (width, rest) = shape.split_first().or_bug("dimension of bins");
    let ty = Type::array(elem.elem().or_bug("type of elements"), rest.to_vec());
    map(b, *width, inputs, vec![ty], |b, args| match rest {
        [] => vec![make(b, args)],
        rest => vec![nest(b, rest, args, elem, make).into()],
    })[0]
}

/// For each bin, the product of its values that are not zero, and the number of the others.
fn of_others(b: &mut Builder<'_>, op: &Hist, prim: Prim) -> (Var, Var) {
    let hist = &op.ops[0];
    let rank = hist.shape.len();
    let ty = Type::prim(prim);
    let mut params = vec![("i".into(), Type::I64); rank];
    params.push(("x".into(), ty.clone()));
    let mut ret = vec![Type::I64; 2 * rank];
    ret.extend([ty.clone(), Type::I64]);
    let function = b.lambda(params, ret, |b, args| {
        let value: Atom = args[rank].into();
        let is_zero: Atom =
            b.exp("is_zero", Exp::CmpOp(CmpOp::Eq, value, number(prim, 0.0))).into();
        let factor = select(b, is_zero, &ty, |_| number(prim, 1.0), |_| value);
        let place: Vec<Atom> = args[..rank].iter().map(|index| Atom::Var(*index)).collect();
        // Most values are not zero, and counted nowhere: nothing is written for them.
        let mut place_of_zero = place.clone();
        place_of_zero[0] = select(b, is_zero, &Type::I64, |_| place[0], |_| Atom::i64(-1));
        place.into_iter().chain(place_of_zero).chain([factor, 1.into()]).collect()
    });
    let ones = b.exp("ones", Exp::Replicate(hist.shape.clone(), number(prim, 1.0)));
    let none = b.exp("none", Exp::Replicate(hist.shape.clone(), 0.into()));
    let bins = |dest: Var, op, neutral: Atom| HistOp {
        shape: hist.shape.clone(),
        race_factor: hist.race_factor,
        dests: vec![dest],
        op,
        neutral: vec![neutral],
    };
    let product = bins(ones, copy_lambda(&hist.op, b.vars_mut()), number(prim, 1.0));
    let count = bins(none, add_lambda(b, &Type::I64, 0), 0.into());
    let types = vec![b.ty(ones).clone(), b.ty(none).clone()];
    let ops = vec![product, count];
    let both = Hist { width: op.width, inputs: op.inputs.clone(), map: function, ops };
    let both = b.several("others", types, Exp::Hist(Box::new(both)));
    (both[0], both[1])
}

/// Whether quotients of these numbers can be taken.
fn are_regular(b: &mut Builder<'_>, products: Var, prim: Prim) -> Atom {
    let shape = b.ty(products).shape().to_vec();
    let mut width = shape[0];
    for size in &shape[1..] {
        width = binary(b, BinOp::Mul, width, *size);
    }
    let flat = b.exp("flat", Exp::Reshape(products, vec![width]));
    let params = vec![("x".into(), Type::prim(prim))];
    let function =
        b.lambda(params, vec![Type::BOOL], |b, args| vec![regular(b, args[0].into(), prim)]);
    holds_of_all(b, "regular", flat, function).into()
}
