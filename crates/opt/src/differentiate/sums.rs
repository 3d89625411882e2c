//! Operators that add.

use fehu_ir::{Atom, Exp, Family, Lambda, Stm};

/// Whether an operator adds its operands, part by part, and all of its parts, and does nothing else that anybody notices:
/// no check, and no other result.
pub(crate) fn is_sum(op: &Lambda) -> bool {
    is_sum_after(op, 0)
}

/// Likewise, with parameters for indices before the operands.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other operation adds")]
pub(crate) fn is_sum_after(op: &Lambda, indices: usize) -> bool {
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
        let both = |a: Atom, b: Atom| {
            (a, b) == ((*x).into(), (*y).into()) || (a, b) == ((*y).into(), (*x).into())
        };
        match &stm.exp {
            _ if !stm.certs.is_empty() => false,
            Exp::BinOp(fehu_ir::BinOp::Add, a, b) => both(*a, *b),
            Exp::Screma(op) => {
                op.scans.is_empty()
                    && op.reds.is_empty()
                    && op.inputs.len() == 2
                    && both(op.inputs[0].into(), op.inputs[1].into())
                    && is_sum(&op.map)
            }
            _ => false,
        }
    })
}
