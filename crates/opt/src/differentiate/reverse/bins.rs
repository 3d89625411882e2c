//! Histograms with any operator.
//!
//! The forward sweep makes the histogram as it is. The return sweep needs what stood in the bin before each value, and
//! there is an order only inside of a bin. So it cuts the values into chunks, which have bins of their own:
//!
//! ```text
//! hs = reduce_by_index dest op e is vs
//! ==
//! parts = map (\is vs -> loop bins = empty for l < c do bins with [is[l]] = bins[is[l]] op vs[l]) (in chunks is) (in chunks vs)
//! hs = map (reduce op e) (transpose (concat [dest] parts))
//! ```
//!
//! and that is differentiated, by the rules for maps, reductions and loops: chunks in parallel, and in each of them one
//! value after the other, forwards and backwards; a loop that updates single elements keeps those that it overwrites. A
//! bin says whether there is something in it, since operators need not be differentiable at their neutral elements.
//!
//! All bins of all chunks together are at most about a quarter as many as the values, and there are as many chunks as
//! that allows. That is for the threads of a CPU: those of a device sort the values instead (`sorted_bins`). Inside of
//! another operator, a histogram is a loop.

use super::sorted_bins::Order;
use super::write::inside;
use super::{Reverse, Saved, Step};
use crate::differentiate::activity;
use crate::differentiate::num::{binary, identity, map, product, select, whole};
use crate::differentiate::{Res, inline};
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Hist, HistOp, Lambda, LoopForm, LoopParam, Red, Screma,
    Stm, Type, Var,
};

/// The bins of a chunk are at most this part of its values.
const VALUES_PER_BIN: i64 = 4;
/// With so many threads, a machine is a device, whose threads are better at sorting than at chunks: on an H200, the
/// gradient of a histogram of 10 million values in 30 bins takes ten times as long by chunks, and with more bins there
/// would be fewer of these.
const MANY_THREADS: i64 = 4096;
/// The most chunks: more threads than that are of no use to any device.
const MOST_CHUNKS: i64 = 1 << 16;

impl Reverse {
    /// A histogram with one operator.
    pub(super) fn any_bins_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let Exp::Hist(op) = &stm.exp else { return self.refuse("this histogram") };
        let hist = &op.ops[0];
        if self.is_host {
            let copies = hist.dests.iter().map(|dest| b.exp("before", Exp::Copy(*dest)));
            let before: Vec<Var> = copies.collect();
            b.push(stm.clone());
            steps.push(Step { stm, saved: Saved::AnyBins(before) });
            return Ok(());
        }
        let inputs = op.inputs.split_at(hist.shape.len());
        let mut repeated = repeat(b, stm.pat.clone(), op.width, hist, inputs, None);
        repeated.loc.clone_from(&stm.loc);
        let only = Body { stms: vec![repeated.clone()], results: Vec::new() };
        activity::varied(&only, b.vars(), &mut self.varied);
        activity::useful(&only, &mut self.useful);
        self.forward(b, repeated, steps)
    }

    pub(super) fn any_bins_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        op: &Hist,
        before: &[Var],
    ) -> Res<()> {
        let hist = &op.ops[0];
        let adjoints = self.take_all(b, &stm.pat);
        for (before, dest) in before.iter().zip(&hist.dests) {
            if self.varied.contains(dest) {
                self.varied.insert(*before);
            }
        }
        let body = in_parallel(b, op, before);
        self.scope(b, body, &adjoints)?;
        for (before, dest) in before.iter().zip(&hist.dests) {
            if let Some(adjoint) = self.take(b, *before) {
                self.contribute(b, (*dest).into(), adjoint);
            }
        }
        Ok(())
    }
}

/// A histogram of what was in the bins before, in a body of its own, by rules that have derivatives.
pub(super) fn in_parallel(b: &mut Builder<'_>, op: &Hist, before: &[Var]) -> Body {
    let count = chunks(b, op, before);
    let threads = b.exp("threads", Exp::Threads).into();
    let are_many = b.exp("many", Exp::CmpOp(CmpOp::Le, MANY_THREADS.into(), threads)).into();
    let order = Order::of(b, op, are_many);
    b.body(|b| {
        let types = before.iter().map(|dest| b.ty(*dest).clone()).collect();
        let sorted = b.body(|b| order.hist(b, op, before));
        let chunked = b.body(|b| in_chunks(b, op, before, count));
        let made = b.several("bins", types, Exp::If(order.is_made, Box::new([sorted, chunked])));
        made.into_iter().map(Atom::Var).collect()
    })
}

