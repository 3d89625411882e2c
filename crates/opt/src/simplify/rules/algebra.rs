//! Identities of arithmetic.
//!
//! Integers wrap, so the laws of rings hold. Of floats only what is true of every value is used, NaN and zeros
//! of both signs included: `x + 0.0` is not `x`, for `-0.0 + 0.0` is `0.0`.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::Rewrite;
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_interp::scalar;
use fehu_ir::{Atom, BinOp, Exp, Scalar, Stm, UnOp};

/// The operands of an operation.
pub(super) fn operands(stm: &Stm) -> Option<(BinOp, Atom, Atom)> {
    match stm.exp {
        Exp::BinOp(op, a, b) => Some((op, a, b)),
        _ => None,
    }
}

/// The constant of a type with this integer's value.
pub(super) fn number(prim: Prim, value: i64) -> Option<Scalar> {
    scalar::convert(prim, Scalar::I64(value))
}

fn is_number(value: Scalar, prim: Prim, wanted: i64) -> bool {
    number(prim, wanted) == Some(value)
}

/// Zero with all bits changed; true.
fn ones(prim: Prim) -> Option<Scalar> {
    scalar::unop(UnOp::Not, Scalar::zero(prim))
}

/// Whether the operands can be swapped.
pub(super) fn commutes(op: BinOp) -> bool {
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

/// `c + x = x + c`, so that other rules find constants on the right. Not for NaN: which one of two is the
/// result depends on the order.
pub(super) fn constant_right(_: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    match (a, b) {
        (Atom::Const(value), Atom::Var(_)) if commutes(op) && !is_nan(value) => {
            Rewrite::exp(Exp::BinOp(op, b, a))
        }
        _ => None,
    }
}

fn is_nan(value: Scalar) -> bool {
    match value {
        Scalar::F16(value) => value.is_nan(),
        Scalar::F32(value) => value.is_nan(),
        Scalar::F64(value) => value.is_nan(),
        _ => false,
    }
}

/// `x + 0 = x`, `x * 1 = x`, `x << 0 = x`, `x & -1 = x` and the like; of floats `x + -0.0 = x`, `x - 0.0 = x`,
/// `x * 1.0 = x` and `x / 1.0 = x`.
pub(super) fn neutral_right(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    let (Atom::Const(value), prim) = (b, cx.prim(a)?) else { return None };
    let zero = value == Scalar::zero(prim);
    let neutral = match op {
        BinOp::Add if prim.is_float() => scalar::unop(UnOp::Neg, Scalar::zero(prim)) == Some(value),
        BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor => zero,
        BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => zero,
        BinOp::Mul | BinOp::Div | BinOp::Quot => is_number(value, prim, 1),
        BinOp::Pow => prim.is_integer() && is_number(value, prim, 1),
        BinOp::And => ones(prim) == Some(value),
        BinOp::Min | BinOp::Max | BinOp::Mod | BinOp::Rem => false,
    };
    if neutral { Rewrite::atom(a) } else { None }
}

/// Of integers and booleans `x * 0 = 0`, `x & 0 = 0`, `x | -1 = -1`, `x mod 1 = 0`, `x ** 0 = 1`, `0 << x = 0`
pub(super) fn absorb(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    let prim = cx.prim(a)?;
    if prim.is_float() {
        return None;
    }
    let zero = Scalar::zero(prim);
    let shift = matches!(op, BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr);
    if shift && a == Atom::Const(zero) {
        return Rewrite::value(zero);
    }
    let Atom::Const(value) = b else { return None };
    match op {
        BinOp::Mul | BinOp::And if value == zero => Rewrite::value(zero),
        BinOp::Or if ones(prim) == Some(value) => Rewrite::value(value),
        BinOp::Mod | BinOp::Rem if is_number(value, prim, 1) => Rewrite::value(zero),
        BinOp::Pow if value == zero => Rewrite::value(number(prim, 1)?),
        _ => None,
    }
}

/// `x min x = x`, `x max x = x`, `x & x = x`, `x | x = x`; of integers `x - x = 0`, `x ^ x = 0`
pub(super) fn same_operands(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    if a != b {
        return None;
    }
    let prim = cx.prim(a)?;
    match op {
        BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or => Rewrite::atom(a),
        BinOp::Sub | BinOp::Xor if !prim.is_float() => Rewrite::value(Scalar::zero(prim)),
        _ => None,
    }
}

/// Of integers `0 - x = neg x` and `x * -1 = neg x`
pub(super) fn zero_minus(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    let prim = cx.prim(a).filter(|prim| prim.is_integer())?;
    match op {
        BinOp::Sub if a == Atom::Const(Scalar::zero(prim)) => Rewrite::exp(Exp::UnOp(UnOp::Neg, b)),
        BinOp::Mul if prim.is_signed() && b == Atom::Const(number(prim, -1)?) => {
            Rewrite::exp(Exp::UnOp(UnOp::Neg, a))
        }
        _ => None,
    }
}

/// Of integers `x - c = x + (-c)`: one form for both.
pub(super) fn minus_constant(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (BinOp::Sub, a, Atom::Const(value)) = operands(stm)? else { return None };
    if !cx.is_integer(a) {
        return None;
    }
    let value = scalar::unop(UnOp::Neg, value)?;
    Rewrite::exp(Exp::BinOp(BinOp::Add, a, Atom::Const(value)))
}

/// Of integers `a + neg b = a - b`, `neg a + b = b - a`, `a - neg b = a + b`
pub(super) fn negated_operand(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    if !cx.is_integer(a) {
        return None;
    }
    let negated = |atom: Atom| match cx.def(atom) {
        Some(Exp::UnOp(UnOp::Neg, x)) => Some(cx.resolve(*x)),
        _ => None,
    };
    let exp = match (op, negated(a), negated(b)) {
        (BinOp::Add, _, Some(b)) => Exp::BinOp(BinOp::Sub, a, b),
        (BinOp::Add, Some(a), None) => Exp::BinOp(BinOp::Sub, b, a),
        (BinOp::Sub, _, Some(b)) => Exp::BinOp(BinOp::Add, a, b),
        _ => return None,
    };
    Rewrite::exp(exp)
}

/// `x ** 1 = x` and `x ** 2 = x * x`. Of floats, the product is the rounded square, and functions for powers may be
/// wrong by a bit more; those of GPUs take a hundred instructions, and do not look for this.
pub(super) fn power(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (BinOp::Pow, a, Atom::Const(value)) = operands(stm)? else { return None };
    let prim = cx.prim(a)?;
    if matches!(value, Scalar::F32(1.0) | Scalar::F64(1.0)) {
        return Rewrite::atom(a);
    }
    is_number(value, prim, 2).then(|| Exp::BinOp(BinOp::Mul, a, a)).and_then(Rewrite::exp)
}

/// The least and the greatest integer of a type.
pub(super) fn range(prim: Prim) -> Option<(Scalar, Scalar)> {
    let bits = prim.bits();
    match prim.is_integer() {
        true if prim.is_signed() => {
            let least = 1u64 << (bits - 1);
            Some((Scalar::from_bits(prim, least), Scalar::from_bits(prim, least - 1)))
        }
        true => Some((Scalar::zero(prim), Scalar::from_bits(prim, u64::MAX))),
        false => None,
    }
}

/// Of integers `x min GREATEST = x`, `x min LEAST = LEAST`, and so for `max`
pub(super) fn extremes(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, Atom::Const(value)) = operands(stm)? else { return None };
    let (least, greatest) = range(cx.prim(a)?)?;
    match op {
        BinOp::Min if value == greatest => Rewrite::atom(a),
        BinOp::Max if value == least => Rewrite::atom(a),
        BinOp::Min if value == least => Rewrite::value(least),
        BinOp::Max if value == greatest => Rewrite::value(greatest),
        // A size is not negative.
        BinOp::Max if value == Scalar::I64(0) && cx.not_negative(a) => Rewrite::atom(a),
        _ => None,
    }
}

