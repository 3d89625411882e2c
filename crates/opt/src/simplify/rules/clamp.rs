//! Numbers that branches keep between bounds.
//!
//! ```text
//! if y < 0 then 0 else if n <= y then n - 1 else y    ==>    max 0 (min (n - 1) y)
//! ```
//!
//! More of the compiler knows minima and maxima than branches: what is between which bounds, and windows of stencils.

use super::{Rewrite, inline};
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_facts::cost;
use fehu_interp::scalar;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Scalar, Stm};

/// The most operations in a branch.
const FEW: usize = 2;

/// How many sums lead from a number to the counter that it was computed from.
const DEPTH: usize = 4;

/// Of integers `if n <= y then n - 1 else y` is `y min (n - 1)`, and `if y < 0 then 0 else y min m` is `(y min m) max
/// 0`, if nothing overflows and the bounds are in this order; also the other way around
pub(super) fn if_clamp(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let (Exp::If(cond, bodies), [var]) = (&mut stm.exp, &stm.pat[..]) else { return None };
    let code = Code { cx, bodies };
    let Some(Exp::CmpOp(op, a, b)) = cx.def(*cond) else { return None };
    if !code.is_cheap() || !cx.prim(Atom::Var(*var)).is_some_and(Prim::is_signed) {
        return None;
    }
    let (op, a, b) = (*op, cx.resolve(*a), cx.resolve(*b));
    let [yes, no] = [0, 1].map(|branch| bodies[branch].results.first().map(|r| cx.resolve(*r)));
    let (yes, no) = (yes?, no?);
    let clamp = code.clamp(less(op, a, b, true)?, yes, no);
    let clamp = clamp.or_else(|| code.clamp(less(op, a, b, false)?, no, yes))?;
    let mut stms = Vec::new();
    for body in bodies.iter_mut() {
        stms.extend(inline(std::mem::take(body), &stm.certs));
    }
    stms.push(Stm::new(std::mem::take(&mut stm.pat), clamp));
    Some(Rewrite::Stms(stms))
}

/// What is less if a comparison has this value, and by how much at least.
fn less(op: CmpOp, a: Atom, b: Atom, holds: bool) -> Option<(Atom, Atom, i64)> {
    match (op, holds) {
        (CmpOp::Lt, true) => Some((a, b, 1)),
        (CmpOp::Le, true) => Some((a, b, 0)),
        (CmpOp::Lt, false) => Some((b, a, 0)),
        (CmpOp::Le, false) => Some((b, a, 1)),
        (CmpOp::Eq, _) => None,
    }
}

/// Branches.
struct Code<'a, 'b> {
    cx: &'a Cx<'b>,
    bodies: &'a [Body; 2],
}

/// Another number plus a constant, without overflow; zero plus a constant, if there is no other.
#[derive(PartialEq)]
struct Sum {
    of: Option<Atom>,
    plus: i64,
}

impl Code<'_, '_> {
    /// Whether there are but a few operations that nothing can be wrong with.
    fn is_cheap(&self) -> bool {
        self.bodies.iter().all(|body| {
            let is_free =
                |stm: &Stm| stm.certs.is_empty() && cost::is_instruction(stm, &self.cx.vars);
            body.stms.len() <= FEW && body.stms.iter().all(is_free)
        })
    }

    /// A minimum or maximum of what the branches yield, where the first one is taken if a number is less than another one.
    fn clamp(
        &self,
        (low, high, by): (Atom, Atom, i64),
        inside: Atom,
        outside: Atom,
    ) -> Option<Exp> {
        let bound = self.sum(outside);
        for (y, limit, op, sign) in [(low, high, BinOp::Min, -1), (high, low, BinOp::Max, 1)] {
            let limit = self.sum(limit);
            if limit.of != bound.of {
                continue;
            }
            // The bound is the last number inside, or the first one outside.
            let first = sign * by;
            let is_next = [first, first - sign].contains(&bound.plus.checked_sub(limit.plus)?);
            if is_next && self.is_kept(y, inside, op, &bound) {
                return Some(Exp::BinOp(op, inside, outside));
            }
        }
        None
    }

    /// Whether a result is a number, or what is kept on the other side of a bound that is in order with this one.
    fn is_kept(&self, y: Atom, result: Atom, op: BinOp, bound: &Sum) -> bool {
        if result == y {
            return true;
        }
        let other = match (self.made(result), op) {
            (Some(Exp::BinOp(BinOp::Max, a, b)), BinOp::Min)
            | (Some(Exp::BinOp(BinOp::Min, a, b)), BinOp::Max) => {
                let (a, b) = (self.cx.resolve(*a), self.cx.resolve(*b));
                match (a == y, b == y) {
                    (true, false) => self.sum(b),
                    (false, true) => self.sum(a),
                    _ => return false,
                }
            }
            _ => return false,
        };
        let (least, greatest) = if op == BinOp::Min { (&other, bound) } else { (bound, &other) };
        self.is_in_order(least, greatest, y)
    }

    /// Whether a sum is at most another one, at a number that exists.
    fn is_in_order(&self, least: &Sum, greatest: &Sum, y: Atom) -> bool {
        let Sum { of, plus } = *greatest;
        if least.of == of {
            return least.plus <= plus;
        }
        let least_of_other = match of {
            Some(n) if self.is_limit(n, y, DEPTH) => 1,
            Some(n) if self.cx.not_negative(n) => 0,
            _ => return false,
        };
        least.of.is_none() && least.plus <= plus + least_of_other
    }

    /// Whether a number comes from a counter that this is the limit of, which then is positive.
    fn is_limit(&self, limit: Atom, y: Atom, depth: usize) -> bool {
        self.cx.below(y) == Some(limit)
            || match self.cx.def(y) {
                Some(Exp::BinOp(BinOp::Add | BinOp::Sub, a, b)) if depth > 0 => [a, b]
                    .into_iter()
                    .any(|atom| self.is_limit(limit, self.cx.resolve(*atom), depth - 1)),
                _ => false,
            }
    }

    fn sum(&self, atom: Atom) -> Sum {
        match (atom, self.made(atom)) {
            (Atom::Const(value), _) => {
                let plus = scalar::to_i64(value);
                Sum { of: plus.is_none().then_some(atom), plus: plus.unwrap_or(0) }
            }
            (_, Some(Exp::BinOp(BinOp::Add, of, Atom::Const(Scalar::I64(plus @ -1)))))
                if self.cx.not_negative(self.cx.resolve(*of)) =>
            {
                Sum { of: Some(self.cx.resolve(*of)), plus: *plus }
            }
            _ => Sum { of: Some(atom), plus: 0 },
        }
    }

    /// The operation that a number is the result of.
    fn made(&self, atom: Atom) -> Option<&Exp> {
        let var = atom.var()?;
        let mut own = self.bodies.iter().flat_map(|body| &body.stms);
        own.find(|stm| stm.pat == [var]).map(|stm| &stm.exp).or_else(|| self.cx.def(atom))
    }
}