/// How many chunks there are.
fn chunks(b: &mut Builder<'_>, op: &Hist, before: &[Var]) -> Atom {
    let hist = &op.ops[0];
    let row = b.ty(before[0]).shape()[hist.shape.len()..].to_vec();
    let bins = product(b, &hist.shape);
    let row_size = product(b, &row);
    let size = binary(b, BinOp::Mul, bins, row_size);
    let least = binary(b, BinOp::Mul, size, VALUES_PER_BIN.into());
    let least = binary(b, BinOp::Max, least, 1.into());
    let count = binary(b, BinOp::Quot, op.width, least);
    let count = binary(b, BinOp::Min, count, MOST_CHUNKS.into());
    binary(b, BinOp::Max, count, 1.into())
}

/// A histogram by so many chunks, of what was in the bins before.
fn in_chunks(b: &mut Builder<'_>, op: &Hist, before: &[Var], count: Atom) -> Vec<Atom> {
    let hist = &op.ops[0];
    let (indices, values) = op.inputs.split_at(hist.shape.len());
    let bins = product(b, &hist.shape);
    let more = binary(b, BinOp::Add, op.width, count);
    let more = binary(b, BinOp::Sub, more, 1.into());
    let len = binary(b, BinOp::Quot, more, count);
    let all = binary(b, BinOp::Mul, count, len);
    let missing = binary(b, BinOp::Sub, all, op.width);
    // What fills the last chunk is in no bin.
    let mut inputs = Vec::new();
    let fillers = indices.iter().map(|_| Atom::i64(-1)).chain(hist.neutral.iter().copied());
    for (array, filler) in indices.iter().chain(values).zip(fillers) {
        let rest = b.exp("rest", Exp::Replicate(vec![missing], filler));
        let full = b.exp("full", Exp::Concat(all, vec![*array, rest]));
        let mut shape = vec![count, len];
        shape.extend_from_slice(&b.ty(*array).shape()[1..]);
        inputs.push(b.exp("chunks", Exp::Reshape(full, shape)));
    }
    let mut types = vec![Type::array(Prim::Bool.into(), hist.shape.clone())];
    types.extend(before.iter().map(|dest| b.ty(*dest).clone()));
    let parts = map(b, count, &inputs, types.clone(), |b, chunk| {
        let (indices, values) = chunk.split_at(hist.shape.len());
        let filled = b.exp("filled", Exp::Replicate(hist.shape.clone(), Atom::bool(false)));
        let empty = hist
            .neutral
            .iter()
            .map(|neutral| b.exp("bins", Exp::Replicate(hist.shape.clone(), *neutral)));
        let start = HistOp { dests: empty.collect(), ..hist.clone() };
        let pat: Vec<Var> = types.iter().map(|ty| b.param("bins", ty.clone())).collect();
        let repeated = repeat(b, pat.clone(), len, &start, (indices, values), Some(filled));
        b.push(repeated);
        pat.into_iter().map(Atom::Var).collect()
    });
    // What was there before is the first chunk.
    let chunks = binary(b, BinOp::Add, count, 1.into());
    let full = b.exp("full", Exp::Replicate(hist.shape.clone(), Atom::bool(true)));
    let mut columns = Vec::new();
    for (first, part) in std::iter::once(&full).chain(before).zip(&parts) {
        let ty = b.ty(*first).clone();
        let mut shape = vec![1.into()];
        shape.extend_from_slice(ty.shape());
        let first = b.exp("first", Exp::Reshape(*first, shape));
        let both = b.exp("both", Exp::Concat(chunks, vec![first, *part]));
        let row = &ty.shape()[hist.shape.len()..];
        let mut shape = vec![chunks, bins];
        shape.extend_from_slice(row);
        let flat = b.exp("flat", Exp::Reshape(both, shape));
        let order = [1, 0].into_iter().chain(2..2 + row.len()).collect();
        columns.push(b.exp("columns", Exp::Rearrange(flat, order)));
    }
    let combine = filled_only(b, &hist.op);
    let element = combine.ret[1..].to_vec();
    let folded = map(b, bins, &columns, element, |b, column| {
        let mut neutral = vec![Atom::bool(false)];
        neutral.extend_from_slice(&hist.neutral);
        let types = combine.ret.clone();
        let function = identity(b, &types);
        let reds = vec![Red { op: combine, neutral, commutative: false }];
        let inputs = column.to_vec();
        let op = Screma { width: chunks, inputs, map: function, scans: Vec::new(), reds };
        let folded = b.several("folded", types, Exp::Screma(Box::new(op)));
        folded[1..].iter().map(|var| Atom::Var(*var)).collect()
    });
    let mut results = Vec::new();
    for (flat, dest) in folded.into_iter().zip(before) {
        let shape = b.ty(*dest).shape().to_vec();
        results.push(b.exp("bins", Exp::Reshape(flat, shape)).into());
    }
    results
}

