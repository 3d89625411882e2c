//! Histograms with any operator and many bins, for devices with many threads: the values are sorted by their bins.
//!
//! ```text
//! hs = reduce_by_index dest op e is vs
//! ==
//! (ks, order) = sort is                                          by radix, two bits at a time
//! ss = segmented_scan op e (map (\k k' -> k != k') ..) (map (\i -> vs[i]) order)
//! hs = map (\d k -> if anything is in k then d op ss[the last of k] else d) dest (iota bins)
//! ```
//!
//! and that is differentiated, by the rules for maps and scans. With few bins, chunks with bins of their own are cheaper (`bins`); with many, there would be few
//! chunks, and a thread for each.

use super::bins::combined;
use super::write::inside;
use crate::differentiate::inline;
use crate::differentiate::num::{binary, identity, map, outer, product, select, whole};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Hist, Lambda, LoopForm, LoopParam, Partition, Scan,
    Scatter, Screma, Type, UnOp, Var,
};

/// Positions in the order of their bins: the bins, and which positions they are. There are none where nobody wants them sorted.
pub(super) struct Order {
    bins: Var,
    positions: Var,
}

impl Order {
    /// Sorts the positions, if the condition holds; those that are in no bin come last.
    pub(super) fn of(b: &mut Builder<'_>, op: &Hist, is_wanted: Atom) -> Order {
        let hist = &op.ops[0];
        let bins = product(b, &hist.shape);
        let sorted = b.body(|b| {
            let indices = &op.inputs[..hist.shape.len()];
            let keys = map(b, op.width, indices, vec![Type::I64], |b, args| {
                let place: Vec<Atom> = args.iter().map(|index| Atom::Var(*index)).collect();
                let here = inside(b, &place, &hist.shape);
                let mut flat = Atom::i64(0);
                for (index, size) in place.iter().zip(&hist.shape) {
                    flat = binary(b, BinOp::Mul, flat, *size);
                    flat = binary(b, BinOp::Add, flat, *index);
                }
                vec![select(b, here, &Type::I64, |_| flat, |_| bins)]
            })[0];
            let iota = b.exp("iota", Exp::Iota(Prim::I64, op.width, 0.into(), 1.into()));
            let [keys, positions] = sort(b, op.width, bins, [keys, iota]);
            vec![op.width, keys.into(), positions.into()]
        });
        let none = b.body(|b| {
            let none = b.exp("none", Exp::Iota(Prim::I64, 0.into(), 0.into(), 1.into()));
            vec![0.into(), none.into(), none.into()]
        });
        let size = b.param("size", Type::I64);
        let ty = Type::array(Prim::I64.into(), vec![size.into()]);
        let (bins, positions) = (b.param("bins", ty.clone()), b.param("order", ty));
        b.stm(vec![size, bins, positions], Exp::If(is_wanted, Box::new([sorted, none])));
        Order { bins, positions }
    }

    /// A histogram of what was in the bins before.
    pub(super) fn hist(&self, b: &mut Builder<'_>, op: &Hist, before: &[Var]) -> Vec<Atom> {
        let (hist, width) = (&op.ops[0], op.width);
        let [keys, order] =
            [self.bins, self.positions].map(|a| b.exp("sorted", Exp::Reshape(a, vec![width])));
        let bins = product(b, &hist.shape);
        let mut inputs = vec![starts(b, width, keys, bins)];
        for array in &op.inputs[hist.shape.len()..] {
            let ty = b.ty(*array).row().or_bug("value of a histogram");
            let values = map(b, width, &[order], vec![ty.clone()], |b, args| {
                let mut dims = vec![Dim::Fix(args[0].into())];
                dims.extend(ty.shape().iter().map(|size| whole(*size)));
                vec![b.exp("value", Exp::Index(*array, dims)).into()]
            });
            inputs.extend(values);
        }
        let mut neutral = vec![Atom::bool(false)];
        neutral.extend_from_slice(&hist.neutral);
        let combine = segmented(b, &hist.op);
        let (function, types) = (identity(b, &combine.ret), outer(&combine.ret, width));
        let scans = vec![Scan { op: combine, neutral }];
        let scan = Screma { width, inputs, map: function, scans, reds: Vec::new() };
        let scanned = b.several("scanned", types, Exp::Screma(Box::new(scan)));

        let last = last_of_each(b, width, keys, bins);
        let mut inputs = vec![last];
        for array in before {
            let mut shape = vec![bins];
            shape.extend_from_slice(&b.ty(*array).shape()[hist.shape.len()..]);
            inputs.push(b.exp("flat", Exp::Reshape(*array, shape)));
        }
        let combine = copy_lambda(&hist.op, b.vars_mut());
        let types = combine.ret.clone();
        let all = map(b, bins, &inputs, types.clone(), |b, args| {
            let last = Atom::Var(args[0]);
            let dests: Vec<Atom> = args[1..].iter().map(|arg| Atom::Var(*arg)).collect();
            let is_empty = b.exp("none", Exp::CmpOp(CmpOp::Lt, last, 0.into()));
            let both = b.body(|b| {
                let mut operands = dests.clone();
                for (array, ty) in scanned[1..].iter().zip(&types) {
                    let mut dims = vec![Dim::Fix(last)];
                    dims.extend(ty.shape().iter().map(|size| whole(*size)));
                    operands.push(b.exp("value", Exp::Index(*array, dims)).into());
                }
                inline(b, combine, operands)
            });
            let exp = Exp::If(is_empty.into(), Box::new([Body::of(dests), both]));
            b.several("bin", types.clone(), exp).into_iter().map(Atom::Var).collect()
        });
        let mut results = Vec::new();
        for (flat, dest) in all.into_iter().zip(before) {
            let shape = b.ty(*dest).shape().to_vec();
            results.push(b.exp("bins", Exp::Reshape(flat, shape)).into());
        }
        results
    }
}

