//! Operators of reductions, scans, histograms and accumulators: which combine each component by itself, and which add.

use fehu_base::{IdVec, Prim};
use fehu_ir::{Atom, BinOp, Elem, Exp, Family, Lambda, Stm, Type, Var, VarInfo};

/// The operations by which an operator combines its components, if these are scalars, each combined with nothing but
/// its counterpart by one operation, without a check. Its first parameters may be so many indices.
pub fn componentwise(
    op: &Lambda,
    indices: usize,
    vars: &IdVec<Var, VarInfo>,
) -> Option<Vec<(BinOp, Prim)>> {
    let count = op.body.results.len();
    let (first, second) = op.params.get(indices..)?.split_at_checked(count)?;
    let mut ops = Vec::with_capacity(count);
    for ((result, x), y) in op.body.results.iter().zip(first).zip(second) {
        let result = result.var()?;
        let stm = op.body.stms.iter().find(|stm| stm.pat == [result])?;
        let Exp::BinOp(by, a, b) = &stm.exp else { return None };
        let Type::Scalar(Elem::Prim(prim)) = vars[*x].ty else { return None };
        if !stm.certs.is_empty() || !are_both(*a, *b, *x, *y) {
            return None;
        }
        ops.push((*by, prim));
    }
    (op.body.stms.len() == count).then_some(ops)
}

/// Whether the order of operands does not matter, up to rounding.
pub fn commutes(op: BinOp) -> bool {
    match op {
        BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max => true,
        BinOp::And | BinOp::Or | BinOp::Xor => true,
        BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => false,
        BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => false,
    }
}

/// Whether an operator adds its operands, part by part, and all of its parts, and does nothing else that anybody
/// notices: no check, and no other result. Parts may be arrays, whose elements are added.
pub fn is_sum(op: &Lambda) -> bool {
    is_sum_after(op, 0)
}

/// Likewise, with parameters for indices before the operands.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other operation adds")]
pub fn is_sum_after(op: &Lambda, indices: usize) -> bool {
    let Some(values) = op.params.get(indices..) else { return false };
    let (left, right) = values.split_at(values.len() / 2);
    let (body, parts) = (&op.body, left.len());
    let is_result = |stm: &Stm| stm.pat.iter().any(|var| body.results.contains(&(*var).into()));
    let mut others = body.stms.iter().filter(|stm| !is_result(stm));
    let is_silent = |stm: &Stm| {
        matches!(stm.exp.family(), Family::Scalar | Family::Asked | Family::View | Family::Fresh)
    };
    if body.results.len() != parts || !others.all(is_silent) {
        return false;
    }
    body.results.iter().zip(left.iter().zip(right)).all(|(result, (x, y))| {
        let Some(stm) =
            body.stms.iter().find(|stm| stm.pat.iter().any(|var| *result == Atom::Var(*var)))
        else {
            return false;
        };
        match &stm.exp {
            _ if !stm.certs.is_empty() => false,
            Exp::BinOp(BinOp::Add, a, b) => are_both(*a, *b, *x, *y),
            Exp::Screma(op) => {
                op.scans.is_empty()
                    && op.reds.is_empty()
                    && matches!(op.inputs[..], [a, b] if are_both(a.into(), b.into(), *x, *y))
                    && is_sum(&op.map)
            }
            _ => false,
        }
    })
}

/// Whether operands are these two, in any order.
fn are_both(a: Atom, b: Atom, x: Var, y: Var) -> bool {
    let (x, y) = (Atom::Var(x), Atom::Var(y));
    (a, b) == (x, y) || (a, b) == (y, x)
}
