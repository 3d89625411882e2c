//! Operators of reductions and scans that combine each component by itself.

use fehu_base::{IdVec, Prim};
use fehu_ir::{Atom, BinOp, Elem, Exp, Lambda, Type, Var, VarInfo};

/// The operations by which an operator combines its components, if these are scalars, each combined with nothing but its
/// counterpart by one operation.
pub fn componentwise(op: &Lambda, vars: &IdVec<Var, VarInfo>) -> Option<Vec<(BinOp, Prim)>> {
    let count = op.body.results.len();
    let (first, second) = op.params.split_at_checked(count)?;
    let mut ops = Vec::with_capacity(count);
    for ((result, x), y) in op.body.results.iter().zip(first).zip(second) {
        let result = result.var()?;
        let stm = op.body.stms.iter().find(|stm| stm.pat == [result])?;
        let Exp::BinOp(by, a, b) = &stm.exp else { return None };
        let Type::Scalar(Elem::Prim(prim)) = vars[*x].ty else { return None };
        let (x, y) = (Atom::Var(*x), Atom::Var(*y));
        if (*a, *b) != (x, y) && (*a, *b) != (y, x) {
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
