//! Branches that read an element where there is one, and conditions that say so.

use crate::{Atom, BinOp, CmpOp, Dim, Exp, Scalar, UnOp, Var};
use std::collections::BTreeMap;

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

    /// Whether the condition compares some of these indices with zero or with the sizes of their dimensions, and
    /// nothing else ([`exists`]). Since an element that is read exists, the condition then says that it does.
    pub fn is_by<'b>(
        &self,
        indices: &[(Atom, Atom)],
        made: &dyn Fn(Var) -> Option<&'b Exp>,
    ) -> bool {
        exists(self.cond, self.holds, indices, made)
    }
}

/// Whether a condition has this value wherever elements exist: it consists of comparisons that hold if these indices
/// are at least zero and below the sizes of their dimensions. Numbers that indices and comparisons are sums of must not
/// overflow, if it is known how they are made.
pub fn exists<'b>(
    cond: Atom,
    holds: bool,
    indices: &[(Atom, Atom)],
    made: &dyn Fn(Var) -> Option<&'b Exp>,
) -> bool {
    match cond.var().and_then(made) {
        Some(Exp::UnOp(UnOp::Not, a)) => exists(*a, !holds, indices, made),
        Some(Exp::BinOp(op, a, b)) if *op == if holds { BinOp::And } else { BinOp::Or } => {
            exists(*a, holds, indices, made) && exists(*b, holds, indices, made)
        }
        Some(Exp::CmpOp(op, a, b)) => {
            // What is less, and by how much.
            let (low, high, by) = match (op, holds) {
                (CmpOp::Lt, true) => (*a, *b, 1),
                (CmpOp::Le, true) => (*a, *b, 0),
                (CmpOp::Lt, false) => (*b, *a, 0),
                (CmpOp::Le, false) => (*b, *a, 1),
                (CmpOp::Eq, _) => return false,
            };
            let asked = Sum::difference(high, low, by, made);
            indices.iter().any(|(index, size)| {
                asked.follows_from(&Sum::difference(*index, Atom::i64(0), 0, made))
                    || asked.follows_from(&Sum::difference(*size, *index, 1, made))
            })
        }
        _ => false,
    }
}

/// More sums are not taken apart.
const MOST_PARTS: usize = 16;

/// A number: a sum of others, and a constant.
#[derive(Default)]
struct Sum {
    /// The others, in their order, and how often each.
    terms: BTreeMap<Var, i64>,
    plus: i64,
    /// How many sums have been taken apart.
    parts: usize,
}

impl Sum {
    /// `a - b - by`
    fn difference<'b>(a: Atom, b: Atom, by: i64, made: &dyn Fn(Var) -> Option<&'b Exp>) -> Sum {
        let mut sum = Sum { plus: by.wrapping_neg(), ..Sum::default() };
        sum.add(a, 1, made);
        sum.add(b, -1, made);
        sum.terms.retain(|_, times| *times != 0);
        sum
    }

    fn add<'b>(&mut self, atom: Atom, times: i64, made: &dyn Fn(Var) -> Option<&'b Exp>) {
        let var = match atom {
            Atom::Const(Scalar::I64(value)) => {
                self.plus = self.plus.wrapping_add(value.wrapping_mul(times));
                return;
            }
            Atom::Const(Scalar::I32(value)) => {
                self.plus = self.plus.wrapping_add(i64::from(value).wrapping_mul(times));
                return;
            }
            Atom::Const(_) => return,
            Atom::Var(var) => var,
        };
        match made(var) {
            Some(Exp::BinOp(op @ (BinOp::Add | BinOp::Sub), a, b)) if self.parts < MOST_PARTS => {
                self.parts += 1;
                self.add(*a, times, made);
                self.add(*b, if *op == BinOp::Add { times } else { -times }, made);
            }
            _ => *self.terms.entry(var).or_default() += times,
        }
    }

    /// Whether it is at least zero if another one is.
    fn follows_from(&self, other: &Sum) -> bool {
        self.terms == other.terms && self.plus >= other.plus
    }
}
