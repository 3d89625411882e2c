//! Operations on constants, and conversions.
//!
//! Constants are folded by the functions that the interpreter runs programs with, so that folding never makes a
//! difference. Operations without a result, such as divisions by zero, are left for the running program.

use super::Rewrite;
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_interp::scalar;
use fehu_ir::{Atom, Exp, Scalar, Stm};

/// `op c` is its value.
pub(super) fn fold_unop(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::UnOp(op, a) = stm.exp else { return None };
    Rewrite::value(scalar::unop(op, cx.constant(a)?)?)
}

/// `c1 op c2` is its value.
pub(super) fn fold_binop(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::BinOp(op, a, b) = stm.exp else { return None };
    Rewrite::value(scalar::binop(op, cx.constant(a)?, cx.constant(b)?)?)
}

/// `c1 < c2` is its value.
pub(super) fn fold_cmpop(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::CmpOp(op, a, b) = stm.exp else { return None };
    Rewrite::value(Scalar::Bool(scalar::cmpop(op, cx.constant(a)?, cx.constant(b)?)?))
}

/// A function of constants is its value.
pub(super) fn fold_math(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Math(f, atoms) = &stm.exp else { return None };
    let args: Option<Vec<Scalar>> = atoms.iter().map(|atom| cx.constant(*atom)).collect();
    Rewrite::value(scalar::math(*f, &args?)?)
}

/// A converted constant is its value.
pub(super) fn fold_convert(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Convert(to, a) = stm.exp else { return None };
    Rewrite::value(scalar::convert(to, cx.constant(a)?)?)
}

/// A reinterpreted constant is its value.
pub(super) fn fold_reinterpret(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Reinterpret(to, a) = stm.exp else { return None };
    Rewrite::value(scalar::reinterpret(to, cx.constant(a)?)?)
}

/// `convert t (x: t) = x`
pub(super) fn convert_to_same(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Convert(to, a) = stm.exp else { return None };
    if cx.prim(a)? == to { Rewrite::atom(a) } else { None }
}

/// `convert t (convert u x) = convert t x`, if the way over `u` loses nothing that the direct one keeps.
pub(super) fn convert_twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Convert(to, a) = stm.exp else { return None };
    let Some(Exp::Convert(mid, x)) = cx.def(a) else { return None };
    let (mid, x) = (*mid, cx.resolve(*x));
    if direct(cx.prim(x)?, mid, to) { Rewrite::exp(Exp::Convert(to, x)) } else { None }
}

/// Whether converting from `from` to `mid` to `to` is converting from `from` to `to`.
fn direct(from: Prim, mid: Prim, to: Prim) -> bool {
    if from == Prim::Bool {
        // Zero and one are the same in all types.
        return true;
    }
    if from.is_float() {
        // A wider float is exact; but going back would quiet a signalling NaN.
        return mid.is_float() && mid.bits() > from.bits() && to != from;
    }
    if !mid.is_integer() {
        return false;
    }
    if to.is_integer() && to.bits() <= from.bits().min(mid.bits()) {
        // Only low bits are kept, and they never change.
        return true;
    }
    let exact = mid.bits() > from.bits() && (from.is_unsigned() || mid.is_signed());
    // Whether a signed integer is extended by its sign depends on the target.
    exact && (from.is_unsigned() || !to.is_unsigned())
}

/// `reinterpret t (reinterpret u x) = reinterpret t x`, and `reinterpret t (x: t) = x`
pub(super) fn reinterpret_twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Reinterpret(to, a) = stm.exp else { return None };
    if cx.prim(a)? == to {
        return Rewrite::atom(a);
    }
    let Some(Exp::Reinterpret(_, x)) = cx.def(a) else { return None };
    let x: Atom = cx.resolve(*x);
    Rewrite::exp(Exp::Reinterpret(to, x))
}
