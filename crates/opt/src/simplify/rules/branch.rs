//! Branches on booleans.
//!
//! Inside a branch the condition is a constant already, because the sweep assumes it there.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Rewrite, copy, inline, without};
use crate::simplify::cx::Cx;
use fehu_facts::cost;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Scalar, Stm, Type, UnOp};

/// The most operations that are done for a boolean that may not be needed.
const FEW: usize = 4;

/// `if true then a else b = a`, `if false then a else b = b`
pub(super) fn if_constant(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::If(cond, bodies) = &mut stm.exp else { return None };
    let Scalar::Bool(value) = cx.constant(*cond)? else { return None };
    let body = std::mem::take(&mut bodies[usize::from(!value)]);
    Some(take_branch(stm, body))
}

/// `c = assert p; if p then a else b = a`, where the statements of `a` need `c`
pub(super) fn if_checked(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::If(cond, bodies) = &mut stm.exp else { return None };
    let cert = cx.asserted(*cond)?;
    let body = std::mem::take(&mut bodies[0]);
    stm.certs.push(cert);
    Some(take_branch(stm, body))
}

/// The statements of a body instead of a branch.
pub(super) fn take_branch(stm: &Stm, body: Body) -> Rewrite {
    let results = body.results.clone();
    let mut stms = inline(body, &stm.certs);
    stms.extend(stm.pat.iter().zip(results).map(|(var, result)| copy(*var, result)));
    Rewrite::Stms(stms)
}

/// `if not p then a else b = if p then b else a`
pub(super) fn if_not(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::If(cond, bodies) = &mut stm.exp else { return None };
    let Some(Exp::UnOp(UnOp::Not, p)) = cx.def(*cond) else { return None };
    let p = cx.resolve(*p);
    let [yes, no] = std::mem::take(&mut **bodies);
    Rewrite::exp(Exp::If(p, Box::new([no, yes])))
}

/// `(x, y) = if p then {a, b} else {a, c}` is `x = a; y = if p then {b} else {c}`, if `a` is in scope outside
pub(super) fn if_same_results(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    single_results(cx, stm, Sizes::Too, |cx, _, yes, no| {
        let same = yes == no && cx.in_scope(yes);
        same.then_some((Vec::new(), Exp::Atom(yes)))
    })
}

/// `x = if a == b then a else b` is `x = b`, but for floats
pub(super) fn if_equal(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    single_results(cx, stm, Sizes::Stay, |cx, cond, yes, no| {
        let Some(Exp::CmpOp(CmpOp::Eq, a, b)) = cx.def(cond) else { return None };
        let (a, b) = (cx.resolve(*a), cx.resolve(*b));
        let both = (yes, no) == (a, b) || (yes, no) == (b, a);
        let fine = both && !cx.prim(a)?.is_float();
        fine.then_some((Vec::new(), Exp::Atom(no)))
    })
}

/// `if p then true else x` is `p || x`, `if p then x else false` is `p && x`, and so on
pub(super) fn if_truth_values(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    single_results(cx, stm, Sizes::Too, |cx, cond, yes, no| {
        let truth = |atom: Atom| match atom {
            Atom::Const(Scalar::Bool(value)) => Some(value),
            _ => None,
        };
        let not = |cx: &mut Cx<'_>| {
            let var = cx.new_var("not", Type::BOOL);
            (vec![Stm::new(vec![var], Exp::UnOp(UnOp::Not, cond))], Atom::Var(var))
        };
        match (truth(yes), truth(no)) {
            (Some(true), Some(false)) => Some((Vec::new(), Exp::Atom(cond))),
            (Some(false), Some(true)) => Some((Vec::new(), Exp::UnOp(UnOp::Not, cond))),
            (Some(true), None) if cx.in_scope(no) => {
                Some((Vec::new(), Exp::BinOp(BinOp::Or, cond, no)))
            }
            (None, Some(false)) if cx.in_scope(yes) => {
                Some((Vec::new(), Exp::BinOp(BinOp::And, cond, yes)))
            }
            (Some(false), None) if cx.in_scope(no) => {
                let (stms, negation) = not(cx);
                Some((stms, Exp::BinOp(BinOp::And, negation, no)))
            }
            (None, Some(true)) if cx.in_scope(yes) => {
                let (stms, negation) = not(cx);
                Some((stms, Exp::BinOp(BinOp::Or, negation, yes)))
            }
            _ => None,
        }
    })
}

