//! Checks. A check is proved or merged with an equal one, never just removed.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::Rewrite;
use crate::simplify::cx::Cx;
use fehu_ir::{Atom, BinOp, Exp, Scalar, Stm};

/// `assert true = ()`: the certificate is the constant one, which its users drop.
pub(super) fn proved(_: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    match stm.exp {
        Exp::Assert(cond, _) if cond == Atom::bool(true) => Rewrite::value(Scalar::Unit),
        _ => None,
    }
}

/// `c1 = assert p; ...; c2 = assert p` has `c2 = c1`
pub(super) fn checked_before(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Assert(cond, _) = stm.exp else { return None };
    Rewrite::atom(cx.asserted(cond)?)
}

/// `assert (a && b) = assert b`, if `a` is known to be true here; the message stays. The parts of a conjunction
/// become known after it was computed: in a branch.
pub(super) fn conjuncts(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Assert(cond, check) = &stm.exp else { return None };
    let Some(Exp::BinOp(BinOp::And, a, b)) = cx.def(*cond) else { return None };
    let (a, b) = (cx.resolve(*a), cx.resolve(*b));
    let rest = match (a, b) {
        (Atom::Const(Scalar::Bool(true)), rest) | (rest, Atom::Const(Scalar::Bool(true))) => rest,
        _ => return None,
    };
    Rewrite::exp(Exp::Assert(rest, check.clone()))
}
