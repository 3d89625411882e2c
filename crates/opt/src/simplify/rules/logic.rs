//! Booleans.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::Rewrite;
use super::algebra::operands;
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Scalar, Stm, UnOp};

/// Of integers `not (a < b) = b <= a` and `not (a <= b) = b < a`
pub(super) fn not(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::UnOp(UnOp::Not, a) = stm.exp else { return None };
    let Some(Exp::CmpOp(op, x, y)) = cx.def(a) else { return None };
    let (x, y) = (cx.resolve(*x), cx.resolve(*y));
    if !cx.is_integer(x) {
        return None;
    }
    match op {
        CmpOp::Lt => Rewrite::exp(Exp::CmpOp(CmpOp::Le, y, x)),
        CmpOp::Le => Rewrite::exp(Exp::CmpOp(CmpOp::Lt, y, x)),
        CmpOp::Eq => None,
    }
}

/// `x && not x = false`, `x || not x = true`; `x != true = not x`
pub(super) fn excluded_middle(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    if cx.prim(a)? != Prim::Bool {
        return None;
    }
    if op == BinOp::Xor && b == Atom::bool(true) {
        return Rewrite::exp(Exp::UnOp(UnOp::Not, a));
    }
    let negation = |x: Atom, y: Atom| match cx.def(x) {
        Some(Exp::UnOp(UnOp::Not, x)) => cx.resolve(*x) == y,
        _ => false,
    };
    match op {
        BinOp::And | BinOp::Or if negation(a, b) || negation(b, a) => {
            Rewrite::value(Scalar::Bool(op == BinOp::Or))
        }
        _ => None,
    }
}

/// `(x && y) && x = x && y`, `(x || y) || x = x || y`, also of integers; and `(x && y) || x = x`, `(x || y) && x = x`
pub(super) fn repeated(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op @ (BinOp::And | BinOp::Or), a, b) = operands(stm)? else { return None };
    let contains = |x: Atom, y: Atom| match cx.def(x) {
        Some(Exp::BinOp(inner @ (BinOp::And | BinOp::Or), p, q)) => {
            let found = cx.resolve(*p) == y || cx.resolve(*q) == y;
            found.then_some(*inner)
        }
        _ => None,
    };
    match (contains(a, b), contains(b, a)) {
        (Some(inner), _) if inner == op => Rewrite::atom(a),
        (Some(_), _) => Rewrite::atom(b),
        (None, Some(inner)) if inner == op => Rewrite::atom(b),
        (None, Some(_)) => Rewrite::atom(a),
        (None, None) => None,
    }
}
