//! Branches that read an element where there is one.

use crate::{Atom, BinOp, CmpOp, Dim, Exp, Scalar, UnOp, Var};

/// An element, or a constant where the array ends.
///
/// ```text
/// let (c: bool) = lt y 0
/// let (d: bool) = le n y
/// let (e: bool) = or c d
/// let (x: f32) = if e then { (0.0f32) } else { let (z: f32) = index a[y] in (z) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Guarded<'a> {
    /// The array.
    pub array: Var,
    /// The indices.
    pub dims: &'a [Dim],
    /// The constant.
    pub outside: Scalar,
    /// The condition ...
    cond: Atom,
    /// ... and which value it has where the element is read.
    holds: bool,
}

impl<'a> Guarded<'a> {
    /// What an expression does, if it is such a branch. Whatever its condition is.
    pub fn of(exp: &'a Exp) -> Option<Guarded<'a>> {
        let Exp::If(cond, bodies) = exp else { return None };
        let [yes, no] = &**bodies;
        [(yes, no, true), (no, yes, false)].into_iter().find_map(|(read, other, holds)| {
            let ([stm], [result]) = (&read.stms[..], &read.results[..]) else { return None };
            let ([], [Atom::Const(outside)]) = (&other.stms[..], &other.results[..]) else {
                return None;
            };
            match (&stm.exp, &stm.pat[..]) {
                (Exp::Index(array, dims), [element]) if *result == Atom::Var(*element) => {
                    let (array, outside, cond) = (*array, *outside, *cond);
                    Some(Guarded { array, dims, outside, cond, holds })
                }
                _ => None,
            }
        })
    }

    /// Whether the condition compares some of these indices with zero or with the sizes of their dimensions, and nothing else. Since an
    /// element that is read exists, the condition then says that it does.
    pub fn is_by<'b>(
        &self,
        indices: &[(Atom, Atom)],
        made: &dyn Fn(Var) -> Option<&'b Exp>,
    ) -> bool {
        says(self.cond, self.holds, indices, made)
    }
}

/// Whether a condition has this value only if comparisons hold that do where elements exist.
fn says<'b>(
    cond: Atom,
    holds: bool,
    indices: &[(Atom, Atom)],
    made: &dyn Fn(Var) -> Option<&'b Exp>,
) -> bool {
    match cond.var().and_then(made) {
        Some(Exp::UnOp(UnOp::Not, a)) => says(*a, !holds, indices, made),
        Some(Exp::BinOp(op, a, b)) if *op == if holds { BinOp::And } else { BinOp::Or } => {
            says(*a, holds, indices, made) && says(*b, holds, indices, made)
        }
        Some(Exp::CmpOp(op, a, b)) => {
            // What is less, and whether it may be equal.
            let (low, high, equal) = match (op, holds) {
                (CmpOp::Lt, true) => (*a, *b, false),
                (CmpOp::Le, true) => (*a, *b, true),
                (CmpOp::Lt, false) => (*b, *a, true),
                (CmpOp::Le, false) => (*b, *a, false),
                (CmpOp::Eq, _) => return false,
            };
            indices.iter().any(|(index, size)| {
                let first = Atom::i64(if equal { 0 } else { -1 });
                let is_end = match (high, *size) {
                    (Atom::Const(Scalar::I64(high)), Atom::Const(Scalar::I64(size))) if equal => {
                        high.checked_add(1) == Some(size)
                    }
                    (high, size) => !equal && high == size,
                };
                high == *index && low == first || low == *index && is_end
            })
        }
        _ => false,
    }
}
