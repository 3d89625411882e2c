//! Constants of integer sums and products are brought together.

use super::Rewrite;
use super::algebra::operands;
use crate::simplify::cx::Cx;
use fehu_interp::scalar;
use fehu_ir::{Atom, BinOp, Exp, Stm};

/// `(x + c1) + c2 = x + (c1 + c2)`, and so for all associative operations on integers and booleans
pub(super) fn constants(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, Atom::Const(second)) = operands(stm)? else { return None };
    if cx.prim(a)?.is_float() || !associates(op) {
        return None;
    }
    match cx.def(a) {
        Some(Exp::BinOp(inner, x, Atom::Const(first))) if *inner == op => {
            let both = scalar::binop(op, *first, second)?;
            Rewrite::exp(Exp::BinOp(op, cx.resolve(*x), Atom::Const(both)))
        }
        // c1 - x + c2
        Some(Exp::BinOp(BinOp::Sub, Atom::Const(first), x)) if op == BinOp::Add => {
            let both = scalar::binop(op, *first, second)?;
            Rewrite::exp(Exp::BinOp(BinOp::Sub, Atom::Const(both), cx.resolve(*x)))
        }
        _ => None,
    }
}

fn associates(op: BinOp) -> bool {
    match op {
        BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor => {
            true
        }
        BinOp::Sub
        | BinOp::Div
        | BinOp::Mod
        | BinOp::Quot
        | BinOp::Rem
        | BinOp::Pow
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Lshr
        | BinOp::Ashr => false,
    }
}

/// Of integers `(x + c1) - (x + c2) = c1 - c2` and `c1 - (x + c2) = (c1 - c2) - x`
pub(super) fn differences(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (BinOp::Sub, a, b) = operands(stm)? else { return None };
    if !cx.is_integer(a) {
        return None;
    }
    let Some(Exp::BinOp(BinOp::Add, y, Atom::Const(second))) = cx.def(b) else { return None };
    let (y, second) = (cx.resolve(*y), *second);
    if let Atom::Const(first) = a {
        let both = scalar::binop(BinOp::Sub, first, second)?;
        return Rewrite::exp(Exp::BinOp(BinOp::Sub, Atom::Const(both), y));
    }
    let Some(Exp::BinOp(BinOp::Add, x, Atom::Const(first))) = cx.def(a) else { return None };
    if cx.resolve(*x) != y {
        return None;
    }
    Rewrite::value(scalar::binop(BinOp::Sub, *first, second)?)
}