/// `if p then {s; x} else {false}` is `s; if p then {x} else {false}`, and so on, if `s` is a few operations that nothing can be
/// wrong with: then it is no branch any more
pub(super) fn if_cheap_truth(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let [var] = stm.pat[..] else { return None };
    let Exp::If(_, bodies) = &mut stm.exp else { return None };
    let is_constant = |body: &Body| matches!(body.results[..], [Atom::Const(Scalar::Bool(_))]);
    let constant = bodies.iter().position(|body| body.stms.is_empty() && is_constant(body))?;
    let body = &mut bodies[1 - constant];
    let few = !body.stms.is_empty() && body.stms.len() <= FEW;
    if cx.vars[var].ty != Type::BOOL
        || !few
        || !body.stms.iter().all(|stm| stm.certs.is_empty() && cost::is_instruction(stm, &cx.vars))
    {
        return None;
    }
    let before = Body { stms: std::mem::take(&mut body.stms), results: Vec::new() };
    let mut stms = inline(before, &stm.certs);
    stms.push(std::mem::replace(stm, Stm::new(Vec::new(), Exp::Atom(Atom::bool(true)))));
    Some(Rewrite::Stms(stms))
}

/// Of integers `if a < b then a else b` is `a min b`, `if a < b then b else a` is `a max b`; also for `<=`
pub(super) fn if_min_max(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    single_results(cx, stm, Sizes::Stay, |cx, cond, yes, no| {
        let Some(Exp::CmpOp(CmpOp::Lt | CmpOp::Le, a, b)) = cx.def(cond) else { return None };
        let (a, b) = (cx.resolve(*a), cx.resolve(*b));
        if !cx.is_integer(a) {
            return None;
        }
        if (yes, no) == (a, b) {
            return Some((Vec::new(), Exp::BinOp(BinOp::Min, a, b)));
        }
        let max = (yes, no) == (b, a);
        max.then(|| (Vec::new(), Exp::BinOp(BinOp::Max, a, b)))
    })
}

/// Whether single results may be sizes of others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    /// They may.
    Too,
    /// They stay with the arrays, whose sizes in the branches would be something else.
    Stay,
}

/// Computes single results of a branch before it, from the condition and the results of both bodies: `f` gives
/// an expression and statements before it, which need nothing but what is in scope.
fn single_results(
    cx: &mut Cx<'_>,
    stm: &mut Stm,
    sizes: Sizes,
    f: impl Fn(&mut Cx<'_>, Atom, Atom, Atom) -> Option<(Vec<Stm>, Exp)>,
) -> Option<Rewrite> {
    let Exp::If(cond, bodies) = &stm.exp else { return None };
    let mut stms = Vec::new();
    let mut gone = Vec::new();
    for (index, var) in stm.pat.iter().enumerate() {
        let yes = cx.resolve(bodies[0].results[index]);
        let no = cx.resolve(bodies[1].results[index]);
        // Sizes become known before the arrays that have them.
        let size =
            || stm.pat.iter().any(|other| cx.vars[*other].ty.shape().contains(&Atom::Var(*var)));
        if !cx.same_type(*var, yes) || (sizes == Sizes::Stay && size()) {
            continue;
        }
        if let Some((before, exp)) = f(cx, *cond, yes, no) {
            stms.extend(before);
            stms.push(Stm::new(vec![*var], exp));
            gone.push(index);
        }
    }
    if gone.is_empty() {
        return None;
    }
    let mut rest = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Atom(Atom::bool(true))));
    if let Exp::If(_, bodies) = &mut rest.exp {
        without(&mut rest.pat, &gone);
        for body in bodies.iter_mut() {
            without(&mut body.results, &gone);
        }
    }
    stms.push(rest);
    Some(Rewrite::Stms(stms))
}