/// Of integers `(a + b) - b = a`, `(a + b) - a = b`, `(a - b) + b = a`, `b + (a - b) = a`, `a - (a - b) = b`,
/// `a - (a + b) = neg b`
pub(super) fn cancel(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    if !cx.is_integer(a) {
        return None;
    }
    let parts = |atom: Atom| match cx.def(atom) {
        Some(Exp::BinOp(op @ (BinOp::Add | BinOp::Sub), x, y)) => {
            Some((*op, cx.resolve(*x), cx.resolve(*y)))
        }
        _ => None,
    };
    match (op, parts(a), parts(b)) {
        (BinOp::Sub, Some((BinOp::Add, x, y)), _) if y == b => Rewrite::atom(x),
        (BinOp::Sub, Some((BinOp::Add, x, y)), _) if x == b => Rewrite::atom(y),
        (BinOp::Sub, _, Some((BinOp::Sub, x, y))) if x == a => Rewrite::atom(y),
        (BinOp::Sub, _, Some((BinOp::Add, x, y))) if x == a => {
            Rewrite::exp(Exp::UnOp(UnOp::Neg, y))
        }
        (BinOp::Sub, _, Some((BinOp::Add, x, y))) if y == a => {
            Rewrite::exp(Exp::UnOp(UnOp::Neg, x))
        }
        (BinOp::Add, Some((BinOp::Sub, x, y)), _) if y == b => Rewrite::atom(x),
        (BinOp::Add, _, Some((BinOp::Sub, x, y))) if y == a => Rewrite::atom(x),
        _ => None,
    }
}

/// `neg (neg x) = x`, `not (not x) = x`, `abs (neg x) = abs x`, `abs (abs x) = abs x`; of integers
/// `neg (a - b) = b - a`
pub(super) fn sign(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::UnOp(op, a) = stm.exp else { return None };
    match (op, cx.def(a)?) {
        (UnOp::Neg, Exp::UnOp(UnOp::Neg, x)) | (UnOp::Not, Exp::UnOp(UnOp::Not, x)) => {
            Rewrite::atom(cx.resolve(*x))
        }
        (UnOp::Abs, Exp::UnOp(UnOp::Neg, x)) => Rewrite::exp(Exp::UnOp(UnOp::Abs, cx.resolve(*x))),
        (UnOp::Abs, Exp::UnOp(UnOp::Abs, _)) => Rewrite::atom(a),
        (UnOp::Neg, Exp::BinOp(BinOp::Sub, x, y)) if cx.is_integer(a) => {
            Rewrite::exp(Exp::BinOp(BinOp::Sub, cx.resolve(*y), cx.resolve(*x)))
        }
        _ => None,
    }
}
