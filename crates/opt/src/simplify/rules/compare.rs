//! Comparisons.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::Rewrite;
use super::algebra::range;
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_interp::scalar;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Scalar, Stm, Type, UnOp};

fn operands(stm: &Stm) -> Option<(CmpOp, Atom, Atom)> {
    match stm.exp {
        Exp::CmpOp(op, a, b) => Some((op, a, b)),
        _ => None,
    }
}

fn truth(value: bool) -> Option<Rewrite> {
    Rewrite::value(Scalar::Bool(value))
}

/// `x < x` is false; `x == x` and `x <= x` are true but for floats
pub(super) fn same_operands(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    if a != b {
        return None;
    }
    match op {
        CmpOp::Lt => truth(false),
        CmpOp::Eq | CmpOp::Le if !cx.prim(a)?.is_float() => truth(true),
        CmpOp::Eq | CmpOp::Le => None,
    }
}

/// `c == x` is `x == c`
pub(super) fn constant_right(_: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    match operands(stm)? {
        (CmpOp::Eq, a @ Atom::Const(_), b @ Atom::Var(_)) => {
            Rewrite::exp(Exp::CmpOp(CmpOp::Eq, b, a))
        }
        _ => None,
    }
}

/// `x == true` is `x`, `x == false` is `not x`
pub(super) fn with_truth(_: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    match operands(stm)? {
        (CmpOp::Eq, a, Atom::Const(Scalar::Bool(true))) => Rewrite::atom(a),
        (CmpOp::Eq, a, Atom::Const(Scalar::Bool(false))) => Rewrite::exp(Exp::UnOp(UnOp::Not, a)),
        _ => None,
    }
}

/// `x % c == 0` has the same value whichever way remainders are rounded, and towards zero is how processors do it;
/// powers of two are masks anyway
pub(super) fn zero_remainder(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (CmpOp::Eq, a @ Atom::Var(remainder), zero) = operands(stm)? else { return None };
    let Exp::BinOp(BinOp::Mod, x, by) = *cx.def(a)? else { return None };
    let prim = cx.prim(a)?;
    let divisor = cx.integer(by)?;
    if !prim.is_signed()
        || cx.integer(zero)? != 0
        || divisor == 0
        || divisor.unsigned_abs().is_power_of_two()
        || !cx.is_only_use(remainder)
    {
        return None;
    }
    let x = cx.resolve(x);
    let rest = cx.new_var("rest", Type::prim(prim));
    let mut compared = stm.clone();
    compared.exp = Exp::CmpOp(CmpOp::Eq, rest.into(), zero);
    let first = Stm::new(vec![rest], Exp::BinOp(BinOp::Rem, x, by));
    Some(Rewrite::Stms(vec![first, compared]))
}

/// Of integers `x < LEAST`, `GREATEST < x` are false, `LEAST <= x`, `x <= GREATEST` true
pub(super) fn extremes(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    let (least, greatest) = range(cx.prim(a)?)?;
    let (least, greatest) = (Atom::Const(least), Atom::Const(greatest));
    match op {
        CmpOp::Lt if b == least || a == greatest => truth(false),
        CmpOp::Le if a == least || b == greatest => truth(true),
        _ => None,
    }
}

/// `0 <= n` is true of sizes and counters, as is `-1 < n`; `n < 0` is false
pub(super) fn not_negative(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    // Constants alone are folded.
    if !cx.prim(a)?.is_signed() {
        return None;
    }
    if op == CmpOp::Le && cx.integer(a) == Some(0) && counter(cx, b).is_some_and(stays_positive) {
        return truth(true);
    }
    match (op, cx.integer(a), cx.integer(b)) {
        (CmpOp::Le, Some(..=0), None) | (CmpOp::Lt, Some(..=-1), None) if cx.not_negative(b) => {
            truth(true)
        }
        (CmpOp::Lt, None, Some(..=0)) | (CmpOp::Le, None, Some(..=-1)) if cx.not_negative(a) => {
            truth(false)
        }
        (CmpOp::Eq, None, Some(..=-1)) if cx.not_negative(a) => truth(false),
        _ => None,
    }
}

/// `i < n` is true of a variable that counts to `n`, as is `i <= n`; `i == n`, `n <= i` and `n < i` are false
pub(super) fn counter_below_bound(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (op, a, b) = operands(stm)?;
    if cx.below(a) == Some(b) {
        return truth(op != CmpOp::Eq);
    }
    if cx.below(b) == Some(a) {
        return truth(false);
    }
    None
}

/// `i + c < n` and `i + c <= n` are true of a variable that counts to `n - k`, if `c <= k` and `n` is not negative
pub(super) fn counter_with_offset(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (CmpOp::Lt | CmpOp::Le, a, b) = operands(stm)? else { return None };
    let counter = counter(cx, a)?;
    let inside = counter.limit == Some(b) && counter.offset <= counter.slack;
    if inside { truth(true) } else { None }
}

/// `i + offset`, where `i` counts to `limit - slack`.
struct Counter {
    offset: i64,
    /// A number that is not negative, so that nothing overflows.
    limit: Option<Atom>,
    slack: i64,
}

fn counter(cx: &Cx<'_>, atom: Atom) -> Option<Counter> {
    let (bound, offset) = match (cx.below(atom), cx.def(atom)) {
        (Some(bound), _) => (bound, 0),
        (None, Some(Exp::BinOp(BinOp::Add, i, Atom::Const(Scalar::I64(offset @ 0..))))) => {
            (cx.below(cx.resolve(*i))?, *offset)
        }
        _ => return None,
    };
    let (limit, slack) = match cx.def(bound) {
        Some(Exp::BinOp(BinOp::Add, n, Atom::Const(Scalar::I64(less @ ..0)))) => {
            (cx.resolve(*n), less.checked_neg()?)
        }
        _ => (bound, 0),
    };
    Some(Counter { offset, limit: cx.not_negative(limit).then_some(limit), slack })
}

/// One more than a counter is at most its bound; more than that must not reach beyond the limit.
fn stays_positive(counter: Counter) -> bool {
    counter.offset <= 1 || (counter.limit.is_some() && counter.offset <= counter.slack)
}

/// Of integers `x + c1 == c2` is `x == c2 - c1`, and `neg x == c` is `x == neg c`
pub(super) fn shifted(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (CmpOp::Eq, a, Atom::Const(value)) = operands(stm)? else { return None };
    if !cx.prim(a).is_some_and(Prim::is_integer) {
        return None;
    }
    let (x, value) = match cx.def(a)? {
        Exp::BinOp(BinOp::Add, x, Atom::Const(by)) => (*x, scalar::binop(BinOp::Sub, value, *by)?),
        Exp::UnOp(UnOp::Neg, x) => (*x, scalar::unop(UnOp::Neg, value)?),
        _ => return None,
    };
    Rewrite::exp(Exp::CmpOp(CmpOp::Eq, cx.resolve(x), Atom::Const(value)))
}
