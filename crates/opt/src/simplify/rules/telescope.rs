//! Sums of differences of neighbours.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::Rewrite;
use super::screma::take;
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_facts::operators::is_sum;
use fehu_ir::{Atom, BinOp, Body, Dim, Exp, Scalar, Stm, Type, Var};

/// `scan (+) 0 (map (\i -> a[i + 1] - a[i]) (iota n))` is `map (\i -> a[i + 1] - a[0]) (iota n)` for integers: where
/// rows end is known if it is known where each begins. Both elements are known to exist wherever the function is
/// evaluated; so the first one does, too.
pub(super) fn scan_of_differences(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let ([scan], true) = (op.scans.as_slice(), op.reds.is_empty()) else { return None };
    let [neutral] = scan.neutral[..] else { return None };
    if !is_sum(&scan.op) || !cx.is_integer(neutral) || cx.integer(neutral)? != 0 {
        return None;
    }
    let body = &op.map.body;
    let Exp::BinOp(BinOp::Sub, next, own) = body_def(body, body.results[0])?.exp else {
        return None;
    };
    let (array, next) = element(body, next)?;
    let (other, own) = element(body, own)?;
    let ((of, more), (index, less)) = (shifted(cx, body, next), shifted(cx, body, own));
    let number = op.map.params.iter().position(|param| Atom::Var(*param) == index)?;
    let Exp::Iota(Prim::I64, _, start, step) = *cx.def(op.inputs[number].into())? else {
        return None;
    };
    let inside = body.stms.iter().any(|stm| stm.pat.contains(&array));
    let apart = more.wrapping_sub(less);
    if (array, of) != (other, index) || apart != 1 || cx.integer(step) != Some(1) || inside {
        return None;
    }
    let start = cx.resolve(start);
    let (ty, result) = (op.map.ret[0].clone(), body.results[0]);
    let [place, first, ends] = [Type::I64, ty.clone(), ty].map(|ty| cx.new_var("end", ty));
    let mut stm = take(stm);
    if let Exp::Screma(op) = &mut stm.exp {
        op.scans.clear();
        let body = &mut op.map.body;
        let at = body.stms.iter().position(|stm| Atom::Var(stm.pat[0]) == result)?;
        let Exp::BinOp(_, next, _) = body.stms[at].exp else { return None };
        let place_exp = Exp::BinOp(BinOp::Add, start, Atom::i64(less));
        let index = Exp::Index(array, vec![Dim::Fix(place.into())]);
        let end = Exp::BinOp(BinOp::Sub, next, first.into());
        let new = [(place, place_exp), (first, index), (ends, end)];
        let new = new.map(|(var, exp)| Stm::new(vec![var], exp));
        body.stms.splice(at + 1..at + 1, new);
        body.results[0] = ends.into();
    }
    Some(Rewrite::Stms(vec![stm]))
}

/// The statement of a body that binds a variable.
fn body_def(body: &Body, atom: Atom) -> Option<&Stm> {
    let var = atom.var()?;
    body.stms.iter().find(|stm| stm.pat == [var])
}

/// The array and the index of an element that is known to exist.
fn element(body: &Body, atom: Atom) -> Option<(Var, Atom)> {
    let stm = body_def(body, atom).filter(|stm| stm.certs.is_empty())?;
    match &stm.exp {
        Exp::Index(array, dims) => match dims[..] {
            [Dim::Fix(index)] => Some((*array, index)),
            _ => None,
        },
        _ => None,
    }
}

/// An index as another one and a constant.
fn shifted(cx: &Cx<'_>, body: &Body, index: Atom) -> (Atom, i64) {
    match body_def(body, index).map(|stm| &stm.exp) {
        Some(Exp::BinOp(BinOp::Add, of, Atom::Const(Scalar::I64(by)))) => (cx.resolve(*of), *by),
        _ => (index, 0),
    }
}
