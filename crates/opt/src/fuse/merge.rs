//! Two operators become one.
//!
//! The new operator's results are those of both, in the order that the operator wants: scans, reductions, then
//! plain results, each time those of the first operator before those of the second one. The operators of scans and reductions
//! stay as they are.

use super::Cx;
use super::compose::{Composed, compose};
use super::vertical::kept;
use fehu_ir::{Body, Exp, Flatmap, Hist, Lambda, Partition, Scatter, Screma, Stm, Var};
use rustc_hash::FxHashMap;

/// A producer and its consumer.
#[expect(clippy::wildcard_enum_match_arm, reason = "other consumers stay as they are")]
pub(super) fn vertical(cx: &mut Cx<'_>, first: Stm, second: Stm) -> Stm {
    let kept = kept(cx, &first, &second);
    let Exp::Screma(producer) = first.exp else { return second };
    let producer = *producer;
    let folded = producer.folded();
    let outputs: FxHashMap<Var, usize> =
        (folded..first.pat.len()).map(|index| (first.pat[index], index)).collect();
    let mut stm = Stm { exp: Exp::Atom(0.into()), ..second };
    match second.exp {
        Exp::Screma(consumer) => {
            let keep = |var: &Var| kept.contains(var);
            let (pat, exp) =
                scremas(cx, (&first.pat, producer), (&stm.pat, *consumer), &outputs, &keep);
            stm.pat = pat;
            stm.exp = exp;
        }
        Exp::Hist(op) => {
            let map = (op.inputs, op.map);
            let (inputs, map) = before(cx, &outputs, producer, map);
            stm.exp = Exp::Hist(Box::new(Hist { inputs, map, ..*op }));
        }
        Exp::Scatter(op) => {
            let map = (op.inputs, op.map);
            let (inputs, map) = before(cx, &outputs, producer, map);
            stm.exp = Exp::Scatter(Box::new(Scatter { inputs, map, ..*op }));
        }
        Exp::Partition(op) => {
            let map = (op.inputs, op.map);
            let (inputs, map) = before(cx, &outputs, producer, map);
            stm.exp = Exp::Partition(Box::new(Partition { inputs, map, ..*op }));
        }
        Exp::Flatmap(op) => {
            let map = (op.inputs, op.map);
            let (inputs, map) = before(cx, &outputs, producer, map);
            stm.exp = Exp::Flatmap(Box::new(Flatmap { inputs, map, ..*op }));
        }
        other => stm.exp = other,
    }
    both(&mut stm, first.certs, first.attrs, first.loc);
    stm
}

/// Two operators that do not depend on each other.
pub(super) fn horizontal(cx: &mut Cx<'_>, first: Stm, second: Stm) -> Stm {
    let none = FxHashMap::default();
    let mut stm = Stm { exp: Exp::Atom(0.into()), ..second };
    match (first.exp, second.exp) {
        (Exp::Screma(a), Exp::Screma(b)) => {
            let (pat, exp) = scremas(cx, (&first.pat, *a), (&stm.pat, *b), &none, &|_| true);
            stm.pat = pat;
            stm.exp = exp;
        }
        (Exp::Hist(a), Exp::Hist(b)) => {
            let indices = a.ops.iter().map(|op| op.shape.len()).sum();
            let more = b.ops.iter().map(|op| op.shape.len()).sum();
            let (inputs, map) = indexed(cx, (a.inputs, a.map, indices), (b.inputs, b.map, more));
            let ops = a.ops.into_iter().chain(b.ops).collect();
            stm.pat = first.pat.into_iter().chain(stm.pat).collect();
            stm.exp = Exp::Hist(Box::new(Hist { width: a.width, inputs, map, ops }));
        }
        (Exp::Scatter(a), Exp::Scatter(b)) => {
            let indices = a.dests.iter().map(|(shape, _)| shape.len()).sum();
            let more = b.dests.iter().map(|(shape, _)| shape.len()).sum();
            let (inputs, map) = indexed(cx, (a.inputs, a.map, indices), (b.inputs, b.map, more));
            let dests = a.dests.into_iter().chain(b.dests).collect();
            stm.pat = first.pat.into_iter().chain(stm.pat).collect();
            stm.exp = Exp::Scatter(Box::new(Scatter { width: a.width, inputs, map, dests }));
        }
        // The caller asks for pairs of one kind only.
        (_, other) => stm.exp = other,
    }
    both(&mut stm, first.certs, first.attrs, first.loc);
    stm
}

