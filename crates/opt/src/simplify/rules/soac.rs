//! Histograms, scatters, partitions, streams and accumulators.

use super::{Rewrite, copy, inline, without};
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Lambda, Red, Screma, Stm, StreamForm, Type};

/// A histogram of nothing leaves its destinations as they are.
pub(super) fn hist_width_zero(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Hist(op) = &stm.exp else { return None };
    if cx.integer(op.width)? != 0 {
        return None;
    }
    let dests = op.ops.iter().flat_map(|op| op.dests.iter().map(|dest| Atom::Var(*dest)));
    Some(Rewrite::Atoms(dests.collect()))
}

/// A scatter of nothing leaves its destinations as they are.
pub(super) fn scatter_width_zero(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Scatter(op) = &stm.exp else { return None };
    if cx.integer(op.width)? != 0 {
        return None;
    }
    Some(Rewrite::Atoms(op.dests.iter().map(|(_, dest)| Atom::Var(*dest)).collect()))
}

/// A partition of which only the numbers of elements are needed is a reduction.
pub(super) fn partition_counts(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Partition(op) = &mut stm.exp else { return None };
    if stm.pat.len() > op.classes {
        return None;
    }
    let (width, classes, inputs) = (op.width, op.classes, std::mem::take(&mut op.inputs));
    let params = std::mem::take(&mut op.map.params);
    let mut body = std::mem::take(&mut op.map.body);
    let class = body.results[0];
    body.results.clear();
    let mut reds = Vec::with_capacity(classes);
    for k in (0i64..).take(classes) {
        let (is, one) = (cx.new_var("is", Type::BOOL), cx.new_var("one", Type::I64));
        body.stms.push(Stm::new(vec![is], Exp::CmpOp(CmpOp::Eq, class, k.into())));
        body.stms.push(Stm::new(vec![one], Exp::Convert(Prim::I64, is.into())));
        body.results.push(one.into());
        let [a, b, sum] = ["a", "b", "sum"].map(|hint| cx.new_var(hint, Type::I64));
        let add = Stm::new(vec![sum], Exp::BinOp(BinOp::Add, a.into(), b.into()));
        let add = Body { stms: vec![add], results: vec![sum.into()] };
        let op = Lambda { params: vec![a, b], body: add, ret: vec![Type::I64] };
        reds.push(Red { op, neutral: vec![0.into()], commutative: true });
    }
    let map = Lambda { params, body, ret: vec![Type::I64; classes] };
    Rewrite::exp(Exp::Screma(Box::new(Screma { width, inputs, map, scans: Vec::new(), reds })))
}

/// A stream of independent chunks over nothing yields empty arrays.
pub(super) fn stream_width_zero(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Stream(op) = &stm.exp else { return None };
    if cx.integer(op.width)? != 0 || op.form != StreamForm::Map {
        return None;
    }
    let mut stms = Vec::new();
    for var in &stm.pat {
        let Type::Array(elem, shape) = &cx.vars[*var].ty else { return None };
        stms.push(Stm::new(vec![*var], Exp::Scratch(*elem, shape.clone())));
    }
    Some(Rewrite::Stms(stms))
}

/// A stream whose function returns a chunk of an input as it is yields a copy of the input.
pub(super) fn stream_identity_results(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Stream(op) = &stm.exp else { return None };
    if op.is_pass() {
        return None;
    }
    let accs = op.init.len();
    let chunks = op.chunk_params();
    let mut stms = Vec::new();
    let mut gone = Vec::new();
    for (index, var) in stm.pat.iter().enumerate().skip(accs) {
        let result = cx.resolve(op.chunk.body.results[index]);
        let Some(number) = chunks.iter().position(|param| Atom::Var(*param) == result) else {
            continue;
        };
        let exp = Exp::Copy(op.inputs[number]);
        stms.push(Stm { loc: stm.loc.clone(), ..Stm::new(vec![*var], exp) });
        gone.push(index);
    }
    if gone.is_empty() {
        return None;
    }
    let mut rest = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Atom(Atom::bool(true))));
    if let Exp::Stream(op) = &mut rest.exp {
        without(&mut op.chunk.body.results, &gone);
        without(&mut op.chunk.ret, &gone);
        without(&mut rest.pat, &gone);
    }
    stms.push(rest);
    Some(Rewrite::Stms(stms))
}

/// Without accumulators the function is just evaluated.
pub(super) fn withacc_without_inputs(_: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::WithAcc(inputs, lambda) = &mut stm.exp else { return None };
    if !inputs.is_empty() {
        return None;
    }
    let body = std::mem::take(&mut lambda.body);
    let results = body.results.clone();
    let mut stms = inline(body, &stm.certs);
    stms.extend(stm.pat.iter().zip(results).map(|(var, result)| copy(*var, result)));
    Some(Rewrite::Stms(stms))
}

/// The arrays of an accumulator that is returned as it came are unchanged.
pub(super) fn withacc_unchanged(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::WithAcc(inputs, lambda) = &stm.exp else { return None };
    let count = inputs.len();
    let mut stms = Vec::new();
    let (mut gone, mut gone_pat) = (Vec::new(), Vec::new());
    let mut at = 0;
    for (index, input) in inputs.iter().enumerate() {
        let acc = Atom::Var(lambda.params[count + index]);
        if cx.resolve(lambda.body.results[index]) == acc {
            for array in &input.arrays {
                stms.push(copy(stm.pat[at], (*array).into()));
                gone_pat.push(at);
                at += 1;
            }
            gone.push(index);
        } else {
            at += input.arrays.len();
        }
    }
    if gone.is_empty() {
        return None;
    }
    let mut rest = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Atom(Atom::bool(true))));
    if let Exp::WithAcc(inputs, lambda) = &mut rest.exp {
        let mut params = gone.clone();
        params.extend(gone.iter().map(|index| count + index));
        without(inputs, &gone);
        without(&mut lambda.body.results, &gone);
        without(&mut lambda.ret, &gone);
        without(&mut lambda.params, &params);
        without(&mut rest.pat, &gone_pat);
    }
    stms.push(rest);
    Some(Rewrite::Stms(stms))
}