/// Sorts numbers from zero to `largest`, with others beside them.
fn sort(b: &mut Builder<'_>, width: Atom, largest: Atom, arrays: [Var; 2]) -> [Var; 2] {
    let types = [Type::BOOL, Type::I64, Type::I64];
    let [goes_on, shift, rest] = types.clone().map(|ty| b.param("x", ty));
    let current = arrays.map(|array| b.param("sorted", b.ty(array).clone()));
    let inits = [Atom::bool(true), 0.into(), largest, arrays[0].into(), arrays[1].into()];
    let params = [goes_on, shift, rest, current[0], current[1]];
    let body = b.body(|b| {
        let types = vec![Type::I64; 3];
        let params = vec![("key".into(), Type::I64), ("position".into(), Type::I64)];
        let classes = b.lambda(params, types, |b, args| {
            let digit = binary(b, BinOp::Shr, args[0].into(), shift.into());
            let digit = binary(b, BinOp::And, digit, 3.into());
            vec![digit, args[0].into(), args[1].into()]
        });
        let inputs = current.to_vec();
        let partition = Partition { width, classes: 4, inputs, map: classes };
        let mut types = vec![Type::I64; 4];
        types.extend(current.map(|array| b.ty(array).clone()));
        let made = b.several("sorted", types, Exp::Partition(Box::new(partition)));
        let rest = binary(b, BinOp::Shr, rest.into(), 2.into());
        let more = b.exp("more", Exp::CmpOp(CmpOp::Lt, 0.into(), rest)).into();
        let shift = binary(b, BinOp::Add, shift.into(), 2.into());
        vec![more, shift, rest, made[4].into(), made[5].into()]
    });
    let params: Vec<LoopParam> =
        params.into_iter().zip(inits).map(|(var, init)| LoopParam { var, init }).collect();
    let pat: Vec<Var> =
        params.iter().map(|param| b.param("sorted", b.ty(param.var).clone())).collect();
    b.stm(pat.clone(), Exp::Loop(params, LoopForm::While(goes_on), Box::new(body)));
    [pat[3], pat[4]]
}

/// Where a key differs from its neighbour, so far away, or has none.
fn edges(b: &mut Builder<'_>, width: Atom, keys: Var, distance: i64) -> Var {
    let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    map(b, width, &[keys, iota], vec![Type::BOOL], |b, args| {
        let other = binary(b, BinOp::Add, args[1].into(), distance.into());
        let there = inside(b, &[other], &[width]);
        let differs = |b: &mut Builder<'_>| {
            let other = b.exp("other", Exp::Index(keys, vec![Dim::Fix(other)])).into();
            let same = b.exp("same", Exp::CmpOp(CmpOp::Eq, other, args[0].into()));
            b.exp("edge", Exp::UnOp(UnOp::Not, same.into())).into()
        };
        vec![select(b, there, &Type::BOOL, differs, |_| Atom::bool(true))]
    })[0]
}

/// Where a bin begins. What is in none is not combined with anything: nobody knows the derivative of that.
fn starts(b: &mut Builder<'_>, width: Atom, keys: Var, bins: Atom) -> Var {
    let edges = edges(b, width, keys, -1);
    map(b, width, &[edges, keys], vec![Type::BOOL], |b, args| {
        let outside = b.exp("outside", Exp::CmpOp(CmpOp::Le, bins, args[1].into())).into();
        vec![binary(b, BinOp::Or, args[0].into(), outside)]
    })[0]
}

/// For each bin, the last position in the order that is in it, or -1.
fn last_of_each(b: &mut Builder<'_>, width: Atom, keys: Var, bins: Atom) -> Var {
    let edges = edges(b, width, keys, 1);
    let places = map(b, width, &[edges, keys], vec![Type::I64], |b, args| {
        vec![select(b, args[0].into(), &Type::I64, |_| args[1].into(), |_| Atom::i64(-1))]
    })[0];
    let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    let nobody = b.exp("nobody", Exp::Replicate(vec![bins], Atom::i64(-1)));
    let function = identity(b, &[Type::I64, Type::I64]);
    let dests = vec![(vec![bins], nobody)];
    let scatter = Scatter { width, inputs: vec![places, iota], map: function, dests };
    let ty = b.ty(nobody).clone();
    b.typed("last", ty, Exp::Scatter(Box::new(scatter)))
}

/// The operator of a scan that begins anew where a segment does: where the first part is true.
fn segmented(b: &mut Builder<'_>, op: &Lambda) -> Lambda {
    let types: Vec<Type> = std::iter::once(Type::BOOL).chain(op.ret.iter().cloned()).collect();
    let params: Vec<_> = types.iter().chain(&types).map(|ty| ("x".into(), ty.clone())).collect();
    let op = copy_lambda(op, b.vars_mut());
    b.lambda(params, types.clone(), |b, args| {
        let (left, right) = args.split_at(types.len());
        let begins = binary(b, BinOp::Or, left[0].into(), right[0].into());
        let goes_on = b.exp("goes_on", Exp::UnOp(UnOp::Not, right[0].into())).into();
        let both = (&left[1..], &right[1..]);
        let elements = combined(b, op, (goes_on, Atom::bool(true)), both);
        std::iter::once(begins).chain(elements).collect()
    })
}