/// What the new statement takes over from the first one.
pub(super) fn both(
    stm: &mut Stm,
    certs: Vec<Var>,
    attrs: Vec<fehu_ir::Attr>,
    loc: Option<fehu_ir::Loc>,
) {
    for cert in certs {
        if !stm.certs.contains(&cert) {
            stm.certs.push(cert);
        }
    }
    for attr in attrs {
        if !stm.attrs.contains(&attr) {
            stm.attrs.push(attr);
        }
    }
    if stm.loc.is_none() {
        stm.loc = loc;
    }
}

fn scremas(
    cx: &mut Cx<'_>,
    (first_pat, first): (&[Var], Screma),
    (second_pat, second): (&[Var], Screma),
    outputs: &FxHashMap<Var, usize>,
    keep: &dyn Fn(&Var) -> bool,
) -> (Vec<Var>, Exp) {
    let (scans, folded) = (first.scanned(), first.folded());
    let (more_scans, more_folded) = (second.scanned(), second.folded());
    let (ret, more_ret) = (first.map.ret.clone(), second.map.ret.clone());
    let composed = compose(cx, outputs, (first.inputs, first.map), (second.inputs, second.map));
    let Composed { inputs, params, stms, first: results, second: more, saved } = composed;
    save(cx, &saved);
    let outs: Vec<usize> =
        (folded..first_pat.len()).filter(|index| keep(&first_pat[*index])).collect();
    // Where in the first or in the second operator the results come from.
    let mut order: Vec<(bool, usize)> = Vec::with_capacity(outs.len() + more.len() + folded);
    order.extend((0..scans).map(|index| (true, index)));
    order.extend((0..more_scans).map(|index| (false, index)));
    order.extend((scans..folded).map(|index| (true, index)));
    order.extend((more_scans..more_folded).map(|index| (false, index)));
    order.extend(outs.into_iter().map(|index| (true, index)));
    order.extend((more_folded..more.len()).map(|index| (false, index)));
    let pat =
        order.iter().map(|(of, at)| if *of { first_pat[*at] } else { second_pat[*at] }).collect();
    let results = order.iter().map(|(of, at)| if *of { results[*at] } else { more[*at] }).collect();
    let ret = order
        .iter()
        .map(|(of, at)| if *of { ret[*at].clone() } else { more_ret[*at].clone() })
        .collect();
    let map = Lambda { params, body: Body { stms, results }, ret };
    let scans = first.scans.into_iter().chain(second.scans).collect();
    let reds = first.reds.into_iter().chain(second.reds).collect();
    (pat, Exp::Screma(Box::new(Screma { width: first.width, inputs, map, scans, reds })))
}

/// The function of an operator with a producer before it whose results nobody else needs.
fn before(
    cx: &mut Cx<'_>,
    outputs: &FxHashMap<Var, usize>,
    producer: Screma,
    (inputs, map): (Vec<Var>, Lambda),
) -> (Vec<Var>, Lambda) {
    let ret = map.ret.clone();
    let composed = compose(cx, outputs, (producer.inputs, producer.map), (inputs, map));
    save(cx, &composed.saved);
    let body = Body { stms: composed.stms, results: composed.second };
    (composed.inputs, Lambda { params: composed.params, body, ret })
}

/// Functions that yield indices, then values.
fn indexed(
    cx: &mut Cx<'_>,
    (inputs, map, indices): (Vec<Var>, Lambda, usize),
    (more_inputs, more_map, more_indices): (Vec<Var>, Lambda, usize),
) -> (Vec<Var>, Lambda) {
    let (ret, more_ret) = (map.ret.clone(), more_map.ret.clone());
    let none = FxHashMap::default();
    let composed = compose(cx, &none, (inputs, map), (more_inputs, more_map));
    save(cx, &composed.saved);
    let results = interleave(&composed.first, indices, &composed.second, more_indices);
    let ret = interleave(&ret, indices, &more_ret, more_indices);
    let body = Body { stms: composed.stms, results };
    (composed.inputs, Lambda { params: composed.params, body, ret })
}

/// The first parts of both lists, then the rests.
fn interleave<T: Clone>(first: &[T], at: usize, second: &[T], more: usize) -> Vec<T> {
    let parts = [&first[..at], &second[..more], &first[at..], &second[more..]];
    parts.concat()
}

fn save(cx: &mut Cx<'_>, saved: &[Var]) {
    for var in saved {
        cx.counts.drop(*var);
    }
}
