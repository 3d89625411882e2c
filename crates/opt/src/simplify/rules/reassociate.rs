//! Constants of integer sums and products are brought together, and terms that cancel are removed.

use super::Rewrite;
use super::algebra::operands;
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_facts::poly::Poly;
use fehu_interp::scalar;
use fehu_ir::{Atom, BinOp, Exp, Scalar, Stm, Var};

/// How many sums inside of each other are looked through.
const DEPTH: usize = 6;

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

/// Of numbers of 64 bits `(k + l) + ((n - k) - l) = n` and `2 * n - n = n`: a sum of which one term is left, which may
/// be a sum itself, or none
pub(super) fn terms(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (BinOp::Add | BinOp::Sub, a, b) = operands(stm)? else { return None };
    let is_sum = |atom: Atom| {
        let def = cx.def(atom);
        matches!(def, Some(Exp::BinOp(BinOp::Add | BinOp::Sub, ..)))
            || def.is_some_and(|exp| multiple(exp).is_some())
    };
    if cx.prim(a)? != Prim::I64 || !(is_sum(a) || is_sum(b)) {
        return None;
    }
    let mut parts = Vec::new();
    let sum = sum_of(cx, &stm.exp, DEPTH, &mut parts)?;
    if let Some(number) = sum.as_constant() {
        return Rewrite::atom(Atom::i64(number.try_into().ok()?));
    }
    let (var, _) = parts.into_iter().find(|(_, part)| *part == sum)?;
    Rewrite::atom(var)
}

/// Whether a number of 64 bits is the sum of two others, however it was computed.
pub(super) fn is_sum(cx: &Cx<'_>, sum: Atom, a: Atom, b: Atom) -> bool {
    let mut parts = Vec::new();
    let both = sum_of(cx, &Exp::BinOp(BinOp::Add, a, b), DEPTH, &mut parts);
    both.is_some() && both == terms_of(cx, sum, DEPTH, &mut parts)
}

/// The variables of a sum, with what they are sums of themselves.
type Parts = Vec<(Var, Poly)>;

/// A number as a sum of multiples of others. Numbers may wrap around: sums that are equal as integers remain equal then.
fn terms_of(cx: &Cx<'_>, atom: Atom, depth: usize, parts: &mut Parts) -> Option<Poly> {
    let var = match cx.resolve(atom) {
        Atom::Const(Scalar::I64(number)) => return Some(Poly::constant(number.into())),
        Atom::Const(_) => return None,
        Atom::Var(var) => var,
    };
    let sum = match cx.def(var.into()) {
        Some(exp @ Exp::BinOp(BinOp::Add | BinOp::Sub, ..)) if depth > 0 => {
            sum_of(cx, exp, depth - 1, parts)?
        }
        Some(exp) if depth > 0 && multiple(exp).is_some() => {
            let (of, factor) = multiple(exp)?;
            terms_of(cx, of, depth - 1, parts)?.scale(factor)?
        }
        _ => Poly::var(var),
    };
    parts.push((var, sum.clone()));
    Some(sum)
}

/// What an expression is a multiple of, and the factor. Constants are on the right.
fn multiple(exp: &Exp) -> Option<(Atom, i128)> {
    match exp {
        Exp::BinOp(BinOp::Mul, of, Atom::Const(Scalar::I64(factor))) => {
            Some((*of, (*factor).into()))
        }
        _ => None,
    }
}

fn sum_of(cx: &Cx<'_>, exp: &Exp, depth: usize, parts: &mut Parts) -> Option<Poly> {
    let Exp::BinOp(op, a, b) = exp else { return None };
    let [a, b] = [terms_of(cx, *a, depth, parts)?, terms_of(cx, *b, depth, parts)?];
    if *op == BinOp::Add { a.add(&b) } else { a.sub(&b) }
}
