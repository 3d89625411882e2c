//! Maps, reductions and scans, without looking at other operators.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Rewrite, copy, inline, without};
use crate::simplify::cx::Cx;
use fehu_facts::operators::is_sum;
use fehu_ir::{Atom, BinOp, Dim, Exp, Lambda, Screma, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// The number of results that operators have.
fn operands(op: &Screma) -> usize {
    op.scans.iter().map(|scan| scan.neutral.len()).sum::<usize>()
        + op.reds.iter().map(|red| red.neutral.len()).sum::<usize>()
}

/// Takes the statement out of its place.
pub(super) fn take(stm: &mut Stm) -> Stm {
    std::mem::replace(stm, Stm::new(Vec::new(), Exp::Atom(Atom::bool(true))))
}

/// Removes plain results.
pub(super) fn remove_results(mut stm: Stm, gone: &[usize]) -> Stm {
    if let Exp::Screma(op) = &mut stm.exp {
        without(&mut op.map.body.results, gone);
        without(&mut op.map.ret, gone);
        without(&mut stm.pat, gone);
    }
    stm
}

/// The statement with certificates and place of another.
pub(super) fn like(stm: &Stm, var: Var, exp: Exp) -> Stm {
    Stm { pat: vec![var], certs: stm.certs.clone(), attrs: Vec::new(), loc: stm.loc.clone(), exp }
}

/// An operator of width zero yields empty arrays and neutral elements; accumulators are unchanged.
pub(super) fn screma_width_zero(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    if cx.integer(op.width)? != 0 {
        return None;
    }
    let scans: usize = op.scans.iter().map(|scan| scan.neutral.len()).sum();
    let neutral: Vec<Atom> = op.reds.iter().flat_map(|red| red.neutral.iter().copied()).collect();
    let mut stms = Vec::new();
    for (index, var) in stm.pat.iter().enumerate() {
        let reduced = index.checked_sub(scans).and_then(|index| neutral.get(index));
        stms.push(match (reduced, &cx.vars[*var].ty) {
            (Some(Atom::Var(array)), Type::Array(..)) => like(stm, *var, Exp::Copy(*array)),
            (Some(neutral), _) => copy(*var, *neutral),
            (None, Type::Array(elem, shape)) => like(stm, *var, Exp::Scratch(*elem, shape.clone())),
            (None, Type::Acc(cert)) => copy(*var, accumulator(cx, op, *cert)?.into()),
            (None, Type::Scalar(_)) => return None,
        });
    }
    Some(Rewrite::Stms(stms))
}

/// The accumulator of this name among the inputs.
fn accumulator(cx: &Cx<'_>, op: &Screma, cert: Var) -> Option<Var> {
    op.inputs.iter().copied().find(|input| cx.vars[*input].ty == Type::Acc(cert))
}

/// An operator of width one is its function applied to the first elements; operators combine its results
/// with their neutral elements.
pub(super) fn screma_width_one(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    if cx.integer(op.width)? != 1 {
        return None;
    }
    let mut stm = take(stm);
    let Exp::Screma(op) = std::mem::replace(&mut stm.exp, Exp::Atom(Atom::bool(true))) else {
        return None;
    };
    let Screma { inputs, map, scans, reds, .. } = *op;
    let mut stms = Vec::new();
    for (param, input) in map.params.iter().zip(inputs) {
        stms.push(match cx.vars[input].ty {
            Type::Acc(_) => copy(*param, input.into()),
            Type::Array(..) | Type::Scalar(_) => {
                like(&stm, *param, Exp::Index(input, vec![Dim::Fix(Atom::i64(0))]))
            }
        });
    }
    let results = map.body.results.clone();
    stms.extend(inline(map.body, &stm.certs));
    let scanned = scans.len();
    let operators = scans.into_iter().map(|scan| (scan.op, scan.neutral));
    let operators = operators.chain(reds.into_iter().map(|red| (red.op, red.neutral)));
    let mut at = 0;
    for (number, (lambda, neutral)) in operators.enumerate() {
        let count = neutral.len();
        let combined = apply(&stm, lambda, &neutral, &results[at..at + count], &mut stms);
        for (index, result) in combined.into_iter().enumerate() {
            let var = stm.pat[at + index];
            if number < scanned {
                stms.push(like(&stm, var, row(cx, var, result)));
            } else {
                stms.push(own(cx, &stm, var, result));
            }
        }
        at += count;
    }
    for (var, result) in stm.pat.iter().zip(&results).skip(at) {
        stms.push(match cx.vars[*var].ty {
            Type::Acc(_) => copy(*var, *result),
            Type::Array(..) | Type::Scalar(_) => like(&stm, *var, row(cx, *var, *result)),
        });
    }
    Some(Rewrite::Stms(stms))
}

/// The array whose only row this is.
fn row(cx: &Cx<'_>, var: Var, result: Atom) -> Exp {
    match &cx.vars[var].ty {
        Type::Array(elem, shape) if shape.len() == 1 => Exp::Array(*elem, vec![result]),
        _ => Exp::Replicate(vec![Atom::i64(1)], result),
    }
}

/// A reduced value in memory of its own.
fn own(cx: &Cx<'_>, stm: &Stm, var: Var, result: Atom) -> Stm {
    match (result, cx.vars[var].ty.is_array()) {
        (Atom::Var(array), true) => like(stm, var, Exp::Copy(array)),
        _ => copy(var, result),
    }
}

/// Adds the statements of an operator that is applied once; its results.
fn apply(
    stm: &Stm,
    lambda: Lambda,
    first: &[Atom],
    second: &[Atom],
    stms: &mut Vec<Stm>,
) -> Vec<Atom> {
    let args = first.iter().chain(second);
    stms.extend(lambda.params.iter().zip(args).map(|(param, arg)| copy(*param, *arg)));
    let results = lambda.body.results.clone();
    stms.extend(inline(lambda.body, &stm.certs));
    results
}

/// An array that is an input twice is one once.
pub(super) fn screma_equal_inputs(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &mut stm.exp else { return None };
    let mut first = FxHashMap::default();
    let mut gone = Vec::new();
    let mut same = Vec::new();
    for (index, (input, param)) in op.inputs.iter().zip(&op.map.params).enumerate() {
        match first.get(input) {
            None => {
                first.insert(*input, *param);
            }
            Some(other) => {
                gone.push(index);
                same.push((*param, *other));
            }
        }
    }
    if gone.is_empty() {
        return None;
    }
    for (param, other) in same {
        cx.replace(param, other.into());
    }
    without(&mut op.inputs, &gone);
    without(&mut op.map.params, &gone);
    Some(Rewrite::Stms(vec![take(stm)]))
}

/// The elements of `replicate n x` are `x`, and those of `replicate (n, m) x` are `replicate m x`, also through views.
pub(super) fn screma_replicated_inputs(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &mut stm.exp else { return None };
    let mut gone = Vec::new();
    let mut known = Vec::new();
    let mut rows = Vec::new();
    for (index, (input, param)) in op.inputs.iter().zip(&op.map.params).enumerate() {
        if let Some(value) = same_elements(cx, *input) {
            match &cx.vars[*param].ty {
                Type::Scalar(_) => known.push((*param, value)),
                // The row is one that nobody changes, made of something that is there whenever the function is.
                Type::Array(_, shape) if cx.share.is_final(*param) => {
                    rows.push(Stm::new(vec![*param], Exp::Replicate(shape.clone(), value)));
                }
                Type::Array(..) | Type::Acc(_) => continue,
            }
            gone.push(index);
            continue;
        }
        let Some(Exp::Replicate(shape, value)) = cx.def(Atom::Var(*input)) else { continue };
        let value = cx.resolve(*value);
        // An array must not change before or here.
        let readable = match value {
            Atom::Var(array) => cx.share.is_settled(array) && cx.share.is_final(*param),
            Atom::Const(_) => true,
        };
        if shape.len() == 1 && readable && cx.same_type(*param, value) {
            gone.push(index);
            known.push((*param, value));
        }
    }
    if gone.is_empty() {
        return None;
    }
    for (param, value) in known {
        if let (Atom::Var(array), true) = (value, cx.vars[param].ty.is_array()) {
            cx.share.join(param, array);
        }
        cx.replace(param, value);
    }
    op.map.body.stms.splice(0..0, rows);
    without(&mut op.inputs, &gone);
    without(&mut op.map.params, &gone);
    Some(Rewrite::Stms(vec![take(stm)]))
}

/// The number that all elements of an array are.
fn same_elements(cx: &Cx<'_>, mut array: Var) -> Option<Atom> {
    loop {
        match cx.def(array.into())? {
            Exp::Replicate(_, value) => {
                let value = cx.resolve(*value);
                return cx.prim(value).map(|_| value);
            }
            Exp::Index(source, _) | Exp::Reshape(source, _) | Exp::Rearrange(source, _) => {
                let Atom::Var(source) = cx.resolve((*source).into()) else { return None };
                array = source;
            }
            _ => return None,
        }
    }
}

/// `map (\x -> c) xs` is `replicate n c`, and `map (\x -> replicate m c) xs` is `replicate (n, m) c`, if `c` is in scope
/// outside
pub(super) fn screma_invariant_results(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let skip = operands(op);
    let mut stms = Vec::new();
    let mut gone = Vec::new();
    for (index, var) in stm.pat.iter().enumerate().skip(skip) {
        let result = cx.resolve(op.map.body.results[index]);
        let (mut shape, value) = if cx.in_scope(result) {
            (vec![op.width], result)
        } else if let Some((row, value)) = replicated(cx, &op.map, result) {
            ([&[op.width], row].concat(), value)
        } else {
            continue;
        };
        if cx.vars[*var].ty.is_array() {
            shape.iter_mut().for_each(|size| *size = cx.resolve(*size));
            stms.push(like(stm, *var, Exp::Replicate(shape, value)));
            gone.push(index);
        }
    }
    if gone.is_empty() {
        return None;
    }
    stms.push(remove_results(take(stm), &gone));
    Some(Rewrite::Stms(stms))
}

/// The shape of a row that a function makes of one scalar, and the scalar, if all of it is in scope outside.
fn replicated<'a>(cx: &Cx<'_>, map: &'a Lambda, row: Atom) -> Option<(&'a [Atom], Atom)> {
    let Atom::Var(row) = row else { return None };
    let stm = map.body.stms.iter().find(|stm| stm.pat == [row])?;
    let Exp::Replicate(shape, value) = &stm.exp else { return None };
    let value = cx.resolve(*value);
    let outside = |atom: &Atom| cx.in_scope(cx.resolve(*atom));
    let fits = stm.certs.is_empty() && cx.prim(value).is_some() && cx.in_scope(value);
    (fits && shape.iter().all(outside)).then_some((shape.as_slice(), value))
}