/// The operator on elements that say whether there is something at all.
fn filled_only(b: &mut Builder<'_>, op: &Lambda) -> Lambda {
    let types: Vec<Type> = std::iter::once(Type::BOOL).chain(op.ret.iter().cloned()).collect();
    let params: Vec<_> = types.iter().chain(&types).map(|ty| ("x".into(), ty.clone())).collect();
    let op = copy_lambda(op, b.vars_mut());
    b.lambda(params, types.clone(), |b, args| {
        let (left, right) = args.split_at(types.len());
        let any = binary(b, BinOp::Or, left[0].into(), right[0].into());
        let elements =
            combined(b, op, (left[0].into(), right[0].into()), (&left[1..], &right[1..]));
        std::iter::once(any).chain(elements).collect()
    })
}

/// `x op y` if there are both, otherwise the one that there is; `x` if there is neither.
pub(super) fn combined(
    b: &mut Builder<'_>,
    op: Lambda,
    (has_x, has_y): (Atom, Atom),
    (x, y): (&[Var], &[Var]),
) -> Vec<Atom> {
    let types = op.ret.clone();
    let atoms = |vars: &[Var]| vars.iter().map(|var| Atom::Var(*var)).collect::<Vec<_>>();
    let with_y = b.body(|b| {
        let both =
            b.body(|b| inline(b, op, x.iter().chain(y).map(|var| Atom::Var(*var)).collect()));
        let only = Body::of(atoms(y));
        let exp = Exp::If(has_x, Box::new([both, only]));
        atoms(&b.several("x", types.clone(), exp))
    });
    let exp = Exp::If(has_y, Box::new([with_y, Body::of(atoms(x))]));
    atoms(&b.several("x", types, exp))
}

/// A histogram as a loop that combines one value after the other with its bin. If there are bins in which nothing is
/// yet, `filled` says so.
///
/// There is no branch around the update: the return sweep would evaluate it again, and need all bins for that, where it can do
/// with the one that is overwritten. A value that is in no bin leaves the first one as it is.
fn repeat(
    b: &mut Builder<'_>,
    pat: Vec<Var>,
    width: Atom,
    hist: &HistOp,
    (indices, values): (&[Var], &[Var]),
    filled: Option<Var>,
) -> Stm {
    let counter = b.param("i", Type::I64);
    let params: Vec<LoopParam> = filled
        .iter()
        .chain(&hist.dests)
        .map(|dest| LoopParam { var: b.param("bins", b.ty(*dest).clone()), init: (*dest).into() })
        .collect();
    let all: Vec<Var> = params.iter().map(|param| param.var).collect();
    let (known, bins) = all.split_at(all.len() - hist.dests.len());
    // Without bins there is nothing to do.
    let count = product(b, &hist.shape);
    let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Eq, count, 0.into())).into();
    let bound = select(b, none, &Type::I64, |_| 0.into(), |_| width);
    let combine = copy_lambda(&hist.op, b.vars_mut());
    let body = b.body(|b| {
        let at = |b: &mut Builder<'_>, array: Var, fixed: &[Atom]| -> (Var, Vec<Dim>) {
            let rest = b.ty(array).shape()[fixed.len()..].to_vec();
            let mut dims: Vec<Dim> = fixed.iter().copied().map(Dim::Fix).collect();
            dims.extend(rest.into_iter().map(whole));
            (b.exp("x", Exp::Index(array, dims.clone())), dims)
        };
        let own = [Atom::Var(counter)];
        let place: Vec<Atom> = indices.iter().map(|index| at(b, *index, &own).0.into()).collect();
        let here = inside(b, &place, &hist.shape);
        let mut place_of = |index: &Atom| select(b, here, &Type::I64, |_| *index, |_| 0.into());
        let place: Vec<Atom> = place.iter().map(&mut place_of).collect();
        let mut new = Vec::new();
        let is_filled: Atom = match known {
            [known] => {
                let (was, dims) = at(b, *known, &place);
                let now = binary(b, BinOp::Or, was.into(), here);
                let copy = b.exp("copy", Exp::Copy(*known));
                new.push(b.exp("bins", Exp::Update(copy, dims, now)).into());
                was.into()
            }
            _ => Atom::bool(true),
        };
        let (old, slices): (Vec<Var>, Vec<Vec<Dim>>) =
            bins.iter().map(|bin| at(b, *bin, &place)).unzip();
        let values: Vec<Var> = values.iter().map(|value| at(b, *value, &own).0).collect();
        let results = combined(b, combine, (is_filled, here), (&old, &values));
        for ((bin, dims), result) in bins.iter().zip(slices).zip(results) {
            let copy = b.exp("copy", Exp::Copy(*bin));
            new.push(b.exp("bins", Exp::Update(copy, dims, result)).into());
        }
        new
    });
    Stm::new(pat, Exp::Loop(params, LoopForm::For(counter, bound), Box::new(body)))
}