/// `map (\x -> x) xs` is a copy of `xs`, and `xs` itself if neither ever changes
pub(super) fn screma_identity_results(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let skip = operands(op);
    if stm.pat.len() == skip {
        return None;
    }
    let inputs: FxHashMap<Atom, Var> = op
        .map
        .params
        .iter()
        .zip(&op.inputs)
        .map(|(param, input)| (Atom::Var(*param), *input))
        .collect();
    let mut stms = Vec::new();
    let mut gone = Vec::new();
    for (index, var) in stm.pat.iter().enumerate().skip(skip) {
        let Some(input) = inputs.get(&cx.resolve(op.map.body.results[index])).copied() else {
            continue;
        };
        if !cx.vars[input].ty.is_array() {
            continue;
        }
        if cx.share.is_final(*var) && cx.share.is_settled(input) && cx.same_type(*var, input.into())
        {
            cx.share.join(*var, input);
            stms.push(copy(*var, input.into()));
        } else {
            stms.push(like(stm, *var, Exp::Copy(input)));
        }
        gone.push(index);
    }
    if gone.is_empty() {
        return None;
    }
    // The copies come first: the rest may consume its inputs.
    stms.push(remove_results(take(stm), &gone));
    Some(Rewrite::Stms(stms))
}

/// A result that is computed twice is one once, if nothing changes either.
pub(super) fn screma_equal_results(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let skip = operands(op);
    let mut first = FxHashMap::default();
    let mut gone = Vec::new();
    let mut after = Vec::new();
    for (index, var) in stm.pat.iter().enumerate().skip(skip) {
        if !cx.vars[*var].ty.is_array() || !cx.share.is_final(*var) {
            continue;
        }
        let result = cx.resolve(op.map.body.results[index]);
        match first.get(&result) {
            None => {
                first.insert(result, *var);
            }
            Some(other) => {
                cx.share.join(*var, *other);
                after.push(copy(*var, (*other).into()));
                gone.push(index);
            }
        }
    }
    if gone.is_empty() {
        return None;
    }
    let mut stms = vec![remove_results(take(stm), &gone)];
    stms.append(&mut after);
    Some(Rewrite::Stms(stms))
}

/// `reduce (+) 0 (replicate n c)` is `n * c` for integers, if `c` is in scope outside
pub(super) fn screma_sum_of_invariant(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let mut at: usize = op.scans.iter().map(|scan| scan.neutral.len()).sum();
    let mut found = Vec::new();
    for (number, red) in op.reds.iter().enumerate() {
        if let [neutral] = red.neutral[..]
            && is_sum(&red.op)
            && cx.is_integer(neutral)
        {
            let value = cx.resolve(op.map.body.results[at]);
            if cx.in_scope(value) {
                found.push((number, at, neutral, value));
            }
        }
        at += red.neutral.len();
    }
    if found.is_empty() {
        return None;
    }
    let mut stms = Vec::new();
    for (_, at, neutral, value) in &found {
        let prim = cx.prim(*neutral)?;
        let number = cx.new_var("n", Type::prim(prim));
        stms.push(Stm::new(vec![number], Exp::Convert(prim, op.width)));
        let total = cx.new_var("total", Type::prim(prim));
        stms.push(Stm::new(vec![total], Exp::BinOp(BinOp::Mul, number.into(), *value)));
        stms.push(Stm::new(vec![stm.pat[*at]], Exp::BinOp(BinOp::Add, *neutral, total.into())));
    }
    let reds: Vec<usize> = found.iter().map(|(number, ..)| *number).collect();
    let results: Vec<usize> = found.iter().map(|(_, at, ..)| *at).collect();
    let mut rest = take(stm);
    if let Exp::Screma(op) = &mut rest.exp {
        without(&mut op.reds, &reds);
    }
    stms.push(remove_results(rest, &results));
    Some(Rewrite::Stms(stms))
}
